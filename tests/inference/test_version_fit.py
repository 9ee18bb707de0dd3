"""Replies to versions fit their design and each other, or the test of fit says so."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kstest

import deniable as dn

T, A, B, C = dn.yes_no("t"), dn.yes_no("a"), dn.yes_no("b"), dn.Question("c", ["x", "y", "z"])
DICE = dn.Design([dn.versions({"low": [dn.forced(0, 0.3, A)], "high": [dn.forced(0, 0.6, A)]})])
ARMS = dn.Design([dn.versions({"forced": [dn.forced(0.1, 0.3, A)], "warner": [dn.warner(0.8, A)],
                               "joint": [dn.draw(0.6, A, C)]}, shares=[0.3, 0.4, 0.3])])  # fmt: skip
DRAWN = dn.Design([dn.draw(dn.epsilon(2), T, A, B, C, always=["t"], ask=2)])
CHOSEN = dn.Design([dn.versions({"cards": [dn.hadamard(dn.epsilon(1), C)], "k_ary": [dn.k_ary(0.6, C)]}, chosen=True)])
# reports of all versions - rank - (versions - 1); chosen ones each for itself
DEGREES = {"dice": (DICE, 4 - 2 - 1), "arms": (ARMS, 10 - 6 - 2), "drawn": (DRAWN, 32 - 20 - 2), "chosen": (CHOSEN, 1)}
every_design = pytest.mark.parametrize(("design", "df"), DEGREES.values(), ids=DEGREES)


def people(n, seed, design):
    """People whose answers depend on each other."""
    rng = np.random.default_rng(seed)
    t = rng.random(n) < 0.4
    found = pd.DataFrame({"t": np.where(t, "yes", "no"), "c": rng.choice(list("xyz"), n, p=[0.5, 0.3, 0.2])})
    for name, share in {"a": 0.5, "b": 0.3}.items():
        found[name] = np.where(rng.random(n) < np.where(t, share, 0.6 * share), "yes", "no")
    if design is CHOSEN:
        found["version"] = np.where(t, "cards", "k_ary")
    return found[[name for name in found if name in design.columns]]


@every_design
def test_p_values_of_honest_replies_are_uniform(design, df):
    """300 surveys of 2,000 people, disguised at once; of a right test one seed in a thousand fails."""
    replies = dn.disguise(design, people(300 * 2000, 0, design), seed=0)
    found = [dn.fit_test(design, replies[2000 * run : 2000 * (run + 1)]) for run in range(300)]
    assert {each.df for each in found} == {df}
    assert kstest([each.p for each in found], "uniform").pvalue > 0.001


def test_people_who_ignore_the_die_are_found():
    """One in five says no whatever the die shows: two versions disagree on the share of yes."""
    replies = dn.disguise(DICE, people(4000, 1, DICE), seed=1)
    replies.loc[np.random.default_rng(0).random(4000) < 0.2, "a"] = "no"
    assert dn.fit_test(DICE, replies).p < 1e-6


def test_sizes_that_are_not_as_planned_are_no_misfit_but_noted():
    replies = dn.disguise(DICE, people(4000, 2, DICE), seed=2)
    dropped = (replies["version"] == "high") & (np.arange(4000) % 2 == 0)
    found = dn.fit_test(DICE, replies[~dropped])
    assert found.p > 0.001
    assert "which chance does not explain" in found.note


def test_a_version_that_nobody_got_is_left_out():
    replies = dn.disguise(ARMS, people(4000, 3, ARMS), seed=3)
    found = dn.fit_test(ARMS, replies[replies["version"] != "warner"])
    assert (found.df, found.p > 0.001) == (8 - 6 - 1, True)


def test_versions_that_share_no_question_allow_no_test():
    design = dn.Design([dn.versions({"a": [dn.warner(0.8, A)], "b": [dn.warner(0.8, B)]})])
    replies = dn.disguise(design, people(100, 1, design), seed=1)
    with pytest.raises(dn.DeniableError, match="several versions of a question"):
        dn.fit_test(design, replies)

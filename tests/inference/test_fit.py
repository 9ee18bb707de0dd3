"""Replies fit their design, or the test of fit says so."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kstest

import deniable as dn

TOWN = dn.Question("town", [str(town) for town in range(5)])
SMOKES = dn.yes_no("smokes")
CARDS = [[0.2, 0.5], [0.3, 0.1], [0.5, 0.4]]
DESIGN = dn.Design([dn.hadamard(dn.epsilon(1), TOWN), dn.lookup(SMOKES, CARDS, ["red", "black", "joker"])])


def people(n, seed):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"town": rng.choice(TOWN.answers, n, p=[0.5, 0.2, 0.1, 0.1, 0.1]),
                         "smokes": rng.choice(["no", "yes"], n, p=[0.7, 0.3])})  # fmt: skip


def test_p_values_of_honest_replies_are_uniform():
    """300 surveys of 2,000 people; of a right test one seed in a thousand fails."""
    values = [dn.fit_test(DESIGN, dn.disguise(DESIGN, people(2000, seed), seed=seed)).p for seed in range(300)]
    assert kstest(values, "uniform").pvalue > 0.001


def test_degrees_are_reports_less_truths():
    found = dn.fit_test(DESIGN, dn.disguise(DESIGN, people(500, 1), seed=1))
    assert (found.df, found.n) == (8 - 5 + 3 - 2, 500)
    assert "chi-square" in str(found)


def test_replies_that_were_drawn_otherwise_are_found():
    replies = dn.disguise(DESIGN, people(5000, 1), seed=1)
    replies["smokes"] = np.where(np.arange(5000) % 10 == 0, "joker", replies["smokes"])  # one in ten shows a joker
    assert dn.fit_test(DESIGN, replies).p < 1e-4


def test_a_design_without_more_reports_than_truths_is_refused():
    design = dn.Design([dn.warner(0.8, SMOKES)])
    replies = dn.disguise(design, people(50, 1)[["smokes"]], seed=1)
    with pytest.raises(dn.DeniableError, match="must be one whose reports outnumber the true answers"):
        dn.fit_test(design, replies)


def test_replies_that_lack_a_cell_are_counted():
    replies = dn.disguise(DESIGN, people(500, 1), seed=1)
    replies.loc[:9, "smokes"] = None
    found = dn.fit_test(DESIGN, replies)
    assert "490 of 500 replies" in found.note


def test_every_gap_is_told_whole():
    design = dn.Design([dn.lookup(dn.yes_no(name), CARDS, ["red", "black", "joker"]) for name in ("a", "b")])
    rng = np.random.default_rng(1)
    replies = dn.disguise(design, pd.DataFrame(rng.choice(["no", "yes"], (900, 2)), columns=["a", "b"]), seed=1)
    replies.loc[:9, "a"], replies.loc[20:49, "b"] = None, None
    lacking = [f"rests on {used} of 900 replies: {few} lack {name}; they may differ"
               for used, few, name in ((890, 10, "a"), (870, 30, "b"))]  # fmt: skip
    assert dn.fit_test(design, replies).note == "; ".join(lacking)

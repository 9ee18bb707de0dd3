"""Every claim can come out either way, and is judged against something other than itself."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from deniable.papers import du_zhan, zhan_matwin
from deniable.papers.experiment import MIN_RUNS
from deniable.papers.studies import STUDIES
from deniable.papers.unrelated import RAW
from papers.worlds import FALSE, OURS, TRUE, du_zhan_results, zhan_matwin_results

TOO_FEW = "too few runs to tell"
NOTHING_DRAWN = {  # how the claims begin that need no runs
    "du-zhan": ["at theta = 0 and 1", "at theta = 0 and 1", "the privacy level"],
    "four-groups": [],
    "zhan-matwin": ["at q = 1", "at q = 1", "privacy (PSE)", "PSE is the same", "PSE is the same"],
    "agrawal-srikant": ["table 1"],
}
PAPER_SAYS_TOO_LITTLE = {"four-groups": 2}  # no data set, theta or measure is named


@pytest.mark.parametrize("study", STUDIES)
def test_every_claim_is_held_where_it_is_true_and_not_held_where_it_is_false(study):
    for runs in (MIN_RUNS + 1, 10):
        true, false = TRUE[study].claims(study, runs), FALSE[study].claims(study, runs)
        assert [each.says for each in true if each.verdict != "held" and each.held is not None] == []
        assert [each.says for each in false if each.verdict != "not held" and each.held is not None] == []
        too_little = PAPER_SAYS_TOO_LITTLE.get(study, 0)
        assert [each.verdict for each in true].count("cannot be told") == too_little
        assert [each.verdict for each in false].count("cannot be told") == too_little


@pytest.mark.parametrize("runs", [1, 2])
@pytest.mark.parametrize("study", STUDIES)
def test_one_or_two_runs_are_too_few_to_tell_unless_nothing_is_drawn(study, runs):
    for world, verdict in ((TRUE[study], "held"), (FALSE[study], "not held")):
        claims = [each for each in world.claims(study, runs) if each.held is not None]
        sure = [each for each in claims if each.verdict != TOO_FEW]
        for each, start in zip(sure, NOTHING_DRAWN[study], strict=True):
            assert each.says.startswith(start)
            assert each.verdict == verdict


def test_three_runs_are_enough():
    verdicts = {each.verdict for each in TRUE["four-groups"].claims("four-groups", 3)}
    assert verdicts == {"held", "cannot be told"}


def verdict_of(claims, start):
    (found,) = {each.verdict for each in claims if each.says.startswith(start)}
    return found


def zhan_matwin_claims(results, ordinary=0.8):
    known = TRUE["zhan-matwin"].known
    return zhan_matwin.claims(results, replace(known, ordinary=dict.fromkeys(zhan_matwin.DATA, ordinary)))


def test_total_disclosure_is_the_ordinary_classifier_and_not_the_disguised_one_at_q_1():
    alike = zhan_matwin_results(lambda q: 0.6 + 0.001 * q, lambda q: 0.02 * (1 - q), 0.0)(10)
    assert verdict_of(zhan_matwin_claims(alike), "with q well chosen") == "not held"


def test_a_mean_and_a_variance_that_stay_the_same_neither_fall_nor_grow():
    claims = zhan_matwin_claims(zhan_matwin_results(lambda q: 0.8, lambda q: 0.02, 0.0)(10))
    assert verdict_of(claims, "the mean falls") == verdict_of(claims, "the variance grows") == "not held"


def test_scatter_excuses_no_loss():
    """Runs that scatter by .4 have a standard error of .13 in ten; the mean is .1 lower all the same."""
    scattered = du_zhan_results(lambda theta: 0.8, 0.65, (0.0, 0.0))(10)
    ours = scattered["method"] == OURS
    scattered.loc[ours, "accuracy"] += np.where(scattered.loc[ours, "run"] % 2, 0.3, -0.3)
    assert verdict_of(du_zhan.claims(scattered, TRUE["du-zhan"].known), "ours: at .51") == "not held"
    lost = zhan_matwin_results(lambda q: 0.8, lambda q: 0.0, -0.1)(10)
    ours = lost["method"] == OURS
    lost.loc[ours, "accuracy"] += np.where(lost.loc[ours, "run"] % 2, 0.3, -0.3)
    assert verdict_of(zhan_matwin_claims(lost), "ours: never worse") == "not held"


def test_chance_alone_does_not_overturn_a_variance_that_grows():
    """A hundred runs know a variance to a seventh. Each step grows by a seventh here; 60 tables of normal accuracies.

    A step falls by three standard errors with a chance of .001, so of 60 x 10 steps more than three do with 1 in 300.
    """
    qs = np.array([q for q in zhan_matwin.QS if q > 0])
    overturned, steps = 0, np.where(qs < 1, 0.02 * 1.07 ** np.arange(len(qs))[::-1], 0.0)
    for seed in range(60):
        drawn = 0.8 + steps * np.random.default_rng(seed).standard_normal((100, len(qs)))
        frame = pd.DataFrame(drawn, columns=qs).melt(var_name="q", value_name="accuracy", ignore_index=False)
        frame = frame.rename_axis("run").reset_index().assign(data="Adult", method=RAW)
        told = zhan_matwin.with_errors_of_variances(frame).set_index("q")
        grows = zhan_matwin.trends("Adult", told)[1]
        overturned += grows.verdict == "not held"
    assert overturned <= 3


def test_a_verdict_stands_beside_the_figure_that_decides_it():
    """One step of the variance the wrong way, between two values of q that are not among those shown otherwise."""
    odd = zhan_matwin_results(lambda q: 0.8 - 0.03 * (1 - q), lambda q: 0.001 if q == 0.7 else 0.02 * (1 - q), 0.0)(10)
    claim = next(each for each in zhan_matwin_claims(odd) if each.says.startswith("the variance grows"))
    assert claim.verdict == "not held"
    assert claim.figure.endswith("; but the other way from 0.8 to 0.7")

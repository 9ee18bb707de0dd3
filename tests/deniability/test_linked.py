"""Questions linked by a condition: no figure is better than the truth, whatever the true answers are."""

from itertools import product

import numpy as np
import pytest

import deniable as dn

THETAS = [(0.8, 0.7), (0.6, 0.9), (0.75, 0.75)]


def design_of(first, second):
    daily = dn.Question("daily", ["no", "yes"], ask_if="smokes == 'yes'", otherwise="no")
    return dn.Design([dn.warner(first, dn.yes_no("smokes")), dn.warner(second, daily)])


@pytest.mark.parametrize(("first", "second"), THETAS)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_beliefs_are_bounds_for_all_ways_in_which_answers_depend(first, second, share):
    """All populations in which nobody smokes daily without smoking, with a share of smokers, one by one."""
    found = {each.name: each for each in dn.privacy(design_of(first, second), {"smokes": share}).questions}
    for daily in np.linspace(0, share, 11):
        truth = {("no", "no"): 1 - share, ("yes", "no"): share - daily, ("yes", "yes"): daily}
        right = 0.0
        for smokes, other in product(["no", "yes"], repeat=2):
            joint = {
                true: chance
                * (first if true[0] == smokes else 1 - first)
                * (second if true[1] == other else 1 - second)
                for true, chance in truth.items()
            }
            total = sum(joint.values())
            belief = (joint["yes", "no"] + joint["yes", "yes"]) / total
            assert belief <= found["smokes"].posterior + 1e-9
            assert 1 - belief <= found["smokes"].posterior_other + 1e-9
            right += total * (belief**2 + (1 - belief) ** 2)
        assert 1 - right >= found["smokes"].pse - 1e-9


def test_it_is_said_that_they_are_linked():
    told = dn.privacy(design_of(0.8, 0.8))
    assert any("links smokes and daily" in sentence and "16.0 times" in sentence for sentence in told.sentences)
    assert all("links" in row["note"] for row in told.to_json()["questions"])


def test_questions_without_conditions_are_as_they_were():
    free = dn.Design([dn.warner(0.8, dn.yes_no("smokes")), dn.warner(0.8, dn.yes_no("daily"))])
    assert dn.privacy(free).questions[0].posterior == pytest.approx(0.8)

"""The papers' own equations, as oracles for the general code."""

from math import exp, log, sqrt

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.deniability.interval import interval_privacy
from deniable.inference.invert.factored import left_inverse
from deniable.inference.invert.stack import ChannelStack
from deniable.inference.invert.stacks import stacks_of, weights_of
from deniable.inference.planned import weight_variance

YES_NO = [dn.yes_no(name) for name in "abc"]
THETAS = [0, 0.1, 0.3, 0.55, 0.7, 0.9, 1]


def reply_frame(counts):
    """Replies to yes/no questions a, b, c, so many of each combination."""
    rows = [combination for combination, times in counts.items() for _ in range(times)]
    return pd.DataFrame([["yes" if letter == "1" else "no" for letter in row] for row in rows], columns=list("abc"))


REPLIES = {"000": 40, "001": 13, "010": 9, "011": 7, "100": 5, "101": 11, "110": 3, "111": 12}


@pytest.mark.parametrize("theta", THETAS)
def test_du_and_zhan_equation_3(theta):
    """P*(E) = P(E) theta + P(E') (1-theta) and its mirror, for E = a and not b and c."""
    frame = reply_frame(REPLIES)
    matches, opposes = REPLIES["101"] / 100, REPLIES["010"] / 100
    expected = (theta * matches - (1 - theta) * opposes) / (2 * theta - 1)
    design = dn.Design([dn.warner(theta, *YES_NO)])
    found = dn.estimate(design, frame, "a == 'yes' and b == 'no' and c == 'yes'")
    assert found.value == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("theta", [0.1, 0.5, 0.9, 1])
def test_zhan_and_matwin_unrelated_question(theta):
    """P(E) = (P*(E) - (1-theta) 2^-k) / theta for k uniform questions in one group."""
    design = dn.Design([dn.unrelated(theta, *YES_NO)])
    found = dn.estimate(design, reply_frame(REPLIES), "a == 'yes' and c == 'yes'")
    assert found.value == pytest.approx(((11 + 12) / 100 - (1 - theta) / 4) / theta, abs=1e-8)


@pytest.mark.parametrize("theta", [0.2, 0.5, 0.8, 1])
def test_k_ary_closed_form(theta):
    answers = ["red", "green", "blue", "black"]
    design = dn.Design([dn.k_ary(theta, dn.Question("color", answers))])
    replies = pd.DataFrame({"color": np.repeat(answers, [40, 30, 20, 10])})
    other = (1 - theta) / 3
    for answer, share in zip(answers, [0.4, 0.3, 0.2, 0.1], strict=True):
        found = dn.estimate(design, replies, f"color == '{answer}'")
        assert found.value == pytest.approx((share - other) / (theta - other), abs=1e-8)


LOTTERY_ADDS = [(0.9, 0.14), (0.8, 0.44), (0.7, 1.3), (0.6, 6), (0.55, 24.75), (0.51, 625)]


@pytest.mark.parametrize(("theta", "factor"), LOTTERY_ADDS)
def test_variance_that_the_lottery_adds(theta, factor):
    """theta (1-theta) / (2 theta - 1)^2 for one Warner question, on top of sampling."""
    added = weight_variance(dn.warner(theta, YES_NO[0]), YES_NO[0], share=0.3) - 0.3 * 0.7
    assert added == pytest.approx(theta * (1 - theta) / (2 * theta - 1) ** 2, rel=1e-6)
    assert added == pytest.approx(factor, rel=0.05)


def test_standard_errors_are_for_the_population():
    """At theta = .9, n = 2000 and a share of .1: .0107 (.0084 would be the lottery alone)."""
    reported = round(2000 * (0.1 * 0.9 + 0.9 * 0.1))
    replies = pd.DataFrame({"a": ["yes"] * reported + ["no"] * (2000 - reported)})
    found = dn.estimate(dn.Design([dn.warner(0.9, YES_NO[0])]), replies, "a == 'yes'")
    assert found.value == pytest.approx(0.1, abs=1e-8)
    assert found.stderr == pytest.approx(0.0107, abs=5e-5)


@pytest.mark.parametrize(("theta", "second_moment"), [(0.9, 1.7), (0.7, 28.6), (0.6, 2401)])
def test_weights_of_four_groups_multiply(theta, second_moment):
    group = [dn.yes_no(name) for name in "abcd"]
    design = dn.Design([dn.warner(theta, question) for question in group])
    everyone_yes = np.zeros((2, 2, 2, 2))
    everyone_yes[1, 1, 1, 1] = 1
    weights = weights_of(everyone_yes, stacks_of(design, group))
    chance = np.array([1 - theta, theta])
    moment = np.einsum("abcd,a,b,c,d", weights**2, chance, chance, chance, chance)
    assert moment == pytest.approx(second_moment, rel=0.01)


def test_tall_matrices_keep_the_weight_of_untouched_groups():
    """The plain pseudo-inverse does not: 1'L = 1' only for the weighted one."""
    matrix = dn.lookup(YES_NO[0], [[0.7, 0.1], [0.2, 0.3], [0.1, 0.6]], ["x", "y", "z"]).matrix()
    assert np.allclose(left_inverse(matrix).sum(axis=0), 1, atol=1e-12)
    assert not np.allclose(np.linalg.pinv(matrix).sum(axis=0), 1, atol=1e-3)


@pytest.mark.parametrize(("theta", "record"), [(0.51, 0.60), (0.6, 6.08), (0.7, 12.7)])
def test_epsilon_of_fifteen_questions(theta, record):
    questions = [dn.yes_no(f"q{index}") for index in range(15)]
    apart = dn.privacy(dn.Design([dn.warner(theta, question) for question in questions]))
    assert apart.epsilon == pytest.approx(15 * abs(log(theta / (1 - theta))), abs=1e-4)
    assert apart.epsilon == pytest.approx(record, rel=0.005)
    together = dn.privacy(dn.Design([dn.warner(theta, *questions)]))
    assert together.to_json()["epsilon"] == "infinity"
    assert "share one draw" in together.sentences[0]


@pytest.mark.parametrize("theta", [0.2, 0.5, 0.8])
def test_epsilon_of_unrelated_questions(theta):
    questions = [dn.yes_no(f"q{index}") for index in range(10)]
    together = dn.privacy(dn.Design([dn.draw(theta, *questions)]))
    assert together.epsilon == pytest.approx(log(1 + theta * 2**10 / (1 - theta)), abs=2e-6)
    assert together.questions[0].epsilon == pytest.approx(log((1 + theta) / (1 - theta)), abs=2e-6)


def test_epsilon_is_rounded_up_and_two_sided():
    report = dn.privacy(dn.Design([dn.warner(0.9, YES_NO[0])]))
    assert report.epsilon == 2.197225  # ln 9 = 2.1972245...
    assert 9 <= exp(report.epsilon) < 9.00001


AGE = dn.number("age", 0, 1000)


@pytest.mark.parametrize(
    ("confidence", "uniform", "gaussian", "interval"),
    [(0.5, 0.5 * 2, 1.349, 0.5), (0.95, 0.95 * 2, 3.92, 0.95), (0.999, 0.999 * 2, 6.58, 0.999)],
)
def test_interval_privacy_is_table_1_of_agrawal_and_srikant(confidence, uniform, gaussian, interval):
    """With 6.58 instead of the misprinted 6.8; to within the grid of 1/1024 of the range."""
    half, bell, cells = dn.uniform(AGE, half_width=250), dn.gaussian(AGE, sd=100), dn.interval(AGE, width=100)
    assert interval_privacy(half, AGE, confidence) == pytest.approx(uniform * 250, rel=0.003)
    assert interval_privacy(bell, AGE, confidence) == pytest.approx(gaussian * 100, rel=0.003)
    assert interval_privacy(cells, cells.group[0], confidence) == pytest.approx(interval * 100)


@pytest.mark.parametrize("scheme", [dn.gaussian, dn.uniform])
@pytest.mark.parametrize("privacy", [0.25, 0.5, 1, 2])
def test_a_privacy_level_is_a_share_of_the_range(scheme, privacy):
    assert interval_privacy(scheme(AGE, privacy=privacy), AGE, 0.95) == pytest.approx(
        1000 * privacy, abs=2
    )  # grid steps
    at_half = scheme(AGE, privacy=privacy, confidence=0.5)
    assert interval_privacy(at_half, AGE, 0.5) == pytest.approx(1000 * privacy, abs=2)  # steps


def test_a_plan_inverts_the_variance():
    """n = z^2 / (4 (2 theta - 1)^2 margin^2) for one Warner question at the worst share."""
    design = dn.Design([dn.warner(0.8, YES_NO[0])])
    found = dn.plan(design, margin=0.02)
    assert found.n == int(np.ceil((1.959964 / (2 * 0.6 * 0.02)) ** 2))
    assert dn.plan(design, replies=found.n).margin == pytest.approx(0.02, rel=1e-3)
    assert found.theta == pytest.approx(0.8)
    assert dn.theta_for(log(4)) == pytest.approx(0.8)
    assert dn.theta_for(log(9), answers=3) == pytest.approx(9 / 11)


def test_the_worst_share_of_a_forced_answer_is_not_a_half():
    question = YES_NO[0]
    channel = dn.forced(0, 0.4, question)
    shares = np.linspace(0, 1, 1001)
    worst = max(weight_variance(channel, question, share) for share in shares)
    assert weight_variance(channel, question) == pytest.approx(worst, rel=1e-5)


def test_wilson_through_the_inverse_is_the_interval_of_a_single_question():
    n, reported, theta, z = 2000, 500, 0.8, 1.959964
    share = reported / n
    centre, root = share + z**2 / (2 * n), z * sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    wilson = [(centre - root) / (1 + z**2 / n), (centre + root) / (1 + z**2 / n)]
    expected = [(each - (1 - theta)) / (2 * theta - 1) for each in wilson]
    replies = pd.DataFrame({"a": ["yes"] * reported + ["no"] * (n - reported)})
    found = dn.estimate(dn.Design([dn.warner(theta, YES_NO[0])]), replies, "a == 'yes'")
    assert found.low == pytest.approx(max(expected[0], 0), abs=1e-6)
    assert found.high == pytest.approx(expected[1], abs=1e-6)


def test_parts_know_when_there_is_no_stable_inverse():
    with pytest.raises(dn.DeniableError, match=r"no stable inverse \(condition .*, expected below 1e6\)"):
        _ = ChannelStack((AGE,), (0,), dn.gaussian(AGE, privacy=1)).inverse


@pytest.mark.parametrize(("replies", "power"), [(300, 0.2369), (1000, 0.6065)])
@pytest.mark.parametrize("share", [0.25, {"harassed": 0.25}], ids=["any answer", "of yes"])
def test_power_is_that_of_the_r_package_rr(replies, power, share):
    """Forced answers by a die, a share of .30 that was stated as .25, two-sided at 5 %: power.rr.test.

    The edge of the test is by the standard error at .25, the estimate's own spread by that at .30; with either of them
    in both places it would be .2318 or .2239 with 300 replies.
    """
    design = dn.Design([dn.forced(1 / 6, 1 / 6, dn.yes_no("harassed"))])
    assert dn.plan(design, replies=replies, share=share, difference=0.05).power == pytest.approx(power, abs=5e-5)


@pytest.mark.parametrize(("stated", "true", "power"), [(0.5, 0.6, 0.8), (0.1, 0.15, 0.9)])
def test_in_the_clear_a_plan_is_the_textbook_sample_size(stated, true, power):
    """n = ((z sqrt(p0 q0) + z_b sqrt(p1 q1)) / (p1 - p0))^2, of the z-test for one share."""
    design = dn.Design([dn.clear(YES_NO[0])])
    z, beta = 1.959964, {0.8: 0.841621, 0.9: 1.281552}[power]
    needed = ((z * sqrt(stated * (1 - stated)) + beta * sqrt(true * (1 - true))) / (true - stated)) ** 2
    found = dn.plan(design, difference=true - stated, power=power, share=stated)
    assert found.n == int(np.ceil(needed))

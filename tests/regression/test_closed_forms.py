"""Regressions whose coefficients have a closed form: saturated ones are tables, linear ones are moments."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deniable as dn
from deniable.channel.schemes import gaussian, uniform
from deniable.regression.noise import Nodes, node_signs, node_weights, shift_and_weight
from regression.people import people

N = 3_000
Y, X, G = dn.yes_no("y"), dn.yes_no("x"), dn.yes_no("g")


def replies_of(design, n=N, seed=3):
    true = people(n, seed)
    found = dn.disguise(design, true, seed=seed)
    return found.assign(**{name: true[name].to_numpy() for name in true.columns if name not in found.columns})


def arms():
    versions = {"forced": [dn.forced(0.1, 0.2, X), dn.warner(0.8, Y)], "clear": [dn.clear(X), dn.forced(0.2, 0.1, Y)]}
    return dn.versions(versions, shares=[0.6, 0.4], column="arm")


DESIGNS = {
    "separate": dn.Design([dn.warner(0.8, X), dn.forced(0.1, 0.2, Y)]),
    "one draw": dn.Design([dn.warner(0.75, X, Y)]),
    "joint draw": dn.Design([dn.draw(0.6, X, Y)]),
    "predictor only": dn.Design([dn.unrelated(0.7, X, chances={"x": [0.4, 0.6]}), dn.clear(Y)]),
    "arms": dn.Design([arms()]),
    "versions": dn.Design([dn.draw(dn.epsilon(3), Y, X, G, always=["y"], ask=1)]),
}


@pytest.mark.parametrize("name", DESIGNS)
def test_two_answers_on_two_answers_are_the_table_of_both(name):
    design = DESIGNS[name]
    replies = replies_of(design)
    found = dn.regress(design, replies, "y ~ x")
    assert found.method == "corrected scores"
    table = dn.table(design, replies, ["x", "y"]).share.to_numpy().reshape(2, 2)  # [x, y]
    odds = np.log(table[:, 1] / table[:, 0])
    np.testing.assert_allclose(found.table.estimate, [odds[0], odds[1] - odds[0]], rtol=1e-7)


@pytest.mark.parametrize("scheme", [dn.warner(0.8, Y), dn.forced(0.1, 0.2, Y), dn.clear(Y)])
def test_a_disguised_outcome_on_a_clear_group_is_its_share_in_each(scheme):
    design = dn.Design([scheme, dn.clear(G)])
    replies = replies_of(design)
    found = dn.regress(design, replies, "y ~ g")
    assert found.method == "likelihood"
    for word, answer, each in found.shares("g"):
        other = dn.estimate(design, replies, f"y == '{answer}'", given=f"g == '{word}'")
        assert (each.value, each.stderr) == pytest.approx((other.value, other.stderr), rel=2e-3)


def test_several_answers_on_two_are_the_table_of_both():
    design = dn.Design([dn.k_ary(0.8, dn.Question("kind", ["p", "q", "r"])), dn.warner(0.85, X)])
    replies = replies_of(design)
    found = dn.regress(design, replies, "kind ~ x")
    table = dn.table(design, replies, ["x", "kind"]).share.to_numpy().reshape(2, 3)
    odds = np.log(table[:, 1:] / table[:, :1])
    np.testing.assert_allclose(found.table.estimate, np.stack([odds[0], odds[1] - odds[0]], axis=1).ravel(), rtol=1e-7)


def test_an_expression_is_explained_as_a_question_of_two_answers():
    design = dn.Design([dn.k_ary(0.8, dn.Question("kind", ["p", "q", "r"])), dn.warner(0.85, X), dn.warner(0.8, Y)])
    replies = replies_of(design)
    found = dn.regress(design, replies, "kind in ('q', 'r') ~ x")
    shares = [dn.estimate(design, replies, "kind != 'p'", given=f"x == '{word}'").value for word in ("no", "yes")]
    np.testing.assert_allclose(1 / (1 + np.exp(-np.cumsum(found.table.estimate))), shares, rtol=1e-6)
    one, two = (dn.regress(design, replies, f"{text} ~ z") for text in ("y", "y == 'yes'"))
    assert two.method == "likelihood"
    np.testing.assert_allclose(one.table.estimate, two.table.estimate)
    turned = dn.regress(design, replies, "y == 'no' ~ z")
    np.testing.assert_allclose(one.table.estimate, -turned.table.estimate, rtol=1e-6)


def test_chosen_versions_stand_for_their_own_people():
    """Those who choose the clear version say yes more often; nothing is pooled across."""
    versions = {"hidden": [dn.warner(0.75, Y)], "open": [dn.clear(Y)]}
    design = dn.Design([dn.versions(versions, chosen=True, column="arm")])
    rng = np.random.default_rng(1)
    arm = rng.choice(["hidden", "open"], 4_000)
    says = np.where(rng.random(4_000) < np.where(arm == "open", 0.8, 0.35), "yes", "no")
    replies = {"arm": arm, "y": says, "g": rng.choice(["a", "b"], 4_000)}
    found = dn.regress(design, pd.DataFrame(replies), "y ~ 1")
    assert found.method == "corrected scores"
    share = 1 / (1 + np.exp(-found.table.estimate[0]))
    assert share == pytest.approx(dn.estimate(design, pd.DataFrame(replies), "y == 'yes'").value, abs=1e-9)


def noise_variance(design, name):
    """Variance of the noise in a number's replies, from its published table."""
    question, noise = design.question(name), design.channel(name).noise
    return float(noise.chances @ (np.arange(noise.first, noise.last + 1) * question.range.step) ** 2)


@pytest.mark.parametrize("scheme", [gaussian, uniform])
def test_a_line_loses_the_variance_of_the_noise(scheme):
    design = dn.Design([scheme(dn.number("age", 18, 80), privacy=0.5), dn.clear(dn.number("v", 0, 40))])
    replies = replies_of(design)
    found = dn.regress(design, replies, "v ~ age")
    age, v = replies.age.to_numpy(), replies.v.to_numpy()
    slope = np.cov(age, v, ddof=0)[0, 1] / (age.var() - noise_variance(design, "age"))
    np.testing.assert_allclose(found.table.estimate, [v.mean() - slope * age.mean(), slope], rtol=1e-4)


def test_noise_on_the_outcome_changes_its_error_alone():
    design = dn.Design([dn.gaussian(dn.number("v", 0, 40), privacy=0.5)])
    replies = replies_of(design)
    found, plain = (dn.regress(each, replies, "v ~ x + age") for each in (design, dn.Design([dn.clear(dn.number(
        "v", -100, 100))])))  # fmt: skip
    np.testing.assert_allclose(found.table[["estimate", "stderr"]], plain.table[["estimate", "stderr"]], rtol=1e-6)


@given(privacy=st.floats(0.05, 2.0), power=st.integers(0, 5), scheme=st.sampled_from([gaussian, uniform]))
def test_nodes_read_powers_of_the_truth_off_reports(privacy, power, scheme):
    question = dn.number("age", 0, 1)
    channel = scheme(question, privacy=privacy)
    mean, shift, weight = shift_and_weight(channel, question)
    steps = np.arange(channel.noise.first, channel.noise.last + 1) * question.range.step
    true = 0.3
    nodes = Nodes(true + steps - mean, np.full(len(steps), shift), np.full(len(steps), weight))
    weights = node_weights([nodes], len(steps))
    read = sum(
        weights[:, index] * (nodes.numbers + 1j * nodes.shift * sign) ** power
        for index, (sign,) in enumerate(node_signs(1))
    )
    assert (channel.noise.chances @ read).real == pytest.approx(true**power, abs=1e-6 * max(1, (steps**6).max()))


def test_numbers_reported_by_interval_lie_in_its_middle():
    design = dn.Design([dn.interval(dn.number("age", 20, 70), cuts=[30, 40, 50, 60]), dn.clear(Y)])
    true = people(N)
    replies = dn.disguise(design, true, seed=1)
    found = dn.regress(design, replies, "y ~ age")
    middles = dict(zip(design.question("age").answers, (25.0, 35.0, 45.0, 55.0, 65.0), strict=True))
    plain = dn.Design([dn.clear(Y)])
    other = dn.regress(plain, replies.assign(years=replies.age.astype(str).map(middles)), "y ~ years")
    np.testing.assert_allclose(found.table.estimate, other.table.estimate, rtol=1e-6)
    assert "numbers taken to lie evenly in their intervals" in found.note


def test_liars_are_answers_too():
    """Cheating detection: of those who cheat the share is told as any other answer's, in each group."""
    design = dn.Design([dn.cheating_detection(0.3, 0.6, dn.yes_no("q")), dn.clear(G)])
    rng = np.random.default_rng(8)
    true = pd.DataFrame({"q": rng.choice(["no", "yes"], 8_000, p=[0.6, 0.4]), "g": rng.choice(["no", "yes"], 8_000)})
    replies = dn.disguise(design, true, seed=5)
    cheats = rng.random(8_000) < 0.2
    replies["q"] = np.where(cheats, "no", replies.q)
    found = dn.regress(design, replies, "q ~ g")
    assert found.fit.model.answers == ("no", "yes", "cheats")
    for word, answer, each in found.shares("g"):
        other = dn.estimate(design, replies[replies.g == word], f"q == '{answer}'")
        assert each.value == pytest.approx(other.value, abs=1e-6)


def test_a_share_on_the_edge_holds_up_nothing_else():
    """Nobody cheats: that coefficient runs off, and all others are those of the edge."""
    design = dn.Design([dn.cheating_detection(0.3, 0.6, dn.yes_no("q")), dn.clear(G)])
    rng = np.random.default_rng(4)
    true = pd.DataFrame({"q": rng.choice(["no", "yes"], 8_000, p=[0.6, 0.4]), "g": rng.choice(["no", "yes"], 8_000)})
    replies = dn.disguise(design, true, seed=8)
    assert dn.estimate(design, replies, "q == 'cheats'").value < 0
    found = dn.regress(design, replies, "q ~ 1")
    shares = {answer: each for _, answer, each in found.shares()}
    assert shares["cheats"].value == pytest.approx(0, abs=1e-6)
    assert shares["yes"].value == pytest.approx(0.4, abs=0.03)
    assert "on the edge of what is possible" in shares["yes"].note

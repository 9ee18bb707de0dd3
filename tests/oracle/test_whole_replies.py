"""Figures of privacy are about the whole reply: against enumeration, and never better than the truth."""

import re
from itertools import product
from math import exp, prod

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deniable as dn
from deniable.deniability import whole
from deniable.deniability.whole import beliefs, prior_of
from deniable.report.ethics import ethics_page
from laws.family import MEMBERS, chance, drawn

EIGHT = [dn.yes_no(f"q{index}") for index in range(8)]
SHARED = {name: make for name, make in MEMBERS.items() if "group" in name or "joint" in name or "known" in name}


def enumerated(channel, name, priors):
    """P(whole reply, true answer) of one question, by every combination of true answers of the group."""
    shares = [prior_of(question, priors.get(question.name)) for question in channel.group]
    index = channel.names.index(name)
    joint = np.zeros((channel.matrix().shape[0], len(channel.group[index])))
    for column, cells in enumerate(product(*(range(len(question)) for question in channel.group))):
        believed = prod(float(share[cell]) for share, cell in zip(shares, cells, strict=True))
        joint[:, cells[index]] += channel.matrix()[:, column] * believed
    return joint[joint.sum(axis=1) > 0]


@pytest.mark.parametrize("member", SHARED.values(), ids=SHARED)
@given(chance, chance, st.integers(0, 2**32 - 1))
@settings(max_examples=15)
def test_beliefs_are_the_enumerated_ones(member, p, q, seed):
    channel = drawn(member, p, q)
    rng = np.random.default_rng(seed)
    priors = {question.name: rng.dirichlet(np.ones(len(question))) for question in channel.group}
    for question in channel.group:
        joint = enumerated(channel, question.name, priors)
        posterior = joint / joint.sum(axis=1, keepdims=True)
        found = beliefs(channel, question.name, priors)
        assert found.surest == pytest.approx(posterior.max(axis=0), abs=1e-9)
        assert found.pse == pytest.approx(1 - (joint * posterior).sum(), abs=1e-9)


def test_one_draw_for_eight_gives_nearly_everything_away():
    told = dn.privacy(dn.Design([dn.warner(0.8, *EIGHT)]), {question.name: 0.2 for question in EIGHT})
    for each in told.to_json()["questions"]:
        assert each["pse"] == pytest.approx(0.0325, abs=5e-5)
        assert each["group_pse"] == pytest.approx(0.0325, abs=5e-5)
        assert (each["sensitive"], each["prior"]) == ("yes", pytest.approx(0.2))
        assert each["posterior"] == pytest.approx(0.999939, abs=5e-7)
        assert each["posterior_other"] == pytest.approx(0.999996, abs=5e-7)


def test_a_question_with_a_draw_of_its_own_tells_what_its_report_tells():
    told = dn.privacy(dn.Design([dn.warner(0.8, question) for question in EIGHT]), {"q0": [0.8, 0.2]}).questions
    assert told[0].pse == pytest.approx(0.2353, abs=5e-5)
    assert (told[0].posterior, told[0].posterior_other) == pytest.approx((0.5, 0.9412), abs=5e-5)
    assert (told[1].posterior, told[1].posterior_other) == pytest.approx((0.8, 0.8), abs=5e-5)


def test_separate_and_joint_draws_are_compared_on_the_same_scale():
    """Whole epsilons of 11.09 and 4.71: neither one answer nor all of them may sound safer under the weaker design."""
    separate = dn.privacy(dn.Design([dn.warner(0.8, question) for question in EIGHT]))
    joint = dn.privacy(dn.Design([dn.draw(0.3, *EIGHT)]))
    assert (separate.epsilon, joint.epsilon) == pytest.approx((11.0904, 4.7070), abs=1e-4)
    assert all("at most 4.0 times" in each.sentence for each in separate.questions)
    assert all("at most 1.9 times" in each.sentence for each in joint.questions)
    assert all(a.posterior > b.posterior for a, b in zip(separate.questions, joint.questions, strict=True))
    assert "at most 65,536.0 times" in str(separate)
    assert "at most 110.8 times" in str(joint)
    assert "hardly protects" in separate.verdict
    for each in joint.questions:
        assert "so you can deny it" in each.sentence
        assert "who knows your answers to" in each.sentence  # then the joint draw says more, and that is told


@pytest.mark.parametrize("scheme", [dn.draw, dn.warner], ids=["draw", "warner"])
def test_many_kinds_of_evidence_are_joined_to_the_respondents_disfavour(scheme, monkeypatch):
    questions = [dn.yes_no(f"q{index}") for index in range(13)]
    shares = np.random.default_rng(4).uniform(0.3, 0.7, 13)
    priors = {question.name: float(share) for question, share in zip(questions, shares, strict=True)}
    channel = scheme(0.6, *questions)
    exact = beliefs(channel, "q3", priors)
    monkeypatch.setattr(whole, "MAX_KINDS", 512)
    rough = beliefs(channel, "q3", priors)
    assert exact.pse - 1e-3 < rough.pse <= exact.pse + 1e-12
    assert (rough.surest >= exact.surest - 1e-12).all()
    assert rough.surest == pytest.approx(exact.surest, abs=1e-3)


def test_with_more_instructions_what_cannot_be_told_apart_is_given_away(monkeypatch):
    channel = dn.forced(0.2, 0.3, *EIGHT)
    priors = {question.name: 0.1 + 0.1 * index for index, question in enumerate(EIGHT)}
    exact = beliefs(channel, "q0", priors)
    monkeypatch.setattr(whole, "MAX_KINDS", 1)
    rough = beliefs(channel, "q0", priors)
    assert rough.pse <= exact.pse + 1e-12
    assert (rough.surest >= exact.surest - 1e-12).all()


def test_thirty_questions_take_no_time_and_no_memory():
    questions = [dn.yes_no(f"q{index}") for index in range(30)]
    priors = {question.name: 0.3 + 0.01 * index for index, question in enumerate(questions)}
    assert 0 <= beliefs(dn.warner(0.6, *questions), "q0", priors).pse < 0.42


def test_the_share_of_the_second_answer_is_prior_enough():
    design = dn.Design([dn.warner(0.8, EIGHT[0]), dn.k_ary(0.7, dn.Question("c", ["a", "b", "c"]))])
    assert dn.privacy(design, {"q0": 0.1}) == dn.privacy(design, {"q0": [0.9, 0.1]})
    assert np.allclose(dn.posterior(design.channels[0], "q0", 0.1), dn.posterior(design.channels[0], "q0", [0.9, 0.1]))
    assert dn.privacy(design, {"q0": np.float32(0.25)}) == dn.privacy(design, {"q0": 0.25})
    with pytest.raises(dn.DeniableError, match=r"the prior of c must be 3 shares, one for each answer, got 0\.1"):
        dn.privacy(design, {"c": 0.1})
    with pytest.raises(dn.DeniableError, match=r"the prior of q0 must be a chance between 0 and 1, got 10"):
        dn.privacy(design, {"q0": 10})
    with pytest.raises(dn.DeniableError, match="priors must be shares by question"):
        dn.privacy(design, [0.9, 0.1])


def test_belief_is_told_in_the_sensitive_answer(tmp_path):
    plain = dn.Design([dn.warner(0.8, dn.yes_no("voted"))])
    named = dn.Design([dn.warner(0.8, dn.Question("voted", ["no", "yes"], sensitive="no"))])
    told = dn.privacy(named, {"voted": 0.9}).questions[0]
    assert (told.sensitive, told.prior) == ("no", pytest.approx(0.1))
    assert told.posterior == dn.privacy(plain, {"voted": 0.9}).questions[0].posterior_other
    assert named.fingerprint == plain.fingerprint
    named.save(tmp_path / "named.toml")
    assert 'sensitive = "no"' in (tmp_path / "named.toml").read_text()
    assert dn.Design.load(tmp_path / "named.toml") == named
    with pytest.raises(dn.DeniableError, match="no answer 'maybe' that could be sensitive"):
        dn.Question("voted", ["no", "yes"], sensitive="maybe")
    cards = dn.lookup(dn.Question("a", ["no", "yes"], sensitive="yes"), [[0.2, 0.7], [0.8, 0.3]], ["red", "black"])
    assert dn.privacy(dn.Design([cards])).questions[0].sensitive == "yes"


def test_figures_are_told_in_plain_numbers():
    pay = dn.number("pay", 0, 12_000)
    small = dn.number("dose", 0, 0.01)
    bands = dn.number("age", 18, 80, cuts=[30, 50])
    told = dn.privacy(dn.Design([dn.uniform(pay, privacy=0.5), dn.uniform(small, privacy=0.5), dn.k_ary(0.7, bands)]))
    assert "within about 6,000 (" in told.questions[0].sentence
    assert "within about 0.00" in told.questions[1].sentence
    assert "e+" not in str(told)
    assert told.questions[2].retention == pytest.approx(0.7)
    one = dn.privacy(dn.Design([dn.warner(25 / 26, EIGHT[0])]))
    two = dn.privacy(dn.Design([dn.draw(0.7, EIGHT[0], EIGHT[1])]))
    assert exp(one.epsilon) > 25
    assert "at most 25.0 times" in str(one)
    assert "25.1" not in str(one)
    assert str(two).count(" 10.4 times") == 3  # ratio of the group, told alike wherever it is told


@pytest.mark.parametrize(("theta", "word"), [(25 / 26, "25.0"), (0.99, "99.0"), (0.995, "199.0"), (0.999, "999.0")])
def test_a_ratio_is_one_word_wherever_it_is_told(theta, word):
    """Neither the last bit of a chance nor an epsilon that is rounded up makes 25.1 of 25."""
    design = dn.Design([dn.warner(theta, EIGHT[0])])
    people = pd.DataFrame({EIGHT[0].name: ["no", "yes"] * 20})
    attack = dn.attack(design, dn.disguise(design, people, seed=1), waves=1)
    told = [str(dn.privacy(design)), dn.ledger(design).sentence, " ".join(attack.sentences), ethics_page(design)]
    assert [set(re.findall(r"(?:most|than) ([\d,.]+) times", text)) for text in told] == [{word}] * 4


def test_a_verdict_goes_by_the_ratio_that_is_shown():
    assert "at most 100.0 times" in str(dn.privacy(dn.Design([dn.warner(100 / 101, EIGHT[0])])))
    for theta, verdict in ((100 / 101, "so you can deny it"), (0.991, "which hardly protects you")):
        assert verdict in str(dn.privacy(dn.Design([dn.warner(theta, EIGHT[0])])))


def test_what_no_float_holds_is_told_all_the_same():
    """Three hundred lotteries: e to their epsilon is beyond any float."""
    design = dn.Design([dn.warner(0.95, dn.yes_no(f"q{index}")) for index in range(300)])
    told = dn.privacy(design)
    assert 883 < told.epsilon < 884
    assert "together are at worst over a million times as likely" in str(told)
    assert "is at worst over a million times" in dn.ledger(design).sentence

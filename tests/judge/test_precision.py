"""What a design is expected to tell, against closed forms and against simulated surveys."""

import numpy as np
import pytest

import deniable as dn
from deniable.deniability.epsilon import reply_epsilon
from deniable.inference.invert.inverse import InverseEstimates
from deniable.judge.candidates import alone, candidates
from deniable.judge.precision import expected_error, expected_errors, worth
from deniable.judge.simulate import simulated_replies

COLOR = dn.Question("color", ("red", "green", "blue"))
QUESTIONS = [dn.yes_no("t"), dn.yes_no("a"), COLOR, dn.Question("many", [f"m{i}" for i in range(12)])]


@pytest.mark.parametrize("target", ["t", None])
@pytest.mark.parametrize("epsilon", [0.3, 1, 2, 4])
def test_every_candidate_keeps_its_epsilon(epsilon, target):
    found = candidates(QUESTIONS, epsilon, target)
    assert len(found.designs) >= 4
    assert not found.skipped
    for design in found.designs.values():
        assert 0.97 * epsilon < reply_epsilon(design) <= epsilon
        assert design.names == ["t", "a", "color", "many"]


def test_too_many_versions_are_named():
    found = candidates([dn.yes_no(f"q{i}") for i in range(93)], 4, "q0")
    assert list(found.skipped) == ["ask 2", "ask 3", "ask 4", "ask 5"]
    assert "4,096" in found.skipped["ask 2"]


def test_cards_are_used_where_they_say_the_truth_more_loudly():
    """Below about e^epsilon = k / 6 (MATH 10); both ways by the exact error of a share."""
    for epsilon in (0.5, 1, 2, 3):
        for size in (2, 5, 20):
            question = dn.Question("q", [f"a{i}" for i in range(size)])
            schemes = {"hadamard": dn.hadamard, "k_ary": dn.k_ary}
            errors = {
                name: expected_errors(dn.Design([make(dn.epsilon(epsilon), question)]), ["q"], 1000).mean()
                for name, make in schemes.items()
            }
            best = min(errors, key=errors.__getitem__)
            chosen = alone(question, epsilon).recipe.scheme
            assert errors[chosen] < 1.15 * errors[best], (epsilon, size, errors)


@pytest.mark.parametrize("ask", [1, 2, 3])
def test_the_worth_of_one_joint_draw(ask):
    """n times the sum over versions that ask both of share * p^2."""
    design = dn.Design([dn.draw(dn.epsilon(2), *QUESTIONS, always=["t"], ask=ask)], target="t")
    block = design.blocks[0]
    asking = [
        (version, share) for version, share in zip(block.versions, block.shares, strict=True) if "a" in version.names
    ]
    expected = sum(share * version.channels[0].theta ** 2 for version, share in asking)
    assert worth(design, "t", "a", 5000) == pytest.approx(5000 * expected, rel=1e-6)


def test_what_is_never_asked_together_is_worth_nothing():
    design = dn.Design([dn.draw(dn.epsilon(2), *QUESTIONS, always=["t"], ask=1)], target="t")
    assert worth(design, "a", "color", 1000) == 0
    assert expected_errors(design, ["a", "color"], 1000) is None
    assert expected_error(design, "a == 'yes' and color == 'red'", 1000) is None


@pytest.mark.parametrize("name", ["split evenly", "split towards the target", "ask 1", "ask 2", "ask 3"])
def test_expected_errors_are_the_spread_of_simulated_surveys(name, figure):
    """Within 12 %: 300 surveys tell a spread to 4 %."""
    design = candidates(QUESTIONS[:3], 2, "t").designs.get(name) or candidates(QUESTIONS, 2, "t").designs[name]
    rng, n = np.random.default_rng(4), 600
    shape = [len(design.question(each)) for each in ("t", "color")]
    found = []
    for _ in range(300):
        people = {question.name: rng.integers(0, len(question), n) for question in design.questions}
        replies = simulated_replies(design, people, rng)
        found.append(InverseEstimates(design, replies).table(["t", "color"]).counts.ravel() / n)
    expected = expected_errors(design, ["t", "color"], n)
    ratio = float(np.std(found, axis=0).mean() / expected.mean())
    figure(f"{name}: spread over 300 surveys / expected error of a pair", round(ratio, 3))
    assert ratio == pytest.approx(1, abs=0.12)
    assert np.mean(found, axis=0) == pytest.approx(np.full(np.prod(shape), 1 / np.prod(shape)), abs=0.05)

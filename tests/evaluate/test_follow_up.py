"""The follow-up round of electronic surveys tells the same accuracy as the lottery's known chances."""

import numpy as np
import pandas as pd
import pytest

import deniable as dn

NAMES = ["a", "b", "t"]
QUESTIONS = [dn.Question(name, ["0", "1"]) for name in NAMES]
THETA, SHARES = 0.6, [0.3, 0.6, 0.5]


def everybody(rng, count):
    a, b = rng.random((2, count)) < [[0.4], [0.5]]
    t = (a & b) ^ (rng.random(count) < 0.1)
    return pd.DataFrame({"a": a, "b": b, "t": t}).astype("uint8")


@pytest.fixture(scope="module")
def survey():
    """A design whose unrelated answers have known shares, and a model from other people."""
    chances = {name: [1 - share, share] for name, share in zip(NAMES, SHARES, strict=True)}
    design = dn.Design([dn.unrelated(THETA, *QUESTIONS, chances=chances)], target="t")
    train = everybody(np.random.default_rng(1), 4000)
    return design, dn.NaiveBayes().fit(train[NAMES[:2]], train["t"])


def right(model, people):
    return model.predict(people[NAMES[:2]]) == people["t"].to_numpy()


def test_the_paper_s_equation(survey):
    design, model = survey
    replies = dn.disguise(design, everybody(np.random.default_rng(2), 3000), seed=3)
    found = dn.score(model, design, replies, personal_correct=0.52)
    assert found.value == pytest.approx((right(model, replies).mean() - (1 - THETA) * 0.52) / THETA, abs=1e-8)


def test_it_is_unbiased_and_covers_and_agrees_with_known_chances(survey, figure):
    """300 seeded surveys; a coverage of .95 lies within .91 and .99 but once in 700."""
    design, model = survey
    truth = right(model, everybody(np.random.default_rng(4), 400_000)).mean()
    rng, found = np.random.default_rng(5), []
    replies = dn.disguise(design, everybody(rng, 300 * 1000), seed=5)  # of all surveys
    personal = pd.DataFrame((rng.random((300 * 1000, 3)) < SHARES).astype("uint8"), columns=NAMES)
    for run, share in enumerate(right(model, personal).reshape(300, 1000).mean(axis=1)):
        told = dn.Estimate(share, np.sqrt(share * (1 - share) / 1000), 0.0, 1.0, 1000, "told")
        found.append(dn.score(model, design, replies[1000 * run : 1000 * (run + 1)], personal_correct=told))
    known = dn.score(model, design, replies)  # a mean of weights, so also the mean of all surveys' scores
    values = np.array([each.value for each in found])
    covered = np.mean([each.low <= truth <= each.high for each in found])
    figure("follow-up round", f"bias {values.mean() - truth:+.4f}, coverage {covered:.3f}")
    assert abs(values.mean() - truth) < 3 * values.std() / np.sqrt(300)
    assert 0.91 <= covered <= 0.99
    assert abs(known.value - values.mean()) < 0.01


def test_bad_follow_ups_are_refused(survey):
    design, model = survey
    replies = dn.disguise(design, everybody(np.random.default_rng(2), 300), seed=3)
    with pytest.raises(dn.DeniableError, match="personal_correct must be a share between 0 and 1"):
        dn.score(model, design, replies, personal_correct=52)
    apart = dn.Design([dn.unrelated(THETA, question) for question in QUESTIONS], target="t")
    with pytest.raises(dn.DeniableError, match="one draw for all questions"):
        dn.score(model, apart, replies, personal_correct=0.52)

"""The digit of the second round: worked out, disguised and bounded alike in both languages."""

import json

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from browser.family import designs, node
from deniable.collect.second_round import KEY, RIGHT, UNDISGUISED, lottery_of, with_lottery
from deniable.deniability.epsilon import epsilon_word, reply_epsilon, rounded_up
from deniable.device.vectors import vectors
from deniable.learn.model import text_of

LATE, MOOD = dn.yes_no("late"), dn.Question("mood", ("low", "so so", "high"))
FREE = dn.number("free", 0, 100, omit=True)
CLEAR = dn.Design([dn.clear(FREE, MOOD, LATE)], target="late")


def population(count, seed):
    """People of whom some leave the number out."""
    rng = np.random.default_rng(seed)
    free = rng.uniform(0, 100, count)
    late = rng.random(count) < 0.1 + 0.008 * free
    mood = np.array(MOOD.answers)[np.clip(rng.integers(0, 3, count) - late, 0, 2)]
    kept = np.where(rng.random(count) < 0.8, free, np.nan)
    return pd.DataFrame({"free": kept, "mood": mood, "late": np.where(late, "yes", "no")})


@pytest.fixture(scope="module")
def models():
    """A tree and a naive Bayes classifier."""
    train = dn.disguise(CLEAR, population(800, 1), seed=1)
    return [
        learner(CLEAR).fit(train[["free", "mood"]], train["late"]) for learner in (dn.TreeClassifier, dn.NaiveBayes)
    ]


def test_both_languages_work_out_and_disguise_the_same_digits(models, figure):
    people, given, expected = population(4_000, 2), [], []
    for seed, (model, epsilon) in enumerate((each, epsilon) for each in models for epsilon in (0.1, 1, 4)):
        lottery, asked = lottery_of(epsilon), people[list(model.columns_.names)]
        right = (model.predict(asked) == people["late"].to_numpy()).astype(int)
        made = vectors(lottery, len(people), seed)  # half of the draws at the threshold or beside it
        draws = [row[0] for row in made["draws"]]
        opposite = np.array(draws) >= lottery.channels[0].thresholds[0]
        rows = people[[*asked.columns, "late"]].astype(object)
        rows = rows.where(rows.notna(), None).to_numpy(dtype=object).tolist()
        given.append([CLEAR.to_json(), with_lottery(text_of(model), lottery), rows, draws])
        expected.append(np.column_stack([right, right ^ opposite]).tolist())
        assert 0 < opposite.sum() < len(people)
        assert 0 < right.sum() < len(people)
    found = node("digits.mjs", given=given)
    assert [each["digits"] for each in found] == expected
    figure("digits of the second round alike in both languages", sum(map(len, expected)))


def test_both_languages_know_the_lottery_by_shared_vectors():
    for epsilon in (0.1, 1, 4):
        made = vectors(lottery_of(epsilon), 2_000, 3)
        assert node("follow.mjs", given=[made]) == [made["reported"]]


def test_both_languages_add_up_the_same_epsilons():
    """For every scheme, alone and in versions: of a version that is not known, the one that hides least."""
    model = {"deniable_model": 1, "kind": "bayes", "classes": ["a"], "columns": [], "priors": [1], "chances": []}
    given, expected = [], []
    for design in designs().values():
        target = next((each for each in design.questions if not each.is_number), None)
        if target is None:
            continue
        published = with_lottery(json.dumps({**model, "target": target.name}), lottery_of(1))
        given.append([design.to_json(), published, [], []])
        expected.append(epsilon_word(rounded_up(reply_epsilon(design))))
    found = node("digits.mjs", given=given)
    assert {each["epsilon"] for each in found} == {rounded_up(reply_epsilon(lottery_of(1)))} == {1.0}
    for one, other in zip((each["reply"] for each in found), expected, strict=True):
        assert one == other or one == pytest.approx(other, abs=2e-6)
    assert any(each == "infinity" for each in expected)
    assert any(isinstance(each, float) for each in expected)


def test_a_lottery_that_hardly_disguises_is_not_drawn(models):
    text = text_of(models[1])
    for lottery in (UNDISGUISED, dn.Design([dn.warner(1.0, RIGHT)]), dn.Design([dn.warner(0.995, RIGHT)])):
        assert node("digits.mjs", given=[[CLEAR.to_json(), with_lottery(text, lottery), [], []]]) == [None]
    assert node("digits.mjs", given=[[CLEAR.to_json(), text, [], []]]) == [None]
    other = json.dumps({**json.loads(with_lottery(text, lottery_of(1))), "target": "other"})
    assert KEY in other
    assert node("digits.mjs", given=[[CLEAR.to_json(), other, [], []]]) == [None]

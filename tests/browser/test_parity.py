"""The page does in JavaScript exactly what the library does in Python, draw for draw and model for model."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from browser.family import designs, node
from deniable.device.vectors import vectors

GOLDEN = Path(__file__).parent / "golden.json"
DISGUISES = 100_000
PREDICTIONS = 100_000


def test_both_languages_disguise_alike(figure):
    made = [vectors(design, DISGUISES // len(designs()) + 1, seed) for seed, design in enumerate(designs().values())]
    told = node("follow.mjs", given=made)
    for name, expected, found in zip(designs(), made, told, strict=True):
        assert found == expected["reported"], name
    figure("shared vectors disguised alike in both languages", sum(map(len, told)))


def test_recorded_vectors_hold_in_both_languages():
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert golden == {name: vectors(design, 6, 7) for name, design in designs().items()}
    assert node("follow.mjs", given=list(golden.values())) == [each["reported"] for each in golden.values()]


@pytest.mark.parametrize("name", ["unrelated: personal", "joint and personal"])
def test_personal_answers_take_the_place_of_what_would_be_drawn(name):
    design, rng = designs()[name], np.random.default_rng(3)
    (channel,), harmless = design.channels, design.channels[0].recipe.settings["personal"]
    made = vectors(design, 2_000, 5)
    made["personal"] = [[int(rng.integers(len(question))) for question in design.questions] for _ in made["true"]]
    (told,) = node("follow.mjs", given=[made])
    truths = 0
    for draws, drawn, personal, found in zip(made["draws"], made["reported"], made["personal"], told, strict=True):
        truthful = draws[0] < channel.thresholds[0]  # truth comes first
        truths += truthful
        for place, question in enumerate(design.questions):
            takes = question.name in harmless and not truthful
            assert found[place] == (question.answers[personal[place]] if takes else drawn[place])
    assert 0 < truths < len(told)


def population(rng, count):
    """People whose answers depend on each other: words, whole numbers, intervals and refusals."""
    ages, diets = rng.integers(18, 81, count), np.array(["meat", "fish", "prefer not to say"])
    ill = rng.random(count) < 0.15 + 0.006 * (ages - 18)
    return pd.DataFrame(
        {
            "age": ages,
            "diet": diets[rng.integers(0, 3, count)],
            "weight": rng.uniform(40, 160, count),
            "smokes": np.where(rng.random(count) < 0.2 + 0.3 * ill, "yes", "no"),
            "mood": np.array(["low", "so so", "high"])[rng.integers(0, 3, count) % (2 + ~ill)],
            "ill": np.where(ill, "yes", "no"),
        }
    )


QUESTIONS = (
    dn.number("age", 18, 80, integer=True, cells=7),
    dn.Question("diet", ("meat", "fish"), optional=True),
    dn.number("weight", 40, 160, cuts=[55.5, 70, 100.125]),
    dn.yes_no("smokes"),
    dn.Question("mood", ("low", "so so", "high"), ordered=True),
    dn.yes_no("ill"),
)


def models(replies_of, design):
    """A tree and naive Bayes classifiers, one of them with negative chances."""
    age, diet, weight, smokes, mood, ill = QUESTIONS
    assert design.names == [each.name for each in (age, diet, weight, smokes, mood, ill)]
    replies = replies_of(design)
    features, target = replies.drop(columns="ill"), replies["ill"]
    yield dn.TreeClassifier(design, method="inverse", stop=None, max_depth=5).fit(features, target)
    yield dn.TreeClassifier(design, method="inverse", criterion="gini", stop=None, max_depth=5).fit(features, target)
    yield dn.NaiveBayes(design).fit(features, target)
    yield dn.NaiveBayes(design, smoothing=None).fit(features.head(60), target.head(60))


def numeric_models(people):
    """A tree and naive Bayes from numbers under noise, which some people leave out."""
    age, weight = dn.number("age", 18, 80, integer=True, omit=True), dn.number("weight", 40, 160, omit=True)
    channels = [dn.uniform(age, privacy=0.5), dn.gaussian(weight, privacy=0.5), dn.clear(QUESTIONS[-1])]
    design = dn.Design(channels, target="ill")
    replies = dn.disguise(design, people[design.names], seed=3)
    for learner in (dn.TreeClassifier(design, method="byclass", prune=None), dn.NaiveBayes(design)):
        yield learner.fit(replies.drop(columns="ill"), replies["ill"])


def with_gaps(people, rng):
    """The same people, some of whom leave numbers out."""
    return people.assign(
        **{name: people[name].where(rng.random(len(people)) < 0.7).astype(float) for name in ("age", "weight")}
    )


def told_in_both(models, people, folder):
    """Predictions of each model in JavaScript; what was left out is null."""
    given = []
    for model in models:
        model.save(folder / "model.json")
        asked = people[list(model.columns_.names)].astype(object)
        rows = asked.where(asked.notna(), None).to_numpy(dtype=object).tolist()
        given.append({"model": (folder / "model.json").read_text(encoding="utf-8"), "people": rows})
    return node("predict.mjs", given=given)


def check_alike(models, people, folder):
    """Both languages predict the same classes with the same chances."""
    for model, told in zip(models, told_in_both(models, people, folder), strict=True):
        features = people[list(model.columns_.names)]
        chances = np.array([chances for _, chances in told])
        assert np.allclose(chances, model.predict_proba(features), rtol=0, atol=1e-12)
        assert (model.classes_[[place for place, _ in told]] == model.predict(features)).all()


def test_both_languages_predict_alike(tmp_path, figure):
    rng = np.random.default_rng(5)
    train, people = population(rng, 3000), population(rng, PREDICTIONS // 10 + 1)
    age, diet, weight, smokes, mood, ill = QUESTIONS
    clear = dn.Design([dn.clear(*QUESTIONS)], target="ill")
    mixed = dn.Design(
        [dn.clear(age), dn.k_ary(0.8, diet), dn.k_ary(0.9, weight), dn.warner(0.85, smokes), dn.clear(mood),
         dn.warner(0.9, ill)],
        target="ill",
    )  # fmt: skip
    fitted = [
        model for design in (clear, mixed) for model in models(lambda each: dn.disguise(each, train, seed=3), design)
    ]
    check_alike(fitted, people, tmp_path)
    numeric = list(numeric_models(with_gaps(train, rng)))
    check_alike(numeric, with_gaps(people, rng), tmp_path)
    figure("predictions alike in both languages", (len(fitted) + len(numeric)) * len(people))


def test_undisguised_models_predict_alike_too(tmp_path):
    rng = np.random.default_rng(6)
    train, people = population(rng, 500), population(rng, 500)
    for learner in (dn.TreeClassifier(max_depth=4), dn.NaiveBayes()):
        check_alike([learner.fit(train.drop(columns="ill"), train["ill"])], people, tmp_path)

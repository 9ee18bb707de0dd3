"""Learners, rules, numbers and tests of models from replies to different versions."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score

import deniable as dn
from deniable.count.replies import counts_of
from deniable.errors import DeniableError, NotIdentified
from deniable.inference.invert.inverse import InverseEstimates
from deniable.inference.truth.pairs import fit_pairs
from deniable.learn.asked import AskedTable
from deniable.learn.task import task_of_replies

A, B, Y = dn.yes_no("a"), dn.yes_no("b"), dn.yes_no("y")
C, AGE = dn.Question("c", ("x", "y", "z")), dn.number("age", 18, 80)
FEATURES = ["a", "b", "c"]
LEARNERS = [dn.NaiveBayes, dn.PairwiseClassifier, dn.TreeClassifier]


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    n = 6000
    a = rng.random(n) < 0.4
    b, y = (np.where(rng.random(n) < chance, a, ~a) for chance in (0.8, 0.85))
    words = {"a": a, "b": b, "y": y}
    frame = pd.DataFrame({name: np.where(values, "yes", "no") for name, values in words.items()})
    frame["c"] = rng.choice(list("xyz"), n)
    frame["age"] = np.clip(rng.normal(40 + 10 * a, 10), 18, 80)
    return frame


@pytest.fixture(scope="module")
def design():
    return dn.Design([dn.draw(dn.epsilon(2), A, B, C, Y, always=["y"], ask=2)], target="y")


@pytest.fixture(scope="module")
def replies(design, people):
    return dn.disguise(design, people, seed=1)


def test_naive_bayes_comes_near_the_undisguised_one_as_epsilon_grows(people):
    """A third is asked each question, 800 of the smaller class; 4.5 standard errors, a false alarm in 10,000."""
    design = dn.Design([dn.draw(dn.epsilon(20), A, B, C, Y, always=["y"], ask=1)], target="y")
    fitted = dn.NaiveBayes(design).fit(dn.disguise(design, people, seed=2))
    plain = dn.NaiveBayes().fit(people[FEATURES], people["y"])
    for found, expected in zip(fitted.chances_, plain.chances_, strict=True):
        assert found == pytest.approx(expected, abs=4.5 * np.sqrt(0.25 / 800))


def asked_table(design, replies, name):
    task = task_of_replies(design, replies, "y", "skip")
    return AskedTable.of(task, design.question(name))


def test_a_table_by_class_comes_from_those_who_were_asked_both(people):
    """In the clear it is a plain cross table, scaled up; all versions together would fill its empty cell."""
    nobody = people.assign(a=np.where(people["y"] == "yes", "yes", people["a"]))
    design = dn.Design([dn.draw(1.0, A, B, C, Y, always=["y"], ask=1)], target="y")
    replies = dn.disguise(design, nobody, seed=4)
    table = asked_table(design, replies, "a")
    asked = replies[replies["a"].notna()]
    assert table.scale == pytest.approx(len(replies) / len(asked))
    assert table.counts == pytest.approx(table.scale * pd.crosstab(asked["a"], asked["y"]).to_numpy(), abs=1e-6)
    own, others = table.noise(table.counts)
    assert own == pytest.approx(np.full((2, 2), table.scale))
    assert others == pytest.approx(np.zeros((2, 2)), abs=1e-6)


def test_everybody_counts_where_versions_are_chosen(people):
    little, much = ([dn.draw(dn.epsilon(each), A, Y)] for each in (4, 2))
    design = dn.Design([dn.versions({"little": little, "much": much}, column="kind", chosen=True)], target="y")
    kinds = np.where(people["a"] == "yes", "little", "much")
    table = asked_table(design, dn.disguise(design, people.assign(kind=kinds), seed=5), "a")
    assert table.scale == 1
    spread = 4.5 * np.sqrt(0.25 * len(people)) / 0.6  # p of the lower epsilon is (e^2 - 1) / (e^2 + 3)
    assert table.counts == pytest.approx(pd.crosstab(people["a"], people["y"]).to_numpy(), abs=spread)


def test_pairs_of_versions_are_held_back_less(design, replies):
    names = [*FEATURES, "y"]
    estimates = InverseEstimates(design, counts_of(design, replies, "skip"))
    model = dn.PairwiseClassifier(design).fit(replies).model_
    assert model.chances == pytest.approx(fit_pairs(estimates, names, len(replies), 100.0).chances, abs=1e-6)
    assert model.chances != pytest.approx(fit_pairs(estimates, names, len(replies)).chances, abs=1e-4)


@pytest.mark.parametrize("learner", LEARNERS)
def test_versions_are_no_features(design, people, replies, learner):
    whole = learner(design).fit(replies)
    parted = learner(design).fit(replies[["version", *FEATURES]], replies["y"])
    assert list(parted.feature_names_in_) == list(whole.feature_names_in_) == FEATURES
    assert (parted.predict(people[FEATURES]) == whole.predict(people[FEATURES])).all()
    assert (whole.predict(people[FEATURES]) == people["y"]).mean() > 0.84


def test_what_was_asked_together_is_tested_by_replies(design, people, replies):
    tree = dn.TreeClassifier(design, max_leaves=2).fit(replies)
    truth = (tree.predict(people) == people["y"]).mean()
    found = dn.score(tree, design, replies)
    assert abs(found.value - truth) < 3.5 * found.stderr
    table = dn.confusion(tree, design, replies).cells
    assert sum(each.value for each in table.values()) == pytest.approx(1)
    folds = dn.cross_val_score(dn.TreeClassifier(design, max_leaves=2), design, replies, cv=3)
    assert all(abs(each.value - truth) < 4 * each.stderr for each in folds)
    by_sklearn = cross_val_score(
        dn.TreeClassifier(design, max_leaves=2),
        replies[["version", *FEATURES]],
        replies["y"],
        scoring=dn.scorer(design),
        cv=3,
    )
    assert abs(by_sklearn.mean() - truth) < 4 * found.stderr


@pytest.mark.parametrize("learner", LEARNERS[:2])
def test_what_was_never_asked_together_is_not_tested(design, replies, learner):
    with pytest.raises(NotIdentified) as refusal:
        dn.score(learner(design).fit(replies), design, replies)
    words = str(refusal.value)
    assert "a model of 3 questions" in words
    assert "no version asks more than 2 of them together with its target" in words
    assert "its own figure, which is no test, is 0." in words
    assert "a computed question" in words
    assert "second round" in words


@pytest.mark.parametrize("method", ["inverse", "bayes", "latent", "none"])
def test_methods_that_need_whole_replies_are_refused(design, replies, method):
    with pytest.raises(DeniableError, match="where a design has versions"):
        dn.TreeClassifier(design, method=method).fit(replies)


def test_rules_of_what_was_asked_together(design, people, replies):
    found = dn.rules(design, replies, min_support=0.05, min_confidence=0.5, items=["a=yes", "b=yes", "y=yes"])
    rule = found[(found.antecedents == {"a=yes", "b=yes"}) & (found.consequents == {"y=yes"})].iloc[0]
    those = people[(people.a == "yes") & (people.b == "yes")]
    assert abs(rule.confidence - (those.y == "yes").mean()) < 3.5 * rule.confidence_stderr
    assert abs(rule.support - len(those[those.y == "yes"]) / len(people)) < 3.5 * rule.support_stderr


class CountsAsked:
    """Counts that write down what they are asked for, query by query."""

    def __init__(self, counts):
        self.counts, self.n, self.names, self.queries = counts, counts.n, counts.names, []

    def tables(self, many):
        self.queries.append(sorted({frozenset(names) - {"version"} for names in many}, key=sorted))
        return self.counts.tables(many)

    def distinct(self, names, answered=True):
        return self.tables([names])[0].answered(answered)

    def table(self, questions):
        return self.counts.table(questions)


@pytest.mark.parametrize("mined", [dn.itemsets, dn.rules])
def test_the_tables_of_a_level_are_counted_together_and_only_those_that_a_version_asks(design, replies, mined):
    counts = CountsAsked(counts_of(design, replies))
    assert len(mined(design, counts, min_support=0.01)) > 10
    singles, pairs, threes = counts.queries  # one query for each level
    assert singles == [{"a"}, {"b"}, {"c"}, {"y"}]
    assert len(pairs) == 6
    assert threes == [{"a", "b", "y"}, {"a", "c", "y"}, {"b", "c", "y"}]  # nobody is asked a, b and c together


def test_dependence_is_tested_with_what_versions_say(design, replies):
    assert dn.association(design, replies, "a", "y").p_value < 1e-10
    assert dn.association(design, replies, "c", "y").p_value > 0.001


def test_a_distribution_by_another_answer(design, people, replies):
    found = dn.reconstruct(design, replies, "a", by="y")
    those = people[people.y == "yes"]
    row = found[(found.y == "yes") & (found.answer == "yes")].iloc[0]
    assert abs(row.share - (those.a == "yes").mean()) < 4 * row.stderr


NUMBERS = {
    "drawn": dn.versions(
        {"weak": dn.gaussian(AGE, privacy=0.25), "strong": dn.gaussian(AGE, privacy=1.0)}, column="noise"
    ),
    "beside the clear": dn.versions({"clear": dn.clear(AGE), "noise": dn.uniform(AGE, privacy=0.5)}, column="noise"),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_whose_noise_was_drawn_in_the_open(people, name):
    design = dn.Design([NUMBERS[name], dn.draw(dn.epsilon(2), A, Y, C, always=["y"], ask=1)])
    replies = dn.disguise(design, people, seed=6)
    whole = dn.mean(design, replies, "age")
    assert abs(whole.value - people.age.mean()) < 3.5 * whole.stderr
    assert whole.stderr < 0.4
    those = people[people.a == "yes"]
    some = dn.mean(design, replies, "age", given="a == 'yes'")
    assert abs(some.value - those.age.mean()) < 3.5 * some.stderr
    middle = dn.quantile(design, replies, "age", 0.5)
    assert middle.low - 1 < people.age.median() < middle.high + 1


def test_who_chooses_a_protection_may_differ(people):
    """Agrawal and Srikant's kinds of people: those who mind choose more noise, and are older here."""
    kinds = dn.versions({"none": dn.clear(AGE), "some": dn.gaussian(AGE, privacy=0.5)}, column="kind", chosen=True)
    rng = np.random.default_rng(8)
    minds = np.where(people.age > 45, rng.random(len(people)) < 0.9, rng.random(len(people)) < 0.2)
    chosen = people.assign(kind=np.where(minds, "some", "none"))
    design = dn.Design([kinds])
    replies = dn.disguise(design, chosen, seed=9)
    found = dn.mean(design, replies, "age")
    assert abs(found.value - people.age.mean()) < 3.5 * found.stderr
    share = dn.estimate(design, replies, "age > 45")
    assert abs(share.value - (people.age > 45).mean()) < 0.03
    with pytest.raises(DeniableError, match="the version that each respondent chose"):
        dn.disguise(design, people)


def test_what_is_never_asked_together_is_not_made_up_under_noise(people):
    """Where nothing is inverted, a model would answer with independence."""
    design = dn.Design([dn.versions({"one": dn.gaussian(AGE, privacy=0.5), "two": dn.warner(0.8, A)})])
    replies = dn.disguise(design, people, seed=4)
    with pytest.raises(NotIdentified, match="age, a"):
        dn.estimate(design, replies, "age > 50 and a == 'yes'")
    with pytest.raises(NotIdentified, match="age, a"):
        dn.reconstruct(design, replies, "age", by="a")


def test_means_given_what_few_were_asked_hold(people, figure):
    """A condition in versions, the number in the clear: one ratio over all versions, no matter how small each is."""
    questions = [dn.yes_no(name) for name in ("a", "b", "p", "q", "r", "s")]
    design = dn.Design([dn.draw(dn.epsilon(3), *questions, ask=2), dn.clear(AGE)])
    truth, held, runs = people[people.a == "yes"].age.mean(), 0, 120
    rng = np.random.default_rng(3)
    more = people.assign(**{name: rng.choice(["no", "yes"], len(people)) for name in "pqrs"})
    for run in range(runs):
        some = more.sample(1000, replace=True, random_state=run)
        found = dn.mean(design, dn.disguise(design, some, seed=run), "age", given="a == 'yes'")
        held += abs(found.value - truth) < 1.96 * found.stderr
    figure("means under a condition that few were asked: coverage", round(float(held / runs), 3))
    assert held / runs > 0.88


def test_a_single_reply_to_a_version_breaks_nothing(people):
    design = dn.Design([NUMBERS["drawn"]])
    replies = dn.disguise(design, people, seed=6)
    few = pd.concat([replies[replies.noise == "weak"].head(50), replies[replies.noise == "strong"].head(1)])
    assert np.isfinite(dn.mean(design, few, "age").stderr)

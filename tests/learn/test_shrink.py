"""Where replies tell little, naive Bayes is no worse than the most frequent class, and says so."""

import json
import warnings
from functools import cache, partial
from math import pi, sqrt

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import deniable as dn
from deniable.inference.invert.inverse import cell_noise, even_dependence_stderr, even_stderr
from deniable.inference.invert.stacks import stacks_of
from deniable.learn.posterior import in_the_clear, likeliest_people, same_noise, weight_of_cells
from deniable.learn.shrink import (
    DOUBT,
    STEPS,
    STRENGTHS,
    belief,
    dependence_kept,
    expected_signal,
    plainly_kept,
    towards_even,
)
from deniable.learn.smooth import TableErrors, UsualErrors, even_errors, learnt_shares, shrunk_people
from deniable.papers.data import TARGET, adult, binary
from deniable.papers.du_zhan import two_answers

DOUBTFUL = "the replies do not tell how income depends on the other answers"
CELLS = [(0.53, 8000, 10), (0.55, 8000, 10), (0.6, 8000, 10), (0.55, 38_000, 3)]  # theta, replies, runs


@cache
def census() -> tuple[pd.DataFrame, pd.DataFrame]:
    coded = binary(adult(), "med")
    return coded.iloc[:-10_000], coded.iloc[-10_000:]


def disguised(theta: float, replies: int, seed: int) -> tuple[dn.Design, pd.DataFrame]:
    """The census with one lottery per question, the class's among them."""
    people = census()[0].sample(replies, random_state=seed)
    design = dn.Design([dn.warner(theta, two_answers(name)) for name in people.columns], target=TARGET)
    return design, dn.disguise(design, people, seed=seed)


def learnt(learner, replies):
    """Fitted, and what it warned of."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        learner.fit(replies.drop(columns=TARGET), replies[TARGET])
    return learner, [str(each.message) for each in said]


@pytest.mark.parametrize(("theta", "replies", "runs"), CELLS)
def test_it_is_no_worse_than_the_most_frequent_class(theta, replies, runs, figure):
    """The mean over fixed seeds; without shrinkage these cells had .555, .636, .753 and .744."""
    test = census()[1]
    found = []
    for seed in range(runs):
        design, told = disguised(theta, replies, seed)
        bayes, _ = learnt(dn.NaiveBayes(design), told)
        found.append(np.mean(bayes.predict(test.drop(columns=TARGET)) == test[TARGET].to_numpy()))
    majority = 1 - test[TARGET].mean()
    figure(f"naive Bayes, one lottery per question, theta {theta}, {replies} replies", f"{np.mean(found):.4f}")
    assert np.mean(found) >= majority - 0.01


def test_it_warns_where_replies_tell_nothing_and_not_where_they_are_plain():
    design, told = disguised(0.55, 8000, 1)
    _, said = learnt(dn.NaiveBayes(design), told)
    assert [words for words in said if words.startswith(DOUBTFUL)] != []
    for theta in (0.7, 0.8, 0.95):
        design, told = disguised(theta, 8000, 1)
        assert learnt(dn.NaiveBayes(design), told)[1] == []


def test_it_doubts_the_most_frequent_class_in_the_words_of_trees():
    design, told = disguised(0.51, 2000, 3)
    told = told[["age", "sex", TARGET]]
    words = "the replies do not tell which answer to income is the most frequent"
    assert words in learnt(dn.TreeClassifier(design), told)[1]
    assert words in learnt(dn.NaiveBayes(design), told)[1]
    assert learnt(dn.NaiveBayes(design, smoothing="laplace"), told)[1] == []


def words(count: int, seed: int) -> pd.DataFrame:
    """A class, an answer that hangs on it, and one that does not."""
    rng = np.random.default_rng(seed)
    label = rng.choice(["x", "y", "z"], count, p=[0.5, 0.3, 0.2])
    first = np.where(rng.random(count) < 0.6, label, rng.choice(["x", "y", "z"], count))
    return pd.DataFrame({"first": first, "second": rng.choice(["red", "blue"], count), "label": label})


ASKED = [dn.Question("first", ["x", "y", "z"]), dn.Question("second", ["blue", "red"]),
         dn.Question("label", ["x", "y", "z"])]  # fmt: skip


def crossed(frame: pd.DataFrame, name: str) -> np.ndarray:
    return pd.crosstab(frame[name], frame["label"]).to_numpy().astype(float)


@pytest.mark.parametrize("design", [dn.Design([dn.clear(*ASKED)], target="label"), None], ids=["clear", "no design"])
@pytest.mark.parametrize("count", [60, 3000])
def test_undisguised_one_person_is_added_to_each_class_an_equal_part_to_each_answer(design, count):
    """And they are taken back where independence expects as few people: (c + k) / (1 + k / e).

    A cell without people has a part of k alone: the odds that nobody is there are e over sqrt(pi) / 2 to one.
    """
    frame = words(count, 1)
    fitted = dn.NaiveBayes(design).fit(frame[["first", "second"]], frame["label"])
    for name, chances in zip(("first", "second"), fitted.chances_, strict=True):
        table = crossed(frame, name)
        expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / count
        added = 1 / len(table) / (1 + 2 / sqrt(pi) * expected * np.exp(-4 * table**2))
        people = (table + added) / (1 + added / expected)
        assert chances == pytest.approx(people / people.sum(axis=0), abs=1e-12)
    assert fitted.priors_ == pytest.approx(frame["label"].value_counts(normalize=True).sort_index().to_numpy())


def inverse_of(question: dn.Question, theta: float) -> np.ndarray:
    k = len(question)
    return np.linalg.inv(np.full((k, k), (1 - theta) / (k - 1)) + np.eye(k) * (theta - (1 - theta) / (k - 1)))


def test_where_dependence_is_plain_hardly_anything_is_shrunk():
    """Each estimate is smoothed by the noise that is left in it: the likeliest people, found here by bisection."""
    design = dn.Design([dn.k_ary(0.8, question) for question in ASKED], target="label")
    replies = dn.disguise(design, words(6000, 2), seed=3)
    fitted = dn.NaiveBayes(design).fit(replies[["first", "second"]], replies["label"])
    for question, chances in zip(ASKED[:2], fitted.chances_, strict=True):
        whole = np.kron(inverse_of(question, 0.8), inverse_of(ASKED[-1], 0.8))
        table = whole @ crossed(replies, question.name).ravel()
        shape = (len(question), 3)
        expected = np.outer(table.reshape(shape).sum(axis=1), table.reshape(shape).sum(axis=0)).ravel() / 6000
        kept = plainly_kept(table.reshape(shape), even_dependence_stderr(design, [question, ASKED[-1]], 6000))
        assert 1 - DOUBT < kept <= 1
        table = expected + kept * (table - expected)
        per_person = kept**2 * whole**2 @ np.linalg.inv(whole)  # the variance that a person of each cell adds
        own = per_person.diagonal()
        others, added = per_person @ expected - own * expected, 1 / len(question)
        low, high = np.zeros(len(table)), np.full(len(table), 6000.0)
        for _ in range(100):
            t = (low + high) / 2
            rises = (table - t) / (others + own * t) + added * (1 / t - 1 / expected) > 0
            low, high = np.where(rises, t, low), np.where(rises, high, t)
        people = low.reshape(shape)
        assert chances == pytest.approx(people / people.sum(axis=0), abs=1e-9)


@given(
    count=st.floats(-1e4, 1e4), expected=st.floats(1e-3, 1e4), own=st.floats(1, 100), stderr=st.floats(0, 1e4),
    answers=st.integers(2, 50),
)  # fmt: skip
def test_the_likeliest_people_solve_their_equation(count, expected, own, stderr, answers):
    """They are positive, between estimate and expectation where those agree, and rise with the estimate."""
    given_ = (np.full((answers, 1), value) for value in (expected, own, stderr**2))
    expect, per_person, others = given_
    weight = np.full((answers, 1), 1 / answers)
    found = likeliest_people(np.full((answers, 1), count), expect, per_person, others, weight)[0, 0]
    assume(stderr > 1e-3 or count >= 0)
    assert found > 0
    slope = (count - found) * found + (stderr**2 + own * found) / answers * (1 - found / expected)
    assert abs(slope) <= 1e-6 * (abs(count) * found + found**2 + (stderr**2 + own * found) * (1 + found / expected))
    more = likeliest_people(np.full((answers, 1), count + 10), expect, per_person, others, weight)[0, 0]
    assert more >= found


def test_noise_alone_leaves_what_independence_expects():
    expected = np.array([[30.0, 60.0], [10.0, 20.0]])
    estimates = np.array([[-500.0, 300.0], [900.0, 20.0]])
    noise = same_noise(1e6, expected)
    weight = weight_of_cells(estimates, expected, *noise)
    assert weight == pytest.approx(np.full((2, 2), 0.5), rel=1e-3)
    assert likeliest_people(estimates, expected, *noise, weight) == pytest.approx(expected, rel=1e-3)


def test_where_many_are_expected_and_nobody_is_found_an_answer_rules_out_the_class():
    """In the clear, and where one in twenty is asked; not where few are expected, or noise hides who is there."""
    expected, none = np.array([[60.0], [0.6]]), np.zeros((2, 1))
    for own in (1.0, 20.0):
        found = weight_of_cells(none, own * expected, np.full((2, 1), own), none)
        assert found[:, 0] == pytest.approx([0.5 / (1 + 120 / sqrt(pi)), 0.5 / (1 + 1.2 / sqrt(pi))])
    assert weight_of_cells(none, expected, *same_noise(60.0, expected))[0, 0] > 0.49
    assert weight_of_cells(none + 1, expected, *in_the_clear(expected))[0, 0] > 0.2
    table = np.array([[60.0, 0.0], [40.0, 100.0]])
    _, [chances] = learnt_shares(table.sum(axis=0), [table], "auto", [in_the_clear])
    assert chances[0, 1] < 1e-3


def test_a_class_of_less_than_nobody_answers_like_everybody():
    """Its estimates sum to less than zero, and tell nothing."""
    table = np.array([[300.0, -20.0], [100.0, -30.0]])
    _, [chances] = learnt_shares(table.sum(axis=0), [table], "auto", [partial(same_noise, 200.0)])
    assert chances[:, 1] == pytest.approx([0.8, 0.2], abs=0.02)


def test_cell_noise_is_the_variance_of_estimates():
    """own t + others, less t^2 / n, is the variance that replies have; for people drawn with these shares."""
    design = dn.Design([dn.k_ary(0.7, ASKED[0]), dn.warner(0.8, dn.Question("label", ["x", "y"]))])
    truth = np.array([[300.0, 50.0], [200.0, 100.0], [250.0, 100.0]])
    own, others = cell_noise(stacks_of(design, design.questions), truth)
    whole = np.kron(inverse_of(ASKED[0], 0.7), inverse_of(dn.Question("label", ["x", "y"]), 0.8))
    reported = np.linalg.inv(whole) @ truth.ravel()
    variance = whole**2 @ reported
    assert (own * truth + others).ravel() == pytest.approx(variance)
    many = cell_noise(stacks_of(design, design.questions), np.stack([truth, 2 * truth], axis=-1))
    assert many[1][..., 1] == pytest.approx(2 * others)
    assert np.broadcast_to(many[0], (3, 2, 2))[..., 0] == pytest.approx(np.broadcast_to(own, (3, 2)))


def test_a_dependence_as_large_as_its_error_counts_half():
    """A yes/no answer and class of even shares correlate by sqrt(E / answers) before anybody replied."""
    even, speakers = np.array([0.5, 0.5]), 5
    signal = expected_signal(even, even, 0.0, speakers)
    for index in (0, 12, 24):
        correlation, sure = sqrt(STRENGTHS[index] / speakers), np.eye(25)[index]
        for times, kept in ((1, 0.5), (2, 0.2), (100, 1e-4), (0.01, 0.9999)):
            found = dependence_kept(signal, 0.25 * correlation * times, sure)
            assert found == pytest.approx(np.full((2, 2), kept), rel=2e-4)


def test_answers_are_believed_to_tell_less_of_a_class_that_is_plainly_larger():
    even, uneven = np.array([0.5, 0.5]), np.array([0.8, 0.2])
    explained = [
        expected_signal(even, classes, stderr, 5)[0, 0] / (0.25 * classes[0] * classes[1] / 5)
        for classes, stderr in ((even, 0.0), (uneven, 0.0), (uneven, 10.0))
    ]
    assert explained == pytest.approx([1, 0.25**2.5, 1])


def test_many_weak_dependences_together_are_believed():
    """None of them is plain, and each alone would hardly change the belief; without any, it falls."""
    rng, stderr = np.random.default_rng(4), 100.0
    signal = expected_signal(np.array([0.5, 0.5]), np.array([0.5, 0.5]), 0.0, 30)
    noise = rng.normal(0, stderr, 30)
    for strength, low, high in ((1.5, 8, 40), (0.0, 1, 5)):
        shifts = noise + strength * stderr * rng.choice([-1, 1], 30)
        tables = [250 + shift * np.array([[1.0, -1.0], [-1.0, 1.0]]) for shift in shifts]
        together = belief(tables, [signal] * 30, [stderr] * 30) @ STRENGTHS
        alone = belief(tables[:1], [signal], [stderr]) @ STRENGTHS
        assert low < together < high
        assert alone == pytest.approx(STRENGTHS @ (weights := np.exp(-(STEPS**2) / 2)) / weights.sum(), rel=0.3)


def test_shares_come_near_to_even_ones_only_where_they_are_not_known():
    counts = np.array([700.0, 200.0, 100.0])
    assert towards_even(counts, 1.0) == pytest.approx(counts / 1000, abs=1e-4)
    assert towards_even(counts, 1e6) == pytest.approx(np.full(3, 1 / 3), abs=1e-4)
    assert towards_even(np.array([1200.0, -200.0]), 1.0) == pytest.approx([1.0, 0.0], abs=1e-2)


def test_answers_say_nothing_where_nothing_is_known():
    """Estimates of hopeless surveys are clipped anywhere: each P(x | v) is the same for all classes."""
    rng, hopeless = np.random.default_rng(8), TableErrors(1e9, 1e9, partial(same_noise, 1e9))
    tables = [rng.normal(100, 400, shape) for shape in ((2, 3), (5, 3), (3, 3))]
    errors = UsualErrors(1.0, [hopeless] * 3)
    people = shrunk_people(np.array([500.0, 300.0, 100.0]), tables, errors)
    _, chances = learnt_shares(people.classes, people.tables, "auto", errors.noises, people.kept)
    assert max(np.ptp(each, axis=1).max() for each in chances) < 0.01


CLOSED = {  # the standard error of a dependence, times 1 / sqrt(n)
    "in the clear": ([dn.clear(dn.yes_no("a"), dn.yes_no("b"))], 1 / 4),
    "unrelated": ([dn.unrelated(0.2, dn.yes_no("a"), dn.yes_no("b"))], 1 / 4 / 0.2),
    "one Warner draw leaves agreement as it is": ([dn.warner(0.6, dn.yes_no("a"), dn.yes_no("b"))], 1 / 4),
    "two Warner draws": ([dn.warner(0.6, dn.yes_no("a")), dn.warner(0.6, dn.yes_no("b"))], 0.24 / 0.04 + 1 / 4),
}


@pytest.mark.parametrize("case", CLOSED)
def test_the_usual_error_of_a_dependence_has_a_closed_form(case):
    channels, expected = CLOSED[case]
    design = dn.Design(channels)
    assert even_dependence_stderr(design, design.questions, 900) == pytest.approx(expected * sqrt(900), rel=1e-6)


def test_many_tables_at_once_shrink_as_one_by_one():
    design = dn.Design([dn.unrelated(0.1, dn.yes_no("a"), dn.yes_no("b"))])
    rng, errors = np.random.default_rng(7), [even_errors(design, *design.questions, 500)] * 3
    tables = rng.normal(125, 100, (3, 2, 2, 20))
    tables[..., -1] = [[[2000, 0], [0, 2000]]] * 3  # plain
    classes, usual = tables[0].sum(axis=0), UsualErrors(even_stderr(design, design.questions[1:], 500), errors)
    together = shrunk_people(classes, list(tables), usual)
    for run in range(20):
        alone = shrunk_people(classes[..., run], list(tables[..., run]), usual)
        assert together.classes[..., run] == pytest.approx(alone.classes)
        for many, one in zip(together.tables, alone.tables, strict=True):
            assert many[..., run] == pytest.approx(one)
    assert together.tables[0][..., -1] == pytest.approx(tables[0][..., -1], abs=1e-6)


def test_a_model_file_of_the_first_version_predicts_as_it_did(tmp_path):
    stored = {
        "deniable_model": 1, "kind": "bayes", "method": "inverse", "target": "t", "classes": ["no", "yes"],
        "design": "9982a91b5435e0e00ae139b1c52ad77aa60ed8dd959d1a764ae48635b66bbae7", "named": True,
        "columns": [{"name": "a", "answers": ["never", "often"], "ordered": False}],
        "priors": [0.646875000034197, 0.353124999965803],
        "chances": [[[0.5293064188809488, 0.1615691763337915], [0.47069358111905124, 0.8384308236662085]]],
    }  # fmt: skip
    (tmp_path / "bayes.json").write_text(json.dumps(stored))
    loaded = dn.load_model(tmp_path / "bayes.json")
    people = pd.DataFrame({"a": ["never", "often"]})
    expected = [[0.8571680337420136, 0.14283196625798633], [0.5070010944916754, 0.4929989055083246]]
    assert loaded.predict_proba(people) == pytest.approx(np.array(expected), abs=1e-12)
    assert loaded.predict(people).tolist() == ["no", "no"]


@given(answers=st.integers(2, 6), classes=st.integers(2, 4), stderr=st.floats(1.0, 300.0))
def test_a_plain_table_is_believed_the_more_the_less_it_looks_like_noise(answers, classes, stderr):
    """An independent table loses the most, one far beyond noise nothing; many tables at once are judged one by one."""
    dependence = np.zeros((answers, classes))
    dependence[0, 0] = dependence[1, 1] = 1.0
    dependence[0, 1] = dependence[1, 0] = -1.0
    tables = np.stack([1e7 + times * stderr * dependence for times in (0, 1, 3, 10, 3000)], axis=-1)
    kept = plainly_kept(tables, stderr)
    assert np.all(np.diff(kept) >= 0)
    assert kept[0] > 1 - DOUBT
    assert kept[-1] == 1
    assert np.allclose(kept, [plainly_kept(tables[..., each], stderr) for each in range(5)])

"""Naive Bayes is the ordinary one without disguise, and nearly as good with it."""

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import CategoricalNB
from sklearn.utils.estimator_checks import check_estimator

import deniable as dn
from deniable.inference.invert.inverse import even_stderr
from deniable.learn.naive_bayes import NaiveBayes
from deniable.papers.du_zhan import people, two_answers
from deniable.papers.unrelated import TARGET, reported_tables, runs

DETERMINISTIC = {"alphabetical": 0.7610, "mid": 0.7880, "med": 0.7890}  # rows 0-7999 and 8000-9999, Laplace


@pytest.mark.parametrize("settings", [{}, {"smoothing": "laplace"}], ids=str)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_own_checks_all_pass(settings):
    results = check_estimator(NaiveBayes(**settings), on_fail=None, on_skip=None)
    assert [result["check_name"] for result in results if result["status"] == "failed"] == []


def words(rng, count):
    """Nominal answers that hang on the class."""
    label = rng.choice(["x", "y", "z"], count, p=[0.5, 0.3, 0.2])
    first = np.where(rng.random(count) < 0.6, label, rng.choice(["x", "y", "z"], count))
    second = np.where((label == "x") & (rng.random(count) < 0.5), "red", rng.choice(["red", "blue"], count))
    return pd.DataFrame({"first": first, "second": second, "label": label})


def test_undisguised_with_laplace_it_is_scikit_learns():
    frame = words(np.random.default_rng(1), 500)
    fitted = NaiveBayes(smoothing="laplace").fit(frame[["first", "second"]], frame["label"])
    codes = frame[["first", "second"]].apply(lambda column: column.astype("category").cat.codes)
    other = CategoricalNB(alpha=1).fit(codes, frame["label"])
    assert fitted.predict_proba(frame[["first", "second"]]) == pytest.approx(other.predict_proba(codes), abs=1e-12)


@pytest.mark.parametrize("coding", DETERMINISTIC)
def test_undisguised_census(coding):
    from deniable.papers.data import adult, binary

    frame = binary(adult().head(10_000), coding)
    train, test = frame.iloc[:8000], frame.iloc[8000:]
    fitted = NaiveBayes(smoothing="laplace").fit(train.drop(columns=TARGET).astype(str), train[TARGET])
    found = np.mean(fitted.predict(test.drop(columns=TARGET).astype(str)) == test[TARGET].to_numpy())
    assert found == pytest.approx(DETERMINISTIC[coding], abs=5e-5)


def test_undisguised_numbers_are_cut_at_their_quantiles(figure):
    from deniable.papers.data import adult

    frame = adult().head(10_000)
    train, test = frame.iloc[:8000], frame.iloc[8000:]
    fitted = NaiveBayes().fit(train.drop(columns=TARGET), train[TARGET])
    sizes = dict(zip(fitted.columns_.names, fitted.columns_.sizes, strict=True))
    assert sizes["age"] == 10
    assert sizes["capital-gain"] <= 2  # nine in ten have none
    found = np.mean(fitted.predict(test.drop(columns=TARGET)) == test[TARGET].to_numpy())
    figure("naive Bayes, undisguised census as it is", f"{found:.4f}")
    assert found > 0.8


@pytest.mark.parametrize("data", ["census", "cancer"])
def test_undisguised_it_is_as_good_as_with_laplace(data, figure):
    from deniable.papers.data import adult, breast_cancer

    frame = (
        (adult().head(10_000) if data == "census" else breast_cancer()).rename(columns={"class": TARGET}).astype(str)
    )
    frame = frame.sample(frac=1, random_state=5)
    cut, found = 3 * len(frame) // 4, []
    for smoothing in ("auto", "laplace"):
        fitted = NaiveBayes(smoothing=smoothing).fit(frame[:cut].drop(columns=TARGET), frame[TARGET][:cut])
        found.append(np.mean(fitted.predict(frame[cut:].drop(columns=TARGET)) == frame[TARGET][cut:].to_numpy()))
    figure(f"naive Bayes, undisguised {data}, default and Laplace", f"{found[0]:.4f}, {found[1]:.4f}")
    assert found[0] >= found[1] - 0.005


DESIGNS = {
    "unrelated": [dn.unrelated(0.7, dn.Question("first", ["x", "y", "z"]), dn.Question("second", ["red", "blue"]),
                               dn.Question("label", ["x", "y", "z"]))],
    "each its own": [dn.k_ary(0.8, dn.Question("first", ["x", "y", "z"])),
                     dn.warner(0.85, dn.Question("second", ["red", "blue"])),
                     dn.k_ary(0.85, dn.Question("label", ["x", "y", "z"]))],
}  # fmt: skip


@pytest.mark.parametrize("method", ["auto", "bayes", "pairs"])
@pytest.mark.parametrize("design", DESIGNS)
def test_disguised_it_is_nearly_as_good(design, method):
    frame = words(np.random.default_rng(2), 20_000)
    plan = dn.Design(DESIGNS[design], target="label")
    replies = dn.disguise(plan, frame, seed=3)
    fitted = NaiveBayes(plan, method=method).fit(replies[["first", "second"]], replies["label"])
    plain = NaiveBayes().fit(frame[["first", "second"]], frame["label"])
    right = [np.mean(model.predict(frame[["first", "second"]]) == frame["label"]) for model in (fitted, plain)]
    assert right[0] > right[1] - 0.02


def test_the_usual_error_of_an_unrelated_question_is_the_closed_form():
    """sqrt(.1875 n) / q: a reported share of one in four, seen through the inverse."""
    design = dn.Design([dn.unrelated(0.4, dn.yes_no("a"), dn.yes_no("b"))])
    assert even_stderr(design, design.questions, 8000) == pytest.approx(np.sqrt(0.1875 * 8000) / 0.4, rel=1e-6)


EXPECTED = {  # raw and Laplace, measured elsewhere, and what the default must reach
    ("Adult", 0.1): (0.676, 0.713, 0.719), ("Adult", 0.3): (0.748, 0.756, 0.757),
    ("Adult", 0.5): (0.763, 0.769, 0.774), ("Adult", 1.0): (0.7845, 0.7845, None),
    ("Breast Cancer", 0.2): (0.879, 0.920, None), ("Breast Cancer", 0.5): (0.935, 0.941, None),
}  # fmt: skip


@pytest.mark.parametrize(("data", "q"), EXPECTED)
def test_the_paper_s_figures(data, q, figure):
    """200 runs here, and an unknown number there: allow four standard errors of ours, and a rounding."""
    found = pd.DataFrame(runs(data, q, 200)).groupby("method")["accuracy"].agg(["mean", "sem"])
    names = ("raw (the paper)", "clipped, Laplace", "default (ours)")
    told = ", ".join(f"{name} {found['mean'][name]:.4f}" for name in (*names, "uncorrected"))
    figure(f"naive Bayes, {data}, q {q}", told)
    for name, expected in zip(names[:2], EXPECTED[data, q], strict=False):
        assert abs(found["mean"][name] - expected) < 4 * found["sem"][name] + 0.001
    reached = EXPECTED[data, q][2]
    assert reached is None or found["mean"][names[2]] > reached - 4 * found["sem"][names[2]] - 0.001


def test_many_surveys_at_once_are_like_surveys_one_by_one():
    """Means of reported tables within 4.5 standard errors, over 52 cells."""
    train, _ = people("mid")
    names = [name for name in train.columns if name != TARGET]
    frame = train[[*names, TARGET]].iloc[:500]
    design = dn.Design([dn.unrelated(0.4, *map(two_answers, frame.columns))], target=TARGET)
    one_by_one = []
    for seed in range(200):
        bits = dn.disguise(design, frame, seed=seed).to_numpy().T
        one_by_one.append(
            [[[np.sum((row == x) & (bits[-1] == v)) for v in (0, 1)] for x in (0, 1)] for row in bits[:-1]]
        )
    single = np.moveaxis(np.array(one_by_one, dtype=float), 0, -1)
    at_once = reported_tables(frame.to_numpy().astype(np.int64).T, 0.4, 2000, np.random.default_rng(5))
    error = np.sqrt(single.var(axis=-1) / 200 + at_once.var(axis=-1) / 2000)
    assert (np.abs(single.mean(axis=-1) - at_once.mean(axis=-1)) < 4.5 * error).all()
    assert single.var(axis=-1).sum() == pytest.approx(at_once.var(axis=-1).sum(), rel=0.1)


def test_models_come_back_from_files_and_hostile_ones_do_not(tmp_path):
    frame = words(np.random.default_rng(4), 2000)
    plan = dn.Design(DESIGNS["unrelated"], target="label")
    replies = dn.disguise(plan, frame, seed=5)
    fitted = NaiveBayes(plan).fit(replies[["first", "second"]], replies["label"])
    fitted.save(tmp_path / "bayes.json")
    again = dn.load_model(tmp_path / "bayes.json")
    asked = frame[["first", "second"]]
    assert again.predict_proba(asked) == pytest.approx(fitted.predict_proba(asked))
    text = (tmp_path / "bayes.json").read_text()
    for old, new in (('"priors": [', '"priors": [1, '), ('"chances": [[', '"chances": [[["x"], '), ("bayes", "bays")):
        (tmp_path / "hostile.json").write_text(text.replace(old, new, 1))
        with pytest.raises(dn.DeniableError, match=r"hostile.json"):
            dn.load_model(tmp_path / "hostile.json")


@pytest.mark.parametrize("setting", [{"smoothing": "butter"}, {"method": "magic"}], ids=str)
def test_a_setting_that_does_nothing_is_refused(setting):
    people = pd.DataFrame({"a": [0, 1, 1, 0], "t": [0, 1, 1, 0]})
    with pytest.raises(dn.DeniableError, match=f"{next(iter(setting))} must be"):
        NaiveBayes(**setting).fit(people[["a"]], people["t"])


def test_raw_products_may_be_negative_and_still_decide():
    design = dn.Design([dn.unrelated(0.05, *map(two_answers, ["a", "b", "t"]))], target="t")
    rng = np.random.default_rng(6)
    frame = pd.DataFrame(rng.random((200, 3)) < 0.1, columns=["a", "b", "t"]).astype("uint8")
    replies = dn.disguise(design, frame, seed=7)
    fitted = NaiveBayes(design, smoothing=None).fit(replies[["a", "b"]], replies["t"])
    chances = fitted.predict_proba(frame[["a", "b"]])
    assert min(shares.min() for shares in fitted.chances_) < 0
    assert chances.sum(axis=1) == pytest.approx(1)
    assert (chances >= 0).all()


@pytest.mark.parametrize("theta", [1, 0])
def test_with_theta_of_one_or_zero_it_is_the_undisguised_one(theta):
    """Raw products know no smoothing, so they must agree exactly."""
    rng = np.random.default_rng(8)
    frame = pd.DataFrame(rng.random((600, 3)) < [0.3, 0.6, 0.4], columns=["a", "b", "t"]).astype("uint8")
    design = dn.Design([dn.warner(theta, *map(two_answers, frame.columns))], target="t")
    replies = dn.disguise(design, frame, seed=9)
    fitted = NaiveBayes(design, smoothing=None).fit(replies[["a", "b"]], replies["t"])
    plain = NaiveBayes(smoothing=None).fit(frame[["a", "b"]], frame["t"])
    assert fitted.predict_proba(frame[["a", "b"]]) == pytest.approx(plain.predict_proba(frame[["a", "b"]]))


def test_a_clear_design_is_as_good_as_none():
    frame = words(np.random.default_rng(9), 800)
    asked = [dn.Question("first", ["x", "y", "z"]), dn.Question("second", ["blue", "red"]),
             dn.Question("label", ["x", "y", "z"])]  # fmt: skip
    design = dn.Design([dn.clear(*asked)], target="label")
    fitted = NaiveBayes(design).fit(frame[["first", "second"]], frame["label"])
    plain = NaiveBayes().fit(frame[["first", "second"]], frame["label"])
    assert fitted.predict_proba(frame[["first", "second"]]) == pytest.approx(
        plain.predict_proba(frame[["first", "second"]])
    )


def test_raw_products_of_a_class_that_nobody_has_are_no_nan():
    design = dn.Design([dn.clear(dn.yes_no("a"), dn.Question("t", ["x", "y", "z"]))], target="t")
    frame = pd.DataFrame({"a": ["yes", "no"] * 20, "t": ["x", "y"] * 20})
    chances = NaiveBayes(design, smoothing=None).fit(frame[["a"]], frame["t"]).predict_proba(frame[["a"]])
    assert chances == pytest.approx(np.tile([[1, 0, 0], [0, 1, 0]], (20, 1)))


@pytest.mark.studies
@pytest.mark.filterwarnings("ignore")
def test_the_pairwise_model_passes_scikit_learns_checks_too():
    results = check_estimator(dn.PairwiseClassifier(), on_fail=None, on_skip=None)
    assert [result["check_name"] for result in results if result["status"] == "failed"] == []


def test_a_loaded_model_still_takes_who_prefers_not_to_say(tmp_path):
    asked = dn.Question("a", ["no", "yes"], optional=True)
    design = dn.Design([dn.k_ary(0.9, asked), dn.warner(0.9, dn.yes_no("t"))], target="t")
    people = pd.DataFrame({"a": ["no", "yes", None, "yes"] * 50, "t": ["no", "yes", "yes", "yes"] * 50})
    replies = dn.disguise(design, people, seed=1)
    for learner in (NaiveBayes(design), dn.TreeClassifier(design)):
        learner.fit(replies[["a"]], replies["t"]).save(tmp_path / "model.json")
        again = dn.load_model(tmp_path / "model.json")
        assert again.predict(people[["a"]]).tolist() == learner.predict(people[["a"]]).tolist()

"""What a regression shows: frames, tests, effects, predictions, pictures, words."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import deniable as dn
from deniable.report.coefficients import coefficient_plot
from deniable.report.regressions import page, regression_document
from regression.people import people

N = 2_000
DESIGN = dn.Design(
    [
        dn.warner(0.85, dn.yes_no("x")),
        dn.warner(0.85, dn.yes_no("y")),
        dn.clear(dn.yes_no("g")),
        dn.gaussian(dn.number("age", 18, 80), privacy=0.5),
        dn.k_ary(0.85, dn.Question("kind", ["p", "q", "r"])),
        dn.k_ary(0.85, dn.Question("level", ["low", "middle", "high"], ordered=True)),
        dn.clear(dn.number("v", 0, 40)),
    ],
    title="Leave",
)
FORMULAS = ["y ~ x * g + z", "y ~ g + z", "kind ~ x + z", "level ~ x + g", "level ~ g", "v ~ x + age", "v ~ g + hours",
            "y ~ age + I(age**2)", "g ~ 1"]  # fmt: skip


@pytest.fixture(scope="module")
def true():
    return people(N)


@pytest.fixture(scope="module")
def replies(true):
    found = dn.disguise(DESIGN, true, seed=1)
    return found.assign(**{name: true[name].to_numpy() for name in true.columns if name not in found.columns})


@pytest.fixture(scope="module", params=FORMULAS)
def found(request, replies):
    return dn.regress(DESIGN, replies, request.param)


def test_the_table(found):
    table = found.table
    assert list(table.columns)[-8:] == ["term", "estimate", "stderr", "z", "p", "low", "high", "note"]
    assert ("answer" in table.columns) == found.formula.outcome.startswith("kind")
    np.testing.assert_allclose(table.low + table.high, 2 * table.estimate, atol=1e-9)
    np.testing.assert_allclose(table.high - table.low, 2 * 1.959964 * table.stderr, rtol=1e-6)
    np.testing.assert_allclose(table.z * table.stderr, table.estimate)
    assert ((table.p >= 0) & (table.p <= 1)).all()
    np.testing.assert_allclose(np.sqrt(found.covariance.diagonal()), table.stderr)


def test_odds_ratios(found):
    if found.formula.outcome == "v":
        with pytest.raises(dn.DeniableError, match="a number has no odds"):
            _ = found.odds_ratios
        return
    slopes = found.table[~found.table.term.str.contains("Intercept|\\|", regex=True)]
    if len(slopes):
        np.testing.assert_allclose(found.odds_ratios.odds_ratio, np.exp(slopes.estimate))
        np.testing.assert_allclose(found.odds_ratios.high, np.exp(slopes.high))


def test_predicted_shares_and_effects(found):
    overall = found.predicted_shares()
    figure = "mean" if found.formula.outcome == "v" else "share"
    if figure == "share":
        assert overall.share.sum() == pytest.approx(1)
    for each in found.problem.predictors:
        shares = found.predicted_shares(each.name)
        assert (shares.low <= shares[figure]).all()
        if not each.is_number:  # effects are differences of what is predicted
            by_level = shares[figure].to_numpy().reshape(len(each.question), -1)
            effects = found.marginal_effects.query("predictor == @each.name").effect.to_numpy()
            expected = (by_level[1:] - by_level[0])[:, -len(effects) :].ravel()[-len(effects) :]
            np.testing.assert_allclose(effects, expected, atol=1e-9)
    with pytest.raises(dn.DeniableError, match="no question 'village'"):
        found.predicted_shares("village")


def test_predictions_for_true_data(found, true):
    chances = found.predict(true)
    answers = found.fit.model.answers
    assert chances.shape == ((N,) if len(answers) in (0, 2) else (N, len(answers)))
    if len(answers) > 2:
        np.testing.assert_allclose(chances.sum(axis=1), 1)
    overall = found.shares()
    last = chances if chances.ndim == 1 else chances[:, -1]
    assert last.mean() == pytest.approx(overall[-1][2].value, abs=max(4 * overall[-1][2].stderr, 0.03))


def test_words_and_pictures(found):
    assert repr(found).startswith(f"<Regression '{found.formula.text}', ")
    assert "\n" not in repr(found)
    summary = found.summary()
    assert str(found) == summary
    assert "P>|z|" in summary
    assert all(each.label in summary for each in found.coefficients)
    html = found._repr_html_()
    assert "<table>" in html
    assert "<script" not in page(found, "<script>")
    assert coefficient_plot(found).count("<circle") == sum(
        each.term in found.fit.terms.names and each.term != "Intercept" for each in found.coefficients
    )


def test_the_document_is_json(found):
    import json

    document = regression_document(found)
    assert json.loads(json.dumps(document, allow_nan=False))["n"] == N
    assert {"formula", "model", "method", "coefficients", "effects", "shares", "test", "note"} <= set(document)
    assert all("note" in row for key in ("coefficients", "effects", "shares") for row in document[key])


def test_tests_of_terms(replies):
    large, small = (dn.regress(DESIGN, replies, f"y ~ {right}") for right in ("g + z + hours", "g"))
    ratio = large.compare(small)
    assert (ratio.kind, ratio.degrees, ratio.terms) == ("likelihood-ratio", 2, ("z", "hours"))
    assert ratio.statistic == pytest.approx(2 * (large.log_likelihood - small.log_likelihood))
    assert small.compare(large).statistic == ratio.statistic
    assert large.wald(["z", "hours"]).statistic == pytest.approx(ratio.statistic, rel=0.2)
    assert large.wald(["z"]).statistic == pytest.approx(large.table.z[2] ** 2)
    with pytest.raises(dn.DeniableError, match="terms must be terms of the regression, got 'village'"):
        large.wald(["village"])
    with pytest.raises(dn.DeniableError, match="nested in this one"):
        large.compare(dn.regress(DESIGN, replies, "g ~ z"))


def test_corrected_scores_have_no_likelihood(replies):
    found = dn.regress(DESIGN, replies, "y ~ x + z")
    assert found.log_likelihood is None
    with pytest.raises(dn.DeniableError, match=r"use .wald\(\) or .compare\(other\)"):
        _ = found.likelihood_ratio
    test = found.compare(dn.regress(DESIGN, replies, "y ~ x"))
    assert (test.kind, test.terms, test.degrees) == ("Wald", ("z",), 1)


def test_frames_are_of_the_kind_that_came_in(replies):
    found = dn.regress(DESIGN, pl.from_pandas(replies), "y ~ g")
    assert isinstance(found.table, pl.DataFrame)
    assert isinstance(found.marginal_effects, pl.DataFrame)
    assert isinstance(dn.regress(DESIGN, replies, "y ~ g").table, pd.DataFrame)


def test_weights_of_a_sample_restore_its_population(true):
    """Half of those who say yes were left out; with weights the regression is that of everybody."""
    design = dn.Design([dn.warner(0.9, dn.yes_no("y"))])
    everybody = people(40_000, seed=5)
    drawn = np.random.default_rng(2).random(40_000) < np.where(everybody.g == "yes", 0.25, 0.75)
    replies = dn.disguise(design, everybody, seed=3).assign(
        z=everybody.z.to_numpy(), weight=np.where(everybody.g == "yes", 4.0, 4 / 3)
    )
    whole, plain, weighted = (
        dn.regress(design, rows, "y ~ z", weights=weights).table.estimate
        for rows, weights in ((replies, None), (replies[drawn], None), (replies[drawn], "weight"))
    )
    assert weighted[0] == pytest.approx(whole[0], abs=0.06)
    assert abs(plain[0] - whole[0]) > 0.08


def test_errors_between_clusters_are_those_of_the_clusters(replies):
    """Everybody twice, in one cluster: the errors are those of one of each."""
    twice = pd.concat([replies, replies]).assign(pair=[*range(N), *range(N)])
    once = dn.regress(DESIGN, replies, "y ~ x + z")
    found = dn.regress(DESIGN, twice, "y ~ x + z", clusters="pair")
    np.testing.assert_allclose(found.table.estimate, once.table.estimate)
    np.testing.assert_allclose(found.table.stderr, once.table.stderr, rtol=2e-3)


def test_missing_cells_are_left_out_and_told(replies):
    holed = replies.copy()
    holed.loc[holed.index[:30], "z"] = np.nan
    holed.loc[holed.index[10:50], "x"] = None
    found = dn.regress(DESIGN, holed, "y ~ x + z")
    assert found.n == N - 50
    assert found.note.startswith(f"rests on {N - 50:,} of {N:,} replies: 50 lack x or z; they may differ")
    with pytest.raises(dn.DeniableError, match="missing values in 'x'"):
        dn.regress(DESIGN, holed, "y ~ x + z", missing="refuse")


def test_versions_that_a_number_is_not_asked_in(true):
    y = dn.yes_no("y")
    arms = {"short": [dn.warner(0.8, y)], "long": [dn.warner(0.8, y), dn.clear(dn.number("v", 0, 40))]}
    design = dn.Design([dn.versions(arms, shares=[0.5, 0.5], column="arm")])
    replies = dn.disguise(design, true, seed=1)
    found = dn.regress(design, replies, "y ~ v")
    assert found.n == (replies.arm == "long").sum()
    assert dn.regress(design, replies, "y ~ arm").n == N


def test_numbers_taken_for_answers_have_a_coefficient_each():
    rng = np.random.default_rng(3)
    design = dn.Design([dn.warner(0.9, dn.yes_no("leave"))])
    replies = pd.DataFrame({"leave": rng.choice(["yes", "no"], 4_000), "age": rng.uniform(20, 60, 4_000)})
    found = dn.regress(design, replies.assign(town=rng.integers(0, 50, 4_000)), "leave ~ age + C(town)")
    assert len(found.coefficients) == 2 + 49

"""Undisguised regressions are those of statsmodels, to many digits."""

import numpy as np
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from statsmodels.miscmodels.ordinal_model import OrderedModel

import deniable as dn
from regression.people import people

N = 2_000
FORMULA = "x * u + z"


@pytest.fixture(scope="module")
def frame():
    found = people(N)
    return found.assign(answer=(found.y == "yes") * 1.0)


@pytest.fixture(scope="module")
def design():
    level = dn.Question("level", ["low", "middle", "high"], ordered=True)
    named = [dn.yes_no("x"), dn.yes_no("g"), dn.yes_no("y"), dn.Question("u", ["a", "b", "c"]), level]
    kind = dn.Question("kind", ["p", "q", "r"])
    return dn.Design([*map(dn.clear, named), dn.clear(kind), dn.clear(dn.number("v", 0, 40))])


def close(ours, theirs):
    np.testing.assert_allclose(np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float), rtol=2e-6, atol=1e-8)


def same_order(found, theirs):
    """statsmodels puts interactions before z; we keep formulaic's order."""
    return [found.fit.terms.names.index(name) for name in theirs.params.index]


def test_logit(design, frame):
    found = dn.regress(design, frame, f"y ~ {FORMULA}", errors="model")
    theirs = smf.logit(f"answer ~ {FORMULA}", frame).fit(disp=0)
    order = same_order(found, theirs)
    close(found.table.estimate.iloc[order], theirs.params)
    close(found.table.stderr.iloc[order], theirs.bse)
    close(found.table.p.iloc[order], theirs.pvalues)
    close([found.log_likelihood, found.likelihood_ratio.statistic], [theirs.llf, theirs.llr])
    assert found.likelihood_ratio.degrees == theirs.df_model
    close(found.predict(frame), theirs.predict(frame))


def test_sandwich_and_clustered_errors_of_a_logit(design, frame):
    theirs = smf.logit(f"answer ~ {FORMULA}", frame)
    plain, grouped = (
        theirs.fit(disp=0, cov_type="HC0"),
        theirs.fit(disp=0, cov_type="cluster", cov_kwds={"groups": frame.village}),
    )
    found = dn.regress(design, frame, f"y ~ {FORMULA}")
    order = same_order(found, plain)
    close(found.table.stderr.iloc[order], plain.bse * np.sqrt(N / (N - len(order))))
    found = dn.regress(design, frame, f"y ~ {FORMULA}", clusters="village")
    close(found.table.stderr.iloc[order], grouped.bse)


def test_multinomial_logit(design, frame):
    found = dn.regress(design, frame, "kind ~ x + z", errors="model")
    predictors = sm.add_constant(np.c_[frame.x == "yes", frame.z].astype(float))
    theirs = sm.MNLogit(frame.kind.map({"p": 0, "q": 1, "r": 2}), predictors).fit(disp=0)
    close(found.table.estimate, theirs.params.to_numpy().T.ravel())
    close(found.table.stderr, theirs.bse.to_numpy().T.ravel())
    assert found.table.answer.tolist() == ["q"] * 3 + ["r"] * 3
    close(found.log_likelihood, theirs.llf)
    close(found.predict(frame), theirs.predict(predictors))
    effects = theirs.get_margeff(dummy=True).margeff  # [predictor, answer]
    np.testing.assert_allclose(found.marginal_effects.effect, effects.ravel(), rtol=1e-5)


def test_ordered_logit(design, frame):
    found = dn.regress(design, frame, "level ~ x + z", errors="model")
    model = OrderedModel(
        frame.level.map({"low": 0, "middle": 1, "high": 2}),
        np.c_[frame.x == "yes", frame.z].astype(float),
        distr="logit",
    )
    theirs = model.fit(method="newton", disp=0)
    params = np.asarray(theirs.params)
    thresholds = model.transform_threshold_params(params[-2:])[1:-1]
    np.testing.assert_allclose(found.table.estimate, [*params[:2], *thresholds], rtol=1e-5)
    np.testing.assert_allclose(found.table.stderr[:2], np.asarray(theirs.bse)[:2], rtol=1e-4)
    close(found.log_likelihood, theirs.llf)


@pytest.mark.parametrize("weights", [None, "weight"])
def test_linear_regression(design, frame, weights):
    found = dn.regress(design, frame, f"v ~ {FORMULA}", weights=weights)
    own = np.ones(N) if weights is None else frame[weights]
    theirs = smf.wls(f"v ~ {FORMULA}", frame, weights=own).fit(cov_type="HC1")
    order = same_order(found, theirs)
    close(found.table.estimate.iloc[order], theirs.params)
    close(found.table.stderr.iloc[order], theirs.bse)
    if weights is None:
        close(found.log_likelihood, theirs.llf)
        plain = dn.regress(design, frame, f"v ~ {FORMULA}", errors="model")
        close(plain.table.stderr.iloc[order], smf.ols(f"v ~ {FORMULA}", frame).fit().bse)


def test_average_marginal_effects_of_a_logit(design, frame):
    found = dn.regress(design, frame, "y ~ x + z")
    theirs = smf.logit("answer ~ x + z", frame).fit(disp=0, cov_type="HC0").get_margeff(dummy=True)
    np.testing.assert_allclose(found.marginal_effects.effect, theirs.margeff, rtol=1e-6)
    # theirs take the people as given; ours are those of a sample, which adds hardly anything here
    np.testing.assert_allclose(found.marginal_effects.stderr, theirs.margeff_se, rtol=0.02)


def test_functions_that_depend_on_all_rows_see_all_rows(design, frame):
    found = dn.regress(design, frame, "y ~ center(z) + bs(age, df=4)")
    theirs = smf.logit("answer ~ center(z) + bs(age, df=4)", frame).fit(disp=0)
    close(found.log_likelihood, theirs.llf)
    close(found.predict(frame), theirs.predict(frame))


def test_frequency_weights_are_repeated_rows(design, frame):
    few = frame[:300].assign(twice=2.0)
    weighted = dn.regress(design, few, "y ~ x + z", weights="twice")
    repeated = dn.regress(design, few.loc[few.index.repeat(2)], "y ~ x + z")
    close(weighted.table.estimate, repeated.table.estimate)

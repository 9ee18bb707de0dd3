"""Regressions in finite populations: sampling shrinks, the lotteries do not."""

import numpy as np
import pandas as pd
import pytest

import deniable as dn

Y, X = dn.yes_no("y"), dn.yes_no("x")
N = 1500


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    z, x = rng.normal(size=N).round(2), rng.random(N) < 0.4
    y = rng.random(N) < 1 / (1 + np.exp(0.4 - 0.8 * z - 0.6 * x))
    return pd.DataFrame({"y": np.where(y, "yes", "no"), "x": np.where(x, "yes", "no"), "z": z})


def answered(design: dn.Design, people: pd.DataFrame, seed: int) -> pd.DataFrame:
    found = dn.disguise(design, people, seed=seed)
    return found.assign(**{name: people[name].to_numpy() for name in people.columns if name not in found.columns})


DESIGNS = {
    "outcome": dn.Design([dn.warner(0.9, Y)]),
    "arms": dn.Design([dn.versions({"1": [dn.warner(0.9, Y)], "2": [dn.forced(0.1, 0.1, Y)]})]),
    "outcome and predictor": dn.Design([dn.warner(0.9, Y), dn.warner(0.9, X)]),
    "nothing": dn.Design([dn.clear(Y)]),
}


@pytest.mark.parametrize("name", ["outcome", "outcome and predictor", "nothing"])
@pytest.mark.parametrize("size", [N, 2000, 10**7])
def test_the_log_odds_of_all_have_the_error_of_their_share(people, name, size):
    """Without predictors the coefficient is the logarithm of the odds, with the error of the share over p (1 - p)."""
    replies = answered(DESIGNS[name], people, 2)
    fit = dn.regress(DESIGNS[name], replies, "y ~ 1", population=size)
    share = dn.estimate(DESIGNS[name], replies, "y == 'yes'", population=size)
    expected = share.stderr / (share.value * (1 - share.value))
    assert fit.table.stderr[0] == pytest.approx(expected, rel=2e-3, abs=1e-6)


@pytest.mark.parametrize("name", ["arms", "outcome and predictor"])
def test_a_census_leaves_the_lottery_alone(people, name):
    """The same people, over and over: coefficients spread as their errors say; 30 surveys, within a third."""
    fits = [
        dn.regress(DESIGNS[name], answered(DESIGNS[name], people, seed), "y ~ x + z", population=N).table
        for seed in range(1, 31)
    ]
    spread = np.std([fit.estimate for fit in fits], axis=0, ddof=1)
    errors = np.sqrt(np.mean([fit.stderr**2 for fit in fits], axis=0))
    assert (np.abs(np.log(spread / errors)) < 0.4).all()  # three standard errors of the logarithm of a spread
    large = dn.regress(DESIGNS[name], answered(DESIGNS[name], people, 1), "y ~ x + z").table.stderr
    assert (errors < 0.85 * large).all()


def test_numbers_and_strata(people):
    """A linear regression on its strata is their means: errors of the textbook, as of dn.mean in each."""
    design = dn.Design([dn.clear(X)])
    data = people.assign(size=np.where(people.x == "yes", 800.0, 1000.0))
    fit = dn.regress(design, data, "z ~ 0 + x", strata="x", population="size")
    for answer, stderr in zip(("no", "yes"), fit.table.stderr, strict=True):
        own = people.z[people.x == answer]
        left = 1 - len(own) / data["size"][people.x == answer].iloc[0]
        assert stderr == pytest.approx(np.sqrt(own.var() / len(own) * left), rel=5e-3)
    assert "effects and predicted shares are those of a large population" in fit.note
    noisy = dn.Design([dn.gaussian(dn.number("z", -5, 5), privacy=0.1), dn.clear(X)])
    assert "errors are those of a large" in dn.regress(noisy, answered(noisy, people, 1), "z ~ x", population=N).note


def test_clusters_get_no_correction(people):
    data = people.assign(pair=np.arange(N) // 2)
    plain, finite = (dn.regress(DESIGNS["nothing"], data, "y ~ x", clusters="pair", population=size).table.stderr
                     for size in (None, N))  # fmt: skip
    np.testing.assert_allclose(plain, finite)

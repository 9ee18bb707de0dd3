"""Numbers that are multiplied by a factor: means, spreads and shares against closed forms and simulated people."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import gamma

import deniable as dn
from deniable.channel.noise import UNIT
from deniable.errors import BadGroup, BadRequest

INCOME = dn.number("income", 0, 10_000)
B = dn.yes_no("b")


def people(n, seed=1):
    rng = np.random.default_rng(seed)
    b = rng.random(n) < 0.3
    income = np.clip(rng.gamma(4, np.where(b, 900, 700)), 0, 10_000)
    return pd.DataFrame({"income": income, "b": np.where(b, "yes", "no")})


def test_factors_have_the_moments_of_their_curve():
    """Mean 1 and variance 1/shape; mixed with the truth, variance (1 - theta)/shape: Bar-Lev et al. 2004."""
    for shape, theta in ((2.0, 0.0), (4.0, 0.0), (25.0, 0.0), (4.0, 0.3), (16.0, 0.5)):
        factors = dn.multiply(INCOME, shape=shape, theta=theta).factors
        assert factors.mean / UNIT == pytest.approx(1, abs=1e-3)
        assert (factors.sd / UNIT) ** 2 - 1 == pytest.approx((1 - theta) / shape, rel=0.01)
        spike = factors.chances[UNIT - factors.first] - factors.chances[UNIT - factors.first + 1]
        assert spike == pytest.approx(theta, abs=0.003)


@pytest.mark.parametrize("theta", [0.0, 0.4])
def test_the_mean_is_that_of_reports_with_the_error_of_eichhorn_and_hayre(theta):
    """Var(mean) = (Var(x) + E(x^2) Var(factor)) / n."""
    design, truth = dn.Design([dn.multiply(INCOME, shape=4, theta=theta), dn.warner(0.85, B)]), people(20_000)
    replies = dn.disguise(design, truth, seed=2)
    found = dn.mean(design, replies, "income")
    error = np.sqrt((truth.income.var() + (truth.income**2).mean() * (1 - theta) / 4) / len(truth))
    assert found.stderr == pytest.approx(error, rel=0.03)
    assert abs(found.value - truth.income.mean()) < 4 * error
    given = dn.mean(design, replies, "income", given="b == 'yes'")
    assert abs(given.value - truth.income[truth.b == "yes"].mean()) < 4 * given.stderr
    related = dn.correlation(design, replies, "income", "b")
    assert abs(related.value - np.corrcoef(truth.income, truth.b == "yes")[0, 1]) < 4 * related.stderr


def test_shares_and_quantiles_are_reconstructed():
    design, truth = dn.Design([dn.multiply(INCOME, shape=16)]), people(20_000)
    replies = dn.disguise(design, truth[["income"]], seed=3)
    share, median = dn.estimate(design, replies, "income > 4000"), dn.quantile(design, replies, "income", 0.5)
    assert abs(share.value - (truth.income > 4000).mean()) < 4 * share.stderr
    assert abs(median.value - truth.income.median()) < 4 * median.stderr
    assert "reconstructed" in share.note


def test_a_mean_over_versions_and_its_plan():
    arms = {"strong": dn.multiply(INCOME, shape=2), "weak": dn.multiply(INCOME, shape=25)}
    design, truth = dn.Design([dn.versions(arms)]), people(20_000)
    found = dn.mean(design, dn.disguise(design, truth[["income"]], seed=4), "income")
    assert abs(found.value - truth.income.mean()) < 4 * found.stderr
    plain = dn.Design([dn.multiply(INCOME, shape=4)])
    assert dn.plan(plain, 100, mean="income", sd=1500).n == pytest.approx(
        1.96**2 * (1500**2 + 10_000**2 / 4) / 100**2, rel=0.01
    )


def test_what_it_hides_is_told():
    privacy = dn.privacy(dn.Design([dn.multiply(INCOME, shape=4, theta=0.3)]))
    assert privacy.epsilon == np.inf
    low, high = (gamma.ppf(tail / 0.7, 4, scale=1 / 4) for tail in (0.025, 0.675))
    assert f"between {low:.2g} and {high:.2g} times your number" in privacy.questions[0].sentence
    assert "With a chance of 30 % the factor is 1." in privacy.questions[0].sentence
    assert privacy.questions[0].interval["95 %"] == 0  # nought is sent as nought


@pytest.mark.parametrize(
    ("line", "make"),
    {
        r"shape of multiply must be a number from 1 to 400, got 0.5": lambda: dn.multiply(INCOME, shape=0.5),
        r"shape of multiply must be a number": lambda: dn.multiply(INCOME, shape="wide"),
        r"theta of multiply must be below 1": lambda: dn.multiply(INCOME, shape=4, theta=1),
        r"theta of the channel on income must be a chance": lambda: dn.multiply(INCOME, shape=4, theta=1.5),
        r"cannot disguise question 'b': it has answers": lambda: dn.multiply(B, shape=4),
        r"question 'debt': it may be negative \(-5\)": lambda: dn.multiply(dn.number("debt", -5, 5), shape=4),
        r"a number in a formula must be in the clear, with noise added": lambda: dn.regress(
            dn.Design([dn.multiply(INCOME, shape=4), dn.warner(0.9, B)]), people(500), "b ~ income"
        ),
    }.items(),
)
def test_bad_input_gets_one_line(line, make):
    with pytest.raises((BadRequest, BadGroup, dn.DeniableError), match=line) as error:
        make()
    assert "\n" not in str(error.value)

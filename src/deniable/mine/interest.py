"""Interest measures of a rule, with standard errors.

All figures are functions of three supports: of the whole set, of its antecedents and of its consequents. Their standard
errors follow from the covariances of these three (delta method), with derivatives by a complex step, which is exact:

    derivative of f at x = imaginary part of f(x + ih) / h

legend: s support of antecedents and consequents together, a of the antecedents, c of the consequents
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Figure = Callable[[Any, Any, Any], Any]
STEP = 1e-100


def _conviction(s: Any, a: Any, c: Any) -> Any:
    return np.where(np.real(s / a) < 1, (1 - c) / (1 - s / a), np.inf)


def _zhang(s: Any, a: Any, c: Any) -> Any:
    most = np.maximum(s * (1 - a), a * (c - s))
    return np.where(most == 0, 0, (s - a * c) / most)


FIGURES: Mapping[str, Figure] = {
    "antecedent support": lambda s, a, c: a,
    "consequent support": lambda s, a, c: c,
    "support": lambda s, a, c: s,
    "confidence": lambda s, a, c: s / a,
    "lift": lambda s, a, c: s / a / c,
    "leverage": lambda s, a, c: s - a * c,
    "conviction": _conviction,
    "zhangs_metric": _zhang,
    "jaccard": lambda s, a, c: s / (a + c - s),
    "certainty": lambda s, a, c: np.where(c == 1, 0, (s / a - c) / (1 - c)),
    "kulczynski": lambda s, a, c: (s / a + s / c) / 2,
}


def figures(supports: Floats, covariance: Floats) -> dict[str, Floats]:
    """Every figure of many rules with its `_stderr`, from supports [s a c, rule] and their covariances."""
    found: dict[str, Floats] = {}
    with np.errstate(divide="ignore", invalid="ignore"):
        for name, figure in FIGURES.items():
            value = np.asarray(figure(*supports), dtype=np.float64)
            steps = supports[None] + 1j * STEP * np.eye(3)[:, :, None]
            slopes = np.array([np.imag(figure(*each)) / STEP * np.ones(len(value)) for each in steps])
            variance = np.einsum("im,jm,ijm->m", slopes, slopes, covariance)
            found[name] = value
            found[f"{name}_stderr"] = np.where(np.isfinite(value), np.sqrt(np.maximum(variance, 0)), np.nan)
    return found

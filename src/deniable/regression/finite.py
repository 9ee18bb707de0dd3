"""Finite populations: the variance that falls away where most people are drawn.

If everybody of a population had replied, its coefficients would still vary, by the lotteries alone. Drawing some of
them, each with the chance 1/d, adds sampling. So of the variance of the sum of scores, d^2 s s' over all replies, that
part goes which the true scores would have in a census:

    variance = sum over replies of d^2 s s'  -  sum over the population of g g',    g = mean of s over the lottery

The second sum is read off the replies without bias. By corrected scores g is the true score itself, whose square has
signed weights like any other figure. By the likelihood of reports g is the mean score of a truth over its reports.

legend: d sampling weight, s score of a reply, g of a person's truth
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from deniable.count.pieces import Pieces
from deniable.regression.likelihood import Likelihood
from deniable.regression.outcome import Floats
from deniable.regression.sandwich import summed


def population_square(scored: Pieces[Any], b: Floats, clear: bool) -> Floats | None:
    """The sum of g g' over the population; None where replies do not tell it: of numbers that are not all clear."""
    whole = scored.outline.score
    if whole.model.is_number and not clear:
        return None
    mixture = whole.mixture if isinstance(whole, Likelihood) else ()
    (found,) = scored.sum(partial(_true_square, b, mixture))
    return found


def _true_square(b: Floats, mixture: Sequence[tuple[Floats, float]], piece: Any) -> tuple[Floats]:
    score = piece.score
    if isinstance(score, Likelihood):
        return (score.true_square(b, mixture),)
    if not score.model.is_number:
        return (score.true_square(b),)
    records, rows = score.records, score.x.by_point[score.records.clear_index]
    assert records.numbers is not None
    rest = records.numbers - rows @ b
    return (np.asarray((rows * (records.counts * rest**2)[:, None]).T @ rows),)


def taken_off(square: Floats, pieces: Pieces[Any], strata: int) -> Floats:
    """That sum within strata, since people are drawn in each; a piece has scores [i, coefficient] that are weighted."""

    def by_stratum(piece: Any) -> tuple[Floats, Floats]:
        units = piece.units
        weighted = summed(units.strata, units.counts[:, None] * piece.scores, strata)
        return np.asarray(np.bincount(units.strata, piece.records.counts, strata), float), weighted

    people, sums = pieces.sum(by_stratum)
    return np.asarray(square - (sums / np.maximum(people, 1e-300)[:, None]).T @ sums)


def without(covariance: Floats, part: Floats) -> Floats:
    """A covariance less a part of it; never more in any direction than there is."""
    sizes, directions = np.linalg.eigh(covariance)
    root = directions * np.sqrt(np.maximum(sizes, 0.0))
    back = directions / np.sqrt(np.maximum(sizes, sizes[-1] * 1e-15 + 1e-300))
    shares, own = np.linalg.eigh(back.T @ part @ back)
    kept = root @ own
    return np.asarray((kept * (1 - np.clip(shares, 0.0, 1.0))) @ kept.T)

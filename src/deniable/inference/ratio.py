"""Ratio of two means of weights, linearised.

A share among some people, or the mean of a number among them, is the ratio r of the mean of weights w to the mean g of
the weights v of their condition. It varies as the mean of

    u = (w - r v) / g

does (delta method); the mean of u is zero.
"""

from dataclasses import dataclass

import numpy as np

from deniable.inference.error import met
from deniable.inference.invert.stack import Table


@dataclass(frozen=True)
class Ratio:
    """A ratio, and how it varies."""

    value: float  # r
    share: float  # g, of those who meet the condition
    residual: Table  # [*report] w - r v

    @classmethod
    def of(cls, counts: Table, of: Table, base: Table) -> "Ratio":
        """From the replies with each weight w, and with its v; refused where nobody meets the condition."""
        n = counts.sum()
        share = float(met(np.array([(counts * base).sum() / n]))[0])
        value = float((counts * of).sum() / n) / share
        return cls(value, share, of - value * base)

    @property
    def linearised(self) -> Table:
        """[*report] u."""
        return np.asarray(self.residual / self.share)

    @property
    def weights(self) -> Table:
        """[*report] whose mean is the ratio, and whose variance is the ratio's."""
        return np.asarray(self.value + self.linearised)

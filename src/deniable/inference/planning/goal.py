"""What a plan is asked for: a margin or a power and the replies it takes, or replies and what they give."""

from dataclasses import dataclass
from math import ceil, isfinite, sqrt

from deniable.errors import BadRequest
from deniable.inference.error import quantile_of
from deniable.inference.planning.power import needed, power_of, replies_for, worst_share
from deniable.inference.planning.spread import Spread
from deniable.survey.whole import is_whole

SMALLEST = 1e-6  # a margin that no survey reaches


@dataclass(frozen=True)
class Given:
    """Replies to one figure and what they give; spreads tell what other numbers of replies would."""

    n: int
    margin: float
    power: float | None
    spread: float  # n times the variance of the estimate; in a test, at the stated share
    true: float | None  # the same at the true share of a test

    @property
    def rank(self) -> tuple[float, float, float]:
        """The more is needed, or the less is given, the higher."""
        return self.n, -(self.power or 0.0), self.margin


@dataclass(frozen=True)
class Goal:
    """A margin, or a difference and the power to find it; or replies instead."""

    margin: float | None
    replies: int | None
    difference: float | None
    power: float | None
    confidence: float
    width: float = 1.0  # of all that is possible

    def __post_init__(self) -> None:
        if self.difference is None:
            self._check_margin()
        else:
            self._check_difference(self.difference)
        if self.replies is not None and not is_whole(self.replies, 1):
            raise BadRequest("replies", "a whole number, at least 1", self.replies, "give a number of respondents")
        if not 0 < self.confidence < 1:
            raise BadRequest("confidence", "between 0 and 1", self.confidence, "write 0.95 for 95 %")

    def _check_margin(self) -> None:
        if self.power is not None:
            raise BadRequest("power", "that of finding a difference", self.power, "give difference=0.05 as well")
        if (self.margin is None) == (self.replies is None):
            raise BadRequest("a plan", "asked for a margin or for a number of replies", (self.margin, self.replies),
                             "give one of them")  # fmt: skip
        if self.margin is not None and not SMALLEST * self.width <= self.margin < self.width:
            if self.width == 1.0:
                raise BadRequest("margin", f"a share between {SMALLEST} and 1", self.margin, "write 0.02 for 2 points")
            raise BadRequest("margin", f"above 0 and below the range of {self.width:g}", self.margin,
                             "give it in the number's own units")  # fmt: skip

    def _check_difference(self, difference: float) -> None:
        if self.margin is not None:
            raise BadRequest("margin", "left out where a difference is planned for", self.margin, "give power instead")
        if (self.power is None) == (self.replies is None):
            raise BadRequest("a plan for a difference", "asked for a power or for a number of replies",
                             (self.power, self.replies), "give one of them")  # fmt: skip
        if not isfinite(difference) or not SMALLEST * self.width <= abs(difference) < self.width:
            raise BadRequest("difference", f"other than 0, and within {self.width:g} of it", difference,
                             "write 0.05 for 5 points more than the share")  # fmt: skip
        if self.power is not None and not 0 < self.power < 1:
            raise BadRequest("power", "between 0 and 1", self.power, "write 0.8 for 80 %")

    @property
    def z(self) -> float:
        """How many standard errors make the margin."""
        return quantile_of(self.confidence)

    def of(self, spread: Spread) -> Given | None:
        """The replies that a figure takes, or what they give; None where its share cannot differ so much."""
        if self.difference is not None:
            return self._tested(spread, self.difference)
        largest = spread.at(spread.share)
        n = self.replies
        if n is None:
            assert self.margin is not None
            n = max(1, ceil(largest * (self.z / self.margin) ** 2 - 1e-9))
            return Given(n, self.margin, None, largest, None)
        return Given(n, self.z * sqrt(largest / n), None, largest, None)

    def _tested(self, spread: Spread, difference: float) -> Given | None:
        """A test of the share that is expected, or of the one for which it takes most."""
        low, high = spread.limits[0] - min(difference, 0.0), spread.limits[1] - max(difference, 0.0)
        if spread.share is None:
            share = worst_share(lambda each: self._loss(spread.at(each), spread.at(each + difference)), low, high)
        elif low <= spread.share <= high:
            share = spread.share
        else:
            return None
        stated, true = spread.at(share), spread.at(share + difference)
        n = self.replies
        if n is None:
            assert self.power is not None
            n = replies_for(self.power, difference, stated, true, self.z)
        power = power_of(n, difference, stated, true, self.z)
        return Given(n, self.z * sqrt(stated / n), power, stated, true)

    def _loss(self, stated: float, true: float) -> float:
        """The larger, the more replies it takes, or the less power these have."""
        if self.replies is None:
            assert self.power is not None
            return needed(self.power, stated, true, self.z)
        assert self.difference is not None
        return -power_of(self.replies, self.difference, stated, true, self.z)

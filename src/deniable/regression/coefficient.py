"""Coefficients of a regression, and tests of them."""

from dataclasses import dataclass

from scipy.special import chdtrc, ndtr

from deniable.inference.error import Z
from deniable.inference.independence import chi_square_text


@dataclass(frozen=True)
class Coefficient:
    """One coefficient of a regression."""

    answer: str  # that is compared with the first one, of several; else empty
    term: str
    estimate: float
    stderr: float
    note: str

    @property
    def z(self) -> float:
        """How many standard errors it is from zero; 0 where its error came out as none, which is not to be trusted."""
        return self.estimate / self.stderr if self.stderr > 0 else 0.0

    @property
    def p(self) -> float:
        """The chance of one so far from zero if there were no effect."""
        return float(2 * ndtr(-abs(self.z)))

    @property
    def low(self) -> float:
        """The lower end of its 95 % interval."""
        return self.estimate - Z * self.stderr

    @property
    def high(self) -> float:
        """The upper end."""
        return self.estimate + Z * self.stderr

    @property
    def label(self) -> str:
        """Its name among all coefficients."""
        return f"{self.answer}: {self.term}" if self.answer else self.term


@dataclass(frozen=True)
class ChiSquareTest:
    """A test that some coefficients are zero."""

    kind: str
    terms: tuple[str, ...]
    statistic: float
    degrees: int

    @property
    def p_value(self) -> float:
        """The chance of so large a statistic if they were."""
        return float(chdtrc(self.degrees, self.statistic)) if self.degrees else 1.0

    def __repr__(self) -> str:
        return f"<{self}>"

    def __str__(self) -> str:
        return f"{self.kind} test: {chi_square_text(self.statistic, self.degrees, self.p_value)}"

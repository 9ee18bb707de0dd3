"""Plan of a regression: the replies that its coefficients take, simulated on a pilot.

Errors of coefficients have no formula before anybody is asked: they depend on how predictors go together, and on what
the lotteries leave of that. So surveys are drawn among a pilot's people, disguised by the design, and regressed. The
errors they report shrink with the root of n, so that the replies for a margin or a power follow; surveys of so many are
then drawn again, and the figures are theirs.

    margin = z * error          power = P(|b / error + noise| > z)         n ~ error^2

legend: b coefficient, as large as in the pilot or as the difference to be found; z quantile of the confidence
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil, inf, isfinite
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from deniable.channel.design import Design, check_design
from deniable.channel.schemes import clear
from deniable.count.beside import with_columns
from deniable.count.counts import Distinct
from deniable.count.replies import backend_of
from deniable.errors import BadRequest, NotIdentified, TooFewForTerms
from deniable.frame.columns import reported_columns, true_columns
from deniable.frame.frames import arrow, eager
from deniable.frame.in_memory import names_of
from deniable.inference.error import CONFIDENCE, quantile_of
from deniable.judge.pilot import MIN_PEOPLE, held
from deniable.judge.simulate import simulated_replies
from deniable.notebook import notebook_html
from deniable.regression.formula import parse
from deniable.regression.regress import regress
from deniable.regression.regression import Regression
from deniable.survey.whole import is_whole

SURVEYS = 30  # of each size
FIRST = 4_000  # replies of the first surveys, whose errors say how many are needed
MAX_REPLIES = 40_000  # of a simulated survey; beyond it errors shrink with the root of n
MOST = 10**9  # replies beyond which a plan says that nobody could ask so many

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PlannedCoefficient:
    """What so many replies tell of one coefficient."""

    term: str
    answer: str  # of the outcome; empty where there is only one to tell of
    coefficient: float  # that is to be found
    stderr: float
    margin: float
    power: float
    n: int | None  # replies that the wanted margin or power takes; None if none was wanted, or it takes too many
    note: str = ""

    @property
    def label(self) -> str:
        """Its name among all coefficients."""
        return f"{self.answer}: {self.term}" if self.answer else self.term


@dataclass(frozen=True)
class CoefficientPlan:
    """What so many replies tell of a regression's coefficients, and how many a margin or a power takes."""

    formula: str
    replies: int  # that the figures are for
    coefficients: tuple[PlannedCoefficient, ...]
    pilot: int  # people
    wanted: str  # in words; empty if replies were given
    note: str
    neediest: str  # which coefficient takes most replies
    backend: Any = "pyarrow"

    @property
    def n(self) -> int:
        """The replies that all coefficients need, or that were given."""
        return self.replies

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Term, answer, coefficient, stderr, margin, power, n and note, one by one."""
        return [dict(vars(each)) for each in self.coefficients]

    @property
    def table(self) -> Any:
        """The rows as a frame."""
        rows = self.rows
        return nw.from_dict({key: [row[key] for row in rows] for key in rows[0]}, backend=self.backend).to_native()

    def to_json(self) -> dict[str, Any]:
        """As JSON."""
        return {"formula": self.formula, "n": self.n, "coefficients": self.rows, "note": self.note}

    def __repr__(self) -> str:
        return f"<CoefficientPlan of {self.formula}: {self.n:,} replies>"

    def __str__(self) -> str:
        first = f"{self.n:,} replies {self.wanted or 'are planned'}"
        return "\n".join(
            [
                f"{first} ({self.neediest} needs most)" if self.wanted else first,
                *(f"{each.label}: within ± {each.margin:.3f}, found with a power of {each.power:.2f}"
                  for each in self.coefficients),
                self.note,
            ]
        )  # fmt: skip

    def _repr_html_(self) -> str:
        return notebook_html("coefficients", self)


@dataclass(frozen=True)
class CoefficientGoal:
    """What a plan is to reach."""

    margin: float | None
    power: float | None
    difference: float | None
    confidence: float

    @property
    def z(self) -> float:
        """The quantile of the confidence, two-sided."""
        return quantile_of(self.confidence)

    @property
    def words(self) -> str:
        """In words."""
        found = [f"give every coefficient within ± {self.margin:g}"] if self.margin is not None else []
        if self.power is not None:
            what = "every coefficient" if self.difference is None else f"a coefficient of {self.difference:g}"
            found.append(f"find {what} with a power of {self.power:g}")
        return " and ".join(found)

    def reached(self, b: Floats, stderr: Floats) -> Floats:
        """The power to find coefficients."""
        return np.asarray(ndtr(np.abs(b) / stderr - self.z) + ndtr(-np.abs(b) / stderr - self.z))

    def needed(self, b: Floats, stderr: Floats, replies: int) -> Floats:
        """The replies that each coefficient takes, given its error with so many."""
        found = np.zeros(len(b))
        if self.margin is not None:
            found = np.maximum(found, replies * (self.z * stderr / self.margin) ** 2)
        if self.power is not None:
            reach = self.z + float(ndtri(self.power))
            found = np.maximum(found, replies * (reach * stderr / np.maximum(np.abs(b), 1e-12)) ** 2)
        return found


def plan_coefficients(
    design: Design,
    pilot: Any,
    formula: str,
    *,
    replies: int | None = None,
    margin: float | None = None,
    power: float | None = None,
    difference: float | None = None,
    confidence: float = CONFIDENCE,
) -> CoefficientPlan:
    """What so many replies tell of a regression's coefficients, or how many a margin or a power takes."""
    check_design(design)
    goal = _checked(CoefficientGoal(margin, power, difference, confidence), replies)
    surveys = Surveys.of(design, pilot, formula)
    true = surveys.true
    names = [(each.term, each.answer) for each in true.coefficients]
    b = np.array([each.estimate for each in true.coefficients])
    found = b if difference is None else np.full(len(b), float(difference))
    slopes = np.array([true.is_slope(each.term) for each in true.coefficients])
    own = surveys.errors(min(replies or FIRST, MAX_REPLIES))
    n = replies or _most(goal, found, own.at(FIRST), FIRST, slopes)
    if replies is None and n < MOST:
        own = surveys.errors(min(n, MAX_REPLIES))
        n = _most(goal, found, own.at(n), n, slopes)
    stderr = own.at(n)
    needed = goal.needed(found, stderr, n) if goal.words else np.full(len(b), np.nan)
    rows = zip(names, found, stderr, goal.reached(found, stderr), needed, strict=True)
    made = tuple(
        PlannedCoefficient(term, answer, float(own_b), float(error), goal.z * float(error), float(power_),
                           ceil(need) if isfinite(need) and need < MOST else None, own.note)
        for (term, answer), own_b, error, power_, need in rows
    )  # fmt: skip
    note = f"simulated: {SURVEYS} surveys among a pilot of {surveys.people:,} people, whose coefficients count as true"
    some = [each for each, slope in zip(made, slopes, strict=True) if slope] or made
    neediest = max(some, key=lambda each: inf if each.n is None else each.n).label
    return CoefficientPlan(formula, n, made, surveys.people, goal.words, note, neediest, backend_of(pilot))


def _most(goal: CoefficientGoal, b: Floats, stderr: Floats, replies: int, slopes: NDArray[np.bool_]) -> int:
    """The replies that the neediest coefficient takes; an intercept has a margin, but nobody tests it."""
    needed = goal.needed(b, stderr, replies)
    some = needed[slopes] if slopes.any() else needed
    if not isfinite(some.max()) or some.max() >= MOST:
        raise BadRequest("what is wanted of the coefficients", f"reached with fewer than {MOST:,} replies", "more",
                         "want less, or protect less")  # fmt: skip
    return max(MIN_PEOPLE, ceil(float(some.max())))


def _checked(goal: CoefficientGoal, replies: int | None) -> CoefficientGoal:
    for name, value, limit in (("margin", goal.margin, np.inf), ("power", goal.power, 1.0),
                               ("confidence", goal.confidence, 1.0)):  # fmt: skip
        if value is not None and (isinstance(value, bool) or not 0 < float(value) < limit):
            raise BadRequest(name, "above 0" if limit > 1 else "between 0 and 1", value, "correct it")
    if goal.power is not None and goal.power <= 1 - goal.confidence:
        raise BadRequest("power", f"above {1 - goal.confidence:g}, which chance alone gives", goal.power, "raise it")
    if goal.difference is not None and not abs(goal.difference) > 0:
        raise BadRequest("difference", "another coefficient than 0", goal.difference, "give what is to be found")
    if replies is not None and not is_whole(replies, MIN_PEOPLE):
        raise BadRequest("replies", f"{MIN_PEOPLE} or more", replies, "give a number of respondents")
    if replies is None and not goal.words:
        raise BadRequest("a plan of coefficients", "a margin, a power or a number of replies", "none of them",
                         "give one")  # fmt: skip
    return goal


@dataclass(frozen=True)
class Errors:
    """Standard errors of coefficients in surveys of some size."""

    stderr: Floats
    replies: int
    note: str

    def at(self, n: int) -> Floats:
        """The errors with another number of replies."""
        return np.asarray(self.stderr * np.sqrt(self.replies / n))


@dataclass(frozen=True)
class Surveys:
    """Simulated surveys among a pilot's people, and the regression of them."""

    design: Design  # whose replies have the formula's other columns
    formula: str
    cells: Mapping[str, NDArray[Any]]  # [person] true answers and numbers
    others: Mapping[str, NDArray[Any]]  # [person] columns beside the questions
    true: Regression  # of the pilot

    @classmethod
    def of(cls, design: Design, pilot: Any, formula: str) -> "Surveys":
        """The surveys that a formula needs."""
        in_pilot = names_of(pilot, "pilot")
        known = list(dict.fromkeys([*design.columns, *in_pilot]))
        parsed = parse(formula, known)
        names = [*parsed.predictors, *([parsed.outcome.strip("`")] if parsed.outcome.strip("`") in known else [])]
        others = [name for name in names if name not in design.columns]
        pilot = held(pilot, [name for name in design.names if name in in_pilot], others)
        frame = eager(pilot, "pilot")
        if len(frame) < MIN_PEOPLE:
            raise BadRequest("pilot", f"{MIN_PEOPLE} people or more", len(frame), "ask more people")
        made = with_columns(design, pilot, others)
        there = [question for question in design.questions if question.name in frame.columns]
        columns = true_columns(there, lambda name: arrow(frame[name]), frame.columns)
        beside = reported_columns(made.others, lambda name: arrow(frame[name]), frame.columns)
        openly = Design([clear(question.plain) for question in there], check_text=False).beside(made.others)
        true = regress(openly, Distinct({**columns, **beside}, np.ones(len(frame))), formula)
        return cls(made, formula, columns, beside, true)

    @property
    def people(self) -> int:
        """How many people the pilot has."""
        return len(next(iter(self.cells.values())))

    def errors(self, replies: int) -> Errors:
        """The root of the median squared error over surveys, coefficient by coefficient."""
        found, failed = [], 0
        for each in self._fits(replies):
            if each is None or not each.converged:
                failed += 1
            else:
                found.append([one.stderr**2 for one in each.coefficients])
        if len(found) < SURVEYS / 2:
            raise NotIdentified(f"the coefficients with {replies:,} replies", f"{failed} of {SURVEYS} simulated "
                                "surveys have none", "ask more people, or use fewer terms")  # fmt: skip
        note = f"{failed} of {SURVEYS} simulated surveys have no such coefficients" if failed else ""
        return Errors(np.sqrt(np.median(found, axis=0)), replies, note)

    def _fits(self, replies: int) -> Iterator[Regression | None]:
        """A regression of each simulated survey; none where so few replies leave it open."""
        for seed in range(SURVEYS):
            rng = np.random.default_rng([seed, replies])
            rows = rng.integers(0, self.people, replies)
            lacking = {name: np.zeros(replies, dtype=np.int64) for name in self.design.names if name not in self.cells}
            asked = {name: column[rows] for name, column in self.cells.items()} | lacking
            drawn = simulated_replies(self.design, asked, rng)
            others = {name: column[rows] for name, column in self.others.items()}
            made = Distinct({**drawn.columns, **others}, drawn.counts)
            try:
                yield regress(self.design, made, self.formula)
            except TooFewForTerms:
                yield None

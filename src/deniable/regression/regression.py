"""A fitted regression: coefficients with errors, tests, predictions and effects."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import narwhals as nw
import numpy as np

from deniable.errors import BadRequest, UnknownQuestion
from deniable.inference.estimates import Estimate
from deniable.inference.numbers import EVENLY
from deniable.notebook import notebook_html
from deniable.regression.coefficient import ChiSquareTest, Coefficient
from deniable.regression.effects import Change, Changes, averages, estimates, levels_of, slopes, unchanged, with_value
from deniable.regression.fit import Fit
from deniable.regression.formula import ParsedFormula
from deniable.regression.outcome import INTERCEPT, Floats
from deniable.regression.predict import predicted
from deniable.regression.problem import Problem
from deniable.regression.solve import TOO_FAR
from deniable.regression.variables import Variable

RUNS_OFF = "no finite estimate (separation): these replies fit best where it decides the outcome"
EDGE = "some coefficients have no finite estimate: on the edge of what is possible, where errors are too small"
FINITE = "errors are those of a large population"
FINITE_EFFECTS = "errors of effects and predicted shares are those of a large population"
NOT_FOUND = "not to be used: the search for coefficients did not settle"
ROUGH = "rough: too few replies for its interval to be trusted"
WIDE = 1.0  # standard error of the average person's log odds, above which coefficients are rough
UNSTABLE = "not to be used: too few replies for so much disguise"


@dataclass(frozen=True, repr=False)
class Regression:
    """A regression of true answers, fitted to disguised replies."""

    formula: ParsedFormula
    fit: Fit
    problem: Problem
    backend: Any

    def __repr__(self) -> str:
        return f"<Regression {self.formula.text!r}, {self.fit.model.link} by {self.method}, n = {self.n:,}>"

    def _repr_html_(self) -> str:
        return notebook_html("regression", self)

    def __str__(self) -> str:
        return self.summary()

    @property
    def n(self) -> int:
        """How many replies it rests on."""
        return self.fit.records.n

    @property
    def method(self) -> str:
        """How it was fitted: "likelihood", "corrected scores" or "least squares"."""
        return self.fit.method

    @property
    def converged(self) -> bool:
        """Whether the coefficients were found."""
        return self.fit.root.converged

    @property
    def note(self) -> str:
        """What a reader must know of all of it."""
        used = self.fit.records.used
        middles = any(each.question.range is not None and each.question.range.by_interval
                      for each in (self.problem.outcome.variable, *self.problem.predictors))  # fmt: skip
        drawn = self.problem.drawn
        large = FINITE if self.fit.population is None else FINITE_EFFECTS
        finite = large if drawn is not None and drawn.finite else ""
        notes = [used.gaps.note, used.note, EVENLY if middles else "", finite, self._trouble, *self._noise_note]
        return "; ".join(filter(None, notes))

    @property
    def _noise_note(self) -> Iterator[str]:
        """How good the correction of numbers under noise is, where it is not exact."""
        for name in [] if self.fit.model.is_number else self.fit.records.nodes:
            yield f"{name} is under noise: corrected up to the fifth order"

    @property
    def _trouble(self) -> str:
        if self.fit.root.runs_off:
            return ""  # said at the coefficients
        return NOT_FOUND if not self.converged else "" if self.fit.stable else UNSTABLE

    @property
    def _edge(self) -> str:
        """What to know of everything that is predicted."""
        return EDGE if self.fit.root.runs_off else self._trouble

    @cached_property
    def coefficients(self) -> tuple[Coefficient, ...]:
        """All coefficients, with their errors."""
        names = self.fit.model.coefficients(self.fit.terms.names)
        several = len({answer for answer, _ in names}) > 1
        errors = np.sqrt(np.maximum(self.fit.covariance.diagonal(), 0.0))
        rows = zip(names, self.fit.b, errors, self._notes(), strict=True)
        return tuple(
            Coefficient(answer if several else "", term, float(b), float(error), note)
            for (answer, term), b, error, note in rows
        )

    def _notes(self) -> list[str]:
        """What to know of each coefficient."""
        far = self.fit.root.runs_off & (np.abs(self.fit.root.b) > TOO_FAR / 2)
        rough = not self.fit.model.is_number and self.fit.index_error > WIDE
        return [RUNS_OFF if off else self._trouble or ROUGH * rough for off in far]

    @property
    def covariance(self) -> Floats:
        """The covariance of the coefficients, in their order."""
        return self.fit.covariance

    @property
    def table(self) -> Any:
        """All coefficients as a frame: term, estimate, stderr, z, p, low, high, note; of several answers also which."""
        keys = ("term", "estimate", "stderr", "z", "p", "low", "high", "note")
        return self._frame([{key: getattr(each, key) for key in self._answer + keys} for each in self.coefficients])

    @property
    def _answer(self) -> tuple[str, ...]:
        return ("answer",) if any(each.answer for each in self.coefficients) else ()

    def is_slope(self, term: str) -> bool:
        """Whether a coefficient is of a predictor: no intercept, and no threshold of an ordered outcome."""
        return term != INTERCEPT and term in self.fit.terms.names

    @property
    def odds_ratios(self) -> Any:
        """How many times as high the odds are, one more of a term: a frame like the table."""
        if self.fit.model.is_number:
            raise BadRequest("odds ratios", "of answers", self.fit.model.name, "use .table: a number has no odds")
        rows = []
        for each in self.coefficients:
            if self.is_slope(each.term):
                value, low, high = np.exp(np.clip([each.estimate, each.low, each.high], -700, 700)).tolist()
                row = {"term": each.term, "odds_ratio": value, "stderr": value * each.stderr, "low": low, "high": high}
                rows.append({**{key: getattr(each, key) for key in self._answer}, **row, "note": each.note})
        return self._frame(rows)

    @property
    def log_likelihood(self) -> float | None:
        """The log-likelihood of the replies; none by corrected scores and of samples, which have no likelihood."""
        return None if self.is_sampled else self.fit.log_likelihood

    @cached_property
    def null(self) -> Fit:
        """The same outcome without any predictor, on the same replies."""
        return self.problem.fitted(self.formula.null())

    @property
    def likelihood_ratio(self) -> ChiSquareTest:
        """The likelihood-ratio test that no predictor matters."""
        self._check_likelihood()
        null = self.null
        assert self.log_likelihood is not None
        assert null.log_likelihood is not None
        terms = tuple(name for name in self.fit.terms.names if name != INTERCEPT)
        statistic = max(0.0, 2 * (self.log_likelihood - null.log_likelihood))
        return ChiSquareTest("likelihood-ratio", terms, statistic, len(self.fit.b) - len(null.b))

    def _check_likelihood(self) -> None:
        if self.log_likelihood is None:
            found = "one with weights, strata or clusters" if self.is_sampled else f"one by {self.method}"
            raise BadRequest("a likelihood-ratio test", "of a regression by likelihood", found,
                             "use .wald() or .compare(other)")  # fmt: skip

    @property
    def is_sampled(self) -> bool:
        """Whether respondents have weights, strata or clusters."""
        return self.problem.drawn is not None

    def wald(self, terms: Sequence[str] | None = None) -> ChiSquareTest:
        """Wald's test that the coefficients of these terms, of all but the intercept unless given, are zero."""
        wanted = [each.term for each in self.coefficients if self.is_slope(each.term)] if terms is None else terms
        rows = [index for index, each in enumerate(self.coefficients) if each.term in wanted]
        for term in wanted:
            if term not in {each.term for each in self.coefficients}:
                raise BadRequest(
                    "terms", "terms of the regression", term, f"choose from {', '.join(self.fit.terms.names)}"
                )
        b, covariance = self.fit.b[rows], self.fit.covariance[np.ix_(rows, rows)]
        statistic = float(b @ np.linalg.pinv(covariance, hermitian=True) @ b)
        return ChiSquareTest("Wald", tuple(dict.fromkeys(wanted)), statistic, len(rows))

    def compare(self, other: "Regression") -> ChiSquareTest:
        """Test whether the larger of two nested regressions of the same replies is better: by likelihood or Wald."""
        large, small = sorted((self, other), key=lambda each: -len(each.fit.b))
        names = set(large.fit.terms.names)
        if (
            large.formula.outcome != small.formula.outcome
            or not set(small.fit.terms.names) <= names
            or large.n != small.n
        ):
            raise BadRequest("the other regression", "nested in this one, of the same outcome and replies",
                             other.formula.text, "compare one that has all terms of the other")  # fmt: skip
        extra = [name for name in large.fit.terms.names if name not in small.fit.terms.names]
        if large.log_likelihood is None or small.log_likelihood is None:
            return large.wald(extra)
        statistic = max(0.0, 2 * (large.log_likelihood - small.log_likelihood))
        return ChiSquareTest("likelihood-ratio", tuple(extra), statistic, len(large.fit.b) - len(small.fit.b))

    @cached_property
    def effects(self) -> list[tuple[str, str, str, Estimate]]:
        """Average marginal effects: predictor, change, answer of the outcome, effect."""
        cases = self._changes()
        low, high = self.fit.model.limits
        limits = [(-np.inf, np.inf) if variable.is_number else (low - high, high - low) for variable, _, _ in cases]
        found = averages(self.fit, [changes for *_, changes in cases])
        return [
            (variable.name, change, answer, figure)
            for (variable, change, _), figures in zip(
                cases, estimates(self.fit, found, limits, self._edge), strict=True
            )
            for answer, figure in zip(self._predicted_answers, figures, strict=True)
            if answer is not None
        ]

    def _changes(self) -> list[tuple[Variable, str, Changes]]:
        """How predictors are changed for their effects, in words and as it is done."""
        predictors, found = self.problem.predictors, []
        by_number = iter(slopes(self.fit, [each for each in predictors if each.is_number]))
        for each in predictors:
            if each.is_number:
                found.append((each, "one more", next(by_number)))
                continue
            (first, base), *others = [(word, with_value(each.name, cell))
                                      for word, cell in levels_of(self.fit, each, None)]  # fmt: skip
            found += [(each, f"{word} against {first}", ((1.0, one), (-1.0, base))) for word, one in others]
        return found

    @property
    def _predicted_answers(self) -> list[str | None]:
        """The answer of each predicted figure; none of the first of two, which the second tells."""
        answers = self.fit.model.answers
        return [""] if not answers else [None, answers[1]] if len(answers) == 2 else list(answers)

    @property
    def marginal_effects(self) -> Any:
        """By how much predicted shares (or the number) change with each predictor, on average over all people."""
        rows = [
            {"predictor": name, "change": change, "answer": answer, "effect": each.value, **_figures(each)}
            for name, change, answer, each in self.effects
        ]
        return self._frame(rows)

    def shares(self, by: str | None = None, at: Sequence[float] | None = None) -> list[tuple[str, str, Estimate]]:
        """Predicted shares: value of the predictor, answer of the outcome, share."""
        if by is not None and by not in self.formula.predictors:
            raise UnknownQuestion(by, self.formula.predictors)
        cases: list[tuple[str, Change]] = [("", unchanged)]
        if by is not None:
            variable = next(each for each in self.problem.predictors if each.name == by)
            cases = [(word, with_value(by, value)) for word, value in levels_of(self.fit, variable, at)]
        found = averages(self.fit, [((1.0, changed),) for _, changed in cases])
        figures = estimates(self.fit, found, [self.fit.model.limits] * len(cases), self._edge)
        answers = self.fit.model.answers or ("",)
        return [
            (word, answer, each)
            for (word, _), own in zip(cases, figures, strict=True)
            for answer, each in zip(answers, own, strict=True)
        ]

    def predicted_shares(self, by: str | None = None, at: Sequence[float] | None = None) -> Any:
        """The share of each answer (or the mean) that the model predicts, on average over all people.

        With `by`, if all people had each of its answers, or each of the numbers `at`, and were otherwise as they are.
        """
        figure = self.fit.model.figure
        return self._frame(
            [
                {**({} if by is None else {by: word}), "answer": answer, figure: each.value, **_figures(each)}
                for word, answer, each in self.shares(by, at)
            ]
        )

    def predict(self, people: Any) -> Any:
        """What the model says of true data: the chance of the second of two answers, [row]; of each of several, [row,
        answer]; or the mean of a number, [row]. Of a Spark frame, a column for `people.withColumn("chance", ...)`."""
        return predicted(self.fit, people)

    def summary(self) -> str:
        """Everything on one screen, as readers of regressions expect it."""
        from deniable.regression.summary import summary

        return summary(self)

    def _frame(self, rows: Sequence[dict[str, Any]]) -> Any:
        columns = {key: [row[key] for row in rows] for key in rows[0]} if rows else {}
        return nw.from_dict(columns, backend=self.backend).to_native()


def _figures(found: Estimate) -> dict[str, Any]:
    return {key: getattr(found, key) for key in ("stderr", "low", "high", "note")}

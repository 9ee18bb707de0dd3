"""Terms of a formula: the columns of predictors that coefficients belong to.

The package formulaic codes answers against the first of them (treatment coding), and multiplies columns for
interactions. Here it is given the true answers that replies may stand for.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from deniable.count.counts import Distinct
from deniable.errors import BadFormula
from deniable.frame.columns import Column
from deniable.regression.formula import Factor, ParsedFormula
from deniable.regression.outcome import INTERCEPT, Floats, Values
from deniable.regression.predicted import Predicted
from deniable.regression.variables import Variable

TINY = 1e-9  # of a column that the columns before it do not explain


@dataclass(frozen=True)
class Terms:
    """The terms of a formula, coded as on the replies."""

    formula: ParsedFormula
    variables: tuple[Variable, ...]
    levels: Mapping[str, Sequence[int]]  # the cells that occur, of each variable with answers
    spec: Any  # of formulaic
    names: tuple[str, ...]
    kept: tuple[int, ...]  # columns of formulaic's matrix

    @classmethod
    def of(
        cls,
        formula: ParsedFormula,
        variables: Sequence[Variable],
        predicted: Predicted,
        counted: Callable[[Sequence[str]], Distinct],
        intercept: bool,
    ) -> "Terms":
        """Code a formula on true predictors; `counted` gives how many people have each combination of clear ones."""
        levels = {each.name: _levels(each, predicted.column(each.name)) for each in variables if not each.is_number}
        for name, cells in levels.items():
            if len(cells) < 2:
                raise BadFormula(formula.text, f"has {name!r}, which is the same for all replies", "leave it out")
        rows = predicted.rows(predicted.sample(formula.categorical))
        state: dict[str, Any] = {}
        for factor in formula.factors:
            if factor.stateful:
                own = [each for each in variables if each.name in factor.names]
                state |= _state(formula, factor, own, levels, counted(factor.names))
        from formulaic import Formula

        coded = partial(Formula(formula.right).get_model_matrix, transform_state=state)
        found = _evaluated(formula, coded, _frame(variables, levels, rows))
        names = list(found.model_spec.column_names)
        kept = [index for index, name in enumerate(names) if intercept or name != INTERCEPT]
        shown = tuple(names[index] for index in kept)
        return cls(formula, tuple(variables), levels, found.model_spec, shown, tuple(kept))

    def matrix(self, columns: Mapping[str, Column], rows: int) -> Values:
        """The columns of all terms: [row, term]."""
        if not self.variables:
            return np.ones((rows, len(self.kept)))
        frame = _frame(self.variables, self.levels, columns)
        found = np.asarray(_evaluated(self.formula, self.spec.get_model_matrix, frame))
        if found.dtype.kind not in "fc":
            found = found.astype(float)
        return np.ascontiguousarray(found if len(self.kept) == found.shape[1] else found[:, list(self.kept)])

    def check_apart(self, square: Floats) -> None:
        """Refuse terms that others explain completely, given the square of their matrix."""
        size = np.sqrt(square.diagonal())
        if (size == 0).any():
            self._refuse(int(np.argmin(size)), "is zero for all replies")
        square = square / np.outer(size, size)
        for index in range(len(square)):  # Gaussian elimination, column by column
            if square[index, index] < TINY:
                self._refuse(index, "follows from the other terms")
            square = square - np.outer(square[:, index], square[index]) / square[index, index]

    def _refuse(self, index: int, why: str) -> None:
        name = self.names[index]
        raise BadFormula(self.formula.text, f"has the term {name!r}, which {why}", "leave it out")


def _state(
    formula: ParsedFormula,
    factor: Factor,
    variables: Sequence[Variable],
    levels: Mapping[str, Sequence[int]],
    people: Distinct,
) -> dict[str, Any]:
    """What a factor that depends on all rows, as scale(age) does, has to know of them."""
    from formulaic import Formula

    rows = np.repeat(np.arange(len(people.counts)), people.counts.astype(np.int64))
    frame = _frame(variables, levels, {name: column[rows] for name, column in people.columns.items()})
    found = _evaluated(formula, Formula(f"0 + {factor.text}").get_model_matrix, frame)
    return dict(found.model_spec.transform_state)


def _levels(variable: Variable, column: Column) -> list[int]:
    """The cells of a variable that may occur: all of a disguised one."""
    if variable.source == "cells":
        return list(range(len(variable.question)))
    return [int(cell) for cell in np.unique(column)]


def _frame(variables: Sequence[Variable], levels: Mapping[str, Sequence[int]], columns: Mapping[str, Column]) -> Any:
    """True answers as formulaic reads them: numbers, and categories in the order of the answers."""
    import pandas as pd

    made: dict[str, Any] = {}
    for each in variables:
        column = columns[each.name]
        if each.is_number:
            made[each.name] = each.numbers(column)
            continue
        cells = levels[each.name]
        codes = np.full(len(each.question), -1)
        codes[list(cells)] = np.arange(len(cells))
        words = [each.question.answers[cell] for cell in cells]
        made[each.name] = pd.Categorical.from_codes(codes[column], categories=pd.Index(words))
    return pd.DataFrame(made, copy=False)


def _evaluated(formula: ParsedFormula, evaluate: Any, frame: Any) -> Any:
    """formulaic's matrix of a frame; its refusals in one line."""
    from formulaic.errors import FormulaicError

    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = evaluate(frame, context={}, output="numpy", na_action="ignore")
    except (FormulaicError, TypeError, ValueError, ZeroDivisionError) as error:
        problem = " ".join(str(error).split())
        raise BadFormula(formula.text, f"cannot be computed ({problem})", "correct it") from error
    if not np.isfinite(np.asarray(found, dtype=complex)).all():
        raise BadFormula(
            formula.text, "gives terms that are no finite numbers", "take no logarithm of zero, for example"
        )
    return found

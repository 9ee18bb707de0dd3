"""Problem of a regression: outcome, predictors, records and sample, to which any terms can be fitted."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from deniable.channel.design import Design
from deniable.count.beside import column_names, with_columns
from deniable.count.chunked import pieces_of
from deniable.count.counts import Counts, Distinct
from deniable.count.cut import Cut, CutsNumbers
from deniable.count.pieces import Pieces
from deniable.count.replies import counts_of
from deniable.count.room import check_rows
from deniable.errors import BadFormula, MissingColumns
from deniable.frame.columns import Missing
from deniable.frame.files import Progress
from deniable.inference.sampling.drawn import Drawn
from deniable.inference.sampling.sample import Sample, SampleArguments, summed_weights
from deniable.regression.fit import Errors, Fit, fit
from deniable.regression.formula import ParsedFormula, parse
from deniable.regression.piece import Piece, PieceMaker
from deniable.regression.records import Records, clear_cells, records_of
from deniable.regression.replies import UsedReplies, columns_of, used_replies
from deniable.regression.sandwich import Units
from deniable.regression.terms import Terms
from deniable.regression.variables import Explained, Variable, explained, variable_of

MAX_POWER = 2  # of a number under noise, in one term (noise.py)


@dataclass(frozen=True)
class Problem:
    """Everything a regression needs but its terms, so that others can be fitted to the same replies."""

    outcome: Explained
    predictors: tuple[Variable, ...]
    pieces: Pieces[Piece]
    errors: Errors
    drawn: Drawn | None  # none of a simple sample

    @property
    def records(self) -> Records:
        """All replies, in outline."""
        return self.pieces.outline.records

    def fitted(self, formula: ParsedFormula) -> Fit:
        """The regression of this formula on the same replies."""

        def counted(names: Sequence[str]) -> Distinct:
            check_rows(names, self.records.n)
            return self.pieces.counted(partial(_values, tuple(names)))

        predicted, intercept = self.records.predicted, self.outcome.model.has_intercept
        terms = Terms.of(formula, self.predictors, predicted, counted, intercept)
        return fit(self.outcome, terms, self.pieces, self.errors)


def _values(names: tuple[str, ...], piece: Piece) -> Distinct:
    """The numbers of those who answer all that the regression needs."""
    return Distinct({name: piece.records.used.replies.columns[name] for name in names}, piece.records.used.counts)


def problem_of(
    design: Design,
    replies: Any,
    formula: str,
    how: SampleArguments,
    errors: Errors,
    missing: Missing,
    progress: Progress | None = None,
) -> tuple[ParsedFormula, Problem]:
    """The problem that a formula poses, and the formula as it was read."""
    known = list(dict.fromkeys([*design.columns, *column_names(design, replies)]))
    parsed = parse(formula, known)
    own = parsed.outcome.strip("`")
    design, sample = Sample.of(design, replies, **how)
    design = with_columns(design, replies, [*parsed.predictors, *([own] if own in known else [])])
    outcome, predictors = _variables(design, parsed)
    variables = [outcome.variable, *predictors]
    sample_columns = [] if sample is None else sample.names
    counts = counts_of(design, replies, missing, progress, weights=summed_weights(design, sample))
    pieces = _pieces(design, counts, parsed, variables, sample)
    used = used_replies(design, pieces.outline, variables)
    used, drawn, scale = _drawn(design, counts, variables, used, sample)
    outcome = _of_several(used, outcome, parsed)
    weights = np.ones(len(used.counts)) if drawn is None else drawn.weights
    records = records_of(design, used, outcome, predictors, weights)
    units = Units.of(used.counts, used.strata(), drawn)
    counted = sample is not None and _counts_weights(counts, sample)
    by_weight = None if counted else summed_weights(design, sample)
    groups = tuple(name for name in sample_columns if name != by_weight)
    maker = PieceMaker(design, used, units, outcome, tuple(predictors), by_weight, groups, weights, scale)
    return parsed, Problem(outcome, tuple(predictors), pieces.then(maker, Piece(records, units)), errors, drawn)


def _pieces(
    design: Design,
    counts: Counts,
    parsed: ParsedFormula,
    variables: Sequence[Variable],
    sample: Sample | None,
) -> Pieces[Distinct]:
    """The replies in pieces; what tells how people were drawn is counted, and so are numbers taken for answers."""
    names = columns_of(design, variables, [] if sample is None else sample.names)
    if lacking := [name for name in names if name not in counts.names]:
        raise MissingColumns(lacking, counts.names, what="")
    numbers = [each.name for each in variables if design.reported(each.name).is_number]
    weights = None if sample is None else sample.weights
    finite = sample is not None and _counts_weights(counts, sample)
    grouped = (
        parsed.categorical
        | ({weights} & set(numbers))
        | (set() if sample is None else {sample.strata, sample.clusters, sample.population})
        | ({weights} if finite else set())  # whose sum is held against the population
    )
    weighed = weights is not None and weights not in grouped and design.reported(weights).is_number
    return pieces_of(counts, names, [each for each in numbers if each not in grouped], weights if weighed else None)


def _variables(design: Design, parsed: ParsedFormula) -> tuple[Explained, list[Variable]]:
    """The outcome and the predictors, if a regression can use them."""
    outcome = explained(design, parsed)
    if outcome.variable.name in parsed.predictors:
        raise BadFormula(parsed.text, f"explains {outcome.variable.name!r} by itself", "leave it out on the right")
    predictors = [variable_of(design, name) for name in parsed.predictors]
    disguised = {each.name for each in predictors if each.source != "clear"}
    for factor in parsed.factors:
        if factor.stateful and disguised & set(factor.names):
            raise BadFormula(parsed.text, f"has {factor.text!r}, which depends on true answers that nobody knows",
                             "use the question as it is")  # fmt: skip
    for each in predictors:
        if each.source == "noise":
            _check_powers(parsed, each.name)
    return outcome, predictors


def _check_powers(parsed: ParsedFormula, name: str) -> None:
    """Refuse a number under noise but as it is, squared, or times something else."""
    for term in parsed.terms:
        powers = [factor.power(name) for factor in term if name in factor.names]
        if None in powers or sum(filter(None, powers)) > MAX_POWER:
            shown = ":".join(factor.text for factor in term)
            raise BadFormula(parsed.text, f"has {shown!r}, but {name!r} is under noise",
                             f"use {name}, I({name}**2), and their products with others")  # fmt: skip


def _counts_weights(counts: Counts, sample: Sample) -> bool:
    """Whether the weights of a finite population are few enough to be counted: their sum is held against its size."""
    return sample.population is not None and not sample.has_many_weights(counts)


def _drawn(
    design: Design, counts: Counts, variables: Sequence[Variable], used: UsedReplies, sample: Sample | None
) -> tuple[UsedReplies, Drawn | None, float]:
    """The replies that count in the sample, how their people were drawn, and the scale of weights in their column."""
    if sample is None:
        return used, None, 1.0
    if sample.population is None or _counts_weights(counts, sample):
        return *_weighed(used, sample), 1.0
    assert isinstance(counts, CutsNumbers)  # an outline does not tell how large weights are
    asked = (design.reported(each.name) for each in variables if each.name not in sample.names)
    cuts = {each.name: Cut.of_presence(each) for each in asked if each.is_number}
    told = used_replies(design, counts.cut(cuts).distinct(list(used.replies.columns), answered=False), variables)
    told, whole = _weighed(told, sample)
    scale = whole.scale_of(told.replies.columns[str(sample.weights)])
    used, drawn = _weighed(used, replace(sample, population=None))
    drawn = replace(drawn, weights=drawn.weights * scale, population=whole.population, finite=whole.finite)
    return used, drawn, scale


def _weighed(used: UsedReplies, sample: Sample) -> tuple[UsedReplies, Drawn]:
    """The replies of people who have a weight."""
    counts = sample.drawn(used.replies).weights > 0
    kept = replace(used, replies=used.replies.only(counts), reports=[each[counts] for each in used.reports])
    return kept, sample.drawn(kept.replies)


def _of_several(used: UsedReplies, outcome: Explained, parsed: ParsedFormula) -> Explained:
    """The outcome with those answers that occur, where it is in the clear; there must be two."""
    if outcome.variable.source != "clear":
        return outcome
    column = used.replies.columns[outcome.variable.name]
    if not outcome.model.answers:
        if (column == column[0]).all():
            raise _constant(parsed, f"{column[0]:g}")
        return outcome
    cells = clear_cells(used, outcome)
    there = [answer for cell, answer in enumerate(outcome.model.answers) if (cells == cell).any()]
    if len(there) < 2:
        raise _constant(parsed, there[0])
    return replace(outcome, model=replace(outcome.model, answers=tuple(there))) if outcome.mask is None else outcome


def _constant(parsed: ParsedFormula, value: str) -> BadFormula:
    return BadFormula(parsed.text, f"explains what is the same for all replies, {value!r}", "explain another question")

"""Means and quantiles of true numbers: `dn.mean` and `dn.quantile`.

The mean of a number needs no reconstruction: noise averages out. Quantiles do.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from numbers import Real
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from deniable.channel.design import Design, check_design
from deniable.count.counts import Counts, Distinct, reported_cells
from deniable.count.cut import in_cells
from deniable.count.missing import complete
from deniable.count.moments import by_moments
from deniable.errors import BadRequest, NoAnswers
from deniable.frame.columns import Missing
from deniable.inference.clear_quantile import quantile_in_the_clear, weighted_quantiles
from deniable.inference.error import Moments, met, moments
from deniable.inference.estimates import SMOOTHED, Estimate
from deniable.inference.invert.stack import Table
from deniable.inference.invert.stacks import stacks_of, weights_of
from deniable.inference.number_readings import number_readings
from deniable.inference.over_versions import VersionMean, mean_over_versions, precision_of
from deniable.inference.query.query import Query, finely_cut, query_of
from deniable.inference.ratio import Ratio
from deniable.inference.reported_table import ReportedTable
from deniable.inference.sampling.in_pieces import SampleInPieces
from deniable.inference.sampling.sample import Sample, SampleArguments, sampled_counts
from deniable.survey.cutting import cut_at, finer
from deniable.survey.question import Question
from deniable.survey.range import Range

EVENLY = "numbers taken to lie evenly in their intervals"
QUANTILES = np.linspace(0, 1, 21)[1:-1]


def mean(
    design: Design,
    replies: Any,
    name: str,
    given: str | None = None,
    *,
    missing: Missing = "skip",
    **how: Unpack[SampleArguments],
) -> Estimate:
    """The average of a true number (among those for whom `given` holds).

    Missing cells, and people who were not drawn evenly, are treated as by `dn.estimate`.
    """
    question, limits = _number(design, name)
    design, sample = Sample.of(design, replies, **how)
    counts = sampled_counts(design, replies, missing, sample)
    query = Query((), ()) if given is None else query_of(design, given)
    if any(design.has_noise(each.name) for each in query.questions):
        return _mean_by_bayes(design, counts, question, limits, str(given), sample)
    if question.is_number:
        return _mean_of_numbers(design, counts, question, limits, query, sample)
    return _mean_of_cells(design, counts, question, limits, given, sample)


def quantile(
    design: Design, replies: Any, name: str, q: float, *, missing: Missing = "skip", **how: Unpack[SampleArguments]
) -> Estimate:
    """The number below which a share q of the true numbers lies; q=0.5 is the median."""
    question, limits = _number(design, name)
    if isinstance(q, bool) or not isinstance(q, Real) or not 0 < q < 1:
        raise BadRequest("q", "a share between 0 and 1", q, "use 0.5 for the median")
    design, sample = Sample.of(design, replies, **how)
    counts = sampled_counts(design, replies, missing, sample)
    if design.is_clear(name):
        return quantile_in_the_clear(design, counts, question, q, sample)
    if design.has_noise(name):
        return quantiles_under_noise(design, counts, finer(question), [q], sample)[0]
    reported = ReportedTable.of(design, counts, [question], sample).evenly()
    found = reported.by_bayes(lambda true: _quantiles(true, limits, q), (limits.low, limits.high))
    edges = np.clip(limits.edges, limits.low, limits.high)
    low = edges[np.searchsorted(edges, found.low, side="right") - 1]
    high = edges[min(int(np.searchsorted(edges, found.high, side="left")), len(edges) - 1)]
    return replace(found, low=float(min(low, found.low)), high=float(max(high, found.high))).saying(EVENLY)


def quantiles_under_noise(
    design: Design, counts: Counts, question: Question, qs: Sequence[float], sample: Sample | None = None
) -> list[Estimate]:
    """Several quantiles of a number under noise, all from one table."""
    question = finely_cut(design, question)
    assert question.range is not None
    limits, reported = question.range, ReportedTable.of(design, counts, [question], sample).evenly()
    ends = (limits.edges[0], limits.edges[-1])
    found = [reported.by_bayes(lambda true, q=q: _quantiles(true, limits, q), ends) for q in qs]  # type: ignore[misc]
    return [(_whole(each, limits) if limits.integer else each).saying(SMOOTHED) for each in found]


def _whole(found: Estimate, limits: Range) -> Estimate:
    """A quantile of whole numbers is one of them, and so are the ends of its interval."""
    ends = np.ceil(np.array([found.value, found.low, found.high]) - 0.5)
    value, low, high = np.clip(ends, limits.low, limits.high).tolist()
    return replace(found, value=value, low=low, high=high, limits=(limits.low, limits.high))


def _number(design: Design, name: str) -> tuple[Question, Range]:
    check_design(design)
    question = design.question(name)
    if question.range is None:
        raise BadRequest("the question", "a number", name, "use dn.estimate for questions with answers")
    return question, question.range


def _mean_estimate(weights: Moments, limits: Range, people: float) -> Estimate:
    """A mean from moments of numbers minus the smallest: large numbers that hardly differ keep their digits."""
    low, high = np.clip(np.add(weights.interval(), limits.low), limits.low, limits.high)
    ends, value = (limits.low, limits.high), weights.mean + limits.low
    return Estimate(value, weights.stderr, float(low), float(high), round(people), "inverse", limits=ends)


def _mean_of_numbers(
    design: Design, counts: Counts, question: Question, limits: Range, query: Query, sample: Sample | None
) -> Estimate:
    """Reported numbers are right on average, so only the condition needs weights."""
    names = list(dict.fromkeys(each.name for each in (question, *query.questions)))
    own = next((each for each in query.questions if each.name == question.name), cut_at(question, []))
    others = [each for each in query.questions if each.name != question.name]
    kept = [] if sample is None else sample.names
    versions = len(design.columns_of(names)) > len(names)
    if sample is not None and not versions and sample.has_many_weights(counts):
        return _mean_of_pieces(design, counts, question, limits, query, sample)
    counts = by_moments(in_cells(counts, design, others, kept), design, own, kept)
    if versions:
        ends = (limits.low, limits.high)
        return mean_over_versions(
            design, counts, names, lambda part, some: _version_mean(part, some, question, query), ends, sample
        )
    needed = {each.name: design.reported(each) for each in (question, *query.questions)}
    beside = [] if sample is None else [design.reported(name) for name in sample.names]
    replies, gaps = complete(counts, [*needed.values(), *beside])
    if not replies.counts.sum():
        raise NoAnswers(needed)
    if sample is None:
        return _mean_of_replies(design, replies, question, limits, query).saying(gaps.note)
    drawn, clear = sample.drawn(replies), all(design.is_clear(name) for name in names)
    numbers, weights = _numbers_and_weights(design, replies, question, query)
    ratio = Ratio.of(drawn.table_counts, weights * numbers, weights)
    worth = drawn.worth(ratio.residual, ratio.residual**2 if clear else np.zeros(len(numbers)), ratio.share)
    even = replace(replies, counts=drawn.table_counts / (worth.effect * worth.wider**2))
    found = _mean_of_replies(design, even, question, limits, query)
    return replace(found, stderr=worth.stderr, n=round(drawn.n * ratio.share),
                   design_effect=worth.design_effect(drawn.n)).saying(gaps.note)  # fmt: skip


def _mean_of_pieces(
    design: Design, counts: Counts, question: Question, limits: Range, query: Query, sample: Sample
) -> Estimate:
    """The same where every reply has its own number and weight."""
    questions = list({each.name: each for each in (question, *query.questions)}.values())
    read = SampleInPieces.of(design, counts, questions, sample)
    total, base = read.means(partial(_mean_readings, design, question, query)).tolist()
    share = float(met(np.array([base]))[0])
    value, clear = total / share, all(design.is_clear(each.name) for each in questions)
    worth, found = read.spread(partial(_residual, design, question, query, value), base=share, clear=clear)
    even = Moments(value, found.variance / share**2, found.third / share**3,
                   read.drawn.n / (worth.effect * worth.wider**2), 0.0, limits.high - limits.low)  # fmt: skip
    return replace(_mean_estimate(even, limits, even.n), stderr=worth.stderr, n=round(read.drawn.n * share),
                   design_effect=worth.design_effect(read.drawn.n)).saying(read.gaps.note)  # fmt: skip


def _mean_readings(design: Design, question: Question, query: Query, replies: Distinct) -> NDArray[np.float64]:
    """[reply, figure]: of the number among those for whom the condition holds, and of these."""
    numbers, weights = _numbers_and_weights(design, replies, question, query)
    return np.stack([weights * numbers, weights], axis=1)


def _residual(design: Design, question: Question, query: Query, value: float, replies: Distinct) -> NDArray[np.float64]:
    """[reply] of the number minus a mean, among the same people."""
    numbers, weights = _numbers_and_weights(design, replies, question, query)
    return weights * (numbers - value)


def _version_mean(design: Design, replies: Distinct, question: Question, query: Query) -> VersionMean:
    """What replies to one version say about a mean."""
    numbers, weights = _numbers_and_weights(design, replies, question, query)
    precision = precision_of(design.channel(question.name), question)
    if query.masks:
        by_cell = weights_of(query.masks[0].astype(float), stacks_of(design, query.questions))
        precision = precision / float(np.mean(by_cell**2))
    clear = all(design.is_clear(each.name) for each in (question, *query.questions))
    return VersionMean(replies.counts, weights * numbers, weights, precision, clear)


def _numbers_and_weights(
    design: Design, replies: Distinct, question: Question, query: Query
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of each reply: its number above the smallest one, and its weight for the condition (1 without one)."""
    assert question.range is not None
    readings = number_readings(design.channel(question.name), question, replies.columns[question.name])
    numbers = readings - question.range.low
    if not query.masks:
        return numbers, np.ones(len(numbers))
    by_cell = weights_of(query.masks[0].astype(float), stacks_of(design, query.questions))
    reported = [design.reported(each) for each in query.questions]
    return numbers, by_cell[tuple(reported_cells(each, replies.columns[each.name]) for each in reported)]


def _mean_of_replies(design: Design, replies: Distinct, question: Question, limits: Range, query: Query) -> Estimate:
    numbers, weights = _numbers_and_weights(design, replies, question, query)
    if not query.masks:
        found = moments(replies.counts, numbers, possible=np.array([0.0, limits.high - limits.low]))
        return _mean_estimate(found, limits, found.n)
    people, ratio = float((replies.counts * weights).sum()), Ratio.of(replies.counts, weights * numbers, weights)
    return _mean_estimate(moments(replies.counts, ratio.weights), limits, people)


def _mean_of_cells(
    design: Design, counts: Counts, question: Question, limits: Range, given: str | None, sample: Sample | None
) -> Estimate:
    """A number reported as an interval counts as its midpoint; the estimate's interval allows for both ends."""
    query = Query((question,), ()) if given is None else query_of(design, given, also=[question])
    reported = ReportedTable.of(design, counts, query.questions, sample).evenly()
    mask = query.masks[0] if query.masks else np.ones(len(question))
    base = weights_of(mask.astype(float), reported.stacks)
    met_by = float((reported.reported * base).sum() / reported.reported.sum())
    people, found = reported.replied * met_by, []
    for values in _middle_and_ends(limits):
        of = weights_of(mask * _along_first(values - limits.low, mask.ndim), reported.stacks)
        weights = Ratio.of(reported.reported, of, base).weights if given else of
        found.append(_mean_estimate(reported.moments(weights), limits, people))
    return reported.noted(_allowing_for_ends(*found))


def _mean_by_bayes(
    design: Design, counts: Counts, question: Question, limits: Range, given: str, sample: Sample | None
) -> Estimate:
    """Under a condition on a number with noise, the mean is that of the likeliest table."""
    values = None
    if design.is_clear(question.name):
        needed = [design.reported(each) for each in query_of(design, given, also=[question]).questions]
        some, _ = complete(counts, needed, answered=False)
        values = Distinct({question.name: some.columns[question.name]}, some.counts).answered()
    if values is not None and not values.counts.sum():
        raise NoAnswers([question.name])
    if values is not None:  # cells of like frequency, and the numbers' own average in each
        edges = weighted_quantiles(values.columns[question.name], values.counts, QUANTILES)
        question = cut_at(question, np.unique(edges).tolist())
    query = query_of(design, given, also=[question])
    reported = ReportedTable.of(design, counts, query.questions, sample).evenly()
    cut = query.questions[0].range
    assert cut is not None
    mask = query.masks[0][..., None]

    def with_numbers(numbers: NDArray[np.float64]) -> Estimate:
        """The mean, if the numbers of each cell were these."""
        by_cell = _along_first(numbers, mask.ndim) * mask

        def figure(true: Table) -> Table:
            within = (true * mask).reshape(-1, true.shape[-1]).sum(axis=0)
            return np.asarray((true * by_cell).reshape(-1, true.shape[-1]).sum(axis=0) / met(within))

        return reported.by_bayes(figure, (limits.low, limits.high), query.masks[0])

    if values is not None:
        return with_numbers(_averages(cut, values.columns[question.name], values.counts))
    if cut.by_interval:
        return _allowing_for_ends(*(with_numbers(each) for each in _middle_and_ends(cut)))
    return with_numbers(cut.middles)


def _middle_and_ends(limits: Range) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    edges = np.clip(limits.edges, limits.low, limits.high)
    return limits.middles, edges[:-1], edges[1:]


def _allowing_for_ends(middle: Estimate, lower: Estimate, upper: Estimate) -> Estimate:
    """An estimate with the middles of intervals, whose own interval allows for both their ends."""
    return replace(middle, low=lower.low, high=upper.high).saying(EVENLY)


def _averages(limits: Range, numbers: NDArray[np.float64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """The average number of each cell; the middle of an empty one."""
    cells, count = limits.cells(numbers), len(limits.edges) - 1
    people = np.bincount(cells, counts, minlength=count)
    sums = np.bincount(cells, counts * numbers, minlength=count)
    return np.where(people > 0, sums / np.maximum(people, 1), limits.middles)


def _along_first(values: NDArray[np.float64], axes: int) -> NDArray[np.float64]:
    return values.reshape(-1, *[1] * (axes - 1))


def _quantiles(true: Table, limits: Range, q: float) -> Table:
    """Where each table's cumulated shares reach q, numbers lying evenly in their cells."""
    reached = np.vstack([np.zeros(true.shape[-1]), np.cumsum(true, axis=0)])
    whole = limits.integer and not limits.by_interval  # then half a unit belongs to each of them
    edges = limits.edges if whole else np.clip(limits.edges, limits.low, limits.high)
    return np.array([np.interp(q, column, edges) for column in reached.T])

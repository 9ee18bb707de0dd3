"""Frequent itemsets where respondents answer different versions.

Tables of questions that some version asks together can be estimated, larger ones cannot. So sets are found table by
table: all candidates on the same questions come from one estimated table. Sets that no version tells are left out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

import numpy as np

from deniable.channel.design import Design
from deniable.count.bits import Sets
from deniable.count.counts import Counts
from deniable.count.missing import Gaps
from deniable.errors import NoReplies, NotAnItem, NotIdentified
from deniable.inference.invert.reported import Reported
from deniable.inference.invert.stacks import weights_of
from deniable.inference.reported_table import ReportedTable
from deniable.inference.sampling.drawn import effect_note
from deniable.inference.sampling.sample import Sample
from deniable.mine.apriori import MARGIN, SLACK, Level, Progress
from deniable.mine.interest import figures
from deniable.mine.supports import Floats

NOBODY = 1e-9  # a support that counts as zero

ItemCell = tuple[str, str, int]  # word, question, cell


@dataclass(frozen=True)
class VersionsMined:
    """The frequent itemsets of replies to different versions."""

    design: Design
    counts: Counts
    items: Sequence[ItemCell]
    levels: Sequence[Level]
    gaps: Gaps  # of the question that most replies lack
    sample: Sample | None = None

    @classmethod
    def of(
        cls,
        design: Design,
        counts: Counts,
        items: Sequence[ItemCell],
        min_support: float,
        max_length: int,
        progress: Progress | None = None,
        sample: Sample | None = None,
    ) -> "VersionsMined":
        """Mine replies for these items."""
        for _, name, _ in items:
            if design.has_noise(name):
                raise NotAnItem(name, "it is a number under noise")
        kept: set[tuple[int, ...]] = {()}
        levels: list[Level] = []
        while kept and len(levels) < max_length:
            found = dict(_supports(design, counts, items, kept, sample))
            wanted = {each: figure for each, figure in found.items() if figure[0] + MARGIN * figure[1] >= min_support}
            kept = set(wanted)
            levels.append(_level(wanted, len(levels) + 1).at_least(min_support))
            if progress is not None:
                progress(len(levels) / max_length)
        return cls(design, counts, items, levels, _gaps(design, counts, items, sample), sample)

    def words(self, sets: Sets) -> list[frozenset[str]]:
        """The sets in words."""
        return [frozenset([self.items[index][0] for index in row]) for row in sets.tolist()]

    def rules(self, min_confidence: float) -> Iterator[tuple[Sets, Sets, dict[str, Floats]]]:
        """Antecedents, consequents and figures of rules from all sets."""
        for level in self.levels[1:]:
            for row in level.sets.tolist():
                names = [self.items[index][1] for index in row]
                reported = _reported(self.design, self.counts, names, self.sample)
                n = float(reported.table.sum())
                for part in _parts(row):
                    rest = [index for index in row if index not in part]
                    values = [_mask(self.design, self.items, row, some) for some in (row, part, rest)]
                    totals, covariance = reported.estimated(np.stack(values, axis=-1))
                    covariance = covariance * _effects(reported, np.stack(values[:1], axis=-1))
                    whole, antecedents, consequents = totals / n
                    if min(antecedents, consequents) > NOBODY and whole / antecedents >= min_confidence - SLACK:
                        found = figures((totals / n)[:, None], covariance[..., None] / n**2)
                        yield np.array([part]), np.array([rest]), found


def _parts(row: Sequence[int]) -> list[tuple[int, ...]]:
    return [part for size in range(len(row) - 1, 0, -1) for part in combinations(row, size)]


def _supports(
    design: Design, counts: Counts, items: Sequence[ItemCell], kept: set[tuple[int, ...]], sample: Sample | None
) -> Iterator[tuple[tuple[int, ...], tuple[float, float]]]:
    """The support and its standard error of all sets of one item more whose parts were all kept."""
    length = len(next(iter(kept))) + 1
    usable = sorted({index for each in kept for index in each}) if length > 1 else range(len(items))
    by_question: dict[str, list[int]] = {}
    for index in usable:
        by_question.setdefault(items[index][1], []).append(index)
    for names in combinations(by_question, length):
        wanted = [
            each
            for each in product(*(by_question[name] for name in names))
            if all(part in kept for part in combinations(each, length - 1))
        ]
        if not wanted:
            continue
        try:
            reported = _reported(design, counts, names, sample)
            values = np.stack([_mask(design, items, each, each) for each in wanted], axis=-1)
            totals, covariance = reported.estimated(values)
        except (NotIdentified, NoReplies):
            continue
        n = float(reported.table.sum())
        errors = np.sqrt(covariance.diagonal() * _effects(reported, values)) / n
        yield from zip(wanted, zip(totals / n, errors, strict=True), strict=True)


def _reported(design: Design, counts: Counts, names: Sequence[str], sample: Sample | None) -> Reported:
    found = Reported.of(design, counts, [design.question(name) for name in names], sample)
    if not found.table.sum():
        raise NoReplies(f"what replies tell of {', '.join(names)}")
    return found


def _effects(reported: Reported, values: Floats) -> Floats:
    """The design effect of each figure [*true cell, figure]: 1 where people were drawn evenly."""
    if reported.drawn is None:
        return np.ones(values.shape[-1])
    weights, table = weights_of(values, reported.stacks), ReportedTable((), reported)
    return np.array([table.worth(weights[..., index]).effect for index in range(values.shape[-1])])


def _gaps(design: Design, counts: Counts, items: Sequence[ItemCell], sample: Sample | None) -> Gaps:
    """What is missing of the question that most replies lack, and what the sample is worth for a typical item."""
    names = list(dict.fromkeys(name for _, name, _ in items))
    found = [Reported.of(design, counts, [design.question(name)], sample) for name in names]
    gaps = max((each.gaps for each in found), key=lambda each: each.lacking)
    drawn = found[0].drawn
    if drawn is None:
        return gaps
    effects = [
        _effects(found[names.index(name)], np.eye(len(design.question(name)))[:, [cell]]) for _, name, cell in items
    ]
    return replace(gaps, sampling=effect_note(float(np.mean(effects)), drawn.n))


def _mask(design: Design, items: Sequence[ItemCell], row: Sequence[int], some: Sequence[int]) -> Floats:
    """Where people have some of a set's items, over the cells of all its questions."""
    mask = np.ones([len(design.question(items[index][1])) for index in row])
    for axis, index in enumerate(row):
        if index in some:
            only = np.zeros(mask.shape[axis])
            only[items[index][2]] = 1.0
            mask = mask * only.reshape([-1 if each == axis else 1 for each in range(mask.ndim)])
    return mask


def _level(found: dict[tuple[int, ...], tuple[float, float]], length: int) -> Level:
    sets = np.array(sorted(found), dtype=np.intp).reshape(-1, length)
    figured = np.array([found[each] for each in sorted(found)]).reshape(-1, 2)
    nothing = np.zeros((len(sets), 0))
    return Level(sets, nothing.astype(np.intp), nothing, figured[:, 0], figured[:, 1])

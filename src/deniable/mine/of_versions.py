"""Frequent itemsets where respondents answer different versions.

Tables of questions that some version asks together can be estimated, larger ones cannot. So sets are found table by
table: all candidates on the same questions come from one estimated table, and a level's tables are counted together.
Sets that no version tells are left out.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

import numpy as np

from deniable.channel.design import Design
from deniable.count.bits import Sets
from deniable.count.counts import Counts
from deniable.count.missing import Gaps
from deniable.errors import NoReplies, NotAnItem, NotIdentified
from deniable.inference.error import NOBODY
from deniable.inference.invert.reported import Reported
from deniable.inference.sampling.drawn import DesignEffect
from deniable.inference.sampling.sample import Sample
from deniable.mine.apriori import MARGIN, SLACK, Level, Progress
from deniable.mine.interest import figures
from deniable.mine.level_tables import LevelTables, Names, design_effects, lasting, some_replies
from deniable.mine.supports import Floats

ItemCell = tuple[str, str, int]  # word, question, cell
ItemIndices = tuple[int, ...]  # of a set of items


@dataclass(frozen=True)
class Supported:
    """A set's estimated support with its standard error, and the table that tells it."""

    support: float
    stderr: float
    effect: float  # of how people were drawn, on its variance
    table: Reported

    @property
    def may_reach(self) -> float:
        """The greatest support that chance leaves open."""
        return self.support + MARGIN * self.stderr


@dataclass(frozen=True)
class VersionsMined:
    """The frequent itemsets of replies to different versions."""

    design: Design
    items: Sequence[ItemCell]
    levels: Sequence[Level]
    gaps: Gaps  # of the question that most replies lack
    supported: Mapping[ItemIndices, Supported]  # the frequent sets of two items or more

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
        tables = LevelTables(design, counts, sample)
        names = [(name,) for name in dict.fromkeys(name for _, name, _ in items)]
        alone = {names: tables.reported(names, replies) for names, replies in tables.counted(names)}
        kept: set[ItemIndices] = {()}
        levels: list[Level] = []
        supported: dict[ItemIndices, Supported] = {}
        while kept and len(levels) < max_length:
            wanted = _candidates(tables, items, kept)
            counted = _counted(tables, list(wanted)) if levels else iter(alone.items())
            found = dict(_supports(design, items, wanted, counted))
            found = {each: one for each, one in found.items() if one.may_reach >= min_support}
            kept = set(found)
            level = _level(found, len(levels) + 1).at_least(min_support)
            levels.append(level)
            if len(levels) > 1:
                supported |= {each: found[each] for each in map(tuple, level.sets.tolist())}
            if progress is not None:
                progress(len(levels) / max_length)
        return cls(design, items, levels, _gaps(design, items, alone), supported)

    def words(self, sets: Sets) -> list[frozenset[str]]:
        """The sets in words."""
        return [frozenset([self.items[index][0] for index in row]) for row in sets.tolist()]

    def rules(self, min_confidence: float) -> Iterator[tuple[Sets, Sets, dict[str, Floats]]]:
        """Antecedents, consequents and figures of rules from all sets."""
        for row, found in self.supported.items():
            n = float(found.table.table.sum())
            for part in _parts(row):
                rest = [index for index in row if index not in part]
                values = [_mask(self.design, self.items, row, some) for some in (row, part, rest)]
                totals, covariance = found.table.estimated(np.stack(values, axis=-1))
                covariance = covariance * found.effect
                whole, antecedents, consequents = totals / n
                if min(antecedents, consequents) > NOBODY and whole / antecedents >= min_confidence - SLACK:
                    told = figures((totals / n)[:, None], covariance[..., None] / n**2)
                    yield np.array([part]), np.array([rest]), told


def _parts(row: ItemIndices) -> list[ItemIndices]:
    return [part for size in range(len(row) - 1, 0, -1) for part in combinations(row, size)]


def _candidates(
    tables: LevelTables, items: Sequence[ItemCell], kept: set[ItemIndices]
) -> dict[Names, list[ItemIndices]]:
    """By their questions, the sets of one item more whose parts were all kept."""
    length = len(next(iter(kept))) + 1
    usable = sorted({index for each in kept for index in each}) if length > 1 else range(len(items))
    by_question: dict[str, list[int]] = {}
    for index in usable:
        by_question.setdefault(items[index][1], []).append(index)
    found = {
        names: [
            each
            for each in product(*(by_question[name] for name in names))
            if all(part in kept for part in combinations(each, length - 1))
        ]
        for names in combinations(by_question, length)
        if tables.asked_together(names)
    }
    return {names: sets for names, sets in found.items() if sets}


def _counted(tables: LevelTables, many: Sequence[Names]) -> Iterator[tuple[Names, Reported]]:
    """The tables of these questions, but for those that no replies tell about."""
    for names, replies in tables.counted(many):
        try:
            yield names, tables.reported(names, replies)
        except NoReplies:
            continue


def _supports(
    design: Design,
    items: Sequence[ItemCell],
    wanted: Mapping[Names, Sequence[ItemIndices]],
    counted: Iterator[tuple[Names, Reported]],
) -> Iterator[tuple[ItemIndices, Supported]]:
    """The support of every wanted set that replies tell."""
    for names, reported in counted:
        try:
            values = np.stack([_mask(design, items, each, each) for each in wanted[names]], axis=-1)
            totals, covariance = some_replies(reported, names).estimated(values)
        except (NotIdentified, NoReplies):
            continue
        n = float(reported.table.sum())
        effects = design_effects(reported, values)
        errors = np.sqrt(covariance.diagonal() * effects) / n
        kept = lasting(reported)
        for each, support, stderr, effect in zip(wanted[names], totals / n, errors, effects, strict=True):
            yield each, Supported(float(support), float(stderr), float(effect), kept)


def _gaps(design: Design, items: Sequence[ItemCell], alone: Mapping[Names, Reported]) -> Gaps:
    """What is missing of the question that most replies lack, and what the sample is worth for a typical item."""
    gaps = max((each.gaps for each in alone.values()), key=lambda each: each.lacking)
    drawn = next(iter(alone.values())).drawn
    if drawn is None:
        return gaps
    effects = [design_effects(alone[name,], np.eye(len(design.question(name)))[:, [cell]]) for _, name, cell in items]
    return replace(gaps, sampling=str(DesignEffect(float(np.mean(effects)), drawn.n)))


def _mask(design: Design, items: Sequence[ItemCell], row: Sequence[int], some: Sequence[int]) -> Floats:
    """Where people have some of a set's items, over the cells of all its questions."""
    mask = np.ones([len(design.question(items[index][1])) for index in row])
    for axis, index in enumerate(row):
        if index in some:
            only = np.zeros(mask.shape[axis])
            only[items[index][2]] = 1.0
            mask = mask * only.reshape([-1 if each == axis else 1 for each in range(mask.ndim)])
    return mask


def _level(found: Mapping[ItemIndices, Supported], length: int) -> Level:
    sets = np.array(sorted(found), dtype=np.intp).reshape(-1, length)
    figured = np.array([(found[each].support, found[each].stderr) for each in sorted(found)]).reshape(-1, 2)
    nothing = np.zeros((len(sets), 0))
    return Level(sets, nothing.astype(np.intp), nothing, figured[:, 0], figured[:, 1])

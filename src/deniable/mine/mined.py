"""Frequent itemsets of some replies, and the rules made from them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.count.bits import Sets
from deniable.count.counts import Counts, Distinct, reported_cells
from deniable.count.cut import in_cells
from deniable.count.missing import Gaps, complete
from deniable.errors import BadRequest, NoReplies, TooManySets
from deniable.inference.error import NOBODY
from deniable.inference.sampling.drawn import DesignEffect
from deniable.inference.sampling.sample import Sample
from deniable.mine.apriori import LONGEST, SLACK, Level, Progress, frequent, portions
from deniable.mine.interest import figures
from deniable.mine.item_bits import ItemBits
from deniable.mine.items import Item, items_of, wanted_items
from deniable.mine.of_versions import VersionsMined
from deniable.mine.supports import Floats, SetWeights, combination_counts, covariances, means
from deniable.survey.whole import is_whole

MAX_BITS = 2**33  # of all items and replies: a gigabyte


@dataclass(frozen=True)
class Mined:
    """The frequent itemsets of some replies."""

    items: Sequence[Item]
    levels: Sequence[Level]
    gaps: Gaps

    @classmethod
    def of(
        cls,
        design: Design,
        counts: Counts,
        min_support: float,
        max_length: int,
        wanted: Iterable[str] | None,
        progress: Progress | None = None,
        sample: Sample | None = None,
    ) -> "Mined | VersionsMined":
        """Mine replies for the wanted items."""
        if not is_share(min_support) or not min_support:
            raise BadRequest("min_support", "above 0 and at most 1", min_support, "write 0.1 for 10 %")
        if not is_whole(max_length, 1, LONGEST):
            raise BadRequest("max_length", f"a whole number from 1 to {LONGEST}", max_length, "choose another")
        chosen = [wanted] if isinstance(wanted, str) else wanted
        if any(not design.block(question.name).is_plain for question in wanted_items(design, chosen).values()):
            cells = [
                (word, question.name, question.answers.index(word.removeprefix(f"{question.name}=")))
                for word, question in wanted_items(design, chosen).items()
            ]
            return VersionsMined.of(design, counts, cells, min_support, max_length, progress, sample)
        items = items_of(design, chosen)
        questions = {item.reported.name: item.reported for item in items}
        beside = [] if sample is None else [design.reported(name) for name in sample.names]
        counts = in_cells(counts, design, list(questions.values()), [each.name for each in beside])
        replies, gaps = complete(counts, [*questions.values(), *beside], answered=False)
        if sample is not None:
            replies, gaps = _evenly(replies, items, gaps, sample)
        n = float(replies.counts.sum())
        if not n:
            raise NoReplies("the replies", "have no rows, expected at least one")
        if len(items) > (most := MAX_BITS // len(replies.counts)):
            raise TooManySets(f"items for {n:,.0f} replies", len(items), most, "name fewer of them in items")
        levels = frequent(items, ItemBits.of(items, replies), n, min_support, max_length, progress)
        return cls(items, [level.at_least(min_support) for level in levels], gaps)

    def words(self, sets: Sets) -> list[frozenset[str]]:
        """The sets in words."""
        words = [item.word for item in self.items]
        return [frozenset([words[index] for index in row]) for row in sets.tolist()]

    def rules(self, min_confidence: float) -> Iterator[tuple[Sets, Sets, dict[str, Floats]]]:
        """Antecedents, consequents and figures of rules from all sets, some at a time."""
        weights = SetWeights(self.items)
        for level in self.levels[1:]:
            indices = range(level.sets.shape[1])
            parts = [part for size in indices[:0:-1] for part in combinations(indices, size)]
            for rows in portions(level.sets, weights):
                piece = level.only(rows)
                table, whole = combination_counts(piece.counts, weights.degrees), weights.of(piece.sets)
                for part in parts:
                    rest = [index for index in indices if index not in part]
                    each = [whole, weights.of(piece.sets, part), weights.of(piece.sets, rest)]
                    figures, found = _figures(table, each, min_confidence)
                    yield piece.sets[found][:, part], piece.sets[found][:, rest], figures


def _evenly(replies: Distinct, items: Sequence[Item], gaps: Gaps, sample: Sample) -> tuple[Distinct, Gaps]:
    """As many replies of people drawn evenly as tell the share of a typical report as exactly."""
    drawn, effects = sample.drawn(replies), []
    for item in items:
        cells = reported_cells(item.reported, replies.columns[item.reported.name])
        reported = np.isin(cells, item.report_classes[0]).astype(float)
        effects.append(drawn.worth(reported, reported).effect)
    typical = DesignEffect(float(np.mean(effects)), drawn.n)
    evenly = replace(replies, counts=drawn.table_counts / typical.effect)
    return evenly, replace(gaps, sampling=str(typical))


def _figures(
    table: Floats, weights: Sequence[Floats], min_confidence: float
) -> tuple[dict[str, Floats], NDArray[np.bool_]]:
    """The figures of rules with positive supports and enough confidence, and which rules these are."""
    supports = np.array([means(table, each) for each in weights])
    whole, antecedents, consequents = supports
    found = (antecedents > NOBODY) & (consequents > NOBODY)
    found[found] = whole[found] / antecedents[found] >= min_confidence - SLACK
    covariance = covariances(table[found], [each[found] for each in weights])
    return figures(supports[:, found], covariance), found


def is_share(value: object) -> bool:
    """Whether it is a number from 0 to 1."""
    return isinstance(value, Real) and not isinstance(value, bool) and 0 <= float(value) <= 1

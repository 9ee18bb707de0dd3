"""Impossible replies: shares that no true answers explain.

Whatever people truly answer, the lottery bounds how often each report comes:

    least over x of M[r, x]  <=  P(report is r)  <=  greatest over x of M[r, x]

True answers given as replies, or replies to another design, often break these bounds. A share beyond them by more than
chance gives a warning, and nothing is refused; how much chance explains is told by `unlikely`. Pairs of questions are
held to the bounds of their own matrix, and to true shares that are not negative; the reports of a number under noise to
the chance of the likeliest step, which no single number can exceed.

legend: r reported cell, x true cell, M matrix
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import ceil

import numpy as np
from numpy.typing import NDArray

from deniable.channel.channel import Channel
from deniable.channel.design import Design
from deniable.channel.noise import Noise
from deniable.count.chunked import pieces_of
from deniable.count.counts import Counts, Distinct, all_answered, is_answered, reported_cells, tally
from deniable.count.cut import Cut, CutsNumbers
from deniable.count.merged import merged
from deniable.count.moments import NumberMoments, SumsNumbers
from deniable.count.pieces import OnePiece, Pieces
from deniable.count.unlikely import Shares, TrueShares, words_of
from deniable.errors.warn import warn
from deniable.frame.columns import Column
from deniable.survey.question import Question
from deniable.survey.range import GRID

FALSE_ALARMS = 1e-6  # per call
MAX_CELLS_OF_PAIR = 64
MAX_PAIRS = 500  # of questions that are looked at, spread over all of them
MAX_CELLS_LOOKED_AT = 2**24  # replies times questions, likewise
MAX_LOOKED_AT = 2**20  # replies times pairs: beyond, a sample of the replies is looked at
MAX_CELLS_AT_ONCE = 2**10  # of questions that are asked for one by one, and looked at together
MAX_CELLS_TOGETHER, CHUNK_TOGETHER = 64, 2**10  # of all questions, and replies: pairs that are counted by one product

Floats = NDArray[np.float64]


@dataclass
class Watch:
    """Which questions were looked at together, and whether there was a warning."""

    looked_at: set[tuple[str, ...]] = field(default_factory=set)
    warned: bool = False


class WatchedCounts:
    """Counts that warn, once, where no truth could have made the replies that are asked for."""

    def __init__(self, design: Design, counts: Counts, cut: Collection[str] = ()) -> None:
        self._design, self._counts, self._cut = design, counts, cut
        self._watch = Watch()

    @property
    def n(self) -> int:
        """How many replies there are."""
        return self._counts.n

    @property
    def names(self) -> Sequence[str]:
        """The questions that they answer."""
        return self._counts.names

    def distinct(self, names: Sequence[str], answered: bool = True) -> Distinct:
        """The distinct replies to these questions."""
        return self._watched(self._counts.distinct(names, answered))

    def tables(self, many: Sequence[Sequence[str]]) -> list[Distinct]:
        """The distinct replies to each of several sets of questions; a few single questions are looked at together."""
        beside = (
            [] if self._watch.warned or any(len(names) > 1 for names in many) else self._few([name for (name,) in many])
        )
        found = self._counts.tables([*many, *beside])
        return [self._watched(each) for each in found][: len(many)]

    def _few(self, names: Sequence[str]) -> list[list[str]]:
        """As many of these questions as have few cells together: true answers often show only in pairs."""
        kept, cells = [], 1
        for name in dict.fromkeys(names):
            block = self._design.block(name) if name in self._design.names else None
            if block is None or not block.is_plain or block.channels[0].is_clear or name in block.noisy:
                continue
            size = len(self._design.reported(name))
            if not self._design.reported(name).is_number and cells * size <= MAX_CELLS_AT_ONCE:
                kept.append(name)
                cells *= size
        return [kept] if len(kept) > 1 else []

    def pieces(self, names: Sequence[str], measured: Sequence[str], weights: str | None) -> Pieces[Distinct]:
        """The replies of everybody to these questions, in pieces."""
        found = pieces_of(self._counts, names, measured, weights)
        if isinstance(found, OnePiece):
            self._watched(found.outline)
        else:  # an outline has the answers of everybody, but not the numbers
            self._watched(merged(found.outline.distinct([each for each in names if each not in measured], False)))
        return found

    def cut(self, cuts: Mapping[str, Cut]) -> Counts:
        """The same, with numbers cut."""
        if not isinstance(self._counts, CutsNumbers):
            return self
        found = WatchedCounts(self._design, self._counts.cut(cuts), {*self._cut, *cuts})
        found._watch = self._watch
        return found

    def many_values(self, name: str, most: int) -> bool:
        """Whether there are more different numbers than so many."""
        return isinstance(self._counts, CutsNumbers) and self._counts.many_values(name, most)

    def moments(self, names: Sequence[str], name: str, cut: Cut) -> NumberMoments | None:
        """The moments of a number of equal replies."""
        found = self._counts.moments(names, name, cut) if isinstance(self._counts, SumsNumbers) else None
        if found is not None:
            self._watched(found.replies)
        return found

    def _watched(self, found: Distinct) -> Distinct:
        if not self._watch.warned and tuple(found.names) not in self._watch.looked_at:
            self._watch.looked_at.add(tuple(found.names))
            whole = [name for name in found.names if name not in self._cut]  # cells do not tell what was reported
            self._watch.warned = warn_of_impossible(self._design, found.distinct(whole, answered=False))
        return found

    def table(self, questions: Sequence[Question]) -> Floats:
        """The table of these (reported) questions' cells."""
        return tally(self.distinct([question.name for question in questions]), questions)


def warn_of_impossible(design: Design, replies: Distinct) -> bool:
    """Warn where replies have a share that no truth explains; tells whether it did."""
    shares = list(_shares(design, replies))
    tests = sum(each.tests for each in shares) * len(design.questions)  # a call may look at each question by itself
    level = FALSE_ALARMS / max(tests, 1)
    found = [
        (each.distance(*cell), each, cell) for each in shares for cell in np.argwhere(each.tails() < level).tolist()
    ]
    if found:
        reported = [each for each in found if isinstance(each[1], Shares)]  # these say more clearly what is wrong
        _, worst, cell = max(reported or found, key=lambda each: each[0])
        warn(
            f"{worst.sentence(*cell)}; if these are true answers, disguise them first, and if they are replies to "
            "another design, use that one"
        )
    return bool(found)


def _shares(design: Design, replies: Distinct) -> Iterator[Shares | TrueShares]:
    """The shares of all disguised questions, and of their pairs."""
    single: list[Shares] = []
    names = _plain(design, replies)
    replies = _at_most(MAX_CELLS_LOOKED_AT, replies, len(names))
    for name in names:
        channel, answered = design.channel(name), _answered(replies, name)
        if channel.says_the_truth or not len(answered.counts):
            continue
        if channel.noise is not None:
            yield _of_number(design.question(name), channel.noise, answered)
        elif (chances := channel.factor_chances(name)) is not None:
            reported = channel.reported(name)
            bounds = chances.min(axis=1), chances.max(axis=1)
            yield Shares.of(name, words_of(reported), tally(answered, [reported]), *bounds)
        else:
            reported = channel.reported(name)
            single.append(Shares.of(name, words_of(reported), tally(answered, [reported]), *_bounds(channel, name)))
    yield from single
    pairs = _pairs_of(single)
    yield from _of_pairs(design, _at_most(MAX_LOOKED_AT, replies, len(pairs)), pairs)


def _at_most(work: int, replies: Distinct, times: int) -> Distinct:
    """The replies, or a sample that is gone through so many times with less work.

    Replies that came often are not sampled: each of them would come a few times less, and be gone through as before.
    """
    share = work / max(times * len(replies.counts), 1)
    return replies.sample(share) if share * replies.counts.sum() < len(replies.counts) else replies


def _pairs_of(single: Sequence[Shares]) -> list[tuple[Shares, Shares]]:
    """Pairs of questions that have few cells together, spread over all of them."""
    sizes = np.array([len(each.low) for each in single], dtype=np.intp)
    first, second = np.triu_indices(len(single), 1)
    small = np.flatnonzero(sizes[first] * sizes[second] <= MAX_CELLS_OF_PAIR)
    some = small[:: ceil(len(small) / MAX_PAIRS) or 1]
    return [(single[one], single[two]) for one, two in zip(first[some], second[some], strict=True)]


def _plain(design: Design, replies: Distinct) -> list[str]:
    """The questions that everybody is asked through one channel."""
    return [name for name in replies.names if name in design.names and design.block(name).is_plain]


def _answered(replies: Distinct, *names: str) -> Distinct:
    """The replies of those who answered these questions."""
    if all(all_answered(replies.columns[name]) for name in names):
        return replies
    return Distinct({name: replies.columns[name] for name in names}, replies.counts).answered()


def _of_number(question: Question, noise: Noise, answered: Distinct) -> Shares:
    """Points of the grid: whatever the number, none is reported more often than the likeliest step is drawn."""
    limits, size = question.range, noise.last - noise.first + GRID + 1
    assert limits is not None
    points = np.clip(limits.points(answered.columns[question.name]) - noise.first, 0, size - 1)
    counts = np.bincount(points, answered.counts, minlength=size).astype(float)

    def words(point: int) -> str:
        return f"{limits.low + (point + noise.first) * limits.step:g}"

    return Shares.of(question.name, words, counts, np.zeros(size), np.full(size, noise.chances.max()))


def _of_pairs(
    design: Design, replies: Distinct, pairs: Sequence[tuple[Shares, Shares]]
) -> Iterator[Shares | TrueShares]:
    """Two questions together, each with a lottery of its own or both with the same, as most pairs have."""
    names = list(dict.fromkeys(each.names[0][0] for pair in pairs for each in pair))
    channels = {name: design.channel(name) for name in names}
    cells = {name: reported_cells(channels[name].reported(name), replies.columns[name]) for name in names}
    sizes = {each.names[0][0]: len(each.low) for pair in pairs for each in pair}
    pair_counts = _pair_counts(cells, sizes, replies.weights)
    kernels = {name: (id(channel), channel.kernels(name).tobytes()) for name, channel in channels.items()}
    alike: dict[object, list[tuple[str, str]]] = {}
    for first, second in pairs:
        one, two = first.names[0][0], second.names[0][0]
        alike.setdefault((kernels[one], kernels[two]), []).append((one, two))
    for those in alike.values():
        one, two = those[0]
        lottery = _PairLottery.of(channels[one], one, channels[two], two)
        counts = np.array([pair_counts(*pair) for pair in those])
        some = np.flatnonzero(counts.any(axis=1))  # people answered both
        kept = [those[index] for index in some.tolist()]
        reported = [words_of(*(channels[each].reported(each) for each in pair)) for pair in kept]
        yield Shares(kept, reported, counts[some], lottery.low, lottery.high)
        if lottery.weights is not None:
            answered = [words_of(*map(design.question, pair)) for pair in kept]
            yield TrueShares(kept, answered, counts[some], lottery.weights)


def _pair_counts(
    cells: Mapping[str, Column], sizes: Mapping[str, int], weights: Floats | None
) -> Callable[[str, str], Floats]:
    """What tells how many of those who answered two questions reported each pair of cells."""
    if sum(sizes.values()) <= MAX_CELLS_TOGETHER:
        return _pairs_together(cells, sizes, weights)
    complete = {name: all_answered(column) for name, column in cells.items()}

    def counted(one: str, two: str) -> Floats:
        first, second, shape, some = cells[one], cells[two], (sizes[one], sizes[two]), weights
        keys = first * first.dtype.type(shape[1]) + second  # few cells: small types hold them
        if not (complete[one] and complete[two]):
            both = is_answered(first) & is_answered(second)
            keys, some = keys[both], None if some is None else some[both]
        return np.bincount(keys, some, minlength=shape[0] * shape[1]).astype(float)

    return counted


def _pairs_together(
    cells: Mapping[str, Column], sizes: Mapping[str, int], weights: Floats | None
) -> Callable[[str, str], Floats]:
    """The same from one product of matrices, for all pairs: few cells are counted sooner like this."""
    ends = np.cumsum(list(sizes.values())).tolist()
    where = {name: slice(end - size, end) for end, (name, size) in zip(ends, sizes.items(), strict=True)}
    rows = len(next(iter(cells.values()), ()))
    table = np.zeros((sum(sizes.values()),) * 2)
    for start in range(0, rows, CHUNK_TOGETHER):
        part = slice(start, start + CHUNK_TOGETHER)
        reported = np.vstack(
            [column[part] == np.arange(sizes[name], dtype=column.dtype)[:, None] for name, column in cells.items()]
        )
        indicator = reported.astype(float)  # [cell, reply], 0 where an answer is missing
        table += (indicator if weights is None else indicator * weights[part]) @ indicator.T
    return lambda one, two: np.ascontiguousarray(table[where[one], where[two]]).ravel()


@dataclass(frozen=True)
class _PairLottery:
    """The bounds of each pair of reports, [r], and what estimates the true shares, [x, r], if anything does."""

    low: Floats
    high: Floats
    weights: Floats | None

    @classmethod
    def of(cls, first: Channel, one: str, second: Channel, two: str) -> "_PairLottery":
        """Of two questions, in one channel or in two."""
        if first is second:
            matrix = np.ascontiguousarray(first.matrix([one, two]))
        else:
            matrix = np.ascontiguousarray(np.kron(first.matrix([one]), second.matrix([two])))
        return cls(matrix.min(axis=1), matrix.max(axis=1), _left_inverse(matrix.shape, matrix.tobytes()))


@lru_cache(maxsize=256)
def _left_inverse(shape: tuple[int, ...], entries: bytes) -> Floats | None:
    """What undoes a matrix, if anything does."""
    matrix = np.frombuffer(entries).reshape(shape)
    if np.linalg.matrix_rank(matrix) < shape[1]:
        return None
    return np.asarray(np.linalg.pinv(matrix), dtype=np.float64)


def _bounds(channel: Channel, name: str) -> tuple[Floats, Floats]:
    matrix = channel.matrix([name])
    return matrix.min(axis=1), matrix.max(axis=1)

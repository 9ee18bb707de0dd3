"""Stack of versions: what replies to several versions of a block tell about some of its questions.

A reply names its version, so reports of different versions are different reports. The matrix is the versions' matrices
one below the other, each times its share of the replies; a question that a version does not ask contributes a row of
ones. Its weighted left inverse is unbiased and uses every version, also those that ask only some of the questions:

    M = [share_1 M_1 ; share_2 M_2 ; ...],   L = (M'WM)^+ M'W,   W = 1 / (M x0),   x0 even

Not everything is identified: a figure v of the truth can be estimated if it lies in the row space of M, that is, if
L'v reproduces it.  Chosen versions are not pooled: each has a left inverse of its own, and its people add up.

legend: k a kind of versions, which disguise these questions alike and are counted together; all reports of a stack are
cells along its first axis, kind by kind, and its other axes have one cell
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from deniable.channel.block import Block, Version
from deniable.channel.instruction import Matrix
from deniable.count.counts import Distinct, is_answered
from deniable.errors import BadReplies, NoReplies, NotIdentified, TooManyCells
from deniable.frame.columns import Column
from deniable.inference.invert.stack import Indices, Lacking, Stack, Table, cells_of
from deniable.survey.question import Question

MAX_CELLS = 2**12  # true ones of a table's questions
MIN_STRATUM = 5  # replies to a kind of versions, below which its variance is taken together with that of others
MAX_ENTRIES = 2**26  # of the stacked matrix
RESIDUAL = 1e-9  # up to which a figure counts as reproduced
TINY = 1e-300
MAX_RATIO = 1e11  # of eigenvalues of the weighted square of a matrix: about the square of the worst condition

Sizes = Sequence[float]  # [version] replies


@dataclass(frozen=True)
class Kind:
    """Versions that disguise some questions alike."""

    versions: tuple[int, ...]
    asked: tuple[Question, ...]  # as replies to these versions answer them
    matrix: Matrix  # [report to this kind, true cell]


@dataclass(frozen=True)
class VersionStack(Stack):
    """Questions that respondents answer in one of several versions."""

    block: Block
    sizes: tuple[float, ...] | None = None  # [version] replies; planned shares unless given

    @property
    def has_noise(self) -> bool:
        return not self.block.noisy.isdisjoint(self.names)

    @property
    def has_versions(self) -> bool:
        return True

    @property
    def is_drawn(self) -> bool:
        return not self.block.chosen

    @property
    def is_chosen(self) -> bool:
        return self.block.chosen

    @cached_property
    def kinds(self) -> list[Kind]:
        """The kinds of versions, in the order in which the first of each comes."""
        if prod(self.true_shape) > MAX_CELLS:
            raise TooManyCells(self.names, prod(self.true_shape), MAX_CELLS)
        key = ("kinds", self.questions)
        if key not in self.block.remembered:
            self.block.remembered[key] = self._kinds()
        found: list[Kind] = self.block.remembered[key]
        return found

    def _kinds(self) -> list[Kind]:
        wanted = set(self.names)
        alike: dict[tuple[object, ...], list[int]] = {}
        for index, version in enumerate(self.block.lotteries):
            lotteries = tuple(
                (lottery, tuple(asked))
                for lottery, names in version
                if (asked := [each for each in names if each in wanted])
            )
            alike.setdefault((index if self.block.chosen else -1, lotteries), []).append(index)
        kinds = []
        for versions in alike.values():
            first = self.block.versions[versions[0]]
            kinds.append(Kind(tuple(versions), self._asked(first), self._matrix(first)))
        entries = sum(kind.matrix.size for kind in kinds)
        if entries > MAX_ENTRIES:
            raise TooManyCells(self.names, entries, MAX_ENTRIES)
        return kinds

    def sized(self, sizes: Sizes) -> "VersionStack":
        """The same with so many replies to each version."""
        made = replace(self, sizes=tuple(sizes))
        made.__dict__["kinds"] = self.kinds  # which do not depend on sizes
        return made

    def sized_by(self, columns: Mapping[str, Column], people: Table) -> "VersionStack":
        return self.sized(np.bincount(columns[str(self.block.column)], people, len(self.block.versions)).tolist())

    @cached_property
    def asking(self) -> NDArray[np.bool_]:
        """[version] whether its replies count: those to a drawn version that asks none of the questions do not."""
        names = set(self.names)
        return np.array([self.block.chosen or not names.isdisjoint(version.names) for version in self.block.versions])

    def among_asked(self) -> "tuple[VersionStack, float]":
        sizes = np.where(self.asking, self.block.shares, 0.0)
        return (self, 1.0) if self.asking.all() else (self.sized(sizes.tolist()), float(sizes.sum()))

    def by_choice(self, tables: Table) -> Iterator[tuple[Table, Stack]]:
        for index, kind in enumerate(self.kinds):
            version = replace(self.block.versions[kind.versions[0]], share=1.0)
            rows = range(self.starts[index], self.starts[index + 1])
            alone = VersionStack(self.questions, self.axes, replace(self.block, versions=(version,)))
            yield np.take(tables, rows, axis=self.axes[0]), alone

    def _asked(self, version: Version) -> tuple[Question, ...]:
        """Those of the questions that a version asks, as its replies answer them."""
        pairs = [(question, version.channel(question.name)) for question in self.questions]
        return tuple(channel.reported(question) for question, channel in pairs if channel is not None)

    def _matrix(self, version: Version) -> Matrix:
        """P(report | true) of one version, reports in the order of the questions."""
        table, order = np.ones(()), []
        for channel in version.channels:
            axes = [axis for axis, name in enumerate(self.names) if name in channel.names]
            if axes:
                own = [self.questions[axis] for axis in axes]
                shape = [len(channel.reported(question)) for question in own]
                matrix = channel.matrix(own).reshape(*shape, *(self.true_shape[axis] for axis in axes))
                table = np.multiply.outer(table, matrix)
                order += [(side, axis) for side in (0, 1) for axis in axes]
        table = table.transpose(sorted(range(len(order)), key=order.__getitem__))  # all reports, then all truths
        asked = [version.channel(name) is not None for name in self.names]
        cells = [size if asks else 1 for size, asks in zip(self.true_shape, asked, strict=True)]
        table = table.reshape(-1, *cells)
        return np.broadcast_to(table, (len(table), *self.true_shape)).reshape(len(table), -1)

    @cached_property
    def shares(self) -> Table:
        """[k] of the replies: observed where sizes are known, else planned."""
        sizes = self.block.shares if self.sizes is None else np.asarray(self.sizes, dtype=float)
        found = np.array([sizes[list(kind.versions)].sum() for kind in self.kinds])
        return np.asarray(found / max(found.sum(), 1e-300))

    @cached_property
    def starts(self) -> Indices:
        """[k] the first report of each kind, and the number of all reports."""
        return np.concatenate([[0], np.cumsum([len(kind.matrix) for kind in self.kinds])]).astype(np.intp)

    @cached_property
    def kind_of_report(self) -> Indices:
        return np.repeat(np.arange(len(self.kinds)), np.diff(self.starts))

    def of_kind(self, table: Table, kind: int) -> Table:
        kept = self.kind_of_report == kind
        return np.where(kept.reshape([-1 if axis == self.axes[0] else 1 for axis in range(table.ndim)]), table, 0.0)

    def by_kind(self, reports: Indices) -> list[tuple[Matrix, Indices, Indices]]:
        kinds = self.kind_of_report[reports]
        rows = [np.flatnonzero(kinds == index) for index in range(len(self.kinds))]
        return [
            (kind.matrix, some, reports[some] - start)
            for kind, some, start in zip(self.kinds, rows, self.starts[:-1], strict=True)
            if len(some)
        ]

    @property
    def reported_shape(self) -> tuple[int, ...]:
        return (int(self.starts[-1]), *[1] * (len(self.axes) - 1))

    @cached_property
    def matrix(self) -> Matrix:
        return np.vstack([share * kind.matrix for share, kind in zip(self.shares, self.kinds, strict=True)])

    @cached_property
    def inverse(self) -> Matrix:
        """The weighted left inverse, as far as there is one; of each version for itself where they are chosen."""
        if not self.block.chosen:
            return row_space_inverse(self.matrix)
        return np.hstack([row_space_inverse(kind.matrix) for kind in self.kinds])

    def undisguised(self, table: Table, power: object = np.asarray) -> Table:
        self.check_identified()
        return super().undisguised(table, power)  # type: ignore[arg-type]

    def weights(self, values: Table) -> Table:
        front = np.moveaxis(values, self.axes, range(len(self.axes)))
        self._refuse_unidentified(front.reshape(prod(self.true_shape), -1), "this about")
        return super().weights(values)

    def check_identified(self) -> None:
        self._refuse_unidentified(np.eye(prod(self.true_shape)), "the joint answers to")

    def check_together(self) -> None:
        """Refuse questions that no version, or not every one that was chosen, asks together.

        Under noise nothing is inverted, and a model would answer with what it starts from.
        """
        sizes = self.block.shares if self.sizes is None else self.sizes
        asks = [set(self.names) <= set(version.names) for version in self.block.versions]
        there = [asked for asked, size in zip(asks, sizes, strict=True) if size > 0]
        if there and not (all(there) if self.block.chosen else any(there)):
            self._refuse("the joint answers to")

    def identifies(self, values: Table) -> bool:
        """Whether replies identify figures [true cell, figure] of the truth."""
        scale = RESIDUAL * max(1.0, float(np.abs(values).max(initial=0.0)))
        if not self.block.chosen:
            return bool(np.abs(self.matrix.T @ (self.inverse.T @ values) - values).max(initial=0.0) < scale)
        parts = np.split(self.inverse, self.starts[1:-1], axis=1)
        return all(
            np.abs(kind.matrix.T @ (part.T @ values) - values).max(initial=0.0) < scale
            for kind, part, share in zip(self.kinds, parts, self.shares, strict=True)
            if share > 0 or self.sizes is None
        )

    def _refuse_unidentified(self, values: Table, what: str) -> None:
        if not self.identifies(values):
            if self.sizes is not None and self.sized(self.block.shares.tolist()).identifies(values):
                names = ", ".join(self.names)
                raise NoReplies(
                    f"replies to the versions that tell {what} {names}", "are lacking", "collect more replies"
                )
            self._refuse(what)

    def _refuse(self, what: str) -> None:
        names = ", ".join(part.name for question in self.questions for part in question.parts)
        most = max(len(kind.asked) for kind in self.kinds)
        if any(question.beside for question in self.questions):
            raise NotIdentified(f"{what} {names}", "a report does not say which of them it answers",
                                "ask about one of them alone")  # fmt: skip
        if self.block.chosen:
            lacking = [version.name for version in self.block.versions if not set(self.names) <= set(version.names)]
            why = (
                f"people who choose the version {lacking[0]!r} are not asked all of it"
                if lacking
                else "its lottery hides it"
            )
            raise NotIdentified(f"{what} {names}", why, "ask it in every version that can be chosen")
        every = "both" if len(self.names) == 2 else f"all {len(self.names)}"
        together = f"no version asks {every} together" if most < len(self.names) else "no version tells"
        recipe = self.block.recipe.settings
        needed = sum(name not in recipe.get("always", ()) for name in self.names)
        more = f"raise ask to {needed}" if "ask" in recipe else "have a version ask them together"
        raise NotIdentified(f"{what} {names}", together, f"ask about fewer of them, or {more}")

    def replies_of_asked(self, replies: Distinct) -> Distinct:
        versions = replies.columns[str(self.block.column)]
        for kind in self.kinds:
            if not kind.asked:
                self.refuse_unasked(kind, replies.columns, np.flatnonzero(np.isin(versions, kind.versions)))
        return replies.only(np.append(self.asking, True)[versions])  # a version that is missing counts as a gap

    def reports_of_asked(self, reports: Indices) -> Indices:
        asking = self.asking[[kind.versions[0] for kind in self.kinds]]
        return np.where(asking[self.kind_of_report[reports]], reports, -1)

    def indices(self, columns: Mapping[str, Column]) -> tuple[list[Indices], Lacking]:
        versions = columns[str(self.block.column)]
        found = np.full(len(versions), -1, dtype=np.intp)
        lacking = {name: np.zeros(len(versions), dtype=bool) for name in self.names}
        kind_of = np.empty(len(self.block.versions), dtype=np.intp)
        for index, kind in enumerate(self.kinds):
            kind_of[list(kind.versions)] = index
        kinds = np.where(versions >= 0, kind_of[versions], -1)
        for index, kind in enumerate(self.kinds):
            rows = np.flatnonzero(kinds == index)
            if not len(rows):
                continue
            key, whole = np.zeros(len(rows), dtype=np.intp), np.ones(len(rows), dtype=bool)
            for question in kind.asked:
                cells = self._own_cells(question, columns[question.name][rows])
                there = cells >= 0
                lacking[question.name][rows[~there]] = True
                key, whole = key * len(question) + np.where(there, cells, 0), whole & there
            self.refuse_unasked(kind, columns, rows)
            found[rows] = np.where(whole, self.starts[index] + key, -1)
        lacking[str(self.block.column)] = versions < 0
        others = [np.zeros_like(found) for _ in self.axes[1:]]
        return [found, *others], {name: there for name, there in lacking.items() if there.any()}

    def _own_cells(self, question: Question, column: Column) -> Indices:
        """The cells of a column as replies to one version have them."""
        every = self.block.reported(question.name)
        if column.dtype.kind == "f" or question.is_number or every.answers == question.answers:
            return cells_of(question, column)
        own = [question.answers.index(word) if word in question.answers else -2 for word in every.answers]
        cells = np.append(own, -1)[column]
        if (cells == -2).any():
            word = every.answers[int(column[np.argmax(cells == -2)])]
            raise BadReplies(f"replies say {word!r} to {question.name!r} in a version that cannot report it")
        return np.asarray(cells, dtype=np.intp)

    def refuse_unasked(self, kind: Kind, columns: Mapping[str, Column], rows: Indices) -> None:
        """Refuse answers to what the version does not ask."""
        asked = {question.name for question in kind.asked}
        for name in self.names:
            if name not in asked and is_answered(columns[name][rows]).any():
                version = self.block.versions[kind.versions[0]].name
                raise BadReplies(f"replies to the version {version!r} answer {name!r}, which it does not ask")

    def conditioned(self, reported: Table, weights: Table) -> Table:
        if self.block.chosen:
            return weights
        axis, kinds = self.axes[0], self.kind_of_report
        counts, own = np.moveaxis(reported, axis, 0), np.moveaxis(weights, axis, 0)
        flat, figures = counts.reshape(len(counts), -1), own.shape[counts.ndim :]
        members = (np.arange(len(self.kinds))[:, None] == kinds).astype(float)  # [k, report]
        totals = members @ np.einsum("rx,rx...->r...", flat, own.reshape(*flat.shape, *figures))
        found = strata((members @ flat.sum(axis=1)).reshape(-1, *[1] * len(figures)), totals, 0)
        apart = (len(counts), *[1] * (counts.ndim - 1))
        mean, scale = (each[kinds].reshape(*apart, *each.shape[1:]) for each in (found.mean, found.scale))
        return np.moveaxis(totals.sum(axis=0) / counts.sum() + (own - mean) * scale, 0, axis)


@dataclass(frozen=True)
class Strata:
    """The mean weight of each kind of versions, and the factor by which its variance would be too small."""

    mean: Table
    scale: Table


def strata(sizes: Table, totals: Table, axis: int) -> Strata:
    """Sizes of kinds along an axis as given, with these totals of weights; small kinds are taken together."""
    small = sizes < MIN_STRATUM
    n, total = (np.where(small, (each * small).sum(axis=axis, keepdims=True), each) for each in (sizes, totals))
    return Strata(total / np.maximum(n, TINY), np.sqrt(n / np.maximum(n - 1, 1.0)))


def row_space_inverse(matrix: Matrix) -> Matrix:
    """The left inverse of a matrix on its row space, reports weighed by their chances under even truths.

    As for an invertible matrix (`left_inverse`), its columns sum to one, so that untouched questions keep the weight 1.
    """
    chance = matrix.mean(axis=1)
    weighted = matrix.T / np.where(chance > 0, chance, 1.0)
    sizes, directions = np.linalg.eigh(weighted @ matrix)
    kept = sizes > sizes[-1] / MAX_RATIO
    return np.asarray((directions[:, kept] / sizes[kept]) @ directions[:, kept].T @ weighted)

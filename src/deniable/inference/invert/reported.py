"""Reported table of some questions, counted so that it fits the stacks of its blocks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from scipy.special import chdtrc

from deniable.channel.block import Block
from deniable.channel.design import Design
from deniable.count.counts import Counts, Distinct, reported_cells, table_shape, tally
from deniable.count.cut import in_cells
from deniable.count.missing import NO_GAPS, Gaps, complete, lacking_rows, missing_cells
from deniable.errors import MissingColumns, TooManyCells
from deniable.inference.heaping import heaping_note
from deniable.inference.invert.stack import Indices, Lacking, Stack, Table
from deniable.inference.invert.stacks import stacks_of, weights_of
from deniable.inference.sampling.drawn import DesignEffect, Drawn
from deniable.inference.sampling.sample import Sample
from deniable.survey.question import Question

MAX_CELLS = 2**24
UNLIKELY = 0.001  # a chance of versions' sizes so far from their shares, below which a note says so


@dataclass(frozen=True)
class Reported:
    """The replies to some questions by reported cells, one axis per question, and the stacks that disguised them."""

    table: Table
    stacks: list[Stack]
    gaps: Gaps = NO_GAPS
    note: str = ""  # on versions whose sizes are not as planned, and numbers that people round
    drawn: Drawn | None = None  # how the people behind each distinct reply were drawn, if not evenly
    replies: Distinct | None = None  # the replies that it counts, if people were not drawn evenly
    cells: Indices | None = None  # [reply], their indices in the table
    scale: float = 1.0  # of the table, beside the number of replies
    design_effect: DesignEffect | None = None  # where it is scaled to people drawn evenly

    @classmethod
    def of(
        cls, design: Design, counts: Counts, questions: Sequence[Question], sample: Sample | None = None
    ) -> "Reported":
        """Count the replies that answer these (true, perhaps newly cut) questions, as far as they were asked."""
        stacks = stacks_of(design, questions)
        if any(stack.has_versions for stack in stacks):
            return _of_versions(design, counts, questions, stacks, sample)
        asked = [design.reported(question) for question in questions]
        beside = [] if sample is None else [design.reported(name) for name in sample.names]
        counts = in_cells(counts, design, questions, [each.name for each in beside])
        replies, gaps = complete(counts, [*asked, *beside])
        note = heaping_note(design, replies, questions)
        if sample is None:
            return cls(tally(replies, asked), stacks, gaps, note)
        indices = [reported_cells(each, replies.columns[each.name]) for each in asked]
        cells = np.ravel_multi_index([np.asarray(each, dtype=np.intp) for each in indices], table_shape(asked))
        drawn = sample.drawn(replies)
        table = _counted(cells, drawn.table_counts, table_shape(asked))
        return cls(table, stacks, gaps, note, drawn, replies, cells)

    def scaled(self, factor: float, effect: DesignEffect | None = None) -> "Reported":
        """The same shares from so many times as many replies, of people drawn evenly."""
        scale = self.scale * factor
        return Reported(self.table * factor, self.stacks, self.gaps, self.note, scale=scale, design_effect=effect)

    def conditioned(self, weights: Table) -> Table:
        """Weights with the same mean, and the variance of one whose versions' sizes are given."""
        for stack in self.stacks:
            weights = stack.conditioned(self.table, weights)
        return weights

    def check_together(self) -> None:
        """Refuse questions of one block that are never asked together."""
        for stack in self.stacks:
            stack.check_together()

    def check_identified(self) -> None:
        """Refuse questions of which versions do not identify every combination of answers."""
        for stack in self.stacks:
            stack.check_identified()

    @property
    def has_versions(self) -> bool:
        """Whether any of its questions has versions."""
        return any(stack.has_versions for stack in self.stacks)

    def estimated(self, values: Table | None = None) -> tuple[Table, Table]:
        """Unbiased totals of figures [*true cell, figure], of every cell unless given, and their covariance."""
        if values is None:
            shape = [sum(stack.true_shape[stack.axes.index(axis)] for stack in self.stacks if axis in stack.axes)
                     for axis in range(self.table.ndim)]  # fmt: skip
            values = np.eye(int(np.prod(shape))).reshape(*shape, -1)
        weights = weights_of(values, self.stacks).reshape(-1, values.shape[-1])
        apart = self.conditioned(weights.reshape(*self.table.shape, -1)).reshape(weights.shape)
        counts = self.table.ravel()
        apart = apart - (counts @ apart) / counts.sum()
        return counts @ weights, (apart.T * counts) @ apart

    @property
    def strata(self) -> list[Table]:
        """The table by versions whose sizes are given: parts of it that add up to it."""
        parts = [self.table]
        for stack in self.stacks:
            if stack.is_drawn:
                parts = [stack.of_kind(part, kind) for part in parts for kind in range(len(stack.shares))]
        return [part for part in parts if part.any()]

    def by_choice(self, tables: Table) -> list[tuple[Table, Table, list[Stack]]]:
        """Tables [*report, table] of the people who chose each version, their shares [table] and their stacks.

        Everybody together where nothing was chosen.
        """
        found = [(np.ones(tables.shape[-1]), tables, self.stacks)]
        for index, stack in enumerate(self.stacks):
            if stack.is_chosen:
                found = [part for each in found for part in _apart(*each, index)]
        return found


def _apart(
    shares: Table, tables: Table, stacks: Sequence[Stack], index: int
) -> Iterator[tuple[Table, Table, list[Stack]]]:
    """One part of some tables for each version of a stack that was chosen."""
    total = np.maximum(tables.reshape(-1, tables.shape[-1]).sum(axis=0), 1.0)
    for some, version in stacks[index].by_choice(tables):
        people = some.reshape(-1, some.shape[-1]).sum(axis=0)
        if people.any():
            yield shares * people / total, some, [*stacks[:index], version, *stacks[index + 1 :]]


def needed_columns(design: Design, counts: Counts, names: Sequence[str], sample: Sample | None = None) -> list[str]:
    """The columns from which the table of these questions is counted: also their versions, and the sample's own."""
    columns = [str(block.column) for block in design.blocks_of(names) if block.column is not None]
    if lacking := [column for column in columns if column not in counts.names]:
        raise MissingColumns(lacking, counts.names, what="of versions ")
    return list(dict.fromkeys([*columns, *names, *(() if sample is None else sample.names)]))


def _of_versions(
    design: Design,
    counts: Counts,
    questions: Sequence[Question],
    stacks: Sequence[Stack],
    sample: Sample | None = None,
) -> Reported:
    names = [question.name for question in questions]
    blocks = [block for block in design.versioned if not set(names).isdisjoint(block.names)]
    beside = [] if sample is None else [design.reported(name) for name in sample.names]
    needed = needed_columns(design, counts, names, sample)
    counts = in_cells(counts, design, questions, [] if sample is None else sample.names)
    replies = counts.distinct(needed, answered=False)
    note = sizes_note(blocks, replies)
    if len(stacks) == 1:
        replies = stacks[0].replies_of_asked(replies)
    shape, indices, missing = _indices(stacks, replies)
    missing |= missing_cells(beside, replies.columns)
    if prod(shape) > MAX_CELLS:
        raise TooManyCells(names, prod(shape), MAX_CELLS)
    whole = np.logical_and.reduce([each >= 0 for each in indices]) & ~lacking_rows(missing, len(replies.counts))
    gaps = Gaps.of(questions, missing, replies.counts, float(replies.counts[whole].sum()))
    used = replies.only(whole)
    drawn = None if sample is None else sample.drawn(used)
    people = used.counts if drawn is None else drawn.table_counts
    cells = np.ravel_multi_index(tuple(each[whole] for each in indices), shape)
    table = _counted(cells, people, shape)
    sized = [stack.sized_by(used.columns, people) for stack in stacks]
    notes = "; ".join(filter(None, [note, heaping_note(design, used, questions)]))
    if drawn is None:
        return Reported(table, sized, gaps, notes)
    return Reported(table, sized, gaps, notes, drawn, used, cells)


def _indices(stacks: Sequence[Stack], replies: Distinct) -> tuple[list[int], list[Indices], Lacking]:
    """The shape of the reported table, every reply's index along each axis (-1: none), and which replies lack what."""
    axes: dict[int, tuple[int, Indices]] = {}
    missing: Lacking = {}
    for stack in stacks:
        indices, lacking = stack.indices(replies.columns)
        axes |= zip(stack.axes, zip(stack.reported_shape, indices, strict=True), strict=True)
        missing |= lacking
    found = [axes[axis] for axis in range(len(axes))]
    return [size for size, _ in found], [index for _, index in found], missing


def cells_in_table(stacks: Sequence[Stack], replies: Distinct) -> Indices:
    """[reply] the cell of the stacks' reported table in which it counts, -1 where it counts in none."""
    shape, indices, _ = _indices(stacks, replies)
    if len(stacks) == 1:
        indices[0] = stacks[0].reports_of_asked(indices[0])
    there = np.logical_and.reduce([each >= 0 for each in indices])
    cells = np.ravel_multi_index(tuple(np.where(there, each, 0) for each in indices), shape)
    return np.where(there, cells, -1)


def _counted(cells: Indices, people: Table, shape: Sequence[int]) -> Table:
    """The table of so many people in these cells, given by their indices in it."""
    return np.asarray(np.bincount(cells, people, prod(shape)), dtype=float).reshape(shape)


def sizes_note(blocks: Sequence[Block], replies: Distinct) -> str:
    """A note where versions that were drawn are not as frequent as planned, which chance does not explain."""
    return "; ".join(filter(None, (_size_note(block, replies) for block in blocks if not block.chosen)))


def _size_note(block: Block, replies: Distinct) -> str:
    versions = replies.columns[str(block.column)]
    sizes = np.bincount(versions[versions >= 0], replies.counts[versions >= 0], len(block.versions))
    n = float(sizes.sum())
    if not n or len(sizes) < 2:
        return ""
    chi2 = float(((sizes - n * block.shares) ** 2 / (n * block.shares)).sum())
    if chdtrc(len(sizes) - 1, chi2) >= UNLIKELY:
        return ""
    worst = int(np.argmax(np.abs(sizes / n - block.shares)))
    return (
        f"the version {block.versions[worst].name!r} has {sizes[worst] / n:.1%} of the replies, planned were "
        f"{block.shares[worst]:.1%}, which chance does not explain: people may have dropped out, or chosen"
    )

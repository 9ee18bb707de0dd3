"""Replies that a regression uses: who answers all that it needs, and by which report.

legend: reply a distinct one; stack the disguised questions of one block; combination of reports, one of each stack
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from math import prod

import numpy as np
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.count.counts import Distinct, is_answered
from deniable.count.merged import groups, merged
from deniable.count.missing import Gaps, lacking_answers, missing_cells
from deniable.errors import NoAnswers, TooManyCells
from deniable.inference.invert.reported import sizes_note
from deniable.inference.invert.stack import Lacking, Stack
from deniable.inference.invert.stacks import stacks_of
from deniable.inference.invert.versions import MIN_STRATUM
from deniable.regression.outcome import Floats
from deniable.regression.variables import Variable

Ints = NDArray[np.intp]
CHUNK = 2**14  # rows that are looked at together
MAX_WEIGHTS = 2**26  # of all combinations of reports, for all true cells


@dataclass(frozen=True)
class UsedReplies:
    """The distinct replies that answer everything a regression needs."""

    replies: Distinct
    stacks: Sequence[Stack]
    reports: Sequence[Ints]  # [reply], of each stack
    gaps: Gaps
    note: str

    @property
    def counts(self) -> Floats:
        """How many respondents gave each."""
        return self.replies.counts

    @property
    def kinds(self) -> Ints:
        """[reply] the kinds of versions it answers, as a number."""
        found = np.zeros(len(self.counts), dtype=np.intp)
        for stack, reports in zip(self.stacks, self.reports, strict=True):
            if stack.is_drawn:
                found = found * len(stack.shares) + stack.kind_of_report[reports]
        return found

    def strata(self) -> Ints:
        """[reply] the kinds of versions, whose sizes count as given; the rarest are taken together."""
        found = self.kinds
        if not found.any():
            return found
        _, found = np.unique(found, return_inverse=True)
        sizes = np.bincount(found, self.counts)
        return np.asarray(np.where(sizes[found] < MIN_STRATUM, -1, found))

    def weights(self) -> tuple[Floats, Ints]:
        """The signed weights of each combination of reports for all true cells, and every reply's combination."""
        columns = {str(index): reports for index, reports in enumerate(self.reports)}
        order, index = groups(Distinct(columns, self.counts))
        index = np.arange(len(order)) if index is None else index
        cells = prod(size for stack in self.stacks for size in stack.true_shape)
        if cells * len(order) > MAX_WEIGHTS:
            raise TooManyCells([name for stack in self.stacks for name in stack.names], cells * len(order), MAX_WEIGHTS)
        own = [_own_weights(stack)[reports[order]] for stack, reports in zip(self.stacks, self.reports, strict=True)]
        shapes = [size for stack in self.stacks for size in stack.true_shape]
        product = reduce(lambda one, two: (one[:, :, None] * two[:, None]).reshape(len(one), -1), own,
                         np.ones((len(order), 1)))  # fmt: skip
        axes = [axis for stack in self.stacks for axis in stack.axes]
        table = product.reshape(len(order), *shapes).transpose(0, *(1 + np.argsort(axes)))
        return table, index


def _own_weights(stack: Stack) -> Floats:
    """The weight of each report of one stack for each of its true cells: [report, cell]."""
    alone = replace(stack, axes=tuple(range(len(stack.axes))))
    cells = prod(stack.true_shape)
    return alone.weights(np.eye(cells).reshape(*stack.true_shape, cells)).reshape(-1, cells)


def columns_of(design: Design, variables: Sequence[Variable], others: Sequence[str]) -> list[str]:
    """The columns that a regression needs of replies."""
    asked = [each.name for each in variables if each.name in design.names]
    beside = [each.name for each in variables if each.name not in design.names]
    return list(dict.fromkeys([*design.columns_of(asked), *beside, *others]))


def used_replies(design: Design, replies: Distinct, variables: Sequence[Variable]) -> UsedReplies:
    """The replies that answer all variables and have all other columns."""
    names, replies = list(replies.columns), merged(replies)
    stacks = stacks_of(design, [each.question for each in variables if each.source == "cells"])
    whole, reports, missing = _answering(design, stacks, replies)
    used, plain = replies.only(whole), [design.reported(name) for name in names]
    if not used.counts.sum():
        Gaps.of(plain, missing, replies.counts)
        raise NoAnswers(names)
    asked = {each.name for each in variables if each.name in design.names}
    blocks = [block for block in design.versioned if block.column in names and set(block.names) & asked]
    note = sizes_note(blocks, replies)
    gaps = Gaps.of(plain, missing, replies.counts, float(used.counts.sum()))
    sized = [stack.sized_by(used.columns, used.counts) for stack in stacks]
    return UsedReplies(used, sized, [each[whole] for each in reports], gaps, note)


def likewise(design: Design, replies: Distinct, known: UsedReplies) -> UsedReplies:
    """Those of some replies that answer everything, where all replies are known in outline."""
    whole, reports, _ = _answering(design, known.stacks, replies)
    return replace(known, replies=replies.only(whole), reports=[each[whole] for each in reports])


def _answering(
    design: Design, stacks: Sequence[Stack], replies: Distinct
) -> tuple[NDArray[np.bool_], list[Ints], dict[str, NDArray[np.bool_]]]:
    """Which replies answer everything, the report of each in every stack, and which lack which cell."""
    reports, missing = _reports(stacks, replies)
    disguised = {name for stack in stacks for name in stack.names}
    rest = [design.reported(name) for name in replies.columns if name not in disguised]
    missing |= missing_cells(rest, replies.columns) | lacking_answers(design, replies.columns)
    whole = np.logical_and.reduce([*(each >= 0 for each in reports),
                                   *(is_answered(replies.columns[each.name]) for each in rest)])  # fmt: skip
    return whole, reports, missing


def _reports(stacks: Sequence[Stack], replies: Distinct) -> tuple[list[Ints], Lacking]:
    """The report of each reply in every stack, -1 where it lacks a cell or tells nothing; and who lacks which."""
    reports: list[Ints] = []
    missing: Lacking = {}
    for stack in stacks:
        found, lacking = stack.reports(replies.columns)
        reports.append(stack.reports_of_asked(found) if len(stacks) == 1 else found)
        missing |= lacking
    return reports, missing


def of_versions(columns: Mapping[str, NDArray[np.generic]], design: Design, name: str) -> NDArray[np.intp]:
    """[reply] which version of a question's block it answers; the only one of a plain block."""
    block = design.block(name)
    return np.asarray(columns[block.column]) if block.column else np.zeros(len(next(iter(columns.values()))), np.intp)


def pieces(rows: int) -> Iterator[slice]:
    """Rows in pieces that stay in the processor's cache."""
    for start in range(0, rows, CHUNK):
        yield slice(start, min(start + CHUNK, rows))

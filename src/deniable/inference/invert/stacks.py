"""Stacks of a table: its questions, grouped by the block that disguises them.

Blocks are independent, so the disguise of a table is the Kronecker product of one matrix per block. That product is
never built: each matrix is applied along its own axes of the table.
"""

from collections.abc import Callable, Sequence

import numpy as np

from deniable.channel.design import Design
from deniable.channel.instruction import Matrix
from deniable.inference.invert.stack import ChannelStack, Stack, Table
from deniable.inference.invert.versions import VersionStack
from deniable.survey.question import Question


def stacks_of(design: Design, questions: Sequence[Question]) -> list[Stack]:
    """The stacks of a table of these questions, one for each block they belong to; versions with planned shares."""
    found: list[Stack] = []
    for block in design.blocks:
        axes = tuple(axis for axis, question in enumerate(questions) if question.name in block.names)
        own = tuple(questions[axis] for axis in axes)
        if axes and block.is_plain:
            found.append(ChannelStack(own, axes, block.channels[0]))
        elif axes:
            found.append(VersionStack(own, axes, block))
    return found


def among_asked(stacks: Sequence[Stack]) -> tuple[list[Stack], float]:
    """The stacks from which a figure is estimated, and the share of people who are asked any of it, as planned.

    Replies to versions that ask none of the questions count only where questions of other blocks come in.
    """
    if len(stacks) != 1:
        return list(stacks), 1.0
    stack, asked = stacks[0].among_asked()
    return [stack], asked


def disguised(table: Table, stacks: Sequence[Stack]) -> Table:
    """The reported table to be expected from a true one."""
    for stack in stacks:
        table = stack.disguised(table)
    return table


def adjoint(table: Table, stacks: Sequence[Stack]) -> Table:
    """The transpose of `disguised`: for each true cell, the sum over reports of chance times entry."""
    for stack in stacks:
        table = stack.adjoint(table)
    return table


def undisguised(table: Table, stacks: Sequence[Stack], power: Callable[[Matrix], Matrix] = np.asarray) -> Table:
    """The unbiased estimate of the true table; with `power`, the sum of powers of its weights."""
    for stack in stacks:
        table = stack.undisguised(table, power)
    return table


def weights_of(values: Table, stacks: Sequence[Stack]) -> Table:
    """The signed weight of each possible report, such that weights average to the values' true average."""
    for stack in stacks:
        values = stack.weights(values)
    return values

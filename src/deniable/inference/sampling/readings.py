"""Signed weights as a column: each reply's unbiased reading of whether an expression holds for its respondent.

The mean of the column is the estimated share. Survey packages take it for a variable of zeros and ones: R's survey,
Stata's svy and Python's samplics compute means, totals and their errors from it by any sampling design.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from deniable.channel.design import Design, check_design
from deniable.count.counts import Distinct
from deniable.count.replies import counts_of
from deniable.errors import BadRequest
from deniable.frame.columns import Missing
from deniable.inference.invert.reported import Reported, cells_in_table
from deniable.inference.invert.stack import Stack
from deniable.inference.invert.stacks import weights_of
from deniable.inference.query.query import query_of
from deniable.inference.sampling.reply_column import Floats, in_rows, reply_column


def weights(design: Design, replies: Any, expression: str, *, missing: Missing = "skip") -> Any:
    """Each reply's signed weight for the expression, as a column of the replies' own kind and in their order.

    It is null for replies that lack an answer, or whose version asks nothing of it. Of a Spark frame it is a column
    for `replies.withColumn("weight", ...)`.
    """
    check_design(design)
    query = query_of(design, expression)
    if any(design.has_noise(question.name) for question in query.questions):
        raise BadRequest("the expression", "without numbers under noise, whose replies have no weights", expression,
                         "use dn.estimate")  # fmt: skip
    frame = in_rows(replies)
    counts = counts_of(design, frame, missing, one_by_one=True)
    stacks = Reported.of(design, counts, query.questions).stacks
    by_cell = weights_of(query.masks[0].astype(float), stacks).ravel()
    names = design.columns_of(question.name for question in query.questions)
    return reply_column(design, frame, counts, names, _Reading(stacks, by_cell))


@dataclass(frozen=True)
class _Reading:
    """The weight of each reply, by the cell of the reported table in which it counts."""

    stacks: list[Stack]
    by_cell: Floats

    def __call__(self, replies: Distinct) -> Floats:
        cells = cells_in_table(self.stacks, replies)
        return np.where(cells >= 0, self.by_cell[cells], np.nan)

"""Signed weights as a column: each reply's unbiased reading of whether an expression holds for its respondent.

The mean of the column is the estimated share. Survey packages take it for a variable of zeros and ones: R's survey,
Stata's svy and Python's samplics compute means, totals and their errors from it by any sampling design.
"""

from os import PathLike
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.channel.design import Design, check_design
from deniable.count.counts import Distinct
from deniable.count.replies import backend_of, counts_of
from deniable.errors import BadRequest
from deniable.frame import files
from deniable.frame.columns import Missing
from deniable.frame.frames import eager
from deniable.inference.invert.reported import Reported
from deniable.inference.invert.stacks import weights_of
from deniable.inference.query.query import query_of
from deniable.inference.sampling.sample import Sample
from deniable.survey.question import free_number

ROW = "number of the reply"  # a column of our own


def weights(design: Design, replies: Any, expression: str, *, missing: Missing = "skip") -> Any:
    """Each reply's signed weight for the expression, as a column of the replies' own kind and in their order.

    It is null for replies that lack an answer, or whose version asks nothing of it.
    """
    check_design(design)
    query = query_of(design, expression)
    if any(design.has_noise(question.name) for question in query.questions):
        raise BadRequest("the expression", "without numbers under noise, whose replies have no weights", expression,
                         "use dn.estimate")  # fmt: skip
    frame = in_memory(replies)
    counts = counts_of(design, frame, missing, one_by_one=True)
    known = counts.distinct(_columns(design, query.questions), answered=False)
    rows = Distinct({**known.columns, ROW: np.arange(len(known.counts), dtype=float)}, known.counts)
    numbered = design.beside([free_number(ROW)])
    found = Reported.of(numbered, rows, query.questions, Sample(others=(ROW,)))
    assert found.replies is not None
    by_cell = weights_of(query.masks[0].astype(float), found.stacks).ravel()
    column = np.full(len(known.counts), np.nan)
    column[found.replies.columns[ROW].astype(int)] = by_cell[found.cells]
    return as_column(frame, "weight", column)


def in_memory(replies: Any) -> Any:
    """A frame, or the table in a file, whose rows have an order."""
    if isinstance(replies, str | PathLike):
        return pa.concat_tables(files.read(Path(replies)))
    return eager(replies, "replies").to_native()


def as_column(frame: Any, name: str, values: NDArray[np.float64]) -> Any:
    """Numbers as a column of the frame's own kind (pandas: with its index); NaN is null."""
    known = [None if lacks else value for value, lacks in zip(values.tolist(), np.isnan(values), strict=True)]
    native = nw.new_series(name, known, nw.Float64, backend=backend_of(frame)).to_native()
    index = nw.maybe_get_index(nw.from_native(frame))
    return native if index is None else native.set_axis(index)


def _columns(design: Design, questions: Any) -> list[str]:
    return design.columns_of(question.name for question in questions)

"""A learner's own replies as counts, so that estimates can be asked of them; and those of a frame that are whole."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.count.counts import Distinct
from deniable.count.missing import Gaps, whole_rows
from deniable.frame.columns import Missing, absent_cells
from deniable.frame.frames import arrow
from deniable.inference.records import Records
from deniable.survey.question import Question


@dataclass(frozen=True)
class RecordCounts:
    """Counts over the distinct replies that a learner was given, as reported cells."""

    names: Sequence[str]
    records: Records

    @property
    def n(self) -> int:
        return round(float(self.records.times.sum()))

    def distinct(self, names: Sequence[str], answered: bool = True) -> Distinct:
        return Distinct({name: self.records.cells[self.names.index(name)] for name in names}, self.records.times)

    def counts(self, questions: Sequence[Question]) -> NDArray[np.float64]:
        """Numbers are cells already, so they are not cut again."""
        shape = tuple(len(question) for question in questions)
        cells = [self.records.cells[self.names.index(question.name)] for question in questions]
        keys = np.ravel_multi_index(cells, shape)
        return np.bincount(keys, self.records.times, minlength=int(np.prod(shape))).astype(float).reshape(shape)


def whole_replies(
    design: Design, questions: Sequence[Question], frame: nw.DataFrame[Any], missing: Missing
) -> tuple[nw.DataFrame[Any], Gaps]:
    """The rows of a frame that lack no cell of these questions, and what the others lack."""
    asked = [design.reported(question) for question in questions]
    absent = absent_cells(asked, lambda name: arrow(frame[name]), frame.columns, missing)
    gaps = Gaps.of(asked, absent, np.ones(len(frame)))
    return (frame.filter(whole_rows(absent, len(frame)).tolist()) if absent else frame), gaps

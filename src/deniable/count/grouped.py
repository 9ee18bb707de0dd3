"""Grouped replies as Arrow tables: what an engine has counted, and the distinct replies in it."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from deniable.channel.design import Design
from deniable.collect.grouping import GroupingSets
from deniable.count.counts import Distinct
from deniable.frame.columns import Missing, reported_columns


def rows_of(found: pa.Table, sets: GroupingSets, names: Sequence[str]) -> pa.Table:
    """The rows of the set with these columns: the columns, and how often each row occurs."""
    counts = len(sets.columns)  # the column of the counts; behind it, to which set a row belongs
    kinds = [found.column(counts + 1 + index).to_numpy() == kind for index, kind in enumerate(sets.which(names))]
    rows = found.select([*[sets.columns.index(name) for name in names], counts])
    return rows.filter(pa.array(np.logical_and.reduce(kinds))) if kinds else rows


def distinct_in(design: Design, found: pa.Table, names: Sequence[str], missing: Missing) -> Distinct:
    """The distinct replies in a table of columns with these names and, last, how often each row occurs."""
    counts = found.column(len(names)).to_numpy().astype(float)
    questions = [design.reported(name) for name in names]
    columns = reported_columns(questions, lambda name: found.column(names.index(name)), names, counts, missing=missing)
    return Distinct(columns, counts)


def quoted(name: str, sign: str = '"') -> str:
    """A name as SQL writes it."""
    return f"{sign}{name.replace(sign, 2 * sign)}{sign}"

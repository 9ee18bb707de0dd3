"""SPSS and Stata files (.sav, .dta): codes with labels in the file, words inside.

A column whose codes all have labels is read as these labels, every other one as its numbers or words. Answers are
written as codes from 1 on, labelled with their words in the order of the design, and columns are labelled with the
questions' wordings. Both formats are written whole, so what is written must fit the memory.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deniable.errors import BadFile
from deniable.extras import needed_for
from deniable.survey.question import Question

ROWS = 65_536
FOR_SPSS = {"_design": "design_"}  # the mark of replies: no name may begin with an underscore there
MAX_LABEL = 120  # bytes of an SPSS value label; Stata takes more
MAX_NAME = {".sav": 64, ".dta": 32}  # letters of a column's name


@dataclass(frozen=True)
class Labels:
    """What a column is labelled with: the question's wording, and its answers in order."""

    wording: str
    answers: tuple[str, ...] = ()


def labels_of(questions: Iterable[Question]) -> dict[str, Labels]:
    """What the columns of these questions are labelled with, by name."""
    return {each.name: Labels(each.wording, () if each.is_number else each.answers) for each in questions}


def column_names(path: Path) -> list[str]:
    """The names of the file's columns."""
    return [_meant(name) for name in _opened(path, metadataonly=True)[1].column_names]


def read(path: Path, columns: list[str], progress: Callable[[float], None]) -> Iterator[pa.Table]:
    """The file's pieces, with these columns; labelled codes as words."""
    total, done = max(int(_opened(path, metadataonly=True)[1].number_rows or 0), 1), 0
    written = {_meant(name): name for name in _opened(path, metadataonly=True)[1].column_names}
    heads = [written[name] for name in columns]
    words = _worded(path, heads)
    while True:
        found, about = _opened(path, usecols=heads, row_limit=ROWS, row_offset=done)
        rows = len(next(iter(found.values()), ()))
        if rows:
            labels = about.variable_value_labels
            arrays = [_column(found[head], labels[head] if head in words else {}) for head in heads]
            yield pa.table(dict(zip(columns, arrays, strict=True)))
        done += rows
        progress(min(done / total, 1.0))
        if rows < ROWS:
            return


def _meant(name: str) -> str:
    """A column's name as other files have it."""
    return next((meant for meant, written in FOR_SPSS.items() if written == name), name)


def _worded(path: Path, columns: Sequence[str]) -> set[str]:
    """The columns all of whose values have labels, in the whole file."""
    found, about = _opened(path, usecols=list(columns))
    labelled = about.variable_value_labels
    return {name for name in columns if name in labelled and _all_labelled(found[name], labelled[name])}


def _all_labelled(values: Any, labels: Mapping[Any, str]) -> bool:
    return set(np.unique(_known(values)).tolist()) <= set(labels)


def _known(values: Any) -> Any:
    values = np.asarray(values)
    return values[~np.isnan(values)] if values.dtype.kind == "f" else values[[each is not None for each in values]]


def _column(values: Any, labels: Mapping[Any, str]) -> pa.Array:
    values = np.asarray(values)
    if values.dtype.kind == "f":
        column = pa.array(values, from_pandas=True)  # NaN is missing
    else:
        column = pa.array([None if each is None or each == "" else each for each in values.tolist()])
    if not labels:
        return column
    codes = {code: index for index, code in enumerate(labels)}
    places = pa.array([None if each is None else codes[each] for each in column.to_pylist()], pa.int32())
    return pa.DictionaryArray.from_arrays(places, pa.array(list(labels.values()), pa.string()))


def _opened(path: Path, **how: Any) -> tuple[dict[str, Any], Any]:
    """What pyreadstat reads, as arrays by name and a description."""
    with needed_for(f"reading {path.suffix} files"):
        import pyreadstat
    reader = pyreadstat.read_sav if path.suffix.lower() == ".sav" else pyreadstat.read_dta
    try:
        found, about = reader(str(path), output_format="dict", **how)
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, UnicodeError) as error:
        raise BadFile(path, f"is not a proper {path.suffix[1:]} file ({error})", "save it anew") from error
    return found, about


@contextmanager
def writing(draft: Path, path: Path, labels: Mapping[str, Labels]) -> Iterator[Callable[[pa.Table], None]]:
    """A function that collects pieces; the draft of the file at this path is written at the end."""
    pieces: list[pa.Table] = []
    yield pieces.append
    if pieces:
        _write(draft, path, pa.concat_tables(pieces, promote_options="default"), labels)


def _write(draft: Path, path: Path, table: pa.Table, labels: Mapping[str, Labels]) -> None:
    kind = path.suffix.lower()
    with needed_for(f"writing {kind} files"):
        import pandas as pd
        import pyreadstat
    columns: dict[str, Any] = {}
    values: dict[str, dict[int | float, str]] = {}
    wordings: dict[str, str | None] = {}
    for name in table.column_names:
        head = FOR_SPSS.get(name, name) if kind == ".sav" else name
        column, label = table.column(name), labels.get(name, Labels(""))
        _check(path, head, label.answers)
        columns[head] = (_codes(column, label.answers) if label.answers else column).to_pandas()
        if label.answers:
            values[head] = {code: word for code, word in enumerate(label.answers, start=1)}  # noqa: C416
        wordings |= {head: label.wording} if label.wording else {}
    write = pyreadstat.write_sav if kind == ".sav" else pyreadstat.write_dta
    try:
        write(pd.DataFrame(columns), str(draft), column_labels=wordings, variable_value_labels=values)
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError) as error:
        raise BadFile(path, f"cannot be written ({error})", "write csv or parquet") from error


def _codes(column: pa.ChunkedArray, answers: Sequence[str]) -> pa.Array:
    """Words as their places from 1 on."""
    places = pc.index_in(column.cast(pa.string()), value_set=pa.array(answers))
    return pc.cast(pc.add(places, 1), pa.float64())


def _check(path: Path, name: str, answers: Sequence[str]) -> None:
    """Refuse names and answers that are longer than the format holds."""
    longest = MAX_NAME[path.suffix.lower()]
    if len(name) > longest:
        raise BadFile(path, f"cannot have the column {name!r}, since names end after {longest} letters", "write csv")
    for word in answers:
        if len(word.encode()) > MAX_LABEL:
            raise BadFile(
                path, f"cannot label an answer to {name!r} with so long a text ({word[:40]!r}...)", "write csv"
            )

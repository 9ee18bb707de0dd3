"""Files of any size, read and written a piece at a time.

csv, parquet, feather and jsonl files are read and written in pieces of some ten thousand rows, so memory does not grow
with the file; SPSS and Stata files (labelled.py) are read so. In csv only an empty field is missing: NA, None and null
are words like any other. A column of a csv file whose name begins with an apostrophe and a formula's sign is meant
without the apostrophe (formulas.py).
"""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pa_parquet
from pyarrow import ipc as pa_ipc

from deniable.errors import BadFile, MissingColumns, NoReplies
from deniable.errors.asked import TO_UTF_8
from deniable.errors.refusal import found_in
from deniable.errors.written import not_written
from deniable.frame import labelled
from deniable.frame.formulas import plain_name
from deniable.frame.one_hot import refuse_one_hot

ROWS = 65_536
KINDS = (".csv", ".parquet", ".jsonl", ".feather", ".sav", ".dta")
LABELLED = (".sav", ".dta")
IN_WORDS = (".csv", ".jsonl")  # files of words, some of which may be meant as numbers
Progress = Callable[[float], None]  # called with the share of the file that has been read


def kind_of(path: Path) -> str:
    """The file's kind by its ending; a folder is one of parquet files."""
    if path.is_dir():
        return ".parquet"
    if path.suffix.lower() not in KINDS:
        raise BadFile(path, f"has the unknown ending {path.suffix!r}", f"use {', '.join(KINDS)}")
    return path.suffix.lower()


def read(path: Path, columns: Sequence[str] | None = None, progress: Progress | None = None) -> Iterator[pa.Table]:
    """The file's pieces, with these columns (all if None); csv and jsonl give words, parquet its own types."""
    kind, report = kind_of(path), progress or (lambda share: None)
    try:
        names = checked_names(path, columns)
        if lacking := [name for name in columns or () if name not in names]:
            with found_in(path):
                refuse_one_hot(lacking, names)
                raise MissingColumns(lacking, names)
        pieces = _READERS[kind](path, list(names if columns is None else columns), report)
        rows = 0
        for piece in pieces:
            rows += piece.num_rows
            if piece.num_rows:
                yield piece
        if not rows:
            raise NoReplies(str(path))
    except OSError as error:
        raise BadFile(path, f"cannot be read ({error.strerror or error})", "check the path") from error
    except pa.ArrowInvalid as error:
        raise _spoilt(path, error) from error


def checked_names(path: Path, wanted: Sequence[str] | None = None) -> list[str]:
    """The names of the file's columns, if none of the wanted ones (of all) is there more than once."""
    names = column_names(path)
    if twice := [name for name in wanted or names if names.count(name) > 1]:
        raise BadFile(path, f"has the column {twice[0]!r} more than once", "rename or remove the others")
    return names


def column_names(path: Path) -> list[str]:
    """The names of the file's columns."""
    kind = kind_of(path)
    if not path.exists():
        raise BadFile(path, "cannot be read (No such file or directory)", "check the path")
    try:
        names = _HEADS[kind](path)
    except OSError as error:
        raise BadFile(path, f"cannot be read ({error.strerror or error})", "check the path") from error
    except pa.ArrowInvalid as error:
        if "Empty CSV" in str(error):
            raise NoReplies(str(path)) from error
        raise _spoilt(path, error) from error
    if not names:
        raise NoReplies(str(path))
    return names


def _csv_names(path: Path) -> list[str]:
    return [plain_name(name) for name in _csv_heads(path)]


def _csv_heads(path: Path) -> list[str]:
    """The names of the columns as they are written in the file."""
    with pa_csv.open_csv(path, read_options=pa_csv.ReadOptions(block_size=1 << 20)) as reader:
        try:
            return list(reader.schema.names)
        except UnicodeDecodeError as error:
            raise BadFile(path, "has a column whose name cannot be read", TO_UTF_8) from error


def heads_and_names(path: Path) -> tuple[list[str], list[str]]:
    """The columns of a csv or jsonl file as they are written there, and as they are meant."""
    if kind_of(path) == ".csv":
        heads = _csv_heads(path)
        return heads, [plain_name(head) for head in heads]
    return (names := column_names(path)), names


def parquet_files(path: Path) -> list[str]:
    """The parquet file, or all those in a folder."""
    return list(_parquet(path).files)


def _parquet(path: Path) -> Any:
    """A parquet or feather file, or a folder of parquet files, as one table that is not read yet."""
    from pyarrow import dataset  # only here: it loads pandas, where that is installed

    return dataset.dataset(path, format=kind_of(path)[1:])


def _parquet_names(path: Path) -> list[str]:
    return list(_parquet(path).schema.names)


def _jsonl_names(path: Path) -> list[str]:
    """The keys of the first records: not every record has every key."""
    status = path.stat()
    return list(_first_keys(path, status.st_mtime_ns, status.st_size))


@lru_cache(maxsize=8)  # every count asks for them, and reading so many records takes longer than counting
def _first_keys(path: Path, changed: int, size: int) -> list[str]:
    """The same of a file that was last changed then and has this size."""
    with open(path, "rb") as lines:
        records = (_record(path, index, line) for index, line in enumerate(islice(lines, ROWS), 1) if line.strip())
        return list(dict.fromkeys(key for record in records for key in record))


_HEADS = {
    ".csv": _csv_names,
    ".jsonl": _jsonl_names,
    **dict.fromkeys((".parquet", ".feather"), _parquet_names),
    **dict.fromkeys(LABELLED, labelled.column_names),
}


def _read_csv(path: Path, columns: list[str], progress: Progress) -> Iterator[pa.Table]:
    with open(path, "rb") as file:
        size, heads = max(1, os.fstat(file.fileno()).st_size), _csv_heads(path)
        written = {plain_name(head): head for head in heads}
        only_column = len(heads) == 1  # there an empty line is a missing value
        reader = pa_csv.open_csv(
            file,
            read_options=pa_csv.ReadOptions(block_size=1 << 22),
            parse_options=pa_csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=not only_column),
            convert_options=pa_csv.ConvertOptions(
                include_columns=[written[name] for name in columns],
                column_types={written[name]: pa.string() for name in columns},
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
            ),
        )
        for batch in reader:
            yield pa.Table.from_batches([batch]).rename_columns(columns)
            progress(file.tell() / size)


def _read_parquet(path: Path, columns: list[str], progress: Progress) -> Iterator[pa.Table]:
    data = _parquet(path)
    rows, done = max(1, data.count_rows()), 0
    for batch in data.to_batches(columns=columns, batch_size=ROWS, batch_readahead=2, fragment_readahead=1):
        done += batch.num_rows
        yield pa.Table.from_batches([batch])
        progress(done / rows)


def _read_jsonl(path: Path, columns: list[str], progress: Progress) -> Iterator[pa.Table]:
    size, done, records = max(1, path.stat().st_size), 0, []
    with open(path, "rb") as lines:
        for index, line in enumerate(lines, 1):
            done += len(line)
            if line.strip():
                records.append(_record(path, index, line))
            if len(records) == ROWS:
                yield _table(records, columns)
                records = []
                progress(done / size)
    yield _table(records, columns)
    progress(1.0)


_READERS = {
    ".csv": _read_csv,
    ".jsonl": _read_jsonl,
    **dict.fromkeys((".parquet", ".feather"), _read_parquet),
    **dict.fromkeys(LABELLED, labelled.read),
}


def _record(path: Path, index: int, line: bytes) -> dict[str, Any]:
    try:
        text = line.decode("utf-8-sig")
        record = json.loads(text, object_pairs_hook=_keys_once)
        json.dumps(record, ensure_ascii=False).encode()  # half a character is no text
    except UnicodeError as error:
        raise BadFile(path, f"line {index} is not UTF-8 text", "save it as UTF-8") from error
    except ValueError as error:
        raise BadFile(path, f"line {index} is not JSON ({error})", "write one object per line") from error
    if not isinstance(record, dict):
        raise BadFile(path, f"line {index} is not an object, got {text.strip()[:40]}", "write one object per line")
    return record


def _keys_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise ValueError(f"the key {key!r} stands there more than once")
    return dict(pairs)


def _table(records: list[dict[str, Any]], columns: list[str]) -> pa.Table:
    """Records as words: a number of a record is written as JSON writes it."""

    def word(value: Any) -> str | None:
        return value if value is None or isinstance(value, str) else json.dumps(value)

    return pa.table({name: pa.array([word(record.get(name)) for record in records], pa.string()) for name in columns})


def keep_apart(target: Path, *sources: Path) -> None:
    """Refuse to write over a file that is being read."""
    for source in sources:
        if target.resolve() == source.resolve():
            raise BadFile(target, "would overwrite what is read", "write to another file")


@contextmanager
def writer(path: Path, labels: Mapping[str, labelled.Labels] | None = None) -> Iterator[Callable[[pa.Table], None]]:
    """A function that appends pieces to a new file, whose columns are labelled where its kind has labels.

    The file appears under its name only when all went well; until then an older one stays as it was.
    """
    kind = kind_of(path)
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    make = labelled.writing(draft, path, labels or {}) if kind in LABELLED else _WRITERS[kind](draft)
    try:
        with make as append:
            yield append
        os.replace(draft, path)
    except OSError as error:
        raise not_written(path, error) from error
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def _write_arrow(draft: Path, make: Callable[[Path, pa.Schema], Any]) -> Iterator[Callable[[pa.Table], None]]:
    opened: list[Any] = []

    def append(piece: pa.Table) -> None:
        if not opened:
            opened.append(make(draft, piece.schema))
        opened[0].write_table(piece)

    try:
        yield append
    finally:
        for each in opened:
            each.close()


@contextmanager
def _write_jsonl(draft: Path) -> Iterator[Callable[[pa.Table], None]]:
    with open(draft, "w", encoding="utf-8") as file:
        yield lambda piece: _append_lines(file, piece)


def _append_lines(file: TextIO, piece: pa.Table) -> None:
    file.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in piece.to_pylist())


_WRITERS = {
    ".csv": lambda draft: _write_arrow(draft, pa_csv.CSVWriter),
    ".parquet": lambda draft: _write_arrow(draft, pa_parquet.ParquetWriter),
    ".feather": lambda draft: _write_arrow(draft, pa_ipc.new_file),
    ".jsonl": _write_jsonl,
}


def _spoilt(path: Path, error: Exception) -> BadFile:
    """The refusal of a file that is not of its kind, or not in UTF-8."""
    way_out = TO_UTF_8 if "UTF8" in str(error) else "correct that place"
    return BadFile(path, f"is not a proper {kind_of(path)[1:]} file: {_first_line(error)}", way_out)


def _first_line(error: Exception) -> str:
    """What is wrong, without the row it was found in, which holds somebody's answers."""
    return re.sub(r"(got \d+).*", r"\1", str(error).splitlines()[0])

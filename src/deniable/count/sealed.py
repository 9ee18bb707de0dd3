"""DuckDB over one file or folder, sealed off from everything else.

In csv and jsonl every value is a word, as our own reader has it (`frame/files.py`). Where DuckDB cannot read a file,
that reader either says what is wrong with it, or reads it. Any other trouble, such as a full disk, is told: to read the
whole file instead would only make it worse.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any

import duckdb
import pyarrow as pa

from deniable.count.grouped import quoted
from deniable.errors import BadFile
from deniable.frame import files

MEMORY = "512MB"  # beyond, DuckDB writes to disk
DUCKDB = (".csv", ".parquet", ".jsonl")
PATTERN = "*?[]{}"  # characters that DuckDB takes for more than one file
TICK = 0.1  # seconds
UNREADABLE = (
    duckdb.ProgrammingError,  # its dialect, and names of columns that DuckDB takes for one, or for none
    duckdb.DataError,  # values
    duckdb.NotSupportedError,  # types and encodings
    duckdb.PermissionException,  # a link in a folder that leads out of it
)


@contextmanager
def sealed(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database in memory that may read this file or folder, and nothing else, whatever a query says."""
    with TemporaryDirectory(prefix="deniable-") as spill, duckdb.connect() as connection:
        reach = "allowed_directories" if path.is_dir() else "allowed_paths"
        for setting in (
            f"set temp_directory = {_text(spill)}",
            f"set memory_limit = '{MEMORY}'",
            "set preserve_insertion_order = false",
            "set enable_progress_bar = true",
            "set enable_progress_bar_print = false",
            "set autoinstall_known_extensions = false",
            "set autoload_known_extensions = false",
            f"set {reach} = [{_text(path.absolute())}]",
            "set enable_external_access = false",
            "set lock_configuration = true",
        ):
            connection.execute(setting)
        yield connection


@contextmanager
def unless_unreadable(path: Path) -> Iterator[None]:
    """Goes on where DuckDB cannot read a file; tells whatever else went wrong."""
    try:
        yield
    except duckdb.OutOfMemoryException as error:
        room = f"DuckDB has ({MEMORY} of memory, and the disk with {gettempdir()})"
        way_out = "count fewer questions at once, or make room on that disk (TMPDIR names another)"
        raise BadFile(path, f"takes more room to count than {room}: {_first_line(error)}", way_out) from error
    except duckdb.Error as error:
        if isinstance(error, UNREADABLE) or type(error) is duckdb.Error:  # of a spoiled file it is that alone
            return
        if (reason := _opening_error(path)) is not None:
            raise _not_opened(path, reason) from error
        way_out = f"check that the disk holding the file answers, and that the one with {gettempdir()} has room"
        raise BadFile(path, f"could not be counted ({_first_line(error)})", way_out) from error


def _opening_error(path: Path) -> OSError | None:
    """Why the file, or one of those in the folder, cannot be opened; nothing where all can."""
    try:
        for each in files.parquet_files(path) if path.is_dir() else [path]:
            with open(each, "rb") as file:
                file.read(1)
    except OSError as error:
        return error
    return None


def _not_opened(path: Path, error: OSError) -> BadFile:
    return BadFile(path, f"cannot be read ({error.strerror or error})", "check the path")


def _first_line(error: duckdb.Error) -> str:
    return str(error).splitlines()[0]


def is_readable(path: Path) -> bool:
    """Whether DuckDB can read the file, and takes its name for one file's."""
    return files.kind_of(path) in DUCKDB and not any(sign in str(path) for sign in PATTERN)


def is_unambiguous(names: Sequence[str], name: str) -> bool:
    """Whether no other column's name differs from this one by case alone, which DuckDB does not see."""
    return sum(each.casefold() == name.casefold() for each in names) < 2


def source_of(path: Path) -> str:
    """The file as DuckDB reads it, refused where it cannot be opened any more."""
    try:
        return _readable(path)
    except OSError as error:
        raise _not_opened(path, _opening_error(path) or error) from error


def _readable(path: Path) -> str:
    """csv and jsonl as words, all files of a folder as one table."""
    kind, text = files.kind_of(path), _text(path.absolute())
    if kind == ".parquet":
        inside = [_text(Path(each).absolute()) for each in files.parquet_files(path)]
        return f"read_parquet([{', '.join(inside)}], union_by_name = true)"
    heads, names = files.heads_and_names(path)
    columns = ", ".join(f"{_text(head)}: 'VARCHAR'" for head in heads)
    if kind == ".jsonl":
        return f"read_json({text}, format = 'newline_delimited', columns = {{{columns}}})"
    renamed = ", ".join(f"{quoted(head)} as {quoted(name)}" for head, name in zip(heads, names, strict=True))
    options = "auto_detect = false, header = true, delim = ',', quote = '\"', escape = '\"', nullstr = ''"
    return f"(select {renamed} from read_csv({text}, {options}, columns = {{{columns}}}))"


def watched(connection: duckdb.DuckDBPyConnection, query: str, progress: Callable[[float], None]) -> pa.Table:
    """Run a query, and tell how far it has come."""

    def run() -> Any:
        return connection.sql(query).to_arrow_table()

    far = 0.0
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(run)
        while True:
            try:
                found = answer.result(TICK)
            except TimeoutError:
                far = min(max(far, connection.query_progress() / 100), 0.99)  # which falls back when a query ends
                progress(far)
            else:
                progress(1.0)
                return found


def _text(value: object) -> str:
    return "'" + str(value).replace("'", "''") + "'"

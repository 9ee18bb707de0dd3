"""Replies in chunks: sums over more of them than should be worked on at once.

What a regression makes of each reply takes many times the room of the reply. So replies in memory are gone through in
slices, and those of a large file are read once and kept on disk in a compact form, cells and numbers, which every sum
goes through again. The file has no name, and is deleted with the object that holds it.
"""

import io
import os
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from tempfile import TemporaryFile, gettempdir
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.count.counts import Counts, Distinct
from deniable.count.merged import merged, together
from deniable.count.outline import outline_of_pieces
from deniable.count.pieces import ROWS, Arrays, Held, InPieces, Made, OnePiece, Pieces, worked
from deniable.count.room import BYTES_OF_CELL, Sampled, memory_limit
from deniable.errors import DeniableError
from deniable.frame.columns import Column
from deniable.frame.files import Progress

MAX_AT_ONCE = 2**20  # replies
BUFFER = 2**20  # bytes that are read at once


@dataclass(frozen=True)
class ChunkedPieces(Pieces[Held]):
    """What is made of each chunk, whenever it is needed, and of the outline of all."""

    chunks: Iterable[Distinct]  # which can be gone through again
    steps: tuple[Callable[[Any], Any], ...]
    outline: Held

    def then(self, make: Callable[[Held], Made | None], outline: Made) -> Pieces[Made]:
        return ChunkedPieces(self.chunks, (*self.steps, make), outline)

    def sum(self, terms: Callable[[Held], Arrays]) -> list[NDArray[Any]]:
        total = [np.zeros(np.shape(each)) for each in terms(self.outline)]
        for found in self._made(terms):
            for one, other in zip(total, found, strict=True):
                assert one.shape == np.shape(other)
                one += other
        return total

    def counted(self, of: Callable[[Held], Distinct]) -> Distinct:
        return merged(together([merged(found) for found in self._made(of)]))

    def _made(self, last: Callable[[Held], Made]) -> Iterator[Made]:
        for chunk in self.chunks:
            if (found := worked(chunk, (*self.steps, last))) is not None:
                yield found


@dataclass(frozen=True)
class Slices:
    """Replies in memory, slice by slice."""

    replies: Distinct

    def __iter__(self) -> Iterator[Distinct]:
        for start in range(0, len(self.replies.counts), ROWS):
            rows = slice(start, start + ROWS)
            columns = {name: column[rows] for name, column in self.replies.columns.items()}
            yield Distinct(columns, self.replies.counts[rows])


def _untold(share: float) -> None:
    """No progress to tell."""


class Spool:
    """Replies on disk, which come as tables of columns."""

    def __init__(self, tables: Iterable[Mapping[str, Column]], progress: Progress = _untold) -> None:
        self._file, self._rows, self._progress = TemporaryFile(prefix="deniable-"), 0, progress  # noqa: SIM115
        weakref.finalize(self, _close, self._file)
        writer: Any = None
        for columns in tables:
            table = pa.table({name: pa.array(column) for name, column in columns.items()})
            with _kept():
                writer = writer or pa.ipc.new_stream(self._file, table.schema)
                writer.write_table(table, max_chunksize=ROWS)
            self._rows += table.num_rows
        with _kept():
            writer.close()
            self._file.flush()

    def __iter__(self) -> Iterator[Distinct]:
        done = 0
        for batch in pa.ipc.open_stream(io.BufferedReader(_Reader(self._file.fileno()), BUFFER)):
            columns = {name: batch.column(name).to_numpy() for name in batch.schema.names}
            yield Distinct(columns, np.ones(batch.num_rows))
            done += batch.num_rows
            self._progress(done / self._rows)


def chunked(chunks: Iterable[Distinct], measured: Sequence[str], weights: str | None) -> ChunkedPieces[Distinct]:
    """The pieces that chunks are."""
    return ChunkedPieces(chunks, (), outline_of_pieces(chunks, measured, weights))


class _Reader(io.RawIOBase):
    """A file from its beginning, wherever others are reading it."""

    def __init__(self, file: int) -> None:
        self._file, self._at = file, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        found = os.pread(self._file, len(buffer), self._at)
        buffer[: len(found)] = found
        self._at += len(found)
        return len(found)


@contextmanager
def _kept() -> Iterator[None]:
    """What the disk does not take, said in one line."""
    try:
        yield
    except OSError as error:
        problem = f"replies cannot be kept on the disk that has {gettempdir()} ({error.strerror or error})"
        raise DeniableError(problem, "make room there, or name another folder in TMPDIR") from error


def _close(file: Any) -> None:
    with suppress(OSError):  # a full disk takes no last bytes either
        file.close()


def fit_at_once(rows: float, columns: int) -> bool:
    """Whether so many replies may be worked on at once."""
    return rows <= MAX_AT_ONCE and rows * columns * BYTES_OF_CELL <= memory_limit()


def are_few(n: int, sampled: Callable[[], Sampled], columns: int) -> bool:
    """Whether the distinct ones of n replies may be worked on at once, as far as a sample tells."""
    return fit_at_once(n, columns) or fit_at_once(sampled().in_all(n), columns)


def sliced(replies: Distinct, measured: Sequence[str], weights: str | None) -> Pieces[Distinct]:
    """One piece, or slices of very many replies with numbers that are taken as they are."""
    if not (measured or weights) or fit_at_once(len(replies.counts), len(replies.columns)):
        return OnePiece(replies)
    return chunked(Slices(replies), measured, weights)


def pieces_of(counts: Counts, names: Sequence[str], measured: Sequence[str], weights: str | None) -> Pieces[Distinct]:
    """The replies of everybody to these questions, in pieces."""
    if isinstance(counts, InPieces):
        return counts.pieces(names, measured, weights)
    return sliced(counts.distinct(names, answered=False), measured, weights)

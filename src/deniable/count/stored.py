"""Counts and replies out of a store: the database groups and counts; distinct replies and their counts leave it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.collect.places import open_store
from deniable.collect.reading import Reading
from deniable.count.counts import Distinct, check_names, tally
from deniable.count.room import SAMPLE, Sampled, check_room
from deniable.errors import NoReplies
from deniable.frame.columns import Column, cell_type, in_words
from deniable.survey.question import Question

WORDS = pa.dictionary(pa.int32(), pa.string())


class StoreCounts:
    """Counts over the replies in a store, given by its URL."""

    def __init__(self, design: Design, url: str, *, shown: bool = False) -> None:
        """All replies; or those that are `shown`, while the newest wait."""
        self._design, self._url, self._shown = design, url, shown
        with open_store(url, must_exist=True) as store:
            self._n = store.count(store.promised(design).fingerprint, shown=shown)
        if self._n == 0:
            raise NoReplies(_survey(design))

    @property
    def n(self) -> int:
        """How many replies there were when this was made; there may be more in whatever is counted later."""
        return self._n

    @property
    def names(self) -> Sequence[str]:
        """All columns of the design's replies."""
        return self._design.columns

    def distinct(self, names: Sequence[str], answered: bool = True) -> Distinct:
        """The distinct replies to these questions."""
        return stored_distinct(self._design, self._url, names, shown=self._shown).answered(answered)

    def tables(self, many: Sequence[Sequence[str]]) -> list[Distinct]:
        """The distinct replies to each of several sets of questions."""
        for names in many:
            check_names(names, self._design.columns)
        indices = [_indices(self._design, names) for names in many]
        with open_store(self._url, must_exist=True) as store:
            fingerprint = store.promised(self._design).fingerprint
            for names in many:
                _check_room(store, self._design, fingerprint, names, self._shown)
            found = store.tables(fingerprint, indices, shown=self._shown)
        return [_distinct(self._design, names, rows) for names, rows in zip(many, found, strict=True)]

    def table(self, questions: Sequence[Question]) -> NDArray[np.float64]:
        """The table of these (reported) questions' cells."""
        return tally(self.distinct([question.name for question in questions]), questions)


def stored_distinct(
    design: Design, url: str, names: Sequence[str], held_out: bool | None = None, *, shown: bool = False
) -> Distinct:
    """The distinct replies to some questions of everybody, or of those (not) held out: one read of the store."""
    check_names(names, design.columns)
    with open_store(url, must_exist=True) as store:
        fingerprint = store.promised(design).fingerprint
        _check_room(store, design, fingerprint, names, shown)
        rows = list(store.grouped(fingerprint, _indices(design, names), held_out, shown=shown))
    return _distinct(design, names, rows)


def _indices(design: Design, names: Sequence[str]) -> list[int]:
    return [design.columns.index(name) for name in names]


def _check_room(store: Reading, design: Design, fingerprint: str, names: Sequence[str], shown: bool) -> None:
    """Refuse what would not fit, before it is counted."""

    def sampled() -> Sampled:
        return Sampled(*store.sampled(fingerprint, _indices(design, names), SAMPLE, shown=shown))

    check_room([design.reported(name) for name in names], lambda: store.count(fingerprint, shown=shown), sampled)


def _distinct(design: Design, names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> Distinct:
    *columns, counts = zip(*rows, strict=True) if rows else [()] * (len(names) + 1)
    reported = [design.reported(name) for name in names]
    cells = {each.name: _column(each, column) for each, column in zip(reported, columns, strict=True)}
    return Distinct(cells, np.array(counts, dtype=float))


def _survey(design: Design) -> str:
    return f"the survey {design.fingerprint[:16]}"


def _column(question: Question, values: Sequence[Any]) -> Column:
    if question.is_number:
        return np.array([np.nan if value is None else value for value in values], dtype=float)
    return np.array(values, dtype=cell_type(len(question)))


def stored_replies(
    design: Design, url: str, names: Sequence[str] | None = None, held_out: bool | None = None, *, shown: bool = False
) -> pa.Table:
    """The replies in a store as a table of words and numbers, in random order.

    With `held_out` only the third that is kept for testing models, or only the others.
    """
    names = design.columns if names is None else list(names)
    found = stored_distinct(design, url, names, held_out, shown=shown)
    if held_out is None and not len(found.counts):
        raise NoReplies(_survey(design))
    order = np.repeat(np.arange(len(found.counts)), found.counts.astype(np.int64))
    np.random.default_rng().shuffle(order)
    return pa.table({name: in_words(design.reported(name), found.columns[name][order], WORDS) for name in names})

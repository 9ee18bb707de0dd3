"""A frame's column as cells or numbers, and back.

Every kind of frame hands out its columns as Arrow arrays, so one reader serves them all. A column of
answers becomes small whole numbers, the cells (-1 where an answer was omitted); a column of numbers
becomes floats (NaN where omitted). What comes back is of the kind that went in. Of replies, cells that are missing
though nobody may omit the question are kept as if omitted, or refused.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from deniable.errors import BadRequest, MissingColumns, MissingValues, OutsideRange, UnknownAnswer
from deniable.errors.refusal import found_in
from deniable.frame import files
from deniable.frame.formulas import safe_words
from deniable.frame.one_hot import refuse_one_hot
from deniable.survey.coding import LEFT_OUT, UNKNOWN, cells_of, values_of
from deniable.survey.question import REFUSAL, Question
from deniable.survey.range import Range

Column = NDArray[Any]  # cells (int8 or int32) or numbers (float64)
Missing = Literal["skip", "refuse"]  # replies with missing cells: figures leave them out, or are refused


def refuses(missing: Missing) -> bool:
    """Whether replies with missing cells are refused."""
    if missing not in ("skip", "refuse"):
        raise BadRequest("missing", "'skip' or 'refuse'", missing, "choose one of them")
    return missing == "refuse"


def true_columns(
    questions: Sequence[Question], column: Callable[[str], pa.Array], names: Sequence[str]
) -> dict[str, Column]:
    """What people answered, checked: the true cells or numbers of each question."""
    arrays = _arrays(questions, column, names)
    return {question.name: _true(question, arrays[question.name]) for question in questions}


def reported_columns(
    questions: Sequence[Question],
    column: Callable[[str], pa.Array],
    names: Sequence[str],
    counts: NDArray[np.float64] | None = None,
    *,
    missing: Missing = "refuse",
) -> dict[str, Column]:
    """What replies say, checked: the reported cells or numbers of each (reported) question.

    Where each row stands for several replies, `counts` is how many.
    """
    arrays = _arrays(questions, column, names, counts, missing)
    return {question.name: _reported(question, arrays[question.name], counts) for question in questions}


def _arrays(
    questions: Sequence[Question],
    column: Callable[[str], pa.Array],
    names: Sequence[str],
    counts: NDArray[np.float64] | None = None,
    missing: Missing = "refuse",
) -> dict[str, pa.Array]:
    """Each question's column; lacking columns and missing values are refused all at once."""
    if lacking := [question.name for question in questions if question.name not in names]:
        refuse_one_hot(lacking, names)
        raise MissingColumns(lacking, names)
    arrays = {question.name: _whole(column(question.name)) for question in questions}
    if refuses(missing):
        absent = {name: _how_many(_absent(array), counts) if array.null_count else 0 for name, array in arrays.items()}
        check_missing(questions, absent)
    return arrays


@contextmanager
def missing_counted(questions: Sequence[Question], path: Path) -> Iterator[None]:
    """Where a piece of a file has missing values, count them in the whole file before refusing; the file is named."""
    try:
        with found_in(path):
            yield
    except MissingValues:
        counts = dict.fromkeys((question.name for question in questions), 0)
        for piece in files.read(path, list(counts)):
            for name in counts:
                counts[name] += int(_absent(_whole(piece.column(name))).sum())
        with found_in(path):
            check_missing(questions, counts)
        raise


def check_missing(questions: Sequence[Question], counts: Mapping[str, int]) -> None:
    """Refuse cells that are missing though nobody may omit the question, given how many each column lacks."""
    needed = [question.name for question in questions if _is_needed(question)]
    missing = {name: counts[name] for name in needed if counts[name]}
    if missing:
        numbers = [question.name for question in questions if question.range is not None]
        raise MissingValues(missing, set(missing) - set(numbers), numbers)


def _is_needed(question: Question) -> bool:
    """Whether nobody may leave the question out."""
    return not (question.optional or question.omit)


def _absent(array: pa.Array) -> NDArray[np.bool_]:
    return np.asarray(array.is_null().to_numpy(zero_copy_only=False))


def _how_many(those: NDArray[np.bool_], counts: NDArray[np.float64] | None) -> int:
    return int(those.sum() if counts is None else counts[those].sum())


def _whole(column: Any) -> pa.Array:
    """One array, in which NaN is missing too."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(array, pa.ChunkedArray):  # an empty column has no chunk to combine
        array = pa.array([], array.type)
    if pa.types.is_dictionary(array.type) and array.dictionary.null_count:
        array = array.dictionary_decode()
    if pa.types.is_floating(array.type):
        array = pc.if_else(pc.is_nan(array), pa.scalar(None, array.type), array)
    return array


def are_numbers(words: pa.Array | pa.ChunkedArray) -> bool:
    """Whether words are finite numbers, at least one and all of them."""
    try:
        numbers = pc.cast(words.drop_null(), pa.float64())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return False
    return len(numbers) > 0 and bool(pc.all(pc.is_finite(numbers)).as_py())


def _true(question: Question, array: pa.Array) -> Column:
    if question.range is None:
        return _cells(question, array)
    values = _numbers(question, question.range, array, reported=False)
    if not question.range.by_interval:
        return values
    cells = question.range.cells(values).astype(cell_type(len(question)))
    cells[np.isnan(values)] = LEFT_OUT
    return cells


def _reported(question: Question, array: pa.Array, counts: NDArray[np.float64] | None) -> Column:
    if question.is_number:
        assert question.range is not None
        return _numbers(question, question.range, array, reported=True, counts=counts)
    return _cells(question, array)


def _cells(question: Question, array: pa.Array) -> Column:
    """Words to cells, by one look-up per distinct word."""
    codes, values = _coded(array)
    cells = cells_of(question, values)
    if UNKNOWN in cells and (exported := safe_words(question.answers)):
        cells = cells_of(question, [exported.get(str(value), value) for value in values])
    if UNKNOWN in cells:
        occurs = np.bincount(codes, minlength=len(values))[: len(values)] > 0
        if unknown := [str(values[code]) for code in np.flatnonzero(occurs & (cells == UNKNOWN)).tolist()]:
            raise UnknownAnswer(question.name, unknown, question.answers)
    kind = cell_type(len(question))
    if not array.null_count and np.array_equal(cells, np.arange(len(values))):
        return codes.view(kind) if codes.dtype == np.uint8 and kind is np.int8 else codes.astype(kind, copy=False)
    missing = question.answers.index(REFUSAL) if question.optional and not question.omit else LEFT_OUT
    return np.asarray(np.append(cells, missing).astype(kind)[codes])


def _coded(array: pa.Array) -> tuple[NDArray[Any], Sequence[object]]:
    """Each row's index among the distinct values; a missing one has the index after the last."""
    if pa.types.is_boolean(array.type) and not array.null_count:
        return array.to_numpy(zero_copy_only=False).view(np.uint8), (False, True)
    if pa.types.is_integer(array.type) and not array.null_count:
        numbers = array.to_numpy()
        most = int(numbers.max(initial=0))
        if most < 256 and (numbers.dtype.kind == "u" or numbers.min(initial=0) >= 0):
            return numbers.astype(np.uint8, copy=False), range(most + 1)
    coded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    values = coded.dictionary.to_pylist()
    indices = coded.indices
    return (indices.cast(pa.int32()).fill_null(len(values)) if indices.null_count else indices).to_numpy(), values


def _numbers(
    question: Question, limits: Range, array: pa.Array, reported: bool, counts: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Numbers, inside their range."""
    kind = "a whole number" if limits.integer else "a number"
    expected = f"{kind} from {limits.low:g} to {limits.high:g}"
    array = array.dictionary_decode() if pa.types.is_dictionary(array.type) else array
    try:
        values = pc.cast(array, pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        words = array.to_pylist()
        odd = np.array([word is not None and not _is_number(word) for word in words])
        first = repr(words[int(odd.argmax())])
        raise OutsideRange(question.name, expected, first, _how_many(odd, counts), reported) from None
    unreadable = np.isnan(values) & array.is_valid().to_numpy(zero_copy_only=False)
    if unreadable.any():
        raise OutsideRange(question.name, expected, "'nan'", _how_many(unreadable, counts), reported)
    slack = limits.step / 100 if reported else 0.0
    bad = (values < limits.low - slack) | (values > limits.high + slack)
    if limits.integer:
        bad |= values != np.rint(values)
    bad &= ~np.isnan(values)
    if bad.any():
        raise OutsideRange(question.name, expected, f"{values[bad][0]:.12g}", _how_many(bad, counts), reported)
    return np.asarray(values, dtype=np.float64)


def _is_number(word: object) -> bool:
    try:
        return bool(pa.scalar(word).cast(pa.float64()).is_valid)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return False


def cell_type(cells: int) -> type[np.signedinteger[Any]]:
    """The smallest type that holds so many cells, and -1."""
    return np.int8 if cells < 128 else np.int32


def in_words(question: Question, column: Column, like: pa.DataType) -> pa.Array:
    """A reported column as the frame's own kind of values, or as words where those cannot say it."""
    if question.is_number:
        return pa.array(column, pa.float64(), from_pandas=True)
    missing = column == LEFT_OUT if question.omit else None
    if pa.types.is_dictionary(like):
        values = _values(question, like.value_type)
        words = (
            pa.array(question.answers, _text(like.value_type)) if values is None else pa.array(values, like.value_type)
        )
        indices = pa.array(column.astype(like.index_type.to_pandas_dtype(), copy=False), mask=missing)
        return pa.DictionaryArray.from_arrays(indices, words, ordered=like.ordered, safe=False)
    table = _values(question, like)
    if table is None:
        return pa.array(question.answers, pa.string()).take(pa.array(column, mask=missing)).cast(_text(like))
    if table.dtype == np.uint8 and column.dtype == np.int8 and np.array_equal(table, np.arange(len(question))):
        return pa.array(column.view(np.uint8), mask=missing)
    return pa.array(table[column], like, mask=missing)


def _values(question: Question, like: pa.DataType) -> NDArray[Any] | None:
    """The answers as numbers or truth values of this type, or None where it cannot hold them."""
    values = None if _python_kind(like) is str else values_of(question, _python_kind(like))
    try:
        return None if values is None else np.asarray(pa.array(values, like).to_numpy(zero_copy_only=False))
    except (pa.ArrowInvalid, OverflowError):
        return None


def _text(kind: pa.DataType) -> pa.DataType:
    """This type if it is one of text, else the plain one."""
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    return kind if text else pa.string()


def _python_kind(kind: pa.DataType) -> type:
    for test, python in _KINDS.items():
        if test(kind):
            return python
    return str


_KINDS: Mapping[Callable[[pa.DataType], bool], type] = {
    pa.types.is_boolean: bool,
    pa.types.is_integer: int,
    pa.types.is_floating: float,
}

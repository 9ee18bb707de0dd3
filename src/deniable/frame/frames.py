"""Any kind of data frame: its columns out as Arrow arrays, and a frame of the same kind made from them."""

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa

from deniable.errors import BadRequest, NoReplies
from deniable.survey.coding import spellings


def eager(data: Any, argument: str) -> nw.DataFrame[Any]:
    """The frame, if it is one that holds rows in memory."""
    try:
        frame: nw.DataFrame[Any] = nw.from_native(data, eager_only=True)
    except nw.exceptions.DuplicateError as error:
        refuse_named_twice(names_in(data), argument)
        raise BadRequest(argument, "a frame with different column names", "?", "rename one of them") from error
    except TypeError as error:
        kind = f"{type(data).__module__.split('.')[0]} {type(data).__name__}"
        raise BadRequest(argument, "a data frame (pandas, Polars, pyarrow)", kind, "collect or convert it") from error
    if not len(frame):
        raise NoReplies("the data frame")
    return frame


def names_in(data: Any) -> list[str]:
    """The names of a frame's columns; none where it names none, as an array."""
    return list(getattr(data, "column_names", getattr(data, "columns", ())))


def refuse_named_twice(names: Sequence[str], argument: str) -> None:
    """Refuse a frame two of whose columns have one name."""
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise BadRequest(argument, "a frame with different column names", twice, "rename one of its columns")


def arrow(series: nw.Series[Any]) -> pa.Array:
    """A column as an Arrow array; pandas' categories come without a copy, mixed values as words."""
    if series.implementation.is_pandas() and series.dtype == nw.Categorical:
        column = series.to_native().array
        codes = getattr(column, "codes", None)
        if codes is not None and codes.min(initial=0) >= 0:
            words = pa.array(column.categories)
            return pa.DictionaryArray.from_arrays(codes, words, ordered=column.ordered, safe=False)
    try:
        return series.to_arrow()
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        missing = series.is_null().to_list()
        words = [
            None if absent else spellings(value)[0] for value, absent in zip(series.to_list(), missing, strict=True)
        ]
        return pa.array(words, pa.string())


def like(frame: nw.DataFrame[Any], names: Sequence[str], changed: Mapping[str, pa.Array]) -> Any:
    """A frame of the same kind and index with these columns replaced, and all others as they are."""
    if frame.implementation.is_pandas():
        return _pandas(frame, names, changed)
    if frame.implementation.is_pyarrow():
        return pa.table({name: changed[name] if name in changed else frame.to_native()[name] for name in names})
    made = nw.from_arrow(pa.table(dict(changed)), backend=frame.implementation) if changed else frame
    before = frame.schema
    columns = {name: _as_before(made[name], before.get(name)) if name in changed else frame[name] for name in names}
    native = nw.from_dict(columns, backend=frame.implementation).to_native()
    index = nw.maybe_get_index(frame)
    return native if index is None else native.set_axis(index, axis=0)


def _as_before(column: nw.Series[Any], before: nw.dtypes.DType | None) -> nw.Series[Any]:
    """The column as the enumeration it came from, where that has all its words."""
    fits = isinstance(before, nw.Enum) and set(column.drop_nulls().cast(nw.String).unique()) <= set(before.categories)
    return column.cast(before) if fits and before is not None else column


def _pandas(frame: nw.DataFrame[Any], names: Sequence[str], changed: Mapping[str, pa.Array]) -> Any:
    """A pandas frame of columns that are shared, not copied."""
    pandas, native = frame.__native_namespace__(), frame.to_native()
    columns = {
        name: _pandas_column(pandas, changed[name], native.get(name)) if name in changed else native[name]
        for name in names
    }
    return pandas.DataFrame(columns, index=native.index, copy=False)


def _pandas_column(pandas: Any, array: pa.Array, column: Any | None) -> Any:
    """The values in the type they came in, where that can hold them."""
    if column is None:
        return array.to_pandas().to_numpy()
    before = column.dtype
    if array.null_count and pa.types.is_integer(array.type):  # which NumPy's integers cannot hold
        return array.to_pandas().astype(pandas.Int64Dtype()).set_axis(column.index)
    if array.null_count and pa.types.is_boolean(array.type):
        return array.to_pandas().astype(pandas.BooleanDtype()).set_axis(column.index)
    if isinstance(before, pandas.CategoricalDtype) and pa.types.is_dictionary(array.type):
        indices = array.indices.fill_null(-1) if array.null_count else array.indices
        indices = indices.to_numpy(zero_copy_only=False)
        if array.dictionary.to_pylist() == before.categories.tolist():
            return pandas.Categorical.from_codes(indices, dtype=before, validate=False)
        words = pandas.Index(array.dictionary.to_pandas())
        kind = before if words.isin(before.categories).all() else pandas.CategoricalDtype(words, before.ordered)
        if not words.equals(kind.categories):
            indices = np.append(kind.categories.get_indexer(words), -1)[indices]
        return pandas.Categorical.from_codes(indices, dtype=kind, validate=False)
    values = array.to_pandas().set_axis(column.index)
    values = values.copy() if pa.types.is_floating(array.type) else values  # Arrow's own memory cannot be written to
    kinds = pandas.api.types
    figures, fractions = kinds.is_numeric_dtype, kinds.is_float_dtype  # truth values are figures too
    stays_words = figures(before) and not figures(values.dtype)
    stays_fraction = fractions(values.dtype) and not fractions(before)  # noise has made it one
    return values if stays_words or stays_fraction else values.astype(before)

"""Any kind of data frame: its columns out as Arrow arrays, and a frame of the same kind made from them."""

from typing import Any

import narwhals as nw
import pyarrow as pa

from deniable.errors import BadRequest, NoReplies


def eager(data: Any, argument: str) -> nw.DataFrame[Any]:
    """The frame, if it is one that holds rows in memory."""
    try:
        frame: nw.DataFrame[Any] = nw.from_native(data, eager_only=True)
    except TypeError as error:
        kind = f"{type(data).__module__.split('.')[0]} {type(data).__name__}"
        raise BadRequest(argument, "a data frame (pandas, Polars, pyarrow)", kind, "collect or convert it") from error
    if not len(frame):
        raise NoReplies("the data frame")
    return frame


def arrow(series: nw.Series[Any]) -> pa.Array:
    """A column as an Arrow array; pandas' categories come without a copy."""
    if series.implementation.is_pandas() and series.dtype == nw.Categorical:
        column = series.to_native().array
        if column.codes.min(initial=0) >= 0:
            return pa.DictionaryArray.from_arrays(
                column.codes, pa.array(column.categories), ordered=column.ordered, safe=False
            )
    return series.to_arrow()


def like(frame: nw.DataFrame[Any], table: pa.Table) -> Any:
    """The table as the same kind of frame, with the same index."""
    if frame.implementation.is_pandas():
        return _pandas(frame, table)
    native = nw.from_arrow(table, backend=frame.implementation).to_native()
    index = nw.maybe_get_index(frame)
    return native if index is None else native.set_axis(index, axis=0)


def _pandas(frame: nw.DataFrame[Any], table: pa.Table) -> Any:
    """A pandas frame of columns that are shared, not copied."""
    pandas = frame.__native_namespace__()

    def column(array: pa.Array) -> Any:
        if not pa.types.is_dictionary(array.type) or array.null_count:
            return array.to_pandas()
        places, words = array.indices.to_numpy(), array.dictionary.to_pandas()
        kind = pandas.CategoricalDtype(words, ordered=array.type.ordered)
        return pandas.Categorical.from_codes(places, dtype=kind, validate=False)

    columns = {name: column(table.column(name).combine_chunks()) for name in table.column_names}
    return pandas.DataFrame(columns, copy=False).set_axis(nw.maybe_get_index(frame), axis=0)

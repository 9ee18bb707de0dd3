"""Replies to take home: csv and parquet as the command line reads them."""

from collections.abc import Callable, Iterator
from functools import partial
from io import BytesIO
from typing import BinaryIO

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pa_parquet
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from deniable.channel.design import Design
from deniable.count.stored import stored_replies
from deniable.frame.formulas import safe_name, safe_word
from deniable.frame.mark import MARK, mark_of
from deniable.web.dashboard import about
from deniable.web.rendering import HEADERS
from deniable.web.site import Site, Survey

PIECE_BYTES = 256 * 1024


def exported(design: Design, store: str) -> pa.Table:
    """All replies that do not wait, in random order, marked with their design; words in each column's dictionary."""
    replies = stored_replies(design, store, shown=True)
    return replies.append_column(MARK, pa.array([mark_of(design)] * replies.num_rows, pa.string()))


def as_csv(design: Design, replies: pa.Table) -> bytes:
    """Replies as csv in which no cell is a formula."""
    columns = {safe_name(name): _safe(design, name, replies.column(name)) for name in replies.column_names}
    sink = BytesIO()
    pa_csv.write_csv(pa.table(columns), sink)
    return sink.getvalue()


def as_parquet(design: Design, replies: pa.Table) -> bytes:
    """Replies as parquet, where words are words."""
    kinds = [(each.name, pa.string() if pa.types.is_dictionary(each.type) else each.type) for each in replies.schema]
    sink = BytesIO()
    pa_parquet.write_table(replies.cast(pa.schema(kinds)), sink)
    return sink.getvalue()


def _safe(design: Design, name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column whose words no spreadsheet runs: each is looked at once, however many replies say it."""
    if not pa.types.is_dictionary(column.type):
        return column
    answers = design.reported(name).answers
    chunks = []
    for chunk in column.chunks:
        words = pa.array([safe_word(word, answers) for word in chunk.dictionary.to_pylist()], pa.string())
        chunks.append(pa.DictionaryArray.from_arrays(chunk.indices, words))
    return pa.chunked_array(chunks, column.type)


async def _download(
    request: Request, survey: Survey, ending: str, kind: str, written: Callable[[Design, pa.Table], bytes]
) -> Response:
    site: Site = request.app.state.site
    content = await run_in_threadpool(lambda: written(survey.design, exported(survey.design, site.store_url)))
    name = f"replies-{survey.fingerprint[:16]}.{ending}"
    return _streamed(BytesIO(content), len(content), kind, name)


csv = about(partial(_download, ending="csv", kind="text/csv; charset=utf-8", written=as_csv))
parquet = about(partial(_download, ending="parquet", kind="application/vnd.apache.parquet", written=as_parquet))


def _streamed(file: BinaryIO, size: int, kind: str, name: str) -> Response:
    """A file in pieces, so that somebody with a slow line gets all of it."""
    headers = {**HEADERS, "Content-Disposition": f'attachment; filename="{name}"', "Content-Length": str(size)}
    return StreamingResponse(_pieces(file), media_type=kind, headers=headers)


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while piece := file.read(PIECE_BYTES):
            yield piece


def routes() -> list[Route]:
    """What can be downloaded."""
    here = "/admin/survey/{fingerprint}"
    return [
        Route(f"{here}/replies.csv", csv),
        Route(f"{here}/replies.parquet", parquet),
    ]

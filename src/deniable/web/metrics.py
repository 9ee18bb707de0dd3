"""Figures for machines that watch over the site (Prometheus' text format), which link nobody.

Whoever looks every second must not see a single reply arrive. So replies are counted in whole batches, of which the
newest is held back, and refusals in whole batches too. Nothing tells of times, addresses, or how busy the site is.
"""

from collections import Counter
from collections.abc import Iterator

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from deniable.collect.state import today
from deniable.collect.store import Store
from deniable.collect.writer import ANSWER_SECONDS
from deniable.errors import StoreDown
from deniable.web.limits import is_local
from deniable.web.site import Site, Survey

BATCH = 20
REFUSALS = (400, 403, 404, 408, 409, 410, 413, 429, 503)  # all are told from the start: a new line would tell of one
FORMAT = "text/plain; version=0.0.4; charset=utf-8"
HEADS = {
    "deniable_store_up": ("gauge", "Whether the store answers."),
    "deniable_survey_open": ("gauge", "Whether a survey takes replies today."),
    "deniable_replies": ("gauge", f"Replies in the store, in batches of {BATCH}, the newest of them held back."),
    "deniable_refused_total": ("counter", f"Replies that this process refused, in batches of {BATCH}, by status."),
}


def in_batches(count: int) -> int:
    """A count of which the newest batch, and what is not yet one, are held back."""
    return max(0, count // BATCH - 1) * BATCH


async def metrics(request: Request) -> Response:
    """The figures, for whoever is on this machine."""
    if not is_local(request.client.host if request.client else None):
        return Response(status_code=404)
    site: Site = request.app.state.site

    def look(store: Store) -> list[tuple[str, int, int]]:
        if not set(store.surveys()).issuperset(site.surveys):  # erased, or with keys by now
            site.look(store)
        return [_figures(store, survey) for survey in site.surveys.values()]

    try:
        surveys, up = await site.read(look, ANSWER_SECONDS), 1
    except StoreDown:
        surveys, up = [], 0
    return PlainTextResponse("".join(_lines(surveys, up, site.refused)), media_type=FORMAT)


def _figures(store: Store, survey: Survey) -> tuple[str, int, int]:
    """A survey, whether it takes replies, and how many are told of."""
    name, day = survey.fingerprint, today()
    is_open = store.state(name).is_open(day) and not survey.is_over(day)
    return name, int(is_open), in_batches(store.count(name))


def _lines(surveys: list[tuple[str, int, int]], up: int, refused: Counter[int]) -> Iterator[str]:
    rows = {
        "deniable_store_up": [("", up)],
        "deniable_survey_open": [(f'{{survey="{name[:16]}"}}', is_open) for name, is_open, _ in surveys],
        "deniable_replies": [(f'{{survey="{name[:16]}"}}', replies) for name, _, replies in surveys],
        "deniable_refused_total": [
            (f'{{status="{status}"}}', refused[status] - refused[status] % BATCH)
            for status in sorted({*REFUSALS, *refused})
        ],
    }
    for name, (kind, words) in HEADS.items():
        yield f"# HELP {name} {words}\n# TYPE {name} {kind}\n"
        yield from (f"{name}{label} {value}\n" for label, value in rows[name])


def routes() -> list[Route]:
    """Where they are."""
    return [Route("/metrics", metrics)]

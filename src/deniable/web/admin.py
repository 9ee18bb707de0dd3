"""Login and logout of the collector, and the overview of all surveys."""

from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from deniable.collect.state import today
from deniable.collect.store import Store
from deniable.web.guard import ask_to_log_in, collector, form, set_cookie, visitor_of
from deniable.web.password import SECRET, is_right
from deniable.web.rendering import page
from deniable.web.site import Site


@collector
async def overview(request: Request) -> Response:
    """All surveys of the site: how many replies they have, and whether they take more."""
    site: Site = request.app.state.site

    def look(store: Store) -> list[dict[str, Any]]:
        return [
            {
                "survey": survey,
                "replies": store.count(survey.fingerprint, shown=True),
                "state": store.state(survey.fingerprint),
            }
            for survey in site.surveys.values()
        ]

    await site.refresh()
    surveys = await site.read(look)
    return page("overview.html", {"surveys": surveys, "today": today(), "visitor": request.state.visitor})


async def log_in_page(request: Request) -> Response:
    """The form that asks for the password."""
    visitor = await visitor_of(request)
    if visitor.logged_in:
        return RedirectResponse("/admin", 303)
    return ask_to_log_in(request, visitor, status=200 if visitor.opened else 403)


async def _log_in(request: Request) -> Response:
    """Let a collector in who knows the password; each try counts from its beginning, so that many at once do too."""
    site: Site = request.app.state.site
    address = request.client.host if request.client else None
    kept = await site.read(lambda store: store.secret(SECRET))
    if wait := site.log_ins.wait(address):
        said = f"Too many wrong passwords. Try again in {wait // 60 + 1} minutes."
        response = ask_to_log_in(request, request.state.visitor, said, 429)
        response.headers["Retry-After"] = str(wait)
        return response
    site.log_ins.failed(address)
    async with site.sessions.hashing:
        right = kept is not None and await run_in_threadpool(is_right, kept, request.state.form.get("password", ""))
    if kept is None or not right:
        return ask_to_log_in(request, request.state.visitor, "That is not the password.")
    site.log_ins.forgive(address)
    before = request.state.visitor.session_id

    def begin(store: Store) -> str:
        site.sessions.end(store, before)
        return site.sessions.begin(store, kept)

    response = RedirectResponse("/admin", 303)
    set_cookie(request, response, await site.read(begin))
    return response


async def _log_out(request: Request) -> Response:
    site: Site = request.app.state.site
    session_id = request.state.visitor.session_id
    await site.read(lambda store: site.sessions.end(store, session_id))
    return RedirectResponse("/admin/log-in", 303)


log_in = form(_log_in, log_in=True)
log_out = form(_log_out)


async def index(request: Request) -> Response:
    """The surveys that anybody may answer at the moment."""
    site: Site = request.app.state.site

    def are_open(store: Store) -> list[Any]:
        day = today()
        return [survey for survey in site.surveys.values() if store.state(survey.fingerprint).is_open(day)]

    await site.refresh()
    return page("index.html", {"surveys": await site.read(are_open)})


def routes() -> list[Route]:
    """The way to the dashboard."""
    return [
        Route("/", index),
        Route("/admin", overview),
        Route("/admin/log-in", log_in_page),
        Route("/admin/log-in", log_in, methods=["POST"]),
        Route("/admin/log-out", log_out, methods=["POST"]),
    ]

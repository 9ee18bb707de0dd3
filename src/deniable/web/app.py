"""The survey site as one application."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from deniable.collect.writer import ANSWER_SECONDS
from deniable.errors import StoreDown, UnknownSurvey
from deniable.web import admin, dashboard, exports, metrics, openapi, respond
from deniable.web.shortcut import Shortcut
from deniable.web.site import Site
from deniable.web.subpath import below_path

SAFE = {  # the page of a survey says more (page.py)
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
}
STRICT = {"strict-transport-security": "max-age=31536000"}  # behind TLS: a year


def create_app(site: Site) -> ASGIApp:
    """The application that serves a site."""
    respondents = respond.routes()
    collectors = [*admin.routes(), *dashboard.routes(), *exports.routes(), *metrics.routes()]
    app = Starlette(
        routes=[*respondents, *collectors, Route("/health", health), Route("/openapi.json", description)],
        lifespan=_lifespan,
        exception_handlers={
            StoreDown: respond.store_down,
            UnknownSurvey: respond.unknown_survey,
            HTTPException: _refused,
            Exception: _broken,
        },
    )
    app.router.redirect_slashes = False  # it would lead to whatever host the request names
    app.state.site = site
    headers = SAFE | (STRICT if site.url.startswith("https:") else {})
    return below_path(SafeHeaders(Shortcut(app, respondents), headers), site.url)


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    app.state.site.writer.start()
    yield
    app.state.site.writer.stop()


async def health(request: Request) -> Response:
    """Whether the site is well: its store answers."""
    site: Site = request.app.state.site
    await site.read(lambda store: store.surveys(), ANSWER_SECONDS)
    return JSONResponse({"status": "ok", "surveys": len(site.surveys)})


async def description(request: Request) -> Response:
    """What programs may ask of this site."""
    return JSONResponse(openapi.description(sorted(request.app.state.site.surveys)))


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        return respond.not_found(request, "there is no such page here; check the address")
    return respond.refusal(error.status_code, error.detail, dict(error.headers or {}))


def _broken(request: Request, error: Exception) -> Response:
    return respond.broken()


class SafeHeaders:
    """Every answer tells browsers to be careful, unless it says something itself."""

    def __init__(self, app: ASGIApp, headers: Mapping[str, str]) -> None:
        self._app = app
        self._safe = [(name.encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, with safe headers."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def careful(message: Message) -> None:
            if message["type"] == "http.response.start":
                said = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [*message["headers"], *(each for each in self._safe if each[0] not in said)]
            await send(message)

        await self._app(scope, receive, careful)

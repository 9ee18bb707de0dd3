"""The collector's pages: templates in which every text is escaped, and headers that allow nothing but our own files."""

from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha384
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from deniable.web import shown

ASSETS = {"dashboard.css": "text/css; charset=utf-8", "dashboard.js": "text/javascript; charset=utf-8"}
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; "
        "trusted-types 'none'"
    ),
    "Referrer-Policy": "same-origin",  # with no-referrer, browsers send forms with the origin "null"
    "Cache-Control": "no-store",
}


@cache
def _templates() -> Environment:
    found = Environment(
        loader=PackageLoader("deniable.web"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=shown.speakable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters.update(shown.FILTERS)
    found.globals["integrity"] = integrity
    return found


def page(template: str, told: Mapping[str, Any], status: int = 200) -> HTMLResponse:
    """A page made from a template."""
    text = _templates().get_template(template).render(told)
    return HTMLResponse(text, status, headers=HEADERS)


@cache
def asset(name: str) -> bytes:
    """A file that the collector's pages use."""
    return files("deniable.web").joinpath("static", name).read_bytes()


@cache
def integrity(name: str) -> str:
    """The hash that a browser holds such a file against."""
    return f"sha384-{b64encode(sha384(asset(name)).digest()).decode()}"


async def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in ASSETS:
        return Response(status_code=404)
    return Response(asset(name), media_type=ASSETS[name], headers={"Cache-Control": "no-cache"})


def routes() -> list[Route]:
    """The style and the script of the collector's pages."""
    return [Route("/assets/{name}", _asset)]

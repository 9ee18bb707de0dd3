"""Access control: who may see the collector's pages, and use their forms.

Every endpoint is guarded by itself, so that a page cannot be reached by any other path. A page needs a session; a form
needs a session, the token of that session, and must come from this very site (its `Origin`).
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response

from deniable.collect.store import Store
from deniable.errors import BadRequest, DeniableError, StoreDown
from deniable.web.bodies import body_of
from deniable.web.password import SECRET
from deniable.web.rendering import page
from deniable.web.sessions import is_id, new_id
from deniable.web.site import Site

COOKIE = "deniable_collector"
PATH = "/admin"
MAX_BYTES = 16 * 1024  # of a form
LOCAL = ("127.0.0.1", "localhost", "[::1]")
ORIGIN = re.compile(r"(https?)://([a-z0-9.-]+|\[[0-9a-f:]+\])(?::([0-9]{1,5}))?")
PORTS = {"http": 80, "https": 443}

Endpoint = Callable[[Request], Awaitable[Response]]
Form = Mapping[str, str]


@dataclass(frozen=True)
class Visitor:
    """Who asks: a browser with or without a session, and the token that its forms bring along."""

    session_id: str
    token: str
    logged_in: bool
    opened: bool  # whether a password was ever set


def collector(answer: Endpoint) -> Endpoint:
    """Answer collectors who have logged in, and nobody else."""

    async def endpoint(request: Request) -> Response:
        visitor = await visitor_of(request)
        if not visitor.logged_in:
            return ask_to_log_in(request, visitor)
        request.state.visitor = visitor
        return await _answer_or_problem(answer, request)

    return endpoint


def form(answer: Endpoint, *, log_in: bool = False) -> Endpoint:
    """Take a form from a collector who has logged in (or wants to), sent by a page of this site."""

    async def endpoint(request: Request) -> Response:
        visitor = await visitor_of(request)
        if not visitor.logged_in and not log_in:
            return ask_to_log_in(request, visitor)
        try:
            problem, status = await _problem(request, visitor), 403
        except TimeoutError:
            problem, status = "this form took too long to arrive; try again", 408
        if problem is not None:
            return page("problem.html", {"problem": problem, "visitor": visitor}, status)
        request.state.visitor = visitor
        return await _answer_or_problem(answer, request)

    return endpoint


async def _answer_or_problem(answer: Endpoint, request: Request) -> Response:
    """An answer; or what stands in its way, in one line."""
    try:
        return await answer(request)
    except StoreDown:
        raise
    except DeniableError as error:
        return page("problem.html", {"problem": str(error), "visitor": request.state.visitor}, 400)


async def visitor_of(request: Request) -> Visitor:
    """Who asks, by the cookie; somebody without one gets a fresh one with the log-in form."""
    site: Site = request.app.state.site
    brought = request.cookies.get(COOKIE, "")
    session_id = brought if is_id(brought) else new_id()
    active = request.headers.get("Sec-Fetch-Dest") != "empty"  # a page that updates itself is no click

    def look(store: Store) -> tuple[str | None, bool]:
        kept = store.secret(SECRET)
        return kept, bool(brought) and site.sessions.holds(store, session_id, kept, active)

    kept, logged_in = await site.read(look)
    return Visitor(session_id, site.sessions.token(session_id), logged_in, opened=kept is not None)


async def _problem(request: Request, visitor: Visitor) -> str | None:
    """What is wrong with a form, if anything."""
    site: Site = request.app.state.site
    if not is_own_origin(request.headers.get("Origin"), site.url):
        return f"this form did not come from {site.url}; open the dashboard there (serve --url says where it is)"
    request.state.form = await _fields(request)
    if not site.sessions.is_token(visitor.session_id, request.state.form.get("token", "")):
        return "this form is too old; go back, load the page again and try once more"
    return None


def is_own_origin(origin: str | None, url: str) -> bool:
    """Whether a browser says that a form came from a page of this site."""
    found, own = _origin(origin or ""), _origin("/".join(url.split("/")[:3]))
    return found is not None and found == own


def _origin(text: str) -> tuple[str, str, int] | None:
    """Scheme, host and port of an origin; this machine has one name, and ports may go without saying."""
    found = ORIGIN.fullmatch(text.lower())
    if found is None:
        return None
    scheme, host, port = found.groups()
    return scheme, LOCAL[0] if host in LOCAL else host, int(port) if port else PORTS[scheme]


async def _fields(request: Request) -> Form:
    """The fields of a form, each once; none of one that is too long."""
    body = await body_of(request, MAX_BYTES) or b""
    try:
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=50)
    except ValueError:
        return {}
    fields = dict(pairs)
    return fields if len(fields) == len(pairs) else {}


def whole_number(fields: Form, name: str, most: int) -> int:
    """A field that must hold a whole number from 1 on."""
    text = fields.get(name, "")
    short = len(text) <= len(str(most))  # Python turns no text of thousands of digits into a number
    if not (short and text.isascii() and text.isdigit() and 1 <= int(text) <= most):
        raise BadRequest(name, f"a whole number from 1 to {most:,}", text[:20], "correct it")
    return int(text)


def number(fields: Form, name: str, otherwise: float) -> float:
    """A field that must hold a number; one that is empty, or not there, stands for another."""
    text = fields.get(name, "").strip()
    try:
        return float(text) if text else otherwise
    except ValueError:
        raise BadRequest(name, "a number", text[:20], "correct it") from None


def ask_to_log_in(request: Request, visitor: Visitor, wrong: str = "", status: int = 403) -> Response:
    """The log-in form, or how to open a dashboard that is still shut."""
    if not visitor.opened:
        return page("shut.html", {"visitor": visitor}, 403)
    response = page("log_in.html", {"visitor": visitor, "wrong": wrong}, status)
    set_cookie(request, response, visitor.session_id)
    return response


def set_cookie(request: Request, response: Response, session_id: str) -> None:
    """Let the browser bring this id along, to the dashboard and from the dashboard only."""
    site: Site = request.app.state.site
    secure = site.url.startswith("https:")
    response.set_cookie(COOKIE, session_id, path=PATH, secure=secure, httponly=True, samesite="strict")

"""Endpoints for respondents' devices: the page, the design, the survey's status, and replies.

Everybody gets the same page, design and status; nothing is remembered of who asked. A reply is answered only when it
is on disk (201, or 200 if the same bytes were there before), or refused with one line of JSON.
"""

import re
from collections.abc import Awaitable, Callable
from functools import partial

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from deniable.collect.invitation import MAX_LETTERS
from deniable.collect.reply import MAX_BYTES
from deniable.collect.state import today
from deniable.collect.store import Arrival, Outcome
from deniable.collect.writer import ANSWER_SECONDS
from deniable.errors import BadReply, StoreDown
from deniable.web import page as pages
from deniable.web import rendering
from deniable.web.bodies import BODY_SECONDS, body_of
from deniable.web.signing import read_trade, signature
from deniable.web.site import Site, Survey

RETRY_SECONDS = 2
RECEIVED = b'{"received":true}'
FINGERPRINT = re.compile(r"[0-9a-f]{64}")
NO_SURVEY = "there is no such survey here; check the address"
INVITED = "this survey is for invited people; use the address in the invitation"
PAGE_HEADERS = {"Content-Security-Policy": pages.CONTENT_SECURITY_POLICY}
STATUS = {
    Outcome.STORED: 201,
    Outcome.KNOWN: 200,
    Outcome.DIFFERENT: 409,
    Outcome.NOT_INVITED: 403,
    Outcome.CLOSED: 410,
    Outcome.OTHER_MODEL: 409,
    Outcome.NO_SURVEY: 404,
}
FOR_ANY_PAGE = {  # a page saved to a file has no origin; it may send replies, and nothing secret comes back
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "POST",
    "Access-Control-Allow-Headers": "Content-Type, Invitation, Signature",
    "Access-Control-Expose-Headers": "Retry-After",
    "Access-Control-Max-Age": "86400",
}
_FOR_ANY_PAGE = [(name.lower().encode(), value.encode()) for name, value in FOR_ANY_PAGE.items()]

Answer = Callable[[Request, Survey], Awaitable[Response]]


def refusal(status: int, line: str, headers: dict[str, str] | None = None) -> JSONResponse:
    """A refusal: one line, sent to the respondent's device."""
    return JSONResponse({"error": line}, status, headers)


def broken() -> Response:
    """The answer where nobody foresaw what happened."""
    return refusal(500, "something is wrong with this site; nothing was stored, try again later")


def not_found(request: Request, line: str, status: int = 404) -> Response:
    """The same for an address that leads nowhere; people get a page to read."""
    if "text/html" in request.headers.get("Accept", ""):
        return rendering.page("lost.html", {"line": line}, status)
    return refusal(status, line)


async def survey_of(request: Request) -> Survey | None:
    """The survey that a path names; its keys may have been made a moment ago."""
    site: Site = request.app.state.site
    fingerprint = request.path_params["fingerprint"]
    if fingerprint not in site.surveys and FINGERPRINT.fullmatch(fingerprint):
        await site.refresh()
    survey = site.surveys.get(fingerprint)
    return None if survey is None or survey.is_over(today()) else survey


async def erased(request: Request) -> Response | None:
    """What is said of a survey whose data have been erased, or must be now."""
    site: Site = request.app.state.site
    fingerprint = request.path_params.get("fingerprint", "")
    if not FINGERPRINT.fullmatch(fingerprint):
        return None
    day = await site.read(lambda store: store.erased(fingerprint), ANSWER_SECONDS)
    if day is None and fingerprint in site.surveys and site.surveys[fingerprint].is_over(today()):
        day = str(site.surveys[fingerprint].design.survey.retention)
    return None if day is None else not_found(request, f"this survey is over; its replies were erased ({day})", 410)


def no_survey(request: Request) -> Response:
    """The refusal for a survey that is not here; or that has another address, since it got keys."""
    site: Site = request.app.state.site
    if site.moved(request.path_params.get("fingerprint", "")) is None:
        return not_found(request, NO_SURVEY)
    return not_found(request, INVITED, 403 if request.method == "POST" else 404)  # whoever sends has no invitation


def about_survey(
    answer: Answer, otherwise: Callable[[Request], Response] = no_survey
) -> Callable[[Request], Awaitable[Response]]:
    """Answer about the survey that the path names, if there is one; else with `otherwise`."""

    async def endpoint(request: Request) -> Response:
        survey = await survey_of(request)
        if survey is not None:
            return await answer(request, survey)
        return await erased(request) or otherwise(request)

    return endpoint


@about_survey
async def design(request: Request, survey: Survey) -> Response:
    """The design as it is published: the very bytes whose SHA-256 is the fingerprint."""
    return Response(survey.published, media_type="application/json", headers={"Cache-Control": "max-age=86400"})


@about_survey
async def privacy(request: Request, survey: Survey) -> Response:
    """What each respondent can deny."""
    return JSONResponse(survey.privacy.to_json())


@about_survey
async def status(request: Request, survey: Survey) -> Response:
    """Whether replies are taken, whether they need invitations, and the model that is published."""
    site: Site = request.app.state.site
    state = await site.read(lambda store: store.state(survey.fingerprint), ANSWER_SECONDS)
    return JSONResponse(state.to_json() | ({"kiosk": True} if site.kiosk else {}))


@about_survey
async def model(request: Request, survey: Survey) -> Response:
    """The model that the collector gives back to the respondents."""
    site: Site = request.app.state.site
    text = await site.read(lambda store: store.model(survey.fingerprint))
    if text is None:
        return refusal(404, "no model is published")
    return Response(text, media_type="application/json")


def _to_full_address(request: Request) -> Response:
    """From an address that was read out to the one with the whole fingerprint, which the page checks."""
    site: Site = request.app.state.site
    survey = site.by_address(request.path_params["fingerprint"])
    return no_survey(request) if survey is None else RedirectResponse(survey.fingerprint, 303)  # beside this address


@partial(about_survey, otherwise=_to_full_address)
async def page(request: Request, survey: Survey) -> Response:
    """The respondent's page, as long as its survey is in the store."""
    site: Site = request.app.state.site
    await site.read(lambda store: store.state(survey.fingerprint), ANSWER_SECONDS)
    single_file = None if site.kiosk else survey.single_file_digest  # a file would stay there
    return HTMLResponse(pages.respondent_page(survey.design, single_file), headers=PAGE_HEADERS)


@about_survey
async def offline(request: Request, survey: Survey) -> Response:
    """The page as one file, to be inspected and used without a connection."""
    name = f"survey-{survey.fingerprint[:16]}.html"
    return HTMLResponse(survey.single_file, headers={"Content-Disposition": f'attachment; filename="{name}"'})


async def static(request: Request) -> Response:
    """A script, style or picture of the page."""
    found = pages.static_files().get(request.path_params["name"])
    if found is None:
        return refusal(404, "there is no such file here")
    return Response(found.content, media_type=found.content_type, headers={"Cache-Control": "no-cache"})


async def door(request: Request, kind: str) -> Response:
    """Take a reply or a follow-up, answering when it is on disk; or an invitation, to be traded or looked at."""
    if request.method == "OPTIONS":
        return Response(status_code=204, headers=FOR_ANY_PAGE)
    response = await _taken(request, kind)
    response.raw_headers += _FOR_ANY_PAGE
    return response


async def _taken(request: Request, kind: str) -> Response:
    survey = await survey_of(request)
    if survey is None:
        return await erased(request) or no_survey(request)
    try:
        body = await body_of(request, MAX_BYTES)
    except TimeoutError:
        return refusal(408, f"expected a reply within {BODY_SECONDS:g} seconds, got part of one; try again")
    if body is None:
        return refusal(413, f"expected a reply of at most {MAX_BYTES:,} bytes, got more; load the page again")
    try:
        return await {"signatures": _signed, "invitations": _expected}.get(kind, _kept)(request, survey, kind, body)
    except BadReply as error:
        return refusal(400, str(error))


async def _kept(request: Request, survey: Survey, kind: str, body: bytes) -> Response:
    """Keep a reply or a follow-up."""
    read = survey.reader.read(body) if kind == "replies" else survey.reader.read_follow_up(body)
    checker, header = survey.checker, request.headers.get("Signature")
    signed = checker is not None and checker.is_signed(read.round, read.id, header)
    outcome = await _let_in(request, Arrival(survey.fingerprint, read, _invitation(request), signed))
    if outcome in (Outcome.STORED, Outcome.KNOWN):
        return Response(RECEIVED, STATUS[outcome], media_type="application/json")
    return refusal(STATUS[outcome], outcome.value) if isinstance(outcome, Outcome) else outcome


async def _signed(request: Request, survey: Survey, kind: str, body: bytes) -> Response:
    """Trade an invitation for a blind signature: once, or again for the very same."""
    site: Site = request.app.state.site
    arrival, blinded = read_trade(survey.fingerprint, survey.design.issuer, body)
    outcome = await _let_in(request, arrival)
    if outcome is not Outcome.TRADED:
        return refusal(STATUS[outcome], outcome.value) if isinstance(outcome, Outcome) else outcome
    keys = await site.keys(survey.fingerprint)
    assert keys is not None
    return JSONResponse({"signature": await signature(keys, arrival, blinded)})


async def _expected(request: Request, survey: Survey, kind: str, body: bytes) -> Response:
    """Whether an invitation would let a reply in; nothing is spent or kept."""
    site: Site = request.app.state.site
    invitation = _invitation(request) or ""
    if await site.read(lambda store: store.is_unspent(survey.fingerprint, invitation), ANSWER_SECONDS):
        return Response(status_code=204)
    if wait := site.guesses.wait(survey.fingerprint):
        return _too_many_guesses(wait)
    site.guesses.failed(survey.fingerprint)
    return refusal(STATUS[Outcome.NOT_INVITED], Outcome.NOT_INVITED.value)


def _too_many_guesses(wait: int) -> Response:
    return refusal(429, "too many wrong invitations; try again later", {"Retry-After": str(wait)})


async def _let_in(request: Request, arrival: Arrival) -> Outcome | Response:
    """What became of an arrival; whoever guesses at invitations is told to wait."""
    site: Site = request.app.state.site
    wait = site.guesses.wait(arrival.survey)
    if wait and not await site.read(lambda store: store.expects(arrival), ANSWER_SECONDS):
        return _too_many_guesses(wait)
    outcome = await site.writer.keep(arrival)
    if outcome is Outcome.NOT_INVITED:
        site.guesses.failed(arrival.survey)
    if outcome is Outcome.NO_SURVEY:  # it has gone since this site began to serve it
        return await erased(request) or no_survey(request)
    return outcome


def _invitation(request: Request) -> str | None:
    invitation = request.headers.get("Invitation")
    return None if invitation is None else invitation[:MAX_LETTERS]


async def unknown_survey(request: Request, error: Exception) -> Response:
    """A survey that has gone from the store, or moved, since the site began to serve it."""
    return await erased(request) or no_survey(request)


def store_down(request: Request, error: Exception) -> Response:
    """Replies cannot be stored now: the device keeps its bytes and tries again."""
    assert isinstance(error, StoreDown)
    headers = {"Retry-After": str(RETRY_SECONDS), **FOR_ANY_PAGE}
    return refusal(503, "replies cannot be stored at the moment; try again", headers)


def routes() -> list[Route]:
    """The respondents' part of the site."""
    here = "/survey/{fingerprint}"
    return [
        Route("/static/{name}", static),
        Route(here, page),
        Route(f"{here}/offline.html", offline),
        Route(f"{here}/design.json", design),
        Route(f"{here}/privacy.json", privacy),
        Route(f"{here}/status.json", status),
        Route(f"{here}/model.json", model),
        Route(f"{here}/replies", partial(door, kind="replies"), methods=["POST", "OPTIONS"]),
        Route(f"{here}/follow-ups", partial(door, kind="follow-ups"), methods=["POST", "OPTIONS"]),
        Route(f"{here}/signatures", partial(door, kind="signatures"), methods=["POST", "OPTIONS"]),
        Route(f"{here}/invitations", partial(door, kind="invitations"), methods=["POST", "OPTIONS"]),
    ]

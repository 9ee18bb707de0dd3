"""One survey's dashboard: its answers, tables, models and promise, and how it is run."""

from functools import partial
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from deniable.collect.invitation import link, new_invitation
from deniable.collect.second_round import MAX_EPSILON, lottery_of, name_in, named, with_lottery, without_lottery
from deniable.collect.state import today
from deniable.collect.store import Store
from deniable.collect.waiting import BATCH
from deniable.count.counts import Counts
from deniable.count.stored import StoreCounts
from deniable.errors import BadRequest, DeniableError
from deniable.learn.decision_tree import TreeClassifier
from deniable.report.bayes_tables import bayes_rows
from deniable.report.picture import folding_tree, tree_svg
from deniable.report.tree_text import tree_text
from deniable.web import figures, learnt, regressions
from deniable.web.digits import digits_about
from deniable.web.errors import with_errors
from deniable.web.guard import Endpoint, collector, form, number, whole_number
from deniable.web.rendering import HEADERS, page
from deniable.web.respond import NO_SURVEY, Answer, about_survey
from deniable.web.site import Site, Survey
from deniable.web.sizes import BlockSizes, version_sizes

MARGIN = 0.03
PERCENTS = {"row": "in each row", "column": "in each column", "all": "of everybody"}
MAX_INVITATIONS = 10_000
EPSILON = 1.0  # of the second round's digit, unless the collector chooses another


def about(answer: Answer) -> Endpoint:
    """A page about one survey, for collectors."""
    return collector(about_survey(answer, _no_survey))


def ordered(answer: Answer) -> Endpoint:
    """A form about one survey, from collectors."""
    return form(about_survey(answer, _no_survey))


def _no_survey(request: Request) -> Response:
    site: Site = request.app.state.site
    before = request.path_params["fingerprint"]
    if request.method == "GET" and (now := site.moved(before)) is not None:
        return RedirectResponse(request.url.path.replace(before, now), 303)
    return page("problem.html", {"problem": NO_SURVEY, "visitor": request.state.visitor}, 404)


async def _shown(request: Request, survey: Survey, template: str, **context: Any) -> Response:
    """A page of the dashboard, with what all of them tell."""
    site: Site = request.app.state.site

    def look(store: Store) -> dict[str, Any]:
        return {
            "replies": store.count(survey.fingerprint, shown=True),
            "state": store.state(survey.fingerprint),
            "invited": store.invited(survey.fingerprint),
        }

    common = {
        "survey": survey,
        "here": f"/admin/survey/{survey.fingerprint}",
        "visitor": request.state.visitor,
        "today": today(),
        "site": site,
        "tab": template,
    }
    return page(template, {**common, **await site.read(look), **context})


async def _counted(site: Site, survey: Survey) -> int:
    return await site.read(lambda store: store.count(survey.fingerprint, shown=True))


# ---------------------------------------------------------------- answers


@about
async def answers(request: Request, survey: Survey) -> Response:
    """What replies say about every question."""
    site: Site = request.app.state.site
    margin, problem = _margin(request)
    said: list[figures.Said] = []
    sizes: list[BlockSizes] = []
    if replies := await _counted(site, survey):
        work = partial(_every_question, survey, site.store_url)
        said = await site.results.of((survey.fingerprint, "answers"), replies, work)
        counted = partial(_version_sizes, survey, site.store_url)
        sizes = await site.results.of((survey.fingerprint, "versions"), replies, counted)
    needed, left_out = _needed(survey, said, margin)
    context = {"said": said, "sizes": sizes, "needed": needed, "left_out": left_out, "margin": margin}
    return await _shown(request, survey, "answers.html", problem=problem, **context)


def _every_question(survey: Survey, store: str) -> list[figures.Said]:
    return figures.every_question(survey.design, StoreCounts(survey.design, store, shown=True))


def _version_sizes(survey: Survey, store: str) -> list[BlockSizes]:
    return (
        version_sizes(survey.design, StoreCounts(survey.design, store, shown=True)) if survey.design.versioned else []
    )


def _needed(survey: Survey, said: list[figures.Said], margin: float) -> tuple[list[figures.Needed], tuple[str, ...]]:
    try:
        return figures.still_needed(survey.design, said, margin)
    except BadRequest:  # nothing but numbers under noise
        return [], tuple(survey.design.names)


def _margin(request: Request) -> tuple[float, str]:
    """The margin that is wanted, in percentage points, and what is wrong with it."""
    text = request.query_params.get("margin", "")
    try:
        wanted = float(text) / 100 if text else MARGIN
    except ValueError:
        wanted = 0.0
    if 0.0005 <= wanted < 1:
        return wanted, ""
    return MARGIN, "A margin is a number of percentage points from 0.05 to 99."


@about
async def count(request: Request, survey: Survey) -> Response:
    """How many replies there are: asked again and again by a page that is being looked at."""
    site: Site = request.app.state.site
    return JSONResponse({"replies": await _counted(site, survey)})


# ---------------------------------------------------------------- tables


@about
async def tables(request: Request, survey: Survey) -> Response:
    """Two questions together."""
    site: Site = request.app.state.site
    names = survey.design.names
    first = request.query_params.get("first", names[0])
    second = request.query_params.get("second", next((name for name in names if name != first), names[0]))
    percent = request.query_params.get("percent", "row")
    found, problem = None, ""
    if replies := await _counted(site, survey):
        try:
            work = partial(_cross_table, survey, site.store_url, first, second, percent)
            found = await site.results.of((survey.fingerprint, "table", first, second, percent), replies, work)
        except DeniableError as error:
            problem = str(error)
    context = {"first": first, "second": second, "percent": percent, "percents": PERCENTS}
    return await _shown(request, survey, "tables.html", table=found, problem=problem, **context)


def _cross_table(survey: Survey, store: str, first: str, second: str, percent: str) -> figures.CrossTable:
    if percent not in PERCENTS:
        raise BadRequest("percent", f"one of {', '.join(PERCENTS)}", percent, "choose one of them")
    if first == second:
        raise BadRequest("the second question", "another one than the first", second, "choose another one")
    counts: Counts = StoreCounts(survey.design, store, shown=True)
    return figures.cross_table(survey.design, counts, first, second, None if percent == "all" else percent)


# ---------------------------------------------------------------- models


@about
async def models(request: Request, survey: Survey) -> Response:
    """Models fitted on demand, the published one, and what the second round found about it."""
    site: Site = request.app.state.site
    choices = learnt.targets(survey.design)
    kind = request.query_params.get("kind", "")
    target = request.query_params.get("target", choices[0] if choices else "")
    found, problem, replies = None, "", await _counted(site, survey)
    if kind:
        try:
            found = await _learnt(site, survey, kind, target, replies)
        except DeniableError as error:
            problem = str(error)
    context = {"kind": kind, "target": target, "targets": choices, "problem": problem, "learnt": found}
    published = await _published(site, survey, found)
    limits = {"epsilon": EPSILON, "most_epsilon": MAX_EPSILON}
    explained = await _explained(request, site, survey, replies)
    return await _shown(request, survey, "models.html", **context, **limits, **_drawn(found), **published, **explained)


async def _explained(request: Request, site: Site, survey: Survey, replies: int) -> dict[str, Any]:
    """What the regression form asks for, the regression, or what is wrong with it."""
    query, names = request.query_params, survey.design.columns
    outcome, predictors = query.get("outcome", ""), query.getlist("predictor")
    product = [query.get("first", ""), query.get("second", "")]
    chosen = {"outcome": outcome or (survey.design.target or survey.design.names[0]), "predictors": predictors,
              "product": product}  # fmt: skip
    found, problem = None, ""
    if outcome:
        try:
            asked = regressions.wanted(survey.design, outcome, predictors, product)
            work = partial(regressions.regression, survey.design, site.store_url, asked)
            found = await site.results.of((survey.fingerprint, "regression", asked), replies, work)
        except DeniableError as error:
            problem = str(error)
    return {"explain": chosen, "explainable": names, "regression": found, "regression_problem": problem}


async def _learnt(site: Site, survey: Survey, kind: str, target: str, replies: int) -> learnt.Learnt:
    work = partial(learnt.learn, survey.design, site.store_url, kind, target)
    return await site.results.of((survey.fingerprint, "model", kind, target), replies, work)


def _drawn(found: learnt.Learnt | None) -> dict[str, Any]:
    """A model as a picture, or as a table."""
    context: dict[str, Any] = {"picture": None, "text": "", "heads": [], "rows": []}
    if found is None:
        return context
    if isinstance(found.model, TreeClassifier):
        drawn = {"picture": Markup(tree_svg(found.model, styled=False)), "folded": Markup(folding_tree(found.model))}
        return {**context, **drawn, "text": tree_text(found.model)}
    heads, rows = bayes_rows(found.model)
    return {**context, "heads": heads, "rows": with_errors(found.errors, rows)}


async def _published(site: Site, survey: Survey, shown: learnt.Learnt | None) -> dict[str, Any]:
    """The model that respondents have, whether it is the one that is shown, and what they reported about it."""

    def look(store: Store) -> tuple[str | None, str | None, tuple[int, int]]:
        digest, text = store.state(survey.fingerprint).model, store.model(survey.fingerprint)
        return digest, text, store.follow_ups(survey.fingerprint, digest or "", shown=True)

    digest, text, counted = await site.read(look)
    if digest is None or text is None:
        return {"published": None, "is_shown": False, "digits": None, "published_name": ""}
    is_shown = shown is not None and shown.text == without_lottery(text)
    digits = digits_about(survey.design, text, counted)
    return {"published": digest, "is_shown": is_shown, "digits": digits, "published_name": name_in(text)}


@ordered
async def publish(request: Request, survey: Survey) -> Response:
    """Give the model that was shown to the respondents, with the lottery by which they test it."""
    site: Site = request.app.state.site
    fields = request.state.form
    kind, target = fields.get("kind", ""), fields.get("target", "")
    found = site.results.known((survey.fingerprint, "model", kind, target))
    if found is None or found.digest != fields.get("digest"):
        raise BadRequest("the model", "the one that was shown last", fields.get("digest", "")[:16], "fit it again")
    text = with_lottery(found.text, lottery_of(number(fields, "epsilon", EPSILON)))
    text = named(text, fields.get("name", ""))
    await site.read(lambda store: store.publish(survey.fingerprint, text))
    return RedirectResponse(f"/admin/survey/{survey.fingerprint}/models", 303)


@ordered
async def take_back(request: Request, survey: Survey) -> Response:
    """Take the published model back."""
    site: Site = request.app.state.site
    await site.read(lambda store: store.publish(survey.fingerprint, None))
    return RedirectResponse(f"/admin/survey/{survey.fingerprint}/models", 303)


# ---------------------------------------------------------------- the promise, and how the survey is run


@about
async def promise(request: Request, survey: Survey) -> Response:
    """What each respondent can deny, in plain words."""
    return await _shown(request, survey, "promise.html", privacy=survey.privacy)


@about
async def manage(request: Request, survey: Survey) -> Response:
    """Opening days, invitations, exports."""
    return await _shown(request, survey, "manage.html", batch=BATCH)


@ordered
async def schedule(request: Request, survey: Survey) -> Response:
    """Set the survey's first and last day."""
    site: Site = request.app.state.site
    opens, closes = request.state.form.get("opens", ""), request.state.form.get("closes", "")
    await site.read(lambda store: store.schedule(survey.fingerprint, opens or None, closes or None))
    return RedirectResponse(f"/admin/survey/{survey.fingerprint}/manage", 303)


@ordered
async def close(request: Request, survey: Survey) -> Response:
    """Take no more replies, from this moment on."""
    site: Site = request.app.state.site
    await site.read(lambda store: store.close_now(survey.fingerprint))
    return RedirectResponse(f"/admin/survey/{survey.fingerprint}/manage", 303)


@ordered
async def invite(request: Request, survey: Survey) -> Response:
    """Make invitations, and hand them out once: the store knows only their hashes."""
    site: Site = request.app.state.site
    made = [new_invitation() for _ in range(whole_number(request.state.form, "count", MAX_INVITATIONS))]

    def issue(store: Store) -> str:
        issued = store.issue(survey.design).fingerprint
        store.invite(issued, made)
        return issued

    issued = await site.read(issue)
    await site.refresh()
    lines = "".join(f"{link(site.url, issued, each)}\n" for each in made)
    headers = {**HEADERS, "Content-Disposition": 'attachment; filename="invitations.txt"'}
    return Response(lines, media_type="text/plain", headers=headers)


def routes() -> list[Route]:
    """The pages and forms of one survey."""
    here = "/admin/survey/{fingerprint}"
    return [
        Route(here, answers),
        Route(f"{here}/count", count),
        Route(f"{here}/tables", tables),
        Route(f"{here}/models", models),
        Route(f"{here}/promise", promise),
        Route(f"{here}/manage", manage),
        Route(f"{here}/publish", publish, methods=["POST"]),
        Route(f"{here}/take-back", take_back, methods=["POST"]),
        Route(f"{here}/schedule", schedule, methods=["POST"]),
        Route(f"{here}/close", close, methods=["POST"]),
        Route(f"{here}/invite", invite, methods=["POST"]),
    ]

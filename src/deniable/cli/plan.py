"""`deniable plan DESIGN [EXPR...]`: respondents that a margin, a power or an accuracy takes, or what replies give."""

from pathlib import Path
from typing import Annotated, Any

import typer

from deniable.channel.design import Design
from deniable.cli.arguments import DesignFile, Html, Target
from deniable.cli.engine import Master, PilotEngine
from deniable.cli.people import pilot_at
from deniable.cli.shares import shares_by_question
from deniable.cli.show import AsJson, print_json, print_table, say, say_written
from deniable.errors import BadRequest
from deniable.frame.files import keep_apart
from deniable.inference.plan import Plan
from deniable.inference.planning.truth import Share
from deniable.judge.curve import Curve
from deniable.judge.plan import plan
from deniable.report.curves import curve_page
from deniable.report.page import write
from deniable.report.plans import heads_of, plan_page, rows_of

Shares = Annotated[
    list[str] | None,
    typer.Option(
        help="The share you expect; the worst one if left out. Or of a question: smokes=0.3 for the second answer, "
        "drinks=0.2,0.5,0.3 for each; may be given again."
    ),
]
Pilot = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="True answers of people asked in the clear: plan the accuracy of models, or a regression (--formula); "
        "with --engine spark, any path.",
    ),
]
Formula = Annotated[
    str | None, typer.Option(help="leave ~ smokes + age: plan the coefficients of this regression, with --pilot.")
]


def command(
    path: DesignFile,
    expressions: Annotated[
        list[str] | None, typer.Argument(metavar="[EXPR]...", help="smokes == 'yes' and age > 40; every share if none.")
    ] = None,
    margin: Annotated[float | None, typer.Option(help="Half the width of the interval you want, e.g. 0.02.")] = None,
    replies: Annotated[int | None, typer.Option(help="Respondents you can get: what do they buy?")] = None,
    share: Shares = None,
    given: Annotated[str | None, typer.Option(metavar="EXPR", help="Only among those for whom this holds.")] = None,
    table: Annotated[
        list[str] | None, typer.Option(metavar="Q", help="Every cell of a table of these; may be given again.")
    ] = None,
    mean: Annotated[str | None, typer.Option(metavar="Q", help="The mean of this number, in its own units.")] = None,
    sd: Annotated[
        float | None, typer.Option(help="The number's standard deviation; the worst one if left out.")
    ] = None,
    difference: Annotated[
        float | None, typer.Option(help="Find that the true share differs by this, e.g. 0.05.")
    ] = None,
    power: Annotated[float | None, typer.Option(help="The chance to find the difference, e.g. 0.8.")] = None,
    confidence: Annotated[float, typer.Option(help="Confidence of the interval, and of the test.")] = 0.95,
    pilot: Pilot = None,
    formula: Formula = None,
    target: Target = None,
    accuracy: Annotated[float | None, typer.Option(help="The accuracy you want, with --pilot.")] = None,
    engine: PilotEngine = None,
    master: Master = None,
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Say how many respondents a margin, a power or an accuracy needs, or what so many replies buy."""
    design = Design.load(path)
    asked: dict[str, Any] = {
        "margin": margin, "replies": replies, "share": _expected(share), "confidence": confidence,
        "expression": expressions or None, "given": given, "table": table or None, "mean": mean, "sd": sd,
        "difference": difference, "power": power, "target": target, "accuracy": accuracy, "formula": formula,
    }  # fmt: skip
    with pilot_at(pilot, design, engine, master) as people:
        found = plan(design, **asked, pilot=people)
    if html is not None:
        keep_apart(html, path, *([] if pilot is None else [Path(pilot)]))
        write(_page(found, design.title), html)
    _show(found, as_json)
    say_written(html, "the plan as a page", as_json)


def _expected(texts: list[str] | None) -> Share:
    """Shares as written on the command line: one number, or those of questions."""
    if not texts:
        return None
    if len(texts) == 1 and "=" not in texts[0]:
        return _number(texts[0])
    return shares_by_question("--share", texts)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BadRequest("--share", "a number, or a question with its shares, as smokes=0.3", text,
                         "correct it") from None  # fmt: skip


def _page(found: Any, title: str) -> str:
    if isinstance(found, Plan):
        return plan_page(found, title)
    if isinstance(found, Curve):
        return curve_page(found, title)
    from deniable.report import coefficient_plans  # which needs an extra

    return coefficient_plans.page(found, title)


def _show(found: Any, as_json: bool) -> None:
    if as_json:
        print_json(found.to_json())
        return
    if isinstance(found, Plan):
        print_table("", heads_of(found), rows_of(found))
    elif not isinstance(found, Curve):
        from deniable.report import coefficient_plans  # which needs an extra

        print_table("", coefficient_plans.HEADS, coefficient_plans.rows_of(found))
    else:
        heads = ["replies", "model", "accuracy", "stderr", "low", "high", "note"]
        print_table("", heads, [[row[head] for head in heads] for row in found.rows])
    say(str(found))

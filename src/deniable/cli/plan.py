"""`deniable plan DESIGN [EXPR...]`: respondents needed for a margin or a power, or what so many replies give."""

from typing import Annotated

import typer

from deniable.channel.design import Design
from deniable.cli.arguments import DesignFile, Html, shares_by_question
from deniable.cli.show import AsJson, print_json, print_table, say
from deniable.frame.files import keep_apart
from deniable.inference.plan import plan
from deniable.inference.planning.truth import Share
from deniable.report.page import write
from deniable.report.plans import heads_of, plan_page, rows_of


def command(
    path: DesignFile,
    expressions: Annotated[
        list[str] | None, typer.Argument(metavar="[EXPR]...", help="smokes == 'yes' and age > 40; every share if none.")
    ] = None,
    margin: Annotated[float | None, typer.Option(help="Half the width of the interval you want, e.g. 0.02.")] = None,
    replies: Annotated[int | None, typer.Option(help="Respondents you can get: what do they buy?")] = None,
    share: Annotated[
        list[str] | None,
        typer.Option(
            help="The share you expect; the worst one if left out. Or of a question: smokes=0.3 for the second answer, "
            "drinks=0.2,0.5,0.3 for each; may be given again."
        ),
    ] = None,
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
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Say how many respondents a margin or a power needs, or what so many replies buy."""
    design = Design.load(path)
    found = plan(
        design, margin, replies=replies, share=_expected(share), confidence=confidence, expression=expressions or None,
        given=given, table=table or None, mean=mean, sd=sd, difference=difference, power=power,
    )  # fmt: skip
    if html is not None:
        keep_apart(html, path)
        write(plan_page(found, design.title), html)
    if as_json:
        print_json(found.to_json())
        return
    print_table("", heads_of(found), rows_of(found))
    say(str(found))


def _expected(texts: list[str] | None) -> Share:
    """Shares as written on the command line: one number, or those of questions."""
    if texts and len(texts) == 1:
        try:
            return float(texts[0])
        except ValueError:
            pass  # those of a question
    return shares_by_question("--share", texts, "a number, or ") if texts else None

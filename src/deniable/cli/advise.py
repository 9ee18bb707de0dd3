"""`deniable advise DESIGN --epsilon 2`: which design gives most at one epsilon of the whole reply."""

from pathlib import Path
from typing import Annotated

import typer

from deniable.channel.design import Design
from deniable.cli.arguments import DesignFile, Html, Target
from deniable.cli.engine import Master, PilotEngine
from deniable.cli.people import pilot_at
from deniable.cli.shares import shares_by_class
from deniable.cli.show import AsJson, print_json, print_table, say, say_written
from deniable.frame import files
from deniable.judge.advice import Advice, RankedBy
from deniable.judge.advise import advise
from deniable.report import judged, page

Pilot = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="True answers of people asked in the clear; with --engine spark, any path."),
]
Shares = Annotated[
    list[str] | None,
    typer.Option(
        help="Without a pilot, shares to assume: smokes=0.3, or by the target's answers, smokes=0.2/0.6; "
        "may be given again."
    ),
]


def command(
    path: DesignFile,
    expressions: Annotated[
        list[str] | None,
        typer.Argument(metavar="[EXPR]...", help="smokes == 'yes' and leave == 'yes': its error is told beside."),
    ] = None,
    epsilon: Annotated[float, typer.Option(help="Epsilon of the whole reply, to keep whatever is asked.")] = 2.0,
    replies: Annotated[int, typer.Option(help="Respondents you can get.")] = 10_000,
    target: Target = None,
    pilot: Pilot = None,
    share: Shares = None,
    wanted: Annotated[
        RankedBy | None, typer.Option("--for", help="What to rank by; the target, if there is one, else shares.")
    ] = None,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Write the best design to this file.")] = None,
    engine: PilotEngine = None,
    master: Master = None,
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Say which design gives most at one epsilon of the whole reply, before anybody is asked."""
    design = Design.load(path)
    goal = target or design.target
    shares = shares_by_class("--share", share, None if goal is None else design.question(goal)) if share else None
    with pilot_at(pilot, design, engine, master) as people:
        found = advise(
            design, epsilon, replies, target, people, wanted=wanted, expressions=expressions or (), shares=shares
        )
    read = [path, *([] if pilot is None else [Path(pilot)])]
    if out is not None:
        files.keep_apart(out, *read)
        found.save(out)
    if html is not None:
        files.keep_apart(html, *read, *filter(None, [out]))
        page.write(judged.advice_page(found, f"{design.title or path.stem}: advice at epsilon {epsilon:g}"), html)
    if as_json:
        print_json(found.to_json())
    else:
        _show(found)
    say_written(out, found.best, as_json)
    say_written(html, "the advice as a page", as_json)


def _show(found: Advice) -> None:
    rows = [each.to_json() for each in found.candidates]
    heads = [key for key in rows[0] if any(row[key] is not None for row in rows)]
    print_table("", heads, [["-" if row[key] is None else row[key] for key in heads] for row in rows])
    for name, each in found.baselines.items():
        say(f"{name}: naive Bayes {each.naive_bayes:.3f}, pairwise {each.pairwise:.3f}")
    for reason in found.reasons:
        say(reason)

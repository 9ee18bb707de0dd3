"""`deniable rules DESIGN REPLIES`: which true answers go together."""

from typing import Annotated, Literal

import typer

from deniable.cli.arguments import Html
from deniable.cli.sampled import SampledReplies, of_sample
from deniable.cli.show import AsJson, complain, print_json, print_table, progress, say, say_written
from deniable.mine.items import can_be_items
from deniable.mine.rules import found_rules
from deniable.report.page import write
from deniable.report.rules import HEADS, documents, explained, page, rows

MAX_ROWS = 50
MAX_ON_PAGE = 2_000


@of_sample
def command(
    replies: SampledReplies,
    min_support: Annotated[float, typer.Option(help="The share of respondents who have all items.")] = 0.1,
    min_confidence: Annotated[float, typer.Option(help="The share of those with one side who have the other.")] = 0.6,
    max_length: Annotated[int, typer.Option(help="Items of a rule, at most.")] = 3,
    item: Annotated[
        list[str] | None, typer.Option(metavar="WORD", help="smokes=yes or smokes; may be repeated; all if left out.")
    ] = None,
    sort: Annotated[Literal["confidence", "lift"], typer.Option(help="What comes first.")] = "confidence",
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Find association rules of the true answers: who has some of them often has others as well."""
    design, counts = replies.design, replies.counts
    fit, why = (item, {}) if item else can_be_items(design)
    sample = replies.sample
    with progress("mining") as bar:
        found, gaps = found_rules(design, counts, min_support, min_confidence, max_length, fit or None, bar, sample)
    shown = rows(found, sort)
    about = (
        f"{len(shown):,} rules of the true answers, estimated from {gaps.used:,} replies; "
        f"support {min_support:g} or more, confidence {min_confidence:g} or more"
    )
    lines = [about, *[gaps.note] * bool(gaps.note), *explained(found)]
    if html is not None:
        title = f"{design.title}: rules" if design.title else "Rules"
        write(page(title, [*lines, *_cut(len(shown), MAX_ON_PAGE)], found, sort, MAX_ON_PAGE), html)
    left_out = [f"left out {name}: {reason}" for name, reason in why.items()]
    for line in left_out:
        complain(f"deniable: note: {line}")
    if as_json:
        print_json([{**rule, "note": "; ".join(filter(None, [rule["note"], *left_out]))} for rule in documents(found)])
    else:
        _show(shown, lines)
    say_written(html, "the rules as a page", as_json)


def _show(shown: list[tuple[str, ...]], lines: list[str]) -> None:
    if shown:
        print_table("", HEADS, shown[:MAX_ROWS])
    for line in [*lines, *_cut(len(shown), MAX_ROWS)]:
        say(line)


def _cut(rules: int, most: int) -> list[str]:
    return [f"the first {most:,} are shown; --json tells all"] if rules > most else []

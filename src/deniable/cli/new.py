"""`deniable new DATA -o DESIGN.toml`: write a first design from a data file."""

from math import isinf
from pathlib import Path
from typing import Annotated, Literal

import typer

from deniable.channel.epsilon import epsilon as promised
from deniable.cli.engine import Master, ReadEngine, spark_frame
from deniable.cli.people import read_by_spark
from deniable.cli.show import progress, say
from deniable.deniability.epsilon import at_most_words, ratio_of
from deniable.errors import BadRequest
from deniable.frame.files import keep_apart
from deniable.frame.spark_errors import refused_by_spark
from deniable.frame.suggest import Suggestion, suggest
from deniable.frame.suggest_spark import suggest_spark
from deniable.frame.xlsform import form_design
from deniable.judge.price import Price, prices, undisguised
from deniable.report.versions import version_lines

FORM = ".xlsx"


Cut = Literal["median", "midrange"]  # where a number is cut in two


def command(
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="A data file (csv, parquet, jsonl, sav, dta), or an XLSForm (xlsx); with --engine spark, any path.",
        ),
    ],
    out: Annotated[Path, typer.Option("-o", "--out", help="The design file to write.")],
    binary: Annotated[
        Cut | None, typer.Option(help="Cut every number in two, at its median or the middle of its range.")
    ] = None,
    epsilon: Annotated[
        float | None, typer.Option(help="Epsilon of the whole reply, to keep; numbers are reported in bands then.")
    ] = None,
    language: Annotated[str | None, typer.Option(help="The language of an XLSForm's labels: de, or Deutsch.")] = None,
    engine: ReadEngine = None,
    master: Master = None,
) -> None:
    """Write a first design from a data file: questions, answers, ranges and careful channels."""
    is_form = data.lower().endswith(FORM)
    _check_paths(engine, master, data, is_form)
    keep_apart(out, Path(data))
    if epsilon is not None:
        promised(epsilon)
    notes: dict[str, str] = {}
    if is_form:
        found, notes = form_design(Path(data), language)
    else:
        found = _suggested(data, binary, epsilon is not None, engine, master)
    ways = [] if epsilon is None else prices(found.design.questions, epsilon, found.rows, title=found.design.title)
    chosen = None if epsilon is None else _chosen(ways, epsilon)
    (found.design if chosen is None else chosen.design).save(out)
    say(f"{out}: {len(found.design.questions)} questions from {data}")
    for name, reason in found.left_out.items():
        say(f"left out: {name} ({reason})")
    for name, note in notes.items():
        say(f"{name}: {note}")
    if chosen is None:
        for name in found.gaps:
            why = "no answer is required" if is_form else "some did"
            say(f"may be left out: {name} ({why}; that somebody did is visible)")
    else:
        _tell(found, chosen, ways, out)
    if is_form:
        say("Read it before you use it: its lotteries are a first suggestion.")
        return
    say("Read it before you use it: answers and ranges are those of this data (round ranges before you publish them),")
    say("and wording is yours to write.")


def _check_paths(engine: str | None, master: str | None, data: str, is_form: bool) -> None:
    """Refuse what Spark does not read: a store, and a form."""
    if read_by_spark(engine, master, data) and is_form:
        raise BadRequest("--engine", "left out for an XLSForm, which holds no data", engine, "leave it out")


def _suggested(data: str, binary: Cut | None, bands: bool, engine: str | None, master: str | None) -> Suggestion:
    """A design for what lies at a path."""
    if engine != "spark":
        with progress("reading data") as bar:
            return suggest(Path(data), binary, bar, bands=bands)
    frame = spark_frame(master, data)
    with refused_by_spark(data):
        return suggest_spark(frame, data, binary, bands=bands)


def _chosen(ways: list[Price], epsilon: float) -> Price:
    """The way whose shares have the smallest error, among those that ask a person two questions or more, if any do."""
    known = [each for each in ways if not isinf(each.error)]
    if not known:
        raise BadRequest(
            "--epsilon", "one at which some design tells every share", epsilon, "promise more, or ask less"
        )
    return min(known, key=lambda each: (each.together < 2, each.error))


def _tell(found: Suggestion, chosen: Price, ways: list[Price], out: Path) -> None:
    """What the promise costs, and what else there is."""
    for name in found.gaps:
        say(f"must be answered: {name} (some left it out, but a visible gap has no epsilon)")
    times = at_most_words(ratio_of(chosen.epsilon))
    say(f"epsilon of a whole reply: {chosen.epsilon:g}, {times} as likely under one truth as another")
    for line in version_lines(chosen.design):
        say(line)
    clear = undisguised(found.design.questions, found.rows)
    say(f"expected standard error of a share from {found.rows:,} replies: {chosen.error:.4f}, without disguise "
        f"{clear.error:.4f}")  # fmt: skip
    say(f"replies for every share within 5 points: {chosen.needed:,.0f}, without disguise {clear.needed:,.0f}")
    if (alone := min(ways, key=lambda each: each.error)) is not chosen:
        say(f"one question for each person would give {alone.error:.4f}, but no tables, rules or models: "
            f"deniable advise {out} --epsilon {chosen.epsilon:g} --for shares")  # fmt: skip
    say(f"for a target: deniable advise {out} --epsilon {chosen.epsilon:g} --target QUESTION")

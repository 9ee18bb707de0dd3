"""What commands print: tables for people, JSON for programs, a bar while they wait."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isinf
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from deniable.cli.layout import GAP, Layout, fitted
from deniable.errors.refusal import masked

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


def console() -> Console:
    """Where results go."""
    return Console(highlight=False, soft_wrap=True)


def complain(message: str) -> None:
    """One line on stderr, without passwords."""
    print(masked(message), file=sys.stderr)  # noqa: T201


def say(message: str) -> None:
    """A line for people."""
    console().print(message, markup=False)


def print_json(document: Any) -> None:
    """A document for programs."""
    print(json.dumps(_finite(document), indent=2, ensure_ascii=False, allow_nan=False))  # noqa: T201


def _finite(value: Any) -> Any:
    """The same with words in place of infinite figures, which JSON does not have."""
    if isinstance(value, Mapping):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return f"{'-' * (value < 0)}infinity" if isinstance(value, float) and isinf(value) else value


def say_written(file: Path | None, what: str, as_json: bool) -> None:
    """What was written, if anything was: beside JSON, which has stdout to itself, on stderr."""
    if file is not None:
        (complain if as_json else say)(f"{file}: {what}")


def print_table(title: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table for people: figures to the right, words to the left."""
    rows = [list(row) for row in rows]
    figures = [bool(rows) and all(isinstance(row[index], int | float) for row in rows) for index in range(len(heads))]
    laid = fitted(heads, [[_shown(value) for value in row] for row in rows], figures, console().width)
    console().print(_listed(title, laid) if laid.widths is None else _columns(title, laid, laid.widths))
    for line in laid.below:
        say(line)


def _columns(title: str, laid: Layout, widths: Sequence[int]) -> Table:
    beside = (0, 1) if laid.gap == GAP else (0, laid.gap - 1, 0, 0)
    table = _titled(title, box=box.SIMPLE_HEAD, padding=beside)
    for head, right, width in zip(laid.heads, laid.right, widths, strict=True):
        table.add_column(Text(head), justify="right" if right else "left", overflow="fold", width=width)
    for row in laid.rows:
        table.add_row(*map(Text, row))
    return table


def _listed(title: str, laid: Layout) -> Table:
    """Row by row, a line for each head, where a terminal is too narrow for columns."""
    table = _titled(title, box=None, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for row in laid.rows:
        for head, cell in zip(laid.heads, row, strict=True):
            table.add_row(Text(head), Text(cell))
        table.add_row()
    return table


def _titled(title: str, **how: Any) -> Table:
    return Table(title=Text(title) if title else None, title_justify="left", title_style="bold", **how)


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)


@contextmanager
def progress(what: str) -> Iterator[Callable[[float], None]]:
    """A progress bar, called with the share that is done; shown only in a terminal."""
    with _bar(what) as shown:
        task = shown.add_task(what, total=1.0)
        yield lambda share: shown.update(task, completed=share)


def bar(what: str) -> Callable[[float], None]:
    """A bar that appears on the first call with the share that is done, and disappears at the end."""
    shown: list[Progress] = []

    def tell(share: float) -> None:
        if share < 1 and not shown:
            shown.append(_bar(what))
            shown[0].start()
            shown[0].add_task(what, total=1.0)
        if shown:
            shown[0].update(shown[0].task_ids[0], completed=share)
        if share >= 1 and shown:
            shown.pop().stop()

    return tell


def _bar(what: str) -> Progress:
    return Progress(
        TextColumn(what),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )

"""What commands print: tables for people, JSON for programs, a bar while they wait."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

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
    print(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))  # noqa: T201


def print_table(title: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table for people: figures to the right, words to the left."""
    table = Table(title=Text(title) if title else None, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    rows = [list(row) for row in rows]
    for index, head in enumerate(heads):
        figures = all(isinstance(row[index], int | float) for row in rows) and rows
        least = len(head) if figures else None  # a narrow terminal folds words, not the heads of figures
        table.add_column(Text(head), justify="right" if figures else "left", overflow="fold", min_width=least)
    for row in rows:
        table.add_row(*[Text(_shown(value)) for value in row])
    console().print(table)


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

"""`deniable ...`: finds the command, and turns every refusal into one clear line."""

import sys
import warnings
from typing import Annotated, Any

import typer
from typer.exceptions import TyperException

from deniable.cli.commands import LazyCommands
from deniable.cli.show import complain, say
from deniable.cli.usage import usage_text
from deniable.errors import DeniableError

app = typer.Typer(
    name="deniable",
    cls=LazyCommands,
    help="Ask sensitive questions and mine the answers without ever holding them.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(wanted: bool) -> None:
    if wanted:
        import deniable

        say(f"deniable {deniable.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_version, help="Print the version and exit.")
    ] = False,
) -> None:
    """Options that come before any command."""


def run(arguments: list[str] | None = None) -> None:
    """Run a command; a refusal is one line on stderr and the exit code 2."""
    warnings.showwarning = _warn
    try:
        code = app(args=(sys.argv[1:] if arguments is None else arguments) or ["--help"], standalone_mode=False)
    except TyperException as error:
        code = _refuse(usage_text(error, sys.argv[1:] if arguments is None else arguments))
    except (typer.Abort, KeyboardInterrupt):
        code = _refuse("stopped")
    except DeniableError as error:
        code = _refuse(str(error))
    except BrokenPipeError:
        sys.stderr.close()
        code = 0
    sys.exit(code or 0)


def _refuse(message: str) -> int:
    complain(f"deniable: {' '.join(message.split())}")
    return 2


def _warn(message: Warning | str, *details: Any, **more: Any) -> None:
    complain(f"deniable: warning: {message}")

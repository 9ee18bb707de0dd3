"""`deniable ...`: finds the command, and turns every refusal into one clear line."""

import sys
import warnings
from typing import Any

import typer
from typer.exceptions import TyperException

from deniable.cli import (
    admin,
    bayes,
    check,
    demo,
    disguise,
    estimate,
    invite,
    new,
    papers,
    plan,
    predict,
    privacy,
    reconstruct,
    rules,
    score,
    serve,
    simulate,
    table,
    tree,
)
from deniable.cli.show import complain
from deniable.errors import DeniableError

app = typer.Typer(
    name="deniable",
    help="Ask sensitive questions and mine the answers without ever holding them.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
COMMANDS = (
    *(new, check, privacy, plan, disguise, estimate, table, reconstruct, tree, bayes, rules, score, predict),
    *(serve, admin, invite, simulate, papers, demo),
)
for command in COMMANDS:
    app.command(name=command.__name__.rsplit(".", 1)[-1])(command.command)


def run(arguments: list[str] | None = None) -> None:
    """Run a command; a refusal is one line on stderr and the exit code 2."""
    warnings.showwarning = _warn
    try:
        code = app(args=(sys.argv[1:] if arguments is None else arguments) or ["--help"], standalone_mode=False)
    except TyperException as error:
        code = _refuse(error.format_message())
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

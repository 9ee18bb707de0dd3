"""The commands, each loaded only when it is called.

A command lives in the module of its name. `deniable --help` would have to load them all to show their first lines, so
these are repeated here; a test compares them with the commands' own.
"""

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any

import typer
from typer.core import TyperGroup

from deniable.cli.engine import with_engine
from deniable.extras import needed_for

COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "new": "Write a first design from a data file: questions, answers, ranges and careful channels.",
        "check": "Read a design and say what it is, or what is wrong.",
        "codebook": "Write a codebook: questions, answers, their disguise, and how to analyse the replies.",
        "privacy": "Say what each respondent can deny.",
        "plan": "Say how many respondents a margin, a power or an accuracy needs, or what so many replies buy.",
        "advise": "Say which design gives most at one epsilon of the whole reply, before anybody is asked.",
        "disguise": "Disguise a file of true answers; columns that are no question are dropped.",
        "estimate": "Estimate shares of the true answers; without an expression, every share.",
        "table": "Estimate the cross-table of the true answers to some questions.",
        "mean": "Estimate the average of a true number.",
        "quantile": "Estimate quantiles of a true number; its median if no share is given.",
        "difference": "Estimate how much a share differs between two groups of people or two versions, and test it.",
        "correlation": "Estimate the correlation of two true numbers, or answers with values.",
        "association": "Test whether the true answers to two questions are independent (chi-square).",
        "reconstruct": "Reconstruct the distribution of the true answers to a question from disguised ones.",
        "regress": "Regress a true answer on others, disguised or not: coefficients, effects, tests.",
        "tree": "Grow a decision tree from disguised replies, and save it.",
        "bayes": "Learn a naive Bayes classifier from disguised replies, and save it.",
        "rules": "Find association rules of the true answers: who has some of them often has others as well.",
        "score": "Estimate a model's accuracy and confusion table from disguised test data.",
        "attack": "Say what a clever collector finds out from replies.",
        "predict": "Predict the target from true answers, and the chance of each of its answers.",
        "serve": "Serve surveys: respondents' browsers disguise the answers, the store holds only replies.",
        "admin": "Set the collector's password; all collectors must log in again.",
        "invite": "Make one-use invitations: one link per line.",
        "page": "Write what respondents' browsers run as one file, the same on any machine, and say its hash.",
        "backup": "Copy a whole store into one file, also while the site runs.",
        "restore": "Fill an empty store from a backup.",
        "erase": "Erase a survey and all its replies from a store, for good.",
        "simulate": "Disguise the answers in a file and send them as respondents would, until all are acknowledged.",
        "papers": "Run a paper's experiments; write every run and the means as csv, and one page of charts and claims.",
        "demo": "Disguise the Adult census, learn from the replies alone, and hold all of it against the truth.",
    }
)


class LazyCommands(TyperGroup):
    """A group that knows its commands by name and loads the one that is called."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = dict.fromkeys(COMMANDS)  # type: ignore[assignment]  # names, to guess a misspelt one from

    def list_commands(self, ctx: Any) -> list[str]:
        """The commands' names, in the order in which a survey needs them."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of this name, loaded now; none if there is no such command."""
        return loaded(cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The commands and their first lines, for `--help`: from the table above, so that nothing is loaded."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def loaded(name: str) -> Any:
    """The command in the module of this name."""
    with needed_for(name):
        module = import_module(f"deniable.cli.{name}")
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name=name)(with_engine(module.command))
    return typer.main.get_command(alone)

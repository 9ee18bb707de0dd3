"""Where a command's data are counted: `--engine spark --master URL`, one option for all commands that take data.

Whatever a command calls REPLIES (or DATA, of true answers) may be any path that Spark reads. It is then a Spark frame,
which every function of ours takes. Of replies only counts leave the engine, unless a warning says that single ones are
needed. What `disguise` and `predict` make of true answers (people.py) is written by Spark, and `new` needs only sums of
them. Those of a pilot, and of respondents who are simulated one by one, come here; they are a million at most.
"""

import inspect
import logging
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, Literal

import typer

from deniable.errors import BadRequest
from deniable.frame.spark import frame_at
from deniable.frame.spark_errors import refused_by_spark

Engine = Annotated[
    Literal["spark"] | None,
    typer.Option(help="Count on Spark; if left out, files are counted here and stores by their database."),
]
DataEngine = Annotated[
    Literal["spark"] | None,
    typer.Option(help="Let Spark read DATA and write OUT; if left out, both are files of this machine."),
]
ReadEngine = Annotated[
    Literal["spark"] | None,
    typer.Option(help="Let Spark read DATA; if left out, it is a file of this machine."),
]
PilotEngine = Annotated[
    Literal["spark"] | None,
    typer.Option(help="Let Spark read the pilot; if left out, it is a file of this machine."),
]
Master = Annotated[
    str | None, typer.Option(metavar="URL", help="Spark's master: spark://HOST:PORT, local[4], yarn, k8s://...")
]
OPTIONS = {"engine": Engine, "master": Master}
STORES = ("sqlite:", "postgres")


def with_engine(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command with these two options, if it takes replies; its replies are a Spark frame where they ask for one."""
    signature = inspect.signature(command)
    if "replies" not in signature.parameters or signature.parameters["replies"].annotation is inspect.Parameter.empty:
        return command
    if signature.parameters["replies"].default is not inspect.Parameter.empty:  # a number of replies
        return command

    @wraps(command)
    def engined(**given: Any) -> Any:
        engine, master = given.pop("engine"), given.pop("master")
        check_engine(engine, master)
        if engine != "spark":
            return command(**given)
        path = given["replies"]
        if path.startswith(STORES):
            expected = "left out for a store, which its own database counts"
            raise BadRequest("--engine", expected, engine, "leave it out")
        given["replies"] = spark_frame(master, path)
        with refused_by_spark(path):  # which reads late, while it counts
            return command(**given)

    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, kind in OPTIONS.items()
    ]
    engined.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*signature.parameters.values(), *added]
    )
    engined.__annotations__ = {**command.__annotations__, **OPTIONS}
    return engined


def check_engine(engine: str | None, master: str | None) -> None:
    """Refuse a master without its engine."""
    if master is not None and engine is None:
        raise BadRequest("--master", "given with --engine spark", master, "add --engine spark")


def spark_frame(master: str | None, path: str) -> Any:
    """What lies at a path, as a Spark frame."""
    logging.getLogger().addHandler(logging.NullHandler())  # or what Spark talks to Java with prints a trace at Ctrl-C
    return frame_at(master, path)

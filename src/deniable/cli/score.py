"""`deniable score DESIGN MODEL REPLIES`: how good a model is, from disguised test data."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from deniable.channel import schemes
from deniable.channel.design import Design
from deniable.cli.arguments import DesignFile, MissingCells, Replies, counted, read_here
from deniable.cli.show import AsJson, print_json, print_table, say
from deniable.evaluate.score import evaluation
from deniable.frame.files import column_names
from deniable.frame.mark import refuse_marked
from deniable.learn.load import load_model
from deniable.survey.question import Question


def command(
    path: DesignFile,
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="The model file.")],
    replies: Replies,
    true: Annotated[bool, typer.Option("--true", help="The test data are undisguised.")] = False,
    missing: MissingCells = "skip",
    as_json: AsJson = False,
) -> None:
    """Estimate a model's accuracy and confusion table from disguised test data."""
    fitted = load_model(model)
    design = Design.load(path, check_text=False)
    if true:
        for file in read_here(replies):
            refuse_marked(file, column_names(file))
        design = Design(
            [schemes.clear(*map(_in_full, design.questions))], target=fitted.target_ or design.target, check_text=False
        )
    found = evaluation(fitted, design, counted(design, replies, missing, check_mark=not true))
    accuracy, cells = found.accuracy, found.confusion.cells
    if as_json:
        keys = ("value", "stderr", "low", "high", "n", "note")
        rows = [
            {"true": truth, "predicted": predicted, "share": each.value,
             **{key: getattr(each, key) for key in keys[1:]}}
            for (truth, predicted), each in cells.items()
        ]  # fmt: skip
        whole = {key: getattr(accuracy, key) for key in keys}
        print_json({"accuracy": whole, "confusion": rows, "note": accuracy.note})
        return
    say(f"accuracy {accuracy}")
    shown = [
        (truth, predicted, each.value, each.stderr, f"{each.low:.4f} to {each.high:.4f}", each.note)
        for (truth, predicted), each in cells.items()
    ]
    print_table("", ["true", "predicted", "share", "stderr", "95 % interval", "note"], shown)


def _in_full(question: Question) -> Question:
    """A question as undisguised data answer it: a number itself, not its interval."""
    return question if question.range is None else question.with_range(replace(question.range, by_interval=False))

"""`deniable table DESIGN REPLIES Q...`: a cross-table of the true answers."""

from typing import Annotated, Literal

import typer

from deniable.cli.sampled import SampledReplies, of_sample
from deniable.cli.show import AsJson, complain, print_json, print_table
from deniable.errors import BadRequest
from deniable.inference.shares import TABLE_FIGURES, cell_estimates
from deniable.inference.table_cuts import check_intervals


@of_sample
def command(
    replies: SampledReplies,
    questions: Annotated[list[str], typer.Argument(metavar="Q...", help="The questions to cross.")],
    cuts: Annotated[
        list[str] | None, typer.Option(metavar="Q=N,N", help="Cut a number there: age=30,50; may be given again.")
    ] = None,
    percent: Annotated[Literal["row", "column"] | None, typer.Option(help="Shares within rows or columns.")] = None,
    as_json: AsJson = False,
) -> None:
    """Estimate the cross-table of the true answers to some questions."""
    design, counts = replies.design, replies.counts
    where = {name: _numbers(text) for text in cuts or [] for name, _, text in [text.partition("=")]}
    check_intervals([design.question(name) for name in questions if name in design.names], where)
    cells = cell_estimates(design, counts, questions, percent, replies.sample, where)
    if as_json:
        rows = [
            {**dict(zip(questions, words, strict=True)),
             **{key: getattr(each, figure) for key, figure in TABLE_FIGURES.items()}}
            for words, each in cells
        ]  # fmt: skip
        print_json(rows)
        few = [" x ".join(words) for words, each in cells if each.too_few]
        if few:
            complain(f"deniable: note: too few replies for {', '.join(few[:5])}{' and others' * (len(few) > 5)}")
        return
    shown = [
        (*words, each.value, each.stderr, f"{each.low:.4f} to {each.high:.4f}", each.n, each.note)
        for words, each in cells
    ]
    heads = [*questions, "share", "stderr", "95 % interval", "n", "note"]
    print_table(f"{percent} shares" if percent else "", heads, shown)


def _numbers(text: str) -> list[float]:
    try:
        return [float(each) for each in text.split(",")]
    except ValueError:
        raise BadRequest("--cuts", "a number and where to cut it, as age=30,50", text, "correct it") from None

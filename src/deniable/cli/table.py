"""`deniable table DESIGN REPLIES Q...`: a cross-table of the true answers."""

from typing import Annotated, Literal

import typer

from deniable.cli.arguments import Clusters, DesignFile, MissingCells, Population, Replies, Strata, Weights, sampled
from deniable.cli.show import AsJson, complain, print_json, print_table
from deniable.inference.sampling.sample import Sample
from deniable.inference.shares import cell_estimates


def command(
    path: DesignFile,
    replies: Replies,
    questions: Annotated[list[str], typer.Argument(metavar="Q...", help="The questions to cross.")],
    percent: Annotated[Literal["row", "column"] | None, typer.Option(help="Shares within rows or columns.")] = None,
    weights: Weights = None,
    strata: Strata = None,
    clusters: Clusters = None,
    population: Population = None,
    missing: MissingCells = "skip",
    as_json: AsJson = False,
) -> None:
    """Estimate the cross-table of the true answers to some questions."""
    design, counts, how = sampled(path, replies, missing, weights, strata, clusters, population)
    cells = cell_estimates(design, counts, questions, percent, Sample.of(design, counts, **how)[1])
    if as_json:
        rows = [
            {**dict(zip(questions, words, strict=True)),
             "share": each.value, "stderr": each.stderr, "low": each.low, "high": each.high, "note": each.note}
            for words, each in cells
        ]  # fmt: skip
        print_json(rows)
        few = [" x ".join(words) for words, each in cells if each.too_few]
        if few:
            complain(f"deniable: note: too few replies for {', '.join(few[:5])}{' and others' * (len(few) > 5)}")
        return
    shown = [
        (*words, each.value, each.stderr, f"{each.low:.4f} to {each.high:.4f}", each.note) for words, each in cells
    ]
    print_table(f"{percent} shares" if percent else "", [*questions, "share", "stderr", "95 % interval", "note"], shown)

"""`deniable regress DESIGN REPLIES FORMULA`: what true answers depend on."""

from typing import Annotated, Literal

import typer

from deniable.channel.design import Design
from deniable.cli.arguments import DesignFile, Html, MissingCells, Replies, keep_apart
from deniable.cli.sampled import Clusters, Population, Strata, Weights, how_drawn
from deniable.cli.show import AsJson, bar, print_json, print_table, say, say_written
from deniable.regression.regress import regression_of
from deniable.report.page import write
from deniable.report.regressions import effect_rows, page, regression_document


def command(
    path: DesignFile,
    replies: Replies,
    formula: Annotated[str, typer.Argument(metavar="FORMULA", help="leave ~ smokes + age + smokes:sex")],
    weights: Weights = None,
    strata: Strata = None,
    clusters: Clusters = None,
    population: Population = None,
    errors: Annotated[
        Literal["sandwich", "model", "opg"], typer.Option(help="Robust errors, or those of the likelihood.")
    ] = "sandwich",
    missing: MissingCells = "skip",
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Regress a true answer on others, disguised or not: coefficients, effects, tests."""
    keep_apart(path, replies, html)
    design = Design.load(path, check_text=False)
    how = how_drawn(weights, strata, clusters, population)
    found = regression_of(design, replies, formula, how, errors, missing, bar("reading replies"))
    if html is not None:
        write(page(found, design.title or "Regression"), html)
    if as_json:
        print_json(regression_document(found))
    else:
        say(found.summary())
        heads, rows = effect_rows(found)
        if rows:
            print_table("average marginal effects", heads, rows)
    say_written(html, "the coefficients as a picture", as_json)

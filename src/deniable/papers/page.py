"""Page of a reproduction: what was done, charts, and which claims held."""

from math import isnan

import pandas as pd

from deniable.papers.experiment import MIN_RUNS, Claim, Study
from deniable.report.charts import figure
from deniable.report.page import document, escaped, scrolled, table


def page(study: Study, results: pd.DataFrame, averages: pd.DataFrame, claims: list[Claim]) -> str:
    """The whole page, which needs nothing else."""
    runs = averages["runs"].max()
    parts = [f"<p>{escaped(each)}</p>" for each in study.about]
    if study.drawn:
        parts.append(f"<p>{_said_of_runs(int(runs))}</p>")
    parts += [
        "<h2>The claims</h2>",
        scrolled(
            table(["claim", "here", "figure"], [(each.says, each.verdict, each.figure) for each in claims]),
            "The claims",
        ),
    ]
    for title, chart in study.charts(results).items():
        parts.append(f"<h2>{escaped(title)}</h2>{figure(chart, title)}")
    every = averages if study.drawn else results.drop(columns="run")
    shown = [name for name in every.columns if not name.endswith("_variance")]
    rows = [[_shown(value) for value in row] for row in every[shown].itertuples(index=False)]
    title = "All means" if study.drawn else "All figures"
    means = f"<summary>{title}</summary>{scrolled(table(shown, rows), title)}"
    parts.append(f'<details class="wide">{means}</details>')
    return document(study.title, "\n".join(parts))


def _said_of_runs(runs: int) -> str:
    if runs < MIN_RUNS:
        few = "One run a cell" if runs == 1 else f"Up to {runs} runs a cell"
        return f"{few}: too few to tell results from chance. Only claims in which nothing is drawn are judged."
    return f"Up to {runs:,} runs a cell; bars are two standard errors of the mean."


def _shown(value: object) -> object:
    return ("" if isnan(value) else f"{value:.4f}") if isinstance(value, float) else value

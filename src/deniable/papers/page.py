"""One page that tells a reproduction: what was done, charts, and which claims held."""

from math import isnan

import pandas as pd

from deniable.papers.experiment import Claim, Study
from deniable.report.charts import svg
from deniable.report.page import document, escaped, table


def page(study: Study, results: pd.DataFrame, told: pd.DataFrame, claims: list[Claim]) -> str:
    """The whole page, which needs nothing else."""
    runs = told["runs"].max()
    parts = [f"<p>{escaped(each)}</p>" for each in study.about]
    several = f"Up to {runs} runs a cell; bars are two standard errors of the mean."
    parts.append(f"<p>{several if runs > 1 else 'One run a cell, so nothing is known of chance.'}</p>")
    parts += [
        "<h2>The claims</h2>",
        table(["claim", "here", "figure"], [(each.says, each.verdict, each.figure) for each in claims]),
    ]
    for title, chart in study.charts(results).items():
        parts.append(f'<h2>{escaped(title)}</h2><figure class="card">{svg(chart)}</figure>')
    shown = [name for name in told.columns if not name.endswith("_variance")]
    rows = [[_shown(value) for value in row] for row in told[shown].itertuples(index=False)]
    parts.append(f"<details><summary>All means</summary>{table(shown, rows)}</details>")
    return document(study.title, "\n".join(parts))


def _shown(value: object) -> object:
    return ("" if isnan(value) else f"{value:.4f}") if isinstance(value, float) else value

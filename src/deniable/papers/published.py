"""Published studies of randomized response, reproduced from the counts of their replies.

Each figure has its own design and counts, which ship with the package, and stands beside what the study's own software
found. Where a technique was used with several chances, its replies are pooled by maximum likelihood, as that software
does; `dn.estimate` has weights that do not depend on the replies, and differs by a tenth of a standard error at most
(but where its share is negative, which a likeliest one never is).

    stderr = 1 / sqrt(n sum over reports of  (share_r,yes - share_r,no)^2 / r)         r the expected share of a report
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from deniable.channel.design import Design
from deniable.channel.files import READERS
from deniable.channel.versions import versions
from deniable.count.counts import Distinct
from deniable.errors import BadFile
from deniable.inference.em.likeliest import likeliest
from deniable.inference.estimates import Estimate
from deniable.inference.invert.reported import Reported
from deniable.inference.shares import estimate
from deniable.papers.experiment import NOTHING_DRAWN, Claim, Job, Row, Study
from deniable.papers.regressions import TECHNIQUE, regression_claim, regression_rows
from deniable.papers.rows import rows_of
from deniable.report.charts import intervals
from deniable.survey.question import yes_no

ROUNDING = 0.51  # of the last digit of a published figure
ERRORS = 0.02  # by which standard errors may differ from the published ones
SETTINGS = ("study", "question", "technique")


@dataclass(frozen=True)
class Figure:
    """A share that a study has published, or could have, and the counts of replies behind it."""

    study: str
    question: str
    technique: str
    arms: Sequence[Mapping[str, Any]]  # a scheme and its chances each
    counts: Sequence[Sequence[int]]  # [arm or version, report]
    rows: Sequence[Mapping[str, Any]]  # which rows of the study's file each of these are
    file: str
    response: str  # the column of its reports
    expression: str = "a == 'yes'"
    given: str | None = None
    published: str | None = None
    stderr: str | None = None
    truth: float | None = None
    population: int | None = None

    @property
    def design(self) -> Design:
        """The design of its arms."""
        question = yes_no("a")
        made = [READERS[arm["scheme"]]([question], **_settings(arm)) for arm in self.arms]
        if len(made) == 1:
            return Design(made)
        return Design([versions({str(index): each for index, each in enumerate(made)})])  # type: ignore[misc]

    @property
    def replies(self) -> Distinct:
        """Its replies, counted."""
        design, cells = self.design, [np.arange(len(each)) for each in self.counts]
        columns = {"a": np.concatenate(cells)}
        if design.versioned:
            columns = {"version": np.repeat(np.arange(len(cells)), [len(each) for each in cells]), **columns}
        return Distinct(columns, np.concatenate([np.asarray(each, dtype=float) for each in self.counts]))

    @property
    def n(self) -> int:
        """How many replies it rests on."""
        return sum(map(sum, self.counts))

    def found(self) -> tuple[Estimate, float, float]:
        """The estimate by fixed weights, and the share and its standard error as published software has them."""
        fixed = estimate(self.design, self.replies, self.expression, self.given, population=self.population)
        if len(self.arms) == 1:
            return fixed, fixed.value, fixed.stderr
        reported = Reported.of(self.design, self.replies, [yes_no("a")])
        share = float(likeliest(reported.table[..., None], reported.stacks)[1, 0])
        no, yes = reported.stacks[0].matrix.T
        information = ((yes - no) ** 2 / (no + share * (yes - no))).sum()
        return fixed, share, float(1 / np.sqrt(self.n * information))

    def row(self) -> Row:
        """What is found, beside what was published."""
        fixed, share, stderr = self.found()
        return {
            **{name: getattr(self, name) for name in SETTINGS}, "run": 0, "n": self.n, "share": share, "stderr": stderr,
            "estimate": fixed.value, "low": fixed.low, "high": fixed.high,
            "published": np.nan if self.published is None else float(self.published),
            "published_stderr": np.nan if self.stderr is None else float(self.stderr),
            "truth": np.nan if self.truth is None else self.truth,
        }  # fmt: skip


def _settings(arm: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in arm.items() if key != "scheme"}


@cache
def published() -> tuple[Figure, ...]:
    """All figures, study by study."""
    text = files("deniable.papers").joinpath("published.toml").read_text(encoding="utf-8")
    return tuple(
        Figure(**{"study": study["name"], "file": study["file"], **_given(study, "response", "population"), **figure})
        for study in tomllib.loads(text)["study"]
        for figure in study["figure"]
    )


def _given(table: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: table[key] for key in keys if key in table}


def every_row() -> list[Row]:
    """One row for each figure."""
    return [each.row() for each in published()]


def claims(results: pd.DataFrame) -> list[Claim]:
    """Whether each published figure comes out, to the digits in which it was given."""
    found = results.set_index(list(SETTINGS))
    shares = [_claim(each, found.loc[tuple(getattr(each, name) for name in SETTINGS)]) for each in published()
              if each.published is not None]  # fmt: skip
    return shares + [regression_claim(row) for row in _regressions(results).to_dict("records")]


def _regressions(results: pd.DataFrame) -> pd.DataFrame:
    return results[results["technique"] == TECHNIQUE]


def _claim(figure: Figure, row: "pd.Series[Any]") -> Claim:
    assert figure.published is not None
    held = abs(row["share"] - row["published"]) <= ROUNDING * 10.0 ** -_digits(figure.published)
    says = f"{figure.study}, {figure.question}, {figure.technique}: {figure.published}"
    error = f"{row['stderr']:.{_digits(figure.stderr or figure.published)}f}"
    if figure.stderr is not None:
        says += f" ({figure.stderr})"
        held = held and abs(row["stderr"] / row["published_stderr"] - 1) <= ERRORS
    return Claim(says, bool(held), f"{row['share']:.{_digits(figure.published)}f} ({error})", runs=NOTHING_DRAWN)


def _digits(text: str) -> int:
    return len(text.partition(".")[2])


def charts(results: pd.DataFrame) -> dict[str, alt.TopLevelMixin]:
    """The figures of each study with their intervals, beside what was published and what is true."""
    studies = tomllib.loads(files("deniable.papers").joinpath("published.toml").read_text(encoding="utf-8"))["study"]
    shown = results.assign(figure=results["question"] + ", " + results["technique"], here=results["share"])
    parts = {each["about"]: shown[(shown["study"] == each["name"]) & (shown["technique"] != TECHNIQUE)]
             for each in studies}  # fmt: skip
    regressed = _regressions(shown).assign(figure=lambda rows: rows["question"])
    if len(regressed):
        parts["Coefficients of a logistic regression: contact with armed groups in Nigeria"] = regressed
    return {
        title: intervals(some, "figure", "here", "low", "high", marks=["published", "truth"])
        for title, some in parts.items()
    }


# ---------------------------------------------------------------- with the rows at hand


def recounted(folder: Path, figure: Figure) -> list[list[int]]:
    """The counts of a figure from the rows of its study."""
    rows = rows_of(folder / figure.file)
    found = []
    for arm, counts in zip(figure.rows, figure.counts, strict=True):
        those = np.logical_and.reduce([np.ones(len(rows), bool), *(_equal(rows[key], arm[key]) for key in arm)])
        said = rows.loc[those, figure.response]
        found.append([int((said == report).sum()) for report in range(len(counts))])
    return found


def _equal(column: "pd.Series[Any]", value: Any) -> Any:
    plain = isinstance(value, str | bool)
    return (column == value).to_numpy() if plain else np.isclose(column.to_numpy(dtype=float), value)


def _recounted_rows(folder: Path) -> list[Row]:
    """The same rows, if the counts that ship with the package are those of the rows in the folder."""
    for each in published():
        if (counts := recounted(folder, each)) != [list(row) for row in each.counts]:
            where = f"counts of {each.study}, {each.question}, {each.technique}"
            raise BadFile(folder / each.file, f"gives {counts} as {where}", "take the file that was published")
    return every_row()


ABOUT = (
    "Eight published studies that asked with randomized response, from the counts of their replies. Figures are held "
    "against those of the studies' own software, to the digits in which they were given; standard errors to 2 %.",
    "Lines are 95 % intervals. Of the dice game it is known who truly cheated, so each technique can be held against "
    "the truth. Forced arms of the study of students' misconduct have no published figure here: one of the chances has "
    "two meanings in the software of that study, which scores them wrongly.",
)


def study(rows: Path | None = None) -> Study:
    """The published studies, from counts; with the folder of their rows, counted again from these, and regressions."""
    jobs: list[Job] = [every_row] if rows is None else [partial(_recounted_rows, rows), partial(regression_rows, rows)]
    about = [*ABOUT, *(["The counts were made again from the rows at hand, and are the same."] if rows else [])]
    return Study("studies", "Published studies, reproduced", about, lambda quick: jobs, SETTINGS, charts, claims,
                 drawn=False)  # fmt: skip

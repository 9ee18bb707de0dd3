"""Published regressions of randomized response, reproduced from the rows of their studies.

Rows do not ship with the package: whoever has them names their folder. Contact with armed groups in Nigeria, by a
logistic regression of the 2,423 complete rows; standard errors as the R package rr has them, from the outer product of
scores.  Blair, Imai and Zhou 2015
"""

from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from deniable.channel.design import Design
from deniable.channel.schemes import forced
from deniable.papers.experiment import NOTHING_DRAWN, Claim, Row
from deniable.papers.rows import rows_of
from deniable.regression.regress import regress
from deniable.survey.question import yes_no

TECHNIQUE = "logistic regression"
FORMULA = "contact ~ asset + married + age + I(age**2) + education + female"
NAMES = {
    "rr.q1": "contact", "cov.asset.index": "asset", "cov.married": "married", "cov.age": "age",
    "cov.education": "education", "cov.female": "female",
}  # fmt: skip
PUBLISHED = {  # coefficients and standard errors
    "Intercept": (-0.34016, 0.50856), "asset": (0.07896, 0.04136), "married": (-0.26742, 0.25451),
    "age": (-0.35283, 0.26423), "I(age ** 2)": (0.04099, 0.02603), "education": (-0.00691, 0.04558),
    "female": (-0.55440, 0.16244),
}  # fmt: skip
ROUNDING = 0.51e-4  # four digits
ERRORS = 0.02


def regression_rows(folder: Path) -> list[Row]:
    """The coefficients, beside what was published."""
    rows = rows_of(folder / "nigeria.csv")[list(NAMES)].rename(columns=NAMES).dropna()
    rows = rows.assign(contact=np.where(rows["contact"] == 1, "yes", "no"), age=rows["age"] / 10)
    design = Design([forced(1 / 6, 1 / 6, yes_no("contact"))])
    found = regress(design, rows, FORMULA, errors="opg").table
    return [
        {
            "study": "nigeria", "question": each.term, "technique": TECHNIQUE, "run": 0, "n": len(rows),
            "share": each.estimate, "stderr": each.stderr, "estimate": each.estimate, "low": each.low,
            "high": each.high, "published": PUBLISHED[each.term][0], "published_stderr": PUBLISHED[each.term][1],
            "truth": np.nan,
        }
        for each in found.itertuples()
    ]  # fmt: skip


def regression_claim(row: Mapping[Hashable, Any]) -> Claim:
    """Whether a coefficient comes out to four digits, and its error to 2 %."""
    near = abs(row["share"] - row["published"]) <= ROUNDING
    held = near and abs(row["stderr"] / row["published_stderr"] - 1) <= ERRORS
    says = (
        f"{row['study']}, {row['technique']}, {row['question']}: {row['published']:.5f} ({row['published_stderr']:.5f})"
    )
    return Claim(says, bool(held), f"{row['share']:.5f} ({row['stderr']:.5f})", runs=NOTHING_DRAWN)

"""Regressions of a million disguised replies, against statsmodels' logit of the same people undisguised."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import statsmodels.api as sm

import deniable as dn
from timing import Ratio, seconds

ROWS = 1_000_000
PREDICTORS = ("x1", "x2", "x3", "x4", "x5")
PEER = "the time of statsmodels' logit of the undisguised"
WANTED = "< 5"
WORDS = pd.CategoricalDtype(["no", "yes"])


@dataclass(frozen=True)
class Case:
    """People with an outcome and five predictors, and what their devices reported."""

    name: str
    design: dn.Design
    people: pd.DataFrame
    replies: pd.DataFrame
    formula: str

    @classmethod
    def drawn(cls, name: str, disguised: tuple[str, ...], uncut: bool) -> "Case":
        """The outcome and some predictors under Warner; with `uncut` the fifth is a number with many decimals."""
        rng = np.random.default_rng(1)
        bits = {each: rng.random(ROWS) < 0.3 + 0.1 * index for index, each in enumerate(PREDICTORS)}
        last = rng.normal(0, 1, ROWS) if uncut else bits["x5"]
        index = -1 + 0.2 * sum(bits[each].astype(float) for each in PREDICTORS[:4]) + 0.5 * last
        bits["y"] = rng.random(ROWS) < 1 / (1 + np.exp(-index))
        frame = pd.DataFrame(
            {each: pd.Categorical.from_codes(bit.astype(int), dtype=WORDS) for each, bit in bits.items()}
        )
        if uncut:
            frame["x5"] = last
        names = ("y", *PREDICTORS[:4], *([] if uncut else ["x5"]))
        channels = [
            dn.warner(0.8, dn.yes_no(each)) if each in disguised else dn.clear(dn.yes_no(each)) for each in names
        ]
        design = dn.Design([*channels, *([dn.clear(dn.number("x5", -10, 10))] if uncut else [])])
        return cls(name, design, frame, dn.disguise(design, frame, seed=2), "y ~ x1 + x2 + x3 + x4 + x5")

    def ours(self) -> Callable[[], object]:
        """Our coefficients with their errors."""
        return lambda: dn.regress(self.design, self.replies, self.formula).coefficients

    def theirs(self) -> Callable[[], object]:
        """Theirs, from a matrix that is made already."""
        frame = self.people[list(PREDICTORS)]
        columns = [frame[each] if frame[each].dtype == float else frame[each].cat.codes for each in PREDICTORS]
        matrix = sm.add_constant(np.column_stack(columns).astype(float))
        outcome = self.people["y"].cat.codes.to_numpy().astype(float)
        return lambda: sm.Logit(outcome, matrix).fit(disp=0).bse


def regressions() -> list[Ratio]:
    """The outcome disguised; the outcome and all predictors; the outcome and two, beside an uncut number."""
    cases = [
        Case.drawn("outcome", ("y",), uncut=False),
        Case.drawn("outcome, uncut number", ("y",), uncut=True),
        Case.drawn("outcome and five predictors", ("y", *PREDICTORS), uncut=False),
        Case.drawn("outcome and two predictors, uncut number", ("y", "x1", "x2"), uncut=True),
    ]
    return [
        Ratio(f"regression 1M, {case.name}", seconds(case.ours(), 3) / seconds(case.theirs(), 3), PEER, WANTED)
        for case in cases
    ]

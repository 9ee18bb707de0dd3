"""Figure 2 of Agrawal and Srikant 2000: two shapes under noise, and what reconstruction makes of them.

The paper does not tell its shapes. Here a plateau is .2 of everybody anywhere in (0, 1) and .8 in its middle half, and
the triangles are two equal ones side by side. A distribution's *distance* is the sum of the differences of its
shares to the true ones, over 20 intervals and what lies beyond them; 1 - distance / 2 is what both have in common.
"""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from deniable.channel.channel import Channel
from deniable.channel.design import Design
from deniable.channel.schemes import gaussian, uniform
from deniable.device.disguise import disguise
from deniable.inference.bayes import stepwise
from deniable.inference.reconstruct import reconstruct
from deniable.inference.under_noise import even_shares
from deniable.papers.experiment import Row, seed_of
from deniable.papers.under_noise import SHAPES
from deniable.survey.question import Question, number

Floats = NDArray[np.float64]
PEOPLE, CELLS = 100_000, 20
REPORTED, RECONSTRUCTED = "reported", "reconstructed"
SAME_REPORTS = "stopped when reports agree"
NOISES: Mapping[str, Callable[[Question], Channel]] = {
    "gaussian": lambda question: gaussian(question, sd=0.25),
    "uniform": lambda question: uniform(question, half_width=0.5),
}
BEYOND = 3  # widths of the range on either side, in which reports are compared
MOST_STEPS = 2000


def _plateau(rng: np.random.Generator) -> Floats:
    anywhere = rng.random(PEOPLE)
    return np.where(rng.random(PEOPLE) < 0.2, anywhere, 0.25 + 0.5 * anywhere)


def _triangles(rng: np.random.Generator) -> Floats:
    return rng.triangular(0, 0.25, 0.5, PEOPLE) + 0.5 * (rng.random(PEOPLE) < 0.5)


DRAWN: Mapping[str, Callable[[np.random.Generator], Floats]] = {"plateau": _plateau, "triangles": _triangles}


def shape_run(shape: str, noise: str, run: int) -> list[Row]:
    """How far reports and reconstruction are from the truth; and if one stopped as soon as reports look right."""
    values = DRAWN[shape](np.random.default_rng(seed_of(shape, run)))
    question = number("x", 0, 1, cells=CELLS)
    design = Design([NOISES[noise](question)])
    replies = disguise(design, pd.DataFrame({"x": values}), seed=seed_of(shape, noise, run))
    true = _shares(values)
    found = {
        REPORTED: _shares(replies["x"].to_numpy()),
        RECONSTRUCTED: _within(reconstruct(design, replies, "x")["share"].to_numpy()),
        SAME_REPORTS: _within(_until_reports_agree(design, replies["x"].to_numpy())),
    }
    return [
        {"part": SHAPES, "function": shape, "noise": noise, "privacy": np.nan, "method": method, "run": run,
         "accuracy": 1 - float(np.abs(shares - true).sum()) / 2, "seconds": np.nan, "joint_chosen": np.nan}
        for method, shares in found.items()
    ]  # fmt: skip


def _until_reports_agree(design: Design, reports: Floats) -> Floats:
    """The rule that the paper warns of: stop once reports would look as they do, by a chi-square test at 95 %."""
    question, told = design.question("x"), design.reported("x")
    assert told.range is not None
    counts = np.bincount(told.range.cells(reports), minlength=len(told)).astype(float)
    matrix, shares = design.channel("x").matrix(["x"]), even_shares(question)[:, None]
    n = counts.sum()
    for _ in range(MOST_STEPS):
        expected = n * (matrix @ shares)[:, 0]
        usual = expected >= 5
        if float(((counts - expected)[usual] ** 2 / expected[usual]).sum()) < usual.sum() + 1.645 * np.sqrt(
            2 * usual.sum()
        ):
            break
        shares = stepwise(counts[:, None], matrix, shares, rounds=1)
    return np.asarray(shares[:, 0])


def _shares(values: Floats) -> Floats:
    edges = np.linspace(-BEYOND, 1 + BEYOND, CELLS * (2 * BEYOND + 1) + 1)
    return np.asarray(np.histogram(values, edges)[0] / len(values))


def _within(shares: Floats) -> Floats:
    return np.concatenate([np.zeros(BEYOND * CELLS), shares, np.zeros(BEYOND * CELLS)])

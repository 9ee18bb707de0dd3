"""Figure 2 of Agrawal and Srikant 2000: two shapes under noise, and what reconstruction makes of them.

The paper does not give its shapes. Here a plateau is .2 of everybody anywhere in (0, 1) and .8 in its middle half, and
the triangles are two equal ones side by side. A distribution's *distance* is the sum of the differences of its
shares to the true ones, over 20 intervals and what lies beyond them.
"""

from collections.abc import Callable, Mapping
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import chdtri

from deniable.channel.channel import Channel
from deniable.channel.design import Design
from deniable.channel.schemes import gaussian, uniform
from deniable.device.disguise import disguise
from deniable.inference.em.em import even_shares
from deniable.inference.em.likeliest import smooth_margin
from deniable.inference.reconstruct import reconstruct
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
MAX_STEPS = 2000


def _plateau(rng: np.random.Generator) -> Floats:
    anywhere = rng.random(PEOPLE)
    return np.where(rng.random(PEOPLE) < 0.2, anywhere, 0.25 + 0.5 * anywhere)


def _triangles(rng: np.random.Generator) -> Floats:
    return rng.triangular(0, 0.25, 0.5, PEOPLE) + 0.5 * (rng.random(PEOPLE) < 0.5)


DRAWN: Mapping[str, Callable[[np.random.Generator], Floats]] = {"plateau": _plateau, "triangles": _triangles}


def shape_run(shape: str, noise: str, run: int) -> list[Row]:
    """How far reports and reconstruction are from the truth; and if one stopped as soon as reports look right."""
    values, design, replies = _drawn(shape, noise, run)
    true = _shares(values)
    found = {
        REPORTED: _shares(replies["x"].to_numpy()),
        RECONSTRUCTED: _within(reconstruct(design, replies, "x")["share"].to_numpy()),
        SAME_REPORTS: _within(_until_reports_agree(design, replies["x"].to_numpy())),
    }
    return [
        {"part": SHAPES, "function": shape, "noise": noise, "privacy": np.nan, "method": method, "run": run,
         "distance": float(np.abs(shares - true).sum())}
        for method, shares in found.items()
    ]  # fmt: skip


def outlines() -> pd.DataFrame:
    """Figure 2 as a picture: the shares of one draw of each shape, as they are, as reported and as reconstructed."""
    parts = []
    for shape, noise in product(DRAWN, NOISES):
        values, design, replies = _drawn(shape, noise, 0)
        found = {
            "original": _shares(values),
            REPORTED: _shares(replies["x"].to_numpy()),
            RECONSTRUCTED: _within(reconstruct(design, replies, "x")["share"].to_numpy()),
        }
        edges = np.linspace(-BEYOND, 1 + BEYOND, CELLS * (2 * BEYOND + 1) + 1)[:-1]
        near = (edges >= -1) & (edges < 2)
        for series, shares in found.items():
            columns = {"x": edges[near], "share": shares[near], "shares": series, "panel": f"{shape}, {noise}"}
            parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)


def _drawn(shape: str, noise: str, run: int) -> tuple[Floats, Design, pd.DataFrame]:
    """True numbers, the design, and what is reported."""
    values = DRAWN[shape](np.random.default_rng(seed_of(shape, run)))
    design = Design([NOISES[noise](number("x", 0, 1, cells=CELLS))])
    return values, design, disguise(design, pd.DataFrame({"x": values}), seed=seed_of(shape, noise, run))


def _until_reports_agree(design: Design, reports: Floats) -> Floats:
    """The rule that the paper warns of: stop once reports would look as they do, by a chi-square test at 95 %."""
    question, columns = design.question("x"), design.reported("x")
    assert columns.range is not None
    counts = np.bincount(columns.range.cells(reports), minlength=len(columns)).astype(float)
    matrix, shares = design.channel("x").matrix(["x"]), even_shares([question]) / even_shares([question]).sum()
    n = counts.sum()
    for _ in range(MAX_STEPS):
        expected = n * (matrix @ shares)[:, 0]
        usual = expected >= 5
        if float(((counts - expected)[usual] ** 2 / expected[usual]).sum()) < chdtri(usual.sum() - 1, 0.05):
            break
        shares = smooth_margin(counts[:, None], matrix, shares, rounds=1)
    return np.asarray(shares[:, 0])


def _shares(values: Floats) -> Floats:
    edges = np.linspace(-BEYOND, 1 + BEYOND, CELLS * (2 * BEYOND + 1) + 1)
    return np.asarray(np.histogram(values, edges)[0] / len(values))


def _within(shares: Floats) -> Floats:
    return np.concatenate([np.zeros(BEYOND * CELLS), shares, np.zeros(BEYOND * CELLS)])

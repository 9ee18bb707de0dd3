"""Disguising a frame, against copying it and drawing a million ordinary random numbers."""

from functools import partial

import numpy as np
import pandas as pd
import polars as pl

import deniable as dn
from timing import Ratio, ratio

ROWS, QUESTIONS = 1_000_000, 14
AGAINST = "numpy copying the frame and drawing 1M PCG64 floats"


def disguise_frames() -> list[Ratio]:
    """1,000,000 records of 14 two-answer questions in one Warner group, secure randomness, output frame included."""
    rng = np.random.default_rng(1)
    cells = {f"q{index}": rng.integers(0, 2, ROWS).astype(np.uint8) for index in range(QUESTIONS)}
    design = dn.Design([dn.warner(0.7, *[dn.Question(name, ("0", "1")) for name in cells])])
    matrix = np.column_stack(list(cells.values()))
    plain = pd.DataFrame(cells)
    frames = {
        "pandas uint8": plain,
        "pandas categorical": plain.astype("category"),
        "polars uint8": pl.DataFrame(cells),
    }

    def limit() -> None:
        matrix.copy()
        np.random.default_rng(2).random(ROWS)

    return [
        Ratio(f"disguise 1M x 14, {kind}", ratio(partial(dn.disguise, design, frame), limit), AGAINST, "< 2.5")
        for kind, frame in frames.items()
    ]

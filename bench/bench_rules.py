"""Mining disguised replies for itemsets, against mlxtend on the same people undisguised."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
from mlxtend.frequent_patterns import apriori, fpgrowth
from numpy.typing import NDArray

import deniable as dn
from timing import Ratio, ratio

ROWS, MANY_ROWS, ITEMS = 128_000, 1_000_000, 100
SUPPORT, LENGTH, THETA = 0.08, 4, 0.9
CLASSES = 8


def people(rows: int, seed: int = 1) -> pd.DataFrame:
    """People of some hidden classes, each with its own chance of every item: supports of all sizes."""
    rng = np.random.default_rng(seed)
    chances = rng.beta(0.6, 1.6, (CLASSES, ITEMS))
    who = rng.integers(0, CLASSES, rows)
    has: dict[str, NDArray[np.bool_]] = {f"q{item}": rng.random(rows) < chances[who, item] for item in range(ITEMS)}
    return pd.DataFrame(has)


def survey() -> dn.Design:
    """Every question with a lottery of its own."""
    return dn.Design([dn.warner(THETA, dn.yes_no(f"q{item}")) for item in range(ITEMS)])


def mine(design: dn.Design, replies: pd.DataFrame) -> int:
    """How many sets of yeses are frequent: mlxtend knows no other items."""
    return len(dn.itemsets(design, replies, SUPPORT, LENGTH, items=[f"{name}=yes" for name in replies]))


def itemsets() -> list[Ratio]:
    """128,000 x 100 items, theta .9, support .08, up to four items; and the memory that a million replies take."""
    true, design = people(ROWS), survey()
    replies = dn.disguise(design, true, seed=1)
    peers: dict[str, tuple[Callable[[], object], int, str]] = {
        "mlxtend apriori(low_memory), undisguised": (
            lambda: apriori(true, min_support=SUPPORT, max_len=LENGTH, low_memory=True), 3, "< 0.1",
        ),
        "mlxtend fpgrowth, undisguised": (lambda: fpgrowth(true, min_support=SUPPORT, max_len=LENGTH), 1, "< 0.02"),
    }  # fmt: skip
    mine(design, replies)
    found = [
        Ratio("itemsets of 128,000 x 100", ratio(lambda: mine(design, replies), peer, rounds), name, wanted)
        for name, (peer, rounds, wanted) in peers.items()
    ]
    told = subprocess.run([sys.executable, __file__], check=True, capture_output=True, text=True)
    return [*found, Ratio("memory of 1M x 100", float(told.stdout.split()[0]), "1 GB beyond the replies", "< 1")]


def memory() -> tuple[float, float]:
    """Gigabytes that mining a million replies takes beyond the replies themselves, at most, and seconds."""
    design = survey()
    replies = dn.disguise(design, people(MANY_ROWS), seed=1)
    before, start = gigabytes("VmRSS"), perf_counter()
    mine(design, replies)
    seconds = perf_counter() - start
    return gigabytes("VmHWM") - before, seconds


def gigabytes(what: str) -> float:
    """The memory of this process, now (VmRSS) or at most (VmHWM)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(what)) / 2**20


if __name__ == "__main__":
    sys.stdout.write("{:.4f} {:.2f}\n".format(*memory()))

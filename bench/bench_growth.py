"""Growth: processor seconds over the number of replies, of questions, of versions, and over the depth of a tree.

Over the number of questions commands are run as they are typed, a process each, whose most memory is told, too.
"""

import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

import deniable as dn
from bench_memory import as_typed
from bench_trees import Case
from timing import Point, seconds

REPLIES = (10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)
WIDE, WIDE_ROWS = (10, 30, 100, 300, 1000), 20_000
VERSIONS, VERSION_ROWS = (2, 4, 8, 16, 32), 50_000
DEPTHS, DEEP_ROWS = (1, 2, 4, 6, 8, 10), 1_000_000
METHODS = {"inverse": "tree, inverse", "pairs": "tree, pairs", "auto": "tree, the default, which compares methods"}
STOPS: dict[str, Any] = {"to the end": None, "with the noise test": "noise"}


def growth() -> list[Point]:
    """All four."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [*_over_replies(), *_over_questions(), *_over_versions(), *_over_depth()]


def _over_replies() -> list[Point]:
    found = []
    for rows in REPLIES:
        case = Case.drawn("", rows, 14)
        works: dict[str, Callable[[], object]] = {
            "disguise": partial(dn.disguise, case.design, case.people),
            "estimate of two": partial(dn.estimate, case.design, case.replies, "q0 == '1' and t == '1'"),
            "tree, inverse": case.ours(method="inverse"),
            "naive Bayes": partial(dn.NaiveBayes(case.design).fit, case.replies),
        }
        found += [Point("replies", line, rows, seconds(work, 2)) for line, work in works.items()]
    return found


def _over_questions() -> list[Point]:
    """From a file: pairs with the target first, then the strongest questions whole."""
    found, rng, words = [], np.random.default_rng(1), np.array(["no", "yes"])
    leaves = rng.random(WIDE_ROWS) < 0.4
    with TemporaryDirectory() as folder:
        for count in WIDE:
            names = [f"q{index}" for index in range(count)]
            design = dn.Design([dn.warner(0.8, dn.yes_no(name)) for name in [*names, "leave"]], target="leave")
            codes = {
                name: leaves ^ (rng.random(WIDE_ROWS) < 0.2 + 0.3 * (index > 5)) for index, name in enumerate(names)
            }
            people = pa.table({name: words[code.astype(int)] for name, code in {**codes, "leave": leaves}.items()})
            design.save(path := Path(folder) / f"{count}.toml")
            pq.write_table(dn.disguise(design, people, seed=1), path.with_suffix(".parquet"))
            typed = ["tree", path, path.with_suffix(".parquet"), "-o", path.with_suffix(".json"), "--method"]
            for method, line in METHODS.items():
                took, gigabytes = as_typed([*map(str, typed), method])
                found.append(Point("questions", line, count, took, gigabytes))
    return found


def _over_versions() -> list[Point]:
    found, rng = [], np.random.default_rng(1)
    leaves = rng.random(VERSION_ROWS) < 0.4
    for count in VERSIONS:
        names = [f"q{index}" for index in range(count)]
        asked = [dn.yes_no(name) for name in ["leave", *names]]
        design = dn.Design([dn.draw(dn.epsilon(2), *asked, always=["leave"], ask=1)], target="leave")
        codes = {name: leaves ^ (rng.random(VERSION_ROWS) < 0.3) for name in names}
        people = pd.DataFrame({name: np.where(code, "yes", "no") for name, code in {**codes, "leave": leaves}.items()})
        replies = dn.disguise(design, people, seed=1)
        works: dict[str, Callable[[], object]] = {
            "every share": partial(dn.estimate, design, replies),
            "naive Bayes": partial(dn.NaiveBayes(design).fit, replies),
        }
        found += [Point("versions", line, count, seconds(work, 2)) for line, work in works.items()]
    return found


def _over_depth() -> list[Point]:
    case, found = Case.drawn("", DEEP_ROWS, 14), []
    for depth in DEPTHS:
        for line, stop in STOPS.items():
            tree = dn.TreeClassifier(case.design, method="inverse", max_depth=depth, stop=stop)
            found.append(Point("depth", f"tree {line}", depth, seconds(partial(tree.fit, case.replies, "t"), 2)))
    return found

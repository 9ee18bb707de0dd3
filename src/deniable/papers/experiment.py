"""What reproducing a paper takes: work that can be done side by side, its results, and what they say about claims."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from deniable.channel.design import Design
from deniable.device.disguise import disguise
from deniable.learn.base import Learner
from deniable.learn.doubt import DOUBTFUL_MAJORITY

Row = dict[str, Any]
Job = Callable[[], list[Row]]
MIN_RUNS = 3  # below, nothing is known of how much runs differ by chance
NOTHING_DRAWN = None  # the runs behind a figure that is computed, not simulated


@dataclass(frozen=True)
class Claim:
    """What a paper says, whether its criterion is met, and the figure that decides it."""

    says: str
    held: bool | None  # None: the paper says too little to judge it, or it was not run
    figure: str
    runs: int | None = field(kw_only=True)  # the fewest in any cell it rests on, or NOTHING_DRAWN

    @property
    def verdict(self) -> str:
        """The judgement in words: the only place that passes one."""
        if self.held is None:
            return "cannot be told"
        if self.runs is not NOTHING_DRAWN and self.runs < MIN_RUNS:
            return "too few runs to tell"
        return "held" if self.held else "not held"


def fewest_runs(averages: pd.DataFrame) -> int:
    """The fewest runs in any of these cells of a summary."""
    return int(averages["runs"].min())


@dataclass(frozen=True)
class Study:
    """A paper's experiments: the work, which results to draw, and what they say about its claims."""

    name: str
    title: str
    about: Sequence[str]  # paragraphs: data, protocol, what was added
    jobs: Callable[[bool], Sequence[Job]]  # whether it must be quick -> pieces of work
    settings: Sequence[str]  # columns of the results that tell one cell of the experiment from another
    charts: Callable[[pd.DataFrame], Mapping[str, alt.TopLevelMixin]]  # results -> charts by title
    claims: Callable[[pd.DataFrame], list[Claim]]
    drawn: bool = True  # whether chance has a part in it, so that there are runs


def perform(jobs: Sequence[Job], progress: Callable[[float], None]) -> pd.DataFrame:
    """All rows of all jobs, in their order, computed on all cores."""
    with ProcessPoolExecutor(mp_context=get_context("spawn"), initializer=_one_thread) as pool:
        futures = [pool.submit(job) for job in jobs]
        try:
            for done, future in enumerate(as_completed(futures), 1):
                future.result()
                progress(done / len(futures))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return pd.DataFrame([row for future in futures for row in future.result()])


def _one_thread() -> None:
    threadpool_limits(1)


def summary(results: pd.DataFrame, settings: Sequence[str]) -> pd.DataFrame:
    """Mean, variance and standard error over the runs of every cell, for every figure that was measured."""
    measured = [name for name in results.columns if name not in settings and name != "run"]
    grouped = results.groupby(list(settings), dropna=False, sort=False)
    averages = grouped.size().rename("runs").to_frame()
    for name in measured:
        averages[name] = grouped[name].mean()
        if name != "warned":
            averages[f"{name}_variance"] = grouped[name].var()  # none of a single run
            averages[f"{name}_stderr"] = np.sqrt(averages[f"{name}_variance"] / averages["runs"])
    return averages.reset_index()


def learnt(learner: Learner, design: Design, people: pd.DataFrame, seed: int) -> Row:
    """Disguise people, learn from their replies: the fitted learner, and whether it doubts which class is larger."""
    replies = disguise(design, people, seed=seed)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        learner.fit(replies.drop(columns=design.target), replies[design.target])
    return {"learner": learner, "warned": any(DOUBTFUL_MAJORITY in str(each.message) for each in said)}


def accuracy(learner: Any, people: pd.DataFrame, target: str) -> float:
    """The share of undisguised people whom a model classifies rightly."""
    predicted: NDArray[Any] = learner.predict(people.drop(columns=target))
    return float(np.mean(predicted == people[target].to_numpy()))


def seed_of(*parts: object) -> int:
    """A seed that belongs to one run of one cell, the same on every machine."""
    words = "/".join(str(part) for part in parts).encode()
    return int.from_bytes(words, "big") % (2**61 - 1)

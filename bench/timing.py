"""Timing that can be trusted on a busy machine."""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter


@dataclass(frozen=True)
class Ratio:
    """How many times as long one thing takes as another."""

    what: str
    ratio: float
    against: str
    wanted: str


def ratio(work: Callable[[], object], limit: Callable[[], object], rounds: int = 15) -> float:
    """The quickest of many runs of each, taken in turns."""
    times = [(seconds(work), seconds(limit)) for _ in range(rounds)]
    return min(ours for ours, _ in times) / min(theirs for _, theirs in times)


def seconds(work: Callable[[], object], rounds: int = 1) -> float:
    """The quickest of some runs."""
    times = []
    for _ in range(rounds):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return min(times)

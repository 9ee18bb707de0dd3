"""Timing that can be trusted on a busy machine."""

from collections.abc import Callable
from dataclasses import dataclass
from time import process_time


@dataclass(frozen=True)
class Ratio:
    """How many times as long one thing takes as another."""

    what: str
    ratio: float
    against: str
    wanted: str


def ratio(work: Callable[[], object], limit: Callable[[], object], rounds: int = 15) -> float:
    """The quickest of many runs of each, taken in turns."""
    counts = [(seconds(work), seconds(limit)) for _ in range(rounds)]
    return min(ours for ours, _ in counts) / min(theirs for _, theirs in counts)


def seconds(work: Callable[[], object], rounds: int = 1) -> float:
    """The quickest of some runs, in the time that this process itself has worked: neighbours do not count."""
    counts = []
    for _ in range(rounds):
        start = process_time()
        work()
        counts.append(process_time() - start)
    return min(counts)

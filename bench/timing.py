"""Timing that can be trusted on a busy machine: processor time of this process alone, ours and theirs in turns."""

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


@dataclass(frozen=True)
class Cost:
    """What one piece of work took: processor seconds, and the most memory of its process in GB."""

    what: str
    replies: int
    seconds: float
    gigabytes: float
    ratio: float | None = None  # to the seconds of `against`
    against: str = ""
    wanted: str = ""


@dataclass(frozen=True)
class Point:
    """Processor seconds of some work at one size: a point of a chart."""

    chart: str
    line: str
    size: float
    seconds: float
    gigabytes: float | None = None  # of the process, at most


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

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
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for kept, run in zip(times, (work, limit), strict=True):
            start = perf_counter()
            run()
            kept.append(perf_counter() - start)
    return min(times[0]) / min(times[1])

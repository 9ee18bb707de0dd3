"""Cache of figures computed from replies, kept until there are more of them.

While replies stream in, slow figures are not computed again for each of them: the pause is a multiple of the time they
took. So every figure says how many replies it comes from.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool

MAX_KEPT = 200
REST = 10.0  # times as long as it took

Found = TypeVar("Found")


@dataclass(frozen=True)
class _Result:
    replies: int
    value: Any
    rests_until: float


class Results:
    """Figures by what they are about; each is computed once for a number of replies, in a thread of its own."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: OrderedDict[Hashable, _Result] = OrderedDict()
        self._working: dict[Hashable, asyncio.Lock] = {}

    async def of(self, about: Hashable, replies: int, work: Callable[[], Found]) -> Found:
        """What work gives, unless it is known already; others who ask for the same wait for it."""
        async with self._working.setdefault(about, asyncio.Lock()):
            known = self._kept.get(about)
            if known is None or (known.replies != replies and self._clock() >= known.rests_until):
                known = self._kept[about] = await self._worked_out(about, replies, work)
            self._kept.move_to_end(about)
            while len(self._kept) > MAX_KEPT:
                oldest, _ = self._kept.popitem(last=False)
                self._working.pop(oldest, None)
            found: Found = known.value
            return found

    async def _worked_out(self, about: Hashable, replies: int, work: Callable[[], Any]) -> _Result:
        began = self._clock()
        try:
            value = await run_in_threadpool(work)
        except Exception:
            self._working.pop(about, None)
            raise
        took = self._clock() - began
        return _Result(replies, value, began + took * (1 + REST))

    def known(self, about: Hashable) -> Any:
        """What was computed last, if anything."""
        kept = self._kept.get(about)
        return None if kept is None else kept.value

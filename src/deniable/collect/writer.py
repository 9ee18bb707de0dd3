"""One writer for all respondents: replies that arrive together are synced to disk together.

A disk can sync a few hundred times a second, respondents may send thousands of replies. So a single thread takes
whatever has arrived, keeps it in one transaction, and only then tells every sender. The queue is bounded, a broken
database is opened again with the next batch, and nobody waits longer than a few seconds for an answer.
"""

import asyncio
import logging
import queue
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

from deniable.collect.state import today
from deniable.collect.store import Arrival, Outcome, Store
from deniable.errors import StoreDown

MAX_WAITING = 4096
MAX_AT_ONCE = 512
ANSWER_SECONDS = 2.5
IDLE_SECONDS = 60.0
STOP_SECONDS = 60.0  # settling a million replies takes half a minute
SETTLE_AGAIN_SECONDS = 60 * 60.0  # after a try that failed
LAST_TRIES = 3  # to settle, a second apart, when the site stops


class _Waiting(NamedTuple):
    arrival: Arrival
    answer: "asyncio.Future[Outcome]"


class Writer:
    """Keeps arrivals, many at a time."""

    def __init__(self, open_store: Callable[[], Store]) -> None:
        self._open = open_store
        self._store: Store | None = None
        self._queue: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._settled, self._settle_from = today(), 0.0

    def start(self) -> None:
        """Be ready to write."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._write, name="writer", daemon=True)
            self._thread.start()

    async def keep(self, arrival: Arrival) -> Outcome:
        """What became of an arrival; StoreDown if that cannot be said in time."""
        self.start()  # a writer that has died is replaced
        if self._queue.qsize() >= MAX_WAITING:
            raise StoreDown("of replies", "too many replies are waiting")
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Outcome] = loop.create_future()
        end = loop.call_later(ANSWER_SECONDS, _give_up, answer)
        self._queue.put(_Waiting(arrival, answer))
        try:
            return await answer
        finally:
            end.cancel()

    def stop(self) -> None:
        """Keep what has arrived, then rest."""
        if self._thread is not None and self._thread.is_alive():
            self._queue.put(None)
            self._thread.join(STOP_SECONDS)

    def _write(self) -> None:
        while (batch := self._next()) is not None:
            if batch:
                self._answer(batch)
            if today() != self._settled and time.monotonic() >= self._settle_from:
                self._settle()
        for _ in range(LAST_TRIES):
            if self._settle():
                break
            time.sleep(1)
        self._close()

    def _next(self) -> list[_Waiting] | None:
        """What has arrived; nothing after a while without arrivals, None at the end."""
        try:
            first = self._queue.get(timeout=IDLE_SECONDS)
        except queue.Empty:
            return []
        batch = [first]
        while len(batch) < MAX_AT_ONCE and batch[-1] is not None:
            try:
                batch.append(self._queue.get_nowait())
            except queue.Empty:
                break
        arrived = [each for each in batch if each is not None]
        if len(arrived) < len(batch):
            if not arrived:
                return None
            self._queue.put(None)  # the end comes after these
        return arrived

    def _answer(self, batch: list[_Waiting]) -> None:
        try:
            outcomes: list[Outcome] | Exception = self._opened().keep([each.arrival for each in batch])
        except Exception as error:  # a failed batch must not end the writer: its senders try again
            self._close()
            outcomes = error
        batch[0].answer.get_loop().call_soon_threadsafe(_resolve, batch, outcomes)

    def _opened(self) -> Store:
        if self._store is None:
            self._store = self._open()
        return self._store

    def _settle(self) -> bool:
        """Let the store forget the order of arrivals; if it cannot now, since somebody reads it, it is tried again."""
        try:
            erased = self._opened().erase_due()
            self._opened().settle()
        except StoreDown:
            self._close()
            self._settle_from = time.monotonic() + SETTLE_AGAIN_SECONDS
            return False
        self._settled = today()
        if erased:
            self.forget_log()
        return True

    def forget_log(self) -> None:
        """Have the database's log written over while replies go on; what is left of it is logged."""
        threading.Thread(target=self._forget_log, name="forgetting", daemon=True).start()

    def _forget_log(self) -> None:
        try:
            with self._open() as store:
                left = store.forget_log()
        except StoreDown as error:
            left = str(error)
        if left is not None:
            logging.getLogger("deniable").warning("after erasing what was due: %s", left)

    def _close(self) -> None:
        store, self._store = self._store, None
        if store is not None:
            try:
                store.close()
            except StoreDown:
                return  # it is gone already


def _give_up(answer: "asyncio.Future[Outcome]") -> None:
    if not answer.done():
        answer.set_exception(StoreDown("of replies", "it takes too long"))


def _resolve(batch: list[_Waiting], outcomes: list[Outcome] | Exception) -> None:
    """Tell every sender who still waits."""
    for index, each in enumerate(batch):
        if each.answer.done():
            continue
        if isinstance(outcomes, StoreDown):
            each.answer.set_exception(StoreDown("of replies", "its database has failed"))
        elif isinstance(outcomes, Exception):
            each.answer.set_exception(outcomes)
        else:
            each.answer.set_result(outcomes[index])

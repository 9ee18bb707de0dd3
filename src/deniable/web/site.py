"""Site: the surveys that it serves, and the store that has their replies."""

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import date
from hashlib import sha256
from typing import TypeVar

from anyio import to_thread

from deniable.channel.design import Design
from deniable.collect.erasing import is_over
from deniable.collect.issuing import SecretKeys
from deniable.collect.places import open_store
from deniable.collect.reply import ReplyReader
from deniable.collect.state import today
from deniable.collect.store import Store
from deniable.collect.writer import Writer
from deniable.deniability.privacy import privacy
from deniable.errors import StoreDown
from deniable.web.address import site_address
from deniable.web.limits import Limit, is_local_url
from deniable.web.page import offline_page
from deniable.web.results import Results
from deniable.web.sessions import Sessions
from deniable.web.signing import Checker

Found = TypeVar("Found")
AGAIN = "to ask the same again, give it another title or wave"
READ_SECONDS = 30.0  # a figure may take long, but not for ever
DIGITS, LETTERS = 16, 40  # of an address that can be read out: of the fingerprint, and of the title
READABLE = re.compile(rf"[a-z0-9-]*-([0-9a-f]{{{DIGITS}}})")


class Survey:
    """One design that is served: how its replies are read, and what its respondents can deny."""

    def __init__(self, design: Design, url: str) -> None:
        self.design = design
        self.fingerprint = design.fingerprint
        self.title = design.title or "Survey"
        self.reader = ReplyReader(design)
        self.published = design.to_json().encode()
        self.single_file = offline_page(design, url).encode()
        self.single_file_digest = sha256(self.single_file).hexdigest()
        self.privacy = privacy(design)
        self.checker = None if design.issuer is None else Checker(design.issuer)

    @property
    def address(self) -> str:
        """An address that can be read out: the title, and the fingerprint's first digits."""
        words = re.findall("[a-z0-9]+", self.title.lower())
        return f"{'-'.join(words)[:LETTERS].strip('-') or 'survey'}-{self.fingerprint[:DIGITS]}"

    def is_over(self, day: date) -> bool:
        """Whether its replies have to be erased by that day."""
        return is_over(self.design, day)


class Site:
    """The surveys of one site, and its store; `url` is how respondents reach it."""

    def __init__(self, designs: Iterable[Design], store: str, url: str, *, kiosk: bool = False) -> None:
        self.store_url, self.url = store, site_address(url)
        self.writer = Writer(lambda: open_store(store))
        self.guesses = Limit(most=100, seconds=600)  # at a survey's invitations
        self.log_ins = Limit(most=10, seconds=600, spares_local=is_local_url(self.url))
        self.sessions, self.results = Sessions(), Results()
        self._keys: dict[str, SecretKeys | None] = {}
        self.kiosk = kiosk  # devices that people share keep nothing
        self.over: list[tuple[Design, str]] = []  # what is not served any more, and why
        self.refused: Counter[int] = Counter()  # replies, by status
        with open_store(store) as opened:
            if opened.erase_due():
                self.writer.forget_log()
            self._designs = self._still_served(opened, list(designs))
            for design in self._designs:
                opened.enrol(design)
            self.surveys: dict[str, Survey] = {}
            self.look(opened)

    def _still_served(self, store: Store, designs: list[Design]) -> list[Design]:
        """Those designs that are not over: neither erased, nor past their day."""
        erased, served = False, []
        for design in designs:
            if (day := store.over_since(design)) is not None:
                erased = True
                self.over.append((design, f"its replies were erased on {day}, and it stays over; {AGAIN}"))
            elif is_over(design, today()):
                self.over.append((design, f"its replies are erased after {design.survey.retention}"))
            else:
                served.append(design)
        return served if served or erased else designs  # which nobody knows: their day is refused, as a mistake

    def look(self, store: Store) -> None:
        """Serve designs as the store promises them now; those that have been erased are gone."""
        alive = [design for design in self._designs if store.over_since(design) is None]
        promised = {design.fingerprint: design for design in map(store.promised, alive)}
        known, held = self.surveys, set(store.surveys())
        self.surveys = {
            name: known.get(name) or Survey(each, self.url) for name, each in promised.items() if name in held
        }

    async def refresh(self) -> None:
        """Take notice of keys that were made since: with them a design has another fingerprint."""
        await self.read(self.look)

    def by_address(self, address: str) -> Survey | None:
        """The survey with an address that can be read out; its digits count, not the words before them."""
        digits = READABLE.fullmatch(address)
        found = [each for each in self.surveys.values() if digits and each.fingerprint.startswith(digits[1])]
        return found[0] if len(found) == 1 else None

    def moved(self, fingerprint: str) -> str | None:
        """Where a survey is now whose keys were made after its site had opened."""
        for survey in self.surveys.values():
            if survey.design.issuer is not None and survey.design.without_keys.fingerprint == fingerprint:
                return survey.fingerprint
        return None

    async def keys(self, fingerprint: str) -> SecretKeys | None:
        """The keys that sign for a survey's invited people; read once."""
        if fingerprint not in self._keys:
            self._keys[fingerprint] = await self.read(lambda store: store.keys(fingerprint))
        return self._keys[fingerprint]

    async def read(self, question: Callable[[Store], Found], seconds: float = READ_SECONDS) -> Found:
        """Ask the store something, without holding up anybody else, nor waiting longer than so many seconds."""

        def ask() -> Found:
            with open_store(self.store_url) as store:
                return question(store)

        try:
            async with asyncio.timeout(seconds):
                return await to_thread.run_sync(ask, abandon_on_cancel=True)
        except TimeoutError:
            raise StoreDown("of replies", "it takes too long") from None

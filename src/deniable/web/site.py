"""Site: the surveys that it serves, and the store that has their replies."""

import asyncio
import re
from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import TypeVar

from anyio import to_thread

from deniable.channel.design import Design
from deniable.collect.places import open_store
from deniable.collect.reply import ReplyReader
from deniable.collect.store import Store
from deniable.collect.writer import Writer
from deniable.deniability.privacy import privacy
from deniable.errors import BadRequest, StoreDown
from deniable.web.limits import Limit, is_local_url
from deniable.web.page import offline_page
from deniable.web.results import Results
from deniable.web.sessions import Sessions

Found = TypeVar("Found")
SITE = re.compile(r"https?://([A-Za-z0-9.-]+|\[[0-9a-f:]+\])(:\d+)?/?")
READ_SECONDS = 30.0  # a figure may take long, but not for ever


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


class Site:
    """The surveys of one site, and its store; `url` is how respondents reach it."""

    def __init__(self, designs: Iterable[Design], store: str, url: str) -> None:
        if not SITE.fullmatch(url):
            raise BadRequest("--url", "the site's own address, such as https://survey.example.org", url, "correct it")
        self.store_url, self.url = store, url.rstrip("/")
        self.writer = Writer(lambda: open_store(store))
        self.guesses = Limit(most=100, seconds=600)  # at a survey's invitations
        self.log_ins = Limit(most=10, seconds=600, spares_local=is_local_url(self.url))
        self.sessions, self.results = Sessions(), Results()
        with open_store(store) as opened:
            promised = [opened.enrol(design) for design in designs]
        self.surveys = {design.fingerprint: Survey(design, self.url) for design in promised}

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

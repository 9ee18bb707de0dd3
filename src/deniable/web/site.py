"""What the site knows: its surveys, and where their replies rest."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool

from deniable.channel.design import Design
from deniable.collect.places import open_store
from deniable.collect.reply import ReplyReader
from deniable.collect.store import Store
from deniable.collect.writer import Writer
from deniable.deniability.privacy import privacy
from deniable.web.limits import Limit, is_local_url
from deniable.web.results import Results
from deniable.web.sessions import Sessions

Found = TypeVar("Found")


class Survey:
    """One design that is served: how its replies are read, and what its respondents can deny."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self.fingerprint = design.fingerprint
        self.title = design.title or "Survey"
        self.reader = ReplyReader(design)
        self.published = design.to_json().encode()
        self.privacy: dict[str, Any] = privacy(design).to_json()


class Site:
    """The surveys of one site, and its store; `url` is how respondents reach it."""

    def __init__(self, designs: Iterable[Design], store: str, url: str) -> None:
        self.surveys = {design.fingerprint: Survey(design) for design in designs}
        self.store_url, self.url = store, url.rstrip("/")
        self.writer = Writer(lambda: open_store(store))
        local = is_local_url(self.url)
        self.guesses = Limit(most=20, seconds=600, spares_local=local)
        self.log_ins = Limit(most=10, seconds=600, spares_local=local)
        self.sessions, self.results = Sessions(), Results()
        with open_store(store) as opened:
            for survey in self.surveys.values():
                opened.enrol(survey.design)

    async def read(self, question: Callable[[Store], Found]) -> Found:
        """Ask the store something, without holding up anybody else."""

        def ask() -> Found:
            with open_store(self.store_url) as store:
                return question(store)

        return await run_in_threadpool(ask)

"""A survey site for tests: a real server, with a store, replies and a collector who is logged in."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from secrets import token_bytes
from tempfile import TemporaryDirectory

import httpx
import numpy as np
import pyarrow as pa

import deniable as dn
from deniable.collect.places import open_store
from deniable.collect.reply import Reply
from deniable.collect.store import Arrival, Outcome
from deniable.collect.waiting import release
from deniable.frame.columns import reported_columns
from deniable.web.password import SECRET, hash_of
from serving import serving as site_of

PASSWORD = "correct horse battery"
TOKEN = re.compile(r'name="token" value="([0-9a-f]{64})"')


def health_design(title: str = "Health at work") -> dn.Design:
    """A survey with a question of every kind."""
    return dn.Design(
        [
            dn.warner(0.8, dn.Question("smokes", ["no", "yes"], "Do you smoke?"), dn.yes_no("leave")),
            dn.k_ary(0.8, dn.Question("drinks", ["never", "weekly", "daily"], "How often do you drink?", ordered=True)),
            dn.forced(0.1, 0.15, dn.Question("fraud", ["no", "yes"], "Did you call in sick without being ill?")),
            dn.clear(dn.Question("region", ["north", "east", "south", "west"], "Where do you work?")),
            dn.gaussian(dn.number("age", 18, 80, integer=True, wording="How old are you?"), privacy=0.5),
            dn.interval(dn.number("hours", 0, 60, wording="Hours at work per week?"), width=10),
        ],
        target="leave",
        title=title,
    )


def health_people(count: int, seed: int = 0) -> pa.Table:
    """People with habits that hang together."""
    rng = np.random.default_rng(seed)
    smokes, age = rng.random(count) < 0.28, rng.normal(41, 11, count).clip(18, 80).round()
    drinks = np.clip(rng.normal(0.7 + 0.8 * smokes, 0.7, count).round(), 0, 2).astype(int)
    leave = rng.random(count) < 0.12 + 0.45 * smokes + 0.12 * (drinks == 2)
    return pa.table(
        {
            "smokes": np.array(["no", "yes"])[smokes.astype(int)],
            "leave": np.array(["no", "yes"])[leave.astype(int)],
            "drinks": np.array(["never", "weekly", "daily"])[drinks],
            "fraud": np.array(["no", "yes"])[(rng.random(count) < 0.15 + 0.2 * leave).astype(int)],
            "region": rng.choice(["north", "east", "south", "west"], count, p=[0.4, 0.3, 0.2, 0.1]),
            "age": age,
            "hours": rng.normal(36, 9, count).clip(0, 60),
        }
    )


def fill(store: str, design: dn.Design, people: pa.Table, seed: int = 1) -> None:
    """Put the disguised replies of people into a store."""
    keep(store, design, dn.disguise(design, people, seed=seed))


def keep(store: str, design: dn.Design, replies: pa.Table) -> None:
    """Put replies into a store."""
    questions = [design.reported(name) for name in design.columns]
    columns = reported_columns(questions, replies.column, replies.column_names)
    rows = zip(*(columns[name].tolist() for name in design.columns), strict=True)
    arrivals = [Arrival(design.fingerprint, Reply(token_bytes(16), token_bytes(32), tuple(row))) for row in rows]
    with open_store(store) as opened:
        opened.enrol(design)
        assert set(opened.keep(arrivals)) <= {Outcome.STORED}
        release(opened._database, design.fingerprint, "reply")  # as if others had come after them


@cache  # slow on purpose
def hashed(password: str) -> str:
    """What a store keeps of a password."""
    return hash_of(password)


def set_password(store: str, password: str = PASSWORD) -> None:
    """What `deniable admin` does."""
    with open_store(store) as opened:
        opened.set_secret(SECRET, hashed(password))


class Running:
    """A site that is served, and how collectors reach it."""

    def __init__(self, url: str, store: str, designs: Sequence[dn.Design]) -> None:
        self.url, self.store_url = url, store
        self.surveys = {design.fingerprint: design for design in designs}
        self.clients: list[httpx.Client] = []

    def client(self) -> httpx.Client:
        """A browser that has no session."""
        self.clients.append(httpx.Client(base_url=self.url, follow_redirects=False, timeout=60))
        return self.clients[-1]

    def collector(self, password: str = PASSWORD) -> "Collector":
        """A browser whose collector has logged in."""
        return Collector(self.client(), self.url, password)


class Collector:
    """A browser with a session: it sends its token and origin with every form."""

    def __init__(self, client: httpx.Client, url: str, password: str) -> None:
        self.client, self.url = client, url
        self.token = token_of(client.get("/admin/log-in"))
        answer = self.send("/admin/log-in", password=password)
        assert answer.status_code == 303, answer.text
        self.token = token_of(client.get("/admin"))

    def get(self, path: str) -> httpx.Response:
        """A page."""
        return self.client.get(path)

    def send(self, path: str, **fields: str) -> httpx.Response:
        """A form."""
        return self.client.post(path, data={"token": self.token, **fields}, headers={"Origin": self.url})


def token_of(response: httpx.Response) -> str:
    """The token in a page's form."""
    found = TOKEN.search(response.text)
    assert found is not None, response.text
    return found.group(1)


@contextmanager
def serving(store: str, *designs: dn.Design) -> Iterator[Running]:
    """The real site, in a process of its own, for as long as it is needed."""
    with TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{place}.toml" for place in range(len(designs))]
        for path, design in zip(paths, designs, strict=True):
            design.save(path)
        with site_of(paths, store, Path(folder)) as server:
            running = Running(server.url, store, designs)
            try:
                yield running
            finally:
                for client in running.clients:
                    client.close()

"""Nothing links a reply to a person: no address, program, invitation, or order of arrival (check 7)."""

import json
import secrets
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr

from deniable.collect.places import open_store
from deniable.collect.reply import ReplyReader
from deniable.collect.store import Arrival
from deniable.count.stored import stored_replies
from serving import AUDIT, Server

PEOPLE = 2000 if AUDIT else 300
ADDRESS, PROGRAM, REFERRER = "203.0.113.77", "Canary-Browser/77.7", "https://canary.example/from"


def bytes_of(*places: Path) -> dict[str, bytes]:
    """Everything that rests in these files and folders."""
    files = [file for place in places for file in ([place] if place.is_file() else place.rglob("*")) if file.is_file()]
    found = {}
    for file in files:
        with suppress(FileNotFoundError):  # a server replaces its own lists while it runs
            found[str(file)] = file.read_bytes()
    return found


@pytest.fixture
def resting(request, store_url, tmp_path):
    """Where the bytes of a store rest."""
    return [tmp_path] if store_url.startswith("sqlite") else [tmp_path, request.getfixturevalue("postgres").files()]


def test_nothing_links_a_reply_to_a_person(health, health_file, store_url, tmp_path, resting, reply_of, figure):
    invitations = [secrets.token_urlsafe(16) for _ in range(PEOPLE)]
    with open_store(store_url) as store:
        store.enrol(health)
        store.invite(health.fingerprint, invitations)
    server = Server([health_file], store_url, tmp_path)
    server.start()
    sent = []
    for invitation in invitations:
        body = reply_of()
        headers = {
            "Invitation": invitation, "User-Agent": PROGRAM, "X-Forwarded-For": ADDRESS, "Referer": REFERRER,
            "Cookie": "who=Canary-Cookie",
        }  # fmt: skip
        status, _, answered = server.request("POST", f"/survey/{health.fingerprint}/replies", body, headers)
        assert status == 201
        assert "set-cookie" not in answered
        sent.append(json.loads(body)["id"])
    during = bytes_of(*resting)
    server.stop()
    canaries = [ADDRESS, PROGRAM, REFERRER, "Canary-Cookie", *invitations]
    found = [
        (canary, file)
        for place in (during, bytes_of(*resting))
        for file, rests in place.items()
        for canary in canaries
        if canary.encode() in rests
    ]
    kind = store_url.partition(":")[0]
    figure(f"linkage, {kind}: canaries (address, program, cookie, invitations) of {PEOPLE} people found", len(found))
    assert found == []
    order = spearmanr(np.arange(PEOPLE), [sent.index(name) for name in resting_order(store_url, health)]).statistic
    figure(f"linkage, {kind}: correlation of arrival and resting order (noise {1 / PEOPLE**0.5:.3f})", f"{order:.3f}")
    assert abs(order) < 4 / PEOPLE**0.5


def resting_order(store_url, design):
    """The ids in the order in which their bytes rest; PostgreSQL's rows must not tell their transactions apart."""
    table = f"replies_{design.fingerprint[:16]}"
    with open_store(store_url) as store:
        if store_url.startswith("postgresql"):
            (marks,) = store._database.run(f"select count(distinct xmin::text) from {table}")
            assert marks == (1,)
            return [bytes(row[0]).hex() for row in store._database.run(f"select id from {table} order by ctid")]
        names = [bytes(row[0]) for row in store._database.run(f"select id from {table}")]
    file = Path(store_url.removeprefix("sqlite:///")).read_bytes()
    return [name.hex() for name in sorted(names, key=file.rindex)]  # those that wait to be shown stand before, too


@pytest.mark.parametrize("people", [30, 60, 200])
def test_few_replies_do_not_rest_in_the_order_in_which_they_came(health, store_url, tmp_path, reply_of, people):
    """A few replies share a page of the file, which would keep their order if it were not written anew."""
    reader = ReplyReader(health)
    sent = [reader.read(reply_of()) for _ in range(people)]
    with open_store(store_url) as store:
        store.enrol(health)
        for reply in sent:
            store.keep([Arrival(health.fingerprint, reply)])
        places = [store_url]
        if store_url.startswith("sqlite"):
            store.backup(tmp_path / "copy.sqlite")
            places.append(f"sqlite:///{tmp_path}/copy.sqlite")
        store.settle()
    names = [reply.id.hex() for reply in sent]
    for place in places:
        found = kendalltau(np.arange(people), [names.index(name) for name in resting_order(place, health)]).statistic
        assert abs(found) < 5 * (2 * (2 * people + 5) / (9 * people * (people - 1))) ** 0.5


def test_tables_of_replies_come_in_another_order_each_time(health, store_url, reply_of):
    reader = ReplyReader(health)
    with open_store(store_url) as store:
        store.enrol(health)
        store.keep([Arrival(health.fingerprint, reader.read(reply_of())) for _ in range(400)])
    ages = [stored_replies(health, store_url).column("age").to_pylist() for _ in range(2)]
    assert ages[0] != ages[1]
    assert sorted(ages[0]) == sorted(ages[1])

"""Nothing the dashboard hands out links anybody to a reply: replies are shown in batches of 20 or more (check 17)."""

import csv
import io
import json
import re
import secrets
from datetime import timedelta
from itertools import pairwise

import pytest

from commands import deniable_says
from deniable.collect.places import open_store
from deniable.collect.reply import FollowUp, ReplyReader
from deniable.collect.second_round import lottery_of, with_lottery
from deniable.collect.state import today
from deniable.collect.store import Arrival
from deniable.collect.waiting import BATCH
from serving import AUDIT, serving
from web.desk import Running, set_password

PEOPLE = 150 if AUDIT else 61


@pytest.fixture
def store(health, store_url):
    with open_store(store_url) as opened:
        opened.enrol(health)
        yield opened


@pytest.fixture
def arrive(health, reply_of, store):
    """Let some replies arrive together."""
    reader = ReplyReader(health)
    return lambda count=1: store.keep([Arrival(health.fingerprint, reader.read(reply_of())) for _ in range(count)])


def shown(store, health):
    return store.count(health.fingerprint, shown=True)


def test_the_newest_20_to_39_wait(store, health, arrive):
    steps = []
    for total in range(1, 85):
        arrive()
        steps.append(shown(store, health))
        waiting = total - steps[-1]
        assert waiting == total if total < BATCH else BATCH <= waiting < 2 * BATCH
        assert sum(row[-1] for row in store.grouped(health.fingerprint, [0], shown=True)) == steps[-1]
        assert store.count(health.fingerprint) == total
    jumps = {after - before for before, after in pairwise(steps) if after != before}
    assert jumps == {BATCH}


@pytest.mark.parametrize("sizes", [[1, 512], [19, 1, 19, 1], [25, 25, 25], [39, 40, 41], [7] * 20])
@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_batches_are_never_small_however_replies_come(store, health, arrive, sizes):
    total = before = 0
    for size in sizes:
        arrive(size)
        total, now = total + size, shown(store, health)
        assert now == before or now - before >= BATCH
        assert BATCH <= total - now < 2 * BATCH or now == 0
        before = now


def test_all_are_shown_when_the_survey_closes(store, health, arrive):
    arrive(5)
    assert shown(store, health) == 0
    store.close_now(health.fingerprint)
    assert shown(store, health) == 5


def test_closing_and_opening_shows_nobody_alone(store, health, arrive):
    arrive(30)
    before = None
    for _ in range(25):
        store.close_now(health.fingerprint)
        now = shown(store, health)
        assert before is None or now == before or now - before >= BATCH
        before = now
        store.schedule(health.fingerprint, None, None)
        arrive()
    yesterday = str(today() - timedelta(days=1))
    store.schedule(health.fingerprint, None, yesterday)
    assert shown(store, health) == 30 + BATCH
    assert store.count(health.fingerprint) == 55


def test_digits_wait_too(store, health):
    digest = store.publish(health.fingerprint, with_lottery('{"kind": "tree"}', lottery_of(1)))
    for total in range(1, 45):
        body = FollowUp(secrets.token_bytes(16), b"x", digest, True)
        store.keep([Arrival(health.fingerprint, body)])
        told = store.follow_ups(health.fingerprint, digest, shown=True)
        assert told == ((0, 0) if total < 2 * BATCH else (BATCH, BATCH))
        assert store.follow_ups(health.fingerprint, digest) == (total, total)


def test_what_waits_is_known_of_nothing_else(store, health, arrive):
    """No shown reply has a mark of its batch."""
    for _ in range(5):
        arrive(13)
    rows = store._database.run("select id from waiting")
    assert len(rows) == 65 - shown(store, health)


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_a_closed_survey_says_that_late_replies_wait_whether_or_not_there_are_some(
    health, health_file, store_url, tmp_path, store, arrive
):
    """Else the sentence itself would tell that somebody came."""
    set_password(store_url)
    line = "If it is opened again and closed, what came meanwhile is shown once there are 20 or more."
    with serving([health_file], store_url, tmp_path) as server:
        collector = Running(server.url, store_url, [health]).collector()
        here, pages = f"/admin/survey/{health.fingerprint}", []
        arrive(45)
        assert line not in collector.get(here).text
        for late in (0, 5):
            store.schedule(health.fingerprint, None, None)
            if late:
                arrive(late)
            store.close_now(health.fingerprint)
            pages.append(re.search(r'id="live-state".*?</div>', collector.get(here).text, re.DOTALL)[0])
        collector.client.close()
    assert line in pages[0]
    assert pages[0] == pages[1]
    assert store.count(health.fingerprint) == 50


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_polling_the_dashboard_isolates_nobody(health, health_file, store_url, tmp_path, reply_of, figure):
    """Counts, pages and exports after every single arrival."""
    set_password(store_url)
    with serving([health_file], store_url, tmp_path) as server:
        collector = Running(server.url, store_url, [health]).collector()
        here = f"/admin/survey/{health.fingerprint}"
        seen, isolated = [], 0
        for _ in range(PEOPLE):
            assert server.request("POST", f"/survey/{health.fingerprint}/replies", reply_of())[0] == 201
            count = collector.get(f"{here}/count").json()["replies"]
            answer = collector.get(f"{here}/replies.csv")
            rows = sorted(map(tuple, csv.reader(io.StringIO(answer.text)))) if answer.status_code == 200 else [()]
            assert len(rows) - 1 == count
            isolated += bool(seen) and 0 < count - seen[-1] < BATCH
            seen.append(count)
        for part in ("", "/tables", "/manage"):
            assert re.search(rf"<strong>{seen[-1]}</strong>\s*repl", collector.get(here + part).text)
        collector.client.close()
    figure(f"single replies isolated by polling exports after each of {PEOPLE} arrivals", isolated)
    assert (isolated, seen[-1]) == (0, PEOPLE - PEOPLE % BATCH - BATCH)
    told = json.loads(
        deniable_says("estimate", health_file, store_url, "smokes == 'yes'", "--json").partition("]")[0] + "]"
    )
    assert told[0]["n"] == PEOPLE  # operators see all

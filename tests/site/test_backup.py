"""A backup holds every acknowledged reply, also one that is taken while the store settles; and it is a store."""

import re
import secrets
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from time import sleep

import psycopg
import pytest

import deniable as dn
from deniable.collect.invitation import hashed, new_invitation
from deniable.collect.places import open_store
from deniable.collect.reply import ReplyReader
from deniable.collect.schema import reply_table
from deniable.collect.store import Arrival, Outcome
from deniable.count.stored import StoreCounts
from deniable.errors import StoreDown
from serving import AUDIT

REPLIES = 20_000 if AUDIT else 5_000
DUMPS = 20 if AUDIT else 5


@pytest.fixture
def url(postgres):
    return postgres.database(f"d{secrets.token_hex(6)}")


@pytest.fixture
def arrival_of(health, reply_of):
    """An arrival that nobody has sent yet."""
    reader = ReplyReader(health)
    return lambda invitation=None: Arrival(health.fingerprint, reader.read(reply_of()), invitation)


@contextmanager
def meanwhile(work):
    """Do something over and over in a thread of its own; its trouble is ours."""
    stop, trouble = threading.Event(), []

    def run():
        try:
            while not stop.is_set():
                work()
        except BaseException as error:
            trouble.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
    if trouble:
        raise trouble[0]


def ids_in(dumped, design):
    """The ids of the replies in a dump."""
    table = re.search(
        rf"^COPY \S*replies_{design.fingerprint[:16]} .*?^\\\.$".encode(), dumped, re.MULTILINE | re.DOTALL
    )
    return re.findall(rb"^\\\\x([0-9a-f]{32})\t", table[0], re.MULTILINE)


def test_every_dump_holds_every_acknowledged_reply_while_the_store_settles(health, url, arrival_of, postgres, figure):
    acknowledged = [arrival_of() for _ in range(REPLIES)]
    with open_store(url) as store:
        store.enrol(health)
        store.keep(acknowledged)

    def settle():
        with open_store(url) as store, suppress(StoreDown):  # a dump may still need old rows
            store.settle()

    def reply():
        more = [arrival_of() for _ in range(10)]
        with open_store(url) as store:
            assert store.keep(more) == [Outcome.STORED] * 10
        acknowledged.extend(more)

    lost = []
    with meanwhile(settle), meanwhile(reply):
        for _ in range(DUMPS):
            before = {each.body.id.hex().encode() for each in list(acknowledged)}
            found = ids_in(postgres.dump(url), health)
            assert len(found) == len(set(found))
            lost.append(len(before - set(found)))
    figure(f"backups: acknowledged replies missing from {DUMPS} dumps while the store settles", sum(lost))
    assert lost == [0] * DUMPS
    with open_store(url) as store:
        assert store.count(health.fingerprint) == len(acknowledged)


def test_whoever_began_to_read_before_the_store_settles_reads_every_reply(health, url, arrival_of):
    """As a dump does that began in time and comes to this table last."""
    with open_store(url) as store, psycopg.connect(url) as reader:
        store.enrol(health)
        store.keep([arrival_of() for _ in range(50)])
        reader.execute("set transaction isolation level repeatable read")
        reader.execute("select count(*) from surveys")
        with pytest.raises(StoreDown, match="somebody reads"):  # their snapshot needs the old rows
            store.settle()
        assert reader.execute(f"select count(*) from replies_{health.fingerprint[:16]}").fetchone() == (50,)
        reader.rollback()
        store.settle()
        assert store.count(health.fingerprint) == 50


def test_writers_lose_nothing_while_the_store_settles(health, url, arrival_of, figure):
    """Two servers write to one database while a third one settles it: no reply and no invitation is lost."""
    invitations = [new_invitation() for _ in range(200)]
    with open_store(url) as store:
        store.enrol(health)
        store.invite(health.fingerprint, invitations)
    arrivals = [arrival_of(invitation) for invitation in invitations]
    settled = []

    def settle():
        with open_store(url) as store, suppress(StoreDown):
            store.settle()
            settled.append(1)

    def wait_for(counts):
        for _ in range(3000):
            if len(settled) >= counts:
                return
            sleep(0.01)

    def send(some):
        with open_store(url) as store:
            before = [outcome for each in some[:50] for outcome in store.keep([each])]
            wait_for(1)
            return before + [outcome for each in some[50:] for outcome in store.keep([each])]

    with meanwhile(settle), ThreadPoolExecutor(2) as servers:
        outcomes = [each for some in servers.map(send, (arrivals[::2], arrivals[1::2])) for each in some]
        wait_for(2)
    figure(
        "settling: replies and invitations lost of 200 sent by two servers meanwhile",
        200 - outcomes.count(Outcome.STORED),
    )
    assert outcomes == [Outcome.STORED] * 200
    assert len(settled) >= 2
    with open_store(url) as store:
        assert store.keep(arrivals) == [Outcome.KNOWN] * 200
        assert store.invited(health.fingerprint) == (200, 0)


def test_settled_tables_hold_nothing_of_the_order_of_arrival(health, url, arrival_of, postgres):
    """Not in their bytes, where a deleted row stays until it is written over; nor in their transactions' numbers."""
    invitations = [new_invitation() for _ in range(60)]
    sent = [arrival_of(invitation) for invitation in invitations[:40]]
    with open_store(url) as store, psycopg.connect(url, autocommit=True) as connection:
        store.enrol(health)
        store.invite(health.fingerprint, invitations)
        for each in sent:
            assert store.keep([each, arrival_of("guess")])[0] is Outcome.STORED
        store.settle()
        connection.execute("checkpoint")
        spent = [hashed(each, health.fingerprint, "reply") for each in invitations[:40]]
        transactions = set()
        for table, key, count in ((reply_table(health.fingerprint), "id", 40), ("invitations", "hash", 80)):
            rows = connection.execute(f"select {key}, xmin::text from {table} order by ctid").fetchall()
            (path,) = connection.execute("select pg_relation_filepath(%s)", (table,)).fetchone()
            content = (postgres.files() / path).read_bytes()
            assert [name for name, _ in rows] == sorted(name for name, _ in rows)
            assert [content.count(name) for name, _ in rows] == [1] * count
            assert not [name for name in spent if name in content]
            transactions |= {mark for _, mark in rows}
        assert len(transactions) == 2  # one of each table


def test_a_backup_is_restored(health, store_url, arrival_of, tmp_path, request):
    """Into a fresh database or file, from which come the same rows, estimates, invitations, models and secrets."""
    sent = [arrival_of() for _ in range(500)]
    invitation = new_invitation()
    with open_store(store_url) as store:
        store.enrol(health)
        store.keep(sent)
        store.invite(health.fingerprint, [invitation])
        store.publish(health.fingerprint, '{"words": "größer"}')
        store.set_secret("password", "a hash")
        store.settle()
        restored = f"sqlite:///{tmp_path}/restored.sqlite"
        if store_url.startswith("sqlite"):
            store.backup(tmp_path / "restored.sqlite")
        else:
            server = request.getfixturevalue("postgres")
            restored = server.restore(server.dump(store_url), f"r{secrets.token_hex(6)}")
    everything, asked = range(len(health.questions)), "smokes == 'yes' and drinks == 'daily'"
    before, after = (dn.estimate(health, StoreCounts(health, url), asked) for url in (store_url, restored))
    assert (after.value, after.stderr, after.n) == (before.value, before.stderr, 500)
    with open_store(store_url) as old, open_store(restored) as new:
        assert sorted(new.grouped(health.fingerprint, everything)) == sorted(
            old.grouped(health.fingerprint, everything)
        )
        assert (new.model(health.fingerprint), new.secret("password")) == (old.model(health.fingerprint), "a hash")
        assert new.keep(sent) == [Outcome.KNOWN] * 500
        assert new.keep([arrival_of()]) == [Outcome.NOT_INVITED]
        assert new.keep([arrival_of(invitation)]) == [Outcome.STORED]
        new.settle()
        assert new.count(health.fingerprint) == 501

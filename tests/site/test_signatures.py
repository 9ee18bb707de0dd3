"""Invitations are traded for blind signatures: nothing that the site keeps links one to a reply (check 18)."""

import json
import re
import secrets
import subprocess
from base64 import urlsafe_b64encode
from pathlib import Path
from shutil import copy
from time import perf_counter

import apsw
import numpy as np
import psycopg
import pytest

import deniable as dn
from commands import deniable_says
from deniable.channel.blind import RANDOM_BYTES, blind, finalized, prepared
from deniable.collect.invitation import hashed, invitation_in, survey_in
from deniable.collect.places import open_store
from deniable.collect.reply import ReplyReader
from deniable.collect.schema import reply_table
from deniable.collect.store import Arrival, Outcome
from serving import AUDIT, serving

OLD = Path(__file__).parents[1] / "old"
PROMISED = "1f49d35307a523f125251c87feee474b3c737decc357484aece25412ca6089ec"  # by version 0.1
ISSUED = 600 if AUDIT else 120


@pytest.fixture
def invited(health, health_file, store_url, tmp_path):
    """A survey whose people are invited before it opens: its design, and their links."""
    deniable_says("invite", health_file, "--count", 8, "--store", store_url, "-o", tmp_path / "links")
    with open_store(store_url) as store:
        design = store.promised(health)
    return design, (tmp_path / "links").read_text().split()


@pytest.fixture
def site(invited, health_file, store_url, tmp_path):
    with serving([health_file], store_url, tmp_path) as server:
        server.here = f"/survey/{invited[0].fingerprint}"
        yield server


def body_of(design, reply_of):
    return json.dumps({**json.loads(reply_of()), "design": design.fingerprint}).encode()


def hidden_id(design, body, for_round="reply"):
    return blind(design.issuer.modulus(for_round), prepared(bytes.fromhex(json.loads(body)["id"])))


def trade(site, invitation, hidden, for_round="reply"):
    asked = {"invitation": invitation, "round": for_round, "blinded": hidden.blinded.hex()}
    status, answer, _ = site.request("POST", f"{site.here}/signatures", json.dumps(asked).encode())
    return status, json.loads(answer)


def header(design, hidden, answer, for_round="reply"):
    found = finalized(design.issuer.modulus(for_round), hidden, bytes.fromhex(answer["signature"]))
    return {"Signature": urlsafe_b64encode(hidden.prepared[:RANDOM_BYTES] + found).decode().rstrip("=")}


def post(site, body, headers=None):
    return site.request("POST", f"{site.here}/replies", body, headers or {})[0]


def test_keys_are_part_of_the_promise(health, invited):
    design, links = invited
    assert {survey_in(link) for link in links} == {design.fingerprint} != {health.fingerprint}
    assert json.loads(design.to_json())["issuer"] == design.issuer.published()
    assert {key: each for key, each in json.loads(design.to_json()).items() if key != "issuer"} == json.loads(
        health.to_json()
    )


def test_an_invitation_is_traded_once_and_the_signature_lets_one_reply_in(site, invited, reply_of, store_url):
    design, links = invited
    invitation, body = invitation_in(links[0]), body_of(design, reply_of)
    hidden = hidden_id(design, body)
    status, answer = trade(site, invitation, hidden)
    assert status == 200
    assert trade(site, invitation, hidden) == (200, answer)  # the same again, since the first answer was lost
    assert trade(site, invitation, hidden_id(design, body))[0] == 403  # another one
    assert trade(site, "guess", hidden)[0] == 403
    signed = header(design, hidden, answer)
    other = body_of(design, reply_of)
    assert [post(site, body), post(site, body, {"Invitation": invitation}), post(site, other, signed)] == [403] * 3
    assert [post(site, body, signed), post(site, body, signed), post(site, body)] == [201, 200, 200]
    assert post(site, other, signed) == 403
    with open_store(store_url) as store:
        assert (store.count(design.fingerprint), store.invited(design.fingerprint)) == (1, (8, 7))


def test_each_round_has_a_key_and_a_trade_of_its_own(site, invited, reply_of):
    design, links = invited
    invitation, body = invitation_in(links[1]), body_of(design, reply_of)
    for_digit = hidden_id(design, body, "follow-up")
    status, answer = trade(site, invitation, for_digit, "follow-up")
    assert status == 200
    assert post(site, body, header(design, for_digit, answer, "follow-up")) == 403
    hidden = hidden_id(design, body)
    assert post(site, body, header(design, hidden, trade(site, invitation, hidden)[1])) == 201


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_what_cannot_be_signed_spends_nothing(site, invited, reply_of):
    design, links = invited
    invitation, body = invitation_in(links[2]), body_of(design, reply_of)
    hidden = hidden_id(design, body)
    sound = {"invitation": invitation, "round": "reply", "blinded": hidden.blinded.hex()}
    spoiled = [{"blinded": "f" * 512}, {"blinded": "0" * 512}, {"blinded": "1"}, {"blinded": " " * 512}, {"round": "x"}]
    spoiled += [{"more": 1}, {"invitation": None}, {"blinded": 3}]
    for each in spoiled:
        status, answer, _ = site.request("POST", f"{site.here}/signatures", json.dumps(sound | each).encode())
        assert (status, "\n" in answer.decode()) == (400, False), each
    assert trade(site, invitation, hidden)[0] == 200


def test_no_transaction_touches_an_invitation_and_a_reply(site, invited, reply_of, store_url, request, figure):
    """The database's own log held, for every reply, the invitation that it came with."""
    design, links = invited
    ids = []
    for link in links:
        body = body_of(design, reply_of)
        hidden = hidden_id(design, body)
        assert post(site, body, header(design, hidden, trade(site, invitation_in(link), hidden)[1])) == 201
        ids.append(json.loads(body)["id"])
    hashes = [hashed(invitation_in(link), design.fingerprint, "reply") for link in links]
    linked = 0
    if store_url.startswith("postgresql"):
        linked = linked_in_log(request.getfixturevalue("postgres"), store_url, design)
    with open_store(store_url) as store:  # an invitation is as it was; and what is kept of its trade is in no reply
        kept = {bytes(row[0]) for row in store._database.run("select hash from invitations")}
        blinded = {bytes(row[0]) for row in store._database.run("select blinded from trades")}
        table = reply_table(design.fingerprint)
        rows = {bytes(each) for row in store._database.run(f"select id, digest from {table}") for each in row}
    assert set(hashes) <= kept
    assert len(blinded) == len(links)
    assert not blinded & rows
    figure(
        f"linkage, {store_url.partition(':')[0]}: replies of {len(links)} in one transaction with invitations", linked
    )
    assert linked == 0


def linked_in_log(server, url, design):
    """How many transactions in PostgreSQL's log touch both the replies and the invitations or their trades."""
    with psycopg.connect(url, autocommit=True) as connection:
        files = {
            table: connection.execute("select pg_relation_filepath(%s)", (table,)).fetchone()[0].rpartition("/")[2]
            for table in (reply_table(design.fingerprint), "invitations", "trades")
        }
    found = {}
    for log in sorted((server.files() / "pg_wal").glob("0*")):
        dump = [str(server._bin / "pg_waldump"), str(log)]
        for line in subprocess.run(dump, capture_output=True, text=True, check=False).stdout.splitlines():
            if match := re.search(
                r"tx:\s+(\d+),.*desc: (?:INSERT|DELETE|UPDATE|MULTI_INSERT).*rel \d+/\d+/(\d+)", line
            ):
                found.setdefault(match[1], set()).add(match[2])
    replies, *others = files.values()
    assert any(replies in touched for touched in found.values())
    return sum(replies in touched and bool(touched & set(others)) for touched in found.values())


# ---------------------------------------------------------------- commands, in whatever order


@pytest.fixture
def people(tmp_path):
    rng = np.random.default_rng(5)
    lines = ["smokes,leave,age,drinks"]
    lines += [
        f"{rng.choice(['no', 'yes'])},{rng.choice(['no', 'yes'])},{rng.integers(18, 81)},never" for _ in range(30)
    ]
    (tmp_path / "people.csv").write_text("\n".join(lines))
    return tmp_path / "people.csv"


@pytest.mark.parametrize("first", ["invite", "serve"])
def test_people_are_simulated_with_their_links(first, health, health_file, store_url, tmp_path, people):
    links = tmp_path / "links"

    def invite():
        deniable_says("invite", health_file, "--count", 30, "--store", store_url, "-o", links)

    if first == "invite":
        invite()
    with serving([health_file], store_url, tmp_path) as server:
        if first == "serve":
            invite()
            assert server.get(f"/survey/{health.fingerprint}/status.json")[0] == 404  # nobody had answered there
        assert "30 replies sent" in deniable_says(
            "simulate", health_file, people, "--url", server.url, "--invitations", links
        )
        assert "refused (403" in deniable_says(
            "simulate", health_file, people, "--url", server.url, "--invitations", links, code=2
        )
        assert '"n": 30' in deniable_says("estimate", health_file, store_url, "smokes == 'yes'", "--json")
    assert "invitations" not in (tmp_path / "server.log").read_text()


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_a_saved_reply_is_handed_in_with_a_link(site, invited, health_file, tmp_path, reply_of):
    design, links = invited
    (tmp_path / "reply.json").write_bytes(body_of(design, reply_of))
    (tmp_path / "link").write_text(links[3])
    words = ("simulate", health_file, tmp_path / "reply.json", "--url", site.url, "--invitations", tmp_path / "link")
    assert "1 replies sent" in deniable_says(*words)


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_a_site_with_other_keys_is_not_taken_for_the_survey(site, invited, tmp_path, people):
    other = dn.Design([dn.warner(0.7, dn.yes_no("smokes"))])
    other.save(tmp_path / "other.toml")
    (tmp_path / "link").write_text("\n".join(invited[1]))
    words = ("simulate", tmp_path / "other.toml", people, "--url", site.url, "--invitations", tmp_path / "link")
    assert "were disguised under design" in deniable_says(*words, code=2)


def test_keys_in_a_file_need_the_store_that_made_them(health, invited, tmp_path, store_url):
    design, _ = invited
    design.save(tmp_path / "published.toml")
    again = dn.Design.load(tmp_path / "published.toml")
    assert again.fingerprint == design.fingerprint
    with open_store(store_url) as store:
        assert store.enrol(again).fingerprint == design.fingerprint
    with open_store(f"sqlite:///{tmp_path}/other.sqlite") as store, pytest.raises(dn.DeniableError, match="another"):
        store.enrol(again)


# ---------------------------------------------------------------- a site of version 0.1, upgraded midway


def test_a_survey_that_opened_without_keys_honours_the_invitations_it_sent(tmp_path):
    copy(OLD / "store.sqlite", tmp_path)
    connection = apsw.Connection(f"{tmp_path}/store.sqlite")
    words = [secrets.token_urlsafe(16) for _ in range(2)]
    rows = [(hashed(each, PROMISED, step), PROMISED, step) for each in words for step in ("reply", "follow-up")]
    connection.executemany("insert into invitations (hash, survey, round) values (?, ?, ?)", rows)
    connection.execute("update surveys set invitations = 2")
    connection.close()
    url, design = f"sqlite:///{tmp_path}/store.sqlite", dn.Design.load(OLD / "survey.toml")
    said = deniable_says("invite", OLD / "survey.toml", "--count", 1, "--store", url)
    assert "opened without keys" in said
    more = re.search(r"#invitation=(\S+)", said)[1]
    with open_store(url) as store:
        assert store.promised(design).fingerprint == PROMISED
        reader = ReplyReader(store.promised(design))
        answers = {"smokes": "no", "leave": "yes", "drinks": "daily"}
        assert set(answers) == set(design.names)
        for word in (*words, more):
            body = {"id": secrets.token_hex(16), "design": PROMISED, "answers": answers}
            reply = reader.read(json.dumps(body).encode())
            assert store.keep([Arrival(PROMISED, reply)]) == [Outcome.NOT_INVITED]
            assert store.keep([Arrival(PROMISED, reply, word)]) == [Outcome.STORED]
        assert store.invited(PROMISED) == (3, 0)


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_signatures_are_issued_quickly(health, health_file, store_url, tmp_path, figure):
    """200 a second on an idle core; others may use this one too."""
    deniable_says("invite", health_file, "--count", ISSUED, "--store", store_url, "-o", tmp_path / "links")
    with open_store(store_url) as store:
        keys = store.keys(store.promised(health).fingerprint)
    blinded = [(2 + index).to_bytes(256) for index in range(ISSUED)]
    began = perf_counter()
    for each in blinded:
        keys.reply.sign(each)
    rate = ISSUED / (perf_counter() - began)
    figure("signatures issued a second, one core", f"{rate:.0f}")
    assert rate > 50

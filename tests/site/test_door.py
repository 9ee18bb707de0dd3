"""The door: what it takes, what it refuses, and that it answers only when a reply is on disk."""

import hashlib
import json
import secrets
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from deniable.collect.places import open_store
from deniable.collect.second_round import lottery_of, with_lottery
from serving import AUDIT, serving


@pytest.fixture
def door(health, health_file, store_url, tmp_path):
    with serving([health_file], store_url, tmp_path) as server:
        server.door = f"/survey/{health.fingerprint}/replies"
        yield server


def post(server, body, **headers):
    return server.request("POST", server.door, body, headers)


# ---------------------------------------------------------------- once, whatever happens (check 5)


def test_parallel_identical_posts_are_one_row(door, health, store_url, reply_of, figure):
    rounds, copies = (100, 64) if AUDIT else (10, 32)
    statuses = Counter()
    with ThreadPoolExecutor(copies) as pool:
        for _ in range(rounds):
            body = reply_of()
            statuses.update(pool.map(lambda _, body=body: post(door, body)[0], range(copies)))
    with open_store(store_url) as store:
        rows = store.count(health.fingerprint)
    figure(f"idempotency, {store_url.partition(':')[0]}: rows after {rounds} x {copies} identical posts", rows)
    assert rows == rounds
    assert statuses == {201: rounds, 200: rounds * (copies - 1)}


def test_an_altered_retry_is_refused(door, health, store_url, reply_of):
    body = reply_of()
    other = json.loads(body)
    other["answers"]["smokes"] = {"no": "yes", "yes": "no"}[other["answers"]["smokes"]]
    assert post(door, body)[0] == 201
    assert post(door, json.dumps(other).encode())[0] == 409
    assert post(door, body + b" ")[0] == 409  # the same words in other bytes
    assert post(door, body)[0] == 200
    with open_store(store_url) as store:
        assert store.count(health.fingerprint) == 1


# ---------------------------------------------------------------- what is no reply


def changed(body, **changes):
    return json.dumps({**json.loads(body), **changes}).encode()


def answering(body, **answers):
    reply = json.loads(body)
    return json.dumps({**reply, "answers": {**reply["answers"], **answers}}).encode()


BAD = {
    "nothing": lambda body: b"",
    "no JSON": lambda body: b"\xff\xfe",
    "a list": lambda body: b"[]",
    "another field": lambda body: changed(body, name="Ann"),
    "a field twice": lambda body: body.replace(b'"smokes"', b'"smokes":"no","smokes"', 1),
    "an id twice": lambda body: body.replace(b'"id"', b'"id":"00","id"', 1),
    "a short id": lambda body: changed(body, id="abc"),
    "an id in capitals": lambda body: changed(body, id="A" * 32),
    "an id with a zero byte": lambda body: changed(body, id="\0" * 32),
    "another design": lambda body: changed(body, design="0" * 64),
    "an answer too few": lambda body: changed(body, answers={"smokes": "no"}),
    "an answer too many": lambda body: answering(body, weight=3),
    "a word that is no answer": lambda body: answering(body, smokes="perhaps"),
    "a zero byte": lambda body: answering(body, smokes="no\0"),
    "a number for a word": lambda body: answering(body, smokes=1),
    "true for a word": lambda body: answering(body, smokes=True),
    "nothing for a word": lambda body: answering(body, smokes=None),
    "a word for a number": lambda body: answering(body, age="18"),
    "a number off the grid": lambda body: answering(body, age=18.001),
    "a number beyond all noise": lambda body: answering(body, age=18 + 62 / 1024 * 5000),
    "not a number": lambda body: answering(body, age=float("nan")),
    "infinity": lambda body: body.replace(b'"age":', b'"age":1e999,"x":'),
    "a huge number": lambda body: body.replace(b'"age":', b'"age":' + b"9" * 5000 + b',"x":'),
    "a number beyond all numbers": lambda body: answering(body, age=1e308),
    "a number below all numbers": lambda body: answering(body, age=-1e308),
    "a deep nest": lambda body: b'{"id":' * 2000,
}


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_what_is_no_reply_is_refused_in_one_line_that_repeats_nothing(door, health, store_url, reply_of):
    for what, spoil in BAD.items():
        status, answer, headers = post(door, spoil(reply_of()))
        line = json.loads(answer)["error"]
        assert (status, "\n" in line, headers["content-type"]) == (400, False, "application/json"), what
        assert line.startswith("expected a reply that"), what
        assert "perhaps" not in line, what
    with open_store(store_url) as store:
        assert store.count(health.fingerprint) == 0


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_other_refusals(door, reply_of):
    assert post(door, b"x" * 16_385)[0] == 413
    assert door.request("POST", f"/survey/{'0' * 64}/replies", reply_of())[0] == 404
    assert door.request("POST", "/survey/../replies", reply_of())[0] == 404
    assert door.request("GET", door.door)[0] == 405
    assert door.request("DELETE", door.door)[0] == 405
    for path in ("/", "/nothing", "/survey/", "/%00", "/static/../app.py", "/static/%2e%2e/app.py"):
        assert door.get(path)[0] in (200, 404, 405), path


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_people_who_mistype_an_address_get_a_page_and_programs_a_line(door):
    for path in ("/nothing", f"/survey/{'0' * 64}"):
        status, page, _ = door.request("GET", path, headers={"Accept": "text/html,*/*"})
        assert (status, b"All surveys of this site" in page) == (404, True)
        assert "error" in json.loads(door.get(path)[1])


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_everybody_gets_the_single_file_whose_hash_is_told(door, health):
    files = {door.get(f"/survey/{health.fingerprint}/offline.html")[1] for _ in range(3)}
    digest = hashlib.sha256(files.pop()).hexdigest()
    assert not files
    assert digest in door.get(f"/survey/{health.fingerprint}")[1].decode()
    assert digest in door.log.read_text()


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_a_page_from_a_file_may_knock(door, reply_of):
    status, _, headers = door.request(
        "OPTIONS", door.door, headers={"Origin": "null", "Access-Control-Request-Method": "POST"}
    )
    assert (status, headers["access-control-allow-origin"]) == (204, "*")
    assert post(door, reply_of(), Origin="null")[2]["access-control-allow-origin"] == "*"


# ---------------------------------------------------------------- published


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_everybody_gets_the_very_bytes_of_the_design(door, health):
    here = f"/survey/{health.fingerprint}"
    assert door.get(f"{here}/design.json")[1] == health.to_json().encode()
    assert json.loads(door.get(f"{here}/privacy.json")[1])["epsilon"] == "infinity"  # a Warner group
    status = json.loads(door.get(f"{here}/status.json")[1])
    assert status == {"open": True, "opens": None, "closes": None, "invitations": False, "model": None}
    assert door.get(f"{here}/model.json")[0] == 404
    assert json.loads(door.get("/health")[1])["status"] == "ok"


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_an_invitation_is_needed_as_soon_as_there_is_one(door, health, store_url, reply_of):
    with open_store(store_url) as store:
        store.invite(health.fingerprint, ["let-me-in"])
    assert post(door, reply_of())[0] == 403
    assert post(door, reply_of(), Invitation=secrets.token_hex(5000))[0] == 403
    assert post(door, reply_of(), Invitation="let-me-in")[0] == 201
    assert post(door, reply_of(), Invitation="let-me-in")[0] == 403


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_one_wrong_guesser_shuts_nobody_out(door, health, store_url, reply_of):
    """All of an office have one address: whoever is invited gets in, also while somebody there goes on guessing."""
    with open_store(store_url) as store:
        store.invite(health.fingerprint, ["let-me-in", "me-too"])

    def knock(body, invitation, address="203.0.113.7"):
        return post(door, body, Invitation=invitation, **{"X-Forwarded-For": address})

    guesses = Counter(knock(reply_of(), f"guess-{place}")[0] for place in range(150))
    assert guesses == {403: 100, 429: 50}
    status, _, headers = knock(reply_of(), "guess-elsewhere", "203.0.113.8")
    assert (status, int(headers["retry-after"]) > 0) == (429, True)  # of one survey, wherever they come from
    body = reply_of()
    assert knock(body, "let-me-in")[0] == 201
    assert knock(body, "let-me-in")[0] == 200  # asked again, since the first answer was lost
    assert knock(reply_of(), "let-me-in")[0] == 429  # spent
    assert knock(reply_of(), "me-too", "203.0.113.8")[0] == 201
    with open_store(store_url) as store:
        assert store.count(health.fingerprint) == 2


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_no_answer_repeats_a_forged_host(door, health, store_url, reply_of):
    """Else an answer, kept by a web server in front, would lead others to the forger's site."""
    with open_store(store_url) as store:
        store.set_secret("password", "some hash")
    here = f"/survey/{health.fingerprint}"
    paths = [
        "/",
        "/admin",
        "/admin/log-in",
        "/openapi.json",
        "/health",
        here,
        f"{here}/offline.html",
        f"{here}/status.json",
    ]
    forged = {"Host": "evil.example", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https"}
    for path in [each + slash for each in paths for slash in ("", "/", "//")]:
        for method in ("GET", "POST", "HEAD"):
            status, answer, headers = door.request(method, path, b"" if method == "POST" else None, forged)
            assert status in (200, 403, 404, 405), path
            assert "evil.example" not in answer.decode() + str(headers), path


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_a_closed_survey_takes_nothing_more(door, health, store_url, reply_of):
    with open_store(store_url) as store:
        store.schedule(health.fingerprint, None, "2000-01-01")
    assert post(door, reply_of())[0] == 410


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_a_digit_is_about_the_published_model_and_disguised(door, health, store_url):
    text = with_lottery('{"kind": "tree"}', lottery_of(1))
    with open_store(store_url) as store:
        digest = store.publish(health.fingerprint, text)
    path = f"/survey/{health.fingerprint}/follow-ups"

    def told(**changes):
        body = {"id": secrets.token_hex(16), "design": health.fingerprint, "model": digest, "reported": 1} | changes
        return door.request("POST", path, json.dumps({key: each for key, each in body.items() if each != ""}).encode())

    hostile = [2, -1, 0.5, True, None, "1", "", [1], 10**30, {"reported": 1}]
    assert [told()[0], told(reported=0)[0]] == [201, 201]
    assert {told(reported=each)[0] for each in hostile} == {400}
    assert [told(model="0" * 64)[0], told(model="x")[0], told(extra=1)[0], told(id="x")[0]] == [409, 400, 400, 400]
    status, line, _ = told(reported="", correct=1)  # what pages of version 0.1 sent, undisguised
    assert status == 400
    assert json.loads(line) == {
        "error": "expected a reply that is JSON with an id, a design, a model and a disguised digit (reported), "
        "got something else; load the page again"
    }
    assert told(correct=1)[0] == 400
    with open_store(store_url) as store:
        assert store.follow_ups(health.fingerprint, digest) == (2, 1)
    assert door.get(f"/survey/{health.fingerprint}/model.json")[1] == text.encode()


def test_an_address_that_was_read_out_leads_to_the_whole_fingerprint(door, health):
    digits = health.fingerprint[:16]
    for words in ("health-at-work", "anything", ""):
        status, _, headers = door.request("GET", f"/survey/{words}-{digits}")
        assert (status, headers["location"]) == (303, health.fingerprint)  # beside it, so that a sub-path stays
    for wrong in (digits, f"health-{digits[:15]}", f"health-{'0' * 16}", f"Health-{digits}", f"health-{digits}0"):
        assert door.request("GET", f"/survey/{wrong}")[0] == 404

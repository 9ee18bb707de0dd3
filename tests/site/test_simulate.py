"""Simulated respondents: everything they send arrives once, whatever happens on the way."""

import json
import threading
import time
from collections import Counter
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import deniable as dn
from deniable.cli.main import run
from deniable.collect.places import open_store
from deniable.device.sending import Postbox, letters
from serving import Server, serving


@pytest.fixture
def people(tmp_path):
    rng = np.random.default_rng(5)
    count = 400
    frame = pd.DataFrame(
        {
            "name": [f"person {place}" for place in range(count)],
            "smokes": rng.choice(["no", "yes"], count, p=[0.7, 0.3]),
            "leave": rng.choice(["no", "yes"], count, p=[0.8, 0.2]),
            "age": rng.integers(18, 81, count),
            "drinks": rng.choice(["never", "sometimes", "daily", ""], count),
        }
    )
    frame.to_csv(tmp_path / "people.csv", index=False)
    return tmp_path / "people.csv"


def deniable(*words):
    with pytest.raises(SystemExit) as ended:
        run([str(word) for word in words])
    return ended.value.code


@contextmanager
def site_of(handler):
    class Site(ThreadingHTTPServer):
        request_queue_size = 128
        daemon_threads = True

    with Site(("127.0.0.1", 0), handler) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{site.server_port}"
        site.shutdown()


def test_everybody_in_the_file_replies(health, health_file, store_url, tmp_path, people, capsys):
    with serving([health_file], store_url, tmp_path) as server:
        assert deniable("simulate", health_file, people, "--url", server.url) == 0
        assert "400 replies sent" in capsys.readouterr().out
        assert deniable("estimate", health_file, store_url, "smokes == 'yes'", "--json") == 0
        (found,) = json.loads(capsys.readouterr().out)
        assert found["n"] == 400
        assert abs(found["value"] - 0.3) < 5 * found["stderr"] + 0.1  # of 400 people, 3 in 10 smoke
        assert deniable("tree", health_file, store_url, "-o", tmp_path / "tree.json") == 0
        assert deniable("score", health_file, tmp_path / "tree.json", store_url, "--json") == 0


def test_numbers_of_a_csv_file_are_sent_as_numbers(tmp_path):
    """Whole ones and others, in the clear and under noise, and one that was left out."""
    columns = [dn.number("whole", 0, 100, integer=True), dn.number("share", 0, 1), dn.number("left", 0, 9, omit=True)]
    noisy = dn.gaussian(dn.number("noisy", 0, 100), sd=5)
    design = dn.Design([*(dn.clear(each) for each in columns), noisy], title="Numbers")
    design.save(tmp_path / "numbers.toml")
    (tmp_path / "people.csv").write_text("whole,share,left,noisy\n50,0.25,,7\n25,1,3,8.5\n")
    with serving([tmp_path / "numbers.toml"], f"sqlite:///{tmp_path / 'numbers.sqlite'}", tmp_path) as server:
        assert deniable("simulate", tmp_path / "numbers.toml", tmp_path / "people.csv", "--url", server.url) == 0
    whole, share = (dn.mean(design, f"sqlite:///{tmp_path / 'numbers.sqlite'}", name) for name in ("whole", "share"))
    assert (whole.value, share.value) == (37.5, 0.625)


def test_replies_that_are_disguised_already_are_sent_as_they_are(health, health_file, tmp_path, people, capsys):
    url = f"sqlite:///{tmp_path}/store.sqlite"
    assert deniable("disguise", health_file, people, "-o", tmp_path / "replies.csv") == 0
    with serving([health_file], url, tmp_path) as server:
        assert deniable("simulate", health_file, tmp_path / "replies.csv", "--url", server.url) == 0
    said = pd.read_csv(tmp_path / "replies.csv")
    capsys.readouterr()
    for name in ("smokes", "drinks"):
        expected = dn.table(health, said, [name])
        assert np.allclose(dn.table(health, url, [name]).column("share").to_numpy(), expected["share"])


def test_a_saved_reply_is_handed_in_once(health, health_file, tmp_path, reply_of):
    url = f"sqlite:///{tmp_path}/store.sqlite"
    (tmp_path / "reply.json").write_bytes(reply_of())
    with serving([health_file], url, tmp_path) as server:
        for _ in range(2):
            assert deniable("simulate", health_file, tmp_path / "reply.json", "--url", server.url) == 0
    with open_store(url) as store:
        assert store.count(health.fingerprint) == 1


def test_a_file_without_the_questions_is_told(health_file, tmp_path, capsys):
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    assert deniable("simulate", health_file, tmp_path / "other.csv", "--url", "http://127.0.0.1:9") == 2
    assert "no column for question 'smokes'" in capsys.readouterr().err


def test_a_site_that_is_killed_on_the_way_gets_every_reply_once(health, health_file, store_url, tmp_path, people):
    server = Server([health_file], store_url, tmp_path)
    server.start()
    codes = []
    sending = threading.Thread(
        target=lambda: codes.append(deniable("simulate", health_file, people, "--url", server.url))
    )
    sending.start()
    for _ in range(2):
        time.sleep(0.15)
        server.kill()
        server.start()
    sending.join()
    server.stop()
    with open_store(store_url) as store:
        assert (codes, store.count(health.fingerprint)) == ([0], 400)


def test_every_retry_sends_the_same_bytes(health_file, people):
    met = Counter()

    class Moody(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            met[body] += 1
            self.send_response(201 if met[body] == 3 else 503)
            self.send_header("Content-Length", "0")
            self.send_header("Retry-After", "0")
            self.end_headers()

        def log_message(self, *words):
            pass

    with site_of(Moody) as url:
        assert deniable("simulate", health_file, people, "--url", url) == 0
    assert (len(met), set(met.values())) == (400, {3})


def test_connections_that_rested_while_the_site_went_away_are_not_tried_one_by_one(health, health_file, tmp_path):
    replies = dn.disguise(health, pa.table({"smokes": ["no"], "leave": ["no"], "age": [40], "drinks": ["daily"]}))
    with serving([health_file], f"sqlite:///{tmp_path}/store.sqlite", tmp_path) as server:
        postbox = Postbox(server.url, patience=20)
        for _ in range(20):  # at growing pauses, all of them would take longer than anybody waits
            resting = HTTPConnection("127.0.0.1", server.port)
            resting.connect()
            postbox._idle.put(resting)
        server.kill()
        server.start()
        assert list(postbox.send_all(health.fingerprint, list(letters(health, replies)))) == [1.0]


def test_invited_respondents_come_in_and_others_do_not(health, health_file, tmp_path, people, capsys):
    url = f"sqlite:///{tmp_path}/store.sqlite"
    tokens = [f"token-{place}" for place in range(400)]
    (tmp_path / "links").write_text("\n".join(f"http://x/survey/y#invitation={token}" for token in tokens))
    with serving([health_file], url, tmp_path) as server, open_store(url) as store:
        store.invite(health.fingerprint, tokens)
        assert deniable("simulate", health_file, people, "--url", server.url) == 2
        assert "--invitations must be a file of invitations" in capsys.readouterr().err
        invited = ("--invitations", tmp_path / "links")
        assert deniable("simulate", health_file, people, "--url", server.url, *invited) == 0
        assert store.invited(health.fingerprint) == (400, 0)


@pytest.mark.parametrize(
    ("url", "line"),
    [
        ("ftp://here", "--url must be the address of a site"),
        ("http://127.0.0.1:9", "did not acknowledge a reply: no answer in 0 seconds"),
    ],
)
def test_a_site_that_is_none_is_told_in_one_line(health_file, people, capsys, url, line):
    assert deniable("simulate", health_file, people, "--url", url, "--patience", "0") == 2
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert line in told.err


def test_a_port_that_is_taken_is_told(health_file, capsys):
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as taken:
        assert deniable("serve", health_file, "--port", taken.server_port) == 2
    assert "--port must be a free port" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--url", "survey.example.org"], "--url must be the site's own address"),
        (["--url", "https://example.org/?survey=1"], "--url must be the site's own address"),
        (["--store", "mysql://x"], "the store must be sqlite"),
        (["--store", "sqlite:////no/folder/x"], "its folder does not exist"),
        (["--opens", "soon"], "opens must be a day"),
    ],
)
def test_a_site_that_cannot_be_served_is_told_in_one_line(health_file, tmp_path, monkeypatch, capsys, words, line):
    monkeypatch.chdir(tmp_path)
    assert deniable("serve", health_file, "--port", "0", *words) == 2
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert line in told.err


def test_who_is_waited_for_is_said_soon_and_once(health_file, people, capsys):
    nobody = "http://127.0.0.1:9"
    assert deniable("simulate", health_file, people, "--url", nobody, "--patience", 2) != 0
    waiting, ended = capsys.readouterr().err.splitlines()
    assert waiting.startswith(f"deniable: waiting for {nobody}, which does not answer, until ")
    assert ended.startswith(f"deniable: {nobody} did not acknowledge a reply: no answer in 2 seconds (")

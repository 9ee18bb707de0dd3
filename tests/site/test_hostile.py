"""Hostile input is refused, and nothing else happens (check 10); and the site stands a crowd (check 12)."""

import json
import os
import random
import re
import socket
import subprocess
import sys
from base64 import urlsafe_b64encode
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.hashes import SHA384

from commands import deniable_says
from deniable.channel.blind import RANDOM_BYTES, E
from deniable.collect.places import open_store
from deniable.collect.reply import ReplyReader
from deniable.errors import BadReply
from deniable.web.signing import PADDING
from serving import AUDIT, serving

PIECES = [
    *(
        b"1e308",
        b"-1e308",
        b"{",
        b"}",
        b"[",
        b"]",
        b'"',
        b":",
        b",",
        b"\\",
        b"\\u0000",
        b"\\ud800",
        b"null",
        b"true",
        b"1e999",
        b"-0",
    ),
    *(b"1e308", b"-1e308"),
    *(b"NaN", b"Infinity", b"\x00", b"\xff", b"\xef\xbb\xbf", b"9" * 400, b'"id":', b'"answers":{', b"\r\n", b" " * 99),
    *(b"__proto__", b"\xe2\x80\xae", b"0x10", b"1_000", b'"smokes":"no"', b"/*", b"//", b"'", b"{}", b"[]"),
]


def spoiled(body, rng):
    """A reply with a few changes: bytes flipped, cut, doubled, or hostile pieces put in."""
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(body) + 1)
        change = rng.randrange(4)
        if change == 0:
            body = body[:at] + rng.choice(PIECES) + body[at:]
        elif change == 1:
            body = body[:at] + body[at + rng.randint(1, 9) :]
        elif change == 2:
            body = body[:at] + rng.randbytes(rng.randint(1, 4)) + body[at + 1 :]
        else:
            body = body[:at] + body[rng.randrange(len(body) + 1) :]
    return body


def test_spoiled_replies_are_read_or_refused_and_nothing_else(health, reply_of, figure):
    count = 1_000_000 if AUDIT else 30_000
    rng, reader = random.Random(1), ReplyReader(health)
    originals = [reply_of() for _ in range(50)]
    sizes = [len(health.reported(name)) for name in health.names]
    ages = (health.reported("age").range.low - 1, health.reported("age").range.high + 1)
    read = refused = 0
    for _ in range(count):
        body = spoiled(rng.choice(originals), rng)
        try:
            reply = reader.read(body)
        except BadReply:
            refused += 1
            continue
        read += 1
        for value, size, name in zip(reply.values, sizes, health.names, strict=True):
            assert ages[0] <= value <= ages[1] if name == "age" else 0 <= value < size
    figure(f"hostile input: of {count:,} spoiled replies, read or refused without a surprise", read + refused)
    assert read > 0


@pytest.fixture
def site(health, health_file, tmp_path):
    with serving([health_file], f"sqlite:///{tmp_path}/store.sqlite", tmp_path) as server:
        yield server


def memory_of(pid):
    """Megabytes in use."""
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1]) / 1024


def test_spoiled_requests_never_break_the_site(health, site, reply_of, figure):
    count = 3_000 if AUDIT else 500
    rng, before = random.Random(2), memory_of(site.pid)

    def request():
        body = reply_of()
        head = f"POST /survey/{health.fingerprint}/replies HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
        return spoiled(head.encode() + body, rng) if rng.random() < 0.9 else head.encode() + body

    def status(sent):
        with socket.create_connection(("127.0.0.1", site.port), timeout=10) as line:
            line.settimeout(1)  # a spoiled head may promise more than comes
            try:
                line.sendall(sent)
                return line.recv(64)[9:12].decode()
            except (ConnectionError, TimeoutError):
                return ""

    with ThreadPoolExecutor(32) as senders:
        statuses = Counter(senders.map(status, [request() for _ in range(count)]))
    figure(f"hostile input: answers to {count:,} spoiled requests", str(dict(sorted(statuses.items()))))
    assert {"201", "400"} <= set(statuses)
    assert not [status for status in statuses if status.startswith("5")]
    assert site.get("/health")[0] == 200
    figure(f"hostile input: growth after {count:,} spoiled requests (MB)", round(memory_of(site.pid) - before, 1))
    assert memory_of(site.pid) - before < 64


@pytest.mark.parametrize("start", [b"GET /", b"GET / HTTP/1.1\r\nX: "])
def test_an_endless_head_is_cut_off(site, start):
    before = memory_of(site.pid)
    with socket.create_connection(("127.0.0.1", site.port), timeout=10) as line, pytest.raises(ConnectionError):
        line.sendall(start + b"x" * 100_000_000)
    assert memory_of(site.pid) - before < 16


def test_who_sends_half_a_reply_and_goes_leaves_no_trace(health, site, reply_of):
    head = f"POST /survey/{health.fingerprint}/replies HTTP/1.1\r\nHost: x\r\nContent-Length: 200\r\n\r\n"
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", site.port), timeout=10) as line:
            line.sendall(head.encode() + reply_of()[:50])
    assert site.get("/health")[0] == 200
    assert "Traceback" not in site.log.read_text()


@pytest.mark.studies
def test_the_site_does_what_its_description_says(site, figure):
    examples = 1_800 if AUDIT else 25
    command = [
        sys.executable, "-m", "schemathesis.cli", "run", f"{site.url}/openapi.json", "--max-examples", str(examples),
        "--checks", "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance",
        "--seed", "1", "--no-color", "--generation-database", "none",
    ]  # fmt: skip
    told = subprocess.run(command, capture_output=True, text=True, cwd=site.log.parent, check=False)
    assert told.returncode == 0, told.stdout[-4000:] + told.stderr[-2000:]
    figure("hostile input: schemathesis", " ".join(re.findall(r"[\d,]+ generated.*", told.stdout)))


LOAD = """
local thread, n = 0, 0
function setup(each) each:set("place", thread); thread = thread + 1 end
function init() start = string.format("%08x%08x", os.time(), place) end
function request()
  n = n + 1
  local body = string.format(
    '{"id":"%s%016x","design":"DESIGN","answers":{"smokes":"yes","leave":"no","age":18,"drinks":"daily"}}', start, n)
  return wrk.format("POST", "/survey/DESIGN/replies", {["Content-Type"]="application/json"}, body)
end
"""


def processor_seconds(pid):
    """What a process has used so far, however busy the machine is with others."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


SIGNED = """
local lines, n = {}, 0
function init() for line in io.lines("SENT") do table.insert(lines, line) end end
function request()
  n = n % #lines + 1
  local body, signature = lines[n]:match("^(.*)\t(.*)$")
  return wrk.format("POST", "/survey/DESIGN/replies", {["Signature"]=signature}, body)
end
"""


def invited(health_file, design, store_url, folder, make):
    """The survey with keys, and replies whose ids are signed already: what wrk sends."""
    deniable_says("invite", health_file, "--count", 1, "--store", store_url, "-o", folder / "links")
    with open_store(store_url) as store:
        design = store.promised(design)
        secret = store.keys(design.fingerprint).reply
    public = rsa.RSAPublicNumbers(E, secret.n)
    d = pow(E, -1, (secret.p - 1) * (secret.q - 1))
    parts = (d % (secret.p - 1), d % (secret.q - 1), pow(secret.q, -1, secret.p))
    key = rsa.RSAPrivateNumbers(secret.p, secret.q, d, *parts, public).private_key()
    with (folder / "sent").open("w") as sent:
        for _ in range(60_000 if AUDIT else 1_500):
            body = {**json.loads(make()), "design": design.fingerprint}
            prefix = os.urandom(RANDOM_BYTES)
            found = prefix + key.sign(prefix + bytes.fromhex(body["id"]), PADDING, SHA384())
            sent.write(f"{json.dumps(body)}\t{urlsafe_b64encode(found).decode().rstrip('=')}\n")
    return design, SIGNED.replace("SENT", str(folder / "sent"))


@pytest.mark.parametrize("signed", [False, True], ids=["open", "signed"])
def test_the_site_stands_a_crowd(signed, health, health_file, store_url, tmp_path, reply_of, figure):
    """Speed is asked of the audit alone; here, that nothing is refused or lost."""
    script, seconds, design, load = tmp_path / "load.lua", 15 if AUDIT else 1, health, LOAD
    if signed:
        design, load = invited(health_file, health, store_url, tmp_path, reply_of)
    script.write_text(load.replace("DESIGN", design.fingerprint))
    command = ["wrk", "-t1", "-c64", f"-d{seconds}s", "--latency", "-s", str(script)]
    with serving([health_file], store_url, tmp_path) as server:
        before = processor_seconds(server.pid)
        told = subprocess.run([*command, server.url], capture_output=True, text=True, check=True).stdout
        used = processor_seconds(server.pid) - before
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", told)[1])
    slow, unit = re.search(r"99%\s+([\d.]+)(ms|s|us)", told).groups()
    slow = float(slow) * {"us": 0.001, "ms": 1, "s": 1000}[unit]
    answered = int(re.search(r"(\d+) requests in", told)[1])
    kind = store_url.partition(":")[0]
    said = f"load, {kind}{', signed' if signed else ''}"
    figure(f"{said}: replies/s", round(rate))
    figure(f"{said}: slowest of a hundred (ms)", round(slow))
    figure(f"{said}: the site's processor seconds per thousand replies", round(1000 * used / answered, 3))
    assert "Non-2xx" not in told
    assert "Socket errors" not in told
    with open_store(store_url) as store:
        stored = store.count(design.fingerprint)
    distinct = len((tmp_path / "sent").read_text().splitlines()) if signed else answered
    assert min(answered, distinct) <= stored <= answered + 64
    if AUDIT:
        assert rate >= {"sqlite": 3000, "postgresql": 2000}[kind]
        assert slow < 80

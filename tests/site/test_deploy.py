"""The files in deploy/ as they stand: a real nginx with TLS, HTTP/2 and a sub-path, the systemd unit; and /metrics."""

import hashlib
import re
import socket
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from browsing import chromium
from deniable.collect.places import open_store
from deniable.errors import BadRequest
from deniable.web.metrics import in_batches
from deniable.web.site import Site
from serving import Server, _free_port, serving
from web.desk import PASSWORD, set_password

DEPLOY = Path(__file__).parents[2] / "deploy"
PATHS = {"survey.example.org": "", "www.example.org": "/surveys"}


def changed(ports: dict[str, int]) -> str:
    """The example with nothing changed but its ports."""
    example = (DEPLOY / "nginx.conf").read_text()
    for stands, port in ports.items():
        place = f"{stands.partition(' ')[0]} 127.0.0.1:{port}"
        example, count = re.subn(rf"{re.escape(stands)}\b", place, example)
        assert count > 0, stands
    return example


def set_up(folder: Path, example: str) -> Path:
    """An nginx of the tests' own that includes the example, with a throw-away certificate where it looks for one."""
    (folder / "deniable").mkdir()
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=survey.example.org",
         "-keyout", "deniable/privkey.pem", "-out", "deniable/fullchain.pem"],
        cwd=folder, check=True, capture_output=True,
    )  # fmt: skip
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    (folder / "site.conf").write_text(example)
    main = folder / "nginx.conf"
    main.write_text(
        f"daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log info;\n"
        f"events {{ }}\nhttp {{ {places} access_log {folder}/access.log; include {folder}/site.conf; }}\n"
    )
    return main


@pytest.fixture
def fronted(health_file, postgres, tmp_path):
    """Two processes on one PostgreSQL, and one below a path, behind the example: nginx's port, the sites, the store."""
    url, secure = postgres.database("fronted"), _free_port()
    set_password(url)
    hosts = ["survey.example.org", "survey.example.org", "www.example.org"]
    with ExitStack() as stack:
        sites = []
        for place, host in enumerate(hosts):
            folder = tmp_path / str(place)
            folder.mkdir()
            sites.append(Server([health_file], url, folder, "--url", f"https://{host}:{secure}{PATHS[host]}"))
            stack.callback(sites[-1].stop)
            sites[-1].start()
        ports = {f"server 127.0.0.1:{8000 + place}": site.port for place, site in enumerate(sites)}
        plain = _free_port()
        main = set_up(tmp_path, changed(ports | {"listen 443": secure, "listen 80": plain}))
        said = stack.enter_context((tmp_path / "stderr").open("wb"))
        program = subprocess.Popen(["nginx", "-p", str(tmp_path), "-c", str(main)], stderr=said)
        stack.callback(program.wait)
        stack.callback(program.terminate)
        wait_for(secure)
        yield secure, plain, sites, url


def wait_for(port: int) -> None:
    """Wait until somebody listens there."""
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError("nginx does not answer")


def look_at_dashboard(page, address):
    """Log in, and look at a survey and its models."""
    page.goto(f"{address}/admin")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("link", name="Health at work").click()
    for tab in ("Tables", "Models", "Promise", "Run"):
        page.get_by_role("link", name=tab, exact=True).click()
        expect(page.get_by_role("link", name=tab, exact=True)).to_have_attribute("aria-current", "page")
    page.get_by_role("button", name="Set").click()  # a form, and a redirect
    expect(page.get_by_role("link", name="Run", exact=True)).to_have_attribute("aria-current", "page")
    page.get_by_role("link", name="All surveys").click()
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_label("Password")).to_be_visible()


def posts(page, address, design, make, count=4):
    """The statuses of some replies, sent by a page."""
    how = """async ([door, body]) => {
      const answer = await fetch(door, { method: "POST", body });
      await answer.text();
      return answer.status;
    }"""
    door = f"{address}/survey/{design.fingerprint}/replies"
    return [page.evaluate(how, [door, make().decode()]) for _ in range(count)]


def look_around(page, address, design, make):
    """The page, by HTTP/2, replies from it, and the dashboard; what was complained of meanwhile."""
    complaints = []
    page.goto(f"{address}/survey/{design.fingerprint}")
    expect(page.locator("form")).to_be_visible()
    spoken = "performance.getEntries().map((each) => each.nextHopProtocol).filter((each) => each)"
    assert set(page.evaluate(spoken)) == {"h2"}
    assert posts(page, address, design, make) == [201] * 4
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.goto(f"{address}/")
    page.get_by_role("link", name="Health at work").click()
    expect(page.locator("form")).to_be_visible()
    look_at_dashboard(page, address)
    found = [each for each in complaints if "403" not in each]  # the log-in form's own status
    assert page.goto(f"{address}/metrics").status == 404
    return found


def look_where_nobody_answers(port, plain):
    """Redirects, wrong addresses, bad requests and no TLS at all: what a web server logs unless it is told not to."""
    for host, path, status in (
        ("www.example.org", "/surveys", 301), ("www.example.org", "/surveys/metrics", 404),
        ("www.example.org", "/nowhere", 403), ("survey.example.org", "/metrics", 404),
        ("survey.example.org", "/nowhere", 404), ("elsewhere.example.org", "/", 200),
    ):  # fmt: skip
        answer = httpx.get(f"https://127.0.0.1:{port}{path}", headers={"Host": host}, verify=False)
        assert answer.status_code == status, (host, path)  # 403: the tests' folder is not the web server's
    assert httpx.get(f"http://127.0.0.1:{plain}/", headers={"Host": "www.example.org"}).status_code == 301
    for said in (b"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", b"\x16\x03\x01\x00\x05hello", b"\0\0\0"):
        for door in (port, plain):
            with socket.create_connection(("127.0.0.1", door), timeout=5) as stranger:
                stranger.sendall(said)
                stranger.shutdown(socket.SHUT_WR)
                while stranger.recv(4096):
                    pass


def logged(folder: Path) -> list[str]:
    """The lines that name who came, in any log of nginx."""
    lines = [
        line for name in ("access.log", "error.log", "stderr") for line in (folder / name).read_text().splitlines()
    ]
    return [line for line in lines if "client" in line or line.startswith("127.0.0.1")]


def test_nginx_as_in_the_example(fronted, health, reply_of, tmp_path, figure):
    """TLS, HTTP/2, two processes and a sub-path, in a browser that knows the hosts of the example."""
    port, plain, sites, url = fronted
    look_where_nobody_answers(port, plain)
    rules = ",".join(f"MAP {host} 127.0.0.1" for host in PATHS)
    with chromium(f"--host-resolver-rules={rules}") as started:
        context = started.new_context(ignore_https_errors=True)
        for host, path in PATHS.items():
            assert look_around(context.new_page(), f"https://{host}:{port}{path}", health, reply_of) == []
        page, address = context.new_page(), f"https://survey.example.org:{port}"
        page.goto(f"{address}/survey/{health.fingerprint}")
        for lost in sites[:2]:  # either process may go, and nobody notices
            lost.kill()
            assert posts(page, address, health, reply_of) == [201] * 4
            lost.start()
        context.close()
    with open_store(url) as store:
        assert store.count(health.fingerprint) == 16
    assert logged(tmp_path) == []
    figure("nginx as in the example: replies through TLS and HTTP/2, while processes were killed", 16)


def test_the_unit_is_sound_and_shut_in(tmp_path, figure):
    unit = tmp_path / "deniable@.service"
    unit.write_text((DEPLOY / "deniable@.service").read_text().replace("/opt/deniable/bin/deniable", "/bin/true"))
    verified = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True, check=False
    )
    assert (verified.returncode, verified.stderr) == (0, "")
    rated = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", "--no-pager", "--threshold=20", str(unit)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert rated.returncode == 0, rated.stdout
    figure("the unit's exposure (systemd-analyze security)", re.search(r"exposure level.*?: ([\d.]+)", rated.stdout)[1])


def test_secrets_come_from_the_environment(health, health_file, tmp_path, monkeypatch):
    (tmp_path / "store.url").write_text(f"sqlite:///{tmp_path}/hidden.sqlite\n")
    monkeypatch.setenv("DENIABLE_STORE", f"@{tmp_path}/store.url")
    monkeypatch.setenv("DENIABLE_URL", "https://survey.example.org/surveys")
    site = Server([health_file], "left out", tmp_path)
    site._command = [word for word in site._command if word not in ("--store", "left out")]
    try:
        site.start()
        assert b"hidden" not in Path(f"/proc/{site.pid}/cmdline").read_bytes()
        assert (tmp_path / "hidden.sqlite").exists()
        assert f"https://survey.example.org/surveys/survey/{health.fingerprint}" in site.log.read_text()
    finally:
        site.stop()


# ---------------------------------------------------------------- figures for machines


def figures_in(text: str) -> dict[str, float]:
    """The figures in Prometheus' text format; every line of it is one, or a comment."""
    found = {}
    for line in text.splitlines():
        if not re.fullmatch(r"# (HELP|TYPE) deniable_\w+ .+", line):
            name, value = re.fullmatch(r'(deniable_\w+(?:\{\w+="\w+"\})?) (\d+)', line).groups()
            found[name] = int(value)
    return found


def test_metrics_show_no_single_reply(health, health_file, store_url, tmp_path, reply_of):
    replies = f'deniable_replies{{survey="{health.fingerprint[:16]}"}}'
    with serving([health_file], store_url, tmp_path) as site:
        before, seen = figures_in(site.get("/metrics")[1].decode()), []
        statuses = [name for name in before if "refused" in name]
        assert len(statuses) == 9  # no line appears with the first refusal
        for count in range(1, 66):
            body = reply_of()
            assert site.request("POST", f"/survey/{health.fingerprint}/replies", body)[0] == 201
            site.request("POST", f"/survey/{health.fingerprint}/replies", body[:-1])
            status, text, headers = site.request("GET", "/metrics")
            assert (status, headers["content-type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
            found = figures_in(text.decode())
            seen.append((found[replies], found['deniable_refused_total{status="400"}']))
            assert seen[-1] == (in_batches(count), count - count % 20)
        assert set(found) == set(before)
        assert sorted(set(seen)) == [(0, 0), (0, 20), (20, 40), (40, 60)]
        assert found["deniable_store_up"] == 1
        assert found[f'deniable_survey_open{{survey="{health.fingerprint[:16]}"}}'] == 1
        elsewhere = {"X-Forwarded-For": "203.0.113.9"}
        assert site.request("GET", "/metrics", headers=elsewhere)[0] == 404


@pytest.mark.parametrize("given", ["/surveys/health", "/survey/health"])  # taken off by the web server, or not
def test_below_a_path_everything_has_it_in_front(health, health_file, tmp_path, given):
    base = "https://www.example.org/surveys"
    with serving([health_file], f"sqlite:///{tmp_path}/s.sqlite", tmp_path, "--url", base) as site:
        front = given.removesuffix("/survey/health") if given.startswith("/survey/") else "/surveys"
        status, page, _ = site.request("GET", f"{front}/survey/{health.fingerprint}")
        assert status == 200
        found = re.findall(r'(?:href|src|action)="([^"]+)"', page.decode())
        assert found
        assert all(each.startswith("/surveys/") for each in found)
        for each in found:
            assert site.request("GET", each)[0] == 200, each
        status, page, headers = site.request("GET", f"{front}/")
        assert status == 200
        assert int(headers["content-length"]) == len(page)
        single = site.request("GET", f"{front}/survey/{health.fingerprint}/offline.html")[1]
        assert hashlib.sha256(single).hexdigest() in site.log.read_text()  # its bytes are everybody's
        assert f'"site": "{base}"'.encode() in single


@pytest.mark.parametrize("url", ["https://x.org/a b", "https://x.org/a?b", 'https://x.org/"', "https://x.org//"])
def test_addresses_that_are_none_are_refused(url, health, tmp_path):
    with pytest.raises(BadRequest, match="--url"):
        Site([health], f"sqlite:///{tmp_path}/s.sqlite", url)

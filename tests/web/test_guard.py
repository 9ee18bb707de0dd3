"""Nobody but a logged-in collector sees the dashboard, and no form of another site is taken."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.requests import Request
from starlette.routing import Route

from deniable.collect.places import open_store
from deniable.errors import BadRequest
from deniable.web import bodies
from deniable.web.app import create_app
from deniable.web.bodies import body_of
from deniable.web.guard import COOKIE, is_own_origin, whole_number
from deniable.web.password import hash_of, is_right
from deniable.web.sessions import IDLE_SECONDS, LONGEST_SECONDS, Sessions, new_id
from deniable.web.site import Site
from web.desk import PASSWORD, Collector, Running, health_design, serving, set_password, token_of

SECRET_WORDS = ("Health at work", "smokes", "replies")  # of pages that only collectors may see


def admin_routes(running: Running) -> list[tuple[str, str, Route]]:
    """Every method and address below /admin, as the application itself knows them."""
    (fingerprint,) = running.surveys
    found = []
    app = create_app(Site(running.surveys.values(), running.store_url, running.url))
    for route in getattr(app, "_app", app).routes:  # it may be wrapped
        assert isinstance(route, Route), f"{route} is not covered by this test"
        if route.path.startswith("/admin"):
            address = route.path.replace("{fingerprint}", fingerprint)
            assert "{" not in address, f"{address} is not covered by this test"
            found += [(method, address, route) for method in sorted(route.methods or ())]
    assert len(found) > 20
    return found


def everything(running: Running) -> tuple[object, ...]:
    """What forms can change."""
    (fingerprint,) = running.surveys
    with open_store(running.store_url) as store:
        return store.state(fingerprint), store.invited(fingerprint), store.count(fingerprint)


def refused(answer: httpx.Response) -> bool:
    """Whether an answer tells nothing and does nothing."""
    return answer.status_code == 403 and not any(word in answer.text for word in SECRET_WORDS)


def forged(collector: Collector) -> Iterator[tuple[str, dict[str, str], dict[str, str]]]:
    """Forms that a session's owner never sent: how, their fields and headers."""
    own = {"Origin": collector.url}
    yield "no token", {}, own
    yield "wrong token", {"token": "0" * 64}, own
    yield "somebody else's token", {"token": Sessions().token(new_id())}, own
    yield "missing origin", {"token": collector.token}, {}
    for origin in ("https://evil.example", "null", "http://127.0.0.1", collector.url + ".evil.example", "file://"):
        yield f"origin {origin}", {"token": collector.token}, {"Origin": origin}


def test_every_route_refuses_strangers_and_forged_forms(
    running: Running, figure: Callable[[str, object], None]
) -> None:
    before, refusals = everything(running), []
    collector = running.collector()
    fields = {"count": "5", "opens": "2026-01-01", "closes": "2026-01-02", "kind": "tree", "target": "leave"}
    strangers = [{}, {"Cookie": f"{COOKIE}={new_id()}"}, {"Cookie": f"{COOKIE}=x"}]
    for method, address, _ in admin_routes(running):
        if address != "/admin/log-in":
            for headers in strangers:
                with running.client() as stranger:
                    answer = stranger.request(method, address, data=fields, headers={**headers, "Origin": running.url})
                    refusals.append((refused(answer), method, address, answer.status_code))
        if method == "POST":
            for how, brought, headers in forged(collector):
                data = {**fields, "password": PASSWORD, **brought}
                answer = collector.client.post(address, data=data, headers=headers)
                refusals.append((refused(answer), how, address, answer.status_code))
    assert everything(running) == before
    assert collector.get("/admin").status_code == 200  # nor was anybody logged out
    kept_out = sum(refusal[0] for refusal in refusals)
    figure("auth: strange and forged requests to admin routes refused", f"{kept_out} of {len(refusals)}")
    assert kept_out == len(refusals), [refusal for refusal in refusals if not refusal[0]]


def test_other_paths_and_methods_lead_nowhere(running: Running) -> None:
    (fingerprint,) = running.surveys
    with running.client() as stranger:
        here = f"/admin/survey/{fingerprint}"
        paths = ["/admin/", "/admin/.", "/ADMIN", "/admin%2f", "/admin;x", "/admin/survey"]
        for path in [*paths, f"{here}/", f"/x/..{here}", f"{here}/manage/.."]:
            answer = stranger.get(path)
            assert answer.status_code in (403, 404), path
            assert not any(word in answer.text for word in SECRET_WORDS), path
        for method in ("PUT", "DELETE", "PATCH", "TRACE", "OPTIONS"):
            assert stranger.request(method, f"/admin/survey/{fingerprint}").status_code == 405
        big = stranger.post("/admin/log-in", content=b"a" * 100_000, headers={"Origin": running.url})
        assert big.status_code == 403


def test_pages_allow_nothing_but_our_own_files(running: Running) -> None:
    collector = running.collector()
    for method, address, _ in admin_routes(running):
        if method == "GET" and "." not in address and not address.endswith(("count", "log-in")):
            answer = collector.get(address)
            policy = answer.headers["content-security-policy"]
            assert "default-src 'none'" in policy, address
            assert "unsafe" not in policy
            assert "require-trusted-types-for 'script'; trusted-types 'none'" in policy
            assert answer.headers["cache-control"] == "no-store"
            assert " style=" not in answer.text
            assert "<style" not in answer.text
            assert " onclick" not in answer.text


def test_the_cookie_is_out_of_reach(running: Running, tmp_path: Path) -> None:
    with running.client() as browser:
        first = browser.get("/admin/log-in")
        before = browser.cookies[COOKIE]
        said = first.headers["set-cookie"].lower()
        assert all(word in said for word in ("httponly", "samesite=strict", "path=/admin"))
        assert "secure" not in said
        form = {"token": token_of(first), "password": PASSWORD}
        assert browser.post("/admin/log-in", data=form, headers={"Origin": running.url}).status_code == 303
        assert browser.cookies[COOKIE] != before  # a session never has an id that somebody knew before
    site = Site([health_design()], f"sqlite:///{tmp_path}/s.sqlite", "https://survey.example.org")
    set_password(site.store_url)
    assert "secure" in asyncio.run(ask(site, "GET", "/admin/log-in")).headers["set-cookie"].lower()


async def ask(site: Site, method: str, path: str, address: str = "203.0.113.9", **more: object) -> httpx.Response:
    """Ask a site from some address."""
    transport = httpx.ASGITransport(create_app(site), client=(address, 50000))
    async with httpx.AsyncClient(transport=transport, base_url=site.url) as client:
        return await client.request(method, path, **more)  # type: ignore[arg-type]


def test_guessing_passwords_is_slowed_down(tmp_path: Path) -> None:
    site = Site([health_design()], f"sqlite:///{tmp_path}/s.sqlite", "https://survey.example.org")
    set_password(site.store_url)

    async def guess(password: str, address: str) -> httpx.Response:
        name = new_id()
        fields = {"token": site.sessions.token(name), "password": password}
        headers = {"Origin": site.url, "Cookie": f"{COOKIE}={name}"}
        return await ask(site, "POST", "/admin/log-in", address, data=fields, headers=headers)

    async def guesses() -> None:
        somebody = "127.0.0.1"  # as everybody seems to be behind a web server that does not say for whom it asks
        crowd = await asyncio.gather(*(guess("wrong password", somebody) for _ in range(30)))
        assert Counter(answer.status_code for answer in crowd) == {403: 10, 429: 20}  # though none had ended before
        late = await guess(PASSWORD, somebody)
        assert late.status_code == 429
        assert int(late.headers["retry-after"]) > 0
        for _ in range(11):  # whoever knows the password may come as often as they like
            assert (await guess(PASSWORD, "203.0.113.10")).status_code == 303

    asyncio.run(guesses())


def test_a_form_that_does_not_end_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "BODY_SECONDS", 0.2)
    site = Site([health_design()], f"sqlite:///{tmp_path}/s.sqlite", "https://survey.example.org")
    set_password(site.store_url)

    async def drops() -> AsyncIterator[bytes]:
        yield b"token="
        await asyncio.sleep(30)

    answer = asyncio.run(ask(site, "POST", "/admin/log-in", content=drops(), headers={"Origin": site.url}))
    assert answer.status_code == 408
    assert "took too long" in answer.text


@pytest.mark.parametrize(("length", "taken"), [(0, True), (99, True), (100, True), (101, False), (10_000, False)])
def test_bodies_have_a_length(length: int, taken: bool) -> None:
    pieces = [{"type": "http.request", "body": b"a" * (length - length // 2), "more_body": True}]
    pieces += [{"type": "http.request", "body": b"a" * (length // 2), "more_body": False}]
    assert asyncio.run(body_of(sent(pieces), 100)) == (b"a" * length if taken else None)


def test_a_visitor_who_has_gone_sent_nothing() -> None:
    pieces = [{"type": "http.request", "body": b"half", "more_body": True}, {"type": "http.disconnect"}]
    assert asyncio.run(body_of(sent(pieces), 100)) is None


def sent(pieces: list[dict[str, Any]]) -> Request:
    """A request whose body comes in these pieces."""
    coming = iter(pieces)

    async def receive() -> dict[str, Any]:
        return next(coming)

    return Request({"type": "http", "method": "POST", "headers": []}, receive)


@pytest.mark.parametrize("text", ["", "0", "-1", "1.5", "101", "x", "\u0663", "9" * 5000, "1 ", "1e1"])
def test_fields_that_hold_no_whole_number(text: str) -> None:
    with pytest.raises(BadRequest, match="a whole number from 1 to 100"):
        whole_number({"count": text}, "count", 100)
    assert [whole_number({"count": good}, "count", 100) for good in ("1", "100", "07")] == [1, 100, 7]


def test_shut_until_a_password_is_set(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/s.sqlite"
    with serving(store, health_design()) as site, site.client() as client:
        (fingerprint,) = site.surveys
        for path in ("/admin", "/admin/log-in", f"/admin/survey/{fingerprint}"):
            answer = client.get(path)
            assert answer.status_code == 403
            assert "deniable admin --store URL" in answer.text
        set_password(store)
        assert site.collector().get("/admin").status_code == 200


def test_sessions_end(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/s.sqlite"
    set_password(store)
    with serving(store, health_design()) as site:
        one, other = site.collector(), site.collector()
        assert one.send("/admin/log-out").status_code == 303
        assert one.get("/admin").status_code == 403
        assert other.get("/admin").status_code == 200
        set_password(store, "another password altogether")
        assert other.get("/admin").status_code == 403
        assert site.collector("another password altogether").get("/admin").status_code == 200


def test_log_ins_survive_a_restart_and_serve_several_processes(store_url: str, tmp_path: Path) -> None:
    set_password(store_url)
    with serving(store_url, health_design()) as site:
        collector = site.collector()
        cookies, token = dict(collector.client.cookies), collector.token
    with serving(store_url, health_design()) as one, serving(store_url, health_design()) as other:
        for each in (one, other):
            client = each.client()
            client.cookies.update(cookies)
            assert client.get("/admin").status_code == 200
            assert token_of(client.get("/admin")) == token  # a form that was open before can still be sent
        assert client.post("/admin/log-out", data={"token": token}, headers={"Origin": other.url}).status_code == 303
        client = one.client()
        client.cookies.update(cookies)
        assert client.get("/admin").status_code == 403  # logged out of one, logged out of both
    with open_store(store_url) as store:
        assert cookies[COOKIE] not in str(store.secrets(""))  # whoever reads the store cannot log in


def test_sessions_are_forgotten_when_nobody_clicks(store_url: str) -> None:
    now = [0.0]
    sessions = Sessions(lambda: now[0])
    with open_store(store_url) as store:
        idle, busy = sessions.begin(store, "hash"), sessions.begin(store, "hash")
        while now[0] < LONGEST_SECONDS - IDLE_SECONDS:
            now[0] += IDLE_SECONDS / 2
            assert sessions.holds(store, busy, "hash")
        assert not sessions.holds(store, idle, "hash")
        now[0] = LONGEST_SECONDS
        assert not sessions.holds(store, busy, "hash")
        watched = sessions.begin(store, "hash")
        now[0] += IDLE_SECONDS - 1
        assert sessions.holds(store, watched, "hash", active=False)  # a page that updates itself
        now[0] += 1
        assert not sessions.holds(store, watched, "hash")
        left = sessions.begin(store, "hash")
        now[0] += LONGEST_SECONDS
        sessions.begin(store, "hash")
        assert len(store.secrets("session ")) == 1  # what is over is swept out
        assert not sessions.holds(store, left, "hash")


def test_there_are_only_so_many_sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deniable.web.sessions.MAX_SESSIONS", 3)
    now = [0.0]
    sessions = Sessions(lambda: now[0])
    with open_store(f"sqlite:///{tmp_path}/s.sqlite") as store:
        begun = []
        for _ in range(5):
            begun.append(sessions.begin(store, "hash"))
            now[0] += 1
        assert [sessions.holds(store, each, "hash") for each in begun] == [False, False, True, True, True]


def test_passwords_are_hashed_with_argon2id() -> None:
    kept = hash_of(PASSWORD)
    assert kept.startswith("$argon2id$")
    assert hash_of(PASSWORD) != kept
    assert is_right(kept, PASSWORD)
    assert not is_right(kept, PASSWORD + "x")
    assert not is_right("no hash at all", PASSWORD)
    with pytest.raises(BadRequest, match="10 letters or more, got '9 letters'"):
        hash_of("too short")


@pytest.mark.parametrize(
    ("origin", "url", "own"),
    [
        ("https://survey.example.org", "https://survey.example.org", True),
        ("http://survey.example.org", "https://survey.example.org", False),
        ("https://survey.example.org:444", "https://survey.example.org", False),
        ("https://evil.example", "https://survey.example.org", False),
        ("http://localhost:8000", "http://127.0.0.1:8000", True),
        ("http://[::1]:8000", "http://127.0.0.1:8000", True),
        ("http://localhost:8001", "http://127.0.0.1:8000", False),
        ("http://127.0.0.1.evil.example:8000", "http://127.0.0.1:8000", False),
        ("null", "http://127.0.0.1:8000", False),
        (None, "http://127.0.0.1:8000", False),
        ("https://survey.example.org", "https://survey.example.org/path", True),
        ("https://survey.example.org", "https://Survey.Example.ORG", True),
        ("https://survey.example.org", "https://survey.example.org:443", True),
        ("https://survey.example.org:443", "https://survey.example.org", True),
        ("http://survey.example.org", "http://survey.example.org:80/", True),
        ("http://survey.example.org:443", "http://survey.example.org", False),
        ("https://survey.example.org:80", "https://survey.example.org", False),
        ("HTTPS://SURVEY.example.org", "https://survey.example.org", True),
        ("http://LOCALHOST", "http://127.0.0.1:80", True),
        ("https://survey.example.org@evil.example", "https://survey.example.org", False),
        ("https://evil.example@survey.example.org", "https://survey.example.org", False),
        ("https://survey.example.org/path", "https://survey.example.org", False),
        ("https://survey.example.org:x", "https://survey.example.org", False),
        ("https://survey.example.org:99999", "https://survey.example.org", False),
        ("https://[::1", "https://survey.example.org", False),
        ("https://survey.example.org?", "https://survey.example.org", False),
        ("https://survey.example.org\n", "https://survey.example.org", False),
        ("https://xn--b.example", "https://b.example", False),
    ],
)
def test_own_origin(origin: str | None, url: str, own: bool) -> None:
    assert is_own_origin(origin, url) is own

"""What operators run on a store: backup, restore, erase; and when data end by themselves (check 27)."""

import asyncio
import json
import re
import secrets
from contextlib import suppress
from datetime import date, timedelta
from io import StringIO
from pathlib import Path

import httpx
import psycopg
import pytest

import deniable as dn
from commands import deniable_says
from deniable.collect.invitation import new_invitation
from deniable.collect.places import open_store
from deniable.collect.reply import ReplyReader
from deniable.collect.state import today
from deniable.collect.store import Arrival, Outcome
from deniable.errors import SurveyOver
from deniable.web import respond
from deniable.web.app import create_app
from deniable.web.site import Site
from postgres import running
from serving import serving


def survey(**more):
    return dn.Design([dn.warner(0.8, dn.yes_no("smokes", "Do you smoke?"))], title="Smoking", **more)


def fill(design, url, count=30):
    """Replies in a store; their ids."""
    with open_store(url) as store:
        served = store.enrol(design)
        reader, names = ReplyReader(served), [secrets.token_hex(16) for _ in range(count)]
        for name in names:
            body = {"id": name, "design": served.fingerprint, "answers": {"smokes": secrets.choice(["no", "yes"])}}
            outcome = store.keep([Arrival(served.fingerprint, reader.read(json.dumps(body).encode()), None, True)])
            assert outcome == [Outcome.STORED]
    return names


@pytest.fixture
def path(tmp_path):
    survey().save(tmp_path / "smoking.toml")
    return tmp_path / "smoking.toml"


# ---------------------------------------------------------------- backup and restore


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_backup_is_restored_into_either_kind_of_store(path, store_url, kind, tmp_path, request):
    design = survey()
    with open_store(store_url) as store:
        issued = store.issue(design)
        store.invite(issued.fingerprint, [new_invitation() for _ in range(3)])
        store.set_secret("password", "a hash")
    fill(design, store_url)
    said = deniable_says("backup", "--store", store_url, "-o", tmp_path / "backup.sqlite")
    assert "30 replies" in said
    assert [each.name for each in tmp_path.iterdir() if "part" in each.name] == []
    other = f"sqlite:///{tmp_path}/restored.sqlite"
    if kind == "postgresql":
        other = request.getfixturevalue("postgres").database(f"r{secrets.token_hex(6)}")
    assert "1 surveys and 30 replies" in deniable_says("restore", tmp_path / "backup.sqlite", "--store", other)
    with open_store(store_url) as old, open_store(other) as new:
        assert new.promised(design).fingerprint == issued.fingerprint
        assert new.keys(issued.fingerprint) == old.keys(issued.fingerprint)
        assert new.invited(issued.fingerprint) == (3, 3)
        assert new.secret("password") == "a hash"
        assert new.count(issued.fingerprint, shown=True) == old.count(issued.fingerprint, shown=True)
    asked = ("smokes == 'yes'", "--json")
    assert deniable_says("estimate", path, other, *asked) == deniable_says("estimate", path, store_url, *asked)
    assert "one that has no surveys" in deniable_says("restore", tmp_path / "backup.sqlite", "--store", other, code=2)
    assert "is there already" in deniable_says("backup", "--store", store_url, "-o", tmp_path / "backup.sqlite", code=2)


def test_what_is_no_backup_is_refused(path, tmp_path):
    for file, line in ((path, "is no backup"), (tmp_path / "none", "cannot be read")):
        assert line in deniable_says("restore", file, "--store", f"sqlite:///{tmp_path}/new.sqlite", code=2)
    assert "no such store" in deniable_says(
        "backup", "--store", f"sqlite:///{tmp_path}/none", "-o", tmp_path / "x", code=2
    )


@pytest.mark.parametrize("share", [0.999, 0.5, 0.1])
def test_a_damaged_backup_is_said_to_be_one(path, tmp_path, share):
    url, backup = f"sqlite:///{tmp_path}/s.sqlite", tmp_path / "b.sqlite"
    fill(survey(), url)
    deniable_says("backup", "--store", url, "-o", backup)
    whole = backup.read_bytes()
    backup.write_bytes(whole[: int(share * len(whole))])
    said = deniable_says("restore", backup, "--store", f"sqlite:///{tmp_path}/new.sqlite", code=2)
    assert f"{backup}: is damaged, or only part of a backup" in said
    assert not (tmp_path / "new.sqlite").exists()


# ---------------------------------------------------------------- a store that cannot be opened


def test_what_waiting_does_not_mend_has_another_way_out(path, postgres, tmp_path):
    (tmp_path / "notes").write_text("no store at all, but long enough to be taken for one; " * 99)
    unknown = postgres.url.replace("/postgres?", "/nowhere?")
    nobody = postgres.url.replace("postgres@", "nobody:secret@")
    for url, line in (
        (f"sqlite:///{tmp_path}/notes", "is no SQLite database; name a file that deniable made, or a new one"),
        (unknown, "the store postgresql:///nowhere is not there; make it (createdb)"),
        (nobody, "the store postgresql:///postgres does not let this user in; correct the user and the password"),
        ("postgresql://u:secret@127.0.0.1:99999/db", "has a port that is none; write one from 1 to 65535"),
        ("postgresql:/u:secret@host/db", "or postgresql://..., got 'postgresql:/...'; correct the URL"),
        ("postgresql//u:secret@host/db", "got 'postgresql//...'"),
        ("mysql://u:secret@host/db", "got 'mysql://...'"),
    ):
        said = deniable_says("invite", path, "--count", 1, "--store", url, code=2)
        assert line in said
        assert "secret" not in said


# ---------------------------------------------------------------- erase


def rests(url, tmp_path, request):
    """All bytes of a store's files."""
    places = [tmp_path]
    if url.startswith("postgresql"):
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("checkpoint")
        places = [request.getfixturevalue("postgres").files() / "base"]
    found = []
    for file in (file for place in places for file in place.rglob("*") if file.is_file()):
        with suppress(FileNotFoundError):
            found.append(file.read_bytes())
    return b"".join(found)


def test_erased_is_gone_from_the_files_too(path, store_url, tmp_path, request):
    names = fill(survey(), store_url)
    kept = dn.Design([dn.warner(0.7, dn.yes_no("late"))])
    with open_store(store_url) as store:
        store.enrol(kept)
    before = rests(store_url, tmp_path, request)
    assert any(bytes.fromhex(name) in before for name in names)
    said = deniable_says("erase", path, "--store", store_url, "--yes")
    assert "erased 30 replies" in said
    assert "backups" in said
    left = rests(store_url, tmp_path, request)
    assert not [name for name in names if bytes.fromhex(name) in left]
    with open_store(store_url) as store:
        assert store.surveys() == [kept.fingerprint]
        assert store.erased(survey().fingerprint) == str(today())
    assert "no survey" in deniable_says("erase", path, "--store", store_url, "--yes", code=2)


def test_erased_is_gone_from_the_live_log_too_where_the_role_may_write_it_over(path):
    with running() as server:  # of its own, since the log is everybody's
        url = server.database("store")
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("create role plain login")
            connection.execute("alter database store owner to plain")
        mine = url.replace("postgres@", "plain@")
        names = fill(survey(), mine, 8)

        def logged():
            log = b"".join(file.read_bytes() for file in (server.files() / "pg_wal").rglob("*") if file.is_file())
            return sum(bytes.fromhex(name) in log for name in names)

        said = deniable_says("erase", path, "--store", mine, "--yes")
        assert "live write-ahead log (pg_wal) still holds the replies" in said
        assert "archived write-ahead log" in said
        assert logged() == 8
        path.write_text(path.read_text().replace("Smoking", "Smoking again"))
        names += fill(dn.Design.load(path), mine, 8)
        said = deniable_says("erase", path, "--store", url, "--yes")
        assert "pg_wal" not in said
        assert logged() == 0


def test_erase_asks(path, tmp_path, monkeypatch):
    url = f"sqlite:///{tmp_path}/s.sqlite"
    fill(survey(), url)
    monkeypatch.setattr("sys.stdin", StringIO())
    assert "stopped" in deniable_says("erase", path, "--store", url, code=2)
    with open_store(url) as store:
        assert store.count(survey().fingerprint) == 30


def test_a_running_site_says_that_a_survey_was_erased(path, tmp_path):
    url, here = f"sqlite:///{tmp_path}/s.sqlite", f"/survey/{survey().fingerprint}"
    with serving([path], url, tmp_path) as server:
        assert server.get(here)[0] == 200
        deniable_says("erase", path, "--store", url, "--yes")
        reply = {"id": secrets.token_hex(16), "design": survey().fingerprint, "answers": {"smokes": "no"}}
        assert server.request("POST", f"{here}/replies", json.dumps(reply).encode())[0] == 410
        for part in ("", "/status.json"):
            status, answer = server.get(here + part)
            assert (status, b"its replies were erased" in answer) == (410, True)
        assert server.request("GET", "/", headers={"Accept": "text/html"})[0] == 200
        assert server.get(here)[0] == 410


def test_erased_stays_over_when_the_site_starts_again(path, store_url, tmp_path):
    here, reply = f"/survey/{survey().fingerprint}", {"design": survey().fingerprint, "answers": {"smokes": "no"}}
    body = json.dumps({"id": secrets.token_hex(16), **reply}).encode()
    with serving([path], store_url, tmp_path) as server:
        assert server.request("POST", f"{here}/replies", body)[0] == 201
    deniable_says("erase", path, "--store", store_url, "--yes")
    other = dn.Design([dn.warner(0.7, dn.yes_no("late"))], title="Late")
    other.save(tmp_path / "late.toml")
    for designs in ([path, tmp_path / "late.toml"], [path]):
        with serving(designs, store_url, tmp_path) as server:
            assert [server.get(here + part)[0] for part in ("", "/status.json", "/design.json")] == [410] * 3
            assert server.request("POST", f"{here}/replies", body)[0] == 410
            assert server.get(f"/survey/{other.fingerprint}")[0] == (200 if len(designs) > 1 else 404)
            line = f"Smoking: not served; its replies were erased on {today()}, and it stays over; to ask the same"
            assert line in server.log.read_text()
    said = deniable_says("invite", path, "--store", store_url, "--count", 2, code=2)
    assert f"the survey 'Smoking' was erased from this store on {today()} and stays over" in said
    with open_store(store_url) as store:
        assert store.surveys() == [other.fingerprint]
        again = survey(wave=2)  # the way out: the same questions are another survey
        assert store.enrol(again).fingerprint in store.surveys()


def test_an_invited_survey_does_not_return_open_to_anybody(path, tmp_path):
    """Neither without its keys, nor with them, nor with new ones; nor does its backup."""
    url = f"sqlite:///{tmp_path}/s.sqlite"
    deniable_says("invite", path, "--store", url, "--count", 2)
    with open_store(url) as store:
        issued = store.promised(survey())
    issued.save(tmp_path / "issued.toml")
    deniable_says("backup", "--store", url, "-o", tmp_path / "b.sqlite")
    site = Site([issued], url, "http://127.0.0.1:8000")
    deniable_says("erase", path, "--store", url, "--yes")
    asyncio.run(site.refresh())
    assert site.surveys == {}
    for design in (survey(), issued):
        assert Site([design], url, "http://127.0.0.1:8000").surveys == {}
        with open_store(url) as store:
            assert (store.erased(design.fingerprint), store.over_since(design)) == (str(today()), str(today()))
            for refused in (store.enrol, store.issue):
                with pytest.raises(SurveyOver, match="another title or wave"):
                    refused(design)
    for file in (path, tmp_path / "issued.toml"):
        assert "stays over" in deniable_says("invite", file, "--store", url, "--count", 2, code=2)
    assert "one that erased survey" in deniable_says("restore", tmp_path / "b.sqlite", "--store", url, code=2)


def test_a_survey_whose_day_came_stays_over_whatever_the_clock_says(tmp_path, monkeypatch):
    design, url = survey(retention=today()), f"sqlite:///{tmp_path}/s.sqlite"
    fill(design, url)
    monkeypatch.setattr("deniable.collect.store.today", lambda: today() + timedelta(days=1))
    site = Site([design], url, "http://127.0.0.1:8000")
    assert (site.surveys, len(site.over)) == ({}, 1)
    monkeypatch.undo()
    assert Site([design], url, "http://127.0.0.1:8000").surveys == {}


# ---------------------------------------------------------------- retention


def test_a_retention_day_is_part_of_the_promise_and_of_the_file(tmp_path):
    design = survey(retention="2027-12-31", wave=2)
    design.save(tmp_path / "d.toml")
    assert "retention = 2027-12-31\n" in (tmp_path / "d.toml").read_text()
    again = dn.Design.load(tmp_path / "d.toml")
    assert (again, again.fingerprint) == (design, design.fingerprint)
    assert json.loads(design.to_json())["retention"] == "2027-12-31"
    assert len({survey().fingerprint, survey(wave=2).fingerprint, design.fingerprint}) == 3
    assert not {"retention", "wave", "issuer"} & set(json.loads(survey().to_json()))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("retention = 2027-12-31T10:00:00", "a day without a time, got '2027-12-31 10:00:00'; write it as 2027-12-31"),
        ('retention = "2027-12-31"', 'got "2027-12-31"; write it without quotes'),
        ('retention = "soon"', "needs a day such as 2027-12-31 as retention"),
        ("wave = 0", "wave must be a whole number from 1 on"),
        ("wave = true", "needs a whole number as wave"),
    ],
)
def test_days_and_waves_that_are_none_are_refused(path, line, problem):
    path.write_text(f"{line}\n{path.read_text()}")
    assert problem in deniable_says("check", path, code=2)


def test_check_warns_of_a_day_that_has_passed(tmp_path):
    for day, warned in ((today() - timedelta(days=1), True), (today(), False)):
        survey(retention=day).save(tmp_path / "d.toml")
        assert (f"retention = {day} has passed" in deniable_says("check", tmp_path / "d.toml")) is warned


def test_after_the_day_the_site_erases_and_serves_no_more(tmp_path):
    yesterday = survey(retention=today() - timedelta(days=1))
    url = f"sqlite:///{tmp_path}/s.sqlite"
    held = survey(retention=date(2999, 1, 1))
    fill(held, url)
    with open_store(url) as store:  # as it was served before the day came
        text = held.to_json().replace("2999-01-01", str(today() - timedelta(days=1)))
        store._database.run("update surveys set design = ?", (text,))
        assert store.erase_due() == [held.fingerprint]
        assert store.surveys() == []
    yesterday.save(tmp_path / "over.toml")
    said = deniable_says("serve", tmp_path / "over.toml", "--store", url, "--port", 0, code=2)
    assert "retention must be a day from" in said


def test_the_page_says_when_replies_are_erased(tmp_path):
    design = survey(retention=date(2999, 1, 1))
    design.save(tmp_path / "d.toml")
    with serving([tmp_path / "d.toml"], f"sqlite:///{tmp_path}/s.sqlite", tmp_path) as server:
        page = server.get(f"/survey/{design.fingerprint}")[1].decode()
    assert re.search(r"erased after this day:(</span>)? <time[^>]*>2999-01-01", page)


def test_the_day_comes_while_the_site_runs(tmp_path, monkeypatch):
    """Nothing is served or taken from that midnight on, and the site says why."""
    design = survey(retention=today())
    site = Site([design], f"sqlite:///{tmp_path}/s.sqlite", "http://127.0.0.1:8000")
    here = f"/survey/{design.fingerprint}"

    async def told():
        transport = httpx.ASGITransport(create_app(site))
        async with httpx.AsyncClient(transport=transport, base_url=site.url) as client:
            answers = [await client.get(here), await client.post(f"{here}/replies", content=b"{}")]
        return [answer.status_code for answer in answers], answers[0].text

    assert asyncio.run(told())[0] == [200, 400]
    monkeypatch.setattr(respond, "today", lambda: today() + timedelta(days=1))
    statuses, line = asyncio.run(told())
    assert statuses == [410, 410]
    assert f"its replies were erased ({today()})" in line


def test_a_survey_that_is_over_keeps_no_other_from_being_served(tmp_path):
    over = survey(retention=today() - timedelta(days=1))
    other = dn.Design([dn.warner(0.7, dn.yes_no("late"))])
    site = Site([over, other], f"sqlite:///{tmp_path}/s.sqlite", "http://127.0.0.1:8000")
    assert (list(site.surveys), [each for each, _ in site.over]) == ([other.fingerprint], [over])


def test_files_are_private(tmp_path):
    fill(survey(), f"sqlite:///{tmp_path}/s.sqlite")
    deniable_says("backup", "--store", f"sqlite:///{tmp_path}/s.sqlite", "-o", tmp_path / "b.sqlite")
    assert Path(tmp_path / "b.sqlite").stat().st_mode & 0o077 == 0


def test_simulate_names_the_invitations_that_a_survey_needs(path, tmp_path):
    url, people = f"sqlite:///{tmp_path}/s.sqlite", tmp_path / "people.csv"
    people.write_text("smokes\nno\nyes\n")
    deniable_says("invite", path, "--store", url, "--count", 2, "-o", tmp_path / "links")
    with open_store(url) as store:
        store.promised(survey()).save(tmp_path / "issued.toml")
    with serving([path], url, tmp_path) as server:
        for design in (path, tmp_path / "issued.toml"):
            said = deniable_says("simulate", design, people, "--url", server.url, code=2)
            assert "--invitations must be a file of invitations, since this survey is for invited people" in said
            assert "got nothing" in said
        moved = f"/survey/{survey().fingerprint}"
        assert b"this survey is for invited people" in server.get(moved)[1]
        assert (server.get(moved)[0], server.request("POST", f"{moved}/replies", b"{}")[0]) == (404, 403)


BAD_ADDRESSES = (
    "nonsense", "ftp://x.org", "https://u:secret@x.org", "https://x.org/?q", "https://x.org/#f", "https://u:secret@x.org/?q#f",
)  # fmt: skip


@pytest.mark.parametrize("url", BAD_ADDRESSES)
def test_what_is_no_address_of_a_site_is_refused_before_anything_is_made(path, url, tmp_path):
    store = f"sqlite:///{tmp_path}/s.sqlite"
    for words in (
        ("invite", path, "--store", store, "--count", 1), ("serve", path, "--store", store, "--port", 0),
        ("page", path, "-o", tmp_path / "page.html"),
    ):  # fmt: skip
        said = deniable_says(*words, "--url", url, code=2)
        assert "--url must be the site's own address" in said
        assert "secret" not in said
    assert not [file for file in tmp_path.iterdir() if file != path]


def test_a_slash_at_the_end_of_an_address_changes_no_page(path, tmp_path):
    for name, url in (("a.html", "https://x.org"), ("b.html", "https://x.org/")):
        deniable_says("page", path, "--url", url, "-o", tmp_path / name)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()

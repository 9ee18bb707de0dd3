"""Passwords and keys stay off the command line, out of every message, and out of others' sight."""

import stat
from pathlib import Path

import pytest

import deniable as dn
from deniable.channel.design import Design
from deniable.collect.places import open_store
from deniable.collect.reply import ReplyReader
from deniable.collect.store import Arrival
from deniable.web.password import SECRET, is_right

MISTYPED = [
    "mysql://survey:{secret}@db.example/health",
    "postgrsql://survey:{secret}@db.example/health",
    "postgresql:/survey:{secret}@db.example/health",
    "postgresql//survey:{secret}@db.example/health",
    "postgresql:survey:{secret}@db.example/health",
    "postgres://survey:{secret}@127.0.0.1:1/health",
    "postgresql://survey:{secret}@127.0.0.1:1/health",
    "postgresql://survey:{secret}@127.0.0.1:port/health",
    "postgresql://survey:{secret}@[::1/health",
    "postgresql://survey:{secret}",
    "postgresql://survey:{secret}/health",
    "postgresql://127.0.0.1:1/health?user=survey&password={secret}",
    "postgresql://127.0.0.1:1/health?user=survey&pasword={secret}",
    "sqlite://survey:{secret}@db.example/health",
]
IN_WORDS = ["host=db.example user=survey password=hunter2secret", "Password='hunter2secret x' host=db.example"]
PASSWORDS = (
    "hunter2secret",
    "hunter2secret/with",
    "with@hunter2secret",
    "w:hunter2secret@x/y",
    "hunter2secret 5%zz?&#",
)
NO_HOST = [each for each in MISTYPED if "@" not in each and "?" not in each]  # an @ in the password then means a host
COMMANDS = [
    "serve health.toml --store {url} --port 0",
    "serve {url}",
    "admin --store {url}",
    "admin {url}",
    "invite health.toml --count 1 --store {url}",
    "invite {url} --count 1",
    "estimate health.toml {url} --json",
    "estimate {url} replies.csv",
    "table health.toml {url} smokes drinks",
    "reconstruct health.toml {url} age --json",
    "tree health.toml {url} -o tree.json --target leave",
    "bayes health.toml {url} -o bayes.json --target leave",
    "rules health.toml {url} --json",
    "score health.toml {url} {url} --json",
    "predict {url} people.csv -o told.csv",
    "simulate health.toml people.csv --url {url}",
]


@pytest.mark.parametrize("mistyped", MISTYPED)
def test_a_mistyped_store_is_never_echoed_with_its_password(health, deniable, mistyped, monkeypatch):
    monkeypatch.setenv("DENIABLE_PASSWORD", "long enough for anybody")
    for password in PASSWORDS if mistyped not in NO_HOST else PASSWORDS[:2]:
        url = mistyped.format(secret=password)
        for command in COMMANDS if password == PASSWORDS[0] else COMMANDS[::6]:
            told = deniable(command.format(url=f"'{url}'"))
            assert (told.code, told.out) == (2, ""), (url, command)
            assert len(told.err.splitlines()) == 1, (url, command, told.err)
            assert "hunter2secret" not in told.err, (url, command, told.err)


@pytest.mark.parametrize("given", IN_WORDS)
def test_nor_are_the_words_by_which_others_name_a_database(health, deniable, given, monkeypatch):
    monkeypatch.setenv("DENIABLE_PASSWORD", "long enough for anybody")
    for command in COMMANDS:
        told = deniable(command.format(url=f'"{given}"'))
        assert (told.code, told.out) == (2, "")
        assert "hunter2secret" not in told.err, (command, told.err)
    assert "password=='yes'" in str(dn.DeniableError("in password=='yes' there is no question 'password'"))


@pytest.mark.parametrize("mistyped", MISTYPED)
def test_nor_in_python(health, mistyped):
    for password in PASSWORDS if mistyped not in NO_HOST else PASSWORDS[:2]:
        url = mistyped.format(secret=password)
        for ask in (
            lambda url=url: open_store(url),
            lambda url=url: dn.estimate(Design.load("health.toml"), url, "leave == 'yes'"),
        ):
            with pytest.raises(dn.DeniableError) as refused:
                ask()
            assert "hunter2secret" not in f"{refused.value} {refused.value!r}", url


def test_what_is_no_secret_is_told(health, deniable, monkeypatch):
    monkeypatch.setenv("DENIABLE_PASSWORD", "long enough for anybody")
    assert deniable("admin --store health.sqlite").refuses("sqlite:///FILE or postgresql://...", "'health.sqlite'")
    assert deniable("admin --store mysql://a:b@c").refuses("'mysql://...'")
    wrong = "admin --store postgresql://survey:a/b@db/health"
    assert deniable(wrong).refuses("USER:PASSWORD@HOST/DATABASE", "%2F for /")
    assert deniable("estimate health.toml http://127.0.0.1:8000/x").refuses("'http://...'")


# ---------------------------------------------------------------- the environment, and files


@pytest.fixture
def store(health):
    """A store with one reply; its URL is in the file store.url."""
    design, url = Design.load("health.toml"), f"sqlite:///{health}/store.sqlite"
    body = '{"id":"%s","design":"%s","answers":{%s}}'
    answers = '"smokes":"no","leave":"no","drinks":"never","age":18,"region":"NA"'
    with open_store(url) as opened:
        opened.enrol(design)
        reply = ReplyReader(design).read((body % ("0" * 32, design.fingerprint, answers)).encode())
        opened.keep([Arrival(design.fingerprint, reply)])
    Path("store.url").write_text(url + "\n")
    return url


def test_the_store_is_named_in_the_environment_or_in_a_file(store, deniable, monkeypatch):
    shown = deniable(f"estimate health.toml {store} \"smokes == 'yes'\" --json").json
    assert deniable("estimate health.toml @store.url \"smokes == 'yes'\" --json").json == shown
    assert deniable("invite health.toml --count 2 --store @store.url").code == 0
    monkeypatch.setenv("DENIABLE_STORE", store)
    assert deniable("estimate health.toml @ \"smokes == 'yes'\" --json").json == shown
    assert deniable("invite health.toml --count 2").code == 0
    monkeypatch.setenv("DENIABLE_STORE", "@store.url")
    assert deniable("invite health.toml --count 2").code == 0
    assert not Path("deniable.sqlite").exists()
    with open_store(store) as opened:
        assert opened.invited(Design.load("health.toml").fingerprint)[0] == 6


def test_the_password_is_taken_from_the_environment(store, deniable, monkeypatch):
    monkeypatch.setenv("DENIABLE_PASSWORD", "correct horse battery")
    assert deniable("admin --store @store.url").code == 0
    with open_store(store) as opened:
        assert is_right(opened.secret(SECRET), "correct horse battery")
    monkeypatch.setenv("DENIABLE_PASSWORD", "short")
    assert deniable("admin --store @store.url").refuses("10 letters or more, got '5 letters'")


def test_a_store_that_is_named_nowhere_is_refused(health, deniable, monkeypatch):
    monkeypatch.setenv("DENIABLE_PASSWORD", "long enough for anybody")
    monkeypatch.delenv("DENIABLE_STORE", raising=False)
    assert deniable("estimate health.toml @").refuses("DENIABLE_STORE", "not set")
    assert deniable("estimate health.toml @nothing").refuses("nothing: cannot be read (No such file or directory)")
    Path("empty").write_text("\n")
    assert deniable("admin --store @empty").refuses("empty: holds no URL of a store")
    assert deniable("admin --store @people.csv").refuses("people.csv: holds no URL of a store")


@pytest.mark.parametrize("command", ["serve", "admin", "invite", "estimate", "tree"])
def test_help_says_so(deniable, command):
    told = " ".join(deniable(f"{command} --help").out.split())
    assert "@FILE" in told
    assert "DENIABLE_STORE" in told


# ---------------------------------------------------------------- keys


def test_keys_are_made_for_their_owner_alone_and_refused_if_others_can_read_them(health, deniable):
    disguise = "disguise health.toml people.csv -o replies.csv --remember new --id id"
    assert deniable(disguise).code == 0
    assert stat.S_IMODE(Path("new").stat().st_mode) == 0o600
    for mode in (0o640, 0o604, 0o620, 0o644):
        Path("new").chmod(mode)
        assert deniable(disguise).refuses("new: is open to others", "chmod 600")
    Path("new").chmod(0o400)
    assert deniable(disguise).code == 0


@pytest.mark.parametrize("page", ["README.md", "docs/site.md"])
def test_the_docs_say_what_a_key_undoes(page):
    told = " ".join((Path(__file__).parents[2] / page).read_text(encoding="utf-8").split())
    assert "68 %" in told
    assert "estroy" in told

"""The collector's commands: a password, and invitations."""

import io
import stat
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from deniable.channel.design import Design
from deniable.cli.main import run
from deniable.collect.places import open_store
from deniable.web.password import SECRET, is_right

DESIGN = """
title = "Health at work"
[[question]]
name = "smokes"
answers = ["no", "yes"]
[[channel]]
scheme = "warner"
theta = 0.8
group = ["smokes"]
"""


def ended(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command."""
    with pytest.raises(SystemExit) as end:
        run([str(each) for each in arguments])
    out, err = capsys.readouterr()
    return int(end.value.code or 0), out, err


def test_admin_sets_a_password(
    store_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for password in ("correct horse battery", "another password altogether"):
        monkeypatch.setattr(sys, "stdin", io.StringIO(password + "\n"))
        code, out, err = ended(capsys, "admin", "--store", store_url)
        assert (code, err) == (0, "")
        assert password not in out
        with open_store(store_url) as store:
            kept = store.secret(SECRET)
        assert kept is not None
        assert is_right(kept, password)
    monkeypatch.setattr(sys, "stdin", io.StringIO("short\n"))
    code, _, err = ended(capsys, "admin", "--store", store_url)
    assert code == 2
    assert "10 letters or more" in err
    assert err.count("\n") == 1


def test_invitations_are_links_that_only_you_can_read(
    store_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "design.toml"
    path.write_text(DESIGN)
    command = ("invite", path, "--store", store_url, "--url", "https://survey.example.org/")
    code, out, _ = ended(capsys, *command, "--count", 5)
    assert code == 0
    with open_store(store_url) as store:
        mark = store.promised(Design.load(path)).fingerprint
    assert mark != Design.load(path).fingerprint  # it has keys now
    start = f"https://survey.example.org/survey/{mark}#invitation="
    assert len(out.splitlines()) == len(set(out.splitlines())) == 5
    assert all(line.startswith(start) and len(line) == len(start) + 22 for line in out.splitlines())
    private = tmp_path / "invitations.txt"
    assert ended(capsys, *command, "--count", 7, "-o", private)[0] == 0
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    assert len(private.read_text().splitlines()) == 7
    with open_store(store_url) as store:
        assert store.invited(mark) == (12, 12)
    code, _, err = ended(capsys, *command, "--count", 7, "-o", private)
    assert code == 2
    assert "is there already" in err
    assert ended(capsys, *command, "--count", 0)[0] == 2
    with open_store(store_url) as store:
        assert store.invited(mark) == (12, 12)


def test_invitations_are_written_down_before_anybody_needs_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever fails, there is no invitation that nobody has, and no file that is in the way of the next try."""
    design, private, url = tmp_path / "design.toml", tmp_path / "links", f"sqlite:///{tmp_path}/s.sqlite"
    design.write_text(DESIGN)
    command = ["invite", str(design), "--count", "5", "--store"]

    def invited() -> tuple[int, int]:
        with open_store(url) as store:
            return store.invited(store.promised(Design.load(design)).fingerprint)

    assert ended(capsys, *command, f"sqlite:///{tmp_path}/none/s.sqlite", "-o", private)[0] == 2
    assert not private.exists()
    with Path("/dev/full").open("w") as full:
        program = [sys.executable, "-c", "from deniable.cli.main import run; run()", *command, url]
        failed = subprocess.run(program, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert failed.returncode != 0
    assert "No space left on device" in failed.stderr
    assert invited() == (0, 0)
    with apsw.Connection(f"{tmp_path}/s.sqlite") as store:
        store.execute("create trigger full before insert on invitations begin select raise(abort, 'full'); end")
        with pytest.raises((SystemExit, apsw.Error)):
            run([*command, url, "-o", str(private)])
        assert not private.exists()
        store.execute("drop trigger full")
    assert invited() == (0, 0)
    assert ended(capsys, *command, url, "-o", private)[0] == 0
    assert invited() == (5, 5)
    assert len(private.read_text().splitlines()) == 5

"""A backup in which bits have flipped is refused, or restored as it was; nothing else comes of it."""

import json
import secrets

import pytest

import deniable as dn
from commands import deniable_says
from deniable.cli.main import run
from deniable.collect.places import open_store
from deniable.collect.reply import ReplyReader
from deniable.collect.store import Arrival


def survey(**more):
    return dn.Design([dn.warner(0.8, dn.yes_no("smokes", "Do you smoke?"))], title="Smoking", **more)


@pytest.fixture
def backup(tmp_path):
    """A backup of a store with 30 replies, s.sqlite beside it."""
    url, reader = f"sqlite:///{tmp_path}/s.sqlite", ReplyReader(survey())
    with open_store(url) as store:
        store.enrol(survey())
        for _ in range(30):
            answers = {"smokes": secrets.choice(["no", "yes"])}
            body = {"id": secrets.token_hex(16), "design": survey().fingerprint, "answers": answers}
            store.keep([Arrival(survey().fingerprint, reader.read(json.dumps(body).encode()))])
    deniable_says("backup", "--store", url, "-o", tmp_path / "b.sqlite")
    return tmp_path / "b.sqlite"


def contents(file):
    """All that is in a store."""
    with open_store(f"sqlite:///{file}") as store:
        tables = store._database.run("select name from sqlite_schema where type = 'table' order by name")
        return {name: store._database.run(f"select * from {name} order by 1") for (name,) in tables}


def restored(backup, new, capsys):
    """Whether a backup was restored; if not, one line says so and nothing was made."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        run(["restore", str(backup), "--store", f"sqlite:///{new}"])
    if ended.value.code == 0:
        return True
    said = capsys.readouterr().err
    assert (ended.value.code, len(said.splitlines()), new.exists()) == (2, 1, False), said
    return False


def test_a_backup_with_a_flipped_bit_is_refused_or_restored_as_it_was(backup, tmp_path, capsys):
    whole, before, new = backup.read_bytes(), contents(tmp_path / "s.sqlite"), tmp_path / "new.sqlite"
    some = [each[0] for each in before["replies_" + survey().fingerprint[:16]][:3]]
    noticed = [whole.index(name) + 1 for name in some] + [whole.index(b"Smoking"), whole.index(b"backup_seal")]
    for index in [*noticed, *range(60, 4096, 403), *range(4096, len(whole), 509)]:
        backup.write_bytes(whole[:index] + bytes([whole[index] ^ 1 << index % 8]) + whole[index + 1 :])
        if restored(backup, new, capsys):
            assert index not in noticed
            assert contents(new) == before
            new.unlink()


def test_a_text_that_is_none_any_more_is_said_to_be_damage(backup, tmp_path, capsys):
    """In a backup without a seal too."""
    for sealed in (True, False):
        if not sealed:
            backup.write_bytes((tmp_path / "s.sqlite").read_bytes())
        backup.write_bytes(backup.read_bytes().replace(b"Smoking", b"Smok\xffng"))
        assert not restored(backup, tmp_path / "new.sqlite", capsys)


def test_a_backup_without_a_seal_is_restored(backup, tmp_path, capsys):
    """As older versions wrote them."""
    assert restored(tmp_path / "s.sqlite", tmp_path / "new.sqlite", capsys)
    assert contents(tmp_path / "new.sqlite") == contents(tmp_path / "s.sqlite")

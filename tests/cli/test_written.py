"""Commands that write a page say so: among the lines for people, and on stderr where JSON has stdout to itself."""

import json

import pytest

import deniable as dn
from deniable.cli.main import run


@pytest.fixture(autouse=True)
def survey(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lotteries = [dn.warner(0.8, dn.yes_no(name)) for name in ("smokes", "leave")]
    dn.Design(lotteries, target="leave").save(tmp_path / "d.toml")
    (tmp_path / "true.csv").write_text("smokes,leave\n" + "no,no\nno,no\nyes,yes\nno,no\n" * 1500)
    with pytest.raises(SystemExit):
        run(["disguise", "d.toml", "true.csv", "-o", "replies.csv", "--seed", "1"])


@pytest.mark.parametrize("words", [
    "plan d.toml --margin 0.05", "attack d.toml replies.csv", "advise d.toml", "rules d.toml replies.csv",
    "tree d.toml replies.csv -o model.json", "bayes d.toml replies.csv -o model.json", "privacy d.toml",
    "reconstruct d.toml replies.csv smokes",
])  # fmt: skip
@pytest.mark.parametrize("as_json", [False, True])
def test_a_page_that_is_written_is_named(words, as_json, tmp_path, capsys):
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        run([*words.split(), "--html", "page.html", *["--json"] * as_json])
    said = capsys.readouterr()
    assert ended.value.code == 0
    assert (tmp_path / "page.html").exists()
    assert (said.err if as_json else said.out).splitlines()[-1].startswith("page.html: ")
    if as_json:
        json.loads(said.out)

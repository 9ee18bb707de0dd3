"""Where commands take the site's address and the published design from; and modules made of it."""

import subprocess

import pytest

import deniable as dn
from commands import deniable_says
from deniable.collect.places import open_store

ASKED = """
import { design, disguise } from "./module.js";
const sent = [{ smokes: "no" }, { smokes: "no", often: "daily" }].map((answers) => disguise(design, answers));
console.log(sent[0].length === sent[1].length, ...sent.map((each) => JSON.parse(each).answers.often));
for (const none of [null, undefined]) try { disguise(design, none); } catch ({ message }) { console.log(message); }
"""


def survey():
    return dn.Design([dn.warner(0.8, dn.yes_no("smokes", "Do you smoke?"))], title="Smoking")


@pytest.fixture
def path(tmp_path):
    survey().save(tmp_path / "smoking.toml")
    return tmp_path / "smoking.toml"


def test_the_address_of_the_site_is_taken_from_the_environment(path, tmp_path, monkeypatch):
    deniable_says("page", path, "--url", "https://x.org", "-o", tmp_path / "given.html")
    monkeypatch.setenv("DENIABLE_URL", "https://x.org")
    deniable_says("invite", path, "--store", f"sqlite:///{tmp_path}/s.sqlite", "--count", 1, "-o", tmp_path / "links")
    assert (tmp_path / "links").read_text().startswith("https://x.org/survey/")
    deniable_says("page", path, "-o", tmp_path / "set.html")
    assert (tmp_path / "set.html").read_bytes() == (tmp_path / "given.html").read_bytes()
    deniable_says("page", path, "--module", "-o", tmp_path / "module.js")


def test_a_module_is_made_of_the_published_design_too(path, tmp_path):
    with open_store(f"sqlite:///{tmp_path}/s.sqlite") as store:
        issued = store.issue(survey())
    for name, design in (("plain", survey()), ("issued", issued)):
        (tmp_path / f"{name}.json").write_text(design.to_json())
        said = deniable_says("page", tmp_path / f"{name}.json", "--module", "-o", tmp_path / f"{name}.js")
        assert f"survey {design.fingerprint[:16]}" in said
        assert f'moduleOf("{design.fingerprint}"' in (tmp_path / f"{name}.js").read_text()
    deniable_says("page", path, "--module", "-o", tmp_path / "toml.js")
    assert (tmp_path / "toml.js").read_bytes() == (tmp_path / "plain.js").read_bytes()


def test_who_is_not_asked_may_have_any_answer_or_none_and_no_answers_at_all_are_refused(tmp_path):
    often = dn.Question("often", ["never", "daily"], ask_if="smokes == 'yes'", otherwise="never")
    dn.Design([dn.clear(dn.yes_no("smokes")), dn.clear(often)]).save(tmp_path / "d.toml")
    deniable_says("page", tmp_path / "d.toml", "--module", "-o", tmp_path / "module.js")
    (tmp_path / "asked.mjs").write_text(ASKED)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    told = subprocess.run(["node", "asked.mjs"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    refused = "expected the answers by the names of their questions"
    assert told.splitlines() == ["true never never", refused, refused]

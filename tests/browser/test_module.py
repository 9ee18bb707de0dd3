"""The disguise as a module, in pages of others: the bytes are those of a reply, and SurveyJS sends nothing else."""

import json
import re
import shutil
import subprocess
import tarfile
import threading
from collections import Counter
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import expect

import deniable as dn
from browser.family import designs
from browser.visit import Ear
from deniable.cli.main import run
from deniable.collect.places import open_store
from deniable.collect.reply import ReplyReader
from deniable.web.module import disguise_module
from serving import serving

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "surveyjs"
PACKED = {
    "survey-core": ["survey.core.min.js", "survey-core.fontless.min.css"],
    "survey-js-ui": ["survey-js-ui.min.js"],
}
DRAW = """
import { design, disguise, fingerprint } from "./deniable.js";
const [answers, count, personal] = process.argv.slice(2).map((each) => JSON.parse(each));
const many = Array.from({ length: count }, () => disguise(design, answers, personal));
console.log(JSON.stringify({ fingerprint, many }));
"""


def made(design, folder, capsys):
    """The module of a design, and the hash that the command prints."""
    design.save(folder / "design.toml")
    with pytest.raises(SystemExit) as ended:
        run(["page", str(folder / "design.toml"), "--module", "-o", str(folder / "deniable.js")])
    assert ended.value.code == 0
    (told,) = re.findall(r"SHA-256 ([0-9a-f]{64})", " ".join(capsys.readouterr().out.split()))
    assert sha256((folder / "deniable.js").read_bytes()).hexdigest() == told
    return told


def drawn(folder, answers, count=1, personal=None, program=DRAW):
    """What Node gets from the module; or what it complains of."""
    (folder / "draw.mjs").write_text(program)
    given = [json.dumps(answers), str(count), json.dumps(personal or {})]
    told = subprocess.run(["node", "draw.mjs", *given], cwd=folder, capture_output=True, text=True, check=False)
    return json.loads(told.stdout) if told.returncode == 0 else told.stderr


def test_the_module_draws_by_the_published_chances(tmp_path, capsys, figure):
    design = dn.Design(
        [
            dn.warner(0.8, dn.yes_no("smokes"), dn.yes_no("leave")),
            dn.k_ary(0.7, dn.Question("drinks", ["never", "sometimes", "daily"])),
            dn.clear(dn.number("age", 18, 80, integer=True, omit=True)),
        ]
    )
    told = made(design, tmp_path, capsys)
    assert made(design, tmp_path, capsys) == told  # anybody gets the same
    found = drawn(tmp_path, {"smokes": "yes", "leave": "no", "drinks": "daily", "age": None}, 4_000)
    assert found["fingerprint"] == design.fingerprint
    read = [ReplyReader(design).read(body.encode()) for body in found["many"]]
    assert len({reply.id for reply in read}) == 4_000
    assert len({len(body) for body in found["many"]}) == 1
    cells = Counter(reply.values for reply in read)
    assert {values[:2] for values in cells} == {(1, 0), (0, 1)}  # one draw for both
    truth = sum(n for values, n in cells.items() if values[0] == 1) / 4_000
    kept = sum(n for values, n in cells.items() if values[2] == 2) / 4_000
    figure("module: share of truths at theta .8", truth)
    assert abs(truth - 0.8) < 0.036  # 5.7 standard errors
    assert abs(kept - 0.7) < 0.042


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ({"smokes": "perhaps"}, 'one of the answers to "smokes"'),
        ({}, 'one of the answers to "smokes"'),
        ({"smokes": "yes", "age": 17}, 'a whole number from 18 to 80 for "age"'),
        ({"smokes": "yes", "age": "43"}, 'a whole number from 18 to 80 for "age"'),
    ],
)
def test_answers_that_the_design_does_not_have_are_refused(tmp_path, capsys, answers, told):
    design = dn.Design([dn.warner(0.8, dn.yes_no("smokes")), dn.clear(dn.number("age", 18, 80, integer=True))])
    made(design, tmp_path, capsys)
    complaint = drawn(tmp_path, answers)
    assert told in complaint
    assert "perhaps" not in complaint


def test_another_design_is_refused(tmp_path, capsys):
    made(dn.Design([dn.warner(0.8, dn.yes_no("smokes"))]), tmp_path, capsys)
    program = DRAW.replace("disguise(design,", "disguise({ ...design, title: 'other' },")
    assert "to no other" in drawn(tmp_path, {"smokes": "yes"}, program=program)


def test_versions_are_drawn_first(tmp_path, capsys):
    questions = [dn.yes_no("income"), *(dn.yes_no(f"q{place}") for place in range(4))]
    design = dn.Design([dn.draw(dn.epsilon(2), *questions, always=["income"], ask=2)])
    made(design, tmp_path, capsys)
    program = """
import { asked, design, disguise, versions } from "./deniable.js";
const many = Array.from({ length: 50 }, () => {
  const mine = versions(design);
  const names = asked(design, mine);
  return disguise(design, { ...mine, ...Object.fromEntries(names.map((name) => [name, "yes"])) });
});
console.log(JSON.stringify({ many }));
"""
    read = [ReplyReader(design).read(body.encode()) for body in drawn(tmp_path, {}, program=program)["many"]]
    assert len({reply.values[0] for reply in read}) > 1
    assert "draw them with versions(design)" in drawn(tmp_path, dict.fromkeys(design.names, "yes"))


EVERY = """
const found = [];
for (let index = 0; index < Number(process.argv[3]); index += 1) {
  const { asked, design, disguise, versions } = await import(`./module${index}.js`);
  const chosen = design.channels.filter((block) => block.chosen).map((block) => [block.column, block.versions[0].name]);
  const mine = { ...versions(design), ...Object.fromEntries(chosen) };
  const channels = design.channels.flatMap((block) =>
    block.versions === undefined
      ? [block]
      : block.versions.find(({ name }) => name === mine[block.column]).channels.map((each) =>
          ({ ...each, lottery: block.lotteries[each.lottery] })));
  const answers = Object.entries(mine), personal = []; // a question may be called __proto__
  for (const { name, answers: words, low } of [...design.questions, ...(design.unsent ?? [])]) {
    const channel = channels.find(({ group }) => group.includes(name));
    const own = channel?.drawn_by === "respondent" ? channel.lottery[0].reported : undefined;
    answers.push([name, own?.[0] ?? words?.[0] ?? Number(low)]);
    personal.push([name, words?.[0]]);
  }
  found.push([disguise(design, Object.fromEntries(answers), Object.fromEntries(personal)), asked(design, mine).length]);
}
console.log(JSON.stringify(found));
"""


def test_every_scheme_passes_through_the_module(tmp_path, figure):
    family = list(designs().values())
    for place, design in enumerate(family):
        (tmp_path / f"module{place}.js").write_text(disguise_module(design))
    (tmp_path / "package.json").write_text('{"type": "module"}')
    found = drawn(tmp_path, {}, len(family), program=EVERY)
    assert isinstance(found, list), found
    for design, (body, asked) in zip(family, found, strict=True):
        ReplyReader(design).read(body.encode())
        assert 0 < asked <= len(design.names)
    figure("module: designs whose replies the site takes", f"{len(found)} of {len(family)}")


# ---------------------------------------------------------------- in SurveyJS


class Quiet(SimpleHTTPRequestHandler):
    """Files of a folder, and no log."""

    def log_message(self, *words):
        """Say nothing."""


@pytest.fixture
def hosted(tmp_path):
    """The example as another web server has it, at another origin than the survey site's."""
    folder = tmp_path / "host"
    shutil.copytree(EXAMPLE, folder)
    for package, names in PACKED.items():
        archive = ROOT / ".venv" / f"{package}.tgz"
        assert archive.exists(), f"{archive} is missing; `make surveyjs` fetches it"
        with tarfile.open(archive) as packed:
            for name in names:
                (folder / name).write_bytes(packed.extractfile(f"package/{name}").read())
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield folder, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_surveyjs_sends_the_disguised_bytes_and_nothing_else(hosted, context, page, tmp_path, capsys):
    folder, host = hosted
    design = dn.Design(
        [
            dn.lookup(dn.Question("smokes", ["TRUTH-no", "TRUTH-yes"]), [[0.2, 0.7], [0.8, 0.3]], ["red", "black"]),
            dn.gaussian(dn.number("age", 18, 80, integer=True), privacy=0.5),
        ],
        title="Health at work",
    )
    made(design, folder, capsys)
    store = f"sqlite:///{tmp_path}/store.sqlite"
    with serving([folder / "design.toml"], store, tmp_path) as site:
        text = (folder / "index.html").read_text().replace("http://127.0.0.1:8000", site.url)
        (folder / "index.html").write_text(text)
        ear = Ear(context)
        page.goto(f"{host}/index.html")
        page.get_by_text("TRUTH-yes", exact=True).click()
        page.get_by_role("spinbutton").fill("43")
        page.get_by_role("button", name="Complete").click()
        expect(page.get_by_text("Your disguised reply was received.")).to_be_visible()
        (sent,) = ear.sent()
        reply = ReplyReader(design).read(sent.encode())
        assert "TRUTH" not in ear.heard()
        assert "TRUTH" not in page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie])")
        posts = [each for each in ear.requests if each.method == "POST"]
        assert [each.url for each in posts] == [f"{site.url}/survey/{design.fingerprint}/replies"]
        assert {each.url.split("/")[2] for each in ear.requests} == {host[7:], site.url[7:]}
        with open_store(store) as opened:
            assert [row[:2] for row in opened.grouped(design.fingerprint, [0, 1])] == [reply.values]
        page.reload()
        page.get_by_text("TRUTH-no", exact=True).click()
        page.get_by_role("spinbutton").fill("20")
        page.get_by_role("button", name="Complete").click()
        expect(page.get_by_text("You have replied already.")).to_be_visible()
        assert len(ear.sent()) == 1

"""Replies to designs with versions: what does not fit its version is refused, and what fits is stored as it came."""

import json
import secrets
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest

import deniable as dn
from deniable.cli.main import run
from deniable.collect.places import open_store
from deniable.collect.reply import ReplyReader
from deniable.collect.store import Arrival, Outcome
from deniable.count.stored import StoreCounts, stored_replies
from deniable.device.sending import letters
from deniable.device.vectors import vectors
from deniable.errors import BadReply, DeniableError
from serving import serving

SMOKES, DRINKS = dn.yes_no("smokes"), dn.yes_no("drinks")
AGE = dn.number("age", 0, 1024, integer=True)  # its grid has a step of 1
WEIGHT = dn.number("weight", 0, 1024, omit=True)
DESIGN = dn.Design(
    [
        dn.versions(
            {
                "far": [dn.forced(0.1, 0.2, SMOKES), dn.uniform(AGE, half_width=50), dn.uniform(WEIGHT, half_width=8)],
                "near": [dn.uniform(AGE, half_width=5), dn.lookup(SMOKES, [[0.7, 0.2], [0.3, 0.8]], ["red", "black"])],
                "direct": [dn.clear(SMOKES, AGE)],
            },
            column="arm",
        ),
        dn.versions({"strong": dn.warner(0.7, DRINKS), "none": dn.clear(DRINKS)}, column="kind", chosen=True),
    ]
)
FAR = {"arm": "far", "kind": "none", "smokes": "yes", "age": -40.0, "weight": None, "drinks": "no"}
NEAR = {"arm": "near", "kind": "strong", "smokes": "red", "age": 1027.0, "weight": None, "drinks": "yes"}
DIRECT = {"arm": "direct", "kind": "none", "smokes": "no", "age": 1024.0, "weight": None, "drinks": "no"}
FITTING = (FAR, {**FAR, "weight": 1030.0}, NEAR, DIRECT)
HOSTILE = {
    "a version that is none": ({**FAR, "arm": "nearer"}, "arm"),
    "no version": ({**FAR, "arm": None}, "arm"),
    "a version by its number": ({**FAR, "arm": 0.0}, "arm"),
    "no choice": ({**FAR, "kind": None}, "kind"),
    "a version of another block": ({**FAR, "kind": "far"}, "kind"),
    "words of another version": ({**FAR, "smokes": "red"}, "smokes"),
    "true words where cards are shown": ({**NEAR, "smokes": "yes"}, "smokes"),
    "noise of another version": ({**NEAR, "age": -40.0}, "age"),
    "noise where there is none": ({**DIRECT, "age": 1027.0}, "age"),
    "beside the grid": ({**FAR, "age": -40.5}, "age"),
    "an answer that was not asked for": ({**NEAR, "weight": 100.0}, "weight"),
    "a word that was not asked for": ({**DIRECT, "weight": "SECRET"}, "weight"),
    "null where it was asked": ({**FAR, "smokes": None}, "smokes"),
    "null where a choice was made": ({**FAR, "drinks": None}, "drinks"),
    "no number where it was asked": ({**DIRECT, "age": None}, "age"),
}


def body(answers: dict[str, Any]) -> bytes:
    return json.dumps({"id": secrets.token_hex(16), "design": DESIGN.fingerprint, "answers": answers}).encode()


@pytest.mark.parametrize(("answers", "name"), HOSTILE.values(), ids=HOSTILE)
def test_answers_that_do_not_fit_their_version_are_refused_by_name(answers, name):
    with pytest.raises(BadReply, match=repr(name)) as refused:
        ReplyReader(DESIGN).read(body(answers))
    sent = answers[name]
    assert sent is None or str(sent) not in str(refused.value)


def test_a_column_of_versions_can_neither_be_left_out_nor_made_up():
    reader = ReplyReader(DESIGN)
    for answers in ({key: value for key, value in FAR.items() if key != "arm"}, {**FAR, "version": "far"}):
        with pytest.raises(BadReply, match="every question of the design and no other"):
            reader.read(body(answers))


@pytest.fixture
def site(store_url, tmp_path):
    DESIGN.save(tmp_path / "design.toml")
    with serving([tmp_path / "design.toml"], store_url, tmp_path) as server:
        yield server


def test_the_door_takes_what_fits_and_nothing_else(site, store_url):
    door = f"/survey/{DESIGN.fingerprint}/replies"
    for answers, name in HOSTILE.values():
        status, told, _ = site.request("POST", door, body(answers))
        assert status == 400
        assert repr(name) in json.loads(told)["error"]
        assert b"SECRET" not in told
    for answers in FITTING:
        assert site.request("POST", door, body(answers))[0] == 201
    found = stored_replies(DESIGN, store_url).to_pylist()
    assert sorted(found, key=str) == sorted(FITTING, key=str)
    log = site.log.read_text()
    assert "Traceback" not in log
    assert "SECRET" not in log


def kept(store_url: str, design: dn.Design, bodies: Sequence[bytes]) -> None:
    """Read replies and store them."""
    reader = ReplyReader(design)
    with open_store(store_url) as store:
        store.enrol(design)
        assert set(store.keep([Arrival(design.fingerprint, reader.read(each)) for each in bodies])) == {Outcome.STORED}


def test_every_reply_of_a_device_is_stored_as_it_was_sent(store_url):
    sent = vectors(DESIGN, 500, 1)["reported"]
    table = pa.table(dict(zip(DESIGN.columns, map(list, zip(*sent, strict=True)), strict=True)))
    kept(store_url, DESIGN, [letter.body for letter in letters(DESIGN, table)])
    found = stored_replies(DESIGN, store_url).to_pylist()
    assert sorted(map(str, found)) == sorted(map(str, table.to_pylist()))


def test_estimates_from_a_store_are_those_from_the_replies(store_url):
    people = pa.table(
        {
            "kind": ["strong", "none"] * 500, "smokes": ["no", "no", "no", "yes"] * 250, "drinks": ["yes", "no"] * 500,
            "age": [300.0] * 1000, "weight": [70.0] * 1000,
        }
    )  # fmt: skip
    replies = dn.disguise(DESIGN, people, seed=2)
    kept(store_url, DESIGN, [letter.body for letter in letters(DESIGN, replies)])
    counts = StoreCounts(DESIGN, store_url)
    for expression in ("smokes == 'yes'", "drinks == 'yes'", "smokes == 'yes' and drinks == 'yes'"):
        assert dn.estimate(DESIGN, counts, expression) == dn.estimate(DESIGN, replies, expression)


def test_simulated_respondents_send_their_versions(site, store_url, tmp_path, capsys):
    people = {"kind": ["none", "strong"] * 20, "smokes": ["yes"] * 40, "drinks": ["no"] * 40, "age": [40] * 40}
    pa_csv.write_csv(pa.table({**people, "weight": [None, 70.5] * 20}), tmp_path / "people.csv")
    words = ["simulate", str(tmp_path / "design.toml"), str(tmp_path / "people.csv"), "--url", site.url]
    with pytest.raises(SystemExit) as ended:
        run(words)
    assert ended.value.code == 0, capsys.readouterr().err
    found = stored_replies(DESIGN, store_url).to_pylist()
    assert sorted(row["kind"] for row in found) == sorted(people["kind"])
    assert all(row["drinks"] == "no" for row in found if row["kind"] == "none")
    assert all((row["smokes"], row["age"]) == ("yes", 40) for row in found if row["arm"] == "direct")


def test_as_many_versions_as_there_may_be():
    asked = [dn.yes_no(f"q{index}") for index in range(15)]
    design = dn.Design([dn.draw(0.3, *asked, ask=5)])  # 3,003 versions
    sent = vectors(design, 50, 1)["reported"]
    table = pa.table(dict(zip(design.columns, map(list, zip(*sent, strict=True)), strict=True)))
    reader = ReplyReader(design)
    for letter in letters(design, table):
        assert reader.read(letter.body).values
    with pytest.raises(DeniableError):
        dn.draw(0.3, *asked, dn.yes_no("one more"), ask=8)

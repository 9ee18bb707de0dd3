"""True answers that Spark reads: pilots, first designs and simulated respondents are those of the file read here."""

import datetime
import json

import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deniable as dn
from commands import command
from deniable.collect.places import open_store
from deniable.frame import in_memory
from deniable.frame.spark import frame_at
from deniable.frame.suggest import suggest
from deniable.frame.suggest_spark import suggest_spark
from serving import serving

pytestmark = [
    pytest.mark.engines,
    pytest.mark.xdist_group("pyspark"),
    pytest.mark.usefixtures("session"),
]

ON_SPARK = ["--engine", "spark", "--master", "local[1]"]
PEOPLE = 300
DESIGN = dn.Design(
    [dn.warner(0.9, dn.yes_no("smo.kes")), dn.warner(0.8, dn.yes_no("b")), dn.warner(0.9, dn.yes_no("leave"))],
    target="leave",
)


def people():
    rng = np.random.default_rng(1)
    x = rng.integers(0, 100, PEOPLE)
    return pd.DataFrame(
        {
            "smo.kes": rng.choice(["yes", "no"], PEOPLE),
            "b": rng.choice(["yes", "no"], PEOPLE),
            "leave": np.where(rng.random(PEOPLE) < x / 100, "yes", "no"),
            "x": x,
            "town": np.array(["east", "west", "north"])[x % 3],
            "name": [f"person {index}" for index in range(PEOPLE)],
        }
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    DESIGN.save("d.toml")
    people().to_csv("p.csv", index=False)
    people().to_json("p.jsonl", orient="records", lines=True)
    return tmp_path


def refusal(capsys, *words):
    code, out, err = command(capsys, *words)
    assert (code, out, len(err.splitlines())) == (2, "", 1), err
    return err


def queries(session):
    return session._jsparkSession.sharedState().statusStore().executionsCount()


ASKED = {
    "accuracy": lambda pilot: dn.plan(DESIGN, pilot=pilot, replies=500, accuracy=0.7),
    "coefficients": lambda pilot: dn.plan(DESIGN, pilot=pilot, formula="leave ~ `smo.kes` + x + town", replies=1_000),
    "advice": lambda pilot: dn.advise(DESIGN, pilot=pilot, n=1_000),
}


@pytest.mark.parametrize("what", ASKED)
@pytest.mark.parametrize("partitions", [1, 3])
def test_pilots_tell_what_those_in_memory_tell_and_are_read_once(session, what, partitions):
    frame = session.createDataFrame(pa.Table.from_pandas(people(), preserve_index=False)).coalesce(1)
    if partitions > 1:
        frame = frame.filter("x < 40").union(frame.filter("x >= 40 and x < 70")).union(frame.filter("x >= 70"))
    here = frame.toArrow().to_pandas()
    before = queries(session)
    found = ASKED[what](frame)
    assert queries(session) - before == 1
    assert found.to_json() == ASKED[what](here).to_json()
    assert isinstance(found.table, pa.Table)


@pytest.mark.parametrize("kind", ["polars", "duckdb", "dask"])
@pytest.mark.parametrize("what", ASKED)
def test_pilots_may_be_lazy_frames_of_any_engine(kind, what):
    table = pa.Table.from_pandas(people(), preserve_index=False)
    lazy = {
        "polars": lambda: pl.from_arrow(table).lazy(),
        "duckdb": lambda: duckdb.from_arrow(table),
        "dask": lambda: dd.from_pandas(people(), npartitions=3),
    }
    found = ASKED[what](lazy[kind]())
    assert found.to_json() == ASKED[what](people()).to_json()
    assert isinstance(found.table, pa.Table)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda frame: frame.drop("b"), "no column for question 'b'; the columns are smo.kes, leave, x, town, name"),
        (lambda frame: frame.toDF(*"aabcde"), "a frame with different column names, got 'a'"),
        (lambda frame: frame.filter("x > 1000"), "has no rows"),
        (lambda frame: frame.limit(20), "30 people or more, got 20"),
        (lambda frame: frame.union(frame), "of 500 people at most, since they are read into memory, got more; "
         "give a random sample of them"),
    ],
)  # fmt: skip
def test_pilots_that_cannot_be_taken_are_refused_in_one_line(session, monkeypatch, change, words):
    monkeypatch.setattr(in_memory, "MAX_ROWS", 500)
    frame = change(session.createDataFrame(pa.Table.from_pandas(people(), preserve_index=False)))
    for what in ("accuracy", "advice"):
        with pytest.raises(dn.DeniableError) as refused:
            ASKED[what](frame)
        assert words in str(refused.value)
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize("path", ["p.csv", "p.jsonl"])
@pytest.mark.parametrize(
    "words",
    [
        ["plan", "d.toml", "--accuracy", "0.7", "--replies", "500"],
        ["plan", "d.toml", "--formula", "leave ~ b + x + town", "--replies", "1000"],
        ["advise", "d.toml", "b == 'yes'", "--replies", "1000"],
    ],
    ids=" ".join,
)
def test_commands_plan_on_a_pilot_that_spark_reads(folder, capsys, path, words):
    found, here = (
        command(capsys, *words, "--pilot", at, "--json", *how) for at, how in ((folder / path, ON_SPARK), (path, []))
    )
    assert found[0] == 0, found
    assert json.loads(found[1]) == json.loads(here[1])


@pytest.mark.parametrize("name", ["plan", "advise"])
@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--pilot", "p.csv", "--master", "local[1]"], "add --engine spark"),
        (ON_SPARK, "--engine must be given with --pilot"),
        (["--pilot", "sqlite:///s", *ON_SPARK], "--pilot must be true answers in files"),
        (["--pilot", "nowhere.csv", *ON_SPARK], "nowhere.csv: is not there; check the path"),
        (["--pilot", "ragged.csv", *ON_SPARK], "ragged.csv: has a row that does not fit its header"),
        (["--pilot", "marked.csv", *ON_SPARK], "marked.csv: holds disguised replies"),
        (["--pilot", "marked.csv"], "marked.csv: holds disguised replies"),
    ],
)
def test_pilots_that_commands_cannot_take_are_refused_in_one_line(folder, capsys, name, words, line):
    (folder / "ragged.csv").write_text((folder / "p.csv").read_text() + "yes,secret\n")
    people().assign(_design="0" * 16).to_csv("marked.csv", index=False)
    words = [folder / word if word.endswith("csv") else word for word in words]
    err = refusal(capsys, name, "d.toml", *words)
    assert line in err
    assert "secret" not in err


def everything():
    """Columns of every kind that a first design tells apart."""
    rng = np.random.default_rng(4)
    steps = np.arange(PEOPLE)
    often = rng.choice(["never", "weekly", "daily"], PEOPLE).astype(object)
    return pd.DataFrame(
        {
            "z.last": rng.choice(["no", "yes"], PEOPLE),
            "often": np.where(steps % 9, often, None),
            "age": rng.integers(18, 80, PEOPLE),
            "pay": np.round(rng.gamma(2, 1_000, PEOPLE), 2),
            "hours": np.where(steps % 7, np.round(rng.normal(40, 3, PEOPLE), 1), np.nan),
            "few": rng.choice([0.5, 1.0, 2.5], PEOPLE),
            "bit": rng.integers(0, 2, PEOPLE),
            "code": [f"0{index % 40}" for index in steps],
            "id": steps + 7,
            "half": steps + 0.5,
            "name": [f"person {index}" for index in steps],
            "many": [f"town {index % 200}" for index in steps],
            "same": "x",
            "empty": pd.Series([None] * PEOPLE, dtype=object),
            "most": np.where(steps < 250, 3.5, np.round(rng.normal(3, 1, PEOPLE), 1)),
            "infinite": [f"1e{index}" for index in range(250, 250 + PEOPLE)],
            "refused": rng.choice(["no", "yes", "prefer not to say"], PEOPLE),
        }
    )


HOW = {"noise": (None, False), "median": ("median", False), "midrange": ("midrange", True), "bands": (None, True)}


def told(found):
    return found.design.to_json(), dict(found.left_out), found.gaps, found.rows


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_first_designs_are_those_of_the_file_read_here(session, folder, kind, how):
    path = folder / f"all.{kind}"
    if kind == "csv":
        everything().to_csv(path, index=False)
    elif kind == "jsonl":
        everything().to_json(path, orient="records", lines=True)
    else:
        table = pa.Table.from_pandas(everything(), preserve_index=False)
        lists = pa.array([[1], [2, 3]] * (PEOPLE // 2))
        days = pa.array([datetime.date(2020, 1, 1 + index % 5) for index in range(PEOPLE)])
        flags = pa.array([True, False, None] * (PEOPLE // 3))
        pq.write_table(table.append_column("lists", lists).append_column("d", days).append_column("f", flags), path)
    cut, bands = HOW[how]
    frame = frame_at(None, str(path))
    before = queries(session)
    found = suggest_spark(frame, str(path), cut, bands)
    assert queries(session) - before <= 6
    assert told(found) == told(suggest(path, cut, bands=bands))


@pytest.mark.parametrize("seed", range(5))
def test_cuts_are_the_same_to_the_last_digit(session, tmp_path, seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(5, 200))
    pd.DataFrame({f"n{index}": rng.normal(0, 1, count).round(int(rng.integers(1, 12))) for index in range(8)}).to_csv(
        tmp_path / "n.csv", index=False
    )
    for cut, bands in HOW.values():
        found, here = (
            suggest_spark(frame_at(None, str(tmp_path / "n.csv")), "n.csv", cut, bands),
            suggest(tmp_path / "n.csv", cut, bands=bands),
        )
        assert told(found) == told(here)


@pytest.mark.parametrize("words", [[], ["--binary", "median"], ["--epsilon", "2"]], ids=" ".join)
def test_new_writes_the_same_design_from_a_path_of_spark(folder, capsys, words):
    made = []
    for at, how in ((folder / "p.csv", []), ((folder / "p.csv").as_uri(), ON_SPARK)):
        code, out, err = command(capsys, "new", at, "-o", "first.toml", *words, *how)
        assert code == 0, err
        made.append(((folder / "first.toml").read_text(), out.replace(str(at), "DATA")))
    assert made[0] == made[1]


def test_a_folder_gives_a_design_its_title(session, folder, capsys):
    (folder / "our survey").mkdir()
    people().to_parquet(folder / "our survey" / "1.parquet")
    assert command(capsys, "new", folder / "our survey", "-o", "first.toml", *ON_SPARK)[0] == 0
    assert dn.Design.load("first.toml").title == "our survey"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["p.csv", "--master", "local[1]"], "add --engine spark"),
        (["form.xlsx", *ON_SPARK], "--engine must be left out for an XLSForm"),
        (["sqlite:///s", *ON_SPARK], "DATA must be true answers in files"),
        (["nowhere.csv", *ON_SPARK], "nowhere.csv: is not there; check the path"),
        (["rowless.csv", *ON_SPARK], "rowless.csv has no rows, expected at least one"),
        (["names.csv", *ON_SPARK], "names.csv: has no column that could be a question (name: words that are different"),
    ],
)
def test_data_that_give_no_design_are_refused_in_one_line(folder, capsys, words, line):
    (folder / "rowless.csv").write_text("a,b\n")
    people()[["name"]].to_csv("names.csv", index=False)
    words = [folder / word if word.endswith("csv") else word for word in words]
    assert line in refusal(capsys, "new", *words, "-o", "first.toml")
    assert not (folder / "first.toml").exists()


@pytest.mark.parametrize("disguised", [False, True])
def test_everybody_whom_spark_reads_replies(folder, capsys, disguised):
    data, asked = folder / "p.csv", dn.Design([dn.clear(dn.yes_no(name)) for name in DESIGN.names], title="Clear")
    asked.save("clear.toml")
    if disguised:
        data = folder / "replies.csv"
        assert command(capsys, "disguise", "clear.toml", "p.csv", "-o", data)[0] == 0
    with serving([folder / "clear.toml"], f"sqlite:///{folder}/store.sqlite", folder) as server:
        code, out, err = command(capsys, "simulate", "clear.toml", data, "--url", server.url, *ON_SPARK)
        assert (code, f"{PEOPLE} replies sent" in out) == (0, True), err
    for name in asked.names:
        share = dn.estimate(asked, f"sqlite:///{folder}/store.sqlite", f"`{name}` == 'yes'").value
        assert share == pytest.approx(float((people()[name] == "yes").mean()))
    with open_store(f"sqlite:///{folder}/store.sqlite") as store:
        assert store.count(asked.fingerprint) == PEOPLE


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["p.csv", "--master", "local[1]"], "add --engine spark"),
        (["reply.json", *ON_SPARK], "--engine must be left out for a reply that a page saved"),
        (["postgresql://s", *ON_SPARK], "DATA must be true answers in files"),
        (["other.csv", *ON_SPARK], "no column for question 'smo.kes', 'b', 'leave'"),
        (["odd.csv", *ON_SPARK], "odd.csv: question 'b' has no answer 'maybe'"),
        (["marked.csv", *ON_SPARK], "marked.csv: "),
        (["p.csv", *ON_SPARK], "p.csv: DATA must be of 100 people at most, since they are read into memory, got more; "
         "send them in parts"),
    ],
)  # fmt: skip
def test_data_that_nobody_could_send_are_refused_in_one_line(folder, capsys, monkeypatch, words, line):
    monkeypatch.setattr(in_memory, "MAX_ROWS", 100)
    (folder / "other.csv").write_text("a,c\n1,2\n")
    people()[:50].replace({"b": {"yes": "maybe"}}).to_csv("odd.csv", index=False)
    people()[:50].assign(_design="0" * 16).to_csv("marked.csv", index=False)
    words = [folder / word if word.endswith("csv") else word for word in words]
    assert line in refusal(capsys, "simulate", "d.toml", *words, "--url", "http://127.0.0.1:9", "--patience", 0)


def test_attacks_on_spark_are_counted_against_people_whose_replies_are_drawn_anew(session, folder, capsys):
    mood = dn.Question("mo.od", ["good", "fair", "bad"])
    rng, count = np.random.default_rng(2), 4_000
    left = rng.random(count) < 0.3
    true = pd.DataFrame(
        {
            "leave": np.where(left, "yes", "no"),
            "mo.od": np.where(left, "bad", rng.choice(["good", "fair"], count)),
            "drinks": rng.choice(["yes", "no"], count),
        }
    )
    for name, asked in {
        "apart": dn.Design([dn.warner(0.8, dn.yes_no("leave")), dn.k_ary(0.8, mood), dn.clear(dn.yes_no("drinks"))]),
        "drawn": dn.Design([dn.draw(dn.epsilon(2), dn.yes_no("leave"), mood, always=["leave"], ask=1)]),
    }.items():
        replies = dn.disguise(asked, true, seed=3)
        here = dn.attack(asked, replies, true)
        frames = [session.createDataFrame(pa.Table.from_pandas(each)).repartition(3) for each in (replies, true)]
        there = dn.attack(asked, *frames)
        assert there.counted
        assert there.redrawn == 1000
        for one, other in ((here.answers, there.answers), (here.records, there.records)):
            assert other.guessed == pytest.approx(one.guessed, abs=0.06)  # three standard errors of 1,000 people
            assert other.from_margins == pytest.approx(one.from_margins, abs=0.06)
        assert "with replies drawn anew, since Spark keeps no order" in there.to_json()["note"]
        assert there.answers.guessed <= there.bounds.answers
        asked.save(f"{name}.toml")
        replies.assign(_design=asked.fingerprint[:16]).to_csv("replies.csv", index=False)
        true.to_csv("true.csv", index=False)
        given = [folder / "replies.csv", "--true", folder / "true.csv"]
        made = command(capsys, "attack", f"{name}.toml", *given, "--json", *ON_SPARK)
        assert made[0] == 0, made
        assert json.loads(made[1])["answers"]["guessed"] == pytest.approx(there.answers.guessed, abs=0.06)
    with pytest.raises(dn.DeniableError, match="no column for question 'drinks'"):
        dn.attack(asked := dn.Design([dn.warner(0.8, dn.yes_no("drinks"))]), dn.disguise(asked, true),
                  frames[1].drop("drinks"))  # fmt: skip


def test_attacks_on_spark_refuse_people_who_chose_and_nobody(session):
    leave = dn.yes_no("leave")
    chosen = dn.versions({"a": [dn.warner(0.9, leave)], "b": [dn.clear(leave)]}, column="arm", chosen=True)
    true = session.createDataFrame([("yes",), ("no",)] * 20, "leave string")
    replies = pd.DataFrame({"arm": ["a", "b"] * 20, "leave": ["yes", "no"] * 20})
    with pytest.raises(dn.DeniableError, match="where people chose their version"):
        dn.attack(dn.Design([chosen]), replies, true)
    with pytest.raises(dn.DeniableError, match="at least one person's answers"):
        dn.attack(dn.Design([dn.warner(0.9, leave)]), replies[["leave"]], true.limit(0))

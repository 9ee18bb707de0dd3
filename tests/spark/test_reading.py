"""What Spark reads and what it cannot: every path of its own kinds, and one line for whatever fails, early or late."""

import gzip
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import deniable as dn
from commands import command
from deniable.count.replies import counts_of
from deniable.device.memory import Memory
from deniable.device.spark import write_disguised
from deniable.learn.model import text_of

pytestmark = [
    pytest.mark.engines,
    pytest.mark.xdist_group("pyspark"),
    pytest.mark.usefixtures("session"),
    pytest.mark.filterwarnings("ignore:.*under which design they were disguised"),
]

ON_SPARK = ["--engine", "spark", "--master", "local[1]"]
DESIGN = dn.Design([dn.warner(0.8, dn.yes_no(name)) for name in ("a", "b", "leave")], target="leave")


@pytest.fixture(scope="module")
def replies():
    rng = np.random.default_rng(3)
    true = pd.DataFrame({name: rng.choice(["yes", "no"], 300, p=[0.3, 0.7]) for name in DESIGN.names})
    return dn.disguise(DESIGN, true, seed=1).assign(_design=DESIGN.fingerprint[:16])


@pytest.fixture
def folder(tmp_path, monkeypatch, replies):
    """A design, its replies as csv, and these in every wrong form."""
    monkeypatch.chdir(tmp_path)
    DESIGN.save("d.toml")
    text = replies.to_csv(index=False)
    rows = text.splitlines()
    (tmp_path / "r.csv").write_text(text)
    (tmp_path / "r.csv.gz").write_bytes(gzip.compress(text.encode()))
    for name in ("halves", "mixed", "heads", "none", "unknown"):
        (tmp_path / name).mkdir()
    (tmp_path / "halves/1.csv").write_text("\n".join(rows[:100]))
    (tmp_path / "halves/2.csv.gz").write_bytes(gzip.compress("\n".join([rows[0], *rows[100:]]).encode()))
    (tmp_path / "mixed/1.csv").write_text(text)
    replies.to_parquet(tmp_path / "mixed/2.parquet")
    (tmp_path / "heads/1.csv").write_text(text)
    replies[["b", "a", "leave"]].to_csv("heads/2.csv", index=False)
    (tmp_path / "unknown/part-0").write_text("no parquet")
    (tmp_path / "bad.parquet").write_text("no parquet either, but longer")
    (tmp_path / "ragged.csv").write_text("\n".join([*rows[:200], "yes,secret", *rows[200:]]))
    (tmp_path / "bad.jsonl").write_text('{"a": "yes", "b": "no", "leave": "no"}\n{"a": "secret"')
    (tmp_path / "twice.csv").write_text(text.replace("a,b,leave", "a,A,leave", 1))
    (tmp_path / "rowless.csv").write_text("a,b,leave\n")
    (tmp_path / "strange.csv").write_text("a,b,leave\nyes,no,secret\n")
    return tmp_path


def refusal(capsys, *words):
    code, out, err = command(capsys, *words)
    lines = [line for line in err.splitlines() if "warning: " not in line]
    assert (code, out, len(lines)) == (2, "", 1), err
    assert "secret" not in err  # what people answered
    return lines[0]


@pytest.mark.parametrize("path", ["r.csv.gz", "halves"])
def test_packed_files_and_folders_of_csv_are_read(folder, capsys, path):
    found, expected = (
        command(capsys, "estimate", "d.toml", at, "a == 'yes'", "--json", *how)
        for at, how in ((folder / path, ON_SPARK), ("r.csv", []))
    )
    assert found == expected
    assert found[0] == 0


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("nowhere.csv", "nowhere.csv: is not there; check the path"),
        ("none", "none: is empty, expected a file or a folder of files"),
        ("mixed", r"mixed: holds files of several kinds (csv, parquet); name one of them: "),
        ("heads", "heads: holds csv files with different headers"),
        ("unknown", "unknown: holds no files of the kind that its ending says (without one: parquet)"),
        ("bad.parquet", "bad.parquet: holds no files of the kind"),
        ("ragged.csv", "ragged.csv: has a row that does not fit its header"),
        ("bad.jsonl", "bad.jsonl: has a row that does not fit its header, or is no proper csv or json"),
        ("twice.csv", "twice.csv: has more than one column 'a' (to Spark, upper and lower case are the same)"),
        ("hdfs:///x", "'hdfs:///x': lies in a file system that does not answer; name its host and port"),
        ("s3a://x/y", "'s3a://x/y': lies in a file system that this Spark has no package for; add the package"),
        ("rowless.csv", "has no rows, expected at least one"),
    ],
)
def test_what_spark_cannot_read_is_refused_in_one_line(folder, capsys, path, words):
    at = path if "://" in path else folder / path
    assert words in refusal(capsys, "estimate", "d.toml", at, "a == 'yes'", *ON_SPARK)


@pytest.mark.parametrize("name", ["tree", "bayes", "attack"])
def test_nothing_is_learnt_from_a_file_without_rows(folder, capsys, name):
    out = [] if name == "attack" else ["-o", "model.json"]
    assert "has no rows, expected at least one" in refusal(
        capsys, name, "d.toml", folder / "rowless.csv", *out, *ON_SPARK
    )
    assert not (folder / "model.json").exists()


@pytest.mark.parametrize("path", ["strange.csv", "ragged.csv", "rowless.csv"])
def test_a_disguise_that_is_refused_leaves_its_path_free(folder, capsys, path):
    disguise = ["disguise", "d.toml", folder / path, "-o", folder / "out", *ON_SPARK]
    if path == "ragged.csv":  # true answers, not replies that say so
        (folder / path).write_text("a,b,leave\nyes,no,no\nyes,secret\n")
    code, _, err = command(capsys, *disguise)
    assert code == 2
    assert "Traceback" not in err
    assert not (folder / "out").exists()
    (folder / path).write_text("a,b,leave\nyes,no,no\n")
    assert "1 replies" in command(capsys, *disguise)[1]
    before = sorted(each.name for each in (folder / "out").iterdir())
    assert "a path that is not there yet" in refusal(capsys, *disguise)
    assert sorted(each.name for each in (folder / "out").iterdir()) == before


@pytest.mark.parametrize("out", ["out.csv", "out.jsonl", "out.csv.gz"])
def test_a_folder_of_parquet_is_not_called_a_csv_file(folder, capsys, out):
    assert "a folder of parquet files" in refusal(capsys, "disguise", "d.toml", "r.csv", "-o", out, *ON_SPARK)


OUT_OF_REACH = [
    ("hdfs://nohost.invalid/x", "'hdfs://nohost.invalid/x': lies in a file system that does not answer"),
    ("d.toml/x", "d.toml/x: cannot be written by Spark"),
]


@pytest.mark.parametrize(("out", "words"), OUT_OF_REACH)
@pytest.mark.parametrize("name", ["disguise", "predict"])
def test_a_path_that_cannot_be_written_is_refused_in_one_line(folder, capsys, replies, name, out, words):
    with pytest.warns(UserWarning, match="do not tell how leave depends"):
        dn.NaiveBayes(DESIGN).fit(replies).save("model.json")
    replies.drop(columns="_design").to_csv("people.csv", index=False)
    at = out if "://" in out else folder / out
    given = "d.toml" if name == "disguise" else "model.json"
    assert words in refusal(capsys, name, given, folder / "people.csv", "-o", at, *ON_SPARK)


def test_a_column_may_have_any_name(session, tmp_path):
    people = session.createDataFrame([("yes", "no", "no", "1"), ("no", "no", "no", "2")], [*DESIGN.names, "i`d."])
    memory = Memory.at(tmp_path / "key", "i`d.")
    assert write_disguised(DESIGN, people, str(tmp_path / "out"), memory=memory) == 2


def test_columns_of_one_name_are_refused_in_one_line(session):
    frame = session.range(1).selectExpr("'yes' as a", "'no' as b", "'no' as leave")
    twice = frame.toDF("a", "a", "leave")
    with pytest.raises(dn.DeniableError, match="a frame with different column names, got 'a'; rename one"):
        dn.estimate(DESIGN, twice, "leave == 'yes'")


def test_rules_of_versions_take_a_query_for_each_level(session):
    design = dn.Design([dn.draw(dn.epsilon(3), *map(dn.yes_no, "abcd"), always=["a"], ask=2)])
    rng = np.random.default_rng(1)
    people = pd.DataFrame({name: rng.choice(["yes", "no"], 2_000) for name in "abcd"})
    answered = dn.disguise(design, people, seed=1)
    frame = session.createDataFrame(pa.Table.from_pandas(answered))
    queries = session._jsparkSession.sharedState().statusStore().executionsCount
    before = queries()
    found = dn.rules(design, counts_of(design, frame), min_support=0.01, min_confidence=0.1)
    assert queries() - before <= 2 * 3 + 1  # one for each level, each with a view that it counts
    expected = dn.rules(design, counts_of(design, answered), min_support=0.01, min_confidence=0.1)
    assert found.equals(expected)


SKIPPING = dn.Design(
    [
        dn.warner(0.8, dn.yes_no("smokes")),
        dn.k_ary(0.8, dn.Question("often", ["rarely", "daily"], ask_if="smokes == 'yes'")),
    ]
)


@pytest.mark.parametrize("of", ["frame", "command"])
def test_who_is_not_asked_needs_no_answer(session, folder, capsys, of):
    rows = [("yes", "daily"), ("no", None), ("yes", "rarely"), ("no", None)]
    if of == "frame":
        replies = dn.disguise(SKIPPING, session.createDataFrame(rows, "smokes string, often string"))
        assert replies.filter("often is not null").count() == 4
        return
    SKIPPING.save("skipping.toml")
    pd.DataFrame(rows, columns=SKIPPING.names).to_csv("people.csv", index=False)
    made = command(capsys, "disguise", "skipping.toml", folder / "people.csv", "-o", folder / "out", *ON_SPARK)
    assert made[0] == 0, made
    assert "4 replies" in made[1]


def test_who_is_asked_and_lacks_an_answer_is_refused_in_one_line(session):
    rows = [("yes", "daily"), ("no", None), ("yes", None)]
    people = session.createDataFrame(rows, "smokes string, often string").coalesce(1)
    with pytest.raises(dn.DeniableError, match=r"^missing values in 'often' \(1\); fill or drop these rows") as refused:
        dn.disguise(SKIPPING, people)
    with pytest.raises(dn.DeniableError) as here:
        dn.disguise(SKIPPING, pd.DataFrame(rows, columns=SKIPPING.names))
    assert str(refused.value) == str(here.value)


@pytest.mark.filterwarnings("ignore:.*does not say under which design")
@pytest.mark.parametrize("how", [ON_SPARK, []], ids=["spark", "here"])
def test_a_file_that_is_not_utf_8_is_called_so(folder, capsys, how):
    dn.Design([dn.k_ary(0.8, dn.Question("often", ["rärely", "daily"]))]).save("often.toml")
    (folder / "latin.csv").write_bytes("often\nrärely\ndaily\n".encode("latin-1"))
    line = refusal(capsys, "estimate", "often.toml", folder / "latin.csv", "often == 'daily'", *how)
    assert "the file is not UTF-8: convert it (iconv -f LATIN1 -t UTF-8 old.csv > new.csv)" in line


def with_noise(*others):
    asked = dn.Design([dn.gaussian(dn.number("age", 18, 80, cells=10), sd=4), *others], target="leave")
    rng = np.random.default_rng(1)
    ages = rng.uniform(18, 80, 600)
    words = {name: np.where(ages > 50, "yes", "no") for name in asked.names if name != "age"}
    return asked, dn.disguise(asked, pd.DataFrame({"age": ages, **words}), seed=1)


def test_naive_bayes_says_why_it_collects(session):
    asked, answered = with_noise(dn.clear(dn.yes_no("leave")))
    frame = session.createDataFrame(pa.Table.from_pandas(answered))
    with pytest.warns(UserWarning, match=r"since single replies are needed to learn from numbers under noise \(age\)"):
        bayes = dn.NaiveBayes(asked).fit(frame)
    assert text_of(bayes) == text_of(dn.NaiveBayes(asked).fit(answered))


@pytest.mark.filterwarnings("error")
def test_what_cannot_be_learnt_is_refused_before_rows_are_collected(session):
    asked, answered = with_noise(dn.draw(dn.epsilon(2), *map(dn.yes_no, ("b", "c", "leave")), always=["leave"], ask=1))
    frame = session.createDataFrame(pa.Table.from_pandas(answered))
    session.sparkContext.setJobGroup("tree", "tree")
    with pytest.raises(dn.DeniableError, match="without numbers under noise where a design has versions, got 'age'"):
        dn.TreeClassifier(asked, method="pairs").fit(frame)
    session.sparkContext.setLocalProperty("spark.jobGroup.id", None)
    assert not session.sparkContext.statusTracker().getJobIdsForGroup("tree")


INTERRUPTED = """
import sys
import deniable.cli.engine as engine
from deniable.cli.main import run

read = engine.frame_at

def slowly(master, path):
    frame = read(master, path)
    print("counting", flush=True)
    return frame.filter("reflect('java.lang.Thread', 'sleep', 60000L) is not null")

engine.frame_at = slowly
run(sys.argv[1:])
"""


def test_ctrl_c_ends_a_command_with_130_and_no_trace(folder):
    words = [sys.executable, "-c", INTERRUPTED, "estimate", "d.toml", "r.csv", "a == 'yes'", *ON_SPARK]
    with (
        open("err", "wb") as err,
        subprocess.Popen(words, stdout=subprocess.PIPE, stderr=err, start_new_session=True) as running,
    ):
        try:
            assert running.stdout.readline() == b"counting\n"
            time.sleep(5)  # until Spark counts
            running.send_signal(signal.SIGINT)
            assert running.wait(60) == 130
        finally:
            os.killpg(running.pid, signal.SIGKILL)  # Java is still asleep
    assert "Traceback" not in (folder / "err").read_text()

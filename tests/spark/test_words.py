"""Columns of csv and json beside the questions: on Spark they are numbers where they are numbers elsewhere."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import deniable as dn
from deniable.cli.main import run
from deniable.count.beside import with_columns

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("pyspark"), pytest.mark.usefixtures("session")]

ON_SPARK = ["--engine", "spark", "--master", "local[1]"]
PEOPLE = 600
DESIGN = dn.Design([dn.warner(0.9, dn.yes_no("risk")), dn.warner(0.9, dn.yes_no("often"))])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A design, and replies with columns that say what they are by their values alone."""
    folder, rng = tmp_path_factory.mktemp("words"), np.random.default_rng(5)
    true = pd.DataFrame({name: rng.choice(["yes", "no"], PEOPLE) for name in DESIGN.names})
    x = rng.integers(1, 4, PEOPLE)
    beside = {
        "x": x,
        "y": np.where(np.arange(PEOPLE) % 50, np.round(rng.normal(0, 1e-3, PEOPLE), 9), np.nan),
        "town": np.array(["east", "north", "west"])[rng.integers(0, 3, PEOPLE)],
        "w": np.round(rng.uniform(0.5, 2, PEOPLE), 3),
        "size": np.array([0, 8_000, 12_000, 9_000])[x],
        "id": [f"p{index}" for index in range(PEOPLE)],
    }
    replies = dn.disguise(DESIGN, true, seed=1).assign(**beside, _design=DESIGN.fingerprint[:16])
    replies.to_csv(folder / "r.csv", index=False)
    replies.to_json(folder / "r.jsonl", orient="records", lines=True)
    DESIGN.save(folder / "d.toml")
    return folder


def command(capsys, folder, name, path, *words):
    with pytest.raises(SystemExit) as ended:
        run([str(each) for each in (name, folder / "d.toml", folder / path, *words)])
    return ended.value.code, *capsys.readouterr()


def figures(found):
    """All words and all numbers of a JSON document, each in its order."""
    if isinstance(found, dict | list):
        parts = [figures(each) for each in (found.values() if isinstance(found, dict) else found)]
        return [word for words, _ in parts for word in words], [number for _, own in parts for number in own]
    return ([], [float(found)]) if isinstance(found, int | float) else ([found], [])


@pytest.mark.parametrize(
    "words",
    [
        ["regress", "r.jsonl", "often ~ risk + x"],
        ["regress", "r.csv", "often ~ y + town", "--weights", "w"],
        ["regress", "r.csv", "y ~ C(x)"],
        ["estimate", "r.csv", "often == 'yes'", "--weights", "w"],
        ["estimate", "r.jsonl", "often == 'yes'", "--strata", "x", "--population", "size"],
    ],
    ids=" ".join,
)
def test_figures_are_those_of_the_file_read_here(folder, capsys, words):
    name, path, *others = words
    results = [command(capsys, folder, name, path, *others, "--json", *how) for how in (ON_SPARK, [])]
    assert [result[0] for result in results] == [0, 0], results
    spark, here = (figures(json.loads(result[1])) for result in results)
    assert spark[0] == here[0]
    np.testing.assert_allclose(spark[1], here[1], rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("how", [ON_SPARK, []], ids=["spark", "here"])
def test_a_column_of_ids_is_no_predictor(folder, capsys, how):
    code, out, err = command(capsys, folder, "regress", "r.csv", "often ~ id", *how)
    assert (code, out, len(err.splitlines())) == (2, "", 1), err
    assert "the column 'id' in a formula must be of at most 50 different words, or of numbers alone, got 600" in err


NUMBERS = ["1", "1.", ".5", "-1", "+1", "1e5", "1E-5", "007", "1e-999"]
WORDS = [*NUMBERS, "1e999", "inf", "nan", " 1", "1 ", "1d", "1f", "0x1", "1_0", "1,5", ".", "1e", "١", "1\n"]


def test_the_same_words_are_numbers_on_every_engine(session, tmp_path):
    from deniable.frame.spark import frame_at

    pd.DataFrame({"risk": ["yes"], **{f"c{index}": [word] for index, word in enumerate(WORDS)}}).to_csv(
        tmp_path / "words.csv", index=False
    )
    names = [f"c{index}" for index in range(len(WORDS))]
    read = [with_columns(DESIGN, each, names) for each in (tmp_path / "words.csv",
                                                           frame_at(None, str(tmp_path / "words.csv")))]  # fmt: skip
    here, there = (dict(zip(WORDS, [each.is_number for each in found.others], strict=True)) for found in read)
    assert here == there
    assert {word for word, is_number in here.items() if is_number} == set(NUMBERS)


def test_words_of_a_frame_stay_words(session):
    frame = session.createDataFrame([("1",), ("2",)], "x string")
    assert with_columns(DESIGN, frame, ["x"]).others[0].answers == ("1", "2")


def test_effects_of_all_predictors_take_three_queries_and_one_partition(session, folder):
    replies = pd.read_csv(folder / "r.csv")
    frame = session.createDataFrame(pa.Table.from_pandas(replies, preserve_index=False))
    found, here = (dn.regress(DESIGN, each, "often ~ risk + town + x + y") for each in (frame, replies))
    assert found.table["estimate"].to_pylist() == pytest.approx(here.table["estimate"].tolist(), rel=1e-7)
    queries = session._jsparkSession.sharedState().statusStore().executionsCount
    before = queries()
    effects = [(name, change, each.value, each.stderr) for name, change, _, each in found.effects]
    assert queries() - before == 3  # how far numbers lie apart, the effects, their errors
    for one, two in zip(effects, here.effects, strict=True):
        assert one[:2] == two[:2]
        assert one[2:] == pytest.approx((two[3].value, two[3].stderr), rel=1e-6)


def test_commands_say_nothing_of_a_newer_pandas(folder):
    """In a process of its own: Spark says it when it starts."""
    words = [sys.executable, "-m", "deniable", "estimate", "d.toml", folder / "r.csv", "often == 'yes'", *ON_SPARK]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True)
    assert "pandas" not in done.stderr

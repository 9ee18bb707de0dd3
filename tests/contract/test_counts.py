"""Every engine counts alike.

The same replies go through every engine, and what each one counts is held against a tally in plain
Python. Add an engine to ENGINES and it inherits every law.
"""

import os
import sys
import warnings
from bisect import bisect_right
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from secrets import token_bytes, token_hex
from tempfile import TemporaryDirectory

import dask.dataframe as dd
import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet
import pytest
from pyspark.sql import SparkSession

import deniable as dn
from deniable.collect.places import open_store
from deniable.collect.reply import Reply
from deniable.collect.store import Arrival
from deniable.count.beside import with_columns
from deniable.count.counts import ArrayCounts, Distinct
from deniable.count.merged import merged
from deniable.count.replies import counts_of
from deniable.errors import (
    BadReplies,
    MissingColumns,
    MissingValues,
    NoReplies,
    OtherDesign,
    OutsideRange,
    UnknownAnswer,
)
from deniable.survey.question import REFUSAL
from postgres import running

# ---------------------------------------------------------------- the replies

DESIGN = dn.Design(
    [
        dn.warner(0.8, dn.Question("smokes", ["0", "1"]), dn.Question("on leave", ["0", "1"])),
        dn.k_ary(0.7, dn.Question("color", ["red", "green", "blue"], optional=True)),
        dn.clear(dn.number("age", 18, 80, integer=True), dn.number("hours", 0, 60, omit=True)),
        dn.gaussian(dn.number("income", 0, 100), privacy=0.5),
        dn.uniform(dn.number("debt", 0, 50, omit=True), privacy=0.5),
        dn.interval(dn.number("rent", 0, 100, omit=True), width=25),
    ]
)


def some_replies(count=400):
    rng = np.random.default_rng(1)

    def with_gaps(values):
        return [None if gap else value for value, gap in zip(values, rng.random(count) < 0.1, strict=True)]

    def numbers(low, high):  # in steps of a half, so that some people say the same
        return (rng.integers(2 * low, 2 * high + 1, count) / 2).tolist()

    return {
        "smokes": rng.choice(["0", "1"], count, p=[0.6, 0.4]).tolist(),
        "on leave": rng.choice(["0", "1"], count, p=[0.7, 0.3]).tolist(),
        "color": with_gaps(rng.choice(["red", "green", "blue", REFUSAL], count).tolist()),
        "age": rng.integers(18, 81, count).tolist(),
        "hours": with_gaps(numbers(0, 60)),
        "income": numbers(-20, 120),
        "debt": with_gaps(numbers(-5, 55)),
        "rent": with_gaps(rng.choice(DESIGN.reported("rent").answers, count).tolist()),
    }


REPLIES = some_replies()


def cell(question, value):
    """The cell of a reply, None where it was left out."""
    if value is None:
        return question.answers.index(REFUSAL) if question.optional else None
    if question.is_number:
        return bisect_right(question.range.edges[1:-1], value)
    return question.answers.index(value)


def tally(names, told=cell):
    """How often each combination of replies occurs, among those who answered all of these questions."""
    columns = [[told(DESIGN.reported(name), value) for value in REPLIES[name]] for name in names]
    return Counter(row for row in zip(*columns, strict=True) if None not in row)


# ---------------------------------------------------------------- the engines


def arrays(design, table):
    """The columns of cells and numbers, made by hand."""

    def column(question, values):
        if question.is_number:
            return np.array([np.nan if value is None else value for value in values], dtype=float)
        cells = (cell(question, value) for value in values)
        return np.array([-1 if index is None else index for index in cells], dtype=np.int8)

    return {name: column(design.reported(name), table.column(name).to_pylist()) for name in table.column_names}


def with_integers(table):
    """Answers 0 and 1 as whole numbers instead of words."""
    for index, name in enumerate(table.column_names):
        if name in ("smokes", "on leave"):
            table = table.set_column(index, name, table.column(name).cast(pa.int64()))
    return table


def with_objects(frame):
    return frame.astype({name: object for name in frame.columns if isinstance(frame[name].dtype, pd.StringDtype)})


def with_categories(frame):
    return frame.astype({name: "category" for name in frame.columns if isinstance(frame[name].dtype, pd.StringDtype)})


@cache
def spark():
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # tasks need our packages
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",  # starts sooner
        "spark.log.level": "OFF",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.codegen.wholeStage": "false",  # compiling a query would take longer than running it
        "spark.sql.shuffle.partitions": "2",
    }
    return SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()


def stored(design, table, url):
    """Replies that rest in a store, whose URL is all that is needed."""
    columns = [column.tolist() for column in arrays(design, table).values()]
    rows = [[None if value != value else value for value in row] for row in zip(*columns, strict=True)]
    replies = [Reply(token_bytes(16), b"", tuple(row)) for row in rows]
    with open_store(url) as store:
        store.enrol(design)
        store.keep([Arrival(design.fingerprint, reply) for reply in replies])
    return url


def sqlite(design, table):
    folder = ENDS.enter_context(TemporaryDirectory())
    return stored(design, table, f"sqlite:///{folder}/store.sqlite")


@cache
def postgres():
    return ENDS.enter_context(running())


def postgresql(design, table):
    return stored(design, table, postgres().database(f"d{token_hex(6)}"))


ENDS = ExitStack()


@pytest.fixture(scope="module", autouse=True)
def _servers_end_with_this_module():
    yield
    ENDS.close()
    if spark.cache_info().currsize:
        spark().stop()


FRAMES = {  # a table of Arrow in, replies of the engine's own kind out
    "pandas, object strings": lambda table: with_objects(table.to_pandas()),
    "pandas, categories": lambda table: with_categories(table.to_pandas()),
    "pandas, integers": lambda table: with_integers(table).to_pandas(),
    "polars": pl.from_arrow,
    "polars lazy": lambda table: pl.from_arrow(table).lazy(),
    "pyarrow": lambda table: table,
    "duckdb": duckdb.from_arrow,
    "dask": lambda table: dd.from_pandas(table.to_pandas(), npartitions=3),
    "pyspark": lambda table: spark().createDataFrame(table),
}
STORES = {"sqlite": sqlite, "postgresql": postgresql}  # these have a column for every question
COUNTED = ("arrays", "read once")  # counts that are given as they are
ENGINES = {  # a design and a table of Arrow in, what dn.estimate takes for replies out
    "arrays": lambda design, table: ArrayCounts(arrays(design, table)),
    "read once": lambda design, table: Distinct(arrays(design, table), np.ones(table.num_rows)),
    **STORES,
    **{name: lambda design, table, frame=frame: frame(table) for name, frame in FRAMES.items()},
}


@pytest.fixture(params=ENGINES)
def engine(request):
    return ENGINES[request.param]


engines_for_numbers = pytest.mark.parametrize("engine", list(ENGINES), indirect=True)
engines_of_frames = pytest.mark.parametrize("engine", FRAMES, indirect=True)


@pytest.fixture
def replies(engine):
    return engine(DESIGN, pa.table(REPLIES))


# ---------------------------------------------------------------- counting

TABLES_OF_ANSWERS = [["smokes"], ["color"], ["color", "smokes"], ["smokes", "on leave", "color"]]
TABLES_WITH_NUMBERS = [
    *(["age"], ["hours"], ["income"], ["debt"], ["rent"]),
    *(["rent", "debt"], ["hours", "color"]),
    *(["age", "income", "smokes"], ["debt", "on leave", "hours"]),
]


def check_table(counts, names):
    questions = [DESIGN.reported(name) for name in names]
    expected = np.zeros([len(question) for question in questions])
    for cells, times in tally(names).items():
        expected[cells] = times
    assert np.array_equal(counts.table(questions), expected)


@pytest.mark.parametrize("names", TABLES_OF_ANSWERS, ids=" x ".join)
def test_tables_of_answers_are_what_people_replied(replies, names):
    check_table(counts_of(DESIGN, replies), names)


@engines_for_numbers
@pytest.mark.parametrize("names", TABLES_WITH_NUMBERS, ids=" x ".join)
def test_tables_with_numbers_are_what_people_replied(replies, names):
    check_table(counts_of(DESIGN, replies), names)


@engines_for_numbers
def test_nan_is_missing_as_null_is(engine):
    debt = [np.nan if value is None else value for value in REPLIES["debt"]]
    replies = engine(DESIGN, pa.table({**REPLIES, "debt": debt}))
    check_table(counts_of(DESIGN, replies), ["smokes", "debt"])


def check_distinct(counts, names):
    distinct = counts.distinct(names)
    found = Counter()
    rows = zip(*(distinct.columns[name].tolist() for name in names), strict=True)
    for row, times in zip(rows, distinct.counts.tolist(), strict=True):
        found[row] += times
    assert found == tally(names, lambda question, value: value if question.is_number else cell(question, value))


def test_several_tables_are_counted_together(replies):
    many = [[name] for name in ("smokes", "on leave", "color")]
    many += [["smokes", "color"], ["color", "smokes"], ["smokes", "on leave", "color"], ["smokes", "color"]]
    for names, found in zip(many, counts_of(DESIGN, replies).tables(many), strict=True):
        assert list(found.columns) == names
        check_table(found, names)


@engines_for_numbers
def test_several_tables_with_numbers_are_counted_together(replies):
    many = [["smokes", "debt"], ["hours", "smokes"], ["rent"], ["smokes"]]
    for names, found in zip(many, counts_of(DESIGN, replies).tables(many), strict=True):
        check_distinct(found, names)


def test_distinct_answers_come_with_how_many_gave_them(replies):
    check_distinct(counts_of(DESIGN, replies), ["smokes", "on leave", "color"])


@engines_for_numbers
def test_distinct_numbers_come_with_how_many_gave_them(replies):
    check_distinct(counts_of(DESIGN, replies), ["smokes", "hours", "debt", "rent"])


@engines_for_numbers
def test_those_who_left_something_out_are_told_too_where_that_is_wanted(replies):
    distinct = counts_of(DESIGN, replies).distinct(["smokes", "debt", "rent"], answered=False)
    assert distinct.counts.sum() == len(REPLIES["smokes"])
    assert distinct.counts[distinct.columns["rent"] == -1].sum() == REPLIES["rent"].count(None)
    assert distinct.counts[np.isnan(distinct.columns["debt"])].sum() == REPLIES["debt"].count(None)


def test_everybody_who_replied_is_counted(replies):
    assert counts_of(DESIGN, replies).n == len(REPLIES["smokes"])


@pytest.mark.parametrize("name", ["größe, in cm?", "net income", "_times"])
def test_a_question_may_have_any_name(engine, name):
    design = dn.Design([dn.warner(0.8, dn.Question(name, ["0", "1"]))])
    counts = counts_of(design, engine(design, pa.table({name: ["0", "1", "1"]})))
    assert counts.table([design.question(name)]).tolist() == [1, 2]


@engines_of_frames
def test_a_dot_in_a_name_is_no_field_of_a_column(engine):
    design = dn.Design([dn.warner(0.8, dn.Question(name, ["0", "1"])) for name in ("net.income", "net", "a")])
    columns = {"net.income": ["0", "1", "1"], "net": ["1", "0", "0"], "a": ["1", "1", "0"], "w.t": [1.0, 2.0, 3.0]}
    replies = engine(design, pa.table({**columns, "a.word": ["x", "y", "y"]}))
    counts = counts_of(design, replies)
    assert counts.table([design.question("net.income")]).tolist() == [1, 2]
    together = counts.table([design.question(name) for name in ("a", "net.income")])
    assert together.tolist() == [[0, 1], [1, 1]]
    assert [len(each.counts) for each in map(merged, counts.tables([["net.income", "net"], ["net.income"]]))] == [2, 2]
    found = dn.estimate(design, replies, "`net.income` == '1'", weights="w.t")
    assert found.n == 3
    assert with_columns(design, replies, ["a.word"]).others[0].answers == ("x", "y")


@pytest.mark.parametrize("engine", ["polars lazy", "duckdb", "dask", "pyspark"], indirect=True)
@pytest.mark.parametrize("kinds", [20, 30_000])
@pytest.mark.filterwarnings("ignore:.*questions")  # of so few kinds, which no lottery makes
def test_what_does_not_fit_is_refused_in_the_same_line_by_every_engine(engine, kinds, monkeypatch):
    rng, names = np.random.default_rng(kinds), [f"q{index}" for index in range(30)]
    design = dn.Design([dn.warner(0.8, dn.yes_no(name)) for name in names])
    answers = np.array(["no", "yes"])[rng.integers(0, 2, (kinds, 30))[np.arange(30_000) % kinds]]
    counts = counts_of(design, engine(design, pa.table(dict(zip(names, answers.T, strict=True)))))
    monkeypatch.setenv("DENIABLE_MEMORY", "1MB")
    if kinds == 20:
        assert len(counts.distinct(names).counts) == 20
    else:
        line = r"replies to q0, q1, q2, q3 and 26 others would take .* set DENIABLE_MEMORY to"
        with pytest.raises(dn.DeniableError, match=line):
            counts.distinct(names)


def test_what_dask_says_of_a_newer_pandas_is_not_passed_on(tmp_path):
    """Every warning is an error here."""
    design = dn.Design([dn.warner(0.8, dn.yes_no("a"))])
    pa.parquet.write_table(pa.table({"a": ["yes", "no"] * 50, "town": ["x", "y"] * 50}), tmp_path / "r.parquet")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of reading its head
        replies = dd.read_parquet(tmp_path / "r.parquet")
    assert dn.estimate(design, replies, "a == 'yes'", strata="town").n == 100


# ---------------------------------------------------------------- estimating

REFERENCE = ArrayCounts(arrays(DESIGN, pa.table(REPLIES)))
ABOUT_ANSWERS = [  # expression, condition
    ("smokes == '1'", None),
    ("smokes == '1' and color in ('red', 'prefer not to say')", None),
    ("not (`on leave` == '0' or color != 'red') or smokes == '0'", None),
    ("color == 'green'", "smokes == '1' and `on leave` == '0'"),
]
ABOUT_NUMBERS = [
    ("hours < 20 and age >= 30", None),
    ("income > 40", None),
    ("debt <= 30 and smokes == '1'", None),
    ("rent >= 50 and color == 'blue' and smokes == '0'", None),
    ("rent < 25", "hours > 30 or `on leave` == '1'"),
]


@cache
def expected_estimate(expression, given):
    return dn.estimate(DESIGN, REFERENCE, expression, given)


@pytest.mark.parametrize(("expression", "given"), ABOUT_ANSWERS)
def test_estimates_about_answers_are_equal(replies, expression, given):
    assert dn.estimate(DESIGN, replies, expression, given) == expected_estimate(expression, given)


@engines_for_numbers
@pytest.mark.parametrize(("expression", "given"), ABOUT_NUMBERS)
def test_estimates_about_numbers_are_equal(replies, expression, given):
    assert dn.estimate(DESIGN, replies, expression, given) == expected_estimate(expression, given)


@engines_for_numbers
@pytest.mark.parametrize("name", ["hours", "debt", "rent"])
def test_means_are_equal(replies, name):
    found, expected = (dn.mean(DESIGN, each, name, "smokes == '1'") for each in (replies, REFERENCE))
    assert (found.value, found.stderr) == pytest.approx((expected.value, expected.stderr), rel=1e-12)
    assert found.n == expected.n


@engines_for_numbers
@pytest.mark.parametrize("name", ["hours", "debt"])
def test_quantiles_are_equal(replies, name):
    assert dn.quantile(DESIGN, replies, name, 0.25) == dn.quantile(DESIGN, REFERENCE, name, 0.25)


def test_cross_tables_are_equal(replies):
    found, expected = (dn.table(DESIGN, each, ["color", "smokes"], percent="row") for each in (replies, REFERENCE))
    assert nw.from_native(found).to_dict(as_series=False) == expected.to_pydict()


# ---------------------------------------------------------------- cells that are missing

NEVER_MISSING = ("color", "hours", "debt", "rent")  # there null is a refusal, or a number left out on purpose


def with_holes(seed=2):
    """The replies with missing cells, and which rows lack what."""
    rng = np.random.default_rng(seed)
    holes = {name: rng.random(len(REPLIES[name])) < 0.05 for name in REPLIES if name not in NEVER_MISSING}
    table = pa.table(REPLIES)
    for name, missing in holes.items():
        column = table.column(name).combine_chunks()
        table = table.set_column(table.column_names.index(name), name, pc.if_else(missing, None, column))
    return table, holes


GAPPY, HOLES = with_holes()


def complete_in(names):
    """The rows without a missing cell in these questions, and how many others there are."""
    lacking = np.any([HOLES[name] for name in names if name in HOLES], axis=0)
    return ArrayCounts(arrays(DESIGN, pa.table(REPLIES).filter(~lacking))), int(lacking.sum())


ABOUT_SOME = [  # expression, condition, the questions that the figure needs
    ("smokes == '1'", None, ["smokes"]),
    ("age > 40 and income > 40", None, ["age", "income"]),
    ("rent >= 50", "`on leave` == '1' and smokes == '0'", ["smokes", "on leave"]),
    ("color == 'green'", None, []),
]


@engines_of_frames
@pytest.mark.parametrize(("expression", "given", "names"), ABOUT_SOME)
def test_an_estimate_rests_on_the_replies_that_answer_what_it_needs(engine, expression, given, names):
    found = dn.estimate(DESIGN, engine(DESIGN, GAPPY), expression, given)
    complete, lacking = complete_in(names) if names else (REFERENCE, 0)
    assert replace(found, caveat="") == replace(dn.estimate(DESIGN, complete, expression, given), caveat="")
    assert (f" of 400 replies: {lacking} lack " in found.note) == bool(names), found.note


@engines_of_frames
def test_means_quantiles_and_tests_rest_on_the_same_replies(engine):
    replies = engine(DESIGN, GAPPY)
    complete, lacking = complete_in(["age", "smokes"])
    found, expected = (dn.mean(DESIGN, each, "age", "smokes == '1'") for each in (replies, complete))
    assert (found.value, found.stderr, found.n) == pytest.approx((expected.value, expected.stderr, expected.n))
    assert f"rests on {400 - lacking} of 400 replies: {lacking} lack age or smokes; they may differ" in found.note
    test, plain = (dn.association(DESIGN, each, "age", "smokes") for each in (replies, complete))
    assert (test.statistic, test.n) == (pytest.approx(plain.statistic), 400 - lacking)
    assert f"{lacking} lack" in test.note
    assert f"{lacking} lack" in str(test)
    complete, lacking = complete_in(["age"])
    found, expected = (dn.quantile(DESIGN, each, "age", 0.5) for each in (replies, complete))
    assert replace(found, caveat="") == expected
    assert found.note.startswith(f"rests on {400 - lacking} of 400 replies: {lacking} lack age; they may differ")


@engines_of_frames
def test_a_question_that_no_reply_answers_is_named(engine):
    table = pa.table({**REPLIES, "smokes": pa.array([None] * 400, pa.string())})
    with pytest.raises(NoReplies, match=r"^none of the 400 replies answers smokes, age: missing .*'smokes' \(400\); "):
        dn.estimate(DESIGN, engine(DESIGN, table), "smokes == '1' and age > 40")


# ---------------------------------------------------------------- refusing

SMOKING = dn.Design([dn.warner(0.8, dn.Question("smokes", ["0", "1"]))])


def share_of_smokers(engine, words, **others):
    table = pa.table({"smokes": pa.array(words, pa.string()), **others})
    return dn.estimate(SMOKING, engine(SMOKING, table), "smokes == '1'")


@engines_of_frames
def test_missing_values_are_refused_with_their_number_where_that_is_wanted(engine):
    table = pa.table({"smokes": pa.array(["0", None, None, "1", None], pa.string())})
    with pytest.raises(MissingValues, match=r"missing values in 'smokes' \(3\); "):
        dn.estimate(SMOKING, engine(SMOKING, table), "smokes == '1'", missing="refuse")


@engines_of_frames
def test_words_that_are_no_answers_are_refused_by_name(engine):
    with pytest.raises(UnknownAnswer, match="question 'smokes' has no answer '7'; there are 0, 1"):
        share_of_smokers(engine, ["0", "7", "7", "1"])


@engines_of_frames
def test_numbers_that_no_disguise_reports_are_refused_with_their_number(engine):
    design = dn.Design([dn.gaussian(dn.number("income", 0, 100), privacy=0.5)])
    replies = engine(design, pa.table({"income": [50.0, 5000.0, 5000.0]}))
    with pytest.raises(OutsideRange, match=r"question 'income' expects .* got 5000 \(2 of the values\); no disguise"):
        dn.estimate(design, replies, "income > 50")


@pytest.mark.parametrize("engine", [name for name in ENGINES if name not in STORES], indirect=True)
def test_a_clear_question_may_be_the_stratum(engine):
    design = dn.Design([dn.warner(0.8, dn.Question("smokes", ["0", "1"])), dn.clear(dn.Question("town", ["0", "1"]))])
    table = pa.table({"smokes": ["0", "1", "1", "0"] * 50, "town": ["0", "0", "1", "0"] * 50})
    assert dn.estimate(design, engine(design, table), "smokes == '1'", strata="town").n == 200
    found = dn.table(design, engine(design, table), ["smokes", "town"], strata="town")
    assert sum(nw.from_native(found)["share"].to_list()) == pytest.approx(1)


@pytest.mark.parametrize("engine", [name for name in ENGINES if name not in STORES], indirect=True)
def test_a_question_without_a_column_is_refused_by_name(engine):
    design = dn.Design([dn.warner(0.8, dn.Question("smokes", ["0", "1"]), dn.Question("leave", ["0", "1"]))])
    replies = engine(design, pa.table({"smokes": ["0", "1"]}))
    with pytest.raises(MissingColumns, match=r"no column for question 'leave'; the columns are smokes$"):
        dn.estimate(design, replies, "leave == '1'")


@pytest.mark.parametrize("engine", [name for name in ENGINES if name not in COUNTED], indirect=True)
def test_no_replies_are_refused(engine):
    with pytest.raises(NoReplies, match="has no rows, expected at least one"):
        share_of_smokers(engine, [])


@pytest.mark.parametrize("engine", COUNTED, indirect=True)
def test_counts_of_nobody_answer_nothing(engine):
    nobody = engine(SMOKING_AND_LEAVE, pa.table({name: pa.array([], pa.string()) for name in ("smokes", "leave")}))
    way_out = "collect replies that do, or ask about other questions"
    with pytest.raises(NoReplies, match=f"^no reply answers smokes; {way_out}$"):
        dn.estimate(SMOKING_AND_LEAVE, nobody, "smokes == '1'")
    with pytest.raises(NoReplies, match=f"^no reply answers all of smokes, leave; {way_out}$"):
        dn.estimate(SMOKING_AND_LEAVE, nobody, "smokes == '1' and leave == '1'")
    with pytest.raises(NoReplies, match=r"^the replies have no rows, expected at least one; "):
        dn.rules(SMOKING_AND_LEAVE, nobody)


LEARNT = {
    "tree": lambda replies: dn.TreeClassifier(SMOKING_AND_LEAVE).fit(replies),
    "bayes": lambda replies: dn.NaiveBayes(SMOKING_AND_LEAVE).fit(replies),
    "pairwise": lambda replies: dn.PairwiseClassifier(SMOKING_AND_LEAVE).fit(replies),
    "attack": lambda replies: dn.attack(SMOKING_AND_LEAVE, replies),
    "rules": lambda replies: dn.rules(SMOKING_AND_LEAVE, replies),
    "n": lambda replies: counts_of(SMOKING_AND_LEAVE, replies).n,
}
SMOKING_AND_LEAVE = dn.Design(
    [dn.warner(0.8, dn.Question(name, ["0", "1"])) for name in ("smokes", "leave")], target="leave"
)


@engines_of_frames
@pytest.mark.parametrize("learnt", LEARNT.values(), ids=LEARNT)
def test_nothing_is_learnt_from_no_replies(engine, learnt):
    nobody = pa.table({name: pa.array([], pa.string()) for name in ("smokes", "leave")})
    with pytest.raises(NoReplies, match="has no rows, expected at least one"):
        learnt(engine(SMOKING_AND_LEAVE, nobody))


@pytest.mark.parametrize("learnt", LEARNT.values(), ids=LEARNT)
def test_columns_of_one_name_are_refused_in_one_line(learnt):
    twice = pd.DataFrame([["0", "1", "1"]] * 9, columns=["smokes", "smokes", "leave"])
    with pytest.raises(dn.DeniableError, match="a frame with different column names, got 'smokes'; rename one"):
        learnt(twice)


@engines_of_frames
@pytest.mark.parametrize("simulated", ["", "-simulated"])
def test_the_mark_of_the_design_is_accepted(engine, simulated):
    assert share_of_smokers(engine, ["0", "1"], _design=[SMOKING.fingerprint[:16] + simulated] * 2).n == 2


@engines_of_frames
def test_the_mark_of_another_design_is_refused(engine):
    with pytest.raises(OtherDesign, match="disguised under design 0123456789abcdef, expected"):
        share_of_smokers(engine, ["0", "1"], _design=["0123456789abcdef"] * 2)


# ---------------------------------------------------------------- versions

VERSIONED = dn.Design(
    [
        dn.draw(dn.epsilon(2), *(dn.Question(name, ["0", "1"]) for name in "tabc"), always=["t"], ask=2),
        dn.versions({"cards": dn.lookup(dn.Question("d", ["0", "1"]), [[0.5, 0.1], [0.3, 0.2], [0.2, 0.7]], "xyz"),
                     "words": dn.clear(dn.Question("d", ["0", "1"]))}, column="arm"),
    ],
    target="t",
)  # fmt: skip
TAUGHT = pa.table({name: [str(int(row % 10 < 3 + (row % size == 0))) for row in range(900)]
                   for name, size in zip("tabcd", (99, 4, 5, 6, 7), strict=True)})  # fmt: skip
ANSWERED = dn.disguise(VERSIONED, TAUGHT, seed=1)


def figures(replies):
    """What replies to versions give: an estimate over two blocks, a test of fit, a model."""
    share = dn.estimate(VERSIONED, replies, "a == '1' and b == '0' or d == '1'", "t == '1'")
    chances = dn.NaiveBayes(VERSIONED).fit(replies).chances_
    return share, dn.fit_test(VERSIONED, replies), [table.tolist() for table in chances]


def test_replies_to_versions_give_the_same(engine):
    assert figures(engine(VERSIONED, ANSWERED)) == figures(ArrayCounts(arrays(VERSIONED, ANSWERED)))


def test_answers_that_a_version_does_not_ask_for_are_refused(engine):
    place = ANSWERED.column_names.index("c")
    made_up = ANSWERED.set_column(place, "c", pa.array(["1"] * ANSWERED.num_rows))
    with pytest.raises(BadReplies, match=r"the version 'a\+b' answer 'c', which it does not ask"):
        dn.estimate(VERSIONED, engine(VERSIONED, made_up), "c == '1'")

"""Any data frame in, the same kind out.

With theta = 1 the lottery always says "tell the truth", so replies must equal the data to the last
detail: values, types, rows, index. DATA lists every type of column that can say the answers.
"""

import datetime

import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pandas.testing import assert_frame_equal as assert_same_pandas
from polars.testing import assert_frame_equal as assert_same_polars

import deniable as dn
from deniable.errors import BadRequest, MissingColumns, MissingValues, NoReplies, OutsideRange, UnknownAnswer
from deniable.survey.question import REFUSAL

YES_NO, ZERO_ONE = dn.yes_no("q"), dn.Question("q", ["0", "1"])
WORDS, BITS, TRUTHS = ["yes", "no", "no", "yes"], [1, 0, 0, 1], [True, False, False, True]
KINDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}  # columns by name in, a frame out
CONCATENATE = {pd.DataFrame: pd.concat, pl.DataFrame: pl.concat, pa.Table: pa.concat_tables}
every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def in_pandas(values, dtype):
    return pd.DataFrame({"q": pd.Series(values, dtype=dtype)})


def in_polars(values, dtype):
    return pl.DataFrame({"q": pl.Series(values, dtype=dtype)})


def in_pyarrow(values, dtype):
    return pa.table({"q": pa.array(values, dtype)})


def dictionary(index, ordered=False, words=pa.string):
    return pa.dictionary(index(), words(), ordered)


DATA = {
    "pandas object": (YES_NO, in_pandas(WORDS, object)),
    "pandas str": (YES_NO, in_pandas(WORDS, "str")),
    "pandas string": (YES_NO, in_pandas(WORDS, "string")),
    "pandas string of Arrow": (YES_NO, in_pandas(WORDS, pd.ArrowDtype(pa.string()))),
    "pandas category": (YES_NO, in_pandas(WORDS, pd.CategoricalDtype(["no", "yes"]))),
    "pandas category, ordered": (YES_NO, in_pandas(WORDS, pd.CategoricalDtype(["no", "yes"], ordered=True))),
    "pandas category, in another order": (YES_NO, in_pandas(WORDS, pd.CategoricalDtype(["yes", "no"], ordered=True))),
    "pandas category, with more": (YES_NO, in_pandas(WORDS, pd.CategoricalDtype(["maybe", "no", "yes"]))),
    "pandas category of integers": (ZERO_ONE, in_pandas(BITS, pd.CategoricalDtype([0, 1]))),
    "pandas dictionary of Arrow": (YES_NO, in_pandas(WORDS, pd.ArrowDtype(dictionary(pa.int32)))),
    "pandas bool": (YES_NO, in_pandas(TRUTHS, bool)),
    "pandas boolean": (YES_NO, in_pandas(TRUTHS, "boolean")),
    "pandas uint8": (ZERO_ONE, in_pandas(BITS, "uint8")),
    "pandas int64": (ZERO_ONE, in_pandas(BITS, "int64")),
    "pandas Int64": (ZERO_ONE, in_pandas(BITS, "Int64")),
    "pandas float64": (ZERO_ONE, in_pandas(BITS, "float64")),
    "polars String": (YES_NO, in_polars(WORDS, pl.String)),
    "polars Categorical": (YES_NO, in_polars(WORDS, pl.Categorical)),
    "polars Enum": (YES_NO, in_polars(WORDS, pl.Enum(["no", "yes"]))),
    "polars Boolean": (YES_NO, in_polars(TRUTHS, pl.Boolean)),
    "polars UInt8": (ZERO_ONE, in_polars(BITS, pl.UInt8)),
    "polars Int64": (ZERO_ONE, in_polars(BITS, pl.Int64)),
    "polars Float64": (ZERO_ONE, in_polars(BITS, pl.Float64)),
    "pyarrow string": (YES_NO, in_pyarrow(WORDS, pa.string())),
    "pyarrow large string": (YES_NO, in_pyarrow(WORDS, pa.large_string())),
    "pyarrow string view": (YES_NO, in_pyarrow(WORDS, pa.string_view())),
    "pyarrow dictionary int8": (YES_NO, in_pyarrow(WORDS, dictionary(pa.int8))),
    "pyarrow dictionary int8, ordered": (YES_NO, in_pyarrow(WORDS, dictionary(pa.int8, ordered=True))),
    "pyarrow dictionary int32": (YES_NO, in_pyarrow(WORDS, dictionary(pa.int32))),
    "pyarrow dictionary large string": (YES_NO, in_pyarrow(WORDS, dictionary(pa.int8, words=pa.large_string))),
    "pyarrow bool": (YES_NO, in_pyarrow(TRUTHS, pa.bool_())),
    "pyarrow uint8": (ZERO_ONE, in_pyarrow(BITS, pa.uint8())),
    "pyarrow int64": (ZERO_ONE, in_pyarrow(BITS, pa.int64())),
    "pyarrow double": (ZERO_ONE, in_pyarrow(BITS, pa.float64())),
}
every_type = pytest.mark.parametrize(("question", "people"), DATA.values(), ids=DATA)


def assert_same(found, expected):
    """The same kind of frame with the same columns, types, values and index."""
    assert type(found) is type(expected)
    if isinstance(expected, pd.DataFrame):
        assert_same_pandas(found, expected)
    elif isinstance(expected, pl.DataFrame):
        assert_same_polars(found, expected)
    else:
        assert found.schema.equals(expected.schema)
        assert found.to_pydict() == expected.to_pydict()


def values(frame, name="q"):
    """A column as a list, with None for what is missing."""
    if isinstance(frame, pd.DataFrame):
        return [None if pd.isna(value) else value for value in frame[name]]
    return frame[name].to_list() if isinstance(frame, pl.DataFrame) else frame.column(name).to_pylist()


def names(frame):
    return frame.column_names if isinstance(frame, pa.Table) else list(frame.columns)


def truthful(*questions):
    """Disguised by a lottery that happens to say "truth" every time."""
    return dn.Design([dn.k_ary(1.0, question) for question in questions])


# ---------------------------------------------------------------- types


@every_type
def test_what_is_told_is_of_the_kind_that_came(question, people):
    assert_same(dn.disguise(truthful(question), people), people)


@every_type
def test_questions_in_the_clear_stay_as_they_are(question, people):
    assert_same(dn.disguise(dn.Design([dn.clear(question)]), people), people)


@every_type
def test_every_answer_can_be_drawn_whatever_the_type(question, people):
    many = CONCATENATE[type(people)]([people] * 50)
    replies = values(dn.disguise(dn.Design([dn.warner(0.6, question)]), many, seed=1))
    assert set(replies) == set(values(people))
    assert replies != values(many)


@every_kind
def test_numbers_in_the_clear_stay_as_they_are(kind):
    people = kind({"age": [30, 40], "height": [1.5, 1.25]})
    design = dn.Design([dn.clear(dn.number("age", 18, 80, integer=True), dn.number("height", 1, 2))])
    assert_same(dn.disguise(design, people), people)


@every_kind
def test_numbers_under_noise_come_as_fractions(kind):
    design = dn.Design([dn.gaussian(dn.number("q", 18, 80, integer=True), privacy=0.5)])
    replies = values(dn.disguise(design, kind({"q": [30, 40]}), seed=1))
    assert [type(value) for value in replies] == [float, float]


@every_kind
def test_numbers_told_by_interval_come_as_words(kind):
    design = dn.Design([dn.interval(dn.number("q", 0, 100), width=50)])
    assert values(dn.disguise(design, kind({"q": [10.0, 50.0]}))) == ["0 to 50", "50 to 100"]


@every_kind
@pytest.mark.parametrize("answers", [("no", "yes"), ("yes", "no"), ("True", "False"), ("false", "true"), ("0", "1")])
def test_true_and_false_answer_yes_and_no(kind, answers):
    people = kind({"q": TRUTHS})
    assert_same(dn.disguise(truthful(dn.Question("q", answers)), people), people)


@every_kind
def test_true_and_false_become_words_where_there_are_more_answers(kind):
    design = truthful(dn.Question("q", ["yes", "no", "maybe"]))
    assert values(dn.disguise(design, kind({"q": [True, False]}))) == ["yes", "no"]


@every_kind
def test_fractions_without_remainder_answer_whole_numbers(kind):
    people = kind({"q": [1.0, 2.0, 10.0]})
    assert_same(dn.disguise(truthful(dn.Question("q", ["1", "2", "10"])), people), people)


@every_kind
def test_fractions_with_remainder_are_no_whole_numbers(kind):
    with pytest.raises(UnknownAnswer, match=r"question 'q' has no answer '1.5'; "):
        dn.disguise(truthful(dn.Question("q", ["1", "2"])), kind({"q": [1.0, 1.5]}))


@pytest.mark.parametrize(
    "people", [in_pandas([1, 2], "int8"), in_polars([1, 2], pl.Int8), in_pyarrow([1, 2], pa.int8())]
)
def test_answers_too_large_for_the_type_become_words(people):
    assert values(dn.disguise(truthful(dn.Question("q", ["1", "2", "300"])), people)) == ["1", "2"]


@every_kind
def test_many_answers_do_not_overflow(kind):
    words = [f"answer {index}" for index in range(300)]
    people = kind({"q": words})
    assert_same(dn.disguise(truthful(dn.Question("q", words)), people), people)


# ---------------------------------------------------------------- rows, index and columns

PEOPLE = {"name": ["Ann", "Bob", "Cid", "Dot"], "age": [30, 40, 50, 60], "q": WORDS, "p": WORDS[::-1]}
INDEXES = {
    "counting": pd.RangeIndex(4),
    "counting backwards": pd.RangeIndex(8, 0, -2, name="place"),
    "words": pd.Index(["d", "a", "c", "b"], name="person"),
    "repeated": pd.Index([7, 7, 1, 7]),
    "days": pd.date_range("2020-01-01", periods=4),
    "two levels": pd.MultiIndex.from_tuples([(1, "b"), (1, "a"), (0, "b"), (1, "b")], names=["house", "person"]),
}


@every_kind
@pytest.mark.parametrize("asked", [("q", "p"), ("p", "q"), ("p",)], ids=" ".join)
def test_only_questions_come_back_in_the_order_of_the_design(kind, asked):
    design = truthful(*(dn.yes_no(name) for name in asked))
    assert names(dn.disguise(design, kind(PEOPLE))) == list(asked)


@pytest.mark.parametrize("index", INDEXES.values(), ids=INDEXES)
def test_pandas_rows_keep_their_index(index):
    people = pd.DataFrame(PEOPLE, index=index)
    assert_same(dn.disguise(truthful(YES_NO), people), people[["q"]])


def test_a_part_of_a_frame_is_disguised_by_itself():
    frame = pd.DataFrame(PEOPLE)
    assert_same(dn.disguise(truthful(YES_NO), frame[frame["age"] > 30]), frame[frame["age"] > 30][["q"]])
    assert_same(dn.disguise(truthful(YES_NO), pl.DataFrame(PEOPLE)[1:3]), pl.DataFrame(PEOPLE)[1:3].select("q"))
    assert_same(dn.disguise(truthful(YES_NO), pa.table(PEOPLE)[1:3]), pa.table(PEOPLE)[1:3].select(["q"]))


def test_frames_in_several_chunks_keep_their_rows():
    parts = [pa.table({"q": pa.array(words).dictionary_encode()}) for words in (["yes"], ["no", "yes"], ["no"])]
    assert values(dn.disguise(truthful(YES_NO), pa.concat_tables(parts))) == ["yes", "no", "yes", "no"]
    parts = [pl.DataFrame({"q": words}) for words in (["yes"], ["no", "yes"], ["no"])]
    assert values(dn.disguise(truthful(YES_NO), pl.concat(parts, rechunk=False))) == ["yes", "no", "yes", "no"]


@every_type
def test_the_data_stay_as_they_were(question, people):
    before = values(people)
    dn.disguise(dn.Design([dn.warner(0.5001, question)]), people, seed=1)
    assert values(people) == before


# ---------------------------------------------------------------- missing values


@every_kind
def test_missing_values_are_refused_naming_columns_and_counts(kind):
    design = dn.Design([dn.warner(0.8, YES_NO), dn.gaussian(dn.number("age", 18, 80), privacy=0.5)])
    people = kind({"q": ["no", None, None, "yes"], "age": [30.0, 40.0, None, 50.0]})
    with pytest.raises(
        MissingValues, match=r"^missing values in 'q' \(2\), 'age' \(1\); .*optional = true.*omit = true"
    ):
        dn.disguise(design, people)


@every_kind
def test_missing_values_are_refused_in_the_clear_too(kind):
    with pytest.raises(MissingValues, match=r"missing values in 'q' \(1\)"):
        dn.disguise(dn.Design([dn.clear(YES_NO)]), kind({"q": ["no", None]}))


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT], ids=repr)
def test_pandas_has_many_words_for_missing(missing):
    with pytest.raises(MissingValues, match=r"missing values in 'q' \(1\)"):
        dn.disguise(truthful(YES_NO), in_pandas(["no", missing, "yes"], object))


MISSING = {  # the answers "no", none and "yes" in some types
    "pandas object": in_pandas(["no", None, "yes"], object),
    "pandas str": in_pandas(["no", None, "yes"], "str"),
    "pandas category": in_pandas(["no", None, "yes"], "category"),
    "pandas boolean": in_pandas([False, None, True], "boolean"),
    "polars String": in_polars(["no", None, "yes"], pl.String),
    "polars Categorical": in_polars(["no", None, "yes"], pl.Categorical),
    "polars Boolean": in_polars([False, None, True], pl.Boolean),
    "pyarrow string": in_pyarrow(["no", None, "yes"], pa.string()),
    "pyarrow dictionary": in_pyarrow(["no", None, "yes"], dictionary(pa.int8)),
    "pyarrow bool": in_pyarrow([False, None, True], pa.bool_()),
    "pyarrow null in the dictionary": pa.table({"q": pa.array(["no", None, "yes"]).dictionary_encode("encode")}),
}


@pytest.mark.parametrize("people", MISSING.values(), ids=MISSING)
def test_who_leaves_an_optional_question_out_prefers_not_to_say(people):
    design = truthful(dn.Question("q", ["no", "yes"], optional=True))
    assert values(dn.disguise(design, people)) == ["no", REFUSAL, "yes"]


@every_kind
def test_who_leaves_an_optional_question_in_the_clear_out_prefers_not_to_say(kind):
    design = dn.Design([dn.clear(dn.Question("q", ["no", "yes"], optional=True))])
    assert values(dn.disguise(design, kind({"q": ["no", None, "yes"]}))) == ["no", REFUSAL, "yes"]


@every_kind
def test_whole_numbers_with_gaps_become_words_where_optional(kind):
    design = truthful(dn.Question("q", ["0", "1"], optional=True))
    assert values(dn.disguise(design, kind({"q": [0, None, 1]}))) == ["0", REFUSAL, "1"]


@every_kind
@pytest.mark.parametrize("answer", ["NA", "None", "null", "nan"])
def test_words_that_sound_missing_are_answers(kind, answer):
    people = kind({"q": ["some", answer]})
    assert_same(dn.disguise(truthful(dn.Question("q", ["some", answer])), people), people)


def test_a_missing_value_is_never_the_answer_none():
    people = pa.table({"q": pa.array(["some", None]).dictionary_encode("encode")})
    with pytest.raises(MissingValues, match=r"missing values in 'q' \(1\)"):
        dn.disguise(truthful(dn.Question("q", ["some", "None"])), people)


@every_kind
def test_an_empty_word_is_no_answer(kind):
    with pytest.raises(UnknownAnswer, match="question 'q' has no answer ''"):
        dn.disguise(truthful(dn.Question("q", ["no", "yes"], optional=True)), kind({"q": ["no", ""]}))


OMITTED, CUT = dn.number("q", 0, 100, omit=True), dn.number("q", 0, 100, cuts=[50], omit=True)
OMITTING = {
    "clear": dn.clear(OMITTED),
    "gaussian": dn.gaussian(OMITTED, privacy=0.5),
    "uniform": dn.uniform(OMITTED, privacy=0.5),
    "interval": dn.interval(OMITTED, width=25),
    "warner": dn.warner(0.8, CUT),
    "k_ary": dn.k_ary(0.8, CUT),
    "draw": dn.draw(0.8, CUT),
    "unrelated": dn.unrelated(0.8, CUT),
    "forced": dn.forced(0.1, 0.1, CUT),
    "lookup": dn.lookup(CUT, [[0.8, 0.3], [0.2, 0.7]]),
    "lookup, in other words": dn.lookup(CUT, [[0.8, 0.3], [0.2, 0.7]], reported=["red", "black"]),
}


@every_kind
@pytest.mark.parametrize("missing", [None, np.nan], ids=repr)
@pytest.mark.parametrize("channel", OMITTING.values(), ids=OMITTING)
def test_a_number_that_may_be_omitted_stays_visibly_missing(kind, channel, missing):
    replies = values(dn.disguise(dn.Design([channel]), kind({"q": [10.0, missing, 60.0, missing]}), seed=1))
    assert [value is None or value != value for value in replies] == [False, True, False, True]


@every_kind
@pytest.mark.parametrize("scheme", ["clear", "gaussian", "interval", "warner"])
def test_a_number_may_be_omitted_by_everybody(kind, scheme):
    replies = values(dn.disguise(dn.Design([OMITTING[scheme]]), kind({"q": [None, None]}), seed=1))
    assert replies == [None, None]


# ---------------------------------------------------------------- what is refused

SMOKING = dn.Design([dn.warner(0.8, YES_NO)])
LAZY = {
    "polars": pl.LazyFrame(PEOPLE),
    "duckdb": duckdb.from_arrow(pa.table(PEOPLE)),
    "dask": dd.from_pandas(pd.DataFrame(PEOPLE), npartitions=2),
}


@pytest.mark.parametrize(("engine", "people"), LAZY.items(), ids=LAZY)
def test_lazy_frames_are_refused_and_the_way_out_is_said(engine, people):
    with pytest.raises(
        BadRequest, match=rf"^people must be a data frame \(pandas, Polars, pyarrow\), got '{engine} .*; coll"
    ):
        dn.disguise(SMOKING, people)


@pytest.mark.parametrize("people", [{"q": ["no"]}, ["no"], None, "people.csv", pd.Series(["no"], name="q")], ids=repr)
def test_what_is_no_frame_is_refused(people):
    with pytest.raises(BadRequest, match="people must be a data frame"):
        dn.disguise(SMOKING, people)


@every_kind
def test_a_frame_without_rows_is_refused(kind):
    with pytest.raises(NoReplies, match="has no rows"):
        dn.disguise(SMOKING, kind({"q": []}))


@every_kind
def test_a_question_without_a_column_is_refused_by_name(kind):
    with pytest.raises(MissingColumns, match=r"no column for question 'q'; did you mean 'Q'\?"):
        dn.disguise(SMOKING, kind({"Q": WORDS, "name": WORDS}))


def test_two_columns_of_one_name_are_refused_by_name():
    for people in (pd.DataFrame([WORDS[:2]], columns=["q", "q"]), pa.table([["no"], ["yes"]], names=["q", "q"])):
        with pytest.raises(dn.DeniableError, match="'q'"):
            dn.disguise(SMOKING, people)


def test_a_column_of_all_sorts_is_refused_by_name():
    for sorts in (["no", 1], ["no", True], [1, "no"], ["no", ["yes"]], [b"no", "yes"]):
        with pytest.raises(dn.DeniableError, match="'q'"):
            dn.disguise(SMOKING, in_pandas(sorts, object))


@every_kind
def test_days_are_no_answers(kind):
    with pytest.raises(UnknownAnswer, match="question 'q' has no answer '2020-01-01"):
        dn.disguise(SMOKING, kind({"q": [datetime.datetime(2020, 1, 1)]}))


@every_kind
@pytest.mark.parametrize("value", [datetime.datetime(2020, 1, 1), "much", 101.0, float("inf")], ids=repr)
def test_what_is_no_number_in_the_range_is_refused_by_name(kind, value):
    design = dn.Design([dn.gaussian(dn.number("q", 0, 100), privacy=0.5)])
    with pytest.raises(OutsideRange, match="question 'q' expects a number from 0 to 100, got "):
        dn.disguise(design, kind({"q": [value]}))


def test_replies_can_be_written_to():
    design = dn.Design(
        [
            dn.gaussian(dn.number("pay", 0, 100, omit=True), sd=5),
            dn.clear(dn.number("age", 18, 80)),
            dn.warner(0.8, dn.yes_no("smokes")),
        ]
    )
    people = pd.DataFrame({"pay": [1.0, 50.0, 99.0], "age": [20.0, 30.0, 40.0], "smokes": ["yes", "no", "no"]})
    replies = dn.disguise(design, people, seed=1)
    for name in replies.columns:
        replies.loc[1, name] = None
    assert replies.isna().to_numpy()[1].all()
    assert people.notna().to_numpy().all()

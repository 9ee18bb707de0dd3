"""Estimates under versions, from every engine; what does not fit is refused in one line."""

import json

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

import deniable as dn
from deniable.count.counts import Distinct
from deniable.errors import BadReplies, DeniableError, NotIdentified

INCOME, MARRIED = dn.Question("income", ("low", "high")), dn.yes_no("married")
SCHOOL, SMOKES = dn.Question("school", ("a", "b", "c")), dn.yes_no("smokes")


@pytest.fixture(scope="module")
def design():
    """The target and one of two others, and arms."""
    return dn.Design(
        [
            dn.draw(dn.epsilon(2), INCOME, MARRIED, SCHOOL, always=["income"], ask=1),
            dn.versions({"forced": dn.forced(0.1, 0.2, SMOKES), "direct": dn.clear(SMOKES)}, column="arm"),
        ],
        target="income",
    )


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    n = 3000
    income = rng.random(n) < 0.4
    married = np.where(rng.random(n) < 0.8, income, ~income)
    return pd.DataFrame({
        "income": np.where(income, "high", "low"), "married": np.where(married, "yes", "no"),
        "school": rng.choice(list("abc"), n), "smokes": np.where(rng.random(n) < 0.3, "yes", "no"),
    })  # fmt: skip


@pytest.fixture(scope="module")
def replies(design, people):
    return dn.disguise(design, people, seed=4)


ASKED = [
    ("income == 'high'", None),
    ("married == 'yes'", None),
    ("income == 'high' and married == 'yes'", None),
    ("income == 'high'", "married == 'yes'"),
    ("smokes == 'yes' and income == 'high'", None),
    ("smokes == 'yes' or school == 'b'", "income == 'low'"),
]


def test_what_holds_for_everybody_has_no_error(design, replies):
    """Also of a question that few are asked, for which rounding could make a variance negative."""
    for answers in ("married == 'yes' or married == 'no'", "school in ('a', 'b', 'c')"):
        found = dn.estimate(design, replies, answers)
        assert (found.value, found.stderr, found.note) == pytest.approx((1, 0, ""), abs=1e-9)


@pytest.mark.parametrize(("expression", "given"), ASKED)
def test_expressions_are_near_the_truth(design, people, replies, expression, given):
    found = dn.estimate(design, replies, expression, given)
    true = people.query(given) if given else people
    assert abs(found.value - len(true.query(expression)) / len(true)) < 3.5 * found.stderr
    assert found.stderr < 0.08


def test_every_engine_gives_the_same(design, replies, tmp_path):
    engines = {
        "polars": pl.from_pandas(replies),
        "lazy": pl.from_pandas(replies).lazy(),
        "arrow": nw.from_native(replies).to_arrow(),
        "duckdb": duckdb.from_df(replies),
    }
    for kind in (".csv", ".parquet", ".jsonl"):
        path = tmp_path / f"replies{kind}"
        {".csv": lambda p: replies.to_csv(p, index=False), ".parquet": replies.to_parquet}.get(
            kind, lambda p: replies.to_json(p, orient="records", lines=True)
        )(path)
        engines[kind] = path
    wanted = dn.estimate(design, replies)
    model = dn.NaiveBayes(design).fit(replies)
    for name, each in engines.items():
        with pytest.warns(UserWarning, match="under which design") if name.startswith(".") else no_warning():
            found = nw.from_native(dn.estimate(design, each))
        assert found["share"].to_list() == pytest.approx(wanted["share"].tolist(), abs=1e-12), name
        assert found["stderr"].to_list() == pytest.approx(wanted["stderr"].tolist(), abs=1e-12), name
    again = dn.NaiveBayes(design).fit(pl.from_pandas(replies).lazy())
    assert [each.tolist() for each in again.chances_] == [each.tolist() for each in model.chances_]


class no_warning:  # noqa: N801
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


def test_what_no_version_asks_together_is_refused_by_name(design, replies):
    with pytest.raises(NotIdentified, match=r"married, school: no version asks both together.* raise ask to 2"):
        dn.estimate(design, replies, "married == 'yes' and school == 'b'")
    with pytest.raises(NotIdentified, match="married, school"):
        dn.table(design, replies, ["married", "school"])


def test_replies_that_do_not_fit_their_version_are_refused(design, replies):
    unasked = replies.copy()
    unasked.loc[unasked.version == "school", "married"] = "yes"
    with pytest.raises(BadReplies, match="version 'school' answer 'married', which it does not ask"):
        dn.estimate(design, unasked, "married == 'yes'")
    with pytest.raises(DeniableError, match="'version' has no answer 'age'"):
        dn.estimate(design, replies.assign(version="age"), "married == 'yes'")
    with pytest.raises(DeniableError, match="no column of versions 'version'"):
        dn.estimate(design, replies.drop(columns="version"), "married == 'yes'")


def test_missing_cells_are_told_and_what_was_not_asked_is_not_missing(design, replies):
    assert dn.estimate(design, replies, "married == 'yes'").note == ""
    lacking = replies.copy()
    rows = lacking.index[lacking.version == "married"][:7]
    lacking.loc[rows, "married"] = None
    assert "7 lack married" in dn.estimate(design, lacking, "married == 'yes'").note


def test_replies_without_their_version_are_told(design, replies):
    lost = replies.copy()
    lost.loc[:99, "version"] = None
    assert "100 lack version" in dn.estimate(design, lost, "income == 'high'").note


def test_a_version_that_nobody_has_is_told(design, replies):
    note = dn.estimate(design, replies[replies.version == "school"], "income == 'high'").note
    assert "planned were 50.0%" in note


def test_whole_numbers_stay_whole_beside_what_was_not_asked(tmp_path):
    questions = [dn.Question(name, (0, 1)) for name in ("t", "u", "v")]
    made = dn.Design([dn.draw(dn.epsilon(2), *questions, always=["t"], ask=1)])
    people = pd.DataFrame({name: [0, 1] * 200 for name in ("t", "u", "v")})
    replies = dn.disguise(made, people, seed=1)
    replies.to_csv(tmp_path / "replies.csv", index=False)
    with pytest.warns(UserWarning, match="under which design"):
        again = dn.estimate(made, tmp_path / "replies.csv", "u == '1'")
    assert again.value == pytest.approx(dn.estimate(made, replies, "u == '1'").value)


def test_every_share_that_is_told_is_given_though_others_are_not():
    made = dn.Design([dn.versions({"all": dn.clear(SMOKES, MARRIED), "some": dn.warner(0.8, SMOKES)}, chosen=True)])
    people = pd.DataFrame(
        {"smokes": ["yes", "no"] * 50, "married": ["no", "yes"] * 50, "version": ["all", "some"] * 50}
    )
    found = dn.estimate(made, dn.disguise(made, people, seed=1))
    assert "not asked all of it" in found[found.question == "married"].note.iloc[0]
    assert found[found.question == "smokes"].stderr.max() < 0.2


def test_versions_that_are_not_as_frequent_as_planned_are_told(design, replies):
    kept = replies[(replies.version == "school") | (replies.index % 2 == 0)]
    note = dn.estimate(design, kept, "income == 'high'").note
    assert "the version 'school' has" in note
    assert "which chance does not explain" in note


def test_a_version_nobody_drew_is_no_riddle(design, replies):
    with pytest.raises(DeniableError, match="replies"):
        dn.estimate(design, replies[replies.version == "married"], "school == 'b'")


BAD = {
    "sum to 1": lambda: dn.versions({"x": dn.clear(SMOKES), "y": dn.warner(0.8, SMOKES)}, [0.5, 0.6]),
    "between 1 and 2": lambda: dn.draw(0.5, INCOME, MARRIED, SCHOOL, always=["income"], ask=3),
    "asks no question": lambda: dn.versions({"x": [], "y": dn.clear(SMOKES)}),
    "a name of its own": lambda: dn.Design(
        [dn.draw(0.5, INCOME, MARRIED, ask=1), dn.versions({"x": dn.clear(SMOKES), "y": dn.warner(0.8, SMOKES)})]
    ),
    "not in the group": lambda: dn.draw(0.5, INCOME, MARRIED, always=["age"], ask=1),
    "at most 4,096 versions": lambda: dn.draw(0.5, *(dn.yes_no(f"q{index}") for index in range(30)), ask=5),
    "at most 65,536 questions in all": lambda: dn.draw(0.3, *(dn.yes_no(f"q{i}") for i in range(1200)), ask=1199),
    "about 10": lambda: dn.draw(0.3, *(dn.yes_no(f"q{index}") for index in range(1200)), ask=600),
    "some questions of the group, not all": lambda: dn.draw(0.5, INCOME, MARRIED, always=["income", "married"], ask=1),
    "two or more, by name": lambda: dn.versions({"x": dn.clear(SMOKES)}),
    "add ask = 1": lambda: dn.draw(0.5, INCOME, MARRIED, always=["income"]),
    "one that some theta reaches": lambda: dn.warner(dn.epsilon(0.1), MARRIED, SMOKES, dn.yes_no("x")),
    "True or False": lambda: dn.versions({"x": dn.clear(SMOKES), "y": dn.warner(0.8, SMOKES)}, chosen="no"),
    "add ask, or leave it out": lambda: dn.draw(0.5, INCOME, MARRIED, column="arm"),
    "asks 'smokes' twice": lambda: dn.versions(
        {"x": [dn.clear(SMOKES), dn.warner(0.8, SMOKES)], "y": dn.clear(SMOKES)}
    ),
}


@pytest.mark.parametrize("words", BAD)
def test_bad_versions_get_one_clear_line(words):
    with pytest.raises(DeniableError) as refusal:
        BAD[words]()
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)


COUNTS = {  # Hoglinger and Jann 2018: question, technique with its chances, replies no and yes
    "shoplifting": {
        "DQ": (459, 309), "Crosswise .159": (562, 604), "Crosswise .197": (542, 605), "Forced": (706, 815),
        "UQM .49": (171, 207), "UQM .493": (183, 208), "UQM .495": (180, 197), "UQM .521": (181, 207),
    },
    "tax evasion": {
        "DQ": (691, 77), "Crosswise .159": (339, 801), "Crosswise .197": (364, 806), "Forced": (1108, 418),
        "UQM .49": (294, 90), "UQM .493": (284, 96), "UQM .495": (290, 100), "UQM .521": (286, 92),
    },
    "non voting": {
        "DQ": (502, 264), "Crosswise .159": (483, 680), "Crosswise .197": (250, 323), "Crosswise .1975": (243, 327),
        "Forced": (899, 626),
        "UQM .49": (237, 156), "UQM .493": (238, 152), "UQM .495": (236, 140), "UQM .521": (236, 139),
    },
    "cheating dice game": {
        "DQ": (744, 24), "Crosswise .159": (291, 859), "Crosswise .197": (340, 816), "Forced": (1278, 248),
        "UQM .49": (327, 52), "UQM .493": (322, 53), "UQM .495": (329, 62), "UQM .521": (331, 59),
    },
}  # fmt: skip
PUBLISHED = {  # Crosswise, UQM, DQ, Forced
    "shoplifting": (0.4653, 0.5436, 0.4023, 0.4922),
    "tax evasion": (0.1962, 0.1746, 0.1003, 0.1430),
    "non voting": (0.3804, 0.3493, 0.3446, 0.3251),
    "cheating dice game": (0.1471, 0.0466, 0.0313, -0.006),
}


def technique(name, question):
    """One arm of the study."""
    kind, _, chance = name.partition(" ")
    if kind == "Crosswise":
        return dn.warner({".159": 0.1594625, ".197": 0.1971293, ".1975": 0.1974625}[chance], question)
    if kind == "UQM":
        return dn.unrelated(0.778, question, chances=(1 - float(chance), float(chance)))
    return dn.clear(question) if kind == "DQ" else dn.forced(0.25 / 3, 0.5 / 3, question)


def test_sixteen_published_shares_from_one_design(figure):
    """Four questions, four techniques each with chances of its own, as one design of four blocks."""
    questions = {name: dn.yes_no(name) for name in COUNTS}
    design = dn.Design([
        dn.versions({arm: technique(arm, questions[name]) for arm in arms}, column=f"technique of {name}")
        for name, arms in COUNTS.items()
    ])  # fmt: skip
    apart = []
    for name, arms in COUNTS.items():
        column, expression = f"technique of {name}", f"`{name}` == 'yes'"
        for kind, published in zip(("Crosswise", "UQM", "DQ", "Forced"), PUBLISHED[name], strict=True):
            some = [
                (list(arms).index(arm), cell, arms[arm][cell])
                for arm in arms
                for cell in (0, 1)
                if arm.startswith(kind)
            ]
            versions, cells, counts = (np.array(each) for each in zip(*some, strict=True))
            replies = Distinct({column: versions, name: cells}, counts.astype(float))
            found = dn.estimate(design, replies, expression)
            apart.append(abs(found.value - published))
            assert found.value == pytest.approx(published, abs=0.002), (name, kind)
    figure("sixteen shares of four techniques, largest distance from the published", f"{max(apart):.5f}")


def test_a_published_design_shares_its_lotteries():
    questions = [dn.yes_no(f"q{index}") for index in range(25)]
    design = dn.Design([dn.draw(dn.epsilon(1), *questions, always=["q0"], ask=2)])
    (block,) = json.loads(design.to_json())["channels"]
    assert len(block["versions"]) == 276
    assert len(block["lotteries"]) == 1
    assert block["versions"][0]["name"] == "q1+q2"

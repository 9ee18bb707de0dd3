"""Two surveys of people whose truth is known, for `deniable demo`: the Adult census, and a made-up one."""

from collections.abc import Mapping
from math import ceil
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deniable.channel.design import Design
from deniable.channel.schemes import gaussian, k_ary, warner
from deniable.demo.story import Sample
from deniable.extras import needed_for
from deniable.judge.advise import advise
from deniable.survey.question import Question, number, yes_no

MADE_UP, MADE_UP_TRAINING = 20_000, 15_000
CENSUS_TRAINING = 32_561  # the training records of the census; its test records follow
PILOT = 500  # people of the census asked in the clear, before the survey
EPSILON = 2.0  # of the whole reply to the census
PAPER_THETA = 0.8
WORDS = np.array(["no", "yes"])
SCHOOL, SCHOOL_FROM = ("less", "high school", "some college", "bachelor or more"), (9, 10, 13)  # in the census' steps


def census() -> Sample:
    """The Adult census of 1994: what people earn, and six questions that help to predict it."""
    with needed_for("demo", "demo", ", or add --made-up"):
        from deniable.papers.data import adult
    records = adult()
    people = _census_people(records)
    advice = advise(
        _census_questions(), epsilon=EPSILON, n=CENSUS_TRAINING, target="income", pilot=people.slice(0, PILOT)
    )
    chosen = advice.designs[advice.best]
    design = Design(chosen.blocks, target="income", title="What people earn: the Adult census under disguise")
    asked, (age, school) = people.slice(PILOT), (design.question(name) for name in ("age", "school"))
    assert age.range is not None
    return Sample(
        [
            f"{len(asked):,} people of the Adult census of 1994, as if they had been asked with lotteries on their own "
            "devices. A collector would have nothing but their replies. Since the census is public, this page can hold "
            "all that is learnt from the replies against the truth.",
            f"The design was advised: of {len(advice.candidates)} ways of asking, all with an epsilon of {EPSILON:g} "
            f"for the whole reply, this one lets models predict income best. {PILOT} other people, asked in the clear "
            "before, decided which questions to ask together and which answers to merge.",
        ],
        design,
        "income",
        asked,
        CENSUS_TRAINING - PILOT,
        [
            "income == '>50K'",
            "married == 'yes'",
            "gains == 'yes'",
            f"school == '{school.answers[-1]}'",
            f"age >= {ceil(age.range.edges[1])}",
            "married == 'yes' and income == '>50K'",
            "sex == 'Female' and income == '>50K'",
        ],
        ("school", "income"),
        "income ~ married + school",
        ("married", "school", "gains"),
        _paper_design(_census_in_two(asked), "income"),
        _census_in_two(asked),
    )


def _census_people(records: Any) -> pa.Table:
    return pa.table(
        {
            "sex": np.asarray(records["sex"]),
            "age": np.asarray(records["age"]),
            "married": WORDS[records["marital-status"].str.startswith("Married").astype(int)],
            "school": np.array(SCHOOL)[np.searchsorted(SCHOOL_FROM, records["education-num"], side="right")],
            "gains": WORDS[(records["capital-gain"] > 0).astype(int)],
            "hours": np.asarray(records["hours-per-week"]),
            "income": np.asarray(records["income"]),
        }
    )


def _census_questions() -> list[Question]:
    return [
        Question("sex", ("Female", "Male"), "What is your sex?"),
        number("age", 17, 90, "How old are you?", integer=True, cuts=[30, 40, 50]),
        yes_no("married", "Are you married?"),
        Question("school", SCHOOL, "How far did you go to school?", ordered=True),
        yes_no("gains", "Did you sell anything at a profit this year, such as shares or a house?"),
        number("hours", 1, 99, "How many hours a week do you work?", integer=True, cuts=[35, 41, 50]),
        Question("income", ("<=50K", ">50K"), "Do you earn more than 50,000 dollars a year?"),
    ]


def _census_in_two(people: pa.Table) -> pa.Table:
    """Every question with two answers, as the paper asks it."""
    return _in_two(
        people,
        {
            "age": pc.greater_equal(people["age"], 40),
            "school": pc.is_in(people["school"], value_set=pa.array(SCHOOL[2:])),
            "hours": pc.greater_equal(people["hours"], 41),
        },
    )


def _in_two(people: pa.Table, cut: Mapping[str, Any]) -> pa.Table:
    columns = {
        name: WORDS[np.asarray(cut[name]).astype(int)] if name in cut else people[name] for name in people.schema.names
    }
    return pa.table(columns)


def _paper_design(people: pa.Table, target: str) -> Design:
    """One draw for the whole record: all answers true, or all of them reversed.  Du and Zhan 2003"""
    questions = [Question(name, sorted(set(people[name].to_pylist()))) for name in people.column_names]
    return Design([warner(PAPER_THETA, *questions)], target=target)


def made_up(rng: np.random.Generator) -> Sample:
    """A small survey on health at work: smokers and older people are ill more often."""
    age = np.clip(rng.normal(45, 13, MADE_UP).round(), 18, 80).astype(int)
    smokes = rng.random(MADE_UP) < np.where(age > 50, 0.2, 0.35)
    drinks = rng.choice(["never", "weekly", "daily"], MADE_UP, p=[0.3, 0.55, 0.15])
    leave = rng.random(MADE_UP) < 0.12 + 0.5 * smokes + 0.1 * (age > 50)
    channels = [
        warner(0.8, yes_no("smokes", "Do you smoke?")),
        warner(0.8, yes_no("leave", "Were you on sick leave this year?")),
        k_ary(0.7, Question("drinks", ("never", "weekly", "daily"), "How often do you drink?")),
        gaussian(number("age", 18, 80, "How old are you?", integer=True), privacy=0.5),
    ]
    people = pa.table(
        {"smokes": WORDS[smokes.astype(int)], "leave": WORDS[leave.astype(int)], "drinks": drinks, "age": age}
    )
    in_two = _in_two(people, {"drinks": drinks != "never", "age": age > 50})
    return Sample(
        [f"{MADE_UP:,} made-up people. A collector would have nothing but their disguised replies."],
        Design(channels, target="leave", title="Health at work"),
        "leave",
        people,
        MADE_UP_TRAINING,
        [
            "smokes == 'yes'",
            "leave == 'yes'",
            "smokes == 'yes' and leave == 'yes'",
            "drinks in ('weekly', 'daily')",
            "age > 50",
            "smokes == 'yes' and age > 50",
        ],
        ("smokes", "leave"),
        "leave ~ smokes + drinks",
        ("smokes", "drinks"),
        _paper_design(in_two, "leave"),
        in_two,
    )

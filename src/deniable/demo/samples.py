"""Two surveys of people whose truth is known, for `deniable demo`: the Adult census, and a made-up one."""

import numpy as np
import pyarrow as pa

from deniable.channel.design import Design
from deniable.channel.schemes import clear, gaussian, interval, k_ary, warner
from deniable.demo.story import Sample
from deniable.extras import needed_for
from deniable.survey.question import Question, number, yes_no

MADE_UP, MADE_UP_TRAINING = 20_000, 15_000
CENSUS_TRAINING = 32_561  # the training records of the census; its test records follow
WORDS = np.array(["no", "yes"])
SCHOOL, SCHOOL_FROM = ("less", "high school", "some college", "bachelor or more"), (9, 10, 13)  # in the census' steps


def census() -> Sample:
    """The Adult census of 1994: what people earn, and six questions that help to predict it."""
    with needed_for("demo", "demo", ", or add --made-up"):
        from deniable.papers.data import adult
    records = adult()
    people = {
        "sex": records["sex"],
        "age": records["age"],
        "married": WORDS[records["marital-status"].str.startswith("Married").astype(int)],
        "school": np.array(SCHOOL)[np.searchsorted(SCHOOL_FROM, records["education-num"], side="right")],
        "gains": WORDS[(records["capital-gain"] > 0).astype(int)],
        "hours": records["hours-per-week"],
        "income": records["income"],
    }
    channels = [
        clear(Question("sex", ("Female", "Male"), "What is your sex?")),
        gaussian(number("age", 17, 90, "How old are you?", integer=True, cells=15), privacy=0.5),
        warner(0.8, yes_no("married", "Are you married?")),
        k_ary(0.75, Question("school", SCHOOL, "How far did you go to school?", ordered=True)),
        warner(0.85, yes_no("gains", "Did you sell anything at a profit this year, such as shares or a house?")),
        interval(number("hours", 1, 99, "How many hours a week do you work?", integer=True), cuts=[35, 41, 50]),
        warner(0.8, Question("income", ("<=50K", ">50K"), "Do you earn more than 50,000 dollars a year?")),
    ]
    return Sample(
        [
            f"{len(records):,} people of the Adult census of 1994, as if they had been asked with lotteries on their "
            "own devices. A collector would have nothing but their replies; since the census is public, this page can "
            "hold all that is learnt from the replies against the truth."
        ],
        Design(channels, target="income", title="What people earn: the Adult census under disguise"),
        "income",
        pa.table({name: np.asarray(column) for name, column in people.items()}),
        CENSUS_TRAINING,
        [
            "income == '>50K'",
            "married == 'yes'",
            "gains == 'yes'",
            "school >= 'some college'",
            "age > 50",
            "married == 'yes' and income == '>50K'",
            "sex == 'Female' and income == '>50K'",
            "age > 50 and income == '>50K'",
        ],
        ("school", "income"),
        "age",
    )


def made_up(rng: np.random.Generator) -> Sample:
    """A small survey on health at work: smokers and older people are ill more often."""
    age = np.clip(rng.normal(45, 13, MADE_UP).round(), 18, 80).astype(int)
    smokes = rng.random(MADE_UP) < np.where(age > 50, 0.2, 0.35)
    drinks = rng.choice(["never", "weekly", "daily"], MADE_UP, p=[0.3, 0.55, 0.15])
    leave = rng.random(MADE_UP) < 0.15 + 0.25 * smokes + 0.1 * (age > 50)
    channels = [
        warner(0.8, yes_no("smokes", "Do you smoke?")),
        warner(0.8, yes_no("leave", "Were you on sick leave this year?")),
        k_ary(0.7, Question("drinks", ("never", "weekly", "daily"), "How often do you drink?")),
        gaussian(number("age", 18, 80, "How old are you?", integer=True), privacy=0.5),
    ]
    return Sample(
        [f"{MADE_UP:,} made-up people. A collector would have nothing but their disguised replies."],
        Design(channels, target="leave", title="Health at work"),
        "leave",
        pa.table(
            {"smokes": WORDS[smokes.astype(int)], "leave": WORDS[leave.astype(int)], "drinks": drinks, "age": age}
        ),
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
        "age",
    )

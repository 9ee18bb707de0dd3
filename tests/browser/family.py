"""Designs of every kind that the page can be asked to show, and a way to run its modules outside a browser."""

import json
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import deniable as dn
from laws.family import MEMBERS

STATIC = Path(dn.__file__).parent / "web" / "static"
PROGRAMS = Path(__file__).parent / "programs"


@cache
def designs() -> dict[str, dn.Design]:
    """One design per scheme and variant, then some that mix them in another order."""
    found = {name: dn.Design([make(0.8, 0.3)]) for name, make in MEMBERS.items()}
    weight = dn.number("weight", 30.5, 200.25, "How much do you weigh?", omit=True)
    bands = dn.number("income", 0, 9000, "What do you earn?", cuts=[1000, 2500, 4000], omit=True)
    many = dn.Question("town", [f"town {place}" for place in range(150)])
    found["left out numbers"] = dn.Design([dn.gaussian(weight, sd=7.5), dn.k_ary(0.6, bands)])
    found["many answers"] = dn.Design([dn.k_ary(0.9, many), dn.clear(dn.number("age", 18, 80, integer=True))])
    found["another order"] = dn.Design(
        [
            dn.forced(0.1, 0.15, dn.yes_no("2"), dn.yes_no("1")),
            dn.clear(dn.Question("__proto__", ("a", "b"))),
            dn.draw(0.55, dn.Question("diet", ("meat", "fish"), optional=True), dn.yes_no("toString")),
            dn.uniform(dn.number("temperature", -40, 50.5), privacy=0.4),
        ],
        order=["1", "temperature", "toString", "2", "diet", "__proto__"],
    )
    found["joint and personal"] = dn.Design(
        dn.unrelated(
            0.7, dn.yes_no("leave"), dn.Question("mood", ("low", "so so", "high")),
            joint=[0.1, 0.2, 0.15, 0.25, 0.1, 0.2], personal={"mood": "Which third of the year were you born in?"},
        )
    )  # fmt: skip
    return found | versioned()


@cache
def versioned() -> dict[str, dn.Design]:
    """Designs with versions that are drawn in the open or chosen, alone and among plain channels."""
    smokes, drinks, leave = dn.yes_no("smokes"), dn.yes_no("drinks"), dn.yes_no("leave")
    mood, diet = dn.Question("mood", ("low", "so so", "high")), dn.Question("diet", ("meat", "fish"), optional=True)
    age, weight = dn.number("age", 18, 80, integer=True), dn.number("weight", 30.5, 200.25, omit=True)
    cards = [[0.7, 0.2], [0.3, 0.8]]
    arms = {"forced": dn.forced(0.1, 0.2, smokes), "direct": dn.clear(smokes)}
    kinds = {
        "strong": [dn.warner(0.6, smokes, drinks), dn.uniform(age, half_width=2)],
        "some": [dn.uniform(age, half_width=1), dn.k_ary(0.7, mood), dn.lookup(smokes, cards, ["red", "black"])],
        "none": [dn.clear(smokes, age, weight)],
    }
    return {
        "versions: ask": dn.Design([dn.draw(dn.epsilon(2), leave, smokes, drinks, mood, always=["leave"], ask=2)]),
        "versions: arms": dn.Design([dn.warner(0.8, leave), dn.versions(arms, [0.75, 0.25], column="arm")]),
        "versions: chosen": dn.Design([dn.versions(kinds, column="kind", chosen=True)]),
        "versions: by hand": dn.Design(
            [
                dn.versions({"by hand": dn.forced(0.1, 0.2, smokes, drawn_by="respondent"), **arms}, column="arm"),
                dn.lookup(drinks, cards, ["red", "black"], drawn_by="respondent"),
                dn.draw(0.4, leave, mood, diet, ask=2, drawn_by="respondent"),
                dn.warner(0.8, dn.yes_no("late")),
                dn.k_ary(0.6, dn.number("income", 0, 9, cuts=[3, 5], omit=True), drawn_by="respondent"),
            ],
            order=["diet", "income", "late", "drinks", "leave", "smokes", "mood"],
        ),
        "versions: literature": dn.Design(
            [
                dn.extended_crosswise(0.25, smokes, drawn_by="device"),
                dn.cheating_detection(1 / 6, 0.5, drinks, column="2"),
                dn.two_samples(0.75, 0.25, leave, unrelated="Were you born in July?", column="3"),
                dn.item_count(dn.yes_no("late"), harmless=["I own a dog", "I play chess"], column="4"),
                dn.lie_detector(1 / 6, 5 / 6, dn.yes_no("lied"), column="5"),
                dn.k_ary(0.6, mood),
            ]
        ),
        "versions: mixed": dn.Design(
            [
                dn.versions({"a": dn.unrelated(0.6, diet), "b": dn.k_ary(0.5, diet)}, [0.3, 0.7]),
                dn.forced(0.1, 0.15, leave),
                dn.versions(kinds, column="kind", chosen=True),
                dn.draw(0.4, *(dn.Question(f"q{index}", list("abc")) for index in range(5)), ask=3, column="asked"),
            ],
            order=["q4", "smokes", "diet", "leave", "age", "q0", "q1", "weight", "drinks", "q2", "q3", "mood"],
        ),
    }


def node(program: str, *arguments: str, given: Any = None) -> Any:
    """What a program prints as JSON, run with the page's own modules."""
    command = shutil.which("node")
    assert command is not None, "node is not installed; the page's modules cannot be tried"
    told = subprocess.run(
        [command, str(PROGRAMS / program), str(STATIC), *arguments],
        input=json.dumps(given), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    return json.loads(told.stdout)

"""The made-up loan applicants of Agrawal and Srikant 2000, tables 2 and 3 (from Agrawal, Imielinski and Swami 1992).

Nine numbers about each person, and a group, A or B, that depends on some of them by one of ten functions: 1 to 5 are
those of the paper, 6 to 10 the ones that the older paper has under these numbers. What the paper calls uniformly
*distributed* is any number, what it calls uniformly *chosen* a whole one.
"""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from deniable.errors import BadRequest
from deniable.survey.question import Question, number
from deniable.survey.whole import is_whole

GROUP = "group"
CHUNK = 100_000
Flags = NDArray[np.bool_]

RANGES: Mapping[str, tuple[float, float, bool]] = {  # the least, the greatest, and whether it is whole
    "salary": (20_000, 150_000, False),
    "commission": (0, 75_000, False),
    "age": (20, 80, False),
    "elevel": (0, 4, True),
    "car": (1, 20, True),
    "zipcode": (1, 9, True),
    "hvalue": (50_000, 1_350_000, False),
    "hyears": (1, 30, False),
    "loan": (0, 500_000, False),
}


def agrawal(
    function: int = 1, n: int = 1000, rng: np.random.Generator | int | None = None, balanced: bool = True
) -> pd.DataFrame:
    """Made-up loan applicants: nine numbers, and a group A or B by one of the functions 1 to 10.

    With `balanced`, people are drawn until both groups have half of the n places each.
    """
    if function not in FUNCTIONS:
        raise BadRequest("function", "a whole number from 1 to 10", function, "choose one of them")
    if not is_whole(n, 1):
        raise BadRequest("n", "a whole number from 1 on", n, "correct it")
    rng = np.random.default_rng(rng)
    if not balanced:
        return _people(function, n, rng)
    wanted = {"A": (n + 1) // 2, "B": n // 2}
    kept: list[pd.DataFrame] = []
    while any(wanted.values()):
        drawn = _people(function, min(4 * n + 64, CHUNK), rng)
        for group, left in wanted.items():
            some = drawn[drawn[GROUP] == group].head(left)
            wanted[group] -= len(some)
            kept.append(some)
    everybody = pd.concat(kept, ignore_index=True)
    return everybody.iloc[rng.permutation(n)].reset_index(drop=True)


def questions(omit: bool = False) -> list[Question]:
    """The nine numbers as questions."""
    return [number(name, low, high, integer=whole, omit=omit) for name, (low, high, whole) in RANGES.items()]


def _people(function: int, n: int, rng: np.random.Generator) -> pd.DataFrame:
    drawn: dict[str, NDArray[np.float64] | NDArray[np.int64]] = {}
    for name, (low, high, whole) in RANGES.items():
        drawn[name] = rng.integers(int(low), int(high) + 1, n) if whole else rng.uniform(low, high, n)
    drawn["commission"] = np.where(drawn["salary"] >= 75_000, 0.0, rng.uniform(10_000, 75_000, n))
    drawn["hvalue"] = drawn["zipcode"] * rng.uniform(50_000, 150_000, n)
    people = pd.DataFrame(drawn)
    people[GROUP] = np.where(FUNCTIONS[function](people), "A", "B")
    return people


def _between(column: pd.Series, low: float, high: float) -> Flags:
    return np.asarray(column.between(low, high))


def _ages(people: pd.DataFrame) -> tuple[Flags, Flags, Flags]:
    age = people["age"].to_numpy()
    return age < 40, (age >= 40) & (age < 60), age >= 60


def _function_1(people: pd.DataFrame) -> Flags:
    young, _, old = _ages(people)
    return young | old


def _function_2(people: pd.DataFrame) -> Flags:
    young, middle, old = _ages(people)
    salary = people["salary"]
    return (
        young & _between(salary, 50_000, 100_000)
        | middle & _between(salary, 75_000, 125_000)
        | old & _between(salary, 25_000, 75_000)
    )


def _function_3(people: pd.DataFrame) -> Flags:
    young, middle, old = _ages(people)
    salary, level = people["salary"], people["elevel"]
    low, mid, high = (_between(salary, low, low + 50_000) for low in (25_000, 50_000, 75_000))
    return (
        young & (_between(level, 0, 1) & low | _between(level, 2, 3) & mid)
        | middle & (_between(level, 1, 3) & mid | _between(level, 4, 4) & high)
        | old & (_between(level, 2, 4) & mid | _between(level, 1, 1) & low)
    )


def _income(people: pd.DataFrame) -> NDArray[np.float64]:
    return np.asarray(people["salary"] + people["commission"])


def _left_over(people: pd.DataFrame) -> NDArray[np.float64]:
    return np.asarray(0.67 * _income(people) - 0.2 * people["loan"] - 10_000)


def _equity(people: pd.DataFrame) -> NDArray[np.float64]:
    return np.asarray(0.1 * people["hvalue"] * np.maximum(people["hyears"] - 20, 0))


def _function_4(people: pd.DataFrame) -> Flags:
    return _left_over(people) > 0


def _function_5(people: pd.DataFrame) -> Flags:
    return np.asarray(_left_over(people) + 0.2 * _equity(people) > 0)


def _function_6(people: pd.DataFrame) -> Flags:
    young, middle, old = _ages(people)
    income = pd.Series(_income(people))
    return (
        young & _between(income, 50_000, 100_000)
        | middle & _between(income, 75_000, 125_000)
        | old & _between(income, 25_000, 75_000)
    )


def _function_7(people: pd.DataFrame) -> Flags:
    return _left_over(people) > 10_000


def _function_8(people: pd.DataFrame) -> Flags:
    return np.asarray(0.67 * _income(people) - 5_000 * people["elevel"] - 20_000 > 0)


def _function_9(people: pd.DataFrame) -> Flags:
    return np.asarray(_left_over(people) - 5_000 * people["elevel"] > 0)


def _function_10(people: pd.DataFrame) -> Flags:
    return np.asarray(0.67 * _income(people) - 5_000 * people["elevel"] + 0.2 * _equity(people) - 10_000 > 0)


FUNCTIONS: Mapping[int, Callable[[pd.DataFrame], Flags]] = {
    1: _function_1,
    2: _function_2,
    3: _function_3,
    4: _function_4,
    5: _function_5,
    6: _function_6,
    7: _function_7,
    8: _function_8,
    9: _function_9,
    10: _function_10,
}

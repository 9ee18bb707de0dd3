"""What the best guess recovers, against trying every guess."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from deniable.papers.attack import recovered

NAMES = ["a", "b", "c"]
DEALT = {1: [NAMES], 2: [["a", "b"], ["c"]], 3: [["a"], ["b"], ["c"]]}


def brute(people, groups, theta):
    """Every truth and every draw, one by one."""
    joint: dict[tuple, dict[tuple, float]] = {}
    for truth in people.itertuples(index=False):
        for draw in product([0, 1], repeat=len(groups)):
            flipped = {name for group, flip in zip(groups, draw, strict=True) if flip for name in group}
            reply = tuple(int(bit) ^ (name in flipped) for name, bit in zip(NAMES, truth, strict=True))
            chance = np.prod([1 - theta if flip else theta for flip in draw]) / len(people)
            of_reply = joint.setdefault(reply, {})
            of_reply[tuple(truth)] = of_reply.get(tuple(truth), 0) + chance
    record = sum(max(of_reply.values()) for of_reply in joint.values())
    answers = [
        sum(
            max(sum(chance for truth, chance in of_reply.items() if truth[index] == bit) for bit in (0, 1))
            for of_reply in joint.values()
        )
        for index in range(len(NAMES))
    ]
    return record, np.mean(answers)


@pytest.mark.parametrize("groups", DEALT)
@pytest.mark.parametrize("theta", [0, 0.3, 0.51, 0.8, 1])
def test_the_best_guess_is_as_good_as_trying_everything(groups, theta):
    rng = np.random.default_rng(3)
    people = pd.DataFrame(rng.random((40, 3)) < [0.2, 0.5, 0.7], columns=NAMES).astype("uint8")
    found = recovered(people, DEALT[groups], theta)
    assert (found.record, found.answer) == pytest.approx(brute(people, DEALT[groups], theta))


def test_certain_draws_hide_nothing():
    people = pd.DataFrame({"a": [0, 1, 1], "b": [1, 1, 0], "c": [0, 0, 1]})
    assert recovered(people, DEALT[3], 1.0).record == pytest.approx(1)

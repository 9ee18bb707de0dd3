"""A warning names the line that a user wrote, whatever of ours lies between."""

import warnings

import numpy as np
import pandas as pd
import pytest

import deniable as dn

RNG = np.random.default_rng(1)
QUESTIONS = [dn.yes_no(f"q{index}") for index in range(14)]
DESIGN = dn.Design([dn.warner(0.55, question) for question in QUESTIONS], target="q0")
REPLIES = pd.DataFrame(RNG.choice(["no", "yes"], (400, 14)), columns=DESIGN.names)
MANY = dn.Design([dn.warner(0.8, dn.yes_no(f"q{index}")) for index in range(30)], target="q0")
WIDE = pd.DataFrame(RNG.choice(["no", "yes"], (400, 30), p=[0.7, 0.3]), columns=MANY.names)
ANSWERS, TARGET = REPLIES.drop(columns="q0"), REPLIES["q0"]
CALLS = {
    "tree": lambda: dn.TreeClassifier(DESIGN).fit(ANSWERS, TARGET),
    "pairs": lambda: dn.TreeClassifier(MANY, method="pairs").fit(WIDE.drop(columns="q0"), WIDE["q0"]),
    "naive Bayes": lambda: dn.NaiveBayes(DESIGN).fit(ANSWERS, TARGET),
    "pairwise": lambda: dn.PairwiseClassifier(MANY).fit(WIDE.drop(columns="q0"), WIDE["q0"]),
    "scikit-learn's score": lambda: dn.NaiveBayes(DESIGN).fit(ANSWERS, TARGET).score(ANSWERS, TARGET),
    "true answers": lambda: dn.estimate(DESIGN, REPLIES.assign(q1="yes"), "q1 == 'yes'"),
    "a percentage": lambda: dn.gaussian(dn.number("age", 18, 80), privacy=9),
}


@pytest.mark.parametrize("call", CALLS)
def test_warnings_point_here(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        CALLS[call]()
    assert caught
    assert {each.filename for each in caught} == {__file__}

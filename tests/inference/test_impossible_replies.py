"""True answers, or replies to another design, given as replies: whoever counts them warns, once and in one line."""

import warnings
from secrets import token_bytes

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import binom

import deniable as dn
from deniable.collect.places import open_store
from deniable.collect.reply import Reply
from deniable.collect.store import Arrival
from deniable.count.possible import FALSE_ALARMS

RNG = np.random.default_rng(5)
RARE, OFTEN = dn.yes_no("rare"), dn.yes_no("often")
DESIGN = dn.Design([dn.warner(0.8, RARE), dn.warner(0.7, OFTEN), dn.warner(0.9, dn.yes_no("t"))], target="t")
PEOPLE = pd.DataFrame(
    {
        "rare": RNG.choice(["no", "yes"], 2000, p=[0.97, 0.03]),
        "often": RNG.choice(["no", "yes"], 2000),
        "t": RNG.choice(["no", "yes"], 2000, p=[0.7, 0.3]),
    }
)
REPLIES = dn.disguise(DESIGN, PEOPLE, seed=6)
MODEL = dn.NaiveBayes().fit(PEOPLE[["rare"]], PEOPLE["t"])
CALLS = {
    "estimate": lambda replies: dn.estimate(DESIGN, replies, "rare == 'yes'"),
    "every share": lambda replies: dn.estimate(DESIGN, replies),
    "given": lambda replies: dn.estimate(DESIGN, replies, "often == 'yes'", given="rare == 'no'"),
    "table": lambda replies: dn.table(DESIGN, replies, ["rare", "often"], percent="row"),
    "association": lambda replies: dn.association(DESIGN, replies, "rare", "often"),
    "reconstruct": lambda replies: dn.reconstruct(DESIGN, replies, "rare"),
    "itemsets": lambda replies: dn.itemsets(DESIGN, replies),
    "rules": lambda replies: dn.rules(DESIGN, replies, min_support=0.01),
    "tree": lambda replies: dn.TreeClassifier(DESIGN, method="inverse").fit(replies[["rare", "often"]], replies["t"]),
    "bayes": lambda replies: dn.NaiveBayes(DESIGN).fit(replies[["rare", "often"]], replies["t"]),
    "pairwise": lambda replies: dn.PairwiseClassifier(DESIGN).fit(replies[["rare", "often"]], replies["t"]),
    "score": lambda replies: dn.score(MODEL, DESIGN, replies),
    "confusion": lambda replies: dn.confusion(
        dn.NaiveBayes(DESIGN).fit(REPLIES[["rare"]], REPLIES["t"]), DESIGN, replies
    ),
}


def said(call, *given):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(*given)
    return [str(each.message) for each in caught if "whatever the truth" in str(each.message)]


@pytest.mark.parametrize("call", CALLS)
def test_true_answers_given_as_replies_are_told_once_with_question_share_and_range(call):
    (line,) = said(CALLS[call], PEOPLE)
    share = (PEOPLE["rare"] == "no").mean()
    assert f"question 'rare': {share:.2%} of 2,000 replies say 'no'" in line
    assert "20.00% to 80.00%" in line
    assert "true answers" in line
    assert "another design" in line
    assert "\n" not in line


@pytest.mark.parametrize("call", CALLS)
def test_honest_replies_are_not_spoken_of(call):
    assert said(CALLS[call], REPLIES) == []


def test_replies_to_a_weaker_disguise_are_told():
    weak = dn.disguise(dn.Design([dn.warner(0.95, RARE)]), PEOPLE, seed=7)
    assert said(lambda: dn.estimate(dn.Design([dn.warner(0.6, RARE)]), weak, "rare == 'yes'"))


def test_answers_that_hang_together_more_than_a_disguise_lets_them_are_told():
    """Each share is even and possible; but .8 of .8 hide at least 4 % in every corner of the pair."""
    even = RNG.choice(["no", "yes"], 3000)
    design = dn.Design([dn.warner(0.8, dn.yes_no("a")), dn.warner(0.8, dn.yes_no("b"))])
    replies = pd.DataFrame({"a": even, "b": even})
    assert said(lambda: dn.estimate(design, replies))  # of every share
    (line,) = said(lambda: dn.table(design, replies, ["a", "b"]))
    assert "questions 'a' and 'b': 0.00% of 3,000 replies say" in line
    assert "4.00% to 64.00%" in line


def test_whole_numbers_under_noise_that_was_never_added_are_told():
    design = dn.Design([dn.gaussian(dn.number("age", 18, 80, integer=True), privacy=0.5)])
    ages = pd.DataFrame({"age": RNG.integers(18, 81, 2000)})
    (line,) = said(lambda: dn.mean(design, ages, "age"))
    assert "question 'age'" in line
    assert said(lambda: dn.mean(design, dn.disguise(design, ages, seed=8), "age")) == []
    heaped = pd.DataFrame({"age": [40] * 5000})
    assert said(lambda: dn.mean(design, dn.disguise(design, heaped, seed=9), "age")) == []


@pytest.mark.parametrize("call", ["estimate", "table", "rules"])
def test_lazy_frames_and_stores_are_told_as_well(call, tmp_path):
    assert len(said(CALLS[call], pl.from_pandas(PEOPLE).lazy())) == 1
    url = f"sqlite:///{tmp_path / 'true.sqlite'}"
    cells = (PEOPLE == "yes").astype(int).to_numpy().tolist()
    with open_store(url) as store:
        store.enrol(DESIGN)
        replies = [Reply(token_bytes(16), token_bytes(32), tuple(values)) for values in cells]
        store.keep([Arrival(DESIGN.fingerprint, reply, None) for reply in replies])
    assert len(said(CALLS[call], url)) == 1


def test_clear_questions_are_never_doubted():
    design = dn.Design([dn.clear(RARE, OFTEN, dn.yes_no("t"))])
    assert said(lambda: dn.table(design, PEOPLE, ["rare", "often"])) == []


@pytest.mark.parametrize("n", [100, 1000])
def test_the_rate_of_false_alarms_is_as_stated(n):
    """Exact: everybody truly says no, so that reports are as lopsided as they can be; the counts that would warn."""
    design = dn.Design([dn.warner(0.8, RARE)])
    counts = np.arange(n + 1)
    near = counts[np.abs(counts - 0.8 * n) < 6 * np.sqrt(0.16 * n) + 1]
    loud = [
        count
        for count in near
        if said(lambda: dn.estimate(design, _replies(count, n), "rare == 'yes'"))  # noqa: B023
    ]
    rate = sum(binom.pmf(loud, n, 0.8)) + binom.sf(near.max(), n, 0.8)
    assert loud == list(range(min(loud, default=n + 1), near.max() + 1))
    assert FALSE_ALARMS / 100 < rate <= FALSE_ALARMS


def _replies(no, n):
    return pd.DataFrame({"rare": ["no"] * no + ["yes"] * (n - no)})


@pytest.mark.parametrize("count", [2000, 40_000])
def test_true_answers_whose_shares_are_possible_but_not_together_are_told(count):
    """Each report is within its bounds, and so is each pair; but some true shares would be negative."""
    rng = np.random.default_rng(count)
    line = rng.random(count) < 0.45
    names = [f"q{index}" for index in range(12)]
    people = pd.DataFrame({name: np.where(line ^ (rng.random(count) < 0.15), "yes", "no") for name in names})
    design = dn.Design([dn.warner(0.75, dn.yes_no(name)) for name in names], target="q0")
    with pytest.warns(UserWarning, match="by these replies -.* of people would truly answer"):
        dn.table(design, people, ["q0", "q1"])
    with pytest.warns(UserWarning, match="would truly answer"):
        dn.NaiveBayes(design).fit(people.drop(columns="q0"), people["q0"])
    replies = dn.disguise(design, people, seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dn.table(design, replies, ["q0", "q1"])

"""`dn.estimate` without an expression: what the command prints, as a frame of the user's own kind."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import deniable as dn
from deniable.count.replies import counts_of
from deniable.inference.every import every_estimate

COLUMNS = ["question", "answer", "share", "stderr", "low", "high", "note"]


@pytest.fixture(scope="module")
def design():
    return dn.Design(
        [
            dn.warner(0.8, dn.yes_no("smokes")),
            dn.k_ary(0.7, dn.Question("drinks", ["never", "it's weekly", "daily"])),
            dn.gaussian(dn.number("age", 18, 80, integer=True), privacy=0.5),
            dn.interval(dn.number("height", 1, 2), cuts=[1.5, 1.75]),
            dn.k_ary(0.8, dn.number("hours", 0, 60, integer=True, cuts=[20, 21, 40])),
        ]
    )


@pytest.fixture(scope="module")
def replies(design):
    rng = np.random.default_rng(7)
    people = pd.DataFrame(
        {
            "smokes": rng.choice(["no", "yes"], 2000),
            "drinks": rng.choice(["never", "it's weekly", "daily"], 2000),
            "age": rng.integers(18, 81, 2000),
            "height": rng.uniform(1, 2, 2000),
            "hours": rng.integers(0, 61, 2000),
        }
    )
    return dn.disguise(design, people, seed=1)


def test_every_answer_has_its_row(design, replies):
    found = dn.estimate(design, replies)
    assert list(found.columns) == COLUMNS
    assert list(zip(found.question, found.answer, strict=True)) == [
        *[("smokes", "no"), ("smokes", "yes")],
        *[("drinks", "never"), ("drinks", "it's weekly"), ("drinks", "daily")],
        *[("age", "18 to 33"), ("age", "34 to 48"), ("age", "49 to 64"), ("age", "65 to 80")],
        *[("height", "1 to 1.5"), ("height", "1.5 to 1.75"), ("height", "1.75 to 2")],
        *[("hours", "0 to 19"), ("hours", "20"), ("hours", "21 to 39"), ("hours", "40 to 60")],
    ]
    assert found.groupby("question").share.sum().to_numpy() == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("given", [None, "smokes == 'yes'"])
def test_figures_are_those_of_the_command(design, replies, given):
    found = dn.estimate(design, replies, given=given)
    told = list(every_estimate(design, counts_of(design, replies), given).values())
    assert found.share.tolist() == [each.value for each in told]
    assert found.stderr.tolist() == [each.stderr for each in told]
    assert found.note.tolist() == [each.note for each in told]


@pytest.mark.parametrize("kind", [pa.Table, pl.DataFrame])
def test_the_frame_is_of_the_users_kind(design, replies, kind):
    own = pa.Table.from_pandas(replies) if kind is pa.Table else pl.from_pandas(replies)
    assert isinstance(dn.estimate(design, own), kind)


def test_one_share_is_still_an_estimate(design, replies):
    one = dn.estimate(design, replies, "drinks == 'daily'")
    every = dn.estimate(design, replies)
    assert one.value == pytest.approx(every[every.answer == "daily"].share.item())

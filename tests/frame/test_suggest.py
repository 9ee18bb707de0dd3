"""The first design: every question keeps the same epsilon, and scales say what people would rather deny."""

from math import log

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deniable as dn
from deniable.frame.suggest import careful, suggest

MAX_EPSILON = log(4)


@pytest.mark.parametrize("size", [2, 3, 4, 5, 7, 20, 50, 99, 100, 101, 400, 1000])
def test_more_answers_are_disguised_as_well_as_two(size):
    design = dn.Design([careful(dn.Question("q", [f"a{index}" for index in range(size)]))])
    epsilon = dn.privacy(design).epsilon
    assert 0.75 * MAX_EPSILON < epsilon <= MAX_EPSILON + 1e-6
    assert size > 50 or epsilon > 0.9 * MAX_EPSILON


@pytest.mark.parametrize(("words", "sensitive"), [
    (["never", "weekly", "daily"], "daily"), (["none", "1 child", "2 or more children"], "2 or more children"),
    (["very bad", "bad", "good"], "very bad"),
    (["satisfied", "dissatisfied", "very dissatisfied"], "very dissatisfied"),
    (["blue", "green", "red"], None),
])  # fmt: skip
def test_the_sensitive_answer_of_a_scale_is_its_most_or_its_worst(words, sensitive, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("q\n" + "".join(f"{word}\n" for word in words) * 4)
    design = suggest(path).design
    assert design.question("q").sensitive == sensitive
    design.save(tmp_path / "first.toml")
    assert (f'sensitive = "{sensitive}"' in (tmp_path / "first.toml").read_text()) == (sensitive is not None)


def test_lists_and_records_are_no_question(tmp_path):
    columns = {"q": ["yes", "no"] * 5, "list": [[1], [2, 3]] * 5, "record": [{"a": 1}, {"a": 2}] * 5}
    pq.write_table(pa.table(columns), tmp_path / "people.parquet")
    found = suggest(tmp_path / "people.parquet")
    assert found.design.names == ["q"]
    assert set(found.left_out) == {"list", "record"}

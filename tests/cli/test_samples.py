"""Commands for means, quantiles, differences, correlations and tests, and samples that are not simple."""

import pandas as pd
import pytest

LINES = {
    "mean health.toml drawn.csv age": "mean",
    "quantile health.toml drawn.csv age 0.25 0.5": "quantile",
    "difference health.toml drawn.csv \"smokes == 'yes'\" \"leave == 'yes'\" \"leave == 'no'\"": "difference",
    "correlation health.toml drawn.csv smokes leave": "correlation",
    "estimate health.toml drawn.csv \"smokes == 'yes'\"": "share",
}
SAMPLE = " --weights weight --clusters town"


@pytest.fixture
def drawn(survey):
    """Replies of people who were drawn by town, with weights."""
    replies = pd.read_csv("replies.csv", keep_default_na=False)
    rows = range(len(replies))
    replies.assign(weight=[1 + row % 3 for row in rows], town=[f"t{row % 25}" for row in rows]).to_csv(
        "drawn.csv", index=False
    )


@pytest.mark.parametrize("line", LINES)
def test_figures_of_samples(line, drawn, deniable):
    plain, sampled = deniable(f"{line} --json").json, deniable(f"{line}{SAMPLE} --json").json
    for one, other in zip(plain, sampled, strict=True):
        assert one["low"] <= one["value"] <= one["high"] or one["note"]
        assert one["expression"] == other["expression"]
        assert list(other)[-1] == "note"
    if "mean" in line or "estimate" in line:
        assert "design effect" in sampled[0]["note"]
    assert LINES[line] in deniable(f"{line}{SAMPLE}").out


def test_a_difference_has_its_test(drawn, deniable):
    line = "difference health.toml drawn.csv \"smokes == 'yes'\" \"leave == 'yes'\" \"leave == 'no'\""
    [row] = deniable(f"{line} --json").json
    assert row["z"] == pytest.approx(row["value"] / row["stderr"])
    assert 0 <= row["p"] <= 1
    assert "p = " in deniable(line).out


def test_an_association_is_tested(drawn, deniable):
    found = deniable("association health.toml drawn.csv smokes leave --json").json
    assert set(found) == {"first", "second", "statistic", "degrees", "p_value", "n", "note"}
    assert "chi-square" in deniable("association health.toml drawn.csv smokes leave").out


def test_tables_and_rules_take_weights(drawn, deniable):
    for line in ("table health.toml drawn.csv smokes leave", "rules health.toml drawn.csv --item smokes --item leave"):
        line += " --min-confidence 0.1 --min-support 0.01" if line.startswith("rules") else ""
        rows = deniable(f"{line} --weights weight --json").json
        assert all("design effect" in row["note"] for row in rows)


def test_what_is_no_sample_gets_one_line(drawn, deniable):
    outcome = deniable("estimate health.toml drawn.csv \"smokes == 'yes'\" --weights wieght")
    assert outcome.code != 0
    assert "no column 'wieght'; did you mean 'weight'?" in outcome.err

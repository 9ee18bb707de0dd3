"""`deniable regress`: what people read, what programs read, and a page."""

from pathlib import Path

import pytest

import deniable as dn


def test_a_regression_is_printed_and_drawn(survey, deniable, tmp_path):
    told = deniable("regress health.toml replies.csv 'leave ~ smokes + age' --html page.html")
    assert told.code == 0
    assert "Logit regression: leave ~ smokes + age" in told.out
    assert "smokes[T.yes]" in told.out
    assert "average marginal effects" in told.out
    page = Path("page.html").read_text(encoding="utf-8")
    assert page.count("<circle") == 2
    assert "<script" not in page


def test_effects_on_the_edge_say_so(health, deniable):
    """True data given as replies: whoever smokes pads, so the coefficients have no end."""
    rows = ["no,no"] * 1500 + ["yes,yes"] * 500
    Path("true.csv").write_text("\n".join(["smokes,leave", *rows]) + "\n")
    told = deniable("regress health.toml true.csv 'leave ~ smokes'").out
    assert "average marginal effects" in told
    assert "on the edge of what is possible" in told or "not to be used" in told.split("average marginal effects")[1]


def test_json_has_the_figures_of_python(survey, deniable):
    found = deniable("regress health.toml replies.csv 'drinks ~ smokes' --json").json
    expected = dn.regress(dn.Design.load("health.toml"), "replies.csv", "drinks ~ smokes")
    assert (found["model"], found["method"], found["n"]) == ("Multinomial logit", "corrected scores", 20_000)
    assert [row["estimate"] for row in found["coefficients"]] == pytest.approx(list(expected.fit.b))
    assert found["log_likelihood"] is None
    assert found["test"]["kind"] == "Wald"
    assert sum(row["share"] for row in found["shares"]) == pytest.approx(1)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("regress health.toml replies.csv 'leave ~ smoks'", "did you mean 'smokes'?"),
        ("regress health.toml replies.csv leave", "needs an outcome, one ~ and predictors"),
        ("regress health.toml replies.csv 'leave ~ smokes' --weights age2", "no column 'age2'"),
        ("regress health.toml replies.csv 'leave ~ smokes' --errors model", "errors must be 'sandwich'"),
    ],
)
def test_refusals_are_one_line(survey, deniable, command, told):
    found = deniable(command)
    assert found.code == 2
    assert told in found.err
    assert len([line for line in found.err.splitlines() if "warning" not in line]) == 1

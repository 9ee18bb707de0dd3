"""Commands that show a design show its versions, compactly."""

import pytest

import deniable as dn

OTHERS = [dn.yes_no(f"q{index}") for index in range(8)]
SMOKES = dn.yes_no("smokes")


@pytest.fixture
def design(tmp_path):
    arms = dn.versions({"forced": [dn.forced(0.1, 0.2, SMOKES)], "direct": [dn.clear(SMOKES)]}, column="arm")
    drawn = dn.draw(dn.epsilon(2), dn.yes_no("income"), *OTHERS, always=["income"], ask=2)
    path = tmp_path / "design.toml"
    dn.Design([drawn, arms], target="income").save(path)
    return path


def test_check(design, deniable):
    told = deniable(f"check {design}")
    assert told.code == 0
    assert "version: 28 versions, drawn in the open: each asks income and 2 of 8 others" in told.out
    assert "  direct (0.5): smokes by clear" in told.out
    assert "q0+q1" not in told.out


def test_check_as_json(design, deniable, tmp_path):
    found = deniable(f"check {design} --json").json
    rows = {row["question"]: row for row in found["questions"]}
    assert rows["q0"]["note"] == "asked in 7 of 28 versions"
    assert rows["smokes"]["note"] == "asked in the clear in direct: it cannot be denied there"
    drawn, arms = found["versions"]
    assert (drawn["column"], drawn["count"], drawn["chosen"]) == ("version", 28, False)
    assert arms["versions"][0] == {"name": "forced", "share": 0.5, "asks": ["smokes"]}
    plain = tmp_path / "plain.toml"
    dn.Design([dn.warner(0.8, SMOKES)]).save(plain)
    without = deniable(f"check {plain} --json").json
    assert set(found) - set(without) == {"versions"}
    assert set(rows["q0"]) == set(without["questions"][0])


def test_privacy_and_plan(design, deniable):
    told = deniable(f"privacy {design}")
    assert told.code == 0
    assert "In the version 'direct' your answer is sent as it is." in told.out
    assert deniable(f"privacy {design} --json").json["versions"][1]["epsilon"] == "infinity"
    rows = {row["question"]: row for row in deniable(f"plan {design} --margin 0.02 --json").json["questions"]}
    assert rows["q0"]["n"] > rows["income"]["n"]


def test_notebooks(design):
    shown = dn.Design.load(design)
    assert "28 versions, drawn in the open" in shown._repr_html_()
    assert "drawn in the open" in dn.privacy(shown)._repr_html_()
    assert "smokes" in dn.plan(shown, 0.02)._repr_html_()

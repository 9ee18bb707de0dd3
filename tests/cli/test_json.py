"""What `check`, `tree` and `bayes` print for programs: strict JSON, a note in every row."""

import pytest

import deniable as dn


def test_check(health, deniable):
    told = deniable("check health.toml --json")
    design = dn.Design.load("health.toml")
    found = told.json
    assert (told.code, told.err) == (0, "")
    assert found["title"] == "Health at work"
    assert (found["target"], found["fingerprint"], found["note"]) == ("leave", design.fingerprint, "")
    rows = {row["question"]: row for row in found["questions"]}
    assert list(rows) == design.names
    assert rows["smokes"]["answers"] == ["no", "yes"]
    assert (rows["smokes"]["scheme"], rows["smokes"]["settings"]) == ("warner", {"theta": 0.8})
    assert rows["smokes"]["group"] == ["smokes", "leave"]
    assert (rows["age"]["answers"], rows["age"]["range"], rows["age"]["integer"]) == (None, [18, 80], True)
    assert rows["age"]["settings"]["privacy"] == 0.5
    assert rows["region"]["note"] == "asked in the clear: it cannot be denied"
    assert rows["drinks"]["ordered"]


def test_check_of_every_setting_is_json(tmp_path, deniable):
    channels = [
        dn.lookup(dn.Question("cards", ["a", "b"]), [[0.8, 0.3], [0.2, 0.7]]),
        dn.unrelated(0.7, dn.yes_no("born"), chances={"born": [0.5, 0.5]}, personal={"born": "Before July?"}),
        dn.interval(dn.number("hours", 1, 99, omit=True), cuts=[35, 50]),
    ]
    dn.Design(channels).save(tmp_path / "design.toml")
    rows = deniable(f"check {tmp_path / 'design.toml'} --json").json["questions"]
    assert rows[0]["settings"]["matrix"] == [[0.8, 0.3], [0.2, 0.7]]
    assert rows[1]["settings"]["personal"] == {"born": "Before July?"}
    assert rows[2]["answers"] == ["1 to 35", "35 to 50", "50 to 99"]
    assert rows[2]["note"] == "whether it was left out can be seen"


@pytest.mark.parametrize("method", ["auto", "inverse", "none"])
def test_tree(survey, deniable, method):
    told = deniable(f"tree health.toml replies.csv --method {method} -o tree.json --json")
    found, tree = told.json, dn.load_model("tree.json")
    assert told.code == 0
    assert (found["target"], found["method"], found["classes"]) == ("leave", tree.method_, ["no", "yes"])
    assert (found["model"], found["n"]) == ("tree.json", 20_000)
    assert ("left out: age" in found["note"]) == (method == "inverse")
    rows = found["nodes"]
    assert len(rows) == len(tree.tree_.nodes())
    assert (rows[0]["parent"], rows[0]["path"]) == (None, [])
    for index, row in enumerate(rows):
        assert row["node"] == index
        assert row["shares"][row["label"]] == pytest.approx(row["share"])
        assert row["stderr"] is None or row["stderr"] >= 0
        assert isinstance(row["note"], str)
        assert (row["asks"] is None) == (index not in {other["parent"] for other in rows})
        if row["parent"] is not None:
            above = rows[row["parent"]]
            assert row["path"][:-1] == above["path"]
            assert row["path"][-1].startswith(f"{above['asks']} ")


def test_bayes(survey, deniable):
    told = deniable("bayes health.toml replies.csv --method inverse -o bayes.json --json")
    found, bayes = told.json, dn.load_model("bayes.json")
    assert told.code == 0
    assert found["note"].startswith("left out: age (a number under noise)")
    assert found["priors"] == pytest.approx(dict(zip(["no", "yes"], bayes.priors_, strict=True)))
    rows = found["answers"]
    assert [(row["question"], row["answer"]) for row in rows] == [
        *[("smokes", "no"), ("smokes", "yes")],
        *[("drinks", "never"), ("drinks", "weekly"), ("drinks", "daily")],
    ]
    assert rows[1]["shares"] == pytest.approx(dict(zip(["no", "yes"], bayes.chances_[0][1], strict=True)))
    assert (rows[1]["speaks_for"], rows[1]["note"]) == ("yes", "")
    assert rows[1]["times"] == pytest.approx(max(bayes.chances_[0][1]) / min(bayes.chances_[0][1]))

"""Figures stay what they were: a change of the inside changes none of them, a change on purpose is made in the file."""

import json
from math import isclose

import pytest

import deniable as dn
from golden.figures import DESIGNS, FITTED, HERE, REFUSED, design_of, figures, people

GOLDEN = json.loads((HERE / "figures.json").read_text(encoding="utf-8"))


def differences(before, now, tolerance, where=""):
    """Where two figures differ; what is new is not asked for."""
    if isinstance(before, dict) and isinstance(now, dict):
        return [
            line
            for key, value in before.items()
            for line in differences(value, now.get(key, "missing"), tolerance, f"{where}.{key}")
        ]
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        return [
            line
            for index, pair in enumerate(zip(before, now, strict=True))
            for line in differences(*pair, tolerance, f"{where}[{index}]")
        ]
    numbers = all(isinstance(each, int | float) and not isinstance(each, bool) for each in (before, now))
    same = str(before) == str(now) or (numbers and isclose(before, now, rel_tol=tolerance, abs_tol=tolerance))
    return [] if same else [f"{where}: {before} before, {now} now"]


@pytest.mark.parametrize("name", DESIGNS)
def test_figures_stay(name):
    found = {what: (tolerance, json.loads(json.dumps(now, default=float))) for what, tolerance, now in figures(name)}
    assert set(GOLDEN[name]) <= set(found)
    wrong = [
        line
        for what, before in GOLDEN[name].items()
        for line in differences(before, found[what][1], found[what][0], what)
    ]
    assert not wrong, "\n".join(wrong[:20])


@pytest.mark.parametrize("name", DESIGNS)
def test_old_model_files_still_predict(name, tmp_path):
    true = people()[[asked for asked in design_of(name).names if asked != "leave"]]
    files = {
        what: figure for what, figure in GOLDEN[name].items() if isinstance(figure, dict) and "predicted" in figure
    }
    assert len(files) >= 8
    for index, (what, figure) in enumerate(files.items()):
        path = tmp_path / f"{index}.json"
        path.write_text(json.dumps(figure["file"]), encoding="utf-8")
        assert dn.load_model(path).predict(true).tolist() == figure["predicted"], what


def test_most_figures_are_there():
    refused = [figure for some in GOLDEN.values() for figure in some.values() if figure == REFUSED]
    assert sum(map(len, GOLDEN.values())) - len(refused) > 150
    assert differences({"a": [1.0]}, {"a": [1.1]}, FITTED) == [".a[0]: 1.0 before, 1.1 now"]

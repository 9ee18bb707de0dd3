"""Published studies come out again, to the digits in which they were given."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from deniable.cli.main import run
from deniable.errors import BadFile
from deniable.papers.published import claims, every_row, published, recounted, study
from deniable.papers.regressions import regression_rows

ROWS = os.environ.get("DENIABLE_STUDIES")
needs_rows = pytest.mark.skipif(not ROWS, reason="DENIABLE_STUDIES names no folder with the rows of the studies")
DICE = [each for each in published() if each.question == "dice game: cheated"]


@pytest.fixture(scope="module")
def results():
    return pd.DataFrame(every_row())


def test_every_published_share_and_error_comes_out(results, figure):
    found = claims(results)
    assert [each.says for each in found if each.verdict != "held"] == []
    by_study = pd.Series([each.study for each in published() if each.published]).value_counts()
    assert by_study.to_dict() == {
        "mturk": 16, "ethbe": 8, "horvitz": 6, "minarets": 2, "plagiarism": 2, "nigeria": 1, "race": 1, "affirm": 1,
    }  # fmt: skip
    errors = (results["stderr"] / results["published_stderr"] - 1).abs()
    assert errors.notna().sum() == 13
    assert errors.max() < 0.02
    figure("published shares reproduced to their digits", len(found))
    figure("largest distance of a standard error from the published", f"{errors.max():.2%}")


def test_a_claim_fails_where_a_figure_is_another(results):
    wrong = results.assign(share=results["share"] + 0.0001)
    assert [each.verdict for each in claims(wrong)].count("held") <= 5  # of those with few digits
    wrong = results.assign(stderr=results["stderr"] * 1.03)
    assert [each.verdict for each in claims(wrong)].count("not held") == 13


def test_fixed_weights_are_within_a_tenth_of_an_error_of_the_likeliest(results):
    apart = (results["share"] - results["estimate"]).abs() / results["stderr"]
    assert apart[results["estimate"] > 0].max() < 0.1  # a likeliest share is never below zero
    single = [len(each.arms) == 1 for each in published()]
    assert apart[single].max() < 1e-9


def test_techniques_are_held_against_who_truly_cheated(results):
    """165 of 3,078 people whose dice are known; each technique's share stands beside that."""
    dice = results[results["question"] == "dice game: cheated"].set_index("technique")
    assert dice["truth"].unique() == pytest.approx([165 / 3078])
    assert dice["share"].to_dict() == pytest.approx(
        {"crosswise": 0.1471, "unrelated question": 0.0466, "direct": 0.0313, "forced": -0.0055}, abs=1e-4
    )
    honest = results[results["question"] == "dice game: those who truly did not"].set_index("technique")
    assert honest.loc["crosswise", "low"] > 0  # false alarms
    guilty = results[results["question"] == "dice game: those who truly cheated"].set_index("technique")
    assert guilty.loc["direct", "share"] == pytest.approx(12 / 17)
    assert (guilty["high"] < 1).all()


def test_counts_are_whole(results):
    assert results["n"].between(1, 3000).all()
    assert np.isfinite(results[["share", "stderr", "low", "high"]]).all(axis=None)
    for each in published():
        assert len(each.counts) == len(each.rows)
        assert len(each.counts) == max(len(each.arms), len(each.design.blocks[0].versions))


@pytest.mark.studies
def test_one_page_with_a_chart_of_each_study(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("DENIABLE_STUDIES", raising=False)
    monkeypatch.setattr("sys.argv", ["deniable", "papers", "studies", "--out", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        run()
    assert not ended.value.code, capsys.readouterr()
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 8
    assert page.count("<td>held</td>") == 37
    assert "runs a cell" not in page
    assert "counts were made again" not in page
    assert len(pd.read_csv(tmp_path / "results.csv")) == len(published())


def test_a_folder_without_the_rows_is_named(tmp_path):
    job = study(tmp_path).jobs(False)[0]
    with pytest.raises(BadFile, match=r"nigeria\.csv.* is not there; give the folder that holds the rows"):
        job()
    (tmp_path / "nigeria.csv").write_text("rr.q1\n0\n1\n")
    job = study(tmp_path).jobs(False)[0]
    with pytest.raises(BadFile, match=r"gives \[\[1, 1\]\] as counts of nigeria"):
        job()


@needs_rows
def test_the_regression_of_nigeria_comes_out(results):
    rows = pd.DataFrame(regression_rows(Path(str(ROWS))))
    assert [each.verdict for each in claims(pd.concat([results, rows]))[-7:]] == ["held"] * 7
    assert rows["n"].unique() == [2423]


@needs_rows
@pytest.mark.parametrize("each", published(), ids=lambda each: f"{each.study}, {each.question}, {each.technique}")
def test_counts_are_those_of_the_rows(each):
    assert recounted(Path(str(ROWS)), each) == [list(row) for row in each.counts]

"""The papers' experiments run, tell their claims, and leave files that speak for themselves."""

import os
import re
import subprocess
import sys
from functools import partial
from html.parser import HTMLParser

import pandas as pd
import pytest

from deniable.cli.main import run
from deniable.papers.experiment import perform, summary
from deniable.papers.studies import STUDIES

JUDGED = {"du-zhan": 3, "four-groups": 0, "zhan-matwin": 13, "agrawal-srikant": 1}  # the rest has one or two runs
VERDICT = re.compile(r"  (held|not held|cannot be told|too few runs to tell)  ")
SWEPT = {"q": 0.6, "theta": 0.6, "privacy": 1.0}  # what a paper varies, and where its methods are compared


def papers(*arguments):
    command = [sys.executable, "-c", "from deniable.cli.main import run; run()", "papers", *map(str, arguments)]
    wide = os.environ | {"COLUMNS": "200"}  # so that a verdict stands on one line
    return subprocess.run(command, capture_output=True, text=True, check=False, env=wide)


@pytest.mark.parametrize("name", STUDIES)
def test_the_first_and_the_last_piece_of_a_study_give_tidy_rows(name):
    """One after the other in this process; the whole of it is the next test's."""
    study = STUDIES[name]
    first, *_, last = study.jobs(True)
    rows = pd.DataFrame([*first(), *last()])
    assert {*study.settings, "run"} <= {*rows.columns}
    assert not rows.duplicated([*study.settings, "run"]).any()
    figures = rows[[each for each in ("accuracy", "distance") if each in rows]]
    assert figures.notna().any(axis=1).all()
    assert figures.stack().dropna().between(0, 1).all()


@pytest.mark.studies
@pytest.mark.parametrize("name", STUDIES)
def test_a_quick_run_tells_every_claim_and_leaves_files_that_speak_for_themselves(name, tmp_path, figure):
    told = papers(name, "--quick", "--out", tmp_path)
    assert told.returncode == 0, told.stderr
    results, means = pd.read_csv(tmp_path / "results.csv"), pd.read_csv(tmp_path / "summary.csv")
    tidy(STUDIES[name], results, means)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    for verdicts in (VERDICT.findall(told.stdout), re.findall(r"</td><td>([^<]+)</td><td>", page.split("<h2>")[1])):
        assert len(verdicts) == len(STUDIES[name].claims(results))
        assert sum(each in ("held", "not held") for each in verdicts) == JUDGED[name]
    assert page.count("<figure") == len(STUDIES[name].charts(results))
    assert page.count("<svg") >= page.count("<figure")  # a figure may have several panels
    seen = _Outside()
    seen.feed(page)
    assert seen.found == []
    if name == "four-groups":
        means = means[(means["part"] == "all attributes") & (means["groups"] == 4) & (means["algorithm"] == "ID3")]
    swept, where = next((column, at) for column, at in SWEPT.items() if column in means)
    at = means[means[swept] == where].groupby("method")["accuracy"].mean()
    figure(f"{name}, quick, {swept} {where}", ", ".join(f"{method} {value:.4f}" for method, value in at.items()))
    (paper,) = [method for method in at.index if method.endswith("(the paper)")]
    assert at["default (ours)"] >= at[paper]


def tidy(study, results, means):
    """Every run once, the baseline beside every method, and means that are those of the runs."""
    assert {"uncorrected", "default (ours)"} < set(results["method"])
    assert results["accuracy"].dropna().between(0, 1).all()
    assert not results.duplicated([*study.settings, "run"]).any()
    assert summary(results, study.settings)["accuracy"].to_numpy() == pytest.approx(
        means["accuracy"].to_numpy(), nan_ok=True
    )


class _Outside(HTMLParser):
    """Finds what a page would fetch or run."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        fetched = [value for key, value in attrs if key in ("src", "href") and value and not value.startswith("#")]
        self.found += [tag] * (tag == "script") + fetched


def test_jobs_keep_their_order_and_show_their_progress():
    seen = []
    rows = perform([partial(list, [{"value": 3}]), partial(list, [{"value": 4}])], seen.append)
    assert rows["value"].tolist() == [3, 4]
    assert seen == [0.5, 1.0]


def refused(capsys, *arguments):
    """What the command says when it ends with the exit code 2."""
    with pytest.raises(SystemExit) as end:
        run(["papers", *map(str, arguments)])
    assert end.value.code == 2
    return capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_refused_before_the_work(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    told = refused(capsys, "du-zhan", "--quick", "--out", tmp_path / "file")
    assert told.startswith("deniable: ")
    assert len(told.splitlines()) == 1


def test_an_unknown_paper_is_refused(capsys):
    assert "du-zhan" in refused(capsys, "du-zahn")

"""Regressions of published studies, on their own rows, which DENIABLE_STUDIES must name."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import deniable as dn

FOLDER = os.environ.get("DENIABLE_STUDIES", "")
needs_rows = pytest.mark.skipif(
    not (Path(FOLDER) / "nigeria.csv").is_file(),
    reason="DENIABLE_STUDIES names no folder with the rows of published studies",
)


@pytest.fixture(scope="module")
def nigeria():
    rows = pd.read_csv(Path(FOLDER) / "nigeria.csv")
    contact = rows["rr.q1"].map({0: "no", 1: "yes"})
    return rows.assign(contact=contact, decades=rows["cov.age"] / 10)


@needs_rows
def test_contact_with_armed_groups_in_nigeria(nigeria):
    """Blair, Imai and Zhou 2015, as the package rr estimates it: errors from the outer product of scores."""
    design = dn.Design([dn.forced(1 / 6, 1 / 6, dn.yes_no("contact"))])
    formula = "contact ~ cov.asset.index + cov.married + decades + I(decades**2) + cov.education + cov.female"
    found = dn.regress(design, nigeria, formula, errors="opg")
    assert found.n == 2_423
    assert "rests on 2,423 of 2,457 replies" in found.note
    published = [-0.34016, 0.07896, -0.26742, -0.35283, 0.04099, -0.00691, -0.55440]
    errors = [0.50856, 0.04136, 0.25451, 0.26423, 0.02603, 0.04558, 0.16244]
    np.testing.assert_allclose(found.table.estimate, published, atol=2e-5)
    np.testing.assert_allclose(found.table.stderr, errors, atol=2e-5)
    robust = dn.regress(design, nigeria, formula)
    np.testing.assert_allclose(robust.table.stderr, errors, rtol=0.12)


@needs_rows
def test_the_share_without_predictors_is_that_of_the_study(nigeria):
    design = dn.Design([dn.forced(1 / 6, 1 / 6, dn.yes_no("contact"))])
    found = dn.regress(design, nigeria, "contact ~ 1")
    ((_, _, no), (_, answer, yes)) = found.shares()
    assert (answer, round(yes.value, 5), round(yes.stderr, 5)) == ("yes", 0.26191, 0.01442)
    assert no.value == pytest.approx(1 - yes.value)
    assert yes.value == pytest.approx(dn.estimate(design, nigeria, "contact == 'yes'").value, abs=1e-9)


def technique(model, p1, p2):
    """A technique of Hoglinger and Jann, in our words."""
    asked = dn.yes_no("did")
    if model == "Crosswise":
        return dn.warner(p1, asked)
    if model == "Forced":
        return dn.forced((1 - p1) * (1 - p2), (1 - p1) * p2, asked)
    return dn.clear(asked) if model == "DQ" else dn.unrelated(p1, asked, chances={"did": [1 - p2, p2]})


@needs_rows
@pytest.mark.parametrize(
    ("question", "published"),
    [
        ("shoplifting", {"Crosswise": 0.4653, "UQM": 0.5436, "DQ": 0.4023, "Forced": 0.4922}),
        ("tax evasion", {"Crosswise": 0.1962, "UQM": 0.1746, "DQ": 0.1003, "Forced": 0.1430}),
        ("non voting", {"Crosswise": 0.3804, "UQM": 0.3493, "DQ": 0.3446, "Forced": 0.3251}),
    ],
)
def test_techniques_of_an_online_survey_are_pooled(question, published):
    """Hoglinger and Jann 2018: all techniques in one likelihood, which of them was used as the predictor."""
    rows = pd.read_csv(Path(FOLDER) / "mturk.csv").query("Question == @question").dropna(subset="RR_response")
    rows["arm"] = [f"{model} {p1:g} {p2:g}" for model, p1, p2 in zip(rows.RRmodel, rows.RRp1, rows.RRp2, strict=True)]
    arms = rows.groupby("arm")[["RRmodel", "RRp1", "RRp2"]].first()
    versions = {arm: [technique(*each)] for arm, *each in arms.itertuples()}
    shares = [(rows.arm == arm).mean() for arm in versions]
    design = dn.Design([dn.versions(versions, shares=shares, column="arm")])
    rows["did"] = np.where(rows.RR_response == 1, "yes", "no")
    found = dn.regress(design, rows[["arm", "did", "RRmodel"]], "did ~ RRmodel")
    told = {model: each.value for model, answer, each in found.shares("RRmodel") if answer == "yes"}
    assert told == pytest.approx(published, abs=2e-3)
    assert dn.regress(design, rows[["arm", "did"]], "did ~ 1").n == len(rows)

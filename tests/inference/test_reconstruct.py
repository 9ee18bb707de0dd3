"""Reconstructed distributions: figure 2 of Agrawal and Srikant 2000, and their frames."""

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.papers.shapes import DRAWN, RECONSTRUCTED, shape_run

MEASURED = {  # by an independent prototype
    ("plateau", "gaussian"): 0.288,
    ("plateau", "uniform"): 0.129,
    ("triangles", "gaussian"): 0.228,
    ("triangles", "uniform"): 0.095,
}


@pytest.mark.parametrize(("shape", "noise"), MEASURED)
def test_figure_2(shape, noise, figure):
    rows = {row["method"]: row for row in shape_run(shape, noise, 0)}
    distance = rows[RECONSTRUCTED]["distance"]
    figure(f"figure 2, {shape} {noise}", f"{distance:.3f}")
    assert distance <= MEASURED[shape, noise] + 0.03


@pytest.fixture(scope="module")
def survey():
    x = DRAWN["plateau"](np.random.default_rng(1))[:20_000]
    people = pd.DataFrame({"x": x, "s": np.where(x > 0.5, "yes", "no"), "c": np.where(x > 0.3, "a", "b")})
    design = dn.Design(
        [dn.uniform(dn.number("x", 0, 1), half_width=0.2), dn.warner(0.8, dn.yes_no("s")),
         dn.clear(dn.Question("c", ["a", "b"]))]
    )  # fmt: skip
    return design, people, dn.disguise(design, people, seed=1)


@pytest.mark.parametrize("by", [None, "s", "c"])
@pytest.mark.parametrize("stop", ["change", "held-out"])
def test_frames_are_tidy_and_near_the_truth(survey, by, stop):
    design, people, replies = survey
    found = dn.reconstruct(design, replies, "x", by=by, stop=stop)
    assert list(found) == [*([by] if by else []), "low", "high", "share", "stderr"]
    groups = [(None, found, people)] if by is None else [
        (answer, found[found[by] == answer], people[people[by] == answer]) for answer in people[by].unique()
    ]  # fmt: skip
    for _, shares, those in groups:
        assert shares["share"].sum() == pytest.approx(1)
        true = np.histogram(those["x"], 20, (0, 1))[0] / len(those)
        assert np.abs(shares["share"].to_numpy() - true).sum() < 0.3


def test_a_group_known_for_certain_stands_for_itself(survey):
    design, _, replies = survey
    both = dn.reconstruct(design, replies, "x", by="c")
    alone = dn.reconstruct(design, replies[replies["c"] == "a"], "x")
    assert both[both["c"] == "a"]["share"].to_numpy() == pytest.approx(alone["share"].to_numpy(), abs=1e-12)


def test_answers_are_reconstructed_too():
    design = dn.Design([dn.k_ary(0.6, dn.Question("q", ["a", "b", "c"]))])
    found = dn.reconstruct(design, pd.DataFrame({"q": list("aabbc") * 100}), "q")
    assert list(found) == ["answer", "share", "stderr"]
    assert found["share"].tolist() == pytest.approx([0.5, 0.5, 0.0], abs=0.05)


def test_what_makes_no_sense_is_refused(survey):
    design, _, replies = survey
    with pytest.raises(dn.DeniableError, match="by must be another question"):
        dn.reconstruct(design, replies, "x", by="x")
    with pytest.raises(dn.DeniableError, match="stop must be"):
        dn.reconstruct(design, replies, "x", stop="late")
    with pytest.raises(dn.DeniableError, match="nobody"):
        dn.reconstruct(design, replies, "nobody")

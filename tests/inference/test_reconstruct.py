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
    assert list(found) == [*([by] if by else []), "low", "high", "share", "stderr", "note"]
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
    assert list(found) == ["answer", "share", "stderr", "note"]
    assert found["share"].tolist() == pytest.approx([0.5, 0.5, 0.0], abs=0.01)
    replies = pd.DataFrame({"q": ["a"] * 500 + ["b"] * 270 + ["c"] * 230})
    inverse = [(share - 0.2) / 0.4 for share in (0.5, 0.27, 0.23)]  # 0.6 tell the truth, 0.2 each other answer
    assert dn.reconstruct(design, replies, "q")["share"].tolist() == pytest.approx(inverse, abs=1e-9)


def test_groups_that_nobody_is_in_are_left_out(survey):
    design, _, replies = survey
    some = pd.concat([replies[replies["c"] == "a"], replies[replies["c"] == "b"].head(40)])
    with pytest.warns(UserWarning, match="c = b is left out: x needs 100 people there, got 40"):
        found = dn.reconstruct(design, some, "x", by="c")
    assert set(found["c"]) == {"a"}
    with pytest.raises(dn.DeniableError, match="needs at least 100 replies, got 60"):
        dn.reconstruct(design, replies.head(120).assign(c=["a", "b"] * 60), "x", by="c")


def test_every_group_stops_where_its_own_held_out_replies_say(survey):
    design, _, replies = survey
    both = dn.reconstruct(design, replies, "x", by="c", stop="held-out")
    for answer in ("a", "b"):
        alone = dn.reconstruct(design, replies[replies["c"] == answer], "x", stop="held-out")
        assert both[both["c"] == answer]["share"].to_numpy() == pytest.approx(alone["share"].to_numpy(), abs=0.05)


def test_standard_errors_tell_what_smoothing_hides():
    """Two humps behind noise as wide as the range: most truths lie within two standard errors."""
    rng, cells = np.random.default_rng(0), 10
    design = dn.Design([dn.gaussian(dn.number("x", 0, 100, cells=cells), privacy=1.0)])

    def people(n):
        return np.where(rng.random(n) < 0.4, rng.normal(70, 8, n), rng.normal(30, 10, n)).clip(0, 100)

    true = np.histogram(people(10**6), cells, (0, 100))[0] / 10**6
    held = []
    for seed in range(10):
        found = dn.reconstruct(design, dn.disguise(design, pd.DataFrame({"x": people(2000)}), seed=seed), "x")
        held.append(np.mean(np.abs(found["share"] - true) <= 2 * found["stderr"]))
    assert np.mean(held) > 0.7


def test_what_makes_no_sense_is_refused(survey):
    design, _, replies = survey
    with pytest.raises(dn.DeniableError, match="by must be another question"):
        dn.reconstruct(design, replies, "x", by="x")
    with pytest.raises(dn.DeniableError, match="stop must be"):
        dn.reconstruct(design, replies, "x", stop="late")
    with pytest.raises(dn.DeniableError, match="nobody"):
        dn.reconstruct(design, replies, "nobody")

"""A promised epsilon is kept, and nothing of it is given away."""

from math import exp

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deniable as dn
from deniable.channel.chances import SCALE
from deniable.deniability.epsilon import channel_epsilon

SMOKES, LEAVE = dn.yes_no("smokes"), dn.yes_no("leave")
COLOUR = dn.Question("colour", ["red", "green", "blue"])
WITH_THETA = {
    "warner": lambda theta: dn.warner(theta, SMOKES),
    "draw, one question": lambda theta: dn.draw(theta, COLOUR),
    "draw, a group": lambda theta: dn.draw(theta, SMOKES, LEAVE, COLOUR),
    "k_ary": lambda theta: dn.k_ary(theta, COLOUR),
    "unrelated, shares": lambda theta: dn.unrelated(theta, COLOUR, chances=[0.2, 0.3, 0.5]),
    "unrelated, joint": lambda theta: dn.unrelated(theta, SMOKES, LEAVE, joint=[0.1, 0.2, 0.3, 0.4]),
}
every_scheme = pytest.mark.parametrize("make", WITH_THETA.values(), ids=WITH_THETA)
RULED_OUT = {
    "warner": lambda: dn.warner(dn.epsilon(1), SMOKES, LEAVE),
    "k_ary": lambda: dn.k_ary(dn.epsilon(1), COLOUR, SMOKES),
}


@every_scheme
@given(promised=st.floats(0.05, 12))
@settings(max_examples=12, deadline=None)
def test_the_largest_theta_that_keeps_epsilon(make, promised):
    channel = make(dn.epsilon(promised))
    assert channel_epsilon(channel) <= promised
    assert channel_epsilon(make(channel.theta + 4 / SCALE)) > promised


@every_scheme
@pytest.mark.parametrize("promised", [20, 25, 50, 1000])
def test_epsilons_beyond_all_chances_are_kept_as_well(make, promised):
    assert 0 < channel_epsilon(make(dn.epsilon(promised))) <= promised


@every_scheme
def test_a_file_says_epsilon_and_gives_the_same_lottery(make, tmp_path):
    design = dn.Design([make(dn.epsilon(1.5))])
    design.save(tmp_path / "survey.toml")
    assert "epsilon = 1.5" in (tmp_path / "survey.toml").read_text()
    again = dn.Design.load(tmp_path / "survey.toml")
    assert again == design
    assert again.fingerprint == design.fingerprint


@pytest.mark.parametrize("make", RULED_OUT.values(), ids=RULED_OUT)
def test_an_epsilon_that_no_theta_reaches_is_refused(make):
    with pytest.raises(dn.DeniableError, match=r"must be one that some theta reaches, got 1\.0; use draw"):
        make()


def test_an_epsilon_that_only_hides_everything_is_refused():
    with pytest.raises(dn.DeniableError, match=r"hides the answers completely \(epsilon = 1, "):
        dn.unrelated(dn.epsilon(1), COLOUR, chances=[0.5, 0.5, 0.0])


@pytest.mark.parametrize("value", [0, -1, "1", float("nan"), float("inf"), True, None])
def test_what_is_no_epsilon_is_refused(value):
    with pytest.raises(dn.DeniableError, match="epsilon must be a number above 0, got"):
        dn.epsilon(value)


def test_theta_and_epsilon_together_are_refused(tmp_path):
    path = tmp_path / "survey.toml"
    dn.Design([dn.warner(0.8, SMOKES)]).save(path)
    path.write_text(path.read_text().replace("theta = 0.8", "theta = 0.8\nepsilon = 1"))
    with pytest.raises(dn.DeniableError, match="has both theta and epsilon; leave one of them out"):
        dn.Design.load(path)


@pytest.mark.parametrize("answers", [2, 3, 7, 8, 50, 200])
@pytest.mark.parametrize("promised", [0.1, 1.0, 4.0])
def test_hadamard_keeps_epsilon_and_can_be_inverted(answers, promised):
    question = dn.Question("town", [str(town) for town in range(answers)])
    channel = dn.hadamard(dn.epsilon(promised), question)
    assert promised - 1e-5 < channel_epsilon(channel) <= promised
    matrix = channel.matrix()
    assert np.linalg.matrix_rank(matrix) == answers
    columns = matrix[:, :, None] * matrix[:, None, :]
    overlap = columns.sum(axis=0) - np.diag(np.diag(columns.sum(axis=0)))
    assert np.ptp(overlap[overlap > 0]) < 1e-12  # any two answers share as much


def test_hadamard_errs_as_published():
    """Acharya, Sun and Zhang 2019, 50 answers at epsilon 1: the mean error of a share from 20,000 replies is .014."""
    rng = np.random.default_rng(3)
    question = dn.Question("town", [str(town) for town in range(50)])
    people = pd.DataFrame({"town": rng.integers(0, 50, 20_000).astype(str)})
    errors = {}
    for name, scheme in {"hadamard": dn.hadamard, "k_ary": dn.k_ary}.items():
        design = dn.Design([scheme(dn.epsilon(1), question)])
        found = dn.estimate(design, dn.disguise(design, people, seed=1))
        true = people["town"].value_counts(normalize=True)
        shares = [float(true[str(town)]) for town in range(50)]
        errors[name] = float(np.sqrt(np.mean((np.array(found["share"]) - shares) ** 2)))
    assert errors["hadamard"] == pytest.approx(0.014, rel=0.2)
    assert errors["k_ary"] == pytest.approx(0.031, rel=0.2)


def test_hadamard_needs_an_epsilon(tmp_path):
    with pytest.raises(dn.DeniableError, match=r"of hadamard must be an epsilon, got 1; write dn\.epsilon\(1\)"):
        dn.hadamard(1, COLOUR)
    design = dn.Design([dn.hadamard(dn.epsilon(exp(0)), COLOUR)])
    design.save(tmp_path / "survey.toml")
    assert dn.Design.load(tmp_path / "survey.toml") == design

"""Laws of versions: unbiased whatever their sizes, and told where nothing can be."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deniable as dn
from deniable.errors import NotIdentified
from deniable.inference.invert.reported import Reported
from deniable.inference.invert.stacks import disguised, stacks_of, weights_of
from deniable.inference.invert.versions import VersionStack
from laws.versions_family import CHOSEN, DRAWN, EVERY

CHANCES = st.floats(0.2, 0.8)
SEEDS = st.integers(0, 2**32 - 1)


def tables(design, most=3):
    """All sets of up to so many questions."""
    return [list(some) for size in range(1, most + 1) for some in combinations(design.questions, size)]


def figure(questions, rng):
    """A figure of the truth; of cells that combine two answers, one that adds up over them."""
    values = rng.normal(size=[len(question) for question in questions])
    for axis, question in enumerate(questions):
        if question.beside is not None:
            split = [*values.shape[:axis], len(question.beside), len(question.plain), *values.shape[axis + 1 :]]
            apart = values.reshape(split)
            sums = apart.mean(axis=axis, keepdims=True) + apart.mean(axis=axis + 1, keepdims=True)
            values = np.broadcast_to(sums, split).reshape(values.shape)
    return values


def sized(stacks, rng):
    """The same stacks with any sizes of their versions."""
    return [
        stack.sized(rng.integers(5, 50, len(stack.block.versions)).tolist())
        if isinstance(stack, VersionStack)
        else stack
        for stack in stacks
    ]


@pytest.mark.parametrize("make", DRAWN.values(), ids=DRAWN)
@given(p=CHANCES, seed=SEEDS)
@settings(max_examples=8)
def test_what_is_identified_is_unbiased_whatever_the_sizes(make, p, seed):
    design, rng = make(p), np.random.default_rng(seed)
    told = 0
    for questions in tables(design):
        shape = [len(question) for question in questions]
        truth = rng.dirichlet(np.ones(int(np.prod(shape)))).reshape(shape)
        stacks = sized(stacks_of(design, questions), rng)
        expected, values = disguised(truth, stacks), figure(questions, rng)
        try:
            weights = weights_of(values, stacks)
        except NotIdentified:
            continue
        told += 1
        assert (expected * weights).sum() == pytest.approx((truth * values).sum(), abs=1e-7)
        assert weights_of(np.ones(shape), stacks) == pytest.approx(np.ones(expected.shape), abs=1e-7)
    assert told >= len(design.questions)  # every single question at least


@pytest.mark.parametrize("make", DRAWN.values(), ids=DRAWN)
def test_refused_is_what_no_version_tells(make):
    """The rank of the stacked matrix decides, and nothing else."""
    design = make(0.6)
    for questions in tables(design):
        cells = int(np.prod([len(question) for question in questions]))
        full = np.eye(cells).reshape(*[len(question) for question in questions], cells)
        stacks = stacks_of(design, questions)
        rank = int(np.prod([np.linalg.matrix_rank(stack.matrix) for stack in stacks]))
        if rank == cells:
            weights_of(full, stacks)
            continue
        with pytest.raises(NotIdentified) as refusal:
            weights_of(full, stacks)
        assert all(question.name in str(refusal.value) for question in questions if question.name in stacks[0].names)


TOLD = {name: make for name, make in DRAWN.items() if name != "two_samples"}  # of which all cells are identified


@pytest.mark.parametrize("make", TOLD.values(), ids=TOLD)
@given(p=CHANCES, seed=SEEDS)
@settings(max_examples=5)
def test_the_variance_is_that_within_versions(make, p, seed):
    """Against the sum over versions of size times variance of the weights, written out."""
    design, rng = make(p), np.random.default_rng(seed)
    question = design.questions[0]
    (stack,) = stacks_of(design, [question])
    sizes = rng.integers(200, 400, len(stack.block.versions))
    stack = stack.sized(sizes.tolist())
    truth = rng.dirichlet(np.ones(len(question)))
    table = sizes.sum() * disguised(truth, [stack])
    _, covariance = Reported(table, [stack]).estimated()
    weights = weights_of(np.eye(len(question)), [stack])
    variance = np.zeros(len(question))
    for kind in range(len(stack.kinds)):
        rows = stack.kind_of_report == kind
        n = table[rows].sum()
        mean = table[rows] @ weights[rows] / n
        variance += table[rows] @ (weights[rows] - mean) ** 2 * n / (n - 1)
    assert covariance.diagonal() == pytest.approx(variance, rel=1e-9)


@pytest.mark.parametrize("make", EVERY.values(), ids=EVERY)
def test_a_design_survives_its_file(make, tmp_path):
    design = make(0.6)
    design.save(tmp_path / "design.toml")
    again = dn.Design.load(tmp_path / "design.toml")
    assert again == design
    assert again.fingerprint == design.fingerprint
    again.save(tmp_path / "again.toml")
    assert (tmp_path / "again.toml").read_text() == (tmp_path / "design.toml").read_text()


@pytest.mark.parametrize("make", EVERY.values(), ids=EVERY)
def test_replies_hold_the_version_and_nothing_that_it_does_not_ask(make):
    design, n = make(0.6), 400
    rng = np.random.default_rng(1)
    parts = [part for question in design.questions for part in question.parts]
    people = pd.DataFrame({part.name: rng.choice(part.answers, n) for part in parts})
    for block in design.versioned:
        people[block.column] = rng.choice(block.version_names, n)
    replies = dn.disguise(design, people, seed=3)
    assert list(replies.columns) == design.columns
    for block in design.versioned:
        assert set(replies[block.column]) == set(block.version_names)
        assert not block.chosen or (replies[block.column] == people[block.column]).all()
        for version in block.versions:
            some = replies[replies[block.column] == version.name]
            for name in block.names:
                asked = version.channel(name)
                assert some[name].isna().all() if asked is None else some[name].isin(asked.reported(name).answers).all()


@pytest.mark.parametrize("make", CHOSEN.values(), ids=CHOSEN)
@given(p=CHANCES, seed=SEEDS)
@settings(max_examples=8)
def test_chosen_versions_add_up_over_their_own_people(make, p, seed):
    """Who chooses a version may differ from the others in any way."""
    design, rng = make(p), np.random.default_rng(seed)
    questions = list(design.questions)
    shape = [len(question) for question in questions]
    (stack,) = stacks_of(design, questions)
    kinds, shares = len(stack.kinds), rng.dirichlet(np.ones(len(stack.kinds)))
    truths = rng.dirichlet(np.ones(int(np.prod(shape))), size=kinds)
    expected = np.concatenate(
        [share * (kind.matrix @ truth) for kind, share, truth in zip(stack.kinds, shares, truths, strict=True)]
    )
    values = rng.normal(size=shape)
    weights = weights_of(values, [stack]).ravel()
    assert expected @ weights == pytest.approx(float(shares @ (truths @ values.ravel())), abs=1e-7)


def test_a_pair_uses_the_versions_that_ask_only_one_of_its_questions():
    """The figures of MATH 10: epsilon 2, the class and two of six others in one draw, n = 10,000."""
    questions = [dn.yes_no(name) for name in ("target", "q1", "q2", "q3", "q4", "q5", "q6")]
    design = dn.Design([dn.draw(dn.epsilon(2), *questions, always=["target"], ask=2)])
    for names, error, alone in (
        (["target", "q1"], 0.0149, 0.0169), (["q1", "q2"], 0.0258, 0.0378), (["target", "q1", "q2"], 0.0185, 0.0288),
    ):  # fmt: skip
        some = [design.question(name) for name in names]
        (stack,) = stacks_of(design, some)
        truth = np.full([2] * len(some), 0.5 ** len(some))
        table = 10_000 * disguised(truth, [stack])
        _, covariance = Reported(table, [stack]).estimated()
        assert np.sqrt(covariance.diagonal().max()) / 10_000 == pytest.approx(error, rel=0.03)
        together = [version for version in stack.block.versions if set(names) <= set(version.names)]
        n = 10_000 * len(together) / len(stack.block.versions)
        p = together[0].channels[0].theta
        share = 0.5 ** len(some)
        rho = share * p + (1 - p) / 2 ** len(some)
        assert np.sqrt(rho * (1 - rho) / n) / p == pytest.approx(alone, rel=0.03)

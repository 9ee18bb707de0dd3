"""What every interval of a share obeys, whatever the scheme."""

from math import prod

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import deniable as dn
from deniable.count.replies import counts_of
from deniable.inference.error import Z, moments
from deniable.inference.interval.score import ScoreTest
from deniable.inference.interval.smoothed import smoothed_truth
from deniable.inference.interval.weights import RATIO, CellWeights, MaskWeights
from deniable.inference.invert.reported import Reported
from deniable.inference.invert.stacks import disguised, stacks_of, weights_of
from deniable.inference.reported_table import ReportedTable
from laws.family import A, B, C, chance, chances_of_each, drawn, members_without_noise, seeds
from laws.versions_family import EVERY

OTHER = dn.k_ary(0.75, dn.Question("other", ("x", "y", "z")))
SIZES = st.sampled_from([1, 2, 7, 30, 1000])


def replies(stacks, shape, n, seed):
    """Reported counts of n people, most of them in few cells."""
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet(np.full(int(np.prod(shape)), 0.2)).reshape(*shape, 1)
    chances = disguised(truth, stacks)[..., 0]
    return rng.multinomial(n, np.maximum(chances, 0).ravel() / chances.sum()).reshape(chances.shape).astype(float)


@members_without_noise
@given(chance, chance, SIZES, seeds)
@chances_of_each(25, 6)
def test_an_interval_holds_its_estimate_and_lies_in_the_possible(member, p, q, n, seed):
    design = dn.Design([drawn(member, p, q), OTHER])
    questions = [*design.channels[0].group[:2], *OTHER.group]
    stacks = stacks_of(design, questions)
    assume(all(np.linalg.cond(stack.matrix) < 1e4 for stack in stacks))
    table = ReportedTable(questions, Reported(replies(stacks, tuple(map(len, questions)), n, seed), stacks))
    for among in (None, [0], range(len(questions) - 1)):
        for cell in table.cells(among):
            value = min(max(cell.value, 0.0), 1.0)
            assert 0 <= cell.low <= value + 1e-7
            assert value - 1e-7 <= cell.high <= 1
            assert cell.high - cell.low > 1e-6  # nobody is ever sure


@pytest.mark.parametrize("name", EVERY)
@given(chance, st.sampled_from([40, 1000]), seeds)
@chances_of_each(25, 6)
def test_so_do_those_of_versions(name, p, n, seed):
    design = EVERY[name](min(max(p, 0.1), 0.9))
    people = {part.name: part.answers for question in design.questions for part in question.parts}
    rng = np.random.default_rng(seed)
    truth = {key: [str(each) for each in rng.choice(answers, n)] for key, answers in people.items()}
    truth |= {block.column: rng.choice(block.version_names, n) for block in design.blocks if block.chosen}
    told = dn.disguise(design, pd.DataFrame(truth), seed=seed)
    for name, answers in people.items():
        for answer in answers:
            found = dn.estimate(design, told, f"{name} == '{answer}'")
            assert 0 <= found.low <= min(max(found.value, 0.0), 1.0) + 1e-7
            assert min(max(found.value, 0.0), 1.0) - 1e-7 <= found.high <= 1


SEVERAL = [name for name, made in EVERY.items() if len(made(0.7).questions) > 1 and name != "two_samples"]


@pytest.mark.parametrize("name", SEVERAL)  # two samples do not tell all their truths apart
@given(st.sampled_from([16, 400]), seeds)
@chances_of_each(10, 3)
def test_tables_of_versions_are_their_cells_one_by_one(name, n, seed):
    """Value, error and interval of every cell, block by block, are those of weights written out."""
    design, rng = EVERY[name](0.7), np.random.default_rng(seed)
    truth = {question.name: rng.choice(question.answers, n) for question in design.questions}
    truth |= {block.column: rng.choice(block.version_names, n) for block in design.blocks if block.chosen}
    told = counts_of(design, dn.disguise(design, pd.DataFrame(truth), seed=seed), "skip")
    table = ReportedTable.of(design, told, design.questions[:2])
    shape = tuple(map(len, table.questions))
    masks = np.eye(prod(shape), dtype=bool).reshape(-1, *shape)
    for among, summed in ((None, None), ([0], 1), ([1], 0)):
        for mask, cell in zip(masks, table.cells(among), strict=True):
            condition = None if summed is None else np.broadcast_to(mask.any(axis=summed, keepdims=True), shape)
            if "nobody there" not in cell.note:
                alone = table.share(mask, condition)
                figures = [(each.value, each.stderr, each.low, each.high, each.half_width) for each in (cell, alone)]
                assert figures[0] == pytest.approx(figures[1], rel=1e-6, abs=1e-9)
                assert (cell.n, cell.note) == (alone.n, alone.note)


@given(st.floats(0.55, 1.0), st.integers(1, 500), st.integers(0, 500))
def test_without_skewness_one_question_has_the_transformed_wilson_interval(theta, n, said):
    """The closed form of Wilson's interval of the reported share, through the inverse."""
    said = min(said, n)
    stacks, table = stacks_of(dn.Design([dn.warner(theta, A)]), [A]), np.array([n - said, said], dtype=float)
    weights = MaskWeights(stacks, np.array([0.0, 1.0]), None)
    sums = weights.summed(smoothed_truth(table[:, None], stacks))
    value = np.array([weights.of @ table / n])
    low, high = ScoreTest(value, np.ones(1), sums, np.array([float(n)]), skewed=False).interval()
    centre, spread = (said + Z**2 / 2) / (n + Z**2), Z / (n + Z**2) * np.sqrt(said * (n - said) / n + Z**2 / 4)
    ends = np.clip((np.array([centre - spread, centre + spread]) - (1 - theta)) / (2 * theta - 1), 0, 1)
    if 0 <= value.item() <= 1:  # beyond it the estimate is brought nearer to the possible first
        assert [low.item(), high.item()] == pytest.approx(ends, abs=1e-5)


ONE = [dn.warner(0.8, A), dn.k_ary(0.7, OTHER.group[0]), dn.clear(A), dn.forced(0.1, 0.2, A)]


@pytest.mark.parametrize("channel", ONE, ids=str)
@pytest.mark.parametrize("n", [1, 30, 400])
def test_a_share_of_one_question_keeps_wilsons_interval(channel, n):
    (question,) = channel.group
    stacks = stacks_of(dn.Design([channel]), [question])
    table = np.zeros(len(question))
    table[[0, -1]] = n - n // 3, n // 3
    for mask in np.eye(len(question), dtype=bool):
        found = ReportedTable([question], Reported(table, stacks)).share(mask)
        ends = np.clip(moments(table, weights_of(mask.astype(float), stacks)).interval(), 0, 1)
        assert (found.low, found.high) == tuple(ends)


@pytest.mark.parametrize("answer", ["yes", "no"])
@pytest.mark.parametrize("design", [[dn.clear(A, B, C)], [dn.warner(0.8, A), dn.clear(B), dn.k_ary(0.9, C)]], ids=str)
@pytest.mark.parametrize("n", [1, 5, 30, 10_000])
def test_nobody_and_everybody(design, answer, n):
    """All say the same: the interval still has a width, in the clear about that of a Poisson count of none."""
    design = dn.Design(design)
    (stacks, names) = stacks_of(design, [A, B, C]), [A, B, C]
    table = np.zeros((2, 2, 2))
    table[(int(answer == "yes"),) * 3] = n
    cells = np.array([each.high - each.low for each in ReportedTable(names, Reported(table, stacks)).cells()])
    assert (cells > 1 / n / 2).all() or n == 1
    if design.is_clear("a") and n >= 30:
        assert (cells > 2.5 / n).all()
        assert (cells < 3.84 / n).all()  # Wilson's


@pytest.mark.parametrize("n", [1, 30])
def test_what_logic_decides_has_no_width(n):
    stacks = stacks_of(dn.Design([dn.warner(0.8, A), dn.clear(B)]), [A, B])
    table = ReportedTable([A, B], Reported(np.array([[n, 1.0], [2.0, 0.0]]), stacks))
    nobody, mask = np.zeros((2, 2), dtype=bool), np.array([[True, False], [True, False]])
    assert (table.share(nobody).low, table.share(nobody).high) == (0, 0)
    assert (table.share(~nobody).low, table.share(~nobody).high) == (1, 1)
    assert (table.share(mask, mask).low, table.share(mask, mask).high) == (1, 1)
    assert (table.share(nobody, mask).low, table.share(nobody, mask).high) == (0, 0)


@given(st.sampled_from([30, 300]), seeds)
@chances_of_each(25, 6)
def test_a_condition_that_everybody_meets_is_none(n, seed):
    questions = [A, B, *OTHER.group]
    stacks = stacks_of(dn.Design([dn.warner(0.8, A, B), OTHER]), questions)
    table = ReportedTable(questions, Reported(replies(stacks, (2, 2, 3), n, seed), stacks))
    for index in range(12):
        mask = np.eye(12, dtype=bool)[index].reshape(2, 2, 3)
        assert table.share(mask, np.ones((2, 2, 3), dtype=bool)) == table.share(mask)
        assert table.share(mask).low == pytest.approx(table.cells()[index].low, abs=1e-7)
        assert table.share(mask).high == pytest.approx(table.cells()[index].high, abs=1e-7)


@given(seeds)
@chances_of_each(25, 6)
def test_cells_block_by_block_are_those_of_masks(seed):
    """Sums over reports, worked out block by block, are those of weights written out."""
    questions = [A, B, *OTHER.group]
    stacks = stacks_of(dn.Design([dn.warner(0.8, A, B), OTHER]), questions)
    x = np.random.default_rng(seed).dirichlet(np.ones(12)).reshape(2, 2, 3, 1)
    for among in ([0], [0, 1], [2]):
        cells = CellWeights(stacks, among).summed(x)
        for cell in np.ndindex(2, 2, 3):
            mask, given = np.zeros((2, 2, 3)), np.zeros((2, 2, 3))
            mask[cell] = 1
            given[tuple(cell[axis] if axis in among else slice(None) for axis in range(3))] = 1
            alone = MaskWeights(stacks, mask, given).summed(x)
            for one, many in zip((alone.whole, *alone.parts), (cells.whole, *cells.parts), strict=True):
                for power in RATIO:
                    assert many[power][cell] == pytest.approx(one[power], abs=1e-9)

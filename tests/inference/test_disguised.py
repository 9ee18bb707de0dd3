"""Tables along a path, by weight classes, against the weight of every single reply."""

from itertools import product

import numpy as np
import pytest

import deniable as dn
from deniable.inference.invert.factored import InverseDesign
from deniable.inference.population.disguised import WeightedSubpopulation
from deniable.inference.population.records import Records
from deniable.inference.truth.dependence import cell_products, fit_dependence_tree

COLOR = dn.Question("color", ["red", "green", "blue"])
SIZE = dn.Question("size", ["s", "m", "l", "xl"], ordered=True)
TARGET = dn.yes_no("t")
DESIGNS = {
    "one Warner group": [dn.warner(0.7, *map(dn.yes_no, "abcdefghij"), TARGET), dn.clear(COLOR, SIZE)],
    "two groups": [dn.warner(0.8, *map(dn.yes_no, "aceg"), TARGET), dn.warner(0.2, *map(dn.yes_no, "bdfhij")),
                   dn.k_ary(0.8, COLOR), dn.draw(0.7, SIZE)],
    "each its own": [dn.k_ary(0.9, question) for question in (*map(dn.yes_no, "abcdefghij"), COLOR, SIZE, TARGET)],
    "mixed": [
        dn.unrelated(0.8, *map(dn.yes_no, "ab"), COLOR, chances={"a": [0.3, 0.7]}),
        dn.forced(0.05, 0.1, *map(dn.yes_no, "cd")),
        dn.lookup(dn.yes_no("e"), [[0.8, 0.1], [0.1, 0.1], [0.1, 0.8]], ["x", "y", "z"]),
        dn.clear(*map(dn.yes_no, "fg")),
        dn.draw(0.9, SIZE, dn.yes_no("h"), TARGET),
        dn.warner(1, *map(dn.yes_no, "ij")),
    ],
}  # fmt: skip
QUESTIONS = (*map(dn.yes_no, "abcdefghij"), COLOR, SIZE, TARGET)
PATHS = [[], [(0, (1,))], [(0, (1,)), (2, (0,)), (10, (0, 2)), (5, (1,)), (11, (1, 2, 3)), (11, (0, 1, 2))],
         [(index, (index % 2,)) for index in range(8)]]  # fmt: skip


def drawn(design, rng, n=300):
    sizes = tuple(len(design.reported(question)) for question in QUESTIONS)
    cells = [rng.integers(0, size, n).astype(np.int8) for size in sizes]
    return Records(tuple(cells), sizes, rng.integers(1, 4, n).astype(float))


def weights(disguise, records, true):
    """Each reply's weight for a conjunction of true cells (by place): group by group, term by term."""
    weight = np.ones(len(records.counts))
    for group, factored in enumerate(disguise.factored):
        terms = np.repeat(factored.coefficients[:, None], len(weight), axis=1)
        for index, cells in true.items():
            if disguise.groups[index] == group:
                terms = terms * disguise.factors[index][:, list(cells)].sum(axis=1)[:, records.cells[index]]
        weight = weight * terms.sum(axis=0)
    return weight


def expected(disguise, records, path, question):
    shape = [disguise.factors[index].shape[1] for index in (question, -1)]
    table = np.zeros(shape)
    last = len(records.sizes) - 1
    for x, y in product(*map(range, shape)):
        if x in path.get(question, (x,)):
            table[x, y] = weights(disguise, records, {**path, question: (x,), last: (y,)}) @ records.counts
    return table


@pytest.mark.parametrize("few", [16, 0], ids=["counted by weight class", "weighed one by one"])
@pytest.mark.parametrize("steps", PATHS, ids=len)
@pytest.mark.parametrize("name", DESIGNS)
def test_tables_are_sums_of_the_weights_of_single_replies(name, steps, few, monkeypatch):
    monkeypatch.setattr("deniable.inference.population.disguised.MAX_COUNTED", few)
    design = dn.Design(DESIGNS[name], target="t")
    disguise = InverseDesign.of(design, QUESTIONS)
    rng = np.random.default_rng(1)
    records = drawn(design, rng)
    branch, path = WeightedSubpopulation.root(records, disguise), {}
    for question, cells in steps:
        branch = branch.restrict(question, cells)
        path[question] = tuple(cell for cell in path.get(question, cells) if cell in cells)
    tables = branch.tables()
    last = len(QUESTIONS) - 1
    target = [weights(disguise, records, {**path, last: (y,)}) for y in range(2)]
    assert np.allclose(branch.target(), np.array(target) @ records.counts, rtol=1e-9, atol=1e-9)
    for question, table in enumerate(tables):
        assert np.allclose(table, branch.table(question), rtol=1e-9, atol=1e-9)
        assert np.allclose(table, expected(disguise, records, path, question), rtol=1e-9, atol=1e-7)
        counts, covariance = branch.table_with_covariance(question, [[cell] for cell in range(len(table))])
        assert np.allclose(counts, table, rtol=1e-9, atol=1e-7)
        cell = int(rng.integers(table.size))
        x, y = np.unravel_index(cell, table.shape)
        if x in path.get(question, (x,)):
            weight = weights(disguise, records, {**path, question: (x,), last: (y,)})
            variance = weight**2 @ records.counts - (weight @ records.counts) ** 2 / records.counts.sum()
            assert np.isclose(covariance[cell, cell], variance, rtol=1e-9, atol=1e-6)
    told = np.array(target)
    spread = (told * records.counts) @ told.T - np.outer(*[branch.target()] * 2) / records.counts.sum()
    assert np.allclose(branch.target_with_covariance()[1], spread, rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize("steps", PATHS, ids=len)
@pytest.mark.parametrize("name", DESIGNS)
def test_children_that_are_not_counted_have_the_same_tables(name, steps):
    design = dn.Design(DESIGNS[name], target="t")
    branch = WeightedSubpopulation.root(drawn(design, np.random.default_rng(3)), InverseDesign.of(design, QUESTIONS))
    for question, cells in steps:
        branch = branch.restrict(question, cells)
    for question, parts in {8: ((0,), (1,)), 4: ((1,), (0,)), 10: ((0,), (1,), (2,)), 11: ((0, 1), (2, 3))}.items():
        for child, part in zip(branch.split(question, parts), parts, strict=True):
            for table, counted in zip(child.tables(), branch.restrict(question, part).tables(), strict=True):
                assert np.allclose(table, counted, rtol=1e-9, atol=1e-9)


def test_too_many_questions_to_sort_replies_by_are_taken_one_by_one():
    rng = np.random.default_rng(2)
    cells = [rng.integers(0, 2, 50).astype(np.int8) for _ in range(70)]
    records = Records.of(cells, (2,) * 70)
    assert records.cells == tuple(cells)
    assert records.counts.tolist() == [1] * 50


def test_questions_that_tell_nothing_about_each_other_still_hang_together():
    cells = np.array(np.unravel_index(np.arange(8), (2, 2, 2)))
    tree = fit_dependence_tree(cell_products(cells, np.full(8, 1000.0), (2, 2, 2)), (2, 2, 2))
    assert sum(parent is None for parent in tree.parents) == 1
    assert np.exp(tree.log_chance(cells)) == pytest.approx(1 / 8)


def test_replies_whose_weights_cancel_out_come_back_when_a_branch_is_narrowed_again():
    design = dn.Design([dn.k_ary(0, COLOR), dn.warner(0.9, dn.yes_no("t"))], target="t")
    cells = [np.repeat([0, 1, 2], 20), np.tile([0, 1, 1], 20)]
    branch = WeightedSubpopulation.root(Records.of(cells, (3, 2)), InverseDesign.of(design, [COLOR, dn.yes_no("t")]))
    assert branch.restrict(0, (0, 1)).restrict(0, (0,)).target() == pytest.approx(branch.restrict(0, (0,)).target())

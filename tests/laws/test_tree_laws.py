"""A tree is the one that weighing every single reply would grow: no shortcut of counting changes it."""

from dataclasses import dataclass, field
from itertools import product

import numpy as np
import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

import deniable as dn
from deniable.errors import DeniableError
from deniable.inference.invert.factored import InverseDesign
from deniable.inference.invert.stacks import disguised, stacks_of
from deniable.inference.population.disguised import WeightedSubpopulation
from deniable.inference.population.records import Records
from deniable.inference.population.subpopulation import SplitTables
from deniable.learn.tree import grow
from deniable.learn.tree.grow import Grower
from deniable.learn.tree.significance import is_pattern
from deniable.learn.tree.splitter import CRITERIA
from laws.family import FAMILY, MEMBERS, chance, seeds

NOISE = [f"{scheme}: {variant}" for scheme in ("gaussian", "uniform") for variant in FAMILY[scheme]]
INVERTIBLE = {name: member for name, member in MEMBERS.items() if name not in NOISE and "multiply" not in name}
X, Z, TARGET = dn.yes_no("x"), dn.yes_no("z"), dn.yes_no("target")
N = 20_000
SHORTCUTS = {"siblings are subtracted": 16, "weights are added up": 0}  # weight classes that are counted one by one


@dataclass(frozen=True)
class WeighedOneByOne:
    """A subpopulation without any shortcut: each reply's weight for each table's cell, from the definition."""

    records: Records
    inverse: InverseDesign
    path: dict = field(default_factory=dict)
    known: dict = field(default_factory=dict)  # what a group contributes, by its conditions
    uncertain = True

    @property
    def size(self):
        return len(self.records.counts)

    def weights(self, conditions):
        """Each reply's weight for a conjunction of true cells by question: group by group, term by term."""
        weight = np.ones(self.size)
        for group in range(len(self.inverse.factored)):
            mine = {each: tuple(cells) for each, cells in conditions.items() if self.inverse.groups[each] == group}
            key = (group, *mine.items())
            if key not in self.known:
                self.known[key] = self.weights_in(group, mine)
            weight = weight * self.known[key]
        return weight

    def weights_in(self, group, conditions):
        """What one group contributes: term by term."""
        terms = np.repeat(self.inverse.factored[group].coefficients[:, None], self.size, axis=1)
        for question, cells in conditions.items():
            factor = self.inverse.factors[question][:, list(cells)].sum(axis=1)
            terms = terms * factor[:, self.records.cells[question]]
        return terms.sum(axis=0)

    def cells_of(self, question):
        return range(self.inverse.factors[question].shape[1])

    def target_with_covariance(self):
        last = len(self.records.sizes) - 1
        return self.summed([self.weights({**self.path, last: (y,)}) for y in self.cells_of(-1)])

    def table_with_covariance(self, question, parts):
        last, found = len(self.records.sizes) - 1, []
        for part, y in product(parts, self.cells_of(-1)):
            cells = [cell for cell in part if cell in self.path.get(question, part)]
            found.append(self.weights({**self.path, question: cells, last: (y,)}))
        counts, covariance = self.summed(found)
        return counts.reshape(len(parts), -1), covariance

    def tables_with_covariance(self, many):
        return [SplitTables.of(index, *self.table_with_covariance(*each)) for index, each in enumerate(many)]

    def summed(self, weights):
        weights, counts = np.array(weights), self.records.counts
        sums = weights @ counts
        return sums, (weights * counts) @ weights.T - np.outer(sums, sums) / counts.sum()

    def target(self):
        return self.target_with_covariance()[0]

    def tables(self):
        questions = range(len(self.records.sizes) - 1)
        return [self.table_with_covariance(each, [[x] for x in self.cells_of(each)])[0] for each in questions]

    def levels(self, question):
        return None

    def restrict(self, question, cells):
        kept = tuple(cell for cell in self.path.get(question, cells) if cell in cells)
        return WeighedOneByOne(self.records, self.inverse, {**self.path, question: kept}, self.known)

    def split(self, question, parts):
        return [self.restrict(question, part) for part in parts]


def looked_at_all(node, firsts, splits):
    """The look-ahead of docs/decisions/0011, without shortcuts: the first significant of the ten best of all pairs."""
    if np.maximum(node.target(), 0).sum() < 32:
        return None
    found = []
    for first in firsts:
        for below in node.split(first.question, first.parts):
            seconds = splits(below)
            if seconds:
                best = max(seconds, key=lambda split: split.gain)
                found.append((best.gain * np.maximum(below.target(), 0).sum(), first, below, best))
    found.sort(key=lambda pair: -pair[0])
    tests = (
        (first, below.table_with_covariance(best.question, best.parts), best.grouped)
        for _, first, below, best in found[:10]
    )
    return next((first for first, table, grouped in tests if is_pattern(*table, grouped, 4)), None)


def surveyed(channel, seed, alike):
    """Replies of a population where x and the first question tell the target only together, and their inverse.

    The more `alike` all other shares are, the less does any question tell by itself.
    """
    design = dn.Design([channel, dn.warner(0.95, X), dn.warner(0.9, Z), dn.warner(0.95, TARGET)], target="target")
    questions = [*channel.group, X, Z, TARGET]
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet(np.full(np.prod([len(each) for each in questions]), alike))
    truth = truth.reshape([len(each) for each in questions])
    cells = np.indices(truth.shape)
    truth = np.where((cells[0] + cells[-3]) % 2 == cells[-1], 3.0, 1.0) * truth
    chances = disguised(truth[..., None] / truth.sum(), stacks_of(design, questions))[..., 0]
    counts = rng.multinomial(N, chances.ravel() / chances.sum()).astype(float)
    cells = [cell.astype(np.int8) for cell in np.unravel_index(np.arange(counts.size), chances.shape)]
    some = counts > 0
    records = Records(tuple(cell[some] for cell in cells), chances.shape, counts[some])
    return records, InverseDesign.of(design, questions)


def described(tree):
    """What a tree is: every node's split and note, and its counts."""
    nodes = tree.nodes()
    shape = [(node.split and (node.split.question, *map(tuple, node.split.parts)), node.note) for node in nodes]
    return shape, [[*node.counts, *node.stderrs, *node.shares] for node in nodes]


def grown(people, criterion, look_ahead):
    ordered = [False] * (len(people.records.sizes) - 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grow, "lookahead_split", look_ahead)
        return described(Grower(criterion, ordered, max_depth=4).grow(people))


def same_trees(records, inverse, criterion, shortcut, look_ahead=grow.lookahead_split):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("deniable.inference.population.disguised.MAX_COUNTED", shortcut)
        shape, counts = grown(WeightedSubpopulation.root(records, inverse), criterion, look_ahead)
    expected_shape, expected = grown(WeighedOneByOne(records, inverse), criterion, looked_at_all)
    assert shape == expected_shape
    assert np.allclose(counts, expected, rtol=1e-9, atol=1e-9 * N)


@pytest.mark.parametrize("shortcut", SHORTCUTS.values(), ids=SHORTCUTS)
@pytest.mark.parametrize("member", INVERTIBLE.values(), ids=INVERTIBLE)
@given(p=chance, q=chance, seed=seeds, alike=st.sampled_from([20.0, 1e6]), criterion=st.sampled_from(sorted(CRITERIA)))
@settings(max_examples=4, phases=[Phase.reuse, Phase.generate])  # a smaller seed is no simpler case
def test_a_tree_is_the_one_grown_by_weighing_each_reply(member, shortcut, p, q, seed, alike, criterion):
    try:
        records, inverse = surveyed(member(p, q), seed, alike)
    except DeniableError:
        assume(False)
    assume(max(np.abs(factor).max() for factor in inverse.factors) < 1e2)
    assume(max(np.abs(each.coefficients).max() for each in inverse.factored) < 1e2)
    same_trees(records, inverse, criterion, shortcut)


@pytest.mark.parametrize("shortcut", SHORTCUTS.values(), ids=SHORTCUTS)
def test_a_tree_that_looks_ahead_is_the_one_grown_by_weighing_each_reply(shortcut):
    """The same where only looking ahead finds the first split, and finds nothing at the leaves."""
    looked = []

    def watched(node, firsts, splits):
        looked.append(lookahead_split(node, firsts, splits))
        return looked[-1]

    lookahead_split = grow.lookahead_split
    records, inverse = surveyed(dn.warner(0.95, *map(dn.yes_no, "abc")), 1, 1e6)
    same_trees(records, inverse, "entropy", shortcut, watched)
    assert looked[0] is not None
    assert None in looked


@pytest.mark.parametrize("criterion", sorted(CRITERIA))
@pytest.mark.parametrize("seed", range(4))
def test_all_pairs_of_one_group_together_are_those_of_weighing_each_reply(seed, criterion):
    """In one group a look ahead takes all pairs at once; where a pattern is there, and where none is."""
    questions = [*map(dn.yes_no, "abcde"), TARGET]
    design = dn.Design([dn.warner(0.9, *questions)], target="target")
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, (6, N))
    together = rng.random(N) < 0.05 * (seed % 3)  # of none, few and some the first two questions tell the target
    truth[5] = np.where(together, truth[0] ^ truth[1], truth[5])
    replies = (truth ^ (rng.random(N) < 0.1)).astype(np.int8)
    records, inverse = Records.of(list(replies), (2,) * 6), InverseDesign.of(design, questions)
    looked = []

    def watched(node, firsts, splits):
        looked.append(node.pair_tables() is not None)
        return lookahead_split(node, firsts, splits)

    lookahead_split = grow.lookahead_split
    same_trees(records, inverse, criterion, SHORTCUTS["siblings are subtracted"], watched)
    assert looked
    assert all(looked)
    node = WeightedSubpopulation.root(records, inverse).restrict(2, (1,))
    pairs = node.pair_tables()
    for first, cell, second in product(range(4), range(2), range(4)):
        if first != second:
            below = node.restrict(pairs.questions[first], (cell,))
            table, covariance = below.table_with_covariance(pairs.questions[second], ((0,), (1,)))
            found, error = pairs.with_covariance(*(np.array([each]) for each in (first, cell, second)))
            assert np.allclose(found[0], table)
            assert np.allclose(pairs.tables[first, cell, second], table)
            assert np.allclose(error[0], covariance)


def test_questions_of_the_path_are_not_counted_again(monkeypatch):
    """Each has a lottery of its own; one pass over the replies per class of the target is enough at any depth."""
    questions = [*map(dn.yes_no, "abcdefgh"), TARGET]
    design = dn.Design([dn.warner(0.6 + 0.03 * index, each) for index, each in enumerate(questions)], target="target")
    rng, passes = np.random.default_rng(1), []
    records = Records.of([rng.integers(0, 2, 500).astype(np.int8) for _ in questions], (2,) * 9)
    node = WeightedSubpopulation.root(records, InverseDesign.of(design, questions))
    for question in range(6):
        node = node.restrict(question, (1,))
    tally = Records.tally
    monkeypatch.setattr(Records, "tally", lambda self, *arguments: passes.append(1) or tally(self, *arguments))
    node.tables()
    assert len(passes) == 2

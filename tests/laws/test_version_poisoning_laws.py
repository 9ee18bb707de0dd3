"""Laws of poisoning with versions: made-up replies that name their version never shift estimates more than told."""

from dataclasses import replace
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import deniable as dn
from deniable.errors import NothingLeft
from deniable.inference.invert.stacks import stacks_of, weights_of
from deniable.inference.poisoning import most_mean_shift, most_shift
from deniable.inference.query.query import query_of

A, B, C = dn.yes_no("a"), dn.yes_no("b"), dn.Question("c", ["x", "y", "z"])
AGE = dn.number("age", 18, 80, cuts=[30, 50])
FAMILY = {
    "arms": lambda p: [dn.versions({"w": [dn.warner(p, A)], "f": [dn.forced(0.1, 0.3, A)], "o": [dn.warner(0.9, B)]})],
    "uneven arms": lambda p: [dn.versions({"w": [dn.warner(p, A)], "v": [dn.warner(0.95, A)]}, shares=[0.9, 0.1])],
    "the target and one": lambda p: [dn.draw(p, A, B, C, always=["a"], ask=1)],
    "two of three": lambda p: [dn.draw(p, A, B, C, ask=2)],
    "cheating detection": lambda p: [dn.cheating_detection(p, 0.95, A)],
    "two samples": lambda p: [dn.two_samples(p, 0.05, A)],
    "item count": lambda p: [dn.item_count(A, harmless=["own a dog", "play chess"])],
    "chosen": lambda p: [dn.versions({"w": [dn.warner(p, A)], "v": [dn.warner(0.95, A)]}, chosen=True)],
}
FIGURES = ["a == 'yes'", "a == 'yes' and b == 'yes'", "c == 'x'", "a == 'no' and c == 'y'"]


class Estimator:
    """The estimate of a share from a table of reports, by the weights of the versions' sizes in that table."""

    def __init__(self, design, text):
        self.query = query_of(design, text)
        (self.stack,) = stacks_of(design, self.query.questions)
        self.block = design.blocks[0]
        asks = np.array([bool(kind.asked) for kind in self.stack.kinds])
        self.counts = asks[self.stack.kind_of_report] | self.block.chosen

    def honest(self, truth):
        shares = [self.block.shares[list(kind.versions)].sum() for kind in self.stack.kinds]
        return np.concatenate(
            [share * (kind.matrix @ truth) for share, kind in zip(shares, self.stack.kinds, strict=True)]
        )

    def __call__(self, table):
        table, sizes = np.where(self.counts, table, 0.0), np.zeros(len(self.block.versions))
        for index, kind in enumerate(self.stack.kinds):
            sizes[kind.versions[0]] = table[self.stack.kind_of_report == index].sum()
        stack = replace(self.stack, sizes=tuple(sizes))
        return float((weights_of(self.query.masks[0].astype(float), [stack]).ravel() * table).sum() / table.sum())


@pytest.mark.parametrize("make", FAMILY.values(), ids=FAMILY)
@given(st.floats(0.1, 0.9), st.sampled_from([0.01, 0.05, 0.2]), st.integers(0, 2**32 - 1))
@settings(max_examples=8, deadline=None)
def test_no_made_up_reports_shift_more_than_told(make, p, fakes, seed):
    """Every report to every version, and every two of them, among honest replies to extreme and to random truths."""
    try:
        design = dn.Design(make(p))
    except NothingLeft:
        assume(False)
    asked = [text for text in FIGURES if all(f"{name} ==" not in text for name in {"a", "b", "c"} - set(design.names))]
    for text in asked if not design.blocks[0].chosen else asked[:1]:
        try:
            bound = most_shift(design, text, fakes)
        except dn.DeniableError:
            continue  # no replies tell it
        estimator = Estimator(design, text)
        cells = int(np.prod(estimator.stack.true_shape))
        for truth in [*np.eye(cells), np.random.default_rng(seed).dirichlet(np.full(cells, 0.3))]:
            honest = estimator.honest(truth)
            before = estimator(honest)
            for pair in combinations_with_replacement(np.flatnonzero(estimator.counts), 2):
                table = (1 - fakes) * honest
                np.add.at(table, list(pair), fakes / 2)
                assert abs(estimator(table) - before) <= bound + 1e-9


def test_the_bound_by_hand():
    """Warner with .8 asked of half: weights range over 1 / .6, and 5 % of all are 1 / 10.5 of those who are asked."""
    design = dn.Design([dn.versions({"a": [dn.warner(0.8, A)], "b": [dn.warner(0.7, B)]})])
    assert most_shift(design, "a == 'yes'", 0.05) == pytest.approx(0.05 / (0.05 + 0.95 / 2) / 0.6)
    assert most_shift(design, "a == 'yes'", 0) == 0
    chosen = FAMILY["chosen"](0.8)
    assert most_shift(dn.Design(chosen), "a == 'yes'", 0.05) == pytest.approx(0.05 / 0.6)  # nobody is pooled


def test_means_by_version():
    plain = dn.Design([dn.k_ary(0.7, AGE)])
    alike = dn.Design([dn.versions({"one": [dn.k_ary(0.7, AGE)], "two": [dn.k_ary(0.7, AGE)]})])
    assert most_mean_shift(alike, "age", 0.05) == pytest.approx(most_mean_shift(plain, "age", 0.05))
    half = dn.Design([dn.versions({"one": [dn.k_ary(0.7, AGE)], "two": [dn.warner(0.7, A)]})])
    assert most_mean_shift(half, "age", 0.05) == pytest.approx(
        most_mean_shift(plain, "age", 1) * 0.05 / (0.05 + 0.95 / 2)
    )
    noise = dn.Design([dn.versions({"n": [dn.gaussian(dn.number("n", 0, 10), sd=2)], "a": [dn.warner(0.7, A)]})])
    assert most_shift(noise, "n > 5", 0.05) is None
    assert most_mean_shift(noise, "n", 0.05) > 0

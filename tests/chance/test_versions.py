"""Stated errors and intervals under versions, over many surveys at once."""

import numpy as np
import pytest

import deniable as dn
from deniable.inference.interval.cells import cell_shares
from deniable.inference.interval.intervals import ScoreIntervals
from deniable.inference.invert.reported import Reported
from deniable.inference.invert.stacks import stacks_of, weights_of
from deniable.inference.reported_table import ReportedTable
from serving import AUDIT
from sizes import in_short

A = dn.yes_no("a")
SURVEYS = 2000


def surveys(stack, truth, n, number, seed):
    """Reported tables of so many surveys, [survey, report]: versions are drawn, then reports within them."""
    rng = np.random.default_rng(seed)
    shares = np.array([stack.block.shares[list(kind.versions)].sum() for kind in stack.kinds])
    sizes = rng.multinomial(n, shares, size=number)
    reports = [kind.matrix @ truth.ravel() for kind in stack.kinds]
    drawn = [
        np.array([rng.multinomial(size, chances / chances.sum()) for size in column])
        for column, chances in zip(sizes.T, reports, strict=True)
    ]
    return sizes, np.concatenate(drawn, axis=1).astype(float)


def sized(stack, sizes):
    """The stack with these replies to each kind of versions."""
    by_version = np.zeros(len(stack.block.versions))
    for kind, size in zip(stack.kinds, sizes, strict=True):
        by_version[list(kind.versions)] = size / len(kind.versions)
    return stack.sized(by_version.tolist())


ARMS = {
    "forced and direct": dn.versions({"forced": dn.forced(1 / 12, 1 / 6, A), "direct": dn.clear(A)}),
    "three techniques": dn.versions(
        {"crosswise": dn.warner(0.2, A), "unrelated": dn.unrelated(0.7, A), "direct": dn.clear(A)}, [0.5, 0.3, 0.2]
    ),
    "two thetas": dn.versions({"strong": dn.warner(0.65, A), "weak": dn.warner(0.9, A)}, [0.8, 0.2]),
}


@pytest.mark.parametrize("name", ARMS)
def test_stated_errors_of_arms_are_their_spread(name, figure):
    """Within 3 %: the spread over 2,000 surveys is itself known to 1.6 %."""
    design, n, truth = dn.Design([ARMS[name]]), 1000, np.array([0.7, 0.3])
    (stack,) = stacks_of(design, [A])
    sizes, tables = surveys(stack, truth, n, SURVEYS, seed=5)
    values, errors = [], []
    for size, table in zip(sizes, tables, strict=True):
        totals, covariance = Reported(table, [sized(stack, size)]).estimated()
        values.append(totals[1] / n)
        errors.append(np.sqrt(covariance[1, 1]) / n)
    ratio = float(np.mean(errors) / np.std(values))
    figure(f"arms, {name}: stated error / spread", round(ratio, 3))
    assert ratio == pytest.approx(1, abs=0.03)
    assert np.mean(values) == pytest.approx(0.3, abs=4 * np.std(values) / np.sqrt(SURVEYS))


@pytest.mark.parametrize("asked", in_short(["t", "q1", "t+q1", "q1+q2", "t+q1+q2"], "t", "t+q1"))
@pytest.mark.parametrize("n", [1000, 10_000] if AUDIT else [1000])
def test_intervals_under_versions_hold(asked, n, figure):
    """Every cell of shares, pairs and triples: 93 to 97 % (cells of rare truths as well)."""
    questions = [dn.yes_no(name) for name in ("t", "q1", "q2", "q3", "q4")]
    design = dn.Design([dn.draw(dn.epsilon(2), *questions, always=["t"], ask=2)])
    names = asked.split("+")
    some = [design.question(name) for name in names]
    truth = np.array([1.0])
    for share in (0.35, 0.2, 0.5)[: len(some)]:
        truth = np.multiply.outer(truth, [1 - share, share])
    truth = truth[0]
    (stack,) = stacks_of(design, some)
    held = np.zeros(truth.shape)
    number = 1000 if AUDIT else 300
    sizes, tables = surveys(stack, truth, n, number, seed=len(names) + n)
    for size, table in zip(sizes, tables, strict=True):
        known = sized(stack, size)
        found = cell_shares(ScoreIntervals(table.reshape(*stack.reported_shape, 1), [known]))
        held += ((found.low <= truth[..., None]) & (truth[..., None] <= found.high))[..., 0]
    alone = ReportedTable(some, Reported(table.reshape(stack.reported_shape), [known]))
    for index, cell in enumerate(np.ndindex(*truth.shape)):  # of the last survey, one by one
        each = alone.share(np.eye(truth.size, dtype=bool)[index].reshape(truth.shape))
        assert (each.low, each.high) == pytest.approx((found.low[cell].item(), found.high[cell].item()), abs=1e-6)
    coverage = held / number
    figure(f"versions, {asked}, n = {n:,}: coverage", f"{coverage.min():.3f} to {coverage.max():.3f}")
    assert abs(coverage.mean() - 0.95) < 0.02
    assert coverage.min() > 0.93 - 3 * np.sqrt(0.95 * 0.05 / number)


def test_sizes_that_are_drawn_and_not_given_would_cost(figure):
    """What conditioning on sizes is worth where the arms' weights differ."""
    design, n = dn.Design([ARMS["three techniques"]]), 1000
    (stack,) = stacks_of(design, [A])
    truth = np.array([0.7, 0.3])
    table = n * stack.matrix @ truth
    weights = weights_of(np.array([0.0, 1.0]), [stack])
    plain = np.sqrt(table @ (weights - 0.3) ** 2)
    _, covariance = Reported(table, [stack]).estimated()
    ratio = float(plain / np.sqrt(covariance[1, 1]))
    figure("arms: error with sizes drawn / given", round(ratio, 3))
    assert ratio > 1

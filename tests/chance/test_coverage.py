"""Do 95 % intervals hold the truth in 95 of 100 surveys?

Single questions are summed up exactly over all possible reports. Tables and expressions are simulated with 4,000 seeded
surveys of 1,000 respondents (those of few respondents are in test_intervals.py): a true coverage of .95 lies within .94
to .96 then with a chance of .996, so the limits of .93 and .97 raise a false alarm less than once in a billion.
"""

import numpy as np
import pytest
from scipy.stats import binom

import deniable as dn
from deniable.count.counts import ArrayCounts
from deniable.device.disguise import disguise_columns
from deniable.device.randomness import seeded
from deniable.inference.estimates import share_estimate
from deniable.inference.interval.intervals import ScoreIntervals
from deniable.inference.interval.weights import MaskWeights
from deniable.inference.invert.reported import Reported
from deniable.inference.invert.stacks import stacks_of, weights_of
from deniable.inference.query.query import query_of
from deniable.inference.reported_table import ReportedTable
from sizes import in_short

SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
THETAS = (0.6, 0.7, 0.8, 0.9, 0.95, 1)
YES = dn.yes_no("a")
COLOR = dn.Question("color", ("red", "green", "blue"))
SINGLE = {
    "warner": lambda theta: dn.warner(theta, YES),
    "unrelated": lambda theta: dn.unrelated(theta, YES, chances=(0.7, 0.3)),
    "draw": lambda theta: dn.draw(theta, COLOR),
    "k_ary": lambda theta: dn.k_ary(theta, COLOR),
    "forced": lambda theta: dn.forced((1 - theta) / 3, 2 * (1 - theta) / 3, YES),
}


SIZES = (30, 100, 1000)
ALSO_ALONE = 30  # surveys whose estimates are also made as users make them


@pytest.mark.parametrize("scheme", SINGLE)
def test_single_questions_exactly(scheme, figure):
    found = {n: [each for theta in THETAS for each in coverages(SINGLE[scheme](theta), n)] for n in SIZES}
    for n, some in found.items():
        figure(f"exact coverage, {scheme}, n = {n}", f"least {min(some):.4f}, mean {np.mean(some):.4f}")
    assert min(min(some) for some in found.values()) >= 0.92
    assert 0.94 <= np.mean(list(found.values())) <= 0.96


def coverages(channel, n):
    """For each share, the chance that the interval of the last answer holds it, over all reports of n people."""
    (question,) = channel.group
    stacks, masks = stacks_of(dn.Design([channel]), [question]), np.arange(len(question)) == len(question) - 1
    times = np.arange(n + 1)
    weights, held = weights_of(masks.astype(float), stacks), []
    for said in times:
        reported = np.zeros(len(question))
        reported[[0, -1]] = n - said, said
        table = ReportedTable([question], Reported(reported, stacks))
        found = share_estimate(table.moments(weights))
        if said % max(n // ALSO_ALONE, 1) == 0:
            whole = table.share(masks)
            assert (found.low, found.high) == (whole.low, whole.high)
        held.append([found.low - 1e-12 <= share <= found.high + 1e-12 for share in SHARES])
    reported = [channel.matrix()[-1] @ shared_out(len(question), share) for share in SHARES]
    return [
        float(binom.pmf(times, n, chance) @ those) for chance, those in zip(reported, np.array(held).T, strict=True)
    ]


def shared_out(answers, share):
    """A population with this share of the last answer, all others alike."""
    return np.append(np.full(answers - 1, (1 - share) / (answers - 1)), share)


RUNS, N = 4000, 1000
RUN = dn.Question("run", [str(run) for run in range(RUNS)])
SURVEY = {
    "one warner group": [dn.warner(0.8, dn.yes_no("a"), dn.yes_no("b"), dn.yes_no("c"))],
    "warner each": [dn.warner(0.8, dn.yes_no("a")), dn.warner(0.75, dn.yes_no("b")), dn.warner(0.9, dn.yes_no("c"))],
    "mixed": [dn.unrelated(0.7, dn.yes_no("a"), dn.yes_no("b")), dn.forced(0.1, 0.2, dn.yes_no("c"))],
    "cards and clear": [dn.lookup(dn.yes_no("a"), [[0.7, 0.1], [0.2, 0.3], [0.1, 0.6]], ["x", "y", "z"]),
                        dn.k_ary(0.8, dn.yes_no("b")), dn.clear(dn.yes_no("c"))],
}  # fmt: skip
ASKED = {
    "a cell of a table": ("a == 'yes' and b == 'yes'", None),
    "across groups": ("a == 'yes' and not (b == 'yes' or c == 'yes')", None),
    "either": ("a == 'yes' or c == 'yes'", None),
    "a conditional share": ("a == 'yes'", "b == 'no'"),
}


@pytest.mark.parametrize("survey", in_short(SURVEY, "mixed", "cards and clear"))
def test_tables_and_expressions(survey, figure):
    design = dn.Design(SURVEY[survey])
    rng = np.random.default_rng(11)
    true = true_answers(rng, RUNS * N)
    reported = disguise_columns(design, true, drawn_from(seeded(12)))
    counts = ArrayCounts(reported | {RUN.name: np.repeat(np.arange(RUNS), N)})  # all surveys are counted at once
    for name, (expression, given) in ASKED.items():
        query = query_of(design, *[text for text in (expression, given) if text])
        truth, stacks = true_share(query), stacks_of(design, query.questions)
        base = query.masks[1] if given else None
        masks = query.masks[0] if base is None else query.masks[0] & base
        tables = counts.table([RUN, *map(design.reported, query.questions)])
        low, high = intervals(tables, masks, base, stacks)
        for table, *ends in zip(tables[:ALSO_ALONE], low, high, strict=False):
            alone = ReportedTable(query.questions, Reported(table, stacks)).share(masks, base)
            assert (alone.low, alone.high) == pytest.approx(ends, abs=1e-7)
        held = (low <= truth) & (truth <= high)
        figure(f"coverage, {survey}, {name}", f"{np.mean(held):.4f}")
        assert 0.93 <= np.mean(held) <= 0.97


def intervals(tables, masks, base, stacks):
    """The intervals of all surveys at once."""
    tables = np.moveaxis(tables, 0, -1).astype(float)
    mask, given = masks.astype(float), None if base is None else base.astype(float)
    weights = MaskWeights(stacks, mask, given)
    of = np.tensordot(weights.of, tables, mask.ndim) / N
    among = np.ones_like(of) if base is None else np.tensordot(weights.base, tables, mask.ndim) / N
    return ScoreIntervals(tables, stacks).interval(of, among, lambda _: weights)


def drawn_from(stream):
    """All channels draw from one stream."""
    return lambda lottery, columns, rows: stream


CHANCE = np.array([0.4, 0.1, 0.06, 0.08, 0.09, 0.07, 0.05, 0.15]).reshape(2, 2, 2)  # of a, b, c


def true_answers(rng, people):
    cells = np.unravel_index(rng.choice(8, people, p=CHANCE.ravel()), CHANCE.shape)
    return {name: column.astype(np.int8) for name, column in zip("abc", cells, strict=True)}


def true_share(query):
    """The true share in the population the respondents are drawn from."""
    axes = ["abc".index(question.name) for question in query.questions]
    lost = tuple(axis for axis in range(3) if axis not in axes)
    table = np.moveaxis(CHANCE.sum(axis=lost, keepdims=True), axes, range(len(axes))).reshape(query.masks[0].shape)
    if len(query.masks) == 1:
        return float(table[query.masks[0]].sum())
    return float(table[query.masks[0] & query.masks[1]].sum() / table[query.masks[1]].sum())


AGE = dn.number("age", 18, 80, integer=True)
NOISE = {
    "gaussian 50 %": dn.gaussian(AGE, privacy=0.5),
    "uniform 50 %": dn.uniform(AGE, privacy=0.5),
    "gaussian 100 %": dn.gaussian(AGE, privacy=1.0),
    "uniform 100 %": dn.uniform(AGE, privacy=1.0),
}


@pytest.mark.studies
@pytest.mark.parametrize("noise", NOISE)
def test_numbers_under_noise(noise, figure):
    """80 surveys of 1,000 people; a true coverage of .93 falls below .85 less than once in 100."""
    design = dn.Design([NOISE[noise], dn.warner(0.8, YES)])
    rng = np.random.default_rng(13)
    population = np.where(rng.random(10**6) < 0.4, rng.normal(28, 5, 10**6), rng.normal(52, 10, 10**6))
    age = np.clip(population, 18, 80).round()
    smokes = rng.random(10**6) < np.where(age > 40, 0.4, 0.15)
    truths = {"age > 40": np.mean(age > 40), "a == 'yes' and age > 40": np.mean(smokes & (age > 40))}
    held = {text: [] for text in truths}
    for run in range(80):
        people = rng.integers(0, 10**6, N)
        true = {"age": age[people], "a": smokes[people].astype(np.int8)}
        replies = ArrayCounts(disguise_columns(design, true, drawn_from(seeded(run))))
        for text, truth in truths.items():
            found = dn.estimate(design, replies, text)
            held[text].append(found.low <= truth <= found.high)
    for text, those in held.items():
        figure(f"coverage under noise, {noise}, {text}", f"{np.mean(those):.3f}")
        assert np.mean(those) >= 0.85

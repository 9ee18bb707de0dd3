"""Surveys whose coefficients are known, and what many of them estimate."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

import deniable as dn
from deniable.count.counts import Distinct
from deniable.count.pieces import OnePiece
from deniable.inference.invert.versions import VersionStack
from deniable.regression.fit import Fit
from deniable.regression.piece import Piece
from deniable.regression.problem import Problem, problem_of
from deniable.regression.records import records_of
from deniable.regression.sandwich import Units
from regression.people import people, truth

Y, X, G = dn.yes_no("y"), dn.yes_no("x"), dn.yes_no("g")
BINARY = {"Intercept": -1.0, "x[T.yes]": 1.0, "g[T.yes]": -0.5, "z": 0.5}
LEVEL = dn.Question("level", ["low", "middle", "high"], ordered=True)
KIND = dn.Question("kind", ["p", "q", "r"])


@dataclass(frozen=True)
class Survey:
    """A design, a formula and its true coefficients."""

    design: dn.Design
    formula: str
    truth: dict[str, float]

    def replies(self, n: int, seed: int) -> pd.DataFrame:
        """What n people report; columns that are no question stay beside their replies."""
        true = people(n, seed)
        found = dn.disguise(self.design, true, seed=seed)
        return found.assign(**{name: true[name].to_numpy() for name in true.columns if name not in found.columns})


def arms() -> dn.Design:
    forced = {"forced": [dn.forced(0.1, 0.2, Y)], "crosswise": [dn.warner(0.75, Y)], "direct": [dn.clear(Y)]}
    return dn.Design([dn.versions(forced, shares=[0.4, 0.3, 0.3], column="arm")])


def sampled_arms() -> dn.Design:
    """A predictor in arms, beside an outcome with a lottery of its own."""
    versions = {"forced": [dn.forced(0.1, 0.2, X)], "warner": [dn.warner(0.85, X)]}
    return dn.Design([dn.versions(versions, shares=[0.6, 0.4], column="arm"), dn.warner(0.85, Y)])


SURVEYS = {
    "outcome, forced": Survey(dn.Design([dn.forced(1 / 6, 1 / 6, Y)]), "y ~ x + g + z", BINARY),
    "outcome, arms": Survey(arms(), "y ~ x + g + z", BINARY),
    "predictor": Survey(dn.Design([dn.warner(0.8, X), dn.clear(Y)]), "y ~ x + g + z", BINARY),
    "outcome and predictor": Survey(dn.Design([dn.warner(0.8, X), dn.warner(0.8, Y)]), "y ~ x + g + z", BINARY),
    "outcome and predictor, one draw": Survey(dn.Design([dn.warner(0.8, X, Y)]), "y ~ x + g + z", BINARY),
    "outcome and two predictors": Survey(
        dn.Design([dn.warner(0.85, X), dn.warner(0.85, Y), dn.forced(0.1, 0.1, G)]), "y ~ x + g + z", BINARY
    ),
    "versions of three questions": Survey(
        dn.Design([dn.draw(dn.epsilon(3), Y, X, G, always=["y"], ask=2)]), "y ~ x + g + z", BINARY
    ),
    "predictor in arms": Survey(sampled_arms(), "y ~ x + g + z", BINARY),
    "several answers, k-ary": Survey(
        dn.Design([dn.k_ary(0.8, KIND), dn.warner(0.85, X)]),
        "kind ~ x + z",
        {"q: Intercept": -0.5, "q: x[T.yes]": 1.0, "q: z": 0.3, "r: Intercept": 0.0, "r: x[T.yes]": -0.5, "r: z": 0.5},
    ),
    "ordered answers, k-ary": Survey(
        dn.Design([dn.k_ary(0.8, LEVEL), dn.warner(0.85, X)]),
        "level ~ x + z",
        {"x[T.yes]": 1.0, "z": 0.5, "low | middle": -0.5, "middle | high": 1.0},
    ),
}
NUMBERS = {
    "number under noise": Survey(
        dn.Design([dn.warner(0.8, X), dn.gaussian(dn.number("v", 0, 40), privacy=0.5)]),
        "v ~ x + age",
        {"Intercept": 5.0, "x[T.yes]": 2.0, "age": 0.1},
    ),
    "predictor under noise": Survey(
        dn.Design(
            [dn.warner(0.8, X), dn.uniform(dn.number("age", 18, 80), privacy=0.5), dn.clear(dn.number("v", 0, 40))]
        ),
        "v ~ x + age",
        {"Intercept": 5.0, "x[T.yes]": 2.0, "age": 0.1},
    ),
    "logit of a number under noise": Survey(
        dn.Design([dn.warner(0.85, Y), dn.gaussian(dn.number("z", -6, 6), privacy=0.25)]), "y ~ x + g + z", BINARY
    ),
}


@dataclass(frozen=True)
class Repeated:
    """What many surveys estimate."""

    estimates: np.ndarray  # [survey, coefficient]
    errors: np.ndarray
    truth: np.ndarray
    failed: int

    @property
    def bias(self) -> np.ndarray:
        """[coefficient] in standard errors."""
        return (self.estimates.mean(axis=0) - self.truth) / self.estimates.std(axis=0)

    @property
    def coverage(self) -> np.ndarray:
        """[coefficient] how often the interval holds the truth."""
        return (np.abs(self.estimates - self.truth) < 1.96 * self.errors).mean(axis=0)


def collected(survey: Survey, fits: Iterable[Fit]) -> Repeated:
    """The estimates of many fits."""
    estimates, errors, failed = [], [], 0
    for fit in fits:
        failed += not fit.root.converged
        if fit.root.converged:
            estimates.append(fit.b)
            errors.append(np.sqrt(fit.covariance.diagonal()))
    return Repeated(np.array(estimates), np.array(errors), np.array(list(survey.truth.values())), failed)


def one_by_one(survey: Survey, n: int, seeds: Iterable[int]) -> Iterator[Fit]:
    """The same survey again and again, with other people each time."""
    for seed in seeds:
        found = dn.regress(survey.design, survey.replies(n, seed), survey.formula)
        assert [each.label for each in found.coefficients] == list(survey.truth)
        yield found.fit


def by_counts(survey: Survey, n: int, count: int) -> Iterator[Fit]:
    """The same, where each survey is drawn as how many people give each distinct reply."""
    parsed, problem = problem_of(survey.design, survey.replies(100_000, 0), survey.formula, {}, "sandwich", "skip")
    design = survey.design.beside(
        [each.question for each in problem.predictors if each.name not in survey.design.names]
    )
    used, rng = problem.records.used, np.random.default_rng(1)
    share = reply_shares(problem)
    assert share.sum() > 0.999
    for counts in rng.multinomial(n, share / share.sum(), count).astype(float):
        rows = counts > 0
        kept = Distinct(used.replies.columns, counts).only(rows)
        stacks = [stack.sized(np.bincount(kept.columns[stack.block.column], kept.counts, len(stack.block.versions)))
                  if isinstance(stack, VersionStack) else stack for stack in used.stacks]  # fmt: skip
        again = replace(used, replies=kept, stacks=stacks, reports=[each[rows] for each in used.reports])
        records = records_of(design, again, problem.outcome, problem.predictors, np.ones(len(kept.counts)))
        units = Units.of(kept.counts, again.strata(), None)
        yield replace(problem, pieces=OnePiece(Piece(records, units))).fitted(parsed)


def reply_shares(problem: Problem) -> np.ndarray:
    """The chance of each distinct reply, by enumeration of the truth."""
    outcome, used = problem.outcome.variable, problem.records.used
    people, shares = truth(outcome.name)
    found = np.zeros(len(used.counts))
    for (_, person), share in zip(people.iterrows(), shares, strict=True):
        chance = np.full(len(found), share)
        for each in (outcome, *problem.predictors):
            if each.source == "clear":
                chance = chance * (_cells(each, used.replies.columns[each.name]) == person[each.name])
        for stack, reports in zip(used.stacks, used.reports, strict=True):
            cell = np.ravel_multi_index([int(person[name]) for name in stack.names], stack.true_shape)
            chance = chance * stack.matrix[reports, cell]
        found += chance
    return found


def _cells(variable, column):
    """A column as people.truth has it: numbers, and the cells of the answers in their own order."""
    if variable.is_number:
        return column
    order = ["no", "yes"] if set(variable.question.answers) == {"no", "yes"} else list(variable.question.answers)
    return np.array([order.index(answer) for answer in variable.question.answers])[column]

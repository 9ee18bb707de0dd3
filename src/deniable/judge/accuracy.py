"""Expected accuracy of models under a design, by simulated surveys among the people of a pilot.

The pilot is dealt to folds. People are drawn with replacement from all folds but one, answer under the design, and
teach a model, which is tested on the true answers of the fold that was left out. A way of asking that depends on the
pilot (which questions, which answers merged) is worked out anew from the people who teach, so that no figure flatters
it by people it was chosen by. All ways are judged by the same folds.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.channel.schemes import clear
from deniable.count.counts import Distinct
from deniable.count.merged import merged
from deniable.errors import DeniableError
from deniable.judge.pilot import Pilot, banded
from deniable.judge.simulate import simulated_replies
from deniable.learn.base import Learner
from deniable.learn.majority import majorities
from deniable.learn.naive_bayes import NaiveBayes
from deniable.learn.pairwise import PairwiseClassifier

FOLDS = 5
ROUNDS = ((2, 0.08), (5, 0.0))  # surveys after which only those go on that are no further behind the best
TOL = 1e-4  # of pairs' shares, far below their errors
MODELS: Mapping[str, Callable[[Design], Learner]] = {
    "naive_bayes": NaiveBayes,
    "pairwise": partial(PairwiseClassifier, tol=TOL),
}

Way = Callable[[Pilot], Design]  # of asking, as the people of a pilot suggest it
Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Accuracy:
    """Expected accuracy of each kind of model."""

    naive_bayes: float
    pairwise: float
    tested: int = 0  # people on whom it was counted

    @property
    def stderr(self) -> float:
        """The standard error of the better model's."""
        return sqrt(self.best * (1 - self.best) / max(self.tested, 1))

    def to_json(self) -> dict[str, float]:
        """By model."""
        return {"naive_bayes": self.naive_bayes, "pairwise": self.pairwise}

    @property
    def best(self) -> float:
        """That of the better model."""
        return max(self.naive_bayes, self.pairwise)


@dataclass(frozen=True)
class Trials:
    """Simulated surveys of so many people, numbered: each has its fold and its draws, whatever is asked."""

    pilot: Pilot
    target: str
    n: int
    seed: int = 0

    def race(self, ways: Mapping[str, Way]) -> dict[str, Accuracy]:
        """The accuracy of each way of asking; those far behind are tried less often than the others.

        What they reached is told as if they had been tried as often: beside the winner's, in the same surveys.
        """
        found: dict[str, list[Accuracy]] = {name: [] for name in ways}
        running = list(ways)
        for surveys, behind in ROUNDS:
            for name in running:
                found[name] += [self.survey(ways[name], number) for number in range(len(found[name]), surveys)]
            best = max(_mean(found[name]).best for name in running)
            running = [name for name in running if _mean(found[name]).best >= best - behind]
        first = found[running[0]]
        return {name: _beside(each, first) for name, each in found.items()}

    def expected(self, way: Way, surveys: int = FOLDS) -> Accuracy:
        """The accuracy of one way of asking."""
        return _mean([self.survey(way, number) for number in range(surveys)])

    def survey(self, way: Way, number: int) -> Accuracy:
        """The accuracy of models that learn from one simulated survey; guessing where nothing can be learnt."""
        taught, tested = self.folds(number)
        some = self.pilot.part(taught)
        design = way(some)
        rng = np.random.default_rng([self.seed, number])
        drawn = rng.choice(some.n, self.n)
        people = some.asked(design.questions).cells
        replies = simulated_replies(design, {name: cells[drawn] for name, cells in people.items()}, rng)
        return self._tested(design, merged(replies), taught, tested)

    def taught_alone(self, number: int) -> Accuracy:
        """The accuracy of models that learn from the people of the pilot themselves."""
        taught, tested = self.folds(number)
        some = self.pilot.part(taught)
        design = openly(some, self.target)
        return self._tested(design, Distinct(some.asked(design.questions).cells, np.ones(len(taught))), taught, tested)

    def guessed(self, number: int) -> Accuracy:
        """The accuracy of naming the most frequent answer."""
        taught, tested = self.folds(number)
        cells = self.pilot.cells[self.target]
        right = float((cells[tested] == np.bincount(cells[taught]).argmax()).mean())
        return Accuracy(right, right, len(tested))

    def folds(self, number: int) -> tuple[Rows, Rows]:
        """The people who teach and those who test in one survey; after each has tested, they are dealt anew."""
        rng = np.random.default_rng([self.seed, number // FOLDS])
        dealt = rng.permutation(self.pilot.n) % FOLDS
        return np.flatnonzero(dealt != number % FOLDS), np.flatnonzero(dealt == number % FOLDS)

    def _tested(self, design: Design, replies: Distinct, taught: Rows, tested: Rows) -> Accuracy:
        answers = self.pilot.people(tested, [name for name in design.names if name != self.target])
        cells = self.pilot.cells[self.target]
        right: dict[str, float] = {}
        for name, make in MODELS.items():
            guessed = np.full(len(tested), np.bincount(cells[taught]).argmax())
            if (model := _taught(make(design), replies, self.target)) is not None:
                guessed = majorities(model.predict_proba(answers))
            right[name] = float((guessed == cells[tested]).mean())
        return Accuracy(right["naive_bayes"], right["pairwise"], len(tested))


def baselines(trials: Trials, few: int, real: bool = True) -> dict[str, Accuracy]:
    """What is reached without a disguise: by guessing, by the pilot if it is real, by a few people and by all."""
    numbers = range(FOLDS)
    found = {"guessing": _mean([trials.guessed(number) for number in numbers])}
    if real:
        found["the pilot alone"] = _mean([trials.taught_alone(number) for number in numbers])
    asked = {f"{few:,} asked in the clear": few, "no disguise": trials.n}
    return found | {
        name: Trials(trials.pilot, trials.target, n, trials.seed).expected(partial(openly, target=trials.target))
        for name, n in asked.items()
    }


def openly(pilot: Pilot, target: str) -> Design:
    """All questions in the clear; numbers in bands, since models take every cell for an answer of its own.

    Numbers under noise are learnt in few cells. Year by year, ages asked in the clear would teach less than these.
    """
    asked = [each if each.omit else banded(each, pilot.frame) for each in pilot.questions]
    return Design([clear(*asked)], target=target, check_text=False)


def _mean(found: Sequence[Accuracy]) -> Accuracy:
    """The mean over folds, each of which tests other people."""
    means = [float(np.mean([getattr(each, name) for each in found])) for name in MODELS]
    return Accuracy(means[0], means[1], sum(each.tested for each in found))


def _beside(found: Sequence[Accuracy], first: Sequence[Accuracy]) -> Accuracy:
    """The mean over all surveys that the first has, as far as the first's own differ between these and all."""
    easier = _mean(first[: len(found)]).best - _mean(first).best
    own = _mean(found)
    moved = [min(max(getattr(own, name) - easier, 0.0), 1.0) for name in MODELS]
    return Accuracy(moved[0], moved[1], own.tested)


def _taught(model: Learner, replies: Distinct, target: str) -> Learner | None:
    """The model after learning; None where replies tell nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return model.fit(replies, target)
        except DeniableError:
            return None

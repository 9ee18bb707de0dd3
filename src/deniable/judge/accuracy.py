"""Expected accuracy of models under a design, by simulated surveys among the people of a pilot.

The pilot is dealt to folds. People are drawn with replacement from all folds but one, answer under the design, and
teach a model, which is tested on the true answers of the fold that was left out; so no figure flatters a design by
people it has learnt from. All designs are judged by the same folds.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.channel.schemes import clear
from deniable.count.counts import Distinct
from deniable.errors import DeniableError
from deniable.judge.pilot import Pilot
from deniable.judge.simulate import simulated_replies
from deniable.learn.base import Learner
from deniable.learn.naive_bayes import NaiveBayes
from deniable.learn.pairwise import PairwiseClassifier

FOLDS = 3
MODELS: Mapping[str, Callable[[Design], Learner]] = {"naive_bayes": NaiveBayes, "pairwise": PairwiseClassifier}

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Accuracy:
    """Expected accuracy of each kind of model."""

    naive_bayes: float
    pairwise: float

    @property
    def best(self) -> float:
        """That of the better model."""
        return max(self.naive_bayes, self.pairwise)


def expected_accuracy(design: Design, pilot: Pilot, target: str, n: int, seed: int = 0) -> Accuracy:
    """Accuracy of models that learn from n simulated replies; guessing where nothing can be learnt."""
    right: dict[str, list[float]] = {name: [] for name in MODELS}
    for fold, (taught, tested) in enumerate(_folds(pilot.n, seed)):
        rng = np.random.default_rng([seed, fold])
        people = rng.choice(taught, n)
        replies = simulated_replies(design, {name: cells[people] for name, cells in pilot.cells.items()}, rng)
        answers = pilot.people(tested, [name for name in design.names if name != target])
        for name, make in MODELS.items():
            guessed = np.full(len(tested), np.bincount(pilot.cells[target][taught]).argmax())
            if (model := _taught(make(design), replies, target)) is not None:
                guessed = np.argmax(model.predict_proba(answers), axis=1)
            right[name].append(float((guessed == pilot.cells[target][tested]).mean()))
    return Accuracy(**{name: float(np.mean(each)) for name, each in right.items()})


def baselines(pilot: Pilot, target: str, n: int, few: int, seed: int = 0) -> dict[str, Accuracy]:
    """What is reached without a disguise: by guessing, by the pilot itself, by a few people and by all of them."""
    openly = Design([clear(*pilot.questions)], target=target, check_text=False)
    guessed = [
        (pilot.cells[target][tested] == np.bincount(pilot.cells[target][taught]).argmax()).mean()
        for taught, tested in _folds(pilot.n, seed)
    ]
    found = {"guessing": Accuracy(float(np.mean(guessed)), float(np.mean(guessed)))}
    asked = {"the pilot alone": pilot.n, f"{few:,} asked in the clear": few, "no disguise": n}
    return found | {name: expected_accuracy(openly, pilot, target, count, seed) for name, count in asked.items()}


def _folds(count: int, seed: int) -> Iterator[tuple[Rows, Rows]]:
    """The people who teach and those who test, fold by fold."""
    dealt = np.random.default_rng(seed).permutation(count) % FOLDS
    for fold in range(FOLDS):
        yield np.flatnonzero(dealt != fold), np.flatnonzero(dealt == fold)


def _taught(model: Learner, replies: Distinct, target: str) -> Learner | None:
    """The model after learning; None where replies tell nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return model.fit(replies, target)
        except DeniableError:
            return None

"""Test of a model by replies to different versions.

The model is asked about every combination of the answers that it uses, and the share of people for whom it is right is
estimated like any other expression. It is identified if some version asks all these questions and the target together.
Where none does, replies cannot test the model; what is offered instead is the model's own figure, which is no test.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.count.counts import Counts
from deniable.errors import NotIdentified, TooManyCells
from deniable.evaluate.own import own_accuracy
from deniable.inference.estimates import Estimate
from deniable.inference.reported_table import ReportedTable
from deniable.survey.question import Question

MAX_CELLS = 2**16


@dataclass(frozen=True)
class VersionsTest:
    """The table of what a model uses, and its prediction for each combination of answers."""

    target: Question
    table: ReportedTable
    predicted: NDArray[np.intp]  # [*cells of the questions]

    def accuracy(self) -> Estimate:
        """The share of people whom the model classifies rightly."""
        return self._share(self.predicted[..., None] == np.arange(len(self.target)))

    def share(self, predicted: int, true: int) -> Estimate:
        """The share of people of a class who get a prediction."""
        return self._share((self.predicted == predicted)[..., None] & (np.arange(len(self.target)) == true))

    def _share(self, mask: NDArray[np.bool_]) -> Estimate:
        return self.table.share(mask)


def versions_test(
    model: Any, design: Design, counts: Counts, asked: Sequence[Question], target: Question, predictions: Any
) -> VersionsTest:
    """The test of a model that uses these questions; `predictions` maps cells [question, combination] to classes."""
    shape = tuple(len(question) for question in asked)
    names = [question.name for question in asked]
    _check_together(model, design, [*names, target.name])
    if prod(shape) * len(target) > MAX_CELLS:
        raise TooManyCells(names, prod(shape) * len(target), MAX_CELLS)
    cells = np.unravel_index(np.arange(prod(shape)), shape) if shape else ()
    predicted = np.asarray(predictions(cells)).reshape(shape)
    return VersionsTest(target, ReportedTable.of(design, counts, [*asked, target]), predicted)


def _check_together(model: Any, design: Design, names: Sequence[str]) -> None:
    """Refuse a model whose questions no version asks together with the target."""
    for block in design.versioned:
        wanted = [name for name in names if name in block.names]
        if not any(set(wanted) <= set(version.names) for version in block.versions):
            asking = [set(version.names) for version in block.versions if {names[-1]} & {*wanted} <= {*version.names}]
            most = max(len(asked & set(names[:-1])) for asked in asking)
            own = own_accuracy(model)
            figure = "" if own is None else f"; its own figure, which is no test, is {own:.3f}"
            raise NotIdentified(
                f"how good a model of {len(names) - 1} questions is", f"no version asks {'more than ' * (most > 0)}"
                f"{most or 'any'} of them together with its target{figure}",
                "let it use fewer, ask more of them together, or test it by a computed question: on the site, "
                "the second round of a published model is one disguised digit",
            )  # fmt: skip

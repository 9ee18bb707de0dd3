"""The pairwise model as a classifier: for designs in which every question has its own lottery."""

import numpy as np
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.channel.schemes import clear
from deniable.inference.inverse import InverseEstimates
from deniable.inference.pairs import fit_pairs
from deniable.learn.base import Learner, Task
from deniable.learn.columns import Cells
from deniable.learn.replies import RecordCounts
from deniable.survey.question import Question


class PairwiseClassifier(Learner):
    """Predicts the class that a log-linear model of all pairs of answers finds likeliest."""

    def __init__(self, design: Design | None = None) -> None:
        self.design = design

    def _learn(self, task: Task) -> None:
        design, names = task.design, [*task.columns.names, task.target.name if task.target else "the target"]
        if design is None:  # undisguised: all questions in the clear
            sizes = zip(names, task.records.sizes, strict=True)
            design = Design(
                [clear(*[Question(name, [str(cell) for cell in range(max(2, size))]) for name, size in sizes])]
            )
        counts = RecordCounts(names, task.records)
        self.method_ = "pairs"
        self.model_ = fit_pairs(InverseEstimates(design, counts), names, counts.n)
        self.places_ = [names.index(name) for name in self.model_.names[:-1]]

    def _chances(self, cells: Cells) -> NDArray[np.float64]:
        return self.model_.target_chances(np.maximum(cells[self.places_], 0))

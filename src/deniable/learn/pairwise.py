"""The pairwise model as a classifier: for designs in which every question has its own lottery."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.errors import BadRequest
from deniable.frame.columns import Missing
from deniable.inference.truth.pairs import CONVERGED
from deniable.learn.base import Learner
from deniable.learn.columns import Cells, PlainColumns
from deniable.learn.methods import check_method
from deniable.learn.pairs import fitted_pairs, warn_of_left_out
from deniable.learn.task import Task

MAX_CELLS_OF_NUMBER = 10


class PairwiseClassifier(Learner):
    """Predicts the class that a log-linear model of all pairs of answers finds likeliest.

    The fit ends where no pair's share is further from what it should be than `tol`.
    """

    def __init__(self, design: Design | None = None, *, tol: float = CONVERGED, missing: Missing = "skip") -> None:
        self.design = design
        self.tol = tol
        self.missing = missing

    def _plain_columns(self, X: NDArray[Any], names: list[str]) -> PlainColumns:  # noqa: N803
        return PlainColumns.of(X, names, MAX_CELLS_OF_NUMBER)

    def _learn(self, task: Task) -> None:
        self.method_ = "pairs"
        check_method(task, self.method_)
        if isinstance(self.tol, bool) or not isinstance(self.tol, int | float) or not 0 < self.tol < 1:
            raise BadRequest("tol", "a small number above 0", self.tol, "leave it out")
        self.model_ = fitted_pairs(task, converged=self.tol)
        warn_of_left_out(task, self.model_)
        self.indices_ = [task.columns.names.index(name) for name in self.model_.names[:-1]]

    def _chances(self, cells: Cells) -> NDArray[np.float64]:
        return self.model_.target_chances(cells[self.indices_])

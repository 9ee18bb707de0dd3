"""Base of all learners: the scikit-learn contract, with or without a design."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from deniable.channel.design import Design, check_design
from deniable.errors import BadRequest, MissingColumns, OneClass
from deniable.errors.warn import warn
from deniable.frame.columns import Missing, refuses
from deniable.frame.frames import eager, names_in, refuse_named_twice
from deniable.frame.spark import is_spark
from deniable.frame.spark_columns import column_of
from deniable.learn.columns import Cells, PlainColumns, question_of_cells
from deniable.learn.majority import majorities
from deniable.learn.task import Task, kind_of_answers, task_of_columns, task_of_replies
from deniable.survey.coding import values_of
from deniable.survey.whole import is_whole


class Learner(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """A classifier from disguised replies; subclasses say how to learn and how to predict."""

    design: Design | None
    missing: Missing
    note_: str = ""  # how many replies it did not learn from, and which numbers people seem to round

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803
        """Learn from disguised answers X and the disguised target y (undisguised ones without a design).

        Or from X alone: replies in whatever form `dn.estimate` takes them, a frame of any engine, a file, the URL of a
        store. The target is then the design's, or the question that y names. Replies that lack a cell are left out, and
        `note_` says how many; with missing="refuse" they are refused, as they are without a design.
        """
        refuses(self.missing)
        if self.design is not None:
            check_design(self.design)
        task = self._plain_task(X, y) if self.design is None else self._design_task(self.design, X, y)
        self.columns_ = task.columns
        self.n_replies_, self.note_ = task.n, task.note
        self._learn(task)
        return self

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:  # noqa: N803
        """The accuracy on X and y, taken as true answers; `dn.score` estimates it from disguised replies."""
        if hidden := self._disguised():
            warn(
                f"score takes X and y as true answers, but the design disguises {', '.join(hidden[:4])}"
                f"{' and others' * (len(hidden) > 4)}; for replies use dn.score, or scoring=dn.scorer(design) in "
                "scikit-learn's tools"
            )
        return float(super().score(X, y, sample_weight))

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """The class of each record of true answers; of a Spark frame, a column for `X.withColumn("class", ...)`."""
        check_is_fitted(self)
        if is_spark(X):
            return self._spark_column(X, self.predict, pa.array(self.classes_.tolist()).type)  # type: ignore[no-any-return]
        chances = self.predict_proba(X)
        return np.asarray(self.classes_[majorities(chances)])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """The chance of each class for each record of true answers; of a Spark frame, a column of arrays."""
        check_is_fitted(self)
        if is_spark(X):
            return self._spark_column(X, self.predict_proba, pa.list_(pa.float64()))  # type: ignore[no-any-return]
        if isinstance(self.columns_, PlainColumns):
            X = validate_data(self, X, reset=False, dtype=None)  # noqa: N806
        return self._chances(self.columns_.true_cells(X))

    def _spark_column(self, X: Any, predict: Callable[[Any], NDArray[Any]], kind: pa.DataType) -> Any:  # noqa: N803
        """The column of what is predicted from a Spark frame's columns, which Spark computes."""
        return column_of(X, list(self.columns_.names), kind, lambda rows: pa.array(predict(rows).tolist(), kind))

    def _disguised(self) -> list[str]:
        """Those of the learner's questions whose replies may differ from the truth, the target last."""
        check_is_fitted(self)
        if self.design is None:
            return []
        names = [*self.columns_.names, str(self.target_)]
        return [name for name in names if not self.design.says_the_truth(name)]

    def _plain_task(self, X: Any, y: Any) -> Task:  # noqa: N803
        if isinstance(y, str):
            X, y = _parted(X, y)  # noqa: N806
        X, y = validate_data(self, X, y, dtype=None)  # noqa: N806
        check_classification_targets(y)
        self.classes_, target = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise OneClass(str(self.classes_[0]))
        self.target_ = getattr(y, "name", None)
        names = getattr(self, "feature_names_in_", [f"x{index}" for index in range(X.shape[1])])
        columns = self._plain_columns(X, list(names))
        cells = (*columns.true_cells(X), target)
        name = "the target" + "_" * max(map(len, columns.names))  # which no column has
        question = question_of_cells(name, len(self.classes_))
        return Task(columns, None, question, cells, np.ones(len(target)))

    def _design_task(self, design: Design, X: Any, y: Any) -> Task:  # noqa: N803
        if y is None or isinstance(y, str):
            task = task_of_replies(design, X, y, self.missing)
            kind = kind_of_answers(X, task.questions[-1].name)
            self._name_features(task)
        else:
            refuse_named_twice(names_in(X), "X")
            validate_data(self, X, skip_check_array=True)
            task = task_of_columns(design, X, y, self.missing)
            if task.versions:  # which are no features
                self._name_features(task)
            kind = {"b": bool, "i": int, "u": int}.get(np.asarray(y).dtype.kind, str)
        target = task.questions[-1]
        self.classes_ = np.array(values_of(target, kind) or list(target.answers))
        self.target_ = target.name
        return task

    def _name_features(self, task: Task) -> None:
        """The questions that it asks, as scikit-learn names them."""
        self.feature_names_in_ = np.array(task.columns.names, dtype=object)
        self.n_features_in_ = len(task.columns.names)

    def _plain_columns(self, X: NDArray[Any], names: list[str]) -> PlainColumns:  # noqa: N803
        return PlainColumns.of(X, names)

    @abstractmethod
    def _learn(self, task: Task) -> None:
        """Learn from the replies."""

    @abstractmethod
    def _chances(self, cells: Cells) -> NDArray[np.float64]:
        """The chance of each class, given one row of true cells per column."""


def check_whole(name: str, value: Any, least: int) -> None:
    """Refuse what is not a whole number, or too small."""
    if not is_whole(value, least):
        raise BadRequest(name, f"a whole number from {least} on", value, "give one")


def _parted(frame: Any, name: str) -> tuple[Any, Any]:
    """The other columns of an undisguised frame, and the one of this name."""
    known = eager(frame, "X")
    if name not in known.columns:
        raise MissingColumns([name], known.columns)
    return known.drop(name).to_native(), known[name].to_native()

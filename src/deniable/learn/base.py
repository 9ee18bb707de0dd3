"""What all learners share: the scikit-learn contract, with or without a design."""

import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from deniable.channel.design import Design, check_design
from deniable.count.counts import ArrayCounts, Distinct, is_answered
from deniable.count.missing import complete
from deniable.count.possible import warn_of_impossible
from deniable.errors import BadRequest, OneClass
from deniable.frame.columns import Column, Missing, refuses
from deniable.inference.records import Records, Rows
from deniable.learn.columns import (
    Cells,
    Columns,
    PlainColumns,
    QuestionColumns,
    cells_of_replies,
    features_of,
    reported_replies,
)
from deniable.survey.coding import values_of
from deniable.survey.question import Question


@dataclass(frozen=True, eq=False)
class Task:
    """What a learner is to learn: columns, the target (a question under a design), and the replies."""

    columns: Columns
    under: Design | None  # none: undisguised
    target: Question | None
    told: tuple[Column, ...]  # reply by reply, the target last: reported cells or numbers; true cells without a design
    sizes: tuple[int, ...]  # cells of each column of the records, the target's last
    chosen: tuple[int, ...] = ()  # the questions to be reconstructed together, where they are
    note: str = ""  # how many replies lack a cell

    @cached_property
    def records(self) -> Records:
        """Distinct replies as reported cells under a design, as true ones without."""
        if self.under is None:
            return Records.of(self.told, self.sizes)
        questions = [self.design.reported(question) for question in self.questions]
        return Records.of(cells_of_replies(questions, self.told), self.sizes)

    @property
    def design(self) -> Design:
        """The design, where there is one."""
        assert self.under is not None
        return self.under

    @property
    def questions(self) -> tuple[Question, ...]:
        """All questions under a design, the target last."""
        assert isinstance(self.columns, QuestionColumns)
        assert self.target is not None
        return (*self.columns.questions, self.target)

    @cached_property
    def absent(self) -> set[int]:
        """The places of numbers that somebody left out."""
        return {place for place, told in enumerate(self.told) if not is_answered(told).all()}

    def part(self, rows: Rows) -> "Task":
        """The same task with some of the replies."""
        return replace(self, told=tuple(column[rows] for column in self.told))

    @property
    def under_noise(self) -> list[int]:
        """The places of numbers under noise."""
        if self.under is None:
            return []
        channels = [self.design.channel(question.name) for question in self.questions[:-1]]
        return [place for place, channel in enumerate(channels) if channel.has_noise]


class Learner(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """A classifier from disguised replies; subclasses say how to learn and how to predict."""

    design: Design | None
    missing: Missing
    note_: str = ""  # how many replies it did not learn from

    def fit(self, X: Any, y: Any) -> Self:  # noqa: N803
        """Learn from disguised answers X and the disguised target y (undisguised ones without a design).

        Replies that lack a cell are left out, and `note_` says how many; with missing="refuse" they are refused, as
        they are without a design.
        """
        refuses(self.missing)
        if self.design is not None:
            check_design(self.design)
        task = self._plain_task(X, y) if self.design is None else self._design_task(self.design, X, y)
        self.columns_ = task.columns
        self.n_replies_, self.note_ = len(task.told[-1]), task.note
        self._learn(task)
        return self

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:  # noqa: N803
        """The accuracy about X and y, taken as true answers; `dn.score` tells it from disguised replies."""
        if hidden := self._disguised():
            warnings.warn(
                f"score takes X and y as true answers, but the design disguises {', '.join(hidden[:4])}"
                f"{' and others' * (len(hidden) > 4)}; for replies use dn.score, or scoring=dn.scorer(design) in "
                "scikit-learn's tools",
                stacklevel=2,
            )
        return float(super().score(X, y, sample_weight))

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """The class of each record of true answers."""
        chances = self.predict_proba(X)
        return np.asarray(self.classes_[np.argmax(chances, axis=1)])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """The chance of each class for each record of true answers."""
        check_is_fitted(self)
        if isinstance(self.columns_, PlainColumns):
            X = validate_data(self, X, reset=False, dtype=None)  # noqa: N806
        return self._chances(self.columns_.true_cells(X))

    def _disguised(self) -> list[str]:
        """Those of the learner's questions whose replies may differ from the truth, the target last."""
        check_is_fitted(self)
        if self.design is None:
            return []
        names = [*self.columns_.names, str(self.target_)]
        return [name for name in names if not self.design.channel(name).says_the_truth]

    def _plain_task(self, X: Any, y: Any) -> Task:  # noqa: N803
        X, y = validate_data(self, X, y, dtype=None)  # noqa: N806
        check_classification_targets(y)
        self.classes_, target = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise OneClass(str(self.classes_[0]))
        self.target_ = getattr(y, "name", None)
        names = getattr(self, "feature_names_in_", [f"x{place}" for place in range(X.shape[1])])
        columns = self._plain_columns(X, list(names))
        cells = (*columns.true_cells(X), target)
        return Task(columns, None, None, cells, (*columns.sizes, len(self.classes_)))

    def _design_task(self, design: Design, X: Any, y: Any) -> Task:  # noqa: N803
        validate_data(self, X, skip_check_array=True)
        target = _target_of(design, y)
        columns = features_of(design, X, target.name)
        kind = {"b": bool, "i": int, "u": int}.get(np.asarray(y).dtype.kind, str)
        self.classes_ = np.array(values_of(target, kind) or list(target.answers))
        self.target_ = target.name
        told = told_columns(design, columns, target, X, y, self.missing)
        asked = [design.reported(question) for question in (*columns.questions, target)]
        found = ArrayCounts({each.name: column for each, column in zip(asked, told, strict=True)})
        whole, gaps = complete(found, asked, answered=False)  # numbers that may be left out are learnt from
        return Task(columns, design, target, tuple(whole.columns.values()), tuple(map(len, asked)), note=gaps.note)

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
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise BadRequest(name, f"a whole number from {least} on", value, "give one")


def told_columns(
    design: Design,
    columns: QuestionColumns,
    target: Question,
    X: Any,  # noqa: N803
    y: Any,
    missing: Missing = "refuse",
) -> tuple[Column, ...]:
    """What replies tell about some questions and the target, reply by reply: reported cells or numbers.

    Warns where they cannot be replies to this design.
    """
    answers = np.asarray(y).reshape(-1, 1)
    if not len(answers):
        raise BadRequest("X", "at least one reply", 0, "collect replies first")
    told = [
        *reported_replies(design, columns.questions, X, missing),
        *reported_replies(design, [target], answers, missing),
    ]
    if len({len(column) for column in told}) > 1:
        raise BadRequest("y", f"as long as X ({len(told[0])})", len(answers), "give one target answer for each reply")
    warn_of_impossible(
        design, Distinct(dict(zip([*columns.names, target.name], told, strict=True)), np.ones(len(answers)))
    )
    return tuple(told)


def records_of(design: Design, columns: QuestionColumns, target: Question, X: Any, y: Any) -> Records:  # noqa: N803
    """Distinct replies to some questions and the target, as reported cells."""
    questions = [design.reported(question) for question in (*columns.questions, target)]
    told = told_columns(design, columns, target, X, y)
    return Records.of(cells_of_replies(questions, told), tuple(len(question) for question in questions))


def _target_of(design: Design, y: Any) -> Question:
    """The question that y answers: the one it is named after, else the design's target."""
    named = getattr(y, "name", None)
    name = named if named in design.names else design.target
    if name is None:
        raise BadRequest("y", "named after a question, or a design with a target", named, "set target in the design")
    question = design.question(name)
    if question.range is not None:
        raise BadRequest("the target", "a question with answers", name, "choose another, or ask it with answers")
    return question

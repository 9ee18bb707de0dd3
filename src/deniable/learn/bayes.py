"""Naive Bayes from disguised replies: every answer speaks for a class as if it were alone.

    class = the v with the largest  P(v) * product over questions of P(x | v)

P(v) and P(x and v) are estimated from replies and may come out negative, and then products change their sign. So
estimates are clipped at zero, and each class gets people added who answer like everybody, as many as two of the
standard errors that such counts usually have: where replies tell little, a question says little.
Zhan and Matwin; Laplace

legend: x answers (first axis), v classes (second axis); further axes are many tables at once
"""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.count.counts import is_answered
from deniable.errors import BadModel, BadRequest
from deniable.frame.columns import Missing
from deniable.inference.inverse import even_stderr
from deniable.learn import model
from deniable.learn.base import Learner, Task, check_whole
from deniable.learn.columns import PlainColumns, QuestionColumns
from deniable.learn.crowd import usual_error
from deniable.learn.cut import as_reported, check_enough, coarsely_cut
from deniable.learn.root import check_method, is_clear, root

Floats = NDArray[np.float64]
Cells = NDArray[np.int64]
Smoothing = Literal["auto", "laplace"] | None
LEAST = 1e-300
ERRORS_ADDED = 2.0  # people added to each answer, in standard errors of the estimate, times the answer's share
RARE = 0.25  # times an even share: no cell of a number counts as rarer than that


class NaiveBayes(Learner):
    """Predicts the class for which a person's answers, each taken for itself, speak most."""

    def __init__(
        self,
        design: Design | None = None,
        *,
        smoothing: Smoothing = "auto",
        method: str = "auto",
        cells: int = 10,
        missing: Missing = "skip",
    ) -> None:
        self.design = design
        self.smoothing = smoothing
        self.method = method
        self.cells = cells
        self.missing = missing

    def _learn(self, task: Task) -> None:
        check_method(task, self.method)
        if self.smoothing not in ("auto", "laplace", None):
            raise BadRequest("smoothing", "'auto', 'laplace' or None", self.smoothing, "choose one of them")
        self.method_ = self.method if task.under is not None and self.method != "auto" else _best(task)
        if self.method_ in ("local", "joint"):
            raise BadRequest("method", "global or byclass for numbers under noise", self.method_, "use byclass")
        if self.method_ == "none":
            task = as_reported(task)
            self.columns_ = task.columns
        elif task.under_noise:
            check_enough(task)
            task = coarsely_cut(task)
            self.columns_ = task.columns
        people = root(task, self.method_)
        smoothing = "laplace" if is_clear(task) and self.smoothing == "auto" else self.smoothing
        self.priors_ = shares_of_classes(people.target(), smoothing)
        tables = people.tables()
        for place in task.absent:  # who left a number out does not speak about it
            told = task.part(np.flatnonzero(is_answered(task.told[place])))
            tables[place] = root(told, self.method_).tables()[place]
        self.chances_ = [
            shares_given_class(table, _usual_error(task, place), smoothing, place in task.under_noise)
            for place, table in enumerate(tables)
        ]

    def _plain_columns(self, X: NDArray[Any], names: list[str]) -> PlainColumns:  # noqa: N803
        check_whole("cells", self.cells, 2)
        return PlainColumns.of(X, names, self.cells)

    def _chances(self, cells: Cells) -> Floats:
        """The products as chances; where all are negative, the largest has it all."""
        scores = products(self.priors_, self.chances_, cells)
        kept = np.maximum(scores, 0.0)
        lost = ~(kept.sum(axis=1) > 0)
        kept[lost] = scores[lost] == scores[lost].max(axis=1, keepdims=True)
        return np.asarray(kept / kept.sum(axis=1, keepdims=True))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model as a JSON file that `dn.load_model` and a respondent's device read."""
        told = {"priors": self.priors_.tolist(), "chances": [shares.tolist() for shares in self.chances_]}
        model.write({**model.head(self, "bayes"), **told}, path)

    @classmethod
    def from_document(cls, path: object, document: Mapping[str, Any]) -> "NaiveBayes":
        """The classifier that a model file describes."""
        bayes = cls()
        model.restore(bayes, path, document)
        classes, sizes = len(bayes.classes_), bayes.columns_.sizes
        bayes.priors_ = model.array_of(path, document.get("priors"), (classes,), "priors")
        tables = document.get("chances")
        if not isinstance(tables, list) or len(tables) != len(sizes):
            raise BadModel(path, f"has no chances for its {len(sizes)} columns", "save the model again")
        bayes.chances_ = [
            model.array_of(path, table, (size, classes), "chances") for table, size in zip(tables, sizes, strict=True)
        ]
        return bayes


def _best(task: Task) -> str:
    """Class by class where numbers are under noise, else by inversion."""
    return "byclass" if task.under_noise else "inverse"


def _usual_error(task: Task, place: int) -> float:
    """The standard error that counts of this question by class usually have."""
    if task.under is None or task.target is None or not isinstance(task.columns, QuestionColumns):
        return 1.0
    if place in task.under_noise:
        return usual_error(task, place)
    return even_stderr(
        task.design, [task.columns.questions[place], task.target], float(is_answered(task.told[place]).sum())
    )


def shares_of_classes(counts: Floats, smoothing: Smoothing) -> Floats:
    """P(v) from estimated people of each class (first axis)."""
    if smoothing is None:
        return _ratio(counts, counts.sum(axis=0))
    kept = np.maximum(counts, 1.0)
    return np.asarray(kept / kept.sum(axis=0))


def shares_given_class(counts: Floats, stderr: float, smoothing: Smoothing, by_cells: bool = False) -> Floats:
    """P(x | v) from estimated people of each answer and class, and the usual standard error of such a count.

    With `by_cells` answers are cells of a number under noise, where hardly anybody in one of them tells nothing.
    """
    if smoothing is None:
        return _ratio(counts, counts.sum(axis=0))
    if (counts.sum(axis=1) > 0).sum(axis=0).max() < 2:  # all give the same answer, which says nothing
        return np.full(counts.shape, 1 / len(counts))
    kept = np.maximum(counts, 0.0)
    added = np.ones_like(counts) if smoothing == "laplace" else _like_everybody(counts, stderr, by_cells)
    return np.asarray((kept + added) / (kept + added).sum(axis=0))


def _ratio(counts: Floats, totals: Floats) -> Floats:
    """Shares, none where there is nobody."""
    return np.divide(counts, totals, out=np.zeros_like(counts), where=totals != 0)


def _like_everybody(counts: Floats, stderr: float, by_cells: bool) -> Floats:
    """People who answer like everybody: twice the larger of one and the standard error, in every class."""
    total = counts.sum(axis=(0, 1))
    least = RARE / len(counts) if by_cells else 1 / np.maximum(total, 2.0)
    share = np.clip(counts.sum(axis=1) / total, least, 1 - least)
    return np.asarray(ERRORS_ADDED * max(stderr, 1.0) * np.repeat(share[:, None], counts.shape[1], axis=1))


def products(priors: Floats, chances: Sequence[Floats], cells: Cells) -> Floats:
    """P(v) times all P(x | v) for each record, as multiples of the largest: [record, v, ...].

    `cells` has one row per question; an answer that nobody had given (-1) says nothing.
    """
    logs = np.repeat(_log(priors)[None], cells.shape[1], axis=0)
    negative = np.repeat((priors < 0)[None], cells.shape[1], axis=0)
    for column, shares in zip(cells, chances, strict=True):
        known = column >= 0
        logs[known] += _log(shares)[column[known]]
        negative[known] ^= (shares < 0)[column[known]]
    scaled = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(np.where(negative, -scaled, scaled))


def _log(shares: Floats) -> Floats:
    return np.asarray(np.log(np.maximum(np.abs(shares), LEAST)))

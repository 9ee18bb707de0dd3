"""Naive Bayes from disguised replies: answers count as independent of each other within a class.

    class = the v with the largest  P(v) * product over questions of P(x | v)

Estimates of P(v) and P(x and v) may be negative, which flips the sign of a product. So estimates are smoothed
(`smooth`), each by its own noise (`posterior`), and noisy ones are shrunk towards independence (`shrink`).
Zhan and Matwin; Laplace

legend: x answers (first axis), v classes (second axis); further axes are many tables at once
"""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.count.counts import is_answered
from deniable.errors import BadModel, BadRequest, NoReplies
from deniable.errors.warn import warn
from deniable.frame.columns import Missing
from deniable.inference.invert.inverse import InverseEstimates
from deniable.learn import model
from deniable.learn.asked import AskedTable
from deniable.learn.base import Learner, check_whole
from deniable.learn.columns import PlainColumns
from deniable.learn.discretize import check_enough, coarsely_cut
from deniable.learn.doubt import warn_of_doubtful_dependence, warn_of_doubtful_majority
from deniable.learn.methods import METHODS, check_method, check_plain_method
from deniable.learn.posterior import Noise, in_the_clear
from deniable.learn.smooth import Smoothing, learnt_shares, shrunk_people
from deniable.learn.task import Task
from deniable.learn.usual_errors import usual_errors

Floats = NDArray[np.float64]
Cells = NDArray[np.int64]
MIN = 1e-300


class NaiveBayes(Learner):
    """Predicts the likeliest class, as if answers were independent of each other within a class."""

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
        self.method_ = self._method(task)
        how = METHODS[self.method_]
        if not how.corrected:
            task = how.cut(task)
        elif task.under_noise:
            check_enough(task)
            task = coarsely_cut(task)
        self.columns_ = task.columns
        classes, tables, noises = self._people(task)
        if self.smoothing != "auto" or not how.corrected:
            self.priors_, self.chances_ = learnt_shares(classes, tables, None if self.smoothing is None else "laplace")
            return
        if task.is_clear:
            noises = noises or [in_the_clear] * len(tables)
            self.priors_, self.chances_ = learnt_shares(classes, tables, "auto", noises)
            return
        errors, kept = usual_errors(task), None
        warn_of_doubtful_majority(task)
        if not how.modelled:  # a model of the truth has done its own smoothing
            shrunk = shrunk_people(classes, tables, errors)
            if not shrunk.plain:
                warn_of_doubtful_dependence(task)
            classes, tables, kept = shrunk.classes, shrunk.tables, shrunk.kept
        noises = noises or errors.noises
        self.priors_, self.chances_ = learnt_shares(classes, tables, "auto", noises, kept, task.under_noise)

    def _method(self, task: Task) -> str:
        """The method asked for; with "auto", byclass where numbers are under noise, else inverse."""
        check_method(task, self.method, ("auto", "inverse"))
        check_plain_method(task, self.method)
        if self.smoothing not in ("auto", "laplace", None):
            raise BadRequest("smoothing", "'auto', 'laplace' or None", self.smoothing, "choose one of them")
        if self.design is None or self.method == "auto":
            return "byclass" if task.under_noise else "inverse"
        if not METHODS[self.method].for_all_questions:
            raise BadRequest("method", "global or byclass for numbers under noise", self.method, "use byclass")
        return self.method

    def _people(self, task: Task) -> tuple[Floats, list[Floats], list[Noise]]:
        """Estimated people of each class, and question by question of each answer and class; the noise of versions."""
        how = METHODS[self.method_]
        if task.versions:
            return _asked_people(task)
        people = how.people(task)
        tables = people.tables()
        for index in task.absent:  # respondents who skip a number are left out of its table
            those = task.part(np.flatnonzero(is_answered(task.reported[index])))
            tables[index] = how.people(those).tables()[index]
        return people.target(), tables, []

    def _plain_columns(self, X: NDArray[Any], names: list[str]) -> PlainColumns:  # noqa: N803
        check_whole("cells", self.cells, 2)
        return PlainColumns.of(X, names, self.cells)

    def _chances(self, cells: Cells) -> Floats:
        """The products, normalised to chances; where none is positive, the largest gets a chance of 1."""
        scores = products(self.priors_, self.chances_, cells)
        kept = np.maximum(scores, 0.0)
        lost = ~(kept.sum(axis=1) > 0)
        kept[lost] = scores[lost] == scores[lost].max(axis=1, keepdims=True)
        return np.asarray(kept / kept.sum(axis=1, keepdims=True))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model as a JSON file that `dn.load_model` and a respondent's device read."""
        document = {"priors": self.priors_.tolist(), "chances": [shares.tolist() for shares in self.chances_]}
        model.write({**model.head(self, "bayes"), **document}, path)

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


def _asked_people(task: Task) -> tuple[Floats, list[Floats], list[Noise]]:
    """The same where people answer different versions: each table from those who were asked."""
    classes = InverseEstimates(task.design, task.replies).table([task.target.name]).counts
    tables: list[Floats] = []
    noises: list[Noise] = []
    for question in task.columns.questions:
        try:
            asked = AskedTable.of(task, question)
            tables.append(asked.counts)
            noises.append(asked.noise)
        except NoReplies:  # nobody has drawn it yet
            warn(f"no reply tells of {question.name} and {task.target.name} together: it counts as telling nothing")
            tables.append(np.outer(np.full(len(question), 1 / len(question)), classes))
            noises.append(in_the_clear)
    return classes, tables, noises


def products(priors: Floats, chances: Sequence[Floats], cells: Cells) -> Floats:
    """P(v) times all P(x | v) for each record, relative to the largest: [record, v, ...].

    `cells` has one row per question; an answer not seen in training (-1) is ignored.
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
    return np.asarray(np.log(np.maximum(np.abs(shares), MIN)))

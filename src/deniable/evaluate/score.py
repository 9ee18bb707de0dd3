"""Accuracy of a classifier, estimated from disguised test replies.

A tree is right about those who reach a leaf and have its label:

    accuracy = sum over leaves of P(path and target = label)

Each term is an inverse estimate, so the sum is unbiased, and its standard error is that of the replies' weights. For
one Warner group these are the two equations of Du and Zhan 2003, section 4.3; for the unrelated question those of
Zhan and Matwin, section 2.4. Any other classifier is asked about every combination of answers, or, where nothing is
disguised, about the records themselves.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from deniable.channel.design import Design, check_design
from deniable.count.counts import Counts, Distinct
from deniable.count.replies import counts_of
from deniable.errors import BadRequest, TooManyCombinations
from deniable.evaluate.followup import score_with_follow_up
from deniable.evaluate.match import Cells, answers_table, as_learnt, class_cells, model_cells
from deniable.evaluate.of_versions import versions_test
from deniable.evaluate.under_noise import MAX_COMBINATIONS, asks_under_noise, shares_under_noise
from deniable.frame.columns import Column, Missing
from deniable.inference.error import OUTSIDE, moments
from deniable.inference.estimates import Estimate, share_estimate
from deniable.inference.heaping import heaping_note
from deniable.inference.invert.factored import InverseDesign, factored_inverse
from deniable.inference.invert.stack import ChannelStack
from deniable.inference.invert.stacks import stacks_of, weights_of
from deniable.inference.population.disguised import WeightedSubpopulation
from deniable.inference.population.records import Records
from deniable.learn.base import Learner
from deniable.learn.columns import Columns, PlainColumns, QuestionColumns
from deniable.learn.decision_tree import TreeClassifier
from deniable.learn.majority import majorities
from deniable.learn.task import complete_replies, learnable, records_of, target_of
from deniable.learn.tree.grow import Node, leaf_shares
from deniable.learn.tree.leaves import questions_of
from deniable.notebook import notebook_html, shortened
from deniable.survey.cutting import cut_also_at, cut_at
from deniable.survey.question import Question

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Confusion:
    """Of all people, the share with each true class that gets each prediction; estimates by (true, predicted)."""

    classes: tuple[str, ...]
    cells: dict[tuple[str, str], Estimate]

    def __repr__(self) -> str:
        right = sum(self.cells[each, each].value for each in self.classes)
        return f"<Confusion of {len(self.classes)} classes: {shortened(', '.join(self.classes))}; {right:.4f} right>"

    def _repr_html_(self) -> str:
        return notebook_html("confusion", self)


@dataclass(frozen=True)
class Evaluation:
    """How good a model is: its accuracy, and its confusion matrix of true and predicted classes."""

    accuracy: Estimate
    confusion: Confusion

    def __repr__(self) -> str:
        return f"<Evaluation: accuracy {self.accuracy}>"

    def _repr_html_(self) -> str:
        return notebook_html("evaluation", self)


def score(
    model: Any,
    design: Design,
    disguised_test: Any,
    *,
    personal_correct: float | Estimate | None = None,
    target: str | None = None,
    missing: Missing = "skip",
) -> Estimate:
    """The share of people whom the model classifies correctly, estimated from their disguised replies.

    The predicted question is `target`, else the one that the model has learnt, else the design's.
    `personal_correct` is the share of respondents about whose personal data the model is right, as reported in a
    follow-up round; without it that share is computed from the known chances of the lottery. Replies that lack the
    target or an answer that the model asks for are not counted, and the note says so; with missing="refuse" they are
    refused.
    """
    counts = counts_of(design, disguised_test, missing)
    if personal_correct is not None:
        asked = asked_questions(model, design, target)
        replies, gaps = complete_replies(design, counts, [*asked[0].questions, asked[1]])
        return score_with_follow_up(model, design, asked, replies, personal_correct).saying(gaps.note)
    return evaluation(model, design, counts, target=target).accuracy


def confusion(
    model: Any, design: Design, disguised_test: Any, *, target: str | None = None, missing: Missing = "skip"
) -> Confusion:
    """How often each true class gets each prediction."""
    return evaluation(model, design, disguised_test, target=target, missing=missing).confusion


def evaluation(
    model: Any, design: Design, disguised_test: Any, *, target: str | None = None, missing: Missing = "skip"
) -> Evaluation:
    """How good a model is, estimated from disguised replies that are counted once: `.accuracy` and `.confusion`."""
    test, note = tested(model, design, counts_of(design, disguised_test, missing), target)
    classes = test.target.answers
    cells = {
        (true, predicted): test.share(column, row).saying(note)
        for row, true in enumerate(classes)
        for column, predicted in enumerate(classes)
    }
    return Evaluation(test.accuracy().saying(note), Confusion(classes, cells))


class Test(Protocol):
    """Test of a model's predictions by replies."""

    @property
    def target(self) -> Question:
        """What is predicted."""
        ...

    def accuracy(self) -> Estimate:
        """The share of people whom the model classifies rightly."""
        ...

    def share(self, predicted: int, true: int) -> Estimate:
        """The share of people of a class who get a prediction."""
        ...


def tested(model: Any, design: Design, counts: Counts, named: str | None) -> tuple[Test, str]:
    """A model's test by replies that answer all that it asks, and a note on how many others there are."""
    columns, target = asked_questions(model, design, named)
    asked = [columns.questions[index] for index in _asked(model, columns)]
    if len(design.columns_of(question.name for question in (*asked, target))) > len(asked) + 1:
        return _by_versions(model, design, counts, columns, target)
    counts = learnable(counts, design, _needed(model, design, columns, target))
    replies, note = _whole(design, counts, [*asked, target])
    if asks_under_noise(model, design, columns):
        heaped = heaping_note(design, replies, asked)
        return shares_under_noise(model, design, columns, target, replies), "; ".join(filter(None, [note, heaped]))
    return _Weighed.of(model, design, columns, target, replies), note


def _by_versions(
    model: Any, design: Design, counts: Counts, columns: QuestionColumns, target: Question
) -> tuple[Test, str]:
    """The test of a model by replies to different versions."""
    indices = _asked(model, columns)
    asked = QuestionColumns(tuple(columns.questions[index] for index in indices))

    def predictions(cells: Sequence[Cells]) -> Cells:
        if not isinstance(model, TreeClassifier):
            return _predictions(model, asked, target, cells)
        some = np.zeros((len(columns.questions), max([len(each) for each in cells], default=1)), dtype=np.int64)
        for index, each in zip(indices, cells, strict=True):  # of a tree without a split none
            some[index] = each
        labels = class_cells(target, model.classes_.tolist())
        return np.asarray(labels[majorities(leaf_shares(model.tree_, some))])

    test = versions_test(model, design, counts, asked.questions, target, predictions)
    return test, test.table.note


def _whole(design: Design, counts: Counts, questions: Sequence[Question]) -> tuple[Distinct, str]:
    """Replies that answer all these questions, and a note on how many others there are."""
    replies, gaps = complete_replies(design, counts, questions)
    if not gaps.used:
        names = ", ".join(question.name for question in questions if question.omit)
        raise BadRequest(
            "disguised_test", "replies that give every number", f"{gaps.replies:,} without {names}", "collect more"
        )
    left_out = gaps.replies - gaps.lacking - gaps.used
    return replies, gaps.note or (f"without {left_out:,} that leave a number out" if left_out else "")


@dataclass(frozen=True)
class _Weighed:
    """Each reply's weight for every combination of prediction and true class: [predicted, true, reply]."""

    target: Question
    counts: Floats
    weights: Floats

    @classmethod
    def of(
        cls, model: Any, design: Design, columns: QuestionColumns, target: Question, replies: Distinct
    ) -> "_Weighed":
        asked, reported = _asked(model, columns), list(replies.columns.values())
        if isinstance(model, TreeClassifier):
            columns = QuestionColumns(tuple(_as_cut(design, columns.questions[index], model, index) for index in asked))
        elif all(design.is_clear(question.name) for question in (*columns.questions, target)):
            return cls(target, replies.counts, _by_predictions(model, columns, target, reported))
        records = records_of(design, (*columns.questions, target), reported, replies.counts)
        if isinstance(model, TreeClassifier):
            root = WeightedSubpopulation.root(records, InverseDesign.of(design, (*columns.questions, target)))
            labels = class_cells(target, model.classes_.tolist())
            known = model_cells(_only(model.columns_, asked), columns)
            indices = {index: new for new, index in enumerate(asked)}
            return cls(target, records.counts, _by_leaves(model.tree_, root, labels, known, indices))
        return cls(target, records.counts, _by_combinations(model, design, columns, target, records))

    def accuracy(self) -> Estimate:
        """The share of people whom the model classifies rightly."""
        return self._estimate(np.asarray(sum(self.weights[index, index] for index in range(len(self.weights)))))

    def share(self, predicted: int, true: int) -> Estimate:
        """The share of people of a class who get a prediction."""
        return self._estimate(self.weights[predicted, true])

    def _estimate(self, weights: Floats) -> Estimate:
        """A share by weights of replies; where all are alike, other replies might have those of its complement."""
        possible = np.concatenate([weights, 1 - weights])
        return share_estimate(moments(self.counts, weights, possible), OUTSIDE)


def asked_questions(model: Any, design: Design, named: str | None = None) -> tuple[QuestionColumns, Question]:
    """The model's questions and its target, as the test's design asks them."""
    check_design(design)
    if isinstance(model, Learner):
        check_is_fitted(model)
        target = target_of(design, named or model.target_ or design.target)
        return QuestionColumns(tuple(design.question(name) for name in model.columns_.names)), target
    target = target_of(design, named or design.target)
    names = [str(name) for name in getattr(model, "feature_names_in_", [])]
    names = names or [name for name in design.names if name != target.name]
    return QuestionColumns(tuple(design.question(name) for name in names)), target


def _asked(model: Any, columns: QuestionColumns) -> list[int]:
    """The indices of the questions that a model asks; others may be missing or not invertible."""
    indices = list(range(len(columns.questions)))
    return sorted(questions_of(model.tree_)) if isinstance(model, TreeClassifier) else indices


def _needed(model: Any, design: Design, columns: QuestionColumns, target: Question) -> list[Question]:
    """The questions of which a model needs no more than their cells and its own; none where it may need numbers."""
    asked = [columns.questions[index] for index in _asked(model, columns)]
    if isinstance(model, Learner) and isinstance(model.columns_, QuestionColumns):
        known = {each.name: each.range for each in model.columns_.questions}
        return [each if (own := known[each.name]) is None else cut_also_at(each, own.edges) for each in asked]
    return [] if all(design.is_clear(each.name) for each in (*asked, target)) else asked


def _as_cut(design: Design, question: Question, model: TreeClassifier, index: int) -> Question:
    """A number in the clear in the cells of the model; other questions as they are."""
    columns = model.columns_
    known = columns.questions[index].range if isinstance(columns, QuestionColumns) else None
    if known is None or not design.is_clear(question.name):
        return question
    return cut_at(question, known.edges)


def _only(columns: Columns, indices: Sequence[int]) -> Columns:
    """Some of a model's columns."""
    if isinstance(columns, QuestionColumns):
        return QuestionColumns(tuple(columns.questions[index] for index in indices))
    assert isinstance(columns, PlainColumns)
    names, marks, ordered = columns.names, columns.marks, columns.ordered
    return PlainColumns(
        tuple(names[index] for index in indices),
        tuple(marks[index] for index in indices),
        tuple(ordered[index] for index in indices),
    )


def _by_leaves(
    tree: Node, root: WeightedSubpopulation, labels: Cells, known: Sequence[Cells], indices: Mapping[int, int]
) -> Floats:
    """Send the replies down the tree; `known` are the tree's cells of each question's answers."""
    classes = root.inverse_design.factors[-1].shape[1]
    weights = np.zeros((classes, classes, len(root.records.counts)))
    pending: list[tuple[Node, WeightedSubpopulation, bool]] = [(tree, root, tree.split is None)]
    while pending:
        node, branch, ends = pending.pop()
        if ends or node.split is None:
            weights[labels[node.label]][:, branch.rows] += branch.target_weights()
            continue
        question = indices[node.split.question]
        cells = known[question]
        for part, child in zip(node.split.parts, node.children, strict=True):
            pending.append((child, branch.restrict(question, np.flatnonzero(np.isin(cells, part)).tolist()), False))
        met = [cell for part in node.split.parts for cell in part]
        if not np.isin(cells, met).all():  # answers that the tree has never seen end here
            pending.append((node, branch.restrict(question, np.flatnonzero(~np.isin(cells, met)).tolist()), True))
    return weights


def expected_stderr(design: Design, questions: Sequence[Question], n: float) -> float:
    """Approximate standard error of an accuracy that depends on all questions.

    The weight of a reply for its own true record has a mean of one; its mean square is a product over groups, here
    for the first answer to every question.
    """
    square = 1.0
    for stack in stacks_of(design, questions):
        assert isinstance(stack, ChannelStack)
        factored = factored_inverse(stack.channel)
        terms = factored.coefficients
        reported = [factored.factors[question.name][:, 0] for question in stack.questions]
        both = np.prod(
            [
                np.einsum("ar,tr,sr->ats", kernel[:, :, 0], each, each)
                for kernel, each in zip(stack.kernels, reported, strict=True)
            ],
            axis=0,
        )
        square *= float(np.einsum("a,t,s,ats->", stack.channel.chances, terms, terms, both))
    return float(np.sqrt(square / n))


def _by_predictions(model: Any, columns: QuestionColumns, target: Question, reported: Sequence[Column]) -> Floats:
    """Ask the model about the records themselves, where everything is in the clear."""
    predicted = _predictions(model, columns, target, reported[:-1])
    weights = np.zeros((len(target), len(target), len(predicted)))
    weights[predicted, reported[-1], np.arange(len(predicted))] = 1.0
    return weights


def _predictions(model: Any, columns: QuestionColumns, target: Question, reported: Sequence[Column]) -> Cells:
    """The target's cells that a model predicts for records of true answers."""
    numbers = not (isinstance(model, Learner) and isinstance(model.columns_, QuestionColumns))
    records = as_learnt(model, answers_table(columns, reported, numbers))
    return class_cells(target, np.asarray(model.predict(records)).tolist())


def _by_combinations(
    model: Any, design: Design, columns: QuestionColumns, target: Question, records: Records
) -> Floats:
    """Ask the model about every combination of answers, and weigh the replies for each."""
    shape = columns.sizes
    if prod(shape) * len(target) > MAX_COMBINATIONS:
        stderr = expected_stderr(design, (*columns.questions, target), float(records.counts.sum()))
        raise TooManyCombinations(prod(shape) * len(target), MAX_COMBINATIONS, stderr)
    predicted = _predictions(model, columns, target, np.unravel_index(np.arange(prod(shape)), shape))
    stacks = stacks_of(design, [*columns.questions, target])
    found = []
    for label in range(len(target)):
        reported = np.zeros((len(target), *shape, len(target)))
        for true in range(len(target)):
            reported[true, ..., true] = (predicted == label).reshape(shape)
        found.append([weights_of(each, stacks)[records.cells] for each in reported])
    return np.array(found)

"""Decision trees from disguised replies.

ID3 (entropy, one child per answer) and CART (gini, two children), grown on estimates of the true answers.
Du and Zhan 2003; four groups; Quinlan 1986; Breiman et al. 1984
"""

import warnings
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from deniable.channel.design import Design
from deniable.channel.instruction import Opposite, Truth
from deniable.errors import BadRequest
from deniable.frame.frames import eager
from deniable.inference.branch import Branch, PlainBranch
from deniable.inference.disguised import SignedBranch
from deniable.inference.inverse import InverseEstimates
from deniable.inference.latent import MOST_GROUPS, true_records
from deniable.inference.pairs import fit_pairs
from deniable.inference.records import Records
from deniable.inference.signed import Disguise, signed_lottery
from deniable.learn import model
from deniable.learn.base import Learner, Task, records_of
from deniable.learn.columns import Cells, QuestionColumns
from deniable.learn.grow import Grower, leaf_shares
from deniable.learn.noise import is_majority
from deniable.learn.prune import prune
from deniable.learn.replies import RecordCounts
from deniable.survey.question import Question

METHODS = ("auto", "inverse", "latent", "pairs", "none")
DISTILLED_LEAVES = 16


class TreeClassifier(Learner):
    """A decision tree that was grown without ever seeing a true answer."""

    def __init__(
        self,
        design: Design | None = None,
        *,
        criterion: Literal["entropy", "gini"] = "entropy",
        method: str = "auto",
        stop: Literal["noise"] | None = "noise",
        prune: Any = "auto",
        max_depth: int | None = None,
        max_leaves: int | None = None,
    ) -> None:
        self.design = design
        self.criterion = criterion
        self.method = method
        self.stop = stop
        self.prune = prune
        self.max_depth = max_depth
        self.max_leaves = max_leaves

    def _learn(self, task: Task) -> None:
        if self.method not in METHODS:
            raise BadRequest("method", f"one of {', '.join(METHODS)}", self.method, "choose one of them")
        if self.criterion not in ("entropy", "gini"):
            raise BadRequest("criterion", "'entropy' or 'gini'", self.criterion, "choose one of them")
        if self.stop not in ("noise", None):
            raise BadRequest("stop", "'noise' or None", self.stop, "choose one of them")
        if isinstance(self.prune, str) and self.prune != "auto":
            raise BadRequest("prune", "'auto', None or a frame of disguised replies", self.prune, "choose one of them")
        self.method_ = self._method(task)
        branch = _root(task, self.method_)
        distilled = self.method_ == "pairs"
        grower = Grower(
            self.criterion,
            task.columns.ordered,
            stop_at_noise=self.stop == "noise" and not distilled,
            max_depth=self.max_depth,
            max_leaves=DISTILLED_LEAVES if distilled and self.max_leaves is None else self.max_leaves,
        )
        self.tree_ = grower.grow(branch)
        if task.design is not None:
            self._warn_of_doubtful_majority(task)
            if not (self.prune is None or isinstance(self.prune, str)):
                prune(self.tree_, _held_out(task, self.prune))

    def _warn_of_doubtful_majority(self, task: Task) -> None:
        """Under strong disguise, few replies do not even tell which class is the larger."""
        assert task.design is not None
        assert task.target is not None
        lottery = disguise_of(task.design, [task.target])
        counts, covariance = SignedBranch.root(task.records.target_only(), lottery).spread()
        first, second = np.argsort(-counts, kind="stable")[:2]
        if not is_majority(counts, covariance, int(first), int(second)):
            warnings.warn(
                f"the replies do not tell which answer to {task.target.name} is the most frequent", stacklevel=4
            )

    def _method(self, task: Task) -> str:
        """What is best for the design, unless a method was asked for."""
        if self.method != "auto":
            return self.method
        if self.design is None or self.stop is None or all(channel.is_clear for channel in self.design.channels):
            return "inverse"
        return "latent" if _warner_groups(task) else "pairs"

    def _chances(self, cells: Cells) -> NDArray[np.float64]:
        return leaf_shares(self.tree_, cells)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model as a JSON file that `dn.load_model` and a respondent's device read."""
        check_is_fitted(self)
        model.write(
            {
                "kind": "tree",
                "design": None if self.design is None else self.design.fingerprint,
                "method": self.method_,
                "target": self.target_,
                "classes": self.classes_.tolist(),
                "named": hasattr(self, "feature_names_in_"),
                "columns": model.columns_document(self.columns_),
                "nodes": model.tree_document(self.tree_),
            },
            path,
        )

    @classmethod
    def from_document(cls, path: object, document: Mapping[str, Any]) -> "TreeClassifier":
        """The tree that a model file describes."""
        tree = cls()
        tree.classes_ = np.array(document.get("classes") or [])
        tree.columns_ = model.columns_of(path, document.get("columns"))
        tree.n_features_in_ = len(tree.columns_.names)
        if document.get("named"):
            tree.feature_names_in_ = np.array(tree.columns_.names, dtype=object)
        tree.target_, tree.method_ = document.get("target"), str(document.get("method"))
        tree.tree_ = model.tree_of(path, document.get("nodes"), tree.columns_.sizes, len(tree.classes_))
        return tree

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The share of the whole gain that each column brought."""
        gains = np.zeros(len(self.columns_.names))
        pending = [self.tree_]
        while pending:
            node = pending.pop()
            if node.split is not None:
                gains[node.split.question] += node.split.gain * node.counts.sum()
                pending += node.children
        return gains / gains.sum() if gains.sum() > 0 else gains


def _root(task: Task, method: str) -> Branch:
    """All people, as the method sees them."""
    if task.target is None:
        return PlainBranch.root(task.records)
    assert isinstance(task.columns, QuestionColumns)
    assert task.design is not None
    design, questions = task.design, (*task.columns.questions, task.target)
    if method == "none":
        return PlainBranch.root(_as_if_true(task.records, design, questions))
    if method == "latent":
        groups = _warner_groups(task)
        if not groups:
            raise BadRequest(
                "method", f"for designs of at most {MOST_GROUPS} Warner groups of two or more", "latent", "use pairs"
            )
        return PlainBranch.root(true_records(task.records, list(groups), list(groups.values())))
    if method == "pairs":
        return _distilled(task, design, questions)
    return SignedBranch.root(task.records, disguise_of(design, questions))


def _held_out(task: Task, replies: Any) -> SignedBranch:
    """Disguised people who did not help to grow the tree, as they come to its root."""
    assert isinstance(task.columns, QuestionColumns)
    assert task.design is not None
    assert task.target is not None
    frame = eager(replies, "prune")
    records = records_of(task.design, task.columns, task.target, frame.to_native(), frame[task.target.name])
    return SignedBranch.root(records, disguise_of(task.design, (*task.columns.questions, task.target)))


def disguise_of(design: Design, questions: Sequence[Question]) -> Disguise:
    """How these questions are disguised, in terms that multiply along a path."""
    channels = [design.channel(question.name) for question in questions]
    distinct = list(dict.fromkeys(channels))
    lotteries = tuple(signed_lottery(channel) for channel in distinct)
    groups = tuple(distinct.index(channel) for channel in channels)
    factors = tuple(lotteries[group].factors[question.name] for group, question in zip(groups, questions, strict=True))
    return Disguise(lotteries, groups, factors)


def _as_if_true(records: Records, design: Design, questions: Sequence[Question]) -> Records:
    """Replies taken for the truth: the baseline that every comparison needs."""
    for question in questions:
        if len(design.reported(question)) != len(question):
            raise BadRequest(
                "method", "another one where reports are no answers", question.name, "leave the question out"
            )
    return records


def _warner_groups(task: Task) -> dict[tuple[int, ...], float]:
    """Groups (as places of questions) and their thetas, of a design made of a few Warner groups; else none."""
    assert task.design is not None
    assert task.target is not None
    names = [*task.columns.names, task.target.name]
    groups: dict[tuple[int, ...], float] = {}
    for channel in task.design.channels:
        places = tuple(names.index(name) for name in channel.names if name in names)
        if channel.is_clear or not places:
            continue
        if not all(isinstance(each, Truth | Opposite) for each in channel.instructions) or len(places) < 2:
            return {}
        groups[places] = channel.theta
    return groups if len(groups) <= MOST_GROUPS else {}


def _distilled(task: Task, design: Design, questions: Sequence[Question]) -> Branch:
    """All combinations of answers by the pairwise model; questions it has no room for have one cell."""
    counts = RecordCounts([question.name for question in questions], task.records)
    fitted = fit_pairs(InverseEstimates(design, counts), counts.names, counts.n)
    records = fitted.records(counts.n)
    sizes = tuple(len(question) for question in questions)
    nowhere = np.zeros(len(records.times), dtype=np.int8)
    known = dict(zip(fitted.names, records.cells, strict=True))
    return PlainBranch.root(Records(tuple(known.get(name, nowhere) for name in counts.names), sizes, records.times))

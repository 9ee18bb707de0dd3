"""Decision trees from disguised replies.

ID3 (entropy, one child per answer) and CART (gini, two children), grown on estimates of the true answers.
Du and Zhan 2003; four groups; Quinlan 1986; Breiman et al. 1984
"""

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.count.missing import Gaps
from deniable.count.replies import counts_of
from deniable.errors import BadRequest, NotInvertible
from deniable.errors.warn import warn
from deniable.frame.columns import Missing
from deniable.inference.population.disguised import WeightedSubpopulation
from deniable.learn import model
from deniable.learn.base import Learner, check_whole
from deniable.learn.choice import Choice, chosen_method, latent
from deniable.learn.columns import Cells, PlainColumns
from deniable.learn.doubt import evened_note, warn_of_doubtful_majority
from deniable.learn.method import TreeSettings
from deniable.learn.methods import check_method, check_plain_method
from deniable.learn.noisy.training_replies import without_numbers
from deniable.learn.task import Task, complete_replies, learnable, records_of
from deniable.learn.tree.compact import only_used
from deniable.learn.tree.grow import Node, leaf_shares
from deniable.learn.tree.node_errors import forget_errors, note_errors
from deniable.learn.tree.prune import prune
from deniable.learn.weighted import weighted
from deniable.notebook import notebook_html


class TreeClassifier(Learner):
    """A decision tree that was grown without ever seeing a true answer."""

    def __init__(
        self,
        design: Design | None = None,
        *,
        criterion: Literal["entropy", "gini"] = "entropy",
        splits: Literal["auto", "subset", "multiway"] = "auto",
        method: str = "auto",
        stop: Literal["noise"] | None = "noise",
        prune: Any = "auto",
        max_depth: int | None = None,
        max_leaves: int | None = None,
        missing: Missing = "skip",
    ) -> None:
        self.design = design
        self.criterion = criterion
        self.splits = splits
        self.method = method
        self.stop = stop
        self.prune = prune
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.missing = missing

    def _learn(self, task: Task) -> None:
        self._check_settings(task)
        chosen = self._choice(task)
        how, self.method_ = chosen.how, chosen.method
        task = how.cut(chosen.task)
        self.tree_ = how.grow(task, chosen.people or how.people(task), chosen.settings)
        if isinstance(task.columns, PlainColumns):
            task = replace(task, columns=only_used(task.columns, self.tree_))
        self.columns_ = task.columns
        how.finish(self.tree_, chosen.settings)
        if self.design is not None:
            warn_of_doubtful_majority(task)
            if (replies := self._held_out()) is not None:
                held_out, gaps = _held_out(task, replies, self.missing)
                prune(self.tree_, held_out)
                self.note_ = "; ".join(each for each in (task.note, gaps.sentence("pruned by")) if each)
        if task.versions:
            forget_errors(self.tree_)
        elif how.modelled:
            _note_unbiased_errors(self.tree_, task)
        if how.modelled:
            self.note_ = "; ".join(filter(None, [self.note_, evened_note(task, self.tree_.counts)]))
        if chosen.note:
            warn(chosen.note)
            self.tree_.note = "; ".join(filter(None, [self.tree_.note, chosen.note]))

    def _settings(self) -> TreeSettings:
        prune = self.prune if self._held_out() is None else None  # held-out replies prune later
        letter = self.criterion == "entropy" and self.stop is None  # of ID3
        multiway = self.splits == "multiway" or (self.splits == "auto" and letter)
        return TreeSettings(self.criterion, multiway, self.stop == "noise", prune, self.max_depth, self.max_leaves)

    def _check_settings(self, task: Task) -> None:
        check_method(task, self.method)
        check_plain_method(task, self.method)
        if self.criterion not in ("entropy", "gini"):
            raise BadRequest("criterion", "'entropy' or 'gini'", self.criterion, "choose one of them")
        if self.splits not in ("auto", "subset", "multiway"):
            raise BadRequest("splits", "'auto', 'subset' or 'multiway'", self.splits, "choose one of them")
        if self.stop not in ("noise", None):
            raise BadRequest("stop", "'noise' or None", self.stop, "choose one of them")
        self._check_prune(task)
        for name, most in (("max_depth", self.max_depth), ("max_leaves", self.max_leaves)):
            if most is not None:
                check_whole(name, most, 1)

    def _check_prune(self, task: Task) -> None:
        replies = self._held_out()
        if isinstance(replies, str) and not ({"/", "."} & set(replies)):
            raise BadRequest("prune", "'auto', 'mdl', None or disguised replies", replies, "choose one of them")
        if replies is None or (self.design is not None and not (task.under_noise or task.versions)):
            return
        where = "under noise" if task.under_noise else "where a design has versions"
        where = "without a design" if self.design is None else where
        given = replies if isinstance(replies, str) else type(replies).__name__
        raise BadRequest("prune", f"'auto', 'mdl' or None {where}", given, "choose one of them")

    def _held_out(self) -> Any:
        """The replies by which the tree is pruned, if any: whatever else takes replies takes them, too."""
        return (
            None
            if self.prune is None or (isinstance(self.prune, str) and self.prune in ("auto", "mdl"))
            else self.prune
        )

    def _choice(self, task: Task) -> Choice:
        """The method asked for, or with "auto" the best one; and the task to learn."""
        settings = self._settings()
        if self.design is None or self.method == "auto":
            return chosen_method(task, settings)
        return latent(task, settings) if self.method == "latent" else Choice(self.method, task, settings)

    def _chances(self, cells: Cells) -> NDArray[np.float64]:
        return leaf_shares(self.tree_, cells)

    def _repr_html_(self) -> str:
        return notebook_html("tree", self)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """What notebooks show: the picture instead of scikit-learn's diagram."""
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model as a JSON file that `dn.load_model` and a respondent's device read."""
        model.write({**model.head(self, "tree"), "nodes": model.tree_document(self.tree_)}, path)

    @classmethod
    def from_document(cls, path: object, document: Mapping[str, Any]) -> "TreeClassifier":
        """The tree that a model file describes."""
        tree = cls()
        model.restore(tree, path, document)
        tree.tree_ = model.tree_of(path, document.get("nodes"), tree.columns_.sizes, len(tree.classes_))
        return tree

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Each column's share of the total gain."""
        gains = np.zeros(len(self.columns_.names))
        for node in self.tree_.nodes():
            if node.split is not None:
                gains[node.split.question] += node.split.gain * node.counts.sum()
        return gains / gains.sum() if gains.sum() > 0 else gains


def _note_unbiased_errors(tree: Node, task: Task) -> None:
    """Errors at the nodes of a modelled tree; none where a channel has no factored inverse."""
    try:
        if task.under_noise:
            note_errors(tree, without_numbers(task), task.under_noise)
        else:
            note_errors(tree, weighted(task))
    except NotInvertible:
        forget_errors(tree)


def _held_out(task: Task, replies: Any, missing: Missing) -> tuple[WeightedSubpopulation, Gaps]:
    """Held-out replies as a weighted subpopulation at the root, and what the incomplete ones lack."""
    counts = learnable(counts_of(task.design, replies, missing), task.design, task.questions)
    whole, gaps = complete_replies(task.design, counts, task.questions)
    records = records_of(task.design, task.questions, list(whole.columns.values()), whole.counts)
    return weighted(task, records), gaps

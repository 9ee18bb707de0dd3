"""Scorer for scikit-learn that corrects for the disguise: `dn.scorer`.

scikit-learn scores a classifier by predicting from held-out X and comparing with held-out y. Where both are disguised,
that is the accuracy on replies, not on true answers. This scorer gives what `dn.score` gives for the same replies.

>>> import pandas as pd
>>> from sklearn.model_selection import cross_val_score
>>> import deniable as dn
>>> design = dn.Design([dn.warner(0.9, dn.yes_no("smokes")), dn.warner(0.9, dn.yes_no("coughs"))], target="coughs")
>>> people = pd.DataFrame({"smokes": ["no", "no", "yes"] * 400, "coughs": ["no", "no", "yes"] * 400})
>>> replies = dn.disguise(design, people, seed=1)
>>> tree = dn.TreeClassifier(design)
>>> found = cross_val_score(tree, replies[["smokes"]], replies["coughs"], scoring=dn.scorer(design), cv=2)
>>> bool(abs(found.mean() - 1) < 0.1)
True
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.pipeline import Pipeline

from deniable.channel.design import Design, check_design
from deniable.errors import BadRequest
from deniable.evaluate.score import asked_questions, score
from deniable.learn.base import Learner
from deniable.learn.columns import column_source


@dataclass(frozen=True)
class Scorer:
    """Called by scikit-learn with a fitted classifier, held-out disguised X and the disguised target y."""

    design: Design
    target: str | None = None

    def __call__(self, model: Any, X: Any, y: Any) -> float:  # noqa: N803
        """The estimated share of people whom the classifier predicts correctly."""
        model, X = _learner(model, X)  # noqa: N806
        self._check(model)
        columns, target = asked_questions(model, self.design, self.target)
        answer, names = column_source(X, columns.names)
        truth, _ = column_source(np.asarray(y).reshape(-1, 1), [target.name])
        wanted = self.design.columns_of([*columns.names, target.name])[:-1]  # with their versions
        reported = {name: answer(name) for name in wanted if name in names} | {target.name: truth(target.name)}
        return score(model, self.design, pa.table(reported), target=target.name).value

    def _check(self, model: Any) -> None:
        """Refuse a learner whose design has other lotteries than the replies."""
        learnt = getattr(model, "design", None)
        if isinstance(learnt, Design) and learnt.fingerprint != self.design.fingerprint:
            raise BadRequest("dn.scorer", "the design that the classifier learns under", "another", "use one design")


def scorer(design: Design, *, target: str | None = None) -> Scorer:
    """A scorer for scikit-learn on disguised replies: cross_val_score(tree, X, y, scoring=dn.scorer(design)).

    It gives the accuracy that `dn.score` estimates. A pipeline that ends in one of our learners is scored by that
    learner on what the steps before it make of X; any other is asked about every combination of answers.
    """
    check_design(design)
    return Scorer(design, target)


def _learner(model: Any, X: Any) -> tuple[Any, Any]:  # noqa: N803
    """The classifier that a search has chosen or that a pipeline ends in, and X as it comes there."""
    if hasattr(model, "best_estimator_"):
        return _learner(model.best_estimator_, X)
    if isinstance(model, Pipeline) and isinstance(model[-1], Learner):
        return model[-1], model[:-1].transform(X) if len(model) > 1 else X
    return model, X

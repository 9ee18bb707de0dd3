"""Models for the dashboard: learnt from two thirds of the replies, tested on the third that was held out."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from threading import Lock
from typing import Any

from deniable.channel.design import Design
from deniable.count.counts import Distinct
from deniable.count.stored import stored_distinct
from deniable.errors import BadRequest, DeniableError
from deniable.evaluate.score import Confusion, Evaluation, evaluation
from deniable.inference.estimates import Estimate
from deniable.inference.shares import cell_estimates
from deniable.learn.decision_tree import TreeClassifier
from deniable.learn.model import text_of
from deniable.learn.naive_bayes import NaiveBayes
from deniable.web.errors import Errors, share_errors

MIN_REPLIES = 30
KINDS: Mapping[str, Callable[..., Any]] = {"tree": TreeClassifier, "bayes": NaiveBayes}
FITTING = Lock()  # one at a time: a fit takes a whole processor, and warnings are caught for one


@dataclass(frozen=True)
class Learnt:
    """A model, its accuracy on held-out replies, and that of a model that takes replies for the truth."""

    kind: str
    target: str
    model: Any
    text: str  # as it is saved; a lottery is added when it is published
    trained: int
    tested: int
    accuracy: Estimate | None
    uncorrected: Estimate | None
    most_frequent: Estimate  # what always guessing the most frequent answer would reach
    notes: tuple[str, ...] = ()
    confusion: Confusion | None = None  # by held-out replies too
    errors: Errors = field(default_factory=dict)  # of a naive Bayes model's shares

    @property
    def digest(self) -> str:
        """The hash by which the dashboard knows the model until it is published."""
        return sha256(self.text.encode()).hexdigest()


def targets(design: Design) -> list[str]:
    """The questions that can be predicted: the design's own target first."""
    found = [each.name for each in design.questions if each.range is None and each.beside is None]
    return sorted(found, key=lambda name: name != design.target)


def learn(design: Design, store: str, kind: str, target: str) -> Learnt:
    """Learn a model from the replies in a store, and test it."""
    if kind not in KINDS:
        raise BadRequest("kind", f"one of {', '.join(KINDS)}", kind, "choose one of them")
    if target not in targets(design):
        raise BadRequest("target", f"one of {', '.join(targets(design))}", target, "choose one of them")
    if len(design.names) < 2:
        raise BadRequest("a model", "learnt from two questions or more", 1, "ask more questions")
    left_out = [name for name in design.names if design.versioned and design.has_noise(name)]
    columns = [name for name in design.columns if name not in left_out]
    train, test = (stored_distinct(design, store, columns, held_out, shown=True) for held_out in (False, True))
    if min(train.n, test.n) < MIN_REPLIES:
        expected = f"learnt from {MIN_REPLIES} replies or more and tested on as many others"
        raise BadRequest("a model", expected, f"{train.n} and {test.n}", "wait for more replies")
    with FITTING, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = _learn(design, kind, target, train, test)
    said = [str(each.message) for each in caught if issubclass(each.category, UserWarning)]
    return replace(found, notes=tuple(dict.fromkeys([*found.notes, *said])))


def _learn(design: Design, kind: str, target: str, train: Distinct, test: Distinct) -> Learnt:
    notes: list[str] = []
    fitted = KINDS[kind](design).fit(train, target)
    judged = _tested(fitted, design, test, notes)
    uncorrected = _uncorrected(design, kind, target, train, test, notes)
    return Learnt(
        kind=kind,
        target=target,
        model=fitted,
        text=text_of(fitted),
        trained=train.n,
        tested=test.n,
        accuracy=None if judged is None else judged.accuracy,
        confusion=None if judged is None else judged.confusion,
        errors=share_errors(design, train, fitted) if isinstance(fitted, NaiveBayes) else {},
        uncorrected=uncorrected,
        most_frequent=_most_frequent(design, target, train, test),
        notes=tuple(dict.fromkeys(notes)),
    )


def _tested(model: Any, design: Design, test: Distinct, notes: list[str]) -> Evaluation | None:
    try:
        return evaluation(model, design, test)
    except DeniableError as error:
        notes.append(f"its accuracy cannot be estimated: {error}")
        return None


def _uncorrected(
    design: Design, kind: str, target: str, train: Distinct, test: Distinct, notes: list[str]
) -> Estimate | None:
    """The accuracy of a model that takes replies for the truth, where they can be taken for it."""
    if design.versioned:
        notes.append("replies cannot be taken for the truth: those to different versions say different things")
        return None
    try:
        trusting = KINDS[kind](design, method="none").fit(train, target)
    except DeniableError as error:
        notes.append(f"replies cannot be taken for the truth: {error}")
        return None
    judged = _tested(trusting, design, test, notes)
    return None if judged is None else judged.accuracy


def _most_frequent(design: Design, target: str, train: Distinct, test: Distinct) -> Estimate:
    """How often the answer is right that is the most frequent one in the replies to learn from."""
    guess = max(cell_estimates(design, train, [target]), key=lambda cell: cell[1].value)[0]
    return dict(cell_estimates(design, test, [target]))[guess]

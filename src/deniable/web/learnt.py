"""Models for the dashboard: learnt from two thirds of the replies, tested on the third that was held out."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from threading import Lock
from typing import Any

import numpy as np
import pyarrow as pa

from deniable.channel.design import Design
from deniable.count.replies import counts_of
from deniable.count.stored import stored_replies
from deniable.errors import BadRequest, DeniableError
from deniable.evaluate.score import score
from deniable.inference.error import moments
from deniable.inference.estimates import Estimate, share_estimate
from deniable.inference.shares import cell_estimates
from deniable.learn.bayes import NaiveBayes
from deniable.learn.load import model_in
from deniable.learn.model import text_of
from deniable.learn.tree import TreeClassifier

LEAST_REPLIES = 30
KINDS: Mapping[str, Callable[..., Any]] = {"tree": TreeClassifier, "bayes": NaiveBayes}
FITTING = Lock()  # one at a time: a fit takes a whole processor, and warnings are caught for one


@dataclass(frozen=True)
class Learnt:
    """A model, how good it is as far as held-out replies tell, and how good one that takes replies for the truth."""

    kind: str
    target: str
    model: Any
    text: str  # the very text that is published
    trained: int
    tested: int
    accuracy: Estimate | None
    uncorrected: Estimate | None
    most_frequent: Estimate  # what always guessing the most frequent answer would reach
    notes: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """The hash under which respondents' devices know the model."""
        return sha256(self.text.encode()).hexdigest()


def targets(design: Design) -> list[str]:
    """The questions that can be predicted: the design's own target first."""
    found = [question.name for question in design.questions if question.range is None]
    return sorted(found, key=lambda name: name != design.target)


def learn(design: Design, store: str, kind: str, target: str) -> Learnt:
    """Learn a model from the replies in a store, and test it."""
    if kind not in KINDS:
        raise BadRequest("kind", f"one of {', '.join(KINDS)}", kind, "choose one of them")
    if target not in targets(design):
        raise BadRequest("target", f"one of {', '.join(targets(design))}", target, "choose one of them")
    aimed = Design(design.channels, target=target, title=design.title, order=design.names, check_text=False)
    if len(design.names) < 2:
        raise BadRequest("a model", "learnt from two questions or more", 1, "ask more questions")
    train, test = (stored_replies(design, store, held_out=held_out) for held_out in (False, True))
    if min(train.num_rows, test.num_rows) < LEAST_REPLIES:
        expected = f"learnt from {LEAST_REPLIES} replies or more and tested on as many others"
        raise BadRequest("a model", expected, f"{train.num_rows} and {test.num_rows}", "wait for more replies")
    with FITTING, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = _learn(design, aimed, kind, train, test)
    said = [str(each.message) for each in caught if issubclass(each.category, UserWarning)]
    return replace(found, notes=tuple(dict.fromkeys([*found.notes, *said])))


def _learn(design: Design, aimed: Design, kind: str, train: pa.Table, test: pa.Table) -> Learnt:
    notes: list[str] = []
    fitted = _fit(aimed, kind, train)
    accuracy = _tested(fitted, aimed, test, notes)
    uncorrected = _uncorrected(aimed, kind, train, test, notes)
    fitted.set_params(design=design)  # the promise that respondents know
    return Learnt(
        kind=kind,
        target=str(aimed.target),
        model=fitted,
        text=text_of(fitted),
        trained=train.num_rows,
        tested=test.num_rows,
        accuracy=accuracy,
        uncorrected=uncorrected,
        most_frequent=_most_frequent(aimed, train, test),
        notes=tuple(dict.fromkeys(notes)),
    )


def _fit(design: Design, kind: str, train: pa.Table, **settings: Any) -> Any:
    target = str(design.target)
    words = train.column(target).cast(pa.string()).to_numpy()
    return KINDS[kind](design, **settings).fit(train.drop_columns([target]), words)


def _tested(model: Any, design: Design, test: pa.Table, notes: list[str]) -> Estimate | None:
    try:
        return score(model, design, test)
    except DeniableError as error:
        notes.append(f"its accuracy cannot be told: {error}")
        return None


def _uncorrected(design: Design, kind: str, train: pa.Table, test: pa.Table, notes: list[str]) -> Estimate | None:
    """The accuracy of a model that takes replies for the truth, where they can be taken for it."""
    try:
        trusting = _fit(design, kind, train, method="none")
    except DeniableError as error:
        notes.append(f"replies cannot be taken for the truth: {error}")
        return None
    return _tested(trusting, design, test, notes)


def _most_frequent(design: Design, train: pa.Table, test: pa.Table) -> Estimate:
    """How often the answer is right that is the most frequent one in the replies to learn from."""
    target = [str(design.target)]
    shares = cell_estimates(design, counts_of(design, train), target)
    guess = max(shares, key=lambda cell: cell[1].value)[0]
    return dict(cell_estimates(design, counts_of(design, test), target))[guess]


# ---------------------------------------------------------------- the follow-up round


@dataclass(frozen=True)
class FollowedUp:
    """What respondents' devices told about a published model: how often it was right about personal data."""

    total: int
    right: int
    personal: Estimate | None
    accuracy: Estimate | None
    problem: str = ""
    possible: bool = True


def followed_up(design: Design, store: str, text: str, told: tuple[int, int]) -> FollowedUp:
    """The accuracy of a published model, with the help of the follow-up round where the design allows it."""
    total, right = told
    model = model_in(text, "the published model")
    if not total:
        return FollowedUp(0, 0, None, None, possible=_has_personal(design, model))
    personal = share_estimate(moments(np.array([total - right, right], dtype=float), np.array([0.0, 1.0])))
    try:
        test = stored_replies(design, store, [*model.columns_.names, str(model.target_)], held_out=True)
        accuracy = score(model, design, test, personal_correct=personal)
    except DeniableError as error:
        return FollowedUp(total, right, personal, None, str(error))
    return FollowedUp(total, right, personal, accuracy)


def _has_personal(design: Design, model: Any) -> bool:
    """Whether one group has a harmless personal question for all that a model asks and predicts."""
    harmless = design.channel(str(model.target_)).recipe.settings.get("personal") or {}
    return {*model.columns_.names, str(model.target_)} <= set(harmless)

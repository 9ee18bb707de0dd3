"""Advice: which design gives most for a promised protection, before the survey opens: `dn.advise`.

Every candidate keeps one epsilon of the whole reply. They are ranked by what is wanted:

    shares    the smallest mean standard error of the answers' shares
    pairs     the smallest mean standard error of the cells of pairs with the target (of all pairs without one)
    target    with a pilot, the best expected accuracy of naive Bayes and the pairwise model; without, the largest mean
              number of people asked in the clear that the dependences on the target are worth

A collector should know what else there is: guessing, the pilot itself, and 500 people asked in the clear, who mostly
teach more than thousands under disguise. Disguise is for what people would not say in the clear.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import inf
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import narwhals as nw
import numpy as np

from deniable.channel.design import Design
from deniable.channel.epsilon import epsilon as promised
from deniable.count.replies import backend_of
from deniable.deniability.epsilon import reply_epsilon, rounded_up
from deniable.errors import BadRequest, UnknownQuestion
from deniable.judge.accuracy import Accuracy, baselines, expected_accuracy
from deniable.judge.candidates import Candidates, candidates
from deniable.judge.pilot import Pilot, banded
from deniable.judge.precision import expected_error, expected_errors, worth
from deniable.notebook import notebook_html
from deniable.survey.question import Question

MIN_REPLIES = 30
FEW = 500  # people asked in the clear, to compare with
GUESSING = 30  # people asked in the clear, below which a dependence is not learnt at all
STRONGEST = (2, 4, 8)  # so many questions that tell most about the target
ASKS = ("ask 1", "ask 2", "ask 3")  # of merged answers
Wanted = Literal["shares", "target", "pairs"]


@dataclass(frozen=True)
class Candidate:
    """A design and what it is expected to give; None where replies do not tell it, or where no pilot says."""

    name: str
    design: Design
    epsilon: float
    se_shares: float | None
    se_pairs: float | None
    worth: float  # people asked in the clear, for the dependence of a pair, on average
    accuracy: Accuracy | None = None
    expressions: Mapping[str, float | None] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The figures by name."""
        found = self.accuracy
        return {
            "name": self.name,
            "epsilon": self.epsilon,
            "se_shares": self.se_shares,
            "se_pairs": self.se_pairs,
            "naive_bayes": None if found is None else found.naive_bayes,
            "pairwise": None if found is None else found.pairwise,
            **self.expressions,
        }


@dataclass(frozen=True)
class Advice:
    """Designs at one epsilon, what each is expected to give, the best, and why."""

    candidates: tuple[Candidate, ...]  # the best first
    wanted: Wanted
    n: int
    baselines: Mapping[str, Accuracy]
    skipped: Mapping[str, str]
    backend: Any = "pyarrow"

    @property
    def best(self) -> str:
        """The name of the best design."""
        return self.candidates[0].name

    @property
    def designs(self) -> dict[str, Design]:
        """Every design by name."""
        return {each.name: each.design for each in self.candidates}

    @property
    def table(self) -> Any:
        """A frame of all candidates, the best first: name, epsilon, se_shares, se_pairs, naive_bayes, pairwise."""
        rows = [each.to_json() for each in self.candidates]
        return nw.from_dict({key: [row[key] for row in rows] for key in rows[0]}, backend=self.backend).to_native()

    @property
    def reasons(self) -> list[str]:
        """Why the best is the best, and what a collector should know before taking it."""
        return [*_why(self), *_warnings(self), *(f"{name} is left out: {why}" for name, why in self.skipped.items())]

    def save(self, path: str | PathLike[str]) -> None:
        """Write the best design as a TOML file, with the reason as a comment."""
        self.designs[self.best].save(path)
        reasons = "".join(f"# {reason}\n" for reason in self.reasons)
        Path(path).write_text(reasons + Path(path).read_text(encoding="utf-8"), encoding="utf-8")

    def to_json(self) -> dict[str, Any]:
        """As JSON: the best by name, all candidates, and what is reached without a disguise."""
        return {
            "best": self.best,
            "candidates": [each.to_json() for each in self.candidates],
            "baselines": {name: vars(each) for name, each in self.baselines.items()},
            "note": " ".join(self.reasons),
        }

    def __repr__(self) -> str:
        return f"<Advice: {self.best} of {len(self.candidates)} designs, for {self.wanted}, {self.n:,} replies>"

    def _repr_html_(self) -> str:
        return notebook_html("advice", self)


def advise(
    design_or_questions: Design | Sequence[Question],
    epsilon: float = 2.0,
    n: int = 10_000,
    target: str | None = None,
    pilot: Any = None,
    *,
    wanted: Wanted | None = None,
    expressions: Sequence[str] = (),
) -> Advice:
    """Designs that keep one epsilon of the whole reply, ranked by what n replies are expected to tell.

    `pilot` is a frame of true answers, of people who were asked in the clear: with it the best questions are chosen,
    answers merged, and accuracy simulated. `wanted` is what to rank by: "shares", "pairs" with the target, or the
    "target" itself, which is meant if there is one. Errors of `expressions` are given beside.
    """
    asked, target, title = _asked(design_or_questions, target)
    goal = wanted or ("shares" if target is None else "target")
    _check(epsilon, n, goal, target)
    questions = [banded(question, pilot) for question in asked]
    people = None if pilot is None else Pilot.of(questions, pilot)
    sets = list(_sets(questions, epsilon, target, title, people))
    found = [
        _judged(name, design, n, target, own, expressions)
        for some, own in sets
        for name, design in some.designs.items()
    ]
    best_first = sorted(found, key=_RANKS[goal])
    beside = {} if people is None or target is None else baselines(people, target, n, FEW)
    backend = "pyarrow" if pilot is None else backend_of(pilot)
    return Advice(tuple(best_first), goal, n, beside, sets[0][0].skipped, backend)


def _asked(given: Any, target: str | None) -> tuple[Sequence[Question], str | None, str]:
    """The questions to be asked, the target and the title."""
    if isinstance(given, Design):
        questions, target, title = given.questions, target or given.target, given.title
    elif isinstance(given, Sequence) and given and all(isinstance(each, Question) for each in given):
        questions, title = tuple(given), ""
    else:
        raise BadRequest("what to advise on", "a Design, or a list of questions", type(given).__name__,
                         "write dn.advise([dn.yes_no('smokes'), ...])")  # fmt: skip
    names = [question.name for question in questions]
    if target is not None and target not in names:
        raise UnknownQuestion(target, names)
    return questions, target, title


def _check(epsilon: Any, n: Any, wanted: str, target: str | None) -> None:
    promised(epsilon)
    if isinstance(n, bool) or not isinstance(n, int) or n < MIN_REPLIES:
        raise BadRequest("n", f"{MIN_REPLIES} replies or more", n, "ask more people, or ask them otherwise")
    if wanted not in _RANKS:
        raise BadRequest("wanted", "'shares', 'target' or 'pairs'", wanted, "choose one of them")
    if wanted == "target" and target is None:
        raise BadRequest("wanted", "'shares' or 'pairs' without a target", wanted, "name the target")


def _sets(
    questions: Sequence[Question], epsilon: float, target: str | None, title: str, pilot: Pilot | None
) -> Iterator[tuple[Candidates, Pilot | None]]:
    """Candidates that ask everything, and with a pilot those that ask the strongest questions, answers merged."""
    yield candidates(questions, epsilon, target, title), pilot
    if pilot is None or target is None:
        return
    order = pilot.strongest(target)
    for count in sorted({min(each, len(order)) for each in (*STRONGEST, len(order))}):
        kept = [pilot.merged(each.name, target, epsilon) for each in questions if each.name in (*order[:count], target)]
        found = candidates(kept, epsilon, target, title)
        few = "" if count == len(order) else f" of the {count} strongest"
        asks = {name: design for name, design in found.designs.items() if name in ASKS}
        if asks:
            yield Candidates({f"{name}{few}, answers merged": each for name, each in asks.items()}), pilot.asked(kept)


def _judged(
    name: str, design: Design, n: int, target: str | None, pilot: Pilot | None, expressions: Sequence[str]
) -> Candidate:
    """A design with all that it is expected to give."""
    names = design.names
    pairs = [(target, each) for each in names if each != target] if target else list(combinations(names, 2))
    shares = _mean_error(design, [(each,) for each in names], n, pilot)
    together = _mean_error(design, pairs, n, pilot)
    people = float(np.mean([worth(design, *pair, n) for pair in pairs])) if pairs else 0.0
    accuracy = expected_accuracy(design, pilot, target, n) if pilot is not None and target else None
    errors = {text: expected_error(design, text, n) for text in expressions}
    return Candidate(name, design, rounded_up(reply_epsilon(design)), shares, together, people, accuracy, errors)


def _mean_error(design: Design, tables: Sequence[tuple[str, ...]], n: int, pilot: Pilot | None) -> float | None:
    """The mean standard error of all cells of some tables; None where some table is not identified."""
    errors = []
    for names in tables:
        truth = None if pilot is None else pilot.table(*names) / pilot.table(*names).sum()
        found = expected_errors(design, names, n, truth)
        if found is None:
            return None
        errors.append(found)
    return float(np.concatenate(errors).mean()) if errors else None


def _by_accuracy(each: Candidate) -> tuple[float, float]:
    return (-each.accuracy.best if each.accuracy else 0.0, -each.worth)


_RANKS: Mapping[str, Callable[[Candidate], tuple[float, ...]]] = {
    "shares": lambda each: (inf if each.se_shares is None else each.se_shares,),
    "pairs": lambda each: (inf if each.se_pairs is None else each.se_pairs,),
    "target": _by_accuracy,
}


def _why(advice: Advice) -> list[str]:
    """Why the best is the best, in a sentence."""
    best, other = advice.candidates[0], next((each for each in advice.candidates if each.name == "split evenly"), None)
    figures = {
        "shares": lambda each: f"a standard error of {_figure(each.se_shares)} for a share",
        "pairs": lambda each: f"a standard error of {_figure(each.se_pairs)} for a cell of a pair",
        "target": _for_target,
    }[advice.wanted]
    than = "" if other in (None, best) else f", where a lottery for each question gives {figures(other)}"
    return [f"{best.name} is expected to give {figures(best)}{than}; epsilon of the whole reply {best.epsilon:g}."]


def _for_target(each: Candidate) -> str:
    if each.accuracy is None:
        return f"as much about a dependence on the target as {each.worth:,.0f} people asked in the clear"
    return f"an accuracy of {each.accuracy.best:.3f}"


def _figure(error: float | None) -> str:
    return "no bound" if error is None else f"{error:.4f}"


def _warnings(advice: Advice) -> list[str]:
    """What a collector should know before taking the best."""
    best, found = advice.candidates[0], []
    if advice.wanted == "target" and best.accuracy is None and best.worth < GUESSING:
        found.append(f"That is fewer than {GUESSING}: what is learnt will be little more than guessing.")
    openly = next((each for name, each in advice.baselines.items() if name.startswith(f"{FEW:,} ")), None)
    if openly is not None and best.accuracy is not None and openly.best >= best.accuracy.best:
        found.append(
            f"{FEW:,} people asked in the clear would teach more ({openly.best:.3f}): disguise what people would not "
            "say in the clear, and nothing else."
        )
    elif openly is None and advice.wanted == "target" and best.worth < FEW:
        found.append(f"{FEW:,} people asked in the clear would tell more, if they told the truth.")
    return found

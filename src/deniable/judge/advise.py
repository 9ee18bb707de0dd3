"""Choice of a design: which one gives most for a promised protection, before the survey opens: `dn.advise`.

Every candidate keeps one epsilon of the whole reply. They are ranked by what is wanted:

    shares    the smallest mean standard error of the answers' shares
    pairs     the smallest mean standard error of the cells of pairs with the target (of all pairs without one)
    target    with a pilot, the best expected accuracy of naive Bayes and the pairwise model; without, the largest mean
              number of people asked in the clear that the dependences on the target are worth

A collector should know what else there is: guessing, the pilot itself, and 500 people asked in the clear, who mostly
teach more than thousands under disguise. Disguise is for what people would not say in the clear.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from math import inf
from typing import Any

import numpy as np

from deniable.channel.design import Design
from deniable.channel.epsilon import epsilon as promised
from deniable.channel.schemes import clear
from deniable.count.replies import backend_of
from deniable.deniability.epsilon import reply_epsilon, rounded_up
from deniable.errors import BadRequest, DeniableError, UnknownQuestion
from deniable.inference.query.query import query_of
from deniable.judge.accuracy import Accuracy, Trials, Way, baselines
from deniable.judge.advice import FEW, OPENLY, Advice, Candidate, RankedBy
from deniable.judge.candidates import asking, candidates
from deniable.judge.margins import Margins, assumed_people, tell_dependence
from deniable.judge.pilot import Pilot, banded, held
from deniable.judge.precision import expected_error, expected_errors, worth
from deniable.survey.question import Question
from deniable.survey.whole import is_whole

MIN_REPLIES = 30
STRONGEST = (2, 4, 8)  # so many questions that tell most about the target
MAX_ASKED = 3  # of them, beside the target
FIGURES = ("name", "epsilon", "se_shares", "se_pairs", "naive_bayes", "pairwise")
Expressions = Sequence[str] | Mapping[str, str]  # by name, where they have names of their own


def advise(
    design_or_questions: Design | Sequence[Question],
    epsilon: float = 2.0,
    n: int = 10_000,
    target: str | None = None,
    pilot: Any = None,
    *,
    wanted: RankedBy | None = None,
    expressions: Expressions = (),
    shares: Margins | None = None,
) -> Advice:
    """Designs that keep one epsilon of the whole reply, ranked by what n replies are expected to tell.

    `pilot` is a frame of true answers, of people who were asked in the clear: with it the best questions are chosen,
    answers merged, and accuracy simulated. Where there is none, `shares` of answers may be assumed: {"smokes": 0.3},
    or by the answers of the target, {"smokes": {"no": 0.2, "yes": 0.6}}. `wanted` is what to rank by: "shares", "pairs"
    with the target, or the "target" itself, which is meant if there is one. Errors of `expressions` are told beside,
    by their names if they have any.
    """
    asked, target, title = _asked(design_or_questions, target)
    goal = wanted or ("shares" if target is None else "target")
    _check(epsilon, n, goal, target)
    if pilot is not None and shares is not None:
        raise BadRequest("shares", "left out where there is a pilot, which tells them", shares, "give one of them")
    pilot = None if pilot is None else held(pilot, [question.name for question in asked])
    questions = [banded(question, pilot) for question in asked]
    people = _people(questions, target, pilot, shares)
    learns = target is not None and (pilot is not None or tell_dependence(shares or {}))
    trials = Trials(people, target, n) if people is not None and target is not None and learns else None
    everything = candidates(questions, epsilon, target, title)
    ways: dict[str, Way] = {name: partial(_whatever, design) for name, design in everything.designs.items()}
    if trials is not None and goal == "target":
        ways |= _strongest_ways(questions, epsilon, trials, title)
    reached = {} if trials is None else trials.race(ways)
    judge = _Judge(n, target, _named(questions, expressions))
    made = everything.designs if people is None else {name: way(people) for name, way in ways.items()}
    found = [judge.candidate(name, design, people, reached.get(name)) for name, design in made.items()]
    beside = {} if trials is None else baselines(trials, FEW, pilot is not None)
    openly = replace(judge, n=FEW).candidate(OPENLY, _in_the_clear(questions), people, beside.get(OPENLY))
    backend = "pyarrow" if pilot is None else backend_of(pilot)
    best_first = tuple(sorted(found, key=_RANKS[goal]))
    return Advice(best_first, goal, n, beside, openly, everything.skipped, shares is not None, backend)


def _in_the_clear(questions: Sequence[Question]) -> Design:
    return Design([clear(*questions)], check_text=False)


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
    if not is_whole(n, MIN_REPLIES):
        raise BadRequest("n", f"{MIN_REPLIES} replies or more", n, "ask more people, or ask them otherwise")
    if wanted not in _RANKS:
        raise BadRequest("wanted", "'shares', 'target' or 'pairs'", wanted, "choose one of them")
    if wanted == "target" and target is None:
        raise BadRequest("wanted", "'shares' or 'pairs' without a target", wanted, "name the target")


def _named(questions: Sequence[Question], given: Expressions) -> dict[str, str]:
    """Expressions by name, each of which all the questions together could tell."""
    named = dict(given) if isinstance(given, Mapping) else {text: text for text in given}
    everything = _in_the_clear(questions)
    for name, text in named.items():
        query_of(everything, text)
        if name in FIGURES:
            raise BadRequest("the name of an expression", f"none of {', '.join(FIGURES)}", name, "choose another")
    return named


def _people(questions: Sequence[Question], target: str | None, pilot: Any, shares: Margins | None) -> Pilot | None:
    """People whose true answers are known or assumed."""
    if pilot is not None:
        return Pilot.of(questions, pilot)
    return None if shares is None else Pilot.of(questions, assumed_people(questions, target, shares))


def _whatever(design: Design, _: Pilot) -> Design:
    """A design that no pilot changes."""
    return design


def _strongest_ways(questions: Sequence[Question], epsilon: float, trials: Trials, title: str) -> dict[str, Way]:
    """Ways that ask the questions which tell most about the target, answers merged that say the same of it."""
    others = len(questions) - 1
    found: dict[str, Way] = {}
    for count in sorted({min(each, others) for each in (*STRONGEST, others)}):
        for ask in range(1, min(MAX_ASKED, count) + 1):
            few = "" if count == others else f" of the {count} strongest"
            way = partial(_strongest, questions, epsilon, trials.target, title, count, ask)
            if (made := _made(way, trials.pilot)) is not None and any(each not in questions for each in made.questions):
                found[f"ask {ask}{few}, answers merged"] = way
            elif made is not None and few:
                found[f"ask {ask}{few}"] = way
    return found


def _made(way: Way, pilot: Pilot) -> Design | None:
    """The design, unless it has too many versions."""
    try:
        return way(pilot)
    except DeniableError:
        return None


def _strongest(
    questions: Sequence[Question], epsilon: float, target: str, title: str, count: int, ask: int, pilot: Pilot
) -> Design:
    """The design that asks the target and so many of the questions which, to these people, tell most about it."""
    kept = (*pilot.strongest(target)[:count], target)
    merged = [pilot.merged(each.name, target, epsilon) for each in questions if each.name in kept]
    return asking(merged, epsilon, target, ask, title)


@dataclass(frozen=True)
class _Judge:
    """What is to be known of every candidate."""

    n: int
    target: str | None
    expressions: Mapping[str, str]

    def candidate(self, name: str, design: Design, people: Pilot | None, reached: Accuracy | None) -> Candidate:
        """A design with all that it is expected to give."""
        names, target = design.names, self.target
        own = None if people is None else people.asked(design.questions)
        pairs = [(target, each) for each in names if each != target] if target else list(combinations(names, 2))
        shares = self._mean_error(design, [(each,) for each in names], own)
        together = self._mean_error(design, pairs, own)
        like = float(np.mean([worth(design, *pair, self.n) for pair in pairs])) if pairs else 0.0
        errors = {key: self._error(design, text, own) for key, text in self.expressions.items()}
        return Candidate(name, design, rounded_up(reply_epsilon(design)), shares, together, like, reached, errors)

    def _error(self, design: Design, text: str, pilot: Pilot | None) -> float | None:
        """The standard error of an expression; None where this design does not ask what it needs."""
        try:
            names = [question.name for question in query_of(design, text).questions]
        except DeniableError:  # other candidates do: it was checked
            return None
        return expected_error(design, text, self.n, None if pilot is None else pilot.shares(*names))

    def _mean_error(self, design: Design, tables: Sequence[tuple[str, ...]], pilot: Pilot | None) -> float | None:
        """The mean standard error of all cells of some tables; None where some table is not told."""
        errors = []
        for names in tables:
            found = expected_errors(design, names, self.n, None if pilot is None else pilot.shares(*names))
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

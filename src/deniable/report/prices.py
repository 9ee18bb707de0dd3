"""Prices of a promise as an ethics board reads them: people needed, other ways of asking, exports, further waves."""

from collections.abc import Sequence
from math import ceil, inf, isinf

from deniable.channel.design import Design
from deniable.deniability.epsilon import is_deniable, ratio_of
from deniable.deniability.ledger import ledger
from deniable.deniability.shuffled import DELTA, most_before_shuffling, shuffled_epsilon
from deniable.errors import DeniableError
from deniable.inference.plan import plan
from deniable.judge import price
from deniable.judge.advice import FEW
from deniable.judge.price import MARGIN, Price, undisguised
from deniable.report.judged import paragraphs
from deniable.report.page import scrolled, table
from deniable.survey.question import Question

PROMISE = 2.0  # that alternatives keep, where a design keeps none that protects
REPLIES = 10_000
EXPORTS = (1_000, 10_000, 100_000)
WAVES = (1, 2, 5)


def people_needed(design: Design) -> str:
    """Replies until every share of a question is known to within 5 points."""
    about = (
        "So many people must answer until the share of every answer is known to within 5 points, up or down, 19 times "
        "out of 20, whatever that share is."
    )
    try:
        found = plan(design, MARGIN)
    except DeniableError as refusal:
        return paragraphs([f"Not planned: {refusal.problem}."])
    rows = [(design.question(each.question).wording or each.question, f"{each.n:,}") for each in found.questions]
    clear = undisguised([design.question(each.question) for each in found.questions], REPLIES)
    rows.append(("any of them, without disguise", f"{clear.needed:,.0f}"))
    note = [f"{found.note[0].upper()}{found.note[1:]}."] if found.note else []
    told = scrolled(table(["question", "people"], rows), "People needed")
    return paragraphs([about]) + told + paragraphs([*note, _openly(found.n / clear.needed)])


def _openly(times: float) -> str:
    """How many replies a few people asked in the clear are worth, in words."""
    if times <= 1:
        return "That is no more than without disguise."
    return (
        f"{FEW:,} people asked in the clear would teach as much about these shares as {FEW * times:,.0f} replies under "
        "this disguise, if they told the truth. Disguise is for what people would not say in the clear."
    )


def alternatives(design: Design, questions: Sequence[Question], epsilon: float, this: Price) -> str:
    """Other ways of asking at the same epsilon, and, where that protects nobody, at one that does."""
    if not questions or epsilon == 0:
        return ""
    target = design.target if design.target in [each.name for each in questions] else None
    whole = "whole reply" if len(questions) == len(design.questions) else "disguised questions"
    found = [] if isinf(epsilon) else [_ways(questions, epsilon, target, this, whole)]
    if not is_deniable(ratio_of(epsilon)):
        found.append(_ways(questions, PROMISE, target, None, whole))
    return "".join(["<h2>Other ways of asking, and their price</h2>", *found])


def _ways(questions: Sequence[Question], epsilon: float, target: str | None, this: Price | None, whole: str) -> str:
    """A table of ways of asking at one epsilon."""
    others = price.prices(questions, epsilon, REPLIES, target)
    clear = undisguised(questions, REPLIES)
    ways = others if this is None else [this, *(each for each in others if each.design.blocks != this.design.blocks)]
    rows = [
        (_words(each, target, len(questions)), _people(each.needed), _times(each.needed / clear.needed))
        for each in ways
    ]
    rows.append(("no disguise at all", _people(clear.needed), "1"))
    equal = (
        "The same questions under the same promise"
        if this is not None
        else "The same questions under a promise that holds"
    )
    about = (
        f"{equal} (epsilon {epsilon:g} of the {whole}): how many people each way needs for 5 points. Those who "
        "answer few questions spend the protection on these alone; what nobody answers together cannot be compared."
    )
    heads = ["way of asking", "people needed", "times no disguise"]
    return paragraphs([about]) + scrolled(table(heads, rows), "Ways of asking")


def _words(way: Price, target: str | None, questions: int) -> str:
    """A way of asking in words."""
    if not way.name.startswith("ask "):
        everything = "everybody answers everything, a lottery for each question"
        return {
            "split evenly": everything,
            "split towards the target": f"{everything}, half of epsilon for {target}",
        }.get(way.name, way.name)
    if way.together == questions:
        return "everybody answers everything, in one lottery"
    count = way.together - (target is not None)
    some = f"{target} and {count} of {questions - 1} others" if target else f"{count} of {questions} questions"
    return f"everybody answers {some}, drawn in the open, in one lottery"


def _people(needed: float) -> str:
    return "-" if isinf(needed) else f"{needed:,.0f}"


def _times(ratio: float) -> str:
    return "-" if ratio == inf else f"{ratio:,.1f}"


def published(epsilon: float) -> str:
    """Epsilon of one shuffled export, for those who see nothing else."""
    if isinf(epsilon):
        return paragraphs(["Epsilon of a whole reply is infinite, and shuffling does not bound what is unbounded."])
    about = (
        "Replies that are published once, after closing, in random order and without names or times, tell less about "
        "any one person than a single reply tells: nobody knows which is whose. This holds for outsiders who see only "
        "that export. It does not hold for the collector, to whom every reply is sent on its own. The smaller epsilon "
        f"may fail with a chance of one in {1 / DELTA:,.0f}."
    )
    rows = [(f"{n:,}", f"{epsilon:g}", _outside(epsilon, n)) for n in EXPORTS]
    source = "By the bound of Feldman, McMillan and Talwar (2021), theorem 3.1, which says nothing about fewer replies."
    heads = ["replies", "epsilon to the collector", "epsilon to outsiders"]
    return paragraphs([about]) + scrolled(table(heads, rows), "Exports") + paragraphs([source])


def _outside(epsilon: float, n: int) -> str:
    return (
        f"{ceil(100 * shuffled_epsilon(epsilon, n)) / 100:.2f}"
        if epsilon <= most_before_shuffling(n)
        else "too few replies for a bound"
    )


def _epsilon(epsilon: float) -> str:
    return "infinite" if isinf(epsilon) else f"{epsilon:g}"


def again(design: Design) -> str:
    """Epsilon of the same people over several waves."""
    rows = [
        (waves, *[_epsilon(ledger(design, waves, remembered=remembered).epsilon) for remembered in (False, True)])
        for waves in WAVES
    ]
    about = (
        "Every lottery that is drawn anew wears the disguise out: epsilons of the same people add up, over waves and "
        "over surveys (deniable privacy A.toml B.toml --same-people). A device that remembers gives the same disguise "
        "again, as long as answers stay the same."
    )
    return paragraphs([about]) + scrolled(table(["waves", "epsilon, drawn anew", "epsilon, remembered"], rows), "Waves")

"""A first design from a data file: what could be asked, and a careful channel for each question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor
from pathlib import Path

from deniable.channel import schemes
from deniable.channel.channel import Channel
from deniable.channel.design import Design
from deniable.errors import BadFile
from deniable.frame import files
from deniable.frame.mark import MARK
from deniable.frame.scales import in_order, rather_denied
from deniable.frame.seen import MAX_ANSWERS, Cuts, Seen, SeenPieces, Where, cuts_of
from deniable.survey.question import REFUSAL, Question, number

THETA = 0.8  # of two answers; more answers get the theta at which epsilon is no greater
PRIVACY = 0.5


@dataclass(frozen=True)
class Suggestion:
    """A design for some data, and what there is to say of the data."""

    design: Design
    left_out: Mapping[str, str]  # columns that are no question, with the reason
    gaps: tuple[str, ...]  # numbers that some people left out
    rows: int


def suggest(
    path: Path, cut: Where | None = None, progress: files.Progress | None = None, bands: bool = False
) -> Suggestion:
    """A design for the data in a file, as `suggestion` makes it."""
    pieces: dict[str, SeenPieces] = {}
    for piece in files.read(path, None, progress):
        for name in piece.column_names:
            pieces.setdefault(name, SeenPieces()).add(piece.column(name))
    found = {name: column.seen() for name, column in pieces.items()}

    def cuts(names: Sequence[str], where: Where) -> dict[str, list[float]]:
        return {name: cuts_of(pieces[name].values, where) for name in names}

    return suggestion(str(path), path.stem, found, cuts, cut, bands)


def suggestion(
    path: str, title: str, seen: Mapping[str, Seen], cuts: Cuts, cut: Where | None = None, bands: bool = False
) -> Suggestion:
    """A design for columns of which so much was seen.

    Two answers get Warner's channel with theta .8, more get k-ary with the same epsilon; numbers get Gaussian noise
    with a privacy of half their range, or, with `cut`, are cut in two at their median or mid-range. With `bands`
    numbers are reported in quarters of the people, or in those two, and by everybody: noise and gaps have no finite
    epsilon.
    """
    left_out = {name: reason for name, column in seen.items() if (reason := _unfit(name, column))}
    kept = {name: column for name, column in seen.items() if name not in left_out}
    if not kept:
        raise BadFile(path, f"has no column that could be a question ({_listed(left_out)})", "write a design by hand")
    numbers = [name for name, column in kept.items() if _is_amount(column)]
    limits = cuts(numbers, cut or "quarters") if numbers and (cut is not None or bands) else {}
    channels = [
        _number_channel(name, column, limits.get(name), omit=column.missing > 0 and not bands)
        if name in numbers
        else _word_channel(name, column)
        for name, column in kept.items()
    ]
    design = Design(channels, title=title)
    gaps = [each.name for each in design.questions if each.range is not None and seen[each.name].missing]
    return Suggestion(design, left_out, tuple(gaps), max(column.rows for column in seen.values()))


def _listed(left_out: Mapping[str, str]) -> str:
    return ", ".join(f"{name}: {reason}" for name, reason in left_out.items())


def _unfit(name: str, column: Seen) -> str:
    """Why a column cannot be a question, or nothing."""
    answered = column.rows - column.missing
    if name == MARK:
        return "the mark of a replies file"
    if column.nested:
        return "neither words nor numbers, but lists or records"
    if column.distinct < 2:
        return "the same for everybody" if answered else "empty"
    if column.numbers is None and column.distinct == answered > 2:
        return "words that are different for everybody"
    if column.numbers is None and column.distinct > MAX_ANSWERS:
        return f"more than {MAX_ANSWERS} different words: merge some of them, or ask a number instead"
    if column.numbers is not None and column.numbers.running:
        return "a running number"
    return ""


def _is_amount(column: Seen) -> bool:
    """Whether a column is asked as a number: it holds numbers, and more than two of them."""
    return column.numbers is not None and column.distinct > 2


def _word_channel(name: str, column: Seen) -> Channel:
    optional = column.missing > 0 or REFUSAL in column.words
    order = sorted(column.words, key=float) if column.numbers is not None else column.order
    answers, ordered = in_order(column.words - {REFUSAL}, order)
    scale = ordered or column.ordered
    sensitive = rather_denied(answers) if scale else None
    return careful(Question(name, answers, optional=optional, ordered=scale, sensitive=sensitive))


def _number_channel(name: str, column: Seen, cuts: Sequence[float] | None, omit: bool) -> Channel:
    found = column.numbers
    assert found is not None
    low, high = (int(found.low), int(found.high)) if found.integer else (found.low, found.high)
    if cuts is None:
        return schemes.gaussian(number(name, low, high, integer=found.integer, omit=omit), privacy=PRIVACY)
    return careful(number(name, low, high, cuts=cuts, integer=found.integer, omit=omit))


def careful(question: Question) -> Channel:
    """Warner's lottery for two answers, k-ary for more, with the same epsilon.

    The odds of the truth under k-ary are theta / (1 - theta) times the number of other answers.
    """
    if len(question) == 2:
        return schemes.warner(THETA, question)
    odds, others = THETA / (1 - THETA), len(question) - 1
    theta, steps = odds / (odds + others), 100
    while floor(theta * steps) <= steps / len(question):  # a theta of 1 in as many answers would hide everything
        steps *= 10
    return schemes.k_ary(floor(theta * steps) / steps, question)

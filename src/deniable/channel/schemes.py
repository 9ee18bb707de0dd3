"""The schemes of the literature, each one a lottery.

theta is always the chance of the instruction Truth, not the chance that the report is true. With
`drawn_by="respondent"` people draw by themselves, with a die, cards or birthdays, and the page asks for the outcome.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import exp, floor, inf, prod
from numbers import Real
from typing import Any, overload

from deniable.channel.block import Block
from deniable.channel.chances import SCALE, chance, distribution, numbers
from deniable.channel.channel import DEVICE, RESPONDENT, Channel, Recipe, channel
from deniable.channel.epsilon import Epsilon, truth_chance
from deniable.channel.instruction import Add, Draw, Instruction, Lookup, Opposite, Other, Say, Truth
from deniable.channel.noise import gaussian_noise, uniform_noise
from deniable.channel.versions import COLUMN, ask_some
from deniable.errors import BadGroup, BadLottery, BadNoise, BadQuestion, BadRequest, NothingLeft, UnknownQuestion
from deniable.errors.warn import warn
from deniable.survey.question import Question
from deniable.survey.range import GRID, MAX_CELLS, Range, edges_between

WIDEST = 8  # ranges; noise with a larger standard deviation leaves no information
WIDEST_SHARE = 4  # privacy, in ranges, beyond which a percentage is meant; the papers go to 2


def clear(*group: Question) -> Channel:
    """The true answers, in the clear."""
    _check_questions(group)
    return channel(group, {Truth(): 1.0}, Recipe("clear"))


def warner(theta: float | Epsilon, *group: Question, drawn_by: str = DEVICE) -> Channel:
    """Truth or its opposite, for all questions of the group together.  Warner 1965; Du and Zhan 2003"""
    _check_questions(group)
    for question in group:
        two_answers("warner", question)
    group = with_cells(group, "warner")
    theta, given = truth_chance(theta, group, {Opposite(): 1.0})
    return channel(group, {Truth(): theta, Opposite(): 1 - theta}, _recipe("warner", drawn_by, **given))


def unrelated(
    theta: float | Epsilon,
    *group: Question,
    chances: Mapping[str, Sequence[float]] | Sequence[float] | None = None,
    joint: Sequence[float] | None = None,
    personal: Mapping[str, str] | None = None,
    drawn_by: str = DEVICE,
) -> Channel:
    """Truth, or answers to harmless questions whose shares are known (uniform unless said).  Zhan and Matwin

    `chances` are the shares of each answer by question, `joint` those of all combinations of answers
    (row-major over the group). `personal` words the harmless questions where respondents have them;
    without it, the device draws the answers.
    """
    group = with_cells(group, "unrelated")
    named = _chances(group, chances)
    _check_personal(group, personal, known=set(named) if joint is None else {question.name for question in group})
    given: dict[str, Any] = {
        "chances": {name: list(each) for name, each in named.items()} or None,
        "personal": personal and {**personal},
    }
    others: dict[Instruction, float] = {Draw.of(named): 1.0}
    if joint is not None:
        if chances is not None:
            raise BadGroup("unrelated", group[0].name, "it has both chances and joint", "give one of them")
        shares = _joint(group, joint)
        given["joint"] = list(shares)
        others = dict(zip(_combinations(group), shares, strict=True))
    theta, written = truth_chance(theta, group, others)
    lottery = {Truth(): theta, **{each: (1 - theta) * share for each, share in others.items()}}
    return channel(group, lottery, _recipe("unrelated", drawn_by, **written, **given))


@overload
def draw(theta: float | Epsilon, *group: Question, drawn_by: str = DEVICE) -> Channel:
    """One joint draw of all questions."""


@overload
def draw(
    theta: float | Epsilon,
    *group: Question,
    always: Sequence[str] = (),
    ask: int,
    column: str = COLUMN,
    drawn_by: str = DEVICE,
) -> Block:
    """Versions of it."""


def draw(
    theta: float | Epsilon,
    *group: Question,
    always: Sequence[str] = (),
    ask: int | None = None,
    column: str = COLUMN,
    drawn_by: str = DEVICE,
) -> Channel | Block:
    """Truth, or any combination of answers alike: the unrelated question with a uniform draw.

    With `ask`, everybody answers the questions in `always` and so many of the others, drawn in the open, in one joint
    draw: epsilon is not split over questions that are not asked. The column says which others these were.
    """
    if ask is not None:
        _check_questions(group)
        return ask_some("draw", lambda some: draw(theta, *some, drawn_by=drawn_by), group, always, ask, column)
    if column != COLUMN:
        raise BadRequest("column of draw", "given where versions are drawn", column, "add ask, or leave it out")
    if always:
        raise BadGroup("draw", always[0], "it is always asked, but nothing says how many others are", "add ask = 1")
    group = with_cells(group, "draw")
    theta, given = truth_chance(theta, group, {Draw(): 1.0})
    return channel(group, {Truth(): theta, Draw(): 1 - theta}, _recipe("draw", drawn_by, **given))


def forced(no: float, yes: float, *group: Question, drawn_by: str = DEVICE) -> Channel:
    """Truth, unless the die forces the first or the second answer; no=0 is Mangat's and the triangular scheme."""
    no, yes = chance("no", no, _names(group)), chance("yes", yes, _names(group))
    for question in group:
        two_answers("forced", question)
    if no + yes > 1 + 1e-12:
        raise BadLottery([no, yes, 1 - no - yes], f"the chances no, yes and truth of forced on {_names(group)}")
    say = [Say(tuple((question.name, cell) for question in group)) for cell in (0, 1)]
    lottery: dict[Instruction, float] = {Truth(): max(0.0, 1 - no - yes), say[0]: no, say[1]: yes}
    return channel(with_cells(group, "forced"), lottery, _recipe("forced", drawn_by, no=no, yes=yes))


def k_ary(theta: float | Epsilon, *group: Question, drawn_by: str = DEVICE) -> Channel:
    """Truth, or any other answer alike.  Agrawal and Srikant 2000, future work

    Of two answers the other is the opposite, so that a group of such questions is Warner's scheme with one draw.
    """
    group = with_cells(group, "k_ary")
    theta, given = truth_chance(theta, group, {Other(): 1.0})
    try:
        return channel(group, {Truth(): theta, Other(): 1 - theta}, _recipe("k_ary", drawn_by, **given))
    except NothingLeft:
        if len(group) < 2 or any(len(question) > 2 for question in group):
            raise
        problem = f"of two answers each, {_names(group)} are reported by Warner's scheme (all true or all opposite), "
        raise BadGroup(
            "k_ary", group[0].name, f"{problem}which at theta = {theta:g} hides every single share",
            "use draw for one joint draw of any answers, or another theta",
        ) from None  # fmt: skip


def lookup(
    question: Question,
    matrix: Sequence[Sequence[float]],
    reported: Sequence[str] | None = None,
    *,
    drawn_by: str = DEVICE,
) -> Channel:
    """Any matrix of chances, rows reported, columns true; Kuk's cards among them.  Kuk 1990"""
    (question,) = with_cells((question,), "lookup")
    if not isinstance(matrix, Iterable):
        raise BadRequest(f"the matrix of {question.name}", "a list of rows", matrix, "write [[0.8, 0.2], [0.2, 0.8]]")
    rows = tuple(numbers(f"each row of the matrix of {question.name}", row) for row in matrix)
    words = None if reported is None else tuple(str(word) for word in reported)
    height = len(question) if words is None else len(words)
    if len(rows) != height or any(len(row) != len(question) for row in rows):
        shape = f"{len(rows)} x {'/'.join(sorted({str(len(row)) for row in rows}))}"
        raise BadGroup("lookup", question.name, f"its matrix must be {height} x {len(question)} (reported x true), "
                       f"got {shape}", "correct the matrix, or name the rows in reported")  # fmt: skip
    if height < len(question):
        raise BadGroup("lookup", question.name, "fewer reports than answers cannot be told apart", "add reports")
    for true, column in zip(question.answers, zip(*rows, strict=True), strict=True):
        distribution(column, f"the chances of reports when {question.name} is {true!r}")
    given = {"matrix": [list(row) for row in rows], "reported": words and list(words)}
    return channel([question], {Lookup(rows, words): 1.0}, _recipe("lookup", drawn_by, **given))


def hadamard(epsilon: Epsilon, question: Question) -> Channel:
    """One of many cards, half of which belong to each answer: for many answers.  Acharya, Sun and Zhang 2019

    A card of one's own half is reported e^epsilon times as often as another. Of B cards, the least power of two above
    the number of answers, answer x owns those where row x + 1 of the Hadamard matrix is 1.
    """
    if not isinstance(epsilon, Epsilon):
        raise BadRequest("epsilon of hadamard", "an epsilon", epsilon, "write dn.epsilon(1)")
    (question,) = with_cells((question,), "hadamard")
    cards = 1 << len(question).bit_length()
    both = 2 * SCALE // cards  # a card of one's own half and one of the other, as whole numbers out of 2^32
    own = floor(both / (1 + exp(-epsilon.value)))
    if not both < 2 * own < 2 * both:
        raise BadGroup("hadamard", question.name, f"epsilon = {epsilon.value:g} leaves no chances for {cards} cards",
                       "choose another epsilon")  # fmt: skip
    chances = (own / SCALE, (both - own) / SCALE)
    rows = tuple(
        tuple(chances[(card & answer).bit_count() % 2] for answer in range(1, len(question) + 1))
        for card in range(cards)
    )
    words = tuple(f"card {card + 1}" for card in range(cards))
    return channel([question], {Lookup(rows, words): 1.0}, Recipe("hadamard", {"epsilon": epsilon.value}))


def gaussian(
    question: Question, *, privacy: float | None = None, sd: float | None = None, confidence: float = 0.95
) -> Channel:
    """The number plus noise with a bell curve.  Agrawal and Srikant 2000

    `privacy` is the width, as a share of the range, in which the truth lies with this confidence.
    """
    from scipy.special import ndtri  # only here: it takes longer to load than all else that a design needs

    sds_wide = 2 * float(ndtri((1 + chance("confidence", confidence, _names([question]))) / 2))
    sd, given = _amount(question, "sd", sd, privacy, confidence, sds_wide)
    return channel(
        [question], {Add(gaussian_noise(sd / _number("gaussian", question).step)): 1.0}, _recipe("gaussian", **given)
    )


def uniform(
    question: Question, *, privacy: float | None = None, half_width: float | None = None, confidence: float = 0.95
) -> Channel:
    """The number plus noise from an interval, all values alike.  Agrawal and Srikant 2000"""
    halves_wide = 2 * chance("confidence", confidence, _names([question]))
    half_width, given = _amount(question, "half_width", half_width, privacy, confidence, halves_wide)
    steps = round(half_width / _number("uniform", question).step)
    return channel([question], {Add(uniform_noise(steps)): 1.0}, _recipe("uniform", **given))


def interval(question: Question, *, width: float | None = None, cuts: Sequence[float] | None = None) -> Channel:
    """The interval in which the number lies, nothing more and nothing drawn.  Value-class membership."""
    limits = _number("interval", question)
    if (width is None) == (cuts is None):
        raise BadGroup("interval", question.name, "it needs either width or cuts", "give one of them")
    if width is not None:
        if not 0 < width < limits.high - limits.low:
            raise BadGroup(
                "interval", question.name, f"width must lie between 0 and the range, got {width}", "correct it"
            )
        count = int((limits.high - limits.low) / width * (1 - 1e-12))
        if count >= MAX_CELLS:
            raise BadGroup("interval", question.name, f"width {width} makes {count + 1} cells, more than {MAX_CELLS}",
                           "choose a larger width")  # fmt: skip
        cuts = [limits.low + width * (index + 1) for index in range(count)]
    assert cuts is not None
    edges = edges_between(question.name, limits.low, limits.high, cuts, limits.integer)
    by_interval = question.with_range(replace(limits, edges=edges, by_interval=True))
    return channel([by_interval], {Truth(): 1.0}, _recipe("interval", width=width, cuts=None if width else list(cuts)))


# ---------------------------------------------------------------- what the schemes have in common


def _check_questions(group: Sequence[Question]) -> None:
    for question in group:
        if not isinstance(question, Question):
            kind = type(question).__name__
            raise BadRequest("a question of a channel", "made by dn.Question, dn.yes_no or dn.number", kind, "make one")


def _names(group: Sequence[Question]) -> str:
    _check_questions(group)
    return ", ".join(question.name for question in group)


def _recipe(scheme: str, drawn_by: str = DEVICE, **settings: Any) -> Recipe:
    """A scheme and its settings as the design file says them: what has a default is left out there."""
    if drawn_by not in (DEVICE, RESPONDENT):
        raise BadRequest("drawn_by", f"{DEVICE!r} or {RESPONDENT!r}", drawn_by, "correct it, or leave it out")
    given = settings | {"drawn_by": None if drawn_by == DEVICE else drawn_by}
    return Recipe(scheme, {key: value for key, value in given.items() if value is not None})


def with_cells(group: Sequence[Question], scheme: str) -> tuple[Question, ...]:
    """The questions as ones with answers: a number is then reported by its interval."""
    _check_questions(group)
    for question in group:
        if question.range is not None and not question.range.chosen:
            raise BadGroup(scheme, question.name, "it is a number without cells of its own",
                           "give it cells or cuts, or use gaussian, uniform or interval")  # fmt: skip
        if len(question) < 2:
            raise BadGroup(scheme, question.name, "it has one cell only, which tells nothing", "give it two or more")
    return tuple(
        question if question.range is None else question.with_range(replace(question.range, by_interval=True))
        for question in group
    )


def two_answers(scheme: str, question: Question) -> None:
    """Refuse a question of more than two answers."""
    if len(question) != 2:
        raise BadGroup(scheme, question.name, f"it needs two answers, got {len(question)} "
                       f"({', '.join(question.answers[:4])}{', ...' if len(question) > 4 else ''})",
                       f"{or_otherwise(question)}use k_ary or draw")  # fmt: skip


def or_otherwise(question: Question) -> str:
    """The first way out where "does not apply" is the answer too many."""
    asked = question.plain
    few = asked.ask_if is not None and asked.otherwise is None
    return f'write otherwise = "{asked.offered[0]}", the answer of those who are not asked, or ' if few else ""


def _number(scheme: str, question: Question) -> Range:
    _names([question])
    if question.range is None:
        raise BadGroup(scheme, question.name, "it has answers, not a range of numbers", "use k_ary or draw")
    return question.range


def _amount(
    question: Question, name: str, amount: float | None, privacy: float | None, confidence: float, per_width: float
) -> tuple[float, dict[str, Any]]:
    """The noise's scale and the settings that were given: itself, or a share of the range at a confidence."""
    limits = _number("noise", question)
    if (amount is None) == (privacy is None):
        raise BadNoise(question.name, f"needs either privacy or {name}", "give one of them")
    for what, value in ((name, amount), ("privacy", privacy)):
        number = isinstance(value, Real) and not isinstance(value, bool)
        if value is not None and (not number or (what == "privacy" and not value > 0)):
            raise BadNoise(question.name, f"needs {what} as a positive number, got {value!r}", "correct it")
    if not 0 < confidence < 1:
        raise BadNoise(question.name, f"needs confidence between 0 and 1, got {confidence!r}", "correct it")
    given: dict[str, Any] = {name: float(amount)} if amount is not None else {"privacy": float(privacy or 0)}
    if privacy is not None:
        if confidence != 0.95:
            given["confidence"] = confidence
        amount = float(privacy) * (limits.high - limits.low) / per_width
    assert amount is not None
    least, most = limits.step, WIDEST * (limits.high - limits.low)
    if privacy is not None and WIDEST_SHARE < privacy < inf:
        _doubt_percentage(question.name, float(privacy), refused=amount > most)
    if not least <= amount <= most:
        raise BadNoise(question.name, f"must have {name} between {least:g} (a 1/{GRID} of the range) and {most:g}, "
                       f"got {amount:g}", "choose another amount")  # fmt: skip
    return float(amount), given


def _doubt_percentage(name: str, privacy: float, refused: bool) -> None:
    """Privacy of so many ranges is hardly meant: people write 50 for 50 %."""
    problem = f"has privacy = {privacy:g}, which is {privacy:g} times its range"
    way_out = f"privacy is a share of the range, write {privacy / 100:g} for {privacy:g} %"
    if refused:
        raise BadNoise(name, problem, way_out)
    warn(f"the noise on {name!r} {problem}; {way_out}")


def _chances(
    group: Sequence[Question], chances: Mapping[str, Sequence[float]] | Sequence[float] | None
) -> dict[str, tuple[float, ...]]:
    """Known shares of the unrelated answers by question name, each a distribution over the answers."""
    if chances is None:
        return {}
    if not isinstance(chances, Mapping):
        if len(group) != 1:
            raise BadGroup("unrelated", group[0].name, "chances without names fit one question only",
                           "name them: chances = { smokes = [0.7, 0.3] }")  # fmt: skip
        chances = {group[0].name: chances}
    by_name = {question.name: question for question in group}
    for name, each in chances.items():
        if name not in by_name:
            raise UnknownQuestion(name, by_name)
        if len(numbers(f"the chances of {name}", each)) != len(by_name[name]):
            raise BadGroup("unrelated", name, f"it has {len(by_name[name])} answers, but {len(each)} chances",
                           f"{or_otherwise(by_name[name])}give one chance per answer")  # fmt: skip
    return {name: distribution(each, f"the chances of {name}") for name, each in chances.items()}


def _joint(group: Sequence[Question], joint: Sequence[float]) -> tuple[float, ...]:
    cells = prod(len(question) for question in group)
    joint = numbers(f"joint of {_names(group)}", joint)
    if len(joint) != cells:
        raise BadGroup("unrelated", group[0].name, f"joint needs {cells} chances, one per combination of answers, "
                       f"got {len(joint)}", "correct joint")  # fmt: skip
    return distribution(joint, f"joint of {_names(group)}")


def _combinations(group: Sequence[Question]) -> list[Instruction]:
    """One instruction for each combination of answers, row-major over the group."""
    cells = product(*(enumerate(question.answers) for question in group))
    return [
        Say(tuple((question.name, cell) for question, (cell, _) in zip(group, some, strict=True))) for some in cells
    ]


def _check_personal(group: Sequence[Question], personal: Mapping[str, str] | None, known: set[str]) -> None:
    for name in personal or {}:
        if name not in [question.name for question in group]:
            raise UnknownQuestion(name, [question.name for question in group])
        if name not in known:
            raise BadQuestion(
                name, "has a personal question of unknown shares", "give their shares in chances or joint"
            )

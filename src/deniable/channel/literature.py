"""Schemes of survey research by name: randomized response that respondents run themselves, and two-sample designs.

Each is a value of the two ideas, a lottery or versions of one. A chance is named for what it is. People who do not
follow the lottery are truths of their own (`with_liars`), and so are answers to a question that shares the report
(`with_beside`); both exist in the analysis alone.

    scheme               what is reported                                              P(second answer | no, yes, liars)
    crosswise            whether the answers to two questions are the same             1 - p, p
    triangular           whether either of two questions has the answer yes            p, 1
    mangat               yes if it is true, else the truth with theta                  1 - theta, 1
    mangat_singh         the truth, or what Warner's lottery says                      (1 - truth)(1 - theta), its rest
    kuk                  how many of some cards are red, of the pack for one's answer
    cheating_detection   the truth unless yes is forced, with p1 or p2                 p, 1, 0 (cheats)
    lie_detector         the truth unless those without it are told to say yes         1 - p, 1, 0 (denies)
    two_samples          the truth with theta1 or theta2, else an unrelated answer
    item_count           how many items of a list hold, without or with the sensitive one
    extended_crosswise   crosswise with p in one version and 1 - p in the other
    multiply             a number times a factor of mean 1
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import comb
from operator import index
from typing import Any, SupportsFloat

from deniable.channel.block import Block, Version
from deniable.channel.chances import chance, numbers
from deniable.channel.channel import DEVICE, RESPONDENT, Channel, Recipe, channel
from deniable.channel.epsilon import Epsilon, truth_chance
from deniable.channel.instruction import Beside, Count, Instruction, Lookup, Multiply, Opposite, Say, Truth
from deniable.channel.noise import gamma_factors
from deniable.channel.schemes import two_answers, with_cells
from deniable.channel.versions import COLUMN
from deniable.channel.wordings import compared_lines, harmless_wording, pack_lines, same_lines
from deniable.errors import BadGroup, BadRequest, NothingLeft
from deniable.survey.question import Question
from deniable.survey.truths import with_beside, with_liars
from deniable.survey.whole import is_whole

MAX_DRAWS = 100  # of Kuk's cards
MAX_ITEMS = 30  # of a list
MAX_SHAPE = 400  # of factors, which then vary by 5 %
APART = 1e-6  # chances of two versions that are closer cannot be told apart


def crosswise(p: float, question: Question, *, harmless: str | None = None, drawn_by: str = RESPONDENT) -> Channel:
    """Whether the answers to a sensitive and a harmless question are the same.  Yu, Tian and Tang 2008

    p is the share of harmless yes. The second answer is reported where both are the same, the first where they differ.
    """
    question, p = _checked("crosswise", question), chance("p", p, question.name)
    recipe = _recipe("crosswise", drawn_by, same_lines(question, harmless), p=p, harmless=harmless)
    return channel([question], {Truth(): p, Opposite(): 1 - p}, recipe)


def triangular(p: float, question: Question, *, harmless: str | None = None, drawn_by: str = RESPONDENT) -> Channel:
    """Whether the sensitive or a harmless question has the answer yes; the first answer is that neither has.

    p is the share of harmless yes.  Yu, Tian and Tang 2008
    """
    question, p = _checked("triangular", question), chance("p", p, question.name)
    no, yes = question.answers
    otherwise = f"Report “{yes}” in all other cases: if the first is “{yes}”, or the second is “yes”."
    how = compared_lines(harmless, f"Report “{no}” if they are “{no}” and “no”.", otherwise)
    recipe = _recipe("triangular", drawn_by, how, p=p, harmless=harmless)
    return channel([question], {_yes(question): p, Truth(): 1 - p}, recipe)


def mangat(theta: float, question: Question, *, drawn_by: str = DEVICE) -> Channel:
    """Yes where it is true; others say the truth with theta, else yes as well.  Mangat 1994"""
    question = _checked("mangat", question)
    theta = _plain_theta("mangat", theta, question)
    return channel([question], {Truth(): theta, _yes(question): 1 - theta}, _recipe("mangat", drawn_by, theta=theta))


def _plain_theta(scheme: str, theta: float, question: Question) -> float:
    """The theta of a scheme whose epsilon is infinite whatever it is."""
    if isinstance(theta, Epsilon):
        raise BadRequest(f"epsilon of {scheme}", "left out, being infinite", theta.value, "give theta instead")
    return chance("theta", theta, question.name)


def mangat_singh(truth: float, theta: float | Epsilon, question: Question, *, drawn_by: str = DEVICE) -> Channel:
    """The truth with the chance `truth`; the others draw once more, the truth with theta, else the opposite.

    Mangat and Singh 1990
    """
    question, truth = _checked("mangat_singh", question), chance("truth", truth, question.name)
    found, given = truth_chance(theta, [question], {Opposite(): 1.0})
    retained = found if isinstance(theta, Epsilon) else truth + (1 - truth) * found  # epsilon is that of both draws
    if retained < truth:
        raise BadRequest(
            "truth of mangat_singh", f"at most {retained:.6g}, which that epsilon allows", truth, "lower it"
        )
    recipe = _recipe("mangat_singh", drawn_by, truth=truth, **given)
    return channel([question], {Truth(): retained, Opposite(): 1 - retained}, recipe)


def kuk(first: float, second: float, question: Question, *, draws: int = 1, drawn_by: str = DEVICE) -> Channel:
    """How many of some cards are red, drawn with replacement from a pack that depends on the answer.  Kuk 1990

    `first` is the chance of a red card for the second answer (yes), `second` that for the first (no).
    """
    question = _checked("kuk", question)
    first, second = chance("first", first, question.name), chance("second", second, question.name)
    if not is_whole(draws, 1, MAX_DRAWS):
        raise BadRequest("draws of kuk", f"a whole number from 1 to {MAX_DRAWS}", draws, "correct it")
    rows = tuple(tuple(_binomial(red, index(draws), share) for share in (second, first)) for red in range(draws + 1))
    drawn = None if draws == 1 else index(draws)
    how = pack_lines(question, first, second, index(draws))
    recipe = _recipe("kuk", drawn_by, how, first=first, second=second, draws=drawn)
    return channel([question], {Lookup(rows, tuple(map(str, range(draws + 1)))): 1.0}, recipe)


def extended_crosswise(
    p: float,
    question: Question,
    *,
    harmless: str | None = None,
    shares: Sequence[float] | None = None,
    column: str = COLUMN,
    drawn_by: str = RESPONDENT,
) -> Block:
    """Crosswise in two versions: with p, the share of harmless yes, in the first, and with 1 - p in the second.

    With one harmless question, those with the second version report the second answer where the two differ. Versions
    that disagree show people who do not follow it (`dn.fit_test`).  Heck, Hoffmann and Moshagen 2018
    """
    first = crosswise(p, question, harmless=harmless, drawn_by=drawn_by)
    other = crosswise(1 - p, question, harmless=harmless, drawn_by=drawn_by)
    swapped = replace(other.recipe, how=same_lines(first.group[0], harmless, differ=True) if other.recipe.how else ())
    second = replace(other, recipe=swapped)
    return _two("extended_crosswise", [first, second], shares, column, p=p, harmless=harmless, drawn_by=drawn_by)


def cheating_detection(
    p1: float,
    p2: float,
    question: Question,
    *,
    shares: Sequence[float] | None = None,
    column: str = COLUMN,
    drawn_by: str = RESPONDENT,
) -> Block:
    """The truth unless yes is forced, with a chance of p1 or p2; those who `cheats` say no whatever comes up.

    Clark and Desharnais 1998
    """
    question, (p1, p2) = _checked_pair("cheating_detection", question, drawn_by, p1=p1, p2=p2)
    liars = with_liars(question, {"cheats": question.answers[0]})
    made = [_forced("cheating_detection", liars, yes, p=yes) for yes in (p1, p2)]
    return _two("cheating_detection", made, shares, column, p1=p1, p2=p2)


def lie_detector(
    p1: float,
    p2: float,
    question: Question,
    *,
    shares: Sequence[float] | None = None,
    column: str = COLUMN,
    drawn_by: str = RESPONDENT,
) -> Block:
    """Those without the attribute are told to answer truthfully with p1 or p2, else yes; some who have it deny it.

    Carriers are `a in ('yes', 'denies')`.  Moshagen, Musch and Erdfelder 2012, stochastic lie detector
    """
    question, (p1, p2) = _checked_pair("lie_detector", question, drawn_by, p1=p1, p2=p2)
    liars = with_liars(question, {"denies": question.answers[0]})
    made = [_forced("lie_detector", liars, 1 - truth, p=truth) for truth in (p1, p2)]
    return _two("lie_detector", made, shares, column, p1=p1, p2=p2)


def two_samples(
    theta1: float,
    theta2: float,
    question: Question,
    *,
    unrelated: str | None = None,
    shares: Sequence[float] | None = None,
    column: str = COLUMN,
    drawn_by: str = RESPONDENT,
) -> Block:
    """The truth with a chance of theta1 or theta2, else the answer to an unrelated question of unknown share.

    Its share is that of the question named after this one and "_unrelated".  Greenberg et al. 1969; Moors 1971
    """
    question, thetas = _checked_pair("two_samples", question, drawn_by, theta1=theta1, theta2=theta2)
    words = harmless_wording("unrelated", unrelated) or "a harmless question of your own"
    both = with_beside(question, Question(f"{question.name}_unrelated", question.answers, words))
    lotteries: list[dict[Instruction, float]] = [{Truth(): theta, Beside(words): 1 - theta} for theta in thetas]
    recipes = [_recipe("two_samples", RESPONDENT, theta=theta) for theta in thetas]
    made = [channel([both], lottery, recipe) for lottery, recipe in zip(lotteries, recipes, strict=True)]
    return _two("two_samples", made, shares, column, theta1=thetas[0], theta2=thetas[1], unrelated=unrelated)


def item_count(
    question: Question,
    *,
    harmless: Sequence[str],
    shares: Sequence[float] | None = None,
    column: str = COLUMN,
    drawn_by: str = RESPONDENT,
) -> Block:
    """How many items of a list hold: harmless ones in the first version, and the sensitive one too in the second.

    The list experiment. The number of harmless ones is the answer to the question named after this one and "_harmless".
    Raghavarao and Federer 1979; Miller 1984; Imai 2011
    """
    question, items = _by_hand("item_count", question, drawn_by), _items(harmless)
    counts = Question(f"{question.name}_harmless", [str(count) for count in range(len(items) + 1)], ordered=True)
    both = with_beside(question, counts)
    made = [channel([both], {Count(items, own): 1.0}, _recipe("item_count", RESPONDENT, statements=len(items) + own))
            for own in (False, True)]  # fmt: skip
    return _two("item_count", made, shares, column, harmless=list(items))


def multiply(question: Question, *, shape: float, theta: float = 0.0) -> Channel:
    """The number times a factor of mean 1, from a gamma distribution of this shape.  Eichhorn and Hayre 1983

    The factor's standard deviation is one over the root of the shape. With the chance theta the number is reported as
    it is (Bar-Lev, Bobovitch and Boukai 2004). Numbers must not be negative; nought is reported as nought.
    """
    limits, theta = question.range, _plain_theta("multiply", theta, question)
    if limits is None or limits.low < 0:
        kind = "has answers, not a range of numbers" if limits is None else f"may be negative ({limits.low:g})"
        raise BadGroup("multiply", question.name, f"it {kind}", "use gaussian, or k_ary for answers")
    if isinstance(shape, bool | str) or not isinstance(shape, SupportsFloat) or not 1 <= float(shape) <= MAX_SHAPE:
        raise BadRequest("shape of multiply", f"a number from 1 to {MAX_SHAPE:,}", shape,
                         "1 for factors that vary by 100 %, 4 for 50 %, 25 for 20 %")  # fmt: skip
    if theta >= 1:
        raise BadRequest("theta of multiply", "below 1", theta, "use clear to ask in the clear")
    settings = {"shape": float(shape)} | ({"theta": theta} if theta else {})
    return channel([question], {Multiply(gamma_factors(float(shape), theta)): 1.0}, Recipe("multiply", settings))


SCHEMES: Sequence[Callable[..., Channel | Block]] = (
    crosswise, triangular, mangat, mangat_singh, kuk, extended_crosswise, cheating_detection, lie_detector, two_samples,
    item_count, multiply,
)  # fmt: skip


# ---------------------------------------------------------------- what they have in common


def _checked(scheme: str, question: Question) -> Question:
    """A question of two answers."""
    (question,) = with_cells([question], scheme)
    two_answers(scheme, question)
    return question


def _by_hand(scheme: str, question: Question, drawn_by: str) -> Question:
    """A question of two answers, whose further truths only a report of the respondent's own can show."""
    question = _checked(scheme, question)
    if question.range is not None:
        raise BadGroup(scheme, question.name, "it is a number", "ask it as a question with two answers")
    if drawn_by != RESPONDENT:
        raise BadRequest(f"drawn_by of {scheme}", f"{RESPONDENT!r}, whose own report it rests on", drawn_by,
                         "leave it out")  # fmt: skip
    return question


def _checked_pair(scheme: str, question: Question, drawn_by: str, **chances: float) -> tuple[Question, list[float]]:
    """The question, and the chances of its two versions, which must differ."""
    question = _by_hand(scheme, question, drawn_by)
    found = [chance(name, each, question.name) for name, each in chances.items()]
    if abs(found[0] - found[1]) < APART:
        given = ", ".join(f"{name} = {each:g}" for name, each in chances.items())
        raise NothingLeft([question.name], [question.name], given, " or ".join(chances))
    return question, found


def _recipe(scheme: str, drawn_by: str, how: tuple[str, ...] = (), **settings: Any) -> Recipe:
    """A scheme and its settings as the design file says them, who draws among them."""
    if drawn_by not in (DEVICE, RESPONDENT):
        raise BadRequest("drawn_by", f"{DEVICE!r} or {RESPONDENT!r}", drawn_by, "correct it, or leave it out")
    given = {key: value for key, value in settings.items() if value is not None}
    if drawn_by == DEVICE and "harmless" in given:
        raise BadRequest(f"harmless of {scheme}", "left out where the device draws", given["harmless"],
                         "leave out drawn_by or harmless")  # fmt: skip
    return Recipe(scheme, given | {"drawn_by": drawn_by}, how if drawn_by == RESPONDENT else ())


def _two(
    scheme: str, channels: Sequence[Channel], shares: Sequence[float] | None, column: str, **settings: Any
) -> Block:
    """Two versions, "1" and "2", that are drawn in the open, as often as each other unless shares are given."""
    drawn = (0.5, 0.5) if shares is None else numbers(f"shares of {scheme}", shares)
    if len(drawn) != 2:
        raise BadRequest(f"shares of {scheme}", "two, one for each version", list(drawn), "give both, or none")
    made = [Version(name, share, (each,)) for name, share, each in zip("12", drawn, channels, strict=True)]
    given = settings | {"shares": shares and list(drawn), "column": None if column == COLUMN else column}
    recipe = Recipe(scheme, {key: value for key, value in given.items() if value is not None})
    return Block(tuple(made), column, recipe=recipe)


def _yes(question: Question) -> Instruction:
    return Say(((question.name, 1),))


def _forced(scheme: str, question: Question, yes: float, p: float) -> Channel:
    """The truth, unless the second answer is forced; p is what the scheme calls its chance."""
    return channel([question], {Truth(): 1 - yes, _yes(question): yes}, _recipe(scheme, RESPONDENT, p=p))


def _binomial(red: int, draws: int, share: float) -> float:
    return comb(draws, red) * share**red * (1 - share) ** (draws - red)


def _items(given: Any) -> tuple[str, ...]:
    """The harmless items of a list."""
    items = tuple(given) if isinstance(given, Sequence) and not isinstance(given, str) else ()
    if not 1 <= len(items) <= MAX_ITEMS or any(not isinstance(each, str) or not each.strip() for each in items):
        raise BadRequest("harmless of item_count", f"1 to {MAX_ITEMS} harmless items in words", given,
                         'write harmless = ["own a dog", "play chess"]')  # fmt: skip
    if len(set(items)) < len(items):
        raise BadRequest("harmless of item_count", "different items", given, "remove one that is there twice")
    return items

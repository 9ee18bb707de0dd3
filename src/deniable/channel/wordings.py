"""Wordings for respondents who answer without a device: comparing two answers, and drawing cards.

The first line says what to do, the others what to report. They are published with the channel.
"""

from deniable.errors import BadRequest
from deniable.survey.question import Question


def same_lines(question: Question, harmless: str | None, differ: bool = False) -> tuple[str, ...]:
    """How to report whether two answers are the same, or, if that is asked for, whether they differ."""
    no, yes = question.answers
    report, other = (no, yes) if differ else (yes, no)
    same, unlike = (
        ("both are the same: ", "they differ: ") if (no, yes) == ("no", "yes") else ("they are ", "they are ")
    )
    return compared_lines(
        harmless,
        f"Report “{report}” if {same}“{yes}” and “yes”, or “{no}” and “no”.",
        f"Report “{other}” if {unlike}“{yes}” and “no”, or “{no}” and “yes”.",
    )


def compared_lines(harmless: str | None, *lines: str) -> tuple[str, ...]:
    """How a harmless question decides what to report, where there is one in words."""
    if harmless_wording("harmless", harmless) is None:
        return ()
    head = (
        f"Read the question below, and this harmless one: “{harmless}” (yes or no). Think of your true answers to both "
        "and keep them to yourself. What you report depends on the two together:"
    )
    return (head, *lines)


def pack_lines(question: Question, first: float, second: float, draws: int) -> tuple[str, ...]:
    """How to draw Kuk's cards."""
    no, yes = question.answers
    some = "one card" if draws == 1 else f"{draws} cards, one after the other, and put each back before the next,"
    return (
        "Have two packs of cards ready. In pack A the chance of a red card is "
        f"{100 * first:.6g} %, in pack B it is {100 * second:.6g} %. Where nobody sees it, draw {some} from each pack:",
        f"If your true answer is “{yes}”, report how many of the cards from pack A were red.",
        f"If your true answer is “{no}”, report how many of the cards from pack B were red.",
    )


def harmless_wording(name: str, given: object) -> str | None:
    """A harmless question in words, if there is one."""
    if given is not None and (not isinstance(given, str) or not given.strip()):
        raise BadRequest(name, "the wording of a harmless question", given, "write it, or leave it out")
    return given

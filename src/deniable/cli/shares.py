"""Shares of answers as written on the command line.

smokes=0.3                  of the second answer
drinks=0.2,0.5,0.3          of each answer
smokes=0.2/0.6              among people with the first answer to the target, and with the second
"""

from collections.abc import Sequence

from deniable.deniability.whole import Prior
from deniable.errors import BadRequest
from deniable.survey.question import Question

Margin = Prior | dict[str, Prior]


def shares_by_question(option: str, texts: Sequence[str]) -> dict[str, Prior]:
    """The shares of some questions' answers, each question once."""
    found: dict[str, Prior] = {}
    for text in texts:
        name, shares = _parted(option, text, found)
        found[name] = prior(option, shares, text)
    return found


def shares_by_class(option: str, texts: Sequence[str], target: Question | None) -> dict[str, Margin]:
    """The same, where shares may be given for each answer to the target."""
    found: dict[str, Margin] = {}
    for text in texts:
        name, shares = _parted(option, text, found)
        parts = [prior(option, each, text) for each in shares.split("/")]
        if len(parts) == 1:
            found[name] = parts[0]
        elif target is None or len(parts) != len(target):
            each = "no / where there is no target"
            wanted = each if target is None else f"{len(target)} parts, one for each answer to {target.name}"
            raise BadRequest(option, wanted, text, "correct it")
        else:
            found[name] = dict(zip(target.answers, parts, strict=True))
    return found


def prior(option: str, shares: str, text: str) -> Prior:
    """One share, or one for each answer."""
    try:
        numbers = [float(share) for share in shares.split(",")]
    except ValueError:
        raise _wrong(option, text) from None
    return numbers[0] if len(numbers) == 1 else numbers


def _parted(option: str, text: str, known: dict[str, Margin] | dict[str, Prior]) -> tuple[str, str]:
    name, equals, shares = text.rpartition("=")
    if not equals or name in known:
        raise _wrong(option, text)
    return name, shares


def _wrong(option: str, text: str) -> BadRequest:
    expected = "a question and shares, as smokes=0.3 or drinks=0.2,0.5,0.3, and each question once"
    return BadRequest(option, expected, text, "correct it")

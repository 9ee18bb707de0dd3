"""Words that a spreadsheet would take for a formula, written so that it does not.

A spreadsheet runs a cell that begins with = + - @, a tab or a line break. So where replies are exported to csv,
such a word gets an apostrophe in front (two, if the word with one is another answer of the question), and readers of
csv take it off again. Numbers, negative ones too, are left as they are.
"""

import re
from collections.abc import Collection, Mapping, Sequence

STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
QUOTED_NAME = re.compile(r"'+[=+\-@\t\r\n]")


def is_formula(word: str) -> bool:
    """Whether a spreadsheet might run this word."""
    return word.startswith(STARTS) and NUMBER.fullmatch(word) is None


def safe_word(word: str, answers: Collection[str]) -> str:
    """A word as csv exports have it: not one of the other answers, and no formula."""
    if not is_formula(word):
        return word
    safe = f"'{word}"
    while safe in answers:
        safe = f"'{safe}"
    return safe


def safe_words(answers: Sequence[str]) -> Mapping[str, str]:
    """The answers that csv exports write differently, by what is written there."""
    return {safe_word(answer, answers): answer for answer in answers if is_formula(answer)}


def safe_name(name: str) -> str:
    """A column's name as csv exports have it; one apostrophe more wherever reading takes one off."""
    return f"'{name}" if name.startswith(STARTS) or QUOTED_NAME.match(name) else name


def plain_name(name: str) -> str:
    """A column's name as it was before the export."""
    return name[1:] if QUOTED_NAME.match(name) else name

"""Amounts in words: answers that say how much ("under 20k", "6 to 10") or how often ("twice a week").

Each is taken for a number or an interval of numbers, so that answers can be put in order.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf, nextafter

_NUMBER = r"[$€£]?\s*(\d[\d,]*(?:\.\d+)?)\s*([km](?![a-z]))?"
_BELOW = "less than|fewer than|under|below|up to|at most|no more than|not more than|<=|<|≤"
_ABOVE = "more than|over|above|at least|from|>=|>|≥"
_OPEN = r"\+|(?:or|and) (?:more|over|above|older|longer|less|fewer|under|below|younger|shorter)"
_MINUTES = {"minute": 1.0, "hour": 60.0, "day": 1_440.0, "week": 10_080.0, "month": 43_830.0, "year": 525_960.0}
_AMOUNT = re.compile(
    rf"(?P<sign>{_BELOW}|{_ABOVE})?\s*{_NUMBER}"
    rf"(?:\s*(?P<first_unit>{'|'.join(_MINUTES)})?s?\s*(?:to less than|to under|to|and|-|–)\s*{_NUMBER})?"
    rf"\s*(?P<open>{_OPEN})?\s*(?P<unit>[^\d<>≤≥]*?)\s*(?P<open_after>{_OPEN})?"
)
_NOTHING = re.compile(r"(?:none|never|zero|no)\b(?P<unit>[^\d<>≤≥]*)")
_LESS = ("less", "fewer", "under", "below", "younger", "shorter")
_SINGULAR = {"children": "child", "people": "person", "persons": "person"}
_ABOVE_NOTHING = nextafter(0.0, 1.0)
_THOUSANDS = re.compile(r"(?<=\d)[ ,](?=\d{3}(?!\d))")

_PER_YEAR = {"day": 365.0, "week": 52.0, "month": 12.0, "year": 1.0}
_COUNTS = {"once": 1.0, "one time": 1.0, "twice": 2.0, "two times": 2.0, "a couple of times": 2.0, "a few times": 3.0,
           "some times": 3.0, "several times": 4.0, "many times": 6.0}  # fmt: skip
_OFTEN = re.compile(
    r"(?P<sign>less than|about|at least|more than|up to)?\s*"
    rf"(?P<count>{'|'.join(_COUNTS)}|\d+(?:\s*(?:to|-|–|or)\s*\d+)? times?|every)\s+(?:(?:a|per|each|every)\s+)?"
    r"(?P<period>day|week|month|year)(?P<more> or more| or less)?(?: often)?"
)
# how often in a year, as far as such words say it: only their order counts
_WORDS = {
    "never": 0.0, "almost never": 0.1, "hardly ever": 0.1, "very rarely": 0.2, "rarely": 0.3, "seldom": 0.5,
    "yearly": 1.0, "annually": 1.0, "monthly": 12.0, "now and then": 14.0, "occasionally": 15.0, "sometimes": 20.0,
    "regularly": 50.0, "weekly": 52.0, "often": 150.0, "frequently": 160.0, "very often": 200.0, "most days": 260.0,
    "usually": 270.0, "almost daily": 300.0, "almost every day": 300.0, "nearly every day": 300.0, "daily": 365.0,
    "almost always": 5_000.0, "always": 10_000.0,
}  # fmt: skip
_LITTLE = 0.1  # by which "less than once a week" is less than that


@dataclass(frozen=True)
class Amount:
    """From where to where an amount goes, of what."""

    low: float
    high: float
    unit: str  # empty where it has none

    def scaled(self, factor: float) -> "Amount":
        return Amount(self.low * factor, self.high * factor, self.unit)


def by_amount(words: Iterable[str]) -> list[str] | None:
    """Answers by how much they say; None where one says nothing of it, they overlap, or none is an interval.

    >>> by_amount({"1 to 5", "6 to 10", "less than 1", "more than 10"})
    ['less than 1', '1 to 5', '6 to 10', 'more than 10']
    """
    read = {word: _amount(word.lower().strip()) for word in words}
    known = _in_one_unit({word: each for word, each in read.items() if each is not None})
    if known is None or len(known) < len(read):
        return None
    if any(each.low == each.high == 0 for each in known.values()):  # then "less than 5" is something
        known = {word: replace(each, low=max(each.low, _ABOVE_NOTHING)) if each.high > 0 else each
                 for word, each in known.items()}  # fmt: skip
    found = sorted(known, key=lambda word: known[word].low)
    amounts = [known[word] for word in found]
    apart = all(one.low < two.low and one.high <= two.low for one, two in pairwise(amounts))
    return found if apart and any(each.low < each.high for each in amounts) else None


def _in_one_unit(known: dict[str, Amount]) -> dict[str, Amount] | None:
    """Amounts of one thing; of time in minutes, where some are in hours and others in days."""
    units = {each.unit for each in known.values() if each.unit and each.high > 0}
    if {each.unit for each in known.values() if each.high <= 0} - units - {""}:  # "no opinion" is no amount
        return None
    if len(units) <= 1:
        return known
    if not units <= set(_MINUTES) or any(not each.unit and each.high != 0 for each in known.values()):
        return None
    return {word: each.scaled(_MINUTES.get(each.unit, 1.0)) for word, each in known.items()}


def by_rate(words: Iterable[str]) -> list[str] | None:
    """Answers by how often they say; None where one says nothing of it.

    >>> by_rate({"weekly", "never", "less than once a month", "several times a week"})
    ['never', 'less than once a month', 'weekly', 'several times a week']
    """
    read = {word: _rate(word.lower().strip()) for word in words}
    known = {word: rate for word, rate in read.items() if rate is not None}
    return sorted(known, key=lambda word: (known[word], word)) if len(known) == len(read) else None


def _amount(word: str) -> Amount | None:
    """What an answer says of how much, if it does."""
    if (nothing := _NOTHING.fullmatch(word)) is not None:
        return Amount(0.0, 0.0, _unit(nothing["unit"]))
    if (found := _AMOUNT.fullmatch(_THOUSANDS.sub("", word))) is None:
        return None
    sign, one, scale, first_unit, other, other_scale, open_before, said, open_after = found.groups()
    unit, more = _unit(said), open_before or open_after
    low = _number(one, scale or (other_scale if other else None))
    if other is not None:
        high = _number(other, other_scale)
        if first_unit and first_unit != unit:
            if unit not in _MINUTES:
                return None
            low *= _MINUTES[first_unit] / _MINUTES[unit]
        return Amount(low, high, unit) if low <= high else None
    if (sign and re.fullmatch(_BELOW, sign)) or (more and more.split()[-1] in _LESS):
        return Amount(-inf, low, unit)
    return Amount(low, inf if sign or more else low, unit)


def _unit(words: str) -> str:
    """What is counted, in the singular."""
    unit = words.strip(" .")
    return _SINGULAR.get(unit, unit.removesuffix("s"))


def _number(digits: str, scale: str | None) -> float:
    return float(digits.replace(",", "")) * {None: 1.0, "": 1.0, "k": 1e3, "m": 1e6}[scale]


def _rate(word: str) -> float | None:
    """How often in a year."""
    if word in _WORDS:
        return _WORDS[word]
    if (found := _OFTEN.fullmatch(word)) is None:
        return None
    count = found["count"]
    times = 1.0 if count == "every" else _COUNTS.get(count) or _middle(count)
    less, more = found["sign"] in ("less than", "up to"), found["sign"] in ("more than", "at least")
    less, more = less or found["more"] == " or less", more or found["more"] == " or more"
    return times * _PER_YEAR[found["period"]] * (1 + _LITTLE * (more - less))


def _middle(count: str) -> float:
    numbers = [float(each) for each in re.findall(r"\d+", count)]
    return sum(numbers) / len(numbers)

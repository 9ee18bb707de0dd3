"""Ledger: epsilon of all that the same people send, over waves, surveys and second rounds: `dn.ledger`.

Lotteries that are drawn anew are independent, so their epsilons add up:

    epsilon of a person = sum over surveys of  (waves that draw anew) * epsilon of the reply  +  sum over second rounds

A device that remembers sends the same report to the same answer, so further waves add nothing as long as answers stay
the same. Only the collector knows which surveys reach the same people, and must say so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isinf
from typing import Any

from deniable.channel.design import Design, check_design
from deniable.channel.epsilon import epsilon as promised
from deniable.deniability.epsilon import at_most_words, epsilon_word, ratio_of, reply_epsilon, rounded_up
from deniable.errors import BadRequest
from deniable.notebook import notebook_html

FRESH = "every wave draws anew and counts; on a device that remembers, all waves would count once"
REMEMBERED = "counts once while answers stay the same; a changed answer is drawn anew, and that it changed can be seen"
BY_HAND = "drawn by respondents themselves, whom no device reminds: every wave counts"
BEFORE = "the same design again, on a device that remembers: adds nothing while answers stay the same"


@dataclass(frozen=True)
class Entry:
    """What one survey, or one second round, adds for each person."""

    name: str
    exact: float  # epsilon of one reply before it is rounded up, so that sums are not rounded twice
    exact_disguised: float
    waves: int
    counted: int  # waves that draw anew
    note: str = ""

    @property
    def epsilon(self) -> float:
        """Epsilon of one reply."""
        return rounded_up(self.exact)

    @property
    def epsilon_disguised(self) -> float:
        """Epsilon of the disguised answers in it."""
        return rounded_up(self.exact_disguised)

    @property
    def total(self) -> float:
        """Epsilon of all its replies by one person."""
        return rounded_up(self.counted * self.exact) if self.counted else 0.0

    def to_json(self) -> dict[str, Any]:
        """As JSON, where an infinite epsilon is the word "infinity"."""
        return {
            "name": self.name,
            "epsilon": epsilon_word(self.epsilon),
            "epsilon_disguised": epsilon_word(self.epsilon_disguised),
            "waves": self.waves,
            "counted": self.counted,
            "total": epsilon_word(self.total),
            "note": self.note,
        }


@dataclass(frozen=True)
class Ledger:
    """Epsilon of all that the same people send, and what adds to it."""

    entries: tuple[Entry, ...]

    @property
    def epsilon(self) -> float:
        """Of all replies of one person together."""
        return rounded_up(self._exact)

    @property
    def epsilon_disguised(self) -> float:
        """Of the disguised answers in them."""
        return rounded_up(sum(each.counted * each.exact_disguised for each in self.entries if each.counted))

    @property
    def _exact(self) -> float:
        return sum(each.counted * each.exact for each in self.entries if each.counted)

    @property
    def sentence(self) -> str:
        """What the sum means."""
        if isinf(self.epsilon):
            open_ones = [entry.name for entry in self.entries if isinf(entry.total)]
            sentence = f"Epsilon of one person is infinite, since it is for {', '.join(open_ones)}."
            if isinf(self.epsilon_disguised):
                return sentence
            return f"{sentence} Of the disguised answers alone it is {self.epsilon_disguised:g}."
        return (
            f"All that one person sends is {at_most_words(ratio_of(self._exact))} as likely under one set of "
            "true answers as under another."
        )

    def to_json(self) -> dict[str, Any]:
        """As JSON, where an infinite epsilon is the word "infinity"."""
        return {
            "epsilon": epsilon_word(self.epsilon),
            "epsilon_disguised": epsilon_word(self.epsilon_disguised),
            "entries": [entry.to_json() for entry in self.entries],
            "note": self.sentence,
        }

    def __repr__(self) -> str:
        return f"<Ledger of {len(self.entries)} entries: epsilon {epsilon_word(self.epsilon)}>"

    def __str__(self) -> str:
        lines = [
            f"{each.name}: {epsilon_word(each.total)}" + f" ({each.note})" * bool(each.note) for each in self.entries
        ]
        return "\n".join([*lines, f"together: {epsilon_word(self.epsilon)}", self.sentence])

    def _repr_html_(self) -> str:
        return notebook_html("ledger", self)


def ledger(
    designs: Mapping[str, Design] | Sequence[Design] | Design,
    waves: int | Sequence[int] = 1,
    *,
    remembered: bool = False,
    second_rounds: Sequence[float] = (),
) -> Ledger:
    """Epsilon of all that the same people send to these surveys, which may be given by name.

    `waves` is how often each is asked, one number for all or one for each; with `remembered`, devices give the same
    disguise in every wave. `second_rounds` are the epsilons of the digits that the same people send about models.
    """
    named = _named(designs)
    counts = [waves] * len(named) if isinstance(waves, int) else list(waves)
    if len(counts) != len(named) or not all(type(each) is int and each >= 1 for each in counts):
        raise BadRequest("waves", "1 or more, for all surveys or for each", waves, "say how often people are asked")
    entries, seen = [], set()
    for (name, design), count in zip(named, counts, strict=True):
        entries.append(_entry(name, design, count, remembered, design.fingerprint in seen))
        seen.add(design.fingerprint)
    rounds = [promised(each).value for each in second_rounds]
    return Ledger((*entries, *[Entry("second round", each, each, 1, 1) for each in rounds]))


def _named(designs: Any) -> list[tuple[str, Design]]:
    """The designs and their names: as given, or their titles."""
    if isinstance(designs, Mapping):
        found = [(str(name), each) for name, each in designs.items()]
    else:
        several = [designs] if isinstance(designs, Design) else list(designs)
        found = [(getattr(each, "title", "") or f"survey {index}", each) for index, each in enumerate(several, 1)]
    for _, each in found:
        check_design(each)
    if not found:
        raise BadRequest("designs", "one or more", designs, "give those that the same people answer")
    return found


def _entry(name: str, design: Design, waves: int, remembered: bool, again: bool) -> Entry:
    epsilons = [reply_epsilon(design, disguised_only) for disguised_only in (False, True)]
    by_hand = any(block.drawn_by_respondents(each) for block in design.blocks for each in block.names)
    if remembered and not by_hand:
        once = (0, BEFORE) if again else (1, REMEMBERED if waves > 1 else "")
        return Entry(name, epsilons[0], epsilons[1], waves, *once)
    note = "" if waves == 1 else BY_HAND if remembered else FRESH
    return Entry(name, epsilons[0], epsilons[1], waves, waves, note)

"""Advice: designs at one epsilon of the whole reply, what each is expected to give, the best, and why: `dn.Advice`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import narwhals as nw

from deniable.channel.design import Design
from deniable.judge.accuracy import Accuracy
from deniable.notebook import notebook_html

FEW = 500  # people asked in the clear, to compare with
OPENLY = f"{FEW:,} asked in the clear"
GUESSING = 30  # people asked in the clear, below which a dependence is not learnt at all
MADE_UP = (
    "Figures are for made-up people: answers have the shares given and depend on each other through the target alone."
)
RankedBy = Literal["shares", "target", "pairs"]


@dataclass(frozen=True)
class Candidate:
    """A design and what it is expected to give; None where replies do not tell it, or where no pilot says."""

    name: str
    design: Design
    epsilon: float
    se_shares: float | None
    se_pairs: float | None
    worth: float  # people asked in the clear, for the dependence of a pair, on average
    accuracy: Accuracy | None = None
    expressions: Mapping[str, float | None] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The figures by name."""
        found = self.accuracy
        return {
            "name": self.name,
            "epsilon": self.epsilon,
            "se_shares": self.se_shares,
            "se_pairs": self.se_pairs,
            "naive_bayes": None if found is None else found.naive_bayes,
            "pairwise": None if found is None else found.pairwise,
            **self.expressions,
        }


@dataclass(frozen=True)
class Advice:
    """Designs at one epsilon, what each is expected to give, the best, and why."""

    candidates: tuple[Candidate, ...]  # the best first
    wanted: RankedBy
    n: int
    baselines: Mapping[str, Accuracy]
    openly: Candidate  # a few people asked in the clear, and the errors of what they tell
    skipped: Mapping[str, str]
    made_up: bool = False  # whether figures are for people made up from shares
    backend: Any = "pyarrow"

    @property
    def best(self) -> str:
        """The name of the best design."""
        return self.candidates[0].name

    @property
    def designs(self) -> dict[str, Design]:
        """Every design by name."""
        return {each.name: each.design for each in self.candidates}

    @property
    def table(self) -> Any:
        """A frame of all candidates, the best first: name, epsilon, se_shares, se_pairs, naive_bayes, pairwise."""
        rows = [each.to_json() for each in self.candidates]
        return nw.from_dict({key: [row[key] for row in rows] for key in rows[0]}, backend=self.backend).to_native()

    @property
    def reasons(self) -> list[str]:
        """Why the best is the best, and what a collector should know before taking it."""
        skipped = [f"{name} is left out: {why}" for name, why in self.skipped.items()]
        return [*_why(self), *([MADE_UP] if self.made_up else []), *_warnings(self), *skipped]

    def save(self, path: str | PathLike[str]) -> None:
        """Write the best design as a TOML file, with the reason as a comment."""
        self.designs[self.best].save(path)
        reasons = "".join(f"# {reason}\n" for reason in self.reasons)
        Path(path).write_text(reasons + Path(path).read_text(encoding="utf-8"), encoding="utf-8")

    def to_json(self) -> dict[str, Any]:
        """As JSON: the best by name, all candidates, and what is reached without a disguise."""
        return {
            "best": self.best,
            "candidates": [each.to_json() for each in self.candidates],
            "baselines": {name: each.to_json() for name, each in self.baselines.items()},
            "note": " ".join(self.reasons),
        }

    def __repr__(self) -> str:
        return f"<Advice: {self.best} of {len(self.candidates)} designs, for {self.wanted}, {self.n:,} replies>"

    def __str__(self) -> str:
        return "\n".join(self.reasons)

    def _repr_html_(self) -> str:
        return notebook_html("advice", self)


def _why(advice: Advice) -> list[str]:
    """Why the best is the best, in a sentence."""
    best, other = advice.candidates[0], next((each for each in advice.candidates if each.name == "split evenly"), None)
    replies, epsilon = f"With {advice.n:,} replies", f"epsilon of the whole reply {best.epsilon:g}."
    beside = None if other is best else other
    if advice.wanted == "target" and best.accuracy is None:
        than = "" if beside is None else f"; a lottery for each question, as much as {beside.worth:,.0f}"
        asked = f"{best.worth:,.0f} people asked directly"
        return [f"{replies}, {best.name} tells as much about what goes with the target as {asked}{than}; {epsilon}"]
    than = "" if beside is None else f", where a lottery for each question gives {_expected(advice, beside)}"
    return [f"{replies}, {best.name} is expected to give {_expected(advice, best)}{than}; {epsilon}"]


def _expected(advice: Advice, each: Candidate) -> str:
    """What a design is expected to give of what is wanted."""
    if advice.wanted == "shares":
        return f"a standard error of {_figure(each.se_shares)} for a share"
    if advice.wanted == "pairs":
        return f"a standard error of {_figure(each.se_pairs)} for a cell of a pair"
    return "no accuracy" if each.accuracy is None else f"an accuracy of {each.accuracy.best:.3f}"


def _figure(error: float | None) -> str:
    return "no bound" if error is None else f"{error:.4f}"


def _warnings(advice: Advice) -> list[str]:
    """What a collector should know before taking the best."""
    found = []
    if advice.wanted == "target" and (little := _no_more_than_guessing(advice)):
        found.append(little)
    if (taught := _told_openly(advice)) is not None:
        more = f"{FEW:,} people asked in the clear would teach {taught}, if they told the truth"
        found.append(f"{more}: disguise what people would not say in the clear, and nothing else.")
    return found


def _no_more_than_guessing(advice: Advice) -> str:
    best = advice.candidates[0]
    if best.accuracy is None:
        little = f"That is fewer than {GUESSING}: what is learnt will be little more than guessing."
        return little if best.worth < GUESSING else ""
    guessed, error = advice.baselines["guessing"].best, best.accuracy.stderr
    if best.accuracy.best <= guessed + error:
        return f"That is no more than guessing ({guessed:.3f}), as far as so few people can tell."
    return f"Accuracies are simulated on few people: differences below {2 * error:.2f} may be chance."


def _told_openly(advice: Advice) -> str | None:
    """What a few people asked in the clear would teach, where that is as much as the best design or more; or None.

    Without a pilot nobody knows what they would reach for a target, only that they are more people.
    """
    best = advice.candidates[0]
    if advice.wanted == "target":
        if best.accuracy is None:
            return "more" if best.worth < FEW else None
        reached = advice.baselines[OPENLY].best
        return _taught("accuracy", reached, best.accuracy.best, 3) if reached >= best.accuracy.best else None
    error, own = (getattr(each, f"se_{advice.wanted}") for each in (advice.openly, best))
    return _taught("standard error", error, own, 4) if error is not None and (own is None or error <= own) else None


def _taught(figure: str, openly: float, own: float | None, digits: int) -> str:
    """Whether that is more than the design teaches, by the figures as they are shown."""
    alike = own is not None and round(openly, digits) == round(own, digits)
    return f"{'as much' if alike else 'more'} ({figure} {openly:.{digits}f})"

"""Learning curve: the accuracy that models are expected to reach with ever more replies, simulated on a pilot.

Accuracies are counted on the pilot's own people (see `accuracy`), so their standard error is that of so few; it is
the same people at every number of replies, so that the shape of the curve is surer than its height.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp, log, sqrt
from typing import Any

import narwhals as nw

from deniable.channel.design import Design, check_design
from deniable.count.replies import backend_of
from deniable.errors import BadRequest
from deniable.inference.error import Z
from deniable.judge.accuracy import MODELS, Accuracy, Trials, baselines
from deniable.judge.advice import FEW
from deniable.judge.pilot import Pilot, held
from deniable.notebook import notebook_html
from deniable.survey.whole import is_whole

REPLIES = 10_000
AROUND = (0.1, 0.3, 1, 3, 10)  # times as many replies as are planned
MIN_REPLIES = 30


@dataclass(frozen=True)
class Curve:
    """What models are expected to reach with so many replies, and how many a wanted accuracy takes."""

    target: str
    points: Mapping[int, Accuracy]  # by replies
    baselines: Mapping[str, Accuracy]
    pilot: int  # people on whom accuracies are counted
    accuracy: float | None = None  # that is wanted
    backend: Any = "pyarrow"

    @property
    def n(self) -> int | None:
        """The replies that the wanted accuracy takes, between the points of the curve; None if it is not reached."""
        if self.accuracy is None:
            return None
        reached = [(replies, each.best) for replies, each in self.points.items()]
        if reached[0][1] >= self.accuracy:
            return reached[0][0]
        for (fewer, below), (more, above) in pairwise(reached):
            if below < self.accuracy <= above:
                part = (self.accuracy - below) / (above - below)
                return round(exp(log(fewer) + part * log(more / fewer)))
        return None

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Replies, model, accuracy, stderr, low, high and note, point by point."""
        return [
            self._row(replies, name, getattr(each, name)) for replies, each in self.points.items() for name in MODELS
        ]

    def _row(self, replies: int, model: str, accuracy: float) -> dict[str, Any]:
        stderr = sqrt(accuracy * (1 - accuracy) / self.pilot)
        reach = Z * stderr
        guessed = self.baselines["guessing"].best
        note = "no more than guessing" if accuracy <= guessed + stderr else ""
        return {"replies": replies, "model": model, "accuracy": accuracy, "stderr": stderr,
                "low": max(0.0, accuracy - reach), "high": min(1.0, accuracy + reach), "note": note}  # fmt: skip

    @property
    def table(self) -> Any:
        """The rows as a frame."""
        rows = self.rows
        return nw.from_dict({key: [row[key] for row in rows] for key in rows[0]}, backend=self.backend).to_native()

    @property
    def note(self) -> str:
        """What to know before using it."""
        return f"simulated on a pilot of {self.pilot:,} people, on whom accuracies are counted"

    def to_json(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "target": self.target,
            "accuracy": self.accuracy,
            "n": self.n,
            "curve": self.rows,
            "baselines": {name: each.to_json() for name, each in self.baselines.items()},
            "note": self.note,
        }

    def __repr__(self) -> str:
        first, *_, last = self.points
        return f"<Curve of {self.target}: {self.points[first].best:.3f} with {first:,} replies, " \
               f"{self.points[last].best:.3f} with {last:,}>"  # fmt: skip

    def __str__(self) -> str:
        openly = next(each for name, each in self.baselines.items() if name.startswith(f"{FEW:,} "))
        reached = ", ".join(f"{each.best:.3f} with {replies:,} replies" for replies, each in self.points.items())
        lines = [f"expected accuracy for {self.target}: {reached} ({self.note})"]
        if self.accuracy is not None:
            most = list(self.points)[-1]
            need = f"is not reached with {most:,} replies" if self.n is None else f"takes about {self.n:,} replies"
            lines.append(f"an accuracy of {self.accuracy:g} {need}")
        lines.append(f"guessing reaches {self.baselines['guessing'].best:.3f}, {FEW:,} people asked in the clear "
                     f"{openly.best:.3f}")  # fmt: skip
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return notebook_html("curve", self)


def learning_curve(
    design: Design, pilot: Any, *, target: str | None = None, replies: int = REPLIES, accuracy: float | None = None
) -> Curve:
    """What models are expected to reach with a tenth of so many replies up to ten times as many."""
    check_design(design)
    goal = target or design.target
    if goal is None:
        raise BadRequest("target", "a question of the design", None, "name it, or set target in the design file")
    design.question(goal)
    if not is_whole(replies, MIN_REPLIES):
        raise BadRequest("replies", f"{MIN_REPLIES} or more", replies, "give a number of respondents")
    if accuracy is not None and not 0 < accuracy < 1:
        raise BadRequest("accuracy", "between 0 and 1", accuracy, "write 0.8 for 80 %")
    pilot = held(pilot, design.names)
    people = Pilot.of(design.questions, pilot)
    points = {n: Trials(people, goal, n).expected(lambda _: design) for n in _sizes(replies)}
    beside = baselines(Trials(people, goal, replies), FEW)
    return Curve(goal, points, beside, people.n, accuracy, backend_of(pilot))


def _sizes(replies: int) -> Sequence[int]:
    return sorted({max(MIN_REPLIES, round(replies * each)) for each in AROUND})

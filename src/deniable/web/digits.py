"""What the second round tells about a published model: its accuracy, estimated from disguised digits."""

from dataclasses import dataclass

import numpy as np

from deniable.channel.design import Design
from deniable.collect.second_round import RIGHT, UNDISGUISED, lottery_in
from deniable.count.counts import Distinct
from deniable.deniability.epsilon import reply_epsilon, rounded_up
from deniable.inference.estimates import Estimate
from deniable.inference.shares import estimate

TAUGHT = "people whose replies taught the model make it look a little too good"
PERSONAL = "not disguised, and about harmless personal answers"


@dataclass(frozen=True)
class Digits:
    """The digits about a published model, disguised as they are, and what they say.

    Models of version 0.1 have no lottery: their digits tell how often the model was right about personal answers.
    """

    total: int
    right: int  # digits that say so
    lottery: Design | None
    reply_epsilon: float  # of the survey's own replies
    accuracy: Estimate | None  # None as long as there are no digits

    @property
    def theta(self) -> float:
        """The chance that a digit is the true one."""
        return 1.0 if self.lottery is None else self.lottery.channels[0].theta

    @property
    def epsilon(self) -> float:
        """Of the digit alone."""
        return rounded_up(reply_epsilon(self.lottery or UNDISGUISED))

    @property
    def epsilon_together(self) -> float:
        """Of a reply and a digit of the same person."""
        return rounded_up(self.reply_epsilon + reply_epsilon(self.lottery or UNDISGUISED))


def digits_about(design: Design, published: str, counted: tuple[int, int]) -> Digits:
    """What so many digits, and so many of them that say the model was right, tell about a published model."""
    total, right = counted
    lottery = lottery_in(published)
    counts = Distinct({RIGHT.name: np.arange(len(RIGHT))}, np.array([total - right, right], dtype=float))
    note = PERSONAL if lottery is None else TAUGHT
    found = estimate(lottery or UNDISGUISED, counts, "right == 'yes'").saying(note) if total else None
    return Digits(total, right, lottery, reply_epsilon(design), found)

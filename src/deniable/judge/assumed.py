"""Assumed people: an attack before anybody is asked, on people made up from shares.

Their answers have the shares that are believed in beforehand, all alike unless given, and do not depend on each other.
Real answers do, so a collector of real replies may guess more; the figures show what the lottery itself lets through.
"""

from dataclasses import dataclass, replace
from math import prod

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.channel.block import Block
from deniable.channel.design import Design
from deniable.count.counts import Distinct
from deniable.deniability.epsilon import reply_epsilon
from deniable.deniability.whole import Priors, prior_of
from deniable.judge.attack import Attack, Bounds, attack
from deniable.judge.believed import Population
from deniable.judge.margins import values_of_cells
from deniable.judge.simulate import simulated_replies
from deniable.survey.question import Question

PEOPLE = 2000
MAX_CELLS = 4096  # combinations of answers that are attacked together


@dataclass(frozen=True)
class AssumedPeople:
    """Made-up people, what they would truly say, and what they send."""

    design: Design  # without numbers that are not reported as intervals
    left_out: tuple[str, ...]  # those numbers
    cells: dict[str, NDArray[np.int64]]  # [person] by question
    replies: Distinct

    @classmethod
    def of(cls, design: Design, priors: Priors | None = None, seed: int = 0) -> "AssumedPeople | None":
        """People with these shares; None where nobody is asked anything but numbers."""
        blocks = [block.promised for block in design.blocks if _reported_in_cells(block)]
        if not blocks:
            return None
        asked = Design(blocks, check_text=False, unsent=design.survey.unsent)
        rng = np.random.default_rng(seed)
        shares = {each.name: prior_of(each, (priors or {}).get(each.name)) for each in asked.questions}
        cells = {name: rng.choice(len(each), PEOPLE, p=each) for name, each in shares.items()}
        left_out = tuple(name for name in design.names if name not in asked.names)
        return cls(asked, left_out, cells, simulated_replies(asked, cells, rng))

    def attacked(self, waves: int = 1) -> Attack | None:
        """What a clever collector finds out about the disguised answers; None where none are."""
        names = _few([each for each in self.design.questions if not self.design.is_clear(each.name)])
        if not names:
            return None
        truth = {name: values_of_cells(self.design.question(name))[self.cells[name]] for name in names}
        replies = self.replies.distinct(self.design.columns_of(names), answered=False)
        found = attack(self.design, replies, pa.table({name: each.tolist() for name, each in truth.items()}), waves)
        clear = tuple(name for name in self.design.names if self.design.is_clear(name))
        left_out = tuple(name for name in found.left_out if name not in clear) + self.left_out
        if not clear:
            return replace(found, left_out=left_out)
        people = Population.of_cells([self.design.question(name) for name in names], self.cells)
        exact = reply_epsilon(self.design, disguised_only=True)  # made-up answers in the clear tell nothing of others
        return replace(found, left_out=left_out, in_the_clear=clear, exact=exact, bounds=Bounds.of(people, exact))

    def example(self) -> list[tuple[str, str, str]]:
        """Question, true answer and report of the first person for whom a report differs; a dash if nothing is sent."""
        rows = [self._person(index) for index in range(100)]
        return next((some for some in rows if any(true != sent != "-" for _, true, sent in some)), rows[0])

    def _person(self, index: int) -> list[tuple[str, str, str]]:
        found = []
        for name in self.design.names:
            cell = int(self.replies.columns[name][index])
            sent = self.design.reported(name).answers[cell] if cell >= 0 else "-"
            found.append((name, self.design.question(name).answers[self.cells[name][index]], sent))
        return found


def _reported_in_cells(block: Block) -> bool:
    """Whether all its questions have answers, or are numbers reported as intervals, and no other answer beside them."""
    return not any(each.is_number or each.beside for channel in block.channels for each in channel.group)


def _few(questions: list[Question]) -> list[str]:
    """As many of the questions, in order, as can be attacked together in seconds."""
    kept: list[Question] = []
    for question in questions:
        if prod(map(len, [*kept, question])) <= MAX_CELLS:
            kept.append(question)
    return [question.name for question in kept]

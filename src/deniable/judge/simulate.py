"""Simulated replies: what respondents would report, drawn by the chances of a design's lotteries.

They judge a design before anybody is asked. No real answer is disguised here: draws come from a seeded generator, and
from the very chances that estimates use,

    P(report | truth) = sum over instructions a of  P(a) * product over questions of  kernel of a

legend: a instruction, r report, x true cell
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from deniable.channel.channel import Channel
from deniable.channel.design import Design
from deniable.count.counts import Distinct
from deniable.errors import BadRequest
from deniable.survey.coding import LEFT_OUT

Cells = NDArray[np.int64]


def simulated_replies(design: Design, people: Mapping[str, Cells], rng: np.random.Generator) -> Distinct:
    """One reply for each of these people, whose true cells are given by question: [person]."""
    for name in design.names:
        if design.has_noise(name) or design.question(name).is_number:
            raise BadRequest("simulated replies", "questions with answers, or numbers by interval", f"{name}, a number",
                             "give it cells or cuts, and a scheme for answers")  # fmt: skip
    count = len(next(iter(people.values())))
    columns: dict[str, Cells] = {}
    for block in design.blocks:
        versions = rng.choice(len(block.versions), count, p=block.shares)
        if block.column is not None:
            columns[block.column] = versions
        columns |= {name: np.full(count, LEFT_OUT, dtype=np.int64) for name in block.names}
        for index, version in enumerate(block.versions):
            rows = np.flatnonzero(versions == index)
            for channel in version.channels:
                for name, cells in _reports(channel, {each: people[each][rows] for each in channel.names}, rng).items():
                    columns[name][rows] = block.cells_of(channel, name)[cells]
    return Distinct({name: columns[name] for name in design.columns}, np.ones(count))


def _reports(channel: Channel, true: Mapping[str, Cells], rng: np.random.Generator) -> dict[str, Cells]:
    """What people report to the questions of one channel: one instruction for each person, followed for all of them."""
    count = len(true[channel.names[0]])
    drawn = rng.choice(len(channel.chances), count, p=channel.chances)
    found = {}
    for question in channel.group:
        limits = channel.kernels(question).cumsum(axis=1)[drawn, :, true[question.name]]  # [person, r]
        found[question.name] = (rng.random(count)[:, None] > limits[:, :-1]).sum(axis=1)
    return found

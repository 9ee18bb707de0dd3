"""Simulated replies: what respondents would report, drawn by the chances of a design's lotteries.

They judge a design before anybody is asked. No real answer is disguised here: draws come from a seeded generator, and
from the very chances that estimates use,

    P(report | truth) = sum over instructions a of  P(a) * product over questions of  kernel of a

legend: a instruction, r report, x true cell
"""

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from deniable.channel.block import Block
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
        for alike in _alike(block):
            rows = np.flatnonzero(np.isin(versions, list(alike)))
            for name, answering, cells in _reports(block, alike, versions[rows], people, rows, rng):
                columns[name][answering] = cells
    return Distinct({name: columns[name] for name in design.columns}, np.ones(count))


def _alike(block: Block) -> Iterable[dict[int, Channel]]:
    """The channels of some versions, by version: those that roll the same lottery, and come at the same place."""
    found: dict[tuple[int, int], dict[int, Channel]] = {}
    for index, version in enumerate(block.versions):
        for place, (channel, (lottery, _)) in enumerate(zip(version.channels, block.lotteries[index], strict=True)):
            found.setdefault((lottery, place), {})[index] = channel
    return found.values()


def _reports(
    block: Block,
    alike: Mapping[int, Channel],
    versions: Cells,
    people: Mapping[str, Cells],
    rows: NDArray[np.intp],
    rng: np.random.Generator,
) -> Iterator[tuple[str, NDArray[np.intp], Cells]]:
    """What people report to each question: one instruction for each person, followed in all answers."""
    first = next(iter(alike.values()))
    drawn = rng.choice(len(first.chances), len(rows), p=first.chances)
    for name in dict.fromkeys(name for channel in alike.values() for name in channel.names):
        asking = {index: channel for index, channel in alike.items() if name in channel.names}
        asked = np.flatnonzero(np.isin(versions, list(asking)))
        channel = next(iter(asking.values()))
        true = people[name][rows[asked]]
        limits = channel.kernels(name).cumsum(axis=1)[drawn[asked], :, true]  # [person, r]
        cells = (rng.random(len(asked))[:, None] > limits[:, :-1]).sum(axis=1)
        yield name, rows[asked], block.cells_of(channel, name)[cells]

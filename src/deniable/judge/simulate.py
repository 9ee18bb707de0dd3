"""Simulated replies: what respondents would report, drawn by the chances of a design's lotteries.

They judge a design before anybody is asked. No real answer is disguised here: draws come from a seeded generator, and
from the very chances that estimates use,

    P(report | truth) = sum over instructions a of  P(a) * product over questions of  kernel of a

legend: a instruction, r report, x true cell
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.channel.block import Block
from deniable.channel.channel import Channel
from deniable.channel.design import Design
from deniable.count.counts import Distinct
from deniable.errors import BadRequest
from deniable.survey.coding import LEFT_OUT

Cells = NDArray[np.int64]
Answers = NDArray[Any]  # cells, or numbers


def simulated_replies(design: Design, people: Mapping[str, Answers], rng: np.random.Generator) -> Distinct:
    """One reply for each of these people, whose true cells or numbers are given by question: [person]."""
    count = len(next(iter(people.values())))
    columns: dict[str, Answers] = {}
    for block in design.blocks:
        versions = rng.choice(len(block.versions), count, p=block.shares)
        if block.column is not None:
            columns[block.column] = versions
        for question in block.questions:
            left_out = np.nan if question.is_number else LEFT_OUT
            columns[question.name] = np.full(count, left_out, dtype=float if question.is_number else np.int64)
        for alike in _alike(block):
            rows = np.flatnonzero(np.isin(versions, list(alike)))
            for name, answering, cells in _reports(block, alike, versions[rows], people, rows, rng):
                columns[name][answering] = cells
    return Distinct({name: columns[name] for name in design.columns if name in columns}, np.ones(count))


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
    people: Mapping[str, Answers],
    rows: NDArray[np.intp],
    rng: np.random.Generator,
) -> Iterator[tuple[str, NDArray[np.intp], Answers]]:
    """What people report to each question: one instruction for each person, followed in all answers."""
    first = next(iter(alike.values()))
    drawn = rng.choice(len(first.chances), len(rows), p=first.chances)
    for name in dict.fromkeys(name for channel in alike.values() for name in channel.names):
        asking = {index: channel for index, channel in alike.items() if name in channel.names}
        asked = np.flatnonzero(np.isin(versions, list(asking)))
        channel = next(iter(asking.values()))
        true = people[name][rows[asked]]
        if channel.question(name).is_number:
            yield name, rows[asked], _number_reports(channel, name, true, rng)
            continue
        limits = channel.kernels(name).cumsum(axis=1)[drawn[asked], :, true]  # [person, r]
        cells = (rng.random(len(asked))[:, None] > limits[:, :-1]).sum(axis=1)
        yield name, rows[asked], block.cells_of(channel, name)[cells]


def _number_reports(channel: Channel, name: str, true: Answers, rng: np.random.Generator) -> Answers:
    """Numbers as they are, or with noise added."""
    limits, noise = channel.question(name).range, channel.noise
    if channel.says_the_truth:
        return true
    if limits is None or noise is None or len(channel.lottery) > 1:
        raise BadRequest("simulated replies", "numbers in the clear, with noise added, or by interval", name,
                         "give it cells or cuts, and a scheme for answers")  # fmt: skip
    steps = noise.first + rng.choice(len(noise.chances), len(true), p=noise.chances)
    return np.asarray(true + steps * limits.step)

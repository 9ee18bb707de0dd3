"""Pearson's correlation of two true answers, numbers or answers that have values: `dn.correlation`.

Every reply has unbiased readings of x, y, their squares and their product; the correlation follows from their means.
Noise on a number leaves its reading as it is, adds its variance to the square, where it is taken off, and nothing to
the product. Lotteries that are drawn apart err independently, so readings of x and y multiply; questions of one draw
are read together.

    r = (E xy - E x E y) / sqrt((E x^2 - (E x)^2) (E y^2 - (E y)^2))

The standard error is that of the readings' influence on r, the interval Fisher's (symmetric in artanh r).
"""

from functools import partial
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.count.counts import Counts, Distinct, reported_cells
from deniable.errors import BadRequest, NoAnswers, NoReplies
from deniable.frame.columns import Missing
from deniable.inference.error import Z
from deniable.inference.estimates import Estimate
from deniable.inference.invert.reported import Reported
from deniable.inference.invert.stacks import stacks_of, weights_of
from deniable.inference.number_readings import number_readings, square_readings
from deniable.inference.sampling.drawn import Worth
from deniable.inference.sampling.in_pieces import Read, SampleInPieces
from deniable.inference.sampling.sample import Sample, SampleArguments, sampled_counts
from deniable.survey.question import Question
from deniable.survey.truths import refuse_beside

Floats = NDArray[np.float64]
POWERS = {"x": (1, 0), "y": (0, 1), "xx": (2, 0), "yy": (0, 2), "xy": (1, 1)}  # of x and y, in each reading
NEAR_ONE = 0.999
ROUNDING = 1e-12  # of a mean, beside which less spread is none


def correlation(
    design: Design, replies: Any, first: str, second: str, *, missing: Missing = "skip", **how: Unpack[SampleArguments]
) -> Estimate:
    """The correlation of the true answers to two questions: numbers, questions of two answers, or with `values`."""
    design, sample = Sample.of(design, replies, **how)
    if first == second:
        raise BadRequest("the second question", "another one than the first", second, "name two questions")
    questions = [design.question(name) for name in (first, second)]
    for question in questions:
        refuse_beside(question)
    counts = sampled_counts(design, replies, missing, sample)
    if any(question.is_number for question in questions):
        return _of_numbers(design, counts, questions, sample)
    return _of_answers(design, counts, questions, sample)


def _of_answers(design: Design, counts: Counts, questions: list[Question], sample: Sample | None) -> Estimate:
    """From the table of both questions, as versions and shared draws need it."""
    found = Reported.of(design, counts, questions, sample or Sample())
    if not found.table.sum():
        raise NoAnswers(question.name for question in questions)
    x, y = (values_of(question) for question in questions)
    assert found.drawn is not None
    readings = []
    for one, other in POWERS.values():
        weights = weights_of(np.multiply.outer(x**one, y**other), found.stacks)
        readings.append(found.conditioned(weights).ravel()[found.cells])
    together = np.stack(readings, axis=1)
    means = found.drawn.table_counts @ together / found.drawn.n
    slopes, r = _slopes(means, questions, [0.0, 0.0])
    reading = (together - means) @ slopes
    worth = found.drawn.worth(reading, np.zeros(len(reading)))
    return _estimate(r, worth, found.drawn.n, sample).saying(found.gaps.note, found.note)


def _of_numbers(design: Design, counts: Counts, questions: list[Question], sample: Sample | None) -> Estimate:
    """Of two questions whose lotteries are drawn apart, at least one of them a number, from each reply."""
    if any(not design.block(question.name).is_plain for question in questions):
        raise BadRequest("a correlation with a number", "of questions that everybody is asked",
                         ", ".join(question.name for question in questions), "ask it in no version")  # fmt: skip
    found = SampleInPieces.of(design, counts, questions, sample)
    outline = found.pieces.outline.replies
    centres = [float(np.average(_alone(design, each, outline, 0.0)[0], weights=outline.counts)) for each in questions]
    first = found.means(partial(_readings, design, questions, centres)).tolist()
    centres = [centre + mean for centre, mean in zip(centres, first, strict=False)]
    read = partial(_readings, design, questions, centres)  # near which numbers keep their digits
    means = found.means(read)
    slopes, r = _slopes(means, questions, centres)
    worth, _ = found.spread(partial(_influence, read, means, slopes))
    return _estimate(r, worth, found.drawn.n, sample).saying(found.gaps.note)


def _readings(design: Design, questions: list[Question], centres: list[float], replies: Distinct) -> Floats:
    """[reply, reading] in the order of POWERS, about these centres."""
    both = zip(questions, centres, strict=True)
    (x, xx), (y, yy) = (_alone(design, question, replies, centre) for question, centre in both)
    return np.stack([x, y, xx, yy, x * y], axis=1)


def _influence(read: Read, means: Floats, slopes: Floats, replies: Distinct) -> Floats:
    """[reply] what it adds to the correlation."""
    return np.asarray((read(replies) - means) @ slopes)


def _estimate(r: float, worth: Worth, n: float, sample: Sample | None) -> Estimate:
    effect = None if sample is None else worth.design_effect(n)
    low, high = _fisher(r, worth.stderr * worth.wider)
    return Estimate(r, worth.stderr, low, high, round(n), "inverse", limits=(-1.0, 1.0), design_effect=effect)


def _slopes(means: Floats, questions: list[Question], centres: list[float]) -> tuple[Floats, float]:
    """[reading] how the correlation changes with each mean, and the correlation."""
    mean = dict(zip(POWERS, means.tolist(), strict=True))
    spreads = [mean["xx"] - mean["x"] ** 2, mean["yy"] - mean["y"] ** 2]
    for question, spread, centre in zip(questions, spreads, centres, strict=True):
        if not spread > (ROUNDING * centre) ** 2:
            problem = f"show no spread of {question.name} beyond that of the lottery"
            raise NoReplies("the replies", problem, "collect more of them, or choose a weaker disguise")
    scale = float(np.sqrt(spreads[0]) * np.sqrt(spreads[1]))
    r = (mean["xy"] - mean["x"] * mean["y"]) / scale
    slope = {"x": r * mean["x"] / spreads[0] - mean["y"] / scale, "xx": -r / 2 / spreads[0], "xy": 1 / scale,
             "y": r * mean["y"] / spreads[1] - mean["x"] / scale, "yy": -r / 2 / spreads[1]}  # fmt: skip
    return np.array([slope[name] for name in POWERS]), r


def _fisher(r: float, stderr: float) -> tuple[float, float]:
    inside = float(np.clip(r, -NEAR_ONE, NEAR_ONE))
    margin = Z * stderr / (1 - inside**2)
    return float(np.tanh(np.arctanh(inside) - margin)), float(np.tanh(np.arctanh(inside) + margin))


def _alone(design: Design, question: Question, replies: Distinct, centre: float) -> tuple[Floats, Floats]:
    """Readings of a question's value and of its square, about a centre."""
    column = replies.columns[question.name]
    if not question.is_number:
        values, stacks = values_of(question) - centre, stacks_of(design, [question])
        cells = reported_cells(design.reported(question), column)
        return weights_of(values, stacks)[cells], weights_of(values**2, stacks)[cells]
    channel = design.channel(question.name)
    return (
        number_readings(channel, question, column) - centre,
        square_readings(channel, question, column, about=centre),
    )


def values_of(question: Question) -> Floats:
    """The value of each answer: its own, or 0 and 1 of two; the middle of a number's interval."""
    if question.range is not None:
        return np.asarray(question.range.middles, dtype=float)
    if question.values is not None:
        return np.asarray(question.values, dtype=float)
    if len(question) == 2:
        return np.array([0.0, 1.0])
    raise BadRequest(f"the question {question.name!r}", "a number, two answers, or answers with values",
                     f"{len(question)} answers", "give it values, or use dn.association")  # fmt: skip

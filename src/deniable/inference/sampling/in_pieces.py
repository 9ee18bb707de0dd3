"""Means of readings over a sample whose replies stay where they are.

Whatever a mean and its error need of replies is a sum over them. So each piece of the replies (count/pieces.py) adds up
its own, in a few passes: for the means, and for how far what they tell lies apart. Who is in which stratum and
cluster, and how many, is counted beforehand.

legend: r reading of a figure, d sampling weight, z what a person adds to the error of a mean
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from deniable.channel.design import Design
from deniable.count.chunked import pieces_of
from deniable.count.counts import Counts, Distinct
from deniable.count.cut import Cut, CutsNumbers, cuts_of_many
from deniable.count.merged import same_rows
from deniable.count.missing import Gaps, complete, complete_ones
from deniable.count.pieces import Pieces
from deniable.errors import NoAnswers
from deniable.inference.error import Moments
from deniable.inference.sampling.drawn import NEGLIGIBLE, Codes, Drawn, Floats, Worth
from deniable.inference.sampling.sample import Sample, summed_weights
from deniable.survey.question import Question

Read = Callable[[Distinct], Floats]  # readings of replies, [reply, figure] or [reply]


@dataclass(frozen=True)
class DrawnPiece:
    """Some complete replies, and how their people were drawn."""

    replies: Distinct
    weights: Floats  # d
    strata: Codes
    clusters: Codes | None


@dataclass(frozen=True)
class SampleInPieces:
    """The complete replies of a sample, wherever they are."""

    pieces: Pieces[DrawnPiece]
    drawn: Drawn  # of all people, some of them with the same weight
    gaps: Gaps

    @classmethod
    def of(
        cls, design: Design, counts: Counts, questions: Sequence[Question], sample: Sample | None
    ) -> "SampleInPieces":
        """The replies to these questions; numbers that would make nearly all of them distinct stay where they are."""
        sample = sample or Sample()
        asked = [*map(design.reported, questions), *(design.reported(name) for name in sample.names)]
        many = cuts_of_many(counts, design, questions, sample.names)
        measured = [each.name for each in questions if each.name in many or design.has_noise(each.name)]
        weights = summed_weights(design, sample) if measured else None
        found = pieces_of(counts, list(dict.fromkeys(each.name for each in asked)), measured, weights)
        told, gaps = complete(found.outline, asked)
        if weights is not None and isinstance(counts, CutsNumbers):  # an outline does not tell how large they are
            told, gaps = complete(
                counts.cut({each.name: Cut.of_presence(each) for each in asked if each.name in measured}), asked
            )
        told, outline = told.answered(), complete_ones(found.outline, asked).answered()
        if not told.counts.sum():
            raise NoAnswers(each.name for each in questions)
        drawn, groups = sample.drawn(told), tuple(each for each in sample.names if each != weights)
        scale = 1.0 if weights is None else drawn.scale_of(told.columns[weights])
        maker = _Maker(tuple(asked), weights, groups, told, drawn, scale)
        return cls(found.then(maker, maker.piece(outline)), maker.drawn, gaps)

    def means(self, read: Read) -> Floats:
        """[figure] the means of readings."""
        (sums,) = self.pieces.sum(partial(_sums, read))
        return np.asarray(sums / self.drawn.total)

    def spread(self, read: Read, *, base: float = 1.0, clear: bool = False) -> tuple[Worth, Moments]:
        """What the sample is worth for a mean of readings, which is zero, over `base`; and their moments.

        In the clear there is no lottery, which a finite population does not take off.
        """
        drawn = self.drawn
        sizes = int(drawn.strata.max()) + 1, None if drawn.clusters is None else int(drawn.clusters.max()) + 1
        powers, by_unit, by_stratum = self.pieces.sum(partial(_spread, read, drawn.finite, sizes))
        second, third = (powers / drawn.total).tolist()
        variance = drawn.sampling_of(by_unit / drawn.total, by_stratum[0], by_stratum[1] / drawn.total**2)
        if drawn.finite and not clear:
            variance += second / drawn.total
        worth = drawn.compared(variance, second / drawn.n, NEGLIGIBLE * max(second, 1.0))
        return replace(worth, stderr=worth.stderr / base), Moments(0.0, second, third, drawn.n, 0.0, 0.0)


def _sums(read: Read, piece: DrawnPiece) -> tuple[Floats]:
    """[figure] weighted sums of readings."""
    return (np.asarray((piece.replies.counts * piece.weights) @ read(piece.replies)),)


def _spread(
    read: Read, finite: bool, sizes: tuple[int, int | None], piece: DrawnPiece
) -> tuple[Floats, Floats, Floats]:
    """Sums of d r^2 and d r^3; of z by cluster, or by stratum where there are none; of people and z^2 by stratum."""
    reading, counts, (strata, clusters) = read(piece.replies), piece.replies.counts, sizes
    people, z = counts * piece.weights, piece.weights * reading
    powers = np.array([people @ reading**2, people @ reading**3])
    times = counts * (1 - 1 / np.maximum(piece.weights, 1.0)) if finite else counts
    units = piece.strata if piece.clusters is None else piece.clusters
    by_unit = np.bincount(units, times * z, strata if clusters is None else clusters)
    by_stratum = np.array([np.bincount(piece.strata, times * each, strata) for each in (np.ones(len(z)), z**2)])
    return powers, by_unit.astype(float), by_stratum


@dataclass(frozen=True)
class _Maker:
    """Makes a piece of any replies, where it is known how all people were drawn."""

    asked: tuple[Question, ...]  # reported
    weights: str | None  # the column of weights, if replies have their own
    groups: tuple[str, ...]  # the columns of whatever else says how people were drawn
    told: Distinct
    drawn: Drawn  # behind these
    scale: float  # of weights in their column

    def __call__(self, replies: Distinct) -> DrawnPiece | None:
        """The piece; none where no reply counts."""
        found = complete_ones(replies, self.asked).answered()
        return self.piece(found) if len(found.counts) else None

    def piece(self, replies: Distinct) -> DrawnPiece:
        """The piece of replies that are complete."""
        known, asked = ([each.columns[name] for name in self.groups] for each in (self.told, replies))
        rows = same_rows(known, asked) if self.groups else np.zeros(len(replies.counts), np.intp)
        clusters = None if self.drawn.clusters is None else self.drawn.clusters[rows]
        weights = self.drawn.weights[rows] if self.weights is None else self.scale * replies.columns[self.weights]
        return DrawnPiece(replies, weights, self.drawn.strata[rows], clusters)

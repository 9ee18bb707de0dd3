"""Region mixture: people in each region of a partition, by class, from disguised replies.

A region is a set of true cells for each of some questions, like a leaf of a tree; people inside are assumed to be
distributed over these cells as the whole population is. A reply then has a chance in every region and class, and
expectation maximisation estimates the people in each region.  Agrawal and Srikant 2000, equation 3, for regions
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deniable.channel.design import Design
from deniable.frame.columns import Column
from deniable.inference.em.em import Operator, maximised, still
from deniable.inference.em.observed import ObservedQuestion, Region
from deniable.inference.population.records import Floats
from deniable.survey.question import Question

BINS = 60
TOLERANCE, MAX_STEPS = 1e-4, 1000
MAX_ENTRIES = 3e7  # of the table of replies by regions and classes; more replies than that do not take part


@dataclass(frozen=True)
class RegionMixture:
    """The chance of each reply in each region and class, and a first guess of the people there: by volume and class."""

    chances: Floats  # [reply, region, class]
    start: Floats  # [region, class]

    def people(self, weights: Floats | None = None, start: Floats | None = None) -> Floats:
        """The share of all people in each region and class; with `weights`, replies count as often as these say."""
        flat = self.chances.reshape(len(self.chances), -1)
        first = (self.start if start is None else start).reshape(-1, 1)
        counts = np.ones((len(flat), 1)) if weights is None else weights[:, None]
        stop = still(TOLERANCE, first)
        return maximised(counts, first, Operator.of_matrices([flat]), stop, MAX_STEPS).reshape(self.start.shape)


def region_mixture(
    design: Design, questions: Sequence[Question], reported: Sequence[Column], regions: Sequence[Region]
) -> RegionMixture:
    """Replies to some questions (as they are cut), the target last, held against regions of their cells."""
    classes = len(questions[-1])
    rows = slice(0, max(1, int(MAX_ENTRIES // (len(regions) * classes))))
    used = sorted({index for region in regions for index in region})
    chances, volume = np.ones((1, 1, 1)), np.ones(len(regions))
    for channel in design.channels:
        factors = []
        for index in (index for index in used if questions[index].name in channel.names):
            observed = ObservedQuestion.of(channel, questions[index], reported[index][rows], BINS)
            share, kernels = observed.inside(regions, index)
            volume *= share
            factors.append(kernels[:, :, :, None])
        if questions[-1].name in channel.names:
            target = ObservedQuestion.of(channel, questions[-1], reported[-1][rows], BINS)
            factors.append(target.by_reply(target.kernels)[:, :, None, :])
            start = target.everybody
        if factors:
            lottery = channel.chances if len(factors[0]) > 1 else np.ones(1)
            chances = chances * sum(
                chance * np.prod(np.broadcast_arrays(*(factor[term] for factor in factors)), axis=0)
                for term, chance in enumerate(lottery)
            )
    return RegionMixture(np.asarray(chances), np.outer(volume / volume.sum(), start))

"""Orientation of Warner groups: whether all answers of some groups might be inverted.

Inverting every answer of a group changes nothing that its draw leaves unchanged. The orientation of the groups to each
other, and to answers in the clear, shows only in shares and in pairs across two groups, which the draws blur. A single
pair is weak evidence, and errors are correlated because draws are shared. All together:

    t = sum over i turned, j not turned of  weight_ij s_i s_j        weight_ij = factor_ij * the model's E[s_i s_j]

The mean of t over the replies is positive if the model has the right orientation, and negative if it is inverted.

legend: s features as in `unbiased`, whose first is 1; factor_ij by how much the draws shrink E[s_i s_j]
"""

from collections.abc import Iterator

import numpy as np

from deniable.inference.population.records import Floats, Records
from deniable.inference.truth.dependence import CHUNK, shown_cells
from deniable.inference.truth.unbiased import UnbiasedMoments

Z_TURNED = 1.0  # standard errors by which the replies must favour the model over its inversion
MATTERS = 0.1  # correlation with the target above which a question's orientation matters


def doubtful_turn(replies: Records, unbiased: UnbiasedMoments, products: Floats) -> tuple[int, ...]:
    """The target and a question whose orientation to it is in doubt; empty if there is none.

    `products` are those of a model's cells.
    """
    moments = unbiased.moments(products)
    weights = np.where(unbiased.blurred, unbiased.factor * moments, 0.0)
    related = _related(moments)
    z = _evidence(replies, unbiased, weights)
    for way, turned in enumerate(_ways(unbiased)):
        across = related * (turned != turned[-1])
        if across.max() > MATTERS and z[way] < Z_TURNED:
            return tuple(int(unbiased.owners[index]) for index in sorted((int(across.argmax()), len(across) - 1)))
    return ()


def _ways(unbiased: UnbiasedMoments) -> Iterator[Floats]:
    """Which features are inverted, for every choice of groups to invert: each [feature]."""
    for way in range(1, 2 ** int(unbiased.draws.max())):
        yield np.asarray((unbiased.draws > 0) & ((way >> np.maximum(unbiased.draws - 1, 0)) & 1 == 1))


def _related(moments: Floats) -> Floats:
    """The absolute correlation of each feature with the last one; that of 1, which does not vary, is none."""
    apart = np.abs(moments[-1] - moments[-1, 0] * moments[0])
    spread = np.sqrt(np.maximum(np.diag(moments) - moments[0] ** 2, 1e-9))
    found = apart / spread / spread[-1]
    found[0] = 0
    return np.asarray(found)


def _evidence(replies: Records, unbiased: UnbiasedMoments, weights: Floats) -> Floats:
    """The mean of t in standard errors, for every way to turn groups."""
    members = (unbiased.draws == np.arange(unbiased.draws.max() + 1)[:, None]).astype(float)  # [draw, feature]
    turned = np.array([members @ way / members.sum(axis=1) for way in _ways(unbiased)])  # [way, draw]
    first, second = np.zeros(len(turned)), np.zeros(len(turned))
    for start in range(0, len(replies.counts), CHUNK):
        part = replies.part(slice(start, start + CHUNK))
        features = unbiased.basis @ shown_cells(np.array(part.cells), replies.sizes)
        between = np.stack([members @ (features * (weights @ (each[:, None] * features))) for each in members])
        t = np.einsum("wa,abm,wb->wm", turned, between, 1 - turned)
        first += t @ part.counts
        second += t**2 @ part.counts
    mean = first / replies.total
    return np.asarray(mean / np.sqrt(np.maximum(second / replies.total - mean**2, 1e-12) / replies.total))

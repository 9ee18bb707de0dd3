"""Records of a regression: what each distinct reply says of the true outcome and predictors.

The truth of the clear predictors is known, c. That of the others, t, is one of some possibilities, and a reply i counts
for each with a signed weight w(t | i). So whatever a regression sums up over people is summed up over pairs (c, t),
however many replies there are; only the standard errors look at each distinct reply.

legend: i distinct reply, c combination of clear predictors, t possible truth of the others, m moment of the outcome
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from scipy import sparse

from deniable.channel.design import Design
from deniable.count.counts import Distinct, reported_cells
from deniable.count.merged import groups
from deniable.errors import TooManyCells
from deniable.frame.columns import Column
from deniable.regression.noise import Nodes, node_signs, node_weights, shift_and_weight
from deniable.regression.outcome import Floats
from deniable.regression.predicted import Predicted
from deniable.regression.replies import Ints, UsedReplies, of_versions, pieces
from deniable.regression.variables import Explained, Variable

MAX_MOMENTS = 2**27  # a gigabyte


@dataclass(frozen=True)
class Records:
    """Distinct replies, and what each says of the truth."""

    used: UsedReplies
    sampling: Floats  # [i] weight in the sample
    weights: Floats  # [report, m, cell] signed
    report: Ints  # [i]
    unit: Floats  # [m] of the moments, what are people
    numbers: Floats | None  # [i] the reported outcome, where it is a number
    clear: Mapping[str, Column]  # [c]
    nodes: Mapping[str, Nodes]  # numbers under noise, at their nodes
    clear_index: Ints  # [i]
    cells: Mapping[str, Ints]  # [cell] of the disguised predictors

    @property
    def counts(self) -> Floats:
        """[i] how many respondents gave it, times their weight in the sample."""
        return self.used.counts * self.sampling

    @property
    def n(self) -> int:
        """How many respondents there are."""
        return round(float(self.used.counts.sum()))

    @cached_property
    def points(self) -> int:
        """How many c there are."""
        return int(self.clear_index.max(initial=0)) + 1

    @cached_property
    def signs(self) -> list[tuple[int, ...]]:
        """The nodes of all numbers under noise."""
        return node_signs(len(self.nodes))

    @property
    def truths(self) -> int:
        """How many t there are: cells, times nodes."""
        return int(self.weights.shape[2]) * len(self.signs)

    @cached_property
    def node_weights(self) -> Floats:
        """[c, node]."""
        return node_weights(list(self.nodes.values()), self.points)

    @cached_property
    def predicted(self) -> Predicted:
        """The true predictors of all pairs (c, t)."""
        cells, pairs = int(self.weights.shape[2]), {}
        for index, (name, each) in enumerate(self.nodes.items()):
            signs = np.array([signs[index] for signs in self.signs])
            shifted = each.numbers[:, None] + 1j * each.shift[:, None] * signs
            pairs[name] = np.tile(shifted, (1, cells)).ravel()
        truths = {name: np.repeat(column, len(self.signs)) for name, column in self.cells.items()}
        return Predicted(self.points, self.truths, self.clear, truths, pairs)

    @cached_property
    def moments(self) -> Floats:
        """The outcome's moments of all pairs (c, t), summed up over replies: [(c, t), m]."""
        if self.points * self.truths * len(self.unit) > MAX_MOMENTS:
            names = [*self.clear, *self.cells, *self.nodes]
            raise TooManyCells(names, self.points * self.truths * len(self.unit), MAX_MOMENTS)
        shape = (self.points, len(self.weights))
        own = self.weights.reshape(len(self.weights), -1)
        table = sparse.coo_matrix((self.counts, (self.clear_index, self.report)), shape).tocsr()
        found = np.asarray(table @ own).reshape(self.points, *self.weights.shape[1:])
        if self.numbers is not None:
            sums = sparse.coo_matrix((self.counts * self.numbers, (self.clear_index, self.report)), shape).tocsr()
            found = np.concatenate([found, np.asarray(sums @ own).reshape(found.shape)], axis=1)
        found = found.transpose(0, 2, 1)[:, :, None] * self.node_weights[:, None, :, None]  # [c, cell, node, m]
        return np.ascontiguousarray(found.reshape(self.points * self.truths, -1))

    @cached_property
    def people(self) -> Floats:
        """How many people, estimated, are of each pair (c, t)."""
        return np.asarray(self.moments @ self.unit)

    def moments_of(self, rows: slice, truth: int) -> Floats:
        """What each of some replies says of the outcome's moments at one t: [reply, m]."""
        cell, node = divmod(truth, len(self.signs))
        found = self._by_cell[cell][self.report[rows]]
        if self.numbers is not None:
            found = np.concatenate([found, found * self.numbers[rows, None]], axis=1)
        return np.asarray(found * self.node_weights[self.clear_index[rows], node, None] if self.nodes else found)

    @cached_property
    def _by_cell(self) -> Floats:
        """The weights by cell: [cell, report, m]."""
        return np.ascontiguousarray(self.weights.transpose(2, 0, 1))

    def pairs(self, rows: slice, truth: int) -> Ints:
        """[reply] the pair (c, t) of each of some replies at one t."""
        return self.clear_index[rows] * self.truths + truth

    @property
    def chunks(self) -> Iterator[slice]:
        """The replies in pieces."""
        return pieces(len(self.report))


def records_of(
    design: Design, used: UsedReplies, outcome: Explained, predictors: Sequence[Variable], sampling: Floats
) -> Records:
    """The records of replies."""
    weights, report = used.weights()
    weights, report, numbers = _with_outcome(design, used, outcome, weights, report)
    clear, nodes, clear_index = _clear(design, used, predictors)
    disguised = [each for each in predictors if each.source == "cells"]
    shape = [len(each.question) for each in disguised]
    places = np.indices(shape).reshape(len(disguised), prod(shape))
    return Records(
        used=used,
        sampling=sampling,
        weights=weights,
        report=report,
        numbers=numbers,
        unit=outcome.model.unit,
        clear=clear,
        nodes=nodes,
        clear_index=clear_index,
        cells={each.name: cells for each, cells in zip(disguised, places, strict=True)},
    )


def _with_outcome(
    design: Design, used: UsedReplies, outcome: Explained, table: Floats, report: Ints
) -> tuple[Floats, Ints, Floats | None]:
    """Weights [report, m, cell] with the outcome's moments, every reply's report, and its reported number."""
    if outcome.variable.source == "cells":
        weights = table.reshape(len(table), table.shape[1], -1)
        folds = outcome.folds
        return (weights if folds is None else np.einsum("rkt,km->rmt", weights, folds)), report, None
    weights = table.reshape(len(table), 1, -1)
    if outcome.model.is_number:
        return weights, report, _numbers(design, used, outcome.variable)[0]
    cells = clear_cells(used, outcome)
    count = len(outcome.model.answers)
    apart = np.zeros((len(weights), count, count, weights.shape[2]))
    apart[:, np.arange(count), np.arange(count)] = weights
    return apart.reshape(-1, count, weights.shape[2]), report * count + cells, None


def clear_cells(used: UsedReplies, outcome: Explained) -> Ints:
    """[reply] which of the model's answers a reply gives, of an outcome in the clear."""
    question, column = outcome.variable.question, used.replies.columns[outcome.variable.name]
    cells = reported_cells(question, column).astype(np.intp)
    if outcome.mask is not None:
        return np.asarray(outcome.mask[cells], dtype=np.intp)
    index = {answer: cell for cell, answer in enumerate(outcome.model.answers)}
    return np.array([index.get(answer, -1) for answer in question.answers])[cells]


def _numbers(design: Design, used: UsedReplies, variable: Variable) -> tuple[Floats, Floats, Floats]:
    """[reply] reported numbers less the mean of their noise, and the shift and weight of their nodes."""
    column = used.replies.columns[variable.name].astype(float)
    if variable.source == "clear":
        return column, np.zeros(len(column)), np.zeros(len(column))
    versions = of_versions(used.replies.columns, design, variable.name)
    channels = [version.channel(variable.name) for version in design.block(variable.name).versions]
    known = np.array([(0.0, 0.0, 0.0) if channel is None else shift_and_weight(channel, variable.question)
                      for channel in channels])  # fmt: skip
    mean, shift, weight = known[versions].T
    return column - mean, shift, weight


def _clear(
    design: Design, used: UsedReplies, predictors: Sequence[Variable]
) -> tuple[dict[str, Column], dict[str, Nodes], Ints]:
    """The distinct combinations of what replies tell of the predictors as it is, and every reply's."""
    plain = {each.name: used.replies.columns[each.name] for each in predictors if each.source == "clear"}
    noisy = {each.name: _numbers(design, used, each) for each in predictors if each.source == "noise"}
    parts = {(name, part): column for name, columns in noisy.items() for part, column in enumerate(columns)}
    order, index = groups(Distinct({**plain, **{f"{key}": column for key, column in parts.items()}}, used.counts))
    index = np.arange(len(order)) if index is None else index
    nodes = {name: Nodes(*(column[order] for column in columns)) for name, columns in noisy.items()}
    return {name: column[order] for name, column in plain.items()}, nodes, index

"""All people, as each method sees them.

inverse   by signed weights of the replies, unbiased
bayes     by the likeliest records, with no model but the lottery
latent    by the records behind guessed draws, for a few Warner groups
pairs     by a model of all pairs of questions, for every other design
global    by numbers reconstructed once for everybody; byclass, once for each class; local, again at every node
joint     by a few numbers reconstructed together
none      as if the replies were true: the baseline that every comparison needs
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from deniable.channel.channel import Channel
from deniable.errors import BadRequest
from deniable.inference.em.joint import likeliest_records
from deniable.inference.invert.factored import InverseDesign
from deniable.inference.invert.inverse import InverseEstimates
from deniable.inference.population.disguised import WeightedSubpopulation
from deniable.inference.population.records import Records
from deniable.inference.population.subpopulation import PlainSubpopulation, Subpopulation
from deniable.inference.truth.latent import MAX_GROUPS, HiddenDraws, guess_draws
from deniable.inference.truth.pairs import fit_pairs
from deniable.learn.discretize import as_reported, finely_cut
from deniable.learn.noisy.joint import MIN_GAIN, MIN_MASS, cut_for_joint, together
from deniable.learn.noisy.local import as_if_true, class_by_class, everybody, node_by_node
from deniable.learn.task import Task

DISTILLED_LEAVES = 16
BETTER_ASK = "try method='pairs'"


def root(task: Task, method: str) -> Subpopulation:
    """All people, as this method sees them; undisguised ones as they are."""
    return PlainSubpopulation.root(task.records) if task.target is None else METHODS[method].people(task)


def check_method(task: Task, method: str) -> None:
    """Refuse a method that does not exist, or that is for other designs."""
    if method not in ("auto", *METHODS):
        raise BadRequest("method", f"one of auto, {', '.join(METHODS)}", method, "choose one of them")
    if method != "auto" and METHODS[method].for_numbers and task.under is not None and not task.under_noise:
        raise BadRequest("method", "for designs with a number under noise", method, "use auto")


def weighted(task: Task, records: Records | None = None) -> WeightedSubpopulation:
    """All people, by signed weights of their replies (or of other replies to the same questions)."""
    return WeightedSubpopulation.root(records or task.records, InverseDesign.of(task.design, task.questions))


def is_clear(task: Task) -> bool:
    """Whether everything that is learnt from is undisguised."""
    return task.under is None or all(channel.is_clear for channel in _channels(task))


def _channels(task: Task) -> list[Channel]:
    """The channels of the questions that are learnt from."""
    return list(dict.fromkeys(task.design.channel(question.name) for question in task.questions))


def warner_groups(task: Task) -> dict[tuple[int, ...], float]:
    """Groups (as places of questions) and their thetas, of a design made of a few Warner groups; else none."""
    names = [question.name for question in task.questions]
    groups: dict[tuple[int, ...], float] = {}
    for channel in _channels(task):
        indices = tuple(names.index(name) for name in channel.names if name in names)
        if channel.says_the_truth:
            continue
        if not channel.is_flip or len(indices) < 2:
            return {}
        groups[indices] = channel.theta
    return groups if len(groups) <= MAX_GROUPS else {}


def _likeliest(task: Task) -> PlainSubpopulation:
    return PlainSubpopulation.root(likeliest_records(task.records, task.design, task.questions))


def hidden_draws(task: Task) -> HiddenDraws:
    """The guessed draws of a design of a few Warner groups."""
    groups = warner_groups(task)
    if not groups:
        raise BadRequest(
            "method", f"for designs of at most {MAX_GROUPS} Warner groups of two or more", "latent", "use pairs"
        )
    return guess_draws(task.records, list(groups), list(groups.values()))


def doubt(task: Task, draws: HiddenDraws) -> str:
    """What guessed draws contradict, in words; nothing where they agree with the unbiased estimates."""
    names = [task.questions[index].name for index in draws.contradicted]
    return f"the guessed draws contradict the unbiased estimates of {' and '.join(names)}" if names else ""


def _latent(task: Task) -> PlainSubpopulation:
    draws = hidden_draws(task)
    if draws.contradicted:
        warnings.warn(f"{doubt(task, draws)}; {BETTER_ASK}", stacklevel=6)
    return PlainSubpopulation.root(draws.records)


def _distilled(task: Task) -> PlainSubpopulation:
    """All combinations of answers by the pairwise model; questions it has no room for have one cell."""
    questions = task.questions
    counts = task.records.named([question.name for question in questions])
    fitted = fit_pairs(InverseEstimates(task.design, counts), counts.names, counts.n)
    warn_of_left_out(counts.names, fitted.names)
    records = fitted.records(counts.n)
    sizes = tuple(len(question) for question in questions)
    nowhere = np.zeros(len(records.counts), dtype=np.int8)
    known = dict(zip(fitted.names, records.cells, strict=True))
    return PlainSubpopulation.root(
        Records(tuple(known.get(name, nowhere) for name in counts.names), sizes, records.counts)
    )


def warn_of_left_out(asked: Sequence[str], kept: Sequence[str]) -> None:
    """Say which questions the pairwise model has no room for."""
    left = [name for name in asked if name not in kept]
    if left:
        warnings.warn(
            f"the pairwise model has room for {len(kept) - 1} of {len(asked) - 1} questions; "
            f"left out as telling least: {', '.join(left)}",
            stacklevel=6,
        )


def _as_it_is(task: Task) -> Task:
    return task


def _by_weights(task: Task) -> Subpopulation:
    """All people by signed weights; who left a number out goes down every branch."""
    return everybody(task) if task.absent and not task.under_noise else weighted(task)


@dataclass(frozen=True)
class Method:
    """A way to see people: how, how their numbers are cut for it, and how trees grow on what it gives."""

    people: Callable[[Task], Subpopulation]
    cut: Callable[[Task], Task] = _as_it_is  # numbers as the design cuts them
    for_numbers: bool = False  # only where numbers are under noise
    modelled: bool = False  # its counts come from a model, whose own error nobody knows
    smooth: bool = False  # nothing is left of the noise that a split could be tested against
    pruned: bool = True  # by description length, where numbers are under noise
    most_leaves: int | None = None
    least_people: float | None = None  # at a node that may be split, where numbers are under noise
    least_gain: float = -1.0


METHODS: dict[str, Method] = {
    "inverse": Method(_by_weights),
    "bayes": Method(_likeliest, modelled=True),
    "latent": Method(_latent, modelled=True),
    "pairs": Method(_distilled, modelled=True, smooth=True, most_leaves=DISTILLED_LEAVES),
    "global": Method(everybody, finely_cut, for_numbers=True, modelled=True),
    "byclass": Method(class_by_class, finely_cut, for_numbers=True, modelled=True),
    "local": Method(node_by_node, finely_cut, for_numbers=True, modelled=True),
    "joint": Method(
        together,
        cut_for_joint,
        for_numbers=True,
        modelled=True,
        smooth=True,
        pruned=False,
        least_people=MIN_MASS,
        least_gain=MIN_GAIN,
    ),
    "none": Method(as_if_true, as_reported),
}

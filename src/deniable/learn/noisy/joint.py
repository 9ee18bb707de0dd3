"""Joint reconstruction of two or three questions for each class.

Numbers that are reconstructed one by one and assigned by sorting lose their dependence on each other: where the class
depends on age *and* salary, hardly anything of that is left. So the two or three questions that together predict the
class best are reconstructed as one table for each class, and a tree grows on that table. All other questions are
ignored, so the class must depend on few.

    score of some questions = sum over cells of a coarse grid of the largest class share,
                              minus the same with shuffled labels, which is what noise alone gives
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

from deniable.channel.channel import Channel
from deniable.errors import BadRequest
from deniable.inference.em.grids import counted, grid_by_held_out, likelihood_of_groups, smooth_grid
from deniable.inference.em.observed import ObservedQuestion
from deniable.inference.invert.factored import question_inverse
from deniable.inference.population.records import Floats, Records
from deniable.inference.population.subpopulation import PlainSubpopulation
from deniable.learn.columns import QuestionColumns
from deniable.learn.discretize import check_enough
from deniable.learn.method import Method, TreeSettings
from deniable.learn.task import Task
from deniable.learn.tree.grow import Node
from deniable.learn.tree.prune import join_alike
from deniable.survey.cutting import coarser, cut_into
from deniable.survey.question import Question

COARSE_CELLS, COARSE_BINS = 10, 24
FINE_CELLS, FINE_BINS = 23, 40  # for each of three questions
MAX_BINS = 100  # for each of one or two questions
MAX_CELLS = 60  # for each question, where there are fewer than three or some have few cells
MAX_WHOLE = 24  # whole numbers that get a cell each
TOLERANCE, MAX_STEPS = 0.002, 250  # of the coarse reconstruction
EXTENDED = 2  # pairs, the best ones, that a third question may join
HELD_OUT = 5  # every fifth reply is held out to decide when to stop


class Joint(Method):
    """The chosen questions' cells with their reconstructed people; all others have one cell."""

    for_numbers = True
    for_all_questions = False
    smooth = True
    pruned = False
    min_people, min_gain = 100.0, 1e-5

    def cut(self, task: Task) -> Task:
        """The same task with the chosen questions (chosen now unless given) cut as on the fine grid."""
        check_enough(task)
        return _on_fine_grid(task, task.chosen or chosen_questions(task))

    def people(self, task: Task) -> PlainSubpopulation:
        axes, kept, rest = _on_grid(task)
        shares = grid_by_held_out(kept, rest, axes)
        classes, count = _classes(task)
        people = np.bincount(classes, minlength=count)
        masses = np.maximum(_true_classes(task) @ (people[:, None] * shares.reshape(-1, count).T), 0)
        return PlainSubpopulation.root(_records(task, task.chosen, masses * (len(classes) / masses.sum())))

    def finish(self, tree: Node, settings: TreeSettings) -> None:
        """Join leaves with the same label; only now, because the selection judges the finer tree."""
        if settings.prune == "auto" and settings.stop_at_noise:
            join_alike(tree)


def _finest(task: Task, chosen: Sequence[int]) -> int:
    """The most cells per number for which the grid is no larger than that of three questions."""
    for cells in range(MAX_CELLS, FINE_CELLS, -1):
        cut = _cut(task, cells, chosen)
        if prod(len(cut.questions[index]) for index in chosen) <= FINE_CELLS**3:
            return cells
    return FINE_CELLS


def _cut(task: Task, cells: int, indices: Sequence[int]) -> Task:
    questions = tuple(
        _cut_question(question, cells) if index in indices else question
        for index, question in enumerate(task.questions[:-1])
    )
    return replace(task, columns=QuestionColumns(questions))


def _cut_question(question: Question, cells: int) -> Question:
    """A number in few cells, of the collector's own edges if these were chosen."""
    cut = cut_into(question, cells, MAX_WHOLE)
    return coarser(cut, cells) if len(cut) > max(cells, MAX_WHOLE) else cut


def _on_grid(task: Task) -> tuple[list[ObservedQuestion], Floats, Floats]:
    """The chosen questions as axes, and the tables of replies that are kept and of those held out."""
    bins = MAX_BINS if len(task.chosen) < 3 else FINE_BINS
    axes = [axis(task, index, bins) for index in task.chosen]
    classes, count = _classes(task)
    held = np.arange(len(classes)) % HELD_OUT == HELD_OUT - 1
    kept, rest = (
        counted([each.part(rows) for each in axes], classes[rows], count)
        for rows in (np.flatnonzero(~held), np.flatnonzero(held))
    )
    return axes, kept, rest


def chosen_questions(task: Task) -> tuple[int, ...]:
    """The questions, at most three, with which the classes of replies held out are likeliest."""
    rivals = [_on_fine_grid(task, some) for some in rival_questions(task)]
    able = [each for each in rivals if _is_fine(each)] or rivals[:1]
    return able[0].chosen if len(able) == 1 else max(able, key=_likelihood).chosen


def _on_fine_grid(task: Task, chosen: tuple[int, ...]) -> Task:
    """The task cut for these questions."""
    return replace(_cut(task, _finest(task, chosen), chosen), chosen=chosen)


def _is_fine(task: Task) -> bool:
    """Whether no cell of the chosen numbers is wider than the noise is, by its standard deviation."""
    return not any(
        _is_coarse(task.design.channel(each.name), each) for each in map(task.questions.__getitem__, task.chosen)
    )


def _is_coarse(channel: Channel, question: Question) -> bool:
    limits = question.range
    if channel.noise is None or limits is None:
        return False
    widest = float(np.diff(limits.edges).max())
    return widest > max(channel.noise.sd * limits.step, 1.0 if limits.integer else 0.0)


def _likelihood(task: Task) -> float:
    axes, kept, rest = _on_grid(task)
    return likelihood_of_groups(kept, rest, axes)


def rival_questions(task: Task) -> list[tuple[int, ...]]:
    """The two questions that together predict the class best, and the best three."""
    coarse = _coarse(task)
    able = able_questions(task)
    if not able:
        raise BadRequest(
            "method",
            f"another one where no question of {MAX_WHOLE} answers or fewer has a lottery of its own",
            "joint",
            "use byclass or local",
        )
    axes = {index: axis(coarse, index, COARSE_BINS) for index in able}
    classes, count = _classes(task)
    shuffled = np.random.default_rng(0).permutation(classes)
    twice = np.concatenate([classes, shuffled + count])

    def score(some: tuple[int, ...]) -> float:
        return _gathered([axes[index] for index in some], twice, count)

    pairs = sorted(combinations(able, min(2, len(able))), key=score, reverse=True)
    wider = {tuple(sorted({*pair, index})) for pair in pairs[:EXTENDED] for index in able if index not in pair}
    return [pairs[0], *([max(sorted(wider), key=score)] if wider else [])]


def able_questions(task: Task) -> list[int]:
    """The indices of questions that can be reconstructed together with others."""
    coarse = _coarse(task)
    return [index for index in range(len(task.questions) - 1) if is_alone(coarse, index)]


def _coarse(task: Task) -> Task:
    return _cut(task, COARSE_CELLS, range(len(task.questions)))


def _gathered(axes: Sequence[ObservedQuestion], groups: NDArray[np.intp], count: int) -> float:
    """The score of some questions, as above; `groups` are the classes, then the shuffled ones."""
    twice = [replace(each, bins=np.concatenate([each.bins, each.bins])) for each in axes]
    shares = smooth_grid(counted(twice, groups, 2 * count), axes, TOLERANCE, MAX_STEPS)
    people = np.bincount(groups, minlength=2 * count) / (len(groups) / 2)
    masses = people[:, None] * shares.reshape(-1, 2 * count).T
    return float(masses[:count].max(axis=0).sum() - masses[count:].max(axis=0).sum())


def axis(task: Task, index: int, bins: int, cut: Question | None = None) -> ObservedQuestion:
    """A question of the task (in the cells of `cut`, if given) as an axis of a grid."""
    question = cut or task.questions[index]
    return ObservedQuestion.of(task.design.channel(question.name), question, task.reported[index], bins)


def is_alone(task: Task, index: int, most: float = MAX_WHOLE) -> bool:
    """Whether a question has a matrix of its own, and not too many cells."""
    question: Question = task.questions[index]
    channel = task.design.channel(question.name)
    return len(question) <= most and (channel.is_clear or len(channel.group) == 1)


def _classes(task: Task) -> tuple[NDArray[np.intp], int]:
    """The reported class of each reply, and how many there may be."""
    return task.reported[-1].astype(np.intp), len(task.design.reported(task.questions[-1]))


def _true_classes(task: Task) -> Floats:
    """The inverse of the target's channel: [true, reported]."""
    name = task.questions[-1].name
    return question_inverse(task.design, name)


def _records(task: Task, chosen: Sequence[int], masses: Floats) -> Records:
    """Each combination of cells and class as one record, with the people estimated there."""
    sizes = tuple(len(question) for question in task.questions)
    shape = (len(masses), *(sizes[index] for index in chosen))
    cells = np.unravel_index(np.arange(masses.size), shape)
    known = {index: column.astype(np.int16) for index, column in zip((-1, *chosen), cells, strict=True)}
    nowhere = np.zeros(masses.size, dtype=np.int16)
    columns = [known.get(index, nowhere) for index in range(len(sizes) - 1)]
    return Records((*columns, known[-1]), sizes, masses.ravel())

"""Learning method: how it cuts numbers, estimates people from replies, and grows a tree on them."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from deniable.inference.population.subpopulation import Subpopulation
from deniable.learn.task import Task
from deniable.learn.tree.grow import Grower, Node
from deniable.learn.tree.mdl import prune_by_length

MIN_PEOPLE = 50.0  # at a node whose numbers are under noise


@dataclass(frozen=True)
class TreeSettings:
    """How a tree is to grow."""

    criterion: str
    multiway: bool  # one child per answer of a nominal question
    stop_at_noise: bool
    prune: str | None  # "auto", "mdl", or none
    max_depth: int | None
    max_leaves: int | None
    min_bits: float = 0.0  # instead of exceeding the noise, if so many


class Method(ABC):
    """A way to estimate true people from replies, and its consequences for a tree."""

    for_numbers: ClassVar[bool] = False  # only where numbers are under noise
    for_all_questions: ClassVar[bool] = True  # its tables hold for everybody and every question, as naive Bayes needs
    corrected: ClassVar[bool] = True  # for the disguise
    modelled: ClassVar[bool] = True  # its counts come from a model whose own error is unknown
    smooth: ClassVar[bool] = False  # its counts have no noise left to test a split against
    pruned: ClassVar[bool] = True  # by description length, where numbers are under noise
    max_leaves: ClassVar[int | None] = None
    min_people: ClassVar[float] = 0.0  # at a node that may be split
    min_gain: ClassVar[float] = -1.0
    min_bits: ClassVar[float] = 0.0  # that a split must gain about the classes of all people

    def cut(self, task: Task) -> Task:
        """The task with its numbers cut for this method; by default as in the design."""
        return task

    @abstractmethod
    def people(self, task: Task) -> Subpopulation:
        """All people, as this method estimates them."""

    def grow(self, task: Task, people: Subpopulation, settings: TreeSettings) -> Node:
        """The tree on these people, pruned where that takes no other replies."""
        careful = bool(task.under_noise) and settings.stop_at_noise
        by_length = settings.prune == "mdl" or (settings.prune == "auto" and careful and self.pruned)
        tested = settings.stop_at_noise and not self.smooth
        grower = Grower(
            settings.criterion,
            task.columns.ordered,
            multiway=settings.multiway,
            stop_at_noise=tested and not settings.min_bits and (people.uncertain or not by_length),
            looks_ahead=tested,
            max_depth=settings.max_depth,
            max_leaves=self.max_leaves if settings.max_leaves is None else settings.max_leaves,
            min_people=max(self.min_people, MIN_PEOPLE if careful else 0.0),
            min_gain=self.min_gain,
            min_bits=max(settings.min_bits, self.min_bits),
        )
        tree = grower.grow(people)
        if by_length:
            prune_by_length(tree, task.columns.ordered)
        return tree

    def finish(self, tree: Node, settings: TreeSettings) -> None:
        """Change the finished tree in place; by default nothing."""
        return

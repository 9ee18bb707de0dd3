"""Trees of everything but the numbers under noise.

Where the class is disguised too, a number under noise may tell less than its reconstruction errs. So a method for
lotteries of answers learns from the other questions alone, and its tree competes with those that use the numbers.
"""

from dataclasses import dataclass, replace

from deniable.inference.population.subpopulation import Subpopulation
from deniable.learn.columns import QuestionColumns
from deniable.learn.method import Method, TreeSettings
from deniable.learn.task import Task
from deniable.learn.tree.grow import Node


@dataclass(frozen=True)
class WithoutNumbers(Method):
    """Another method, which is not shown the numbers under noise."""

    other: Method

    def people(self, task: Task) -> Subpopulation:
        """All people, by the questions that are left."""
        return self.other.people(self._rest(task))

    def grow(self, task: Task, people: Subpopulation, settings: TreeSettings) -> Node:
        tree = self.other.grow(self._rest(task), people, settings)
        kept = kept_questions(task)
        for node in tree.nodes():
            if node.split is not None:
                node.split = node.split._replace(question=kept[node.split.question])
        return tree

    def finish(self, tree: Node, settings: TreeSettings) -> None:
        self.other.finish(tree, settings)

    def _rest(self, task: Task) -> Task:
        """The task without the numbers, as the other method cuts it."""
        kept = kept_questions(task)
        columns = QuestionColumns(tuple(task.questions[index] for index in kept))
        reported = [task.reported[index] for index in kept]
        return self.other.cut(replace(task, columns=columns, reported=(*reported, task.reported[-1])))


def kept_questions(task: Task) -> list[int]:
    """The indices of all other questions."""
    return [index for index in range(len(task.questions) - 1) if index not in task.under_noise]


def can_do_without_numbers(task: Task) -> bool:
    """Whether there are other questions, and nobody skipped any of them."""
    kept = kept_questions(task)
    return bool(kept) and not task.absent.intersection(kept)

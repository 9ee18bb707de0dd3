"""All people by signed weights of their replies."""

from deniable.inference.invert.factored import InverseDesign
from deniable.inference.population.disguised import WeightedSubpopulation
from deniable.inference.population.records import Records
from deniable.learn.task import Task


def weighted(task: Task, records: Records | None = None) -> WeightedSubpopulation:
    """All people, by signed weights of their replies (or of other replies to the same questions)."""
    return WeightedSubpopulation.root(records or task.records, InverseDesign.of(task.design, task.questions))

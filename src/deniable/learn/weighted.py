"""All people by signed weights of their replies."""

from deniable.inference.invert.factored import InverseDesign
from deniable.inference.population.disguised import WeightedSubpopulation
from deniable.inference.population.records import Records
from deniable.learn.task import Task


def weighted(task: Task, records: Records | None = None) -> WeightedSubpopulation:
    """All people, by signed weights of their replies (or of other replies to the same questions)."""
    known = records or (task.unsorted_records if _sums_are_exact(task) else task.records)
    return WeightedSubpopulation.root(known, InverseDesign.of(task.design, task.questions))


def _sums_are_exact(task: Task) -> bool:
    """Whether the order of replies cannot matter.

    In one Warner group replies agree with all conditions or contradict them all. So they are counted, two weight
    classes at most, before they are weighed, and sums of whole numbers are the same in any order.
    """
    return len(task.channels) == 1 and task.channels[0].is_flip and task.unsorted_records.has_whole_counts

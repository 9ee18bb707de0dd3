"""Trees distilled from naive Bayes, for questions with more answers than the pairwise model has room for."""

from deniable.inference.population.independent import IndependentSubpopulation
from deniable.inference.population.subpopulation import Subpopulation
from deniable.learn.method import Method
from deniable.learn.smooth import learnt_shares, shrunk_people
from deniable.learn.task import Task
from deniable.learn.usual_errors import usual_errors
from deniable.learn.weighted import weighted

MAX_LEAVES, MIN_BITS = 1024, 1.0  # each leaf costs little, and nothing but counting to learn


class Naive(Method):
    """All people as the default naive Bayes classifier has them."""

    smooth = True
    max_leaves = MAX_LEAVES
    min_bits = MIN_BITS

    def people(self, task: Task) -> Subpopulation:
        estimated, errors = weighted(task), usual_errors(task)
        found = shrunk_people(estimated.target(), estimated.tables(), errors)
        classes, answers = learnt_shares(found.classes, found.tables, "auto", errors.noises, found.kept)
        return IndependentSubpopulation(task.n, classes, tuple(answers))

"""Choice of a method, by the design and by evidence.

The design says which methods there are, and in which order they come. The first is taken unless the tree that another
one learns from two thirds of the replies classifies more of the rest rightly, by two standard errors of the difference.
No truth is needed: a reply's signed weight for being classified rightly is known (`tree.right`). Where there are too
few replies to choose, nothing is held out.

    a few Warner groups         latent, shrunk, inverse; without latent where it contradicts the unbiased estimates
    every other lottery         shrunk, inverse; naive where the pairwise model has no room for all answers
    versions                    pairs, since no reply tells more
    nothing disguised           inverse: splits that exceed the noise, or gain four bits, or one
    numbers under noise         joint, local, byclass, shrunk without the numbers; where the target is disguised too,
                                shrunk without the numbers, local

Numbers under noise have no such weights. There the likelihood of held-out classes decides (`selection`), and a lead of
one standard error is enough.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

from deniable.errors import NotInvertible
from deniable.inference.population.subpopulation import PlainSubpopulation, Subpopulation
from deniable.learn.discretize import check_enough, too_few
from deniable.learn.held_out import first_or_leader, kept_and_held
from deniable.learn.merged import with_room
from deniable.learn.method import Method, TreeSettings
from deniable.learn.methods import BETTER_ASK, METHODS, doubt, hidden_draws, warner_groups
from deniable.learn.noisy.joint import chosen_questions
from deniable.learn.noisy.without import WithoutNumbers, can_do_without_numbers
from deniable.learn.pairs import FinePairs
from deniable.learn.selection import Candidate, can_judge, grown_and_held, likeliest_tree
from deniable.learn.task import Task
from deniable.learn.tree.grow import Node
from deniable.learn.tree.right import is_right, right_weights
from deniable.learn.weighted import weighted

MIN_TO_CHOOSE = 500  # replies, of which a third can choose between two trees
MIN_UNDER_NOISE = 1000
LEAD, LEAD_UNDER_NOISE = 2.0, 1.0  # standard errors of the differences
SMALL_GAINS = (4.0, 1.0)  # bits about the classes of undisguised people
MAX_OF_SMALL_GAINS = 50_000  # people, of whom more would take long and lose little


@dataclass(frozen=True)
class Choice:
    """A method, and the task as it is to be learnt."""

    method: str
    task: Task
    settings: TreeSettings
    people: Subpopulation | None = None  # as the method estimates them, if already known
    note: str = ""  # a warning about the choice
    set_up: Method | None = None  # the method in another form than the one of its name

    @property
    def how(self) -> Method:
        return self.set_up or METHODS[self.method]


def chosen_method(task: Task, settings: TreeSettings) -> Choice:
    """The best method for a task."""
    if task.under_noise:
        return _for_numbers(task, settings)
    if task.versions:
        return Choice("pairs", task, settings, set_up=FinePairs())
    if not settings.stop_at_noise or task.absent:
        return Choice("inverse", task, settings)
    if task.is_clear:
        return _for_clear(task, settings)
    return _for_lotteries(task, settings)


def latent(task: Task, settings: TreeSettings) -> Choice:
    """Latent, with a warning if its draws contradict the unbiased estimates."""
    draws = hidden_draws(task)
    note = doubt(task, draws)
    note = f"{note}; {BETTER_ASK}" if note else ""
    return Choice("latent", task, settings, PlainSubpopulation.root(draws.records), note)


def _for_clear(task: Task, settings: TreeSettings) -> Choice:
    """A tree that stops at noise, unless held-out people say that smaller gains pay."""
    if settings.prune == "mdl":
        return Choice("inverse", task, settings)
    rivals = [settings, *(replace(settings, min_bits=bits) for bits in SMALL_GAINS)]
    best = 0
    if MIN_TO_CHOOSE <= task.n <= MAX_OF_SMALL_GAINS:
        kept, held = kept_and_held(task)
        right = [is_right(_grown("inverse", kept, each), held.records) for each in rivals]
        best = first_or_leader(right, held.records.counts, LEAD)
    return Choice("inverse", task, rivals[best])


def _for_lotteries(task: Task, settings: TreeSettings) -> Choice:
    if not warner_groups(task):
        crowded = bool(with_room(task).merged)
        return _best(task, settings, ["shrunk", "naive", "inverse"] if crowded else ["shrunk", "inverse"])
    draws = hidden_draws(task)
    note = doubt(task, draws)
    if not note:
        found = _best(task, settings, ["latent", "shrunk", "inverse"])
        known = PlainSubpopulation.root(draws.records) if found.method == "latent" else None
        return replace(found, people=known)
    found = _best(task, settings, ["shrunk", "inverse"])
    return replace(found, note=f"{note}; learnt by {found.method} instead")


def _best(task: Task, settings: TreeSettings, methods: Sequence[str]) -> Choice:
    """The first of these methods, or the one whose tree classifies more of the held-out people rightly."""
    if task.n < MIN_TO_CHOOSE:
        return Choice(methods[0], task, settings)
    kept, held = kept_and_held(task)
    try:
        people = weighted(held)
    except NotInvertible:  # so that neither inverse nor a score is possible
        return Choice("shrunk", task, settings)
    right = [right_weights(_grown(each, kept, settings), people) for each in methods]
    return Choice(methods[first_or_leader(right, people.records.counts, LEAD)], task, settings)


def _grown(method: str, task: Task, settings: TreeSettings) -> Node:
    """The tree that a method learns."""
    return _learnt(Choice(method, task, settings)).tree


def _learnt(rival: Choice) -> Candidate:
    """A tree, and how its questions are cut; what its method warns of is left to the one that is chosen."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cut = rival.how.cut(rival.task)
        return Candidate(rival.how.grow(cut, rival.how.people(cut), rival.settings), cut.columns)


def _for_numbers(task: Task, settings: TreeSettings) -> Choice:
    """The method under whose tree the classes of held-out replies are likeliest; local where nothing can be judged."""
    check_enough(task)
    grown, held = grown_and_held(task)
    local = Choice("local", task, settings)
    if task.n < MIN_UNDER_NOISE or too_few(grown) or not can_judge(task):
        return local
    rivals = _rivals_of_local(local)
    if len(rivals) == 1:
        return local
    found = [_learnt(replace(each, task=replace(grown, chosen=each.task.chosen))) for each in rivals]
    lead = LEAD_UNDER_NOISE if task.design.is_clear(task.target.name) else 0.0  # weak evidence favours nobody
    return rivals[likeliest_tree(found, grown, held, lead)]


def _rivals_of_local(local: Choice) -> list[Choice]:
    """Local and its rivals, the first of which is kept in doubt.

    Joint is judged with the questions that it keeps. Where the target is disguised it would have to invert and clip
    tables of reported classes, which is too rough.
    """
    task, others = local.task, []
    if can_do_without_numbers(task):
        others.append(replace(local, method="shrunk", set_up=WithoutNumbers(METHODS["shrunk"])))
    if not task.design.is_clear(task.target.name):
        return [*others, local]
    known = replace(local, task=replace(task, chosen=chosen_questions(task)))
    return [replace(known, method="joint"), local, replace(local, method="byclass"), *others]

"""Learning methods: ways to estimate true people from replies.

inverse   signed weights of the replies, unbiased
bayes     maximum likelihood records, with no model but the lottery
latent    records after guessing each respondent's draws, for a few Warner groups
pairs     a log-linear model of all pairs of questions
shrunk    the likeliest records, shrunk towards that model: for every other design
naive     naive Bayes, for questions of very many answers
global    numbers reconstructed once for everybody; byclass, once for each class; local, again at every node
joint     a few numbers reconstructed together
none      replies taken for the truth: the baseline for comparisons
"""

from collections.abc import Sequence

from deniable.errors import BadRequest
from deniable.errors.warn import warn
from deniable.inference.em.joint import likeliest_records
from deniable.inference.population.subpopulation import PlainSubpopulation, Subpopulation
from deniable.inference.truth.latent import MAX_GROUPS, HiddenDraws, guess_draws
from deniable.learn.method import Method
from deniable.learn.naive import Naive
from deniable.learn.noisy.joint import Joint
from deniable.learn.noisy.local import ByClass, Global, Local, Uncorrected, everybody
from deniable.learn.pairs import Pairs
from deniable.learn.shrunk import Shrunk
from deniable.learn.task import Task, refuse_noise_of_versions
from deniable.learn.weighted import weighted

BETTER_ASK = "try method='pairs'"


class Inverse(Method):
    """All people by signed weights of their replies; undisguised ones as they are."""

    modelled = False

    def people(self, task: Task) -> Subpopulation:
        if task.absent and not task.under_noise:
            return everybody(task)  # respondents who skip a number follow every branch, weighted by its share
        return PlainSubpopulation.root(task.records) if task.is_clear else weighted(task)


class Bayes(Method):
    """All people by the likeliest records."""

    def people(self, task: Task) -> Subpopulation:
        return PlainSubpopulation.root(likeliest_records(task.records, task.design, task.questions))


class Latent(Method):
    """All people by the records behind guessed draws."""

    def people(self, task: Task) -> Subpopulation:
        draws = hidden_draws(task)
        if draws.contradicted:
            warn(f"{doubt(task, draws)}; {BETTER_ASK}")
        return PlainSubpopulation.root(draws.records)


METHODS: dict[str, Method] = {
    "inverse": Inverse(),
    "bayes": Bayes(),
    "latent": Latent(),
    "pairs": Pairs(),
    "shrunk": Shrunk(),
    "naive": Naive(),
    "global": Global(),
    "byclass": ByClass(),
    "local": Local(),
    "joint": Joint(),
    "none": Uncorrected(),
}


FOR_VERSIONS = ("auto", "pairs")


def check_method(task: Task, method: str, for_versions: Sequence[str] = FOR_VERSIONS) -> None:
    """Refuse a method that does not exist, or that is for other designs."""
    check_known(method)
    if method != "auto" and METHODS[method].for_numbers and task.given is not None and not task.under_noise:
        raise BadRequest("method", "for designs with a number under noise", method, "use auto")
    if task.versions:
        refuse_noise_of_versions(task.design, task.questions)
    if task.versions and method not in for_versions:
        expected = f"{' or '.join(for_versions)} where a design has versions, whose replies lack what was not asked"
        raise BadRequest("method", expected, method, "use auto")


def check_known(method: str) -> None:
    """Refuse a method that does not exist."""
    if method not in ("auto", *METHODS):
        raise BadRequest("method", f"one of auto, {', '.join(METHODS)}", method, "choose one of them")


def check_plain_method(task: Task, method: str) -> None:
    """Refuse a method for disguised replies where no design disguises them."""
    if task.given is None and method in METHODS and method not in ("inverse", "none"):
        raise BadRequest("method", "auto where no design disguises", method, "give the design, or use auto")


def warner_groups(task: Task) -> dict[tuple[int, ...], float]:
    """The thetas of a design's Warner groups, by the indices of their questions; empty for other designs."""
    names = [question.name for question in task.questions]
    groups: dict[tuple[int, ...], float] = {}
    for channel in task.channels:
        indices = tuple(names.index(name) for name in channel.names if name in names)
        if channel.says_the_truth:
            continue
        if not channel.is_flip or len(indices) < 2:
            return {}
        groups[indices] = channel.theta
    return groups if len(groups) <= MAX_GROUPS else {}


def hidden_draws(task: Task) -> HiddenDraws:
    """The guessed draws of a design of a few Warner groups."""
    groups = warner_groups(task)
    if not groups:
        raise BadRequest(
            "method", f"for designs of at most {MAX_GROUPS} Warner groups of two or more", "latent", "use pairs"
        )
    return guess_draws(task.records, list(groups), list(groups.values()))


def doubt(task: Task, draws: HiddenDraws) -> str:
    """A sentence on what guessed draws contradict; empty if they agree with the unbiased estimates."""
    names = [task.questions[index].name for index in draws.contradicted]
    return f"the guessed draws contradict the unbiased estimates of {' and '.join(names)}" if names else ""

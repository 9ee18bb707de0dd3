"""Attack: what a clever collector finds out from replies: `dn.attack`.

The collector knows the design, fits a model of the truth to the replies, and guesses each respondent's answers by
Bayes' rule: answer by answer, and whole records. Answers in the clear help to guess the others; they are not counted
among the guesses. Beside it stands guessing from the estimated shares alone, which needs
no reply of the person in question. Where the truth is given, guesses are counted against it; where not, the figures are
those that the model expects of itself.

No reply moves the odds of two records by more than e^epsilon.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import exp, isinf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.channel.design import Design, check_design
from deniable.count.counts import Distinct
from deniable.count.replies import counts_of
from deniable.deniability.epsilon import epsilon_word, ratio_of, ratio_word, reply_epsilon, rounded_up
from deniable.errors import BadRequest
from deniable.frame.columns import true_columns
from deniable.frame.frames import arrow, eager
from deniable.frame.in_memory import drawn_people
from deniable.frame.spark import is_spark
from deniable.inference.poisoning import most_shift
from deniable.inference.query.expression import equals_text
from deniable.judge.believed import Beliefs, Population
from deniable.judge.simulate import simulated_replies
from deniable.notebook import notebook_html
from deniable.survey.whole import is_whole

SAMPLE = 1000  # replies that are attacked, or people who are simulated
KNOWN = 250  # of them, of whom one answer is known
FAKES = (0.01, 0.05)

Cells = NDArray[np.int64]


@dataclass(frozen=True)
class Guessed:
    """The share of answers, or of records, that are guessed rightly; with the replies and from shares alone."""

    guessed: float
    from_margins: float

    def to_json(self) -> dict[str, float]:
        """By name."""
        return {"guessed": self.guessed, "from_margins": self.from_margins}


@dataclass(frozen=True)
class Waves:
    """Guesses after several replies of the same people: with a lottery for each, and with a device that remembers."""

    waves: int
    fresh: Guessed  # answers, of simulated people if there are several waves
    fresh_records: Guessed
    remembered: Guessed  # answers: a device that remembers sends the one reply again, which tells nothing more

    def to_json(self) -> dict[str, Any]:
        """By name."""
        return {
            "waves": self.waves,
            "fresh": {"answers": self.fresh.guessed, "records": self.fresh_records.guessed},
            "remembered": {"answers": self.remembered.guessed},
        }


@dataclass(frozen=True)
class Bounds:
    """The shares of answers and of records that epsilon lets anybody guess rightly, at most.

    What has the chance p beforehand, at most, has at most  E p / (1 + (E - 1) p)  after a reply,  E = e^epsilon.
    """

    answers: float
    records: float

    @classmethod
    def of(cls, population: Population, epsilon: float) -> "Bounds":
        """Of replies by these people."""
        if isinf(epsilon):
            return cls(1.0, 1.0)
        answers = [_raised(float(each.max()), epsilon) for each in population.margins()]
        return cls(float(np.mean(answers)), _raised(float(population.shares.max()), epsilon))


def _raised(chance: float, epsilon: float) -> float:
    return chance / (chance + (1 - chance) * exp(-epsilon))


@dataclass(frozen=True)
class Attack:
    """What a clever collector finds out."""

    answers: Guessed
    records: Guessed
    known: tuple[str, float] | None  # the question whose answer, once known, reveals most of the others, and how much
    waves: Waves
    fakes: dict[float, float | None]  # share of made-up replies: how far they can move a share, at most
    bounds: Bounds
    odds_moved: float  # the most that a reply moved the odds of two records, times
    exact: float  # epsilon of a whole reply before it is rounded up
    n: int
    counted: bool  # against the truth, or expected by the model
    left_out: tuple[str, ...] = ()
    in_the_clear: tuple[str, ...] = ()  # questions that help to guess others, but whose answers are not counted
    redrawn: int = 0  # people about whom guesses are counted, with replies drawn anew; 0 where they are their own

    @property
    def epsilon(self) -> float:
        """Epsilon of a whole reply."""
        return rounded_up(self.exact)

    @property
    def whole_record(self) -> str:
        """What of a person is guessed as a whole: answers, or disguised answers, but those that are left out."""
        but = f" but {', '.join(self.left_out)}" if self.left_out else ""
        return f"{'disguised ' * bool(self.in_the_clear)}answers{but}"

    def to_json(self) -> dict[str, Any]:
        """As JSON; shares of made-up replies are texts."""
        known = None if self.known is None else {"question": self.known[0], "others": self.known[1]}
        return {
            "answers": self.answers.to_json(),
            "records": self.records.to_json(),
            "known": known,
            "waves": self.waves.to_json(),
            "fakes": {f"{share:g}": shift for share, shift in self.fakes.items()},
            "bounds": vars(self.bounds),
            "odds_moved": epsilon_word(self.odds_moved),
            "epsilon": epsilon_word(self.epsilon),
            "n": self.n,
            "note": " ".join(self.sentences),
        }

    @property
    def sentences(self) -> list[str]:
        """What was found, in plain words."""
        how = "are guessed rightly" if self.counted else "should be guessed rightly by the collector's own model"
        other = f" other than {', '.join(self.left_out)}" if self.left_out else ""
        answers = f"{'disguised ' * bool(self.in_the_clear)}answers"
        found = [
            f"Of the {answers} {self.answers.guessed:.1%} {how}, against {self.answers.from_margins:.1%} without any "
            "reply of the person.",
            f"All {self.whole_record} of one person are guessed rightly for {self.records.guessed:.1%} of the people, "
            f"against {self.records.from_margins:.1%}.",
        ]
        if self.known is not None:
            found.append(
                f"Somebody who knows a person's answer to {self.known[0]} guesses {self.known[1]:.1%} of the others."
            )
        if self.waves.waves > 1:
            found.append(
                f"After {self.waves.waves} waves with fresh lotteries it is {self.waves.fresh.guessed:.1%} of the "
                f"{answers} (simulated); with a device that remembers it is still {self.waves.remembered.guessed:.1%}."
            )
        if isinf(self.epsilon):
            found.append("Epsilon is infinite: some replies rule some answers out, and there is no bound.")
        else:
            found.append(
                f"No reply can make one set of true {answers}{other} more than {ratio_word(ratio_of(self.exact))} "
                f"times as likely, against any other, as it was before; the most that any did is "
                f"{self.odds_moved:,.1f} times. "
                f"So nobody could guess more than {self.bounds.answers:.1%} of the {answers}{other}, and all of them "
                f"for {self.bounds.records:.1%} of the people."
            )
        if self.redrawn:
            found.append(
                f"Guesses are about {self.redrawn:,} of the people, with replies drawn anew, since Spark keeps no "
                "order by which to find their own."
            )
        if self.in_the_clear:
            found.append(f"Sent as they are, and not counted: {', '.join(self.in_the_clear)}.")
        if self.left_out:
            found.append(f"Not attacked: {', '.join(self.left_out)}.")
        return found

    def __repr__(self) -> str:
        return f"<Attack: {self.answers.guessed:.3f} of answers, {self.records.guessed:.3f} of records guessed>"

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    def _repr_html_(self) -> str:
        return notebook_html("attack", self)


def attack(design: Design, replies: Any, true: Any = None, waves: int = 1) -> Attack:
    """What a clever collector finds out from these replies.

    With `true`, a frame of the same people's true answers row by row, guesses are counted against it; the replies must
    then be a frame too. Of true answers on Spark, which keeps no order, some people's are taken, and replies to them
    drawn anew. `waves` is how often the same people are asked.
    """
    check_design(design)
    if not is_whole(waves, 1):
        raise BadRequest("waves", "1 or more", waves, "say how often the same people are asked")
    row_by_row = true is not None and not is_spark(true)
    counts, part = counts_of(design, replies, one_by_one=row_by_row), _with_answers(design)
    names = [name for name in part.names if name in counts.names]
    rows = counts.distinct(part.columns_of(names), answered=False)
    population = Population.behind(part, rows, names)
    if true is None or row_by_row:
        truth = _truth(population, true, rows) if row_by_row else None
        people = population if truth is None else population.of_people(truth)
        some, truth = _sampled(rows, truth)
    else:
        some, truth = _drawn_anew(part, population, true)
        people = population.of_people(truth)
    beliefs = population.beliefs(part, [some])
    clear = tuple(name for name in population.names if design.is_clear(name))
    kept = [index for index, name in enumerate(population.names) if name not in clear] or [*range(len(clear))]
    answers, records = _guessed(beliefs, kept, truth)
    return Attack(
        answers, records, _most_revealing(beliefs, kept), _in_waves(part, population, kept, waves, answers, records),
        {share: _most_moved(part, population, share) for share in FAKES},
        Bounds.of(people, reply_epsilon(part)), beliefs.odds_moved, reply_epsilon(design), counts.n,
        truth is not None,
        tuple(name for name in design.names if name not in population.names),
        clear if len(clear) < len(population.names) else (),
        0 if row_by_row or truth is None else truth.shape[1],
    )  # fmt: skip


def _with_answers(design: Design) -> Design:
    """The part of a design that asks for answers: numbers, and reports that depend on two answers, are not attacked."""
    kept = [block for block in design.blocks if not any(each.is_number or each.beside for each in block.questions)]
    if not kept:
        found = (
            "numbers alone" if all(each.is_number for each in design.questions) else "reports of two answers at once"
        )
        raise BadRequest("replies", "answers to questions with answers", found, "look at deniable privacy")
    names = [name for block in kept for name in block.names]
    order = [name for name in design.names if name in names]
    return Design(kept, order=order, check_text=False)


def _truth(population: Population, true: Any, rows: Distinct) -> Cells:
    """The true cells, [question, reply]."""
    frame = eager(true, "true")
    found = true_columns(population.questions, lambda name: arrow(frame[name]), frame.columns)
    if len(frame) != (replies := round(rows.counts.sum())):
        raise BadRequest("true", f"one row for each of the {replies:,} replies", f"{len(frame):,} rows",
                         "give the truth of the same people in the same order")  # fmt: skip
    if len(frame) != len(rows.counts):
        raise BadRequest("replies", "a frame in memory where the truth is given, row by row",
                         "replies that are counted where they are", "read them into a frame")  # fmt: skip
    return np.array([found[name] for name in population.names], dtype=np.int64)


def _drawn_anew(design: Design, population: Population, true: Any) -> tuple[Distinct, Cells]:
    """Replies of some people of a Spark frame, drawn by the design's lotteries, and their true cells."""
    if any(block.chosen for block in design.versioned):
        raise BadRequest("true", "in memory, row by row, where people chose their version", "a Spark frame",
                         "read a part of both into frames")  # fmt: skip
    frame = drawn_people(true, population.names, SAMPLE, "true")
    if not len(frame):
        raise BadRequest("true", "at least one person's answers", "none", "give some, or leave it out")
    found = true_columns(population.questions, lambda name: arrow(frame[name]), frame.columns)
    return _simulated(design, found, np.random.default_rng(2)), np.array([*found.values()], dtype=np.int64)


def _simulated(design: Design, people: Mapping[str, Cells], rng: np.random.Generator) -> Distinct:
    """Replies of people whose true answers to some questions are known; nobody looks at those to others."""
    count = len(next(iter(people.values())))
    others = {name: np.zeros(count, dtype=np.int64) for name in design.names if name not in people}
    return simulated_replies(design, others | {name: each.astype(np.int64) for name, each in people.items()}, rng)


def _sampled(rows: Distinct, truth: Cells | None) -> tuple[Distinct, Cells | None]:
    """As many of the replies as are attacked, drawn once and for all."""
    if truth is None:
        return rows.one_by_one(SAMPLE), None
    picked = np.random.default_rng(0).permutation(len(rows.counts))[:SAMPLE]
    columns = {name: column[picked] for name, column in rows.columns.items()}
    return Distinct(columns, np.ones(len(picked))), truth[:, picked]


def _guessed(beliefs: Beliefs, kept: list[int], truth: Cells | None) -> tuple[Guessed, Guessed]:
    """How often answers to the kept questions, and all of them, are guessed rightly: against the truth, or expected."""
    population = beliefs.population
    margins = [population.margins()[index] for index in kept]
    modes = np.array([int(each.argmax()) for each in margins])
    each_answer = [beliefs.of(population.names[index]) for index in kept]
    if truth is None:
        answers = Guessed(float(np.mean([each.max(axis=1).mean() for each in each_answer])),
                          float(np.mean([each.max() for each in margins])))  # fmt: skip
        alike = (population.cells[kept] == modes[:, None]).all(axis=0)
        surest = beliefs.chances_together(kept).max(axis=1)
        return answers, Guessed(float(surest.mean()), float(population.shares[alike].sum()))
    truth, guesses = truth[kept], np.array([each.argmax(axis=1) for each in each_answer])
    answers = Guessed(float((guesses == truth).mean()), float((modes[:, None] == truth).mean()))
    whole = (beliefs.records()[kept] == truth).all(axis=0), (modes[:, None] == truth).all(axis=0)
    return answers, Guessed(float(whole[0].mean()), float(whole[1].mean()))


def _most_revealing(beliefs: Beliefs, kept: list[int]) -> tuple[str, float] | None:
    """The question whose answer, once known, reveals most of the others; and the share of these guessed rightly."""
    names = [beliefs.population.names[index] for index in kept]
    if len(names) < 2:
        return None
    some = replace(beliefs, chances=beliefs.chances[:KNOWN])
    found = {name: some.right_if_known(name, names) for name in names}
    best = max(found, key=found.__getitem__)
    return best, found[best]


def _in_waves(
    design: Design, population: Population, kept: list[int], waves: int, answers: Guessed, records: Guessed
) -> Waves:
    """Guesses after one reply, and about people who are drawn from the model and asked several times."""
    if waves == 1:
        return Waves(waves, answers, records, answers)
    rng = np.random.default_rng(1)
    people = population.drawn(SAMPLE, rng)
    asked = [_simulated(design, people, rng) for _ in range(waves)]
    truth = np.array([people[name] for name in population.names])
    return Waves(waves, *_guessed(population.beliefs(design, asked), kept, truth), answers)


def _most_moved(design: Design, population: Population, fakes: float) -> float | None:
    """How far so many made-up replies can move the share of an answer, at most."""
    shifts = [
        most_shift(design, equals_text(question.name, question.answers[question.sensitive_cell]), fakes)
        for question in population.questions
        if question.range is None
    ]
    return max((each for each in shifts if each is not None), default=None)

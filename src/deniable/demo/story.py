"""What is learnt from a sample's replies, beside its truth: shares, a regression, trees, two attacks.

Only for people whose truth may be shown, because they are made up or their answers are public: a collector never has
it.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from deniable.channel.design import Design
from deniable.channel.schemes import clear
from deniable.count.counts import Counts
from deniable.count.replies import counts_of
from deniable.device.disguise import disguise
from deniable.errors import DeniableError, MissingPackage
from deniable.evaluate.score import score
from deniable.extras import needed_for
from deniable.inference.estimates import Estimate
from deniable.inference.shares import estimate
from deniable.judge.attack import Attack, attack
from deniable.learn.decision_tree import TreeClassifier
from deniable.survey.question import Question

if TYPE_CHECKING:
    from deniable.regression.regression import Regression

ATTACKED = 5_000  # people


@dataclass(frozen=True)
class Sample:
    """People whose truth is known, and what is asked of them."""

    about: Sequence[str]
    design: Design
    target: str
    people: pa.Table
    training: int  # the first so many grow trees, all others test them
    asked: Sequence[str]  # shares
    crossed: tuple[str, str]  # the questions of the cross-table
    formula: str  # of the regression
    together: tuple[str, ...]  # questions of a small tree, which replies can test
    paper: Design  # one draw for everything
    in_two: pa.Table  # the people as it asks them

    @cached_property
    def answered(self) -> pa.Table:
        """The true answers in the design's own words: merged answers as one, and intervals for numbers told so."""
        return pa.table({each.name: _in_words(each, self.people.column(each.name)) for each in self.design.questions})


class Share(NamedTuple):
    """A share: true, as the replies have it, and as it is estimated from them."""

    text: str
    true: float
    reported: float | None  # where all are asked for it in its own words
    found: Estimate


class Accuracy(NamedTuple):
    """How often a classifier is right about people it has not learnt from, and what their disguised replies tell."""

    name: str
    true: float
    found: Estimate | None


@dataclass(frozen=True)
class Story:
    """A sample, what it sent, and what comes of that."""

    sample: Sample
    replies: pa.Table
    seed: int | None = None  # of the paper's lottery

    @property
    def design(self) -> Design:
        """How it was asked."""
        return self.sample.design

    @cached_property
    def counts(self) -> Counts:
        """What is counted of the replies."""
        return counts_of(self.design, self.replies)

    @cached_property
    def number(self) -> str | None:
        """A number under noise, if one is asked."""
        return next((name for name in self.design.names if self.design.has_noise(name)), None)

    @cached_property
    def shares(self) -> list[Share]:
        """What was asked for."""
        return [
            Share(text, _as_it_stands(self.design.questions, self.sample.answered, text), self._reported(text),
                  estimate(self.design, self.counts, text))
            for text in self.sample.asked
        ]  # fmt: skip

    def _reported(self, text: str) -> float | None:
        """What the replies say themselves, if they all answer all of it."""
        if self.design.versioned:
            return None
        return _as_it_stands([self.design.reported(each) for each in self.design.questions], self.replies, text)

    @cached_property
    def regression(self) -> "Regression | None":
        """The regression, if the packages that it needs are there."""
        try:
            with needed_for("the regression"):
                from deniable.regression.regress import regress

                return regress(self.design, self.replies, self.sample.formula)
        except MissingPackage:
            return None

    @cached_property
    def tree(self) -> TreeClassifier:
        """The tree that is learnt from disguised replies."""
        return self._grown(self.design, self.replies)

    @cached_property
    def small_tree(self) -> TreeClassifier:
        """One that uses only what some people answered together."""
        return self._grown(self.design, self.replies, self.sample.together)

    @cached_property
    def accuracies(self) -> list[Accuracy]:
        """Of trees; at first what needs no learning, at last what could be had if everybody told the truth."""
        truth = self.sample.people.column(self.sample.target).to_pylist()
        usual, _ = Counter(truth[: self.sample.training]).most_common(1)[0]
        known = np.array(truth[self.sample.training :])
        trees = {
            "tree from disguised replies": self.tree,
            f"small tree from disguised replies ({', '.join(self.sample.together)})": self.small_tree,
            "tree from the truth": self._grown(*self._in_the_clear()),
        }
        if not self.design.versioned:  # replies to versions lack answers, which a plain tree cannot learn from
            trees["tree from replies as if they were true"] = self._grown(self.design, self.replies, method="none")
        found = [Accuracy(f"always {usual}", float((known == usual).mean()), None)]
        for name, tree in trees.items():
            right = tree.predict(self.sample.people.slice(self.sample.training)) == known
            found.append(Accuracy(name, float(right.mean()), self._scored(tree)))
        return found

    def _scored(self, tree: TreeClassifier) -> Estimate | None:
        """What replies that were held out tell of its accuracy, if any of them answer enough of it."""
        try:
            return score(tree, self.design, self.replies.slice(self.sample.training))
        except DeniableError:
            return None

    def _in_the_clear(self) -> tuple[Design, pa.Table]:
        """The same survey without lotteries, and what people would have replied."""
        channels = [clear(question) for question in self.design.questions]
        return Design(channels, target=self.sample.target), self.sample.answered

    def _grown(
        self, design: Design, replies: pa.Table, only: Sequence[str] | None = None, method: str = "auto"
    ) -> TreeClassifier:
        """A tree; numbers under noise are not among its questions (on the census it is better without)."""
        train = replies.slice(0, self.sample.training)
        names = only or [name for name in self.design.names if name != self.sample.target and name != self.number]
        columns = [name for name in design.columns if name not in design.names]  # those of versions
        tree = TreeClassifier(design, method=method)
        return tree.fit(train.select([*columns, *names]), train.column(self.sample.target).to_numpy())

    @cached_property
    def attacks(self) -> dict[str, Attack]:
        """What a clever collector finds out, under our design and under one draw for everything."""
        few = self.sample.in_two.slice(0, ATTACKED)
        paper = disguise(self.sample.paper, few, seed=self.seed)
        ours = self.replies.slice(0, ATTACKED), self.sample.people.slice(0, ATTACKED)
        return {
            "this design": attack(self.design, ours[0], true=ours[1]),
            "one draw for all answers": attack(self.sample.paper, paper, true=few),
        }


def all_guessed(found: Attack) -> str:
    """What is guessed as a whole, where some of it is not attacked: in brackets behind a way of asking."""
    return f" ({found.whole_record})" if found.left_out else ""


def _in_words(question: Question, column: pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    if question.range is not None and question.range.by_interval:
        return pa.array(np.array(question.answers)[question.range.cells(column.to_numpy().astype(float))])
    merged = dict(question.merges)
    return pa.array([merged.get(word, word) for word in column.to_pylist()]) if merged else column


def _as_it_stands(questions: Sequence[Question], some: pa.Table, text: str) -> float:
    """A share of what these columns say, taken for the truth."""
    return estimate(Design([clear(*questions)]), some.select([question.name for question in questions]), text).value

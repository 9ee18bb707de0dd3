"""The HTML page of `deniable demo`: what was asked and sent, can be denied and is learnt, with the truth beside it.

Only for people whose truth may be shown, because they are made up or their answers are public: a collector never has
it.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from deniable.channel.design import Design
from deniable.channel.schemes import clear
from deniable.count.counts import Counts
from deniable.count.replies import counts_of
from deniable.deniability.epsilon import epsilon_word
from deniable.deniability.privacy import privacy
from deniable.evaluate.score import score
from deniable.inference.estimates import Estimate
from deniable.inference.reconstruct import reconstruction
from deniable.inference.shares import cell_estimates, estimate
from deniable.learn.decision_tree import TreeClassifier
from deniable.mine.items import can_be_items
from deniable.mine.rules import found_rules
from deniable.report.bars import STYLE, Bar, columns, share_bar, share_words
from deniable.report.page import document, escaped, table
from deniable.report.picture import tree_figure
from deniable.report.rules import HEADS as RULE_HEADS
from deniable.report.rules import rows as rule_rows
from deniable.survey.question import Question

SHOWN_PEOPLE, SHOWN_RULES = 4, 8
SUPPORT, CONFIDENCE = 0.05, 0.5


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
    number: str  # one under noise

    def features(self, some: pa.Table) -> pa.Table:
        """What trees may ask: no numbers under noise. On the census a tree is better without (.830, with age .821)."""
        under_noise = [name for name in self.design.names if self.design.has_noise(name)]
        return some.select([name for name in self.design.names if name not in (self.target, *under_noise)])


class Share(NamedTuple):
    """A share: true, as the replies have it, and as it is estimated from them."""

    text: str
    true: float
    reported: float
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

    @property
    def design(self) -> Design:
        """How it was asked."""
        return self.sample.design

    @cached_property
    def counts(self) -> Counts:
        """What is counted of the replies."""
        return counts_of(self.design, self.replies)

    @cached_property
    def shares(self) -> list[Share]:
        """What was asked for."""
        true = [question for question in self.design.questions if question.range is None or question.is_number]
        reported = [self.design.reported(question) for question in true]
        return [
            Share(
                text,
                _as_it_stands(true, self.sample.people, text),
                _as_it_stands(reported, self.replies, text),
                estimate(self.design, self.counts, text),
            )
            for text in self.sample.asked
        ]

    @cached_property
    def tree(self) -> TreeClassifier:
        """The tree that is learnt from disguised replies."""
        return self._grown(self.design, self.replies)

    @cached_property
    def accuracies(self) -> list[Accuracy]:
        """Of the tree; at first what needs no learning, at last what could be had if everybody told the truth."""
        target, training = self.sample.target, self.sample.training
        truth = self.sample.people.column(target).to_pylist()
        usual, _ = Counter(truth[:training]).most_common(1)[0]
        known, test = np.array(truth[training:]), self.replies.slice(training)
        trees = {
            "tree from disguised replies": self.tree,
            "tree from replies as if they were true": self._grown(self.design, self.replies, "none"),
            "tree from the truth": self._grown(*self._in_the_clear()),
        }
        found = [Accuracy(f"always {usual}", float((known == usual).mean()), None)]
        for name, tree in trees.items():
            right = tree.predict(self.sample.features(self.sample.people.slice(training))) == known
            found.append(Accuracy(name, float(right.mean()), score(tree, self.design, test)))
        return found

    def _in_the_clear(self) -> tuple[Design, pa.Table]:
        """The same survey without lotteries, and what people would have replied."""
        open_ = {name for channel in self.design.channels if channel.says_the_truth for name in channel.names}
        channels = [channel if channel.says_the_truth else clear(*channel.group) for channel in self.design.channels]
        reports = {
            name: (self.replies if name in open_ else self.sample.people).column(name) for name in self.design.names
        }
        return Design(channels, target=self.sample.target), pa.table(reports)

    def _grown(self, design: Design, replies: pa.Table, method: str = "auto") -> TreeClassifier:
        train = replies.slice(0, self.sample.training)
        target = train.column(self.sample.target).to_numpy()
        return TreeClassifier(design, method=method).fit(self.sample.features(train), target)


def page(story: Story, done: Callable[[float], None]) -> str:
    """The whole story; `done` is called with the share that is finished."""
    parts = [f"<p>{escaped(each)}</p>" for each in story.sample.about]
    chapters = (_sent, _deniable, _shares, _crossed, _spread, _learnt, _rules)
    for index, chapter in enumerate(chapters, 1):
        parts += chapter(story)
        done(index / len(chapters))
    return document(story.design.title, "\n".join(parts), STYLE)


def _sent(story: Story) -> Iterator[str]:
    names = story.design.names
    yield "<h2>What was asked, and what was sent</h2>"
    recipes = [(question, story.design.channel(question.name).recipe) for question in story.design.questions]
    yield table(
        ["name", "question", "scheme", "settings"],
        [(question.name, question.wording, recipe.scheme, str(recipe)) for question, recipe in recipes],
    )
    yield "<p>The first few people. Only the lines “sent” ever left their devices.</p>"
    few = [some.select(names).slice(0, SHOWN_PEOPLE).to_pylist() for some in (story.sample.people, story.replies)]
    rows = [
        [who, *map(_shown, record.values())]
        for true, sent in zip(*few, strict=True)
        for who, record in (("true", true), ("sent", sent))
    ]
    yield _wide(table(["", *names], rows))


def _deniable(story: Story) -> Iterator[str]:
    found = privacy(story.design)
    yield "<h2>What each respondent can deny</h2>"
    yield f"<p>Epsilon of the disguised answers together: {epsilon_word(found.epsilon_disguised)}.</p>"
    yield table(["question", "what it means"], [(each.name, each.sentence) for each in found.questions])


def _shares(story: Story) -> Iterator[str]:
    yield "<h2>Shares</h2><p>Bars are estimates with their 95 % intervals; the mark is what the replies report.</p>"
    rows = "".join(
        f"<tr><td>{escaped(each.text)}</td><td>{share_bar(_bar(each))}</td>"
        f'<td class="figure">{each.true:.1%}</td><td class="figure">{each.reported:.1%}</td>'
        f'<td class="figure">{share_words(each.found)}</td>'
        f'<td class="figure">{each.found.low:.1%} to {each.found.high:.1%}</td>'
        f"<td>{escaped(each.found.note)}</td></tr>"
        for each in story.shares
    )
    figures = "".join(f'<th class="figure">{head}</th>' for head in ("truth", "reported", "estimate", "95 % interval"))
    heads = f"<th>share of</th><th></th>{figures}<th>note</th>"
    yield _wide(f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>")


def _crossed(story: Story) -> Iterator[str]:
    first, second = (story.design.question(name) for name in story.sample.crossed)
    yield f"<h2>{escaped(second.name)} by {escaped(first.name)}</h2><p>Of each line, with standard errors.</p>"
    cells = dict(cell_estimates(story.design, story.counts, story.sample.crossed, "row"))
    yield table(
        ["", *second.answers],
        [
            [row, *[share_words(cells[row, column], with_error=True) for column in second.answers]]
            for row in first.answers
        ],
    )


def _spread(story: Story) -> Iterator[str]:
    name = story.sample.number
    found = reconstruction(story.design, story.counts, name)
    limits = found.question.range
    assert limits is not None
    reports = story.replies.column(name).drop_null().to_numpy()
    reported = np.histogram(reports, limits.edges)[0] / len(reports)
    errors = 2 * found.stderrs[:, 0]
    bars = [
        Bar(share, max(0.0, share - error), share + error, float(said), words)
        for words, share, error, said in zip(
            found.question.answers, found.shares[:, 0].tolist(), errors.tolist(), reported, strict=True
        )
    ]
    yield f"<h2>How {escaped(name)} is truly spread</h2>"
    yield (
        "<p>Columns are reconstructed, their lines two standard errors up and down; the marks are what the replies "
        "report, their noise included.</p>"
    )
    yield f"<figure>{columns(bars, f'How {name} is spread')}</figure>"


def _learnt(story: Story) -> Iterator[str]:
    tests = story.sample.people.num_rows - story.sample.training
    yield f"<h2>A decision tree for {escaped(story.sample.target)}</h2>"
    yield (
        f"<p>Grown from {story.sample.training:,} disguised replies, tested on {tests:,} others: by their truth, and "
        f"by their disguised replies alone, which is all that a collector has. {escaped(story.sample.number)} is not "
        "among its questions.</p>"
    )
    rows = [
        (name, f"{right:.1%}", "" if found is None else share_words(found, with_error=True))
        for name, right, found in story.accuracies
    ]
    yield table(["classifier", "accuracy", "as disguised replies tell it"], rows)
    yield tree_figure(story.tree)


def _rules(story: Story) -> Iterator[str]:
    fit, _ = can_be_items(story.design)
    found, _ = found_rules(story.design, story.counts, SUPPORT, CONFIDENCE, 3, fit)
    about = [
        index
        for index, items in enumerate(found["consequents"])
        if all(item.startswith(f"{story.sample.target}=") for item in items)
    ]
    kept = {name: [values[index] for index in about] for name, values in found.items()}
    yield f"<h2>What goes with {escaped(story.sample.target)}</h2>"
    yield _wide(table(RULE_HEADS, rule_rows(kept, "lift")[:SHOWN_RULES]))


def _as_it_stands(questions: Sequence[Question], some: pa.Table, text: str) -> float:
    """A share of what these columns say, taken for the truth."""
    return estimate(Design([clear(*questions)]), some.select([question.name for question in questions]), text).value


def _bar(share: Share) -> Bar:
    found = share.found
    return Bar(found.value, found.low, found.high, share.reported, share.text, found.grade)


def _shown(value: object) -> object:
    return f"{value:.1f}" if isinstance(value, float) else value


def _wide(content: str) -> str:
    return f'<div class="wide scroll">{content}</div>'

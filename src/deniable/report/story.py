"""A whole survey on one page: what was asked and sent, what can be denied, what is learnt, and the truth beside it.

Only for people whose truth may be told, because they are made up or their answers are public: a collector never has it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.channel import schemes
from deniable.channel.design import Design
from deniable.channel.instruction import Truth
from deniable.count.counts import Counts
from deniable.count.replies import counts_of
from deniable.deniability.local import epsilon_word
from deniable.deniability.privacy import privacy
from deniable.evaluate.score import score
from deniable.inference.estimates import Estimate
from deniable.inference.items import can_be_items
from deniable.inference.reconstruct import Reconstruction, reconstruction
from deniable.inference.shares import cell_estimates, estimate
from deniable.learn.rules import found_rules
from deniable.learn.tree import TreeClassifier
from deniable.report.bars import STYLE, Bar, columns, share_bar
from deniable.report.page import document, escaped, table
from deniable.report.picture import tree_figure
from deniable.report.rules import HEADS
from deniable.report.rules import rows as rule_rows

People = Mapping[str, NDArray[Any]]
SHOWN_PEOPLE, SHOWN_RULES = 4, 8
SUPPORT, CONFIDENCE = 0.05, 0.5


@dataclass(frozen=True)
class Sample:
    """People whose truth is known, and what is asked of them."""

    about: Sequence[str]
    design: Design
    people: pa.Table
    learnt: int  # the first so many grow trees, all others test them
    asked: Mapping[str, Callable[[People], NDArray[np.bool_]]]  # shares, and who is counted
    crossed: Sequence[str]  # the questions of the cross-table
    number: str

    @property
    def target(self) -> str:
        """What trees are to tell."""
        assert self.design.target is not None
        return self.design.target

    def features(self, some: pa.Table) -> pa.Table:
        """What trees may ask: no numbers under noise, which here blur more than they tell."""
        under_noise = [name for name in self.design.names if self.design.channel(name).has_noise]
        return some.select([name for name in self.design.names if name not in (self.target, *under_noise)])


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
    def shares(self) -> list[tuple[str, float, float, Estimate]]:
        """What is asked, its true share, the share that replies report, and the estimate."""
        true, reported = _arrays(self.sample.people), _arrays(self.replies)
        return [
            (
                text,
                float(holds(true).mean()),
                float(holds(reported).mean()),
                estimate(self.design, self.counts, text),
            )
            for text, holds in self.sample.asked.items()
        ]

    @cached_property
    def tree(self) -> TreeClassifier:
        """The tree that is learnt from disguised replies."""
        return self._grown(self.design, self.replies)

    @cached_property
    def accuracies(self) -> list[tuple[str, float, Estimate | None]]:
        """Classifiers, how often they are right about those not learnt from, and the estimate from disguised replies.

        The first is what needs no learning, and the last what could be had if everybody told the truth.
        """
        target, learnt = self.sample.target, self.sample.learnt
        truth = self.sample.people.column(target).to_numpy()
        usual = max(set(truth), key=lambda word: int((truth[:learnt] == word).sum()))
        known, test = truth[learnt:], self.replies.slice(learnt)
        trees = {
            "from disguised replies": self.tree,
            "from disguised replies as if they were true": self._grown(self.design, self.replies, "none"),
            "from the truth": self._grown(*self._in_the_clear()),
        }
        found: list[tuple[str, float, Estimate | None]] = [(f"always {usual}", float((known == usual).mean()), None)]
        for name, tree in trees.items():
            right = tree.predict(self.sample.features(self.sample.people.slice(learnt))) == known
            found.append((name, float(right.mean()), score(tree, self.sample.design, test)))
        return found

    def _in_the_clear(self) -> tuple[Design, pa.Table]:
        """The same survey without lotteries, and what people would have replied."""
        channels = [
            channel if channel.instructions == [Truth()] else schemes.clear(*channel.group)
            for channel in self.design.channels
        ]
        design = Design(channels, target=self.sample.target)
        told = {name: (self.sample.people if design.channel(name).is_clear else self.replies).column(name)
                for name in design.names}  # fmt: skip
        return design, pa.table(told)

    def _grown(self, design: Design, all_replies: pa.Table, method: str = "auto") -> TreeClassifier:
        learnt = all_replies.slice(0, self.sample.learnt)
        target = learnt.column(self.sample.target).to_numpy()
        return TreeClassifier(design, method=method).fit(self.sample.features(learnt), target)


def page(story: Story, done: Callable[[float], None]) -> str:
    """The whole story; `done` hears which share of it is told."""
    parts = [f"<style>{STYLE}</style>", *[f"<p>{escaped(each)}</p>" for each in story.sample.about]]
    chapters = (_sent, _deniable, _shares, _crossed, _spread, _learnt, _rules)
    for place, chapter in enumerate(chapters, 1):
        parts += chapter(story)
        done(place / len(chapters))
    return document(story.design.title, "\n".join(parts))


def _sent(story: Story) -> Iterator[str]:
    names = story.design.names
    yield "<h2>What was asked, and what was sent</h2>"
    recipes = [(question, story.design.channel(question.name).recipe) for question in story.design.questions]
    yield table(
        ["name", "question", "scheme", "settings"],
        [(question.name, question.wording, recipe.scheme, str(recipe)) for question, recipe in recipes],
    )
    yield "<p>The first few people. Only the lines “sent” ever left their devices.</p>"
    rows = [
        [who, *[_shown(record[name]) for name in names]]
        for person in range(SHOWN_PEOPLE)
        for who, record in (
            ("true", story.sample.people.slice(person, 1).to_pylist()[0]),
            ("sent", story.replies.slice(person, 1).to_pylist()[0]),
        )
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
        f"<tr><td>{escaped(text)}</td><td>{share_bar(Bar(each.value, each.low, each.high, reported, text))}</td>"
        f'<td class="figure">{true:.1%}</td><td class="figure">{reported:.1%}</td>'
        f'<td class="figure">{each.value:.1%}</td><td>{each.low:.1%} to {each.high:.1%}</td></tr>'
        for text, true, reported, each in story.shares
    )
    heads = '<th>share of</th><th class="picture"></th>' + "".join(
        f'<th class="figure">{head}</th>' for head in ("truth", "reported", "estimate")
    )
    yield _wide(f"<table><thead><tr>{heads}<th>95 % interval</th></tr></thead><tbody>{rows}</tbody></table>")


def _crossed(story: Story) -> Iterator[str]:
    first, second = (story.design.question(name) for name in story.sample.crossed)
    yield f"<h2>{escaped(second.name)} by {escaped(first.name)}</h2><p>Of each line, with standard errors.</p>"
    cells = dict(cell_estimates(story.design, story.counts, story.sample.crossed, "row"))
    yield table(
        ["", *second.answers],
        [
            [row, *[f"{cells[row, column].value:.1%} ± {cells[row, column].stderr:.1%}" for column in second.answers]]
            for row in first.answers
        ],
    )


def _spread(story: Story) -> Iterator[str]:
    name = story.sample.number
    found = reconstruction(story.design, story.counts, name)
    bars = _columns(found, story.replies.column(name).to_numpy())
    yield f"<h2>How {escaped(name)} is truly spread</h2>"
    yield "<p>Columns are reconstructed; the marks are what the replies report, their noise included.</p>"
    yield f"<figure>{columns(bars, f'How {name} is spread')}</figure>"


def _learnt(story: Story) -> Iterator[str]:
    tests = story.sample.people.num_rows - story.sample.learnt
    yield f"<h2>A decision tree for {escaped(story.sample.target)}</h2>"
    yield (
        f"<p>Grown from {story.sample.learnt:,} disguised replies, tested on {tests:,} others: by their truth, and by "
        "their disguised replies alone, which is all that a collector has. Numbers under noise are left out: here "
        "they blur more than they tell.</p>"
    )
    rows = [
        (name, f"{right:.1%}", "" if told is None else f"{told.value:.1%} ± {told.stderr:.1%}")
        for name, right, told in story.accuracies
    ]
    yield table(["tree", "accuracy", "as disguised replies tell it"], rows)
    yield tree_figure(story.tree)


def _rules(story: Story) -> Iterator[str]:
    fit, _ = can_be_items(story.design)
    found = found_rules(story.design, story.counts, SUPPORT, CONFIDENCE, 3, fit)
    about = [place for place, items in enumerate(found["consequents"]) if _is_about(items, story.sample.target)]
    kept = {name: [values[place] for place in about] for name, values in found.items()}
    yield f"<h2>What goes with {escaped(story.sample.target)}</h2>"
    yield _wide(table(HEADS, rule_rows(kept, "lift")[:SHOWN_RULES]))


def _is_about(items: frozenset[str], target: str | None) -> bool:
    return all(item.startswith(f"{target}=") for item in items)


def _columns(found: Reconstruction, reported: NDArray[Any]) -> list[Bar]:
    """A number's reconstructed cells, and how many replies report a number in each."""
    bars = []
    assert found.question.range is not None
    edges = found.question.range.edges
    for place, words in enumerate(found.question.answers):
        share, error = float(found.shares[place, 0]), 2 * float(found.stderrs[place, 0])
        told = float(((reported >= edges[place]) & (reported < edges[place + 1])).mean())
        bars.append(Bar(share, max(0.0, share - error), share + error, told, words))
    return bars


def _arrays(some: pa.Table) -> People:
    return {name: some.column(name).to_numpy() for name in some.column_names}


def _shown(value: object) -> object:
    return f"{value:.1f}" if isinstance(value, float) else value


def _wide(content: str) -> str:
    return f'<div class="wide scroll">{content}</div>'

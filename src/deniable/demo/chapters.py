"""The HTML page of `deniable demo`: what was asked and sent, can be denied and is learnt, with the truth beside it.

It needs no other file, prints, fits a phone, and every picture says in words what it shows.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from deniable.demo.story import ATTACKED, Share, Story, all_guessed
from deniable.deniability.epsilon import epsilon_word
from deniable.deniability.privacy import privacy
from deniable.inference.reconstruct import reconstruction
from deniable.inference.shares import cell_estimates
from deniable.report import versions
from deniable.report.bars import Bar, columns, scale_bar, share_bar, share_words
from deniable.report.coefficients import STYLE as COEFFICIENTS
from deniable.report.coefficients import coefficient_plot
from deniable.report.folded import STYLE as FOLDED
from deniable.report.judged import STYLE, bar_table, paragraphs
from deniable.report.page import document, escaped, items, scrolled, table
from deniable.report.picture import tree_figure
from deniable.report.regressions import coefficient_rows

SHOWN_PEOPLE = 3
NOT_ASKED = "–"
NEXT = (
    "<code>board.html</code>, beside this page, is what an ethics board would read: the same design in plain words.",
    "Change <code>survey.toml</code>, then <code>deniable check</code>, <code>privacy</code> and <code>plan</code> it.",
    "<code>deniable disguise survey.toml people.csv -o replies.csv</code> draws all lotteries anew.",
    "<code>deniable estimate survey.toml replies.csv</code> and <code>deniable table</code> answer your own questions.",
    "<code>deniable serve survey.toml --store sqlite:///mine.sqlite</code> opens the survey in your browser.",
    "<code>deniable new YOUR.csv --epsilon 2 -o first.toml</code> writes a first design for your own data.",
)


def page(story: Story, done: Callable[[float], None]) -> str:
    """The whole story; `done` is called with the share that is finished."""
    parts = [paragraphs(story.sample.about)]
    chapters = (_short, _sent, _deniable, _shares, _crossed, _spread, _regressed, _learnt, _attacked, _next)
    for index, chapter in enumerate(chapters, 1):
        parts += chapter(story)
        done(index / len(chapters))
    return document(story.design.title, "\n".join(parts), STYLE + COEFFICIENTS + FOLDED)


def _short(story: Story) -> Iterator[str]:
    right = {each.name: each.true for each in story.accuracies}
    usual, ours = story.accuracies[0], right["tree from disguised replies"]
    found, older = (story.attacks[name] for name in ("this design", "one draw for all answers"))
    mine, theirs = found.records, older.records
    age = f", {' and '.join(found.left_out)} among them," if found.left_out else ""
    epsilon = privacy(story.design).epsilon
    bound = f"What a person sends keeps an epsilon of {epsilon:g}."
    if np.isinf(epsilon):
        bound = f"There is no bound on what a whole reply reveals about {story.number} (a number under noise)."
    yield "<h2>In short</h2>"
    yield items(
        [
            f"{escaped(bound)} True answers never left their devices.",
            f"A decision tree learnt from disguised replies alone is right about {ours:.1%} of the people; "
            f"{escaped(usual.name)} would be right about {usual.true:.1%}.",
            f"A clever collector finds all {escaped(found.whole_record)} of {mine.guessed:.0%} of the people, or of "
            f"{mine.from_margins:.0%} without their replies. An older way of asking has two answers to each question "
            f"and one draw for all of them: all those answers{escaped(age)} would be found for "
            f"{theirs.guessed:.0%}, and for {theirs.from_margins:.0%} without replies.",
        ]
    )


def _sent(story: Story) -> Iterator[str]:
    design = story.design
    yield "<h2>What was asked, and what was sent</h2>"
    yield paragraphs([f"There are {versions.summary(block)}." for block in design.versioned])
    yield paragraphs(
        f"One lottery for all that a person is asked ({block.recipe.scheme}): the truth, or any answers alike."
        for block in design.versioned
    )
    rows = [(each.name, each.wording, _settings(story, each.name)) for each in design.questions]
    head = "who is asked" if design.versioned else "lottery"
    yield scrolled(table(["name", "question", head], rows), "What was asked")
    names = [*[name for name in design.columns if name not in design.names], *design.names]
    true, sent = (some.slice(0, SHOWN_PEOPLE).to_pylist() for some in (story.sample.people, story.replies))
    shown = [
        [who, *[_shown(record.get(name, "")) for name in names]]  # nobody has a version before it is drawn
        for person, reply in zip(true, sent, strict=True)
        for who, record in (("true", person), ("sent", reply))
    ]
    skipped = f"; {NOT_ASKED} was not asked" if any(NOT_ASKED in line for line in shown) else ""
    yield f"<p>The first few people. Only the lines “sent” ever left their devices{skipped}.</p>"
    yield scrolled(_people(names, shown), "The first few people")


def _people(names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """What people would truly say and what they sent, under each other on narrow screens."""
    lines = "".join(
        f'<tr><td class="word">{escaped(who)}</td>'
        + "".join(
            f'<td data-head="{escaped(name)}">{escaped(cell)}</td>' for name, cell in zip(names, cells, strict=True)
        )
        + "</tr>"
        for who, *cells in rows
    )
    heads = "".join(f"<th>{escaped(name)}</th>" for name in names)
    return f'<table class="stacked"><thead><tr><th></th>{heads}</tr></thead><tbody>{lines}</tbody></table>'


def _settings(story: Story, name: str) -> str:
    """The lottery of a question; of several versions it is told once, above the table."""
    block = story.design.block(name)
    asked = sum(share for version, share in zip(block.versions, block.shares, strict=True) if name in version.names)
    return f"{block.recipe.scheme}: {block.recipe}" if len(block.versions) == 1 else f"asked of {asked:.0%}"


def _deniable(story: Story) -> Iterator[str]:
    found = privacy(story.design)
    yield "<h2>What each respondent can deny</h2>"
    yield f"<p>Epsilon of the disguised answers together: {epsilon_word(found.epsilon_disguised)}.</p>"
    yield paragraphs(found.sentences)
    yield items(f"<b>{escaped(names)}</b>: {escaped(sentence)}" for names, sentence in found.by_names)


def _shares(story: Story) -> Iterator[str]:
    marked = any(each.reported is not None for each in story.shares)
    mark = "; the mark is what the replies report" if marked else ""
    yield f"<h2>Shares</h2><p>Bars are estimates with their 95 % intervals{mark}.</p>"
    rows = "".join(
        f'<tr><td class="word">{escaped(each.text)}</td><td class="picture">{share_bar(_bar(each))}</td>'
        f'<td class="figure" data-head="truth">{each.true:.1%}</td>{_reported(each.reported) if marked else ""}'
        f'<td class="figure" data-head="estimate">{share_words(each.found)}</td>'
        f'<td class="figure" data-head="95 % interval">{each.found.low:.1%} to {each.found.high:.1%}</td></tr>'
        for each in story.shares
    )
    rows += f'<tr><td></td><td class="picture">{scale_bar()}</td><td colspan="4"></td></tr>'
    words = ["truth", *(["reported"] if marked else []), "estimate", "95 % interval"]
    heads = "<th>share of</th><th></th>" + "".join(f'<th class="figure">{word}</th>' for word in words)
    yield scrolled(f"<table class='stacked'><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>", "Shares")
    notes = {each.found.note for each in story.shares if each.found.note}
    yield paragraphs(f"Note: {note}." for note in sorted(notes))


def _reported(share: float | None) -> str:
    return "<td></td>" if share is None else f'<td class="figure" data-head="reported">{share:.1%}</td>'


def _crossed(story: Story) -> Iterator[str]:
    first, second = (story.design.question(name) for name in story.sample.crossed)
    yield f"<h2>{escaped(second.name)} by {escaped(first.name)}</h2><p>Of each line, with standard errors.</p>"
    cells = dict(cell_estimates(story.design, story.counts, story.sample.crossed, "row"))
    rows = [
        [f"{first.name}: {row}", *[share_words(cells[row, column], with_error=True) for column in second.answers]]
        for row in first.answers
    ]
    heads = ["", *[f"{second.name}: {column}" for column in second.answers]]
    yield scrolled(table(heads, rows), f"{second.name} by {first.name}")


def _spread(story: Story) -> Iterator[str]:
    """How a number under noise is spread, where there is one."""
    if (name := story.number) is None:
        return
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
    yield f"<figure>{columns(bars, f'How {name} is spread', limits.edges, limits.integer, name)}</figure>"


def _regressed(story: Story) -> Iterator[str]:
    found = story.regression
    yield f"<h2>A regression: {escaped(story.sample.formula)}</h2>"
    if found is None:
        yield "<p>Needs one more package: <code>pip install 'deniable[survey]'</code>, then run the demo again.</p>"
        return
    yield (
        "<p>Estimated from disguised replies alone; outcome and predictors are disguised. Points are coefficients "
        "on the logit scale, lines their 95 % intervals: right of zero makes it likelier.</p>"
    )
    yield f"<figure>{coefficient_plot(found)}</figure>"
    yield scrolled(table(*coefficient_rows(found)), "Coefficients")


def _learnt(story: Story) -> Iterator[str]:
    tests = story.sample.people.num_rows - story.sample.training
    without = f" {escaped(story.number)} is not among its questions." if story.number else ""
    yield f"<h2>A decision tree for {escaped(story.sample.target)}</h2>"
    yield (
        f"<p>Grown from {story.sample.training:,} disguised replies, tested on {tests:,} others: by their truth, and "
        f"by their disguised replies alone, which is all that a collector has.{without}</p>"
    )
    rows = [
        (name, f"{right:.1%}", "–" if found is None else share_words(found, with_error=True))
        for name, right, found in story.accuracies
    ]
    yield scrolled(table(["classifier", "accuracy", "as disguised replies tell it"], rows), "Accuracies")
    if any(found is None for _, _, found in story.accuracies[1:]):
        yield (
            "<p>–: nobody answered all the questions of that tree, so replies alone cannot test it. The small tree "
            "asks only what some people answered together.</p>"
        )
    yield (
        "<p>A larger tree may do no better than the small one, or a little worse: its deeper splits rest on fewer "
        "replies, and some of what they follow is the lottery's noise.</p>"
    )
    yield f"<p>The small tree, which uses {escaped(', '.join(story.sample.together))}:</p>"
    yield tree_figure(story.small_tree)


def _attacked(story: Story) -> Iterator[str]:
    found = story.attacks
    ours, paper = found["this design"], found["one draw for all answers"]
    yield "<h2>What a clever collector finds out</h2>"
    yield (
        f"<p>Somebody who holds {ATTACKED:,} replies and knows the lottery fits a model of the true answers and "
        "guesses those of everybody. For comparison, an older design: the same people answer all questions "
        "with two answers each, in one draw: all true, or all reversed (Du and Zhan 2003). Its records are coarser, so "
        "compare the bar of each design with the one below it, which needs no reply of the person.</p>"
    )
    yield bar_table(
        "all answers of a person guessed rightly",
        [
            (f"this design{all_guessed(ours)}", ours.records.guessed),
            (f"this design{all_guessed(ours)}, without the person's reply", ours.records.from_margins),
            ("one draw for all answers", paper.records.guessed),
            ("one draw for all, without the person's reply", paper.records.from_margins),
        ],
    )
    bound = "" if np.isinf(ours.epsilon) else " No attack whatever can go beyond the bound that epsilon sets:"
    yield paragraphs([f"One draw for all answers tells for certain whether any two of them agree.{bound}"])
    yield paragraphs(ours.sentences)


def _next(story: Story) -> Iterator[str]:
    yield f"<section class='together'><h2>What to try next</h2>{items(NEXT)}</section>"


def _bar(share: Share) -> Bar:
    found = share.found
    return Bar(found.value, found.low, found.high, share.reported, share.text, found.grade)


def _shown(value: object) -> object:
    return NOT_ASKED if value is None else f"{value:.1f}" if isinstance(value, float) else value

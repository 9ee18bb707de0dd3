"""Pages of judgement: what a clever collector finds out, and which design gives most at one epsilon."""

from collections.abc import Iterable

from deniable.judge.advice import Advice
from deniable.judge.attack import Attack
from deniable.report.bars import STYLE as BARS
from deniable.report.bars import plain_bar, scale_bar
from deniable.report.page import document, escaped, scrolled, table

STYLE = (
    BARS
    + """
.bars { width: 100%; table-layout: fixed; margin-block: 1rem; }
.bars .word { width: 15rem; }
.bars .share { width: 5rem; }
.bars td:last-child { text-align: right; }
.bars, .bars tr { break-inside: avoid; }
.bars svg { display: block; }
.bars .scale td { border-bottom: none; padding-block: 0; }
@media screen and (max-width: 40rem) {
  .bars, .bars tbody { display: block; }
  .bars tbody tr { display: grid; grid-template-columns: 1fr 4rem; }
  .bars th, .bars td { padding-inline: .3rem; }
  .bars td:first-child { grid-column: 1 / -1; border-bottom: none; padding-bottom: 0; }
}
"""
)
WORDS = {
    "name": "design",
    "se_shares": "error of a share",
    "se_pairs": "error of a pair",
    "naive_bayes": "naive Bayes",
}
NAMES = (
    "split: everybody answers everything, with a lottery for each question and its part of epsilon. ask 1, 2, ...: "
    "everybody answers as many questions as the number says, drawn in the open, and the target if there is one, in one "
    "lottery; nothing is spent on what is not asked. strongest: only the questions are asked that tell most about the "
    "target. answers merged: answers that say the same of the target count as one."
)
GOALS = {"shares": "shares", "pairs": "pairs of questions", "target": "predicting the target"}


def attack_page(found: Attack, title: str) -> str:
    """What a clever collector finds out from replies."""
    about = (
        "Somebody who holds all replies and knows the lottery may fit a model of the true answers and guess those of "
        "everybody. This is how far that gets, beside guessing without any reply of the person."
    )
    fakes = [
        (f"{share:.0%} of the replies", "no bound" if shift is None else f"{100 * shift:.1f} points")
        for share, shift in found.fakes.items()
    ]
    moved = scrolled(table(["made up", "a share moves by"], fakes), "Made-up replies")
    parts = [paragraphs([about]), attack_figure(found), paragraphs(found.sentences), "<h2>Made-up replies</h2>",
             paragraphs(["How far somebody who sends made-up replies can move a share, at most:"]), moved]  # fmt: skip
    return document(title, "".join(parts), STYLE)


def attack_figure(found: Attack) -> str:
    """Answers and records guessed rightly, as bars."""
    words = {True: ", knowing the reply", False: ", without it"}
    rows = [(what if " after " in what else what + words[knows], share) for what, share, knows in attack_rows(found)]
    return bar_table("how often a guess is right", rows)


def attack_rows(found: Attack) -> list[tuple[str, float, bool]]:
    """What is guessed, how often rightly, and whether with the reply."""
    rows = [
        (what, share, knows)
        for what, each in (("an answer", found.answers), (f"all {found.whole_record} of a person", found.records))
        for share, knows in ((each.guessed, True), (each.from_margins, False))
    ]
    if (waves := found.waves).waves > 1:
        rows.append((f"an answer, after {waves.waves} waves with lotteries drawn anew", waves.fresh.guessed, True))
        rows.append(
            (f"an answer, after {waves.waves} waves on a device that remembers", waves.remembered.guessed, True)
        )
    return rows


def advice_page(found: Advice, title: str) -> str:
    """Every candidate design with its figures, the best first, and the reasons."""
    about = (
        f"Ways of asking the same questions, all with one epsilon of the whole reply. Figures are what {found.n:,} "
        f"replies are expected to give; the best for {GOALS[found.wanted]} comes first."
    )
    parts = [
        paragraphs(found.reasons), "<h2>All designs</h2>", paragraphs([about]),
        scrolled(advice_table(found), "All designs"), paragraphs([NAMES]),
    ]  # fmt: skip
    if rows := reached(found):
        parts += ["<h2>Expected accuracy</h2>", bar_table("the better of both models", rows)]
    return document(title, "".join(parts), STYLE)


def reached(found: Advice) -> list[tuple[str, float]]:
    """The accuracy of every candidate, and what is reached without a disguise; nothing where no pilot tells it."""
    rows = [(each.name, each.accuracy.best) for each in found.candidates if each.accuracy is not None]
    return rows + [(name, each.best) for name, each in found.baselines.items()] if rows else []


def advice_table(found: Advice) -> str:
    """Every candidate design with its figures, the best first."""
    rows = [each.to_json() for each in found.candidates]
    heads = [key for key in rows[0] if any(row[key] is not None for row in rows)]
    return table([WORDS.get(key, key) for key in heads], [[_cell(row[key]) for key in heads] for row in rows])


def bar_table(head: str, rows: Iterable[tuple[str, float]]) -> str:
    """Shares as bars, one below the other."""
    lines = "".join(
        f"<tr><td>{escaped(name)}</td><td>{plain_bar(share, name)}</td><td>{share:.1%}</td></tr>"
        for name, share in rows
    )
    scale = f'<tr class="scale"><td></td><td>{scale_bar()}</td><td></td></tr>'
    columns = '<colgroup><col class="word"/><col/><col class="share"/></colgroup>'
    head = f'<thead><tr><th colspan="3">{escaped(head)}</th></tr></thead>'
    return f'<table class="bars">{columns}{head}<tbody>{lines}{scale}</tbody></table>'


def paragraphs(texts: Iterable[str]) -> str:
    """Each text as a paragraph."""
    return "".join(f"<p>{escaped(text)}</p>" for text in texts)


def _cell(value: object) -> object:
    if value is None:
        return "-"
    return f"{value:.4f}" if isinstance(value, float) else value

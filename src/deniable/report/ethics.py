"""The page for an ethics board: what is asked, what is sent, what can be denied, and what that costs.

It is known before anybody is asked, and written for readers without statistics: hundreds of people as icons, guesses as
bars, prices in people. It needs no other file and can be printed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import isinf

from deniable.channel.design import Design
from deniable.deniability.epsilon import at_most_words, is_deniable, ratio_of, reply_epsilon
from deniable.deniability.hundred import of_hundred
from deniable.deniability.privacy import Privacy, privacy
from deniable.deniability.whole import Prior, Priors, prior_of
from deniable.judge.assumed import PEOPLE, AssumedPeople
from deniable.judge.attack import Attack
from deniable.judge.price import Price, price, undisguised
from deniable.report import icons, judged, prices
from deniable.report.judged import paragraphs
from deniable.report.page import document, escaped, items, scrolled, table
from deniable.report.versions import summary
from deniable.survey.question import Question

WAVES = 5  # in which the attack asks the same people
REPLIES = 10_000  # for errors that are shown beside each other
SENT = (
    "a lottery and replaces answers by what the lottery says. Only the result is sent and stored. True answers that "
    "are disguised are never sent: nobody can lose, sell or be made to hand over what was never collected."
)
DENIED = (
    "Filled figures stand for people who would truly give the answer that one would rather deny: the one that the "
    "design calls sensitive, or the second. Which of the hundred they are, their report does not say. "
    "Assumed beforehand:"
)
GUESSED = (
    "Somebody who holds all replies and knows the lottery may work out what people probably answered. We made up "
    f"{PEOPLE:,} people with the shares assumed above, whose answers do not depend on each other, let them reply, and "
    "guessed as cleverly as possible. Real answers go together, so that more can be guessed: repeat this on a pilot "
    "(deniable attack)."
)
EPSILON = (
    "Epsilon: the logarithm of how many times as likely a reply can be under one set of true answers as under another. "
    "0 reveals nothing; 1 is about 2.7 times, 2 about 7.4, 4 about 55; infinite means that some replies rule some "
    "answers out."
)
STYLE = (
    judged.STYLE
    + icons.STYLE
    + """
.short { box-sizing: border-box; padding: .2rem 1.2rem .2rem .4rem; background: var(--shade);
         border: 1px solid var(--line); border-radius: 6px; }
h3 { font-size: 1rem; margin: 1.6rem 0 .4rem; overflow-wrap: anywhere; break-after: avoid; }
.details p, .details li { font-size: .9rem; }
td { overflow-wrap: break-word; }
@media screen and (max-width: 40rem) { th, td { padding-inline: .4rem; } }
@media (min-width: 40rem) { .scroll td:last-child { min-width: 9rem; } }
@media print {
  body { font-size: 10.5pt; }
  h2 { break-after: avoid; }
  tr, .short, .question { break-inside: avoid; }
}
"""
)


def ethics_page(design: Design, priors: Priors | None = None) -> str:
    """One page on a design, for people who decide whether it may be asked."""
    title = f"{design.title}: what respondents can deny" if design.title else "What respondents can deny"
    return document(title, "".join(_Board(design, dict(priors or {})).sections()), STYLE)


@dataclass(frozen=True)
class _Board:
    """All that the page tells, worked out once."""

    design: Design
    priors: Priors

    @cached_property
    def privacy(self) -> Privacy:
        return privacy(self.design, self.priors)

    @cached_property
    def people(self) -> AssumedPeople | None:
        return AssumedPeople.of(self.design, self.priors)

    @cached_property
    def attack(self) -> Attack | None:
        return None if self.people is None else self.people.attacked(WAVES)

    @cached_property
    def price(self) -> Price:
        return price("this design", self.design, REPLIES)

    @cached_property
    def disguised(self) -> list[Question]:
        return [each.plain for each in self.design.questions if not self.design.is_clear(each.name)]

    @cached_property
    def left_out(self) -> str:
        """Questions that made-up people are not asked: numbers that are not reported as intervals."""
        return ", ".join(self.design.names if self.people is None else self.people.left_out)

    @cached_property
    def unbounded(self) -> str:
        """The disguised questions without a finite epsilon, by name, where others have one."""
        names = [each.name for each in self.disguised]
        found = [each.name for each in self.privacy.questions if each.name in names and isinf(each.epsilon)]
        return ", ".join(found) if 0 < len(found) < len(names) else "disguised answers"

    def sections(self) -> Iterator[str]:
        yield f'<div class="short">{items([escaped(each) for each in self.short()])}</div>'
        yield f"<h2>What is asked</h2>{self.asked()}"
        yield f"<h2>What is sent</h2>{self.sent()}"
        yield f"<h2>What can be denied</h2>{self.denied()}"
        yield f"<h2>What a clever collector could find out</h2>{self.guessed()}"
        yield f"<h2>How many people it takes</h2>{prices.people_needed(self.design)}"
        yield prices.alternatives(self.design, self.disguised, self.privacy.epsilon_disguised, self.price)
        yield f"<h2>If replies are published after closing</h2>{prices.published(self.privacy.epsilon)}"
        yield f"<h2>If the same people are asked again</h2>{prices.again(self.design)}"
        yield f'<h2>In detail, as respondents read it</h2><div class="details">{self.details()}</div>'

    def short(self) -> Iterator[str]:
        """The page in a few sentences."""
        openly = [each.name for each in self.design.questions if self.design.is_clear(each.name)]
        aloud = f" Sent as they are: {', '.join(openly)}." if openly else ""
        yield (
            f"Questions: {len(self.design.questions)}. Disguised by a lottery before anything leaves the respondent's "
            f"hands: {len(self.disguised)}.{aloud}"
        )
        yield self.promise()
        if self.attack is not None:
            found = self.attack.answers
            yield (
                f"A collector who guesses as cleverly as possible gets {100 * found.guessed:.0f} of 100 disguised "
                f"answers right with the replies, and {100 * found.from_margins:.0f} without them (simulated)."
            )
        if not isinf(self.price.needed):
            clear = undisguised(self.disguised or self.design.questions, REPLIES)
            yield (
                f"Until every share is known to within 5 points, {self.price.needed:,.0f} people must answer; "
                f"{clear.needed:,.0f} would do without any disguise."
            )

    def promise(self) -> str:
        """What the whole reply promises."""
        epsilon, disguised = self.privacy.epsilon, self.privacy.epsilon_disguised
        if not self.disguised:
            return "Nothing is disguised: whatever people answer can be read in their replies."
        if isinf(disguised):
            return (
                f"There is no bound on what a whole reply reveals about {self.unbounded} (epsilon is infinite). Why "
                "that is so stands below."
            )
        what = "What is disguised in somebody's reply" if isinf(epsilon) else "What somebody sends"
        ratio = ratio_of(reply_epsilon(self.design, disguised_only=True))  # not of the epsilon that is rounded up
        verdict = "so it can be denied" if is_deniable(ratio) else "which hardly protects anybody"
        return (
            f"{what}, all of it together, is {at_most_words(ratio)} as likely under one set of "
            f"true answers as under another (epsilon {disguised:g}), {verdict}."
        )

    def asked(self) -> str:
        """The questions, and what happens to their answers."""
        rows = [(_wording(each), _answers(each.plain), self._how(each)) for each in self.design.questions]
        return scrolled(table(["question", "answers", "what happens to the answer"], rows), "What is asked")

    def _how(self, question: Question) -> str:
        block, name = self.design.block(question.name), question.name
        asked = sum(share for version, share in zip(block.versions, block.shares, strict=True) if name in version.names)
        some = "" if block.asked_by_all(name) or block.chosen else f"; asked of {_percent(asked)} of the people"
        if self.design.is_clear(name):
            return f"sent as it is{some}"
        if self.design.has_noise(name):
            return f"sent with noise added to it{some}"
        if self.design.says_the_truth(name):
            return f"only its interval is sent{some}"
        by_hand = ", drawn by the respondent" if block.drawn_by_respondents(name) else ""
        computed = "worked out from answers that are never sent, then " if question.formula is not None else ""
        return f"{computed}disguised by a lottery{by_hand}{some}"

    def sent(self) -> str:
        """What leaves the respondent, and the reply of one made-up person."""
        by_hand = any(self.design.block(name).drawn_by_respondents(name) for name in self.design.names)
        found = (
            [f"{'Each respondent' if by_hand else 'The device of each respondent'} draws {SENT}"]
            if self.disguised
            else []
        )
        for block in self.design.versioned:
            partly = not all(block.asked_by_all(name) for name in block.names)
            nothing = "; of questions that are not asked nothing is sent" if partly else ""
            found.append(f"There are {summary(block)}{nothing}.")
        if self.people is None:
            return paragraphs(found)
        found.append(f"A made-up person may answer and send this{f' (but for {self.left_out})' * bool(self.left_out)}:")
        rows = [(_wording(self.design.question(name)), true, sent) for name, true, sent in self.people.example()]
        heads = ["question", "true answer", "what is sent"]
        return paragraphs(found) + scrolled(table(heads, rows), "One made-up person")

    def denied(self) -> str:
        """A hundred people for each disguised question, and sentences on the others."""
        shares = [f"{name} {_shares(self.design.question(name).plain, given)}; " for name, given in self.priors.items()]
        assumed = f"{''.join(shares)}{'of all else, that ' * bool(shares)}every answer is equally frequent."
        pictures = [icons.hundreds(each, _wording(each.question)) for each in of_hundred(self.design, self.priors)]
        others = [
            each
            for each in self.privacy.questions
            if self.design.question(each.name).is_number or self.design.says_the_truth(each.name)
        ]
        rest = [f"<b>{escaped(each.name)}</b>: {escaped(each.sentence)}" for each in others]
        return (
            (paragraphs([f"{DENIED} {assumed}"]) if pictures else "")
            + "".join(pictures)
            + (items(rest) if rest else "")
        )

    def guessed(self) -> str:
        """An attack on made-up people."""
        if self.attack is None:
            return paragraphs(["Nothing is disguised by a lottery over answers, so there is nothing to guess."])
        about = f"{GUESSED} They were not asked {self.left_out}." if self.left_out else GUESSED
        return paragraphs([about]) + judged.attack_figure(self.attack) + paragraphs(self.attack.sentences)

    def details(self) -> str:
        """What `deniable privacy` says, word for word, and what the words mean."""
        rows = [f"<b>{escaped(names)}</b>: {escaped(sentence)}" for names, sentence in self.privacy.by_names]
        mark = f"Design {self.design.fingerprint}: whatever is changed in it changes this fingerprint."
        return paragraphs([EPSILON, *self.privacy.sentences]) + items(rows) + paragraphs([mark])


def _wording(question: Question) -> str:
    return question.wording or question.name


def _answers(question: Question) -> str:
    if question.range is not None and not question.range.by_interval:
        return f"a number from {question.range.low:g} to {question.range.high:g}"
    return ", ".join(question.answers)


def _shares(question: Question, given: Prior) -> str:
    shares = zip(question.answers, prior_of(question, given), strict=True)
    return ", ".join(f"{word} {_percent(share)}" for word, share in shares)


def _percent(share: float) -> str:
    return f"{100 * share:.0f}\N{NO-BREAK SPACE}%"

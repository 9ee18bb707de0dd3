"""Survey: all questions, in the order in which they are asked."""

from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from itertools import takewhile

from deniable.errors import BadQuestion, BadRequest, UnknownQuestion
from deniable.survey.question import REFUSAL, Question
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.skip import Rule, rule_of


@dataclass(frozen=True)
class Survey:
    """The questions, a title, the question that classifiers should predict, and those whose answers are never sent.

    `wave` and `retention` are part of the promise too.
    """

    questions: tuple[Question, ...]
    title: str = ""
    target: str | None = None
    unsent: tuple[Question, ...] = ()  # asked only to compute others
    wave: int = 1  # how often the same people are asked the same on purpose; each wave is drawn anew
    retention: date | None = None  # the last day on which replies are kept
    page: Questionnaire = field(default_factory=Questionnaire)

    def __post_init__(self) -> None:
        if isinstance(self.wave, bool) or not isinstance(self.wave, int) or self.wave < 1:
            raise BadRequest("wave", "a whole number from 1 on", self.wave, "correct it")
        if self.retention is not None and (
            isinstance(self.retention, datetime) or not isinstance(self.retention, date)
        ):
            raise BadRequest("retention", "a day without a time", str(self.retention), "write it as 2027-12-31")
        if not self.questions:
            raise BadQuestion("", "is missing: a survey needs at least one", "add a question")
        names = [*self.names, *(question.name for question in self.unsent)]
        for name in names:
            if names.count(name) > 1:
                raise BadQuestion(name, "is asked twice", "give the second one another name")
        self._check_computed()
        self._check_page()
        if self.target is not None:
            self.question(self.target)

    def _check_computed(self) -> None:
        """Refuse formulas of what is not asked, has no value, or is sent, and unsent questions in no formula."""
        unsent = {question.name: question for question in self.unsent}
        needed = {name for question in self.questions if question.formula for name in question.formula.names}
        for question in self.questions:
            for name in question.formula.names if question.formula else ():
                if name in self.names:
                    raise BadQuestion(question.name, f"is computed from {name!r}, which is sent itself",
                                      "take that out of its channel, or ask it again under another name")  # fmt: skip
                if name not in unsent:
                    raise BadQuestion(question.name, f"is computed from {name!r}, which is not asked", "ask it")
                if unsent[name].range is None and unsent[name].values is None:
                    raise BadQuestion(name, f"has no values, which {question.name!r} is computed from",
                                      "give it values = [0, 1, ...], one for each answer")  # fmt: skip
        for question in self.unsent:
            if question.name not in needed:
                raise BadQuestion(question.name, "is in no channel, and no other is computed from it",
                                  "name it in a formula, or leave it out")  # fmt: skip
            if question.omit or question.optional:
                raise BadQuestion(question.name, "may be left out, but others are computed from it",
                                  "take omit or optional away")  # fmt: skip

    def _check_page(self) -> None:
        """Refuse conditions on what is not asked before, tables of unlike answers, and translations of nothing."""
        for question in self.questions:
            self.rule(question)
        for question in self.unsent:
            if question.ask_if is not None:
                raise BadQuestion(question.name, "is never sent, so it cannot have ask_if", "leave ask_if out")
        self._check_matrices()
        self._check_translations()

    def _check_matrices(self) -> None:
        first: dict[str, Question] = {}
        for question in self.questions:
            if question.matrix and first.setdefault(question.matrix, question).offered != question.offered:
                other = first[question.matrix].name
                raise BadQuestion(question.name, f"has other answers than {other!r}, in one matrix",
                                  "give both the same answers, or leave matrix out of one")  # fmt: skip

    def _check_translations(self) -> None:
        asked = {question.name: question.plain for question in (*self.questions, *self.unsent)}
        for translation in self.page.translations:
            for name, words in translation.questions:
                if name not in asked:
                    raise UnknownQuestion(name, asked)
                given, count = len(words.answers), len(own_answers(asked[name]))
                if given and given != count:
                    raise BadQuestion(name, f"has {given} answers in {translation.language!r}, not {count}",
                                      "give one for each answer, in order")  # fmt: skip

    def rule(self, question: Question) -> Rule | None:
        """The rule by which a question is asked, as it is published; None where everybody is asked."""
        question = question.plain
        if question.ask_if is None:
            return None
        before = {each.name: each.plain for each in takewhile(lambda each: each.name != question.name, self.questions)}
        for name in question.ask_if.names:
            if name in before and before[name].formula is not None:
                raise BadQuestion(question.name, f"is asked by {name!r}, which is computed", "ask by another answer")
        return rule_of(question.name, question.ask_if, before)

    @property
    def names(self) -> list[str]:
        """The names of all questions."""
        return [question.name for question in self.questions]

    def question(self, name: str) -> Question:
        """The question of that name."""
        if not isinstance(name, str) or name not in self._by_name:
            raise UnknownQuestion(name, self.names)
        return self._by_name[name]

    @cached_property
    def _by_name(self) -> dict[str, Question]:
        return {question.name: question for question in self.questions}


def own_answers(question: Question) -> tuple[str, ...]:
    """The answers that a collector wrote, without those that every page has words for."""
    if question.range is not None:
        return ()
    return tuple(answer for answer in question.offered if not (question.optional and answer == REFUSAL))

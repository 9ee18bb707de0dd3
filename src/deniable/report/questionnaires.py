"""What a design says of its page: sections, conditions, choices of several, languages and texts, for collectors."""

from collections.abc import Sequence
from typing import Any

from deniable.channel.design import Design
from deniable.deniability.epsilon import epsilon_word, question_epsilon, rounded_up
from deniable.survey.question import PAGE_WORDS, Question
from deniable.survey.questionnaire import SPOKEN


def page_facts(question: Question) -> dict[str, Any]:
    """Where and when the page asks a question, as far as the design says so."""
    question = question.plain
    facts: dict[str, Any] = {key: value for key in PAGE_WORDS if (value := getattr(question, key))}
    if question.ask_if is not None:
        facts |= {"ask_if": question.ask_if.text, "otherwise": otherwise_words(question)}
    return facts


def otherwise_words(question: Question) -> str:
    """The answer of those who are not asked, in words."""
    answer = question.otherwise_answer
    return f"{answer:g}" if question.range is not None else question.answers[int(answer)]


def page_lines(design: Design) -> list[str]:
    """What is to be said of the page in a few lines."""
    page, questions = design.survey.page, [question.plain for question in design.questions]
    lines = [_asked_line(question) for question in questions if question.ask_if is not None]
    lines += _several_lines(design, questions)
    if sections := list(dict.fromkeys(question.section for question in questions if question.section)):
        lines.append(f"sections: {', '.join(sections)}")
    if page.translations:
        lines.append(f"languages: {', '.join(page.languages)}; which one people read is not sent")
    if foreign := [code for code in page.languages if code.split("-")[0] not in SPOKEN]:
        lines.append(f"the page has no words of its own in {', '.join(foreign)}; they stay English")
    if not page.text.contact:
        lines.append("the page does not say who asks; add contact under [text]")
    return lines


def _asked_line(question: Question) -> str:
    assert question.ask_if is not None
    answer = otherwise_words(question)
    return f"{question.name}: asked if {question.ask_if.text}; all others answer {answer!r}, disguised like any answer"


def _several_lines(design: Design, questions: Sequence[Question]) -> list[str]:
    """Choices of several, which are yes-no questions: their epsilons add up."""
    stems: dict[tuple[str, str], list[str]] = {}
    section = ""
    for question in questions:
        section = question.section or section
        if question.multiple:
            stems.setdefault((section, question.multiple), []).append(question.name)
    lines = []
    for (_, stem), names in stems.items():
        total = sum(
            max(question_epsilon(each, name) for each in design.block(name).channels_of(name)) for name in names
        )
        lines.append(f"{stem!r} is {len(names)} yes-no questions: epsilon {epsilon_word(rounded_up(total))} together")
    return lines

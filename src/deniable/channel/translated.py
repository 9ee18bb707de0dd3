"""Translations held against the design: what would mislead whoever reads them is refused, what they lack is told.

A reply holds the answers of the design's own language. Two answers with the same words could not be told apart, and one
section under two names would be two on the page.
"""

from collections.abc import Iterator, Sequence

from deniable.channel.block import Block
from deniable.errors import BadDesignFile
from deniable.survey.question import PAGE_WORDS, Question
from deniable.survey.questionnaire import QuestionWords, Translation
from deniable.survey.survey import Survey, own_answers

SHARED = ("section", "multiple", "matrix")  # words that several questions have in common
MAX_NAMES = 4  # names in one line
NOTHING = QuestionWords()


def check_translations(survey: Survey, blocks: Sequence[Block]) -> None:
    """Refuse translations that say the same of two answers, two things of the same, or something of nothing."""
    asked = {question.name: question.plain for question in (*survey.questions, *survey.unsent)}
    personal = _personal(blocks)
    for translation in survey.page.translations:
        for name, words in translation.questions:
            where = f"[translation.{translation.language}.question.{name}]"
            if twice := [word for word in words.answers if words.answers.count(word) > 1]:
                raise BadDesignFile(where, f"has the answer {twice[0]!r} twice", "give every answer words of its own")
            if words.personal and name not in personal:
                way_out = 'leave it out, or write personal under a channel with scheme = "unrelated"'
                raise BadDesignFile(where, "has a personal question, which the design has not", way_out)
        _check_shared(translation, asked)


def _personal(blocks: Sequence[Block]) -> list[str]:
    """The questions that a personal question stands beside."""
    channels = [channel for block in blocks for channel in block.channels]
    return list(dict.fromkeys(name for each in channels for name in each.recipe.settings.get("personal", ())))


def _check_shared(translation: Translation, asked: dict[str, Question]) -> None:
    """Refuse words that several questions have in common, and that are translated in two ways."""
    known: dict[tuple[str, str], tuple[str, str]] = {}
    for name, words in translation.questions:
        for key in SHARED:
            own, said = getattr(asked[name], key), getattr(words, key)
            if own and said:
                other, first = known.setdefault((key, own), (name, said))
                if first != said:
                    raise BadDesignFile(
                        f"[translation.{translation.language}.question.{name}]",
                        f"says {said!r} for the {key} {own!r}, but {other} says {first!r}", "say the same of both",
                    )  # fmt: skip


def lacking(survey: Survey, blocks: Sequence[Block]) -> list[str]:
    """What each translation lacks, in one line each."""
    personal = _personal(blocks)
    return [
        f"[translation.{each.language}] lacks {'; '.join(found)}; people read that in {survey.page.language!r}"
        for each in survey.page.translations
        if (found := list(_lacking(survey, personal, each)))
    ]


def _lacking(survey: Survey, personal: Sequence[str], translation: Translation) -> Iterator[str]:
    if survey.title and not translation.title:
        yield "title"
    if texts := [key for key in survey.page.text.table() if key not in translation.text.table()]:
        yield f"text ({', '.join(texts)})"
    said = dict(translation.questions)
    asked = [question.plain for question in (*survey.questions, *survey.unsent)]
    for key in ("wording", "answers", *PAGE_WORDS):
        names = [each.name for each in asked if _has(each, key) and not getattr(said.get(each.name, NOTHING), key)]
        if names:
            yield f"{key} of {_listed(names)}"
    if names := [name for name in personal if not said.get(name, NOTHING).personal]:
        yield f"personal question of {_listed(names)}"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    return f"{', '.join(names[:MAX_NAMES])}{more}"


def _has(question: Question, key: str) -> bool:
    """Whether a question has words of this kind; what is computed shows no answers."""
    if key == "answers":
        return bool(own_answers(question)) and question.formula is None
    return bool(getattr(question, key))

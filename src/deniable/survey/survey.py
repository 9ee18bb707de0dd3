"""All that is asked, in the order in which it is asked."""

from dataclasses import dataclass

from deniable.errors import BadQuestion, UnknownQuestion
from deniable.survey.question import Question


@dataclass(frozen=True)
class Survey:
    """The questions, a title, and the question that classifiers should predict."""

    questions: tuple[Question, ...]
    title: str = ""
    target: str | None = None

    def __post_init__(self) -> None:
        if not self.questions:
            raise BadQuestion("", "is missing: a survey needs at least one", "add a question")
        for question in self.questions:
            if self.names.count(question.name) > 1:
                raise BadQuestion(question.name, "is asked twice", "give the second one another name")
        if self.target is not None:
            self.question(self.target)

    @property
    def names(self) -> list[str]:
        """The names of all questions."""
        return [question.name for question in self.questions]

    def question(self, name: str) -> Question:
        """The question of that name."""
        for question in self.questions:
            if question.name == name:
                return question
        raise UnknownQuestion(name, self.names)

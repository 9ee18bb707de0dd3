"""`deniable check DESIGN`: read a design and say what it is, or what is wrong."""

from deniable.channel.design import Design
from deniable.cli.arguments import DesignFile
from deniable.cli.show import print_table, say


def command(path: DesignFile) -> None:
    """Read a design and say what it is, or what is wrong."""
    design = Design.load(path)
    rows = [
        (
            question.name,
            _answers(design, question.name),
            channel.recipe.scheme,
            str(channel.recipe),
            _together(channel.names),
        )
        for question in design.questions
        for channel in [design.channel(question.name)]
    ]
    print_table(design.title, ["question", "answers", "scheme", "settings", "drawn with"], rows)
    say(f"target: {design.target or 'none'}")
    say(f"fingerprint: {design.fingerprint}")


def _answers(design: Design, name: str) -> str:
    question = design.question(name)
    if question.range is None:
        return ", ".join(question.answers)
    whole = "whole numbers" if question.range.integer else "numbers"
    told = f", told as {len(question)} intervals" if question.range.by_interval else ""
    return f"{whole} from {question.range.low:g} to {question.range.high:g}{told}"


def _together(names: list[str]) -> str:
    return "alone" if len(names) == 1 else f"{len(names)} questions" if len(names) > 4 else ", ".join(names)

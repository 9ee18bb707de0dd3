"""`deniable privacy DESIGN`: what each respondent can deny."""

from math import ceil, floor
from typing import Annotated

import typer

from deniable.channel.design import Design
from deniable.cli.arguments import DesignFile
from deniable.cli.show import AsJson, print_json, print_table, say
from deniable.deniability.epsilon import epsilon_word
from deniable.deniability.interval import width_word
from deniable.deniability.privacy import privacy
from deniable.deniability.whole import Prior
from deniable.errors import BadRequest


def command(
    path: DesignFile,
    prior: Annotated[
        list[str] | None,
        typer.Option(
            help="Shares believed in beforehand: smokes=0.7,0.3, or the second answer's alone: "
            "smokes=0.3; may be given again."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say what each respondent can deny."""
    report = privacy(Design.load(path), dict(_shares(each) for each in prior or []))
    if as_json:
        print_json(report.to_json())
        return
    rows = [
        (each.name, str(epsilon_word(each.epsilon)), _share(each.retention), _belief(each.posterior),
         _belief(each.posterior_other), _error(each.pse),
         "-" if each.interval is None else width_word(each.interval["95 %"]))
        for each in report.questions
    ]  # fmt: skip
    heads = ["question", "epsilon", "retention", "sensitive", "other", "PSE", "width"]
    print_table("", heads, rows)
    if answers := ", ".join(f"{each.name} {each.sensitive}" for each in report.questions if each.sensitive):
        say(
            "sensitive, other: the surest that a whole reply can make a collector of the sensitive answer "
            f"({answers}), "
            "and of any other"
        )
    if prior is None:
        say(
            "epsilon: of the question's own report; all else: of the whole reply, to a collector for whom all answers "
            "were equally likely before (--prior tells other shares)"
        )
    say(f"a whole reply: epsilon {epsilon_word(report.epsilon)}")
    say(f"its disguised questions: epsilon {epsilon_word(report.epsilon_disguised)}")
    for sentence in report.sentences:
        say(f"! {sentence}")
    for each in report.questions:
        say(f"{each.name}: {each.sentence}")


def _share(share: float | None) -> str:
    return "-" if share is None else f"{share:.4f}"


def _error(pse: float | None) -> str:
    """How often a guess is wrong, never more often than in truth."""
    return "-" if pse is None else f"{floor(pse * 1e4 + 0.01) / 1e4:.4f}"


def _belief(belief: float | None) -> str:
    """A belief, never less sure than the truth."""
    return "-" if belief is None else f"{min(1.0, ceil(belief * 1e5 - 0.01) / 1e5):.5f}"


def _shares(text: str) -> tuple[str, Prior]:
    """A question's name and the shares of its answers, or of the second one, as written on the command line."""
    name, _, shares = text.rpartition("=")
    try:
        found = [float(share) for share in shares.split(",")]
    except ValueError:
        raise BadRequest("--prior", "a question and shares, as smokes=0.7,0.3 or smokes=0.3", text,
                         "correct it") from None  # fmt: skip
    return name, found[0] if len(found) == 1 else found

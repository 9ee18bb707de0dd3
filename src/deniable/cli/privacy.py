"""`deniable privacy DESIGN`: what each respondent can deny."""

from typing import Annotated

import typer

from deniable.channel.design import Design
from deniable.cli.arguments import DesignFile
from deniable.cli.show import AsJson, print_json, print_table, say
from deniable.deniability.local import epsilon_word
from deniable.deniability.privacy import privacy
from deniable.errors import BadRequest


def command(
    path: DesignFile,
    prior: Annotated[
        list[str] | None, typer.Option(help="Shares believed in beforehand: smokes=0.7,0.3; may be given again.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say what each respondent can deny."""
    report = privacy(Design.load(path), dict(_shares(each) for each in prior or []))
    if as_json:
        print_json({**report.to_json(), "note": " ".join(report.sentences)})
        return
    rows = [
        (each.name, str(epsilon_word(each.epsilon)), "-" if each.retention is None else f"{each.retention:.4f}",
         "-" if each.posterior is None else f"{each.posterior:.4f}", "-" if each.pse is None else f"{each.pse:.4f}",
         "-" if each.interval is None else f"{each.interval['95 %']:.4g}")
        for each in report.questions
    ]  # fmt: skip
    print_table("", ["question", "epsilon", "retention", "surest belief", "PSE", "width at 95 %"], rows)
    say(f"a whole reply: epsilon {epsilon_word(report.epsilon)}")
    say(f"its disguised questions: epsilon {epsilon_word(report.epsilon_disguised)}")
    for sentence in report.sentences:
        say(f"! {sentence}")
    for each in report.questions:
        say(f"{each.name}: {each.sentence}")


def _shares(text: str) -> tuple[str, list[float]]:
    """A question's name and the shares of its answers, as written on the command line."""
    name, _, shares = text.rpartition("=")
    try:
        return name, [float(share) for share in shares.split(",")]
    except ValueError:
        raise BadRequest("--prior", "a question and shares, as smokes=0.7,0.3", text, "correct it") from None

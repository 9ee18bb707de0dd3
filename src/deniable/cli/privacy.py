"""`deniable privacy DESIGN`: what each respondent can deny; of several designs, what the same people give away."""

from math import ceil, floor, log10
from pathlib import Path
from typing import Annotated

import typer

from deniable.channel.design import Design
from deniable.cli.arguments import Html
from deniable.cli.shares import shares_by_question
from deniable.cli.show import AsJson, print_json, print_table, say, say_written
from deniable.deniability.epsilon import epsilon_word
from deniable.deniability.interval import width_word
from deniable.deniability.ledger import ledger
from deniable.deniability.privacy import Privacy, privacy
from deniable.deniability.whole import Priors
from deniable.errors import BadRequest
from deniable.frame import files


def command(
    paths: Annotated[list[Path], typer.Argument(metavar="DESIGN", help="The design file (TOML).")],
    prior: Annotated[
        list[str] | None,
        typer.Option(
            help="Shares believed in beforehand: smokes=0.7,0.3, or the second answer's alone: "
            "smokes=0.3; may be given again."
        ),
    ] = None,
    same_people: Annotated[
        bool, typer.Option("--same-people", help="The same people answer all of it: add their epsilons up.")
    ] = False,
    waves: Annotated[int, typer.Option(help="How often the same people are asked each design.")] = 1,
    remembered: Annotated[
        bool, typer.Option("--remembered", help="Their devices remember (deniable disguise --remember).")
    ] = False,
    second_round: Annotated[
        list[float] | None,
        typer.Option(metavar="EPSILON", help="Epsilon of a second round with the same people; may be given again."),
    ] = None,
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Say what each respondent can deny."""
    if same_people:
        _refuse_with("--same-people", {"--prior": prior, "--html": html})
        _add_up(paths, waves, remembered, second_round or [], as_json)
    else:
        _refuse_alone(paths, bool(waves > 1 or remembered or second_round))
        _tell(paths[0], prior, html, as_json)


def _refuse_with(option: str, others: dict[str, object]) -> None:
    """Refuse options that say nothing beside this one."""
    for name, given in others.items():
        if given:
            raise BadRequest(option, f"given without {name}", name, "ask about each design by itself")


def _refuse_alone(paths: list[Path], again: bool) -> None:
    """Refuse what adds up only over the same people, where nobody said so."""
    if len(paths) > 1 or again:
        what = f"{len(paths)} designs" if len(paths) > 1 else "waves or a second round"
        way_out = "say --same-people if the same people answer: only then epsilons add up, and only you know that"
        raise BadRequest("privacy", "of one reply to one design", what, way_out)


def _tell(path: Path, prior: list[str] | None, html: Path | None, as_json: bool) -> None:
    """What a reply to one design reveals, here and on a page."""
    design, priors = Design.load(path), shares_by_question("--prior", prior or [])
    report = privacy(design, priors)
    if html is not None:
        from deniable.report import ethics, page  # only here: they load the learners

        files.keep_apart(html, path)
        page.write(ethics.ethics_page(design, priors), html)
    if as_json:
        print_json(report.to_json())
    else:
        _show(report, priors)
    say_written(html, "a page for those who decide whether it may be asked", as_json)


def _add_up(paths: list[Path], waves: int, remembered: bool, rounds: list[float], as_json: bool) -> None:
    """What the same people give away in all these surveys."""
    names = [str(path) if paths.index(path) == index else f"{path} ({index + 1})" for index, path in enumerate(paths)]
    designs = {name: Design.load(path) for name, path in zip(names, paths, strict=True)}
    found = ledger(designs, waves, remembered=remembered, second_rounds=rounds)
    if as_json:
        print_json(found.to_json())
        return
    rows = [
        (each.name, str(epsilon_word(each.epsilon)), each.waves, str(epsilon_word(each.total)))
        for each in found.entries
    ]
    print_table("", ["survey", "epsilon of a reply", "waves", "epsilon in all"], rows)
    for each in found.entries:
        if each.note:
            say(f"{each.name}: {each.note}")
    say(f"the same people: epsilon {epsilon_word(found.epsilon)}")
    say(found.sentence)


def _show(report: Privacy, priors: Priors) -> None:
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
    believed = _believed(report, priors)
    say(f"epsilon: of the question's own report; all else: of the whole reply, to a collector {believed}")
    say(f"a whole reply: epsilon {epsilon_word(report.epsilon)}")
    if report.epsilon_disguised != report.epsilon:
        say(f"its disguised questions: epsilon {epsilon_word(report.epsilon_disguised)}")
    for sentence in report.sentences:
        say(f"! {sentence}")
    for names, sentence in report.by_names:
        say(f"{names}: {sentence}")


def _believed(report: Privacy, priors: Priors) -> str:
    """What the collector is taken to believe beforehand."""
    given = [each for each in report.questions if each.name in priors]
    shares = ", ".join(f"{each.name} {each.sensitive} {each.prior:.4g}" for each in given)
    if not given:
        return "for whom all answers were equally likely before (--prior tells other shares)"
    return f"who believed in these shares before: {shares}; and of all else, that answers are equally likely"


def _share(share: float | None) -> str:
    return "-" if share is None else f"{share:.4f}"


def _error(pse: float | None) -> str:
    """How often a guess is wrong, never more often than in truth."""
    return "-" if pse is None else f"{floor(pse * 1e5 + 0.01) / 1e5:.5f}"


def _belief(belief: float | None) -> str:
    """A belief, never less sure than the truth; the closer to certainty, the more digits: 0.80000, 0.9999962."""
    if belief is None:
        return "-"
    doubt = 1 - belief
    digits = 5 if doubt < 1e-9 else max(5, 1 - floor(log10(doubt)))
    return f"{min(1.0, ceil(belief * 10**digits - 0.01) / 10**digits):.{digits}f}"

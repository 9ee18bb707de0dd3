"""Codebook of a design: what was asked, how it was disguised, how to analyse replies; as Markdown or as a page."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from deniable.channel.design import Design
from deniable.deniability.privacy import privacy
from deniable.errors import BadFile
from deniable.report.designs import design_rows
from deniable.report.page import document, escaped, items, write
from deniable.report.questionnaires import otherwise_words, page_facts
from deniable.report.versions import version_lines
from deniable.survey.question import PAGE_WORDS, Question

KINDS = (".html", ".md")
STYLE = """
.facts { width: 100%; }
.facts th { width: 8rem; font-weight: normal; color: var(--soft); }
.facts td { overflow-wrap: anywhere; }
pre { white-space: pre-wrap; }
@media screen and (max-width: 40rem) { .facts th { width: 5.5rem; } .facts th, .facts td { padding-inline: .3rem; } }
@media print { body { font-size: 10.5pt; } h2 { break-after: avoid; } .facts { break-inside: avoid; } }
"""


def write_codebook(design: Design, path: Path, file: str = "design.toml") -> None:
    """Write a design's codebook; `file` is the name under which readers have the design."""
    if path.suffix.lower() not in KINDS:
        raise BadFile(path, f"has the unknown ending {path.suffix!r}", f"use {' or '.join(KINDS)}")
    made = _page(design, file) if path.suffix.lower() == ".html" else _markdown(design, file)
    write(made, path)


def _title(design: Design) -> str:
    return f"Codebook: {design.title}" if design.title else "Codebook"


def _about(design: Design) -> list[str]:
    """What readers must know of all replies."""
    return [
        "Replies are disguised: a lottery was drawn for every respondent before anything was sent. A column holds what "
        "was reported, which need not be true, and its raw shares are not those of the true answers.",
        f"Fingerprint of the design: {design.fingerprint}",
        *version_lines(design),
        *[f"{key.capitalize()}: {text}" for key, text in design.survey.page.text.table().items()],
        *(["Languages: " + ", ".join(design.survey.page.languages)] if design.survey.page.translations else []),
    ]


def _facts(design: Design, question: Question) -> Iterator[tuple[str, str]]:
    """What there is to say of one question."""
    yield "Wording", question.wording or "(none)"
    _, answers, scheme, settings, together = next(row for row in design_rows(design) if row[0] == question.name)
    yield "Answers", answers
    if question.formula is not None:
        yield "Computed on the device", str(question.formula)
    disguise = ", ".join(dict.fromkeys(filter(None, [scheme, settings])))  # a scheme without settings is told once
    yield "Disguise", "none: sent as it is" if design.is_clear(question.name) else disguise
    if together != "alone":
        yield "Drawn together with", together
    yield from ((key.capitalize(), text) for key, text in page_facts(question).items() if key in PAGE_WORDS)
    if (when := question.plain.ask_if) is not None:
        yield "Asked if", when.text
        yield "All others", f"answer {otherwise_words(question.plain)!r}, disguised like any answer"
    if question.optional:
        yield "Refusal", "an answer like any other, disguised like any other"
    if question.omit:
        yield "Left out", "people may skip it, which can be seen"


def _sentences(design: Design) -> list[str]:
    """What each respondent can deny."""
    return str(privacy(design)).splitlines()


def _analysis(design: Design, file: str) -> list[str]:
    """Commands that estimate the truth from replies."""
    words = [each for each in design.questions if not each.is_number]
    first, answer = next(((each.name, each.plain.answers[-1]) for each in words), ("", ""))
    lines = [f"deniable estimate {file} replies.csv"]
    if first:
        lines.append(f"deniable estimate {file} replies.csv \"{first} == '{answer}'\"")
    if len(words) > 1:
        lines.append(f"deniable table {file} replies.csv {words[0].name} {words[1].name}")
    if len(alone := [each.name for each in words if each.beside is None]) > 1:
        lines.append(f'deniable regress {file} replies.csv "{alone[0]} ~ {alone[1]}"')
    lines += [f"deniable mean {file} replies.csv {each.name}" for each in design.questions if each.is_number][:1]
    return lines


def _markdown(design: Design, file: str) -> str:
    lines = [f"# {_title(design)}", "", *[f"{each}\n" for each in _about(design)]]
    for question in [*design.questions, *design.survey.unsent]:
        lines += [f"## {question.name}", "", *_table(design, question), ""]
    lines += ["## What respondents can deny", "", *[f"- {each}" for each in _sentences(design)], ""]
    lines += ["## How to analyse it", "", *[f"    {each}" for each in _analysis(design, file)], ""]
    return "\n".join(lines)


def _table(design: Design, question: Question) -> list[str]:
    rows = [("Wording", question.wording), ("Never sent", "it only serves a computed question")]
    rows = rows if question in design.survey.unsent else list(_facts(design, question))
    return ["| | |", "|---|---|", *[f"| {head} | {_cell(text)} |" for head, text in rows]]


def _cell(text: str) -> str:
    """A text as it may stand in a table of Markdown."""
    return escaped(text).replace("|", "\\|").replace("\n", " ")


def _fact_table(facts: Iterable[tuple[str, str]]) -> str:
    rows = "".join(f'<tr><th scope="row">{escaped(head)}</th><td>{escaped(text)}</td></tr>' for head, text in facts)
    return f'<table class="facts"><tbody>{rows}</tbody></table>'


def _page(design: Design, file: str) -> str:
    parts = [f"<p>{escaped(each)}</p>" for each in _about(design)]
    parts += [f"<h2>{escaped(each.name)}</h2>{_fact_table(_facts(design, each))}" for each in design.questions]
    if design.survey.unsent:
        never = [f"{escaped(each.name)}: {escaped(each.wording)}" for each in design.survey.unsent]
        parts.append(f"<h2>Asked, but never sent</h2>{items(never)}")
    parts.append(f"<h2>What respondents can deny</h2>{items(map(escaped, _sentences(design)))}")
    parts.append(f"<h2>How to analyse it</h2><pre>{escaped(chr(10).join(_analysis(design, file)))}</pre>")
    return document(_title(design), "\n".join(parts), STYLE)

"""Pages of the site that are made from the code: the command line, the library; and those that lie beside it."""

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from functools import cached_property
from pathlib import Path
from textwrap import dedent
from typing import Any

from mkdocs.structure.files import File

import deniable as dn
from deniable.cli.commands import COMMANDS, loaded

ROOT = Path(__file__).parents[1]
BESIDE = {"contributing.md": "CONTRIBUTING.md", "changes.md": "CHANGELOG.md", "reporting.md": "SECURITY.md"}
EXAMPLES = [ROOT / f"examples/{name}/README.md" for name in ("workplace", "health", "misconduct", "telemetry")]
ROW = re.compile(r"[─=-]{9}|^(?!deniable )[^<#]*\S {2,}[^\s<#]")  # a rule across, or cells with room between them
FUNCTION = type(lambda: None)  # and not what other libraries put beside methods
GROUPS = {
    "Ask": "Design Question yes_no number multiple matrix computed epsilon versions Channel",
    "Lotteries": "warner unrelated forced k_ary draw lookup hadamard clear gaussian uniform interval multiply",
    "Lotteries of survey research": "crosswise triangular mangat mangat_singh kuk extended_crosswise "
    "cheating_detection lie_detector two_samples item_count",
    "Before you ask": "privacy Privacy posterior ledger Ledger plan Plan theta_for Curve advise Advice attack Attack",
    "Disguise": "disguise",
    "Estimate": "estimate table mean quantile total difference correlation association reconstruct fit_test Estimate "
    "Difference Association",
    "Samples": "weights rake",
    "Regress": "regress Regression",
    "Learn": "TreeClassifier NaiveBayes PairwiseClassifier load_model itemsets rules",
    "Test a model": "score confusion evaluation cross_val_score scorer Confusion Evaluation",
    "Errors": "DeniableError",
}


def on_config(config: Any) -> Any:
    """Puts pages that the navigation does not name among the background."""
    named = str(config.nav)
    (background,) = [each["Background"] for each in config.nav if "Background" in each]
    config.nav.insert(4, {"Gallery": [f"gallery/{page.parent.name}.md" for page in EXAMPLES]})
    background += [path.name for path in sorted((ROOT / "docs").glob("*.md")) if path.name not in named]
    return config


def on_page_markdown(text: str, page: Any, **more: Any) -> str:
    """Names what lies beside the site instead of linking it."""
    return re.sub(r"\[([^\]]+)\]\((?:\.\./)+(?:deploy|examples|src|tests|bench)[^)]*\)", r"\1", text)


def on_page_content(text: str, **more: Any) -> str:
    """Marks the lines of tables in what commands print: these must not wrap, since their columns would be lost."""
    return re.sub(r'(?<=highlight">)(.*?)(?=</code>)', _with_rows, text, flags=re.DOTALL)


def _with_rows(block: re.Match[str]) -> str:
    head, code, lines = block[0].partition("<code>")
    marked = [f'<span class="row">{line}</span>' if _is_row(line) else line for line in lines.split("\n")]
    return head + code + "\n".join(marked)


def _is_row(line: str) -> bool:
    """Whether it is a line of a table, or the second line of one of its cells."""
    return line.startswith(" " * 8) or ROW.search(line.strip()) is not None


def on_files(files: Any, config: Any) -> Any:
    """Adds the pages that are made here."""
    for name, source in BESIDE.items():
        if (ROOT / source).exists():
            files.append(File.generated(config, name, content=_moved((ROOT / source).read_text(encoding="utf-8"))))
    for page in EXAMPLES:
        content = page.read_text(encoding="utf-8").replace("](../../docs/", "](../")
        files.append(File.generated(config, f"gallery/{page.parent.name}.md", content=content))
    files.append(File.generated(config, "reference/commands.md", content=commands_page()))
    files.append(File.generated(config, "reference/python.md", content=library_page()))
    return files


def _moved(text: str) -> str:
    """A page of the folder above, with links that hold in this one; what is not on the site is named only."""
    text = re.sub(r"\]\(docs/", "](", text)
    for name, source in BESIDE.items():
        text = text.replace(f"]({source})", f"]({name})")
    return re.sub(
        r"\[([^\]]+)\]\((?:README\.md|LICENSE|CITATION\.cff|(?:src|tests|bench|examples)/[^)]*)\)", r"\1", text
    )


def commands_page() -> str:
    """Every command with its arguments and options, from the commands themselves."""
    parts = [
        "# Command line",
        "`deniable COMMAND --help` says the same. Those that print figures have `--json`: [what is in it](../json.md).",
    ]
    for name in COMMANDS:
        command = loaded(name)
        context = command.make_context(f"deniable {name}", [], resilient_parsing=True)
        parts += [f"## {name}", command.help, f"```text\n{command.get_usage(context).removeprefix('Usage: ')}\n```"]
        rows = [_parameter(each, context) for each in command.params if each.name != "help"]
        parts.append("\n".join(["| | |", "|---|---|", *[f"| {one} | {two} |" for one, two in rows if one]]))
    return "\n\n".join(parts)


def _parameter(each: Any, context: Any) -> tuple[str, str]:
    """A parameter as its command's `--help` has it."""
    record = each.get_help_record(context)
    if record is None:
        return f"`{_code(each.make_metavar(context))}`", _cell(getattr(each, "help", "") or "")
    return f"`{_code(record[0])}`", _cell(record[1])


def _code(text: str) -> str:
    """Code in a cell of a table, where a bar would end it."""
    return " ".join(text.replace("|", " / ").split())


def _cell(text: str) -> str:
    return re.sub(r"(?<!\\)\|", r"\\|", " ".join(text.split())).replace("<", "&lt;")


def library_page() -> str:
    """Every public name, from its docstring."""
    parts = ["# Python", "`import deniable as dn` brings all of these."]
    for title, names in GROUPS.items():
        parts.append(f"## {title}")
        for name in names.split():
            parts += _entry(name, getattr(dn, name))
    return "\n\n".join(parts)


def _entry(name: str, thing: Any) -> list[str]:
    found = [f"### {name} {{ #{name} }}", f"```text\n{_signature(f'dn.{name}', thing)}\n```", *_told(thing)]
    if inspect.isclass(thing):
        rows = [row for each in reversed(thing.__mro__) if is_dataclass(each) for row in _fields(each)]
        rows += _members(thing)
        found += ["\n".join(["| | |", "|---|---|", *rows])] if rows else []
    return found


def _fields(thing: type) -> Iterator[str]:
    """A row for each field of a dataclass: its type, and the comment beside it."""
    source = dedent(inspect.getsource(thing))
    lines = source.splitlines()
    for node in ast.parse(source).body[0].body:
        if not isinstance(node, ast.AnnAssign) or (kind := ast.unparse(node.annotation)) == "Any":
            continue
        _, _, comment = lines[node.end_lineno - 1][node.end_col_offset :].partition("# ")
        kind = re.sub(r" \| ", " or ", kind).replace("'", "")
        yield f"| `{node.target.id}` | `{kind}`{': ' if comment else ''}{_cell(comment)} |"


def _members(thing: type) -> Iterator[str]:
    """A row for each public method and property: its arguments, and the first line of its docstring."""
    for name, member in vars(thing).items():
        member = getattr(member, "__func__", member)  # of a class method
        told = inspect.getdoc(member)
        if name.startswith("_") or not told or not isinstance(member, property | cached_property | FUNCTION):
            continue
        shown = f"{name}{_arguments(member)}" if inspect.isfunction(member) else name
        yield f"| `{_code(shown)}` | {_cell(told.splitlines()[0])} |"


def _told(thing: Any) -> list[str]:
    """A docstring as Markdown: examples are code."""
    text = inspect.getdoc(thing) or ""
    text = re.sub(r"((?:^>>> .*\n(?:(?!\n|>>> ).*\n?)*)+)", r"```text\n\1```\n", text + "\n", flags=re.MULTILINE)
    return [re.sub(r"(?<!`)<(?=\w)", "&lt;", text).strip()]


def _signature(name: str, thing: Any) -> str:
    return f"{name}{_arguments(thing)}"


def _arguments(thing: Any) -> str:
    """The arguments of a function without their types: docstrings say what they are."""
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return "()"
    plain = [each.replace(annotation=inspect.Parameter.empty) for each in signature.parameters.values()]
    shown = [each for each in plain if each.name not in ("self", "cls")]
    return str(inspect.Signature(shown))

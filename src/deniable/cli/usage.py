"""What is wrong with a command line, in one line that shows what came, or how it should look."""

import re
from collections.abc import Sequence
from typing import Any

OUT = "Missing option '-o' / '--out'."
WRITTEN = {  # by commands that must be told where
    "new": "survey.toml", "disguise": "replies.csv", "predict": "predictions.csv", "tree": "tree.json",
    "bayes": "bayes.json", "codebook": "codebook.html", "page": "page.html",
}  # fmt: skip


def usage_text(error: Any, arguments: Sequence[str]) -> str:
    """The message of a refused command line."""
    message = str(error.format_message())
    command = next(iter(arguments), "")
    if message == OUT and command in WRITTEN:
        return f"{message[:-1]}; say what to write, as in -o {WRITTEN[command]}"
    given = _given(getattr(getattr(error, "param", None), "opts", ()), arguments)
    if "unable to parse" not in message or given is None:
        return message
    point = "; write a point: " + given.replace(",", ".") if re.fullmatch(r"-?\d*,\d+", given) else ""
    return f"{message.split(', unable')[0]}, got {given!r}{point}"


def _given(options: Sequence[str], arguments: Sequence[str]) -> str | None:
    """What was given as one of these options."""
    for index, each in enumerate(arguments):
        name, sign, value = each.partition("=")
        if name in options and (sign or index + 1 < len(arguments)):
            return value if sign else arguments[index + 1]
    return None

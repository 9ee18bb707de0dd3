"""A TOML file as a document, with the way out of likely slips: a comma in a number, a text without quotes."""

import re
import tomllib
from os import PathLike
from pathlib import Path
from typing import Any

from deniable.errors import BadFile

SLIPS = (  # what a line looks like, and the way out
    (re.compile(r"=\s*[-+]?(?P<whole>\d*),(?P<rest>\d+)\s*(#.*)?$"), "write a point in a number: {whole}.{rest}"),
    (re.compile(r"=\s*(?P<word>True|False)\s*(#.*)?$"), "write true or false in small letters"),
    (re.compile(r"=\s*[“”„‘’«»]"), 'write plain quotes: "'),
    (re.compile(r"=\s*(?P<word>[^\W\d]\w*)\s*(#.*)?$"), 'put a text in quotes: "{word}"'),
)
SINGLE = re.compile(r"^\s*\[\s*(?P<key>question|channel)\s*\]", re.MULTILINE)
LINE = re.compile(r"at line (\d+)")


def read(path: str | PathLike[str]) -> dict[str, Any]:
    """The document in a TOML file."""
    text = ""
    try:
        text = Path(path).read_text(encoding="utf-8")
        return tomllib.loads(text)
    except OSError as error:
        raise BadFile(path, f"cannot be read ({error.strerror})", "check the path of the design file") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadFile(path, f"is not a TOML file: {error}", _way_out(text, str(error))) from error


def written_bare(value: str) -> Any:
    """What a text would be if it stood in the file without its quotes; nothing where it could not."""
    try:
        return tomllib.loads(f"x = {value}")["x"]
    except tomllib.TOMLDecodeError:
        return None


def _way_out(text: str, problem: str) -> str:
    """What to do about a line that cannot be read."""
    if (single := SINGLE.search(text)) and ("Cannot declare" in problem or "Cannot overwrite" in problem):
        return f"write [[{single['key']}]], with two brackets"
    found, lines = LINE.search(problem), text.splitlines()
    if found and int(found[1]) <= len(lines):
        for slip, way_out in SLIPS:
            if match := slip.search(lines[int(found[1]) - 1]):
                return way_out.format(**match.groupdict())
    return "correct that line"

"""What is said about checks can be looked up."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/security.md").read_text(encoding="utf-8")
PATHS = sorted({*re.findall(r"`((?:tests|src|docs|bench)/[^`\s]+|tests)`", PAGE)})
LINKS = sorted({*re.findall(r"\]\((?!https?:)([^)#\s]+)", PAGE)})


@pytest.mark.parametrize("path", PATHS + [f"docs/{link}" for link in LINKS])
def test_everything_named_on_the_page_about_security_exists(path):
    assert (ROOT / path).exists()


def test_every_check_has_a_place():
    rows = [row.split("|")[1:-1] for row in PAGE.splitlines() if re.match(r"\| \d", row)]
    numbers = [int(number) for number, *_ in rows]
    assert numbers[:15] == list(range(1, 16))
    assert numbers == sorted(set(numbers))
    for number, _, where in rows:
        named = re.findall(r"`([^`]+)`", where)
        assert named, number
        assert set(named) <= set(PATHS), number

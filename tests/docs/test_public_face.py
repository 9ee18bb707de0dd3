"""The public face is what it says it is."""

import ast
import importlib.util
import re
import subprocess
import sys
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

import deniable as dn
from deniable.channel import files

SOURCE = Path(dn.__file__).parent
ROOT = Path(__file__).parents[2]


def test_every_public_name_exists_is_sorted_and_documented():
    assert dn.__all__ == sorted(dn.__all__)
    for name in dn.__all__:
        assert getattr(dn, name).__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'dsguise'"):
        _ = dn.dsguise


def test_the_papers_are_public_as_a_module():
    assert len(dn.papers.adult()) == 48_842


@pytest.fixture(scope="module")
def hooks():
    """What makes the pages of the reference."""
    spec = importlib.util.spec_from_file_location("hooks", ROOT / "docs/hooks.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_the_reference_says_of_fields_what_they_are(hooks):
    page = hooks.library_page()
    for kind in (bool, dict, float, int, str, tuple):
        assert f"| {kind.__doc__.splitlines()[0]} |" not in page  # which is Python's own description of the type
    assert "set_score_request" not in page  # scikit-learn's
    for name in dn.__all__:
        thing = getattr(dn, name)
        entry = re.search(rf"^### {name} .*?(?=^##|\Z)", page, flags=re.DOTALL | re.MULTILINE)[0]
        for field in fields(thing) if is_dataclass(thing) else ():
            assert field.name == "backend" or f"\n| `{field.name}` | `" in entry, (name, field.name)
    assert "| `limits` | `tuple[float, float]`: of what is possible |" in page


def test_the_reference_has_every_public_name_and_every_key_of_a_design_file(hooks):
    assert sorted(" ".join(hooks.GROUPS.values()).split()) == dn.__all__
    page = (ROOT / "docs/reference/design-file.md").read_text(encoding="utf-8")
    keys = {*files.TOP, *files.ANSWERED, *files.MEASURED, *files.COMPUTED}
    assert [key for key in sorted(keys) if not re.search(rf"[`\[\]]{key}[`\].]", page)] == []


def test_type_checkers_see_the_same_names():
    tree = ast.parse((SOURCE / "__init__.py").read_text())
    (guarded,) = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {alias.name for node in guarded.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert seen == set(dn.__all__) == set(dn._HOMES)


def test_importing_is_cheap():
    code = "import sys, deniable; print('numpy' in sys.modules, 'pyarrow' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert told.stdout.split() == ["False", "False"]


def test_no_subpackage_hides_a_public_function():
    rooms = {path.name for path in SOURCE.iterdir() if path.is_dir()}
    assert not rooms & set(dn.__all__)


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_modules_are_small_and_told(path):
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert ast.get_docstring(tree)
    assert len(text.splitlines()) <= 400
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            assert node.end_lineno - node.lineno < 50, node.name
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            assert ast.get_docstring(node), f"{node.name} has no docstring"

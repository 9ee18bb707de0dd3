"""Every page of the documentation: its code runs and prints what the page shows, and its links lead somewhere."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from notebooks import EXAMPLES, notebook_of, path_of
from pages import FILES, OUTPUTS, PROGRAMS, ROOT, TUTORIAL, blocks_of, run, tidy

PAGES = [*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md"), *EXAMPLES]
TEXTS = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in sorted(PAGES)}
PROGRAMMED = [
    name
    for name, text in TEXTS.items()
    if name not in ("README.md", "docs/tutorial.md")  # README: test_readme.py
    and any(block.language in PROGRAMS for block in blocks_of(text))
]
LINK = re.compile(r"\]\(([^)\s]+)\)")
GENERATED = {"docs/reference/python.md", "docs/reference/commands.md", "docs/contributing.md", "docs/changes.md"}
GENERATED |= {f"docs/gallery/{page.parent.name}.md" for page in EXAMPLES}


@pytest.fixture(scope="module")
def tutorial(tmp_path_factory):
    """The folder that the tutorial leaves behind, and what its programs print; how-to pages go on from there."""
    folder = tmp_path_factory.mktemp("tutorial")
    blocks = blocks_of(TUTORIAL.read_text(encoding="utf-8"))
    return folder, blocks, run(blocks, folder)


def compare(blocks, printed):
    for block, output in zip(blocks, printed, strict=True):
        if block.output is not None:
            assert output == tidy(block.output.text), block.text


@pytest.mark.docs
@pytest.mark.xdist_group("pages")
def test_the_tutorial_prints_what_it_shows(tutorial, figure):
    _, blocks, printed = tutorial
    programs = [block for text in TEXTS.values() for block in blocks_of(text) if block.language in PROGRAMS]
    figure(f"programs on {len(PROGRAMMED) + 2} pages that are run", len(programs))
    compare(blocks, printed)
    shown = [(block, output) for block, output in zip(blocks, printed, strict=True) if block.language != "bash"]
    assert not [block.text for block, output in shown if output.strip() and not block.output]  # a site's draws differ


@pytest.mark.docs
@pytest.mark.xdist_group("pages")
@pytest.mark.parametrize("name", PROGRAMMED)
def test_pages_print_what_they_show(name, tutorial, tmp_path):
    folder = shutil.copytree(tutorial[0], tmp_path / "page")
    blocks = blocks_of(TEXTS[name])
    compare(blocks, run(blocks, folder))


@pytest.mark.parametrize("page", EXAMPLES, ids=lambda page: page.parent.name)
def test_notebooks_are_their_pages(page):
    assert nbformat.read(path_of(page), as_version=4) == notebook_of(page.read_text(encoding="utf-8"))


@pytest.mark.docs
@pytest.mark.xdist_group("pages")
@pytest.mark.parametrize("page", EXAMPLES, ids=lambda page: page.parent.name)
def test_notebooks_run(page, tmp_path):
    shown = nbformat.read(path_of(page), as_version=4)
    NotebookClient(shown, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
    printed = "".join(output.get("text", "") for cell in shown.cells for output in cell.get("outputs", []))
    for block in blocks_of(page.read_text(encoding="utf-8")):
        if block.output is not None:
            assert tidy(block.output.text).strip() in tidy(printed)


@pytest.mark.parametrize("name", TEXTS)
def test_every_block_says_what_it_is(name):
    for block in blocks_of(TEXTS[name]):
        if name.startswith(("docs/decisions", "README")):
            continue
        assert block.language in PROGRAMS | OUTPUTS | FILES, block.text
        if block.language == "toml":
            tomllib.loads(block.text)


@pytest.mark.parametrize("name", TEXTS)
def test_links_lead_somewhere(name):
    text = re.sub(r"```.*?```|`[^`\n]*`", "", TEXTS[name], flags=re.DOTALL)
    for link in LINK.findall(text):
        target, _, anchor = link.partition("#")
        if re.match(r"https?:|mailto:", target):
            continue
        path = (ROOT / name).parent / target if target else ROOT / name
        inside = str(path.resolve().relative_to(ROOT))
        assert path.exists() or inside in GENERATED, link
        if anchor and inside in TEXTS:
            assert anchor in anchors(TEXTS[inside]), link


def test_every_picture_is_on_a_page():
    shown = {Path(link).name for text in TEXTS.values() for link in LINK.findall(text)}
    assert {path.name for path in (ROOT / "docs/pictures").iterdir()} <= shown


def anchors(text):
    """The anchors of a page: its headings, as GitHub and MkDocs spell them."""
    heads = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The documentation as a site."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder]
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}  # of the theme's successor
    told = subprocess.run(command, cwd=ROOT, env=quiet, capture_output=True, text=True, check=False)
    assert (told.returncode, told.stdout, told.stderr) == (0, "", "")
    return folder


@pytest.mark.docs
@pytest.mark.xdist_group("pages")
def test_the_site_needs_nothing_from_elsewhere(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 50
    loaded = re.compile(r'<(?:script|img|iframe|source)[^>]*\ssrc="(?:https?:)?//|<link[^>]*rel="?stylesheet[^>]*//')
    for page in pages:
        assert not loaded.search(page.read_text(encoding="utf-8")), page
    for style in site.rglob("*.css"):
        assert not re.search(r"@import|url\(['\"]?(?:https?:)?//", style.read_text(encoding="utf-8")), style


@pytest.mark.docs
@pytest.mark.xdist_group("pages")
def test_links_within_the_site_lead_somewhere(site, figure):
    """Every address and every anchor of every page."""
    texts = {page: page.read_text(encoding="utf-8") for page in site.rglob("*.html")}
    names = {page: set(re.findall(r'\sid="?([^"\s>]+)', text)) for page, text in texts.items()}
    missing, followed = [], 0
    for page, text in texts.items():
        main = text.partition("<article")[2].partition("</article>")[0]
        for link in re.findall(r'\s(?:href|src)="([^"]+)"', main):
            target, _, anchor = link.partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            followed += 1
            path = (page.parent / target).resolve() if target else page
            if not path.exists() or (anchor and path in names and anchor not in names[path]):
                missing.append((Path(page).name, link))
    assert not missing
    figure(f"links within the site's {len(texts)} pages that lead somewhere", followed)

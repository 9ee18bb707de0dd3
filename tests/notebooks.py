"""Notebooks of the examples, made from their pages: `python tests/notebooks.py` writes them anew."""

import nbformat

from pages import FENCE, OUTPUTS, ROOT

EXAMPLES = [ROOT / f"examples/{name}/README.md" for name in ("health", "misconduct", "telemetry", "workplace")]


def notebook_of(page: str) -> nbformat.NotebookNode:
    """A page as a notebook: its words, its programs, and no outputs."""
    cells, end = [], 0
    for match in FENCE.finditer(page):
        if words := page[end : match.start()].strip():
            cells.append(nbformat.v4.new_markdown_cell(words))
        if match[2] not in OUTPUTS:
            cells.append(nbformat.v4.new_code_cell(match[4].rstrip("\n")))
        end = match.end()
    if words := page[end:].strip():
        cells.append(nbformat.v4.new_markdown_cell(words))
    for index, cell in enumerate(cells):
        cell["id"] = f"cell-{index}"
    about = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return nbformat.v4.new_notebook(cells=cells, metadata=about)


def path_of(page):
    """The notebook beside a page."""
    return page.parent / f"{page.parent.name}.ipynb"


if __name__ == "__main__":
    for each in EXAMPLES:
        nbformat.write(notebook_of(each.read_text(encoding="utf-8")), path_of(each))

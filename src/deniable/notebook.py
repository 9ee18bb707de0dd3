"""Notebook views: how objects show themselves.

Their HTML is written in report/, which lies above them; so it is found by name, and only when somebody looks.
"""

from importlib import import_module


def notebook_html(kind: str, shown: object) -> str:
    """An object as HTML, by the function of `deniable.report.notebook` for things of its kind."""
    return str(getattr(import_module("deniable.report.notebook"), kind)(shown))


def shortened(text: str, most: int = 70) -> str:
    """A text that is not longer than a line may be."""
    return text if len(text) <= most else f"{text[: most - 3]}..."

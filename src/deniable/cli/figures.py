"""Estimates as commands print them: a table for people, or JSON."""

from collections.abc import Mapping

from deniable.cli.show import complain, print_json, print_table
from deniable.inference.difference import Difference
from deniable.inference.estimates import Estimate

FIGURES = ("value", "stderr", "low", "high", "n", "method", "note")


def print_estimates(what: str, found: Mapping[str, Estimate], as_json: bool, title: str = "") -> None:
    """Figures of one kind, by the expression or the question that each is about."""
    if as_json:
        print_json([{"expression": text, **figures(each)} for text, each in found.items()])
        for text, each in found.items():
            if each.note:
                complain(f"deniable: note: {text}: {each.note}")
        return
    rows = [
        (text, each.value, each.stderr, f"{each.low:.4f} to {each.high:.4f}", each.n, each.method, each.note)
        for text, each in found.items()
    ]
    print_table(title, ["expression", what, "stderr", "95 % interval", "n", "method", "note"], rows)


def figures(found: Estimate) -> dict[str, object]:
    """An estimate as JSON; of a difference its test too."""
    test = {"z": found.z, "p": found.p} if isinstance(found, Difference) else {}
    return {**{key: getattr(found, key) for key in FIGURES[:-1]}, **test, "note": found.note}

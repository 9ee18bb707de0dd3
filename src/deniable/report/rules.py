"""Rules that people can read."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from deniable.report.page import document, escaped, table

HEADS = ["rule", "support", "confidence", "lift", "note"]


def rows(found: Mapping[str, Sequence[Any]], by: str) -> list[tuple[str, ...]]:
    """Each rule as words and figures, the highest first."""
    order = sorted(range(len(found[by])), key=lambda index: -found[by][index])
    return [
        (
            f"{_words(found['antecedents'][index])} -> {_words(found['consequents'][index])}",
            *[f"{found[name][index]:.4f}±{found[f'{name}_stderr'][index]:.4f}" for name in HEADS[1:-1]],
            found["note"][index],
        )
        for index in order
    ]


def documents(found: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Each rule as JSON; a figure that is not finite is null."""
    return [
        {name: _plain(value) for name, value in zip(found, values, strict=True)}
        for values in zip(*found.values(), strict=True)
    ]


def page(title: str, about: Sequence[str], shown: Sequence[Sequence[str]]) -> str:
    """A page of rules, which needs nothing else."""
    paragraphs = [f"<p>{escaped(each)}</p>" for each in about]
    return document(title, "\n".join([*paragraphs, table(HEADS, shown)]))


def _words(items: frozenset[str]) -> str:
    return ", ".join(sorted(items))


def _plain(value: Any) -> Any:
    if isinstance(value, frozenset):
        return sorted(value)
    return None if isinstance(value, float) and not isfinite(value) else value

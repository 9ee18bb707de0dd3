"""Versions as they are written: by name, or as every choice of some questions of a group."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from math import comb
from operator import index
from typing import Any, SupportsIndex

from deniable.channel.block import MAX_ASKED, MAX_VERSIONS, Block, Version
from deniable.channel.chances import numbers
from deniable.channel.channel import Channel, Recipe
from deniable.errors import BadGroup, BadRequest, BadVersion
from deniable.survey.question import Question

COLUMN = "version"


def versions(
    channels: Mapping[str, Sequence[Channel] | Channel],
    shares: Sequence[float] | None = None,
    column: str = COLUMN,
    chosen: bool = False,
) -> Block:
    """Versions of some questions by name, each with channels of its own: arms, two samples, kinds of protection.

    Everybody draws one in the open, with these shares (all alike unless given, in the versions' order); or, where they
    are `chosen`, picks one. The column of the replies says which. A question that a version has no channel for is not
    asked there.
    """
    if not isinstance(channels, Mapping) or len(channels) < 2:
        found = list(channels) if isinstance(channels, Mapping) else channels
        raise BadRequest("versions", "two or more, by name", found, "give each a name and channels of its own")
    if shares is None:
        drawn: Sequence[float] = [1 / len(channels)] * len(channels)
    else:
        drawn = numbers("shares of the versions", shares)
    if len(drawn) != len(channels):
        raise BadRequest("shares", f"{len(channels)}, one for each version", drawn, "give all of them, or none")
    if not isinstance(chosen, bool):
        raise BadRequest("chosen", "True or False", chosen, "correct it")
    made = [
        Version(str(name), share, _channels(name, some))
        for (name, some), share in zip(channels.items(), drawn, strict=True)
    ]
    settings = {"column": column} if column != COLUMN else {}
    return Block(tuple(made), column, bool(chosen), Recipe("versions", settings | ({"chosen": True} if chosen else {})))


def _channels(name: object, given: Any) -> tuple[Channel, ...]:
    some = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (given,)
    for each in some:
        if not isinstance(each, Channel):
            raise BadVersion(name, f"has a {type(each).__name__} among its channels", "give channels only")
    return some


def ask_some(
    scheme: str,
    made: Callable[[Sequence[Question]], Channel],
    group: Sequence[Question],
    always: Sequence[str],
    ask: SupportsIndex,
    column: str,
) -> Block:
    """A version for every choice of `ask` questions of a group, beside those that are always asked."""
    names = [question.name for question in group]
    for name in [always] if isinstance(always, str) else always:
        if name not in names:
            raise BadGroup(scheme, name, "it is always asked, but not in the group", f"the group is {', '.join(names)}")
    always = [name for name in names if name in always]
    others = [name for name in names if name not in always]
    if not others:
        raise BadRequest("always", "some questions of the group, not all", ", ".join(always), "leave out those to draw")
    if isinstance(ask, bool) or not isinstance(ask, SupportsIndex) or not 1 <= index(ask) <= len(others):
        raise BadRequest("ask", f"between 1 and {len(others)}, the other questions of the group", ask, "correct it")
    count = _versions_drawn(len(always), len(others), ask := index(ask))
    found = []
    for drawn in combinations(others, ask):
        asked = [question for question in group if question.name in (*always, *drawn)]
        found.append(Version("+".join(drawn), 1 / count, (made(asked),)))
    settings = {**found[0].channels[0].recipe.settings, "always": always, "ask": ask}
    settings |= {"column": column} if column != COLUMN else {}
    recipe = Recipe(scheme, {key: value for key, value in settings.items() if value != []})
    return Block(tuple(found), column, recipe=recipe, order=tuple(names))


def _versions_drawn(always: int, others: int, ask: int) -> int:
    """How many versions ask so many questions of the others; refused where nobody could work them all out."""
    count, way_out = comb(others, ask), "ask fewer at once, or make the group smaller"
    if count > MAX_VERSIONS:
        found = f"{count:,}" if count < 10**12 else f"about 10^{len(str(count)) - 1}"
        raise BadRequest(f"ask = {ask} of {others} questions", f"at most {MAX_VERSIONS:,} versions", found, way_out)
    if (asked := count * (always + ask)) > MAX_ASKED:
        raise BadRequest(f"{count:,} versions of {always + ask} questions each", f"at most {MAX_ASKED:,} questions in "
                         "all", f"{asked:,}", way_out)  # fmt: skip
    return count

"""The family of all schemes: every law is asked of every member.

A member takes two chances and gives a channel. Add a scheme here and it inherits every law.
"""

from collections.abc import Callable
from itertools import permutations

import pytest
from hypothesis import assume, settings
from hypothesis import strategies as st

import deniable as dn
from deniable.errors import NothingLeft
from serving import AUDIT

A, B, C = dn.yes_no("a"), dn.yes_no("b"), dn.yes_no("c")
COLOR = dn.Question("color", ("red", "green", "blue"))
DIET = dn.Question("diet", ("meat", "fish"), optional=True)
AGE = dn.number("age", 18, 80, cells=3)
KIDS = dn.number("kids", 0, 5, integer=True)
SIZE = dn.number("size", 0, 2, cells=4)

Member = Callable[[float, float], dn.Channel]

FAMILY: dict[str, dict[str, Member]] = {
    "clear": {"several": lambda p, q: dn.clear(A, COLOR, SIZE)},
    "warner": {
        "one question": lambda p, q: dn.warner(p, A),
        "a group": lambda p, q: dn.warner(p, A, B, C),
        "a number's halves": lambda p, q: dn.warner(p, dn.number("age", 18, 80, cuts=[40])),
    },
    "unrelated": {
        "uniform": lambda p, q: dn.unrelated(p, COLOR),
        "known shares": lambda p, q: dn.unrelated(p, A, COLOR, chances={"a": (1 - q, q)}),
        "joint shares": lambda p, q: dn.unrelated(p, A, B, joint=[q / 2, (1 - q) / 2, q / 3, 0.5 - q / 3]),
        "personal": lambda p, q: dn.unrelated(p, A, chances=(q, 1 - q), personal={"a": "Born before July?"}),
    },
    "forced": {
        "one question": lambda p, q: dn.forced(p / 2, q / 2, A),
        "a group": lambda p, q: dn.forced(p / 2, q / 2, A, B),
    },
    "k_ary": {
        "one question": lambda p, q: dn.k_ary(p, COLOR),
        "optional": lambda p, q: dn.k_ary(p, DIET),
        "a group": lambda p, q: dn.k_ary(p, A, COLOR),
        "intervals": lambda p, q: dn.k_ary(p, AGE),
    },
    "draw": {"a group": lambda p, q: dn.draw(p, A, COLOR, B)},
    "lookup": {
        "square": lambda p, q: dn.lookup(A, [[p, q], [1 - p, 1 - q]]),
        "cards": lambda p, q: dn.lookup(A, [[p / 2, q], [p / 2, 0], [1 - p, 1 - q]], ["red", "black", "joker"]),
    },
    "hadamard": {"many cards": lambda p, q: dn.hadamard(dn.epsilon(0.2 + 3 * p), COLOR)},
    "gaussian": {"three cells": lambda p, q: dn.gaussian(AGE, sd=4 + 10 * p)},
    "uniform": {"whole numbers": lambda p, q: dn.uniform(KIDS, half_width=1 + p)},
    "multiply": {
        "a quantity": lambda p, q: dn.multiply(SIZE, shape=1 + 20 * p),
        "partly true": lambda p, q: dn.multiply(KIDS, shape=1 + 20 * p, theta=q),
    },
    "interval": {"width": lambda p, q: dn.interval(AGE, width=10 + 20 * p)},
    "crosswise": {
        "on the device": lambda p, q: dn.crosswise(p, A, drawn_by="device"),
        "a harmless question": lambda p, q: dn.crosswise(p, A, harmless="Were you born in winter?"),
    },
    "triangular": {
        "on the device": lambda p, q: dn.triangular(p, A, drawn_by="device"),
        "a harmless question": lambda p, q: dn.triangular(p, A, harmless="Were you born in winter?"),
    },
    "mangat": {"one question": lambda p, q: dn.mangat(p, A)},
    "mangat_singh": {"one question": lambda p, q: dn.mangat_singh(p, q, A)},
    "kuk": {
        "one card": lambda p, q: dn.kuk(p, q, A),
        "four cards": lambda p, q: dn.kuk(p, q, A, draws=4, drawn_by="respondent"),
    },
}
MEMBERS = {f"{scheme}: {variant}": make for scheme, some in FAMILY.items() for variant, make in some.items()}


def members_where(applies: Callable[[dn.Channel], bool]) -> pytest.MarkDecorator:
    """Ask a law of those members to which it applies, as their channels tell."""
    chosen = {name: make for name, make in MEMBERS.items() if applies(make(0.7, 0.2))}
    return pytest.mark.parametrize("member", chosen.values(), ids=chosen)


every_member = members_where(lambda channel: True)
members_with_noise = members_where(lambda channel: channel.noise is not None)
members_with_factors = members_where(lambda channel: channel.factors is not None)
members_without_noise = members_where(lambda channel: not channel.has_noise)
members_with_words = members_where(lambda channel: any(not question.is_number for question in channel.group))
members_with_numbers = members_where(lambda channel: any(question.is_number for question in channel.group))
members_without_numbers = members_where(lambda channel: not any(question.is_number for question in channel.group))
chance = st.floats(0.01, 0.99)
seeds = st.integers(0, 2**32 - 1)


def chances_of_each(long: int, short: int) -> settings:
    """How many chances a law draws: every scheme is enumerated anyway, `make audit` draws more of each."""
    return settings(max_examples=long if AUDIT else short)


def some(member: Member, p: float, q: float) -> dn.Channel | None:
    """The member with these chances, or None where they hide everything."""
    try:
        return member(p, q)
    except NothingLeft:
        return None


def drawn(member: Member, p: float, q: float) -> dn.Channel:
    """The member with chances that hypothesis draws; those that hide everything are no example."""
    channel = some(member, p, q)
    assume(channel is not None)
    assert channel is not None
    return channel


def ordered_subsets(names: list[str], largest: int = 3) -> list[tuple[str, ...]]:
    """All subsets of up to three names, in every order."""
    return [subset for size in range(1, min(largest, len(names)) + 1) for subset in permutations(names, size)]

"""Designs with versions, one of every kind: each law of versions is asked of all of them."""

from collections.abc import Callable

import deniable as dn

A, B, C = dn.yes_no("a"), dn.yes_no("b"), dn.yes_no("c")
COLOR = dn.Question("color", ("red", "green", "blue"))
Member = Callable[[float], dn.Design]

DRAWN: dict[str, Member] = {
    "one other": lambda p: dn.Design([dn.draw(p, A, B, COLOR, always=["a"], ask=1)], target="a"),
    "two others": lambda p: dn.Design([dn.draw(dn.epsilon(0.5 + 2 * p), A, B, C, COLOR, always=["a"], ask=2)]),
    "arms": lambda p: dn.Design(
        [dn.versions({"forced": dn.forced(0.1, p / 2, A), "direct": dn.clear(A)}, column="arm")]
    ),
    "two thetas": lambda p: dn.Design(
        [dn.versions({"strong": dn.warner(0.6, A, B), "weak": dn.warner(0.9, A, B)}, [p, 1 - p])]
    ),
    "cards and words": lambda p: dn.Design(
        [
            dn.versions(
                {
                    "cards": dn.lookup(A, [[p, 0.1], [1 - p, 0.4], [0, 0.5]], ["red", "black", "joker"]),
                    "words": dn.warner(0.7, A),
                }
            )
        ]
    ),
    "two blocks and a plain one": lambda p: dn.Design(
        [
            dn.draw(p, A, B, always=["a"], ask=1),
            dn.versions({"x": dn.k_ary(0.5 + p / 2, COLOR), "y": dn.clear(COLOR)}, column="colors"),
            dn.warner(0.8, C),
        ]
    ),
}
LITERATURE: dict[str, Member] = {
    "extended_crosswise": lambda p: dn.Design([dn.extended_crosswise(0.1 + p / 4, A, harmless="Born in winter?")]),
    "cheating_detection": lambda p: dn.Design([dn.cheating_detection(p, 0.95, A, shares=[0.3, 0.7])]),
    "lie_detector": lambda p: dn.Design([dn.lie_detector(p, 0.95, A, column="arm"), dn.warner(0.8, B)]),
    "two_samples": lambda p: dn.Design([dn.two_samples(p, 0.05, A, unrelated="Born in July?"), dn.k_ary(0.7, COLOR)]),
    "item_count": lambda p: dn.Design([dn.item_count(A, harmless=["own a dog", "play chess"], shares=[p, 1 - p])]),
}
DRAWN |= LITERATURE
CHOSEN: dict[str, Member] = {
    "a protection each": lambda p: dn.Design(
        [dn.versions({"none": dn.clear(A, B), "some": dn.warner(0.5 + p / 3, A, B)}, chosen=True)]
    ),
}
EVERY = DRAWN | CHOSEN

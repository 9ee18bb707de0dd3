"""Amplification by shuffling: what an export in random order tells those who see nothing else.

If n people each send a reply of epsilon e, and somebody sees all replies in random order but never who sent which, then
about any one of them this tells less than the reply itself: it is (epsilon, delta)-private with

    epsilon = ln(1 + (E - 1)/(E + 1) * (8 sqrt(E ln(4/delta)) / sqrt(n)  +  8 E / n)),      E = e^e,
    as long as  e <= ln(n / (16 ln(2/delta)))

Feldman, McMillan and Talwar 2021, theorem 3.1. It holds for outsiders, not for the collector, to whom people send their
replies one by one.

legend: e epsilon of one reply, delta the chance with which the promise may fail
"""

from math import exp, log, log1p, sqrt

from deniable.deniability.epsilon import rounded_up
from deniable.errors import BadRequest

DELTA = 1e-6


def shuffled_epsilon(epsilon: float, n: int, delta: float = DELTA) -> float:
    """Epsilon of n shuffled replies to those who see nothing else; refused where the theorem is silent."""
    if epsilon > (limit := most_before_shuffling(n, delta)):
        raise BadRequest("epsilon of a reply", f"at most {max(limit, 0.0):.4f} for {n:,} shuffled replies", epsilon,
                         "collect more replies, or promise a smaller epsilon")  # fmt: skip
    odds = exp(epsilon)
    clones = 8 * sqrt(odds * log(4 / delta) / n) + 8 * odds / n
    return rounded_up(min(epsilon, log1p((odds - 1) / (odds + 1) * clones)))


def most_before_shuffling(n: int, delta: float = DELTA) -> float:
    """The largest epsilon of a reply for which the theorem says something."""
    return log(n / (16 * log(2 / delta)))

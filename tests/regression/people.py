"""Made-up people whose answers depend on each other as stated."""

import itertools

import numpy as np
import pandas as pd

WORDS = np.array(["no", "yes"])
LEVELS = np.array(["low", "middle", "high"])
KINDS = np.array(["p", "q", "r"])
Z = np.array([-1.0, 0.0, 1.0])  # with shares of a quarter, a half and a quarter


def people(n: int, seed: int = 1) -> pd.DataFrame:
    """Answers x, g and u, numbers z and age, and outcomes that depend on x, g, z and age: y, level, kind, v."""
    rng = np.random.default_rng(seed)
    x, z = rng.random(n) < 0.4, rng.choice(Z, n, p=[0.25, 0.5, 0.25])
    g, u = rng.random(n) < 0.4 + 0.2 * x, rng.choice(3, n)
    age = rng.integers(20, 70, n).astype(float)
    return pd.DataFrame(
        {
            "x": WORDS[x.astype(int)],
            "g": WORDS[g.astype(int)],
            "u": np.array(["a", "b", "c"])[u],
            "z": z,
            "age": age,
            "y": WORDS[_drawn(rng, chances("y", x, g, z))],
            "level": LEVELS[_drawn(rng, chances("level", x, g, z))],
            "kind": KINDS[_drawn(rng, chances("kind", x, g, z))],
            "v": np.clip(5 + 2 * x + 0.1 * age + rng.normal(0, 2, n), 0, 40),
            "hours": rng.normal(38, 6, n),
            "weight": rng.choice([0.5, 1.0, 2.0], n),
            "stratum": rng.choice(["north", "south"], n),
            "village": rng.integers(0, 40, n),
        }
    )


def chances(outcome, x, g, z):
    """The chance of each answer of an outcome: [person, answer]."""
    x, g, z = (np.asarray(each, dtype=float) for each in (x, g, z))
    if outcome == "y":
        yes = _logistic(-1 + x - 0.5 * g + 0.5 * z)
        return np.stack([1 - yes, yes], axis=-1)
    if outcome == "level":
        below = [_logistic(cut - x - 0.5 * z) for cut in (-0.5, 1.0)]
        return np.stack([below[0], below[1] - below[0], 1 - below[1]], axis=-1)
    odds = np.exp(np.stack([0 * x, -0.5 + x + 0.3 * z, -0.5 * x + 0.5 * z], axis=-1))
    return odds / odds.sum(axis=-1, keepdims=True)


def truth(outcome):
    """Every combination of x, g, z and the outcome's answer, in cells, and its share among people."""
    rows, shares = [], []
    for x, g, k in itertools.product((0, 1), (0, 1), range(3)):
        share = (0.4 if x else 0.6) * (0.4 + 0.2 * x if g else 0.6 - 0.2 * x) * (0.25, 0.5, 0.25)[k]
        for answer, chance in enumerate(chances(outcome, x, g, Z[k])):
            rows.append({"x": x, "g": g, "z": Z[k], outcome: answer})
            shares.append(share * chance)
    return pd.DataFrame(rows), np.array(shares)


def _drawn(rng, table):
    return (rng.random(len(table))[:, None] > table.cumsum(axis=1)[:, :-1]).sum(axis=1)


def _logistic(index):
    return 1 / (1 + np.exp(-index))

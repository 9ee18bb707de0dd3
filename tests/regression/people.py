"""Made-up people whose answers depend on each other as stated."""

import numpy as np
import pandas as pd

WORDS = np.array(["no", "yes"])
B = {"Intercept": -1.0, "x[T.yes]": 1.0, "g[T.yes]": -0.5, "z": 0.5}


def people(n: int, seed: int = 1) -> pd.DataFrame:
    """Answers x, g and u, numbers z and age, and outcomes that depend on them: y, y3 in order, number v."""
    rng = np.random.default_rng(seed)
    x, z = rng.random(n) < 0.4, rng.normal(0, 1, n).round(1)
    g, u = rng.random(n) < 0.4 + 0.2 * x, rng.choice(3, n, p=[0.3, 0.4, 0.3])
    age = rng.integers(20, 70, n)
    index = -1 + 1 * x - 0.5 * g + 0.5 * z
    y = rng.random(n) < 1 / (1 + np.exp(-index))
    latent = x + 0.5 * z + rng.logistic(size=n)
    odds = np.exp(np.stack([np.zeros(n), -0.5 + x + 0.3 * z, -0.5 * x + 0.5 * z], axis=1))
    kind = (rng.random(n)[:, None] > (odds / odds.sum(axis=1, keepdims=True)).cumsum(axis=1)).sum(axis=1)
    return pd.DataFrame(
        {
            "x": WORDS[x.astype(int)],
            "g": WORDS[g.astype(int)],
            "u": np.array(["a", "b", "c"])[u],
            "z": z,
            "age": age.astype(float),
            "y": WORDS[y.astype(int)],
            "level": np.array(["low", "middle", "high"])[np.digitize(latent, [-0.5, 1])],
            "kind": np.array(["p", "q", "r"])[kind],
            "v": np.clip(5 + 2 * x + 0.1 * age + rng.normal(0, 2, n), 0, 40),
            "weight": rng.choice([0.5, 1.0, 2.0], n),
            "stratum": rng.choice(["north", "south"], n),
            "village": rng.integers(0, 40, n),
        }
    )

"""Made-up results of every study: one world in which each of its claims is true, one in which each is false."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd

from deniable.papers import du_zhan, four_groups, noise_claims, unrelated, zhan_matwin
from deniable.papers.grouped import ALL, EACH, FOUR
from deniable.papers.shapes import RECONSTRUCTED, REPORTED, SAME_REPORTS
from deniable.papers.under_noise import BYCLASS, CUT, DEFAULT, GLOBAL, LOCAL, ORIGINAL, SHAPES, TREES, UNCORRECTED

OURS, FAITHFUL, NAIVE = du_zhan.DEFAULT, du_zhan.FAITHFUL, du_zhan.UNCORRECTED


def swing(run, width):
    """What one run differs from the mean by: as much up as down, so that any even number of runs has this mean."""
    return width if run % 2 else -width


@dataclass(frozen=True)
class World:
    """How to judge made-up results of so many runs, and to draw them."""

    results: Callable[[int], pd.DataFrame]
    known: object = None

    def claims(self, study, runs):
        """The claims of a study, judged in this world."""
        judge = {
            "du-zhan": du_zhan.claims,
            "four-groups": four_groups.claims,
            "zhan-matwin": zhan_matwin.claims,
            "agrawal-srikant": noise_claims.claims,
        }[study]
        return judge(self.results(runs)) if self.known is None else judge(self.results(runs), self.known)


def du_zhan_results(faithful, ours, widths):
    """Accuracies by theta of both methods, the original being .8; widths of the swing at .51 and elsewhere."""

    def results(runs):
        rows = []
        for coding in du_zhan.CODINGS:
            rows += [(coding, np.nan, f"original, {method}", 0, 0.8) for method in (FAITHFUL, OURS)]
            for theta in du_zhan.QUICK_THETAS:
                for run in range(1 if theta in (0, 1) else runs):
                    swung = swing(run, 0 if theta in (0, 1) else widths[theta == 0.51])
                    rows.append((coding, theta, FAITHFUL, run, faithful(theta) + swung))
                    rows.append((coding, theta, OURS, run, ours))
                    rows.append((coding, theta, NAIVE, run, 0.7))
        return pd.DataFrame(rows, columns=["coding", "theta", "method", "run", "accuracy"]).assign(warned=False)

    return results


def zhan_matwin_results(raw, width, gain):
    """Accuracies by q of raw products, how far runs swing, and what ours gains."""

    def results(runs):
        rows = [
            (data, q, method, run, raw(q) + swing(run, width(q)) + extra)
            for data, q, run in product(zhan_matwin.DATA, zhan_matwin.QS, range(runs))
            for method, extra in ((unrelated.RAW, 0), (OURS, gain), (NAIVE, 0))
        ]
        return pd.DataFrame(rows, columns=["data", "q", "method", "run", "accuracy"])

    return results


def four_groups_results(accuracy, privacy, flattery):
    """Accuracy and privacy by the number of groups, and what a test on the training data adds."""

    def results(runs):
        cells = [(part, groups, theta) for part in (FOUR, ALL) for groups in (1, 2, 3, 4) for theta in (0.6, 0.7)]
        methods = [(algorithm, method) for algorithm in four_groups.CRITERIA for method in (FAITHFUL, OURS, NAIVE)]
        return pd.DataFrame(
            {
                "part": part, "coding": "mid", "groups": groups, "theta": theta, "replies": 8000,
                "algorithm": algorithm, "method": method, "run": run, "accuracy": accuracy(groups),
                "training_accuracy": accuracy(groups) + flattery, "record_privacy": privacy(groups),
                "answer_privacy": privacy(groups), "warned": False,
            }
            for part, groups, theta in [*cells, (EACH, 14, 0.8)]
            for algorithm, method in methods
            for run in range(runs)
        )  # fmt: skip

    return results


def under_noise_results(accuracies, cut, seconds, distances):
    """Accuracies by method, as (uniform, gaussian); of discretization; seconds by method; distances of shapes."""

    def results(runs):
        rows = []
        for function, run in product(("F1", "F2"), range(runs)):
            rows.append((TREES, function, "none", np.nan, ORIGINAL, run, accuracies[ORIGINAL][function == "F2"]))
            for (index, noise), level in product(enumerate(("uniform", "gaussian")), (0.25, 1.0)):
                for method, both in accuracies.items():
                    if method != ORIGINAL:
                        rows.append((TREES, function, noise, level, method, run, both[index]))
            rows += [(CUT, function, CUT, level, CUT, run, cut) for level in (0.25, 1.0)]
        names = [*noise_claims.SETTINGS, "run", "accuracy"]
        trees = pd.DataFrame(rows, columns=names).assign(seconds=lambda frame: frame["method"].map(seconds))
        shapes = [
            (SHAPES, shape, noise, np.nan, method, run, distance)
            for shape, noise, run in product(("plateau", "triangles"), ("uniform", "gaussian"), range(runs))
            for method, distance in distances.items()
        ]
        return pd.concat([pd.DataFrame(shapes, columns=[*names[:-1], "distance"]), trees], ignore_index=True)

    return results


def flat_pse(value):
    """A privacy of a single entry that depends on nothing."""
    return zhan_matwin.pse_curves().assign(PSE=value)


TRUE = {
    "du-zhan": World(
        du_zhan_results(lambda theta: 0.6 if theta == 0.51 else 0.795 if 0 < theta < 1 else 0.8, 0.8, (0.001, 0.05)),
        du_zhan.Exact({"mid": 0.75, "med": 0.75}, {0.51: 0.1, 0.6: 0.5, 0.9: 0.9}),
    ),
    "four-groups": World(four_groups_results(lambda _: 0.8, lambda groups: groups / 10, 0.0)),
    "zhan-matwin": World(
        zhan_matwin_results(lambda q: 0.8 - 0.03 * (1 - q), lambda q: 0.01 * (1 - q), 0.0),
        zhan_matwin.Exact(
            dict.fromkeys(zhan_matwin.DATA, 0.8), zhan_matwin.pse_curves(), {0.3: 0.4, 0.7: 0.4}, {0.2: 0.3, 0.8: 0.3}
        ),
    ),
    "agrawal-srikant": World(
        under_noise_results(
            {ORIGINAL: (0.97, 0.93), UNCORRECTED: (0.7, 0.8), GLOBAL: (0.85, 0.85), BYCLASS: (0.945, 0.945),
             LOCAL: (0.95, 0.95), DEFAULT: (0.95, 0.95)},
            0.6,
            {GLOBAL: 1.0, BYCLASS: 1.2, LOCAL: 3.0},
            {REPORTED: 0.8, RECONSTRUCTED: 0.1, SAME_REPORTS: 0.3},
        ),
        noise_claims.Exact(noise_claims.PRINTED),
    ),
}  # fmt: skip

FALSE = {
    "du-zhan": World(
        du_zhan_results(lambda theta: 0.75 if theta == 0.51 else 0.7, 0.7, (0.05, 0.0)),
        du_zhan.Exact({"mid": 0.75, "med": 0.75}, {0.51: 1.0, 0.6: 1.0, 0.9: 1.0}),
    ),
    "four-groups": World(
        four_groups_results(lambda groups: 0.8 - groups / 20, lambda groups: 0.5 - groups / 10, 0.05)
    ),
    "zhan-matwin": World(
        zhan_matwin_results(lambda q: 0.75 - 0.05 * q, lambda q: 0.02 * q, -0.05),
        zhan_matwin.Exact(
            dict.fromkeys(zhan_matwin.DATA, 0.8), flat_pse(0.5), {0.3: 0.4, 0.7: 0.3}, {0.2: 0.4, 0.8: 0.3}
        ),
    ),
    "agrawal-srikant": World(
        under_noise_results(
            {ORIGINAL: (0.99, 0.99), UNCORRECTED: (0.9, 0.9), GLOBAL: (0.8, 0.8), BYCLASS: (0.6, 0.6),
             LOCAL: (0.7, 0.7), DEFAULT: (0.5, 0.5)},
            0.9,
            {GLOBAL: 3.0, BYCLASS: 2.0, LOCAL: 1.0},
            {REPORTED: 0.1, RECONSTRUCTED: 0.1, SAME_REPORTS: 0.1},
        ),
        noise_claims.exact(),
    ),
}  # fmt: skip

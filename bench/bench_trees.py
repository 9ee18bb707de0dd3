"""Trees from disguised replies, against scikit-learn's tree of the same people undisguised; and the room they take."""

import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

import deniable as dn
from timing import Ratio, seconds

DEPTH = 8
PEER = "scikit-learn's tree of the undisguised (how many times as fast)"
BOOSTED = "LightGBM's 100 trees of the undisguised (how many times as fast)"
ROOM = "the bytes of the replies, beside them"


@dataclass(frozen=True)
class Case:
    """People with a class, and what their devices reported: one Warner group, theta = .7."""

    name: str
    design: dn.Design
    people: pd.DataFrame
    replies: pd.DataFrame

    @classmethod
    def drawn(cls, name: str, rows: int, questions: int) -> "Case":
        """Answers that hang on four hidden traits, and a class that hangs on some of the answers."""
        rng = np.random.default_rng(1)
        traits = [rng.random(rows, dtype=np.float32) for _ in range(4)]
        cells = {
            f"q{index}": (traits[index % 4] + rng.random(rows, dtype=np.float32) * (1 + index % 7) > 1 + index % 5 / 2)
            for index in range(questions)
        }
        score = sum(column.astype(np.int8) * (1 + index % 3) for index, column in enumerate(list(cells.values())[:12]))
        cells["t"] = score + rng.standard_normal(rows, dtype=np.float32) * 4 > 10
        people = pd.DataFrame({name: column.view(np.uint8) for name, column in cells.items()})
        design = dn.Design([dn.warner(0.7, *[dn.Question(name, ("0", "1")) for name in cells])], target="t")
        return cls(name, design, people, dn.disguise(design, people, seed=2))

    def ours(self, **settings: Any) -> Callable[[], object]:
        """Grow our tree on the replies."""
        answers, target = self.replies.drop(columns="t"), self.replies["t"]
        return lambda: dn.TreeClassifier(self.design, max_depth=DEPTH, **settings).fit(answers, target)

    def theirs(self) -> Callable[[], object]:
        """Grow scikit-learn's tree on the people."""
        answers, target = self.people.drop(columns="t"), self.people["t"]
        return lambda: DecisionTreeClassifier(criterion="entropy", max_depth=DEPTH).fit(answers, target)

    def room(self, work: Callable[[], object]) -> float:
        """The most memory that a fit takes, as a share of the replies' bytes."""
        tracemalloc.start()
        work()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak / int(self.replies.memory_usage(index=False).sum())


METHODS: dict[str, dict[str, Any]] = {
    "inverse": {"method": "inverse", "stop": None},
    "inverse, noise test": {"method": "inverse"},
    "latent": {"method": "latent"},
}

WANTED = {"inverse": "> 150", "inverse, noise test": "> 150", "latent": "> 50"}


def long_and_wide_trees() -> list[Ratio]:
    """Ten million replies to 14 questions and a class; one million to 200 questions and a class."""
    return [*_compared(Case.drawn("10M x 14", 10_000_000, 14), WANTED),
            *_compared(Case.drawn("1M x 200", 1_000_000, 200), dict.fromkeys(list(METHODS)[:2], "> 30"))]  # fmt: skip


def boosted() -> list[Ratio]:
    """A million replies to 14 questions, against LightGBM's trees of the undisguised (100 of them, as it comes)."""
    from lightgbm import LGBMClassifier

    case = Case.drawn("1M x 14", 1_000_000, 14)
    answers, target = case.people.drop(columns="t"), case.people["t"]
    peer = seconds(lambda: LGBMClassifier(n_jobs=1, verbose=-1).fit(answers, target))
    works = {"inverse, noise test": case.ours(**METHODS["inverse, noise test"]),
             "naive Bayes": lambda: dn.NaiveBayes(case.design).fit(case.replies)}  # fmt: skip
    return [Ratio(f"1M x 14, {name}", peer / seconds(work, 3), BOOSTED, "") for name, work in works.items()]


def _compared(case: Case, wanted: dict[str, str]) -> list[Ratio]:
    peer, found = seconds(case.theirs(), 1), []
    for method, least in wanted.items():
        work = case.ours(**METHODS[method])
        found.append(Ratio(f"tree {case.name}, {method}", peer / seconds(work, 3), PEER, least))
        found.append(Ratio(f"room {case.name}, {method}", case.room(work), ROOM, "< 1"))
    return found

"""Association rules of the true answers: `dn.itemsets` and `dn.rules`.

A rule says that people who have some items (its antecedents) often have others too (its consequents). Everything is
estimated from disguised replies, so every figure has a standard error, and may by chance lie outside its range.

>>> import pandas as pd
>>> import deniable as dn
>>> design = dn.Design([dn.clear(dn.yes_no("smokes"), dn.yes_no("coughs"))])
>>> replies = pd.DataFrame({"smokes": ["yes"] * 40 + ["no"] * 60, "coughs": ["yes"] * 30 + ["no"] * 70})
>>> found = dn.rules(design, replies, min_support=0.2, items=["smokes=yes", "coughs=yes"])
>>> rule = found.iloc[0]
>>> rule["antecedents"], rule["consequents"], f"{rule['confidence']:.2f} ± {rule['confidence_stderr']:.2f}"
(frozenset({'smokes=yes'}), frozenset({'coughs=yes'}), '0.75 ± 0.07')
"""

from collections.abc import Iterable, Sequence
from typing import Any, Unpack

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.count.counts import Counts
from deniable.count.missing import Gaps
from deniable.count.replies import backend_of
from deniable.errors import BadRequest, TooManySets
from deniable.frame.columns import Missing
from deniable.inference.estimates import SLACK, found_half_width, grades, joined_notes
from deniable.inference.sampling.sample import Sample, SampleArguments, sampled_counts
from deniable.mine.apriori import MARGIN, Progress
from deniable.mine.interest import FIGURES
from deniable.mine.mined import Mined, is_share

MAX_RULES = 2_000_000
SHARES = ("support", "antecedent support", "consequent support", "confidence")

Columns = dict[str, list[Any]]
Floats = NDArray[np.float64]


def itemsets(
    design: Design,
    replies: Any,
    min_support: float = 0.1,
    max_length: int = 3,
    *,
    items: Iterable[str] | None = None,
    missing: Missing = "skip",
    **how: Unpack[SampleArguments],
) -> Any:
    """The sets of true answers that many respondents have together, each with its share and standard error.

    The answer is a frame of the replies' own kind with the columns itemsets, support, support_stderr, borderline
    (whether the minimum support is within three standard errors) and note. Sets are frozensets of words like
    "smokes=yes", in a pyarrow table sorted lists of them. `items` are the words to consider, or names of questions for
    all their items; by default all. Respondents who skip a number have none of its items. Replies that lack an answer
    to one of the questions are not counted, and the note says so; with missing="refuse" they are refused. For
    `weights`, `strata`, `clusters` and `population` see `dn.estimate`.
    """
    design, sample = Sample.of(design, replies, **how)
    counts = sampled_counts(design, replies, missing, sample)
    mined = Mined.of(design, counts, min_support, max_length, items, sample=sample)
    columns: Columns = {"itemsets": [], "support": [], "support_stderr": [], "borderline": [], "note": []}
    for level in mined.levels:
        columns["itemsets"] += mined.words(level.sets)
        columns["support"] += level.support.tolist()
        columns["support_stderr"] += level.stderr.tolist()
        near = np.abs(level.support - min_support) < MARGIN * level.stderr
        columns["borderline"] += near.tolist()
        columns["note"] += _notes(level.support, level.stderr, level.support > 1 + SLACK, near, mined.gaps)
    return _frame(columns, ["itemsets"], replies)


def rules(
    design: Design,
    replies: Any,
    *,
    min_support: float = 0.1,
    min_confidence: float = 0.6,
    max_length: int = 3,
    items: Iterable[str] | None = None,
    missing: Missing = "skip",
    **how: Unpack[SampleArguments],
) -> Any:
    """Association rules between true answers, with mlxtend's figures and a standard error for each.

    The answer is a frame like that of `itemsets`: antecedents and consequents, then each figure and its `_stderr`, and
    borderline (whether support or confidence is within three standard errors of its minimum) and note. Rules
    whose antecedents or consequents have no positive support are left out.
    """
    design, sample = Sample.of(design, replies, **how)
    counts = sampled_counts(design, replies, missing, sample)
    found, _ = found_rules(design, counts, min_support, min_confidence, max_length, items, sample=sample)
    return _frame(found, ["antecedents", "consequents"], replies)


def found_rules(
    design: Design,
    counts: Counts,
    min_support: float,
    min_confidence: float,
    max_length: int,
    items: Iterable[str] | None = None,
    progress: Progress | None = None,
    sample: Sample | None = None,
) -> tuple[Columns, Gaps]:
    """The columns of `rules`, and the incomplete replies that were not used."""
    if not is_share(min_confidence):
        raise BadRequest("min_confidence", "from 0 to 1", min_confidence, "write 0.6 for 60 %")
    mined = Mined.of(design, counts, min_support, max_length, items, progress, sample)
    columns: Columns = {"antecedents": [], "consequents": []}
    columns |= {name + suffix: [] for name in FIGURES for suffix in ("", "_stderr")} | {"borderline": [], "note": []}
    for antecedents, consequents, figures in mined.rules(min_confidence):
        columns["antecedents"] += mined.words(antecedents)
        columns["consequents"] += mined.words(consequents)
        near = np.abs(figures["support"] - min_support) < MARGIN * figures["support_stderr"]
        near |= np.abs(figures["confidence"] - min_confidence) < MARGIN * figures["confidence_stderr"]
        for name, values in {**figures, "borderline": near}.items():
            columns[name] += values.tolist()
        beyond = np.any([np.abs(figures[name] - 0.5) > 0.5 + SLACK for name in SHARES], axis=0)
        columns["note"] += _notes(figures["support"], figures["support_stderr"], beyond, near, mined.gaps)
        if len(columns["support"]) > MAX_RULES:
            found = len(columns["support"])
            raise TooManySets("rules or more", found, MAX_RULES, "raise min_confidence or min_support")
    return columns, mined.gaps


def _notes(
    support: Floats, stderr: Floats, beyond: NDArray[np.bool_], near: NDArray[np.bool_], gaps: Gaps
) -> list[str]:
    """What a reader must know before using the figures of each set or rule."""
    flags = {**grades(found_half_width(stderr, gaps.used)), "outside the possible": beyond, "borderline": near}
    if gaps.note:
        flags[gaps.note] = np.ones(len(support), dtype=bool)
    return joined_notes(flags, len(support))


def _frame(columns: Columns, sets: Sequence[str], replies: Any) -> Any:
    """The columns as a frame of the replies' kind."""
    backend = backend_of(replies)
    kind: Any = nw.Object
    if nw.Implementation.from_backend(backend).is_pyarrow():
        kind = nw.List(nw.String)
        columns = columns | {name: [sorted(each) for each in columns[name]] for name in sets}
    kinds: dict[str, Any] = {**dict.fromkeys(sets, kind), "borderline": nw.Boolean, "note": nw.String}
    schema = {name: kinds.get(name, nw.Float64) for name in columns}
    return nw.from_dict(columns, schema=schema, backend=backend).to_native()

"""Every scheme on the dashboard, and figures that are worked out once."""

import asyncio
from itertools import permutations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import deniable as dn
from deniable.count.stored import StoreCounts
from deniable.web import figures
from deniable.web.learnt import KINDS, learn, targets
from deniable.web.results import REST, Results
from laws.family import Member, every_member
from web.desk import keep


def any_replies(design: dn.Design, count: int) -> pa.Table:
    """Replies of every kind."""
    rng, columns = np.random.default_rng(0), {}
    for question in design.questions:
        reported = design.reported(question)
        if reported.is_number:
            assert reported.range is not None
            columns[question.name] = np.rint(rng.uniform(reported.range.low, reported.range.high, count)).tolist()
            columns[question.name] = np.clip(columns[question.name], reported.range.low, reported.range.high).tolist()
        else:
            columns[question.name] = rng.choice(reported.answers, count).tolist()
    return pa.table(columns)


@every_member
def test_every_scheme_has_figures_tables_and_models(member: Member, tmp_path: Path) -> None:
    """Nothing is refused; what cannot be told of a model is noted in one clear line."""
    channel = member(0.75, 0.3)
    design = dn.Design([channel, dn.warner(0.8, dn.yes_no("w")), dn.k_ary(0.8, dn.Question("k", ["u", "v", "x"]))])
    store = f"sqlite:///{tmp_path}/s.sqlite"
    keep(store, design, any_replies(design, 200))
    counts = StoreCounts(design, store)
    for said in figures.every_question(design, counts):
        assert said.problem == ""
        assert said.n == 200
        assert len(said.rows) >= 2
        assert all(np.isfinite([row.estimate.value, row.estimate.low, row.estimate.high]).all() for row in said.rows)
        assert all((row.shifts is None) is design.channel(said.question.name).has_noise for row in said.rows)
    for first, second in list(permutations(design.names, 2))[:4]:
        table = figures.cross_table(design, counts, first, second, "row")
        assert len(table.cells) == len(table.rows)
        assert table.test is not None or table.problem
    words = [name for name in channel.names if not design.question(name).is_number]
    cards = any(design.reported(name).answers != design.question(name).answers for name in words)
    for kind in KINDS:
        for target in targets(design)[:2]:
            learnt = learn(design, store, kind, target)
            assert learnt.accuracy is not None
            assert (learnt.uncorrected is None) is cards
            assert any("replies cannot be taken for the truth" in note for note in learnt.notes) is cards


def test_figures_are_worked_out_once_for_a_number_of_replies() -> None:
    now = [0.0]

    async def ask() -> None:
        results, worked = Results(lambda: now[0]), []

        def work() -> int:
            now[0] += 1
            worked.append(1)
            return len(worked)

        assert await asyncio.gather(*(results.of("a", 10, work) for _ in range(5))) == [1] * 5
        now[0] = REST + 0.9
        assert await results.of("a", 11, work) == 1  # it rests for some times as long as it took
        now[0] = REST + 1.0
        assert await results.of("a", 11, work) == 2
        now[0] += 1_000
        assert await results.of("a", 11, work) == 2  # no more replies, so nothing else to tell
        assert await results.of("b", 11, work) == 3
        assert results.known("a") == 2
        assert results.known("c") is None
        with pytest.raises(ZeroDivisionError):
            await results.of("c", 10, lambda: 1 // 0)
        assert await results.of("c", 10, work) == 4

    asyncio.run(ask())

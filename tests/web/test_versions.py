"""Surveys with versions on the dashboard: every page answers, and drop-out can be seen."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import deniable as dn
from browser.surveys import arms, ask, chosen
from deniable.count.stored import StoreCounts, stored_replies
from deniable.web import figures, shown
from deniable.web.learnt import learn
from deniable.web.sizes import version_sizes
from web.desk import Collector, Running, fill, keep, serving, set_password

DESIGNS = {"ask": ask(), "arms": arms(), "chosen": chosen()}
REPLIES = 600


def people(design: dn.Design, count: int) -> pa.Table:
    """People who answer and choose at random."""
    rng, columns = np.random.default_rng(1), {}
    for name in [*(str(block.column) for block in design.versioned if block.chosen), *design.names]:
        asked = design.reported(name) if name not in design.names else design.question(name)
        if asked.is_number:
            assert asked.range is not None
            columns[name] = rng.integers(int(asked.range.low), int(asked.range.high), count).tolist()
        else:
            columns[name] = rng.choice(asked.answers, count).tolist()
    return pa.table(columns)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    store = f"sqlite:///{tmp_path_factory.mktemp('versions')}/store.sqlite"
    for design in DESIGNS.values():
        fill(store, design, people(design, REPLIES))
    set_password(store)
    with serving(store, *DESIGNS.values()) as site:
        yield site


@pytest.fixture(scope="module")
def collector(running: Running) -> Collector:
    return running.collector()


HEADS = ("planned", "replies", "share", "stayed, against the others")


@pytest.mark.parametrize("name", DESIGNS)
def test_every_page_answers_and_shows_the_sizes_of_versions(name: str, running: Running, collector: Collector) -> None:
    design = DESIGNS[name]
    here = f"/admin/survey/{design.fingerprint}"
    parts = ("", "/count", "/tables", "/models", "/models?kind=bayes", "/models?kind=tree", "/manage")
    assert {part: collector.get(f"{here}{part}").status_code for part in parts} == dict.fromkeys(parts, 200)
    text = collector.get(here).text
    (block,) = version_sizes(design, StoreCounts(design, running.store_url))
    assert sum(row.replies for row in block.rows) == REPLIES
    for row in block.rows:
        planned = "chosen" if row.planned is None else shown.percent(row.planned)
        cells = (planned, shown.count(row.replies), shown.percent(row.share))
        stayed = "–" if row.stayed is None else "{} ({} to {})".format(*map(shown.times, row.stayed))
        told = zip(HEADS, (*cells, stayed), strict=True)
        row_text = "".join(f'<td data-label="{head}">{cell}</td>' for head, cell in told)
        assert f"<th>{row.name}</th>{row_text}" in text
    assert not block.note


@pytest.mark.parametrize("name", DESIGNS)
def test_exports_hold_the_columns_of_versions(name: str, running: Running, collector: Collector) -> None:
    design = DESIGNS[name]
    answer = collector.get(f"/admin/survey/{design.fingerprint}/replies.csv")
    header, *rows = csv.reader(io.StringIO(answer.text))
    assert header == [*design.columns, "_design"]
    stored = stored_replies(design, running.store_url).to_pylist()
    first = [[row[0], row[1]] for row in rows]
    assert sorted(first) == sorted([str(row[each] or "") for each in design.columns[:2]] for row in stored)


@pytest.mark.parametrize("name", DESIGNS)
def test_shares_are_those_of_the_library(name: str, running: Running) -> None:
    design = DESIGNS[name]
    counts, told = StoreCounts(design, running.store_url), 0
    for said in figures.every_question(design, counts):
        for row in () if said.problem or said.question.range is not None else said.rows:
            assert row.estimate == dn.estimate(design, counts, f"{said.question.name} == {row.word!r}")
            told += 1
        if not said.problem and said.question.range is None:
            assert sum(row.reported or 0 for row in said.rows) == pytest.approx(1)
    assert told >= 4


def test_drop_out_from_one_version_is_told(tmp_path: Path) -> None:
    design, store = DESIGNS["arms"], f"sqlite:///{tmp_path}/s.sqlite"
    replies = dn.disguise(design, people(design, 1_000), seed=3)
    stayed = np.array(replies["arm"].to_pylist()) == "direct"
    stayed[np.flatnonzero(~stayed)[::2]] = True
    keep(store, design, replies.filter(pa.array(stayed)))
    (block,) = version_sizes(design, StoreCounts(design, store))
    assert "people may have dropped out" in block.note
    rows = {row.name: row for row in block.rows}
    for name, other in (("forced", "direct"), ("direct", "forced")):  # by hand: half of those with "forced" stayed
        expected = (rows[name].replies / rows[name].planned) / (rows[other].replies / rows[other].planned)
        found, low, high = rows[name].stayed
        assert found == pytest.approx(expected)
        assert low < (0.5 if name == "forced" else 2.0) < high


def test_of_many_versions_those_furthest_from_their_plan_are_shown(tmp_path: Path) -> None:
    design = dn.Design([dn.draw(0.4, *(dn.yes_no(f"q{index}") for index in range(8)), ask=2)])
    store = f"sqlite:///{tmp_path}/s.sqlite"
    fill(store, design, people(design, 500))
    (block,) = version_sizes(design, StoreCounts(design, store))
    assert (len(block.rows), block.left_out) == (12, 16)
    stored = [row["version"] for row in stored_replies(design, store).to_pylist()]
    assert {row.name: row.replies for row in block.rows} == {row.name: stored.count(row.name) for row in block.rows}


def test_models_are_learnt_or_refused_in_one_line(running: Running) -> None:
    learnt = learn(DESIGNS["ask"], running.store_url, "bayes", "late")
    assert learnt.uncorrected is None
    assert any("different versions say different things" in note for note in learnt.notes)
    with pytest.raises(dn.DeniableError, match="are not asked all of it"):
        learn(DESIGNS["chosen"], running.store_url, "tree", "late")

"""Memory: what cannot be counted within the limit is refused before it is counted, with a way out that works."""

from secrets import token_bytes

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deniable as dn
from deniable.channel.published import Canonical
from deniable.collect.places import open_store
from deniable.collect.reply import Reply
from deniable.collect.store import Arrival
from deniable.count.files import FileCounts
from deniable.count.replies import counts_of
from deniable.count.room import Sampled, bytes_of, memory_limit
from deniable.errors import OtherDesign, TooManyReplies, TooManyRows
from deniable.frame.mark import check_marks, mark_of

ROWS = 60_000
pytestmark = pytest.mark.filterwarnings("ignore:.*does not say under which design")


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    """Replies to 40 questions, hardly two of which are alike, and to 3 that most people answer alike."""
    rng, words = np.random.default_rng(1), np.array(["no", "yes"])
    names = [f"q{index}" for index in range(40)]
    design = dn.Design([dn.warner(0.8, dn.yes_no(name)) for name in names], target="q0")
    table = pa.table({name: words[rng.integers(0, 2, ROWS)] for name in names})
    folder = tmp_path_factory.mktemp("room")
    pq.write_table(table, folder / "replies.parquet", row_group_size=10_000)
    pa.csv.write_csv(table, folder / "replies.csv")
    return design, table, folder


@pytest.mark.parametrize("kind", ["parquet", "csv", "polars", "duckdb"])
def test_what_does_not_fit_is_refused_and_the_way_out_works(wide, kind, monkeypatch):
    design, table, folder = wide
    frames = {"polars": pl.from_arrow(table).lazy(), "duckdb": duckdb.from_arrow(table)}
    counts = counts_of(design, frames.get(kind, folder / f"replies.{kind}"))
    monkeypatch.setenv("DENIABLE_MEMORY", "4MB")
    with pytest.raises(TooManyReplies, match=r"distinct replies to q0, q1, q2, q3 and 36 others would take") as refused:
        counts.distinct(design.names)
    assert "set DENIABLE_MEMORY to 1GB" in refused.value.way_out
    fitting = refused.value.fitting
    assert 5 <= fitting < 40
    assert len(counts.distinct(design.names[:fitting]).counts) <= 2**fitting
    monkeypatch.setenv("DENIABLE_MEMORY", "1GB")
    assert counts.distinct(design.names).n == ROWS


def test_replies_in_a_store_that_would_not_fit_are_refused_too(wide, store_url, monkeypatch):
    design, table, _ = wide
    rows = np.array([np.asarray(table.column(name))[:8_000] == "yes" for name in design.names]).T.astype(int).tolist()
    with open_store(store_url) as store:
        fingerprint = store.enrol(design).fingerprint
        bodies = [Reply(token_bytes(16), token_bytes(32), tuple(row)) for row in rows]
        store.keep([Arrival(fingerprint, body, None) for body in bodies])
    counts = counts_of(design, store_url)
    monkeypatch.setenv("DENIABLE_MEMORY", "4MB")
    with pytest.raises(
        TooManyReplies, match="8,000 distinct replies to q0, q1, q2, q3 and 36 others would take"
    ) as refused:
        counts.distinct(design.names)
    assert len(counts.distinct(design.names[: refused.value.fitting]).counts) > 2
    assert counts.distinct(["q0", "q1"]).n == 8_000
    monkeypatch.setenv("DENIABLE_MEMORY", "1GB")
    assert counts.distinct(design.names).n == 8_000


def test_few_distinct_replies_fit_however_many_there_are(wide, monkeypatch, tmp_path):
    design = wide[0]
    rng = np.random.default_rng(2)
    people = rng.integers(0, 2, (50, 40))[rng.integers(0, 50, ROWS)]
    words = np.array(["no", "yes"])
    pq.write_table(pa.table({f"q{index}": words[people[:, index]] for index in range(40)}), tmp_path / "alike.parquet")
    monkeypatch.setenv("DENIABLE_MEMORY", "4MB")
    assert len(FileCounts(design, tmp_path / "alike.parquet").distinct(design.names).counts) == 50


def test_the_limit_is_a_size(monkeypatch):
    monkeypatch.setenv("DENIABLE_MEMORY", "1.5 gb")
    assert memory_limit() == 1.5 * 2**30
    monkeypatch.setenv("DENIABLE_MEMORY", "much")
    with pytest.raises(dn.DeniableError, match="a size such as 500MB or 2GB, got 'much'"):
        memory_limit()
    monkeypatch.delenv("DENIABLE_MEMORY")
    assert memory_limit() > 2**28


def test_a_sample_tells_how_many_distinct_replies_there_are():
    assert Sampled(1000, 1000, 1000).in_all(100_000) == 100_000  # as far as such a sample shows, no two are alike
    assert Sampled(1000, 20, 0).in_all(10**9) == 20
    assert bytes_of([dn.yes_no("a")]) < bytes_of([dn.yes_no("a"), dn.yes_no("b")])


@pytest.mark.parametrize("kinds", [1_000, 30_000, 10**6, 10**9])
@pytest.mark.parametrize("alike", [0.0, 0.5, 0.9])
def test_the_estimate_is_never_far_too_low(kinds, alike):
    """By simulation: some people answer alike, all others evenly in so many ways; one in a hundred is in the sample."""
    rng, n, m = np.random.default_rng(4), 2_000_000, 20_000
    replies = np.where(rng.random(n) < alike, 0, rng.integers(1, kinds + 1, n))
    counts = np.unique(replies[:m], return_counts=True)[1]
    found = Sampled(m, len(counts), int((counts == 1).sum())).in_all(n)
    assert 0.7 < found / len(np.unique(replies)) < 10  # at most the root of n / m too high


def test_the_mark_of_a_wide_design_is_compared_with_its_own_fingerprint_first(monkeypatch):
    """The fingerprints that 0.1 wrote hold a target: there are as many as questions, each of the whole design."""
    design, made = dn.Design([dn.warner(0.8, dn.yes_no(f"q{index}")) for index in range(300)]), []
    fingerprints = Canonical.fingerprints

    def counted(*given):
        for each in fingerprints(*given):
            made.append(each)
            yield each

    monkeypatch.setattr(Canonical, "fingerprints", counted)
    check_marks(design, [mark_of(design), mark_of(design, simulated=True)])
    assert len(made) <= 6
    check_marks(design, [next(design._published.fingerprints(["q17"]))[:16]])
    with pytest.raises(OtherDesign):
        check_marks(design, ["0123456789abcdef"])
    with pytest.raises(OtherDesign):
        check_marks(design, [""])


def test_wide_designs_are_learnt_from_the_questions_that_fit(tmp_path, monkeypatch):
    rng, words = np.random.default_rng(3), np.array(["no", "yes"])
    leaves = (rng.random(5_000) < 0.3).astype(int)
    answers = {f"q{index}": leaves ^ (rng.random(5_000) < (0.1 if index in (7, 90) else 0.5)) for index in range(130)}
    design = dn.Design([dn.warner(0.9, dn.yes_no(name)) for name in [*answers, "leave"]], target="leave")
    people = pa.table({name: words[column.astype(int)] for name, column in {**answers, "leave": leaves}.items()})
    pq.write_table(dn.disguise(design, people, seed=1), tmp_path / "replies.parquet")
    monkeypatch.setenv("DENIABLE_MEMORY", "1MB")
    tree = dn.TreeClassifier(design, method="inverse").fit(tmp_path / "replies.parquet")
    assert {"q7", "q90"} <= set(tree.columns_.names)
    assert len(tree.columns_.names) < 100
    assert f"learnt from the {len(tree.columns_.names)} of 130 questions" in tree.note_


def test_replies_that_are_needed_one_by_one_are_refused_before_they_are_told_apart(monkeypatch):
    design = dn.Design(
        [dn.gaussian(dn.number("age", 18, 80), privacy=0.5), dn.clear(dn.yes_no("leave"))], target="leave"
    )
    rng = np.random.default_rng(3)
    people = pa.table({"age": rng.uniform(18, 80, ROWS), "leave": np.array(["no", "yes"])[rng.integers(0, 2, ROWS)]})
    replies = dn.disguise(design, people, seed=1)
    monkeypatch.setenv("DENIABLE_MEMORY", "2MB")
    line = r"60,000 replies to .*, each by itself, would take 0\.00\d+ GB, .*; give a random sample of them, or set"
    with pytest.raises(TooManyRows, match=line):
        dn.TreeClassifier(design, method="local").fit(replies)
    with pytest.raises(TooManyRows, match="each by itself"):
        dn.cross_val_score(dn.TreeClassifier(design, method="byclass"), design, replies)
    with pytest.raises(TooManyRows, match="replies to hours, each by itself"):
        dn.regress(design, replies.append_column("hours", people["age"]), "leave ~ scale(hours)")
    assert dn.mean(design, replies, "age").value > 0
    assert dn.TreeClassifier(design, method="byclass").fit(replies[:10_000]).n_replies_ == 10_000

"""Replies that collectors take home: read by the command line, run by no spreadsheet, in nobody's order."""

import csv
import io
import json
from collections import Counter
from pathlib import Path

import httpx
import pyarrow as pa
import pyarrow.parquet as pa_parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deniable as dn
from deniable.cli.main import run
from deniable.count.replies import counts_of
from deniable.count.stored import StoreCounts
from deniable.frame.formulas import NUMBER, plain_name, safe_name, safe_words
from serving import held_by_0_1
from web.desk import Running, fill, serving, set_password

DANGEROUS = ("=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\tx", "\rx", '=HYPERLINK("http://evil.example","x")')
STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def formula_design() -> dn.Design:
    """A survey whose names and answers are formulas, as 0.1 let them in; some look like others that were made safe."""
    return dn.Design(
        [
            dn.k_ary(0.8, dn.Question("=who", [*DANGEROUS, "'=1+1", "''=1+1", "plain", "'quoted"])),
            dn.k_ary(0.8, dn.Question("@where,\"then\"", ["-1", "+2", "-1e3", "0"])),
            dn.warner(0.8, dn.Question("'=who", ["no", "yes"]), dn.Question("-leave", ["-", "+"])),
            dn.gaussian(dn.number("debt", -100, 100), privacy=0.4),
        ],
        target="-leave",
        check_text=False,
    )  # fmt: skip


def formula_people(count: int) -> pa.Table:
    design = formula_design()
    return pa.table(
        {
            question.name: (
                [float(place % 201 - 100) for place in range(count)]
                if question.is_number
                else [question.answers[place % len(question)] for place in range(count)]
            )
            for question in design.questions
        }
    )


def download(running: Running, name: str) -> httpx.Response:
    (fingerprint,) = running.surveys
    answer = running.collector().get(f"/admin/survey/{fingerprint}/{name}")
    assert answer.status_code == 200, answer.text
    assert f"replies-{fingerprint[:16]}" in answer.headers["content-disposition"]
    return answer


def printed(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """What a command prints."""
    with pytest.raises(SystemExit) as ended:
        run([str(each) for each in arguments])
    out, err = capsys.readouterr()
    assert ended.value.code == 0, err
    assert "warning" not in err
    return out


@pytest.mark.filterwarnings("ignore:the replies do not tell")  # made-up people leave as often as not
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_command_line_reads_exports(
    store_url: str, ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    design = formula_design()
    held_by_0_1(design, store_url)
    fill(store_url, design, formula_people(600))
    set_password(store_url)
    with serving(store_url, design) as running:
        (tmp_path / f"replies.{ending}").write_bytes(download(running, f"replies.{ending}").content)
    design.save(tmp_path / "design.toml")
    read, stored = counts_of(design, tmp_path / f"replies.{ending}"), StoreCounts(design, store_url)
    for question in design.questions:
        reported = [design.reported(question)]
        assert read.table(reported).tolist() == stored.table(reported).tolist()
    files = (tmp_path / "design.toml", tmp_path / f"replies.{ending}")
    text = "`=who` == '=1+1'"
    (told,) = json.loads(printed(capsys, "estimate", *files, text, "--json"))
    assert told["value"] == pytest.approx(dn.estimate(design, stored, text).value)
    printed(capsys, "bayes", *files, "-o", tmp_path / "model.json")
    assert "accuracy" in printed(capsys, "score", files[0], tmp_path / "model.json", files[1])


def test_no_cell_is_a_formula(tmp_path: Path) -> None:
    design, store = formula_design(), f"sqlite:///{tmp_path}/s.sqlite"
    held_by_0_1(design, store)
    fill(store, design, formula_people(600))
    set_password(store)
    with serving(store, design) as running:
        cells = list(csv.reader(io.StringIO(download(running, "replies.csv").text, newline="")))
    assert len(cells) == 601
    for cell in {cell for row in cells for cell in row}:
        assert not cell.startswith(STARTS) or NUMBER.fullmatch(cell), cell
    head = cells[0]
    assert head == ["'=who", '\'@where,"then"', "''=who", "'-leave", "debt", "_design"]
    assert {row[-1] for row in cells[1:]} == {design.fingerprint[:16]}
    assert {row[1] for row in cells[1:]} == {"-1", "+2", "-1e3", "0"}  # numbers are numbers


@given(st.lists(st.text("'=+-@\t\r\n1ex,\"", min_size=1, max_size=5), min_size=2, max_size=12, unique=True))
def test_safe_words_are_read_back(words: list[str]) -> None:
    """What is written for an answer is no other answer, and no other answer is written so."""
    safe = safe_words(words)
    assert not set(safe) & set(words)
    assert all(word.startswith("'") for word in safe)
    assert len(set(safe.values())) == len(safe)
    for name in words:
        assert plain_name(safe_name(name)) == name
        assert not safe_name(name).startswith(STARTS)


def test_replies_leave_in_no_order(running: Running) -> None:
    """Two exports hold the same replies in different orders, and neither has an id or a time."""
    (design,) = running.surveys.values()
    first, second = (pa_parquet.read_table(io.BytesIO(download(running, "replies.parquet").content)) for _ in range(2))
    assert first.column_names == [*design.names, "_design"]
    rows = [[tuple(row.values()) for row in table.to_pylist()] for table in (first, second)]
    assert Counter(rows[0]) == Counter(rows[1])
    assert sum(one == other for one, other in zip(*rows, strict=True)) < 100


def test_the_dashboard_hands_out_no_backup(running: Running) -> None:
    (fingerprint,) = running.surveys
    collector = running.collector()
    assert collector.get("/admin/backup.sqlite").status_code == 404
    assert "backup.sqlite" not in collector.get(f"/admin/survey/{fingerprint}/manage").text

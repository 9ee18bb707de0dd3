"""Files are counted by DuckDB, which may read the file at hand and nothing else, whatever names say."""

from functools import partial

import duckdb
import pandas as pd
import pyarrow as pa
import pytest

import deniable as dn
from deniable.count.files import FileCounts, values_in
from deniable.count.sealed import sealed

NAMES = ["a{b}", 'say "x"', "it's", "plain; drop table x --"]
PEOPLE = pd.DataFrame({name: ["yes", "no", "no"] * 50 for name in NAMES})
DESIGN = dn.Design([dn.warner(0.9, dn.yes_no(name)) for name in NAMES])
WIDE = dn.Design([dn.clear(dn.number("x", 0, 1)), dn.clear(dn.number("y", 0, 1))])


@pytest.mark.parametrize("file", ["plain.csv", "it's {one}.csv", "a[1]*.csv", "plain.parquet", "plain.jsonl"])
def test_strange_names_of_files_and_columns_are_counted(tmp_path, file):
    path = tmp_path / file
    written = {".csv": lambda: PEOPLE.to_csv(path, index=False), ".parquet": lambda: PEOPLE.to_parquet(path),
               ".jsonl": lambda: PEOPLE.to_json(path, orient="records", lines=True)}  # fmt: skip
    written[path.suffix]()
    counts = FileCounts(DESIGN, path)
    assert counts.n == 150
    for name, table in zip(NAMES, counts.tables([[name] for name in NAMES]), strict=True):
        assert table.table([DESIGN.reported(name)]).tolist() == [100, 50]
    both = counts.table([DESIGN.reported(name) for name in NAMES[:2]])
    assert both.tolist() == [[100, 0], [0, 50]]


def test_nothing_else_can_be_read(tmp_path):
    secret, mine = tmp_path / "secret.csv", tmp_path / "mine.csv"
    for path in (secret, mine):
        PEOPLE.to_csv(path, index=False)
    with sealed(mine) as connection:
        assert connection.sql(f"select count(*) from read_csv('{mine}')").fetchall() == [(150,)]
        for command in (
            f"select * from read_csv('{secret}')",
            f"copy (select 1) to '{tmp_path}/out.csv'",
            f"attach '{tmp_path}/x.db'",
            "set enable_external_access = true",
            "install httpfs",
        ):
            with pytest.raises(duckdb.Error):
                connection.execute(command)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.csv", "secret.csv"]


def test_a_refusal_counts_replies_not_distinct_ones(tmp_path):
    path = tmp_path / "replies.csv"
    path.write_text("smokes,age\n" + "yes,forty\n" * 3 + "no,20\n" * 2)
    design = dn.Design([dn.warner(0.8, dn.yes_no("smokes")), dn.clear(dn.number("age", 18, 80))])
    with pytest.raises(dn.DeniableError, match=r"got 'forty' \(3 of the values\)"):
        FileCounts(design, path).distinct(["smokes", "age"])


def test_wide_files_are_not_read_whole(tmp_path):
    names = [f"q{index}" for index in range(100)]  # more than DuckDB's grouping() takes, and more sets than one pass
    people = pd.DataFrame({name: ["yes", "no", "no"] * (index + 1) + ["no"] * (300 - 3 * index)
                           for index, name in enumerate(names)})  # fmt: skip
    people.to_parquet(tmp_path / "wide.parquet")
    design = dn.Design([dn.warner(0.9, dn.yes_no(name)) for name in names])
    shares: list[float] = []
    counts = FileCounts(design, tmp_path / "wide.parquet", progress=shares.append)
    for index, (name, found) in enumerate(
        zip(names[1:], counts.tables([[name, "q0"] for name in names[1:]]), strict=True), start=1
    ):
        questions = [design.reported(name), design.reported("q0")]
        assert found.table(questions).tolist() == [[302 - index, 0], [index, 1]]
    assert counts._read is None
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_what_is_needed_again_is_not_forgotten(tmp_path, monkeypatch):
    monkeypatch.setattr("deniable.count.files.KNOWN_CELLS", 0)
    PEOPLE.to_parquet(tmp_path / "people.parquet")
    counts = FileCounts(DESIGN, tmp_path / "people.parquet")
    counts.distinct(NAMES[:2])
    first, other = counts.tables([NAMES[:1], NAMES[2:]])
    assert (first.n, other.n) == (150, 150)


PLAIN = dn.Design([dn.warner(0.8, dn.yes_no("smokes")), dn.clear(dn.yes_no("leave"))])
ONLY_OURS = {
    "lines that end in two ways.csv": b"smokes,leave\r\nyes,no\nno,yes\r\n",
    "names that differ by case.csv": b"smokes,leave,Leave\nyes,no,1\nno,yes,2\n",
    "other names twice.csv": b"smokes,leave,x,x\nyes,no,1,2\nno,yes,1,2\n",
    "no name.csv": b"smokes,leave,\nyes,no,1\nno,yes,2\n",
    "quotes inside.csv": b'smokes,leave,x\nyes,no,"a"b\nno,yes,c\n',
    "mark.jsonl": b'\xef\xbb\xbf{"smokes": "yes", "leave": "no"}\n{"smokes": "no", "leave": "yes"}\n',
}


@pytest.mark.parametrize("file", ONLY_OURS)
def test_what_duckdb_cannot_read_is_read_by_ourselves(tmp_path, file):
    path = tmp_path / file
    path.write_bytes(ONLY_OURS[file])
    counts = FileCounts(PLAIN, path)
    assert counts.distinct(["smokes", "leave"]).n == 2
    assert counts._read is not None
    assert sorted(values_in(path, "smokes").to_pylist()) == ["no", "yes"]


def test_a_link_out_of_a_folder_is_followed(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "folder").mkdir()
    pd.DataFrame({"smokes": ["yes"], "leave": ["no"]}).to_parquet(tmp_path / "elsewhere/replies.parquet")
    (tmp_path / "folder/link").symlink_to(tmp_path / "elsewhere")
    assert FileCounts(PLAIN, tmp_path / "folder").n == 1


@pytest.mark.parametrize("count", [lambda path: FileCounts(WIDE, path).distinct(["x", "y"]),
                                   lambda path: values_in(path, "z")])  # fmt: skip
def test_a_lack_of_room_is_told_and_the_file_is_not_read_whole(tmp_path, monkeypatch, count):
    path = tmp_path / "large.parquet"
    numbers = pd.Series(range(400_000)) / 400_000
    pd.DataFrame({"x": numbers, "y": 1 - numbers, "z": numbers.map("{:.8f}".format)}).to_parquet(path)
    monkeypatch.setattr("deniable.count.sealed.MEMORY", "1MB")
    monkeypatch.setattr("deniable.count.files.files.read", None)
    with pytest.raises(dn.DeniableError, match=r"large.parquet: takes more room to count than DuckDB has") as refused:
        count(path)
    line = str(refused.value)
    assert "\n" not in line
    assert all(words in line for words in ("1MB of memory", "fewer questions", "make room on that disk"))


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl"])
def test_nobody_needs_to_see_the_values_of_a_column_of_numbers(tmp_path, monkeypatch, ending):
    path, table = tmp_path / f"large.{ending}", pd.DataFrame({"x": range(200_000), "y": ["1"] * 199_999 + ["1 a"]})
    {"parquet": table.to_parquet, "csv": partial(table.to_csv, index=False),
     "jsonl": partial(table.to_json, orient="records", lines=True)}[ending](path)  # fmt: skip
    monkeypatch.setattr("deniable.count.sealed.MEMORY", "100MB")
    assert (len(values_in(path, "x")), values_in(path, "x").type) == (0, pa.float64())
    assert sorted(values_in(path, "y").to_pylist()) == ["1", "1 a"]


def _as(path):
    """The same people in a file of any kind, or in a folder."""
    people = pd.DataFrame({"smokes": ["yes", "no"], "leave": ["no", "no"]})
    if not path.suffix:
        path.mkdir()
        return people.to_parquet(path / "part.parquet")
    return people.to_csv(path, index=False) if path.suffix == ".csv" else people.to_parquet(path)


@pytest.mark.parametrize("name", ["replies.csv", "replies.parquet"])
def test_a_file_that_is_gone_before_it_is_counted_is_told_as_that(tmp_path, name):
    path = tmp_path / name
    _as(path)
    counts = FileCounts(PLAIN, path)
    path.unlink()
    with pytest.raises(dn.DeniableError, match=r"cannot be read .*; check the path"):
        counts.distinct(["smokes"])


@pytest.mark.parametrize("name", ["replies.csv", "replies.parquet", "folder"])
def test_where_duckdb_fails_the_error_of_opening_the_file_speaks(tmp_path, name, monkeypatch):
    path = tmp_path / name
    _as(path)
    counts = FileCounts(PLAIN, path)

    def fails(*given):
        path.rename(tmp_path / "elsewhere")
        raise duckdb.IOException(f"IO Error: Cannot open file {path}")

    monkeypatch.setattr("deniable.count.files.watched", fails)
    with pytest.raises(dn.DeniableError, match=rf"{name}: cannot be read .*; check the path"):
        counts.distinct(["smokes"])


def test_where_the_file_opens_the_disk_is_named(tmp_path, monkeypatch):
    path = tmp_path / "replies.csv"
    _as(path)
    full = duckdb.IOException("IO Error: Could not write file: No space left on device")
    monkeypatch.setattr("deniable.count.files.watched", lambda *given: (_ for _ in ()).throw(full))
    with pytest.raises(dn.DeniableError, match=r"could not be counted \(.*No space left.*has room"):
        FileCounts(PLAIN, path).distinct(["smokes"])


def test_a_spoiled_file_is_told_by_our_own_reader(tmp_path):
    path = tmp_path / "spoiled.parquet"
    PEOPLE.to_parquet(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:4] + b"\xff" * 30 + whole[34:])
    with pytest.raises(dn.DeniableError, match=r"spoiled.parquet: cannot be read"):
        FileCounts(DESIGN, path).distinct(NAMES)

"""What is written is read again, and what cannot be read is refused in one clear line.

Nothing in between: no row, column or value may get lost on the way without a word.
"""

import json
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pa_parquet
import pytest

import deniable as dn
from deniable.device.stream import disguise_file
from deniable.errors import BadFile, MissingColumns, NoReplies
from deniable.frame import files

ANY_NAME = [kind for kind in files.KINDS if kind not in files.LABELLED]  # those others: test_formats.py
every_ending = pytest.mark.parametrize("ending", ANY_NAME)


def read(path, columns=None):
    """The whole file, column by column."""
    table = pa.concat_tables(files.read(path, columns))
    assert len(set(table.column_names)) == len(table.column_names)
    return table.to_pydict()


def write(path, *pieces):
    with files.writer(path) as append:
        for piece in pieces:
            append(pa.table(piece))
    return path


def holding(path, content):
    """A file of just these bytes."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def check_refused(refusal, match, path, columns=None):
    """The refusal names the file, and is one line."""
    with pytest.raises(refusal, match=match) as caught:
        read(path, columns)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


# ---------------------------------------------------------------- what is written is read again

AWKWARD = {
    "plain": {"smokes": ["no", "yes"], "color": ["red", "blue"]},
    "one column": {"smokes": ["no", "yes"]},
    "unicode": {"größe": ["ß – 日本", "😀", "e\u0301"], "q": ["a", "b", "c"]},
    "quotes": {"q": ['say "no"', "it's", '"', '""'], "r": ["a", "b", "c", "d"]},
    "commas and tabs": {"q": ["a,b", ",", "a\tb", "a;b"], "r": ["a", "b", "c", "d"]},
    "line ends inside": {"q": ["two\nlines", "two\r\nlines", "two\rlines", "\n"], "r": ["a", "b", "c", "d"]},
    "rare line ends inside": {"q": ["a\x0bb", "a\x0cb", "a\x85b", "a\u2028b"], "r": ["a", "b", "c", "d"]},
    "spaces around": {"q": [" no", "yes ", " "], "r": ["a", "b", "c"]},
    "words that sound missing": {"q": ["NA", "None", "null", "nan", "N/A", "#N/A"], "r": ["NULL"] * 6},
    "words that look like numbers": {"q": ["01", "1.0", "1e3", "0x1", "-0"], "r": ["true"] * 5},
    "missing": {"q": ["no", None, "yes", None], "r": [None, "a", "b", None]},
    "missing, one column": {"q": ["no", None, "yes", None]},
    "names with spaces": {"how often?": ["no"], " on  leave ": ["yes"]},
    "names with signs": {'a "b"': ["1"], "c,d": ["2"], "e\nf": ["3"], "g.h": ["4"], "'": ["5"]},
}


@every_ending
@pytest.mark.parametrize("columns", AWKWARD.values(), ids=AWKWARD)
def test_what_is_written_is_read_again(tmp_path, ending, columns):
    words = {name: pa.array(values, pa.string()) for name, values in columns.items()}
    assert read(write(tmp_path / f"data{ending}", words)) == columns


@every_ending
def test_pieces_are_read_again_as_one(tmp_path, ending):
    path = write(tmp_path / f"data{ending}", {"q": ["a", "b"]}, {"q": ["c"]}, {"q": ["d"]})
    assert read(path) == {"q": ["a", "b", "c", "d"]}


@every_ending
def test_numbers_are_read_again_to_the_last_digit(tmp_path, ending):
    numbers = [0.1, 1 / 3, 1e-300, 1e22, 5.0, -2.5]
    assert [float(number) for number in read(write(tmp_path / f"data{ending}", {"q": numbers}))["q"]] == numbers


@every_ending
def test_columns_are_read_in_the_order_asked_for(tmp_path, ending):
    path = write(tmp_path / f"data{ending}", {"a": ["1"], "b": ["2"], "c": ["3"]})
    assert list(read(path, ["c", "a"]).items()) == [("c", ["3"]), ("a", ["1"])]


@every_ending
def test_the_ending_may_be_in_capitals(tmp_path, ending):
    assert read(write(tmp_path / f"data{ending.upper()}", {"q": ["a"]})) == {"q": ["a"]}


@every_ending
def test_a_file_larger_than_a_piece_keeps_its_rows_in_order(tmp_path, ending):
    words = [f"row\n{row}" for row in range(2 * files.ROWS + 1)]
    assert read(write(tmp_path / f"data{ending}", {"q": words, "r": words}), ["q"]) == {"q": words}


@every_ending
def test_a_failed_write_leaves_the_older_file_as_it_was(tmp_path, ending):
    path = write(tmp_path / f"data{ending}", {"q": ["old"]})
    with pytest.raises(pa.ArrowInvalid):
        write(path, {"q": ["new"]}, {"q": ["of", "two"], "r": ["lengths"]})
    assert read(path) == {"q": ["old"]}
    assert list(tmp_path.iterdir()) == [path]


# ---------------------------------------------------------------- files that others wrote

SMOKERS = {"smokes": ["no", "yes"], "age": ["30", "40"]}
CSV = {
    "plain": "smokes,age\nno,30\nyes,40\n",
    "without a last line end": "smokes,age\nno,30\nyes,40",
    "byte order mark": b"\xef\xbb\xbfsmokes,age\nno,30\nyes,40\n",
    "byte order mark and quotes": b'\xef\xbb\xbf"smokes","age"\n"no","30"\n"yes","40"\n',
    "CRLF": "smokes,age\r\nno,30\r\nyes,40\r\n",
    "CRLF and byte order mark": b"\xef\xbb\xbfsmokes,age\r\nno,30\r\nyes,40\r\n",
    "old line ends": "smokes,age\rno,30\ryes,40\r",
    "mixed line ends": "smokes,age\r\nno,30\nyes,40\r\n",
    "empty lines": "smokes,age\n\nno,30\n\n\nyes,40\n\n",
    "empty lines first": "\n\nsmokes,age\nno,30\nyes,40\n",
    "empty CRLF lines": "smokes,age\r\n\r\nno,30\r\n\r\nyes,40\r\n\r\n",
}
JSONL = {
    "plain": '{"smokes": "no", "age": "30"}\n{"smokes": "yes", "age": "40"}\n',
    "without a last line end": '{"smokes": "no", "age": "30"}\n{"smokes": "yes", "age": "40"}',
    "numbers": '{"smokes": "no", "age": 30}\n{"smokes": "yes", "age": 40}\n',
    "CRLF": '{"smokes": "no", "age": "30"}\r\n{"smokes": "yes", "age": "40"}\r\n',
    "empty lines": '\n{"smokes": "no", "age": "30"}\n\n \n{"smokes": "yes", "age": "40"}\n\n',
    "another order": '{"smokes": "no", "age": "30"}\n{"age": "40", "smokes": "yes"}\n',
    "escapes": '{"smokes": "n\\u006f", "age": "30"}\n{"smokes": "yes", "\\u0061ge": "40"}\n',
}


@pytest.mark.parametrize("content", CSV.values(), ids=CSV)
def test_csv_of_many_dialects_is_read(tmp_path, content):
    assert read(holding(tmp_path / "data.csv", content)) == SMOKERS


@pytest.mark.parametrize("content", JSONL.values(), ids=JSONL)
def test_jsonl_of_many_dialects_is_read(tmp_path, content):
    assert read(holding(tmp_path / "data.jsonl", content)) == SMOKERS


def test_only_an_empty_field_of_csv_is_missing(tmp_path):
    path = holding(tmp_path / "data.csv", 'q,r\nNA,None\nnull,\n"",nan\n')
    assert read(path) == {"q": ["NA", "null", None], "r": ["None", None, "nan"]}


def test_true_false_and_null_of_jsonl_are_told_apart_from_words(tmp_path):
    path = holding(tmp_path / "data.jsonl", '{"q": true}\n{"q": false}\n{"q": null}\n{"q": "null"}\n')
    assert read(path) == {"q": ["true", "false", None, "null"]}


def test_a_key_that_a_line_of_jsonl_lacks_is_missing_there(tmp_path):
    path = holding(tmp_path / "data.jsonl", '{"q": "a", "r": "b"}\n{"q": "c"}\n')
    assert read(path) == {"q": ["a", "c"], "r": ["b", None]}


@pytest.mark.parametrize("columns", [None, ["q", "r"]], ids=["all columns", "those asked for"])
def test_a_key_that_the_first_line_of_jsonl_lacks_is_missing_there(tmp_path, columns):
    path = holding(tmp_path / "data.jsonl", '{"q": "a"}\n{"q": "b", "r": "c"}\n')
    assert read(path, columns) == {"q": ["a", "b"], "r": [None, "c"]}


def test_a_folder_of_parquet_is_read_as_one(tmp_path):
    for month, word in (("1", "no"), ("2", "yes")):
        write(tmp_path / f"{month}.parquet", {"q": [word]})
    assert read(tmp_path) == {"q": ["no", "yes"]}


def test_parquet_keeps_its_types(tmp_path):
    columns = {"q": pa.array([1, 2], pa.uint8()), "r": pa.array(["a", "b"]).dictionary_encode()}
    (piece,) = files.read(write(tmp_path / "data.parquet", columns))
    assert piece.schema.types == [pa.uint8(), pa.dictionary(pa.int32(), pa.string())]


# ---------------------------------------------------------------- what is refused

NOTHING = {
    "empty csv": ("data.csv", ""),
    "csv of a line end": ("data.csv", "\n"),
    "csv of a byte order mark": ("data.csv", b"\xef\xbb\xbf"),
    "csv of a header": ("data.csv", "smokes,age\n"),
    "csv of a header without line end": ("data.csv", "smokes,age"),
    "csv of a header and empty lines": ("data.csv", "smokes,age\n\n\n"),
    "empty jsonl": ("data.jsonl", ""),
    "jsonl of empty lines": ("data.jsonl", "\n\n"),
}
BROKEN = {
    "csv, a short row": ("data.csv", "q,r\nno,1\nyes\n"),
    "csv, a long row": ("data.csv", "q,r\nno,1\nyes,2,3\n"),
    "csv, a short row far below": ("data.csv", "q,r\n" + "no,1\n" * 300_000 + "yes\n"),
    "csv, an open quote": ("data.csv", 'q,r\n"no,1\nyes,2\n'),
    "csv, another encoding": ("data.csv", "q,r\ngröße,1\n".encode("latin-1")),
    "csv, two bytes per letter": ("data.csv", "q,r\nno,1\n".encode("utf-16")),
    "csv, one endless field": ("data.csv", "q,r\n" + "x" * (9 << 20) + ",1\n"),
    "jsonl, no JSON": ("data.jsonl", '{"q": "a"}\n{"q": \n'),
    "jsonl, no object": ("data.jsonl", '{"q": "a"}\n["b"]\n'),
    "jsonl, another encoding": ("data.jsonl", '{"q": "größe"}\n'.encode("latin-1")),
    "jsonl, half a letter": ("data.jsonl", '{"q": "\\ud83d"}\n'),
    "parquet, no parquet": ("data.parquet", "hello"),
    "parquet, empty": ("data.parquet", ""),
}


@pytest.mark.parametrize(("name", "content"), NOTHING.values(), ids=NOTHING)
def test_a_file_without_rows_is_refused(tmp_path, name, content):
    check_refused(NoReplies, "has no rows", holding(tmp_path / name, content))


def test_a_parquet_file_without_rows_is_refused(tmp_path):
    check_refused(NoReplies, "has no rows", write(tmp_path / "data.parquet", {"q": pa.array([], pa.string())}))


@pytest.mark.parametrize(("name", "content"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_refused(tmp_path, name, content):
    check_refused(BadFile, "is not", holding(tmp_path / name, content))


def test_a_name_that_is_not_utf_8_is_called_so(tmp_path):
    check_refused(
        BadFile,
        "a column whose name cannot be read; .* not UTF-8: convert it",
        holding(tmp_path / "l.csv", b"q,nam\xe9\nno,1\n"),
    )


@every_ending
def test_a_file_that_is_not_there_is_refused_for_that_reason(tmp_path, ending):
    check_refused(BadFile, "(?i)no such file|does not exist|not found", tmp_path / f"none{ending}")


@pytest.mark.parametrize("name", ["data.txt", "data.xlsx", "data", "data.csv.gz"])
def test_an_unknown_ending_is_refused(tmp_path, name):
    check_refused(
        BadFile, r"has the unknown ending .*; use \.csv, \.parquet, \.jsonl", holding(tmp_path / name, "q\nno\n")
    )


@every_ending
def test_a_column_that_is_not_there_is_refused_by_name(tmp_path, ending):
    path = write(tmp_path / f"data{ending}", {"smokes": ["no"], "age": ["30"]})
    with pytest.raises(MissingColumns, match=r"no column for question 'smoke', 'x'; did you mean 'smokes'\?"):
        read(path, ["smoke", "age", "x"])


TWICE = {
    "csv": ("data.csv", "q,r,q\nno,1,yes\n"),
    "jsonl": ("data.jsonl", '{"q": "no", "r": "1", "q": "yes"}\n'),
}


@pytest.mark.parametrize("columns", [None, ["q"]], ids=["all columns", "those asked for"])
@pytest.mark.parametrize(("name", "content"), TWICE.values(), ids=TWICE)
def test_two_columns_of_one_name_are_refused_by_name(tmp_path, name, content, columns):
    check_refused(dn.DeniableError, "'q'", holding(tmp_path / name, content), columns)


def test_two_columns_of_one_name_are_refused_in_parquet(tmp_path):
    path = tmp_path / "data.parquet"
    pa_parquet.write_table(pa.table([["no"], ["yes"]], names=["q", "q"]), path)
    check_refused(BadFile, "duplicate field names", path)


def test_two_columns_of_one_name_do_no_harm_where_nobody_asks(tmp_path):
    assert read(holding(tmp_path / "data.csv", "q,r,q\nno,1,yes\n"), ["r"]) == {"r": ["1"]}


# ---------------------------------------------------------------- disguising a file

TRUTHFUL = dn.Design(
    [
        dn.k_ary(1.0, dn.Question("how often?", ["never", "daily", 'so "so"'], optional=True)),
        dn.warner(1.0, dn.yes_no("größe")),
        dn.interval(dn.number("rent", 0, 100, omit=True), width=50),
    ]
)
PEOPLE = {
    "name": ["Ann", "Bob", "Cid"],
    "rent": ["10", None, "60"],
    "größe": ["no", "yes", "no"],
    "how often?": ["daily", 'so "so"', None],
}


@pytest.mark.parametrize("source", ANY_NAME)
@pytest.mark.parametrize("target", ANY_NAME)
def test_replies_have_a_column_per_question_and_the_mark_of_the_design(tmp_path, source, target):
    data, replies = write(tmp_path / f"data{source}", PEOPLE), tmp_path / f"replies{target}"
    assert disguise_file(TRUTHFUL, data, replies, seed=1) == 3
    assert list(read(replies).items()) == [
        ("how often?", ["daily", 'so "so"', "prefer not to say"]),
        ("größe", ["no", "yes", "no"]),
        ("rent", ["0 to 50", None, "50 to 100"]),
        ("_design", [f"{TRUTHFUL.fingerprint[:16]}-simulated"] * 3),
    ]


@every_ending
def test_a_refused_file_leaves_no_replies_behind(tmp_path, ending):
    data = write(tmp_path / "data.csv", {**PEOPLE, "größe": ["no", "yes", "perhaps"]})
    with pytest.raises(dn.DeniableError, match="question 'größe' has no answer 'perhaps'"):
        disguise_file(TRUTHFUL, data, tmp_path / f"replies{ending}")
    assert list(tmp_path.iterdir()) == [data]


def test_the_true_answers_are_never_overwritten(tmp_path):
    data = write(tmp_path / "data.csv", PEOPLE)
    with pytest.raises(BadFile, match="would overwrite what is read"):
        disguise_file(TRUTHFUL, data, data)
    assert read(data) == PEOPLE


DISGUISE_AND_WEIGH = """
import json, resource, sys
from pathlib import Path
import deniable as dn
from deniable.device.stream import disguise_file

design = dn.Design([
    dn.warner(0.8, dn.yes_no("smokes"), dn.yes_no("leave")),
    dn.k_ary(0.8, dn.Question("color", ["red", "green", "blue"])),
    dn.gaussian(dn.number("age", 18, 80, integer=True), privacy=0.5),
])
rows = disguise_file(design, Path(sys.argv[1]), Path(sys.argv[2]))
print(json.dumps([rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""


def megabytes_to_disguise(folder, rows):
    """The peak memory of a fresh process that disguises a csv file of so many rows."""
    data = folder / f"{rows}.csv"
    some = "no,yes,red,20,a remark\nyes,no,green,33,another\nyes,yes,blue,79,\nno,no,red,44,a remark\n"
    data.write_text("smokes,leave,color,age,remark\n" + some * (rows // 4))
    command = [sys.executable, "-c", DISGUISE_AND_WEIGH, data, folder / "replies.csv"]
    done, peak = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    assert done == rows
    return peak


def test_memory_does_not_grow_with_the_file(tmp_path):
    assert megabytes_to_disguise(tmp_path, 400_000) < megabytes_to_disguise(tmp_path, 20_000) + 150

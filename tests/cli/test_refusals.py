"""Every file that is refused: one line that names the thing, what was expected, what came, and the way out.

Each case starts from files that are right, spoils one of them, and runs one command.
"""

import csv
import io
from pathlib import Path

import pandas as pd
import pytest

CHECK = "check health.toml"
DISGUISE = "disguise health.toml people.csv -o new.csv"
ESTIMATE = "estimate health.toml replies.csv"


def swap(old, new):
    """The text with one thing said otherwise."""
    assert old != new
    return lambda text: text.replace(old, new, 1)


def says(column, word, row=0):
    """The csv with one person's answer changed."""

    def spoil(text):
        rows = list(csv.DictReader(io.StringIO(text)))
        rows[row][column] = word
        return written(rows, rows[0])

    return spoil


def without(column):
    return lambda text: written(csv.DictReader(io.StringIO(text)), [name for name in header(text) if name != column])


def only_header(text):
    return text.splitlines()[0] + "\n"


def empty(text):
    return ""


def header(text):
    return next(csv.reader([text.splitlines()[0]]))


def written(rows, names):
    file = io.StringIO()
    writer = csv.DictWriter(file, names, extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def alone(scheme):
    """The design with smokes in a channel of its own."""
    return swap(
        'scheme = "warner"\ntheta = 0.8\ngroup = ["smokes", "leave"]',
        f'scheme = "clear"\ngroup = ["leave"]\n[[channel]]\n{scheme}\ngroup = ["smokes"]',
    )


def theta(value):
    return swap("theta = 0.8", f"theta = {value}")


def noise(settings):
    return swap('scheme = "gaussian"\nprivacy = 0.5', settings)


DESIGNS = {  # what is wrong in health.toml: the spoiling, and what the message must say
    "theta above 1": (theta(1.5), "theta of the channel on smokes, leave", "between 0 and 1", "got 1.5", "write 0.8"),
    "theta below 0": (theta(-0.1), "theta of the channel on smokes, leave", "between 0 and 1", "got -0.1"),
    "theta is no number": (theta("nan"), "theta of the channel on smokes, leave", "between 0 and 1", "got nan"),
    "theta is a word": (theta("'high'"), "channel 1 (warner)", "theta", "got 'high'"),
    "theta one half": (theta(0.5), "channel on smokes, leave hides", "(theta = 0.5)", "choose another theta"),
    "theta one half after rounding": (theta(0.50000000001), "smokes, leave hides the answers", "another theta"),
    "k-ary theta 1/k": (swap("theta = 0.7", f"theta = {1 / 3}"), "channel on drinks hides", "choose another theta"),
    "unrelated theta 0": (alone('scheme = "unrelated"\ntheta = 0'), "on smokes hides", "choose another theta"),
    "forced always": (alone('scheme = "forced"\nno = 0.5\nyes = 0.5'), "on smokes hides", "another no or yes"),
    "forced too often": (alone('scheme = "forced"\nno = 0.6\nyes = 0.5'), "smokes", "sum to 1", "0.6, 0.5"),
    "singular matrix": (alone('scheme = "lookup"\nmatrix = [[0.5, 0.5], [0.5, 0.5]]'), "on smokes hides", "matrix"),
    "chances above one": (alone('scheme = "unrelated"\ntheta = 0.7\nchances = [0.7, 0.7]'),
                          "chances of smokes", "sum to 1", "got 0.7, 0.7 (sum 1.4)", "give the remainder"),
    "chances are words": (alone('scheme = "unrelated"\ntheta = 0.7\nchances = ["a", "b"]'), "smokes", "chance", "'a'"),
    "chances are no list": (alone('scheme = "unrelated"\ntheta = 0.7\nchances = {smokes = 3}'), "smokes", "3"),
    "joint of words": (alone('scheme = "unrelated"\ntheta = 0.7\njoint = [0.1, "x"]'), "smokes", "joint", "'x'"),
    "matrix off by a tenth": (alone('scheme = "lookup"\nmatrix = [[0.5, 0.5], [0.6, 0.5]]'),
                              "reports when smokes is 'no'", "sum to 1", "got 0.5, 0.6 (sum 1.1)", "remainder"),
    "matrix too large": (alone('scheme = "lookup"\nmatrix = [[1, 0], [0, 1], [0, 0]]'),
                         "'smokes'", "must be 2 x 2", "got 3 x 2", "correct the matrix"),
    "matrix of words": (alone('scheme = "lookup"\nmatrix = [["a", "b"], ["c", "d"]]'), "smokes", "matrix", "'a'"),
    "matrix of one row": (alone('scheme = "lookup"\nmatrix = [0.9, 0.1]'), "smokes", "matrix", "a list of", "0.9"),
    "in no channel": (swap('["smokes", "leave"]', '["smokes"]'), "question 'leave' is in no channel", '"clear"'),
    "in two channels": (swap('group = ["drinks"]', 'group = ["drinks", "smokes"]'),
                        "question 'smokes' is in 2 channels", "expected one", "take it out of the others"),
    "unknown in a group": (swap('["smokes", "leave"]', '["smoke", "leave"]'), "no question 'smoke'", "mean 'smokes'?"),
    "unknown target": (swap('target = "leave"', 'target = "leaves"'), "no question 'leaves'", "mean 'leave'?"),
    "unknown scheme": (swap('"warner"', '"warnr"'), "channel 1", "scheme", "got 'warnr'", "mean 'warner'?"),
    "unknown key": (swap("theta = 0.8", "theta = 0.8\nteta = 1"), "channel 1", "no key 'teta'", "mean 'theta'?"),
    "missing key": (swap("theta = 0.8", ""), "channel 1 (warner)", "lacks the key 'theta'", "add theta"),
    "warner on three": (swap('"k_ary"', '"warner"'), "'drinks'", "two answers, got 3", "use k_ary or draw"),
    "asked twice": (swap('name = "leave"', 'name = "smokes"'), "question 'smokes' is asked twice", "another name"),
    "one answer": (swap('["no", "yes"]', '["no"]'), "question 'smokes'", "two answers or more", "got 1", "add answers"),
    "lists as answers": (swap('["no", "yes"]', '[["no"], ["yes"]]'), "question 'smokes'", "answer", "['no']"),
    "range upside down": (swap("[18, 80]", "[80, 18]"), "question 'age'", "low to a higher", "got [80, 18]"),
    "range beyond counting": (swap("[18, 80]\ninteger = true", "[-1e308, 1e308]"), "question 'age'", "range"),
    "cuts of words": (swap("integer = true", 'cuts = ["a"]'), "question 'age'", "cuts", "'a'"),
    "intervals of words": (noise('scheme = "interval"\ncuts = ["a"]'), "'age'", "cuts", "'a'"),
    "noise without amount": (noise('scheme = "gaussian"'), "noise on 'age'", "privacy or sd", "give one of them"),
    "noise of nothing": (noise('scheme = "gaussian"\nsd = 0'), "noise on 'age'", "sd between", "got 0", "another"),
    "no TOML": (swap("title", "[[["), "health.toml", "not a TOML file", "line 2", "correct that line"),
    "a comma in a number": (theta("0,8"), "health.toml", "not a TOML file", "write a point in a number: 0.8"),
    "a number in quotes": (theta('"0.8"'), "health.toml: channel 1 (warner)", 'got "0.8"', "write it without quotes"),
    "a text without quotes": (swap('"leave"', "leave"), "not a TOML file", 'put a text in quotes: "leave"'),
    "true in capitals": (swap("integer = true", "integer = True"), "not a TOML file", "small letters"),
    "other quotes": (swap('"warner"', "“warner”"), "not a TOML file", "write plain quotes"),
    "one bracket once": (swap("[[question]]", "[question]"), "not a TOML file", "write [[question]], with two"),
    "one bracket": (lambda text: text.replace("[[channel]]", "[channel]"), "write [[channel]], with two brackets"),
    "a key too far below": (lambda text: text + "show_draw = true\n", "health.toml: channel", "no key 'show_draw'",
                            "it belongs above the first [[question]]"),
    "no questions": (empty, "the design file", "'question'", "add a table [[question]]"),
}  # fmt: skip

DATA = {  # what is wrong in people.csv
    "unknown answer": (says("smokes", "yse"), "people.csv: question 'smokes' has no answer 'yse'",
                       "did you mean 'yes'?"),
    "answer far from all": (says("drinks", "gin"), "'drinks' has no answer 'gin'", "there are never, weekly, daily"),
    "number too small": (says("age", "17"), "'age'", "a whole number from 18 to 80", "got 17 (1 of", "widen the range"),
    "number too large": (says("age", "81"), "'age'", "from 18 to 80", "got 81 (1 of", "widen the range"),
    "half a year": (says("age", "40.5"), "'age'", "a whole number from 18 to 80", "got 40.5", "correct the data"),
    "infinite number": (says("age", "inf"), "'age'", "from 18 to 80", "inf", "correct the data"),
    "number in letters": (says("age", "forty"), "'age'", "from 18 to 80", "got 'forty'", "correct the data"),
    "the word nan": (says("age", "nan"), "'age'", "from 18 to 80", "nan", "correct the data"),
    "number in other digits": (says("age", "1_8"), "'age'", "from 18 to 80", "'1_8'", "correct the data"),
    "missing answer": (says("smokes", ""), "missing values in 'smokes' (1)", "fill or drop", "optional = true"),
    "missing number": (says("age", ""), "missing values in 'age' (1)", "fill or drop these rows", "omit = true"),
    "missing both": (lambda text: says("age", "", row=1)(says("smokes", "")(text)), "'smokes' (1), 'age' (1)",
                     "fill or drop these rows", "optional = true", "omit = true"),
    "missing column": (without("smokes"), "people.csv: no column for question 'smokes'", "the columns are id, region"),
    "misspelt column": (swap("smokes", "smoke"), "no column for question 'smokes'", "did you mean 'smoke'?"),
    "empty file": (empty, "people.csv has no rows", "expected at least one", "check that the right file"),
    "header alone": (only_header, "people.csv has no rows", "expected at least one", "check that the right file"),
    "a field too few": (swap("p0,", ""), "people.csv", "Expected 6 columns, got 5", "correct that place"),
}  # fmt: skip

REPLIES = {  # what is wrong in replies.csv
    "another design": (says("_design", "0123456789"), "replies.csv: these", "under design 0123456789,", "expected ",
                       "use the design they"),
    "unknown report": (says("smokes", "maybe"), "replies.csv: question 'smokes' has no answer 'maybe'",
                       "there are no, yes"),
    "impossible report": (says("age", "4000"), "question 'age'", "a number from", "got 4000", "belong together"),
    "missing column": (without("smokes"), "no column for question 'smokes'", "the columns are leave, drinks"),
    "header alone": (only_header, "replies.csv has no rows", "expected at least one", "check that the right file"),
    "empty file": (empty, "replies.csv has no rows", "expected at least one", "check that the right file"),
}  # fmt: skip

CASES = {
    f"{file}: {what}": (file, change, command, message)
    for file, command, cases in [
        ("health.toml", CHECK, DESIGNS),
        ("people.csv", DISGUISE, DATA),
        ("replies.csv", ESTIMATE, REPLIES),
    ]
    for what, (change, *message) in cases.items()
}


@pytest.mark.parametrize(("file", "change", "command", "message"), CASES.values(), ids=CASES)
def test_what_is_wrong_in_a_file_is_said_in_one_line(files, deniable, file, change, command, message):
    right = Path(file).read_text()
    Path(file).write_text(change(right))
    assert Path(file).read_text() != right
    assert deniable(command).refuses(*message)
    assert not Path("new.csv").exists()


@pytest.mark.parametrize("command", [CHECK, "privacy health.toml", "plan health.toml --margin 0.1", DISGUISE, ESTIMATE])
def test_every_command_refuses_a_wrong_design_alike(files, deniable, command):
    Path("health.toml").write_text(theta(0.5)(Path("health.toml").read_text()))
    assert deniable(command).refuses("the channel on smokes, leave hides the answers completely (theta = 0.5)")


def test_replies_to_an_older_design_are_refused(files, deniable):
    Path("health.toml").write_text(theta(0.7)(Path("health.toml").read_text()))
    assert deniable(ESTIMATE).refuses("these replies were disguised under design", "-simulated, expected", "use the")


def test_two_hundred_bad_values_are_counted_not_listed(health, deniable):
    Path("people.csv").write_text(Path("people.csv").read_text().replace("NA", "").replace("never", "rarely"))
    assert deniable(DISGUISE).refuses("missing values in 'region' (30)")
    Path("people.csv").write_text("smokes,leave,drinks,age,region\n" + "yes,no,daily,90,NA\n" * 200)
    assert deniable(DISGUISE).refuses("got 90 (200 of the values)")
    words = "".join(f"yes,no,d{index},40,NA\n" for index in range(200))
    Path("people.csv").write_text("smokes,leave,drinks,age,region\n" + words)
    assert deniable(DISGUISE).refuses("'d0', 'd1', 'd2' and 197 more")


@pytest.mark.parametrize("command", ["disguise health.toml nobody.{} -o new.csv", "estimate health.toml nobody.{}"])
@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_a_file_without_rows_is_said_to_have_none(health, deniable, command, kind):
    nobody = pd.DataFrame(columns=["smokes", "leave", "drinks", "age", "region", "_design"], dtype=str)
    {"csv": lambda path: nobody.to_csv(path, index=False), "parquet": nobody.to_parquet,
     "jsonl": lambda path: Path(path).write_text("")}[kind](f"nobody.{kind}")  # fmt: skip
    assert deniable(command.format(kind)).refuses(f"nobody.{kind} has no rows", "expected at least one", "right file")


def test_a_folder_without_files_is_said_to_have_none(health, deniable):
    Path("nobody").mkdir()
    assert deniable("estimate health.toml nobody").refuses("nobody has no rows", "expected at least one")


@pytest.mark.parametrize(
    ("line", "message"),
    {
        b"[1]": ("line 2 is not an object", "got [1]", "write one object per line"),
        b"{": ("line 2 is not JSON", "write one object per line"),
        b'{"smokes": "yes"}': ("missing values in 'leave' (1)", "fill or drop these rows"),
        b'{"smokes": "\xff"}': ("line 2", "UTF-8"),
    }.items(),
)
def test_a_wrong_line_of_jsonl_is_named(health, deniable, line, message):
    right = b'{"smokes": "yes", "leave": "no", "drinks": "daily", "age": 40, "region": "NA"}\n'
    Path("people.jsonl").write_bytes(right + line + b"\n")
    assert deniable("disguise health.toml people.jsonl -o new.csv").refuses(*message)


def test_csv_in_another_encoding_is_refused(health, deniable):
    Path("people.csv").write_bytes(Path("people.csv").read_bytes().replace(b"north", b"n\xf6rdlich"))
    assert deniable(DISGUISE).refuses("people.csv", "UTF-8", "convert it")


def test_what_is_no_parquet_is_refused(health, deniable):
    Path("people.parquet").write_bytes(b"smokes,leave")
    assert deniable("disguise health.toml people.parquet -o new.csv").refuses("people.parquet", "not a proper parquet")

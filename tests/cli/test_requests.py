"""Every request that is refused: an expression that does not parse, an argument outside its limits, a wrong command."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

DISGUISE = "disguise health.toml people.csv -o new.csv"
REMEMBER = f"{DISGUISE} --remember key --id"
ESTIMATE = "estimate health.toml replies.csv"
TABLE = "table health.toml replies.csv"
PLAN = "plan health.toml"
NOBODY = "\"region == 'NA' and region == 'null'\""

EXPRESSIONS = {  # the expression: where it goes wrong, and why
    "": ("at its end", "expected the name of a question"),
    "smokes": ("at its end", "expected ==, !=", "after 'smokes'", "say which answer, as in smokes == 'yes'"),
    "smokes = 'yes'": ("at character 8, before \"= 'yes'\"", "=="),
    "smokes == yes": ("at character 11, before 'yes'", "an answer in quotes", "put answers in quotes"),
    "smokes == 'yes": ("at character 11", "the quote is not closed"),
    "smokes == 'yes' & leave == 'no'": ("at character 17", "write and"),
    "smokes == 'yes' AND leave == 'no'": ("at character 17", "write and"),
    "smokes == 'yes' given leave == 'no'": ("at character 17", "--given", "given="),
    "smokes and leave == 'no'": ("after 'smokes'", "say which answer, as in smokes == 'yes'"),
    "smokes == 'yes' and": ("at its end", "expected the name of a question"),
    "(smokes == 'yes'": ("at its end", "expected ')'", "close the bracket"),
    "smokes == 'yes')": ("at character 16, before ')'", "expected 'and', 'or' or the end"),
    "leave == 'no' or smoke == 'yes'": ("at character 18", "no question 'smoke'", "did you mean 'smokes'?"),
    "smokes == 'yess'": ("at character 1", "'smokes' has no answer 'yess'", "did you mean 'yes'?"),
    "smokes > 'no'": ("at character 1", "the answers of smokes have no order", "ordered = true"),
    "age > 'old'": ("at character 1", "age is a number, got 'old'", "without quotes"),
    "age in 40": ("at character 8, before '40'", "a list of values", "write in ('a', 'b')"),
    "__import__('os')": ("at character 11, before \"('os')\"", "expected =="),
    "(" * 2000 + "smokes == 'yes'" + ")" * 2000: ("expression",),
}

ARGUMENTS = {  # a command that asks for what cannot be
    f"{ESTIMATE} 'age > 40' --given ''": ("expression ''", "at its end", "expected the name of a question"),
    f"{ESTIMATE} \"smokes == 'yes'\" --given {NOBODY}": ("given must be", "some respondents", "widen the condition"),
    f"{ESTIMATE} 'age > 40' --given 'age < 18'": ("given must be", "some respondents", "widen the condition"),
    f"{ESTIMATE} 'age > 40' --given {NOBODY}": ("given must be", "some respondents", "widen the condition"),
    f"{TABLE} smoke": ("no question 'smoke'", "did you mean 'smokes'?"),
    f"{TABLE} smokes smokes": ("the questions of a table", "different", "['smokes', 'smokes']", "name each once"),
    f"{PLAN}": ("a plan must be", "a margin or", "give one of them"),
    f"{PLAN} --margin 0.1 --replies 9": ("a plan must be", "got (0.1, 9)", "give one of them"),
    f"{PLAN} --margin 2": ("margin must be", "between 1e-06 and 1", "got 2.0", "write 0.02"),
    f"{PLAN} --margin nan": ("margin must be", "between 1e-06 and 1", "got nan", "write 0.02"),
    f"{PLAN} --margin 1e-300": ("margin must be", "got 1e-300"),
    f"{PLAN} --replies 0": ("replies must be", "at least 1", "got 0", "give a number"),
    f"{PLAN} --margin 0.1 --share 2": ("share must be", "between 0 and 1", "got 2.0", "leave it out"),
    f"{PLAN} --margin 0.1 --share wide": ("--share must be a number", "got 'wide'", "correct it"),
    f"{PLAN} --margin 0.1 --share smokes=0.1 --share 0.2": ("--share must be a question and shares", "got '0.2'"),
    f"{PLAN} --margin 0.1 --share smokes=0.1 --share smokes=0.2": ("--share must be", "once", "got 'smokes=0.2'"),
    f"{PLAN} --margin 0.1 --share smoke=0.1": ("no question 'smoke'", "did you mean 'smokes'?"),
    f"{PLAN} --margin 0.1 --share smokes=1.1": ("the share of smokes", "1.1"),
    f"{PLAN} --margin 0.1 --share smokes=0.1,0.2": ("the share of smokes", "sum"),
    f"{PLAN} --margin 0.1 --share age=0.1": ("the share of age", "a question with answers", "leave it out"),
    f"{PLAN} --difference 0.05": ("a plan for a difference", "a power or", "got (None, None)", "give one of them"),
    f"{PLAN} --difference 0.05 --power 0.8 --replies 9": ("a plan for a difference", "got (0.8, 9)", "give one"),
    f"{PLAN} --difference 0.05 --margin 0.1": ("margin must be left out", "difference", "give power instead"),
    f"{PLAN} --difference 0 --power 0.8": ("difference must be", "other than 0", "got 0.0"),
    f"{PLAN} --difference 0.05 --power 1": ("power must be", "between 0 and 1", "got 1.0", "write 0.8"),
    f"{PLAN} --power 0.8 --margin 0.1": ("power must be", "difference", "got 0.8"),
    f"{PLAN} --difference 0.5 --power 0.8 --share 0.7": ("difference must be", "share + difference", "another share"),
    f"{PLAN} \"smokes = 'yes'\" --margin 0.1": ("expression", "at character 8", "=="),
    f"{PLAN} 'age > 40' --margin 0.1": ("without noise", "got 'age'", "plan the number's mean"),
    f"{PLAN} \"smokes in ('no', 'yes')\" --margin 0.1": ("the expression", "holds for everybody", "another one"),
    f"{PLAN} \"leave == 'yes'\" --given {NOBODY} --margin 0.1": ("given must be", "some respondents", "widen"),
    f"{PLAN} --table smokes --table smokes --margin 0.1": ("the questions of a table", "different", "name each once"),
    f"{PLAN} --table smokes --given \"leave == 'yes'\" --margin 0.1": ("given must be left out", "as expressions"),
    f"{PLAN} --table smokes --mean age --margin 0.1": ("a plan must be for", "table and mean", "give one of them"),
    f"{PLAN} --mean smokes --margin 0.1": ("mean must be", "numbers", "got 'smokes'", "plan shares"),
    f"{PLAN} --mean age --margin 500": ("margin must be", "below the range", "own units"),
    f"{PLAN} --mean age --sd 500 --margin 1": ("sd must be", "half of the range", "got 500.0", "leave it out"),
    f"{PLAN} --mean age --share 0.1 --margin 1": ("share must be left out", "got 0.1", "give sd"),
    f"{PLAN} --sd 5 --margin 0.1": ("sd must be", "mean", "got 5.0"),
    f"{PLAN} --margin 0.1 --html health.toml": ("health.toml", "overwrite what is read", "another file"),
    "privacy health.toml --prior smokes=0.1 --prior smokes=0.2": ("--prior must be", "once", "got 'smokes=0.2'"),
    f"{DISGUISE} --seed -1": ("seed must be", "got -1"),
    f"{DISGUISE} --seed 7 --remember key --id id": ("--seed must be left out", "got 7", "drop one of them"),
    f"{DISGUISE} --id id": ("--remember must be given", "go together", "add --remember"),
    f"{DISGUISE} --remember key": ("--id must be given", "go together", "add --id"),
    f"{DISGUISE} --remember health.toml --id id": ("health.toml", "not a key file of 32 bytes", "name a file that"),
    f"{REMEMBER} nobody": ("no column 'nobody'", "the columns are id, region"),
    f"{REMEMBER} region": ("column 'region' must name each person once", "got 'NA' more than once", "remove the dup"),
    "disguise health.toml people.csv -o people.csv": ("people.csv", "overwrite what is read", "another file"),
    "new people.csv -o people.csv": ("people.csv", "overwrite", "another file"),
    "disguise health.toml people.csv -o new.xls": ("new.xls", "unknown ending '.xls'", "use .csv, .parquet, .jsonl"),
    "disguise health.toml health.toml -o new.csv": ("health.toml", "unknown ending '.toml'", "use .csv, .parquet"),
    "disguise health.toml people.csv -o no/new.csv": ("no/new.csv", "the folder no does not exist", "another place"),
    "disguise health.toml nobody.csv -o new.csv": ("nobody.csv", "cannot be read", "No such file", "check the path"),
    "estimate health.toml replies.txt": ("replies.txt", "unknown ending '.txt'", "use .csv, .parquet, .jsonl"),
    "check nowhere.toml": ("nowhere.toml", "cannot be read", "No such file", "check the path"),
}  # fmt: skip

USAGE = {  # what the shell was told wrongly: the thing that must be named
    "nothing": "'nothing'",
    "check": "DESIGN",
    "check health.toml --loud": "--loud",
    "check health.toml people.csv": "people.csv",
    "disguise health.toml people.csv": "-o replies.csv",
    "table health.toml replies.csv": "Q",
    "table health.toml replies.csv smokes --percent cell": "'cell'",
    "plan health.toml --margin wide": "'--margin': Input should be a valid number, got 'wide'",
    "plan health.toml --margin=0,03": "got '0,03'; write a point: 0.03",
    "plan health.toml --replies 3.5": "'--replies': Input should be a valid integer, got '3.5'",
    "new people.csv -o new.toml --binary mode": "'mode'",
}


@pytest.mark.parametrize(("expression", "message"), EXPRESSIONS.items(), ids=lambda value: str(value)[:40])
def test_an_expression_that_makes_no_sense_is_pointed_at(files, deniable, expression, message):
    assert deniable(f"{ESTIMATE} {shlex.quote(expression)}").refuses("expression", *message)


@pytest.mark.parametrize(("command", "message"), ARGUMENTS.items(), ids=ARGUMENTS)
def test_what_cannot_be_asked_is_said_in_one_line_and_changes_no_file(files, deniable, command, message):
    before = {path: path.read_bytes() for path in files.iterdir()}
    assert deniable(command).refuses(*message)
    assert {path: path.read_bytes() for path in files.iterdir()} == before


@pytest.mark.parametrize(("command", "named"), USAGE.items(), ids=USAGE)
def test_a_wrong_command_line_is_one_line_too(files, deniable, command, named):
    assert deniable(command).refuses(named)


def test_a_missing_id_is_to_be_filled_not_made_optional(health, deniable):
    Path("people.csv").write_text(Path("people.csv").read_text().replace("p0,", ",").replace("p1,", ","))
    outcome = deniable(f"{REMEMBER} id")
    assert outcome.refuses("missing values in 'id' (2)", "fill or drop these rows")
    assert "optional" not in outcome.err  # an id is no question


@pytest.mark.parametrize("command", [f"{ESTIMATE} smokes", "check --loud"])
def test_the_installed_script_refuses_without_a_traceback(files, command):
    script = Path(sys.executable).with_name("deniable")
    done = subprocess.run([script, *shlex.split(command)], capture_output=True, text=True)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1), done.stderr
    assert done.stderr.startswith("deniable: ")

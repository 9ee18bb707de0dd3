"""Files of survey research: SPSS and Stata with labels, feather, XLSForm, codebooks."""

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest

import deniable as dn
from deniable.device.stream import disguise_file
from deniable.errors import BadFile
from deniable.frame import files
from deniable.frame.suggest import suggest
from deniable.frame.xlsform import form_design
from deniable.report.codebook import write_codebook

ANSWERS = ["nie", "täglich", "أحيانا"]
KINDS = (".sav", ".dta", ".feather")


def design() -> dn.Design:
    """Questions with labels in two languages, and a number."""
    drinks = dn.Question("trinkt", ANSWERS, "Trinken Sie? هل تشرب؟")
    return dn.Design([dn.k_ary(0.7, drinks), dn.clear(dn.number("age", 18, 80, integer=True))])


@pytest.fixture
def people(tmp_path):
    """A file of true answers."""
    frame = pd.DataFrame({"trinkt": ANSWERS * 40, "age": np.arange(120) % 60 + 18})
    frame.to_csv(tmp_path / "people.csv", index=False)
    return tmp_path / "people.csv"


@pytest.mark.parametrize("kind", KINDS)
def test_replies_go_round_through_every_format(people, kind):
    plain, other = people.with_name("replies.csv"), people.with_name(f"replies{kind}")
    disguise_file(design(), people, plain, seed=1)
    disguise_file(design(), people, other, seed=1)
    found, wanted = (pa.concat_tables(files.read(each)) for each in (other, plain))
    assert found.column_names == wanted.column_names
    for name in wanted.column_names:
        words = [str(each) if name != "age" else float(each) for each in wanted.column(name).to_pylist()]
        assert [str(each) if name != "age" else float(each) for each in found.column(name).to_pylist()] == words
    one, same = (dn.estimate(design(), str(each), "trinkt == 'täglich'") for each in (plain, other))
    assert one == same


@pytest.mark.parametrize("kind", [".sav", ".dta"])
def test_labels_are_those_of_the_design(people, kind):
    out = people.with_name(f"replies{kind}")
    disguise_file(design(), people, out, seed=1)
    frame, about = (pyreadstat.read_sav if kind == ".sav" else pyreadstat.read_dta)(str(out))
    assert set(frame["trinkt"]) == {1, 2, 3}
    assert about.variable_value_labels["trinkt"] == dict(enumerate(ANSWERS, start=1))
    assert about.column_names_to_labels["trinkt"] == "Trinken Sie? هل تشرب؟"


def test_a_first_design_keeps_the_order_of_labels(people):
    out = people.with_name("people.sav")
    pyreadstat.write_sav(pd.DataFrame({"x": [2.0, 1.0, 3.0] * 9, "y": [1.0, 2.0, np.nan] * 9}), str(out),
                         variable_value_labels={"x": {1: "never", 2: "daily", 3: "always"}})  # fmt: skip
    found = suggest(out).design
    assert found.question("x").answers == ("never", "daily", "always")
    assert "prefer not to say" in found.question("y").answers


def test_codes_without_labels_stay_numbers(people):
    out = people.with_name("people.dta")
    pyreadstat.write_dta(pd.DataFrame({"x": [1.0, 2.0, 9.0]}), str(out), variable_value_labels={"x": {9: "refused"}})
    [piece] = files.read(out)
    assert piece.column("x").to_pylist() == [1.0, 2.0, 9.0]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_such_file_gets_one_line(tmp_path, kind):
    (tmp_path / f"x{kind}").write_bytes(b"nonsense")
    with pytest.raises(BadFile, match="proper"):
        list(files.read(tmp_path / f"x{kind}"))


def test_names_too_long_for_stata_get_one_line(people):
    long = dn.Design([dn.warner(0.8, dn.yes_no("a" * 40))])
    pd.DataFrame({"a" * 40: ["yes", "no"]}).to_csv(people, index=False)
    with pytest.raises(BadFile, match="names end after 32 letters"):
        disguise_file(long, people, people.with_name("x.dta"), seed=1)
    assert not people.with_name("x.dta").exists()


def form(path, *rows):
    """An XLSForm with these questions."""
    book = openpyxl.Workbook()
    book.active.title = "survey"
    heads = ("type", "name", "label::English (en)", "label::Deutsch (de)", "required", "constraint", "relevant")
    for row in (heads, *rows):
        book.active.append(row)
    choices = book.create_sheet("choices")
    rows = [("list_name", "name", "label::English (en)", "label::Deutsch (de)"), ("yn", "n", "no", "nein")]
    rows += [("yn", "y", "yes", "ja"), ("drugs", "c", "cannabis", "Hanf"), ("drugs", "l", "LSD", "LSD")]
    for row in rows:
        choices.append(row)
    book.save(path)
    return path


FORM = (
    ("start", "start"),
    ("begin group", "health"),
    ("select_one yn", "smokes", "Do you smoke?", "Rauchen Sie?", "yes"),
    ("select_multiple drugs", "used", "Used?", "Genommen?", None, None, "${smokes} = 'y'"),
    ("integer", "age", "Your age", "Ihr Alter", "true", ". >= 18 and . < 81"),
    ("decimal", "income", "Income"),
    ("text", "name", "Your name"),
    ("end group",),
)


def test_an_xlsform_becomes_a_design(tmp_path):
    found, notes = form_design(form(tmp_path / "f.xlsx", *FORM))
    assert found.design.names == ["smokes", "used_c", "used_l", "age"]
    assert found.design.question("smokes").answers == ("no", "yes")
    assert found.design.question("used_c").wording == "Used? cannabis"
    limits = found.design.question("age").range
    assert (limits.low, limits.high, limits.integer) == (18, 80, True)
    assert set(found.left_out) == {"start", "income", "name"}
    assert "2 yes/no questions" in notes["used"]
    assert "asked of everybody" in notes["used"]


def test_an_xlsform_speaks_its_languages(tmp_path):
    found, _ = form_design(form(tmp_path / "f.xlsx", *FORM), "de")
    assert found.design.question("smokes").answers == ("nein", "ja")
    assert found.design.question("smokes").wording == "Rauchen Sie?"


@pytest.mark.parametrize(("rows", "line"), [
    ((("text", "name", "Your name"),), "no question that a lottery could disguise"),
    ((("select_one nothing", "x", "X"),), "no list 'nothing' of choices"),
])  # fmt: skip
def test_forms_that_cannot_be_asked_get_one_line(tmp_path, rows, line):
    with pytest.raises(BadFile, match=line):
        form_design(form(tmp_path / "f.xlsx", *rows))


@pytest.mark.parametrize("kind", ["md", "html"])
def test_a_codebook_has_every_question_and_how_to_analyse_it(tmp_path, kind):
    write_codebook(design(), tmp_path / f"book.{kind}", "d.toml")
    text = (tmp_path / f"book.{kind}").read_text(encoding="utf-8")
    for words in ("trinkt", "täglich", "k_ary", "whole numbers from 18 to 80", "deniable estimate d.toml replies.csv"):
        assert words in text
    assert "k_ary, theta = 0.7" in text
    assert "none: sent as it is" in text
    assert "<pre>epsilon" not in text  # sentences are wrapped, not cut off
    with pytest.raises(BadFile, match="unknown ending"):
        write_codebook(design(), tmp_path / "book.pdf")

"""Text cannot lie: what a respondent reads holds no character that nobody sees."""

import re
import unicodedata

import pandas as pd
import pytest

import deniable as dn
from deniable.cli.main import run
from deniable.collect.places import open_store
from deniable.errors import BadDesignFile
from deniable.frame.mark import mark_of
from serving import held_by_0_1

HIDDEN = {
    "bidi": "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
    "zero width": "\u200b\u200c\u200d\u2060\ufeff\u180e\u00ad\u034f\u2061\u2064\ufff9",
    "invisible": "\ufe0f\U000e0041\U000e0100\u3164\u115f",
    "controls": "\x00\x07\x08\r\x1b\x7f\x85\x9b",  # what a terminal is told
    "separators": "\u2028\u2029",  # no browser breaks a line there, nor shows that it does not
}
CHARACTERS = [pytest.param(each, id=f"U+{ord(each):04X}") for some in HIDDEN.values() for each in some]
CARDS = [[0.8, 0.1], [0.1, 0.1], [0.1, 0.8]]


def asked(word, **settings):
    return dn.Design([dn.warner(0.8, dn.yes_no("a", word))], **settings)


PLACES = {
    "the title": lambda word: dn.Design([dn.clear(dn.yes_no("a"))], title=word),
    "the name of question": lambda word: dn.Design([dn.clear(dn.yes_no(word))]),
    "the wording of question 'a'": asked,
    "an answer of question 'a'": lambda word: dn.Design([dn.clear(dn.Question("a", ["no", word]))]),
    "a report of question 'a'": lambda word: dn.Design([dn.lookup(dn.yes_no("a"), CARDS, ["red", word, "joker"])]),
    "the personal question of 'a'": lambda word: dn.Design(
        [dn.unrelated(0.8, dn.yes_no("a"), chances=[0.5, 0.5], personal={"a": word})]
    ),
}


@pytest.mark.parametrize("character", CHARACTERS)
def test_no_hidden_character_is_let_in(character):
    name = unicodedata.name(character, "a control character")
    with pytest.raises(BadDesignFile, match=re.escape(f"U+{ord(character):04X} ({name})")):
        asked(f"Do you{character} smoke?")


def test_half_a_character_is_refused_before_it_meets_the_fingerprint():
    with pytest.raises(BadDesignFile, match=r"U\+D800"):
        asked("Do you\ud800 smoke?")


@pytest.mark.parametrize("place", PLACES)
def test_the_place_is_named_in_one_readable_line(place):
    with pytest.raises(BadDesignFile) as refused:
        PLACES[place]("ab\u202ecd")
    line = str(refused.value)
    assert line.startswith(place)
    assert "U+202E (RIGHT-TO-LEFT OVERRIDE)" in line
    assert "after 'ab'" in line
    assert line.isprintable()


WRITTEN = {
    "Persian": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "Hindi": "\u0915\u094d\u200d\u0937",
    "Sinhala": "\u0dc1\u0dca\u200d\u0dbb\u0dd3",
    "Hebrew": "\u05e9\u05dc\u05d5\u05dd",
    "pictures": "\u2764\ufe0f 1\ufe0f\u20e3 \U0001f600",
    "lines": "First.\n\tSecond.",
    "others": "Größe 漢字 – “x” ½\u00a0e\u0301",
}


@pytest.mark.parametrize("word", WRITTEN.values(), ids=WRITTEN)
def test_what_people_really_write_is_let_in(word):
    assert asked(word).questions[0].wording == word


MIM, KHE = "\u0645", "\u062e"


@pytest.mark.parametrize(
    "word",
    ["ye\u200ds", "yes\u200c", f"\u200c{MIM}", f"{MIM}\u200c {KHE}", f"{MIM}\u200c\u200c{KHE}", f"{MIM}\u200ca"],
)
def test_joiners_are_let_in_only_between_letters_that_join(word):
    with pytest.raises(BadDesignFile, match=r"U\+200[CD]"):
        asked(word)


@pytest.fixture
def old(tmp_path):
    """A design that version 0.1 let in, and its file."""
    design = asked("Do you\u202e smoke?", check_text=False)
    design.save(tmp_path / "old.toml")
    return design, tmp_path / "old.toml"


def deniable(*words):
    with pytest.raises(SystemExit) as ended:
        run([str(word) for word in words])
    return ended.value.code


def test_commands_refuse_a_new_design_and_read_one_that_was_answered(old, tmp_path, capsys):
    design, path = old
    with pytest.raises(BadDesignFile, match=r"U\+202E"):
        dn.Design.load(path)
    assert dn.Design.load(path, check_text=False).fingerprint == design.fingerprint
    for command in ("check", "privacy", "plan"):
        assert deniable(command, path) == 2
        assert "U+202E" in capsys.readouterr().err
    replies = dn.disguise(design, pd.DataFrame({"a": ["yes", "no"] * 50}), seed=1)
    replies.assign(_design=mark_of(design)).to_csv(tmp_path / "replies.csv", index=False)
    for command in ("estimate", "table"):
        assert deniable(command, path, tmp_path / "replies.csv", *(["a"] if command == "table" else [])) == 0
    assert "U+202E" not in capsys.readouterr().err


def test_a_store_keeps_what_it_holds_and_takes_no_new_one(old, tmp_path, capsys):
    design, path = old
    url = f"sqlite:///{tmp_path}/store.sqlite"
    assert deniable("invite", path, "--count", 1, "--store", url) == 2
    assert "U+202E" in capsys.readouterr().err
    held_by_0_1(design, url)
    assert deniable("invite", path, "--count", 1, "--store", url) == 0
    with open_store(url) as store:
        store.enrol(design)
        assert store.surveys() == [design.fingerprint]

"""Translations: what would mislead whoever reads them is refused, and what they lack is told."""

import pytest

import deniable as dn
from commands import deniable_says
from deniable.channel.translated import lacking

DRINKS = dn.Question("drinks", ("never", "weekly", "daily"), "How often do you drink?", section="Habits")
SMOKES = dn.yes_no("smokes", "Do you smoke?", section="Habits")


def design(german, **more) -> dn.Design:
    """Two questions of one section, in German too."""
    given = {"translation": {"de": {"question": german}}, "title": "Health", "text": {"intro": "Why"}}
    return dn.Design([dn.k_ary(0.7, DRINKS), dn.warner(0.8, SMOKES)], **(given | more))


REFUSED = {
    "twice": ({"drinks": {"answers": ["selten", "selten", "täglich"]}}, "has the answer 'selten' twice"),
    "two sections": (
        {"drinks": {"section": "Alltag"}, "smokes": {"section": "Gewohnheiten"}},
        "says 'Gewohnheiten' for the section 'Habits', but drinks says 'Alltag'",
    ),
    "personal": ({"smokes": {"personal": "Vor Juli geboren?"}}, "has a personal question, which the design has not"),
}


@pytest.mark.parametrize(("german", "words"), REFUSED.values(), ids=REFUSED)
def test_what_misleads_is_refused_but_in_surveys_that_were_answered(german, words):
    with pytest.raises(dn.DeniableError, match=words):
        design(german)
    assert design(german, check_text=False).names == ["drinks", "smokes"]


def test_one_choice_of_several_has_one_text():
    several = dn.multiple("Which?", {"a": "A", "b": "B"})
    german = {"a": {"multiple": "Was?"}, "b": {"multiple": "Welche?"}}
    with pytest.raises(dn.DeniableError, match="for the multiple 'Which\\?'"):
        dn.Design([dn.warner(0.8, each) for each in several], translation={"de": {"question": german}})


def test_a_personal_question_is_translated_where_there_is_one():
    asked = dn.unrelated(0.7, SMOKES, chances=[0.5, 0.5], personal={"smokes": "Born before July?"})
    german = {"smokes": {"personal": "Vor Juli geboren?"}}
    assert dn.Design([asked], translation={"de": {"question": german}}).names == ["smokes"]


def test_check_says_what_a_translation_lacks(tmp_path):
    german = {"drinks": {"wording": "Wie oft trinken Sie?", "section": "Alltag"}}
    design(german).save(tmp_path / "design.toml")
    line = (
        "[translation.de] lacks title; text (intro); wording of smokes; answers of drinks, smokes; section of smokes; "
        "people read that in 'en'"
    )
    assert line in deniable_says("check", tmp_path / "design.toml").replace("\n", " ")
    assert line in deniable_says("check", tmp_path / "design.toml", "--json")


def test_check_says_that_a_personal_question_is_not_translated(tmp_path):
    """It would be asked in the design's own language amid a page in another."""
    asked = dn.unrelated(0.7, SMOKES, chances=[0.5, 0.5], personal={"smokes": "Born before July?"})
    german = {"wording": "Rauchen Sie?", "answers": ["nein", "ja"], "section": "Alltag"}
    dn.Design([asked], translation={"de": {"question": {"smokes": german}}}).save(tmp_path / "design.toml")
    line = "[translation.de] lacks personal question of smokes; people read that in 'en'"
    assert line in deniable_says("check", tmp_path / "design.toml").replace("\n", " ")


def test_a_whole_translation_lacks_nothing():
    german = {
        "drinks": {"wording": "Wie oft?", "answers": ["nie", "wöchentlich", "täglich"], "section": "Alltag"},
        "smokes": {"wording": "Rauchen Sie?", "answers": ["nein", "ja"], "section": "Alltag"},
    }
    whole = {"title": "Gesundheit", "text": {"intro": "Warum"}, "question": german}
    found = design({}, translation={"de": whole})
    assert lacking(found.survey, found.blocks) == []

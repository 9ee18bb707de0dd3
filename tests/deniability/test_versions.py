"""What respondents are told about versions: figures of the worst one, and sentences that say which it is."""

from math import inf, log
from time import perf_counter

import pytest

import deniable as dn
from deniable.deniability.versions import versions_words

SMOKES, DRINKS, LEAVE = dn.yes_no("smokes"), dn.yes_no("drinks"), dn.yes_no("leave")
ARMS = dn.Design([dn.versions({"forced": [dn.forced(0.1, 0.2, SMOKES)], "direct": [dn.clear(SMOKES)]}, column="arm")])
CHOSEN = dn.Design([dn.versions({"little": [dn.warner(0.9, SMOKES)], "much": [dn.warner(0.6, SMOKES)]}, chosen=True)])
DRAWN = dn.Design([dn.draw(dn.epsilon(2), SMOKES, DRINKS, LEAVE, always=["leave"], ask=1), dn.clear(dn.yes_no("sex"))])


def test_an_arm_in_the_clear_makes_epsilon_infinite_and_is_named():
    found = dn.privacy(ARMS)
    assert (found.epsilon, found.epsilon_disguised, found.questions[0].epsilon) == (inf, inf, inf)
    assert (found.questions[0].posterior, found.questions[0].pse, found.questions[0].group_pse) == (1, 0, 0)
    assert "In the version 'direct' your answer is sent as it is. It cannot be denied." in found.questions[0].sentence
    assert "In the version 'forced' your true answer is reported" in found.questions[0].sentence
    assert any("In the version 'direct' what others disguise is sent as it is (smokes)." in each
               for each in found.sentences)  # fmt: skip


def test_versions_do_not_add_up():
    one, two = dn.warner(0.8, SMOKES), dn.warner(0.7, SMOKES)
    found = dn.privacy(dn.Design([dn.versions({"one": [one], "two": [two]})]))
    assert found.epsilon == pytest.approx(log(4), abs=2e-6)
    assert found.versions[0].worst == "one"
    assert "The version 'one' protects least: its epsilon is 1.386295, the smallest is 0.847298." in found.sentences


def test_questions_asked_in_the_clear_by_all_are_left_out_of_the_disguised():
    found = dn.privacy(DRAWN)
    assert (found.epsilon, found.epsilon_disguised) == (inf, 2.0)
    mixed = dn.versions({"a": [dn.warner(0.8, SMOKES), dn.clear(DRINKS)], "b": [dn.warner(0.7, SMOKES)]})
    assert dn.privacy(dn.Design([mixed])).epsilon_disguised == pytest.approx(log(4), abs=2e-6)


def test_what_is_not_asked_is_not_sent():
    found = {each.name: each for each in dn.privacy(DRAWN).questions}
    assert "It is asked in 1 of 2 versions; in the others nothing is sent." in found["smokes"].sentence
    assert "It is asked" not in found["leave"].sentence
    assert "knows your answer to the other question of the version it is 7.4 times" in found["leave"].sentence
    draw, *_ = dn.privacy(DRAWN).sentences
    assert draw == (
        "Which of the 2 versions you get is drawn in the open and says nothing about your answers. Of questions that "
        "your version does not ask, nothing is sent."
    )


def test_a_choice_is_sent_in_the_clear():
    found = dn.privacy(CHOSEN)
    assert found.epsilon == pytest.approx(log(9), abs=2e-6)
    assert found.sentences[0].startswith("Which of the 2 versions you choose is sent in the clear, and may itself say")
    assert "drawn in the open" not in str(found)


def test_json_gains_versions_only_where_there_are_some():
    plain = dn.privacy(dn.Design([dn.warner(0.8, SMOKES)])).to_json()
    found = dn.privacy(ARMS).to_json()
    assert set(found) - set(plain) == {"versions"}
    assert set(found["questions"][0]) == set(plain["questions"][0])
    (block,) = found["versions"]
    assert (block["column"], block["chosen"], block["count"], block["worst"]) == ("arm", False, 2, "direct")
    assert block["epsilon"] == "infinity"


def test_where_many_versions_differ_the_worst_is_named():
    thetas = {f"v{index}": [dn.warner(0.6 + 0.05 * index, SMOKES)] for index in range(6)}
    (found,) = dn.privacy(dn.Design([dn.versions(thetas)])).questions
    assert found.sentence.startswith("Of the 6 versions that ask it, 'v5' reveals most: your true answer is reported")
    assert found.retention == pytest.approx(0.85)


def test_one_draw_of_opposites_gives_answers_away_in_every_version():
    block = dn.versions({"a": [dn.warner(0.8, SMOKES, DRINKS)], "b": [dn.warner(0.8, SMOKES, LEAVE)]})
    found = dn.privacy(dn.Design([block]))
    assert found.epsilon == inf
    assert sum("The questions that a version asks together share one draw" in each for each in found.sentences) == 1


def test_noise_and_intervals_by_version():
    age = dn.number("age", 18, 80)
    block = dn.versions({"much": [dn.gaussian(age, sd=20)], "little": [dn.gaussian(age, sd=5)]})
    (found,) = dn.privacy(dn.Design([block])).questions
    (least,) = dn.privacy(dn.Design([dn.gaussian(age, sd=5)])).questions
    assert found.interval == least.interval
    assert "In the version 'little' noise is added to your number" in found.sentence


def test_thousands_of_versions_take_seconds():
    """Channels that are alike are worked out once: 2,850 versions of 77 questions with 2 to 5 answers."""
    questions = [dn.Question(f"q{index}", [str(cell) for cell in range(2 + index % 4)]) for index in range(77)]
    started = perf_counter()
    design = dn.Design([dn.draw(dn.epsilon(2), *questions, always=["q0"], ask=2)])
    found = dn.privacy(design)
    assert perf_counter() - started < 30
    assert (len(design.blocks[0].versions), found.epsilon) == (2850, 2.0)


def test_versions_in_words():
    assert versions_words(["a"]) == "the version 'a'"
    assert versions_words(["a", "b"]) == "the versions 'a' and 'b'"
    assert versions_words(list("abcd")) == "the versions 'a', 'b', 'c' and 1 other"
    assert versions_words(list("abcdef")) == "the versions 'a', 'b', 'c' and 3 others"

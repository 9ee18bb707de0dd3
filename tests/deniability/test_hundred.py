"""Of 100 people: against Bayes' rule by hand, and never better than the truth."""

from hypothesis import given
from hypothesis import strategies as st

import deniable as dn
from deniable.deniability.hundred import of_hundred
from laws.family import chance, chances_of_each, drawn, members_with_words

A = dn.yes_no("a")


def test_warner_by_hand():
    """Theta .8, a fifth says yes: .16 of .32 who send yes, .04 of .68 who send no."""
    (found,) = of_hundred(dn.Design([dn.warner(0.8, A)]), {"a": 0.2})
    assert (found.before, found.reporting, found.others, found.surest) == (20, 50, 6, 50)
    assert (found.answer, found.report) == ("yes", "yes")


def test_one_draw_for_many_shows_in_the_whole_reply():
    """Eight questions under one Warner draw: .5 alone, .999939 given the whole reply (MATH 13)."""
    names = [f"q{index}" for index in range(8)]
    found = of_hundred(dn.Design([dn.warner(0.8, *map(dn.yes_no, names))]), dict.fromkeys(names, 0.2))[0]
    assert (found.reporting, found.surest) == (50, 100)


def test_cards_have_other_words():
    (found,) = of_hundred(dn.Design([dn.hadamard(dn.epsilon(1), dn.Question("c", list("abcdefgh")))]))
    assert found.report is None
    assert found.others < found.before < found.reporting


@members_with_words
@given(p=chance, q=chance, prior=st.floats(0.05, 0.95))
@chances_of_each(long=30, short=5)
def test_never_better_than_the_truth(member, p, q, prior):
    """The whole reply tells at least as much as the question's own report, and a hundred people are a hundred."""
    design = dn.Design([drawn(member, p, q)])
    priors = {each.name: prior for each in design.questions if not each.is_number and len(each) == 2}
    told = {each.name: each for each in dn.privacy(design, priors).questions}
    for found in of_hundred(design, priors):
        assert 0 <= found.others <= 100
        assert 100 * told[found.question.name].posterior <= found.surest + 1e-5 <= 100 + 1e-5
        assert found.reporting <= found.surest


def test_what_is_sent_as_it_is_has_no_hundred():
    assert of_hundred(dn.Design([dn.clear(A), dn.gaussian(dn.number("age", 18, 80), sd=5)])) == []

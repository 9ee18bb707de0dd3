"""What people may write, and what it means."""

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.inference.every import shares_of
from deniable.inference.query.expression import parse
from deniable.inference.query.query import query_of

DESIGN = dn.Design([
    dn.warner(0.8, dn.yes_no("a"), dn.yes_no("b c")),
    dn.k_ary(0.8, dn.Question("size", ("small", "it's big", 'a "huge" one'), ordered=True, optional=True)),
    dn.k_ary(0.8, dn.Question("kids", ("0", "1", "2"))),
    dn.clear(dn.number("age", 18, 80, integer=True), dn.number("income", 0, 100)),
    dn.interval(dn.number("weight", 40, 140), cuts=[60, 75.5, 100]),
    dn.gaussian(dn.number("height", 140, 210), privacy=0.5),
])  # fmt: skip


def holds(text):
    return query_of(DESIGN, text).masks[0]


SAME = [
    ("a == 'yes'", 'a=="yes"'),
    ("a != 'yes'", "not a == 'yes'"),
    ("a == 'yes' and `b c` == 'no' or a == 'no'", "(a == 'yes' and (`b c` == 'no')) or (a == 'no')"),
    ("not a == 'yes' and `b c` == 'no'", "(not (a == 'yes')) and `b c` == 'no'"),
    ("size > 'small'", "size in ('it\\'s big', 'a \"huge\" one')"),
    ('size <= "it\'s big"', "size in ['small', \"it's big\",]"),
    ("size not in ('small', 'prefer not to say')", "size > 'small'"),
    ("kids == 1", "kids == '1'"),
    ("kids in (0, 2)", "kids != '1'"),
    ("age > 40", "age >= 41"),
    ("40 < age", "not age <= 40"),
    ("18 <= age < 30", "age < 30"),
    ("age == 40", "age >= 40 and age <= 40"),
    ("age in (40, 41)", "39 < age < 42"),
    ("income > 1e1", "income > 10.0"),
    ("weight >= 60", "not weight < 60"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_two_ways_of_saying_the_same(one, other):
    both = query_of(DESIGN, one, other)
    assert np.array_equal(both.masks[0], both.masks[1])
    assert both.masks[0].any()
    assert not both.masks[0].all() or "18 <=" not in one


def test_refusals_are_neither_more_nor_less():
    refusal = list(DESIGN.question("size").answers).index("prefer not to say")
    assert not holds("size >= 'small'")[refusal]
    assert not holds("size < 'a \"huge\" one'")[refusal]


def test_more_and_at_least_differ_in_the_clear():
    both = query_of(DESIGN, "income > 10", "income >= 10")
    edges = both.questions[0].range.edges
    assert len(edges) == 4
    cell = both.questions[0].range.cells(np.array([10.0]))[0]
    assert not both.masks[0][cell]
    assert both.masks[1][cell]


def test_a_threshold_outside_the_range_holds_for_nobody_or_everybody():
    assert not holds("age > 100").any()
    assert holds("height < 1000").all()


WRONG = [
    ("", "at its end: expected the name of a question here"),
    ("a = 'yes'", "character 3, before \"= 'yes'\": expected ==, .* a single = is written =="),
    ("a == 'yes' & b", "character 12, before '& b': this cannot be read"),
    ("a == yes", "character 6, before 'yes': expected an answer in quotes or a number here"),
    ("a == 'yes", "character 6"),
    ("a == 'yes' and", "at its end: expected the name of a question"),
    ("a == 'yes' `b c` == 'no'", "character 12.*expected 'and', 'or' or the end"),
    ("(a == 'yes'", "at its end: expected '\\)' here; close the bracket"),
    ("a in 'yes'", "expected a list of values here; write in \\('a', 'b'\\)"),
    ("a in ('yes'", "at its end: expected ',' or '\\)' here"),
    ("and", "expected the name of a question"),
    ("a == 'yse'", "no answer 'yse'; did you mean 'yes'"),
    ("A == 'yes'", "no question 'A' here; did you mean 'a'"),
    ("a > 'no'", "the answers of a have no order; use == or in, or set ordered = true"),
    ("age == 'old'", "age is a number, got 'old'; write the number without quotes"),
    ("income == 10", "income is measured, so it is never exactly a value; use < and >"),
    ("weight > 70", "weight is reported in intervals, and 70 lies inside one; the nearest cuts are 60 and 75.5"),
    ("__import__('os')", "expected ==, !="),
]


@pytest.mark.parametrize(("text", "complaint"), WRONG)
def test_what_cannot_be_read_says_where_and_why(text, complaint):
    with pytest.raises(dn.DeniableError, match=complaint):
        holds(text)


def test_deep_nesting_is_refused_or_read_but_never_crashes():
    assert parse("not " * 50 + "a == 'yes'")
    with pytest.raises(dn.DeniableError, match="nested too deeply"):
        parse("(" * 5000 + "a == 'yes'" + ")" * 5000)


def test_every_share_can_be_asked_again():
    texts = [text for question in DESIGN.questions for text in shares_of(question)]
    assert "`b c` == 'yes'" in texts
    for text in texts:
        assert holds(text).any()
    ages = [query_of(DESIGN, *[text for text in texts if " age " in text])]
    assert np.array_equal(np.sum(ages[0].masks, axis=0), np.ones(len(ages[0].questions[0])))


@pytest.mark.parametrize(
    ("text", "share"), [("age >= 18", 1.0), ("size <= 'tall'", 1.0), ("age > 80", 0.0), ("size > 'tall'", 0.0)]
)
def test_what_holds_for_all_or_for_none_has_an_interval(text, share):
    size = dn.Question("size", ["small", "tall"], ordered=True)
    design = dn.Design([dn.clear(dn.number("age", 18, 80, integer=True)), dn.warner(0.8, size)])
    people = pd.DataFrame({"age": [20, 79] * 30, "size": ["small", "tall"] * 30})
    replies = dn.disguise(design, people, seed=1)
    found = dn.estimate(design, replies, text)
    assert [found.value, found.low, found.high] == pytest.approx([share] * 3)

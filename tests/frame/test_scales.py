"""The order of answers that a data file has in none."""

import pytest

from deniable.cli.main import run
from deniable.frame.scales import in_order

KNOWN = [
    ["Strongly disagree", "Disagree", "Neither", "Agree", "Strongly agree"],
    ["strongly disagree", "disagree", "neither agree nor disagree", "agree", "strongly agree"],
    ["disagree strongly", "disagree", "somewhat disagree", "somewhat agree", "agree", "agree strongly"],
    ["very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"],
    ["less than 1", "1 to 5", "6 to 10", "more than 10"],
    ["under 20k", "20k-40k", "40k-60k", "over 60k"],
    ["under $20,000", "$20,000 to $39,999", "$40,000 or more"],
    ["under 18", "18-24", "25-64", "65+"],
    ["< 5", "5 to 10", "> 10"],
    ["0", "1", "2", "3 or more"],
    ["up to 5 hours", "6 to 10 hours", "more than 10 hours"],
    ["5 to 9", "10 to 19", "20 or more"],
    ["never", "less than once a month", "once a month", "2 to 3 times a week", "daily"],
    ["never", "less than once a week", "weekly", "several times a week", "daily"],
    ["Never", "A few times a year", "Monthly", "Weekly", "Every day"],
    ["never", "rarely", "sometimes", "often", "always"],
    ["never", "yearly", "monthly", "weekly", "daily"],
    ["less than 1 month", "1 to 6 months", "6 to 12 months", "1 year or more"],
    ["none", "less than 30 minutes", "30 to 60 minutes", "1 to 2 hours", "more than 2 hours"],
    ["less than 6 months", "6 months to 2 years", "2 to 5 years", "5 years or longer"],
    ["none", "1 child", "2 children", "3 or more children"],
    ["no children", "1 child", "2 children or more"],
    ["1 person", "2 people", "3 or more people"],
    ["none", "1 to 2", "3 or more"],
]
UNKNOWN = [
    ["team 9", "team 10", "team 11"],
    ["blue", "green", "red"],
    ["1 to 5", "3 to 8", "6 to 10"],
    ["2020-01-02", "2020-02-01", "2021-01-01"],
    ["5 cats", "6 to 10 dogs", "more than 10 birds"],
    ["1 to 5 am", "5 to 1 am", "6 am or more"],
    ["1 child", "2 people", "3 or more years"],
    ["1 to 5", "6 or more", "no opinion"],
    ["2", "3 days", "4 weeks or more"],
]


@pytest.mark.parametrize("words", KNOWN, ids=lambda words: words[0])
def test_known_scales_are_ordered(words):
    assert in_order(set(words)) == (words, True)


@pytest.mark.parametrize("words", UNKNOWN, ids=lambda words: words[0])
def test_other_words_have_no_order_that_means_something(words):
    assert in_order(set(words)) == (words, False)


def test_two_amounts_are_in_order_without_a_scale():
    assert in_order({"18 or more", "under 18"}) == (["under 18", "18 or more"], False)


def test_codes_with_leading_noughts_are_words(tmp_path):
    """As numbers they would be disguised by noise, and 00501 would be 501."""
    codes, data, design = ["00501", "02139", "10001"], tmp_path / "people.csv", tmp_path / "first.toml"
    data.write_text("zip,score\n" + "".join(f"{codes[row % 3]},{row % 7}\n" for row in range(60)))
    with pytest.raises(SystemExit) as stop:
        run(["new", str(data), "-o", str(design)])
    assert not stop.value.code
    assert 'answers = ["00501", "02139", "10001"]' in design.read_text()
    with pytest.raises(SystemExit) as stop:
        run(["disguise", str(design), str(data), "-o", str(tmp_path / "replies.csv")])
    assert not stop.value.code
    lines = (tmp_path / "replies.csv").read_text().splitlines()[1:]
    assert {line.split(",")[0].strip('"') for line in lines} <= set(codes)

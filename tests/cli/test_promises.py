"""Commands on promises: a first design that keeps an epsilon, a ledger of the same people, pages."""

import csv
from math import inf, log
from pathlib import Path

import pytest

import deniable as dn
from deniable.deniability.epsilon import reply_epsilon


@pytest.fixture
def two(health):
    """Two designs of finite epsilon, a.toml and b.toml."""
    dn.Design([dn.warner(0.8, dn.yes_no("smokes"))], title="A").save("a.toml")
    dn.Design([dn.draw(dn.epsilon(2), dn.yes_no("smokes"), dn.yes_no("leave"))], title="B").save("b.toml")
    return health


# ---------------------------------------------------------------- one design


def test_figures_of_a_shared_draw_are_told_in_full_and_from_which_shares(tmp_path, deniable, monkeypatch):
    """One Warner draw for eight questions, each answered "yes" by 20 %: no belief is rounded to certainty."""
    monkeypatch.chdir(tmp_path)
    eight = [f"q{index}" for index in range(8)]
    dn.Design([dn.warner(0.8, *map(dn.yes_no, eight))]).save("eight.toml")
    outcome = deniable(f"privacy eight.toml {' '.join(f'--prior {name}=0.2' for name in eight)}")
    figures = ["1.386295", "0.8000", "0.999939", "0.9999962", "0.03247", "-"]
    assert [line.split()[1:] for line in outcome.out.splitlines() if line.startswith("  q")][1:] == [figures] * 8
    assert "to a collector who believed in these shares before: q0 yes 0.2, q1 yes 0.2" in outcome.out


def test_the_epsilon_of_what_is_disguised_is_told_only_where_it_is_another(two, deniable):
    assert "its disguised questions" not in deniable("privacy b.toml").out
    dn.Design([dn.warner(0.8, dn.yes_no("smokes")), dn.clear(dn.yes_no("leave"))]).save("c.toml")
    assert "its disguised questions: epsilon 1.386295" in deniable("privacy c.toml").out


def test_one_other_answer_is_one_answer(two, deniable):
    assert "For somebody who knows your answer to leave it is" in deniable("privacy b.toml").out


# ---------------------------------------------------------------- a first design


@pytest.mark.parametrize("epsilon", [0.5, 2, 5])
@pytest.mark.parametrize("options", ["", "--binary median"])
def test_a_first_design_keeps_its_epsilon_and_says_what_it_costs(health, deniable, epsilon, options):
    outcome = deniable(f"new people.csv -o first.toml --epsilon {epsilon} {options}")
    assert (outcome.code, outcome.err) == (0, "")
    design = dn.Design.load("first.toml")
    assert epsilon * 0.99 < reply_epsilon(design) <= epsilon * (1 + 1e-9)
    assert set(design.names) == {"smokes", "leave", "drinks", "age", "region"}
    assert len(design.question("age")) == (2 if options else 4)  # quarters of the people
    assert f"epsilon of a whole reply: {epsilon:g}" in outcome.out
    assert "from 120 replies" in outcome.out
    assert "without disguise" in outcome.out


def test_a_first_design_with_an_epsilon_fits_its_own_data(health, deniable):
    assert deniable("new people.csv -o first.toml --epsilon 3").code == 0
    assert deniable("disguise first.toml people.csv -o replies.csv").code == 0
    assert deniable("estimate first.toml replies.csv --json").code == 0
    assert deniable("table first.toml replies.csv smokes drinks").code == 0


def test_gaps_have_no_epsilon_so_everybody_must_answer(tmp_path, deniable):
    with open(tmp_path / "pay.csv", "w", newline="") as file:
        csv.writer(file).writerows(
            [["pay", "town"], *[["" if row % 9 == 0 else row % 40, "ab"[row % 2]] for row in range(90)]]
        )
    outcome = deniable(f"new {tmp_path / 'pay.csv'} -o {tmp_path / 'first.toml'} --epsilon 1")
    assert "must be answered: pay" in outcome.out
    assert reply_epsilon(dn.Design.load(tmp_path / "first.toml")) <= 1 + 1e-9


def test_a_single_question_is_asked_of_everybody(tmp_path, deniable):
    (tmp_path / "one.csv").write_text("smokes\nyes\nno\nno\nyes\n")
    assert deniable(f"new {tmp_path / 'one.csv'} -o {tmp_path / 'first.toml'} --epsilon 1").code == 0
    assert reply_epsilon(dn.Design.load(tmp_path / "first.toml")) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("epsilon", ["0", "-1", "inf", "nan"])
def test_an_epsilon_is_above_zero(health, deniable, epsilon):
    assert deniable(f"new people.csv -o first.toml --epsilon {epsilon}").refuses("epsilon", "above 0")
    assert not Path("first.toml").exists()


# ---------------------------------------------------------------- the same people


def test_epsilons_of_the_same_people_add_up(two, deniable):
    outcome = deniable("privacy a.toml b.toml --same-people --second-round 1")
    assert (outcome.code, outcome.err) == (0, "")
    assert all(word in outcome.out for word in ["a.toml", "b.toml", "second round"])
    found = deniable("privacy a.toml b.toml --same-people --second-round 1 --json").json
    assert found["epsilon"] == pytest.approx(log(4) + 3, abs=1e-5)
    assert [each["name"] for each in found["entries"]] == ["a.toml", "b.toml", "second round"]


@pytest.mark.parametrize(("options", "times"), [("--waves 3", 3), ("--waves 3 --remembered", 1), ("", 1)])
def test_waves_count_unless_devices_remember(two, deniable, options, times):
    found = deniable(f"privacy a.toml --same-people {options} --json").json
    assert found["epsilon"] == pytest.approx(times * log(4), abs=1e-5)
    assert found["entries"][0]["counted"] == times


def test_the_same_file_twice_is_two_surveys(two, deniable):
    found = deniable("privacy a.toml a.toml --same-people --json").json
    assert [each["name"] for each in found["entries"]] == ["a.toml", "a.toml (2)"]
    assert found["epsilon"] == pytest.approx(2 * log(4), abs=1e-5)


def test_the_sum_is_infinite_where_one_is(two, deniable):
    assert deniable("privacy a.toml health.toml --same-people --json").json["epsilon"] == "infinity"
    assert reply_epsilon(dn.Design.load("health.toml")) == inf


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("privacy a.toml b.toml", ("2 designs", "--same-people", "only then epsilons add up")),
        ("privacy a.toml --waves 2", ("--same-people",)),
        ("privacy a.toml --remembered", ("--same-people",)),
        ("privacy a.toml --same-people --html page.html", ("--html", "each design by itself")),
        ("privacy a.toml --same-people --waves 0", ("waves", "1 or more")),
        ("privacy a.toml --same-people --second-round 0", ("epsilon", "above 0")),
        ("privacy a.toml --html a.toml", ("a.toml", "overwrite")),
        ("privacy a.toml --html nowhere/page.html", ("nowhere/page.html", "cannot be written")),
        ("advise a.toml --html a.toml", ("a.toml", "overwrite")),
    ],
)
def test_what_cannot_be_added_up_or_written_is_refused(two, deniable, line, words):
    assert deniable(line).refuses(*words)


# ---------------------------------------------------------------- pages


def test_a_page_for_the_ethics_board(files, deniable):
    outcome = deniable("privacy health.toml --prior smokes=0.2 --html board.html")
    assert (outcome.code, outcome.err) == (0, "")
    assert "board.html: a page" in outcome.out
    page = Path("board.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "Health at work: what respondents can deny" in page
    assert deniable("privacy health.toml --html board.html --json").json["epsilon"] == "infinity"


def test_pages_of_advice_and_attack(files, deniable):
    assert deniable("advise health.toml --epsilon 2 --replies 500 --html advice.html").code == 0
    assert "advice at epsilon 2" in Path("advice.html").read_text(encoding="utf-8")
    dn.Design([dn.warner(0.8, dn.yes_no("smokes"))]).save("smokes.toml")
    assert deniable("disguise smokes.toml people.csv -o smokes.csv").code == 0
    assert deniable("attack smokes.toml smokes.csv --waves 3 --html attack.html").code == 0
    assert "3 waves" in Path("attack.html").read_text(encoding="utf-8")
    assert deniable("attack smokes.toml smokes.csv --html smokes.csv").refuses("smokes.csv", "overwrite")

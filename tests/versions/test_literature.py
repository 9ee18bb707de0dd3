"""Schemes of survey research against their published estimators, what they refuse, and what no reply can tell."""

from math import comb

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.channel.literature import SCHEMES
from deniable.count.replies import counts_of
from deniable.errors import BadGroup, BadQuestion, BadRequest, NothingLeft, NotIdentified
from deniable.report.ethics import ethics_page
from deniable.web import figures

A, B = dn.yes_no("a", "Did you?"), dn.yes_no("b")
COLOR = dn.Question("color", ("red", "green", "blue"))
ITEMS = ["own a dog", "play chess", "like tea"]


def replies(*rows):
    """Replies from counts: the reported word (and the version before it), and how many sent it."""
    columns = ["version", "a"][2 - len(rows[0][0]) :]
    return pd.DataFrame([list(words) for words, n in rows for _ in range(n)], columns=columns)


def share(design, told, expression="a == 'yes'", given=None):
    return dn.estimate(design, told, expression, given)


# ---------------------------------------------------------------- one version

ONE = {  # the published estimator of pi from the share of yes
    "crosswise": (dn.crosswise(0.25, A), lambda yes: (yes + 0.25 - 1) / (2 * 0.25 - 1)),
    "triangular": (dn.triangular(0.25, A), lambda yes: (yes - 0.25) / (1 - 0.25)),
    "mangat": (dn.mangat(0.7, A), lambda yes: (yes - (1 - 0.7)) / 0.7),
    "mangat_singh": (
        dn.mangat_singh(0.55, 0.7, A),
        lambda yes: (yes - (1 - 0.55) * (1 - 0.7)) / (2 * 0.7 - 1 + 2 * 0.55 * (1 - 0.7)),
    ),
}


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("yes", [270, 400, 531])
def test_the_published_estimator(name, yes):
    channel, pi = ONE[name]
    found = share(dn.Design([channel]), replies((("yes",), yes), (("no",), 1000 - yes)))
    assert found.value == pytest.approx(pi(yes / 1000), abs=1e-7)
    slope = pi(1.0) - pi(0.0)
    error = abs(slope) * np.sqrt(yes / 1000 * (1 - yes / 1000) / 999)
    assert found.stderr == pytest.approx(error, rel=1e-3)


@pytest.mark.parametrize("draws", [1, 2, 5])
def test_kuk_counts_red_cards(draws):
    """Chances by the binomial, and with one card his estimator (red - second) / (first - second)."""
    channel = dn.kuk(0.8, 0.3, A, draws=draws)
    by_hand = [[comb(draws, red) * p**red * (1 - p) ** (draws - red) for p in (0.3, 0.8)] for red in range(draws + 1)]
    assert channel.matrix() == pytest.approx(np.array(by_hand), abs=1e-8)
    assert channel.reported("a").answers == tuple(map(str, range(draws + 1)))
    if draws == 1:
        found = share(dn.Design([channel]), replies((("1",), 420), (("0",), 580)))
        assert found.value == pytest.approx((0.42 - 0.3) / (0.8 - 0.3), abs=1e-7)


# ---------------------------------------------------------------- two versions


def test_cheating_detection_is_that_of_clark_and_desharnais():
    """pi = (p2 yes1 - p1 yes2) / (p2 - p1), honest no = (yes2 - yes1) / (p2 - p1), and the rest cheats."""
    design = dn.Design([dn.cheating_detection(0.3, 0.6, A)])
    told = replies((("1", "yes"), 200), (("1", "no"), 300), (("2", "yes"), 270), (("2", "no"), 230))
    yes1, yes2 = 0.4, 0.54
    no = (yes2 - yes1) / (0.6 - 0.3)
    pi = (0.6 * yes1 - 0.3 * yes2) / (0.6 - 0.3)
    assert share(design, told).value == pytest.approx(pi, abs=1e-7)
    assert share(design, told, "a == 'no'").value == pytest.approx(no, abs=1e-7)
    assert share(design, told, "a == 'cheats'").value == pytest.approx(1 - pi - no, abs=1e-7)
    error = np.sqrt(0.6**2 * yes1 * (1 - yes1) / 499 + 0.3**2 * yes2 * (1 - yes2) / 499) / 0.3
    assert share(design, told).stderr == pytest.approx(error, rel=1e-3)


def test_the_lie_detector_tells_carriers_and_how_many_are_honest():
    """Moshagen, Musch and Erdfelder 2012: 1 - pi = (yes1 - yes2) / (p2 - p1) for p the chance of a told truth."""
    design = dn.Design([dn.lie_detector(2 / 12, 10 / 12, A)])
    told = replies((("1", "no"), 191), (("1", "yes"), 373), (("2", "no"), 294), (("2", "yes"), 398))
    yes1, yes2 = 373 / 564, 398 / 692
    pi = 1 - (yes1 - yes2) / (8 / 12)
    carriers = share(design, told, "a in ('yes', 'denies')")
    assert carriers.value == pytest.approx(pi, abs=1e-7)
    assert carriers.value == pytest.approx(0.87070, abs=5e-6)
    assert carriers.stderr == pytest.approx(0.04112, rel=0.02)
    honest = share(design, told, "a == 'yes'", given="a in ('yes', 'denies')")
    assert honest.value == pytest.approx(0.63581, abs=5e-6)
    assert honest.stderr == pytest.approx(0.01734, rel=0.02)


def test_two_samples_tell_both_shares_and_not_their_joint():
    """Greenberg et al. 1969: pi = (yes1 (1 - theta2) - yes2 (1 - theta1)) / (theta1 - theta2)."""
    design = dn.Design([dn.two_samples(0.8, 0.3, A, unrelated="Born in July?")])
    told = replies((("1", "yes"), 140), (("1", "no"), 360), (("2", "yes"), 150), (("2", "no"), 350))
    pi = (0.28 * 0.7 - 0.3 * 0.2) / 0.5
    found = share(design, told)
    assert found.value == pytest.approx(pi, abs=1e-7)
    assert found.stderr == pytest.approx(np.sqrt(0.49 * 0.28 * 0.72 / 499 + 0.04 * 0.3 * 0.7 / 499) / 0.5, rel=1e-3)
    other = share(design, told, "a_unrelated == 'yes'").value
    assert other == pytest.approx((0.8 * 0.3 - 0.3 * 0.28) / 0.5, abs=1e-7)
    for text in ("a == 'yes' and a_unrelated == 'yes'", "a == 'yes' or a_unrelated == 'no'"):
        with pytest.raises(NotIdentified, match="about a, a_unrelated: a report does not say which of them it answers"):
            share(design, told, text)
    with pytest.raises(NotIdentified):
        share(design, told, "a == 'yes'", given="a_unrelated == 'yes'")
    with pytest.raises(NotIdentified):
        dn.table(design, told, ["a", "a_unrelated"])
    assert list(dn.table(design, told, ["a"])["share"]) == pytest.approx([1 - pi, pi], abs=1e-7)


def test_item_counts_are_a_difference_of_means():
    """And the joint of the sensitive item and the number of harmless ones: Imai 2011, F1(s) - F2(s)."""
    design = dn.Design([dn.item_count(A, harmless=ITEMS)])
    rng = np.random.default_rng(1)
    counts1, counts2 = rng.multinomial(600, [0.1, 0.3, 0.4, 0.2]), rng.multinomial(500, [0.1, 0.2, 0.3, 0.3, 0.1])
    told = replies(*[(("1", str(count)), n) for count, n in enumerate(counts1)],
                   *[(("2", str(count)), n) for count, n in enumerate(counts2)])  # fmt: skip
    one, two = counts1 / counts1.sum(), counts2 / counts2.sum()
    means = [float(np.arange(4) @ one), float(np.arange(5) @ two)]
    variances = [float(np.arange(4) ** 2 @ one) - means[0] ** 2, float(np.arange(5) ** 2 @ two) - means[1] ** 2]
    found = share(design, told)
    assert found.value == pytest.approx(means[1] - means[0], abs=1e-7)
    assert found.stderr == pytest.approx(np.sqrt(variances[0] / 599 + variances[1] / 499), rel=1e-3)
    together = np.cumsum(one) - np.cumsum(two)[:4]
    table = dn.table(design, told, ["a", "a_harmless"])
    assert table[table.a == "yes"]["share"].to_numpy() == pytest.approx(together, abs=1e-7)
    rows = dn.table(design, told, ["a_harmless", "a"], percent="row")
    assert rows.groupby("a_harmless")["share"].sum().to_numpy() == pytest.approx(np.ones(4), abs=1e-6)
    some = share(design, told, "a == 'yes' and a_harmless >= '2'").value
    assert some == pytest.approx(together[2:].sum(), abs=1e-7)


def test_extended_crosswise_pools_both_versions_and_tests_that_they_agree():
    design = dn.Design([dn.extended_crosswise(0.2, A)])
    assert [each.channels[0].matrix()[1].tolist() for each in design.blocks[0].versions] == [
        pytest.approx([0.8, 0.2]), pytest.approx([0.2, 0.8]),
    ]  # fmt: skip
    agree = replies((("1", "yes"), 370), (("1", "no"), 130), (("2", "yes"), 130), (("2", "no"), 370))
    assert share(design, agree).value == pytest.approx((0.74 + 0.2 - 1) / (2 * 0.2 - 1), abs=1e-7)
    fit = dn.fit_test(design, agree)
    assert (fit.df, fit.chi2) == (1, pytest.approx(0, abs=1e-9))
    careless = replies((("1", "yes"), 300), (("1", "no"), 200), (("2", "yes"), 300), (("2", "no"), 200))
    assert dn.fit_test(design, careless).p < 1e-6  # people who always pick the same


# ---------------------------------------------------------------- truths of the analysis alone

SOME = {
    "crosswise": dn.crosswise(0.25, A, harmless="Born in winter?"),
    "triangular": dn.triangular(0.25, A),
    "mangat": dn.mangat(0.7, A),
    "mangat_singh": dn.mangat_singh(0.5, 0.7, A),
    "kuk": dn.kuk(0.8, 0.3, A, draws=3),
    "extended_crosswise": dn.extended_crosswise(0.25, A, harmless="Born in winter?"),
    "cheating_detection": dn.cheating_detection(0.3, 0.6, A),
    "lie_detector": dn.lie_detector(0.2, 0.8, A),
    "two_samples": dn.two_samples(0.8, 0.3, A),
    "item_count": dn.item_count(A, harmless=ITEMS),
}
every_scheme = pytest.mark.parametrize("name", SOME)


def people(design, n=4000):
    rng = np.random.default_rng(3)
    parts = [part for question in design.questions for part in question.parts]
    truth = pd.DataFrame({part.name: rng.choice(part.answers, n) for part in parts})
    return truth.assign(b=np.where(rng.random(n) < np.where(truth["a"] == "yes", 0.6, 0.05), "yes", "no"))


def test_all_are_here():
    assert (
        {scheme.__name__ for scheme in SCHEMES} - {"multiply"}
        == set(SOME)
        == {name for name in SOME if hasattr(dn, name)}
    )


@pytest.mark.parametrize(("name", "word"), [("cheating_detection", "cheats"), ("lie_detector", "denies")])
def test_liars_are_no_part_of_the_promise(name, word):
    design = dn.Design([SOME[name]])
    assert design.question("a").answers == ("no", "yes", word)
    assert design.question("a").plain == A
    assert word not in design.to_json()
    plain = dn.Design([design.blocks[0].promised])
    assert plain.fingerprint == design.fingerprint
    assert dn.privacy(plain) == dn.privacy(design)
    told = dn.disguise(design, pd.DataFrame({"a": [word] * 200}), seed=1)
    assert set(told["a"]) == {"no"}
    assert set(told["version"]) == {"1", "2"}


@every_scheme
def test_estimates_find_what_people_truly_are(name):
    """Simulated respondents, liars among them: within five standard errors."""
    design = dn.Design([SOME[name], dn.warner(0.9, B)])
    truth = people(design, 20_000)
    told = dn.disguise(design, truth, seed=5)
    assert list(told.columns) == design.columns
    for column in (part.name for part in design.question("a").parts):
        for answer in sorted(set(truth[column])):
            found = share(design, told, f"{column} == '{answer}'")
            assert abs(found.value - (truth[column] == answer).mean()) < 5 * found.stderr
            both = share(design, told, f"{column} == '{answer}' and b == 'yes'")
            assert abs(both.value - ((truth[column] == answer) & (truth["b"] == "yes")).mean()) < 5 * both.stderr


@pytest.mark.filterwarnings("ignore:the replies do not tell how b depends")
@every_scheme
def test_everything_else_takes_them(name, tmp_path):
    """Tables, tests of independence, plans, privacy, pages and the dashboard; learners say why they cannot."""
    design = dn.Design([SOME[name], dn.warner(0.85, B)], target="b")
    told = dn.disguise(design, people(design), seed=2)
    holder = design.question("a")
    assert len(dn.table(design, told, ["a", "b"], percent="column")) == 2 * len(holder.parts[0])
    assert 0 <= dn.association(design, told, "a", "b").p_value <= 1
    assert set(dn.estimate(design, told)["question"]) == {"b", *(part.name for part in holder.parts)}
    assert dn.plan(design, 0.05).n >= dn.plan(design, 0.05, expression="a == 'yes'").n > 600
    assert len(dn.plan(design, 0.1, table=["a", "b"]).questions) == 2 * len(holder.parts[0])
    assert dn.privacy(design, {"a": 0.1}).questions[0].sentence
    assert "cheats" not in ethics_page(design)
    said = figures.every_question(design, counts_of(design, told))
    assert [each.problem for each in said] == [""] * len(said)
    cross = figures.cross_table(design, counts_of(design, told), "a", "b", "row")
    assert (len(cross.cells), cross.problem) == (len(holder.parts[0]), "")
    if holder.beside is None:
        assert dn.NaiveBayes(design).fit(told).predict(told[["a"]].assign(a="yes")[:1])[0] in ("no", "yes")
        return
    with pytest.raises(BadRequest, match="answers to other questions than the target"):
        dn.NaiveBayes(design).fit(told)
    for learn in (
        lambda: dn.NaiveBayes(design).fit(told[["a"]], told["b"]),
        lambda: dn.TreeClassifier(design).fit(told, "a"),
        lambda: dn.regress(design, told, "a ~ b"),
        lambda: dn.correlation(design, told, "a", "b"),
    ):
        with pytest.raises(BadRequest, match="whose report depends on its own answer alone"):
            learn()
    assert (
        dn.itemsets(design, told, min_support=0.1)["itemsets"]
        .map(lambda items: not any("a=" in i for i in items))
        .all()
    )
    with pytest.raises(BadRequest):
        dn.rules(design, told, min_support=0.1, min_confidence=0.1, items=["a"])


def test_learners_leave_out_what_depends_on_another_answer():
    design = dn.Design(
        [dn.item_count(A, harmless=ITEMS), dn.warner(0.9, B), dn.warner(0.9, dn.yes_no("c"))], target="b"
    )
    truth = people(design).assign(c=lambda each: each["b"])
    bayes = dn.NaiveBayes(design).fit(dn.disguise(design, truth, seed=1))
    assert list(bayes.columns_.names) == ["c"]
    assert bayes.note_ == "not learnt from, since reports depend on another answer as well: a"
    assert "you count how many statements of a list hold" in str(dn.privacy(design))


def test_what_depends_on_another_answer_is_told_so():
    two, counted = dn.privacy(dn.Design([SOME["two_samples"]])), dn.privacy(dn.Design([SOME["item_count"]]))
    assert two.epsilon == counted.epsilon == np.inf
    assert "Whoever knows that one may learn this one" in two.questions[0].sentence
    assert "at most 9.0 times as likely" in two.questions[0].sentence  # .9 of yes against .1, others thought alike
    assert "In the version '1' what you report does not depend on this answer." in counted.questions[0].sentence
    assert "some reports give it away to anybody" in counted.questions[0].sentence
    assert "as long as nobody knows your answer to 'Born in winter?'" in str(dn.privacy(dn.Design([SOME["crosswise"]])))


# ---------------------------------------------------------------- what is refused

REFUSED = {
    r"hides the answers completely \(p = 0.5.*choose another p$": lambda: dn.crosswise(0.5, A),
    r"hides the answers completely \(p = 1": lambda: dn.triangular(1, A),
    r"hides the answers completely \(theta = 0": lambda: dn.mangat(0, A),
    r"hides the answers completely \(truth = 0, theta = 0.5": lambda: dn.mangat_singh(0, 0.5, A),
    r"hides the answers completely \(first = 0.4, second = 0.4": lambda: dn.kuk(0.4, 0.4, A),
    r"\(p1 = 0.3, p2 = 0.3\); choose another p1 or p2": lambda: dn.cheating_detection(0.3, 0.3, A),
    r"\(p1 = 1, p2 = 1\); choose another": lambda: dn.lie_detector(1, 1, A),
    r"\(theta1 = 0.3, theta2 = 0.3\)": lambda: dn.two_samples(0.3, 0.3, A),
    r"hides the answers completely \(p = 0.5": lambda: dn.extended_crosswise(0.5, A),
    r"p1 of the channel on a must be a chance": lambda: dn.cheating_detection(1.3, 0.3, A),
    r"p of the channel on a must be a chance": lambda: dn.crosswise("half", A),
    r"draws of kuk must be a whole number from 1 to 100, got 0": lambda: dn.kuk(0.8, 0.2, A, draws=0),
    r"draws of kuk must be a whole number": lambda: dn.kuk(0.8, 0.2, A, draws=1.5),
    r"harmless of item_count must be 1 to 30 harmless items": lambda: dn.item_count(A, harmless=[]),
    r"harmless of item_count must be 1 to 30": lambda: dn.item_count(A, harmless="own a dog"),
    r"harmless of item_count must be different": lambda: dn.item_count(A, harmless=["x", "x"]),
    r"harmless must be the wording of a harmless question, got ''": lambda: dn.crosswise(0.3, A, harmless=""),
    r"unrelated must be the wording": lambda: dn.two_samples(0.8, 0.3, A, unrelated=3),
    r"crosswise cannot disguise question 'color': it needs two answers": lambda: dn.crosswise(0.3, COLOR),
    r"item_count cannot disguise question 'color'": lambda: dn.item_count(COLOR, harmless=ITEMS),
    r"lie_detector cannot disguise question 'age': it is a number": lambda: dn.lie_detector(
        0.2, 0.8, dn.number("age", 0, 9, cuts=[5])
    ),
    r"drawn_by of cheating_detection must be 'respondent'": lambda: dn.cheating_detection(
        0.3, 0.6, A, drawn_by="device"
    ),
    r"drawn_by must be 'device' or 'respondent', got 'me'": lambda: dn.kuk(0.8, 0.3, A, drawn_by="me"),
    r"harmless of crosswise must be left out where the device draws": lambda: dn.crosswise(
        0.3, A, harmless="Born in winter?", drawn_by="device"
    ),
    r"has U\+200B": lambda: dn.Design([dn.item_count(A, harmless=["own a\u200b dog"])]),
    r"shares of lie_detector must be two": lambda: dn.lie_detector(0.2, 0.8, A, shares=[1.0]),
    r"truth of mangat_singh must be at most": lambda: dn.mangat_singh(0.9, dn.epsilon(1), A),
    r"has an answer 'cheats', the name of those who lie": lambda: dn.cheating_detection(
        0.3, 0.6, dn.Question("a", ["no", "cheats"])
    ),
    r"question 'a_unrelated' has the name of a question beside another": lambda: dn.Design(
        [dn.two_samples(0.8, 0.3, A), dn.clear(dn.yes_no("a_unrelated"))]
    ),
}


@pytest.mark.parametrize("line", REFUSED)
def test_bad_input_gets_one_line(line):
    with pytest.raises((NothingLeft, BadGroup, BadRequest, BadQuestion, dn.DeniableError), match=line) as error:
        REFUSED[line]()
    assert "\n" not in str(error.value)


def test_files_have_the_arguments_as_keys(tmp_path):
    path = tmp_path / "design.toml"
    path.write_text(
        '[[question]]\nname = "a"\nanswers = ["no", "yes"]\n\n[[question]]\nname = "b"\nanswers = ["no", "yes"]\n\n'
        '[[channel]]\nscheme = "item_count"\ngroup = ["a"]\nharmless = ["own a dog", "play chess", "like tea"]\n\n'
        '[[channel]]\nscheme = "lie_detector"\ngroup = ["b"]\np1 = 0.2\np2 = 0.8\ncolumn = "arm"\nshares = [0.4, 0.6]\n'
    )
    counted, told = (
        dn.item_count(dn.yes_no("a"), harmless=ITEMS),
        dn.lie_detector(0.2, 0.8, B, column="arm", shares=[0.4, 0.6]),
    )
    assert dn.Design.load(path) == dn.Design([counted, told])


def test_epsilon_may_stand_for_theta():
    assert dn.privacy(dn.Design([dn.mangat_singh(0.2, dn.epsilon(1), A)])).epsilon == pytest.approx(1, abs=1e-6)
    infinite = {"mangat": lambda: dn.mangat(dn.epsilon(1), A),  # a no is never said by those with a yes
                "multiply": lambda: dn.multiply(dn.number("x", 0, 9), shape=4, theta=dn.epsilon(1))}  # fmt: skip
    for scheme, made in infinite.items():
        with pytest.raises(BadRequest, match=f"epsilon of {scheme} must be left out, being infinite, got 1.0"):
            made()

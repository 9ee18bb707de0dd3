"""Pages and charts as readers see them: nothing wider than a phone, axes with titles, one colour for what is ours."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import vl_convert

import deniable as dn
from browsing import browser  # noqa: F401
from deniable.count.replies import counts_of
from deniable.inference.reconstruct import reconstruction
from deniable.mine.rules import found_rules
from deniable.papers.studies import STUDIES
from deniable.report import bayes_tables, codebook, colours, distribution, folded, regressions, rules
from deniable.report.charts import figure, svg
from deniable.report.ethics import ethics_page
from deniable.report.judged import advice_page, attack_page
from deniable.report.page import document
from deniable.report.picture import MAX_BOXES, tree_page, tree_svg
from deniable.report.plans import plan_page
from deniable.web.page import static_files
from papers.worlds import TRUE

SVG = "{http://www.w3.org/2000/svg}"
WIDTHS = (390, 820, 1280)
LONG = "an answer that takes its time until it comes to its end, at last"
DASHBOARD = Path(dn.__file__).parent / "web" / "static" / "dashboard.css"


@pytest.fixture(scope="module")
def design():
    drinks = dn.Question("drinks", ["never", "weekly", LONG])
    channels = [
        dn.warner(0.8, dn.yes_no("smokes")),
        dn.warner(0.8, dn.yes_no("leave")),
        dn.k_ary(0.7, drinks),
        dn.gaussian(dn.number("age", 18, 80, integer=True), privacy=0.5),
    ]
    return dn.Design(channels, target="leave", title="Health at work")


@pytest.fixture(scope="module")
def replies(design):
    rng = np.random.default_rng(1)
    smokes, n = rng.random(1_500) < 0.3, 1_500
    leave = rng.random(n) < np.where(smokes, 0.7, 0.2)
    people = pd.DataFrame(
        {
            "smokes": np.where(smokes, "yes", "no"),
            "leave": np.where(leave, "yes", "no"),
            "drinks": rng.choice(["never", "weekly", LONG], n, p=[0.4, 0.4, 0.2]),
            "age": rng.integers(18, 80, n),
        }
    )
    return dn.disguise(design, people, seed=2)


@pytest.fixture(scope="module")
def answers(design):
    """The design without its number."""
    return dn.Design(list(design.channels)[:3], target="leave")


@pytest.fixture(scope="module")
def learnt(design, replies):
    tree = dn.TreeClassifier(design, method="inverse", stop=None).fit(replies[["smokes", "drinks"]], replies["leave"])
    return tree, dn.NaiveBayes(design).fit(replies[["smokes", "drinks", "leave"]], "leave")


@pytest.fixture(scope="module")
def found(answers, replies):
    return found_rules(answers, counts_of(answers, replies[answers.names][:200]), 0.01, 0.1, 3)[0]


@pytest.fixture(scope="module")
def pages(design, answers, replies, learnt, found, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    spread = [reconstruction(design, counts_of(design, replies), *which) for which in (("age", "leave"), ("drinks",))]
    study = STUDIES["du-zhan"]
    drawn = [figure(chart, title) for title, chart in study.charts(TRUE["du-zhan"].results(2)).items()]
    made = {
        "tree": tree_page(learnt[0], "A tree"),
        "bayes": bayes_tables.bayes_page(learnt[1], "Bayes", 1_500),
        "rules": rules.page("Rules", rules.explained(found), found, "confidence", 60),
        "plan": plan_page(dn.plan(design, 0.02), "Health"),
        "attack": attack_page(dn.attack(answers, replies[answers.names], waves=3), "Attack"),
        "advice": advice_page(dn.advise(answers.questions, 2.0, 1_000, "leave"), "Advice"),
        "regression": regressions.page(dn.regress(design, replies, "leave ~ smokes + drinks"), "Regression"),
        "number": distribution.page(spread[0], "Age"),
        "answers": distribution.page(spread[1], "Drinks"),
        "ethics": ethics_page(design),
        "study": document("Study", "".join(drawn)),
    }
    for name, page in made.items():
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    long = dn.yes_no("a_name_that_goes_on_and_on_without_a_blank_in_it", "?", ask_if="smokes == 'yes'", otherwise="no")
    asked = dn.Design([dn.warner(0.8, dn.yes_no("smokes")), dn.warner(0.8, long)])
    codebook.write_codebook(asked, folder / "codebook.html")
    (folder / "asked.html").write_text(ethics_page(asked), encoding="utf-8")
    return folder


def test_no_page_is_wider_than_the_screen(browser, pages, figure):  # noqa: F811
    shown = sorted(pages.glob("*.html"))
    for width in WIDTHS:
        context = browser.new_context(viewport={"width": width, "height": 800})
        page = context.new_page()
        for each in shown:
            page.goto(each.as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (each.name, width)
        context.close()
    figure("pages that fit screens of 390, 820 and 1280 pixels", f"{len(shown)} of {len(shown)}")


def test_on_a_phone_a_tree_folds_and_no_word_is_cut(browser, pages):  # noqa: F811
    context = browser.new_context(viewport={"width": 390, "height": 800})
    page = context.new_page()
    page.goto((pages / "tree.html").as_uri())
    assert not page.locator("svg.tree").is_visible()
    page.eval_on_selector_all(".folded details", "(all) => all.forEach((each) => { each.open = true; })")
    ends = page.eval_on_selector_all(".folded *", "(all) => all.map((each) => each.getBoundingClientRect().right)")
    assert max(ends) <= 390
    page.set_viewport_size({"width": 1280, "height": 800})
    assert page.locator("svg.tree").is_visible()
    assert not page.locator(".folded").is_visible()
    context.close()


def test_a_tree_that_goes_on_to_the_right_says_so(browser, pages, wide_tree):  # noqa: F811
    (pages / "wide.html").write_text(tree_page(wide_tree, "Wide"), encoding="utf-8")
    for name, width, hinted in (("wide", 1000, True), ("wide", 1280, False), ("tree", 1280, False)):
        page = browser.new_page(viewport={"width": width, "height": 800})
        page.goto((pages / f"{name}.html").as_uri())
        hint = page.locator(".sideways").bounding_box()
        assert (hint["height"] > 10) == hinted, (name, width)
        root = page.locator("svg.tree .box").first.bounding_box()
        assert 0 < root["x"] < width - root["width"]
        assert 0 < root["y"] < 800 - root["height"]
        page.set_viewport_size({"width": 800, "height": 800})
        assert page.locator(".folded").is_visible() == (name == "wide")
        page.close()


def test_arrows_of_rules_stay_with_what_follows(browser, pages):  # noqa: F811
    context = browser.new_context(viewport={"width": 390, "height": 800})
    page = context.new_page()
    page.goto((pages / "rules.html").as_uri())
    arrows = page.locator(".items", has_text="→")
    assert arrows.count() > 3
    heights = arrows.evaluate_all(
        "(all) => all.filter((each) => each.textContent.length < 30).map((each) => each.getClientRects().length)"
    )
    assert set(heights) == {1}
    context.close()


@pytest.fixture(scope="module")
def wide_tree():
    rng = np.random.default_rng(3)
    people = pd.DataFrame({name: rng.choice(list("ab"), 4_000) for name in "pqrstu"})
    return dn.TreeClassifier(stop=None).fit(people[list("pqrst")], people["u"])


def test_the_whole_tree_is_in_its_svg(wide_tree):
    drawn = tree_svg(wide_tree, None)
    boxes = [each for each in ET.fromstring(drawn).iter(f"{SVG}rect") if each.get("class") == "box"]
    assert len(boxes) > MAX_BOXES
    assert "not shown" not in drawn


def test_confidence_above_one_is_explained_where_rules_are_shown(found):
    assert max(found["confidence"]) > 1
    assert rules.explained(found) == [rules.ABOVE_ONE]
    below = {name: [0.5] for name in ("support", "confidence")}
    assert rules.explained(below) == []


@pytest.fixture(scope="module")
def charts(design, answers, replies, learnt):
    mined = dn.rules(answers, replies[answers.names][:200], min_support=0.01, min_confidence=0.1)
    pilot = replies[answers.names][:200]  # taken for what people said in the clear
    return {
        "shares": dn.plot.shares(design, replies),
        "table": dn.plot.table(design, replies, ["smokes", "drinks"], percent="row"),
        "distribution": dn.plot.distribution(design, replies, "age"),
        "distribution of answers": dn.plot.distribution(design, replies, "drinks"),
        "distribution by": dn.plot.distribution(design, replies, "age", by="leave"),
        "rules": dn.plot.rules(mined),
        "lift": dn.plot.rules(mined, "lift", most=5),
        "coefficients": dn.plot.coefficients(dn.regress(design, replies, "leave ~ smokes")),
        "privacy": dn.plot.privacy(design),
        "margin": dn.plot.plan(dn.plan(design, 0.02)),
        "power": dn.plot.plan(dn.plan(design, share={"smokes": 0.25}, difference=0.05, power=0.8)),
        "learning curve": dn.plot.plan(dn.plan(answers, pilot=pilot, replies=1_000, target="leave")),
        "advice": dn.plot.advice(dn.advise(answers.questions, 2.0, 1_000, "leave")),
        "attack": dn.plot.attack(dn.attack(answers, replies[answers.names], waves=3)),
        "confusion": dn.plot.confusion(dn.evaluation(learnt[0], design, replies)),
        "bayes": dn.plot.bayes(learnt[1]),
    }


def encodings(node):
    """Every encoding of a chart, with those of its layers and panels."""
    if "encoding" in node:
        yield node["encoding"]
    for part in [*node.get("layer", []), *node.get("concat", [])]:
        yield from encodings(part)


def test_every_chart_has_titles_at_both_axes_and_our_colour(charts):
    for name, chart in charts.items():
        spec = chart.to_dict()
        found = [each for each in encodings(spec) if "x" in each and "y" in each]
        assert found, name
        for each in found:
            assert each["x"].get("title"), name
            assert each["y"].get("title"), name
        assert colours.OURS in chart.to_json(), name
        assert "<svg" in svg(chart)


def test_every_chart_fits_a_phone_and_no_word_is_cut(browser, charts):  # noqa: F811
    page = browser.new_page(viewport={"width": 390, "height": 800})
    for name, chart in charts.items():
        page.set_content(f"<body style='margin: 0'>{vl_convert.vegalite_to_svg(chart.to_dict())}")
        assert page.eval_on_selector("svg", "(drawn) => drawn.getBoundingClientRect().width") <= 375, name
        ends = "(all) => all.map((each) => each.getBoundingClientRect()).flatMap((each) => [each.left, each.right])"
        found = page.eval_on_selector_all("svg text", ends)
        wide = page.eval_on_selector("svg", "(drawn) => drawn.getBoundingClientRect().width")
        assert (min(found) >= -1, max(found) <= wide + 1) == (True, True), (name, min(found), max(found), wide)
    page.close()


def test_panels_name_their_question_and_share_scale_and_legend(design, replies, charts, pages):
    panels = charts["distribution by"].to_dict()["concat"]
    assert [each["title"] for each in panels] == ["leave: no", "leave: yes"]
    assert panels[0]["encoding"]["y"]["scale"] == panels[1]["encoding"]["y"]["scale"]
    page = (pages / "number.html").read_text(encoding="utf-8")
    assert page.count('class="keys"') == 1
    assert 'aria-label="Symbol legend' not in page


def test_points_are_filled_where_the_interval_leaves_zero_out(charts):
    (points,) = [each for each in encodings(charts["coefficients"].to_dict()) if "fill" in each]
    assert points["fill"]["condition"]["test"] == "datum['low'] <= 0.0 && datum['high'] >= 0.0"
    assert (points["fill"]["condition"]["value"], points["fill"]["value"]) == ("white", colours.OURS)


def test_marks_that_are_equal_are_all_seen(charts):
    (found,) = encodings(charts["privacy"].to_dict())
    assert charts["privacy"].to_dict()["mark"].get("filled") is not True
    assert found["size"]["scale"]["range"][-1] > 4 * max(found["size"]["scale"]["range"][:-1])


def test_both_models_of_a_learning_curve_are_ours(charts):
    text = charts["learning curve"].to_json()
    assert "(ours)" not in text
    assert not [colour for colour in (*colours.OTHERS, colours.REPORTED) if colour in text]


def test_figures_of_a_number_are_as_few_as_people_read(pages):
    page = (pages / "number.html").read_text(encoding="utf-8")
    shown, folded_away = page.split("<details>")
    assert shown.count("<tr>") - 1 <= distribution.MAX_ROWS
    assert folded_away.count("<tr>") - 1 > 100


def test_legends_are_whole_and_in_order(charts):
    for name, chart in charts.items():
        for each in encodings(chart.to_dict()):
            colour = each.get("color", {})
            if colour.get("legend") and colour["type"] == "nominal":
                assert colour["legend"]["labelLimit"] == 0, name
                assert colour["sort"] == colour["scale"]["domain"], name
                assert len(colour["scale"]["range"]) == len(colour["scale"]["domain"]), name


def test_rules_as_a_chart_have_arrows_and_explain_what_exceeds_one(charts):
    text = charts["rules"].to_json(ensure_ascii=False)
    assert "→" in text
    assert "because of the disguise's noise" in " ".join(charts["rules"].to_dict()["title"]["text"])
    assert "title" not in charts["lift"].to_dict()


def test_a_tree_as_a_chart_has_all_its_nodes(learnt):
    spec = dn.plot.tree(learnt[0]).to_dict()
    words = [row["words"] for rows in spec["datasets"].values() for row in rows if "words" in row]
    assert sum(each.endswith(" people") for each in words) == tree_svg(learnt[0], None).count('class="box"')


def test_one_colour_for_ours_on_every_page_and_on_the_dashboard(pages):
    for each in sorted(pages.glob("*.html")):
        page = each.read_text(encoding="utf-8")
        assert f"--ours: {colours.OURS}" in page, each.name
        assert f"--ours: {colours.OURS_DARK}" in page, each.name
    light, dark = re.findall(r"--ours: (#\w+); --reported: (#\w+);", DASHBOARD.read_text(encoding="utf-8"))
    assert light == (colours.OURS, colours.REPORTED)
    assert dark == (colours.OURS_DARK, colours.REPORTED_DARK)


def test_a_tree_on_the_dashboard_folds_as_on_pages():
    assert folded.STYLE in static_files()["dashboard.css"].content.decode()


def test_our_line_of_a_study_has_our_colour():
    names = ["faithful (the paper)", "original, default (ours)", "default (ours)", "uncorrected"]
    assert colours.palette(names).index(colours.OURS) == 2
    assert colours.palette(["reconstructed", "reported"]) == [colours.OURS, colours.REPORTED]
    assert len(set(colours.palette(["a", "b", "c", "d", "e", "f"]))) == 6
    assert colours.palette(["a", "b"])[0] == colours.OURS


def test_notebooks_show_the_pictures_of_pages(design, answers, replies):
    shown = {
        "plan": dn.plan(design, 0.02),
        "privacy": dn.privacy(answers),
        "attack": dn.attack(answers, replies[answers.names]),
        "regression": dn.regress(design, replies, "leave ~ smokes"),
    }
    for name, each in shown.items():
        html = each._repr_html_()
        assert '<div class="deniable"><style>.deniable {' in html, name
        assert "<svg" in html, name
        ET.fromstring(f"<div>{html}</div>")


def test_a_chart_of_what_is_no_plan_is_refused_in_one_line(design):
    with pytest.raises(dn.DeniableError, match=r"a plan must be what dn\.plan gives, got 'Design'"):
        dn.plot.plan(design)

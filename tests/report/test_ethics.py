"""The page for an ethics board: complete, readable, and nothing but itself."""

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import pyarrow as pa
import pytest

import deniable as dn
from browsing import axe, browser, violations  # noqa: F401
from deniable.report.ethics import ethics_page
from deniable.report.icons import icon_array
from deniable.report.judged import advice_page, attack_page
from laws.family import MEMBERS
from laws.versions_family import EVERY

HOSTILE = '<script>&"'
HEADINGS = [
    "What is asked",
    "What is sent",
    "What can be denied",
    "What a clever collector could find out",
    "How many people it takes",
    "If replies are published after closing",
    "If the same people are asked again",
]
SMOKES, DRINKS = dn.yes_no("smokes", "Do you smoke?"), dn.Question("drinks", ["never", "weekly", "daily"])
ONE = dn.Design([dn.warner(0.8, SMOKES)], title="Health")
WHOLE = dn.Design([dn.draw(dn.epsilon(2), SMOKES, DRINKS, dn.yes_no("leave"), ask=2)], title="Health")


class Tags(HTMLParser):
    """Checks that tags are closed in order, and collects them."""

    def __init__(self):
        super().__init__()
        self.open, self.seen = [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in ("meta", "br", "col"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def tags(page):
    found = Tags()
    found.feed(page)
    assert found.open == []
    return found.seen


@pytest.mark.parametrize("some", [0, 1, 37, 100])
def test_a_hundred_people(some):
    paths = {path.get("class"): path.get("d") for path in ET.fromstring(icon_array(some, "x"))}
    assert paths.get("some", "").count("M") == some
    assert paths.get("rest", "").count("M") == 100 - some


@pytest.mark.parametrize("name", [*MEMBERS, *EVERY])
def test_every_scheme_has_its_page(name):
    made = MEMBERS[name](0.7, 0.3) if name in MEMBERS else EVERY[name](0.7)
    page = ethics_page(made if isinstance(made, dn.Design) else dn.Design([made]))
    seen = tags(page)
    assert not {tag for tag, _ in seen} & {"script", "link", "img", "iframe"}
    assert [heading for heading in HEADINGS if f"<h2>{heading}</h2>" not in page] == []
    assert "nan" not in re.sub("<[^>]*>", " ", page).casefold().split()


def test_figures_of_one_question():
    page = ethics_page(ONE, {"smokes": 0.2})
    assert "Of 100 who send “yes”, about <b>50</b> truly would." in page
    assert "Of 100 who send another answer, about <b>6</b> truly would." in page
    assert "4.0 times as likely" in page
    assert f"{dn.plan(ONE, 0.05).n:,}" in page
    assert "smokes no 80\N{NO-BREAK SPACE}%, yes 20\N{NO-BREAK SPACE}%" in page
    assert "2,000 people" in page


def test_for_whom_a_shuffled_export_holds():
    page = ethics_page(WHOLE)
    assert "does not hold for the collector" in page
    assert "one in 1,000,000" in page
    assert "too few replies for a bound" in page  # 1,000 of epsilon 2
    assert "<td>0.51</td>" in page  # ln(1 + .7616 (.8479 + .0059)) = .501 of 10,000, rounded up
    assert "shuffling does not bound" in ethics_page(dn.Design([dn.clear(SMOKES)]))


def test_no_bound_is_said_first():
    page = ethics_page(dn.Design([dn.warner(0.8, SMOKES, dn.yes_no("leave"))]))
    assert "epsilon is infinite" in page[: page.index("<h2>")]
    assert "a promise that holds (epsilon 2 of the whole reply)" in page
    assert "so it can be denied" not in page[: page.index("<h2>")]


def test_whatever_a_design_says_is_text():
    design = dn.Design([dn.k_ary(0.7, dn.Question(HOSTILE, [HOSTILE, "b", "c"], HOSTILE))], title=HOSTILE)
    assert "script" not in {tag for tag, _ in tags(ethics_page(design))}


def test_advice_and_attack_have_pages():
    found = dn.advise([SMOKES, DRINKS], 2, 1000)
    page = advice_page(found, HOSTILE)
    assert all(name in page for name in found.designs)
    assert found.reasons[0].split()[0] in page
    people = pa.table({"smokes": ["yes", "no", "no"] * 50})
    attacked = dn.attack(ONE, dn.disguise(ONE, people, seed=1), waves=3)
    page = attack_page(attacked, HOSTILE)
    assert "3 waves" in page
    assert f"{attacked.answers.guessed:.1%}" in page
    assert "script" not in {tag for tag, _ in tags(page)}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_read_it(browser, axe, scheme, tmp_path):  # noqa: F811
    (tmp_path / "page.html").write_text(ethics_page(WHOLE), encoding="utf-8")
    page = browser.new_page(viewport={"width": 390, "height": 844}, color_scheme=scheme, bypass_csp=True)
    page.goto((tmp_path / "page.html").as_uri())
    assert violations(page, axe, scheme) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.close()


def test_ways_of_asking_count_the_others_without_the_target():
    """Of four questions one is the target, so there are three others."""
    asked = [dn.yes_no(name) for name in ("leave", "smokes", "drinks", "argues")]
    page = ethics_page(dn.Design([dn.draw(dn.epsilon(2), *asked, always=["leave"], ask=2)], target="leave"))
    assert re.search("leave and [12] of 3 others, drawn in the open", page)
    assert not re.search("others? of", page)
    without = ethics_page(dn.Design([dn.draw(dn.epsilon(2), *asked, ask=2)]))
    assert re.search("[123] of 4 questions, drawn in the open", without)


def test_a_number_under_noise_is_named_where_others_have_a_bound():
    page = ethics_page(dn.Design([dn.gaussian(dn.number("age", 18, 80), privacy=0.5), dn.warner(0.8, SMOKES)]))
    assert "reveals about age (epsilon is infinite)" in page[: page.index("<h2>")]
    assert "of the answers other than age, and all of them" in page
    assert "one set of true answers other than age more than 4.0 times" in page
    assert "Not attacked: age." in page


def test_a_promise_beside_clear_questions_is_one_of_the_disguised():
    page = ethics_page(dn.Design([dn.warner(0.8, SMOKES), dn.clear(dn.yes_no("leave"))]))
    assert "under the same promise (epsilon 1.3863 of the disguised questions)" in page
    assert "true disguised answers more than 4.0 times" in page
    assert "not counted: leave." in page
    assert "Not attacked" not in page
    assert "there is no bound." not in page

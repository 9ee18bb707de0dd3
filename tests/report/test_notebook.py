"""Objects show themselves: in a line at the prompt, as HTML in a notebook."""

import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest

import deniable as dn

EVIL = "<script>alert('x')</script>&\"q\""
MAX_AT_PROMPT = 200


@pytest.fixture(scope="module")
def design():
    """Everything that may be long: many answers, noise, a wide matrix; and words that try to be HTML."""
    many = dn.Question("town", [f"town {place}" for place in range(60)])
    cards = dn.Question("cards", ["a", "b", "c"])
    channels = [
        dn.warner(0.8, dn.yes_no("smokes"), dn.yes_no(EVIL)),
        dn.k_ary(0.7, dn.Question("drinks", ["never", EVIL, "daily"])),
        dn.k_ary(0.9, many),
        dn.lookup(cards, (np.full((3, 3), 0.1) + 0.7 * np.eye(3)).tolist()),
        dn.gaussian(dn.number("age", 18, 80), privacy=1.0),
        dn.interval(dn.number("income", 0, 1000), cuts=[10, 100]),
        dn.clear(dn.Question("region", ["north", "south"])),
    ]
    return dn.Design(channels, target="smokes", title=f"Health {EVIL}")


@pytest.fixture(scope="module")
def small():
    return dn.Design([dn.warner(0.85, dn.yes_no("smokes")), dn.warner(0.85, dn.yes_no(EVIL))], target=EVIL)


@pytest.fixture(scope="module")
def replies(small):
    rng = np.random.default_rng(3)
    smokes = rng.random(3000) < 0.6
    ill = rng.random(3000) < np.where(smokes, 0.9, 0.2)
    people = pd.DataFrame({"smokes": np.where(smokes, "yes", "no"), EVIL: np.where(ill, "yes", "no")})
    return dn.disguise(small, people, seed=5)


@pytest.fixture(scope="module")
def tree(small, replies):
    return dn.TreeClassifier(small, method="inverse").fit(replies[["smokes"]], replies[EVIL])


@pytest.fixture(scope="module")
def shown(design, small, replies, tree):
    return {
        "design": design,
        "privacy": dn.privacy(small),
        "plan": dn.plan(small, 0.02),
        "estimate": dn.estimate(small, replies, "smokes == 'yes'"),
        "confusion": dn.confusion(tree, small, replies),
        "evaluation": dn.evaluation(tree, small, replies),
        "ledger": dn.ledger({"first": small, EVIL: small}, waves=2),
        "advice": dn.advise(small.questions, 2.0, 1000),
        "attack": dn.attack(small, replies),
        "tree": tree,
        "untaught": dn.TreeClassifier(small),
    }


def of_cards():
    """Replies to a lottery with more reports than answers, whose fit can be tested."""
    cards = dn.Design([dn.lookup(dn.yes_no("a"), [[0.7, 0.1], [0.2, 0.3], [0.1, 0.6]], ["x", "y", "z"])])
    return cards, pd.DataFrame({"a": ["x"] * 500 + ["y"] * 240 + ["z"] * 260})


def test_at_the_prompt_everything_is_one_short_line(design, small, replies, shown):
    line = [*design.channels, *design.questions, *shown.values(), shown["tree"].tree_, dn.NaiveBayes(design)]
    line += [dn.association(small, replies, "smokes", EVIL), dn.fit_test(*of_cards())]
    for thing in line:
        assert len(repr(thing)) <= MAX_AT_PROMPT, repr(thing)
    assert all("\n" not in repr(thing) for thing in line if not hasattr(thing, "fit"))


def test_what_is_said_at_the_prompt(shown, replies):
    design = dn.Design([dn.warner(0.8, dn.yes_no("smokes"), dn.yes_no("leave"))], target="leave", title="Health")
    assert repr(design) == "<Design 'Health' of 2 questions: smokes, leave, target leave>"
    assert repr(design.channels[0]) == "<Channel warner, theta = 0.8, on smokes, leave>"
    assert repr(dn.yes_no("smokes")) == "Question('smokes', ['no', 'yes'])"
    assert repr(dn.number("age", 18, 80, cells=5)) == "Question('age', 18 to 80 in 5 cells)"
    assert repr(dn.privacy(design)) == "<Privacy of 2 questions: epsilon infinity, disguised infinity>"
    assert repr(dn.plan(design, replies=1000)).startswith("<Plan: 1,000 replies, margin 0.0")
    assert repr(shown["estimate"]) == f"<Estimate {shown['estimate']}>"
    assert repr(shown["confusion"]).startswith("<Confusion of 2 classes: no, yes; 0.")
    assert repr(shown["evaluation"]) == f"<Evaluation: accuracy {shown['evaluation'].accuracy}>"
    tested = dn.fit_test(*of_cards())
    assert repr(tested) == f"<FitTest {tested}>"
    assert repr(shown["tree"].tree_) == "<Node of 3,000 people: 2 leaves>"
    assert "a leaf>" in repr(shown["tree"].tree_.children[0])


KINDS = [
    "design",
    "privacy",
    "plan",
    "estimate",
    "confusion",
    "evaluation",
    "ledger",
    "advice",
    "attack",
    "tree",
    "untaught",
]


@pytest.mark.parametrize("kind", KINDS)
def test_html_is_well_formed_and_has_no_scripts(shown, kind):
    html = shown[kind]._repr_html_()
    found = list(ET.fromstring(f"<div>{html}</div>").iter())  # every word is escaped, or this would not parse
    assert len(found) > 1
    assert all("script" not in each.tag and not any(name.startswith("on") for name in each.attrib) for each in found)
    assert "<script" not in html
    assert "nan" not in html.lower().split()


def test_html_tells_what_the_object_tells(design, shown):
    assert design.fingerprint in shown["design"]._repr_html_()
    assert all(escaped in shown["design"]._repr_html_() for escaped in ("town 59", "&lt;script&gt;"))
    assert dn.privacy(design).questions[-1].sentence in dn.privacy(design)._repr_html_()
    assert f"{shown['plan'].n:,}" in shown["plan"]._repr_html_()
    assert f"<td>{shown['estimate'].value:.4f}</td>" in shown["estimate"]._repr_html_()
    assert "too few" in dn.Estimate(0.5, 0.2, 0.1, 0.9, 10, "inverse", 0.4)._repr_html_()
    for cell in shown["confusion"].cells.values():
        assert f"{cell.value:.4f} ± {cell.stderr:.4f}" in shown["confusion"]._repr_html_()


def test_a_tree_shows_its_picture_instead_of_a_diagram(tree, shown):
    bundle = tree._repr_mimebundle_()
    assert bundle == {"text/plain": repr(tree), "text/html": tree._repr_html_()}
    assert '<svg xmlns="http://www.w3.org/2000/svg" class="tree"' in bundle["text/html"]
    assert "<svg" not in shown["untaught"]._repr_html_()

"""Trees as text and pictures: every node told once, with its people and how far they may be off."""

import itertools
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.inference.invert.factored import InverseDesign
from deniable.inference.population.disguised import WeightedSubpopulation
from deniable.learn.columns import QuestionColumns
from deniable.learn.decision_tree import TreeClassifier
from deniable.learn.task import records_of
from deniable.learn.tree.grow import Node
from deniable.learn.tree.node_errors import note_errors
from deniable.learn.tree.splitter import Split
from deniable.report.layout import fitted, room_for
from deniable.report.picture import MAX_BOXES, tree_page, tree_svg
from deniable.report.tree_text import tree_text

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '<script>&"'


def model(tree, questions, classes=("no", "yes")):
    """A fitted tree with these nodes."""
    found = TreeClassifier()
    found.tree_, found.columns_, found.classes_ = tree, QuestionColumns(tuple(questions)), np.array(classes)
    found.target_, found.method_ = "t", "inverse"
    return found


def random_tree(seed, nodes=40):
    """Questions of two to five answers, asked again and again at random places."""
    rng = np.random.default_rng(seed)
    questions = [dn.Question(f"question {k}", [f"answer {cell}" for cell in range(k)]) for k in range(2, 6)]

    def leaf(people):
        counts = people * rng.dirichlet([1, 1])
        return Node(counts, counts / counts.sum(), note="within noise", stderrs=np.array([3.0, 4.0, 5.0]))

    top = leaf(10_000)
    leaves, made = [top], 1
    while made < nodes:
        node = leaves.pop(rng.integers(len(leaves)))
        place = int(rng.integers(len(questions)))
        size = len(questions[place])
        node.split, node.note = Split(place, tuple((cell,) for cell in range(size)), 0.1), ""
        node.children = [leaf(each) for each in node.counts.sum() * rng.dirichlet([1] * size)]
        leaves, made = leaves + node.children, made + size
    return model(top, questions), made


def boxes_of(svg):
    """Left, top, right and bottom of every node's box."""
    rects = [rect for rect in ET.fromstring(svg).iter(f"{SVG}rect") if rect.get("class") == "box"]
    sides = [[float(rect.get(key)) for key in ("x", "y", "width", "height")] for rect in rects]
    return [(x, y, x + width, y + height) for x, y, width, height in sides]


@pytest.mark.parametrize("seed", range(12))
def test_every_node_has_a_box_and_no_two_overlap(seed):
    tree, nodes = random_tree(seed)
    svg = tree_svg(tree, None)
    boxes, root = boxes_of(svg), ET.fromstring(svg)
    assert len(boxes) == nodes == len(tree_text(tree).splitlines())
    for one, other in itertools.combinations(boxes, 2):
        assert one[2] < other[0] or other[2] < one[0] or one[3] < other[1] or other[3] < one[1]
    right, bottom = float(root.get("width")), float(root.get("height"))
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    assert all(box[0] > 0 and box[1] > 0 and box[2] < right and box[3] < bottom for box in boxes)


@pytest.mark.parametrize("seed", range(12))
def test_a_wide_tree_begins_with_its_root_at_the_upper_left(seed):
    tree, _ = random_tree(seed)
    svg = tree_svg(tree, None)
    boxes = boxes_of(svg)
    assert (min(box[0] for box in boxes), min(box[1] for box in boxes)) == boxes[0][:2]
    wide, levels = float(ET.fromstring(svg).get("width")), len({box[0] for box in boxes})
    assert wide < 240 * levels
    for path in ET.fromstring(svg).iter(f"{SVG}path"):
        assert not [box for box in boxes if crosses(path.get("d"), box)]


def crosses(line, box):
    """Whether a line of straight pieces goes through a box, beyond its edge."""
    points = [tuple(map(float, point.split())) for point in line.removeprefix("M").split("L")]
    for (x, y), (right, bottom) in itertools.pairwise(points):
        across = min(x, right) < box[2] and max(x, right) > box[0]
        if across and min(y, bottom) < box[3] and max(y, bottom) > box[1]:
            return True
    return False


@pytest.mark.parametrize("most", [1, 5, 20, 60])
def test_large_trees_show_the_nodes_with_most_people_and_say_so(most):
    tree, nodes = random_tree(1, nodes=300)
    svg = tree_svg(tree, most)
    shown = len(boxes_of(svg))
    assert most - 5 < shown <= most
    assert f"{shown} of {nodes} nodes" in ET.fromstring(svg).get("aria-label")
    told = [text.text for text in ET.fromstring(svg).iter(f"{SVG}text") if "not shown" in (text.text or "")]
    assert sum(int(words.split()[0]) for words in told) == nodes - shown
    page = tree_page(tree, "Large")
    assert f"of {nodes} nodes, those with the most people" in page
    assert page.split("<pre>")[1].split("</pre>")[0].count("\n") == nodes - 1


def test_trees_deeper_than_any_recursion_are_told():
    top = node = Node(np.array([9.0, 9.0]), np.array([0.5, 0.5]))
    for _ in range(2000):
        node.split, node.children = Split(0, ((0,), (1,)), 0.1), [Node(node.counts, node.shares) for _ in range(2)]
        node = node.children[0]
    tree = model(top, [dn.yes_no("again")])
    assert len(tree_text(tree).splitlines()) == 4001
    assert len(boxes_of(tree_svg(tree))) == MAX_BOXES


class Elements(HTMLParser):
    """The elements of a page, and what they refer to."""

    def __init__(self, page):
        super().__init__()
        self.met, self.refers = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.met.append(tag)
        self.refers += [value for name, value in attrs if name in ("src", "href", "data", "action")]
        assert not [name for name, _ in attrs if name.startswith("on")]


def test_hostile_names_and_answers_are_words_and_nothing_else():
    questions = [dn.Question(HOSTILE * 20, [HOSTILE, f"{HOSTILE}\x00\x1b\ud800"])]
    leaves = [Node(np.array([1.0, 2.0]), np.array([0.3, 0.7]), note=HOSTILE) for _ in range(2)]
    top = Node(np.array([2.0, 4.0]), np.array([0.3, 0.7]), Split(0, ((0,), (1,)), 0.1), leaves)
    tree = model(top, questions, (HOSTILE, "yes"))
    tree.target_ = HOSTILE
    page = tree_page(tree, HOSTILE)
    page.encode("utf-8")
    elements = Elements(page)
    assert "script" not in elements.met
    assert elements.refers == []
    svg = ET.fromstring(tree_svg(tree))
    assert {element.tag.removeprefix(SVG) for element in svg.iter()} == {
        "svg", "style", "path", "text", "title", "g", "rect"
    }  # fmt: skip
    assert svg.get("role") == "img"
    assert HOSTILE in svg.get("aria-label")
    assert HOSTILE in [text.text for text in svg.iter(f"{SVG}text")]
    assert any((HOSTILE * 20) in (title.text or "") for title in svg.iter(f"{SVG}title"))


@pytest.mark.parametrize("words", ["yes", "a long answer " * 9, "W" * 90, "宽" * 90, "é" * 90, " \n spaced  out "])
def test_words_that_have_no_room_end_in_an_ellipsis(words):
    shown = fitted(words, 150, 12)
    assert room_for(shown, 12) <= 150
    whole = " ".join(words.split())
    assert shown == whole or (shown.endswith("…") and len(shown) > 9 and whole.startswith(shown[:-1]))


SURVEY = dn.Design([
    dn.warner(0.8, dn.yes_no("a"), dn.yes_no("b")),
    dn.k_ary(0.8, dn.Question("color", ["red", "green", "blue"])),
    dn.warner(0.85, dn.yes_no("t")),
], target="t")  # fmt: skip
QUESTIONS = [SURVEY.question(name) for name in ("a", "b", "color")]


def population(rng, n):
    a, b, color = rng.random(n) < 0.5, rng.random(n) < 0.4, rng.integers(0, 3, n)
    t = rng.random(n) < 0.2 + 0.3 * a + 0.2 * (color == 2)
    words = np.array(["no", "yes"])
    answers = {"a": words[a * 1], "b": words[b * 1], "color": np.array(["red", "green", "blue"])[color]}
    return pd.DataFrame({**answers, "t": words[t * 1]})


def fixed_tree():
    """A tree over two groups of questions, with a question of the shared draw asked twice on a path."""

    def node(*split):
        question, parts, children = split or (None, (), [])
        return Node(np.ones(2), np.ones(2) / 2, Split(question, parts, 0.1) if split else None, list(children))

    inner = node(1, ((0,), (1,)), [node(), node()])
    return node(0, ((0,), (1,)), [node(), node(2, ((0, 1), (2,)), [inner, node()])])


def with_cells(node, cells=None):
    """Every node, and the true cells of a, b and color that lead to it."""
    cells = cells or [(0, 1), (0, 1), (0, 1, 2)]
    yield node, cells
    for part, child in zip(node.split.parts if node.split else (), node.children, strict=True):
        yield from with_cells(
            child, [part if place == node.split.question else each for place, each in enumerate(cells)]
        )


def reported_tables(replies, surveys):
    """How often each reply occurs, in each of equally many replies to surveys."""
    names = ["a", "b", "color", "t"]
    cells = [pd.Categorical(replies[name], SURVEY.question(name).answers).codes for name in names]
    reported = np.zeros((surveys, 2, 2, 3, 2))
    np.add.at(reported, (np.repeat(np.arange(surveys), len(replies) // surveys), *cells), 1)
    return reported


def true_table(reported):
    """The estimated table of true answers by plain matrix inversion, one group after the other."""
    both, color, t = [np.linalg.inv(channel.matrix()) for channel in SURVEY.channels]
    return np.einsum("xr,ys,zu,rsu->xyz", both, color, t, reported.reshape(4, 3, 2)).reshape(2, 2, 3, 2)


def test_standard_errors_are_how_far_counts_spread_from_survey_to_survey(figure):
    """300 surveys of 400 people each; a spread seen 300 times is known to 4 %."""
    tree, found, stated, asked = fixed_tree(), [], [], [*QUESTIONS, SURVEY.question("t")]
    replies = dn.disguise(SURVEY, population(np.random.default_rng(0), 300 * 400), seed=0)  # of all surveys
    every, inverse = list(np.indices((2, 2, 3, 2), dtype=np.int8).reshape(4, -1)), InverseDesign.of(SURVEY, asked)
    for reported in reported_tables(replies, 300):
        records = records_of(SURVEY, asked, every, reported.ravel())
        note_errors(tree, WeightedSubpopulation.root(records, inverse))
        table = true_table(reported)
        counts = [table[np.ix_(*cells, (0, 1))].sum(axis=(0, 1, 2)) for _, cells in with_cells(tree)]
        found.append([[*each, each.sum()] for each in counts])
        stated.append([node.stderrs**2 for node, _ in with_cells(tree)])
    seen, told = np.std(found, axis=0, ddof=1), np.sqrt(np.mean(stated, axis=0))
    assert seen[0, -1] == pytest.approx(0, abs=1e-6)  # all were asked
    assert told[0, -1] == pytest.approx(0, abs=1e-4)
    ratio = np.delete((told / np.maximum(seen, 1e-9)).ravel(), 2)
    figure("standard errors at a tree's nodes, stated / seen", f"{ratio.min():.2f} to {ratio.max():.2f}")
    assert ratio == pytest.approx(1, abs=0.15)


@pytest.fixture(scope="module")
def replies():
    return dn.disguise(SURVEY, population(np.random.default_rng(4), 5000), seed=5)


def grown(replies, design=SURVEY, **settings):
    return TreeClassifier(design, **settings).fit(replies[["a", "b", "color"]], replies["t"])


def test_modelled_trees_tell_the_errors_of_unbiased_counts(replies):
    pairs, inverse = grown(replies, method="pairs"), grown(replies, method="inverse")
    assert pairs.tree_.stderrs == pytest.approx(inverse.tree_.stderrs)
    assert len(tree_text(pairs).splitlines()) > 3
    assert "the standard error of the unbiased estimate at that node" in tree_page(pairs, "Pairs")
    assert "the standard error of the unbiased estimate at that node" not in tree_page(inverse, "Inverse")


@pytest.mark.parametrize("design", [SURVEY, None], ids=["replies taken for the truth", "undisguised"])
def test_without_a_lottery_errors_are_those_of_sampling(replies, design):
    tree = grown(replies, design, method="none" if design else "auto")
    for node in (tree.tree_, *tree.tree_.children):
        counts = np.array([*node.counts, node.counts.sum()])
        assert node.stderrs == pytest.approx(np.sqrt(counts * (1 - counts / 5000)), abs=1e-4)


def test_counts_and_errors_stand_in_text_and_picture(replies):
    tree = grown(replies, method="inverse", criterion="gini")
    svg, text = tree_svg(tree), tree_text(tree)
    shown = [element.text for element in ET.fromstring(svg).iter(f"{SVG}text")]
    for node in (tree.tree_, *tree.tree_.children):
        for people, stderr in zip(node.counts, node.stderrs[:-1], strict=True):
            assert f"{people:,.0f} ± {stderr:,.0f}" in shown
    for node in tree.tree_.children:
        assert f"about {node.counts.sum():,.0f} ± {node.stderrs[-1]:,.0f} people" in text
        assert f"{node.counts.sum():,.0f} ± {node.stderrs[-1]:,.0f} people" in shown


def test_where_errors_are_unknown_none_are_told():
    """A group so large that its inverse cannot be written out."""
    names = list("abcdefgh")
    three = [dn.Question(name, ["x", "y", "z"]) for name in names]
    design = dn.Design([dn.k_ary(0.9, *three), dn.warner(0.9, dn.yes_no("t"))], target="t")
    rng = np.random.default_rng(6)
    people = pd.DataFrame(rng.choice(["x", "y", "z"], (4000, 8)), columns=names)
    people["t"] = np.where(people["a"] == "x", "yes", "no")
    replies = dn.disguise(design, people, seed=7)
    tree = TreeClassifier(design, method="pairs").fit(replies[names], replies["t"])
    assert tree.tree_.stderrs is None
    assert "±" not in tree_text(tree) + tree_page(tree, "Unknown")
    assert "no standard error is available" in tree_page(tree, "Unknown")

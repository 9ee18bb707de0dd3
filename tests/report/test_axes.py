"""What stands at the ticks of an axis is the value that is drawn there, and no two ticks say the same."""

import re

import numpy as np
import pandas as pd
import pytest
import vl_convert

import deniable as dn
from deniable.count.replies import counts_of
from deniable.inference.reconstruct import reconstruction
from deniable.papers.studies import STUDIES
from deniable.report.bars import Bar, columns, height_words
from deniable.report.charts import bars, curves
from deniable.report.distribution import chart as distribution
from papers.worlds import TRUE
from sizes import in_short

PIXEL = 0.6  # a tick stands at most this far from where its label belongs


def panels_of(chart):
    """Every panel: its specification, its rows, and how Vega lays it out."""
    spec = chart.to_dict()
    (root,) = vl_convert.vegalite_to_scenegraph(spec)["scenegraph"]["items"]
    scenes = [
        item for mark in root["items"] if (mark.get("name") or "").startswith("concat_") for item in mark["items"]
    ]
    panels = spec.get("concat", [spec])
    for panel, scene in zip(panels, scenes or [root], strict=True):
        layer = panel["layer"][0] if "layer" in panel else panel
        data = (layer.get("data") or panel.get("data") or spec["data"])["name"]
        yield layer["encoding"], pd.DataFrame(spec["datasets"][data]), scene


def labels_of(scene, orient):
    """The words at the ticks of an axis, and where they stand."""
    texts = [
        text
        for mark in scene["items"]
        for axis in mark["items"]
        if mark.get("role") == "axis" and axis["orient"] == orient
        for each in axis["items"]
        if each["role"] == "axis-label"
        for text in each["items"]
    ]
    return [(text["text"], text["x" if orient == "bottom" else "y"]) for text in texts]


def places_of(node, across):
    """Where the points, lines and bars of a panel are."""
    if node.get("marktype") in ("symbol", "line", "rect") and node.get("role") == "mark":
        return [item["x" if across else "y"] for item in node["items"] if item.get("defined", True)]
    return [place for item in node.get("items", []) for place in places_of(item, across)]


def value(text):
    """A label as a number: it has a true minus, and commas between thousands."""
    return float(text.replace("\N{MINUS SIGN}", "-").replace(",", ""))


def axes_are_true(chart):
    """Labels of every axis are distinct, and each says what is drawn at its place; how many axes there were."""
    checked = 0
    for encoding, rows, scene in panels_of(chart):
        names = {way: encoding[way]["field"].replace("\\", "") for way in ("x", "y")}
        drawn = rows.dropna(subset=list(names.values()))
        for way, orient in (("x", "bottom"), ("y", "left")):
            labels = labels_of(scene, orient)
            assert len({text for text, _ in labels}) == len(labels) > 0
            if encoding[way]["type"] == "nominal":
                assert [text for text, _ in labels] == list(dict.fromkeys(drawn[names[way]]))
            elif len(drawn):
                places = sorted(places_of(scene, way == "x"), reverse=way == "y")
                lies_where_it_says(labels, drawn[names[way]], places[0], places[-1])
            checked += 1
    return checked


def lies_where_it_says(labels, values, first, last):
    """The least and the greatest value and their places give the scale; a label that is off it is wrong."""
    low, high = values.min(), values.max()
    if abs(last - first) < 1e-6:
        assert [value(text) for text, _ in labels] == pytest.approx([low], rel=1e-5)
        return
    for text, place in labels:
        assert first + (value(text) - low) / (high - low) * (last - first) == pytest.approx(place, abs=PIXEL), text


@pytest.mark.parametrize("study", in_short(STUDIES, "zhan-matwin"))
def test_every_axis_of_every_study_says_what_is_drawn(study):
    charts = STUDIES[study].charts(TRUE[study].results(2))
    assert sum(axes_are_true(chart) for chart in charts.values()) >= 2 * len(charts)


@pytest.mark.parametrize("only", [0.8, 0.51, 0.0, 1.0, -0.25, 12.5, 50_000.0, 3.2e-7])
def test_an_axis_of_one_value_says_that_value(only):
    frame = pd.DataFrame({"theta": [only, only], "accuracy": [only, only], "method": ["a", "b"]})
    ((_, _, scene),) = panels_of(curves(frame, "theta", "accuracy", "method"))
    for orient in ("bottom", "left"):
        ((text, _),) = labels_of(scene, orient)
        assert value(text) == only


def test_means_that_differ_in_their_last_bit_are_one_value():
    frame = pd.DataFrame({"theta": [0.1, 0.2], "accuracy": [0.785, 0.785 + 2**-52], "method": "a"})
    ((_, _, scene),) = panels_of(curves(frame, "theta", "accuracy", "method"))
    assert [text for text, _ in labels_of(scene, "left")] == ["0.785"]


def test_levels_and_error_bars_make_room_around_a_single_value():
    frame = pd.DataFrame({"theta": [0.8], "accuracy": [0.7], "method": ["a"], "stderr": [0.05]})
    levels = pd.DataFrame({"accuracy": [0.9], "method": ["b"]})
    ((_, _, scene),) = panels_of(curves(frame, "theta", "accuracy", "method", error="stderr", levels=levels))
    said = [value(text) for text, _ in labels_of(scene, "left")]
    assert min(said) <= 0.6
    assert max(said) >= 0.9


def test_long_answers_are_told_apart_at_their_ticks():
    answers = [f"{'once upon a time there was somebody who said ' * 2}{word}" for word in ("yes", "no")]
    frame = pd.DataFrame({"said": answers, "share": [0.0, 0.0], "shares": "reported"})
    chart = bars(frame, "said", "share", "shares")
    assert axes_are_true(chart) == 2
    for mark in re.findall(r"<text[^>]*>([^<]*)</text>", vl_convert.vegalite_to_svg(chart.to_dict())):
        assert "\N{HORIZONTAL ELLIPSIS}" not in mark


@pytest.mark.parametrize("scale", [1e-3, 1, 1e5])
def test_every_axis_of_a_distribution_says_what_is_drawn(scale):
    age = dn.number("age", 18 * scale, 80 * scale, cells=9)
    drinks = dn.Question("drinks", ["never", "weekly", "daily"])
    design = dn.Design([dn.gaussian(age, privacy=0.5), dn.k_ary(0.7, drinks)])
    rng = np.random.default_rng(1)
    people = pd.DataFrame({"age": rng.uniform(18, 80, 500) * scale, "drinks": rng.choice(drinks.answers, 500)})
    replies = dn.disguise(design, people, seed=2)
    for name, by in (("age", None), ("age", "drinks"), ("drinks", None)):
        found = reconstruction(design, counts_of(design, replies), name, by)
        assert axes_are_true(distribution(found)) == 2 * len(found.groups)


def test_columns_of_the_dashboard_say_different_words_at_every_tick():
    shown = [Bar(0.1, 0.05, 0.15, label=f"{low} to {low + 9}") for low in range(18, 98, 10)]
    words = re.findall(r"<text[^>]*>([^<]*)</text>", columns(shown, "age"))
    assert len(set(words)) == len(words) == 4
    assert set(words) <= {bar.label for bar in shown}


@pytest.mark.parametrize(("edges", "words"), [((0, 5, 10), "% of people in each interval"),
                                              ((18, 25, 30), "% of people for each 5 of age"),
                                              ((0, 1, 3), "% of people for each 1 of age")])  # fmt: skip
def test_the_height_of_columns_has_one_wording(edges, words):
    assert height_words(edges, "age") == words
    half = Bar(0.5, 0.4, 0.6)
    assert words in columns([half, half], "How age is spread", edges, name="age")

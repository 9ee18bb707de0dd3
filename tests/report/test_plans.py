"""Plans as pages: every figure told once, nothing from elsewhere, and words that cannot break out."""

import re
import xml.etree.ElementTree as ET

import pytest

import deniable as dn
from deniable.report.page import document
from deniable.report.plans import plan_page

HOSTILE = '<script>&"'
A, C = dn.yes_no("smokes"), dn.Question("drinks", ["never", HOSTILE, "daily"])
DESIGN = dn.Design([dn.warner(0.8, A), dn.k_ary(0.7, C), dn.clear(dn.number("age", 18, 80))])
PLANS = {
    "margin": {"margin": 0.02},
    "replies": {"replies": 777},
    "one": {"margin": 0.02, "expression": "smokes == 'yes'"},
    "power": {"difference": 0.05, "power": 0.8},
    "power of replies": {"replies": 2000, "difference": 0.05},
    "table": {"margin": 0.05, "table": ["smokes", "drinks"]},
    "few": {"replies": 1},
    "mean": {"margin": 2, "mean": "age", "sd": 10},
    "mean of numbers that are all alike": {"replies": 100, "mean": "age", "sd": 1e-9},
}


@pytest.mark.parametrize("wanted", PLANS.values(), ids=PLANS)
def test_a_page_shows_what_each_figure_needs(wanted):
    found = dn.plan(DESIGN, **wanted)
    page = plan_page(found, "Health")
    assert f"{found.n:,}" in page
    for row in found.questions:
        assert f"{row.n:,}" in page
        assert (f"{row.margin:.4f}" if row.power is None else f"{row.power:.4f}") in page
    assert "<script" not in page
    assert not re.search(r"(src|href)=|@import|url\(", page)
    assert len(page) < len(document("", "")) + 60_000


@pytest.mark.parametrize("wanted", PLANS.values(), ids=PLANS)
def test_its_pictures_are_drawn_within_their_frames(wanted):
    page = plan_page(dn.plan(DESIGN, **wanted), "")
    (svg,) = re.findall(r'<svg class="curve".*?</svg>.*?</svg>', page, flags=re.DOTALL)
    picture = ET.fromstring(svg)
    assert picture.get("aria-label")
    path = next(each for each in picture.iter() if each.tag.endswith("path")).get("d")
    points = [tuple(map(float, point.split(","))) for point in path.removeprefix("M").split()]
    assert all(0 <= x <= 100 and -1e-6 <= y <= 100 for x, y in points)
    heights = [y for _, y in points]
    assert heights == sorted(heights, reverse="difference" in wanted)  # less margin, more power, from left to right


def test_the_command_writes_it(tmp_path, monkeypatch):
    from deniable.cli.main import run

    monkeypatch.chdir(tmp_path)
    DESIGN.save("design.toml")
    with pytest.raises(SystemExit) as ended:
        run(["plan", "design.toml", "smokes == 'yes'", "--replies", "500", "--html", "plan.html"])
    assert not ended.value.code
    assert "500" in (tmp_path / "plan.html").read_text(encoding="utf-8")

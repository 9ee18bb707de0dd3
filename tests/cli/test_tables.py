"""Tables in narrow terminals: rows stay readable, and no figure is cut."""

import pytest

from deniable.cli.show import print_table

HEADS = ["expression", "share", "stderr", "95 % interval", "n", "method", "note"]
LONG = "numbers under noise: reconstructed region by region, interval widened for what misses"
BOTH = "smokes == 'yes' and drinks == 'daily'"


def row(expression: str, note: str = "") -> tuple[object, ...]:
    return expression, 0.1234, 0.0567, "-0.1000 to 0.2000", 1_234_567, "inverse", note


@pytest.fixture
def printed(monkeypatch, capsys):
    def at(width: int, rows: list[tuple[object, ...]], heads: list[str] = HEADS) -> list[str]:
        monkeypatch.setenv("COLUMNS", str(width))
        print_table("", heads, rows)
        return [line.rstrip() for line in capsys.readouterr().out.splitlines() if line.strip()]

    return at


@pytest.mark.parametrize("width", [40, 60, 72, 80, 90, 100, 120])
def test_no_figure_is_ever_cut(printed, width):
    lines = printed(width, [row("stress == 'never'", "rough"), row(BOTH, LONG)])
    for figure in ("0.1234", "0.0567", "-0.1000 to 0.2000", "1,234,567", "inverse"):
        assert sum(figure in line for line in lines) == 2
    assert all(len(line) <= width for line in lines if not line.startswith("["))


def test_each_share_has_one_line_at_80_columns(printed):
    lines = printed(80, [row("stress == 'weekly'"), row("stress == 'daily'")])
    assert len(lines) == 4
    assert "note" not in lines[0]


def test_long_notes_stand_below(printed):
    lines = printed(80, [row("team == 'field'", LONG), row("smokes == 'yes'"), row("leave == 'no'", LONG)])
    assert len(lines) == 6
    assert [line.split()[-1] for line in lines[2:5]] == ["[1]", "inverse", "[1]"]
    assert lines[5] == f"[1] {LONG}"


def test_a_note_on_all_rows_stands_below_once(printed):
    lines = printed(80, [row("stress == 'daily'", LONG), row("smokes == 'yes'", LONG)])
    assert lines[0].split()[-1] == "method"
    assert lines[-1] == f"note: {LONG}"


def test_words_fold_between_words(printed):
    lines = printed(80, [row(BOTH)])
    assert [line.split("  ")[0].strip() for line in lines[2:]] == ["smokes == 'yes' and", "drinks == 'daily'"]


def test_rows_become_lists_where_columns_do_not_fit(printed):
    lines = printed(45, [row("smokes == 'yes'", "rough")])
    assert lines[0].split() == ["expression", "smokes", "==", "'yes'"]
    assert lines[-1].split() == ["note", "rough"]


def test_heads_of_several_words_fold_first(printed):
    lines = printed(40, [("never", 0.5, 0.25)], ["answer", "share of those who smoke", "share of all others"])
    assert lines[-1].split() == ["never", "0.5000", "0.2500"]
    assert len(lines) > 3


def test_what_fits_is_printed_as_ever(printed):
    assert printed(100, [row("smokes == 'yes'")])[0].split() == [
        "expression", "share", "stderr", "95", "%", "interval", "n", "method", "note",
    ]  # fmt: skip

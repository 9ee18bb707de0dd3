"""`deniable plan` says on the command line what `dn.plan` says in Python."""

import pytest

import deniable as dn

SHARES = {"harassed": 0.1, "drinks": [0.2, 0.5, 0.3]}
ASKED = {
    "--margin 0.02 --share harassed=0.1 --share drinks=0.2,0.5,0.3": {"margin": 0.02, "share": SHARES},
    "--margin 0.02 --share 0.1": {"margin": 0.02, "share": 0.1},
    "--replies 300 --share harassed=0.25 --difference 0.05": {
        "replies": 300, "share": {"harassed": 0.25}, "difference": 0.05},
    "--difference -0.05 --power 0.9 --confidence 0.9": {"difference": -0.05, "power": 0.9, "confidence": 0.9},
    "\"harassed == 'yes'\" --given \"drinks == 'daily'\" --margin 0.1": {
        "margin": 0.1, "expression": ["harassed == 'yes'"], "given": "drinks == 'daily'"},
    "\"harassed == 'yes'\" \"drinks != 'never'\" --replies 900": {
        "replies": 900, "expression": ["harassed == 'yes'", "drinks != 'never'"]},
    "--table harassed --table drinks --margin 0.05": {"margin": 0.05, "table": ["harassed", "drinks"]},
    "--mean age --sd 12 --margin 1": {"margin": 1, "mean": "age", "sd": 12},
}  # fmt: skip


@pytest.fixture
def design(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = dn.Design([
        dn.forced(1 / 6, 1 / 6, dn.yes_no("harassed")),
        dn.k_ary(0.7, dn.Question("drinks", ["never", "weekly", "daily"])),
        dn.gaussian(dn.number("age", 18, 80), privacy=0.5),
    ])  # fmt: skip
    found.save("design.toml")
    return dn.Design.load("design.toml")


@pytest.mark.parametrize(("words", "same"), ASKED.items(), ids=ASKED)
def test_options_are_arguments(design, deniable, words, same):
    found = dn.plan(design, **same)
    assert deniable(f"plan design.toml {words} --json").json == found.to_json()
    shown = deniable(f"plan design.toml {words}").out
    assert f"{found.n:,} replies" in shown
    assert ("power" in shown) == ("difference" in same)


@pytest.mark.parametrize("share", [True, "wide", {"harassed": "wide"}, {"harassed": True}, {"harassed": [0.5]}, -0.1,
                                   {"drinks": 1.5}, float("nan")])  # fmt: skip
def test_shares_that_are_none_are_refused(design, share):
    with pytest.raises(dn.DeniableError, match="share"):
        dn.plan(design, 0.02, share=share)

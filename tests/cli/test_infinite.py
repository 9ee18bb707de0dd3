"""What is infinite is a word in JSON, and has its sign."""

import json

import pandas as pd

import deniable as dn
from deniable.cli.arguments import WITHOUT_NOISE
from deniable.learn.methods import METHODS


def test_a_difference_without_error_has_an_infinite_z_with_its_sign(tmp_path, monkeypatch, deniable):
    monkeypatch.chdir(tmp_path)
    design = dn.Design([dn.clear(dn.yes_no("a"), dn.yes_no("b"))])
    design.save("clear.toml")
    pd.DataFrame({"a": ["no", "yes"] * 40, "b": ["yes", "no"] * 40}).to_csv("replies.csv", index=False)
    told = deniable("difference clear.toml replies.csv \"b == 'yes'\" \"a == 'yes'\" \"a == 'no'\" --json")
    (found,) = json.loads(told.out)
    assert (found["z"], found["p"]) == ("-infinity", 0)


def test_the_commands_know_which_methods_take_no_number_under_noise():
    """Without loading what learns, which takes longer than most commands."""
    assert set(WITHOUT_NOISE) == {name for name, each in METHODS.items() if each.corrected and not each.for_numbers}

"""Lotteries that respondents draw by themselves: the same channel, another promise."""

import inspect
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

import deniable as dn
from deniable.channel.channel import Channel, Recipe
from deniable.channel.files import READERS
from deniable.errors import BadDesignFile, BadGroup, BadRequest, NothingLeft
from laws.family import A, B, C, chance, chances_of_each, drawn, members_where

BY_HAND = {scheme for scheme, reader in READERS.items() if "drawn_by" in inspect.signature(reader).parameters}
members_by_hand = members_where(lambda channel: channel.recipe.scheme in BY_HAND)
COMPUTED = dn.computed("late", "hours > 1")


def by_hand(channel: Channel) -> Channel:
    """The same lottery, drawn by respondents."""
    settings = {**channel.recipe.settings, "drawn_by": "respondent"}
    return replace(channel, recipe=Recipe(channel.recipe.scheme, settings))


def drawn_by(who: str, channel: Channel) -> Channel:
    """The same scheme as a design file would have it; a harmless question decides only where people draw."""
    settings = {key: value for key, value in channel.recipe.settings.items() if key != "harmless"}
    return READERS[channel.recipe.scheme](list(channel.group), **{**settings, "drawn_by": who})


def test_schemes_whose_lottery_can_be_drawn_by_hand():
    assert set(READERS) - BY_HAND == {"clear", "interval", "gaussian", "uniform", "hadamard", "multiply"}


@members_by_hand
@given(chance, chance)
@chances_of_each(60, 20)
def test_only_the_promise_is_another(member, tmp_path_factory, p, q):
    channel = drawn(member, p, q)
    device, hand = dn.Design([drawn_by("device", channel)]), dn.Design([drawn_by("respondent", channel)])
    published = json.loads(hand.to_json())
    assert published["channels"][0].pop("drawn_by") == "respondent"
    published["channels"][0].pop("how", None)
    assert published == json.loads(device.to_json())
    assert "drawn_by" not in device.to_json()
    assert hand.fingerprint != device.fingerprint
    assert np.array_equal(hand.channels[0].matrix(), device.channels[0].matrix())
    path = tmp_path_factory.mktemp("designs") / "design.toml"
    hand.save(path)
    assert 'drawn_by = "respondent"' in path.read_text()
    again = dn.Design.load(path)
    assert again == hand
    assert again.fingerprint == hand.fingerprint


@members_by_hand
def test_figures_are_the_same_and_say_who_draws(member):
    channel = member(0.7, 0.2)
    device, hand = (dn.privacy(dn.Design([drawn_by(who, channel)])) for who in ("device", "respondent"))
    assert (hand.epsilon, hand.questions) == (device.epsilon, device.questions)
    (said,) = [sentence for sentence in hand.sentences if sentence not in device.sentences]
    assert said == (
        f"You draw the lottery of {', '.join(channel.names)} yourself and send what it says; only you know what came "
        "up. All figures hold if respondents follow it."
    )
    assert said in hand.to_json()["note"]


KEYWORDS = {
    "warner": lambda by: dn.warner(0.8, A, B, drawn_by=by),
    "unrelated": lambda by: dn.unrelated(0.8, A, drawn_by=by),
    "forced": lambda by: dn.forced(0.1, 0.2, A, drawn_by=by),
    "k_ary": lambda by: dn.k_ary(0.8, A, drawn_by=by),
    "draw": lambda by: dn.draw(0.8, A, B, drawn_by=by),
    "draw with versions": lambda by: dn.draw(dn.epsilon(1), A, B, C, always=["a"], ask=1, drawn_by=by),
    "lookup": lambda by: dn.lookup(A, [[0.7, 0.2], [0.3, 0.8]], ["red", "black"], drawn_by=by),
    "an arm": lambda by: dn.versions({"x": dn.warner(0.8, A, drawn_by=by), "y": dn.warner(0.7, A)}),
}


@pytest.mark.parametrize("make", KEYWORDS.values(), ids=KEYWORDS)
def test_devices_stand_in_for_respondents(make, tmp_path):
    device, hand = dn.Design([make("device")]), dn.Design([make("respondent")])
    assert device.fingerprint != hand.fingerprint
    hand.save(tmp_path / "design.toml")
    assert dn.Design.load(tmp_path / "design.toml") == hand
    people = pd.DataFrame({name: ["yes", "no", "no"] * 100 for name in ("a", "b", "c")})
    replies = dn.disguise(hand, people, seed=1)
    pd.testing.assert_frame_equal(replies, dn.disguise(device, people, seed=1))
    assert dn.estimate(hand, replies, "a == 'yes'") == dn.estimate(device, replies, "a == 'yes'")


def test_two_arms_that_differ_by_who_draws_are_two():
    arms = {"die": dn.forced(0.1, 0.2, A, drawn_by="respondent"), "device": dn.forced(0.1, 0.2, A)}
    design = dn.Design([dn.versions(arms, column="arm")])
    published = json.loads(design.to_json())["channels"][0]
    assert len(published["lotteries"]) == 1  # which is published once
    assert [each["channels"][0].get("drawn_by") for each in published["versions"]] == ["respondent", None]
    assert "You draw the lottery of a (in the version 'die') yourself" in str(dn.privacy(design))


@pytest.mark.parametrize("scheme", sorted(set(READERS) - BY_HAND))
def test_files_refuse_it_where_nothing_can_be_drawn_by_hand(scheme, tmp_path):
    path = tmp_path / "design.toml"
    path.write_text(
        f'[[question]]\nname = "age"\nrange = [18, 80]\n\n[[channel]]\nscheme = "{scheme}"\ngroup = ["age"]\n'
        'drawn_by = "respondent"\n'
    )
    with pytest.raises(BadDesignFile, match="has drawn_by, but nothing that respondents could draw by hand"):
        dn.Design.load(path)


def test_bad_input_gets_one_line():
    noise = dn.gaussian(dn.number("age", 18, 80), sd=5)
    refused = {
        "drawn_by must be 'device' or 'respondent', got 'me'": lambda: dn.warner(0.8, A, drawn_by="me"),
        "their device works its answer out": lambda: dn.warner(0.8, COMPUTED, drawn_by="respondent"),
        "noise cannot be added by hand": lambda: by_hand(noise),
        "there is nothing to draw": lambda: by_hand(dn.clear(A)),
        "choose another theta$": lambda: dn.warner(0.5, A, drawn_by="respondent"),
    }
    for line, make in refused.items():
        with pytest.raises((BadGroup, BadRequest, NothingLeft), match=line) as error:
            make()
        assert "\n" not in str(error.value)

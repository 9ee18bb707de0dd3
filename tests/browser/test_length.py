"""Replies of one design have one length, in both languages, so the length of what is sent tells nothing."""

import json

import numpy as np
import pyarrow as pa
import pytest

import deniable as dn
from browser.family import designs, node
from browser.visit import Ear, disguise, fill, send
from deniable.channel.length import LONGEST_NUMBER, reply_length
from deniable.collect.reply import MAX_BYTES, ReplyReader
from deniable.device.sending import letters
from deniable.device.vectors import vectors
from deniable.errors import BadRequest

PEOPLE = 400
ODD = dn.Question("Größe “x” \\ 漢字", ('a"b', "c\\d", "a\tb", "\x01", "é", "漢字", "😀", "n", "x\u2028y"))
FINE = dn.number("fine", -1e-6, 2e-6, omit=True)


def many():
    """The whole family, and words and numbers that are hard to spell."""
    channels = [dn.k_ary(0.5, ODD), dn.gaussian(FINE, privacy=1), dn.clear(dn.number("far", -1e22, 1e22))]
    hard = dn.Design(channels, check_text=False)  # as surveys of version 0.1 may be: a line separator is refused since
    tiny = dn.Design([dn.k_ary(0.5, dn.number("n", 0, 3, integer=True, cuts=[1, 2], omit=True))])
    return {**designs(), "hard to spell": hard, "shorter than null": tiny}


def every_report(design):
    """Replies in which each question is told in all of its words, or as extreme numbers, or left out."""
    columns = []
    for name in design.columns:
        told = design.reported(name)
        if told.is_number:
            limits = told.range
            found = [limits.low, limits.high, (limits.low + 2 * limits.high) / 3, float(round(limits.high))]
        else:
            found = list(told.answers)
        columns.append(found + [None] * told.omit)
    longest = max(map(len, columns))
    return [[column[place % len(column)] for column in columns] for place in range(longest)]


def answers_in(body):
    """What a reply says; JavaScript writes large numbers without a point."""
    return json.loads(body, parse_int=float)["answers"]


def test_replies_of_one_design_have_one_length_in_both_languages(figure):
    family = many()
    told = {
        name: vectors(design, PEOPLE, place)["reported"] + every_report(design)
        for place, (name, design) in enumerate(family.items())
    }
    pages = node("lengths.mjs", given=[[family[name].to_json(), replies] for name, replies in told.items()])
    bare = 0
    for (name, replies), page in zip(told.items(), pages, strict=True):
        design = family[name]
        table = pa.table(dict(zip(design.columns, map(list, zip(*replies, strict=True)), strict=True)))
        bodies = [letter.body for letter in letters(design, table)]
        assert {len(body) for body in bodies} == {reply_length(design)}, name
        assert {each["length"] for each in page["replies"]} == {reply_length(design)}, name
        assert {each["length"] for each in page["followUps"]} == {page["followUps"][0]["length"]}
        bare += len({len(body.rstrip()) for body in bodies}) > 1
        reader = ReplyReader(design)
        texts = [each["text"].encode() for each in page["replies"]]
        for body, text, reply in zip(bodies, texts, replies, strict=True):
            assert answers_in(body) == answers_in(text)
            assert list(answers_in(body).values()) == reply
        for body, text in list(zip(bodies, texts, strict=True))[:PEOPLE]:  # those are what a disguise can report
            assert reader.read(body).values == reader.read(text).values
    assert bare > len(family) / 2  # without the spaces most designs would tell
    figure("designs whose replies have one length each", len(family))


def test_no_number_is_longer_than_the_longest():
    rng = np.random.default_rng(2)
    numbers = np.ldexp(rng.uniform(-1, 1, 20_000), rng.integers(-1000, 1000, 20_000))
    near = rng.uniform(-1, 1, 20_000) * 10.0 ** rng.integers(-8, 23, 20_000)
    given = [*numbers.tolist(), *near.tolist(), -1.2345678901234567e-06, -0.0]
    assert max(len(json.dumps(number)) for number in given) <= LONGEST_NUMBER
    assert node("numbers.mjs", given=given) == LONGEST_NUMBER


def test_the_cap_holds_the_padded_reply():
    asked = [dn.Question(f"q{place} é", ["é" * 40, "no"]) for place in range(20)]
    design = dn.Design([dn.warner(0.8, question) for question in asked])
    ReplyReader(design)
    assert reply_length(design) <= reply_length(design, escaped=True) <= MAX_BYTES
    with pytest.raises(BadRequest, match="16,384 bytes"):
        ReplyReader(dn.Design([dn.warner(0.8, dn.Question("q", ["é" * 2800, "no"]))]))


def test_what_goes_over_the_line_is_equally_long_whatever_was_answered(site, browser, tmp_path):
    design, lengths = site.designs["left out"], set()
    offline = tmp_path / "survey.html"
    offline.write_bytes(site.server.get(f"/survey/{design.fingerprint}/offline.html")[1])
    for address in (site.address("left out"), offline.as_uri()):
        for number in (None, 77.5):
            context = browser.new_context()
            ear, page = Ear(context), context.new_page()
            page.goto(address)
            fill(page, "question-0", number)
            shown = disguise(page)
            send(page)
            assert ear.sent() == [shown]
            (sent,) = [each for each in ear.requests if each.method == "POST"]
            lengths.add((len(shown.encode()), sent.all_headers().get("content-length")))
            context.close()
    assert lengths == {(reply_length(design), str(reply_length(design)))}

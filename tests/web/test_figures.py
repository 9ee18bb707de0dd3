"""What the dashboard shows is what the library says."""

import json
import re
import warnings
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from html import unescape
from pathlib import Path
from secrets import token_bytes

import httpx
import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

import deniable as dn
from deniable.collect.invitation import Trade, new_invitation
from deniable.collect.places import open_store
from deniable.collect.reply import FollowUp
from deniable.collect.second_round import lottery_in, lottery_of, with_lottery, without_lottery
from deniable.collect.store import Arrival, Outcome
from deniable.collect.waiting import release
from deniable.count.counts import Counts, Distinct, tally
from deniable.count.stored import StoreCounts, stored_replies
from deniable.evaluate.score import score
from deniable.inference.every import shares_of
from deniable.inference.poisoning import most_shift
from deniable.learn.load import model_in
from deniable.web import figures, shown
from deniable.web.digits import digits_about
from deniable.web.learnt import learn
from web.desk import Collector, Running, fill, health_design, health_people, serving, set_password

FEW = {"leave": 0.1, "smokes": 0.25, "drugs": 0.5}


def text_of(answer: httpx.Response) -> str:
    """What a page says, without its tags."""
    assert answer.status_code == 200, answer.text
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", answer.text)).split())


def digest_of(answer: httpx.Response) -> str:
    """The model that a page offers to publish."""
    (found,) = re.findall(r'name="digest" value="([0-9a-f]{64})"', answer.text)
    return str(found)


def here(running: Running) -> str:
    (fingerprint,) = running.surveys
    return f"/admin/survey/{fingerprint}"


@pytest.fixture(scope="module")
def collector(running: Running) -> Collector:
    return running.collector()


# ---------------------------------------------------------------- answers


def test_every_share_is_shown_with_its_interval_and_the_reported_one(running: Running, collector: Collector) -> None:
    design = health_design()
    text = text_of(collector.get(here(running)))
    counts = StoreCounts(design, running.store_url)
    for expression in [each for name in ("smokes", "drinks", "hours") for each in shares_of(design.question(name))]:
        found = dn.estimate(design, counts, expression)
        assert f"{shown.percent(found.value)} {shown.interval(found)}" in text, expression
    reported = counts.table([design.question("smokes")]) / counts.n
    assert all(shown.percent(float(share)) in text for share in reported)
    average = dn.mean(design, counts, "age")
    assert f"mean {shown.figure(average.value)} {shown.spread(average)}" in text
    assert "1,500 replies" in text


def test_reported_words_that_are_no_answers_are_told_apart(tmp_path: Path) -> None:
    design = dn.Design(
        [dn.lookup(dn.yes_no("cheats"), [[0.6, 0.1], [0.2, 0.2], [0.2, 0.7]], ["red", "black", "joker"])]
    )
    store = f"sqlite:///{tmp_path}/s.sqlite"
    fill(store, design, pa.table({"cheats": ["no", "yes"] * 100}))
    (said,) = figures.every_question(design, StoreCounts(design, store))
    assert [word for word, _ in said.other_words] == ["red", "black", "joker"]
    assert sum(share for _, share in said.other_words) == pytest.approx(1)
    assert [row.reported for row in said.rows] == [None, None]


def test_too_few_is_said(tmp_path: Path) -> None:
    design, store = health_design(), f"sqlite:///{tmp_path}/s.sqlite"
    set_password(store)
    with serving(store, design) as running:
        collector = running.collector()
        for part in ("", "/tables", "/models", "/promise", "/manage"):
            assert collector.get(here(running) + part).status_code == 200  # before the first reply
        assert "No replies yet" in text_of(collector.get(here(running)))
        assert "no rows" in collector.get(f"{here(running)}/replies.csv").text
        fill(store, design, health_people(7))
        text = text_of(collector.get(here(running)))
        assert "too few replies" in text
        assert "7 replies" in text
        table = collector.get(f"{here(running)}/tables?first=smokes&second=leave").text
        assert '<span class="value">too few</span>' in table
        assert not re.search(r'<span class="value">[^<]*%', table)  # no figure that nobody should quote
        assert "wait for more replies" in text_of(collector.get(f"{here(running)}/models?kind=tree&target=leave"))
        assert "nan" not in text.lower().split()


def test_numbers_that_some_leave_out(tmp_path: Path) -> None:
    """Fakes may all be among those who do not leave the question out."""
    age = dn.number("age", 0, 100, cells=4, omit=True)
    design, store = dn.Design([dn.clear(age), dn.warner(0.8, dn.yes_no("a"))]), f"sqlite:///{tmp_path}/s.sqlite"
    people = pa.table({"age": [10.0, 60.0, None, None] * 50, "a": ["no", "yes"] * 100})
    fill(store, design, people)
    said, other = figures.every_question(design, StoreCounts(design, store))
    assert (said.n, other.n) == (100, 200)
    assert said.rows[0].shifts == pytest.approx((0.02, 0.10))
    assert said.measures[0].shifts == pytest.approx((2.0, 10.0))
    assert other.rows[0].shifts == pytest.approx((0.01 / 0.6, 0.05 / 0.6), rel=1e-6)
    for kind in ("tree", "bayes"):
        found = learn(design, store, kind, "a")
        assert "that leave a number out" in found.accuracy.note


class Streaming:
    """Counts of a store into which replies stream: twice as many whenever somebody looks again."""

    def __init__(self, counts: Counts) -> None:
        self.counted, self.looks = counts, 0

    @property
    def n(self) -> int:
        return self.counted.n

    def distinct(self, names: Sequence[str], answered: bool = True) -> Distinct:
        found, self.looks = self.counted.distinct(names, answered), self.looks + 1
        return Distinct(found.columns, found.counts * 2**self.looks)

    def table(self, questions: Sequence[dn.Question]) -> NDArray[np.float64]:
        return tally(self.distinct([question.name for question in questions]), questions)


def test_the_figures_of_a_question_are_of_one_moment(tmp_path: Path) -> None:
    """Replies that arrive between two looks understate no bound."""
    design, store = health_design(), f"sqlite:///{tmp_path}/s.sqlite"
    fill(store, design, health_people(100))
    streaming = Streaming(StoreCounts(design, store))
    for place, said in enumerate(figures.every_question(design, streaming), start=1):
        assert said.n == 100 * 2**place
        assert {each.estimate.n for each in (*said.rows, *said.measures)} == {said.n}
        if not design.channel(said.question.name).has_noise:
            bound = most_shift(design, shares_of(said.question)[0], 0.01)
            assert said.rows[0].shifts is not None
            assert said.rows[0].shifts[0] == pytest.approx(bound)
    assert streaming.looks == len(design.questions)


def test_every_measure_has_its_note(running: Running, collector: Collector, tmp_path: Path) -> None:
    text = text_of(collector.get(here(running)))
    assert re.search(r"mean, ([\w ]+, ){2}[\w ]+: numbers taken to lie evenly in their intervals", text)  # of hours
    design, store = dn.Design([dn.clear(dn.number("age", 0, 100))]), f"sqlite:///{tmp_path}/s.sqlite"
    fill(store, design, pa.table({"age": [30.0, 40.0, 50.0]}))
    (said,) = figures.every_question(design, StoreCounts(design, store))
    assert [measure.estimate.note for measure in said.measures] == ["too few"] * 4
    enough = tuple(replace(row, estimate=replace(row.estimate, half_width=0.05)) for row in said.rows)
    assert replace(said, rows=enough).grade == "too few for some figures"
    assert replace(said, rows=enough, measures=()).grade == ""
    rough = tuple(replace(row, estimate=replace(row.estimate, half_width=0.2)) for row in said.rows)
    assert replace(said, rows=rough, measures=()).grade == "rough"
    assert said.grade == "too few replies"


def test_bounds_are_never_rounded_down() -> None:
    rng = np.random.default_rng(0)
    for value in [*rng.uniform(0, 0.3, 500), 0.05, 0.017]:
        assert float(shown.at_most(value).removeprefix("± ")) >= 100 * value - 1e-6
    for value in [*(10 ** rng.uniform(-3, 6, 500)), 1.0, 100.0]:
        assert float(shown.bound(value).removeprefix("± ")) >= value * (1 - 1e-6)
    assert shown.at_most(0.05) == "± 5.0"


def test_how_many_more_replies_a_margin_needs(running: Running, collector: Collector) -> None:
    design = health_design()
    text = text_of(collector.get(f"{here(running)}?margin=2"))
    for each in dn.plan(design, 0.02).questions:
        more = max(0, each.n - 1_500)
        assert f"{each.question} {each.n:,} {f'{more:,}' if more else 'reached'}" in text
    assert "depends on their distribution: age" in text
    for nonsense in ("0", "-1", "x", "nan", "inf", "1e9"):
        assert "A margin is a number of percentage points" in text_of(
            collector.get(f"{here(running)}?margin={nonsense}")
        )


def test_cross_table(running: Running, collector: Collector) -> None:
    design = health_design()
    counts = StoreCounts(design, running.store_url)
    for percent in ("row", "column", "all"):
        page = f"{here(running)}/tables?first=drinks&second=smokes&percent={percent}"
        text = text_of(collector.get(page))
        table = dn.table(design, counts, ["drinks", "smokes"], percent=None if percent == "all" else percent)
        for share in table.column("share").to_pylist():
            assert shown.percent(share) in text
        assert str(dn.association(design, counts, "drinks", "smokes")) in text
        assert f"from {shown.replies(counts.n)}" in text
    assert "another one than the first" in text_of(collector.get(f"{here(running)}/tables?first=age&second=age"))
    assert "no question" in text_of(collector.get(f"{here(running)}/tables?first=age&second=weight"))
    assert "18 to" in text_of(collector.get(f"{here(running)}/tables?first=age&second=smokes"))


def test_the_promise_in_plain_words(running: Running, collector: Collector) -> None:
    text = text_of(collector.get(f"{here(running)}/promise"))
    report = dn.privacy(health_design())
    for each in report.questions:
        assert each.sentence in text
    for sentence in report.sentences:
        assert sentence in text
    assert "epsilon infinity" in text
    assert health_design().fingerprint in text


# ---------------------------------------------------------------- models


def published_by(client: httpx.Client, fingerprint: str) -> tuple[str | None, str]:
    """The digest and the text that respondents' devices get."""
    digest = client.get(f"/survey/{fingerprint}/status.json").json()["model"]
    return digest, client.get(f"/survey/{fingerprint}/model.json").text


def test_a_model_whose_nodes_show_no_estimates_says_so(tmp_path: Path) -> None:
    """Of 300 people some 90 % say no; a model draws that towards even."""
    store, rng = f"sqlite:///{tmp_path}/few.sqlite", np.random.default_rng(4)
    people = pa.table({name: np.where(rng.random(300) < share, "yes", "no") for name, share in FEW.items()})
    design = dn.Design([dn.warner(0.8, dn.yes_no(name)) for name in FEW], title="Few", target="leave")
    fill(store, design, people)
    set_password(store)
    with serving(store, design) as running, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        text = text_of(running.collector().get(f"{here(running)}/models?kind=tree&target=leave"))
        noted = learn(design, store, "tree", "leave").model.note_
    assert "the unbiased share of no is" in noted
    assert f"Note: {noted}." in text


@pytest.mark.parametrize("kind", ["tree", "bayes"])
def test_a_model_is_fitted_tested_published_and_taken_back(store_url: str, kind: str, tmp_path: Path) -> None:
    design = health_design()
    fill(store_url, design, health_people(1_500))
    set_password(store_url)
    with serving(store_url, design) as running:
        collector, address = running.collector(), here(running)
        page = collector.get(f"{address}/models?kind={kind}&target=leave")
        text = text_of(page)
        fitted = learn(design, store_url, kind, "leave")
        held_out = stored_replies(design, store_url, held_out=True)
        assert fitted.tested == held_out.num_rows
        assert fitted.trained + fitted.tested == 1_500
        assert 400 < fitted.tested < 600
        for each in (score(fitted.model, design, held_out), fitted.uncorrected, fitted.most_frequent):
            assert f"{shown.percent(each.value)} {shown.interval(each)}" in text
        assert "age" in fitted.model.columns_.names  # a number under noise
        assert ('class="tree"' in page.text) is (kind == "tree")

        form = {"kind": kind, "target": "leave"}
        assert collector.send(f"{address}/publish", **form, digest="0" * 64).status_code == 400
        assert digest_of(page) == fitted.digest
        assert collector.send(f"{address}/publish", **form, digest=fitted.digest).status_code == 303
        digest, model = published_by(collector.client, design.fingerprint)
        assert digest == sha256(model.encode()).hexdigest() != fitted.digest
        assert model == with_lottery(fitted.text, lottery_of(1))
        assert model_in(model).target_ == "leave"  # `deniable predict` reads it
        fitted.model.save(tmp_path / "model.json")
        assert (tmp_path / "model.json").read_text(encoding="utf-8") == without_lottery(model)
        assert design.fingerprint in model
        assert "This very model is published" in text_of(collector.get(f"{address}/models?kind={kind}&target=leave"))
        assert collector.send(f"{address}/publish", **form, digest=fitted.digest, name="\u202eeert").status_code == 400
        assert (
            collector.send(f"{address}/publish", **form, digest=fitted.digest, name=" Spring  <b>").status_code == 303
        )
        named = published_by(collector.client, design.fingerprint)[1]
        assert json.loads(named)["name"] == "Spring <b>"
        assert without_lottery(named) == without_lottery(model)
        text = text_of(collector.get(f"{address}/models?kind={kind}&target=leave"))
        assert "Respondents have the model Spring <b>" in text
        assert "This very model is published" in text
        judged = dn.confusion(fitted.model, design, held_out)
        assert all(f"{shown.share(each)} {shown.interval(each)}" in text for each in judged.cells.values())
        if kind == "bayes":
            taught = stored_replies(design, store_url, held_out=False).to_pandas()
            errors = dn.table(design, taught, ["smokes", "leave"], percent="column")
            smokes = errors.set_index(["smokes", "leave"])["stderr"]
            assert f"± {100 * smokes['yes', 'yes']:.1f} %" in text
        assert collector.send(f"{address}/take-back").status_code == 303
        assert published_by(collector.client, design.fingerprint)[0] is None


def test_what_cannot_be_learnt_is_said(running: Running, collector: Collector) -> None:
    for query in ("kind=forest&target=leave", "kind=tree&target=age", "kind=tree&target=nothing"):
        assert "choose one of them" in text_of(collector.get(f"{here(running)}/models?{query}"))


def test_a_regression_is_that_of_all_replies(running: Running, collector: Collector) -> None:
    query = "outcome=leave&predictor=drinks&predictor=region&predictor=age"
    page = collector.get(f"{here(running)}/models?{query}")
    found = dn.regress(health_design(), running.store_url, "leave ~ drinks + region + age")
    text = text_of(page)
    for each in found.coefficients:
        assert f"{each.label} {each.estimate:.4f} {each.stderr:.4f}" in text
    assert page.text.count("<circle") == len(found.coefficients) - 1
    assert f"n = {found.n:,}, by corrected scores" in text
    both = text_of(collector.get(f"{here(running)}/models?{query}&first=drinks&second=region"))
    assert "drinks[T.weekly]:region[T.east]" in both


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("outcome=leave", "predictors must be one to 12 other questions, got 0"),
        ("outcome=leave&predictor=leave", "predictors must be one to 12 other questions, got 0"),
        ("outcome=leave&predictor=__import__", "a question must be one of smokes, leave"),
        ("outcome=leave~1&predictor=smokes", "a question must be one of smokes, leave"),
        ("outcome=leave&predictor=smokes&first=smokes&second=drinks", "two of the predictors"),
    ],
)
def test_what_cannot_be_explained_is_said(running: Running, collector: Collector, query: str, told: str) -> None:
    assert told in text_of(collector.get(f"{here(running)}/models?{query}"))


def send_digits(store: str, design: dn.Design, model: str, right: int, wrong: int) -> None:
    """What respondents' devices send in the second round."""
    told = [FollowUp(token_bytes(16), token_bytes(32), model, place < right) for place in range(right + wrong)]
    with open_store(store) as opened:
        assert set(opened.keep([Arrival(design.fingerprint, each) for each in told])) == {Outcome.STORED}
        release(opened._database, design.fingerprint, "follow-up")  # as if others had come after them


def test_the_second_round_tells_the_accuracy(store_url: str) -> None:
    design = health_design()
    fill(store_url, design, health_people(600))
    set_password(store_url)
    with serving(store_url, design) as running:
        collector, address = running.collector(), here(running)
        fitted = learn(design, store_url, "bayes", "leave")
        assert digest_of(collector.get(f"{address}/models?kind=bayes&target=leave")) == fitted.digest
        form = {"kind": "bayes", "target": "leave", "digest": fitted.digest}
        refusals = {
            "0": "above 0",
            "-1": "above 0",
            "nan": "at most 4",
            "5": "at most 4",
            "1e-12": "hides",
            "x": "number",
        }
        for name, line in {
            "Who\u200b leaves": "without hidden characters, got",
            "x" * 81: "letters long, got 81",
        }.items():
            refused = collector.send(f"{address}/publish", **form, name=name)
            assert (refused.status_code, line in refused.text) == (400, True), refused.text
        for wrong, line in refusals.items():
            refused = collector.send(f"{address}/publish", **form, epsilon=wrong)
            assert refused.status_code == 400, wrong
            assert line in refused.text
        assert published_by(collector.client, design.fingerprint)[0] is None
        assert collector.send(f"{address}/publish", **form, epsilon="2").status_code == 303
        digest, model = published_by(collector.client, design.fingerprint)
        lottery = lottery_in(model)
        assert lottery is not None
        assert lottery.to_json() == lottery_of(2).to_json()
        assert without_lottery(model) == fitted.text
        text = text_of(collector.get(f"{address}/models"))
        assert "No digits yet" in text
        assert "of the same person have epsilon infinity together" in text  # where people live is asked in the clear
        send_digits(store_url, design, str(digest), 8, 2)
        assert '<td class="value" data-label="estimate">too few</td>' in collector.get(f"{address}/models").text
        send_digits(store_url, design, str(digest), 292, 98)
        text = text_of(collector.get(f"{address}/models"))
        theta = lottery.channels[0].theta
        found = digits_about(design, model, (400, 300)).accuracy
        assert found is not None
        assert found.value == pytest.approx((0.75 - (1 - theta)) / (2 * theta - 1), abs=1e-9)
        assert "300 of 400 disguised digits say that the model was right" in text
        assert f"{shown.percent(found.value)} {shown.percent(found.stderr)} {shown.interval(found)}" in text
        assert "make it look a little too good" in text
        assert "A digit has epsilon 2.0." in text


def test_epsilons_of_a_reply_and_a_digit_add_up() -> None:
    design = dn.Design([dn.warner(dn.epsilon(1.5), dn.yes_no("a")), dn.warner(dn.epsilon(0.5), dn.yes_no("b"))])
    found = digits_about(design, with_lottery("{}", lottery_of(1)), (0, 0))
    assert (found.epsilon, found.epsilon_together, found.accuracy) == (1.0, 3.0, None)


# ---------------------------------------------------------------- running a survey


def test_days_invitations_and_the_index(store_url: str) -> None:
    design = health_design("Night shifts & sleep")
    set_password(store_url)
    with serving(store_url, design) as running:
        collector, address = running.collector(), here(running)
        assert "Night shifts & sleep" in text_of(collector.client.get("/"))
        assert collector.send(f"{address}/schedule", opens="2020-01-01", closes="2020-01-31").status_code == 303
        assert "closed on 2020-01-31" in text_of(collector.get(f"{address}/manage"))
        assert "No survey is open" in text_of(collector.client.get("/"))
        assert collector.send(f"{address}/schedule", opens="2020-02-01", closes="2020-01-31").status_code == 400
        assert collector.send(f"{address}/schedule", opens="soon", closes="").status_code == 400
        assert collector.send(f"{address}/schedule", opens="", closes="").status_code == 303
        assert "open" in text_of(collector.get("/admin"))

        assert collector.send(f"{address}/close").status_code == 303  # at once, whatever the days say
        assert collector.client.get(f"/survey/{design.fingerprint}/status.json").json()["open"] is False
        assert "closed by hand" in text_of(collector.get(f"{address}/manage"))
        assert collector.send(f"{address}/schedule", opens="", closes="").status_code == 303
        assert collector.client.get(f"/survey/{design.fingerprint}/status.json").json()["open"] is True

        answer = collector.send(f"{address}/invite", count="3")
        links = answer.text.split()
        assert "attachment" in answer.headers["content-disposition"]
        with open_store(store_url) as store:
            issued = store.promised(design).fingerprint
        assert issued != design.fingerprint  # nobody had answered, so the survey got keys, and another address
        start = f"{running.url}/survey/{issued}#invitation="
        assert len({link.removeprefix(start) for link in links if link.startswith(start)}) == 3
        assert collector.get(f"{address}/manage").headers["location"] == f"/admin/survey/{issued}/manage"
        address = f"/admin/survey/{issued}"
        assert "3 made, 0 or more of them used" in text_of(collector.get(f"{address}/manage"))
        with open_store(store_url) as store:
            for link in (*links, f"{start}{new_invitation()}"):
                trade = Arrival(issued, Trade("reply", token_bytes(32)), link.removeprefix(start))
                assert store.keep([trade]) == [Outcome.TRADED if link in links else Outcome.NOT_INVITED]
        assert "3 made, all of them used" in text_of(collector.get(f"{address}/manage"))
        for nonsense in ("0", "-1", "x", "", "10001", "١"):
            assert collector.send(f"{address}/invite", count=nonsense).status_code == 400

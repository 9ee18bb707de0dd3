"""Laws of poisoning: no made-up replies move an estimate further than told, and some move it as far."""

from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deniable as dn
from deniable.inference.every import shares_of
from deniable.inference.poisoning import most_mean_shift, most_shift
from laws.family import MEMBERS, Member, chances_of_each, drawn, every_member, members_without_noise

pytestmark = pytest.mark.filterwarnings("ignore:.*whatever the truth")  # fakes may look like fakes
PEOPLE = 200
SLACK = 1e-9


def replies_to(design: dn.Design, rng: np.random.Generator, count: int, skew: float) -> dict[str, list[object]]:
    """Any replies whatever: reports of every kind, the first ones more frequent the larger the skew."""
    found: dict[str, list[object]] = {}
    for question in design.questions:
        reported = design.reported(question)
        if reported.is_number:
            assert reported.range is not None
            found[question.name] = rng.uniform(reported.range.low, reported.range.high, count).tolist()
            continue
        chances = np.exp(-skew * np.arange(len(reported)))
        found[question.name] = rng.choice(reported.answers, count, p=chances / chances.sum()).tolist()
    return found


@every_member
@chances_of_each(20, 4)
@given(p=st.floats(0.05, 0.95), q=st.floats(0.05, 0.95), seed=st.integers(0, 2**32 - 1), fakes=st.sampled_from([2, 10]))
def test_fakes_never_shift_more_than_told(member: Member, p: float, q: float, seed: int, fakes: int) -> None:
    channel = drawn(member, p, q)
    design, rng = dn.Design([channel]), np.random.default_rng(seed)
    honest = replies_to(design, rng, PEOPLE - fakes, rng.uniform(-2, 2))
    one = {name: [column[0]] * fakes for name, column in replies_to(design, rng, 1, 0.0).items()}  # all send the same
    both = pa.table({name: honest[name] + one[name] for name in design.names})
    for question in design.questions:
        if question.range is not None:
            shift = abs(
                dn.mean(design, both, question.name).value - dn.mean(design, pa.table(honest), question.name).value
            )
            assert shift <= most_mean_shift(design, question.name, fakes / PEOPLE) + SLACK
        if channel.has_noise:
            assert most_shift(design, shares_of(question)[0], fakes / PEOPLE) is None
            continue
        for text in shares_of(question):
            bound = most_shift(design, text, fakes / PEOPLE)
            assert bound is not None
            shift = abs(dn.estimate(design, both, text).value - dn.estimate(design, pa.table(honest), text).value)
            assert shift <= bound + SLACK


@pytest.mark.studies
def test_fakes_among_honest_respondents(figure: Callable[[str, object], None]) -> None:
    """All schemes: 1 % and 5 % of fakes who agree on any one report, among people who follow the lottery."""
    rng, ratios = np.random.default_rng(7), []
    for member in MEMBERS.values():
        design = dn.Design([member(0.75, 0.3)])
        people = {
            question.name: rng.choice(question.answers, 1_000).tolist()
            if question.range is None
            else rng.integers(int(question.range.low), int(question.range.high), 1_000, endpoint=True).tolist()
            for question in design.questions
        }
        honest = dn.disguise(design, pa.table(people), seed=3).to_pydict()
        for fakes in (10, 50):
            share = fakes / (1_000 + fakes)
            ratios += [shift / bound for shift, bound in shifts(design, honest, fakes, share)]
    assert max(ratios) <= 1 + SLACK
    figure("poisoning: largest shift by 1 % and 5 % fakes, as a share of the bound told", round(max(ratios), 3))


def shifts(
    design: dn.Design, honest: dict[str, list[object]], fakes: int, share: float
) -> Iterator[tuple[float, float]]:
    """How far fakes who send the same report move each estimate, and how far they may."""
    for question in design.questions:
        reported = design.reported(question)
        if reported.is_number:
            assert reported.range is not None
            reports: list[object] = [reported.range.low, reported.range.high]
        else:
            reports = list(reported.answers)
        for report in reports:
            told = {name: column + column[:fakes] for name, column in honest.items()}
            told[question.name] = honest[question.name] + [report] * fakes
            before, after = pa.table({name: honest[name] for name in design.names}), pa.table(told)
            if question.range is not None:
                moved = dn.mean(design, after, question.name).value - dn.mean(design, before, question.name).value
                yield abs(moved), most_mean_shift(design, question.name, share)
            for text in shares_of(question):
                if (bound := most_shift(design, text, share)) is not None:
                    moved = dn.estimate(design, after, text).value - dn.estimate(design, before, text).value
                    yield abs(moved), bound


@members_without_noise
def test_the_worst_fakes_shift_as_far_as_told(member: Member) -> None:
    """Everybody honest gives the report of least weight, the fakes the one of greatest."""
    design = dn.Design([member(0.7, 0.2)])
    for question in design.questions:
        reported = design.reported(question)
        words = list(reported.answers) if not reported.is_number else list(reported.range.middles)  # type: ignore[union-attr]
        others = {name: replies_to(design, np.random.default_rng(0), 1, 0.0)[name] * 100 for name in design.names}
        for text in shares_of(question):
            alone = [
                dn.estimate(design, pa.table(others | {question.name: [word] * 100}), text).value for word in words
            ]
            least, most = words[int(np.argmin(alone))], words[int(np.argmax(alone))]
            mixed = pa.table(others | {question.name: [least] * 95 + [most] * 5})
            shift = dn.estimate(design, mixed, text).value - min(alone)
            assert shift == pytest.approx(most_shift(design, text, 0.05), abs=1e-9)

"""Heaped numbers: noticed where people round, not where they do not."""

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.count.counts import Distinct
from deniable.inference.heaping import FALSE_ALARMS, heaps_of

AGE, WHOLE = dn.number("age", 18, 80), dn.number("age", 18, 80, integer=True)
SMOOTH = {
    "even": lambda rng, shape: rng.uniform(18, 80, shape),
    "even in a part": lambda rng, shape: rng.uniform(22.5, 57.5, shape),
    "bell": lambda rng, shape: rng.normal(45, 12, shape),
    "two bells": lambda rng, shape: rng.normal(0, 5, shape) + rng.choice([30, 62], shape),
    "steep": lambda rng, shape: 20.5 + rng.exponential(11, shape),
    "skewed": lambda rng, shape: 18 + rng.gamma(2, 9, shape),
    "narrow": lambda rng, shape: rng.normal(40, 4, shape),
}  # fmt: skip
SCHEMES = [(scheme, privacy) for scheme in (dn.gaussian, dn.uniform) for privacy in (0.1, 0.25, 0.5)]
SURVEYS, REPLIES = 20, 2000
NOTE = "people seem to round age to multiples of 10"


def disguised(design, ages, rng):
    """The replies to many surveys at once, by the channel's own table of noise: [survey, reply]."""
    noise, limits = design.channel("age").noise, design.question("age").range
    steps = np.arange(noise.first, noise.last + 1)
    drawn = rng.choice(steps, ages.shape, p=noise.chances / noise.chances.sum())
    return limits.low + (limits.points(np.clip(ages, limits.low, limits.high)) + drawn) * limits.step


def noticed(design, reported):
    """The units that are noticed, one by one."""
    found = (heaps_of(design, Distinct({"age": row}, np.ones(len(row))), design.question("age")) for row in reported)
    return [heaps.unit for heaps in found if heaps is not None]


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda each: f"{each[0].__name__} {each[1]:.0%}")
@pytest.mark.parametrize("question", [AGE, WHOLE], ids=["any number", "whole numbers"])
def test_smooth_truths_raise_no_alarm(scheme, question, figure):
    """140 surveys, of which .14 are expected to raise one at the stated rate; more than two have a chance of 4e-4."""
    rng, alarms = np.random.default_rng(16), 0
    design = dn.Design([scheme[0](question, privacy=scheme[1])])
    for shape in SMOOTH.values():
        ages = shape(rng, (SURVEYS, REPLIES))
        alarms += len(noticed(design, disguised(design, np.rint(ages) if question is WHOLE else ages, rng)))
    figure("heaping: false alarms", f"{alarms} of {SURVEYS * len(SMOOTH)}, stated {FALSE_ALARMS:g} each")
    assert alarms <= 2


@pytest.mark.parametrize(
    ("scheme", "privacy", "replies", "least"),
    [(dn.gaussian, 0.25, 10_000, 0.9), (dn.uniform, 0.25, 1000, 0.9), (dn.uniform, 0.5, 10_000, 0.9),
     (dn.gaussian, 0.5, 10_000, 0.0)],
)  # fmt: skip
def test_ages_in_tens_are_noticed_where_the_noise_leaves_a_trace(scheme, privacy, replies, least, figure):
    """Under Gaussian noise of 50 % the swing is damped to 4e-6: no number of replies would show it."""
    rng = np.random.default_rng(17)
    design = dn.Design([scheme(WHOLE, privacy=privacy)])
    ages = np.rint(rng.normal(45, 12, (SURVEYS, replies)) / 10) * 10
    units = noticed(design, disguised(design, ages, rng))
    figure(
        f"heaping: tens noticed, {scheme.__name__} {privacy:.0%}, {replies:,} replies", f"{len(units) / SURVEYS:.2f}"
    )
    assert len(units) / SURVEYS >= least
    assert set(units) <= {10.0}
    assert units or not least


def test_half_of_the_people_round():
    """The share who round is estimated without bias: the mean of the swing over its damping."""
    rng = np.random.default_rng(18)
    design = dn.Design([dn.uniform(WHOLE, privacy=0.25)])
    ages = rng.uniform(18, 80, (1, 200_000))
    ages = np.where(rng.random(ages.shape) < 0.5, np.rint(ages / 5) * 5, np.rint(ages))
    (row,) = disguised(design, ages, rng)
    found = heaps_of(design, Distinct({"age": row}, np.ones(len(row))), WHOLE)
    assert found.unit == 5
    assert found.share == pytest.approx(0.5, abs=0.1)


def test_figures_of_a_heaped_number_say_so():
    rng = np.random.default_rng(19)
    design = dn.Design([dn.uniform(WHOLE, privacy=0.25), dn.clear(dn.yes_no("smokes"))])
    ages = np.clip(np.rint(rng.normal(45, 12, 3000) / 10) * 10, 18, 80)
    people = pd.DataFrame({"age": ages.astype(int), "smokes": rng.choice(["no", "yes"], 3000)})
    replies = dn.disguise(design, people, seed=20)
    assert NOTE in dn.estimate(design, replies, "age > 50").note
    assert "ask it by interval" in dn.quantile(design, replies, "age", 0.5).note
    assert dn.reconstruct(design, replies, "age")["note"].str.contains(NOTE).all()
    assert dn.table(design, replies, ["age", "smokes"], cuts={"age": [35, 55]})["note"].str.contains(NOTE).all()
    assert NOTE not in dn.estimate(design, replies, "smokes == 'yes'").note
    smooth = dn.disguise(design, people.assign(age=rng.integers(18, 81, 3000)), seed=21)
    assert "round" not in dn.estimate(design, smooth, "age > 50").note
    for learner in (dn.TreeClassifier(design, max_depth=1, stop=None), dn.NaiveBayes(design)):
        model = learner.fit(replies, "smokes")
        assert NOTE in model.note_
        assert NOTE in dn.score(model, design, replies, target="smokes").note
        assert "round" not in dn.score(model, design, smooth, target="smokes").note


@pytest.mark.parametrize("scheme", [dn.gaussian, dn.uniform])
@pytest.mark.parametrize("rest", ["even", "in tens"])
def test_a_pile_on_one_number_is_not_taken_for_rounding(scheme, rest):
    """Half of the people have nothing, and nobody rounds; or a quarter, and all others do."""
    rng, wide = np.random.default_rng(22), dn.number("age", 0, 100)
    design = dn.Design([scheme(wide, privacy=0.1 if scheme is dn.gaussian else 0.25)])
    others = rng.uniform(0, 100, (10, 8000))
    piled = rng.random(others.shape) < (0.5 if rest == "even" else 0.25)
    rows = disguised(design, np.where(piled, 0.0, others if rest == "even" else np.rint(others / 10) * 10), rng)
    units = noticed(design, rows)
    assert len(units) >= 8
    assert set(units) == ({None} if rest == "even" else {10.0})
    words = "many people seem to have the same age" if rest == "even" else NOTE
    assert words in dn.quantile(design, pd.DataFrame({"age": rows[0]}), "age", 0.5).note

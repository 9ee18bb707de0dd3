"""What a regression refuses, or says in words: one line with the way out."""

import warnings

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from regression.people import people

DESIGN = dn.Design(
    [
        dn.warner(0.8, dn.yes_no("x")),
        dn.warner(0.8, dn.yes_no("y")),
        dn.clear(dn.yes_no("g")),
        dn.gaussian(dn.number("age", 18, 80), privacy=0.5),
        dn.k_ary(0.8, dn.Question("kind", ["p", "q", "r"])),
    ]
)


@pytest.fixture(scope="module")
def replies():
    true = people(800)
    found = dn.disguise(DESIGN, true, seed=1)
    rest = {name: true[name].to_numpy() for name in true.columns if name not in found.columns}
    lone = np.where(np.arange(800) == 5, "here", "there")
    return found.assign(**rest, same="n", below=-1.0, none=0.0, lone=lone, double=2 * true.z)


WRONG = {
    "y ~ smoks": "the formula 'y ~ smoks' names 'smoks', which is no question or column; there are",
    "y ~ hors": "names 'hors', which is no question or column; did you mean 'hours'?",
    "yy ~ x": "explains 'yy', which is no question or column; did you mean 'y'?",
    "y": "needs an outcome, one ~ and predictors; write leave ~ smokes + age + smokes:sex",
    "y ~": "needs predictors on its right; write leave ~ smokes + age, or leave ~ 1",
    "~ x": "needs an outcome on its left",
    "y ~ x ~ z": "needs an outcome, one ~ and predictors",
    "y ~ (x": "cannot be read; write leave",
    "y ~ x | z": "cannot be read",
    "y ~ 0": "has no term; write leave ~ smokes, or leave ~ 1",
    "y ~ x[0]": "may hold nothing but arithmetic and functions; the functions are I, C, log",
    "y ~ log(x.__class__)": "may not hold '.__class__'",
    "y ~ open('x')": "calls 'open'; the functions are",
    "y ~ np.load('x')": "may not hold '.load'",
    "y ~ I((lambda: z)())": "may hold nothing but arithmetic and functions",
    "y ~ x.y": "names 'x.y', which is no question or column",
    "y ~ x + y": "explains 'y' by itself; leave it out on the right",
    "same ~ x": "explains what is the same for all replies, 'n'; explain another question",
    "none ~ x": "explains what is the same for all replies, '0'",
    "y ~ x + same": "has 'same', which is the same for all replies; leave it out",
    "y ~ z + double": "has the term 'double', which follows from the other terms; leave it out",
    "y ~ log(z)": "gives terms that are no finite numbers",
    "y ~ center(x)": "has 'center(x)', which depends on true answers that nobody knows; use the question as it is",
    "y ~ log(age)": "has 'log(age)', but 'age' is under noise; use age, I(age**2), and their products with others",
    "y ~ I(age**3)": "but 'age' is under noise",
    "y ~ age:I(age**2)": "but 'age' is under noise",
    "x == 'yes' and y == 'yes' ~ z": "explains several questions at once; compute one question from them",
    "age > 40 ~ x": "explains an interval of a number under noise; write age ~ ...",
    "kind == 's' ~ x": "has no readable outcome: expression \"kind == 's'\", at character 1",
}


@pytest.mark.parametrize("formula", WRONG)
def test_formulas_that_are_refused(replies, formula):
    with pytest.raises(dn.DeniableError) as told:
        dn.regress(DESIGN, replies, formula)
    assert WRONG[formula] in str(told.value)
    assert "\n" not in str(told.value)
    assert told.value.way_out


SAMPLES = [
    ({"weights": "below"}, "the weights in 'below' must be numbers that are not negative, got '-1'"),
    ({"weights": "none"}, "the weights in 'none' must be numbers that are not negative, got 'only zeros'"),
    ({"weights": "same"}, "the weights in 'same' must be numbers, got 'words'; name another column"),
    ({"weights": "wieght"}, "no column 'wieght'; did you mean 'weight'?"),
    ({"weights": "x"}, "how people were drawn must be given by columns in the clear, got 'x'"),
    ({"strata": "lone"}, "a stratum must be at least two people, got 'one person where lone = here'"),
    ({"strata": "lone", "clusters": "village"}, "a stratum must be at least two clusters"),
    ({"clusters": "same"}, "the sample must be at least two clusters, got 'one cluster'; leave the clusters out"),
    ({"errors": "HC3"}, "errors must be one of sandwich, model, opg, got 'HC3'"),
    ({"errors": "model"}, "errors must be 'sandwich' by corrected scores, got 'model'"),
    ({"errors": "model", "weights": "weight"}, "errors must be 'sandwich' with weights, strata or clusters"),
]


@pytest.mark.parametrize(("given", "told"), SAMPLES)
def test_samples_that_are_refused(replies, given, told):
    with pytest.raises(dn.DeniableError, match=r"^[^\n]*$") as refused:
        dn.regress(DESIGN, replies, "y ~ x", **given)
    assert told in str(refused.value)


def test_questions_that_no_version_asks_together():
    y, x, g = dn.yes_no("y"), dn.yes_no("x"), dn.yes_no("g")
    design = dn.Design([dn.draw(dn.epsilon(3), y, x, g, always=["y"], ask=1)])
    replies = dn.disguise(design, people(500), seed=1)
    with pytest.raises(dn.DeniableError, match=r"replies cannot tell .* y, x, g: no version asks all 3 together"):
        dn.regress(design, replies, "y ~ x + g")


def test_separation_is_said_in_words():
    design = dn.Design([dn.clear(dn.yes_no("y"))])
    true = people(400)
    frame = true.assign(tells=np.where(true.y == "yes", "one", "other"))
    found = dn.regress(design, frame, "y ~ tells + z")
    notes = {each.term: each.note for each in found.coefficients}
    assert "no finite estimate (separation)" in notes["tells[T.other]"]
    assert notes["z"] == ""
    assert not found.converged
    assert "no finite estimate" in found.summary()
    assert np.isfinite(found.table[["estimate", "stderr", "z", "p", "low", "high"]].to_numpy()).all()


def test_too_few_replies_for_so_much_disguise():
    design = dn.Design([dn.warner(0.55, dn.yes_no("x")), dn.warner(0.55, dn.yes_no("y"))])
    replies = dn.disguise(design, people(60), seed=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = dn.regress(design, replies, "y ~ x")
    assert all(each.note for each in found.coefficients)
    assert np.isfinite(found.table[["estimate", "stderr", "z", "p", "low", "high"]].to_numpy()).all()


def test_fewer_replies_than_coefficients(replies):
    with pytest.raises(dn.DeniableError, match=r"with \d+ coefficients needs more replies, got 3; collect \d+ or more"):
        dn.regress(DESIGN, replies[:3], "kind ~ g + z")


def test_few_replies_that_leave_coefficients_open():
    design = dn.Design([dn.warner(0.7, dn.yes_no("x")), dn.warner(0.7, dn.yes_no("y"))])
    few = pd.DataFrame({"x": ["no", "no", "yes", "no"], "y": ["no", "yes", "no", "no"]})
    line = "a regression with 2 coefficients needs more replies, got 4; collect 20 or more, or use fewer terms"
    with pytest.raises(dn.DeniableError, match=line):
        dn.regress(design, few, "y ~ x")

"""Regression of true answers on true answers: `dn.regress`."""

from typing import Any, Unpack, get_args

from deniable.channel.design import Design, check_design
from deniable.count.replies import backend_of
from deniable.errors import BadRequest
from deniable.frame.columns import Missing
from deniable.frame.files import Progress
from deniable.inference.sampling.sample import SampleArguments
from deniable.regression.fit import Errors
from deniable.regression.problem import problem_of
from deniable.regression.regression import Regression


def regress(
    design: Design,
    replies: Any,
    formula: str,
    *,
    errors: Errors = "sandwich",
    missing: Missing = "skip",
    **how: Unpack[SampleArguments],
) -> Regression:
    """Regress a true answer on others: `dn.regress(design, replies, "leave ~ smokes + age + smokes:sex")`.

    Names are questions, disguised or not, columns of versions, and other columns of the replies, taken as they are. The
    outcome may have two answers, several (multinomial) or ordered ones (proportional odds), or be a number (linear).
    `weights`, `strata`, `clusters` and `population` say how respondents were drawn. Errors are robust;
    `errors="model"` gives those of the observed information, "opg" those of the outer product of scores (which the R
    package rr uses), where there is a likelihood.
    """
    return regression_of(design, replies, formula, how, errors, missing)


def regression_of(
    design: Design,
    replies: Any,
    formula: str,
    how: SampleArguments,
    errors: Errors = "sandwich",
    missing: Missing = "skip",
    progress: Progress | None = None,
) -> Regression:
    """The same, with a bar wherever replies are read."""
    check_design(design)
    if errors not in get_args(Errors):
        raise BadRequest("errors", f"one of {', '.join(get_args(Errors))}", errors, "choose one of them")
    if errors != "sandwich" and any(each is not None for each in how.values()):
        raise BadRequest("errors", "'sandwich' with weights, strata or clusters", errors, "leave it out")
    parsed, problem = problem_of(design, replies, formula, how, errors, missing, progress)
    fitted = problem.fitted(parsed)
    fitted.check_enough()
    return Regression(parsed, fitted, problem, backend_of(replies))

"""Plan of a survey: the replies that a margin, a power or an accuracy takes: `dn.plan`.

Margins and powers are worked out exactly (`inference.plan`), accuracies of models (`curve`) and coefficients of
regressions (`coefficients`) simulated on a pilot.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from deniable.channel.design import Design
from deniable.errors import BadRequest
from deniable.extras import needed_for
from deniable.inference import plan as figures
from deniable.inference.error import CONFIDENCE
from deniable.inference.plan import Plan
from deniable.inference.planning.truth import Share
from deniable.judge.curve import REPLIES, Curve, learning_curve

if TYPE_CHECKING:
    from deniable.judge.coefficients import CoefficientPlan


@overload
def plan(
    design: Design,
    margin: float | None = None,
    *,
    replies: int | None = None,
    share: Share = None,
    confidence: float = CONFIDENCE,
    expression: str | Sequence[str] | None = None,
    given: str | None = None,
    table: Sequence[str] | None = None,
    mean: str | None = None,
    sd: float | None = None,
    difference: float | None = None,
    power: float | None = None,
    pilot: None = None,
    formula: None = None,
) -> Plan:
    """The replies that figures need, or what so many buy."""


@overload
def plan(
    design: Design,
    *,
    pilot: object,
    replies: int | None = None,
    target: str | None = None,
    accuracy: float | None = None,
) -> Curve:
    """The accuracy of models by the number of replies."""


@overload
def plan(
    design: Design,
    margin: float | None = None,
    *,
    formula: str,
    pilot: object,
    replies: int | None = None,
    confidence: float = CONFIDENCE,
    difference: float | None = None,
    power: float | None = None,
) -> "CoefficientPlan":
    """The replies that a regression's coefficients need, or what so many tell of them."""


def plan(
    design: Design,
    margin: float | None = None,
    *,
    replies: int | None = None,
    share: Share = None,
    confidence: float = CONFIDENCE,
    expression: str | Sequence[str] | None = None,
    given: str | None = None,
    table: Sequence[str] | None = None,
    mean: str | None = None,
    sd: float | None = None,
    difference: float | None = None,
    power: float | None = None,
    pilot: Any = None,
    target: str | None = None,
    accuracy: float | None = None,
    formula: str | None = None,
) -> "Plan | Curve | CoefficientPlan":
    """Respondents needed for a margin, a power or an accuracy, or what so many replies give.

    Holds for the share of any answer to any single question; or of one or several expressions, of every cell of a
    `table`, or for the `mean` of a number of this `sd` (in its own units). With `given`, among those for whom that
    holds. `share` is the share that is expected, or shares by question: {"smokes": 0.1} for the second answer,
    {"drinks": [0.2, 0.5, 0.3]} for each; the worst is taken where it is left out, and `note` says what else is taken
    for granted. With `difference`, the power to find that the true share is `share` + `difference`, two-sided at
    1 - confidence. Shares of numbers under noise are left out: their margin depends on their distribution.

    With a `pilot`, a frame of true answers of people asked in the clear: the accuracy that models of the `target` are
    expected to reach with `replies`, and with a tenth up to ten times as many; and how many `accuracy` takes. With a
    `formula` too: what surveys among the pilot's people tell of a regression's coefficients, and how many replies it
    takes to know them all within a `margin`, or to find them (or a coefficient of `difference`) with a `power`.
    """
    exact = {"share": share, "expression": expression, "given": given, "table": table, "mean": mean, "sd": sd}
    wanted = {"margin": margin, "difference": difference, "power": power}
    models = {"target": target, "accuracy": accuracy}
    if formula is not None:
        _left_out({**exact, **models}, "coefficients are planned")
        return _of_coefficients(design, pilot, formula, replies=replies, confidence=confidence, **wanted)
    if pilot is not None:
        _left_out({**wanted, **exact}, "accuracy is planned on a pilot")
        return learning_curve(design, pilot, target=target, replies=replies or REPLIES, accuracy=accuracy)
    for name, value in models.items():
        if value is not None:
            raise BadRequest(name, "given with a pilot, on which accuracy is simulated", value, "give pilot as well")
    return figures.plan(
        design, margin, replies=replies, share=share, confidence=confidence, expression=expression, given=given,
        table=table, mean=mean, sd=sd, difference=difference, power=power,
    )  # fmt: skip


def _left_out(given: Mapping[str, object], where: str) -> None:
    """Refuse arguments that such a plan does not take."""
    for name, value in given.items():
        if value is not None:
            raise BadRequest(name, f"left out where {where}", value, "plan it by itself")


def _of_coefficients(design: Design, pilot: Any, formula: str, **wanted: Any) -> "CoefficientPlan":
    """A plan of coefficients, among a pilot's people."""
    if pilot is None:
        raise BadRequest("formula", "given with a pilot, among whose people surveys are drawn", formula,
                         "give pilot as well")  # fmt: skip
    with needed_for("a plan of coefficients"):
        from deniable.judge.coefficients import plan_coefficients
    return plan_coefficients(design, pilot, formula, **wanted)

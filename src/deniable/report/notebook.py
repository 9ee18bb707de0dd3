"""Objects as notebooks show them: HTML without scripts, in the notebook's own style.

One function for each kind of object, called through `deniable.notebook`. Whatever stands in a design is escaped.
"""

from typing import TYPE_CHECKING

from deniable.deniability.epsilon import epsilon_word
from deniable.report.designs import HEADS, design_lines, design_rows
from deniable.report.page import escaped, pictured, table

if TYPE_CHECKING:
    from deniable.channel.design import Design
    from deniable.deniability.ledger import Ledger
    from deniable.deniability.privacy import Privacy
    from deniable.evaluate.score import Confusion, Evaluation
    from deniable.inference.estimates import Estimate
    from deniable.inference.plan import Plan
    from deniable.judge.advice import Advice
    from deniable.judge.attack import Attack
    from deniable.judge.coefficients import CoefficientPlan
    from deniable.judge.curve import Curve
    from deniable.learn.decision_tree import TreeClassifier
    from deniable.regression.regression import Regression


def design(shown: "Design") -> str:
    """What is asked, and how it is disguised."""
    *versions, target, fingerprint = design_lines(shown)
    lines = [*versions, f"{target}; {fingerprint}"]
    return _titled(shown.title) + table(HEADS, design_rows(shown)) + "".join(map(_line, lines))


def privacy(shown: "Privacy") -> str:
    """What each respondent can deny, in figures and sentences."""
    heads = ["question", "epsilon", "retention", "sensitive", "surest belief in it", "what it means"]
    rows = [
        (each.name, _figure(each.epsilon), _figure(each.retention), each.sensitive or "-", _figure(each.posterior),
         each.sentence)
        for each in shown.questions
    ]  # fmt: skip
    lines = [
        f"epsilon of a whole reply: {_figure(shown.epsilon)}; of its disguised answers: "
        f"{_figure(shown.epsilon_disguised)}",
        *shown.sentences,
    ]
    believed = [(f"{each.name}: {each.sensitive}", each.posterior) for each in shown.questions if each.posterior]
    picture = _bars("surest belief in the sensitive answer", believed)
    return "".join(map(_line, lines)) + picture + table(heads, rows)


def ledger(shown: "Ledger") -> str:
    """What each survey adds to the epsilon of the same people."""
    rows = [(each.name, _figure(each.epsilon), each.waves, _figure(each.total), each.note) for each in shown.entries]
    heads = ["survey", "epsilon of a reply", "waves", "epsilon in all", "note"]
    return table(heads, rows) + _line(f"together: {_figure(shown.epsilon)}") + _line(shown.sentence)


def plan(shown: "Plan") -> str:
    """How many replies each question needs, and the margin they give."""
    test = [] if shown.power is None else ["power"]
    rows = [
        (each.question, f"{each.n:,}", f"{each.margin:.4f}", *[f"{each.power:.4f}" for _ in test], _figure(each.theta),
         _figure(each.epsilon))
        for each in shown.questions or (shown,)
    ]  # fmt: skip
    from deniable.report.plans import STYLE, plan_curve

    picture = pictured(plan_curve(shown), STYLE)
    return _line(str(shown)) + picture + table(["question", "replies", "margin", *test, "theta", "epsilon"], rows)


def curve(shown: "Curve") -> str:
    """Expected accuracy by the number of replies."""
    heads = ["replies", "model", "accuracy", "stderr", "low", "high", "note"]
    rows = [[f"{row['replies']:,}", row["model"], *[f"{row[key]:.4f}" for key in heads[2:6]], row["note"]]
            for row in shown.rows]  # fmt: skip
    from deniable.report.curves import STYLE, curve_picture

    picture = pictured(curve_picture(shown), STYLE)
    return "".join(map(_line, str(shown).splitlines())) + picture + table(heads, rows)


def coefficients(shown: "CoefficientPlan") -> str:
    """What so many replies tell of a regression's coefficients."""
    from deniable.report.coefficient_plans import plan_picture, plan_table
    from deniable.report.coefficients import STYLE

    picture = pictured(plan_picture(shown), STYLE)
    return "".join(map(_line, str(shown).splitlines())) + picture + plan_table(shown)


def advice(shown: "Advice") -> str:
    """Every candidate design, the best first, and why."""
    from deniable.report.judged import advice_table, reached

    picture = _bars("expected accuracy, the better of both models", reached(shown))
    return advice_table(shown) + picture + "".join(map(_line, shown.reasons))


def attack(shown: "Attack") -> str:
    """What a clever collector finds out."""
    from deniable.report.judged import STYLE, attack_figure

    return pictured(attack_figure(shown), STYLE) + "".join(map(_line, shown.sentences))


def estimate(shown: "Estimate") -> str:
    """One figure with its interval."""
    value, stderr, low, high = shown.figures
    row = (value, stderr, f"{low} to {high}", f"{shown.n:,}", shown.method, shown.note)
    return table(["estimate", "stderr", "95 % interval", "n", "method", "note"], [row])


def regression(shown: "Regression") -> str:
    """The coefficients of a regression, as a picture and in figures."""
    from deniable.regression.summary import about, notes, tests
    from deniable.report.coefficients import STYLE, coefficient_plot
    from deniable.report.regressions import coefficient_rows

    lines = [shown.formula.text, about(shown), *tests(shown), *notes(shown)]
    picture = pictured(coefficient_plot(shown), STYLE)
    return "".join(map(_line, lines)) + picture + table(*coefficient_rows(shown))


def confusion(shown: "Confusion") -> str:
    """True classes by predicted ones, with standard errors, and what to know of them."""
    rows = [
        [true, *[f"{shown.cells[true, each].value:.4f} ± {shown.cells[true, each].stderr:.4f}"
                 for each in shown.classes]]
        for true in shown.classes
    ]  # fmt: skip
    notes = [f"{true}, predicted {word}: {each.note}" for (true, word), each in shown.cells.items() if each.note]
    return table(["true", *[f"predicted {each}" for each in shown.classes]], rows) + "".join(map(_line, notes))


def evaluation(shown: "Evaluation") -> str:
    """The accuracy of a model, and who is taken for what."""
    return estimate(shown.accuracy) + confusion(shown.confusion)


def tree(shown: "TreeClassifier") -> str:
    """The picture of a tree; before it has learnt anything, its settings."""
    if not hasattr(shown, "tree_"):
        return f"<pre>{escaped(repr(shown))}</pre>"
    from deniable.report.picture import tree_svg

    note = f" ({shown.note_})" if shown.note_ else ""
    about = f"A decision tree for {shown.target_ or 'the target'} by the method {shown.method_}{note}"
    return f'{_line(about)}<div style="overflow-x: auto">{tree_svg(shown)}</div>'


def _bars(head: str, rows: list[tuple[str, float]]) -> str:
    """Shares as bars, where there are some."""
    from deniable.report.judged import STYLE, bar_table

    return pictured(bar_table(head, rows), STYLE) if rows else ""


def _titled(title: str) -> str:
    return f"<p><b>{escaped(title)}</b></p>" if title else ""


def _line(text: str) -> str:
    return f"<p>{escaped(text)}</p>"


def _figure(value: float | None) -> str:
    word = "-" if value is None else epsilon_word(value)
    return word if isinstance(word, str) else f"{word:.6g}"

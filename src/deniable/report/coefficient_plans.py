"""Plans of regressions that people can read: what so many replies tell of each coefficient."""

from deniable.judge.coefficients import CoefficientPlan
from deniable.regression.coefficient import Coefficient
from deniable.regression.outcome import INTERCEPT
from deniable.report.coefficients import STYLE, plotted
from deniable.report.judged import paragraphs
from deniable.report.page import document, scrolled, table

HEADS = ["term", "coefficient", "stderr", "margin", "power", "replies needed", "note"]


def rows_of(found: CoefficientPlan) -> list[list[object]]:
    """One row for each coefficient."""
    return [
        [each.label, each.coefficient, each.stderr, each.margin, each.power, "-" if each.n is None else each.n,
         each.note]
        for each in found.coefficients
    ]  # fmt: skip


def plan_table(found: CoefficientPlan) -> str:
    """The same as a table of a page."""
    return table(HEADS, [[_shown(cell) for cell in row] for row in rows_of(found)])


def plan_picture(found: CoefficientPlan) -> str:
    """Every coefficient with the interval that the replies would give; without intercepts."""
    return plotted(
        [
            Coefficient(each.answer, each.term, each.coefficient, each.stderr, each.note)
            for each in found.coefficients
            if each.term != INTERCEPT
        ]
    )


def page(found: CoefficientPlan, title: str) -> str:
    """The plan as one page that needs nothing else."""
    parts = [
        paragraphs([f"{line[0].upper()}{line[1:]}." for line in str(found).splitlines()]),
        f"<h2>What {found.n:,} replies would tell</h2>{plan_picture(found)}",
        "<h2>In figures</h2>",
        scrolled(plan_table(found), "Coefficients"),
    ]
    heading = f"a plan of {found.formula}"
    return document(f"{title}: {heading}" if title else heading, "".join(parts), STYLE)


def _shown(cell: object) -> str:
    return f"{cell:.4f}" if isinstance(cell, float) else f"{cell:,}" if isinstance(cell, int) else str(cell)

"""Subject of a plan: expressions, a table, or the mean of a number; every share if none is named."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from deniable.channel.design import Design
from deniable.errors import BadRequest
from deniable.inference.planning.figures import Figure, expression_figure, mean_figure, table_figures
from deniable.inference.planning.truth import Expected, Share


@dataclass(frozen=True)
class Subject:
    """What a plan is for, as it was asked."""

    expression: str | Sequence[str] | None
    given: str | None
    table: Sequence[str] | None
    mean: str | None
    sd: float | None  # of the number whose mean is planned

    def width(self, design: Design) -> float:
        """The width of what is possible: 1 for a share."""
        limits = None if self.mean is None else design.question(self.mean).range
        return 1.0 if limits is None else limits.high - limits.low

    def figures(self, design: Design, expected: Expected) -> list[Figure] | None:
        """The figures that were named; None if none was."""
        if self.mean is not None:
            return [mean_figure(design, self.mean, self.sd, self.given, expected)]
        if self.table is not None:
            return table_figures(design, [self.table] if isinstance(self.table, str) else list(self.table), expected)
        if self.expression is None:
            return None
        texts = [self.expression] if isinstance(self.expression, str) else list(dict.fromkeys(self.expression))
        return [expression_figure(design, text, self.given, expected) for text in texts]

    def check(self, design: Design, share: Share) -> None:
        """Refuse what cannot be planned for at once."""
        named = {"expression": self.expression, "table": self.table, "mean": self.mean}
        several = [key for key, value in named.items() if value is not None]
        if len(several) > 1:
            raise BadRequest("a plan", "for expressions, a table or a mean", " and ".join(several), "give one of them")
        if self.table is not None:
            self._check_table(self.table)
        if self.expression is not None and not isinstance(self.expression, str) and not self.expression:
            raise BadRequest("expression", "one or more expressions", self.expression, "leave it out for every share")
        if self.mean is None and self.sd is not None:
            raise BadRequest("sd", "that of a number whose mean is planned", self.sd, 'give mean="age" as well')
        if self.mean is not None and isinstance(share, int | float):
            raise BadRequest("share", "left out for a mean, or given by question", share, "give sd instead")
        most = self.width(design) / 2
        if self.sd is not None and (not isfinite(self.sd) or not 0 < self.sd <= most):
            raise BadRequest("sd", f"above 0 and at most {most:g}, half of the range", self.sd,
                             "leave it out for the worst case")  # fmt: skip

    def _check_table(self, table: Sequence[str]) -> None:
        if self.given is not None:
            raise BadRequest("given", "left out for a table", self.given, "plan its cells as expressions")
        if not isinstance(table, str) and (not table or len(set(table)) < len(table)):
            raise BadRequest("the questions of a table", "one or more different names", list(table), "name each once")

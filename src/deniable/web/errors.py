"""Errors of a naive Bayes model: how far each of its shares would move with other people and other lots."""

from collections.abc import Mapping, Sequence

from deniable.channel.design import Design
from deniable.count.counts import Distinct
from deniable.errors import DeniableError
from deniable.inference.estimates import Estimate
from deniable.inference.shares import cross_estimates
from deniable.learn.columns import QuestionColumns
from deniable.learn.naive_bayes import NaiveBayes

MIN_ERROR = 0.0005  # below it, it would be shown as nothing

Errors = Mapping[str, Sequence[Sequence[Estimate]]]  # by question: for each answer, one for each class


def share_errors(design: Design, train: Distinct, model: NaiveBayes) -> Errors:
    """Estimates of the model's shares from the replies that taught it, where there are any."""
    if not isinstance(model.columns_, QuestionColumns):
        return {}
    target = design.question(str(model.target_))
    found: dict[str, Sequence[Sequence[Estimate]]] = {}
    for question in model.columns_.questions:
        try:
            cells = [each for _, each in cross_estimates(design, train, [question, target], "column")]
        except DeniableError:
            continue
        found[question.name] = [cells[start : start + len(target)] for start in range(0, len(cells), len(target))]
    return found


def with_errors(errors: Errors, rows: Sequence[Sequence[object]]) -> list[list[object]]:
    """The rows of a model's table, each share with its error; a question's answers stand in their order."""
    left = {name: iter(each) for name, each in errors.items()}
    return [_with_errors(next(left.get(str(row[0]), iter(())), ()), row) for row in rows]


def _with_errors(errors: Sequence[Estimate], row: Sequence[object]) -> list[object]:
    shares = [cell for cell in row if isinstance(cell, float)]
    if len(errors) != len(shares):
        return list(row)
    spelled = map(_spelled, shares, errors)
    return [next(spelled) if isinstance(cell, float) else cell for cell in row]


def _spelled(share: float, error: Estimate) -> str:
    """A share and its error; where a cell is reconstructed to be empty, there is none to show."""
    return f"{100 * share:.1f} ± {100 * error.stderr:.1f} %" if error.stderr >= MIN_ERROR else f"{100 * share:.1f} %"

"""One-hot columns (one per answer) where one column per question is needed."""

from collections.abc import Iterable, Sequence

from deniable.errors import BadRequest


def refuse_one_hot(names: Iterable[str], columns: Sequence[str]) -> None:
    """Refuse columns like smokes_no and smokes_yes where there is none for smokes; two of them show what they are."""
    for name in names:
        bits = [str(each) for each in columns if str(each).startswith(f"{name}_") and len(str(each)) > len(name) + 1]
        if len(bits) > 1 and name not in columns:
            shown = ", ".join(bits[:3]) + (", ..." if len(bits) > 3 else "")
            raise BadRequest(
                f"the data on {name!r}", f"one column {name!r} of answers", f"one-hot columns {shown}",
                "put them together again: pandas.from_dummies(data[[...]], sep='_')",
            )  # fmt: skip

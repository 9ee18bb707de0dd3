"""The mark of a design on its replies: a column with the fingerprint of the design they were made under."""

from collections.abc import Iterable
from pathlib import Path

from deniable.channel.design import Design
from deniable.errors import BadFile, OtherDesign

MARK = "_design"
LENGTH = 16
SIMULATED = "-simulated"


def mark_of(design: Design, simulated: bool = False) -> str:
    """The first hex digits of the fingerprint; who issues invitations makes no other disguise."""
    return design.issued_by(None).fingerprint[:LENGTH] + (SIMULATED if simulated else "")


def check_marks(design: Design, marks: Iterable[object]) -> None:
    """Refuse replies that carry another design's mark."""
    for mark in marks:
        digits = str(mark).removesuffix(SIMULATED)
        promised = any(each.is_promised(digits) for each in (design.issued_by(None), design))
        if len(digits) != LENGTH or not promised:
            raise OtherDesign(mark_of(design), str(mark))


def refuse_marked(path: Path | str, names: Iterable[str]) -> None:
    """Refuse a file of replies, known by the names of its columns, where true answers are wanted."""
    if MARK in names:
        raise BadFile(path, f"holds disguised replies (its column {MARK} says so)", "give the true answers")

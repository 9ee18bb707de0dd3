"""Cases of a long study, of which `make test` runs some and `make check` all."""

from collections.abc import Iterable
from typing import Any

import pytest


def in_short(cases: Iterable[Any], *kept: Any) -> list[Any]:
    """All cases; those that are not kept for the short form are marked as a study."""
    cases = list(cases)
    assert {*kept} <= {*cases}
    return [case if case in kept else _long(*case if isinstance(case, tuple) else (case,)) for case in cases]


def _long(*values: Any) -> Any:
    return pytest.param(*values, marks=pytest.mark.studies)

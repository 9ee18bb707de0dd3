"""Figures that tests measure are printed at the end of a run."""

from collections.abc import Callable

import pytest
from hypothesis import settings

settings.register_profile("laws", deadline=None, derandomize=True)
settings.load_profile("laws")


@pytest.fixture
def figure(record_property: Callable[[str, object], None]) -> Callable[[str, object], None]:
    """Note a measured figure: figure("coverage of tables", 0.951)."""
    return lambda name, value: record_property(f"figure: {name}", value)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [
        report for some in terminalreporter.stats.values() for report in some if hasattr(report, "user_properties")
    ]
    figures = [
        (name, value) for report in reports for name, value in report.user_properties if name.startswith("figure: ")
    ]
    if figures:
        terminalreporter.section("figures")
    for name, value in sorted(set(figures)):
        terminalreporter.write_line(f"{name.removeprefix('figure: ')}: {value}")

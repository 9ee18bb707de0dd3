"""Stores of every kind, which tests need a real engine, and figures that are printed at the end of a run."""

import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from postgres import Postgres, running

settings.register_profile("laws", deadline=None, derandomize=True)
settings.load_profile("laws")


@pytest.fixture
def figure(record_property: Callable[[str, object], None]) -> Callable[[str, object], None]:
    """Note a measured figure: figure("coverage of tables", 0.951)."""
    return lambda name, value: record_property(
        f"figure: {name}", str(value)
    )  # only words cross from process to process


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL server of our own."""
    with running() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A fresh store, of every kind there is."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/store.sqlite"
    server: Postgres = request.getfixturevalue("postgres")
    return server.database(f"d{secrets.token_hex(6)}")


REAL_ENGINES = {"pyspark", "dask", "postgresql"}
SERVED = {"browser", "site", "running", "advice", "told"}  # fixtures that take seconds, once for a whole module
SHARING = {"browser"}  # folders whose modules share what they start
HALVES = 2  # so that the longest group does not decide how long all take


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what needs a real engine, and keep together what starts one, or a browser or a site."""
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        values = item.callspec.params.values() if hasattr(item, "callspec") else ()
        engines = {value for value in values if isinstance(value, str)} & REAL_ENGINES
        engines |= {"postgresql"} if "postgres" in fixtures else set()
        if engines:
            item.add_marker(pytest.mark.engines)
        if item.get_closest_marker("xdist_group") is None and (engines or SERVED & {*fixtures}):
            folder = item.path.parent
            served = folder / str(len(item.path.stem) % HALVES) if folder.name in SHARING else folder / item.path.stem
            item.add_marker(pytest.mark.xdist_group(" ".join(sorted(engines)) or str(served)))
        if getattr(config.option, "loadgroup", False):
            _tell_group(item)


def _tell_group(item: pytest.Item) -> None:
    """Name its group in the id of a test, where pytest-xdist 3.8 looks for it.

    It does so itself in a way that pytest 9.2 takes no notice of (pytest-dev/pytest-xdist#1386).
    """
    mark, name = item.get_closest_marker("xdist_group"), getattr(item, "_id", None)
    if mark is not None and name is not None:
        item._id = type(name).parse(f"{item.nodeid}@{mark.args[0]}")  # type: ignore[attr-defined]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [
        report for some in terminalreporter.stats.values() for report in some if hasattr(report, "user_properties")
    ]
    figures = [
        (name, str(value))
        for report in reports
        for name, value in report.user_properties
        if name.startswith("figure: ")
    ]
    if figures:
        terminalreporter.section("figures")
    for name, value in sorted(set(figures)):
        terminalreporter.write_line(f"{name.removeprefix('figure: ')}: {value}")

"""docs/performance.md, written from what was measured: ratios, memory, growth, and a plan on paper to 10^9 replies."""

import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from math import isnan
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1] / "docs"
PACKAGES = ("numpy", "scikit-learn", "duckdb", "pyarrow", "pandas", "lightgbm", "statsmodels", "mlxtend",
            "multi-freq-ldpy", "pure-ldp", "opendp")  # fmt: skip
RATIOS = ("disguise", "trees", "boosted", "noise", "reconstruct", "regress", "privacy", "rules")
CHARTS = {
    "replies": ("Replies", "14 questions of two answers and a target, frames in memory"),
    "questions": (
        "Questions",
        "20,000 replies in a parquet file, commands as they are typed, Python included",
    ),
    "versions": ("Questions of which each version asks one, beside the target", "50,000 replies"),
    "spark": ("Replies on Spark", "15 questions in parquet, a standalone cluster of two cores, by the clock"),
    "depth": ("Depth", "a million replies to 14 questions"),
}
STAGES = (  # of a plan: what, how often its cost per reply of a command is taken
    ("disguise", "disguise"),
    ("estimate of two questions", "estimate of two questions"),
    ("tree, inverse", "tree, inverse"),
    ("naive Bayes", "naive Bayes"),
    ("regression on four answers", "regression on four answers"),
    ("rules", "rules"),
)
HEAD = """# Performance

Written by `make bench`; no figure here is typed by hand. Times are processor time, one thread for each of what is
compared (`OMP_NUM_THREADS=1`), ours and the peer's in one process, so that neighbours on the machine count little (a
busy one still makes both slower). Compare ratios, never seconds: machines differ. The 100,000,000 replies are ten links
to one file of ten million. OpenDP's response has another epsilon than ours.
"""


def write_page(found: Mapping[str, Sequence[Mapping[str, Any]]], docs: Path = DOCS) -> None:
    """Write the page and its charts."""
    parts = [
        HEAD,
        _machine(),
        _ratios(found),
        *_commands(found),
        _every_command(found),
        _growth(found, docs),
        _plan(found),
    ]
    (docs / "performance.md").write_text("\n".join(filter(None, parts)), encoding="utf-8")


def _machine() -> str:
    processors = [line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")]  # fmt: skip
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"Measured on {len(processors)} processors ({(processors or [platform.machine()])[0]}), {memory:.0f} GB of "
        f"memory, Python {platform.python_version()}, with {', '.join(filter(None, map(_version, PACKAGES)))}.\n"
    )


def _version(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return ""


def _ratios(found: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    rows = [row for name in RATIOS for row in found.get(name, ())]
    lines = [f"| {row['what']} | {row['ratio']:.3g} | {row['against']} | {row['wanted'] or ''} |" for row in rows]
    head = """## Against peers and physical limits

How many times the second takes (or, where it says so, how many times as fast we are). The gain of trees is compression:
replies are counted once, and a tree grows on distinct ones.

| what | times | against | wanted |
|---|---|---|---|
"""
    return head + "\n".join(lines) + "\n" if rows else ""


def _commands(found: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    made = []
    for name in ("commands", "large"):
        rows = found.get(name, ())
        lines = [
            f"| {row['what']} | {row['seconds']:.1f} | {row['gigabytes']:.2f} | "
            + (f"{row['ratio']:.2f} x {row['against']} | {row['wanted']} |" if row["ratio"] is not None else "| |")
            for row in rows
        ]
        if rows:
            made.append(
                f"## {rows[0]['replies']:,} replies to 15 questions, in parquet\n\nEach in a process of its own; "
                "importing is not counted. Processor seconds of all its threads, and its most memory.\n\n"
                "| what | seconds | GB | ratio | wanted |\n|---|---|---|---|---|\n" + "\n".join(lines) + "\n"
            )
    return made


def _every_command(found: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    rows = found.get("every", ())
    sizes = sorted({row["replies"] for row in rows})
    known = {(row["what"], row["replies"]): row for row in rows}
    lines = [f"| `{what}` | {' | '.join(_taken(known[what, size]) for size in sizes)} |"
             for what in dict.fromkeys(row["what"] for row in rows)]  # fmt: skip
    head = "".join(f" seconds, {size:,} | GB |" for size in sizes)
    return (
        "## Every command, as it is typed\n\nA process each: processor seconds of all its threads and its most memory, "
        "starting Python included. `age` is a number under noise in a file of its own, beside `leave`; `hours` stands "
        "there as it is, and `income` is a number in the clear, that of the tree with a target: no two are alike.\n\n"
        f"| command |{head}\n|---|{'---|---|' * len(sizes)}\n" + "\n".join(lines) + "\n"
        if rows
        else ""
    )


def _taken(row: Mapping[str, Any]) -> str:
    seconds = "refused" if isnan(row["seconds"]) else f"{row['seconds']:.1f}"
    return f"{seconds} | {row['gigabytes']:.2f}"


def _growth(found: Mapping[str, Sequence[Mapping[str, Any]]], docs: Path) -> str:
    points = [*found.get("growth", ()), *found.get("spark", ())]
    parts = []
    for chart, (head, what) in CHARTS.items():
        own = [point for point in points if point["chart"] == chart]
        if own:
            _draw(own, head, docs / "pictures" / f"growth-{chart}.svg")
            parts.append(f"{what}:\n\n![Seconds over {head.lower()}](pictures/growth-{chart}.svg)\n\n{_table(own)}\n")
    return "## Growth\n\n" + "\n".join(parts) if parts else ""


def _table(points: Sequence[Mapping[str, Any]]) -> str:
    """What was measured at each size: seconds, and the most memory where it was measured."""
    sizes = sorted({point["size"] for point in points})
    known = {(point["line"], point["size"]): point for point in points}
    lines = [f"| seconds | {' | '.join(f'{size:,.0f}' for size in sizes)} |", f"|---|{'---|' * len(sizes)}"]
    for line in dict.fromkeys(point["line"] for point in points):
        own = [known.get((line, size), {}) for size in sizes]
        lines.append(f"| {line} | {' | '.join(_digits(point.get('seconds')) for point in own)} |")
        if any(point.get("gigabytes") for point in own):
            lines.append(f"| its most memory, GB | {' | '.join(_digits(point.get('gigabytes')) for point in own)} |")
    return "\n".join(lines)


def _digits(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"


def _draw(points: Sequence[Mapping[str, Any]], head: str, path: Path) -> None:
    import altair as alt
    import pandas as pd

    sizes = sorted({point["size"] for point in points})
    across = alt.Scale(type="linear" if head == "Depth" else "log", domain=[sizes[0], sizes[-1]], nice=False)
    time = "seconds by the clock" if points[0]["chart"] == "spark" else "processor seconds"
    chart = (
        alt.Chart(pd.DataFrame(list(points)))
        .mark_line(point=True)
        .encode(
            x=alt.X("size", title=head, scale=across, axis=alt.Axis(values=sizes, format=",d")),
            y=alt.Y("seconds", title=time, scale=alt.Scale(type="log"), axis=alt.Axis(tickCount=4)),
            color=alt.Color("line", title=None, legend=alt.Legend(orient="bottom", columns=2, labelLimit=0)),
        )
        .properties(width=420, height=240, padding={"left": 5, "right": 40, "top": 5, "bottom": 5})
    )
    chart.save(str(path))


def _plan(found: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """A billion replies, from the cost of each command for one more reply."""
    measured = {(row["what"], row["replies"]): row for name in ("commands", "large") for row in found.get(name, ())}
    sizes = sorted({replies for _, replies in measured})
    if not sizes:
        return ""
    lines = []
    for what, _ in STAGES:
        rows = [measured[what, size] for size in sizes if (what, size) in measured]
        slope = rows[-1]["seconds"] / rows[-1]["replies"]
        if len(rows) > 1:
            slope = (rows[-1]["seconds"] - rows[0]["seconds"]) / (rows[-1]["replies"] - rows[0]["replies"])
        total = rows[-1]["seconds"] + slope * (10**9 - rows[-1]["replies"])
        lines.append(
            f"| {what} | {1e6 * slope:.3f} | {total / 60:.0f} | {total / 3600:.1f} | {rows[-1]['gigabytes']:.2f} |"
        )
    return (
        "\n## On paper: a billion replies to 15 questions\n\n"
        + f"From the cost of one more reply, measured from {sizes[0]:,} to {sizes[-1]:,}: counting grows with the "
        "replies, learning with the distinct ones, of which there are no more than before. Tasks share nothing but "
        "counts, so a cluster divides the minutes by its processors.\n\n"
        "| stage | microseconds for one more reply | processor minutes | hours on one | GB |\n|---|---|---|---|---|\n"
        + "\n".join(lines)
        + "\n"
    )

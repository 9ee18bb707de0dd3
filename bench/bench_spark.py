"""Spark: seconds by the clock of whole commands, Java included, over the number of replies.

A standalone master and a worker of two cores run on this machine, as in the tests (PYTHONPATH=tests). Starting a
session is most of the smallest size.
"""

import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow.parquet as pq

from bench_files import PIECE, written
from bench_memory import numbers
from timing import Point

SIZES = (1_000_000, 3_000_000, 10_000_000)
LEARNT = {
    "tree, inverse": ["tree", "-o", "model.json", "--method", "inverse"],
    "regression": ["regress", "leave ~ q0 + q1 + q2 + q3"],
}
UNCUT = {"mean of an uncut number": ["mean", "income", "--given", "leave == 'yes'"]}


def on_spark() -> list[Point]:
    """A tree and a regression of 15 questions in parquet, and the mean of a number hardly two of which are alike."""
    from cluster import running

    found = []
    with TemporaryDirectory() as name:
        folder = Path(name)
        design, replies, *_ = written(folder, SIZES[-1])
        _, clear, incomes = numbers(folder, SIZES[-1])
        with running(folder) as master:
            for size in SIZES:
                for asked, source, lines in ((design, replies, LEARNT), (clear, incomes, UNCUT)):
                    path = _beginning(source, size)
                    for line, (command, *rest) in lines.items():
                        typed = [command, asked, path, *rest, "--engine", "spark", "--master", master]
                        found.append(Point("spark", f"{line}, on Spark", size, _seconds(folder, typed)))
    return found


def _beginning(replies: Path, size: int) -> Path:
    """A file of the first so many replies."""
    path, source = replies.with_name(f"{replies.stem}-{size}.parquet"), pq.ParquetFile(replies)
    with pq.ParquetWriter(path, source.schema_arrow) as writer:
        for group in range(size // PIECE):
            writer.write_table(source.read_row_group(group))
    return path


def _seconds(folder: Path, typed: list[object]) -> float:
    start = time.monotonic()
    command = [sys.executable, "-m", "deniable", *map(str, typed)]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=1500)
    return time.monotonic() - start

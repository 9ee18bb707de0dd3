"""A tree on Spark: seconds by the clock of the whole command, Java included, over the number of replies.

Spark runs on this machine (local[2]), in a process of its own; starting it is most of the smallest size.
"""

import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow.parquet as pq

from bench_files import written
from timing import Point

SIZES = (1_000_000, 3_000_000, 10_000_000)


def on_spark() -> list[Point]:
    """`deniable tree --engine spark` of 15 questions in parquet."""
    found = []
    with TemporaryDirectory() as name:
        folder = Path(name)
        design, replies, *_ = written(folder, SIZES[-1])
        for size in SIZES:
            path = folder / f"{size}.parquet"
            table = pq.ParquetFile(replies)
            with pq.ParquetWriter(path, table.schema_arrow) as writer:
                for group in range(size // 1_000_000):
                    writer.write_table(table.read_row_group(group))
            found.append(Point("spark", "tree, inverse, on Spark", size, _seconds(design, path)))
    return found


def _seconds(design: Path, replies: Path) -> float:
    start = time.monotonic()
    command = ["tree", design, replies, "-o", replies.with_suffix(".json"), "--method", "inverse"]
    spark = ["--engine", "spark", "--master", "local[2]"]
    subprocess.run(
        [sys.executable, "-m", "deniable", *map(str, command), *spark], check=True, capture_output=True, timeout=1500
    )
    return time.monotonic() - start

"""Replies in a file against DuckDB's own group-by of the same columns: seconds, their ratio, and the most memory.

    python bench/bench_files.py [millions of replies]

14 questions of two answers, each with its own lottery, in parquet. Every line is a process of its own; importing is not
counted, reading is. The limits are those we hold ourselves to: 2 for two questions, 3 for all of them, 1 GB.
"""

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import deniable as dn

QUESTIONS = [f"q{index}" for index in range(13)] + ["leave"]
PIECE = 1_000_000
MEASURED = """
import json, sys, time, warnings
from pathlib import Path
import duckdb
import deniable as dn
from deniable.learn.decision_tree import TreeClassifier
from deniable.evaluate.score import score
import deniable.count.files
warnings.simplefilter("ignore")
design, path = dn.Design.load(sys.argv[1]), sys.argv[2]
names = ", ".join(design.names)
tree = None
{before}
start = time.perf_counter()
{work}
took = time.perf_counter() - start
status = Path("/proc/self/status").read_text()
print(json.dumps([took, int(status.split("VmHWM:")[1].split()[0]) / 2**20]))
"""
GROUP = "duckdb.connect().sql(f\"select {}, count(*) from read_parquet('{{path}}') group by all\").fetchall()"
LINES = [  # what, its work, what it is held against, and the most of it
    ("DuckDB: two questions", GROUP.format("q0, leave"), None, 0),
    ("estimate of two questions", "dn.estimate(design, path, \"q0 == 'yes' and leave == 'yes'\")", 0, 2),
    ("DuckDB: all questions", GROUP.format("{names}"), None, 0),
    ("tree, inverse", 'dn.TreeClassifier(design, method="inverse").fit(path)', 2, 3),
    ("tree, pairs", 'dn.TreeClassifier(design, method="pairs").fit(path)', 2, 3),
    ("naive Bayes", "dn.NaiveBayes(design).fit(path)", 2, 3),
    ("score of a tree", "dn.score(tree, design, path)", 2, 3),
]
LEARNT = 'tree = dn.TreeClassifier(design, method="inverse").fit(sys.argv[3])'


def written(folder: Path, replies: int) -> tuple[Path, Path, Path]:
    """A design, its replies, and a small part of these."""
    design = dn.Design([dn.warner(0.8, dn.yes_no(name)) for name in QUESTIONS], target="leave")
    design.save(folder / "design.toml")
    rng, words = np.random.default_rng(1), np.array(["no", "yes"])
    path = folder / "replies.parquet"
    schema = pa.schema([(name, pa.string()) for name in QUESTIONS])
    with pq.ParquetWriter(path, schema) as writer:
        for _ in range(max(replies // PIECE, 1)):
            rows = min(PIECE, replies)
            leaves = rng.random(rows) < 0.4
            people = pa.table({
                name: words[(leaves ^ (rng.random(rows) < (0.5 - 0.03 * index) * (name != "leave"))).astype(int)]
                for index, name in enumerate(QUESTIONS)
            })  # fmt: skip
            writer.write_table(dn.disguise(design, people, seed=int(rng.integers(2**31))).cast(schema))
    small = folder / "small.parquet"
    pq.write_table(pq.ParquetFile(path).read_row_group(0).slice(0, 50_000), small)
    return folder / "design.toml", path, small


def measured(work: str, before: str, arguments: list[Path]) -> tuple[float, float]:
    """Seconds and gigabytes of a fresh process; the better of two."""
    program = MEASURED.format(before=before, work=work)
    runs = []
    for _ in range(2):
        found = subprocess.run([sys.executable, "-c", program, *map(str, arguments)], capture_output=True, check=True)
        runs.append(json.loads(found.stdout.splitlines()[-1]))
    return min(run[0] for run in runs), max(run[1] for run in runs)


def main() -> None:
    """Print a line as soon as it is measured."""
    replies = round(float(sys.argv[1] if len(sys.argv) > 1 else 10) * 1e6)
    with TemporaryDirectory() as folder:
        files = list(written(Path(folder), replies))
        sys.stdout.write(f"{replies:,} replies to {len(QUESTIONS)} questions\n")
        seconds: list[float] = []
        for what, work, against, most in LINES:
            took, gigabytes = measured(work, LEARNT if work.startswith("dn.score") else "", files)
            seconds.append(took)
            ratio = "" if against is None else f"{took / seconds[against]:5.2f}x (at most {most})"
            sys.stdout.write(f"{what:28}{took:8.2f} s{gigabytes:8.2f} GB   {ratio}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()

"""Replies in a parquet file: processor seconds and the most memory of each command, each in a process of its own.

    python bench/bench_files.py [millions of replies]

14 questions of two answers and a target, each with its own lottery. Importing is not counted, reading is. Counting is
held against DuckDB's own group-by of the same columns, a disguise against copying the file through Arrow. A hundred
million replies are ten links to one file of ten million in a folder.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import deniable as dn
from timing import Cost

QUESTIONS = [f"q{index}" for index in range(14)] + ["leave"]
PIECE, FILE = 1_000_000, 10_000_000
MEASURED = """
import json, sys, time, warnings
from pathlib import Path
import duckdb
import deniable as dn
import deniable.cli.disguise, deniable.count.files, deniable.evaluate.score, deniable.learn.decision_tree
import deniable.learn.naive_bayes, deniable.mine.rules, deniable.regression.regress, formulaic, pandas, pyarrow.dataset
from deniable.device.stream import disguise_file
from deniable.frame import files
warnings.simplefilter("ignore")
design, path, people, small = dn.Design.load(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), sys.argv[4]
out = Path(sys.argv[1]).with_name("out.parquet")
names = ", ".join(design.names)
source = path + "/*.parquet" if Path(path).is_dir() else path

def copied():
    with files.writer(out) as append:
        for piece in files.read(people):
            append(piece)

{before}
start = time.process_time()
{work}
took = time.process_time() - start
status = Path("/proc/self/status").read_text()
print(json.dumps([took, int(status.split("VmHWM:")[1].split()[0]) / 2**20]))
"""
GROUP = "duckdb.connect().sql(f\"select {}, count(*) from read_parquet('{{source}}') group by all\").fetchall()"
LINES = [  # what, its work, what it is held against (by its place), and how much of it is wanted at most
    ("copying the file through Arrow", "copied()", None, ""),
    ("disguise", "disguise_file(design, people, out)", 0, "< 3"),
    ("DuckDB: two questions", GROUP.format("q0, leave"), None, ""),
    ("estimate of two questions", "dn.estimate(design, path, \"q0 == 'yes' and leave == 'yes'\")", 2, "< 2"),
    ("DuckDB: all questions", GROUP.format("{names}"), None, ""),
    ("tree, inverse", 'dn.TreeClassifier(design, method="inverse").fit(path)', 4, "< 3"),
    ("tree, pairs", 'dn.TreeClassifier(design, method="pairs").fit(path)', 4, "< 3"),
    ("naive Bayes", "dn.NaiveBayes(design).fit(path)", 4, "< 3"),
    ("score of a tree", "dn.score(tree, design, path)", 4, "< 3"),
    ("regression on four answers", 'dn.regress(design, path, "leave ~ q0 + q1 + q2 + q3").coefficients', 4, "< 3"),
    ("rules", "dn.rules(design, path, min_support=0.2, min_confidence=0.5)", 4, ""),
]
LEARNT = 'tree = dn.TreeClassifier(design, method="inverse").fit(small)'


def written(folder: Path, replies: int) -> list[Path]:
    """A design, its replies, their people, and a small part of the replies."""
    design = dn.Design([dn.warner(0.8, dn.yes_no(name)) for name in QUESTIONS], target="leave")
    design.save(folder / "design.toml")
    rng, words = np.random.default_rng(1), np.array(["no", "yes"])
    schema = pa.schema([(name, pa.string()) for name in QUESTIONS])
    found = {each: folder / f"{each}.parquet" for each in ("replies", "people", "small")}
    with pq.ParquetWriter(found["replies"], schema) as told, pq.ParquetWriter(found["people"], schema) as asked:
        for _ in range(max(min(replies, FILE) // PIECE, 1)):
            rows = min(PIECE, replies)
            leaves = rng.random(rows, dtype=np.float32) < 0.4
            codes = {
                name: leaves ^ (rng.random(rows, dtype=np.float32) < (0.5 - 0.03 * index) * (name != "leave"))
                for index, name in enumerate(QUESTIONS)
            }
            people = pa.table({
                name: pa.DictionaryArray.from_arrays(code.view(np.int8), words) for name, code in codes.items()
            })  # fmt: skip
            asked.write_table(people.cast(schema))
            told.write_table(dn.disguise(design, people, seed=int(rng.integers(2**31))).cast(schema))
    pq.write_table(pq.ParquetFile(found["replies"]).read_row_group(0).slice(0, 50_000), found["small"])
    many = [linked(found[each], folder / each, replies) for each in ("replies", "people")]
    return [folder / "design.toml", *many, found["small"]]


def linked(file: Path, folder: Path, replies: int) -> Path:
    """The file itself, or a folder of as many links to it as make so many replies."""
    if replies <= FILE:
        return file
    folder.mkdir()
    for index in range(replies // FILE):
        os.link(file, folder / f"{index}.parquet")
    return folder


def measured(work: str, before: str, arguments: list[Path]) -> tuple[float, float]:
    """Processor seconds and gigabytes of a fresh process."""
    program = MEASURED.format(before=before, work=work)
    found = subprocess.run([sys.executable, "-c", program, *map(str, arguments)], capture_output=True, check=True)
    took, gigabytes = json.loads(found.stdout.splitlines()[-1])
    return took, gigabytes


def commands(replies: int = 10_000_000) -> list[Cost]:
    """What each command takes."""
    with TemporaryDirectory() as folder:
        paths = written(Path(folder), replies)
        found: list[Cost] = []
        for what, work, against, wanted in LINES:
            took, gigabytes = measured(work, LEARNT if work.startswith("dn.score") else "", paths)
            peer = None if against is None else found[against]
            ratio = None if peer is None else took / peer.seconds
            found.append(Cost(what, replies, took, gigabytes, ratio, "" if peer is None else peer.what, wanted))
            sys.stderr.write(f"{found[-1]}\n")
    return found


if __name__ == "__main__":
    commands(round(float(sys.argv[1] if len(sys.argv) > 1 else 10) * 1e6))

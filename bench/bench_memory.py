"""Every command that takes replies, as it is typed: processor seconds and the most memory, imports included.

    python bench/bench_memory.py [millions of replies]

The files are those of bench_files.py, and one of numbers beside the target, under noise and in the clear. What a
command refuses at a size is shown as refused, with its line on stderr.
"""

import subprocess
import sys
from math import nan
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import deniable as dn
from bench_files import FILE, PIECE, linked, written
from timing import Cost

SIZES = (10_000_000, 100_000_000)
COMMANDS = [  # as typed: {d} the design, {r} its replies, {p} people; {m} replies with numbers, {n} noisy, {c} clear
    "disguise {d} {p} -o {out}.parquet",
    "estimate {d} {r}",
    "estimate {d} {r} q0=='yes' --given leave=='yes'",
    "table {d} {r} q0 leave --percent row",
    "difference {d} {r} q0=='yes' leave=='yes' leave=='no'",
    "association {d} {r} q0 leave",
    "tree {d} {r} -o {out}.json --method inverse",
    "tree {d} {r} -o {out}.json",
    "bayes {d} {r} -o {out}.json",
    "rules {d} {r} --min-support 0.2 --min-confidence 0.5",
    "regress {d} {r} leave~q0+q1+q2+q3",
    "score {d} {model} {r}",
    "predict {model} {p} -o {out}.parquet",
    "attack {d} {r}",
    "estimate {n} {m} age>50",
    "mean {n} {m} age --given leave=='yes'",
    "quantile {n} {m} age 0.5",
    "reconstruct {n} {m} age --by leave",
    "correlation {n} {m} age leave",
    "regress {n} {m} leave~age",
    "regress {n} {m} leave~hours",
    "estimate {c} {m} income>50000 --given leave=='yes'",
    "mean {c} {m} income --given leave=='yes'",
    "quantile {c} {m} income 0.5",
    "correlation {c} {m} income leave",
    "tree {c} {m} --target leave -o {out}.json",
    "tree {n} {m} -o {out}.json --method local",
]


TYPED = """
import atexit, runpy, sys, time
from pathlib import Path

def figures():
    status = Path("/proc/self/status").read_text()
    sys.stderr.write(f"\\n{time.process_time()} {int(status.split('VmHWM:')[1].split()[0]) / 2**20}")

atexit.register(figures)
sys.argv[0] = "deniable"
runpy.run_module("deniable", run_name="__main__")
"""


def numbers(folder: Path, replies: int) -> tuple[Path, Path, Path]:
    """Designs of a number under noise and of one in the clear beside the target; replies to both, and hours beside."""
    age, leave = dn.gaussian(dn.number("age", 18, 80, integer=True), privacy=0.5), dn.warner(0.8, dn.yes_no("leave"))
    design = dn.Design([age, leave], target="leave")
    design.save(folder / "number.toml")
    dn.Design([dn.clear(dn.number("income", 0, 1_000_000)), leave], target="leave").save(folder / "clear.toml")
    rng, path = np.random.default_rng(2), folder / "number.parquet"
    kinds = {"age": pa.float64(), "leave": pa.string(), "hours": pa.float64(), "income": pa.float64()}
    schema = pa.schema(list(kinds.items()))
    with pq.ParquetWriter(path, schema) as file:
        for _ in range(max(min(replies, FILE) // PIECE, 1)):
            years = rng.integers(18, 81, min(PIECE, replies))
            leaves = rng.random(len(years)) < years / 120
            people = pa.table({"age": years, "leave": np.where(leaves, "yes", "no")})
            answered = dn.disguise(design, people, seed=int(rng.integers(2**31)))
            hours = pa.array(rng.normal(40, 5, len(years)) + 2 * leaves)
            income = pa.array(np.minimum(rng.lognormal(10.5, 0.7, len(years)) * (1 + 0.2 * leaves), 1_000_000))
            file.write_table(answered.append_column("hours", hours).append_column("income", income).cast(schema))
    return folder / "number.toml", folder / "clear.toml", linked(path, folder / "numbers", replies)


def every_command() -> list[Cost]:
    """What each command takes, at each size."""
    return [cost for replies in SIZES for cost in _at(replies)]


def _at(replies: int) -> list[Cost]:
    found = []
    with TemporaryDirectory() as name:
        folder = Path(name)
        design, told, people, small = written(folder, replies)
        number, clear, told_numbers = numbers(folder, replies)
        model = folder / "model.json"
        dn.TreeClassifier(dn.Design.load(design), method="inverse").fit(str(small)).save(model)
        paths = {"d": design, "r": told, "p": people, "n": number, "c": clear, "m": told_numbers,
                 "model": model, "out": folder / "out"}  # fmt: skip
        for command in COMMANDS:
            seconds, gigabytes = as_typed([word.format(**paths) for word in command.split()])
            shown = " ".join(word for word in command.split() if not word.startswith(("{", "-o")))
            found.append(Cost(shown, replies, seconds, gigabytes))
            sys.stderr.write(f"{found[-1]}\n")
    return found


def as_typed(arguments: list[str]) -> tuple[float, float]:
    """Processor seconds and gigabytes of the command; no seconds where it refuses."""
    done = subprocess.run([sys.executable, "-c", TYPED, *arguments], capture_output=True, text=True)
    said, _, figures = done.stderr.rpartition("\n")
    seconds, gigabytes = map(float, figures.split())
    if done.returncode:
        sys.stderr.write(f"{said}\n")
    return nan if done.returncode else seconds, gigabytes


if __name__ == "__main__":
    _at(round(float(sys.argv[1] if len(sys.argv) > 1 else 10) * 1e6))

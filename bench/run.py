"""All benchmarks in one run: ratios against peers and physical limits, memory, growth; docs/performance.md is written.

    python bench/run.py [NAME...]

With names only these are measured, and the page is written from them and from what was measured before. Nothing here is
a test: machines differ, ratios hardly.
"""

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench_disguise import disguise_frames
from bench_files import commands
from bench_growth import growth
from bench_memory import every_command
from bench_numbers import reconstructions, trees_under_noise
from bench_peers import local_privacy
from bench_regress import regressions
from bench_rules import itemsets
from bench_spark import on_spark
from bench_trees import boosted, long_and_wide_trees
from performance import write_page

BENCHES: dict[str, Callable[[], Sequence[Any]]] = {
    "disguise": disguise_frames,
    "trees": long_and_wide_trees,
    "boosted": boosted,
    "noise": trees_under_noise,
    "reconstruct": reconstructions,
    "regress": regressions,
    "privacy": local_privacy,
    "rules": itemsets,
    "commands": commands,
    "large": lambda: commands(100_000_000),
    "every": every_command,
    "growth": growth,
    "spark": on_spark,
}
OUT = Path(__file__).parent / "latest.json"


def main() -> None:
    """Run every benchmark, print what it found, keep it, and write the page."""
    found: dict[str, list[dict[str, Any]]] = json.loads(OUT.read_text()) if sys.argv[1:] and OUT.exists() else {}
    for name in sys.argv[1:] or BENCHES:
        found[name] = [vars(row) for row in BENCHES[name]()]
        for row in found[name]:
            sys.stdout.write(f"{name}: {json.dumps(row)}\n")
        sys.stdout.flush()
        OUT.write_text(json.dumps(found, indent=2) + "\n")
    write_page(found)


if __name__ == "__main__":
    main()

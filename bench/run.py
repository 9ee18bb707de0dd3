"""All benchmarks: ratios against peers and physical limits, measured in one run.

`make bench` prints a table. Nothing here is a test: machines differ, ratios hardly.
"""

import json
import sys
from pathlib import Path

from bench_disguise import disguise_frames
from bench_numbers import reconstructions, trees_under_noise
from bench_regress import regressions
from bench_rules import itemsets
from bench_trees import long_and_wide_trees

BENCHES = (disguise_frames, long_and_wide_trees, itemsets, trees_under_noise, reconstructions, regressions)
OUT = Path(__file__).parent / "latest.json"


def main() -> None:
    """Run every benchmark, print its ratios, and keep them."""
    found = [row for bench in BENCHES for row in bench()]
    width = max(len(row.what) for row in found)
    for row in found:
        sys.stdout.write(f"{row.what:{width}}  {row.ratio:8.3f} x {row.against}  (wanted: {row.wanted})\n")
    OUT.write_text(json.dumps([vars(row) for row in found], indent=2) + "\n")


if __name__ == "__main__":
    main()

"""``make drills``: every test with the marker ``drill`` at full counts, and one table of what was found."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from drills.tally import FOLDER, read_tallies, table

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Run the drills; 1 where one of them found a fault or failed."""
    parser = argparse.ArgumentParser(description="Kill runs at random moments and look what became of them.")
    parser.add_argument("--kills", type=int, default=120, help="random kills in all [120]")
    parser.add_argument("--seed", type=int, default=None, help="decides who is killed, how and when [a new one]")
    parser.add_argument("--jobs", type=int, default=2, help="tests at a time [2]")
    parser.add_argument("rest", nargs="*", help="passed on to pytest")
    given = parser.parse_args()
    seed = int(time.time()) % 1_000_000 if given.seed is None else given.seed
    print(f"make drills KILLS={given.kills} SEED={seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        counts = {"": "full", "_KILLS": str(given.kills), "_SEED": str(seed)}
        env = {**os.environ, **{f"EDITSCOPE_DRILL{name}": value for name, value in counts.items()}, FOLDER: folder}
        how = [
            "-m",
            "drill",
            "-n",
            str(given.jobs),
            "--dist",
            "worksteal",
            "-vv",
            "--tb=short",
            "-p",
            "no:cacheprovider",
        ]
        done = subprocess.run([sys.executable, "-m", "pytest", *how, *given.rest], cwd=ROOT, env=env)
        rows = read_tallies(Path(folder))
    faults = [f"{row.name}: {fault}" for row in rows for fault in row.faults]
    print("\n".join(["", *faults, "", table(rows), f"seed {seed}"]))
    return 1 if done.returncode or faults else 0


if __name__ == "__main__":
    sys.exit(main())

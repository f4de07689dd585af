"""The first run in an environment without compiled code, against the second: `python benchmarks/first_run.py`.

Each pair starts with an empty folder for compiled code, as after `pip install`. CPU seconds are those of the command
and all of its processes; wall seconds mean something only where nothing else runs, so the load is printed beside them.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COMMAND = ("run", "paintbench", "--limit", "40", "--editor", "ref:drift", "--jobs", "2")


def timed(folder: Path, out: str, command: tuple[str, ...]) -> tuple[float, float]:
    """Wall and CPU seconds of a command whose compiled code lies in ``folder``."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "editscope", *command, "--out", out],
        cwd=folder,
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder / "code")},
        check=True,
        capture_output=True,
    )
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print a row for each pair, then the best of each column."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=3)
    pairs = parser.parse_args().pairs
    print("editscope", *COMMAND)
    print(f"{'':>6} {'first s':>9} {'second s':>9} {'more s':>8} {'first CPU':>10} {'second CPU':>11} {'load':>6}")
    rows = []
    for pair in range(pairs):
        folder = Path(tempfile.mkdtemp(prefix="first-run-"))
        try:
            load = os.getloadavg()[0]
            (first, first_cpu), (second, second_cpu) = (timed(folder, out, COMMAND) for out in ("first", "second"))
        finally:
            shutil.rmtree(folder)
        rows.append((first, second, first - second, first_cpu, second_cpu, load))
        _say(f"{pair + 1}", rows[-1])
    _say("least", tuple(min(column) for column in zip(*rows, strict=True)))


def _say(name: str, row: tuple[float, ...]) -> None:
    print("{:>6} {:9.1f} {:9.1f} {:8.1f} {:10.1f} {:11.1f} {:6.1f}".format(name, *row), flush=True)


if __name__ == "__main__":
    main()

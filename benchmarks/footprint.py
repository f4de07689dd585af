"""What Editscope takes: time of --help, peak memory of a run, size of the installed core.

python benchmarks/footprint.py [--limit 400]
"""

from __future__ import annotations

import argparse
import importlib.metadata
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path


def help_seconds(times: int = 5) -> float:
    """The median wall time of ``editscope --help``."""
    command = [sys.executable, "-m", "editscope", "--help"]
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        taken.append(time.perf_counter() - start)
    return sorted(taken)[times // 2]


def empty_python_seconds(times: int = 5) -> float:
    """The median wall time of a Python that does nothing: the floor of the figure above."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        taken.append(time.perf_counter() - start)
    return sorted(taken)[times // 2]


def family_memory(pid: int) -> int:
    """Resident bytes of a process and all its descendants, shared pages counted once (PSS)."""
    total, queue = 0, [pid]
    while queue:
        current = queue.pop()
        try:
            rollup = Path(f"/proc/{current}/smaps_rollup").read_text()
            total += next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")) * 1024
            for task in Path(f"/proc/{current}/task").iterdir():
                queue += [int(child) for child in (task / "children").read_text().split()]
        except (OSError, StopIteration):
            continue
    return total


def run_peak(limit: int | None) -> tuple[int, float, float]:
    """Peak memory, wall seconds and rate of a run with two workers and noisy outputs."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "editscope", "run", "paintbench", "--editor", "ref:noise"]
        command += ["--out", f"{folder}/run", "--jobs", "2", "--quiet"]
        command += ["--limit", str(limit)] if limit else []
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        peak = 0
        done = threading.Event()

        def watch() -> None:
            nonlocal peak
            while not done.wait(0.1):
                peak = max(peak, family_memory(process.pid))

        watcher = threading.Thread(target=watch)
        watcher.start()
        process.wait()
        done.set()
        watcher.join()
        wall = time.perf_counter() - start
        return peak, wall, (limit or 1920) / wall


def core_bytes() -> int:
    """Size on disk of Editscope's core requirements and what they require, without extras."""
    seen: set[str] = set()
    queue, total = ["editscope"], 0
    while queue:
        name = queue.pop().lower().replace("_", "-")
        if name in seen:
            continue
        seen.add(name)
        try:
            distribution = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        for requirement in distribution.requires or []:
            if "extra ==" not in requirement:
                found = re.match(r"[A-Za-z0-9._-]+", requirement)
                queue += [found[0]] if found else []
        for file in distribution.files or []:
            path = Path(str(file.locate()))
            total += path.stat().st_size if path.is_file() else 0
    return total


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--limit", type=int, default=None, help="cases of the run (default: all 1,920)")
    arguments = parser.parse_args()
    floor, helped = empty_python_seconds(), help_seconds()
    peak, wall, rate = run_peak(arguments.limit)
    print("\nFootprint")
    print(f"{'':44}{'measured':>12}{'asked':>12}")
    print(f"{'editscope --help, s (bare Python ' + format(floor, '.2f') + ')':44}{helped:12.2f}{'0.40':>12}")
    print(f"{'peak memory of a run, 2 workers, MiB':44}{peak / 2**20:12.0f}{'1536':>12}")
    print(f"{'core install, MB':44}{core_bytes() / 1e6:12.0f}{'600':>12}")
    print(f"that run: {wall:.0f} s, {rate:.0f} cases/s, noisy outputs edited, written, scored, thumbnails made")


if __name__ == "__main__":
    main()

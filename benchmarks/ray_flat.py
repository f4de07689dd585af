"""Whether memory stays flat on Ray: 20,000 tiny cases, looked at while they are done.

    python benchmarks/ray_flat.py [--cases 20000] [--workers 2] [--side 64]

``driver`` is this process, which runs the loop and writes the journal; ``workers`` are the processes of Ray's that edit
and score, all together; ``ray`` its own servers; ``store`` what the object store holds at that moment. The ratio is to
the first row. What must grow is what the journal's reader needs at the end: it is read when all is done.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import editscope as es

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from support.ray_cases import Tiny, Waits

MARKS = (1_000, 5_000, 10_000, 20_000)
MB = 1 << 20


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--side", type=int, default=64)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        watching = threading.Thread(target=watch, args=(out, asked.cases), daemon=True)
        watching.start()
        began = time.perf_counter()
        suite, editor = Tiny(asked.cases, asked.side), Waits(0.0, asked.workers)
        run = es.run(suite, editor, out=out, engine="ray", ray_address="local", progress=False)
        took = time.perf_counter() - began
        watching.join(5)
        print(f"\n{run.coverage} in {took:.0f} s, {asked.cases / took:.0f} cases/s, start and tables included")


def watch(out: Path, cases: int) -> None:
    """Print a row when so many cases have their score."""
    print("| cases | driver MB | workers MB (count) | ray MB | store MB | driver, ratio | workers, ratio |", flush=True)
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |", flush=True)
    first: tuple[float, float] | None = None
    for mark in sorted({mark for mark in MARKS if mark < cases} | {cases - cases // 200}):
        while scored(out) < mark:
            time.sleep(0.5)
        driver, (workers, count), servers = rss(os.getpid()), together("ray::"), together("raylet", "gcs_server")[0]
        first = first or (driver, workers)
        ratios = f"{driver / first[0]:.2f} | {workers / first[1]:.2f}"
        row = f"| {mark:,} | {driver:.0f} | {workers:.0f} ({count}) | {servers:.0f} | {store():.1f} | {ratios} |"
        print(row, flush=True)


_counted: dict[Path, tuple[int, int]] = {}


def scored(out: Path) -> int:
    """How many cases the journal has a score of; reads only what is new."""
    file = out / "journal.jsonl"
    place, count = _counted.get(file, (0, 0))
    if file.exists():
        with file.open("rb") as stream:
            stream.seek(place)
            data = stream.read()
        whole = data.rfind(b"\n") + 1
        place, count = place + whole, count + data[:whole].count(b'"step":"score"')
        _counted[file] = place, count
    return count


def rss(pid: int) -> float:
    """Megabytes of a process that it shares with nobody, so that the object store is not counted for each."""
    fields = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line)
    return int(fields.get("RssAnon", "0 kB").split()[0]) / 1024


def together(*names: str) -> tuple[float, int]:
    """Megabytes and number of the processes below this one whose command line begins with, or names, one of these."""
    found = []
    for pid in below(os.getpid()):
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            if any(command.startswith(name) or f"/{name} " in command for name in names):
                found.append(rss(pid))
        except OSError:
            continue
    return sum(found), len(found)


def below(pid: int) -> list[int]:
    """A process's children, their children, and so on."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = [int(child) for child in task.read_text().split()]
        except OSError:
            continue
        found += [*children, *(deeper for child in children for deeper in below(child))]
    return found


def store() -> float:
    """Megabytes in the object store."""
    import ray

    there: Any = ray
    whole, free = (found["object_store_memory"] for found in (there.cluster_resources(), there.available_resources()))
    return float(whole - free) / MB


if __name__ == "__main__":
    main()

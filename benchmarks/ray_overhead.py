"""What the Ray engine costs for each case: an editor of 50 ms, beside the local engine and a plain loop.

    python benchmarks/ray_overhead.py [--cases 400] [--suites tiny paintbench] [--workers 1 4]

The editor only waits. ``overhead`` is (wall − ideal) / cases from the moment when a quarter of the cases have their
score to the last score, where ideal is the waiting alone, shared by the workers; what a start costs stands apart, since
it does not grow with the cases. ``tiny`` has pictures of 64 × 64, so that what is measured is the engine; PaintBench is
drawn and scored at 1024 × 1024, which wants cores. The plain loop edits, keeps and scores one case after the other in
this process.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import editscope as es
from editscope.processes import cores
from editscope.runs.engine.case_steps import CaseSteps

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from support.ray_cases import Tiny, Waits

SECONDS = 0.05


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("--cases", type=int, default=400)
    parser.add_argument("--suites", nargs="+", choices=["tiny", "paintbench"], default=["tiny", "paintbench"])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 4])
    asked = parser.parse_args()
    print(
        f"{asked.cases} cases, an editor of {1000 * SECONDS:.0f} ms, {cores()} cores, load {os.getloadavg()[0]:.1f}\n"
    )
    print("| suite | workers | way | ms a case | ideal ms | overhead ms a case | ratio to the loop | start s |")
    print("| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: |")
    for name in asked.suites:
        suite = Tiny(asked.cases) if name == "tiny" else es.load_suite("paintbench", conditions=("baseline",))
        for workers in asked.workers:
            table(suite, asked.cases, workers)


def table(suite: es.Suite, cases: int, workers: int) -> None:
    """The rows of one suite and one number of workers."""
    loop = plain(suite, suite.select(None, max(10, cases // 20)))
    rows = [("plain loop", 1, loop, 0.0)]
    for engine in ("local", "ray"):
        with tempfile.TemporaryDirectory() as folder:
            rows.append((engine, workers, *measured(suite, cases, workers, engine, Path(folder) / "run")))
    for way, editors, took, start in rows:
        ideal = SECONDS / editors
        figures = f"{1000 * took:.2f} | {1000 * ideal:.2f} | {1000 * (took - ideal):.2f} | {took / loop:.2f}"
        print(f"| {suite.name} | {editors} | {way} | {figures} | {start:.1f} |", flush=True)


def plain(suite: es.Suite, ids: tuple[str, ...]) -> float:
    """Seconds for a case, one after the other."""
    folder = Path(tempfile.mkdtemp())
    bench = CaseSteps(suite, Waits(SECONDS), folder, 0)
    warm, *others = ids
    for case_id in (warm, *others):
        if case_id == others[0]:
            began = time.perf_counter()
        case = bench.case(case_id)
        edited = bench.edit(case, 0)
        bench.score(case, edited.line, edited.pixels)
    took = time.perf_counter() - began
    shutil.rmtree(folder)
    return took / len(others)


def measured(suite: es.Suite, cases: int, workers: int, engine: str, out: Path) -> tuple[float, float]:
    """Seconds for a case once it runs, and seconds before the first score."""
    settings: dict[str, Any] = {"engine": engine} | ({"ray_address": "local"} if engine == "ray" else {})
    began = time.time()
    es.run(suite, Waits(SECONDS, workers), out=out, limit=cases, progress=False, **settings)
    lines = map(json.loads, (out / "journal.jsonl").read_text().splitlines())
    times = [datetime.fromisoformat(line["at"]).timestamp() for line in lines if line["step"] == "score"]
    steady = times[len(times) // 4 :]
    return (steady[-1] - steady[0]) / (len(steady) - 1), times[0] - began


if __name__ == "__main__":
    main()

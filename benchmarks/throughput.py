"""One machine's throughput: an editor of 100 ms that takes four at a time, on PaintBench, scoring included.

    python benchmarks/throughput.py [--cases 480] [--sides 512 768 1024] [--outputs flat grain] [--ways batch threads]

The editor does nothing but wait, as one does whose model is on a GPU or elsewhere: at best it makes 40 edits a second.
It takes its four once as a batch in one call, once from four threads. ``flat`` edits are the input with a square
painted over, ``grain`` has every pixel a little off, as from a diffusion model, and is the dearest to write as PNG.

Each row is a run as a user starts it, with the command line. ``steady`` counts cases from the first score to the last;
``editing`` from the moment when the editor was first asked to the end of the process, tables included; ``whole`` also
counts the start of the interpreter and of the worker. The baseline is a loop in this process that asks for four edits,
keeps and scores them with the same functions, and asks for the next four; its start is not counted.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

import editscope as es
from editscope.images import Pixels
from editscope.runs.engine.case_steps import CaseSteps, request_edits

HERE = Path(__file__).parent
AT_A_TIME = 4


class Waiting(es.Editor):
    """An editor that takes 100 ms for up to four pictures, and hardly any computing."""

    def __init__(self, way: str = "batch", output: str = "flat", seconds: float = 0.1) -> None:
        self.seconds = seconds
        self.batch, self.at_once = (AT_A_TIME, 1) if way == "batch" else (1, AT_A_TIME)
        self.output = output
        self.grain = np.random.default_rng(0).integers(0, 4, (2048, 2048, 3), np.uint8)

    def edit(self, case: es.Request) -> es.Image:
        """One edit, after 100 ms."""
        (made,) = self.edit_batch([case])
        return made

    def edit_batch(self, cases: Sequence[es.Request]) -> list[Pixels]:
        """Up to four edits, after 100 ms."""
        until = time.perf_counter() + self.seconds
        if "FIRST_ASKED" in os.environ and not Path(os.environ["FIRST_ASKED"]).exists():
            Path(os.environ["FIRST_ASKED"]).write_text(str(time.time()))
        made = [self._made(case.arrays[0]) for case in cases]
        time.sleep(max(0.0, until - time.perf_counter()))
        return made

    def _made(self, pixels: Pixels) -> Pixels:
        height, width = pixels.shape[:2]
        if self.output == "grain":
            grained: Pixels = pixels ^ self.grain[:height, :width]
            return grained
        made = pixels.copy()
        made[height // 4 : height // 2, width // 4 : width // 2] = (200, 40, 40)
        return made


def suite_options(side: int) -> dict[str, Any]:
    """The standard set at its own size; a set of the same tasks at another."""
    return {} if side == 1024 else {"canvas": (side, side), "conditions": ["baseline"], "per_cell": 60}


def by_command(side: int, way: str, output: str, seconds: float, cases: int, folder: Path) -> dict[str, float]:
    """Rates of a run that a user starts."""
    out, first = folder / f"{side}-{way}-{output}", folder / f"asked-{side}-{way}-{output}"
    custom = [] if side == 1024 else ["--canvas", f"{side}x{side}", "--conditions", "baseline", "--per-cell", "60"]
    command = [sys.executable, "-m", "editscope", "run", "paintbench", *custom, "--limit", str(cases), "--quiet"]
    command += ["--editor", f"python:throughput:Waiting?way={way}&output={output}&seconds={seconds}", "--out", str(out)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.time()
    env = {**os.environ, "FIRST_ASKED": str(first), "PYTHONPATH": str(HERE)}
    subprocess.run(command, check=True, env=env, stdout=subprocess.DEVNULL)
    ended = time.time()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    lines = [json.loads(line) for line in (out / "journal.jsonl").read_text().splitlines()]
    scored = sorted(datetime.fromisoformat(line["at"]).timestamp() for line in lines if line["step"] == "score")
    assert len(scored) == cases
    return {
        "steady": (cases - AT_A_TIME) / (scored[-1] - scored[0]),  # the first four come together
        "editing": cases / (ended - float(first.read_text())),
        "whole": cases / (ended - began),
        "cpu": 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / cases,
    }


def by_loop(side: int, output: str, seconds: float, cases: int, folder: Path) -> float:
    """The rate of a plain loop: four edits, then their scores, then the next four."""
    suite, editor = es.load_suite("paintbench", **suite_options(side)), Waiting("batch", output, seconds)
    bench = CaseSteps(suite, editor, folder / f"loop-{side}-{output}", 0)
    ids = suite.select(None, cases + AT_A_TIME)
    began = 0.0
    for start in range(0, len(ids), AT_A_TIME):
        if start == AT_A_TIME:  # the first batch loads what is compiled
            began = time.perf_counter()
        some = [bench.case(case_id) for case_id in ids[start : start + AT_A_TIME]]
        requests: list[Any] = [bench.before(case, 0) for case in some]
        for case, (edit, trace) in zip(some, request_edits(editor, requests), strict=True):
            made = bench.after(edit, trace, 0, "")
            bench.score(case, made.line, made.pixels)
    return (len(ids) - AT_A_TIME) / (time.perf_counter() - began)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=480)
    parser.add_argument("--sides", type=int, nargs="+", default=[512, 768, 1024])
    parser.add_argument("--outputs", nargs="+", default=["flat", "grain"])
    parser.add_argument("--ways", nargs="+", default=["batch", "threads"])
    parser.add_argument("--seconds", type=float, default=0.1, help="how long the editor takes")
    given = parser.parse_args()
    best = AT_A_TIME / given.seconds
    load = os.getloadavg()[0]
    print(
        f"{given.cases} cases, at best {best:g} edits a second, {len(os.sched_getaffinity(0))} cores, load {load:.1f}"
    )
    heading = " ".join(f"{kind:>14}" for kind in ("steady", "editing", "whole"))
    print(f"{'canvas':>7} {'output':<7} {'way':<8} {heading} {'loop':>6} {'CPU a case':>11}")
    with tempfile.TemporaryDirectory() as name:
        for side in given.sides:
            for output in given.outputs:
                loop = by_loop(side, output, given.seconds, min(given.cases, 60), Path(name))
                for way in given.ways:
                    found = by_command(side, way, output, given.seconds, given.cases, Path(name))
                    rates = " ".join(
                        f"{found[kind]:6.1f}/s {100 * found[kind] / best:3.0f} %"
                        for kind in ("steady", "editing", "whole")
                    )
                    print(f"{side:>7} {output:<7} {way:<8} {rates} {loop:6.1f} {found['cpu']:8.1f} ms", flush=True)


if __name__ == "__main__":
    main()

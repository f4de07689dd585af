"""The whole command ``editscope score`` on noisy outputs, beside OpenCV's decoding of the same files.

    python benchmarks/score_command.py [--n 240] [--side 1024] [--generated] [--keep DIR]

Makes a set of PaintBench on disk and, for each problem, its answer with noise on every channel of every pixel, written
by OpenCV. Then it runs the command as a user does, and counts the CPU seconds of all its processes, their start, the
tables and the intervals included. The baseline is a process that decodes input, answer and output of every problem
with OpenCV and does nothing else. With ``--generated`` the problems are drawn anew in place of being read.

1,920 problems need about 6 GB in the folder for temporary files; with fewer, the start of the processes weighs more.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from zlib import crc32

import cv2
import numpy as np

from editscope.images import load
from editscope.processes import cores
from editscope.suites import load_suite

ASKED_MS, ASKED_RATIO = 20.0, 1.1
DECODE = """
import sys, cv2
cv2.setNumThreads(1)
for path in sys.stdin.read().split():
    cv2.imread(path, cv2.IMREAD_COLOR)
"""


def cpu_of(command: list[str], text: str = "") -> tuple[float, float]:
    """CPU seconds of a process and all it started, and seconds."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, input=text.encode(), check=True, stdout=subprocess.DEVNULL)
    took, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, took


def write_output(problems: Path, outputs: Path, case_id: str) -> None:
    """The answer of one problem with noise, where ``folder:`` looks for it."""
    answer = load(problems / f"{case_id}_answer.png")
    rng = np.random.default_rng(crc32(case_id.encode()))
    noisy = np.clip(answer + rng.integers(-8, 9, answer.shape, dtype=np.int16), 0, 255).astype(np.uint8)
    path = outputs / f"{case_id}_output.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), noisy[:, :, ::-1])


def make_files(folder: Path, n: int, side: int) -> tuple[Path, Path, list[str]]:
    """A set on disk, its outputs, and the ids of its problems."""
    problems, outputs = folder / "problems", folder / "outputs"
    if not problems.exists():
        custom = [] if side == 1024 else ["--canvas", f"{side}x{side}"]
        generate = [sys.executable, "-m", "editscope", "generate", "paintbench", "--out", str(problems), *custom]
        subprocess.run(generate, check=True, stdout=subprocess.DEVNULL)
    ids = list(load_suite("paintbench", root=problems).select(limit=n))
    todo = [case_id for case_id in ids if not (outputs / f"{case_id}_output.png").exists()]
    with ProcessPoolExecutor(cores()) as pool:
        list(pool.map(partial(write_output, problems, outputs), todo, chunksize=8))
    return problems, outputs, ids


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=240, help="problems, at most 1,920")
    parser.add_argument("--side", type=int, default=1024)
    parser.add_argument("--generated", action="store_true", help="draw the problems, do not read them")
    parser.add_argument("--keep", type=Path, help="make the files here and leave them for the next time")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        problems, outputs, ids = make_files(given.keep or Path(name), given.n, given.side)
        files = [problems / f"{case_id}_{role}.png" for case_id in ids for role in ("input", "answer")]
        files += [outputs / f"{case_id}_output.png" for case_id in ids]
        data = [] if given.generated else ["--data", str(problems)]
        command = [sys.executable, "-m", "editscope", "score", "paintbench", *data, "--outputs", str(outputs)]
        command.append("--quiet")
        whole_command = [*command, "--limit", str(given.n), "--out"]
        cpu_of([*whole_command, str(Path(name) / "warm")])  # compiles what is not compiled yet
        decoding, _ = cpu_of([sys.executable, "-c", DECODE], "\n".join(map(str, files)))
        whole, took = cpu_of([*whole_command, str(Path(name) / "run")])
        ours, theirs = 1e3 * whole / len(ids), 1e3 * decoding / len(ids)
        print(f"{len(ids):,} problems of {given.side}², {cores()} cores, load {os.getloadavg()[0]:.1f}")
        print(f"  editscope score      {ours:7.1f} ms CPU a problem   {took:6.1f} s")
        print(f"  OpenCV, decoding     {theirs:7.1f} ms CPU a problem   {ours / theirs:6.2f} ×")
        kept = ours <= ASKED_MS and ours <= ASKED_RATIO * theirs
        print(f"  asked: at most {ASKED_MS:g} ms and {ASKED_RATIO} × OpenCV: {'kept' if kept else 'NOT KEPT'}")


if __name__ == "__main__":
    main()

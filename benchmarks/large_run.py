"""Time and memory of a run of 100,000 cases after its last score: tables, `show`, `resume` and the report.

    python benchmarks/large_run.py [--cases 100000] [--folder DIR] [--report]

The run folder is made up: cases, records and journal lines are those of a PaintBench run, with random counts of right
pixels and empty pictures. ``--folder`` keeps the run for the next time. The baseline streams the same journal into a
Parquet file and computes nothing. All figures are of separate processes: seconds, CPU seconds and peak memory.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

# This process imports nothing large: a child starts with the peak memory of the process that started it.
CELLS = 160
TABLES = ("scores.parquet", "summary.json")

MAKE_PIXELS = '''
"""Make a finished run of PaintBench in the folder and with the problems per cell that are given."""
import os, random, sys
from pathlib import Path
import editscope
from editscope.cases import Edit
from editscope.images import encode_png
from editscope.runfolder.files import IMAGES, safe_path
from editscope.runfolder.journal import Journal
from editscope.runfolder.stored_edits import HASH, content_hash
from editscope.runs.engine.case_steps import edit_line
from editscope.runs.plan import make_plan, write_info
from editscope.scoring import PixelScore
import numpy as np

folder, per_cell = Path(sys.argv[1]), int(sys.argv[2])
suite = editscope.load_suite("paintbench", per_cell=per_cell)
plan = make_plan(suite, "ref:drift", out=folder)
rng = random.Random(0)
picture = np.zeros((64, 64, 3), np.uint8)
data = encode_png(picture)
stored = content_hash(data)
instructions, link = {}, folder
with Journal(folder) as journal:
    write_info(plan)
    lines = []
    for index, case_id in enumerate(plan.ids):
        tags = dict(suite.tags(case_id))
        kind = tags["task"], tags["mode"], tags["condition"]
        if kind not in instructions:
            instructions[kind] = suite.case(case_id).instruction
        relative = f"{IMAGES}/{safe_path(case_id)}_output.png"
        path = folder / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        if index % 10_000 == 0:  # a file system allows only so many links to a file
            link = path
            path.write_bytes(data)
        else:
            os.link(link, path)
        failed = rng.random() < 0.01
        edit = Edit(case_id, status="no_output" if failed else "ok", latency_s=rng.expovariate(5),
                    reason="the editor returned nothing" if failed else None)
        made = edit_line(edit, index, None if failed else relative, None if failed else picture)
        if not failed:
            made[HASH] = stored
        pixels = rng.randint(2_000, 200_000)
        rest = 1024 * 1024 - pixels
        share, spill = sorted(rng.random() for _ in range(11)), sorted((rng.random() ** 4 for _ in range(11)))
        score = PixelScore(
            edit_pixels=pixels, preservation_pixels=rest,
            hits=tuple(0 if failed else int(pixels * one) for one in share),
            spilled=tuple(rest if failed else int(rest * one) for one in reversed(spill)),
            changed_pixels=tuple(0 if failed else int(1024 * 1024 * one) for one in reversed(spill)),
            output_size=None if failed else (1024, 1024),
        )
        metrics = dict.fromkeys(score.metrics(), 0.0) if failed else score.metrics()
        lines += [made, {
            "step": "score", "case": case_id, "variant": "", "index": index, "status": edit.status,
            "metrics": metrics, "evidence": {**score.to_json(), "floor_miou": rng.random() / 2},
            "failure": "no_output" if failed else score.failure, "tags": tags, "instruction": instructions[kind],
            "fingerprint": f"{rng.getrandbits(128):032x}", "at": made["at"],
        }]
        if len(lines) >= 2_000:
            journal.append(*lines)
            lines = []
    journal.append(*lines)
'''

BASELINE = """
import sys
import pyarrow as pa, pyarrow.json as pj, pyarrow.parquet as pq
with pj.open_json(sys.argv[1], read_options=pj.ReadOptions(block_size=4 << 20)) as reader:
    with pq.ParquetWriter(sys.argv[2], reader.schema, compression="zstd") as writer:
        for batch in reader:
            writer.write_batch(batch)
"""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a process took, with its children."""

    wall_s: float
    cpu_s: float
    peak_mb: float
    output: str


def measured(command: Sequence[str]) -> Measured:
    """Run a command to its end; a run with edits that failed ends with 1."""
    with tempfile.TemporaryFile() as output:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode(errors="replace")
    if process.returncode not in (0, 1) or "Traceback" in text:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}:\n{text}")
    return Measured(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6, text)


def python(program: str, *arguments: object) -> Measured:
    """Run a piece of Python."""
    return measured([sys.executable, "-c", program, *map(str, arguments)])


def editscope(*arguments: object) -> Measured:
    """Run a command of Editscope."""
    return measured([sys.executable, "-m", "editscope", *map(str, arguments)])


def pixel_run(folder: Path, cases: int) -> Path:
    """A run folder of about so many cases, without tables."""
    run = folder / f"pixels-{cases}"
    if not (run / "journal.jsonl").exists():
        print(f"making {run.name} …", flush=True)
        python(MAKE_PIXELS, run, max(1, cases // CELLS))
    return run


def without_tables(run: Path) -> Path:
    """The run as it is after its last score."""
    for name in TABLES:
        (run / name).unlink(missing_ok=True)
    return run


def line(
    what: str, found: Measured, baseline: Measured, asked_s: float | None = None, asked_mb: float | None = None
) -> None:
    asked = [f"{value:g} {unit}" for value, unit in ((asked_s, "s"), (asked_mb, "MB")) if value is not None]
    kept = all(a is None or value <= a for value, a in ((found.wall_s, asked_s), (found.peak_mb, asked_mb)))
    verdict = f"asked ≤ {', '.join(asked)}: {'kept' if kept else 'NOT KEPT'}" if asked else ""
    ratio = f"{found.cpu_s / baseline.cpu_s:6.1f} × CPU"
    print(
        f"{what:<42}{found.wall_s:8.2f} s {found.cpu_s:8.2f} CPU-s {found.peak_mb:7.0f} MB {ratio}  {verdict}",
        flush=True,
    )


def walk(run: Path, scratch: Path, *, report: bool) -> None:
    """Measure everything about one run, and print it."""
    size = (run / "journal.jsonl").stat().st_size / 1e6
    print(f"\n{run.name}: a journal of {size:.0f} MB; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    baseline = python(BASELINE, run / "journal.jsonl", scratch / "journal.parquet")
    line("the journal as Parquet, nothing else", baseline, baseline)
    line("show, none stored: tables and intervals", editscope("show", without_tables(run)), baseline, 30, 600)
    line("show, tables stored", editscope("show", run), baseline, 1)
    line("resume of the finished run", editscope("resume", run), baseline, 3)
    if report:
        line("report", editscope("report", run, "--out", scratch / "report.html"), baseline)


def main() -> None:
    """Make the runs, measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--folder", type=Path, default=None, help="keep the runs here")
    parser.add_argument("--report", action="store_true", help="also write the report")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        scratch = Path(temporary)
        folder = arguments.folder or scratch
        walk(pixel_run(folder, arguments.cases), scratch, report=arguments.report)


if __name__ == "__main__":
    main()

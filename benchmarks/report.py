"""Time, memory and size of a report of many runs, and how soon its page answers in a real Chromium.

    python benchmarks/report.py [--editors 12] [--folder DIR] [--limit N]

Twelve editors on PaintBench (1,920 cases) and on TinyGrafixBench (600 charts): 24 run folders. One run of each suite
is really made; the others have its pictures and a journal with scores of their own. ``--folder`` keeps
the runs for the next time. The baseline is the same report of one run of each suite, measured in the same way.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

import editscope
from editscope.runfolder.journal_lines import encoded_line as written_line
from editscope.runfolder.run_json import read_info
from editscope.scoring import PixelScore

SUITES = ("paintbench", "tinygrafix")
MADE_BY = "ref:jpeg?strength=2"
ASKED_WRITE_S, ASKED_PEAK_MIB, ASKED_PAGE_S, ASKED_MB, ASKED_FILTER_MS = 20.0, 1024.0, 2.0, 25.0, 100.0
CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


def real_run(suite: str, folder: Path, limit: int | None) -> Path:
    """A run with real pictures of real cases; the full-size edits, which no report reads, are thrown away."""
    if not (folder / "summary.json").exists():
        shutil.rmtree(folder, ignore_errors=True)
        print(f"making {folder.name} …", flush=True)
        editscope.run(editscope.load_suite(suite), MADE_BY, out=folder, limit=limit, progress=False)
        shutil.rmtree(folder / "images")
    return folder


def made_up_run(real: Path, folder: Path, number: int) -> Path:
    """The same pictures with scores of another skill: every count of right pixels is scaled, case by case."""
    if (folder / "summary.json").exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(real / "thumbs", folder / "thumbs", copy_function=partial(own_picture, number=number))
    info = read_info(real)
    info["editor"] = {**info["editor"], "spec": None, "name": f"model-{number:02d}"}
    (folder / "run.json").write_text(json.dumps(info), encoding="utf-8")
    rng = np.random.default_rng(number)
    with (folder / "journal.jsonl").open("wb") as journal:
        for text in (real / "journal.jsonl").read_text(encoding="utf-8").splitlines():
            line = json.loads(text)
            if line["step"] == "score":
                _rescore(line, float(rng.beta(1 + number / 4, 2)))
            journal.write(written_line(line) + b"\n")
    from editscope.results import open_run

    _ = open_run(folder).summary  # which writes the tables
    return folder


def own_picture(source: str, target: str, number: int) -> None:
    """Inputs and answers by hard link; edits and maps with bytes of their own at the end, so that none are equal."""
    if Path(source).stem in ("input", "answer"):
        os.link(source, target)
    else:
        Path(target).write_bytes(Path(source).read_bytes() + bytes([0, number]))


def _rescore(line: dict[str, Any], skill: float) -> None:
    evidence = line["evidence"]
    rest = evidence["preservation_pixels"]
    evidence["hits"] = [int(skill * count) for count in evidence["hits"]]
    evidence["spilled"] = [min(rest, int(count + (1 - skill) * rest / 20)) for count in evidence["spilled"]]
    score = PixelScore.from_json(evidence)
    line["metrics"], line["failure"] = score.metrics(), score.failure


def written(runs: Sequence[Path], out: Path) -> tuple[float, float, float]:
    """Wall seconds, CPU seconds and peak MiB of ``editscope report`` in a process of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "editscope", "report", *map(str, runs), "--out", str(out), "--with-published"]
    wrapped = [sys.executable, "-c", WRAPPER, *command]
    start = time.perf_counter()
    peak = float(subprocess.run(wrapped, check=True, capture_output=True, text=True).stdout.split()[-1])
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, peak


WRAPPER = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
"""


def opened(out: Path) -> dict[str, float]:
    """Seconds to the first paint and to a gallery that is there; milliseconds that a filter takes, until painted."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        start = time.perf_counter()
        page.goto(out.resolve().as_uri(), wait_until="commit")
        page.wait_for_selector(".case", state="attached")
        interactive = time.perf_counter() - start
        page.wait_for_timeout(300)
        found = {"interactive": interactive}
        found["paint"] = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime / 1000")
        page.evaluate("document.getElementById('cases').scrollIntoView({behavior: 'instant'})")
        page.wait_for_timeout(700)
        found |= page.evaluate(FILTER)
        browser.close()
    return found


FILTER = """async () => {
  const input = document.querySelector('[name="failure"]');
  const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const spent = [], seen = [];
  for (const option of [...input.options].filter((one) => !one.disabled).slice(0, 6)) {
    const start = performance.now();
    input.value = option.value;
    input.dispatchEvent(new Event('input'));
    spent.push(performance.now() - start);
    await painted();
    seen.push(performance.now() - start);
    await new Promise((done) => setTimeout(done, 250));
  }
  return {filter: Math.max(...spent), filterSeen: Math.max(...seen)};
}"""


def line(what: str, value: float, unit: str, asked: float, baseline: float) -> None:
    verdict = "kept" if value <= asked else "NOT KEPT"
    beside = f"{value / baseline:6.2f} × one run ({baseline:.2f})"
    print(f"{what:<46}{value:9.2f} {unit:<4} asked ≤ {asked:g}  {verdict:<9} {beside}")


def main() -> None:
    """Make the runs, write the reports, open them, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--editors", type=int, default=12)
    parser.add_argument("--limit", type=int, default=None, help="cases of each suite (default: all)")
    parser.add_argument("--folder", type=Path, default=None, help="keep the runs here")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        runs = []
        for suite in SUITES:
            real = real_run(suite, folder / f"{suite}-real", arguments.limit)
            runs.append([real, *(made_up_run(real, folder / f"{suite}-{n}", n) for n in range(1, arguments.editors))])
        every, single = folder / "all.html", folder / "one.html"
        wall, cpu, peak = written([run for group in runs for run in group], every)
        wall1, cpu1, peak1 = written([group[0] for group in runs], single)
        page, page1 = opened(every), opened(single)
        print(f"\nA report of {arguments.editors} editors × 2 suites")
        line("write, wall", wall, "s", ASKED_WRITE_S, wall1)
        line("write, CPU", cpu, "s", 2 * ASKED_WRITE_S, cpu1)
        line("peak memory", peak, "MiB", ASKED_PEAK_MIB, peak1)
        line("size of the file", every.stat().st_size / 1e6, "MB", ASKED_MB, single.stat().st_size / 1e6)
        line("first contentful paint", page["paint"], "s", ASKED_PAGE_S, page1["paint"])
        line("interactive: filters and cases are there", page["interactive"], "s", ASKED_PAGE_S, page1["interactive"])
        line("a filter, script", page["filter"], "ms", ASKED_FILTER_MS, page1["filter"])
        line("a filter, until painted", page["filterSeen"], "ms", ASKED_FILTER_MS, page1["filterSeen"])


if __name__ == "__main__":
    main()

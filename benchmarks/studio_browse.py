"""Times of browsing: 40 runs × 2,520 cases, indexed, opened again, case pages, and a gallery in a real Chromium.

``python benchmarks/studio_browse.py [--runs 40] [--cases 2520] [--folder DIR]``

One run is made with `editscope run`, the others are copies of it whose pictures are hard links and whose scores differ.
The baseline of case pages is the smallest page of the same studio, asked for in the same run.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from http.client import HTTPConnection
from pathlib import Path
from random import Random
from urllib.parse import urlsplit

from editscope.results.run import open_run
from editscope.runfolder.journal_lines import encoded_line
from editscope.studio.catalog.catalog import Catalog

CHROMIUM = Path("/usr/bin/chromium")
PAGES = 200


def make_runs(folder: Path, runs: int, cases: int) -> None:
    """The runs; cases beyond what one run of the suite has are copies under other names."""
    first = folder / "run-00"
    if (folder / f"run-{runs - 1:02d}" / "journal.jsonl").exists():
        return
    made = folder.parent / "made"
    if not (made / "summary.json").exists():
        command = [sys.executable, "-m", "editscope", "run", "paintbench", "--limit", "420", "--editor", "ref:drift"]
        subprocess.run([*command, "--out", str(made), "--quiet"], check=True, stdout=subprocess.DEVNULL)
    lines = [json.loads(line) for line in (made / "journal.jsonl").read_bytes().splitlines()]
    steps = sorted({line["case"] for line in lines})
    for number in range(runs):
        home, rng = folder / f"run-{number:02d}", Random(number)
        copies = -(-cases // len(steps))
        for place in ("images", "thumbs"):
            for copy in range(copies):
                target = home / place / (f"copy{copy}" if copy else "")
                source = made / place if number == 0 else first / place / (f"copy{copy}" if copy else "")
                _link(source, target, top=copy == 0)
        text: list[bytes] = []
        index = 0
        for copy in range(copies):
            for line in lines:
                if len(text) >= 2 * cases:
                    break
                name = f"copy{copy}/{line['case']}" if copy else line["case"]
                changed = {key: value for key, value in line.items() if key != "sum"} | {
                    "case": name,
                    "index": index // 2,
                }
                index += 1
                if changed["step"] == "score":
                    factor = rng.uniform(0.4, 1.0)
                    changed["metrics"] = {key: value * factor for key, value in line["metrics"].items()}
                elif changed["image"]:
                    inside = line["image"].removeprefix("images/")
                    changed["image"] = f"images/copy{copy}/{inside}" if copy else line["image"]
                text.append(encoded_line(changed) + b"\n")
        (home / "journal.jsonl").write_bytes(b"".join(text))
        info = json.loads((made / "run.json").read_bytes())
        info["editor"] |= {"name": f"editor-{number:02d}"}
        info["selection"] |= {"n": cases, "of": cases}
        (home / "run.json").write_text(json.dumps(info), encoding="utf-8")
        _ = open_run(home).summary  # writes the tables, which a run that ended by itself has


def _link(source: Path, target: Path, *, top: bool) -> None:
    def link(old: str, new: str) -> None:
        os.link(old, new)

    ignore = shutil.ignore_patterns("copy*") if top else None
    shutil.copytree(source, target, copy_function=link, ignore=ignore, dirs_exist_ok=True)


def timed_get(address: str, path: str) -> tuple[float, bytes]:
    """Seconds that an answer takes, and its bytes."""
    connection = HTTPConnection(urlsplit(address).netloc, timeout=60)
    begun = time.perf_counter()
    connection.request("GET", path, headers={"accept": "text/html"})
    data = connection.getresponse().read()
    connection.close()
    return time.perf_counter() - begun, data


def indexed(folder: Path, own: Path) -> tuple[float, float]:
    """Wall and CPU seconds until every run is read."""
    wall, cpu = time.perf_counter(), time.process_time()
    catalog = Catalog(folder, own)
    while catalog.refresh(60.0):
        pass
    taken = time.perf_counter() - wall, time.process_time() - cpu
    catalog.close()
    return taken


def gallery_memory(address: str, path: str) -> tuple[float, list[float], int]:
    """Private MB of the renderer after scrolling through the gallery, ms of its frames in order of length, and cards
    at the end."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(address + path)
        page.wait_for_selector(".case-card img")
        frames = page.evaluate(
            """async () => { let last = performance.now(); const frames = [];
            for (let y = 0; y < document.body.scrollHeight; y += 300) { window.scrollTo({top: y, behavior: 'instant'});
              await new Promise(requestAnimationFrame); const now = performance.now();
              frames.push(now - last); last = now; }
            return frames; }"""
        )
        # The studio's policy forbids what `wait_for_function` would do in the page.
        while not page.evaluate("[...document.querySelectorAll('.case-card img')].every(image => image.complete)"):
            page.wait_for_timeout(100)
        cards = page.locator(".case-card").count()
        memory = max((_private_mb(pid) for pid in _own_renderers()), default=0.0)
        browser.close()
    return memory, sorted(frames), cards


def _own_renderers() -> list[int]:
    """The renderers that this process started, through the processes between them."""
    parents: dict[int, int] = {}
    renderers = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(place.name)] = int((place / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
            if b"--type=renderer" in (place / "cmdline").read_bytes():
                renderers.append(int(place.name))
        except OSError:
            continue

    def is_own(pid: int) -> bool:
        while pid > 1 and pid != os.getpid():
            pid = parents.get(pid, 0)
        return pid == os.getpid()

    return [pid for pid in renderers if is_own(pid)]


def _private_mb(pid: int) -> float:
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return 0.0
    return sum(int(number) for number in re.findall(r"Private_\w+:\s+(\d+) kB", text)) / 1024


def main() -> None:
    """Make the runs, measure, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--cases", type=int, default=2520)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    root = options.folder or Path(tempfile.mkdtemp(prefix="studio-browse-"))
    folder = root / "runs"
    folder.mkdir(parents=True, exist_ok=True)
    make_runs(folder, options.runs, options.cases)
    own = folder / ".editscope-studio"
    shutil.rmtree(own, ignore_errors=True)
    first, first_cpu = indexed(folder, own)
    again, again_cpu = indexed(folder, own)
    command = [sys.executable, "-m", "editscope", "studio", str(folder), "--no-browser", "--port", "0"]
    begun = time.perf_counter()
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        address = next(line for line in server.stdout if "http://" in line).rpartition(" ")[2].strip().rstrip("/")
        started = time.perf_counter() - begun
        opened, html = timed_get(address, "/")
        name = re.findall(r'href="/sets/(\w+)"', html.decode())[0]
        timed_get(address, f"/sets/{name}/cases")
        cards = json.loads(timed_get(address, f"/api/sets/{name}/cases?limit=120")[1])["cards"]
        pages = sorted(timed_get(address, cards[n % len(cards)]["href"])[0] for n in range(PAGES))
        small = sorted(timed_get(address, "/static/base/base.js")[0] for _ in range(PAGES))
        p95, base = pages[int(0.95 * PAGES)], small[int(0.95 * PAGES)]
        rows = [
            (f"{options.runs} runs × {options.cases:,} cases", f"{first:.1f} s, CPU {first_cpu:.1f} s", "20 s"),
            ("index opened again", f"{again:.2f} s ({again_cpu:.2f} s CPU), {first / again:.0f} times faster", "1 s"),
            ("command to first answer, then the page of runs", f"{started:.1f} s, then {opened:.2f} s", ""),
            ("case page of all runs, p95", f"{1000 * p95:.0f} ms, {p95 / base:.1f} × a static file", "150 ms"),
        ]  # fmt: skip
        if CHROMIUM.exists():
            memory, frames, left = gallery_memory(address, f"/sets/{name}/cases")
            rows.append(("gallery scrolled to its end, renderer's private memory", f"{memory:.0f} MB", "300 MB"))
            told = f"{frames[len(frames) // 2]:.0f}, {frames[int(0.95 * len(frames))]:.0f} and {frames[-1]:.0f} ms"
            rows.append((f"{len(frames)} frames of scrolling, median, p95 and longest; {left} cards alive", told, ""))
    finally:
        server.terminate()
        server.wait()
    print("| what | measured | goal |\n| --- | --- | --- |")
    for row in rows:
        print(f"| {' | '.join(row)} |")
    if options.folder is None:
        shutil.rmtree(root)


if __name__ == "__main__":
    main()

"""A judged run as a user starts it: 1,000 PICABench questions about 200 edits, against a plain script.

    python benchmarks/judged_run.py [--cases 200] [--questions 5] [--concurrency 50] [--latency 0.2]

The judge runs in its own process, whose CPU is not counted. The plain script does one case after the other, its
questions in threads, and decodes, crops and encodes for each question; it is measured on fewer cases and scaled. Then
the same command again with another --out (every verdict from the cache), and once more with the same --out.
"""

from __future__ import annotations

import argparse
import base64
import io
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

TESTS = Path(__file__).parent.parent / "tests"
LAWS = ("Light_Propagation", "Light_Source_Effects", "Reflection", "Refraction", "Deformation", "Causality")
PLAIN_CASES = 20


def photo(path: Path, number: int) -> None:
    """A 1024 × 768 JPEG of about 200 kB: soft shapes with some grain."""
    rng = np.random.default_rng(number)
    soft = Image.fromarray(rng.integers(0, 256, (12, 16, 3), np.uint8)).resize((1024, 768), Image.Resampling.BICUBIC)
    grain = rng.integers(0, 15, (768, 1024, 1), np.uint8)
    pixels = np.clip(np.asarray(soft, np.int16) + grain - 7, 0, 255).astype(np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path, "JPEG", quality=90)


def make_data(folder: Path, cases: int, questions: int) -> list[dict[str, Any]]:
    """A dataset in PICABench's layout, and an edit of every case."""
    rows = []
    rng = np.random.default_rng(0)
    for number in range(cases):
        pairs = []
        for q in range(questions):
            left, top = int(rng.integers(0, 600)), int(rng.integers(0, 400))
            box = {"x": left, "y": top, "width": int(rng.integers(120, 420)), "height": int(rng.integers(100, 360))}
            pairs.append({"question": f"Is part {q} of {number} right?", "answer": ("Yes", "No")[q % 2], "box": box})
        rows.append(
            {
                "index": number,
                "input_path": f"input_img/{number:05d}.jpg",
                "edit_instruction": f"Change number {number}.",
                "physics_law": LAWS[number % len(LAWS)],
                "edit_operation": "add",
                "difficulty": "superficial",
                "annotated_qa_pairs": pairs,
                "edit_area": [{"x": 200, "y": 150, "width": 300, "height": 200}],
            }
        )
        photo(folder / f"data/input_img/{number:05d}.jpg", number)
        photo(folder / f"edits/{number:05d}.jpg", number + cases)
    (folder / "data/meta_info.json").write_text(json.dumps(rows))
    return rows


def plain(folder: Path, rows: list[dict[str, Any]], url: str) -> None:
    """What one would write down: case by case, everything again for each question."""

    def ask(row: dict[str, Any], pair: dict[str, Any]) -> str:
        image = Image.open(folder / f"edits/{row['index']:05d}.jpg").convert("RGB")
        box = pair["box"]
        left, top = max(0, box["x"] - 20), max(0, box["y"] - 20)
        right, bottom = min(1024, box["x"] + box["width"] + 20), min(768, box["y"] + box["height"] + 20)
        crop = image.crop((left, top, right, bottom))
        scale = 1024 / max(crop.size)
        crop = crop.resize((round(crop.width * scale), round(crop.height * scale)), Image.Resampling.LANCZOS)
        file = io.BytesIO()
        crop.save(file, "JPEG", quality=90)
        shown = f"data:image/jpeg;base64,{base64.b64encode(file.getvalue()).decode()}"
        content = [
            {"type": "text", "text": f"Answer yes or no: {pair['question']}"},
            {"type": "image_url", "image_url": {"url": shown}},
        ]
        shape = {"type": "object", "properties": {"answer": {"type": "string", "enum": ["Yes", "No"]}}}
        body = {
            "model": "gpt-4o",
            "messages": [{"role": "user", "content": content}],
            "response_format": {"type": "json_schema", "json_schema": {"name": "v", "schema": shape}},
        }
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{url}/chat/completions", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request) as response:
            return str(json.loads(response.read())["choices"][0]["message"]["content"])

    for row in rows:
        pairs = row["annotated_qa_pairs"]
        with ThreadPoolExecutor(len(pairs)) as pool:
            list(pool.map(partial(ask, row), pairs))


def measured(work: Callable[[], Any]) -> tuple[float, float]:
    """Wall seconds, and CPU seconds of this process and of those that it started and waited for."""

    def cpu() -> float:
        both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(one.ru_utime + one.ru_stime for one in both)

    before, start = cpu(), time.perf_counter()
    work()
    return time.perf_counter() - start, cpu() - before


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--questions", type=int, default=5)
    parser.add_argument("--concurrency", type=int, default=50)
    parser.add_argument("--latency", type=float, default=0.2)
    asked = parser.parse_args()
    server = subprocess.Popen(
        [sys.executable, "-m", "support.servers.judge_server", "--latency", str(asked.latency)],
        cwd=TESTS,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    url = server.stdout.readline().strip()
    try:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            rows = make_data(folder, asked.cases, asked.questions)

            def run(out: str) -> None:
                command = [sys.executable, "-m", "editscope", "run", "picabench", "--data", folder / "data"]
                command += ["--editor", f"folder:{folder / 'edits'}", "--judge", f"openai:gpt-4o?base_url={url}"]
                command += ["--concurrency", str(asked.concurrency), "--out", folder / out, "--quiet"]
                env = {**os.environ, "EDITSCOPE_CACHE": str(folder / "cache")}
                subprocess.run(list(map(str, command)), env=env, check=True, stdout=subprocess.DEVNULL)
                summary = json.loads((folder / out / "summary.json").read_text())
                assert summary["verdicts"]["ok"] == asked.cases * asked.questions
                calls.append(summary["spent"]["calls"])

            calls: list[int] = []
            few = rows[:PLAIN_CASES]
            wall, cpu = measured(lambda: plain(folder, few, url))
            scale = asked.cases / len(few)
            found = [
                (f"plain script ({len(few)} cases, scaled)", (wall * scale, cpu * scale), asked.cases * asked.questions)
            ]
            for name, out in (("judged run", "a"), ("the same, new --out", "b"), ("the same, same --out", "a")):
                took = measured(lambda out=out: run(out))  # type: ignore[misc]
                found.append((name, took, 0 if name.endswith("same --out") else calls[-1]))
    finally:
        server.terminate()
        server.wait()
    floor = asked.cases * asked.questions * asked.latency / asked.concurrency
    print(
        f"\n{asked.cases} cases, {asked.cases * asked.questions:,} questions, concurrency {asked.concurrency}, ", end=""
    )
    print(f"network floor {floor:.1f} s")
    print(f"{'':36}{'wall s':>9}{'CPU s':>9}{'calls':>8}{'plain / this, CPU':>20}")
    first = found[0][1][1]
    for name, (wall, cpu), made in found:
        print(f"{name:36}{wall:9.2f}{cpu:9.2f}{made:8,}{first / cpu:19.1f}×")


if __name__ == "__main__":
    main()

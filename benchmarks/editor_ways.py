"""What it costs to ask an editor in this process, in a process of its own, or behind HTTP.

    python benchmarks/editor_ways.py [--edits 40] [--seconds 0.1] [--side 1024]

The same editor, which only waits, is asked directly (the baseline), as a worker and through `serve-editor`, by as many
threads as each of them asks for. Pictures have as many colors as photographs do.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

import numpy as np

from editscope.editors import Editor, Request, load_editor

WAITS = """
def load(options):
    global seconds
    seconds = known(options, seconds=0.1)["seconds"]
    return {"name": "waits"}

def edit(request):
    time.sleep(seconds)
    return request.paths[0]
"""

SLOW = """
import time
import editscope as es

class Waits(es.Editor):
    def __init__(self, seconds=0.1):
        self.seconds = seconds
    def edit(self, case):
        time.sleep(self.seconds)
        return case.arrays[0]
"""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--edits", type=int, default=40)
    options.add_argument("--seconds", type=float, default=0.1)
    options.add_argument("--side", type=int, default=1024)
    given = options.parse_args()
    dice = np.random.default_rng(0)
    smooth = dice.integers(0, 40, (given.side, given.side, 3)).cumsum(axis=0) // 16
    request = Request("a", (smooth.astype(np.uint8),), "Wait.", 1)
    best = 1 / given.seconds
    print(f"{given.edits} edits of {given.side}² pixels, {given.seconds:g} s each: at most {best:.1f} edits/s")
    print("| way | edits/s | of the possible | ms over the edit |\n| --- | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        for name, spec in ways(Path(folder), given.seconds):
            editor = load_editor(spec)
            editor.check()
            editor.load()
            rate = asked(editor, request, given.edits)
            editor.close()
            over = 1000 * (1 / rate - given.seconds)
            print(f"| {name} | {rate:.2f} | {100 * rate / best:.1f} % | {over:.1f} |", flush=True)


def ways(folder: Path, seconds: float) -> Iterator[tuple[str, str]]:
    skeleton = files("editscope.editors.worker").joinpath("skeleton.py").read_text(encoding="utf-8")
    head, _, rest = skeleton.partition("def load(")
    (folder / "waits.py").write_text(head + WAITS + "\n# ---" + rest.partition("\n# ---")[2])
    (folder / "slow.py").write_text(SLOW)
    os.chdir(folder)
    yield "in this process", f"python:slow:Waits?seconds={seconds}"
    yield "`worker:`", f"worker:{sys.executable} {folder / 'waits.py'}?seconds={seconds}"
    with served(f"python:slow:Waits?seconds={seconds}") as url:
        yield "`http://`, another process here", url


@contextmanager
def served(spec: str) -> Iterator[str]:
    command = [sys.executable, "-m", "editscope", "serve-editor", spec, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = re.search(r"answers at (\S+)", process.stdout.readline())
        assert found is not None
        try:
            yield found[1]
        finally:
            process.terminate()


def asked(editor: Editor, request: Request, edits: int) -> float:
    """Edits a second, after two that warm up."""
    with ThreadPoolExecutor(editor.at_once) as threads:
        list(threads.map(editor.edit, [request] * 2))
        began = time.perf_counter()
        list(threads.map(editor.edit, [request] * edits))
        return edits / (time.perf_counter() - began)


if __name__ == "__main__":
    main()

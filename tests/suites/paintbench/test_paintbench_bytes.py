"""Same seed, same bytes: on every machine, with every number of workers and every hash seed.

``PYTHONPATH=tests python -m suites.paintbench.test_paintbench_bytes --write`` writes the pinned hashes anew. Do that
only together with a higher ``generator`` in editscope/suites/paintbench/suite.py: the hashes are the promise that a set
made today equals one made by the next version. A new field of the description is the exception: it changes no pixel and
no word.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from editscope.images import Indexed
from editscope.suites import load_suite
from editscope.suites.generated.writing import pretty
from editscope.suites.paintbench.catalog import CONDITIONS, MODES
from editscope.suites.paintbench.make import make
from editscope.suites.paintbench.slots import PaintSlot
from editscope.suites.paintbench.suite import PaintBenchSuite
from support.command_line import OTHER_PROCESSOR
from support.places import DATA

PINNED = DATA / "paintbench_hashes.json"
CELLS = [(task, mode) for task, modes in MODES.items() for mode in modes]
WRITE = """
import sys
from pathlib import Path
from editscope.suites.paintbench.data import write_set
if __name__ == "__main__":
    write_set(Path(sys.argv[1]), jobs=int(sys.argv[2]), tasks="border,gradient,removal,legend,cropping,blending",
              conditions="baseline,striped", per_mode=3, canvas="512x384", split="all")
"""


def digests(task: str, mode: str, condition: str) -> dict[str, str]:
    """Short hashes of what slot 0 of a cell consists of: input, answer, instruction, description."""
    made = make(PaintSlot(task, mode, condition, 0, 0))
    assert isinstance(made.input, Indexed)
    answer = made.answer.rgb() if isinstance(made.answer, Indexed) else made.answer
    parts = {
        "input": np.ascontiguousarray(made.input.rgb()).tobytes(),
        "answer": np.ascontiguousarray(answer).tobytes(),
        "instruction": made.sidecar["instruction"].encode(),
        "description": pretty(made.sidecar).encode(),
    }
    return {name: sha256(content).hexdigest()[:16] for name, content in parts.items()}


def test_sets_keep_the_fingerprints_that_runs_of_version_0_1_have_recorded() -> None:
    assert load_suite("paintbench").fingerprint == "0eab14ce2e10b965"
    assert load_suite("paintbench", tasks="border", n=3).fingerprint == "c3e2b84b3961e6df"


@pytest.mark.slow
@pytest.mark.parametrize(("task", "mode"), CELLS)
def test_each_mode_and_condition_is_what_it_was(task: str, mode: str) -> None:
    pinned = json.loads(PINNED.read_text())
    assert pinned["generator"] == PaintBenchSuite.generator, f"write the hashes anew: {__doc__}"
    for condition in CONDITIONS:
        assert digests(task, mode, condition) == pinned["hashes"][f"{task}|{mode}|{condition}"], condition


def test_every_mode_and_condition_is_pinned() -> None:
    pinned = json.loads(PINNED.read_text())["hashes"]
    assert set(pinned) == {f"{task}|{mode}|{condition}" for task, mode in CELLS for condition in CONDITIONS}
    inputs = [entry["input"] for entry in pinned.values()]
    assert len(set(inputs)) == len(inputs) == 280


@pytest.mark.slow
def test_workers_hash_seeds_and_processors_do_not_change_a_byte(tmp_path: Path) -> None:
    script = tmp_path / "write_a_set.py"
    script.write_text(WRITE)
    folders = []
    for jobs, seed, processor in ((1, "0", {}), (4, "1", {}), (1, "4242", OTHER_PROCESSOR)):
        folder = tmp_path / f"{jobs}-{seed}"
        env = {**os.environ, **processor, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, str(script), str(folder), str(jobs)], check=True, env=env, timeout=600)
        folders.append({str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()})
    assert len(folders[0]) == 3 * 66 + 2
    assert folders[0] == folders[1] == folders[2]


def write_anew() -> None:
    hashes = {
        f"{task}|{mode}|{condition}": digests(task, mode, condition) for task, mode in CELLS for condition in CONDITIONS
    }
    PINNED.parent.mkdir(exist_ok=True)
    PINNED.write_text(json.dumps({"generator": PaintBenchSuite.generator, "hashes": hashes}, indent=0) + "\n")
    print(f"{len(hashes)} problems pinned in {PINNED}")


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    write_anew()

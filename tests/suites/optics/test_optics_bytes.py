"""Same seed, same bytes: in every process, with every number of workers, every hash seed and kind of processor.

``PYTHONPATH=tests python -m suites.optics.test_optics_bytes`` writes the pinned hashes anew. Do that only together with
a higher ``generator`` in editscope/suites/optics/suite.py.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from editscope.suites import load_suite
from editscope.suites.generated.suite import pixels_of
from editscope.suites.optics.catalog import CATALOG
from editscope.suites.optics.suite import OpticsSuite
from support.command_line import OTHER_PROCESSOR
from support.places import DATA

PINNED = DATA / "optics_hashes.json"
WRITE = """
import sys
from pathlib import Path
from editscope.suites.optics.suite import write_set
if __name__ == "__main__":
    tasks = "lamp_on,fill_glass,turn_mirror,fog"
    write_set(Path(sys.argv[1]), jobs=int(sys.argv[2]), tasks=tasks, per_task=4, size=96)
"""


def digests(task: str) -> dict[str, str]:
    """Short hashes of problem 0 of a task: input, answer, effects, explicit instruction."""
    suite = load_suite("optics", tasks=task, per_task=1, levels="explicit", size=128)
    assert isinstance(suite, OpticsSuite)
    problem = suite.problem(suite.ids[0])
    parts = {
        "input": pixels_of(problem.input).tobytes(),
        "answer": pixels_of(problem.answer).tobytes(),
        "effects": json.dumps(problem.sidecar["effects"]).encode(),
        "instruction": problem.sidecar["instruction"].encode(),
    }
    return {name: sha256(content).hexdigest()[:16] for name, content in parts.items()}


def test_the_standard_set_keeps_its_fingerprint() -> None:
    assert load_suite("optics").fingerprint == json.loads(PINNED.read_text())["fingerprint"]


@pytest.mark.slow
@pytest.mark.parametrize("task", CATALOG.tasks)
def test_problems_have_the_pinned_bytes(task: str) -> None:
    assert digests(task) == json.loads(PINNED.read_text())[task]


@pytest.mark.slow
def test_workers_hash_seeds_and_processors_change_no_byte(tmp_path: Path) -> None:
    sums = []
    for jobs, seed, processor in ((1, "0", {}), (2, "1", OTHER_PROCESSOR)):
        out = tmp_path / seed
        script = tmp_path / "write.py"
        script.write_text(WRITE)
        environment = {**os.environ, **processor, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, str(script), str(out), str(jobs)], check=True, env=environment)
        files = sorted(path for path in out.rglob("*") if path.is_file())
        sums.append({str(path.relative_to(out)): sha256(path.read_bytes()).hexdigest() for path in files})
    assert sums[0] == sums[1] and len(sums[0]) == 3 * 48 + 2


if __name__ == "__main__":
    pins: dict[str, object] = {"fingerprint": load_suite("optics").fingerprint}
    PINNED.write_text(json.dumps(pins | {task: digests(task) for task in CATALOG.tasks}, indent=1) + "\n")

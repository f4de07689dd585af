"""Mechanics keeps its bytes: pictures, masks and sentences are pinned, in every process, on every kind of processor.

After a change that is meant, raise ``generator`` in the suite and run
``PYTHONPATH=tests python -m suites.mechanics.test_mechanics_bytes --write``.
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

from editscope.images import load
from editscope.suites import load_suite
from editscope.suites.mechanics.catalog import CATALOG
from editscope.suites.mechanics.suite import MechanicsSuite
from support.command_line import OTHER_PROCESSOR

pytestmark = pytest.mark.slow
PINNED = Path(__file__).parents[2] / "data" / "mechanics_hashes.json"
SIDE = 160
NUMBERS = range(2)
WRITE = """
import sys
from pathlib import Path
from editscope.suites.mechanics.suite import write_set
if __name__ == "__main__":
    tasks = "remove_support,tilt_board,load_spring,put_in_water"
    write_set(Path(sys.argv[1]), jobs=int(sys.argv[2]), tasks=tasks, per_task=1, size=96, levels="explicit,located")
"""


def digests(task: str) -> dict[str, str]:
    suite = load_suite("mechanics", tasks=task, levels="explicit", per_task=len(NUMBERS), size=SIDE)
    pictures, masks, words = sha256(), sha256(), sha256()
    for number in NUMBERS:
        case = suite.case(f"{task}_explicit/{number:03d}")
        pictures.update(load(case.images[0]).tobytes() + load(case.answer).tobytes())  # type: ignore[arg-type]
        for effect in case.effects:
            masks.update(effect.name.encode() + np.packbits(effect.mask).tobytes())
        words.update(case.instruction.encode())
    return {"pictures": pictures.hexdigest(), "masks": masks.hexdigest(), "sentences": words.hexdigest()}


@pytest.mark.parametrize("task", CATALOG.tasks)
def test_each_task_is_what_it_was(task: str) -> None:
    pinned = json.loads(PINNED.read_text())
    assert pinned["generator"] == MechanicsSuite.generator
    assert digests(task) == pinned["hashes"][task]


def test_workers_hash_seeds_and_processors_do_not_change_a_byte(tmp_path: Path) -> None:
    script = tmp_path / "write_a_set.py"
    script.write_text(WRITE)
    folders = []
    for jobs, seed, processor in ((1, "0", {}), (2, "4242", OTHER_PROCESSOR)):
        folder = tmp_path / f"{jobs}-{seed}"
        env = {**os.environ, **processor, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, str(script), str(folder), str(jobs)], check=True, env=env, timeout=600)
        folders.append({str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()})
    assert len(folders[0]) >= 3 * 8
    assert folders[0] == folders[1]


def test_a_written_set_reads_back_as_it_was_made(tmp_path: Path) -> None:
    MechanicsSuite.write_set(tmp_path / "set", jobs=1, tasks="move_post", per_task=1, size=96, levels="located")
    read = load_suite("mechanics", root=tmp_path / "set").case("move_post_located/000")
    made = load_suite("mechanics", tasks="move_post", per_task=1, size=96, levels="located").case(
        "move_post_located/000"
    )
    assert read.instruction == made.instruction
    assert [region.box for region in read.regions] == [region.box for region in made.regions] != []
    assert [(e.name, e.direct, e.mask.tobytes()) for e in read.effects] == [
        (e.name, e.direct, e.mask.tobytes()) for e in made.effects
    ]


def write_anew() -> None:
    hashes = {task: digests(task) for task in CATALOG.tasks}
    PINNED.write_text(json.dumps({"generator": MechanicsSuite.generator, "hashes": hashes}, indent=1) + "\n")
    print(f"{len(hashes)} tasks pinned in {PINNED.name}")


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    write_anew()

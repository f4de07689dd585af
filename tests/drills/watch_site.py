"""A watch over checkpoints: each command evaluates those that it finds, and goes on with a run that was killed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar

from drills.command import Command
from drills.pixel_sites import PixelSite
from drills.site import EDIT, Leg

SKILLED = '''
import os, time
from pathlib import Path
import editscope as es

class Skilled(es.Editor):
    """Changes as many rows as its file of weights says, and writes down what it is asked for."""

    def __init__(self, weights):
        self.weights = Path(weights)

    def estimate(self, edits, images=1):
        return None

    def edit(self, case):
        with open(Path(__file__).with_name("asked.txt"), "a") as log:
            log.write(f"{case.case_id} {os.getpid()}\\n")
        time.sleep(0.03)
        pixels = case.arrays[0].copy()
        pixels[: int(self.weights.read_text())] ^= 3
        return pixels
'''


class WatchSite(PixelSite):
    """Three checkpoints that come one after the other; the run of each is a run like any other."""

    name = "watch"
    in_hand: ClassVar[Mapping[str, int]] = {EDIT: 1}

    def __init__(self, folder: Path, make_set: Callable[..., Path]) -> None:
        super().__init__(folder, make_set)
        (folder / "skilled.py").write_text(SKILLED)
        (folder / "checkpoints").mkdir()

    def workers(self, command: Command) -> list[int]:
        """None: an edit that may cost money is not made again when its worker dies, and a watch has no --edit-again."""
        return []

    def legs(self, place: str) -> list[Leg]:
        command = (
            *("watch", "checkpoints", "--suite", "paintbench", "--data", "set", "--pattern", "step-*.txt"),
            *("--editor", "python:skilled:Skilled?weights={checkpoint}", "--out", f"{place}/out"),
            *("--settle", "0", "--once", "--jobs", "2", "--quiet", "--yes", "--confidence", "0.999999"),
        )
        steps = [Leg(f"step {n}", command, run=f"{place}/out/step-{n}.txt", mend=f"step-{n}.txt") for n in (1, 2, 3)]
        run = steps[-1].run
        return [
            *steps,
            Leg("report", ("report", run, "--out", f"{place}/r.html"), run=run, steps=False, makes=f"{place}/r.html"),
        ]

    def mend(self, what: str) -> None:
        """A checkpoint comes."""
        path = self.folder / "checkpoints" / what
        if not path.exists():
            path.write_text(str(3 * int(path.stem.removeprefix("step-"))))

    def reset(self) -> None:
        super().reset()
        for path in (self.folder / "checkpoints").iterdir():
            path.unlink()

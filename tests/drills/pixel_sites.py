"""Runs that pixels score: an editor in Python that costs money, and a program in a process of its own."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import ClassVar

import editscope as es
from drills import counts
from drills.command import Command
from drills.site import EDIT, Key, Leg, Site, sampled

LOGGED = '''
import os, time, zlib
from pathlib import Path
import editscope as es

HERE = Path(__file__).parent

class Logged(es.Editor):
    """Writes down what it is asked for; fails a fifth of the cases until it is mended."""

    def __init__(self, paid=True):
        self.paid = paid

    def estimate(self, edits, images=1):
        return None if self.paid else 0.0  # None: they cost money, and nobody knows how much

    def edit(self, case):
        with open(HERE / "asked.txt", "a") as log:
            log.write(f"{case.case_id} {os.getpid()}\\n")
        time.sleep(0.03)
        if zlib.crc32(case.case_id.encode()) % 5 == 0 and not (HERE / "mended").exists():
            raise RuntimeError("not yet mended")
        pixels = case.arrays[0].copy()
        pixels[: case.seed % 40] ^= 3
        return pixels
'''

PROGRAM = """
import zlib
import numpy as np

def load(options):
    return {"name": "program", "model": "none"}

def edit(request):
    here = Path(__file__).parent
    with open(here / "asked.txt", "a") as log:
        log.write("%s %d\\n" % (request.case, os.getpid()))
    time.sleep(0.03)
    if zlib.crc32(request.case.encode()) % 5 == 0 and not (here / "mended").exists():
        return {"status": "error", "reason": "not yet mended"}
    pixels = np.array(request.images[0])
    pixels[: request.seed % 40] ^= 3
    return pixels
"""

LINE = "# " + "-" * 117


class PixelSite(Site):
    """A small set and an editor in Python whose edits cost money: each is on disk before another is asked for."""

    name = "pixel"
    in_hand: ClassVar[Mapping[str, int]] = {EDIT: 1}
    editor = "python:logged:Logged"
    engine: tuple[str, ...] = ()

    def __init__(self, folder: Path, make_set: Callable[..., Path]) -> None:
        super().__init__(folder)
        suite = es.load_suite("paintbench", root=make_set(folder / "set", per_task=5))
        self._cases = tuple(suite.ids)
        self._asked = folder / "asked.txt"
        (folder / "logged.py").write_text(LOGGED)

    @property
    def cases(self) -> Sequence[str]:
        return self._cases

    def legs(self, place: str) -> list[Leg]:
        run, engine = f"{place}/run", self.engine
        where = ("--data", "set", "--editor", self.editor, "--out", run, "--jobs", "2", "-q", "--yes", *engine)
        resume = ("resume", run, "-q", "--yes", "--jobs", "2")
        more = ("--repeats", "2", "--edit-again")
        legs = [
            Leg("run", ("run", "paintbench", *where), resume, run, code=1),
            Leg("edit again", (*resume, "--edit-again", *engine), run=run, redo=("error",), mend="editor"),
            Leg("repeats", (*resume, *more, *engine), (*resume, *more), run=run, redo=("error",), repeats=2),
            Leg("measure", ("measure", run, "--measures", "psnr", "-q"), run=run, steps=False, repeats=2),
            Leg("pack", ("pack", run), run=run, steps=False, repeats=2, makes=f"{run}.zip"),
            Leg("report", ("report", run, "--out", f"{place}/r.html"), run=run, steps=False, makes=f"{place}/r.html"),
        ]
        return sampled(legs)

    def asked(self) -> list[Key]:
        return [(EDIT, line.split()[0]) for line in self._log()]

    def editors(self) -> list[int]:
        """The processes that have edited, the last one first."""
        return list(dict.fromkeys(int(line.split()[1]) for line in reversed(self._log())))

    def _log(self) -> list[str]:
        return self._asked.read_text().splitlines() if self._asked.exists() else []

    def mend(self, what: str) -> None:
        super().mend(what)
        (self.folder / "mended").touch()

    def reset(self) -> None:
        super().reset()
        (self.folder / "mended").unlink(missing_ok=True)


class WorkerSite(PixelSite):
    """The same set with a worker: a program that is asked over a pipe, and may be killed by itself."""

    name = "worker"
    free = True
    in_hand: ClassVar[Mapping[str, int]] = {EDIT: 6}

    def __init__(self, folder: Path, make_set: Callable[..., Path]) -> None:
        super().__init__(folder, make_set)
        skeleton = files("editscope.editors.worker").joinpath("skeleton.py").read_text(encoding="utf-8")
        head, _, rest = skeleton.partition("def load(")
        (folder / "program.py").write_text(head + PROGRAM + "\n\n" + LINE + rest.partition(LINE)[2])
        self.editor = f"worker:{sys.executable} program.py"


class RaySite(PixelSite):
    """The same set on a Ray cluster; what a cluster began, this machine may go on with."""

    name = "Ray"
    free = True
    in_hand: ClassVar[Mapping[str, int]] = {EDIT: 3}
    editor = "python:logged:Logged?paid=false"

    def __init__(self, folder: Path, make_set: Callable[..., Path], address: str) -> None:
        super().__init__(folder, make_set)
        self.engine = ("--engine", "ray", "--ray-address", address)

    def legs(self, place: str) -> list[Leg]:
        steps = [leg for leg in super().legs(place) if leg.steps]
        return steps[: counts.times(usual=1, full=len(steps))]

    def workers(self, command: Command) -> list[int]:
        return [pid for pid in self.editors()[:1] if _alive(pid)]

    def settle(self) -> None:
        until = time.monotonic() + 600
        while any(map(_alive, self.editors())) and time.monotonic() < until:
            time.sleep(0.02)


def _alive(pid: int) -> bool:
    try:
        return bool(Path(f"/proc/{pid}/cmdline").read_bytes())
    except OSError:
        return False

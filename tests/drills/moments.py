"""When and how a command is killed: moments spread over its whole life, and several kinds of kills."""

from __future__ import annotations

import random
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from drills.checks import SCORES, raw_lines
from drills.command import Command
from editscope.runfolder.journal import FILE as JOURNAL

EVERYTHING, HEAD, TERM, INT, WORKER = "SIGKILL all", "SIGKILL", "SIGTERM", "SIGINT", "SIGKILL a worker"
KILLS = {EVERYTHING: 8, HEAD: 5, TERM: 3, INT: 3, WORKER: 3}
STAGES = ("time", "lock", "asked", "line", "line", "line", "last line", "tables")
"""Of commands that do steps. ``time`` is anywhere between its start and its end, ``lock`` when the journal is opened,
``asked`` when a judge or an editor was asked for the first time, be it whether it is there; ``line`` after any line of
the journal, ``last line`` between the last line and the end, ``tables`` when the first table is written."""


@dataclass(frozen=True)
class Moment:
    """A stage of a command, and how far into it: from 0 to 1."""

    stage: str
    share: float

    def __str__(self) -> str:
        return f"{self.stage} {self.share:.2f}"


@dataclass(frozen=True)
class Course:
    """How a command goes when nobody disturbs it: seconds in all, seconds after its last line, lines in the end."""

    took_s: float = 2.0
    tail_s: float = 0.3
    lines: int = 0


def draw_moment(rng: random.Random, steps: bool) -> Moment:
    """A random moment of a command, one that does steps or one that only reads."""
    return Moment(rng.choice(STAGES) if steps else "time", rng.random())


def draw_kill(rng: random.Random, steps: bool) -> str:
    """A random way to be killed."""
    ways = [way for way in KILLS if steps or way != WORKER]
    return rng.choices(ways, [KILLS[way] for way in ways])[0]


def reach(moment: Moment, command: Command, run: Path, course: Course, asked: Callable[[], int]) -> bool:
    """Wait for a moment of a command; False where it ended before.

    ``asked`` counts what servers and editors have been asked so far.
    """
    before, share = len(raw_lines(run)), moment.share
    left = course.lines - before
    table = _written(run / SCORES)
    if moment.stage == "lock":
        return command.until((run / JOURNAL).exists) and command.wait(0.05 * share)
    if moment.stage == "asked":
        already = asked()
        return command.until(lambda: asked() > already) and command.wait(0.1 * share)
    if moment.stage == "line" and left > 1:
        wanted = before + 1 + int(share * (left - 1))
        return command.until(lambda: len(raw_lines(run)) >= wanted) and command.wait(0.06 * (share * 97 % 1))
    if moment.stage == "last line" and left > 0:
        return command.until(lambda: len(raw_lines(run)) >= course.lines) and command.wait(course.tail_s * share)
    if moment.stage == "tables":
        return command.until(lambda: _written(run / SCORES) != table) and command.wait(0.02 * share)
    return command.wait(course.took_s * share)


def strike(kill: str, command: Command) -> None:
    """Do it."""
    if kill == EVERYTHING:
        command.kill_all()
    elif kill == HEAD:
        command.process.kill()
    else:
        command.process.send_signal(signal.SIGTERM if kill == TERM else signal.SIGINT)


def _written(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0

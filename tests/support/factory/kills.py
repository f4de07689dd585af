"""Builds of a plan folder by the real command line, killed at random moments and resumed.

For every pipeline: put ``plan.toml`` and what it names into a folder, start servers that count requests, and ::

    whole = built_by_command(undisturbed, people=accept_all)
    killed = killed_and_resumed(disturbed, kills=times(3, 50), requests=lambda: server.calls, people=accept_all)
    assert killed.lines == whole
    assert killed.requests <= requests_of_the_undisturbed_build + kills * in_hand

``slowly`` limits how many records a step has in its hands, which is what a kill may cost.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from editscope.factory.engine.build import Build
from editscope.factory.plan import read_plan
from editscope.review_queue import ACCEPT, DECISIONS_FILE, QUEUE, read_queue
from support.places import with_tests

WAITS = 3
"""The exit code of a build that waits for people."""
MOST_WAITS = 20
_BLOB = re.compile(r'"blob": "([0-9a-f]{64})"')
People = Callable[[Path], None]
"""Decides on all that waits in the folder of a build."""


@dataclass(frozen=True, slots=True)
class SurvivedBuild:
    """The records of a build that was killed, as lines; the requests that it made, and how often it was killed."""

    lines: list[str]
    requests: int
    kills: int


def killed_and_resumed(
    folder: Path,
    kills: int,
    requests: Callable[[], int],
    *,
    people: People | None = None,
    options: Sequence[str] = (),
    seed: int = 4,
    stride: int = 60,
) -> SurvivedBuild:
    """Build the plan of a folder, killed ``kills`` times, each time up to ``stride`` requests after the start.

    All processes of the build get SIGKILL at once. A build that has nothing left to ask is killed as it ends.
    """
    rng, before, killed = random.Random(seed), requests(), 0
    for _ in range(kills):
        begun, wanted = requests(), rng.randrange(1, stride)
        pause_s = rng.choice((0.0, 0.0, 0.02, 0.1))  # some fall between requests, when pixels are looked at
        with _started(folder, options) as process:
            while process.poll() is None and requests() < begun + wanted:
                time.sleep(0.005)
            if process.poll() is None:
                time.sleep(pause_s)
            killed += process.poll() is None
            _kill(process)
        assert process.returncode in (0, WAITS, -signal.SIGKILL), f"the build ended with {process.returncode}"
        if process.returncode == WAITS and people is not None:
            people(folder / "build")
    lines = built_by_command(folder, people=people, options=options)
    return SurvivedBuild(lines, requests() - before, killed)


def built_by_command(folder: Path, *, people: People | None = None, options: Sequence[str] = ()) -> list[str]:
    """Build the plan of a folder to its end; ``people`` decide whenever it waits for them. Its records as lines."""
    for _ in range(MOST_WAITS):
        done = subprocess.run(_command(folder, options), env=with_tests(), capture_output=True, text=True, check=False)
        if done.returncode != WAITS or people is None:
            break
        people(folder / "build")
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return record_lines(folder, limit=_limit(options))


def record_lines(folder: Path, limit: int | None = None) -> list[str]:
    """The records of a finished build, each as a line; every blob that they name is there."""
    with Build(read_plan(folder / "plan.toml"), folder / "build", limit=limit) as build:
        lines = [json.dumps(record.to_json(), sort_keys=True) for record in build.records()]
        there = {path.stem for path in build.tools.blobs.folder.rglob("*.*")}
    gone = {name for line in lines for name in _BLOB.findall(line)} - there
    assert not gone, f"{len(gone)} blobs are gone"
    return lines


def accept_all(build: Path) -> None:
    """Accept every record of every queue of a build, as the studio would write it."""
    for queue in sorted(build.rglob(QUEUE)):
        lines = []
        for record in read_queue(queue.parent):
            row = {"id": record.id, "outcome": ACCEPT, "texts": dict(record.texts), "decisions": []}
            lines.append(json.dumps({**row, "fingerprint": record.fingerprint}))
        (queue.parent / DECISIONS_FILE).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def slowly(plan: Path, at_once: int = 4) -> int:
    """Let every step of a plan that names a model have so many records in its hands at a time; the number."""
    text = plan.read_text(encoding="utf-8")
    plan.write_text(re.sub(r'(?m)^(model = ".+")$', rf"\1\nat_once = {at_once}", text), encoding="utf-8")
    return at_once


@contextmanager
def _started(folder: Path, options: Sequence[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A build in processes of its own, all of which are gone when the block ends."""
    nowhere = subprocess.DEVNULL
    process = subprocess.Popen(
        _command(folder, options), env=with_tests(), stdout=nowhere, stderr=nowhere, start_new_session=True
    )
    try:
        yield process
    finally:
        _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _command(folder: Path, options: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "editscope", "factory", "build", str(folder), "--quiet", *options]


def _limit(options: Sequence[str]) -> int | None:
    return int(options[options.index("--limit") + 1]) if "--limit" in options else None

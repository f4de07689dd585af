"""A run that is killed again and again, by whatever and whenever, ends as if it had not been."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import editscope as es
from drills import counts
from drills.checks import raw_lines
from drills.command import Command
from drills.drill import Drill, closed
from drills.judged_sites import JudgedSite, SlowCheckServer
from drills.pixel_sites import PixelSite, WorkerSite
from drills.site import Site
from drills.tally import Tally
from drills.watch_site import WatchSite
from support.judged_data import make_picabench
from support.small_sets import make_small_set

pytestmark = [
    pytest.mark.drill,
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc"),
]

SHARES = {"pixel": 0.3, "judged": 0.3, "worker": 0.2, "watch": 0.1}
"""Of all random kills; the rest is that of test_ray_runs.py."""
MOMENTS, STARTS = 20, 20
SITES: dict[str, Callable[[Path], Site]] = {
    "pixel": lambda folder: PixelSite(folder, make_small_set),
    "judged": JudgedSite,
    "worker": lambda folder: WorkerSite(folder, make_small_set),
    "watch": lambda folder: WatchSite(folder, make_small_set),
}


@pytest.fixture(scope="session")
def drill(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Drill]]:
    """The drill of a kind of run, made when it is first asked for."""
    made: dict[str, Drill] = {}

    def find(kind: str) -> Drill:
        if kind not in made:
            made[kind] = Drill(SITES[kind](tmp_path_factory.mktemp(kind)))
        return made[kind]

    yield find
    for one in made.values():
        one.site.close()


@pytest.mark.parametrize(
    ("kind", "number"), [(kind, n) for kind in SHARES for n in range(counts.lives(SHARES[kind], kind != "watch"))]
)
def test_a_run_that_is_killed_again_and_again_ends_as_if_it_had_not_been(
    drill: Callable[[str], Drill], kind: str, number: int
) -> None:
    drill(kind).life(number)


@pytest.mark.drill(only=True)
@pytest.mark.parametrize(
    ("kind", "way"), [("pixel", "edit again"), ("pixel", "repeats"), ("judged", "ask again"), ("judged", "rescore")]
)
def test_tables_follow_from_the_journal_after_a_kill_between_its_last_line_and_the_end(
    drill: Callable[[str], Drill], kind: str, way: str
) -> None:
    drill(kind).ends(way, MOMENTS)


@pytest.mark.drill(only=True)
def test_of_two_equal_starts_one_ends_whole_and_the_other_touches_nothing(tmp_path: Path) -> None:
    tally, rng = Tally("two starts"), random.Random(f"{counts.SEED} two starts")
    make_picabench(tmp_path / "data", 4)
    for number in range(STARTS):
        with SlowCheckServer(check_s=2.0) as server:
            _two_starts(tmp_path, f"run-{number}", server, rng.uniform(0.5, 1.5), tally)
    closed(tally)


def _two_starts(folder: Path, out: str, server: SlowCheckServer, apart_s: float, tally: Tally) -> None:
    arguments = (
        *("run", "picabench", "--data", "data", "--editor", "folder:data/input_img", "--out", out),
        *("--judge", server.spec(), "--cache", "off", "--jobs", "1", "-q"),
    )
    env = {"OPENAI_API_KEY": "loopback-key"}
    tally.runs += 1
    commands = [Command(arguments, folder, env)]
    commands[0].wait(apart_s)
    commands.append(Command(arguments, folder, env))
    # The judge answers when one of both has been refused, so that the other is still at it however slow the machine is.
    while not any(command.over for command in commands):
        lines = raw_lines(folder / out)
        time.sleep(0.01)
    server.gate.set()
    codes, said = zip(*(command.end() for command in commands), strict=True)
    where = f"two starts {apart_s:.2f} s apart"
    tally.add("other", f"exit codes {codes} after {where}: {said}", sorted(codes) != [0, 2])
    tally.add(
        "other", f"no refusal after {where}: {said}", not any("written by another process" in one for one in said)
    )
    tally.steps += len(raw_lines(folder / out))
    if raw_lines(folder / out)[: len(lines)] != lines:
        tally.add("lost", f"{len(lines)} lines after {where}")
    try:
        done = es.open_run(folder / out)
        tally.add("lost", f"cases of {out} after {where}", 4 - len(done.records()))
        tally.add("doubled", f"{server.calls} calls for 8 after {where}", server.calls - 8)
    except es.EditscopeError as error:
        tally.add("lost", f"the whole run after {where}: {error}", 4)

"""A run that is killed again and again, by whatever and whenever, ends as if it had not been."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import editscope as es
from conftest import _make_set as make_small_set
from drills import counts
from drills.checks import differences, raw_lines
from drills.command import Command
from drills.judged_sites import JudgedSite, SlowCheckServer
from drills.life import Blow, Life
from drills.moments import EVERYTHING, HEAD, Moment
from drills.pixel_sites import PixelSite, WorkerSite
from drills.site import Site
from drills.tally import Tally
from drills.watch_site import WatchSite
from judged_data import make_picabench

pytestmark = [
    pytest.mark.drill,
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc"),
]

SHARES = {"pixel": 0.3, "judged": 0.3, "worker": 0.2, "watch": 0.1}
"""Of all random kills; the rest is that of test_ray_runs.py."""


class Known:
    """A site with the run that nobody disturbed, to compare with."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.courses = Life(site, "whole", Tally(site.name)).undisturbed()
        self.runs = {leg.name: leg.run for leg in site.legs("whole")}


@pytest.fixture(scope="session")
def known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Known]]:
    """The site of a kind, made when it is first asked for."""
    made: dict[str, Known] = {}
    kinds: dict[str, Callable[[Path], Site]] = {
        "pixel": lambda folder: PixelSite(folder, make_small_set),
        "judged": JudgedSite,
        "worker": lambda folder: WorkerSite(folder, make_small_set),
        "watch": lambda folder: WatchSite(folder, make_small_set),
    }

    def find(kind: str) -> Known:
        if kind not in made:
            made[kind] = Known(kinds[kind](tmp_path_factory.mktemp(kind)))
        return made[kind]

    yield find
    for one in made.values():
        one.site.close()


def closed(tally: Tally) -> None:
    """The end of a drill: what it found is kept for the table, and is a failure."""
    tally.keep()
    assert not tally.faults, "\n".join(map(str, tally.faults))


@pytest.mark.parametrize(
    ("kind", "number"), [(kind, n) for kind, share in SHARES.items() for n in range(counts.lives(share))]
)
def test_a_run_that_is_killed_again_and_again_ends_as_if_it_had_not_been(
    known: Callable[[str], Known], kind: str, number: int
) -> None:
    whole = known(kind)
    life = Life(
        whole.site, f"life-{number}", Tally(kind), random.Random(f"{counts.SEED} {kind} {number}"), whole.courses
    )
    life.killed(counts.PER_LIFE)
    for leg in whole.site.legs(life.place):
        if leg.steps:
            found = differences(whole.site.folder / whole.runs[leg.name], whole.site.folder / leg.run)
            life.tally.add("other", f"{leg.run} is not the run that nobody disturbed: {found[:6]}", len(found))
    closed(life.tally)


WAYS = {"edit again": "pixel", "repeats": "pixel", "ask again": "judged"}


@pytest.mark.parametrize("way", WAYS)
def test_tables_follow_from_the_journal_after_a_kill_between_its_last_line_and_the_end(
    known: Callable[[str], Known], way: str
) -> None:
    whole = known(WAYS[way])
    site, tally = whole.site, Tally("tables")
    rng = random.Random(f"{counts.SEED} {way}")
    base = Life(site, f"before-{way.replace(' ', '-')}", Tally(""))
    legs = {leg.name: leg for leg in base._begin()}
    for name, leg in legs.items():
        if name == way:
            break
        base.go(leg)
    most = counts.times(2, 20)
    for number in range(most):
        life = Life(site, f"{base.place}-{number}", tally, rng, whole.courses)
        shutil.copytree(base.folder, life.folder)
        (leg,) = (leg for leg in site.legs(life.place) if leg.name == way)
        tally.runs += 1
        site.mend(leg.mend)
        blow = Blow(Moment("last line", number / most), rng.choice([EVERYTHING, HEAD]))
        life.blows.append(blow)
        code, struck = life._command(leg)
        if not struck:  # it was faster than the run that nobody disturbed
            life.blows.clear()
        code, _ = life._command(leg.plainly())
        tally.add("other", f"exit code {code} of resume after {blow} of {way}", code != leg.code)
        tally.steps += len(raw_lines(site.folder / leg.run))
    closed(tally)


def test_of_two_equal_starts_one_ends_whole_and_the_other_touches_nothing(tmp_path: Path) -> None:
    tally, rng = Tally("two starts"), random.Random(f"{counts.SEED} two starts")
    make_picabench(tmp_path / "data", 4)
    for number in range(counts.times(2, 20)):
        with SlowCheckServer(check_s=2.0) as server:
            _two_starts(tmp_path, f"run-{number}", server, rng.uniform(0.5, 1.5), tally)
    closed(tally)


def _two_starts(folder: Path, out: str, server: SlowCheckServer, apart_s: float, tally: Tally) -> None:
    arguments = (
        *("run", "picabench", "--data", "data", "--editor", "folder:data/input_img", "--out", out),
        *("--judge", server.spec(), "--cache", "off", "--jobs", "1", "-q"),
    )
    env = {"OPENAI_API_KEY": "a key for a server on loopback"}
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

"""The life of a run from its first command to its last, with kills on the way and a look at it after each."""

from __future__ import annotations

import random
import sysconfig
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import editscope as es
from drills.checks import INFO, Witness, check_readers, check_tables, lines_of, raw_lines
from drills.command import Command, kill
from drills.moments import WORKER, Course, Moment, draw_kill, draw_moment, reach, strike
from drills.site import Key, Leg, Site, lined
from drills.tally import Tally

MOST_TRIES = 12
DONE = (0, 1)
PACKAGE = Path(es.__file__).parent
HEAD = [PACKAGE / name for name in ("__init__.py", "__main__.py", "version.py", "cli/__init__.py")]
"""What Python loads before ``main`` of the command line is called."""
STOPPED = 3


@dataclass
class Blow:
    """A kill that is to come: at which moment, and how."""

    moment: Moment
    how: str

    def __str__(self) -> str:
        return f"{self.how} at {self.moment}"


@dataclass
class Life:
    """One run of a site, in a folder of its own; what is found goes into the tally."""

    site: Site
    place: str
    tally: Tally
    rng: random.Random = field(default_factory=lambda: random.Random(0))
    courses: Mapping[str, Course] = field(default_factory=dict)
    witnesses: dict[str, Witness] = field(default_factory=dict)
    blows: list[Blow] = field(default_factory=list)
    """Kills that missed their command, since it had ended before; they hit a later one."""

    @property
    def folder(self) -> Path:
        """Where it is."""
        return self.site.folder / self.place

    def undisturbed(self) -> dict[str, Course]:
        """Live to the end without a kill; how each leg went."""
        return {leg.name: self._watched(leg) for leg in self._begin()}

    def killed(self, kills: int) -> None:
        """Live to the end with so many kills at random moments of random legs."""
        legs = self._begin()
        heavy = [leg for leg in legs for _ in range(3 if leg.steps else 1)]
        planned = Counter(self.rng.choice(heavy).name for _ in range(kills))
        before = self.tally.kills
        for leg in legs:
            self.blows += [self._draw(leg) for _ in range(planned[leg.name])]
            self.go(leg)
        while self.blows:  # those that came too late for their command
            self.blows[0] = Blow(Moment("time", 0.8 * self.rng.random()), draw_kill(self.rng, steps=False))
            self.go(legs[-1])
        assert self.tally.kills - before >= kills
        self.tally.steps += sum(len(raw_lines(self.site.folder / run)) for run in {leg.run for leg in legs})

    def until(self, name: str) -> None:
        """Live until just before a leg."""
        for leg in self._begin():
            if leg.name == name:
                return
            self.go(leg)

    def struck(self, leg: Leg, blow: Blow) -> None:
        """Begin a leg and kill it; where it ends before, it has ended."""
        if leg.mend:
            self.site.mend(leg.mend)
        self.blows = [blow]
        self._command(leg)
        self.blows = []

    def resumed(self, leg: Leg) -> int:
        """Go on with the run of a leg by a bare ``resume``; its exit code."""
        return self._command(leg.plainly())[0]

    def go(self, leg: Leg) -> None:
        """Do a leg, by as many commands as it takes."""
        if leg.mend:
            self.site.mend(leg.mend)
        for number in range(MOST_TRIES):
            chosen = self._chosen(leg, number > 0)
            code, struck = self._command(chosen)
            begun = (self.site.folder / leg.run / INFO).exists()  # Python itself may end with the code of gaps
            if code == leg.code and begun and (chosen is leg or not (leg.redo or leg.ask_again)):
                return
            if not struck and chosen is leg and number and code not in DONE:
                break
        self.tally.add("other", f"{leg.name} of {self.place} does not come to its end")

    def _begin(self) -> list[Leg]:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.site.reset()
        self.tally.runs += 1
        return self.site.legs(self.place)

    def _draw(self, leg: Leg) -> Blow:
        return Blow(draw_moment(self.rng, leg.steps), draw_kill(self.rng, leg.steps))

    def _chosen(self, leg: Leg, again: bool) -> Leg:
        """What is done next: the leg, or after a kill sometimes a bare ``resume``."""
        there = (self.site.folder / leg.run / INFO).exists()
        return leg.plainly() if again and leg.steps and there and self.rng.random() < 0.4 else leg

    def _command(self, leg: Leg) -> tuple[int, bool]:
        """One command of a leg, killed if a blow is due; its exit code, and whether it was killed."""
        run = self.site.folder / leg.run
        there = (run / INFO).exists()
        before, asked = lines_of(run), len(self.site.asked())
        arguments = leg.again if leg.again and there and self.rng.random() < 0.7 else leg.first
        command = Command(arguments, self.site.folder, self.site.env)
        struck, excused = "", Counter[Key]()
        if self.blows and reach(
            self.blows[0].moment, command, run, self.courses.get(leg.name, Course()), self.site.contacts
        ):
            blow = self.blows.pop(0)
            struck, excused = f"{blow} of {command}", self._strike(blow, command, run, before, asked)
        code, said = command.end()
        after = struck or str(command)
        self._look(command, leg, code, said, after)
        self._count(leg, before, asked, excused, code, after)
        if not struck and code not in (*DONE, STOPPED):
            self.tally.add("other", f"exit code {code} of {command} in {self.site.folder}: {said[-600:]}")
        return code, bool(struck)

    def _strike(self, blow: Blow, command: Command, run: Path, before: Sequence[object], asked: int) -> Counter[Key]:
        """Kill; what may be asked for once more in the same command, since its worker died."""
        workers = self.site.workers(command) if blow.how == WORKER else []
        self.tally.kills += 1
        if not workers:
            strike(blow.how if blow.how != WORKER else "SIGKILL", command)
            return Counter()
        kill(self.rng.choice(workers))
        return Counter(self.site.asked()[asked:]) - lined(lines_of(run)[len(before) :])

    def _look(self, command: Command, leg: Leg, code: int, said: str, after: str) -> None:
        """What must hold whenever a command has ended, however it did."""
        if alive := command.survivors():
            self.tally.add("other", f"{len(alive)} processes outlived {after}")
            for pid in alive:
                kill(pid)
        self.site.settle()
        if "Traceback (most recent call last)" in said and not _before_ours(said):
            self.tally.add("other", f"a traceback after {after}: {said[-1500:]}")
        run = self.site.folder / leg.run
        self.witnesses.setdefault(leg.run, Witness(run)).look(self.tally, after)
        if not (run / INFO).exists():
            return
        if leg.steps and code in DONE:
            check_tables(run, self.tally, after)
        check_readers(run, self.tally, after)
        self._whole_file(leg, code, after)

    def _whole_file(self, leg: Leg, code: int, after: str) -> None:
        """The file that a command makes is whole, or not there."""
        path = self.site.folder / leg.makes
        if not leg.makes or (not path.exists() and code != leg.code):
            return
        try:
            if path.suffix == ".zip":
                check_readers(es.open_run(path).path, self.tally, f"packing, {after}")
            elif not path.read_text(encoding="utf-8").rstrip().endswith("</html>"):
                self.tally.add("lost", f"{path} is cut off after {after}")
        except (OSError, es.EditscopeError) as error:
            self.tally.add("lost", f"{path} is not whole after {after}: {error}")

    def _count(
        self, leg: Leg, before: list[dict[str, object]], asked: int, excused: Counter[Key], code: int, after: str
    ) -> None:
        """Whatever was asked for had no line before, and was asked for once; little of it has no line now."""
        requests = Counter(self.site.asked()[asked:])
        left = self.site.left(before, leg) + excused
        twice = {key: requests[key] - left[key] for key in requests if requests[key] > max(0, left[key])}
        self.tally.add("doubled", f"asked for again though done: {twice} by {after}", sum(twice.values()))
        answered = lined(lines_of(self.site.folder / leg.run)[len(before) :])
        for kind, most in self.site.in_hand.items():
            bare = sum(max(0, n - answered[key] - excused[key]) for key, n in requests.items() if key[0] == kind)
            most = 0 if code in (*DONE, STOPPED) else most
            self.tally.add(
                "doubled", f"{bare} of kind {kind} without a line, at most {most}, after {after}", bare - most
            )

    def _watched(self, leg: Leg) -> Course:
        """Do a leg without a kill, with an eye on the clock."""
        if leg.mend:
            self.site.mend(leg.mend)
        run = self.site.folder / leg.run
        command = Command(leg.first, self.site.folder, self.site.env)
        lines, grew = 0, time.monotonic()
        while not command.over:
            if (now := len(raw_lines(run))) != lines:
                lines, grew = now, time.monotonic()
            time.sleep(0.005)
        code, said = command.end()
        if code != leg.code:
            raise AssertionError(f"{command} ended with exit code {code}, not {leg.code}: {said}")
        ended = time.monotonic()
        return Course(ended - command.began, ended - grew, lines)


def _before_ours(said: str) -> bool:
    """Whether a traceback is of a Ctrl-C before the command line could catch it.

    All its frames are Python's own, or of the files that Python loads to find the command line.
    """
    frames = [line.strip() for line in said.splitlines() if line.strip().startswith('File "')]
    own = (
        'File "<frozen ',
        f'File "{sysconfig.get_paths()["stdlib"]}/',
        *(f'File "{file}"' for file in HEAD),
    )
    if 'File "<frozen site>"' in said:  # there "<string>" is a line of a .pth file, which Python runs as it starts
        own = (*own, 'File "<string>"')
    ours = any("site-packages" in frame for frame in frames)
    return "KeyboardInterrupt" in said and not ours and all(frame.startswith(own) for frame in frames)

"""A place where runs of one kind can be done: data, an editor, servers, and who asked them for what."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, TypeAlias

from drills import counts
from drills.command import Command
from editscope.runfolder.journal import Line, progress

Key: TypeAlias = tuple[str, ...]
"""What is asked for: ("edit", case) or ("verdict", case, question). Repeats of a case have the same one."""

EDIT, VERDICT = "edit", "verdict"


@dataclass(frozen=True)
class Leg:
    """A part of a run's life: the command that begins it, and the one that goes on with it after a kill.

    ``code`` is the exit code with which it is done. ``steps`` says that it does steps of a run, the one in ``run``;
    ``redo`` are statuses of edits that it makes again, ``ask_again`` says that it asks again where there was no
    verdict. ``mend`` names what works from now on that failed before. ``makes`` is the one file that it is about.
    """

    name: str
    first: tuple[str, ...]
    again: tuple[str, ...] = ()
    run: str = "run"
    code: int = 0
    steps: bool = True
    repeats: int = 1
    redo: tuple[str, ...] = ()
    ask_again: bool = False
    mend: str = ""
    makes: str = ""

    def plainly(self) -> Leg:
        """The same gone on with by a bare ``resume``, which repeats nothing that has a line."""
        return replace(self, first=("resume", self.run, "-q", "--yes"), again=(), redo=(), ask_again=False)


def sampled(legs: list[Leg]) -> list[Leg]:
    """The legs of a life: in ``make test`` only those that do steps of a run."""
    return [leg for leg in legs if leg.steps or counts.FULL]


class Site(ABC):
    """One kind of run. Runs of a site are done one after the other; paths of legs are relative to its folder."""

    name: str
    in_hand: ClassVar[Mapping[str, int]]
    """How many edits and verdicts may be without a line when everything is killed."""
    free: ClassVar[bool] = False
    """Whether edits cost nothing: then failures before which nothing worked are made again."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.env: dict[str, str] = {}
        self.mended: set[str] = set()

    @abstractmethod
    def legs(self, place: str) -> list[Leg]:
        """The life of a run in a folder below that of the site."""

    @abstractmethod
    def asked(self) -> list[Key]:
        """What editors and judges were asked for, in order."""

    @property
    @abstractmethod
    def cases(self) -> Sequence[str]:
        """The ids of all cases."""

    def contacts(self) -> int:
        """How often anybody was asked for anything, be it whether it is there."""
        return len(self.asked())

    def mend(self, what: str) -> None:
        """Let something work that has failed so far."""
        self.mended.add(what)

    def reset(self) -> None:
        """Be as at the beginning, for another run."""
        self.mended.clear()

    def workers(self, command: Command) -> list[int]:
        """The processes of a command that may be killed while it goes on."""
        return command.workers()

    def settle(self) -> None:  # noqa: B027
        """Wait until nobody asks for anything any more that a killed command began."""

    def close(self) -> None:  # noqa: B027
        """Release servers."""

    # --- what a journal leaves to do --------------------------------------------------------------

    def left(self, lines: Iterable[Line], leg: Leg) -> Counter[Key]:
        """How often each thing may be asked for by a leg that begins with these lines in the journal."""
        done = progress(lines)
        broken = self.free and all(line["status"] == "error" for line in done.edits.values())
        left: Counter[Key] = Counter({(EDIT, case): leg.repeats for case in self.cases})
        for (case, _), line in done.edits.items():
            left[EDIT, case] -= line["status"] not in leg.redo and not broken
        for question in self.questions():
            left[question] = leg.repeats
        for (case, _), asked in done.verdicts.items():
            for line in asked.values():
                left[VERDICT, case, line["key"]] -= not leg.ask_again or line["verdict"]["status"] == "ok"
        return left

    def questions(self) -> list[Key]:
        """What a judge is asked about each edit."""
        return []


def lined(lines: Iterable[Line]) -> Counter[Key]:
    """How many lines of a journal answer to each thing that is asked for."""
    found: Counter[Key] = Counter()
    for line in lines:
        if line["step"] == EDIT:
            found[EDIT, line["case"]] += 1
        elif line["step"] == VERDICT:
            found[VERDICT, line["case"], line["key"]] += 1
    return found

"""A person's walk: what they type and write, what they see, and what we expect them to see."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.cells import cell_len

from support.command_line import broken_lines, in_terminal, screen_lines

PATIENCE_S = 600
FILES_NAMED = 8
FAULTS_NAMED = 3
JSON_LINES = 16
"""How many lines of JSON a transcript keeps."""
SHELL = ("/bin/bash", "-c")


@dataclass
class Step:
    """One thing that a person did: its lines in the transcript, and what was not as expected."""

    title: str
    kind: str = "console"
    lines: list[str] = field(default_factory=list)
    code: int | None = None
    seconds: float | None = None
    files: list[str] = field(default_factory=list)
    pictures: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


class Walk:
    """Runs the commands of one person in ``folder``, in a real terminal, and keeps what they saw.

    An expectation that does not hold is kept with its step, and the walk goes on.
    """

    def __init__(self, persona: str, folder: Path, env: dict[str, str], columns: int = 80) -> None:
        self.persona = persona
        self.place = folder / "work"
        self.kept = folder
        self.place.mkdir(parents=True)
        self.env = env
        self.columns = columns
        self.steps: list[Step] = []
        self.secrets: list[str] = []

    @property
    def faults(self) -> list[str]:
        """Everything that was not as expected."""
        found = []
        for step in self.steps:
            found += [f"{step.title}: {fault}" for fault in step.faults[:FAULTS_NAMED]]
            more = len(step.faults) - FAULTS_NAMED
            found += [f"{step.title}: {more} more"] if more > 0 else []
        return found

    def say(self, text: str) -> None:
        """A sentence on what the person wants now."""
        self.steps.append(Step(text, "text"))

    def write(self, name: str, text: str) -> Path:
        """A file that the person writes."""
        path = self.place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        self.steps.append(Step(name, path.suffix.lstrip(".") or "text", text.strip("\n").split("\n")))
        return path

    def type(
        self,
        command: str,
        *,
        code: int = 0,
        shows: Sequence[str] = (),
        lacks: Sequence[str] = (),
        keys: Sequence[tuple[str, str]] = (),
        makes: Sequence[str] = (),
        columns: int | None = None,
        again: bool = False,
    ) -> str:
        """Type a command into a terminal; what stands on the screen in the end, as words with one space between them.

        ``keys`` are what is typed when a text appears. ``again`` repeats a command that changes nothing on a very wide
        terminal, and compares the two: no word may be broken.
        """
        width = columns or self.columns
        before, start = self._files(), time.monotonic()
        written, ended = in_terminal([*SHELL, command], self.place, width, self.env, keys)
        seconds = time.monotonic() - start
        lines = _without_blank_ends(screen_lines(written))
        step = Step(command, "console", [f"$ {command}", *lines], ended, seconds, self._made(before))
        self.steps.append(step)
        self._check(step, written, code, shows, lacks, makes)
        if command.startswith("editscope"):
            step.faults += [f"wider than {width} columns: {line}" for line in lines if cell_len(line) > width]
        if again:
            wide, _ = in_terminal([*SHELL, command], self.place, 1000, self.env, keys)
            step.faults += [f"a broken word: {what}" for what in broken_lines(lines, screen_lines(wide), width)]
        return _words("\n".join(lines))

    def script(self, command: str, *, code: int = 0, shows: Sequence[str] = (), lacks: Sequence[str] = ()) -> str:
        """Run a command in a script, without a terminal; what it printed to standard output."""
        before, start = self._files(), time.monotonic()
        done = subprocess.run(
            [*SHELL, command],
            cwd=self.place,
            env=self.env,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=PATIENCE_S,
        )
        seconds = time.monotonic() - start
        lines = (done.stdout + done.stderr).rstrip("\n").split("\n")
        title = f"{command}   # in a script"
        step = Step(command, "console", [f"$ {title}", *lines], done.returncode, seconds, self._made(before))
        self.steps.append(step)
        self._check(step, done.stdout + done.stderr, code, shows, lacks, ())
        return done.stdout

    def json(self, command: str, *, code: int = 0) -> Any:
        """The JSON that a command prints in a script."""
        printed = self.script(command, code=code)
        self.steps[-1].lines[JSON_LINES:] = ["…"]
        try:
            return json.loads(printed)
        except ValueError as error:
            self.expect(False, f"standard output is one JSON value ({error})")
            return {}

    def expect(self, holds: object, claim: str) -> None:
        """Keep a fault with the last step where a claim does not hold."""
        if not holds:
            self.steps[-1].faults.append(f"does not hold: {claim}")

    def picture(self, path: Path) -> None:
        """A picture of what the person sees now."""
        self.steps[-1].pictures.append(path.name)

    def _check(
        self, step: Step, written: str, code: int, shows: Sequence[str], lacks: Sequence[str], makes: Sequence[str]
    ) -> None:
        words = _words("\n".join(step.lines[1:]))
        if step.code != code:
            step.faults.append(f"exit code {step.code}, not {code}")
        step.faults += [f"does not say {text!r}" for text in shows if text not in words]
        step.faults += [f"says {text!r}" for text in (*lacks, "Traceback (most recent call last)") if text in words]
        step.faults += ["shows a key" for key in self.secrets if key in written]
        step.faults += [f"did not make {name}" for name in makes if not (self.place / name).exists()]

    def _files(self) -> set[str]:
        return {str(path.relative_to(self.place)) for path in self.place.rglob("*") if path.is_file()}

    def _made(self, before: set[str]) -> list[str]:
        """New files; of a folder with many, the number."""
        new = sorted(name for name in self._files() - before if "__pycache__" not in name)
        if len(new) <= FILES_NAMED:
            return new
        folders: dict[str, int] = {}
        for name in new:
            parent = str(Path(name).parent)
            folders[parent] = folders.get(parent, 0) + 1
        named = [name for name in new if folders[str(Path(name).parent)] <= FILES_NAMED and name.count("/") <= 2]
        return [*named, f"{len(new) - len(named):,} more"] if len(new) > len(named) else named


def _words(text: str) -> str:
    return " ".join(text.split())


def _without_blank_ends(lines: list[str]) -> list[str]:
    while lines and not lines[-1]:
        lines.pop()
    return lines

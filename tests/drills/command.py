"""A command of Editscope in processes of its own, all of which can be found, watched and killed."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

PATIENCE_S = 600.0
"""A command that has not ended by then hangs, also on a busy machine."""


class Command:
    """A command that was started; ``said`` is what it printed, when it has ended."""

    def __init__(self, arguments: Sequence[str], folder: Path, env: Mapping[str, str] | None = None) -> None:
        self.arguments = tuple(arguments)
        self._tag = f"EDITSCOPE_DRILLED={uuid.uuid4().hex}"
        name, _, value = self._tag.partition("=")
        self.began = time.monotonic()
        self.output = folder / f".said-{value}"
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "editscope", *self.arguments],
                cwd=folder,
                env={**os.environ, **(env or {}), name: value},
                stdout=output,
                stderr=output,
                stdin=subprocess.DEVNULL,
            )

    def __str__(self) -> str:
        return "editscope " + " ".join(self.arguments)

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.process.poll() is not None

    def until(self, there: Callable[[], bool]) -> bool:
        """Wait for something; False where the command ended before it came."""
        while not self.over:
            if there():
                return True
            if time.monotonic() - self.began > PATIENCE_S:
                self.kill_all()
                raise AssertionError(f"{self} hangs")
            time.sleep(0.002)
        return False

    def wait(self, seconds: float) -> bool:
        """Let some time pass; False where the command ended meanwhile."""
        until = time.monotonic() + seconds
        return self.until(lambda: time.monotonic() >= until)

    def kill_all(self) -> None:
        """Kill all of its processes at once, as a power cut does: none goes on while others are being killed."""
        stopped: set[int] = set()
        while found := set(self.processes()) - stopped:
            for pid in found:
                kill(pid, signal.SIGSTOP)
            stopped |= found
        self.process.kill()
        for pid in stopped:
            kill(pid)

    def end(self) -> tuple[int, str]:
        """Wait for its end: the exit code, and all that it printed."""
        self.until(lambda: False)
        said = self.output.read_text(errors="replace") if self.output.exists() else ""
        self.output.unlink(missing_ok=True)
        return self.process.returncode, said

    def workers(self) -> list[int]:
        """Its processes but for the one that decides."""
        return [pid for pid in self.processes() if pid != self.process.pid]

    def survivors(self, patience_s: float = 300.0) -> list[int]:
        """Processes that are still there a while after its end."""
        until = time.monotonic() + patience_s
        while (alive := self.processes()) and time.monotonic() < until:
            time.sleep(0.02)
        return alive

    def processes(self) -> list[int]:
        """All processes that the command started."""
        return tagged(self._tag)


def tagged(tag: str) -> list[int]:
    """The processes that have this in their environment, such as ``NAME=value``."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if tag.encode() in (process / "environ").read_bytes().split(b"\0"):
                found.append(int(process.name))
    return found


def kill(pid: int, how: signal.Signals = signal.SIGKILL) -> None:
    """End a process, or send it another signal, if it is still there."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, how)

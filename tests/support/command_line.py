"""The command line in this process, in one of its own, as the fixture `editscope` calls it, or on a terminal."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from editscope.cli import main

Called = subprocess.CompletedProcess[str]
COMMANDS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07")


def called(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command in this process; for commands that start no workers."""
    code = 0
    try:
        main([str(argument) for argument in arguments])
    except SystemExit as end:
        code = int(end.code or 0)
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def on_terminal(
    arguments: list[str], cwd: Path, columns: int = 80, env: dict[str, str] | None = None
) -> tuple[str, int]:
    """All that a Python process writes to its terminal, as it comes, and its exit code."""
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    inherited = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    process = subprocess.Popen(
        [sys.executable, *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=cwd,
        env={**inherited, "TERM": "xterm-256color", **(env or {})},
    )
    os.close(theirs)
    written = bytearray()

    def read() -> None:
        try:
            while piece := os.read(ours, 1 << 16):
                written.extend(piece)
        except OSError:  # the other end is closed
            pass

    reader = threading.Thread(target=read)
    reader.start()
    try:
        process.wait(600)
        reader.join(30)
    finally:
        process.kill()
        os.close(ours)
    return written.decode("utf-8", "replace"), process.returncode


def screen_lines(written: str) -> list[str]:
    """The lines that stand on the screen in the end; of a line that was drawn over and over, the last state."""
    text = COMMANDS.sub("", written.replace("\r\n", "\n"))
    return [line.rpartition("\r")[2].rstrip() for line in text.split("\n")]

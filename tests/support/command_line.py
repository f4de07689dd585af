"""The command line in this process, in one of its own, as the fixture `editscope` calls it, or on a terminal."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from rich.cells import cell_len

from editscope.cli import main

Called = subprocess.CompletedProcess[str]
STEPS = re.compile(r"(\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07)|([\r\n]|[^\x1b\r\n]+|\x1b)")
"""A command to the terminal, a text, a return or a new line."""
SEPARATORS = re.compile(r"[^/\\?&=,;:_.-]*[/\\?&=,;:_.-]*")
TIMES = re.compile(r"\d(ms|s)?\b.*(an edit|edits a second|cases/s)")
VARIES = re.compile(r"[0-9a-f]{16}|^\d+(\.\d+)?$|^[0-9:.]+$|-[0-9a-f]{4}\b|^\$")
"""Words that differ from run to run: hashes, times, names of new folders."""
OTHER_PROCESSOR = {
    "OPENBLAS_CORETYPE": "Nehalem",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX2_Usable,-FMA_Usable",
}
"""Environment of a process in which OpenBLAS and the C library calculate as on a processor of another kind."""


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
    inherited = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    return in_terminal([sys.executable, *arguments], cwd, columns, {**inherited, **(env or {})})


def in_terminal(
    command: Sequence[str], cwd: Path, columns: int, env: Mapping[str, str], typed: Sequence[tuple[str, str]] = ()
) -> tuple[str, int]:
    """All that a command writes to a terminal of its own, and its exit code.

    ``typed`` is what a person types: pairs of a text to wait for and the keys to press then; ``\\x03`` is Ctrl-C.
    """
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    process = subprocess.Popen(
        command,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=cwd,
        env={**env, "TERM": "xterm-256color"},
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # so that Ctrl-C reaches it
    )
    os.close(theirs)
    written = bytearray()

    def read() -> None:
        keys, start = list(typed), 0
        try:
            while piece := os.read(ours, 1 << 16):
                written.extend(piece)
                while keys and (found := written.find(keys[0][0].encode(), start)) >= 0:
                    start = found + len(keys[0][0].encode())
                    os.write(ours, keys.pop(0)[1].encode())
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
    """The lines that stand on the screen in the end, and above it; of what was drawn over and over, the last state."""
    lines, row, column = [""], 0, 0
    for command, text in STEPS.findall(written):
        if command[-1:] == "A":
            row = max(0, row - int(command[2:-1] or 1))
        elif command[-1:] == "K":
            lines[row] = "" if "2" in command else lines[row][:column]
        elif text == "\r":
            column = 0
        elif text == "\n":
            row += 1
            lines += [""] if row == len(lines) else []
        elif text:
            before = lines[row].ljust(column)
            lines[row] = before[:column] + text + before[column + len(text) :]
            column += len(text)
    return [line.rstrip() for line in lines]


def pieces(words: set[str]) -> set[str]:
    """What words may be broken into: runs of parts that end with a separator."""
    broken = set(words)
    for word in words:
        parts = [part for part in SEPARATORS.findall(word) if part]
        broken |= {"".join(parts[a:b]) for a in range(len(parts)) for b in range(a + 1, len(parts) + 1)}
    return broken


def broken_lines(narrow: list[str], wide: list[str], columns: int) -> list[str]:
    """What is wrong with lines that a command printed to a narrow terminal, given those that it printed to a wide one.

    Progress bars and times differ from run to run, so they are left out.
    """
    known = pieces({word for line in wide for word in line.split()}) | {"·"}  # which stands between cells of a row
    wrong = []
    for line in narrow:
        if "━" in line or TIMES.search(line):
            continue
        if cell_len(line) > columns:
            wrong.append(f"too wide: {line}")
        words = [word for word in line.split() if word not in known and not VARIES.search(word)]
        wrong += [f"{word!r} in {line!r}" for word in words]
    return wrong

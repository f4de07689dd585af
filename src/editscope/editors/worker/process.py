"""Process of one worker: its pipes, what it printed, and its end."""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, TextIO

from editscope.editors.worker.protocol import Message, read, written
from editscope.outside import redacted, repaired
from editscope.printing import plain
from editscope.processes import end_group, watch_group

KEPT_LINES = 200
LONGEST_LINE = 8 << 20
SHOWN_LINES = 3
SHOWN_CHARACTERS = 400
FULL = "… this file is full; what is printed from here on is not kept"
MOST_WAITING = 1000
"""Messages that nobody has asked for are dropped from here on."""


class WorkerGone(Exception):
    """The worker has ended; the text says how."""


class Flood:
    """Stands for a message that is longer than any message may be."""


class WorkerLate(Exception):
    """The worker has not answered in time."""


class Log:
    """The last lines that a worker printed, whichever process of its life; all of them in a file, where one is named.

    The file does not grow beyond ``most_bytes``, where a number is given.

    >>> log = Log()
    >>> log.add("loading 10%\\rloading \\x1b[32m100%\\x1b[0m")
    >>> log.last()
    'loading 100%'
    """

    def __init__(self, file: Path | None = None, most_bytes: int | None = None) -> None:
        self.file = file
        self.most_bytes = most_bytes
        self._lines: deque[str] = deque(maxlen=KEPT_LINES)
        self._lock = threading.Lock()

    def add(self, line: str) -> None:
        """Keep a line, without colors; of a progress bar that was drawn over and over, the last state."""
        # It goes on into sentences, and from there to whoever's terminal.
        line = plain(redacted(repaired(line.rstrip("\r\n").rpartition("\r")[2])))
        if not line.strip():
            return
        with self._lock:
            self._lines.append(line[:2000])
            if self.file is not None:
                with contextlib.suppress(OSError), self.file.open("a", encoding="utf-8") as file:
                    self._write(file, line + "\n")

    def close(self) -> None:
        """Write no more to the file."""
        with self._lock:
            self.file = None

    def _write(self, file: TextIO, line: str) -> None:
        size = file.tell()
        if self.most_bytes is None or size + len(line) <= self.most_bytes:
            file.write(line)
        elif size <= self.most_bytes:
            file.write(f"{line[: self.most_bytes - size]}\n{FULL}\n")  # larger than that from now on

    def lines(self) -> list[str]:
        """What is kept, oldest first."""
        with self._lock:
            return list(self._lines)

    def last(self) -> str:
        """The last few lines as one, for a sentence."""
        text = " / ".join(line.strip() for line in self.lines()[-SHOWN_LINES:])
        return text if len(text) <= SHOWN_CHARACTERS else "…" + text[-SHOWN_CHARACTERS:]


class Process:
    """A worker that was started and may be asked.

    It has a session of its own: a Ctrl-C does not reach it, and one kill reaches whatever it started. When it ends,
    its children are ended too, so that nobody keeps its pipes or its GPU; and so are all of them when we are killed.
    """

    def __init__(self, command: Sequence[str], log: Log, cwd: Path | None = None) -> None:
        self.log = log
        self._messages: queue.SimpleQueue[Message | Flood | None] = queue.SimpleQueue()
        self._ended = threading.Event()
        self._popen = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            start_new_session=True,
        )
        watch_group(self._popen.pid)
        self._readers = [
            threading.Thread(target=self._read_messages, daemon=True),
            threading.Thread(target=self._read_errors, daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    @property
    def pid(self) -> int:
        """Its process id, which is also that of its group."""
        return self._popen.pid

    def send(self, message: Message) -> None:
        """Say something; WorkerGone where nobody listens any more."""
        assert self._popen.stdin is not None
        try:
            self._popen.stdin.write(written(message))
            self._popen.stdin.flush()
        except (OSError, ValueError):
            self.end(0.0)
            raise WorkerGone(self.death()) from None

    def receive(self, until: float | None) -> Message:
        """The next message until a time of ``time.monotonic``; WorkerGone or WorkerLate where none comes."""
        left = None if until is None else max(0.0, until - time.monotonic())
        try:
            message = self._messages.get(timeout=left)
        except queue.Empty:
            raise WorkerLate from None
        if isinstance(message, Flood):
            self.end(0.0)
            raise WorkerGone(f"it sent a line of more than {LONGEST_LINE >> 20} MB")
        if message is None:
            self._messages.put(None)
            lives = not self._ended.wait(1.0)
            self.end(0.0)
            raise WorkerGone("it closed its stdout and lived on" if lives else self.death())
        return message

    def death(self) -> str:
        """How it ended, in words."""
        self._ended.wait(10.0)
        code = self._popen.returncode
        if code is None:
            return "it does not end"
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def end(self, patience_s: float) -> None:
        """Close its pipe, which asks it to leave; after so many seconds kill it with all that it started."""
        assert self._popen.stdin is not None
        with contextlib.suppress(OSError):
            self._popen.stdin.close()
        if patience_s <= 0 or not self._ended.wait(patience_s):
            self._kill_group()
            self._ended.wait(10.0)

    def _kill_group(self) -> None:
        end_group(self._popen.pid)

    def _watch(self) -> None:
        # Its number stays taken until it is waited for, so that the kill reaches its group and nobody else's.
        if hasattr(os, "waitid"):
            with contextlib.suppress(ChildProcessError):
                os.waitid(os.P_PID, self._popen.pid, os.WEXITED | os.WNOWAIT)
            self._kill_group()
        self._popen.wait()
        for reader in self._readers:
            reader.join(5.0)
        self._ended.set()
        self._messages.put(None)

    def _read_messages(self) -> None:
        assert self._popen.stdout is not None
        flooding = False
        for line in lines_of(self._popen.stdout):
            begun, flooding = flooding, not line.endswith("\n") and len(line) >= LONGEST_LINE // 4
            if begun or flooding:
                if not begun and line.lstrip().startswith("{"):
                    self._messages.put(Flood())
                continue
            message = read(line)
            if message is None:
                self.log.add(line)
            elif message["type"] == "log":
                self.log.add(str(message.get("text", "")))
            elif self._messages.qsize() < MOST_WAITING:
                self._messages.put(message)
            else:
                self.log.add(f"(one of more than {MOST_WAITING:,} messages that nobody asked for)")
        self._messages.put(None)

    def _read_errors(self) -> None:
        assert self._popen.stderr is not None
        for line in lines_of(self._popen.stderr):
            self.log.add(line)


def lines_of(pipe: IO[bytes]) -> Iterator[str]:
    """Lines of a pipe until its end; one that never ends comes in pieces."""
    with pipe, contextlib.suppress(OSError, ValueError):
        while piece := pipe.readline(LONGEST_LINE):
            yield piece.decode("utf-8", "replace")

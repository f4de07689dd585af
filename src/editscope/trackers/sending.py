"""Sending to a tracker: a session in a process of its own, which gets points until it is ended."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence

from editscope.errors import EditscopeError
from editscope.outside import received
from editscope.processes import end_group, watch_group
from editscope.trackers.session import STORED, LogPoint, SessionInput, written_points

PATIENCE_S = 300.0
"""How long a tracker may take; a server that does not answer must not hold up a run."""
LAST_WORDS_S = 10.0
"""How long a session that has failed may take to say why."""
LONGEST = 300
SESSION = "import sys; sys.path[:] = sys.argv[1:]; from editscope.trackers.session import main; main()"
"""The program of a session, which finds the libraries that this process finds."""


class NotLogged(EditscopeError):
    """A tracker did not take what it was given."""


class TrackerSession:
    """A session with a tracker; it begins with the points of its input. After NotLogged it is over."""

    def __init__(self, session: SessionInput, patience_s: float = PATIENCE_S) -> None:
        self._patience_s = patience_s
        self._printed = tempfile.TemporaryFile()  # noqa: SIM115 - it is closed with the session
        self._process = subprocess.Popen(
            [sys.executable, "-c", SESSION, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._printed,
            start_new_session=True,
        )
        watch_group(self._process.pid)
        self._store(session.written())

    def add(self, points: Sequence[LogPoint]) -> None:
        """Return when the tracker has these points; NotLogged where it does not take them."""
        self._store(written_points(points))

    def end(self) -> None:
        """Let the tracker finish; NotLogged where it says that something is not stored."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it has ended already; its exit code says how
            self._process.stdin.close()
        try:
            code = self._process.wait(self._patience_s)
        except subprocess.TimeoutExpired:
            raise self._failure(late=True) from None
        if code:
            raise self._failure()
        self.abandon()

    def abandon(self) -> None:
        """End all that the session started, whatever it was doing."""
        end_group(self._process.pid)
        for pipe in (self._process.stdin, self._process.stdout, self._printed):
            with contextlib.suppress(OSError):  # what was still to be written has no reader
                if pipe is not None:
                    pipe.close()
        self._process.wait()

    def _store(self, line: bytes) -> None:
        """Write a line and wait for the word that its points are stored."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None
        late = threading.Event()

        def give_up() -> None:
            late.set()
            end_group(self._process.pid)

        timer = threading.Timer(self._patience_s, give_up)
        timer.daemon = True
        timer.start()
        try:
            stdin.write(line)
            stdin.flush()
            answer = stdout.readline()
        except OSError:  # nobody reads any more
            answer = b""
        finally:
            timer.cancel()
        if answer != STORED:
            raise self._failure(late=late.is_set())

    def _failure(self, *, late: bool = False) -> NotLogged:
        """Why the session is over, by the last line that it printed."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(0.0 if late else LAST_WORDS_S)
        end_group(self._process.pid)
        code = self._process.wait()
        self._printed.seek(0)
        lines = [line.strip() for line in self._printed.read().decode("utf-8", "replace").splitlines() if line.strip()]
        self.abandon()
        if late:
            return NotLogged(f"it did not answer within {self._patience_s:g} seconds")
        return NotLogged((received(lines[-1], LONGEST) if lines else f"exit code {code}").rstrip("."))

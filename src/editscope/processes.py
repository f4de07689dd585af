"""Processes that end with the one that started them, and take along all that they started; cores they may use."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

from editscope.errors import BadInput

JOBS = "EDITSCOPE_JOBS"
"""The environment variable that says how many processes or threads a command uses where ``--jobs`` does not."""

_WATCH = """
import os, signal, sys, time
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
groups = set()
for line in sys.stdin.buffer:
    (groups.add if line[:1] == b"+" else groups.discard)(int(line[1:]))
until = time.monotonic() + 2
for group in groups:
    try:
        while time.monotonic() < until:
            os.kill(group, 0)
            time.sleep(0.02)
    except OSError:
        pass
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        pass
"""
"""Learns through a pipe which process groups are ours. The pipe ends with us, however we end: a process that is killed
with SIGKILL cannot clean up, so somebody else must. A program that notices itself that nobody listens any more has two
seconds to tidy up and leave."""


def is_running(pid: int) -> bool:
    """Whether this machine has a process of this number, whoever it belongs to."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


class _Watchman:
    """A small process beside ours that kills the groups that we leave behind; started when the first is named."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._pid = 0

    def tell(self, sign: str, group: int) -> None:
        """Name a group, or take it back; without a watchman (a machine that starts no more processes) nothing."""
        with self._lock, contextlib.suppress(OSError, ValueError):
            if self._process is None or self._pid != os.getpid():  # a fork has a watchman of its own
                self._start()
            assert self._process is not None and self._process.stdin is not None
            self._process.stdin.write(f"{sign}{group}\n".encode())
            self._process.stdin.flush()

    def _start(self) -> None:
        self._process, self._pid = (
            subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _WATCH],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,
            ),
            os.getpid(),
        )

    def close(self) -> None:
        """Let it do its work and end."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None and self._pid == os.getpid() and process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()
            process.wait()


_WATCHMAN = _Watchman()
atexit.register(_WATCHMAN.close)


def cores() -> int:
    """How many cores this process may use: ``EDITSCOPE_JOBS``, else those that the system allows it."""
    if wanted := os.environ.get(JOBS, "").strip():
        if not (wanted.isascii() and wanted.isdigit() and int(wanted)):
            raise BadInput(f"{JOBS} must be a whole number from 1, not {wanted[:40]!r}")
        return int(wanted)
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def watch_group(group: int) -> None:
    """From now on this process group is killed when our process ends, whatever ends it."""
    if hasattr(os, "killpg"):
        _WATCHMAN.tell("+", group)


def end_group(group: int) -> None:
    """Kill all that is left of a process group; it need not be watched any longer."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
        _WATCHMAN.tell("-", group)


@contextlib.contextmanager
def starting_deaf() -> Iterator[None]:
    """Processes that are started in here hear no Ctrl-C until they call ``end_on_interrupt``; ours is heard at the end.

    A process that is still importing would answer with a traceback on the terminal.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_on_interrupt() -> None:
    """In a process of a pool: a Ctrl-C ends it at once and without a word; the process that made the pool reports."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])


def end_with_parent() -> None:
    """In a process of a pool: end when the process that made the pool has ended, also where it was killed.

    The processes of a pool wait for work at a queue whose both ends they hold, so they would wait for ever.
    """
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    parent = parent_process()
    if parent is None:
        return

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, name="editscope-parent", daemon=True).start()

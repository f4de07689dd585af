"""Locks on run folders: one process at a time writes, also on file systems that have no locks of their own."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from editscope.errors import BadInput
from editscope.files import SETTINGS, open_file, read_file
from editscope.processes import is_running
from editscope.runfolder.files import DiskError, FolderGone, writing

BEAT_S = 15.0
"""How often the holder of a lock file touches it."""
LOOK_S = 1.0
"""How often it looks whether somebody has taken its lock over."""
STALE_S = 600.0
"""A lock file of another machine that was not touched for so long belongs to a process that is gone."""
ATTEMPTS = 1000
WEAK = (
    "the file system of {folder} has no locks, so a lock file stands in for them; "
    f"after a crash of this machine, other machines wait {STALE_S / 60:.0f} minutes before they continue the run"
)


class Lock:
    """A file that this process holds for itself; BadInput, with the sentence ``busy``, where another one does.

    The lock is on the file that ``path`` names at this moment: a file that was unlinked while we waited for it is let
    go, and the one that is there now is taken. ``fd`` is the open file. ``made`` are the folders that were made for it.
    """

    def __init__(self, path: Path, busy: str, *, make_folder: bool = False, create: bool = True) -> None:
        self.path = path
        self.made: list[Path] = []
        self.fd = -1
        self._busy = busy
        self._flags = os.O_RDWR | os.O_APPEND | getattr(os, "O_CLOEXEC", 0) | (os.O_CREAT if create else 0)
        self._file: LockFile | None = None
        for _ in range(ATTEMPTS):
            if self._taken(make_folder):
                return
        raise BadInput(busy)  # somebody makes and removes it all the time

    @property
    def weak(self) -> str:
        """A sentence for the user where the file system has no locks; "" where it has."""
        return "" if self._file is None else WEAK.format(folder=self.path.parent)

    def check(self) -> None:
        """Raise FolderGone where the file was removed or replaced, or where another process took the lock over."""
        if not _is_at(self.fd, self.path):
            raise FolderGone(f"{self.path.parent} was removed or replaced while it was being written")
        if self._file is not None and not self._file.seems_held():
            raise FolderGone(f"another process took {self.path.parent} over, since this one seemed to be gone")

    def release(self) -> None:
        """Let it go."""
        if self._file is not None:
            self._file.release()
            self._file = None
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def remove(self) -> None:
        """Unlink the file while it is held, let it go, and remove the folders that were made for it and are empty.

        Whoever opened the file meanwhile notices that it is none of a lock any more.
        """
        with contextlib.suppress(OSError):
            if _is_at(self.fd, self.path):
                self.path.unlink()
        self.release()
        for folder in self.made:
            with contextlib.suppress(OSError):
                folder.rmdir()

    def __enter__(self) -> Lock:
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()

    def _taken(self, make_folder: bool) -> bool:
        """Whether the lock is ours now; False where the file changed under us, so that it is to be tried again."""
        with writing(self.path):
            if make_folder:
                self._make_folder()
            try:
                self.fd = os.open(self.path, self._flags, 0o644)
            except FileNotFoundError:
                if make_folder:
                    return False
                raise
        try:
            head = LockFile.place(self.path)
            if not _flocked(self.fd, self._busy, shared=False):
                self._file = LockFile(head, self._busy)
            elif (holder := last_holder(head)) is not None and holder.alive():
                raise BadInput(self._busy)
            if _is_at(self.fd, self.path):
                return True
        except BaseException:
            self.release()
            raise
        self.release()
        return False

    def _make_folder(self) -> None:
        missing = []
        folder = self.path.parent
        while not folder.exists():
            missing.append(folder)
            folder = folder.parent
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.made = [*missing, *(one for one in self.made if one not in missing)]


@contextmanager
def reading_lock(path: Path, busy: str) -> Iterator[None]:
    """Hold off writers of what ``path`` locks, for as long as it is read; BadInput where there is one now."""
    try:
        file = open_file(path)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror or error})") from error
    with file:
        _flocked(file.fileno(), busy, shared=True)
        holder = last_holder(LockFile.place(path))
        if holder is not None and holder.alive():
            raise BadInput(busy)
        yield


def _flocked(fd: int, busy: str, *, shared: bool) -> bool:
    """Lock an open file; False where there are no locks. BadInput where another process has it."""
    try:
        import fcntl
    except ImportError:
        return False
    try:
        fcntl.flock(fd, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BadInput(busy) from None
    except OSError:  # ENOLCK, ENOTSUP, ENOSYS: some network file systems, and some containers
        return False
    return True


def _is_at(fd: int, path: Path) -> bool:
    """Whether an open file is the one that a path names."""
    try:
        there, here = path.stat(), os.fstat(fd)
    except OSError:
        return False
    return (there.st_dev, there.st_ino) == (here.st_dev, here.st_ino)


# --- lock files -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Holder:
    """Who made a lock file: a process on a machine. ``token`` is different for each lock file there ever was."""

    token: str
    host: str = ""
    boot: str = ""
    space: str = ""
    pid: int = 0
    start: str = ""
    beat: float = 0.0
    """When it was last touched."""

    def alive(self) -> bool:
        """Whether the process is there; on another machine, whether it touched its file lately."""
        me = _myself("")
        if self.pid and (self.host, self.boot, self.space) == (me.host, me.boot, me.space):
            return _start_of(self.pid) == self.start if self.start else is_running(self.pid)
        return time.time() - self.beat < STALE_S


class LockFile:
    """A lock that is a file, for file systems without locks.

    The first holder creates the file ``head`` exclusively. Whoever finds that its holder is gone creates, again
    exclusively, a successor that is named after the holder's token; the last in this chain has the lock. Tokens are
    never used twice, so of several that take over the same stale lock one succeeds. Only the holder removes files,
    and the head first: a successor to a chain without its head is worth nothing, and its maker sees that.
    """

    def __init__(self, head: Path, busy: str) -> None:
        self._head = head
        self._own = _myself(secrets.token_hex(8))
        self._chain: list[Path] = []
        for _ in range(ATTEMPTS):
            if self._created(busy):
                break
        else:
            raise BadInput(busy)
        self._looked = time.monotonic()
        self._over = threading.Event()
        threading.Thread(target=self._beat, name="editscope-lock", daemon=True).start()

    @staticmethod
    def place(path: Path) -> Path:
        """Where the lock file of a file lies."""
        return path.with_name(f".{path.name}.lock")

    def held(self) -> bool:
        """Whether this process still has the lock."""
        last = last_holder(self._head)
        return last is not None and last.token == self._own.token

    def seems_held(self) -> bool:
        """The same, looked up once in a while: each time takes a few calls to a slow disk."""
        if time.monotonic() - self._looked >= LOOK_S:
            self._looked = time.monotonic()
            return self.held()
        return True

    def release(self) -> None:
        """Remove the files, unless another process has taken over."""
        self._over.set()
        if self.held():
            for path in self._chain:
                with contextlib.suppress(OSError):
                    path.unlink()

    def _created(self, busy: str) -> bool:
        chain, last = _chain(self._head)
        if last is not None and last.alive():
            raise BadInput(f"{busy} (process {last.pid} on {last.host or 'an unknown machine'})")
        target = self._head if last is None else _successor(self._head, last)
        fields = {name: value for name, value in asdict(self._own).items() if name != "beat"}
        try:
            with writing(target), target.open("x", encoding="utf-8") as file:
                json.dump(fields, file)
        except DiskError as error:
            if isinstance(error.__cause__, FileExistsError):
                return False
            raise
        self._chain = [*chain, target]
        if self.held():
            return True
        target.unlink(missing_ok=True)  # the chain that it belongs to was released meanwhile
        return False

    def _beat(self) -> None:
        while not self._over.wait(BEAT_S):
            with contextlib.suppress(OSError):
                os.utime(self._chain[-1])


def last_holder(head: Path) -> Holder | None:
    """Who has the lock whose first file is ``head``; None where nobody has."""
    return _chain(head)[1]


def _chain(head: Path) -> tuple[list[Path], Holder | None]:
    """The files of a lock in their order, and the last holder."""
    paths: list[Path] = []
    last, path = None, head
    while (holder := _read(path)) is not None:
        paths.append(path)
        last, path = holder, _successor(head, holder)
    return paths, last


def _successor(head: Path, holder: Holder) -> Path:
    return head.with_name(f"{head.name}.{holder.token}")


def _read(path: Path) -> Holder | None:
    try:
        stat = path.stat()
        text = read_file(path, SETTINGS).decode("utf-8", "replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}); remove it if no run is being written") from error
    try:
        fields = json.loads(text)
        return Holder(
            token=int(fields["token"], 16).to_bytes(8, "big").hex(),  # it becomes part of a file name
            host=str(fields["host"]),
            boot=str(fields["boot"]),
            space=str(fields["space"]),
            pid=int(fields["pid"]),
            start=str(fields["start"]),
            beat=stat.st_mtime,
        )
    except (ValueError, KeyError, TypeError, OverflowError):  # its maker has not written it yet, or never will
        return Holder(f"torn-{stat.st_ino}-{stat.st_mtime_ns}", beat=stat.st_mtime)


def _myself(token: str) -> Holder:
    return Holder(
        token=token,
        host=socket.gethostname(),
        boot=_text(Path("/proc/sys/kernel/random/boot_id")),
        space=_link(Path("/proc/self/ns/pid")),
        pid=os.getpid(),
        start=_start_of(os.getpid()),
    )


def _start_of(pid: int) -> str:
    """When a process began, in ticks since the machine did; "" where there is none, or no way to know."""
    after_name = _text(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()
    return after_name[19] if len(after_name) > 19 else ""


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _link(path: Path) -> str:
    try:
        return str(path.readlink())
    except OSError:
        return ""

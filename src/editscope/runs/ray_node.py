"""What runs on a node of a Ray cluster: a hand that does the steps of a run, as an actor or inside a task."""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import sys
import tempfile
import threading
import traceback
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from editscope import __version__
from editscope.errors import BadInput
from editscope.runs.disk import safe_path
from editscope.runs.steps import IMAGES, THUMBS
from editscope.runs.worker import Job, Report, Setup, serve

POLL_S = 20.0
"""How long a question for reports waits for one; asking again costs a millisecond."""

SCRATCH = "editscope-ray"
GOES_ON = ("ready", "edited")
"""Reports after which more is to come of a job."""

Told = tuple[int, "Report | None"]
"""A report with its number; None says that the hand has closed what it held."""


@dataclass(frozen=True)
class Place:
    """Where a worker is: the node, its name for people, and the process."""

    node_id: str
    name: str
    pid: int


@dataclass(frozen=True)
class Kit:
    """All that a node needs for steps of a run, wherever it is.

    ``seen`` are files and folders that the run reads and that no report carries, each with a word for what it is;
    ``path`` and ``cwd`` are those of the process that asks, so that a module of the user's is found here as there.
    """

    setup: Setup
    seen: tuple[tuple[str, str], ...] = ()
    path: tuple[str, ...] = ()
    cwd: str = ""
    version: str = __version__

    def unpack(self) -> None:
        """Make this process like the one that asks; BadInput where the node cannot do what it can."""
        if self.version != __version__:
            raise BadInput(
                f"the run was started by editscope {self.version} and this node has {__version__}; "
                "install the same version on all nodes"
            )
        for what, path in self.seen:
            if not Path(path).exists():
                raise BadInput(f"{what} {path} is not there; put it on a disk that every node sees, at the same path")
        if self.cwd and Path(self.cwd).is_dir():
            os.chdir(self.cwd)
        sys.path.extend(entry for entry in self.path if entry not in sys.path)


class Hand:
    """A worker of a run in a process of Ray's: jobs come in numbered, reports go out numbered.

    Numbers make it safe to say anything twice: a network that stumbles loses no report and starts no job again.
    Its run folder is a scratch folder of its own; what a step puts there travels with the report about it.
    """

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._given: set[int] = set()
        self._told: deque[Told] = deque()
        self._count = 0
        self._new = threading.Condition()
        self._folder = Path()
        self._run = Path()
        self._scores = False

    def start(self, kit: Kit, scores: bool, keys: Mapping[str, str]) -> Place:
        """Begin to load; "ready" comes as a report. ``keys`` are for the environment of this process and nothing else."""
        if not self._run.parts:  # else it was said twice
            os.environ.update(keys)
            self._folder, self._run, self._scores = _scratch(), kit.setup.folder, scores
            threading.Thread(target=self._live, args=(kit,), name="editscope-hand", daemon=True).start()
        return here()

    def give(self, number: int, job: Job | None, pictures: Mapping[str, bytes]) -> None:
        """Take a job, with the pictures of edits that were made elsewhere, by path in the run folder; None is the end."""
        with self._new:
            if number in self._given:
                return
            self._given.add(number)
        for relative, data in pictures.items():
            path = self._folder / relative
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        self._jobs.put(job)

    def reports(self, heard: int) -> list[Told]:
        """What there is to tell after number ``heard``; waits a while for it."""
        with self._new:
            while self._told and self._told[0][0] <= heard:
                self._told.popleft()
            self._new.wait_for(lambda: self._told, POLL_S)
            return list(self._told)

    def _live(self, kit: Kit) -> None:
        try:
            kit.unpack()
            serve(self._jobs.get, self._send, replace(kit.setup, folder=self._folder), self._scores)
        except BadInput as error:
            self._tell(Report("unfit", said=self._placed(str(error))))
        except BaseException as error:
            said = f"a worker failed in a way that it should not ({type(error).__name__}: {error})"
            self._tell(Report("unfit", said=self._placed(said), trace=traceback.format_exc()))
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._tell(None)

    def _send(self, report: Report) -> None:
        said = report.said
        if said and report.kind not in GOES_ON:
            said = self._placed(said.replace(str(self._folder), str(self._run)))
        self._tell(replace(report, said=said, files=carried(self._folder, report, keep=self._scores)))

    def _tell(self, report: Report | None) -> None:
        with self._new:
            self._told.append((self._count, report))
            self._count += 1
            self._new.notify_all()

    def _placed(self, said: str) -> str:
        return f"{said} (on node {here().name})"


def carried(folder: Path, report: Report, *, keep: bool = False) -> dict[str, bytes]:
    """The files that a step put into its run folder, by relative path; they are no longer there afterwards.

    ``keep`` leaves the picture of an edit for the score that follows.
    """
    if report.kind == "edited" and report.line is not None:
        place = report.line["image"]
        files = [folder / place] if isinstance(place, str) else []
        found = {str(file.relative_to(folder)): file.read_bytes() for file in files}
        for file in [] if keep else files:
            file.unlink()
        return found
    case_id = _case_of(report)
    if case_id is None:
        return {}
    thumbs = folder / THUMBS / safe_path(case_id)
    found = {f"{THUMBS}/{safe_path(case_id)}/{file.name}": file.read_bytes() for file in sorted(_files(thumbs))}
    shutil.rmtree(thumbs, ignore_errors=True)
    shutil.rmtree(folder / IMAGES, ignore_errors=True)
    return found


def _case_of(report: Report) -> str | None:
    if report.kind == "prepared":
        return next((about.case.id for about in report.prepared), None)
    return str(report.line["case"]) if report.line is not None else None


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_file()] if folder.is_dir() else []


# --- scoring as a task --------------------------------------------------------------------------------

_HANDS: dict[str, Hand] = {}
"""The hand of this process, by what it was made of: a task finds suite and code loaded by the one before it."""


def score(digest: str, packed: Sequence[Any], job: Job, pictures: Mapping[str, bytes]) -> list[Report]:
    """Score one case; ``packed`` holds a reference to the kit, which is fetched once for each process."""
    hand = _HANDS.get(digest)
    if hand is None:
        import ray

        for other in [_HANDS.pop(name) for name in list(_HANDS)]:
            other.give(-1, None, {})
        hand = _HANDS[digest] = Hand()
        hand.start(ray.get(packed[0]), True, {})
    hand.give(hand.next_number(), job, pictures)
    found = hand.until_done()
    if found[-1].kind == "unfit":
        del _HANDS[digest]
    return [report for report in found if report.kind != "ready"]


def digest_of(data: bytes) -> str:
    """What a kit is known by."""
    return sha256(data).hexdigest()[:16]


# --- the node -----------------------------------------------------------------------------------------


def here() -> Place:
    """Where this process is."""
    import ray

    node_id = ray.get_runtime_context().get_node_id()
    return Place(node_id, ray.util.get_node_ip_address(), os.getpid())


def _scratch() -> Path:
    """A folder of this process; those of processes that were killed are cleared away."""
    base = Path(tempfile.gettempdir())
    for left in base.glob(f"{SCRATCH}-*-*"):
        pid = left.name.removeprefix(f"{SCRATCH}-").partition("-")[0]
        with contextlib.suppress(OSError):
            if pid.isdigit() and left.stat().st_uid == os.getuid() and not Path(f"/proc/{pid}").exists():
                shutil.rmtree(left, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"{SCRATCH}-{os.getpid()}-", dir=base))

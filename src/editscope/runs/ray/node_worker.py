"""Workers on the nodes of a Ray cluster: each does the steps of a run, as an actor or inside a task."""

from __future__ import annotations

import os
import queue
import re
import shutil
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

from editscope.errors import BadInput
from editscope.images import keep_freed_memory
from editscope.runs.engine.worker_process import Job, WorkerReport, WorkerSetup, serve
from editscope.runs.ray.file_transfer import TransferredFiles, remote_case_steps, scratch
from editscope.version import __version__

POLL_S = 20.0
"""How long a question for reports waits for one; asking again costs a millisecond."""

DEAF_S = 3 * POLL_S
"""After so long without that question nobody listens: the network is down, or the cluster has given this node up."""

LINGER_S = 0.05

DONE = ("scored", "prepared", "lost", "unfit", "bad", "disk", "broken", "stop")
"""Reports that end a job."""

NumberedReport: TypeAlias = "tuple[int, WorkerReport | None]"
"""A report with its number; None says that the worker has closed what it held."""


@dataclass(frozen=True)
class WorkerLocation:
    """Where a worker is: the node, its address, and the process."""

    node_id: str
    name: str
    pid: int


@dataclass(frozen=True)
class NodeSetup:
    """All that a node needs for the steps of a run.

    ``seen`` are files and folders that the run reads and that no report carries, each with a word for what it is;
    ``path`` and ``cwd`` are those of the process that asks, so that a user's module is found here as there.
    """

    setup: WorkerSetup
    seen: tuple[tuple[str, str], ...] = ()
    path: tuple[str, ...] = ()
    cwd: str = ""
    version: str = __version__

    def unpack(self) -> None:
        """Make this process like the one that asks; BadInput where the node cannot do what is asked."""
        if self.version != __version__:
            raise BadInput(
                f"the run was started by editscope {self.version} and this node has {__version__}; "
                "install the same version on all nodes"
            )
        for what, path in self.seen:
            if not Path(path).exists():
                raise BadInput(f"{what} {path} does not exist; put it on a disk that every node sees, at the same path")
        if self.cwd and Path(self.cwd).is_dir():
            os.chdir(self.cwd)
        sys.path.extend(entry for entry in self.path if entry not in sys.path)


class NodeWorker:
    """A worker of a run in a process of Ray: jobs come in numbered, reports go out numbered.

    The numbers make it safe to say anything twice: a network that stumbles loses no report and starts no job again.
    """

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._here = 0
        self._early: set[int] = set()
        """Jobs below the first number are here, and those in the second, which overtook others on their way."""
        self._alone: set[str] = set()
        """Cases that may have killed a worker before."""
        self._told: deque[NumberedReport] = deque()
        self._count = 0
        self._arrived = -1
        self._heard = -1
        self._asked = time.monotonic()
        self._new = threading.Condition()
        self._files = TransferredFiles()
        self._thread: threading.Thread | None = None

    def start(self, node_setup: NodeSetup, scores: bool, keys: Mapping[str, str]) -> WorkerLocation:
        """Begin to load; that it is ready comes as a report. ``keys`` go into the environment of this process only."""
        with self._new:
            if self._thread is None:
                os.environ.update(keys)
                self._thread = threading.Thread(
                    target=self._live, args=(node_setup, scores), name="editscope-worker", daemon=True
                )
                self._thread.start()
        return this_location()

    def give(self, number: int, job: Job | None, pictures: Mapping[str, bytes]) -> None:
        """Take a job, with the pictures of edits that were made elsewhere; None is the end."""
        with self._new:
            if number < self._here or number in self._early:
                return
            self._early.add(number)
            while self._here in self._early:
                self._early.remove(self._here)
                self._here += 1
            if job is not None and job.alone:
                self._alone.add(job.case_id)
        if job is not None:
            self._files.bring(job.key, pictures)
        self._jobs.put(job)

    def reports(self, heard: int) -> list[NumberedReport]:
        """What there is to tell after number ``heard``; waits a while for it."""
        with self._new:
            self._asked, self._arrived = time.monotonic(), max(heard, self._arrived)
            self._new.notify_all()
            while self._told and self._told[0][0] <= heard:
                self._told.popleft()
            self._new.wait_for(lambda: self._told, POLL_S)
            # That an edit has begun travels with what comes next, if that is soon: one answer in place of two.
            self._new.wait_for(lambda: any(map(self._is_urgent, self._told)), LINGER_S)
            return list(self._told)

    def _is_urgent(self, told: NumberedReport) -> bool:
        report = told[1]
        return report is None or report.kind != "began" or any(case_id in self._alone for case_id, _ in report.edits)

    def do(self, job: Job, pictures: Mapping[str, bytes]) -> list[WorkerReport]:
        """All reports on one job, when it is done; for a worker that is given one after the other."""
        self.give(self._here, job, pictures)
        reports: list[WorkerReport] = []
        while not reports or reports[-1].kind not in DONE:
            for number, report in self.reports(self._heard):
                self._heard = number
                if report is not None and report.kind != "ready":
                    reports.append(report)
        return reports

    def leave(self) -> None:
        """Take no more jobs."""
        self._jobs.put(None)

    def _live(self, node_setup: NodeSetup, scores: bool) -> None:
        folder = scratch()
        tell = partial(self._send, folder, node_setup.setup.folder)
        try:
            keep_freed_memory()
            node_setup.unpack()
            steps = partial(remote_case_steps, inner=node_setup.setup.steps, files=self._files)
            serve(self._receive, tell, replace(node_setup.setup, folder=folder, steps=steps), scores)
        except BadInput as error:
            tell(WorkerReport("unfit", said=str(error)))
        except BaseException as error:
            message = f"a worker failed unexpectedly ({type(error).__name__}: {error})"
            tell(WorkerReport("unfit", said=message, trace=traceback.format_exc()))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            self._tell(None)

    def _receive(self) -> Job | None:
        """The next job, when somebody listens: a node that was given up must not go on with what others do by now."""
        job = self._jobs.get()
        with self._new:
            self._new.wait_for(lambda: time.monotonic() - self._asked < DEAF_S)
        return job

    def _send(self, scratch_folder: Path, run_folder: Path, report: WorkerReport) -> None:
        message = report.said
        if message:
            # A reader knows the run folder, and wants to know which machine is meant.
            message = re.sub(re.escape(str(scratch_folder)) + r"/[^/\s]+", lambda _: str(run_folder), message)
            message = f"{message} (on node {this_location().name})"
        number = self._tell(replace(self._files.loaded(report), said=message))
        if any(case_id in self._alone for case_id, _ in report.edits):
            # Should this edit kill the process, a report on its way would be lost, and nobody knew who did it.
            with self._new:
                self._new.wait_for(lambda: self._arrived >= number, DEAF_S)

    def _tell(self, report: WorkerReport | None) -> int:
        with self._new:
            number, self._count = self._count, self._count + 1
            self._told.append((number, report))
            self._new.notify_all()
        return number


_WORKERS: dict[str, NodeWorker] = {}
"""The worker of this process, by what it was made of: a task finds suite and code as the one before it loaded them."""


def score(digest: str, packed: Sequence[Any], job: Job, pictures: Mapping[str, bytes]) -> list[WorkerReport]:
    """Score one case, as a task; ``packed`` holds a reference to the NodeSetup, which each process fetches once."""
    worker = _WORKERS.get(digest)
    if worker is None:
        import ray

        for name in list(_WORKERS):
            _WORKERS.pop(name).leave()
        worker = _WORKERS[digest] = NodeWorker()
        worker.start(ray.get(packed[0]), True, {})
    reports = worker.do(job, pictures)
    if reports[-1].kind == "unfit":
        del _WORKERS[digest]
    return reports


def digest_of(data: bytes) -> str:
    """A short digest by which processes know a NodeSetup."""
    return sha256(data).hexdigest()[:16]


def this_location() -> WorkerLocation:
    """Where this process is."""
    import ray

    address: str = ray.util.get_node_ip_address()  # type: ignore[no-untyped-call]
    return WorkerLocation(ray.get_runtime_context().get_node_id(), address, os.getpid())

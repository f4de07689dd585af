"""Makers of examples: worker processes that work ahead, or the training process itself."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import IO, Any

from editscope.errors import EditscopeError, Stopped
from editscope.processes import end_group, watch_group
from editscope.training.data.examples import EditExample
from editscope.training.data.settings import DataSettings
from editscope.training.data.sources import TrainingSource
from editscope.training.data.worker_process import (
    ExampleJob,
    MakerSetup,
    MakerTrouble,
    PackedExample,
    command,
    make_example,
    read_pixels,
    unpack,
)


class ExampleMaker(ABC):
    """Makes examples: they are requested first and fetched later, in any order."""

    @abstractmethod
    def ask(self, job: ExampleJob) -> None:
        """Request an example."""

    @abstractmethod
    def get(self, ticket: int) -> EditExample:
        """The example of a job, once it is made."""

    @abstractmethod
    def forget(self) -> None:
        """Discard all pending jobs."""

    def close(self) -> None:  # noqa: B027 - the training process has nothing to close
        """Stop making examples."""


class InTrainer(ExampleMaker):
    """Makes examples on demand, in the training process."""

    def __init__(self, sources: Sequence[TrainingSource], settings: DataSettings, cases: bool) -> None:
        self._sources, self._sizes, self._cases = sources, settings.sizes, cases
        self._jobs: dict[int, ExampleJob] = {}

    def ask(self, job: ExampleJob) -> None:
        """Keep the job."""
        self._jobs[job.ticket] = job

    def get(self, ticket: int) -> EditExample:
        """Make the example now."""
        return make_example(self._sources, self._jobs.pop(ticket), self._sizes, self._cases)

    def forget(self) -> None:
        """Discard the jobs; nothing is made yet."""
        self._jobs.clear()


@dataclass(eq=False)
class MakerProcess:
    """One worker process and its jobs."""

    process: subprocess.Popen[bytes]
    connection: Connection[Any, Any]
    jobs: dict[int, ExampleJob] = field(default_factory=dict)
    since: float = field(default_factory=time.monotonic)
    """When it last returned an example, or got a job after being idle."""
    given_up: bool = False


class InWorkers(ExampleMaker):
    """Worker processes, started with the first job. A thread for each receives its examples during training.

    They only make requested examples, so that the caller decides how far they work ahead. A worker that produces
    nothing for the ``patience`` of the settings is killed, and a new one gets its jobs; the second time this happens,
    the training stops.
    """

    def __init__(self, sources: Sequence[TrainingSource], settings: DataSettings, cases: bool) -> None:
        self._sources, self._count, self._patience = sources, settings.workers, settings.patience
        self._replaced = False
        self._setup = MakerSetup(settings.parts, settings.sizes, cases)
        self._workers: list[MakerProcess] = []
        self._made: dict[int, EditExample | MakerTrouble] = {}
        self._wanted: set[int] = set()
        self._failure: EditscopeError | None = None
        self._closing = False
        self._changed = threading.Condition()
        self._shared = _shared_file()
        self._free_slots: list[int] = []
        self._slots = 0

    def ask(self, job: ExampleJob) -> None:
        """Send the job to the worker with the fewest jobs."""
        if not self._workers:
            self._workers = [self._started() for _ in range(self._count)]
        with self._changed:
            self._wanted.add(job.ticket)
            worker = min(self._workers, key=lambda one: len(one.jobs))
            job = replace(job, slot=self._slot())
            if not worker.jobs:
                worker.since = time.monotonic()
            worker.jobs[job.ticket] = job
        with contextlib.suppress(OSError):  # the reading thread notices a worker that has ended
            worker.connection.send(job)

    def get(self, ticket: int) -> EditExample:
        """Wait for the example. Stopped if a worker has died; errors of Editscope in a worker are raised again."""
        with self._changed:
            while ticket not in self._made:
                if self._failure is not None:
                    raise self._failure
                left = self._left(ticket)
                if left > 0:
                    self._changed.wait(left)
                else:
                    self._replace(ticket)
            self._wanted.discard(ticket)
            made = self._made.pop(ticket)
        if isinstance(made, EditExample):
            return made
        if isinstance(made.error, EditscopeError):
            raise made.error
        raise Stopped(f"an example could not be made ({made.error}); the training can be resumed")

    def forget(self) -> None:
        """Discard finished examples and pending jobs."""
        with self._changed:
            self._wanted.clear()
            self._made.clear()

    def close(self) -> None:
        """Stop all workers."""
        self._closing = True
        for worker in self._workers:
            end_group(worker.process.pid)
            worker.process.kill()
            worker.process.wait()
        self._workers = []
        self._shared.close()

    def _left(self, ticket: int) -> float:
        """How much longer to wait for the worker that has a job."""
        worker = self._worker_of(ticket)
        return self._patience if worker is None else worker.since + self._patience - time.monotonic()

    def _worker_of(self, ticket: int) -> MakerProcess | None:
        return next((worker for worker in self._workers if ticket in worker.jobs), None)

    def _replace(self, ticket: int) -> None:
        """Kill a worker that produces nothing and give its jobs to a new one; Stopped the second time."""
        worker = self._worker_of(ticket)
        if worker is None:
            return
        worker.given_up = True
        end_group(worker.process.pid)
        worker.process.kill()
        job = next(iter(worker.jobs.values()))
        name = self._sources[job.part].name_of(job.number)
        if self._replaced:
            self._failure = Stopped(
                f"a worker process produced nothing for {self._patience:g} s while making {name}, twice; exclude that "
                "task, or raise [data] patience; the training can be resumed"
            )
            return
        self._replaced = True
        fresh = self._started()
        fresh.jobs.update(worker.jobs)
        self._workers[self._workers.index(worker)] = fresh
        for waiting in worker.jobs.values():
            with contextlib.suppress(OSError):
                fresh.connection.send(waiting)

    def _slot(self) -> int:
        if self._free_slots:
            return self._free_slots.pop()
        self._slots += 1
        return self._slots - 1

    def _started(self) -> MakerProcess:
        ours, theirs = Pipe()
        try:
            process = subprocess.Popen(
                command(theirs.fileno(), self._shared.fileno()),
                pass_fds=(theirs.fileno(), self._shared.fileno()),
                stdin=subprocess.DEVNULL,
                process_group=0,
            )
        except OSError as error:
            ours.close()
            raise Stopped(f"a worker process cannot be started ({error.strerror}); set workers = 0") from error
        finally:
            theirs.close()
        watch_group(process.pid)
        ours.send(self._setup)
        worker = MakerProcess(process, ours)
        threading.Thread(target=self._take_in, args=(worker,), name="editscope-examples", daemon=True).start()
        return worker

    def _take_in(self, worker: MakerProcess) -> None:
        """Receive the examples of a worker until it ends."""
        try:
            while True:
                message: PackedExample | MakerTrouble = worker.connection.recv()
                made = message if isinstance(message, MakerTrouble) else self._unpacked(message)
                with self._changed:
                    if worker.given_up:  # its jobs, and their slots, are another's now
                        return
                    self._free_slots.append(message.slot)
                    worker.since = time.monotonic()
                    worker.jobs.pop(message.ticket, None)
                    if message.ticket in self._wanted:
                        self._made[message.ticket] = made
                    self._changed.notify_all()
        except (EOFError, OSError, ValueError):  # the last where the shared file was closed meanwhile
            pass
        finally:
            worker.connection.close()
        code = worker.process.wait()
        if not self._closing and not worker.given_up:
            self._fail(worker, f"signal {-code}" if code < 0 else f"exit code {code}")

    def _unpacked(self, packed: PackedExample) -> EditExample:
        return unpack(packed, read_pixels(self._shared.fileno(), packed))

    def _fail(self, worker: MakerProcess, how: str) -> None:
        with self._changed:
            job = next(iter(worker.jobs.values()), None)
            doing = f" while making {self._sources[job.part].name_of(job.number)}" if job else ""
            self._failure = self._failure or Stopped(
                f"a worker process died ({how}){doing}, possibly out of memory; the training can be resumed"
            )
            self._changed.notify_all()


def _shared_file() -> IO[bytes]:
    """A file in memory without a name, so that nothing is left of it however the training ends."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("editscope-examples"), "r+b", buffering=0)
    return tempfile.TemporaryFile(buffering=0)

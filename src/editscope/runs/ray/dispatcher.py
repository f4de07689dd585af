"""A dispatcher between the engine and Ray: one thread sends jobs to actors and tasks and receives their reports."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import sys
import threading
from collections import Counter
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, cast

from editscope.errors import EditscopeError
from editscope.runs.engine.worker_process import Job, WorkerReport, WorkerSetup
from editscope.runs.engine.workers import Worker
from editscope.runs.ray.cluster import Cluster
from editscope.runs.ray.node_worker import NodeSetup, NodeWorker, WorkerLocation, digest_of, score
from editscope.runs.ray.worker_handle import Mailbox, RayWorker

WAIT_SAID_S = 20.0
"""After so long without a place on a node, a message says what is missing; after three times as long where a place
may exist and a process is only slow to start."""

THREADS = 4
"""Of an actor: one that waits to report, one that takes jobs, and one more of each after an answer that got lost."""

AGAIN = 3
"""How often a message to an actor is repeated where the network did not carry it."""

UNLISTED = {"enable_task_events": False}
"""Ray's servers keep no history of our calls, which would grow with every case; the journal has it."""

CLOSING_S = 5.0
GPU, CPU = "GPU", "CPU"


@dataclass(frozen=True)
class WorkerNeeds:
    """What all workers of a run need: whether each has a GPU, what every node must see, and keys for the editor."""

    folder: Path
    gpu: bool = False
    seen: tuple[tuple[str, str], ...] = ()
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)

    def options(self, *, scores: bool) -> dict[str, Any]:
        """What Ray is asked for an actor that edits.

        One that also scores holds a core. One that only edits holds its GPU or else nothing: Ray wants a free core to
        place it, but scoring must not wait for the core of an editor that waits for somebody else.
        """
        resources: dict[str, Any] = {**UNLISTED, "max_concurrency": THREADS, "max_task_retries": AGAIN}
        if self.gpu:
            resources["num_gpus"] = 1
        elif scores:
            resources["num_cpus"] = 1
        return resources


class RayDispatcher:
    """The thread that speaks to Ray. Everything that it knows of a worker is behind the worker's mailbox."""

    def __init__(self, cluster: Cluster, needs: WorkerNeeds) -> None:
        self.cluster = cluster
        self.needs = needs
        self._ray: Any = cluster.ray
        self._actor = self._ray.remote(NodeWorker)
        self._task = self._ray.remote(num_cpus=1, max_retries=0, **UNLISTED)(score)
        self._node_setups: dict[str, Any] = {}
        self._said: set[str] = set()
        self._actors = 0
        self._sent: Counter[str] = Counter()
        self._has_scored = False
        self._talks: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="editscope-ray", daemon=True)
        self._thread.start()

    def start_worker(self, setup: WorkerSetup, *, edits: bool, scores: bool) -> Worker:
        """A worker somewhere in the cluster; returns at once, whether there is a place for it or not."""
        numbers = itertools.count()
        box = Mailbox(lambda job: self._soon(self._give, worker, digest, next(numbers), job))
        pipe = cast("Connection[Any, Any]", box)
        worker = RayWorker(connection=pipe, process=None, edits=edits, scores=scores, box=box)
        digest = self._pack(NodeSetup(setup, self.needs.seen, tuple(sys.path), str(Path.cwd())))
        if edits:
            needs = {**self.needs.options(scores=scores), "scheduling_strategy": self._somewhere()}
            worker.handle = self._actor.options(**needs).remote()
            self._soon(self._talk, self._attend(worker, digest))
        else:
            box.put(WorkerReport("ready"))
        return worker

    def close(self) -> None:
        """Let the thread go; the workers are gone by now."""
        with contextlib.suppress(TimeoutError):
            asyncio.run_coroutine_threadsafe(self._hang_up(), self._loop).result(CLOSING_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CLOSING_S)
        if not self._thread.is_alive():
            self._loop.close()
        self._node_setups.clear()

    def _somewhere(self) -> Any:
        """Where an actor should be: on the node with the fewest of them, if it has room. Ray's own way to spread them
        does not count those that hold no core, and may put all on one."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        nodes = [] if self.needs.gpu else self.cluster.nodes_with("CPU")
        if not nodes:
            return "SPREAD"
        node = min(nodes, key=lambda node: self._sent[node])
        self._sent[node] += 1
        return NodeAffinitySchedulingStrategy(node, soft=True, _spill_on_unavailable=True)

    def _pack(self, node_setup: NodeSetup) -> str:
        """Put a NodeSetup where every node can fetch it, once; returns the digest that it is known by."""
        digest = digest_of(self._ray.cloudpickle.dumps(node_setup))
        if digest not in self._node_setups:
            self._node_setups[digest] = self._ray.put(node_setup)
        return digest

    def _soon(self, act: Any, *arguments: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: who speaks now speaks to nobody
            self._loop.call_soon_threadsafe(act, *arguments)

    # --- in the thread ----------------------------------------------------------------------------

    def _talk(self, talk: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(talk)
        self._talks.add(task)
        task.add_done_callback(self._talks.discard)

    async def _hang_up(self) -> None:
        for task in self._talks:
            task.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)

    def _give(self, worker: RayWorker, digest: str, number: int, job: Job | None) -> None:
        if worker.handle is None and job is None:
            worker.closed.set()
        elif worker.handle is None:
            self._talk(self._score(worker, digest, cast("Job", job)))
        else:
            try:
                # What becomes of it is heard from the reports; that it did not arrive, from their end.
                worker.handle.give.remote(number, job, self._pictures(job))
            except Exception as error:
                self._died(worker, error)

    async def _attend(self, worker: RayWorker, digest: str) -> None:
        """Hear what an actor has to tell, until it is gone."""
        actor, last = worker.handle, -1
        self._actors += 1
        try:
            began = actor.start.remote(self._node_setups[digest], worker.scores, dict(self.needs.keys))
            worker.place = await self._placed(worker, began, GPU if self.needs.gpu else CPU)
            while True:
                for number, report in await actor.reports.remote(last):
                    if number <= last:
                        continue
                    last = number
                    if report is None:
                        worker.closed.set()
                        return
                    worker.box.put(report)
        except Exception as error:
            self._died(worker, error)
        finally:
            self._actors -= 1
            worker.box.end()

    async def _score(self, worker: RayWorker, digest: str, job: Job) -> None:
        """Have a task score a case."""
        try:
            scored = self._task.remote(digest, [self._node_setups[digest]], job, self._pictures(job))
            reports = await (scored if self._has_scored else self._placed(worker, scored, CPU))
            self._has_scored = True
            for report in reports:
                worker.box.put(report)
        except Exception as error:
            self._died(worker, error)

    async def _placed(self, worker: RayWorker, ref: Any, resource: str) -> Any:
        """What Ray answers. Where it takes long because no node has room, somebody is told, once for each resource."""
        answer = asyncio.wrap_future(ref.future())
        for wait_s, enough in ((WAIT_SAID_S, False), (2 * WAIT_SAID_S, True)):
            done, _ = await asyncio.wait([answer], timeout=wait_s)
            if done or resource in self._said:
                break
            short = self.cluster.total(resource) < max(1, self._actors if resource == GPU else 1)
            if (short or enough) and not self.cluster.has_free(resource):
                self._said.add(resource)
                worker.box.put(WorkerReport("note", said=self.cluster.lacks(resource)))
        return await answer

    def _died(self, worker: RayWorker, error: Exception) -> None:
        """Note how a worker died, for the engine to find at the end of its mailbox."""
        if worker.box.over:  # it was killed, and nobody asks
            return
        errors = self._ray.exceptions
        if isinstance(error, errors.RayTaskError) or getattr(error, "actor_init_failed", False):
            message = (
                f"a worker could not be started on a node ({_last_line(error)}); is editscope installed on all nodes?"
            )
            worker.box.put(WorkerReport("unfit", said=message, trace=str(error)))
        elif isinstance(error, errors.RayError):
            worker.how, worker.lost = self._cause(error, worker.place)
        else:
            message = f"Ray could not be asked ({type(error).__name__}: {error})"
            worker.box.put(WorkerReport("unfit", said=str(error) if isinstance(error, EditscopeError) else message))
        worker.box.end()

    def _cause(self, error: Exception, place: WorkerLocation | None) -> tuple[str, bool]:
        """How a worker died, and whether with its node."""
        where = f"on node {place.name}" if place else "on its node"
        message = str(error)
        if isinstance(error, self._ray.exceptions.OutOfMemoryError) or "memory pressure" in message:
            return f"Ray killed it, since memory was short {where}", False
        errors = self._ray.exceptions
        gone = isinstance(error, errors.NodeDiedError | errors.ActorUnavailableError) or "node has died" in message
        if gone or (place is not None and not self.cluster.is_alive(place.node_id)):
            return f"node {place.name} was lost" if place else "its node was lost", True
        if "references to the actor were removed" in message:  # so Ray says where nobody understands each other
            return "the cluster dropped it; where its nodes use no token, set RAY_AUTH_MODE=disabled", False
        return f"its process {where} ended", False

    def _pictures(self, job: Job | None) -> dict[str, bytes]:
        """The edits in the run folder that a job builds on; one that cannot be read is missed where it is needed."""
        pictures = {}
        for line in () if job is None else job.edits.values():
            if line["status"] == "ok" and isinstance(line["image"], str):
                with contextlib.suppress(OSError):
                    pictures[line["image"]] = (self.needs.folder / line["image"]).read_bytes()
        return pictures


def _last_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__

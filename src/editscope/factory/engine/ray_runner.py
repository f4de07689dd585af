"""Work on a Ray cluster: batches of records travel with their pictures, and the outcomes come back with theirs."""

from __future__ import annotations

import asyncio
import atexit
import pickle
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from editscope.factory.blobs import BlobStore
from editscope.factory.engine.processes import BATCH, Done, run_batch
from editscope.factory.records import BLOB, Record, blobs_in
from editscope.factory.steps.base import Outcome, RecordStep
from editscope.factory.steps.tools import Tools
from editscope.runs.ray.cluster import Cluster, joined

IN_FLIGHT = 2
"""Batches on their way for each core of the cluster: one at work, one waiting."""
MODULES_MOST = 4 << 20

BlobBytes: TypeAlias = "tuple[Mapping[str, Any], bytes]"


@dataclass(frozen=True, slots=True)
class RemoteBatch:
    """What a node needs to do a batch: step and records, pictures that they name, and modules beside the plan."""

    step: bytes
    tools: Tools
    records: tuple[Record, ...]
    blobs: tuple[BlobBytes, ...]
    modules: tuple[tuple[str, bytes], ...]


class RayRunner:
    """A cluster as the place where heavy steps run. Nodes need no shared disk."""

    def __init__(self, cluster: Cluster) -> None:
        self._remote = cluster.ray.remote(num_cpus=1, max_retries=3)(run_remote)
        self._turns = asyncio.Semaphore(max(2, IN_FLIGHT * cluster.cpus))
        self._modules: tuple[tuple[str, bytes], ...] | None = None

    async def run(self, step: RecordStep, tools: Tools, records: Sequence[Record]) -> list[Done]:
        """What became of each record, in order."""
        if self._modules is None:
            self._modules = modules_of(tools.folder)
        batches = [tuple(records[start : start + BATCH]) for start in range(0, len(records), BATCH)]
        done = await asyncio.gather(*(self._one(step, tools, batch) for batch in batches))
        return [one for batch in done for one in batch]

    async def _one(self, step: RecordStep, tools: Tools, records: tuple[Record, ...]) -> list[Done]:
        async with self._turns:
            named = {blob[BLOB]: blob for record in records for blob in blobs_in(record.fields)}
            sent = tuple((blob, tools.blobs.get(blob)) for blob in named.values() if not tools.blobs.is_gone(blob))
            batch = RemoteBatch(pickle.dumps(step), tools.elsewhere(), records, sent, self._modules or ())
            done, made = await self._remote.remote(batch)
        for blob, data in made:
            tools.blobs.put(data, blob["type"])
        return list(done)

    def close(self) -> None:
        """Nothing to end: the cluster belongs to whoever joined it."""


@contextmanager
def ray_runner(address: str | None = None, jobs: int | None = None) -> Iterator[RayRunner]:
    """A runner on the cluster at an address, or on one of our own that ends with it."""
    with joined(address, jobs=jobs) as cluster:
        yield RayRunner(cluster)


def modules_of(folder: Path) -> tuple[tuple[str, bytes], ...]:
    """The Python files beside a plan, which steps of yours are in; large ones are left out."""
    files = sorted(folder.glob("*.py")) if folder != Path() else []
    return tuple((path.name, path.read_bytes()) for path in files if path.stat().st_size <= MODULES_MOST)


def run_remote(batch: RemoteBatch) -> tuple[list[Done], list[BlobBytes]]:
    """Do a batch on a node: in a folder of its own, with its pictures; the outcomes, and the bytes of new pictures."""
    with tempfile.TemporaryDirectory(prefix="editscope-") as scratch:
        place = _with_modules(batch.modules)
        store = BlobStore(Path(scratch) / "blobs")
        for blob, data in batch.blobs:
            store.put(data, blob["type"])
        folder = batch.tools.folder if batch.tools.folder.is_dir() else place
        tools = replace(batch.tools, blobs=store, folder=folder, build=Path(scratch))
        done = run_batch(pickle.loads(batch.step), tools, batch.records)
        known = {blob[BLOB] for blob, _ in batch.blobs}
        made: dict[str, Mapping[str, Any]] = {}
        for outcome, _ in done:
            if isinstance(outcome, Outcome):
                made |= {
                    blob[BLOB]: blob for part in outcome.parts for blob in blobs_in(part) if blob[BLOB] not in known
                }
        return done, [(blob, store.get(blob)) for blob in made.values()]


@lru_cache(maxsize=8)
def _with_modules(modules: tuple[tuple[str, bytes], ...]) -> Path:
    """A folder of this process with these modules, in which Python looks for them."""
    folder = Path(tempfile.mkdtemp(prefix="editscope-modules-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name, data in modules:
        (folder / name).write_bytes(data)
    sys.path.append(str(folder))
    return folder

"""Queues under the studio's folder: found by their file, known by a key, read again when they change."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from fastapi import Request

from editscope.errors import BadInput
from editscope.review_queue import QUEUE, QueueRecord, QueueSettings, read_queue, read_settings
from editscope.studio.failures import Missing

DEEPEST = 4
"""Folders below the studio's in which queues are looked for."""


@dataclass(frozen=True, eq=False)
class OpenQueue:
    """A queue: ``name`` is its folder relative to the studio's, ``key`` stands for it in addresses."""

    key: str
    name: str
    folder: Path
    records: tuple[QueueRecord, ...]
    settings: QueueSettings

    @property
    def title(self) -> str:
        """What pages call it."""
        return self.settings.title or self.name

    @cached_property
    def by_id(self) -> Mapping[str, QueueRecord]:
        """Records by their id."""
        return {record.id: record for record in self.records}

    def record(self, number: int) -> QueueRecord:
        """A record by its number, from 0."""
        if not 0 <= number < len(self.records):
            raise Missing(f"This queue has no record {number}.")
        return self.records[number]


class Queues:
    """All queues of a studio."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._read: dict[str, tuple[tuple[int, ...], OpenQueue]] = {}

    def folders(self) -> dict[str, tuple[str, Path]]:
        """Every folder with a queue, by key: its name and itself."""
        found = {}
        for root, below, files in os.walk(self._folder):
            place = Path(root)
            name = place.relative_to(self._folder).as_posix()
            depth = 0 if name == "." else name.count("/") + 1
            below[:] = [] if depth >= DEEPEST else sorted(one for one in below if not one.startswith("."))
            if QUEUE in files:
                found[key_of(name)] = (name, place)
        return found

    def find(self, key: str) -> OpenQueue:
        """A queue by its key; Missing where it is gone, BadInput where it cannot be read."""
        places = self.folders()
        if key not in places:
            raise Missing("There is no such queue in this studio's folder.")
        return self._opened(key, *places[key])

    def named(self, name: str) -> OpenQueue:
        """A queue by its name."""
        return self.find(key_of(name))

    def listed(self) -> list[tuple[str, str, OpenQueue | str]]:
        """Key and name of every queue, with the queue or why it cannot be read."""
        rows: list[tuple[str, str, OpenQueue | str]] = []
        for key, (name, folder) in self.folders().items():
            try:
                rows.append((key, name, self._opened(key, name, folder)))
            except BadInput as error:
                rows.append((key, name, str(error).replace(f"{folder}/", "")))
        return rows

    def _opened(self, key: str, name: str, folder: Path) -> OpenQueue:
        with self._lock:
            stamp = tuple(
                number
                for file in (folder / QUEUE, folder / "queue.toml")
                if file.exists()
                for number in (file.stat().st_mtime_ns, file.stat().st_size)
            )
            if key not in self._read or self._read[key][0] != stamp:
                try:
                    queue = OpenQueue(key, name, folder, tuple(read_queue(folder)), read_settings(folder))
                except BadInput as error:
                    raise BadInput(str(error).replace(f"{folder}/", "")) from error
                self._read[key] = stamp, queue
            return self._read[key][1]


def key_of(name: str) -> str:
    """The key of a queue in addresses."""
    return sha256(name.encode()).hexdigest()[:12]


def queues_of(request: Request) -> Queues:
    """The queues of the studio that answers a request."""
    state = request.app.state
    if not hasattr(state, "review_queues"):
        state.review_queues = Queues(request.app.state.studio.settings.folder)
    queues: Queues = state.review_queues
    return queues

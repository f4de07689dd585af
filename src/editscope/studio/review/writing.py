"""Decisions on disk: the file beside a queue that pipelines read, written again soon after each decision."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterator

from editscope.errors import EditscopeError
from editscope.review_queue import DECISIONS_FILE
from editscope.runfolder.files import write_whole
from editscope.studio.review import decisions as ledger
from editscope.studio.review.queues import OpenQueue, Queues
from editscope.studio.state import Studio

LOG = logging.getLogger("editscope.studio")
PAUSE_S = 0.5
"""Decisions that come within this time are written together."""


def decision_lines(studio: Studio, queue: OpenQueue) -> Iterator[str]:
    """Every record of a queue with what became of it and all decisions, one JSON object a line."""
    with studio.store.reading() as connection:
        found = ledger.decisions_on(connection, queue)
    for row in ledger.exported(queue, found):
        yield json.dumps(row, ensure_ascii=False) + "\n"


class DecisionWriter:
    """A thread that writes ``decisions.jsonl`` of the queues that have changed. The database stays the truth."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._changed: dict[str, Queues] = {}
        self._wake = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._write, name="decision-writer", daemon=True)
        self._thread.start()

    def changed(self, key: str, queues: Queues) -> None:
        """Write the decisions of this queue again, soon."""
        with self._wake:
            self._changed[key] = queues
            self._wake.notify()

    def close(self) -> None:
        """Write what waits, then end."""
        with self._wake:
            self._closed = True
            self._wake.notify()
        self._thread.join()

    def _write(self) -> None:
        while True:
            with self._wake:
                while not self._changed and not self._closed:
                    self._wake.wait()
                if not self._closed:
                    self._wake.wait(PAUSE_S)
                changed, self._changed = self._changed, {}
                closed = self._closed
            for key, queues in changed.items():
                try:
                    queue = queues.find(key)
                    data = "".join(decision_lines(self._studio, queue)).encode()
                    write_whole(queue.folder / DECISIONS_FILE, data, make_folder=False)
                except (EditscopeError, OSError) as error:  # a folder that may not be written; the database has them
                    LOG.warning("%s of the queue %s was not written: %s", DECISIONS_FILE, key, error)
            if closed:
                return


def decision_writer(studio: Studio) -> DecisionWriter:
    """The writer of a studio."""
    return DecisionWriter(studio)

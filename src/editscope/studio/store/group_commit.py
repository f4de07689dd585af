"""Group commit: changes that wait at the same time are written in one transaction, and answered after its commit."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from sqlalchemy import Connection

from editscope.errors import EditscopeError
from editscope.studio.store.engine import Store

MOST_AT_ONCE = 256
Work: TypeAlias = Callable[[Connection, Sequence[Any]], Sequence[Any]]
"""Writes some changes of one kind and returns an answer for each; an EditscopeError as an answer refuses that one."""


@dataclass(slots=True)
class _Change:
    work: Work
    value: Any
    answer: Future[Any] = field(default_factory=Future)


class GroupCommit:
    """A thread that writes. One sync to disk serves all changes that arrived during the one before it."""

    def __init__(self, store: Store, most: int = MOST_AT_ONCE) -> None:
        self._store = store
        self._most = most
        self._waiting: queue.SimpleQueue[_Change | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="group-commit", daemon=True)
        self._thread.start()

    def submit(self, work: Work, value: Any) -> Future[Any]:
        """Ask for a change. The answer comes when it is on disk, or is the error that kept it from getting there."""
        change = _Change(work, value)
        change.answer.set_running_or_notify_cancel()  # a request that is given up must not take the answer with it
        self._waiting.put(change)
        return change.answer

    def close(self) -> None:
        """Write what waits, then end."""
        self._waiting.put(None)
        self._thread.join()

    def _write(self) -> None:
        while (first := self._waiting.get()) is not None:
            group, ended = [first], False
            while len(group) < self._most and not ended:
                try:
                    change = self._waiting.get_nowait()
                except queue.Empty:
                    break
                if change is None:
                    ended = True
                else:
                    group.append(change)
            error = self._error(group)
            for change in group if error is not None else ():
                # One of them cannot be written: find out which, so that the others can.
                alone = error if len(group) == 1 else self._error([change])
                if alone is not None:
                    change.answer.set_exception(alone)
            if ended:
                return

    def _error(self, group: Sequence[_Change]) -> Exception | None:
        """What kept a group from being written; where nothing did, everybody has an answer."""
        by_work: dict[Work, list[_Change]] = {}
        for change in group:
            by_work.setdefault(change.work, []).append(change)
        answers: list[tuple[_Change, Any]] = []
        try:
            with self._store.writing() as connection:
                for work, changes in by_work.items():
                    made = work(connection, [change.value for change in changes])
                    answers += zip(changes, made, strict=True)
        except Exception as error:
            return error
        for change, answer in answers:
            if isinstance(answer, EditscopeError):
                change.answer.set_exception(answer)
            else:
                change.answer.set_result(answer)
        return None

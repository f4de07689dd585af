"""The catalog: runs under the studio's folder with what the index keeps of them, renewed while runs change."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from editscope.errors import EditscopeError
from editscope.runfolder.journal import read_source
from editscope.studio.catalog.case_set import CaseSet
from editscope.studio.catalog.index_file import IndexFile
from editscope.studio.catalog.indexing import index_run, problem_of
from editscope.studio.catalog.live import JournalTail, is_being_written, locked_inodes
from editscope.studio.catalog.records import Doc, RunCard, ScoreColumns, digest
from editscope.studio.catalog.scanning import ScannedRun, scan
from editscope.studio.failures import Missing

LOG = logging.getLogger("editscope.studio")
SCAN_EVERY_S = 1.0
"""A folder is scanned again after this time, or 20 times what a scan takes."""
WAIT_S = 0.6
"""A page waits so long for runs that are being read, and then shows what is there."""
AGAIN_AFTER_S = 3.0
"""A run that grows is read again after this time, or 10 times what reading it takes."""
MOST_SETS = 8


@dataclass(frozen=True, slots=True)
class Entry:
    """A run of the catalog: its card, whether it goes on now, and how many of its edits have a score."""

    card: RunCard
    state: str
    done: int
    total: int

    @property
    def share(self) -> float:
        """How much of it is done, from 0 to 1."""
        return self.done / self.total if self.total else 0.0


@dataclass(slots=True)
class _KeptRun:
    """What is in memory of a run."""

    scanned: ScannedRun
    stamp: str = ""
    source: str = ""
    card: RunCard | None = None
    read_at: float = 0.0
    took_s: float = 0.0


class Catalog:
    """All runs of a studio. Every method may be called by any thread."""

    def __init__(self, folder: Path, own_folder: Path) -> None:
        self.folder = folder.absolute()
        self._file = IndexFile(own_folder)
        self._lock = threading.RLock()
        self._kept: dict[str, _KeptRun] = {}
        self._tails: dict[str, JournalTail] = {}
        self._sets: dict[str, tuple[tuple[str, ...], CaseSet]] = {}
        self._scanned_at, self._scan_took = 0.0, 0.0
        self._work = threading.Condition(self._lock)
        self._closed = False
        self._known = self._file.stamps()
        self._worker = threading.Thread(target=self._index_forever, name="studio-index", daemon=True)
        self._worker.start()

    def close(self) -> None:
        """End the thread that reads runs, and close the index."""
        with self._work:
            self._closed = True
            self._work.notify_all()
        self._worker.join()
        self._file.close()

    # ---- what is there

    def refresh(self, wait_s: float = WAIT_S) -> int:
        """Look for new, changed and removed runs, and wait a moment until they are read; how many are still to come."""
        with self._lock:
            if time.monotonic() - self._scanned_at >= max(SCAN_EVERY_S, 20 * self._scan_took):
                self._scan()
        end = time.monotonic() + wait_s
        with self._work:
            while (waiting := len(self._waiting(new_only=True))) and (left := end - time.monotonic()) > 0:
                self._work.wait(left)
            return waiting

    def _scan(self) -> None:
        begun = time.monotonic()
        found = scan(self.folder)
        gone = [run for run in {*self._kept, *self._known} if run not in found]
        for run in gone:
            self._kept.pop(run, None)
            self._known.pop(run, None)
            self._tails.pop(run, None)
        self._file.drop(gone)
        for run, scanned in found.items():
            kept = self._kept.setdefault(run, _KeptRun(scanned))
            kept.scanned = scanned
            if not kept.stamp and run in self._known:
                stamp, source = self._known[run]
                card = self._file.card(run)
                if card is not None:
                    kept.stamp, kept.source, kept.card = stamp, source, card
        self._scanned_at, self._scan_took = time.monotonic(), time.monotonic() - begun
        self._work.notify_all()

    def _waiting(self, *, new_only: bool = False) -> list[str]:
        """Runs that must be read, those never read first."""
        now = time.monotonic()
        stale = [run for run, kept in self._kept.items() if kept.stamp != kept.scanned.stamp]
        new = [run for run in stale if self._kept[run].card is None]
        if new_only:
            return new + [run for run in stale if run not in new and not self._kept[run].read_at]
        due = [
            run
            for run in stale
            if run not in new and now - self._kept[run].read_at >= max(AGAIN_AFTER_S, 10 * self._kept[run].took_s)
        ]
        return new + due

    def _index_forever(self) -> None:
        while True:
            with self._work:
                while not self._closed and not (waiting := self._waiting()):
                    self._work.wait(1.0)
                if self._closed:
                    return
                scanned = self._kept[waiting[0]].scanned
                source = self._kept[waiting[0]].source
            try:
                self._index(scanned, source)
            except Exception as error:  # one run must not keep others from being read
                LOG.exception("the index of %s", scanned.id)
                self._note(scanned, RunCard(scanned.id, problem=problem_of(error, scanned.path)), "", 0.0)

    def _index(self, scanned: ScannedRun, before: str) -> None:
        """Read a run, unless its journal is the one that was read before."""
        begun = time.monotonic()
        try:
            about = (scanned.path / "run.json").read_bytes()
            source = json.dumps([read_source(scanned.path).to_json(), digest(about.decode("utf-8", "replace"))])
        except (OSError, EditscopeError):
            source = ""
        if source and source == before:
            with self._lock:
                if scanned.id in self._kept:
                    self._file.touch(scanned.id, scanned.stamp)
                    self._kept[scanned.id].stamp = scanned.stamp
                    self._work.notify_all()
            return
        index = index_run(scanned.path, scanned.id)
        self._file.put(index, scanned.stamp, source)
        self._note(scanned, index.card, source, time.monotonic() - begun)

    def _note(self, scanned: ScannedRun, card: RunCard, source: str, took_s: float) -> None:
        with self._work:
            kept = self._kept.get(scanned.id)
            if kept is None:  # removed while it was read
                self._file.drop([scanned.id])
                return
            kept.stamp, kept.source, kept.card = scanned.stamp, source, card
            kept.read_at, kept.took_s = time.monotonic(), took_s
            self._known[scanned.id] = (scanned.stamp, source)
            self._work.notify_all()

    # ---- what pages ask for

    def entries(self) -> list[Entry]:
        """Every run that was read, with how far it is now; newest first."""
        with self._lock:
            kept = [one for one in self._kept.values() if one.card is not None]
        locked = locked_inodes()
        entries = [self._entry(one, locked) for one in kept]
        return sorted(entries, key=lambda entry: (entry.card.created, entry.card.id), reverse=True)

    def _entry(self, kept: _KeptRun, locked: set[int] | None) -> Entry:
        card = kept.card
        assert card is not None
        if card.problem:
            return Entry(card, "problem", 0, 0)
        if card.complete and kept.stamp == kept.scanned.stamp:
            return Entry(card, "done", card.total, card.total)
        with self._lock:
            tail = self._tails.setdefault(card.id, JournalTail(kept.scanned.path))
            done = tail.look()
        total = card.total or card.n
        state = "running" if is_being_written(kept.scanned.path, locked) else "done" if card.complete else "stopped"
        return Entry(card, state, min(done, total) if total else done, total)

    def revision(self) -> str:
        """A text that is another one whenever a page about runs would be."""
        waiting = self.refresh(wait_s=0.0)
        with self._lock:
            stamps = sorted((run, kept.stamp) for run, kept in self._kept.items())
        states = [(entry.card.id, entry.state, entry.done) for entry in self.entries()]
        return digest(json.dumps([stamps, sorted(states), waiting]))

    def entry(self, run_id: str) -> Entry:
        """One run; Missing where there is none with this id."""
        with self._lock:
            kept = self._kept.get(run_id)
        if kept is None or kept.card is None:
            raise Missing("There is no such run in this studio; it may have been moved or removed.")
        return self._entry(kept, locked_inodes())

    def path(self, run_id: str) -> Path:
        """The folder of a run; Missing where there is none with this id."""
        with self._lock:
            kept = self._kept.get(run_id)
        if kept is None:
            raise Missing("There is no such run in this studio; it may have been moved or removed.")
        return kept.scanned.path

    def cards_of_set(self, set_id: str) -> list[RunCard]:
        """The runs over one set of cases, the oldest first; Missing where there is none."""
        with self._lock:
            cards = [kept.card for kept in self._kept.values() if kept.card is not None]
        cards = [card for card in cards if card.set_id == set_id and set_id]
        if not cards:
            raise Missing("There is no such set of cases in this studio; its runs may have been moved or removed.")
        return sorted(cards, key=lambda card: (card.created, card.id))

    def case_set(self, set_id: str) -> CaseSet:
        """The cases of a set with the scores of every run, made once for each state of its runs."""
        cards = self.cards_of_set(set_id)
        with self._lock:
            key = tuple(f"{card.id}\x1f{self._kept[card.id].stamp}" for card in cards if card.id in self._kept)
            known = self._sets.get(set_id)
        if known is not None and known[0] == key:
            return known[1]
        made = CaseSet.of(set_id, cards, self._columns(cards), self._file.case_list)
        with self._lock:
            self._sets.pop(set_id, None)
            self._sets[set_id] = (key, made)
            while len(self._sets) > MOST_SETS:
                self._sets.pop(next(iter(self._sets)))
        return made

    def _columns(self, cards: Sequence[RunCard]) -> dict[str, tuple[str, ScoreColumns]]:
        return {card.id: found for card in cards if (found := self._file.columns(card.id)) is not None}

    def docs(self, case_id: str, runs: Sequence[str]) -> dict[str, dict[str, Doc]]:
        """What runs say about a case, by run and variant."""
        return self._file.docs(case_id, runs)

    def doc(self, run_id: str, case_id: str, variant: str) -> Doc:
        """What a run says about one edit; Missing where it has none."""
        self.path(run_id)
        doc = self._file.doc(case_id, run_id, variant)
        if doc is None:
            raise Missing("This run has no such case.")
        return doc

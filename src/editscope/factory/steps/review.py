"""Review by people: records wait in a queue of the studio, and go on as people have decided."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from editscope.errors import BadInput, Stopped
from editscope.factory.records import BLOB, Record
from editscope.factory.steps.base import RecordDecision, WholeStep
from editscope.factory.steps.tools import Tools
from editscope.outside import repaired
from editscope.review_queue import (
    ACCEPT,
    LONGEST_LINE,
    QUEUE,
    REASONS,
    REJECT,
    SETTINGS_FILE,
    QueueRecord,
    read_decisions,
    read_queue,
)
from editscope.runfolder.files import write_whole

FOLDER = "review"
NOT_REVIEWED = "not reviewed yet"
MOST_REVIEWS, MOST_REASONS = 5, 30
"""What a queue of the studio takes."""


class ReviewNeeded(Stopped):
    """People have to decide first."""


class ReviewStep(WholeStep):
    """Records that people accept. ``texts`` are fields that they may edit, ``show`` what they see beside them.

    A pipeline waits here until every record is decided; with ``--approved`` it goes on with what is accepted already,
    and the others join when it is built again.
    """

    kind = "review"
    settings_of: ClassVar = {
        "texts": [], "show": [], "pictures": [], "guide": "", "reviews": 1, "reasons": list(REASONS),
    }  # fmt: skip

    def __init__(self, name: str, settings: Mapping[str, Any], reads: Sequence[str] = ()) -> None:
        super().__init__(name, settings, reads)
        if not 1 <= self.settings["reviews"] <= MOST_REVIEWS:
            raise BadInput(f"step {name!r}: reviews is {self.settings['reviews']}; write 1 to {MOST_REVIEWS}")
        reasons = self.settings["reasons"]
        if not reasons or len(reasons) > MOST_REASONS or not all(isinstance(one, str) for one in reasons):
            raise BadInput(
                f"step {name!r}: reasons are 1 to {MOST_REASONS} texts; write: reasons = ['bad picture', 'other']"
            )
        self.expects = {name: setting for setting in ("texts", "pictures") for name in self.settings[setting]}
        self.needs = (*self.settings["texts"], *self.settings["show"], *self.settings["pictures"])

    def identity(self) -> Any:
        """What people are asked; how the page explains it makes no other decision."""
        return [self.kind, self.version, self.settings["texts"], self.settings["pictures"], self.settings["reviews"]]

    def decide(self, records: Iterable[Record], tools: Tools) -> Iterator[RecordDecision]:
        """What people decided; ReviewNeeded where some records wait for them."""
        folder = tools.build / FOLDER / self.name
        waiting = [self._queued(record, folder, tools) for record in records]
        too_long = {record.id for record in waiting if len(record.as_json()) >= LONGEST_LINE}
        outcomes = read_decisions(folder)
        decided = {name for name, made in outcomes.items() if made.outcome in (ACCEPT, REJECT)}
        self._fill(folder, [record for record in waiting if record.id not in too_long], decided)
        left = 0
        for record in waiting:
            made = outcomes.get(record.id)
            if record.id in too_long:
                yield RecordDecision(
                    record.id, f"longer than {LONGEST_LINE >> 20} MiB of text, which nobody can review"
                )
            elif made is None or made.fingerprint != record.fingerprint or made.outcome not in (ACCEPT, REJECT):
                left += 1
                yield RecordDecision(record.id, NOT_REVIEWED, waiting=True)
            elif made.outcome == REJECT:
                yield RecordDecision(record.id, f"rejected: {made.reason}" if made.reason else "rejected")
            else:
                changed = {name: text for name, text in made.texts.items() if text != record.texts.get(name)}
                yield RecordDecision(record.id, fields=changed)
        if left and not tools.approved:
            where = os.path.relpath(tools.build)
            raise ReviewNeeded(
                f"{left:,} of {len(waiting):,} records wait for people at step {self.name!r}: run `editscope studio "
                f"{where}` and open Review; build again when they are done, or add --approved to continue with the "
                "rest"
            )

    def _fill(self, folder: Path, wanted: Sequence[QueueRecord], decided: Collection[str]) -> None:
        """Put what is new or changed into the queue, as a whole file: a killed build leaves no half of a line.

        What the plan does not want any more leaves it, unless somebody has decided on it: nobody reviews it in vain.
        """
        there = {record.id: record for record in read_queue(folder)} if (folder / QUEUE).exists() else {}
        ours = {record.id: record for record in wanted}
        kept = [ours.pop(name, record) for name, record in there.items() if name in ours or name in decided]
        queue = [*kept, *ours.values()]
        if queue != list(there.values()):
            self._settings(folder)
            write_whole(folder / QUEUE, "".join(f"{record.as_json()}\n" for record in queue).encode())

    def _settings(self, folder: Path) -> None:
        import json

        lines = [
            f"title = {json.dumps(self.name)}",
            f"guide = {json.dumps(self.settings['guide'], ensure_ascii=False)}",
            f"reviews = {self.settings['reviews']}",
            f"reasons = {json.dumps(self.settings['reasons'], ensure_ascii=False)}",
        ]
        write_whole(folder / SETTINGS_FILE, "\n".join([*lines, ""]).encode())

    def _queued(self, record: Record, folder: Path, tools: Tools) -> QueueRecord:
        pictures = {
            name: self._linked(record.fields[name], folder, tools)
            for name in self.settings["pictures"]
            if isinstance(record.fields.get(name), Mapping) and BLOB in record.fields[name]
        }
        texts = {name: repaired(str(record.fields.get(name) or "")) for name in self.settings["texts"]}
        shown = {name: record.fields.get(name) for name in self.settings["show"]}
        return QueueRecord(record.id, pictures, texts, shown)

    def _linked(self, blob: Mapping[str, Any], folder: Path, tools: Tools) -> str:
        source = tools.blobs.path(blob)
        place = folder / "pictures" / source.name
        if not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(source, place)
            except OSError:  # another file system, or one without links
                shutil.copyfile(source, place)
        return f"pictures/{source.name}"

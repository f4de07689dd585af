"""Start and end joined, and the case that comes of a way: its instruction and its checklist."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from editscope.factory.records import Record
from editscope.factory.sources.word_tasks import PATH_PAIRS
from editscope.factory.steps.base import Outcome, PlainStep, StepFailed, dropped, kept
from editscope.factory.steps.tools import Tools
from editscope.factory.words.processes import ProcessCategory, shipped_process_words
from editscope.suites.inedit.annotation import ITEMS, MOST_NODES, checklist_items, checklist_text
from editscope.suites.inedit.data import CHECKED

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
PLACES = {"right": ("On the left", "On the right"), "down": ("At the top", "At the bottom")}
FORM = (
    "The picture shows a start and an end. {first}: {start}. {last}: {end}. Draw what happens between them as one "
    "picture of numbered grids, one stage in each, in order, with its number in the upper left corner. Choose as many "
    "grids as the way needs. {demand}"
)
"""How an instruction begins, whatever the category."""


class ProcessKindStep(PlainStep):
    """The category of a sub-task, what it is about, and how many key stages it may have, in words."""

    kind = "map"

    def apply(self, record: Record, tools: Tools) -> Outcome:
        """The record with its category."""
        if record.fields.get("category") == PATH_PAIRS:
            return kept()
        subtask = record.fields.get("subtask")
        category = next((one for one in _categories().values() if subtask in one.subtasks), None)
        if category is None:
            return dropped(f"no such sub-task: {subtask}")
        least, most = _limits(category)
        limits = f"{NUMBERS[least]} to {NUMBERS[most]}"
        return kept({"category": category.name, "about": category.about, "limits": limits})


class JoinStep(PlainStep):
    """Start and end in one picture with a striped bar between; ``layout`` says where the end is: right or down."""

    kind = "map"
    in_process = True
    settings_of: ClassVar = {"start": "start_picture", "end": "end_picture", "into": "picture", "direction": "auto"}

    def __init__(self, name: str, settings: Mapping[str, Any], reads: Sequence[str] = ()) -> None:
        super().__init__(name, settings, reads)
        if not self.reads:
            self.reads = (self.settings["start"], self.settings["end"])

    def apply(self, record: Record, tools: Tools) -> Outcome:
        """The record with the joined picture."""
        from editscope.images import encode_png, load
        from editscope.suites.inedit.joining import join

        blobs = [record.fields.get(self.settings[name]) for name in ("start", "end")]
        if not all(isinstance(blob, Mapping) for blob in blobs):
            raise StepFailed("a start and an end picture are needed")
        start, end = (load(tools.blobs.get(blob)) for blob in blobs if blob)
        direction = self.settings["direction"]
        if direction == "auto":
            direction = "right" if start.shape[1] <= start.shape[0] else "down"
        joined = join(start, end, direction)
        height, width = joined.shape[:2]
        blob = tools.blobs.put(encode_png(joined))
        return kept({self.settings["into"]: blob, "layout": direction, "width": width, "height": height})


class ProcessCaseStep(PlainStep):
    """Instruction and checklist of a way: what its category asks for, or two paths where it has two."""

    kind = "map"

    def apply(self, record: Record, tools: Tools) -> Outcome:
        """The record with its texts."""
        fields = record.fields
        if fields["category"] == PATH_PAIRS:
            paths = {"instruction_A": fields["path_a"], "instruction_B": fields["path_b"]}
            return kept({name: _instruction(fields, f"Keep to this order: {path}") for name, path in paths.items()})
        category = _categories()[fields["category"]]
        nodes = fields.get("nodes") or []
        least, most = _limits(category)
        if category.name in CHECKED and not least <= len(nodes) <= most:
            return dropped(f"another number of key stages than {category.name} has: {len(nodes)}")
        texts = {"instruction": _instruction(fields, _demand(category, nodes, fields.get("interval", "")))}
        if category.name not in CHECKED:
            return kept({**texts, "checklist": None})
        return kept({**texts, "checklist": checklist_text(fields["items"]), "key_nodes": nodes})


class ReadChecklistStep(PlainStep):
    """The items of a checklist, which people may have changed as a text; two to four, each with a description."""

    kind = "map"
    settings_of: ClassVar = {"field": "checklist", "into": "items"}

    def apply(self, record: Record, tools: Tools) -> Outcome:
        """The record with the items."""
        items = checklist_items(str(record.fields.get(self.settings["field"], "")))
        least, most = ITEMS
        if not least <= len(items) <= most or not all(one["title"] and one["description"] for one in items):
            return dropped(f"not {NUMBERS[least]} to {NUMBERS[most]} items with descriptions: {len(items)}")
        return kept({self.settings["into"]: items})


def _demand(category: ProcessCategory, nodes: Sequence[str], interval: str) -> str:
    """What the instruction asks for in a category."""
    if category.interval:
        return f"The same time passes from each grid to the next{f': {interval}' if interval else ''}."
    if category.name not in CHECKED:
        return "Show every single step of the way and leave none out."
    listed = nodes[0] if len(nodes) == 1 else f"{', '.join(nodes[:-1])} and {nodes[-1]}"
    return f"Show all key stages, among them {listed}."


def _instruction(fields: Mapping[str, Any], demand: str) -> str:
    first, last = PLACES[fields["layout"]]
    return FORM.format(start=fields["start"], end=fields["end"], first=first, last=last, demand=demand)


def _limits(category: ProcessCategory) -> tuple[int, int]:
    """How few and how many key stages an instruction names."""
    least, most = category.stages
    return min(least, MOST_NODES), min(most, MOST_NODES)


def _categories() -> Mapping[str, ProcessCategory]:
    return shipped_process_words().categories

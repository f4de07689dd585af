"""Annotation of InEdit-Bench: instructions or two paths, key nodes, and a checklist of what must be right."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from editscope.suites.annotation.form import AnnotationForm, FormField, Remark, Sizes, Values
from editscope.suites.annotation.layout import (
    AnnotationLayout,
    AnnotationRecord,
    picture_entries,
    text_of,
    updated,
    whole_rows,
)
from editscope.suites.annotation.writing import json_list_bytes
from editscope.suites.datafolder.finding import USUAL
from editscope.suites.datafolder.rows import json_list, tag_name
from editscope.suites.inedit.data import CATEGORIES, CHECKED, FILE, PATHS, SUBTASKS, subtasks

ONE_WAY = tuple(category for category in CATEGORIES if category != PATHS)
ITEMS = (2, 4)
"""How many items a checklist has, as the paper says."""
MOST_NODES = 3
"""Key nodes that an instruction names, as the paper says."""
NODES = "key_nodes"
"""The field of key nodes, which other readers ignore: they are in the instruction too."""

_ITEM = re.compile(
    r"(?:check\s*item|item)\s*\d*\s*[:：.]\s*(?P<title>.+?)\s*(?:\n|\|)?\s*description\s*[:：]\s*(?P<about>.+?)"
    r"(?=(?:[\s{}|,;]*(?:check\s*item|item)\s*\d*\s*[:：.])|[\s{}|,;]*\Z)",
    re.IGNORECASE | re.DOTALL,
)
_GRIDS = re.compile(r"\b(?:grids?|panels?|cells?|frames?|steps?)\b", re.IGNORECASE)


class InEditAnnotation(AnnotationLayout):
    """The cases of a ``data.json``."""

    suite = "inedit"
    title = "InEdit-Bench"
    files_label = FILE
    record_fields: ClassVar = {
        "pictures": "pictures | before + after | picture",
        NODES: f"{NODES} | nodes",
        "instruction_A": "instruction_A | path_a",
        "instruction_B": "instruction_B | path_b",
    }

    def find(self, folder: Path) -> Path | None:
        """The folder, or ``data`` in it, where a ``data.json`` lies."""
        return next((place for place in (folder, folder / USUAL) if (place / FILE).is_file()), None)

    def form(self, root: Path) -> AnnotationForm:
        """One instruction with key nodes, or the paths A and B; a checklist for what science decides."""
        least, most = ITEMS
        return AnnotationForm(
            (
                FormField("index", "Index", "text", "Case", "Such as dynamic_process_3; unique.", required=True),
                FormField("category", "Category", "choice", "Case", required=True, options=CATEGORIES),
                FormField("subtask", "Sub-task", "choice", "Case", options=SUBTASKS, when={"category": ONE_WAY}),
                FormField(
                    "pictures", "Picture", "pictures", "Case", "Start and end in one picture, or start, then end.",
                    required=True, most=2,
                ),
                FormField(
                    "instruction", "Instruction", "long", "Instruction",
                    "Start and end, the number of grids, and the key nodes.", required=True, when={"category": ONE_WAY},
                ),
                FormField(
                    NODES, "Key node", "texts", "Instruction", "Steps that the way must pass, as the instruction says.",
                    most=MOST_NODES, when={"category": CHECKED},
                ),
                FormField(
                    "instruction_A", "Path A", "long", "Paths", required=True, when={"category": (PATHS,)},
                ),
                FormField(
                    "instruction_B", "Path B", "long", "Paths", required=True, when={"category": (PATHS,)},
                ),
                FormField(
                    "checklist", "Check item", "checklist", "Checklist",
                    "What must be scientifically right between start and end, with a description for the judge.",
                    required=True, least=least, most=most, when={"category": CHECKED},
                ),
            )
        )  # fmt: skip

    def raws(self, root: Path) -> Iterator[dict[str, Any]]:
        """The entries of ``data.json``."""
        return whole_rows(json_list(root / FILE, root))

    def values(self, raw: Mapping[str, Any], root: Path) -> dict[str, Any]:
        """What the form holds of an entry."""
        nodes = raw.get(NODES)
        index = text_of(raw, "index")
        return {
            "index": index,
            "category": tag_name(text_of(raw, "category")),
            "subtask": tag_name(text_of(raw, "subtask") or subtasks().get(index.strip(), "")),
            "pictures": picture_entries(raw.get("image") or [raw.get("start"), raw.get("end")]),
            **{name: text_of(raw, name) for name in ("instruction", "instruction_A", "instruction_B")},
            NODES: [str(node) for node in nodes] if isinstance(nodes, list) else [],
            "checklist": checklist_items(text_of(raw, "checklist")),
        }

    def entry(self, record: AnnotationRecord, root: Path) -> dict[str, Any]:
        """The entry of a case that was changed."""
        values, raw = record.values, record.raw
        index, category = values.get("index", "").strip(), values.get("category", "")
        old_items = checklist_items(text_of(raw, "checklist"))
        items = values.get("checklist", []) if category in CHECKED else []
        subtask = values.get("subtask", "")
        known = subtasks().get(index) == subtask and "subtask" not in raw
        return updated(
            raw,
            {
                "index": index,
                "category": raw["category"] if tag_name(text_of(raw, "category")) == category else category,
                "subtask": None if known or category == PATHS else subtask,
                **_pictures(values, raw),
                "instruction": values.get("instruction", "").strip() if category != PATHS else None,
                "instruction_A": values.get("instruction_A", "").strip() if category == PATHS else None,
                "instruction_B": values.get("instruction_B", "").strip() if category == PATHS else None,
                NODES: list(values.get(NODES, [])) if category in CHECKED else None,
                "checklist": raw.get("checklist") if items == old_items else checklist_text(items) or None,
            },
        )

    def contents(self, root: Path, entries: Sequence[Mapping[str, Any]]) -> dict[str, bytes]:
        """``data.json``."""
        return {FILE: json_list_bytes(entries)}

    def key(self, values: Values) -> str:
        """The index."""
        return str(values.get("index", "")).strip()

    def blank(self, number: int, pictures: Sequence[str]) -> dict[str, Any]:
        """A case of one joined picture, or of start and end."""
        category = CATEGORIES[0]
        entries = picture_entries(list(pictures[:2]))
        return {"index": f"{category}_{number}", "category": category, "pictures": entries}

    def from_record(self, root: Path, number: int, values: dict[str, Any]) -> dict[str, Any]:
        """With an index that no case of the authors has, since a sub-task may follow from theirs."""
        values["category"] = tag_name(str(values.get("category", "")))
        return {**values, "index": f"{values['category'] or 'case'}_made_{number}"}

    def remarks(self, values: Values, sizes: Sizes) -> Iterator[Remark]:
        """Paths that differ, grids in the instruction, and key nodes that it names."""
        first, second = values.get("instruction_A", "").strip(), values.get("instruction_B", "").strip()
        if values.get("category") == PATHS:
            if first and first.casefold() == second.casefold():
                yield Remark("instruction_B", "Path B says the same as path A; describe another way.")
            texts = {"instruction_A": first, "instruction_B": second}
        else:
            texts = {"instruction": values.get("instruction", "").strip()}
        for name, text in texts.items():
            if text and text.isascii() and not _GRIDS.search(text):
                yield Remark(name, "Say into how many numbered grids the picture is divided.", "advice")
        if values.get("category") in CHECKED:
            for place, node in enumerate(values.get(NODES, [])):
                if node.strip() and node.strip().casefold() not in texts["instruction"].casefold():
                    yield Remark(NODES, f"Key node {place + 1} does not stand in the instruction.", "advice", place)


def checklist_items(text: str) -> list[dict[str, str]]:
    """The items of a checklist; a text in another form is split at its lines.

    >>> checklist_items("{Check Item 1: Fog\\nDescription: It sinks.},\\n{Check Item 2: Light\\nDescription: It dims.}")
    [{'title': 'Fog', 'description': 'It sinks.'}, {'title': 'Light', 'description': 'It dims.'}]
    >>> checklist_items("1. The fog sinks\\n2. Bubbles: they rise")
    [{'title': 'The fog sinks', 'description': ''}, {'title': 'Bubbles', 'description': 'they rise'}]
    """
    items = [
        {"title": match["title"].strip(" {}|,\n"), "description": match["about"].strip(" {}|,\n")}
        for match in _ITEM.finditer(text)
    ]
    if items:
        return items
    lines = (re.sub(r"^\s*(?:\d+[.)]|[-*•])\s*", "", line).strip() for line in text.splitlines())
    return [
        {"title": title.strip(), "description": about.strip()}
        for title, _, about in (line.partition(": ") for line in lines if line)
    ]


def checklist_text(items: Sequence[Mapping[str, str]]) -> str:
    """A checklist as the judge reads it."""
    return "\n".join(
        f"Check Item {number}: {item['title'].strip()}\nDescription: {item['description'].strip()}"
        for number, item in enumerate(items, start=1)
    )


def _pictures(values: Values, raw: Mapping[str, Any]) -> dict[str, Any]:
    """The pictures under the names that the entry has for them already."""
    paths = [entry["path"] for entry in values.get("pictures", [])]
    if len(paths) == 2 and "image" not in raw and ("start" in raw or "end" in raw):
        return {"start": paths[0], "end": paths[1]}
    return {"image": paths[0] if len(paths) == 1 else paths, "start": None, "end": None}


LAYOUT = InEditAnnotation()

"""Annotation of WiseEdit: pictures in order with their roles, two languages, hint, references and knowledge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from editscope.suites.annotation.form import AnnotationForm, FormField, Remark, Sizes, Values
from editscope.suites.annotation.layout import (
    AnnotationLayout,
    AnnotationRecord,
    picture_entries,
    text_of,
    updated,
    whole_rows,
)
from editscope.suites.annotation.writing import csv_bytes
from editscope.suites.datafolder.rows import csv_rows, tag_name
from editscope.suites.wiseedit.data import (
    COMPLEX,
    KNOWLEDGE,
    MAIN,
    MOST_INPUTS,
    NOTHING_SAID,
    TAGS,
    TASKS,
    listed,
    numbered,
)
from editscope.suites.wiseedit.ordinals import ordinal_remarks

if TYPE_CHECKING:
    from editscope.suites.base import Suite

TASK_NAMES = (*(task.capitalize() for task in TASKS), "Complex")
ROLES = ("target", "reference")
ROLE_COLUMN = "roles"
"""The column of roles, which other readers ignore: one role for each picture, split by a vertical bar."""
DOMAINS = ("cultural common sense", "natural sciences", "spatio-temporal logic")
TAG_COLUMNS = ("knowledge", "domain", "subtask")
TEXTS = ("prompt", "promptcn", "hint")


class WiseEditAnnotation(AnnotationLayout):
    """The CSV files of WiseEdit and WiseEdit-Complex, and ``tags.csv``.

    An entry is ``{"subset": …, "row": the row of the CSV file, "tags": its row of tags.csv}``.
    """

    suite = "wiseedit"
    title = "WiseEdit"
    files_label = f"{MAIN}/<Task>/<Task>_<n>/<Task>_<n>.csv"
    record_fields: ClassVar = {
        "pictures": "pictures | picture",
        "prompt": "instruction | prompt",
        "promptcn": "instruction_cn | promptcn",
        "references": "references | reference",
    }

    def find(self, folder: Path) -> Path | None:
        """The folder that holds ``WiseEdit`` or ``WiseEdit-Complex`` with CSV files."""
        return folder if any(_subsets(folder)) else None

    def form(self, root: Path) -> AnnotationForm:
        """Pictures, two languages, what the judge is told, and tags."""
        return AnnotationForm(
            (
                FormField("task", "Task", "choice", "Case", required=True, options=TASK_NAMES),
                FormField("idx", "Number", "text", "Case", "Unique among cases of the task with as many pictures.",
                          required=True),
                FormField(
                    "pictures", "Picture", "pictures", "Case", "In the order in which the instruction counts them.",
                    required=True, most=MOST_INPUTS, roles=("", *ROLES),
                ),
                FormField("prompt", "Instruction", "long", "Instruction", required=True, language="en"),
                FormField(
                    "promptcn", "Instruction in Chinese", "long", "Instruction", "Needed for runs in Chinese.",
                    language="zh",
                ),
                FormField("hint", "Hint", "long", "For the judge", "What the right result is."),
                FormField("references", "Reference", "pictures", "For the judge", "Pictures of the right result."),
                FormField("knowledge", "Knowledge", "choice", "Tags", options=KNOWLEDGE, open=True),
                FormField("domain", "Domain", "choice", "Tags", options=DOMAINS, open=True),
                FormField("subtask", "Sub-task", "text", "Tags"),
            )
        )  # fmt: skip

    def raws(self, root: Path) -> Iterator[dict[str, Any]]:
        """The rows of every CSV file, with their tags."""
        tags = _read_tags(root)
        for folder, count in _subsets(root):
            columns = ["idx", *(f"input_{n}" for n in range(1, count + 1)), "prompt"]
            for row in whole_rows(csv_rows(folder / f"{folder.name}.csv", root, columns)):
                key = (tag_name(folder.name), row["idx"].strip())
                yield {"subset": folder.name, "row": row, "tags": tags.get(key, {})}

    def values(self, raw: Mapping[str, Any], root: Path) -> dict[str, Any]:
        """What the form holds of a row and its tags."""
        row, tags = raw["row"], raw["tags"]
        paths = [row[name] for n in range(1, MOST_INPUTS + 1) if row.get(name := f"input_{n}", "").strip()]
        roles = [role.strip() for role in row.get(ROLE_COLUMN, "").split("|")]
        pictures = [
            {"path": path.strip(), "role": roles[place] if place < len(roles) and roles[place] in ROLES else ""}
            for place, path in enumerate(paths)
        ]
        return {
            "task": _task(raw["subset"]),
            "idx": text_of(row, "idx"),
            "pictures": pictures,
            **{name: _said(text_of(row, name)) for name in TEXTS},
            "references": picture_entries(listed(row.get("ref"))),
            **{name: tags.get(name, "") for name in TAG_COLUMNS},
        }

    def entry(self, record: AnnotationRecord, root: Path) -> dict[str, Any]:
        """The row of a case that was changed, in the subset of its task and number of pictures, and its tags."""
        values = record.values
        row: Mapping[str, Any] = record.raw.get("row", {})
        pictures, references = values.get("pictures", []), [entry["path"] for entry in values.get("references", [])]
        roles = "|".join(entry["role"] for entry in pictures)
        inputs = {f"input_{n}": pictures[n - 1]["path"] if n <= len(pictures) else None for n in range(1, 6)}
        same = picture_entries(listed(row.get("ref"))) == picture_entries(references)
        changed = {
            "idx": values.get("idx", "").strip(),
            **inputs,
            **{name: values.get(name, "").strip() for name in TEXTS},
            "ref": row.get("ref", "") if same else _reference_cell(references),
            ROLE_COLUMN: roles if roles.strip("|") else None,
        }
        tags = {name: values.get(name, "").strip() or None for name in TAG_COLUMNS}
        return {
            "subset": _subset(values.get("task", ""), len(pictures)),
            "row": updated(row, changed),
            "tags": updated(record.raw.get("tags", {}), tags),
        }

    def contents(self, root: Path, entries: Sequence[Mapping[str, Any]]) -> dict[str, bytes]:
        """A CSV file for each subset, also for one that has no case any more, and ``tags.csv`` where there are tags."""
        subsets: dict[str, list[Mapping[str, Any]]] = {folder.name: [] for folder, _ in _subsets(root)}
        for entry in entries:
            subsets.setdefault(entry["subset"], []).append(entry["row"])
        contents = {}
        for subset, rows in subsets.items():
            count = int(subset.rpartition("_")[2])
            usual = ["idx", *(f"input_{n}" for n in range(1, count + 1)), *TEXTS, "ref"]
            first = list(rows[0]) if rows else []
            order = [*(name for name in first if name in usual), *usual, *(name for row in rows for name in row)]
            contents[f"{_place(subset)}/{subset}.csv"] = csv_bytes(list(dict.fromkeys(order)), rows)
        tagged = [
            {"subset": entry["subset"], "idx": entry["row"]["idx"], **entry["tags"]}
            for entry in entries
            if any(entry["tags"].values())
        ]
        if tagged or (root / TAGS).is_file():
            columns = dict.fromkeys(["subset", "idx", *(name for row in tagged for name in row)])
            contents[TAGS] = csv_bytes(list(columns), tagged)
        return contents

    def key(self, values: Values) -> str:
        """``<Task>_<n>/<idx>``."""
        return f"{_subset(values.get('task', ''), len(values.get('pictures', [])))}/{values.get('idx', '').strip()}"

    def blank(self, number: int, pictures: Sequence[str]) -> dict[str, Any]:
        """A case of one to five pictures."""
        return {"task": TASK_NAMES[0], "idx": str(number), "pictures": picture_entries(list(pictures[:MOST_INPUTS]))}

    def from_record(self, root: Path, number: int, values: dict[str, Any]) -> dict[str, Any]:
        """With the name of the task as the folders have it."""
        return {**values, "task": str(values.get("task", "")).strip().capitalize()}

    def remarks(self, values: Values, sizes: Sizes) -> Iterator[Remark]:
        """Ordinals against the number of pictures, roles, and what the judge needs."""
        pictures = values.get("pictures", [])
        for name in ("prompt", "promptcn"):
            for wrong, sentence in ordinal_remarks(values.get(name, ""), len(pictures)):
                yield Remark(name, sentence[:1].upper() + sentence[1:] + ".", "wrong" if wrong else "advice")
        roles = [entry["role"] for entry in pictures]
        if len(pictures) > 1:
            for place, role in enumerate(roles):
                if not role:
                    yield Remark("pictures", f"Picture {place + 1}: is it a target or a reference?", "advice", place)
            if all(role == "reference" for role in roles):
                yield Remark("pictures", "Every picture is a reference; one of them is the target of the edit.")
        if values.get("prompt", "").strip() and not values.get("promptcn", "").strip():
            yield Remark("promptcn", "Runs in both languages, the default, need it.", "advice")
        if values.get("knowledge") and not values.get("hint", "").strip():
            yield Remark("hint", "A case that needs knowledge tells the judge what the right result is.", "advice")

    def loaded(self, root: Path) -> tuple[Suite, ...]:
        """WiseEdit and WiseEdit-Complex, whichever the folder holds."""
        from editscope.suites.registry import load_suite

        names = [
            name for name, part in ((self.suite, MAIN), (f"{self.suite}-complex", COMPLEX)) if (root / part).is_dir()
        ]
        return tuple(load_suite(name, root=root, skip_bad=True) for name in names)


def _subsets(root: Path) -> Iterator[tuple[Path, int]]:
    """The folders of CSV files, and how many inputs a case of each has."""
    places = [(root / MAIN / name, name) for name in TASK_NAMES[:3]] + [(root / COMPLEX, "WiseEdit_Complex")]
    for folder, name in places:
        for subset, count in numbered(folder, name):
            if (subset / f"{subset.name}.csv").is_file():
                yield subset, count


def _read_tags(root: Path) -> dict[tuple[str, str], dict[str, str]]:
    if not (root / TAGS).is_file():
        return {}
    rows = whole_rows(csv_rows(root / TAGS, root, ("subset", "idx")))
    return {
        (tag_name(row["subset"]), row["idx"].strip()): {
            k: v for k, v in row.items() if k and k not in ("subset", "idx")
        }
        for row in rows
    }


def _task(subset: str) -> str:
    """The task of a subset.

    >>> _task("Awareness_2"), _task("WiseEdit_Complex_3")
    ('Awareness', 'Complex')
    """
    return subset.rpartition("_")[0].removeprefix("WiseEdit_")


def _subset(task: str, pictures: int) -> str:
    return f"{'WiseEdit_' if task == TASK_NAMES[-1] else ''}{task}_{min(max(pictures, 1), MOST_INPUTS)}"


def _place(subset: str) -> str:
    """The folder of a subset below the root."""
    task = _task(subset)
    return f"{COMPLEX}/{subset}" if task == TASK_NAMES[-1] else f"{MAIN}/{task}/{subset}"


def _said(text: str) -> str:
    return "" if text.strip().lower() in NOTHING_SAID else text


def _reference_cell(paths: Sequence[str]) -> str:
    from json import dumps

    return dumps(list(paths), ensure_ascii=False) if paths else ""


LAYOUT = WiseEditAnnotation()

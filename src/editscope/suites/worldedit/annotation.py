"""Annotation of WorldEdit: a cause, its mode, and a paraphrase that spells out what can be seen."""

from __future__ import annotations

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
from editscope.suites.annotation.writing import json_lines_bytes
from editscope.suites.datafolder.rows import json_lines, tag_name
from editscope.suites.worldedit.data import FILE, MODES, OTHER_MODES

TEXTS = ("instruction", "paraphrase", "explanation")


class WorldEditAnnotation(AnnotationLayout):
    """The lines of a ``cases.jsonl`` whose cases have a mode."""

    suite = "worldedit"
    title = "WorldEdit"
    files_label = FILE
    record_fields: ClassVar = {"picture": "picture | before"}

    def find(self, folder: Path) -> Path | None:
        """The folder itself, where it holds a ``cases.jsonl`` that is not one of a benchmark of your own."""
        return folder if (folder / FILE).is_file() and not (folder / "suite.toml").is_file() else None

    def form(self, root: Path) -> AnnotationForm:
        """Mode, implicit instruction, paraphrase and explanation."""
        return AnnotationForm(
            (
                FormField("id", "Id", "text", "Case", "Letters, digits, - and _; unique.", required=True),
                FormField("picture", "Picture", "pictures", "Case", required=True, most=1),
                FormField("mode", "Mode", "choice", "Case", required=True, options=MODES),
                FormField(
                    "instruction", "Implicit instruction", "long", "Instruction",
                    "Name the cause. Leave what becomes visible to the model.", required=True,
                ),
                FormField(
                    "paraphrase", "Paraphrase", "long", "Instruction",
                    "Spell out what changes: texture, shape, color, gloss, cracks.",
                ),
                FormField("explanation", "Explanation", "long", "Instruction", "Why the cause has this effect."),
            )
        )  # fmt: skip

    def raws(self, root: Path) -> Iterator[dict[str, Any]]:
        """The lines of ``cases.jsonl``."""
        return whole_rows(json_lines(root / FILE, root))

    def values(self, raw: Mapping[str, Any], root: Path) -> dict[str, Any]:
        """What the form holds of a line."""
        return {
            "id": text_of(raw, "id"),
            "picture": picture_entries(raw.get("image")),
            "mode": _mode(text_of(raw, "mode")),
            **{name: text_of(raw, name) for name in TEXTS},
        }

    def entry(self, record: AnnotationRecord, root: Path) -> dict[str, Any]:
        """The line of a case that was changed."""
        values, raw = record.values, record.raw
        same_mode = bool(raw) and _mode(text_of(raw, "mode")) == values.get("mode", "")
        return updated(
            raw,
            {
                "id": values.get("id", "").strip(),
                "image": next((entry["path"] for entry in values.get("picture", [])), ""),
                "mode": raw.get("mode") if same_mode else values.get("mode", ""),
                **{name: values.get(name, "").strip() for name in TEXTS},
            },
        )

    def contents(self, root: Path, entries: Sequence[Mapping[str, Any]]) -> dict[str, bytes]:
        """``cases.jsonl``."""
        return {FILE: json_lines_bytes(entries)}

    def key(self, values: Values) -> str:
        """The id."""
        return str(values.get("id", "")).strip()

    def blank(self, number: int, pictures: Sequence[str]) -> dict[str, Any]:
        """A case of one picture."""
        return {"id": f"case_{number:03d}", "picture": picture_entries(list(pictures[:1]))}

    def remarks(self, values: Values, sizes: Sizes) -> Iterator[Remark]:
        """A paraphrase must say more than the instruction, and the instruction must leave the effect open."""
        instruction, paraphrase = values.get("instruction", "").strip(), values.get("paraphrase", "").strip()
        if not paraphrase:
            if instruction:
                yield Remark("paraphrase", "There is no paraphrase, so only the implicit form can be run.", "advice")
        elif paraphrase.casefold() == instruction.casefold():
            yield Remark("paraphrase", "It says the same as the instruction; spell out what becomes visible.")
        elif len(paraphrase.split()) < len(instruction.split()):
            yield Remark("paraphrase", "It is shorter than the instruction; say what changes and how.", "advice")


def _mode(text: str) -> str:
    name = tag_name(text)
    return OTHER_MODES.get(name, name)


LAYOUT = WorldEditAnnotation()

"""Annotation of PICABench: instructions at three levels, physics-critical regions, and questions about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

from editscope.suites.annotation.form import AnnotationForm, FormField, Remark, Sizes, Values
from editscope.suites.annotation.layout import (
    AnnotationLayout,
    AnnotationRecord,
    picture_entries,
    picture_sizes,
    text_of,
    updated,
    whole_rows,
)
from editscope.suites.annotation.regions import (
    CATEGORIES,
    WITHOUT_QUESTION,
    marked_regions,
    read_edit_area,
    read_pairs,
    unused_regions,
    write_edit_area,
    write_pairs,
)
from editscope.suites.annotation.writing import json_list_bytes
from editscope.suites.datafolder.rows import json_list, tag_name
from editscope.suites.picabench.data import FILE, LAWS, LEVELS, OTHER_LAWS

OPERATIONS = ("add", "remove", "move", "replace", "attribute", "light", "weather", "wet", "break", "burn", "freeze")
"""Operations to choose from; others can be typed."""
QUESTIONS = (4, 5)
"""How many questions a case has in the paper."""


class PicaBenchAnnotation(AnnotationLayout):
    """The cases of a ``meta_info.json``. Question regions are on the canvas of 1024, edit areas in source pixels."""

    suite = "picabench"
    title = "PICABench"
    files_label = FILE
    record_fields: ClassVar = {
        "picture": "picture | before",
        "physics_law": "law",
        "edit_operation": "operation",
        "superficial_prompt": "superficial | instruction",
        "intermediate_prompt": "intermediate",
        "explicit_prompt": "explicit",
    }

    def find(self, folder: Path) -> Path | None:
        """The folder itself, where it holds a ``meta_info.json``."""
        return folder if (folder / FILE).is_file() else None

    def form(self, root: Path) -> AnnotationForm:
        """Tags, three levels of instruction, two layers of regions, and questions."""
        levels = (
            ("Superficial", "Says only what to change."),
            ("Intermediate", "Also says which law of physics the result must obey."),
            ("Explicit", "Spells out the visible result: shadows, reflections, shapes."),
        )
        instructions = (
            FormField(f"{name.lower()}_prompt", name, "long", "Instruction", about, required=name == "Superficial")
            for name, about in levels
        )
        return AnnotationForm(
            (
                FormField("index", "Index", "text", "Case", "A number, unique in the set.", required=True),
                FormField("picture", "Picture", "pictures", "Case", required=True, most=1),
                FormField("physics_law", "Law", "choice", "Case", required=True, options=tuple(LAWS)),
                FormField("edit_operation", "Operation", "choice", "Case", options=OPERATIONS, open=True),
                *instructions,
                FormField("regions", "Region", "regions", "Regions", "What a question looks at.", unit="canvas"),
                FormField(
                    "edit_area", "Edit area", "regions", "Regions",
                    "Where the edit may change pixels. Consistency is measured outside of it.",
                ),
                FormField(
                    "questions", "Question", "questions", "Questions",
                    "Ask for one visible thing, say where, and answer Yes or No. The judge sees the edit only.",
                    required=True, options=CATEGORIES, of="regions",
                ),
            )
        )  # fmt: skip

    def raws(self, root: Path) -> Iterator[dict[str, Any]]:
        """The entries of ``meta_info.json``."""
        return whole_rows(json_list(root / FILE, root))

    def values(self, raw: Mapping[str, Any], root: Path) -> dict[str, Any]:
        """What the form holds of an entry."""
        pictures = picture_entries(raw.get("input_path"))
        sizes = picture_sizes(AnnotationForm((FormField("picture", "", "pictures"),)), {"picture": pictures}, root)
        regions, questions = read_pairs(raw.get("annotated_qa_pairs"), raw.get(WITHOUT_QUESTION))
        return {
            "index": text_of(raw, "index"),
            "picture": pictures,
            "physics_law": _law(text_of(raw, "physics_law")),
            "edit_operation": text_of(raw, "edit_operation"),
            **{f"{level}_prompt": text for level, text in _texts(raw).items()},
            "regions": regions,
            "edit_area": read_edit_area(raw, next(iter(sizes.values()), None)),
            "questions": questions,
        }

    def entry(self, record: AnnotationRecord, root: Path) -> dict[str, Any]:
        """The entry of a case that was changed."""
        values, raw = record.values, record.raw
        law = values.get("physics_law", "")
        same_law = bool(raw) and _law(text_of(raw, "physics_law")) == law
        questions, regions = values.get("questions", []), values.get("regions", [])
        index = values.get("index", "").strip()
        area = write_edit_area(values.get("edit_area", []), raw)
        return updated(
            raw,
            {
                "index": int(index) if index.isdecimal() and not isinstance(raw.get("index"), str) else index,
                "input_path": next((entry["path"] for entry in values.get("picture", [])), ""),
                **_instructions(values, raw),
                "physics_category": raw.get("physics_category") if same_law else LAWS.get(law, ""),
                "physics_law": raw.get("physics_law") if same_law else law,
                "edit_operation": values.get("edit_operation", "").strip(),
                "annotated_qa_pairs": write_pairs(questions, regions, raw.get("annotated_qa_pairs"), by_category=True),
                "edit_area": area,
                **marked_regions(questions, regions),
            },
        )

    def contents(self, root: Path, entries: Sequence[Mapping[str, Any]]) -> dict[str, bytes]:
        """``meta_info.json``."""
        return {FILE: json_list_bytes(entries)}

    def key(self, values: Values) -> str:
        """The index, with five digits where it is a number."""
        index = str(values.get("index", "")).strip()
        return index.zfill(5) if index.isdecimal() else index

    def blank(self, number: int, pictures: Sequence[str]) -> dict[str, Any]:
        """A case of one picture."""
        return {"index": str(number), "picture": picture_entries(list(pictures[:1]))}

    def remarks(self, values: Values, sizes: Sizes) -> Iterator[Remark]:
        """How many questions of which kind, regions without a question, and levels that say the same."""
        questions, regions = values.get("questions", []), values.get("regions", [])
        low, high = QUESTIONS
        if questions and not low <= len(questions) <= high:
            yield Remark("questions", f"Cases have {low} or {high} questions; this one has {len(questions)}.", "advice")
        categories = {tag_name(question["category"]) for question in questions}
        for category in CATEGORIES:
            if questions and any(categories) and tag_name(category) not in categories:
                yield Remark("questions", f"No question is about {category}.", "advice")
        for place in unused_regions(questions, regions):
            yield Remark("regions", f"Region {place + 1}: no question looks at it yet.", "advice", place)
        texts = {level: values.get(f"{level}_prompt", "").strip() for level in LEVELS}
        for shorter, longer in pairwise(LEVELS):
            if texts[longer] and texts[longer].casefold() == texts[shorter].casefold():
                yield Remark(f"{longer}_prompt", f"It says the same as the {shorter} instruction.", "advice")
            elif texts[longer] and len(texts[longer]) < len(texts[shorter]):
                yield Remark(f"{longer}_prompt", f"It is shorter than the {shorter} instruction.", "advice")


def _law(text: str) -> str:
    name = tag_name(text)
    return OTHER_LAWS.get(name, name)


def _texts(raw: Mapping[str, Any]) -> dict[str, str]:
    """The instruction at each level, as the suite reads it."""
    texts = {level: text_of(raw, f"{level}_prompt") for level in LEVELS}
    written = _written_level(raw)
    if not texts[written].strip():
        texts[written] = text_of(raw, "edit_instruction")
    return texts


def _written_level(raw: Mapping[str, Any]) -> str:
    """The level of ``edit_instruction``."""
    level = tag_name(text_of(raw, "difficulty"))
    return level if level in LEVELS else LEVELS[0]


def _instructions(values: Values, raw: Mapping[str, Any]) -> dict[str, Any]:
    """``edit_instruction`` at its level, and the three levels by name where there are more than that one."""
    texts = {level: values.get(f"{level}_prompt", "").strip() for level in LEVELS}
    written = _written_level(raw)
    single = {"edit_instruction": texts[written], "difficulty": raw.get("difficulty") or written}
    hub_form = bool(raw) and "edit_instruction" not in raw
    named = hub_form or any(text for level, text in texts.items() if level != written)
    levels = {f"{level}_prompt": text or None for level, text in texts.items()} if named else {}
    return {**({} if hub_form else single), **levels}


LAYOUT = PicaBenchAnnotation()

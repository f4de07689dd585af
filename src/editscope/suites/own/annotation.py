"""Annotation of a benchmark of your own: the tags of its suite.toml, instructions, regions, questions, references."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

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
    WITHOUT_QUESTION,
    marked_regions,
    read_edit_area,
    read_pairs,
    unused_regions,
    write_edit_area,
    write_pairs,
)
from editscope.suites.annotation.writing import json_lines_bytes, write_files
from editscope.suites.datafolder.rows import json_lines
from editscope.suites.own.manifest import FILE, Manifest, read_manifest
from editscope.suites.own.start import suite_name
from editscope.suites.registry import suite_names

if TYPE_CHECKING:
    from editscope.suites.base import Suite

TAG = "tag_"
"""How the name of a form field begins that holds a tag."""
_PICTURES = AnnotationForm((FormField("pictures", "", "pictures"),))


class OwnAnnotation(AnnotationLayout):
    """The lines of the list of cases that a ``suite.toml`` names."""

    suite = "own"
    title = "Your own benchmark"
    files_label = f"{FILE} and cases.jsonl"
    record_fields: ClassVar = {
        "pictures": "pictures | picture | before",
        "answer": "answer | after | edit",
        "instructions": "instructions | superficial + intermediate + explicit",
        "references": "references | reference",
    }

    def find(self, folder: Path) -> Path | None:
        """The folder itself, where it holds a ``suite.toml``."""
        return folder if (folder / FILE).is_file() else None

    def form(self, root: Path) -> AnnotationForm:
        """One field for each tag of ``suite.toml``, and all that a case can have."""
        manifest = _manifest(root)
        pixels = manifest is not None and manifest.scoring == "pixels"
        tags = (
            FormField(TAG + tag, tag.replace("_", " ").capitalize(), "text", "Case", required=True)
            for tag in (manifest.tags if manifest else ("category",))
        )
        return AnnotationForm(
            (
                FormField("id", "Id", "text", "Case", "Letters, digits, - and _; unique.", required=True),
                FormField("pictures", "Picture", "pictures", "Case", "What the editor gets.", required=True),
                *tags,
                FormField("instruction", "Instruction", "long", "Instruction", "Or several, by name, below."),
                FormField(
                    "instructions", "Level", "named", "Instruction",
                    "Several instructions of one case, such as short and long; each is an edit of its own.",
                ),
                FormField("answer", "Answer", "pictures", "For the judge", "The right edit.", required=pixels, most=1),
                FormField("references", "Reference", "pictures", "For the judge"),
                FormField("hint", "Hint", "long", "For the judge"),
                FormField("checklist", "Checklist", "long", "For the judge"),
                FormField("regions", "Region", "regions", "Regions", "What a question looks at.", unit="canvas"),
                FormField("edit_area", "Edit area", "regions", "Regions", "Where the edit may change pixels."),
                FormField("questions", "Question", "questions", "Questions", of="regions"),
            )
        )  # fmt: skip

    def raws(self, root: Path) -> Iterator[dict[str, Any]]:
        """The lines of the list of cases."""
        return whole_rows(json_lines(root / read_manifest(root).cases, root))

    def values(self, raw: Mapping[str, Any], root: Path) -> dict[str, Any]:
        """What the form holds of a line."""
        manifest = _manifest(root)
        pictures = picture_entries(raw.get("images") or raw.get("image"))
        sizes = picture_sizes(_PICTURES, {"pictures": pictures[:1]}, root)
        regions, questions = read_pairs(raw.get("questions"), raw.get(WITHOUT_QUESTION))
        given, named = raw.get("tags"), raw.get("instructions")
        tags = {**raw, **(given if isinstance(given, dict) else {})}
        return {
            "id": text_of(raw, "id"),
            "pictures": pictures,
            **{TAG + tag: text_of(tags, tag) for tag in (manifest.tags if manifest else ())},
            "instruction": text_of(raw, "instruction"),
            "instructions": [
                {"name": str(name), "text": str(text)}
                for name, text in (named.items() if isinstance(named, dict) else ())
            ],
            "answer": picture_entries(raw.get("answer")),
            "references": picture_entries(raw.get("references")),
            "hint": text_of(raw, "hint"),
            "checklist": text_of(raw, "checklist"),
            "regions": regions,
            "edit_area": read_edit_area(raw, next(iter(sizes.values()), None)),
            "questions": questions,
        }

    def entry(self, record: AnnotationRecord, root: Path) -> dict[str, Any]:
        """The line of a case that was changed."""
        values, raw = record.values, record.raw
        paths = [entry["path"] for entry in values.get("pictures", [])]
        questions, regions = values.get("questions", []), values.get("regions", [])
        tags = {name.removeprefix(TAG): value.strip() for name, value in values.items() if name.startswith(TAG)}
        beside = {tag: value for tag, value in tags.items() if tag in raw and tag not in raw.get("tags", {})}
        named = {entry["name"].strip(): entry["text"].strip() for entry in values.get("instructions", [])}
        several = len(paths) != 1 or isinstance(raw.get("images"), list)
        references = [entry["path"] for entry in values.get("references", [])]
        return updated(
            raw,
            {
                "id": values.get("id", "").strip(),
                **({"images": paths, "image": None} if several else {"image": paths[0], "images": None}),
                "instruction": values.get("instruction", "").strip() or None,
                "instructions": named or None,
                **beside,
                "tags": {**raw.get("tags", {}), **{t: v for t, v in tags.items() if t not in beside}},
                "answer": next((entry["path"] for entry in values.get("answer", [])), None),
                "references": references or None,
                "hint": values.get("hint", "").strip() or None,
                "checklist": values.get("checklist", "").strip() or None,
                "questions": write_pairs(questions, regions, raw.get("questions"), by_category=True) or None,
                "edit_area": _edit_area(values, raw),
                **marked_regions(questions, regions),
            },
        )

    def contents(self, root: Path, entries: Sequence[Mapping[str, Any]]) -> dict[str, bytes]:
        """The list of cases."""
        manifest = _manifest(root)
        return {manifest.cases if manifest else "cases.jsonl": json_lines_bytes(entries)}

    def key(self, values: Values) -> str:
        """The id."""
        return str(values.get("id", "")).strip()

    def blank(self, number: int, pictures: Sequence[str]) -> dict[str, Any]:
        """A case of any number of pictures."""
        return {"id": f"case-{number}", "pictures": picture_entries(list(pictures))}

    def record_field(self, name: str) -> str:
        """A tag is filled by the field of its name."""
        return super().record_field(name.removeprefix(TAG))

    def from_record(self, root: Path, number: int, values: dict[str, Any]) -> dict[str, Any]:
        """With one instruction or several, not both; a suite scored by pixels has one."""
        named = values.get("instructions")
        if not named:
            return values
        manifest = _manifest(root)
        if manifest is None or manifest.scoring != "pixels":
            return {**values, "instruction": ""}
        return {**values, "instruction": values.get("instruction") or named[0]["text"], "instructions": []}

    def begin_folder(self, root: Path, name: str, about: str, *, pixels: bool, tags: Sequence[str]) -> None:
        """Write a ``suite.toml`` and, for a judge, the prompts of the template."""
        template = files("editscope.suites.own").joinpath("template")
        title = suite_name(Path(name))
        lines = [
            f"name = {json.dumps(f'my-{title}' if title in suite_names() else title)}",
            f"about = {json.dumps(about, ensure_ascii=False)}",
            f"tags = {json.dumps(list(tags))}",
        ]
        made: dict[str, bytes] = {}
        if pixels:
            lines.insert(2, 'scoring = "pixels"')
        else:
            for prompt in sorted(template.joinpath("prompts").iterdir(), key=lambda one: one.name):
                metric = prompt.name.removesuffix(".txt")
                lines += ["", "[[metrics]]", f"name = {json.dumps(metric)}", f'prompt = "prompts/{prompt.name}"']
                made[f"prompts/{prompt.name}"] = prompt.read_bytes()
        write_files(root, {FILE: ("\n".join(lines) + "\n").encode(), **made})

    def remarks(self, values: Values, sizes: Sizes) -> Iterator[Remark]:
        """One way to instruct, names of instructions, and an answer of the picture's size."""
        instruction, named = values.get("instruction", "").strip(), values.get("instructions", [])
        if not instruction and not named:
            yield Remark("instruction", "Instruction: write a text")
        if instruction and named:
            yield Remark("instructions", "Give one instruction, or several by name, not both.")
        for place, entry in enumerate(named):
            name = entry["name"].strip()
            if name and not name.replace("-", "").replace("_", "").isalnum():
                message = f"Level {place + 1}: the name may have letters, digits, - and _."
                yield Remark("instructions", message, entry=place)
        for place in unused_regions(values.get("questions", []), values.get("regions", [])):
            yield Remark("regions", f"Region {place + 1}: no question looks at it yet.", "advice", place)

    def settings(self, root: Path) -> dict[str, bytes]:
        """For a folder without ``suite.toml``: one to start from, with its prompts."""
        if (root / FILE).exists():
            return {}
        template = files("editscope.suites.own").joinpath("template")
        manifest = template.joinpath("judged.toml").read_text(encoding="utf-8")
        made = {FILE: manifest.replace("my-benchmark", suite_name(root)).encode()}
        for prompt in template.joinpath("prompts").iterdir():
            if not (root / "prompts" / prompt.name).exists():
                made[f"prompts/{prompt.name}"] = prompt.read_bytes()
        return made

    def companions(self, root: Path) -> Iterator[str]:
        """``suite.toml`` and the prompts that it names."""
        manifest = _manifest(root)
        if manifest is not None:
            yield FILE
            yield from (metric.prompt for metric in manifest.metrics if metric.prompt.endswith(".txt"))

    def loaded(self, root: Path) -> tuple[Suite, ...]:
        """The suite of the folder."""
        from editscope.suites.own.data import load

        return (load(root, skip_bad=True),)


def _manifest(root: Path) -> Manifest | None:
    """The suite.toml of a folder; None for a folder of pictures that has none yet."""
    return read_manifest(root) if (root / FILE).is_file() else None


def _edit_area(values: Values, raw: Mapping[str, Any]) -> Any:
    regions = values.get("edit_area", [])
    return write_edit_area(regions, raw) if regions or "edit_area" in raw else None


LAYOUT = OwnAnnotation()

"""A build as a suite: its records in the layout of a benchmark, pictures beside, ready for a run."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from editscope.errors import BadInput, unknown
from editscope.factory.blobs import ENDINGS, BlobStore
from editscope.factory.output.columns import as_json
from editscope.factory.output.settings import OutputSettings
from editscope.factory.plan import BuildPlan
from editscope.factory.records import BLOB, Record
from editscope.images import probe
from editscope.suites.annotation.form import CANVAS_SIDE, AnnotationForm, FormField
from editscope.suites.annotation.layout import AnnotationLayout, AnnotationRecord, picture_sizes
from editscope.suites.annotation.regions import SIDES
from editscope.suites.annotation.registry import annotation_layout
from editscope.suites.datafolder.rows import inside

SUITE = "suite"
RECORDS = "records.jsonl"
"""The file that says which record became which case."""
WHOLE = "whole picture"
MANIFEST = "suite.toml"


class SuiteFolder:
    """Writes records into a folder in the layout of a benchmark."""

    def __init__(
        self, root: Path, plan: BuildPlan, settings: OutputSettings, blobs: BlobStore, *, pixels: bool
    ) -> None:
        self.layout: AnnotationLayout = annotation_layout(settings.suite)
        self._root, self._blobs = root, blobs
        root.mkdir(parents=True)
        if settings.manifest:
            _copy_manifest(plan.folder, settings.manifest, root)
        else:
            about = plan.title or f"Made by the plan {plan.name}."
            self.layout.begin_folder(root, plan.name, about, pixels=pixels, tags=settings.tags)
        self._form: AnnotationForm = self.layout.form(root)
        names = {field.name for field in self._form.fields}
        for name in settings.cases:
            if name not in names:
                raise unknown("field", name, names, of=f"{self.layout.title}, for [output.cases]")
        self._cases = settings.cases
        self._records: list[AnnotationRecord] = []
        self._ids: list[dict[str, str]] = []
        self.left_out = 0
        self._first_flaw = ""

    def add(self, record: Record, *, skip_bad: bool = False) -> None:
        """Make a case of a record, its pictures written."""
        number = len(self._records) + 1
        values: dict[str, Any] = {}
        size: tuple[int, int] | None = None
        made: list[Path] = []
        for field in sorted(self._form.fields, key=lambda one: one.kind != "pictures"):
            found = _found(record, self._cases.get(field.name, self.layout.record_field(field.name)))
            if not found:
                continue
            if field.kind == "pictures":
                entries = [entry for name, value in found for entry in self._pictures(number, name, value, made)]
                values[field.name] = entries[: field.most]
                size = size or (probe(self._root / entries[0]["path"]) if entries else None)
            else:
                values[field.name] = _value(field, found, size)
        blank = self.layout.blank(number, [entry["path"] for entry in _first_pictures(self._form, values)])
        values = self.layout.from_record(self._root, number, {**blank, **values})
        _link_questions(self._form, values, size)
        values = self._form.filled(values)
        remarks = self.layout.check(self._form, values, picture_sizes(self._form, values, self._root))
        wrong = [remark.message for remark in remarks if remark.severity == "wrong"]
        if wrong:
            flaw = f"record {record.id} cannot be a case of {self.layout.title}: {wrong[0]}"
            if not skip_bad:
                raise BadInput(f"{flaw}; correct the plan, say under [output.cases] where it is, or leave it out with "
                               "--skip-bad")  # fmt: skip
            self.left_out += 1
            self._first_flaw = self._first_flaw or flaw
            for path in made:
                path.unlink(missing_ok=True)
            return
        self._records.append(AnnotationRecord(values))
        self._ids.append({"case": self.layout.key(values), "record": record.id})

    def close(self) -> int:
        """Write the list of cases, and load it; how many there are."""
        if not self._records:
            why = f": {self._first_flaw}" if self._first_flaw else ""
            raise BadInput(f"no record can be a case of {self.layout.title}{why}")
        self.layout.write(self._root, self._records)
        lines = "".join(json.dumps(one) + "\n" for one in self._ids)
        (self._root / RECORDS).write_text(lines, encoding="utf-8")
        for suite in self.layout.loaded(self._root):
            if flaws := getattr(suite, "flaws", ()):
                raise BadInput(f"what was built does not load as {self.layout.title}: {flaws[0]}")
        return len(self._records)

    def _pictures(self, number: int, name: str, value: Any, made: list[Path]) -> Iterable[dict[str, str]]:
        listed = value if isinstance(value, list) else [value]
        for place, one in enumerate(listed):
            blob = one.get("picture", one) if isinstance(one, Mapping) else one
            if not isinstance(blob, Mapping) or BLOB not in blob:
                continue
            data = self._blobs.get(blob)
            part = f"_{place + 1}" if len(listed) > 1 else ""
            path = PurePosixPath("pictures", f"{number:05d}_{name}{part}{ENDINGS[str(blob['type'])]}")
            (self._root / "pictures").mkdir(exist_ok=True)
            (self._root / path).write_bytes(data)
            made.append(self._root / path)
            yield {"path": str(path), "role": str(one.get("role", "")) if isinstance(one, Mapping) else ""}


def _found(record: Record, wanted: str) -> list[tuple[str, Any]]:
    """The fields of a record that an expression such as ``a | b + c`` names, with their values."""
    for alternative in wanted.split("|"):
        names = [name.strip() for name in alternative.split("+")]
        values = [(name, record.fields[name]) for name in names if record.fields.get(name) not in (None, "", [])]
        if len(values) == len(names):
            return values
    return []


def _value(field: FormField, found: Sequence[tuple[str, Any]], size: tuple[int, int] | None) -> Any:
    """The value of a form's field for values of a record."""
    value = found[0][1]
    if field.kind == "named":
        if len(found) == 1 and isinstance(value, Mapping):
            return [{"name": str(name), "text": _text(text)} for name, text in value.items()]
        return [{"name": name, "text": _text(text)} for name, text in found]
    entries = [one for _, listed in found for one in (listed if isinstance(listed, list) else [listed])]
    if field.kind == "texts":
        return [_text(one) for one in entries]
    if field.kind == "checklist":
        return [_check_item(one) for one in entries]
    if field.kind == "regions":
        scale = CANVAS_SIDE / max(size) if field.unit == "canvas" and size else 1.0
        return [_region(one, number, scale) for number, one in enumerate(entries, start=1) if isinstance(one, Mapping)]
    if field.kind == "questions":
        return [
            {name: _text(one.get(name, "")) for name in ("question", "answer", "category", "region")}
            for one in entries
            if isinstance(one, Mapping)
        ]
    return "\n".join(_text(one) for _, one in found)


def _check_item(one: Any) -> dict[str, str]:
    """An item of a checklist: an object, or a text with a colon between title and description.

    >>> _check_item("Fog: it sinks")
    {'title': 'Fog', 'description': 'it sinks'}
    """
    if isinstance(one, Mapping):
        return {name: _text(one.get(name, "")) for name in ("title", "description")}
    title, _, about = _text(one).partition(":")
    return {"title": title.strip(), "description": about.strip()}


def _region(one: Mapping[str, Any], number: int, scale: float) -> dict[str, Any]:
    box = [float(one.get(side, 0)) * scale for side in SIDES]
    return {"id": str(one.get("name") or f"region {number}"), "box": [round(side, 3) for side in box]}


def _link_questions(form: AnnotationForm, values: dict[str, Any], size: tuple[int, int] | None) -> None:
    """Give questions that name no region the whole picture to look at."""
    for field in form.of_kind("questions"):
        questions = values.get(field.name, [])
        if not field.of or not questions or size is None:
            continue
        regions = list(values.get(field.of, []))
        if any(not question["region"] for question in questions):
            scale = CANVAS_SIDE / max(size) if form[field.of].unit == "canvas" else 1.0
            regions.append({"id": WHOLE, "box": [0, 0, round(size[0] * scale, 3), round(size[1] * scale, 3)]})
        values[field.of] = regions
        values[field.name] = [{**question, "region": question["region"] or WHOLE} for question in questions]


def _first_pictures(form: AnnotationForm, values: Mapping[str, Any]) -> Sequence[Mapping[str, str]]:
    first = next(iter(form.of_kind("pictures")), None)
    return values.get(first.name, []) if first is not None else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else as_json(value)


def _copy_manifest(folder: Path, name: str, root: Path) -> None:
    """A suite.toml beside the plan, with the prompts that it names."""
    from editscope.documents import Malformed, read_toml
    from editscope.files import SETTINGS, read_file

    path = inside(folder, name)
    try:
        if path is None:
            raise BadInput(f"[output] manifest: {name!r} leaves {folder}")
        content = read_toml(read_file(path, SETTINGS).decode("utf-8"))
        metrics = content.get("metrics", [])
        prompts = [str(one.get("prompt", "")) for one in metrics if isinstance(one, dict)] if metrics else []
        shutil.copyfile(path, root / MANIFEST)
        for prompt in filter(lambda one: one.endswith(".txt"), prompts):
            source, target = inside(path.parent, prompt), inside(root, prompt)
            if source is None or target is None:
                raise BadInput(f"{path}: the prompt {prompt!r} leaves its folder")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(read_file(source, SETTINGS))
    except OSError as error:
        raise BadInput(f"[output] manifest: {error.filename or path} cannot be read ({error.strerror})") from error
    except (Malformed, UnicodeDecodeError) as error:
        raise BadInput(f"[output] manifest: {path} is not TOML ({error})") from error

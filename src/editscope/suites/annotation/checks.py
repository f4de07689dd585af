"""Checks that hold for every form: what is missing, too much, unknown, or outside its picture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from editscope.errors import unknown
from editscope.suites.annotation.form import CANVAS_SIDE, AnnotationForm, FormField, Remark, Sizes, Values
from editscope.suites.annotation.question_rules import question_remarks
from editscope.suites.datafolder.rows import tag_name


def form_remarks(form: AnnotationForm, values: Values, sizes: Sizes) -> Iterator[Remark]:
    """What is wrong with the values of a case by its form alone."""
    size = _first_size(form, values, sizes)
    for field in form.fields:
        if not field.asked(values):
            continue
        value = values.get(field.name, field.empty)
        if _is_blank(value):
            if field.required or field.least:
                yield Remark(field.name, f"{field.label}: {_missing(field)}")
            continue
        yield from _counted(field, value)
        if field.kind == "choice" and not field.open and tag_name(value) not in map(tag_name, field.options):
            yield Remark(field.name, f"{field.label}: {unknown(field.label.lower(), value, field.options)}")
        elif field.kind == "pictures":
            yield from _pictures(field, value, sizes)
        elif field.kind == "regions":
            yield from _regions(field, value, size)
        elif field.kind == "questions":
            regions = {region["id"] for region in values.get(field.of, ())}
            yield from question_remarks(field, value, regions)
        elif field.kind in ("texts", "checklist", "named"):
            yield from _entries(field, value)


def _missing(field: FormField) -> str:
    if field.kind in ("text", "long"):
        return "write a text"
    if field.kind == "choice":
        return "choose one"
    number = {1: "one"}.get(field.least or 1, str(field.least))
    what = {"pictures": "picture", "regions": "region", "questions": "question"}.get(field.kind, "entry")
    plural = {"entry": "entries"}.get(what, what + "s")
    return f"add at least {number} {what if number == 'one' else plural}"


def _is_blank(value: Any) -> bool:
    return not (value.strip() if isinstance(value, str) else value)


def _counted(field: FormField, value: Any) -> Iterator[Remark]:
    if isinstance(value, str):
        return
    if field.most is not None and len(value) > field.most:
        yield Remark(field.name, f"{field.label}: there are {len(value)}; at most {field.most} are allowed")
    if len(value) < field.least:
        yield Remark(field.name, f"{field.label}: there are {len(value)}; at least {field.least} are needed")


def _entries(field: FormField, value: list[Any]) -> Iterator[Remark]:
    seen: dict[str, int] = {}
    for place, entry in enumerate(value):
        parts = [entry] if isinstance(entry, str) else [v for k, v in entry.items() if k != "rest"]
        if any(_is_blank(part) for part in parts):
            missing = "a text" if isinstance(entry, str) else " and ".join(k for k in entry if k != "rest")
            yield Remark(field.name, f"{field.label} {place + 1}: write {missing}", entry=place)
            continue
        first = parts[0].strip().casefold()
        if first in seen:
            yield Remark(field.name, f"{field.label} {place + 1} says the same as {seen[first] + 1}", entry=place)
        seen.setdefault(first, place)


def _pictures(field: FormField, value: list[Any], sizes: Sizes) -> Iterator[Remark]:
    for place, entry in enumerate(value):
        if entry["path"] not in sizes:
            yield Remark(
                field.name, f"{field.label} {place + 1}: {entry['path']} is missing or cannot be read", entry=place
            )
        if field.roles and entry["role"] not in field.roles:
            yield Remark(field.name, f"{field.label} {place + 1}: choose {' or '.join(field.roles)}", entry=place)


def _regions(field: FormField, value: list[Any], size: tuple[int, int] | None) -> Iterator[Remark]:
    if size is None:
        return
    scale = CANVAS_SIDE / max(size) if field.unit == "canvas" else 1.0
    wide, high = size[0] * scale, size[1] * scale
    for place, region in enumerate(value):
        x, y, w, h = region["box"]
        named = f"{field.label} {place + 1}"
        if x >= wide or y >= high or x + w <= 0 or y + h <= 0:
            yield Remark(field.name, f"{named} lies outside the picture; move it inside", entry=place)
        elif min(x, y) < -0.5 or x + w > wide + 0.5 or y + h > high + 0.5:
            yield Remark(field.name, f"{named} reaches over the edge; only the part inside counts", "advice", place)
        elif w < 4 * scale or h < 4 * scale:
            yield Remark(field.name, f"{named} is smaller than 4 pixels; draw it larger", "advice", place)


def _first_size(form: AnnotationForm, values: Values, sizes: Sizes) -> tuple[int, int] | None:
    """The size of the picture that regions are drawn on: the first one of the case."""
    for field in form.of_kind("pictures"):
        for entry in values.get(field.name, ()):
            return sizes.get(entry["path"])
    return None

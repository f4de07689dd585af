"""Annotation layouts by the name of their benchmark, imported when they are asked for."""

from __future__ import annotations

from editscope.errors import BadInput, unknown
from editscope.suites.annotation.layout import AnnotationLayout
from editscope.suites.registry import benchmarks


def layout_names() -> tuple[str, ...]:
    """The benchmarks whose cases can be annotated, in the order of lists."""
    return tuple(record.name for record in benchmarks() if record.annotation)


def annotation_layout(name: str) -> AnnotationLayout:
    """The layout of a benchmark."""
    record = next((one for one in benchmarks() if one.name == name and one.annotation), None)
    if record is None:
        raise unknown("annotation layout", name, layout_names())
    layout = record.part("annotation")
    if not isinstance(layout, AnnotationLayout):
        raise BadInput(f"annotation of {name} is {record.annotation}, which is not an AnnotationLayout")
    return layout

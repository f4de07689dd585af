"""An annotation layout: how the cases of a benchmark are read from its files, checked, and written back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from editscope.cases import NOTHING
from editscope.errors import BadImage, BadInput
from editscope.images import probe
from editscope.suites.annotation.form import AnnotationForm, Remark, Sizes, Values
from editscope.suites.annotation.writing import write_files
from editscope.suites.datafolder.rows import DataRow, inside

if TYPE_CHECKING:
    from editscope.suites.base import Suite


@dataclass(frozen=True, slots=True)
class AnnotationRecord:
    """One case: what its form holds, and ``raw``, its entry in the file as it was read; empty for a new case."""

    values: Values
    raw: Mapping[str, Any] = field(default_factory=lambda: NOTHING)


class AnnotationLayout(ABC):
    """How the cases of one benchmark are annotated.

    A case that nobody changed is written as it was read, field for field. Of one that was changed, fields that the
    form does not know are kept.
    """

    suite: ClassVar[str]
    """The suite that loads what is written."""
    title: ClassVar[str]
    files_label: ClassVar[str]
    """The files that it reads and writes, for people."""
    record_fields: ClassVar[Mapping[str, str]] = NOTHING
    """Which fields of records that a pipeline has built fill a field of the form: ``a | b`` is the first that is there,
    ``a + b`` all of them. A field of the form that is not named here is filled by the field of its own name."""

    @abstractmethod
    def find(self, folder: Path) -> Path | None:
        """The folder that the paths of the data are relative to, where a folder holds data; else None."""

    @abstractmethod
    def form(self, root: Path) -> AnnotationForm:
        """What is asked about a case."""

    @abstractmethod
    def raws(self, root: Path) -> Iterable[Mapping[str, Any]]:
        """The entries of the files, in order; BadInput where a file cannot be read."""

    @abstractmethod
    def values(self, raw: Mapping[str, Any], root: Path) -> dict[str, Any]:
        """What the form holds of an entry."""

    @abstractmethod
    def entry(self, record: AnnotationRecord, root: Path) -> dict[str, Any]:
        """The entry of a case that was changed; fields of ``raw`` that the form does not know are kept."""

    @abstractmethod
    def contents(self, root: Path, entries: Sequence[Mapping[str, Any]]) -> dict[str, bytes]:
        """The files that hold these entries, by path below the root."""

    @abstractmethod
    def key(self, values: Values) -> str:
        """The id of a case, which no other case may have."""

    @abstractmethod
    def blank(self, number: int, pictures: Sequence[str]) -> dict[str, Any]:
        """The values that a new case of these pictures begins with; ``number`` counts cases from 1."""

    def record_field(self, name: str) -> str:
        """Which fields of a built record fill a field of the form."""
        return self.record_fields.get(name, name)

    def from_record(self, root: Path, number: int, values: dict[str, Any]) -> dict[str, Any]:
        """The values of a case that a pipeline has built, as the layout wants them; ``number`` counts cases from 1."""
        return values

    def begin_folder(self, root: Path, name: str, about: str, *, pixels: bool, tags: Sequence[str]) -> None:  # noqa: B027
        """Write what a new folder needs before its form is known. ``pixels``: every case has its right answer."""

    def remarks(self, values: Values, sizes: Sizes) -> Iterator[Remark]:
        """What the benchmark's own rules say about a case."""
        return iter(())

    def settings(self, root: Path) -> dict[str, bytes]:
        """Files that a folder needs besides the list of cases and does not have yet."""
        return {}

    def companions(self, root: Path) -> Iterable[str]:
        """Files that belong to the data besides the list of cases and the pictures, by path below the root."""
        return ()

    def loaded(self, root: Path) -> tuple[Suite, ...]:
        """The suites that load from what was written; cases with flaws are left out."""
        from editscope.suites.registry import load_suite

        return (load_suite(self.suite, root=root, skip_bad=True),)

    def read(self, root: Path) -> tuple[AnnotationRecord, ...]:
        """The cases of a folder."""
        return tuple(AnnotationRecord(self.values(raw, root), raw) for raw in self.raws(root))

    def write(self, root: Path, records: Iterable[AnnotationRecord]) -> tuple[Path, ...]:
        """Write the cases into a folder, whole files or none; earlier files are kept beside, with ``.bak`` and time."""
        entries = [self._entry(record, root) for record in records]
        return write_files(root, {**self.settings(root), **self.contents(root, entries)})

    def _entry(self, record: AnnotationRecord, root: Path) -> Mapping[str, Any]:
        form = self.form(root)
        if record.raw and form.filled(self.values(record.raw, root)) == form.filled(record.values):
            return record.raw
        return self.entry(record, root)

    def check(self, form: AnnotationForm, values: Values, sizes: Sizes) -> list[Remark]:
        """All that is wrong with a case or could be better, what is wrong first."""
        from editscope.suites.annotation.checks import form_remarks

        found = [*form_remarks(form, values, sizes), *self.remarks(values, sizes)]
        return sorted(dict.fromkeys(found), key=lambda remark: remark.severity != "wrong")


def picture_sizes(form: AnnotationForm, values: Values, root: Path) -> dict[str, tuple[int, int]]:
    """Width and height of the pictures of a case; those that are missing or cannot be read are left out."""
    sizes = {}
    for pictures in form.of_kind("pictures"):
        for entry in values.get(pictures.name, ()):
            path = inside(root, entry["path"])
            if path is None or not entry["path"].strip():
                continue
            try:
                sizes[entry["path"]] = probe(path)
            except BadImage:
                continue
    return sizes


def whole_rows(rows: Iterable[DataRow]) -> Iterator[dict[str, Any]]:
    """The fields of rows; BadInput for a row that cannot be read, since it would be lost when the file is written."""
    for row in rows:
        row.check_texts()
        if row.flaws:
            raise BadInput(f"{row.flaws[0]}; correct it before you annotate")
        yield dict(row.fields)


def text_of(raw: Mapping[str, Any], name: str) -> str:
    """A field as a text: "" where it is missing.

    >>> text_of({"a": " b ", "c": 3, "d": None}, "a"), text_of({"c": 3}, "c"), text_of({"d": None}, "d")
    (' b ', '3', '')
    """
    value = raw.get(name)
    return value if isinstance(value, str) else "" if value is None else str(value)


def picture_entries(paths: Any) -> list[dict[str, str]]:
    """The value of a field of pictures for a path or a list of paths."""
    listed = paths if isinstance(paths, list) else [paths]
    return [{"path": path.strip(), "role": ""} for path in listed if isinstance(path, str) and path.strip()]


def updated(raw: Mapping[str, Any], changed: Mapping[str, Any]) -> dict[str, Any]:
    """An entry with new values; None takes a field out, and what was not there and is empty stays out.

    >>> updated({"id": 1, "other": 2, "hint": "a"}, {"id": "1", "hint": None, "text": "", "more": "b"})
    {'id': '1', 'other': 2, 'more': 'b'}
    """
    kept = {name: value for name, value in raw.items() if name not in changed or changed[name] is not None}
    new = {name: value for name, value in changed.items() if value is not None and (value or name in raw)}
    return kept | new

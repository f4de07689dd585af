"""Edits that were made elsewhere: a folder in the released output layout, ``<task>/NNNN_output.png``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from editscope.cases import Edit
from editscope.editors.base import Editor, Inventory, Request
from editscope.errors import BadImage, BadInput
from editscope.images import probe

SUFFIXES = (".png", ".webp", ".jpg", ".jpeg")
"""Endings of output files; where a case has several files the earlier ending is used."""

RELEASED_NAMES = ("PaintBench", "TinyGrafixBench")
"""Sub-folders that the releases put around the tasks."""


def load(target: str, **options: Any) -> Editor:
    """The editor for ``folder:PATH``."""
    if options:
        raise BadInput(f"editor folder:{target} takes no options, but got {', '.join(sorted(options))}")
    return FolderEditor(Path(target))


class FolderEditor(Editor):
    """Returns the file that belongs to a case; makes nothing."""

    workers = None
    in_place = True

    def __init__(self, root: Path) -> None:
        if not root.is_dir():
            raise BadInput(f"{root} is not a folder; folder:PATH takes a folder of <task>/NNNN_output.png files")
        self.root = root.resolve()
        self.name = self.root.name or "outputs"

    def edit(self, case: Request) -> Edit:
        """The path of the case's file, or the reason why there is none."""
        path = self._files.get(_key(case.case_id))
        if path is None:
            return Edit(case.case_id, status="no_output", reason="no file for this case")
        if not self._inside(path):
            return Edit(case.case_id, status="no_output", reason=f"{self._said(path)} is a link out of the folder")
        return Edit(case.case_id, image=path)

    def inventory(self, selected: Sequence[str], known: Sequence[str]) -> Inventory:
        """Which cases have no file, which files belong to no case, and which files are no pictures."""
        keys = {_key(case_id) for case_id in known}
        missing = tuple(case_id for case_id in selected if _key(case_id) not in self._files)
        used = {key: path for key, path in self._files.items() if key in keys}
        bases = {self._base(path) for path in used.values()} or set(self._bases)
        unmatched = [
            self._said(path)
            for path in self._listing
            if self._base(path) in bases
            and path not in self._twins
            and _key_of_file(path, self._base(path)) not in keys
        ]
        unmatched += [
            f"{self._said(twin)} (a second file for {key}; {self._said(self._files[key])} is used)"
            for twin, key in self._twins.items()
            if key in keys
        ]
        wanted = [self._files[_key(i)] for i in selected if _key(i) in self._files]
        unreadable = tuple(said for path in wanted if (said := self._unreadable(path)))
        digest = sha256("\n".join(_stamp(path) for path in wanted).encode()).hexdigest()[:16]
        return Inventory(len(wanted) - len(unreadable), missing, tuple(unmatched), unreadable, digest)

    @cached_property
    def _bases(self) -> tuple[Path, ...]:
        return (self.root, *(self.root / name for name in RELEASED_NAMES if (self.root / name).is_dir()))

    @cached_property
    def _listing(self) -> tuple[Path, ...]:
        return tuple(path for base in self._bases for path in _pictures(base))

    @cached_property
    def _files(self) -> dict[str, Path]:
        files: dict[str, Path] = {}
        for path in sorted(self._listing, key=_preference):
            key = _key_of_file(path, self._base(path))
            if key is not None:
                files.setdefault(key, path)
        return files

    @cached_property
    def _twins(self) -> dict[Path, str]:
        """Files for a case that has a better one already."""
        keys = {path: _key_of_file(path, self._base(path)) for path in self._listing}
        return {path: key for path, key in keys.items() if key is not None and self._files[key] != path}

    def _base(self, path: Path) -> Path:
        return next(base for base in reversed(self._bases) if path.is_relative_to(base))

    def _said(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    def _inside(self, path: Path) -> bool:
        return path.resolve().is_relative_to(self.root)

    def _unreadable(self, path: Path) -> str | None:
        if not self._inside(path):
            return f"{self._said(path)}: a link out of the folder, not followed"
        try:
            probe(path)
        except BadImage as error:
            return f"{self._said(path)}: {error}"
        return None


def _pictures(base: Path) -> Iterator[Path]:
    """Picture files in the folders of ``base``; the releases' own sub-folders are bases of their own."""
    for folder in sorted(p for p in base.iterdir() if p.is_dir() and p.name not in RELEASED_NAMES):
        yield from sorted(p for p in folder.rglob("*") if p.suffix.lower() in SUFFIXES)
    yield from sorted(p for p in base.iterdir() if p.is_file() and p.suffix.lower() in SUFFIXES)


def _key(case_id: str) -> str:
    """A case id without leading zeros in its number, so that ``border/007`` finds ``border/0007_output.png``.

    >>> _key("border/007"), _key("border/000"), _key("anything/else-07")
    ('border/7', 'border/0', 'anything/else-07')
    """
    head, slash, last = case_id.rpartition("/")
    return head + slash + (str(int(last)) if re.fullmatch(r"[0-9]+", last) else last)


def _key_of_file(path: Path, base: Path) -> str | None:
    if not path.stem.endswith("_output"):
        return None
    relative = path.relative_to(base).with_name(path.stem.removesuffix("_output"))
    return _key(relative.as_posix())


def _preference(path: Path) -> tuple[int, int, str]:
    """PNG before lossy files, longer numbers (the released four digits) before shorter ones."""
    return (SUFFIXES.index(path.suffix.lower()), -len(path.stem), path.as_posix())


def _stamp(path: Path) -> str:
    stat = path.stat()
    return f"{path.as_posix()}|{stat.st_size}|{stat.st_mtime_ns}"

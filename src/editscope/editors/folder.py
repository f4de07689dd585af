"""Edits that were made elsewhere: a folder of files that are named as the suite says, or ``<task>/NNNN_output.png``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from editscope.cases import NOTHING, Edit
from editscope.editors.base import Editor, Inventory, OutputNames, Request
from editscope.editors.repeats import plain, repeated
from editscope.errors import BadImage, BadInput
from editscope.files import lies_in
from editscope.images import probe
from editscope.outside import repaired, required

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
    sees_images = False

    def __init__(self, root: Path) -> None:
        if not root.is_dir():
            raise BadInput(
                f"{root} is not a folder; folder:PATH takes a folder of edits, named as described on the suite's page"
            )
        self.root = Path(required("the path of the folder of edits", str(root.resolve())))
        self.name = self.root.name or "outputs"

    def edit(self, case: Request) -> Edit:
        """The path of the case's file, or the reason why there is none."""
        path = next(iter(self._candidates(case.case_id, repeated(case.variant, case.repeat), case.outputs)), None)
        if path is None:
            return Edit(case.case_id, case.variant, status="no_output", reason="no file for this case")
        if not self._inside(path):
            reason = f"{self._said(path)} is a link out of the folder"
            return Edit(case.case_id, case.variant, status="no_output", reason=reason)
        return Edit(case.case_id, case.variant, image=path)

    def inventory(self, selected: Sequence[str], known: Sequence[str], names: OutputNames = NOTHING) -> Inventory:
        """Which edits have no file, which files belong to no case, and which files are no pictures.

        Raises BadInput where a repeat has no file at all: the folder then holds fewer edits of a case than asked for.
        """
        files = {
            _named(case_id, variant): self._candidates(case_id, variant, places)
            for case_id in known
            for variant, places in _edits(case_id, names)
        }
        owners = {path: edit for edit, found in files.items() for path in found}
        used = {found[0] for found in files.values() if found}
        bases = {self._base(path) for path in used} or set(self._bases)
        unmatched = [self._said(path) for path in self._listing if path not in owners and self._base(path) in bases]
        unmatched += [
            f"{self._said(path)} (a second file for {owners[path]}; {self._said(files[owners[path]][0])} is used)"
            for path in self._listing
            if path in owners and path not in used
        ]
        self._check_repeats(selected, names, files)
        edits = [_named(case_id, variant) for case_id in selected for variant, _ in _edits(case_id, names)]
        wanted = [files[edit][0] for edit in edits if files[edit]]
        unreadable = tuple(said for path in wanted if (said := self._unreadable(path)))
        every = ((case_id, variant, places) for case_id in selected for variant, places in _edits(case_id, names))
        absent = (one for one in every if not files[_named(*one[:2])])
        return Inventory(
            outputs=len(wanted) - len(unreadable),
            missing=tuple(edit for edit in edits if not files[edit]),
            expected=next((_expected(*one) for one in absent), ""),
            unmatched=tuple(unmatched),
            unreadable=unreadable,
            digest=sha256("\n".join(_stamp(path) for path in wanted).encode()).hexdigest()[:16],
        )

    def _check_repeats(self, selected: Sequence[str], names: OutputNames, files: Mapping[str, Sequence[Path]]) -> None:
        there: dict[int, bool] = {}
        for case_id in selected:
            for variant, _ in _edits(case_id, names):
                repeat = plain(variant)[1]
                there[repeat] = there.get(repeat, False) or bool(files[_named(case_id, variant)])
        gone = [repeat for repeat, any_file in there.items() if repeat and not any_file]
        if gone and there[0]:
            some = next(found[0] for found in files.values() if found)
            wanted = some.with_stem(repeated(some.stem, gone[0])).name
            raise BadInput(
                f"{self.root} has no file for repeat {gone[0] + 1}, such as {wanted}: a folder holds one edit of "
                "each case unless further ones are named so; leave --repeats out, or add the files"
            )

    def _candidates(self, case_id: str, name: str, places: Sequence[str]) -> tuple[Path, ...]:
        """The files that an edit may be, best first: where the suite says, as the releases call it, by the id.

        ``places`` say the repeat already; the other names have it after them, as in ``0012_output~2.png``.
        """
        variant, repeat = plain(name)
        paths = [path for place in places for path in self._by_place.get(place, ())]
        if not variant:
            paths += self._by_key.get(repeated(_key(case_id), repeat), ())
            paths += self._by_place.get(repeated(case_id, repeat), ())
        return tuple(dict.fromkeys(paths))

    @cached_property
    def _bases(self) -> tuple[Path, ...]:
        return (self.root, *(self.root / name for name in RELEASED_NAMES if (self.root / name).is_dir()))

    @cached_property
    def _listing(self) -> tuple[Path, ...]:
        return tuple(path for base in self._bases for path in _pictures(base))

    @cached_property
    def _by_place(self) -> dict[str, list[Path]]:
        """Files by their path without suffix, the better ending first."""
        places: dict[str, list[Path]] = {}
        for path in sorted(self._listing, key=_preference):
            places.setdefault(path.relative_to(self.root).with_suffix("").as_posix(), []).append(path)
        return places

    @cached_property
    def _by_key(self) -> dict[str, list[Path]]:
        """Files in the layout of the releases by the key of their case, the better name first."""
        keys: dict[str, list[Path]] = {}
        for path in sorted(self._listing, key=_preference):
            key = _key_of_file(path, self._base(path))
            if key is not None:
                keys.setdefault(key, []).append(path)
        return keys

    def _base(self, path: Path) -> Path:
        return next(base for base in reversed(self._bases) if path.is_relative_to(base))

    def _said(self, path: Path) -> str:
        return repaired(path.relative_to(self.root).as_posix())

    def _inside(self, path: Path) -> bool:
        return lies_in(path, self.root)

    def _unreadable(self, path: Path) -> str | None:
        if not self._inside(path):
            return f"{self._said(path)}: a link out of the folder, not followed"
        try:
            probe(path)
        except BadImage as error:
            return f"{self._said(path)}: {error}"
        return None


def _edits(case_id: str, names: OutputNames) -> Iterator[tuple[str, Sequence[str]]]:
    """The variants of a case and where the suite says they lie; one edit, place unknown, where it does not say."""
    yield from (names.get(case_id) or {"": ()}).items()


def _named(case_id: str, variant: str) -> str:
    return f"{case_id} [{variant}]" if variant else case_id


def _expected(case_id: str, variant: str, places: Sequence[str]) -> str:
    """The name of the file of an edit: where the suite says, or as the releases call it.

    >>> _expected("border/007", "", ()), _expected("border/007", "~2", ()), _expected("12", "", ("en/12",))
    ('border/0007_output.png', 'border/0007_output~2.png', 'en/12.png')
    """
    if places:
        return f"{places[0]}{SUFFIXES[0]}"
    head, slash, number = case_id.rpartition("/")
    name = f"{head}{slash}{number.zfill(4)}_output" if re.fullmatch(r"[0-9]+", number) else case_id
    return f"{repeated(name, plain(variant)[1])}{SUFFIXES[0]}"


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
    stem, repeat = plain(path.stem)
    if not stem.endswith("_output"):
        return None
    relative = path.relative_to(base).with_name(stem.removesuffix("_output"))
    return repeated(_key(relative.as_posix()), repeat)


def _preference(path: Path) -> tuple[int, int, str]:
    """PNG before lossy files, longer numbers (the released four digits) before shorter ones."""
    return (SUFFIXES.index(path.suffix.lower()), -len(path.stem), path.as_posix())


def _stamp(path: Path) -> str:
    try:
        stat = path.stat()
    except OSError:  # a link that leads nowhere: it is listed as unreadable
        stat = path.lstat()
    return f"{path.as_posix()}|{stat.st_size}|{stat.st_mtime_ns}"

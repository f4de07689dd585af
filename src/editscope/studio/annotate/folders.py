"""Folders of a studio that can be annotated: those with data in a known layout, and those with pictures."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from editscope.errors import BadInput
from editscope.studio.failures import Missing
from editscope.suites.annotation.registry import annotation_layout, layout_names
from editscope.suites.datafolder.rows import inside

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".tif", ".tiff")
DEEPEST = 4
"""Levels below the studio's folder that are looked through."""
MOST_FOLDERS = 3_000
MOST_PICTURES = 5_000
RUN = "run.json"
"""What a run folder has; its pictures are edits, and nobody annotates those."""
_NAME = re.compile(r"[\w][\w .()-]{0,79}")


@dataclass(frozen=True, slots=True)
class AnnotatedFolder:
    """A folder below the studio's: its path from there, the layouts whose data it holds, and how many pictures."""

    path: str
    layouts: tuple[str, ...]
    pictures: int


def annotatable(folder: Path) -> list[AnnotatedFolder]:
    """The folders that hold data or pictures, the studio's own folder first."""
    layouts = {name: annotation_layout(name) for name in layout_names()}
    found = []
    for place in _folders(folder):
        known = tuple(name for name, layout in layouts.items() if layout.find(place) == place)
        pictures = sum(1 for file in place.iterdir() if file.name.lower().endswith(SUFFIXES))
        if known or pictures:
            found.append(AnnotatedFolder(place.relative_to(folder).as_posix(), known, pictures))
    return sorted(found, key=lambda one: (not one.layouts, one.path))


def _folders(folder: Path) -> Iterator[Path]:
    seen = 0
    for place, names, files in os.walk(folder):
        path = Path(place)
        depth = len(path.relative_to(folder).parts)
        names[:] = sorted(n for n in names if not n.startswith(".")) if depth < DEEPEST and RUN not in files else []
        if RUN in files:
            continue
        seen += 1
        if seen > MOST_FOLDERS:
            return
        yield path


def folder_at(folder: Path, path: str) -> Path:
    """A folder below the studio's, by the path that a page names; Missing for one that is not there or hidden."""
    place = inside(folder, path)
    if place is None or _hidden(path) or not _is(place, Path.is_dir):
        raise Missing("There is no such folder in the studio.")
    return place


def export_name(folder: Path, name: str) -> str:
    """A name for the folder that a project is exported to, which nothing has yet.

    >>> export_name(Path("studio"), "data/physics: new")
    'physics new annotated'
    """
    kept = " ".join(re.sub(r"[^\w .-]", " ", name.strip("/").rpartition("/")[2]).split()).strip(".- ")
    wanted = f"{kept[:60].strip() or 'project'} annotated"
    names = (wanted, *(f"{wanted} {number}" for number in range(2, 1000)))
    return next((one for one in names if not (folder / one).exists()), wanted)


def new_folder(folder: Path, name: str) -> Path:
    """A folder that does not exist yet, right below the studio's; BadInput for a name that cannot be one."""
    cleaned = name.strip()
    if not _NAME.fullmatch(cleaned):
        raise BadInput("The name of a folder has letters, digits, spaces, dots, - and _, at most 80, and no slash.")
    place = folder / cleaned
    if place.exists():
        raise BadInput(f"There is a folder {cleaned!r} already; choose another name, so that nothing is overwritten.")
    return place


def pictures_in(root: Path) -> list[str]:
    """The paths of the pictures below a folder, in order; at most MOST_PICTURES."""
    found: list[str] = []
    for place, names, files in os.walk(root):
        names[:] = sorted(name for name in names if not name.startswith("."))
        found += [
            (Path(place) / name).relative_to(root).as_posix()
            for name in sorted(files)
            if name.lower().endswith(SUFFIXES) and not name.startswith(".")
        ]
        if len(found) >= MOST_PICTURES:
            return found[:MOST_PICTURES]
    return found


def picture_at(root: Path, path: str) -> Path:
    """A picture below a folder, by the path that a page names; Missing for one that is not there or hidden."""
    place = inside(root, path)
    if place is None or _hidden(path) or not _is(place, Path.is_file):
        raise Missing("There is no such picture in the folder.")
    return place


def _is(place: Path, test: Callable[[Path], bool]) -> bool:
    """Whether a place passes a test; False where its name is longer than a file system allows."""
    try:
        return test(place)
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        return False


def _hidden(path: str) -> bool:
    return any(part.startswith(".") and part != "." for part in Path(path).parts)

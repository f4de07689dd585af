"""Pictures by run, case and kind: found through the catalog, streamed as they are, or made small and kept."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from editscope.errors import BadImage, EditscopeError
from editscope.results.case_record import Thumbs
from editscope.runfolder.files import DiskError, write_whole
from editscope.studio.catalog.catalog import Catalog
from editscope.studio.catalog.records import Doc, digest
from editscope.studio.failures import Missing
from editscope.studio.pictures.given import GivenCases

SIDES = (0, 160, 768)
"""The longer sides that a picture can be asked for in; 0 is its full size."""
SMALL = 160
MAP_SIDE = 1024
GIVEN = ("input", "answer", "reference")
SIGNATURES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
}
"""Formats that every browser shows; a file of another one is sent as PNG."""
WEBP = "image/webp"


@dataclass(frozen=True, slots=True)
class ServedPicture:
    """The bytes of a picture, what they are, and a tag that changes with them."""

    data: bytes
    kind: str
    tag: str


class PictureBook:
    """All pictures that runs and their suites have. Nothing that a request names becomes part of a path."""

    def __init__(self, catalog: Catalog, cache: Path) -> None:
        self._catalog, self._cache = catalog, cache
        self.given = GivenCases()

    def picture(self, run_id: str, case_id: str, variant: str, kind: str, side: int) -> ServedPicture:
        """A picture of a case in a run; Missing where there is none, and a picture that says so where it is damaged."""
        doc = self._catalog.doc(run_id, case_id, variant)
        folder = self._catalog.path(run_id)
        try:
            return self._found(run_id, folder, doc, kind, side)
        except BadImage:
            return placeholder("This picture cannot be decoded.")
        except FileNotFoundError:
            if not folder.exists():
                raise Missing("This run was just removed.") from None
            return placeholder("This picture is no longer where the run says.")

    def _found(self, run_id: str, folder: Path, doc: Doc, kind: str, side: int) -> ServedPicture:
        name = kind.partition(" ")[0]
        if name == "edit":
            return self._edit(folder, doc, kind, side)
        if name == "levels":
            return self._levels(run_id, folder, doc, side)
        if name.rstrip("0123456789") in GIVEN:
            return self._given(run_id, folder, doc, kind, side)
        return _streamed(self._thumb(folder, doc, kind))  # what a judge was shown of an edit

    def _thumb(self, folder: Path, doc: Doc, kind: str) -> Path:
        """A small picture that the run made itself."""
        path = thumbs_of(folder, doc).get(kind)
        if path is None:
            raise Missing("There is no such picture of this case.")
        return path

    def _edit(self, folder: Path, doc: Doc, kind: str, side: int) -> ServedPicture:
        if side == SMALL and (small := thumbs_of(folder, doc).get(kind)) is not None:
            return _streamed(small)
        path = edit_path(doc, kind.partition(" ")[2])
        if not path.is_file():
            small = thumbs_of(folder, doc).get(kind)
            if small is not None:
                return _streamed(small)
            raise FileNotFoundError(path)
        return self._sized(path, side)

    def _given(self, run_id: str, folder: Path, doc: Doc, kind: str, side: int) -> ServedPicture:
        """An input, reference or answer: from the suite where it can be read here, else as small as the run has it."""
        small = thumbs_of(folder, doc).get(kind)
        if side == SMALL and small is not None:
            return _streamed(small)
        card = self._catalog.entry(run_id).card
        try:
            picture = self.given.pictures(card, doc["case"]).get(kind)
        except (EditscopeError, OSError):
            picture = None
        if picture is None:
            if small is None:
                raise Missing("There is no such picture of this case.")
            return _streamed(small)
        if isinstance(picture, str | Path):
            return self._sized(Path(picture), side)
        from editscope.images import encode_png, load

        name = digest(card.set_id, doc["case"], doc["print"], kind, str(side))
        return self._kept(name, ".png", lambda: encode_png(_scaled(load(picture), side)))

    def _levels(self, run_id: str, folder: Path, doc: Doc, side: int) -> ServedPicture:
        """At which tolerance each pixel is right: a page colors the error map from it. Small where inputs are gone."""
        small = thumbs_of(folder, doc).get("levels")
        if "counts" not in doc or (side == SMALL and small is not None):
            return _streamed(self._thumb(folder, doc, "levels"))
        card = self._catalog.entry(run_id).card
        try:
            path = edit_path(doc, "")
            given = self.given.pictures(card, doc["case"])
            before, after = given["input"], given["answer"]
            about = path.stat()
        except (EditscopeError, OSError, KeyError):
            if small is None:
                raise Missing("There is no error map of this case.") from None
            return _streamed(small)

        def make() -> bytes:
            from editscope.images import encode_png
            from editscope.scoring.errormap import level_map, score_and_levels

            return encode_png(level_map(score_and_levels(before, after, path)[1], MAP_SIDE), palette=False)

        return self._kept(digest("levels", str(path), str(about.st_mtime_ns), doc["print"]), ".png", make)

    def _sized(self, path: Path, side: int) -> ServedPicture:
        """A picture file as it is, or made smaller where it is larger than asked for."""
        from editscope.images import encode_png, encode_thumbnail, load, probe

        longest = max(probe(path))
        kind = media_type(path)
        if kind and (not side or longest <= side):
            return _streamed(path)
        about = path.stat()
        name = digest(str(path), str(about.st_mtime_ns), str(about.st_size), str(side))
        if side:
            return self._kept(name, ".webp", lambda: encode_thumbnail(_scaled(load(path), side)))
        return self._kept(name, ".png", lambda: encode_png(load(path)))

    def _kept(self, name: str, suffix: str, make: Callable[[], bytes]) -> ServedPicture:
        """A picture that was made before, or is made now and kept; where it cannot be kept, it is only made."""
        path = self._cache / name[:2] / f"{name}{suffix}"
        try:
            data = path.read_bytes()
        except OSError:
            data = make()
            with contextlib.suppress(DiskError, OSError):
                write_whole(path, data, sync=False)
        return ServedPicture(data, WEBP if suffix == ".webp" else "image/png", f'"{name}"')


def thumbs_of(folder: Path, doc: Doc) -> Thumbs:
    """The small pictures of a case that a run made while it went."""
    return Thumbs(folder, doc["case"], list(doc.get("images") or {doc["variant"]: ""}))


def edit_path(doc: Doc, variant: str) -> Path:
    """Where an edit lies; of several of one unit, the one that is named."""
    images: dict[str, Any] = doc.get("images") or {}
    places = [path for name, path in images.items() if name.partition("~")[0] == variant] if variant else []
    place = next(iter(places or images.values()), None)
    if place is None:
        raise Missing("There is no edit of this case.")
    return Path(place)


def media_type(path: Path) -> str:
    """What a file is by its first bytes; "" for what browsers may not show."""
    with path.open("rb") as file:
        head = file.read(16)
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return WEBP
    return next((kind for start, kind in SIGNATURES.items() if head.startswith(start)), "")


def placeholder(sentence: str) -> ServedPicture:
    """A picture that says why there is none."""
    text = escape(sentence)
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="320" height="320" viewBox="0 0 320 320" role="img">'
        f'<title>{text}</title><rect width="320" height="320" fill="#eceae2"/>'
        '<path d="M120 120 L200 200 M200 120 L120 200" stroke="#8a8e96" stroke-width="6"/>'
        '<text x="160" y="244" font-family="sans-serif" font-size="14" fill="#5c616b" text-anchor="middle">'
        f"{text}</text>"
        "</svg>"
    )
    return ServedPicture(svg.encode(), "image/svg+xml", "")


def _streamed(path: Path) -> ServedPicture:
    """A file that browsers show, as it is."""
    from editscope.images import read_picture

    about = path.stat()
    kind = media_type(path)
    if not kind:
        raise BadImage(f"{path.name} is not a picture that browsers show")
    return ServedPicture(read_picture(path), kind, f'"{about.st_mtime_ns:x}-{about.st_size:x}"')


def _scaled(pixels: Any, side: int) -> Any:
    from editscope.images import thumbnail

    return thumbnail(pixels, side) if side and max(pixels.shape[:2]) > side else pixels

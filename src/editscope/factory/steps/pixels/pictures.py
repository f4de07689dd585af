"""Steps over single pictures: their fingerprints and near duplicates, crops, and the least resolution."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from editscope.errors import BadInput
from editscope.factory.checks.crops import CropBox, center_crop, moved_regions, nearest_ratio, ratio_of
from editscope.factory.checks.fingerprints import bits_apart, fingerprint
from editscope.factory.checks.perceptual_hash import NearHashes
from editscope.factory.records import Record
from editscope.factory.steps.base import Kind, Outcome, RecordDecision, WholeStep, dropped, kept
from editscope.factory.steps.pixels.base import PixelStep, picture
from editscope.factory.steps.tools import Tools
from editscope.images import encode_png


class FingerprintStep(PixelStep):
    """The perceptual hashes of a picture: ``phash`` with 64 bits and ``phash_long`` with 256, as digits."""

    kind = "map"
    fields_of: ClassVar = ("picture",)
    settings_of: ClassVar = {"picture": "picture", "into": "phash"}

    def look(self, record: Record, tools: Tools) -> Outcome:
        """The record with its fingerprint."""
        short, long = fingerprint(picture(record, self.settings["picture"], tools))
        return kept({self.settings["into"]: short, f"{self.settings['into']}_long": long})


class NearDuplicatesStep(WholeStep):
    """The first of pictures that are nearly the same, by the hashes of ``fingerprint``.

    Two are nearly the same where their 64 bits differ in at most ``most_bits``, and their 256 bits in at most
    ``most_long_bits``. From 8 bits on, looking takes eight times as long. A record without fingerprint goes on.
    """

    kind = "filter"
    settings_of: ClassVar = {"field": "phash", "most_bits": 7, "most_long_bits": 56}
    decisive = ("most_bits", "most_long_bits")

    def __init__(self, name: str, settings: Mapping[str, Any], reads: Sequence[str] = ()) -> None:
        super().__init__(name, settings, reads)
        self.needs = (self.settings["field"], f"{self.settings['field']}_long")
        NearHashes[str](self.settings["most_bits"])  # says what is wrong with the setting before anything is built

    def decide(self, records: Iterable[Record], tools: Tools) -> Iterator[RecordDecision]:
        """Drop what is near to a record that came before and stays."""
        kept_hashes = NearHashes[str](self.settings["most_bits"])
        long_hashes: dict[str, str] = {}
        for record in records:
            short, long = (record.fields.get(name) for name in self.needs)
            if not isinstance(short, str):
                yield RecordDecision(record.id)
                continue
            near = (name for _, name in kept_hashes.near(int(short, 16)))
            first = next((name for name in near if self._alike(long, long_hashes.get(name))), "")
            if not first:
                kept_hashes.add(int(short, 16), record.id)
                if isinstance(long, str):
                    long_hashes[record.id] = long
            yield RecordDecision(record.id, f"near duplicate: of {first}" if first else "")

    def _alike(self, first: str | None, second: str | None) -> bool:
        if first is None or second is None:
            return True
        return bits_apart(first, second) <= int(self.settings["most_long_bits"])


class CropStep(PixelStep):
    """Center crops to ``ratios`` of width to height: a record for each, or only the one that keeps the most.

    ``pictures`` are fields with pictures of one size; all are cropped alike, and ``regions`` move with them. A crop
    with a shorter side under ``least_side`` is left out. Adds ``crop``, ``width`` and ``height``.
    """

    kind: Kind = "expand"
    fields_of: ClassVar = ("pictures",)
    settings_of: ClassVar = {
        "pictures": ["picture"], "ratios": ["2:3", "3:2"], "which": "each", "least_side": 0, "regions": "regions",
    }  # fmt: skip
    decisive = ("ratios", "least_side")

    def __init__(self, name: str, settings: Mapping[str, Any], reads: Sequence[str] = ()) -> None:
        super().__init__(name, settings, reads)
        if self.settings["which"] not in ("each", "nearest"):
            raise BadInput(f"step {name!r}: which is {self.settings['which']!r}; choose 'each' or 'nearest'")
        if not self.settings["ratios"] or not self.settings["pictures"]:
            raise BadInput(f"step {name!r} needs ratios and pictures; write: ratios = ['2:3', '3:2']")
        self._ratios = {str(text): ratio_of(str(text)) for text in self.settings["ratios"]}
        if self.settings["which"] == "nearest":
            self.kind = "map"

    def fields_read(self) -> tuple[str, ...]:
        """The pictures, and the regions."""
        return (*super().fields_read(), *([self.settings["regions"]] if self.settings["regions"] else []))

    def look(self, record: Record, tools: Tools) -> Outcome:
        """A record for each crop."""
        pictures = {field: picture(record, field, tools) for field in self.settings["pictures"]}
        shapes = {pixels.shape for pixels in pictures.values()}
        if len(shapes) > 1:
            return dropped("different sizes")
        height, width = shapes.pop()[:2]
        chosen = self._ratios
        if self.settings["which"] == "nearest":
            ratio = nearest_ratio(width, height, list(chosen.values()))
            chosen = {text: one for text, one in chosen.items() if one == ratio}
        parts = []
        for text, ratio in list(chosen.items()):
            box = center_crop(width, height, ratio)
            if min(box.width, box.height) >= self.settings["least_side"]:
                parts.append(self._part(record, pictures, box, text, tools))
        return kept(*parts) if parts else dropped(f"too small to crop: {width} × {height}")

    def _part(
        self, record: Record, pictures: Mapping[str, Any], box: CropBox, ratio: str, tools: Tools
    ) -> dict[str, Any]:
        rows, columns = slice(box.top, box.top + box.height), slice(box.left, box.left + box.width)
        made: dict[str, Any] = {
            field: tools.blobs.put(encode_png(np.ascontiguousarray(pixels[rows, columns])), "image/png")
            for field, pixels in pictures.items()
        }
        if record.fields.get(self.settings["regions"]):
            made[self.settings["regions"]] = moved_regions(record.fields[self.settings["regions"]], box)
        return {**made, "crop": ratio, "width": box.width, "height": box.height}


class ResolutionStep(PixelStep):
    """Pictures that are large enough: by width, height, shorter side and pixels; and not too long for their height.

    ``most_ratio`` limits the longer side over the shorter; 0 asks for nothing. Adds ``width`` and ``height``.
    """

    kind = "filter"
    fields_of: ClassVar = ("picture",)
    settings_of: ClassVar = {
        "picture": "picture", "least_width": 0, "least_height": 0, "least_side": 512, "least_pixels": 0,
        "most_pixels": 0, "most_ratio": 0.0,
    }  # fmt: skip
    decisive = ("least_side", "least_width", "least_height", "least_pixels", "most_pixels", "most_ratio")

    def look(self, record: Record, tools: Tools) -> Outcome:
        """The record, or why its picture is too small or too long."""
        height, width = picture(record, self.settings["picture"], tools).shape[:2]
        size, limits = f"{width} × {height}", self.settings
        if (
            width < limits["least_width"]
            or height < limits["least_height"]
            or min(width, height) < limits["least_side"]
            or width * height < limits["least_pixels"]
        ):
            return dropped(f"too small: {size}", notes={"width": width, "height": height})
        if limits["most_pixels"] and width * height > limits["most_pixels"]:
            return dropped(f"too large: {size}", notes={"width": width, "height": height})
        if limits["most_ratio"] and max(width, height) > limits["most_ratio"] * min(width, height):
            return dropped(f"too long: {size}", notes={"width": width, "height": height})
        return kept({"width": width, "height": height})

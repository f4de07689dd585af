"""Regions that people drew or a model proposed, and questions that belong to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from editscope.errors import BadInput
from editscope.factory.extra import factory_package
from editscope.factory.records import BLOB, Record
from editscope.factory.steps.base import Outcome, PlainStep, StepFailed, dropped, kept
from editscope.factory.steps.tools import Tools
from editscope.files import PICTURE, lies_in, read_file
from editscope.images import Pixels, encode_png, load
from editscope.suites.annotation.layout import text_of
from editscope.suites.annotation.regions import CATEGORIES, read_pairs
from editscope.suites.datafolder.edit_area import SIDE
from editscope.suites.picabench.annotation import LAYOUT

THOUSANDTHS = 1000
COLORS = ((255, 64, 64), (64, 144, 255), (64, 200, 96), (255, 176, 32))
"""Colors in which regions are drawn for people who review them."""


class PlaceRegionsStep(PlainStep):
    """Boxes that a model wrote as regions in pixels, and the picture with the regions drawn into it.

    ``boxes`` are rows with ``name`` and ``box``: left, top, right and bottom in thousandths of the picture. One that is
    upside down, reaches over the edge or is smaller than ``least_side`` pixels is left out; without any, the record is
    dropped. Regions that are there already are drawn and nothing else.
    """

    kind = "map"
    in_process = True
    settings_of: ClassVar = {
        "picture": "picture", "boxes": "boxes", "into": "regions", "marked": "marked", "least_side": 8,
    }  # fmt: skip

    def __init__(self, name: str, settings: Mapping[str, Any], reads: Sequence[str] = ()) -> None:
        super().__init__(name, settings, reads)
        self.reads = tuple(reads) or tuple(str(self.settings[one]) for one in ("picture", "boxes", "into"))

    def apply(self, record: Record, tools: Tools) -> Outcome:
        """The record with its regions."""
        pixels = _pixels(record, str(self.settings["picture"]), tools)
        regions = record.fields.get(self.settings["into"])
        if not regions:
            regions, problem = self._placed(record.fields.get(self.settings["boxes"]), pixels)
            if not regions:
                return dropped(f"no region can be used: {problem}")
        marked = tools.blobs.put(encode_png(drawn_regions(pixels, regions)))
        return kept({self.settings["into"]: regions, self.settings["marked"]: marked})

    def _placed(self, boxes: Any, pixels: Pixels) -> tuple[list[dict[str, Any]], str]:
        if not isinstance(boxes, list):
            raise StepFailed(f"the field {self.settings['boxes']!r} is not a list of boxes")
        regions: list[dict[str, Any]] = []
        problem = "there is none"
        for row in boxes:
            box = box_in_pixels(str(row.get("box", "")), pixels.shape[1], pixels.shape[0])
            if box is None:
                problem = f"{row.get('box')!r} is not a box"
            elif min(box["width"], box["height"]) < self.settings["least_side"]:
                problem = "too small"
            elif row["name"].casefold() not in {one["name"].casefold() for one in regions}:
                regions.append({"name": row["name"], **box})
        return regions, problem


def box_in_pixels(text: str, width: int, height: int) -> dict[str, int] | None:
    """The box of a text such as "100, 250, 400, 900" in pixels; None where it is none.

    >>> box_in_pixels("100, 250, 400, 900", 640, 480)
    {'x': 64, 'y': 120, 'width': 192, 'height': 312}
    >>> box_in_pixels("400, 250, 100, 900", 640, 480) is None, box_in_pixels("the left half", 640, 480) is None
    (True, True)
    """
    try:
        left, top, right, bottom = (float(part) for part in text.strip(" []()").split(","))
    except ValueError:
        return None
    if not (0 <= left < right <= THOUSANDTHS and 0 <= top < bottom <= THOUSANDTHS):
        return None
    x, y = round(left * width / THOUSANDTHS), round(top * height / THOUSANDTHS)
    ends = round(right * width / THOUSANDTHS), round(bottom * height / THOUSANDTHS)
    return {"x": x, "y": y, "width": ends[0] - x, "height": ends[1] - y}


def drawn_regions(pixels: Pixels, regions: Sequence[Mapping[str, Any]]) -> Pixels:
    """A picture with a rectangle around each region, each in its own color and with its name in it."""
    marked = pixels.copy()
    line = max(1, max(pixels.shape[:2]) // 250)
    font = factory_package("PIL.ImageFont", "names of regions").load_default(max(8, max(pixels.shape[:2]) // 60))
    for number, region in enumerate(regions):
        left, top = int(region["x"]), int(region["y"])
        right, bottom = left + int(region["width"]), top + int(region["height"])
        color = COLORS[number % len(COLORS)]
        marked[top : top + line, left:right] = color
        marked[max(top, bottom - line) : bottom, left:right] = color
        marked[top:bottom, left : left + line] = color
        marked[top:bottom, max(left, right - line) : right] = color
        _write_name(marked[top + line : bottom - line, left + line : right - line], str(region["name"]), color, font)
    return marked


def _write_name(inside: Pixels, name: str, color: tuple[int, int, int], font: Any) -> None:
    """Write a name on a ground of a color into the upper left corner of a part of a picture, cut where it ends."""
    _, _, width, height = font.getbbox(name)
    drawing = factory_package("PIL.ImageDraw", "names of regions")
    label = drawing.Image.new("RGB", (int(width) + 5, int(height) + 3), color)
    drawing.Draw(label).text((2, 1), name, (0, 0, 0), font)
    rows, columns = min(label.height, inside.shape[0]), min(label.width, inside.shape[1])
    inside[:rows, :columns] = np.asarray(label)[:rows, :columns]


class DrawnRegionsStep(PlainStep):
    """Regions that people drew in the studio, for records whose picture they saw.

    ``folder`` is what the studio exported in the layout of this benchmark. A case of it belongs to a record with the
    same picture, and with the same instruction where the case has one. Without a folder nothing is added.
    """

    kind = "map"
    settings_of: ClassVar = {"folder": "", "picture": "picture", "instruction": "superficial", "into": "regions"}

    def __init__(self, name: str, settings: Mapping[str, Any], reads: Sequence[str] = ()) -> None:
        super().__init__(name, settings, reads)
        self.reads = tuple(reads) or tuple(str(self.settings[one]) for one in ("picture", "instruction"))
        self._home = Path()

    def begin(self, tools: Tools) -> None:
        """Read the cases."""
        self._home = tools.folder
        _ = self._drawn

    def identity(self) -> Any:
        """The settings, and what was drawn."""
        drawn = [[*key, regions] for key, regions in sorted(self._drawn.items())]
        return [*super().identity()[:3], self.settings["picture"], self.settings["instruction"], drawn]

    def apply(self, record: Record, tools: Tools) -> Outcome:
        """The record with its regions, where somebody drew some."""
        picture = str((record.fields.get(self.settings["picture"]) or {}).get(BLOB, ""))
        text = str(record.fields.get(self.settings["instruction"]) or "").strip()
        regions = self._drawn.get((picture, text)) or self._drawn.get((picture, ""))
        return kept({self.settings["into"]: regions}) if regions else kept()

    @cached_property
    def _drawn(self) -> dict[tuple[str, str], list[dict[str, Any]]]:
        """Regions in pixels of the source, by the hash of the picture and the instruction."""
        if not self.settings["folder"]:
            return {}
        root = self._home / str(self.settings["folder"])
        if LAYOUT.find(root) is None:
            raise BadInput(
                f"step {self.name!r}: {root} has no {LAYOUT.files_label}; name a folder that the studio wrote"
            )
        found: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for raw in LAYOUT.raws(root):
            path = root / text_of(raw, "input_path")
            if not lies_in(path, root) or not path.is_file():
                raise BadInput(f"step {self.name!r}: {path} is not there; export the cases with their pictures")
            data = read_file(path, PICTURE)
            height, width = load(data, name=str(path)).shape[:2]
            regions, _ = read_pairs(raw.get("annotated_qa_pairs"), raw.get("marked_regions"))
            scale = max(width, height) / SIDE if max(width, height) > SIDE else 1.0
            text = (text_of(raw, "superficial_prompt") or text_of(raw, "edit_instruction")).strip()
            if regions:
                boxes = [_in_pixels(region, scale, width, height, n) for n, region in enumerate(regions, start=1)]
                found[sha256(data).hexdigest(), text] = boxes
        return found


def _in_pixels(region: Mapping[str, Any], scale: float, width: int, height: int, number: int) -> dict[str, Any]:
    x, y, wide, high = (float(side) * scale for side in region["box"])
    left, top = min(max(round(x), 0), width - 1), min(max(round(y), 0), height - 1)
    right, bottom = min(max(round(x + wide), left + 1), width), min(max(round(y + high), top + 1), height)
    name = str(region.get("rest", {}).get("name") or f"region {number}")
    return {"name": name, "x": left, "y": top, "width": right - left, "height": bottom - top}


class BindQuestionsStep(PlainStep):
    """Questions whose regions and categories are known; a record is dropped where one is not.

    Every question looks at a region by its name, has one of the two categories, and each category has a question.
    """

    kind = "filter"
    settings_of: ClassVar = {"questions": "questions", "regions": "regions"}

    def __init__(self, name: str, settings: Mapping[str, Any], reads: Sequence[str] = ()) -> None:
        super().__init__(name, settings, reads)
        self.reads = tuple(reads) or tuple(str(self.settings[one]) for one in ("questions", "regions"))

    def apply(self, record: Record, tools: Tools) -> Outcome:
        """The record with its questions as they are written in files."""
        questions, regions = (record.fields.get(self.settings[one]) for one in ("questions", "regions"))
        if not isinstance(questions, list) or not isinstance(regions, list):
            raise StepFailed("the record has no questions or no regions")
        names = {region["name"].casefold(): region["name"] for region in regions}
        bound = []
        for question in questions:
            region = names.get(str(question.get("region", "")).casefold())
            category = str(question.get("category", "")).strip().lower().replace("_", " ")
            if region is None:
                return dropped(f"a question names no region: {question.get('region')!r}")
            if category not in CATEGORIES:
                return dropped(f"a question has another category: {question.get('category')!r}")
            bound.append({**question, "region": region, "category": category})
        for category in CATEGORIES:
            if all(question["category"] != category for question in bound):
                return dropped(f"no question about {category}")
        return kept({self.settings["questions"]: bound})


def _pixels(record: Record, field: str, tools: Tools) -> Pixels:
    blob = record.fields.get(field)
    if not isinstance(blob, Mapping) or BLOB not in blob:
        raise StepFailed(f"the field {field!r} is not a picture")
    return load(tools.blobs.get(blob), name=field)

"""Grid of fixed cases of a run as one picture: input, answer and edit of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from editscope.errors import EditscopeError
from editscope.images import Pixels, load, resize
from editscope.results.case_record import CaseRecord
from editscope.results.run import Run
from editscope.runfolder.repeats import plain
from editscope.runfolder.run_json import aggregation_from
from editscope.stats.summary import percent_scale
from editscope.suites.spread import spread_over
from editscope.wording import metric_name, value

if TYPE_CHECKING:
    from PIL import Image, ImageDraw, ImageFont

CASES = 8
"""How many cases a grid shows."""
SIDE = 256
"""Pixels of the longer side of a picture."""
GAP, LINE, LETTERS = 8, 20, 13
PAPER, INK, EMPTY = (255, 255, 255), (28, 30, 38), (236, 236, 232)
COLUMNS = ("input", "answer", "edit")


@dataclass(frozen=True, eq=False)
class CaseGrid:
    """A drawn grid; ``caption`` says what its rows are."""

    pixels: Pixels
    caption: str


def fixed_cases(run: Run, most: int = CASES) -> list[CaseRecord]:
    """Some cases of a run, spread over the rows of its tables; chosen by ids and tags alone.

    So all checkpoints that were evaluated on the same cases show the same ones.
    """
    records: dict[str, CaseRecord] = {}
    for record in run.records():
        if plain(record.variant)[1] == 0:
            records.setdefault(record.case_id, record)
    chosen = spread_over(list(records), lambda case: records[case].tags, aggregation_from(run.info), most)
    return [records[case] for case in chosen]


def case_grid(run: Run, most: int = CASES) -> CaseGrid | None:
    """The grid of a run; None where it has no pictures."""
    records = fixed_cases(run, most)
    rows = [{column: _picture(record, column) for column in COLUMNS} for record in records]
    columns = [column for column in COLUMNS if any(row[column] is not None for row in rows)]
    if not columns:
        return None
    labels = [_label(record, aggregation_from(run.info).headline) for record in records]
    pixels = drawn_grid([[row[column] for column in columns] for row in rows], columns, labels)
    return CaseGrid(pixels, "\n".join(_caption(r, label) for r, label in zip(records, labels, strict=True)))


def _picture(record: CaseRecord, column: str) -> Pixels | None:
    """The edit in full size where it is there; everything else, and an edit that is gone, as the run's thumbnail."""
    thumb = record.thumbs.get(column) or next((p for k, p in record.thumbs.items() if k.startswith(column)), None)
    for path in (record.image if column == "edit" else None, thumb):
        if path is not None and (pixels := read_for_grid(path)) is not None:
            return pixels
    return None


def read_for_grid(path: Path) -> Pixels | None:
    """A picture in the size that all have in a grid, a small one enlarged; None where it cannot be read."""
    try:
        pixels = load(path)
    except (EditscopeError, OSError):
        return None
    height, width = pixels.shape[:2]
    scale = SIDE / max(height, width)
    return resize(pixels, max(1, round(width * scale)), max(1, round(height * scale)))


def _label(record: CaseRecord, metric: str) -> str:
    fraction = record.metrics.get(metric)
    score = value(None if fraction is None else fraction * percent_scale(metric), metric)
    status = "" if record.status == "ok" else f" · {record.status}"
    return f"{record.case_id} · {metric_name(metric)} {score}{status}"


def _caption(record: CaseRecord, label: str) -> str:
    return f"{label}: {record.instruction}" if record.instruction else label


def drawn_grid(rows: Sequence[Sequence[Pixels | None]], columns: Sequence[str], labels: Sequence[str]) -> Pixels:
    """Pictures as ``read_for_grid`` gives them in rows and columns, a label above each row; None leaves a gap."""
    from PIL import Image, ImageDraw

    heights = [max((p.shape[0] for p in row if p is not None), default=SIDE // 2) for row in rows]
    width = len(columns) * (SIDE + GAP) + GAP
    height = GAP + LINE + sum(LINE + tall + GAP for tall in heights)
    canvas = Image.new("RGB", (width, height), PAPER)
    draw, font = ImageDraw.Draw(canvas), _font()
    for place, column in enumerate(columns):
        draw.text((GAP + place * (SIDE + GAP), GAP // 2), column, fill=INK, font=font)
    top = GAP + LINE
    for row, tall, label in zip(rows, heights, labels, strict=True):
        draw.text((GAP, top), _fitting(draw, label, width - 2 * GAP, font), fill=INK, font=font)
        for place, pixels in enumerate(row):
            _put(canvas, draw, pixels, (GAP + place * (SIDE + GAP), top + LINE), tall)
        top += LINE + tall + GAP
    return np.asarray(canvas)


def _put(
    canvas: Image.Image, draw: ImageDraw.ImageDraw, pixels: Pixels | None, corner: tuple[int, int], tall: int
) -> None:
    from PIL import Image

    if pixels is None:
        draw.rectangle((*corner, corner[0] + SIDE - 1, corner[1] + tall - 1), fill=EMPTY)
    else:
        canvas.paste(Image.fromarray(np.ascontiguousarray(pixels)), corner)


def _fitting(draw: ImageDraw.ImageDraw, text: str, width: int, font: ImageFont.FreeTypeFont) -> str:
    """A text without the end that would not fit."""
    shown = " ".join(text.split())
    while draw.textlength(shown, font=font) > width:
        shown = f"{shown.removesuffix('…')[:-1]}…"
    return shown


def _font() -> ImageFont.FreeTypeFont:
    import matplotlib
    from PIL import ImageFont

    return ImageFont.truetype(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf", LETTERS)

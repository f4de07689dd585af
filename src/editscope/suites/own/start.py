"""A small benchmark to start your own from: pictures, cases, prompts and a ``suite.toml`` that runs at once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import numpy as np

from editscope.errors import BadInput
from editscope.images import Pixels, write_png
from editscope.suites.own.manifest import FILE
from editscope.suites.registry import suite_names

SIDE = 256
COLORS = {"red": (208, 48, 44), "green": (52, 150, 76), "blue": (44, 92, 196), "yellow": (240, 196, 48)}
GROUND = (245, 242, 235)


@dataclass(frozen=True, slots=True)
class StarterShape:
    """A disc or a square in a named color."""

    kind: Literal["disc", "square"]
    color: str
    center: tuple[int, int]


SCENE = (
    StarterShape("disc", "red", (70, 80)),
    StarterShape("square", "blue", (180, 90)),
    StarterShape("disc", "yellow", (120, 185)),
)


def start(folder: str | Path, scoring: Literal["judged", "pixels"] = "judged") -> Path:
    """Write the benchmark into a new or empty folder, named after the folder; the folder."""
    folder = Path(folder)
    if scoring not in ("judged", "pixels"):
        raise BadInput(f"--scoring {scoring!r} is neither judged nor pixels")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadInput(f"{folder} is not a new or empty folder; give one, so that nothing is overwritten")
    if suite_name(folder) in suite_names():
        raise BadInput(f"the name {suite_name(folder)!r} belongs to an installed suite; give the folder another name")
    template = files("editscope.suites.own").joinpath("template")
    manifest = template.joinpath(f"{scoring}.toml").read_text(encoding="utf-8")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / FILE).write_text(manifest.replace("my-benchmark", suite_name(folder)), encoding="utf-8")
        if scoring == "judged":
            (folder / "prompts").mkdir()
            for prompt in sorted(template.joinpath("prompts").iterdir(), key=lambda one: one.name):
                (folder / "prompts" / prompt.name).write_text(prompt.read_text(encoding="utf-8"), encoding="utf-8")
        lines = [json.dumps(case, ensure_ascii=False) for case in _cases(folder)]
        (folder / "cases.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{folder} cannot be written: {error.strerror}") from error
    return folder


def suite_name(folder: Path) -> str:
    """The name of a suite after its folder.

    >>> suite_name(Path("My Signs (v2)")), suite_name(Path("2025"))
    ('my-signs-v2', 'suite-2025')
    """
    name = re.sub(r"[^a-z0-9_]+", "-", folder.resolve().name.lower()).strip("-")[:50]
    return name if name[:1].isalpha() and name.isascii() else f"suite-{name}".rstrip("-")


def _cases(folder: Path) -> Iterator[dict[str, Any]]:
    """Recolor each shape, then take each away: the line of each case, its pictures written on the way."""
    write_png(folder / "images" / "scene.png", draw_shapes(SCENE))
    for number, shape in enumerate(SCENE):
        rest = [other for other in SCENE if other is not shape]
        phrase = f"the {shape.color} {shape.kind}"
        done = {
            "color": (f"Paint {phrase} green.", [*rest, StarterShape(shape.kind, "green", shape.center)]),
            "removal": (f"Take {phrase} away.", rest),
        }
        for category, (instruction, after) in done.items():
            case_id = f"{category}-{number + 1}"
            write_png(folder / "images" / f"{case_id}-answer.png", draw_shapes(after))
            yield {
                "id": case_id,
                "image": "images/scene.png",
                "instruction": instruction,
                "answer": f"images/{case_id}-answer.png",
                "tags": {"category": category},
            }


def draw_shapes(shapes: tuple[StarterShape, ...] | list[StarterShape]) -> Pixels:
    """The shapes on a light ground, without smoothed edges."""
    picture = np.empty((SIDE, SIDE, 3), np.uint8)
    picture[:] = GROUND
    y, x = np.mgrid[:SIDE, :SIDE]
    for shape in shapes:
        across, down = abs(x - shape.center[0]), abs(y - shape.center[1])
        inside = across**2 + down**2 <= 40**2 if shape.kind == "disc" else (across <= 34) & (down <= 34)
        picture[inside] = COLORS[shape.color]
    return picture

"""The fields of the released descriptions, from what a problem of ours says in its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import hypot
from typing import Any, TypeAlias

from editscope.suites.paintbench.catalog import MODES
from editscope.suites.paintbench.words import ORDINALS, RANKED_BY

Fields: TypeAlias = Mapping[str, Any]
Released: TypeAlias = "dict[str, Any]"

CIRCLES = {"radius": "center_radius", "diameter": "diameter", "through": "center_point"}


def released_fields(fields: Fields) -> Released:
    """What the release's ``NNN.json`` says under names that ours does not have; its own fields stay as they are.

    Points are fractions of the canvas (``…_frac``), lengths fractions of its width; ``params`` holds the number of
    objects and, for a task with modes, the mode.
    """
    task, n = fields["task"], fields["n"]
    modes = MODES.get(task, ())
    released: Released = {"params": {"n_min": n, "n_max": n, **({"mode": fields["mode"]} if len(modes) > 1 else {})}}
    if isinstance(fields.get("target"), int):
        shape = fields["scene_shapes"][fields["target"]]
        released |= {"target_shape": shape["shape"], "target_color": shape["color"]}
    released |= _TASKS[task](fields) if task in _TASKS else {}
    return {name: value for name, value in released.items() if name not in fields}


def _at(fields: Fields, point: Any) -> list[float]:
    return [point[0] / fields["W"], point[1] / fields["H"]]


def _translation(f: Fields) -> Released:
    if f["mode"] == "align":
        kind = "exact" if f["axes"] == "both" else f["axes"]
        return {"src_control_point": f["point"], "dst_control_point": f["goal"], "align_type": kind}
    dx, dy = f["dx_percent"] / 100 * f["W"], f["dy_percent"] / 100 * f["H"]
    return {"both_axes": bool(dx and dy), "dx_px": dx, "dy_px": dy}


def _rotation(f: Fields) -> Released:
    x, y = _at(f, f["pivot"])
    named = {"pivot_control_point": f["pivot_name"]} if f.get("pivot_name") else {}
    return named if f["mode"] == "local" else {"pivot_x_frac": x, "pivot_y_frac": y, **named}


def _reflection(f: Fields) -> Released:
    first, second = (_at(f, point) for point in f["line"])
    return {"bbox_axis": f["line_words"]} if f["mode"] == "local" else {"line_p1_frac": first, "line_p2_frac": second}


def _scaling(f: Fields) -> Released:
    if f["mode"] != "match":
        return {}
    shape = f["scene_shapes"][f["reference"]]
    kind = f"uniform_by_{f['match']}" if f["axis"] == "both" else f["axis"]
    return {"match_type": kind, "ref_shape": f"the {shape['color_name']} {shape['shape']}"}


def _shearing(f: Fields) -> Released:
    center = "center_h" if f["axis"] == "horizontally" else "center_v"
    return {"fixed_side": center if f["fixed"] == "center" else f["fixed"], "k": abs(f["slope"])}


def _construction(f: Fields) -> Released:
    released: Released = {"use_control_points": "%)" not in f["instruction"]}  # else points are given as (x%, y%)
    if "how" in f:
        released |= {"circle_mode": CIRCLES[f["how"]], "center_frac": _at(f, f["center"])}
        released |= {"radius_frac": f["radius"] / f["W"]}
    if "points" in f:
        first, second = (_at(f, point) for point in f["points"])
        released |= {"brush_diameter_frac": f["brush_percent"] / 100, "pt1_frac": first, "pt2_frac": second}
    if "vertices" in f:
        released |= {"n_vertices": len(f["vertices"]), "vertices_frac": [_at(f, point) for point in f["vertices"]]}
    return released


def _removal(f: Fields) -> Released:
    released: Released = {"n_removed": len(f["targets"])}
    names = {"color": ("color",), "shape": ("shape",), "both": ("color", "shape")}.get(f.get("attr", ""), ())
    if names:
        # With "all except …" the described shapes are those that stay.
        every = range(len(f["scene_shapes"]))
        described = [i for i in every if (i in f["targets"]) != f["invert"]]
        released |= {f"match_{name}": f["scene_shapes"][described[0]][name] for name in names}
    return released


def _copying(f: Fields) -> Released:
    source, target = f["source_square"], f["target_square"]
    beside = abs(source[0] - target[0]) > abs(source[1] - target[1])
    return {
        "src_rect": [*_at(f, source[:2]), *_at(f, source[2:])],
        "dst_rect": [*_at(f, target[:2]), *_at(f, target[2:])],
        "layout": "horizontal" if beside else "vertical",
        "aligned": source[1] == target[1] if beside else source[0] == target[0],
        "scale": (source[2] - source[0]) / f["W"],
    }


def _border(f: Fields) -> Released:
    return {"distance_frac": f["distance_percent"] / 100}


def _cropping(f: Fields) -> Released:
    if "corners" in f:
        corners = f["corners"]  # from that which becomes the top-left one, clockwise
        wide, tall = hypot(*_apart(corners[0], corners[1])), hypot(*_apart(corners[0], corners[3]))
        center = [sum(corner[axis] for corner in corners) / 4 for axis in (0, 1)]
        highest = min(corners, key=lambda corner: float(corner[1]))
        turned = {"top_corner": "top-left" if corners[0] == highest else "top-right"}
    else:
        x0, y0, x1, y1 = f["rectangle"]
        wide, tall, center, turned = float(x1 - x0), float(y1 - y0), [(x0 + x1) / 2, (y0 + y1) / 2], {}
    (cx, cy), (x, y) = _at(f, center), _at(f, [center[0] - wide / 2, center[1] - tall / 2])
    size = wide / f["W"]
    return {"cx_frac": cx, "cy_frac": cy, "x0_frac": x, "y0_frac": y, "crop_size_frac": size, **turned}


def _apart(a: Any, b: Any) -> tuple[float, float]:
    return b[0] - a[0], b[1] - a[1]


def _recolor(f: Fields) -> Released:
    return {"sampled_color": f["new_color"]} if f["mode"] == "dropper" else {}


def _gradient(f: Fields) -> Released:
    flat = f["region"][0][1] == f["region"][1][1]  # the sides that lie along an axis
    corner = "corner" in f["from"]
    down = f["start"][1] <= f["end"][1] if f["start"][1] != f["end"][1] else f["start"][0] <= f["end"][0]
    names = [_short_corner(f[end]) for end in ("from", "to")] if corner else ["tl", "br"] if down else ["br", "tl"]
    return {
        "orientation": "horizontal" if flat else "vertical",
        "direction": "corner" if corner else "side_to_side",
        "corner_dir": "_".join(names),
    }


def _short_corner(name: str) -> str:
    """A corner by its letters.

    >>> _short_corner("bottom-right corner")
    'br'
    """
    vertical, _, across = name.partition("-")
    return vertical[0] + across[0]


def _comparison(f: Fields) -> Released:
    shapes = [f["scene_shapes"][i] for i in f["compared"]]
    word = RANKED_BY[f["metric"]][f["direction"] == "smallest"]
    return {
        "n_shapes": len(shapes),
        "rotation_mode": "shared" if len({shape["rotation"] for shape in shapes}) == 1 else "individual",
        "adj": word,
        "qualifier": f"{ORDINALS[f['rank'] - 1]}{word}",
        "comparison_shape_sizes": sorted(_measure(shape, f["metric"]) for shape in shapes),
    }


def _measure(shape: Mapping[str, Any], metric: str) -> float:
    x0, y0, x1, y1 = shape["bbox"]
    return float({"size": shape["size"], "width": x1 - x0, "height": y1 - y0}[metric])


def _ordering(f: Fields) -> Released:
    return {
        "n_shapes": len(f["input_sizes"]),
        "rotation": float(f["scene_shapes"][0]["rotation"]),
        "control_point": "bounding box center",
    }


def _pattern(f: Fields) -> Released:
    motif = f["motif"]
    released: Released = {"n_removed": len(f["missing"])}
    if "period_c" in f:
        cells = [{"row": i // f["period_c"], "col": i % f["period_c"], **cell} for i, cell in enumerate(motif)]
        return released | {"pattern_cells": cells}
    steps = [{"step": i, **cell} for i, cell in enumerate(motif)]
    return released | {"period_k": f["period"], "circle_radius": f["circle"][2], "pattern_steps": steps}


def _counting(f: Fields) -> Released:
    return {"k": f["count"]}


_TASKS: dict[str, Callable[[Fields], Released]] = {
    "translation": _translation,
    "rotation": _rotation,
    "reflection": _reflection,
    "scaling": _scaling,
    "shearing": _shearing,
    "construction": _construction,
    "removal": _removal,
    "copying": _copying,
    "border": _border,
    "cropping": _cropping,
    "recolor": _recolor,
    "gradient": _gradient,
    "comparison": _comparison,
    "ordering": _ordering,
    "pattern": _pattern,
    "counting": _counting,
}

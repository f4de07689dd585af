"""Every sentence that a PaintBench instruction may consist of, and how to read it back.

In a template ``<name:kind>`` is something to read, ``<name:this|that>`` one of some words, and ``[…]`` may be missing.
"""

# ruff: noqa: E501 - sentences are easier to read when they are not cut to size

from __future__ import annotations

import re
from functools import cache

PALETTES: dict[str, dict[str, str]] = {
    "standard": {
        "red": "#FF0000",
        "orange": "#FFA500",
        "yellow": "#FFFF00",
        "green": "#00FF00",
        "blue": "#0000FF",
        "purple": "#800080",
        "pink": "#FFC0CB",
        "brown": "#8B4513",
        "black": "#000000",
        "gray": "#808080",
        "white": "#FFFFFF",
    },
    "nonstandard": {
        "crimson": "#C31B37",
        "tangerine-colored": "#F47B16",
        "gold": "#E4BA18",
        "olive-colored": "#717A1E",
        "cyan": "#0FE1DF",
        "lavender": "#D9D2E9",
        "magenta": "#F20DD8",
        "tan-colored": "#CBAA85",
        "jet black": "#101211",
        "silver": "#BBBCBA",
        "ivory white": "#F8F6E8",
    },
}
HEX = {name: code for palette in PALETTES.values() for name, code in palette.items()}
HEX |= {name.removesuffix("-colored"): code for name, code in HEX.items()}
KINDS = (
    *("circle", "rectangle", "cloud", "hexagon", "triangle", "ring"),
    *("arrow", "heart", "star", "semicircle", "cross", "diamond"),
)
PLURALS = {("crosses" if kind == "cross" else kind + "s"): kind for kind in KINDS}
COLOR = "|".join(sorted(HEX, key=len, reverse=True))

COORDINATE = r"\(\d+(?:\.\d+)?%, \d+(?:\.\d+)?%\)"
POINT = rf"{COORDINATE}|the [a-z0-9 -]+?"
READABLE = {
    "shape": r"the [a-z -]+?",
    "shapes": r"(?:all|the) [a-z -]+?",
    "point": POINT,
    "points": r"[^.]+?(?:\.\d[^.]*?)*",
    "pivot": rf"its [a-z0-9 -]+?|{POINT}",
    "spot": COORDINATE,
    "own": r"[a-z0-9 -]+?",
    "int": r"\d+",
    "number": r"\d+(?:\.\d+)?",
    "ink": rf"(?:{COLOR}) \(#[0-9A-F]{{6}}\)",
    "color": COLOR,
    "kinds": "|".join(PLURALS),
    "corner": r"[a-z]+-[a-z]+",
    "from": r"[a-z-]+ (?:edge|corner)",
}

LAYER = " Where it meets other shapes, it goes <layer:on top of|underneath> them; whatever leaves the image is cut off."
KEPT = " Leave the outline as it is."
BOX = " of its bounding box"
FIT = (
    " Enlarge it to the full size of the image with nearest-neighbor sampling, so that it fills the whole canvas and the "
    "outline itself no longer shows."
)
ALIKE = ("<color:color> <kinds:kinds>", "<color:color> shapes", "<kinds:kinds>")
EQUAL = " Equal shapes have the same color, size and orientation, and the bounding box of every shape is centered on its place."

SENTENCES: dict[str, tuple[str, ...]] = {
    "translation": (
        "Move <who:shape>[ <h:left|right> by <dx:number>% of the image width]"
        "[ and][ <v:up|down> by <dy:number>% of the image height]." + LAYER,
        "Move <who:shape>, without turning or resizing it, so that its <point:own> lies exactly on <goal:point>"
        "[<now: \\(where that point is now\\)>]." + LAYER,
        "Move <who:shape> only <only:horizontally|vertically>, without turning or resizing it, until its <point:own> is "
        "exactly as <far:far right|high> as <goal:point>[<now: \\(where that point is now\\)>]." + LAYER,
    ),
    "rotation": ("Rotate <who:shape> by <angle:int>° <way:clockwise|counterclockwise> about <pivot:pivot>." + LAYER,),
    "reflection": (
        "Reflect <who:shape> across the straight line through <p:point> and <q:point>." + LAYER,
        f"Reflect <who:shape> across the <edge:left|right|top|bottom> edge{BOX}." + LAYER,
        f"Reflect <who:shape> across the <axis:vertical|horizontal> center line{BOX}." + LAYER,
        f"Reflect <who:shape> across the diagonal{BOX} from the <c1:corner> to the <c2:corner> corner." + LAYER,
    ),
    "scaling": (
        "Scale <who:shape> to <both:int>% of its current size in both directions. "
        f"Keep the <anchor:own>{BOX} where it is." + LAYER,
        "Scale <who:shape> <way:horizontally|vertically> to <single:int>% of its current <side:width|height>, its "
        f"<rest:width|height> unchanged. Keep the <anchor:own>{BOX} where it is." + LAYER,
        "Scale <who:shape> <how:in both directions by the same factor|horizontally only|vertically only> until its "
        "bounding box is exactly as <by:wide|tall> as the bounding box of <other:shape>. "
        f"Keep the <anchor:own>{BOX} where it is." + LAYER,
    ),
    "shearing": (
        f"Shear <who:shape> <way:horizontally|vertically>: keep the <fixed:top|bottom|left|right> edge{BOX} fixed and "
        "shift the <edge:top|bottom|left|right> edge <to:left|right|up|down> by <amount:number>% of the bounding-box "
        "<side:width|height>." + LAYER,
        f"Shear <who:shape> <way:horizontally|vertically>: keep the <line:horizontal|vertical> center line{BOX} fixed "
        "and shift the <edge:top|left> edge <to:left|right|up|down> and the <edge2:bottom|right> edge "
        "<to2:left|right|up|down>, each by <amount:number>% of the bounding-box <side:width|height>." + LAYER,
    ),
    "construction": (
        "Draw <article:a|an> <ink:ink> filled circle centered at <center:point> with a radius of <radius:number>% of the "
        "image width." + LAYER,
        "Draw <article:a|an> <ink:ink> filled circle that has the straight line from <p:point> to <q:point> as a "
        "diameter." + LAYER,
        "Draw <article:a|an> <ink:ink> filled circle centered at <center:point> that passes through <through:point>."
        + LAYER,
        "Draw <article:a|an> <ink:ink> straight line from <p:point> to <q:point> with a round brush whose diameter is "
        "<brush:number>% of the image width; its ends are round and centered on the two points." + LAYER,
        "Draw <article:a|an> <ink:ink> filled polygon whose <k:int> vertices are, in this order, <vertices:points>."
        + LAYER,
    ),
    "removal": (
        "Remove [<all:all shapes except> ]the shape at <spot:spot> and show the background there.",
        "Remove <group:shapes> and show the background there.",
    ),
    "recolor": (
        "Recolor <group:shapes> to <ink:ink>.",
        "Recolor <group:shapes> to exactly the color that the image has at <spot:spot>.",
    ),
    "copying": (
        "Copy all shapes inside the <source:upper|lower|left|right> <outline:color> outlined square into the "
        "<target:upper|lower|left|right> one, each at exactly the same place relative to its square. Copy the shapes "
        "only, not the background around them.",
    ),
    "border": (
        "Recolor every pixel whose distance from <who:shape> is at most <reach:number>% of the image width to <ink:ink>, "
        "other shapes within that distance included. Leave the shape itself as it is. Distances are straight lines "
        "between pixel centers.",
    ),
    "cropping": (
        "Crop the image to the inside of the <outline:color> outlined rectangle." + FIT,
        "Crop the image to the inside of the <outline:color> outlined tilted rectangle and turn it upright, so that its "
        "highest corner becomes the <corner:top-left|top-right> corner of the image." + FIT,
    ),
    "flood_fill": (
        "Inside the <outline:color> outlined polygon, recolor every <which:background pixel|pixel that belongs to a "
        "shape> to <ink:ink>. Leave the <rest:shapes|background> and the outline as they are.",
    ),
    "blending": (
        "Blend <ink:ink> at <opacity:int>% opacity over all pixels inside the <outline:color> outlined polygon (each RGB "
        "channel becomes <new:int>% of the new color plus <old:int>% of the old, rounded to the nearest whole number)."
        + KEPT,
    ),
    "gradient": tuple(
        "Inside the <outline:color> outlined parallelogram, recolor the <which:background pixels|pixels of shapes> with a "
        "linear RGB gradient from <ink:ink> at the <start:from> to <ink2:ink> at the <end:from>, "
        + direction
        + ". Edges "
        "and corners are those of the outline's outer edge; round each RGB channel to the nearest whole number. "
        "Leave the <rest:shapes|background> and the outline as they are."
        for direction in (
            "constant along lines parallel to these edges",
            "along the straight line between these corners and constant at right angles to it",
        )
    ),
    "point_operations": (
        "<op:Invert> the colors of all pixels inside the <outline:color> outlined polygon: each RGB channel c becomes "
        "255 - c." + KEPT,
        "<op:Convert> all pixels inside the <outline:color> outlined polygon to grayscale: each RGB channel becomes "
        "0.299 R + 0.587 G + 0.114 B, rounded to the nearest whole number." + KEPT,
        "<op:Add> <amount:int> to each RGB channel of all pixels inside the <outline:color> outlined polygon; values "
        "below 0 become 0 and values above 255 become 255." + KEPT,
        "<op:Subtract> <amount:int> from each RGB channel of all pixels inside the <outline:color> outlined polygon; "
        "values below 0 become 0 and values above 255 become 255." + KEPT,
    ),
    "comparison": tuple(
        f"Of all {group}, remove the [<rank:second|third|fourth|fifth|sixth|seventh|eighth|ninth> ]"
        "<word:largest|smallest|widest|narrowest|tallest|shortest> one and show the background there."
        for group in ALIKE
    ),
    "ordering": tuple(
        f"Rearrange the {group} in the <outline:color> boxes by <metric:size|width|height>, from the "
        "<first:smallest|largest|narrowest|widest|shortest|tallest> at the <start:left|top> to the "
        "<last:smallest|largest|narrowest|widest|shortest|tallest> at the <end:right|bottom>. Move "
        "them without turning or resizing; each must be centered in its box, as the shapes are now. Leave the boxes and "
        "all other shapes as they are."
        for group in ALIKE
    ),
    "pattern": (
        "Fill in the missing shape of this repeating pattern, a grid of <rows:int> rows and <cols:int> columns."
        + EQUAL,
        "Fill in the <gaps:int> missing shapes of this repeating pattern, a grid of <rows:int> rows and <cols:int> columns."
        + EQUAL,
        "Fill in the missing shape of this repeating pattern of <count:int> shapes, evenly spaced on a circle around the center of the image."
        + EQUAL,
        "Fill in the <gaps:int> missing shapes of this repeating pattern of <count:int> shapes, evenly spaced on a circle around the center of the image."
        + EQUAL,
    ),
    "counting": tuple(
        "The <color:color> <kinds:kinds> in a line along the <side:left|right|top|bottom> edge of the image are tallies. "
        "Remove tallies one after another, starting at the <end:left|right|top|bottom> end of the line, until there are "
        "exactly as many tallies as there are " + counted + " in the image."
        for counted in ("<ckinds:kinds>", "<ccolor:color> shapes")
    ),
    "legend": (
        "Apply the key at the <side:left|right|top|bottom> of the image to all shapes outside the key, once and all at "
        "the same time: a shape whose color is at the start of an arrow takes the color that the arrow points to, and is "
        "removed if the arrow points to an X. Leave the key as it is.",
    ),
}


@cache
def compiled(task: str) -> tuple[re.Pattern[str], ...]:
    """The templates of a task as regular expressions."""
    return tuple(re.compile(_expression(template)) for template in SENTENCES[task])


def _expression(template: str) -> str:
    parts = []
    for literal, name, kind, bracket in re.findall(r"([^<\[\]]+)|<(\w+):([^>]+)>|([\[\]])", template):
        if name:
            parts.append(f"(?P<{name}>{READABLE.get(kind, kind)})")
        else:
            parts.append({"[": "(?:", "]": ")?"}.get(bracket, re.escape(literal)))
    return "".join(parts)


def readings(task: str, sentence: str) -> list[dict[str, str]]:
    """All ways to read a sentence of a task.

    >>> readings("rotation", "Rotate the red star by 40° clockwise about its center." + LAYER.replace(
    ...     "<layer:on top of|underneath>", "underneath"))
    [{'who': 'the red star', 'angle': '40', 'way': 'clockwise', 'pivot': 'its center', 'layer': 'underneath'}]
    """
    matches = (pattern.fullmatch(sentence) for pattern in compiled(task))
    return [{key: value for key, value in match.groupdict().items() if value is not None} for match in matches if match]

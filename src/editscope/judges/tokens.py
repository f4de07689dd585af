"""Token counts of a call: a rule of thumb for texts, the makers' rules for pictures."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any

from editscope.judges.records import Call, Picture

BYTES_PER_TOKEN = 4
UNKNOWN_SIZE = (1024, 1024)
"""What a picture counts as whose header says nothing."""

FIXED = 40
"""Tokens around the texts: roles, the schema's names."""

DEFAULT_RULE: Mapping[str, Any] = {"rule": "tiles", "base": 85, "tile": 170}


def text_tokens(text: str) -> int:
    """About one token for four bytes of UTF-8, rounded up: close for English, and for Chinese a little high.

    >>> text_tokens("Is the shadow on the left?")
    7
    """
    return -(-len(text.encode()) // BYTES_PER_TOKEN)


def call_tokens(call: Call, rule: Mapping[str, Any] = DEFAULT_RULE) -> int:
    """The input tokens of a call: its texts, its pictures by a maker's rule, and what stands around them."""
    texts = sum(text_tokens(part) for part in (call.system, *call.parts) if isinstance(part, str))
    pictures = sum(picture_tokens(*picture_size(picture), rule) for picture in call.pictures)
    return FIXED + texts + pictures


def picture_tokens(width: int, height: int, rule: Mapping[str, Any] = DEFAULT_RULE) -> int:
    """The tokens of a picture by the rule that the prices' file gives for the model.

    * ``tiles``: fitted into 2048², then the shorter side to at most 768; base + tile for each 512² begun
    * ``patches``: ⌈w/32⌉ · ⌈h/32⌉, at most 1536, times ``factor``
    * ``crops``: 258 where both sides are at most 384, else 258 for each crop of side ⌊shorter/1.5⌋
    * ``area``: longer side at most 1568, w · h / 750
    * ``grid``: ⌈w/28⌉ · ⌈h/28⌉ + 2
    * ``fixed``: always ``tokens``

    >>> picture_tokens(1024, 1024), picture_tokens(512, 512)
    (765, 255)
    >>> picture_tokens(1024, 1024, {"rule": "patches", "factor": 1.62})
    1659
    >>> picture_tokens(960, 540, {"rule": "crops"}), picture_tokens(300, 300, {"rule": "crops"})
    (1548, 258)
    >>> picture_tokens(1000, 1000, {"rule": "area"}), picture_tokens(512, 512, {"rule": "grid"})
    (1334, 363)
    """
    return _RULES[str(rule["rule"])](width, height, rule)


def picture_size(picture: Picture) -> tuple[int, int]:
    """Width and height as the header of a PNG or JPEG says them; nothing is decoded."""
    data = picture.data
    if data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) >= 24:
        return int.from_bytes(data[16:20]), int.from_bytes(data[20:24])
    if data[:2] == b"\xff\xd8":
        return _jpeg_size(data) or UNKNOWN_SIZE
    return UNKNOWN_SIZE


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):  # a frame, not a table
            return int.from_bytes(data[at + 7 : at + 9]), int.from_bytes(data[at + 5 : at + 7])
        at += 2 + int.from_bytes(data[at + 2 : at + 4])
    return None


def _tiles(width: int, height: int, rule: Mapping[str, Any]) -> int:
    scale = min(1.0, 2048 / max(width, height))
    scale *= min(1.0, 768 / (min(width, height) * scale))
    across, down = (ceil(round(side * scale) / 512) for side in (width, height))
    return int(rule["base"]) + int(rule["tile"]) * across * down


def _patches(width: int, height: int, rule: Mapping[str, Any]) -> int:
    return ceil(min(1536, ceil(width / 32) * ceil(height / 32)) * float(rule["factor"]))


def _crops(width: int, height: int, rule: Mapping[str, Any]) -> int:
    if max(width, height) <= 384:
        return 258
    side = max(1, int(min(width, height) / 1.5))
    return 258 * ceil(width / side) * ceil(height / side)


def _area(width: int, height: int, rule: Mapping[str, Any]) -> int:
    scale = min(1.0, 1568 / max(width, height))
    return ceil(width * height * scale * scale / 750)


def _grid(width: int, height: int, rule: Mapping[str, Any]) -> int:
    return ceil(width / 28) * ceil(height / 28) + 2


def _fixed(width: int, height: int, rule: Mapping[str, Any]) -> int:
    return int(rule["tokens"])


_RULES = {"tiles": _tiles, "patches": _patches, "crops": _crops, "area": _area, "grid": _grid, "fixed": _fixed}
NEEDS = {"tiles": ("base", "tile"), "patches": ("factor",), "crops": (), "area": (), "grid": (), "fixed": ("tokens",)}
"""The rules by name, and the numbers that each needs."""

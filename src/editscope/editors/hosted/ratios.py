"""Aspect ratios by name, for models that are asked for one."""

from __future__ import annotations

from collections.abc import Iterable
from math import log

from editscope.editors.sizing import Size


def nearest_aspect(size: Size, known: Iterable[str]) -> str:
    """The ratio that is nearest to width / height, measured by |log(w / h) − log(W / H)|; the first of equals.

    >>> nearest_aspect((1000, 700), ("1:1", "3:2", "16:9")), nearest_aspect((512, 512), ("3:2", "1:1"))
    ('3:2', '1:1')
    """
    wanted = log(size[0] / size[1])

    def off(name: str) -> float:
        width, _, height = name.partition(":")
        return abs(log(int(width) / int(height)) - wanted)

    return min(known, key=off)

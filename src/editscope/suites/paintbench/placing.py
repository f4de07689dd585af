"""Places for shapes: one after another, each drawn anew until it fits."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.paintbench.geometry import Box
from editscope.suites.paintbench.problem import Reject
from editscope.suites.paintbench.shapes import Shape

GAP = 4.0
"""How far apart, in pixels, bounding boxes are."""
WIDE_GAP = 6.0
"""The same in tasks that need alike shapes."""
EDGE = 0.02
"""How far shapes stay off the edge, as a fraction of the shorter side, whichever way they are turned."""
TRIES = 100


class Placing:
    """Adds shapes to a scene, within an area, apart from each other and from boxes that are to be kept free.

    ``tight`` lets them reach to the edge of the area.
    """

    def __init__(
        self,
        shapes: list[Shape],
        rng: SeededRandom,
        area: Box,
        *,
        keep_off: Iterable[Box] = (),
        gap: float = GAP,
        tight: bool = False,
    ) -> None:
        self._shapes, self._rng, self._area, self._gap, self._tight = shapes, rng, area, gap, tight
        self._taken = [box.grown(gap) for box in (*(shape.box for shape in shapes), *keep_off)]
        self._off = EDGE * min(area.width, area.height)

    def place(self, draw: Callable[[], Shape], tries: int = TRIES) -> Shape:
        """Add a shape; each try draws it and its place anew. Reject when none fits."""
        for _ in range(tries):
            if self.try_to_place(shape := draw()):
                return shape
        raise Reject("no room for another shape")

    def try_to_place(self, shape: Shape) -> bool:
        """Add a shape at a random place if nothing is in its way there."""
        area, box = self._area, shape.box
        (cx, cy), half_w, half_h = box.center, box.width / 2 + 2, box.height / 2 + 2
        if not self._tight:
            half_w = half_h = shape.half_diagonal + self._off
        if 2 * half_w > area.width or 2 * half_h > area.height:
            return False
        dx = self._rng.uniform(area.x0 + half_w, area.x1 - half_w) - cx
        dy = self._rng.uniform(area.y0 + half_h, area.y1 - half_h) - cy
        x0, y0, x1, y1 = box.x0 + dx, box.y0 + dy, box.x1 + dx, box.y1 + dy
        for other in self._taken:
            if x1 >= other.x0 and other.x1 >= x0 and y1 >= other.y0 and other.y1 >= y0:
                return False
        self._shapes.append(shape.moved(dx, dy))
        self._taken.append(self._shapes[-1].box.grown(self._gap))
        return True


def beside(width: float, height: float, side: str, depth: float) -> Box:
    """What a strip along one side leaves of a canvas."""
    return {
        "left": Box(depth, 0, width, height),
        "right": Box(0, 0, width - depth, height),
        "top": Box(0, depth, width, height),
        "bottom": Box(0, 0, width, height - depth),
    }[side]

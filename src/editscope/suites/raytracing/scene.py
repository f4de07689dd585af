"""Records of a scene: solids, walls, lamps and a camera. Lengths are meters, y points up, z away from the camera."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

Color: TypeAlias = tuple[float, float, float]
"""Red, green, blue in linear light; 1 is the brightest white of the picture."""
Point: TypeAlias = tuple[float, float, float]

PatternKind: TypeAlias = Literal["plain", "checks", "stripes", "bricks"]
SolidKind: TypeAlias = Literal["sphere", "box", "cylinder", "cone", "panel", "wire"]
SurfaceKind: TypeAlias = Literal["matte", "mirror", "glass", "clear"]
Side: TypeAlias = Literal["floor", "back", "left", "right", "behind"]

SEEN = 1
"""The camera sees a solid straight on."""
MIRRORED = 2
"""A solid is seen in mirrors."""
REFRACTED = 4
"""A solid is seen through glass and water, and in their surfaces."""
SHADOWING = 8
"""A solid casts shadows."""
SHINING = 16
"""The lamp of a solid lights the scene."""
ALL = SEEN | MIRRORED | REFRACTED | SHADOWING | SHINING


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular pattern of two colors, with the side of a check, the width of a stripe or the length of a brick."""

    kind: PatternKind = "plain"
    first: Color = (0.5, 0.5, 0.5)
    second: Color = (0.3, 0.3, 0.3)
    scale: float = 0.5


@dataclass(frozen=True, slots=True)
class Plane:
    """An endless floor or wall: where it lies on its axis, and its pattern."""

    side: Side
    place: float
    pattern: Pattern


@dataclass(frozen=True, slots=True)
class Surface:
    """What a solid is made of. ``index`` is the refractive index of glass.

    A clear body, such as the water in a tank, does not bend light; its color is the share that is left after a meter.
    Keep it a little above the floor: where the two touch, rays leave it below.
    """

    kind: SurfaceKind = "matte"
    color: Color = (0.5, 0.5, 0.5)
    index: float = 1.5


@dataclass(frozen=True, slots=True)
class Solid:
    """A body in the scene.

    ``place`` is the center of its lowest side: the point that touches the floor where it stands there. ``size`` is
    (width, height, depth); a sphere, a cylinder and a cone have the width as diameter. ``turn`` is in degrees about
    the vertical. A panel is a thin box that is a mirror at its front only; ``shine`` is the light that its surface
    gives off as the eye sees it. ``parts`` says which effects of it are there: tests and masks switch them off.
    ``tilt`` turns a box or cylinder about its center, counterclockwise in the picture, in degrees. A wire is made of
    ``lines``, which begin and end at points relative to ``place``, and as thick as its width.
    """

    name: str
    kind: SolidKind
    place: Point
    size: tuple[float, float, float]
    surface: Surface = Surface()
    turn: float = 0.0
    shine: Color = (0.0, 0.0, 0.0)
    parts: int = ALL
    tilt: float = 0.0
    lines: tuple[tuple[Point, Point], ...] = ()

    @property
    def center(self) -> Point:
        """The middle of the solid."""
        x, y, z = self.place
        if self.lines:
            low, high = self._ends
            return x + (low[0] + high[0]) / 2, y + (low[1] + high[1]) / 2, z + (low[2] + high[2]) / 2
        return x, y + self.size[1] / 2, z

    @property
    def reach(self) -> float:
        """The radius of a sphere about the center that holds the solid."""
        width, height, depth = self.size
        if self.kind == "sphere":
            return width / 2
        if self.kind == "wire":
            return math.dist(*self._ends) / 2 + width / 2
        if self.kind in ("cylinder", "cone"):
            return float((width * width + height * height) ** 0.5) / 2
        return float((width * width + height * height + depth * depth) ** 0.5) / 2

    @property
    def _ends(self) -> tuple[Point, Point]:
        """The corners of a box about all lines."""
        points = [point for line in self.lines for point in line]
        low = [min(point[axis] for point in points) for axis in range(3)]
        high = [max(point[axis] for point in points) for axis in range(3)]
        return (low[0], low[1], low[2]), (high[0], high[1], high[2])

    @property
    def footprint(self) -> float:
        """The radius of a circle on the floor that holds the solid."""
        width, _, depth = self.size
        return float((width * width + depth * depth) ** 0.5) / 2 if self.kind in ("box", "panel") else width / 2


@dataclass(frozen=True, slots=True)
class Lamp:
    """The light of a solid that shines: a sphere, or the lower side of a level panel (``area``).

    ``power`` is the light that reaches a surface one meter away that faces the lamp.
    """

    solid: str
    power: Color
    area: bool = False


@dataclass(frozen=True, slots=True)
class Sun:
    """Light from far away. ``azimuth`` is 0 behind the camera and 90 at its right; both angles are in degrees."""

    azimuth: float
    elevation: float
    power: Color
    spread: float = 0.012
    """The tangent of half the angle that it takes up in the sky."""

    @property
    def direction(self) -> Point:
        """Where it stands, as a direction of length 1."""
        around, above = math.radians(self.azimuth), math.radians(self.elevation)
        return math.sin(around) * math.cos(above), math.sin(above), -math.cos(around) * math.cos(above)


@dataclass(frozen=True, slots=True)
class Fog:
    """Even fog: what is a meter away keeps exp(-density) of its light."""

    density: float
    color: Color


@dataclass(frozen=True, slots=True)
class Water:
    """Water over the floor, up to a height; ``clearness`` is the share of light that is left after a meter."""

    height: float
    clearness: Color = (0.35, 0.62, 0.66)


@dataclass(frozen=True, slots=True)
class WetPatch:
    """A part of the floor that is wet: left, near, right and far side."""

    box: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Camera:
    """A pinhole at a place that looks at a point; ``spread`` is the tangent of half the angle of view."""

    place: Point = (0.0, 1.55, -5.2)
    target: Point = (0.0, 0.85, 0.6)
    spread: float = 0.42


@dataclass(frozen=True, slots=True)
class TracedScene:
    """All that is in a picture."""

    planes: tuple[Plane, ...]
    solids: tuple[Solid, ...]
    lamps: tuple[Lamp, ...] = ()
    sun: Sun | None = None
    ambient: Color = (0.25, 0.25, 0.25)
    background: Color = (0.3, 0.33, 0.36)
    camera: Camera = Camera()
    fog: Fog | None = None
    water: Water | None = None
    wet: WetPatch | None = None

    def solid(self, name: str) -> Solid:
        """The solid of a name."""
        return next(solid for solid in self.solids if solid.name == name)

    def without(self, name: str) -> TracedScene:
        """The scene without a solid and its lamp."""
        return replace(
            self,
            solids=tuple(solid for solid in self.solids if solid.name != name),
            lamps=tuple(lamp for lamp in self.lamps if lamp.solid != name),
        )

    def with_solid(self, solid: Solid) -> TracedScene:
        """The scene with a solid in the place of the one of its name, or after all others."""
        if all(other.name != solid.name for other in self.solids):
            return replace(self, solids=(*self.solids, solid))
        return replace(self, solids=tuple(solid if other.name == solid.name else other for other in self.solids))

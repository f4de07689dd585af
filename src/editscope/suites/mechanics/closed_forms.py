"""Formulas of statics: springs, hanging ropes, levers and floating things. Lengths are meters, masses kilograms."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

HALVINGS = 80


def spring_length(unloaded: float, per_kilogram: float, load: float) -> float:
    """The length of a spring under a load (Hooke): it changes by the same length for every kilogram.

    >>> round(spring_length(0.5, 0.1, 3), 3), round(spring_length(0.5, -0.05, 2), 3)
    (0.8, 0.4)
    """
    return unloaded + per_kilogram * load


def catenary_width(apart: float, length: float) -> float:
    """The parameter a of the curve a cosh(x/a) in which a rope hangs between two points at the same height.

    It solves 2 a sinh(apart / 2a) = length.

    >>> a = catenary_width(2.0, 2.5)
    >>> round(2 * a * math.sinh(1 / a), 9)
    2.5
    """
    if length <= apart:
        raise ValueError(f"a rope of {length} m does not reach over {apart} m")
    # u = apart / 2a grows with the slack: sinh(u) / u = length / apart.
    low, high = 1e-6, 20.0
    for _ in range(HALVINGS):
        u = (low + high) / 2
        low, high = (u, high) if math.sinh(u) / u < length / apart else (low, u)
    return apart / (low + high)


def catenary(apart: float, length: float, count: int) -> list[tuple[float, float]]:
    """Points of a hanging rope, equally far from each other along it, from its left end: (across, up).

    >>> [(round(x, 3) + 0.0, round(y, 3) + 0.0) for x, y in catenary(2.0, 2.5, 3)]
    [(0.0, 0.0), (1.0, -0.664), (2.0, 0.0)]
    """
    a = catenary_width(apart, length)
    top = a * math.cosh(apart / (2 * a))
    points = []
    for number in range(count):
        # The length of the rope from its lowest point is a sinh(x/a).
        x = a * math.asinh((number / (count - 1) - 0.5) * length / a)
        points.append((apart / 2 + x, a * math.cosh(x / a) - top))
    return points


def torque(loads: Iterable[tuple[float, float]]) -> float:
    """What turns a lever counterclockwise: the sum of mass times distance, for (mass, place); left is negative.

    >>> torque([(2, -3), (4, 1)])
    2
    """
    return -sum(mass * place for mass, place in loads)


def torque_at(tilt: float, loads: Sequence[tuple[float, float, float]]) -> float:
    """The torque of masses on a board that is tilted by so many degrees; above 0 it turns counterclockwise.

    A load is its mass, and where its center is while the board is level: how far right of the axle, and how far above
    it. What stands high on a sloping board leans to the low side, so the sum of mass times distance is not enough.

    >>> torque_at(0.0, [(1.0, -0.5, 0.2)]), round(torque_at(30.0, [(1.0, 0.1, 0.4)]), 6)
    (0.5, 0.113397)
    """
    angle = math.radians(tilt)
    return -sum(mass * (across * math.cos(angle) - up * math.sin(angle)) for mass, across, up in loads)


def seesaw_tilt(axle: float, radius: float, half: float) -> float:
    """The tilt, in degrees, at which one end of a board lies on the floor.

    The board is 2 × ``half`` long and lies on an axle of a radius whose middle is ``axle`` above the floor; its lower
    side touches the axle, so that half sin(tilt) - radius cos(tilt) = axle.

    >>> tilt = math.radians(seesaw_tilt(0.4, 0.05, 1.2))
    >>> round(1.2 * math.sin(tilt) - 0.05 * math.cos(tilt), 9)
    0.4
    """
    return math.degrees(math.asin(axle / math.hypot(half, radius)) + math.atan2(radius, half))


def draft(height: float, density: float) -> float:
    """How deep a floating box lies in the water (Archimedes); ``density`` is relative to water.

    >>> draft(0.4, 0.75)
    0.30000000000000004
    """
    return height * min(density, 1.0)


def water_level(level: float, tank_area: float, displaced: float) -> float:
    """The height of the water after so many cubic meters of it were displaced; below 0 for what is taken out.

    >>> water_level(0.5, 1.2, 0.12)
    0.6
    """
    return level + displaced / tank_area

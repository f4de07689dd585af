"""The one array that the tracer reads a scene from: where its parts begin.

Arrays cost time whenever a compiled function is called with them, so everything is in one.
"""

from __future__ import annotations

CAMERA = 18
"""Place, ahead, right and up. Before it: light from all around, background, fog, water, wet patch."""
PLANES_END, LIGHTS_END, SOLIDS, SOLIDS_END, NEAR_BY, SEEABLE = 33, 34, 35, 36, 37, 38
"""Places that hold where something begins or ends, since scenes differ in size."""
PLANES, PLANE_ROW = 40, 10
STACK, STACK_ROW, STACK_END = 100, 13, 100 + 24 * 13
"""Rays that may wait; each step adds at most one more than it takes."""
SPINS, SHADOW_NUMBERS = 64, 64
"""Sets of shadow rays; the pixel decides which one it uses. A set has four numbers for each ray."""
RAYS = STACK_END
LIGHTS, LIGHT_ROW = RAYS + SPINS * SHADOW_NUMBERS, 11
ROW = 22
"""Of a solid: geometry (11), kind, parts, surface (8), and the bit that says that it was seen."""

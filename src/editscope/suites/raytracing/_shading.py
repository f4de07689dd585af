"""Light on a surface: lamps with soft shadows, light from all around, and the patterns of floors and walls."""

from __future__ import annotations

import math
from typing import Any

from editscope.compiled import compiled
from editscope.suites.raytracing import _geometry, _layout
from editscope.suites.raytracing._geometry import FAR, SPHERE, blocks, near_miss
from editscope.suites.raytracing._layout import LIGHT_ROW, LIGHTS, LIGHTS_END, NEAR_BY, ROW, SOLIDS, SOLIDS_END

USES = (_geometry, _layout)
GLASS, CLEAR = 2, 3
CHECKS, STRIPES, BRICKS = 1, 2, 3
FLOOR, LEFT, RIGHT = 0, 2, 3
GLOBE, AREA, SUN = 0, 1, 2
SHADOW_RAYS = 16
WATER_INDEX = 1.33
THROUGH_GLASS = 0.7
"""What glass leaves of the light behind it. Real glass focuses it; see the mask of ignored pixels."""


@compiled(inner=True, uses=USES)
def _lit(
    x: float, y: float, z: float, ax: float, ay: float, az: float, far: float, own: int, w: Any, l: int, spin: int
) -> float:
    """The share of a lamp that a point sees. (ax, ay, az) leads to the middle of the lamp."""
    owner = int(w[l + 10])
    near_by = int(w[NEAR_BY])
    count = 0
    slope = w[l + 4] if w[l] == SUN else w[l + 4] / far
    for i in range(int(w[SOLIDS]), int(w[SOLIDS_END]), ROW):
        if int(w[i + 12]) & 8 == 0 or i in (own, owner):
            continue
        vx, vy, vz = w[i] - x, w[i + 1] - y, w[i + 2] - z
        along = vx * ax + vy * ay + vz * az
        reach = w[i + 8]
        if along < -reach or along > far + reach:
            continue
        wide = reach + slope * max(along, 0.0) + 1e-9
        if vx * vx + vy * vy + vz * vz - along * along > wide * wide:
            continue
        kind = int(w[i + 11])
        # The bounding ball is in the way, the solid itself perhaps not.
        if kind != SPHERE and near_miss(kind, w, i, x, y, z, ax, ay, az, slope * min(far, along + reach) + 1e-9):
            continue
        w[near_by + count] = i
        count += 1
    if count == 0:
        return 1.0
    if abs(ay) < 0.9:
        length = 1.0 / math.sqrt(ax * ax + az * az)
        ux, uy, uz = -az * length, 0.0, ax * length
    else:
        length = 1.0 / math.sqrt(ay * ay + az * az)
        ux, uy, uz = 0.0, az * length, -ay * length
    wx, wy, wz = ay * uz - az * uy, az * ux - ax * uz, ax * uy - ay * ux
    # A solid is convex: if it stands before the corners of a lamp, it stands before the whole lamp.
    for m in range(count):
        i = int(w[near_by + m])
        if w[i + 13] == GLASS or w[i + 13] == CLEAR:
            continue
        corners = 0
        while corners < 4:
            p = 1.0 if corners == 0 or corners == 3 else -1.0
            q = 1.0 if corners < 2 else -1.0
            dx, dy, dz, limit = _toward(x, y, z, ax, ay, az, far, slope, ux, uy, uz, wx, wy, wz, p, q, p, q, w, l)
            if not blocks(int(w[i + 11]), w, i, x, y, z, dx, dy, dz, limit):
                break
            corners += 1
        if corners == 4:
            return 0.0
    total = 0.0
    for k in range(spin, spin + 4 * SHADOW_RAYS, 4):
        dx, dy, dz, limit = _toward(
            x, y, z, ax, ay, az, far, slope, ux, uy, uz, wx, wy, wz, w[k], w[k + 1], w[k + 2], w[k + 3], w, l
        )
        through = 1.0
        for m in range(count):
            i = int(w[near_by + m])
            if blocks(int(w[i + 11]), w, i, x, y, z, dx, dy, dz, limit):
                if w[i + 13] == GLASS:
                    through *= THROUGH_GLASS
                else:
                    through = 0.0
                    break
        total += through
    return total / SHADOW_RAYS


@compiled(inner=True, uses=USES)
def _toward(
    x: float, y: float, z: float, ax: float, ay: float, az: float, far: float, slope: float,
    ux: float, uy: float, uz: float, wx: float, wy: float, wz: float,
    p: float, q: float, across: float, along: float, w: Any, l: int,
) -> tuple[float, float, float, float]:  # fmt: skip
    """Direction and distance of a point of a lamp: (p, q) on the disk of a globe, or (across, along) on an area."""
    if w[l] == AREA:
        dx, dy, dz = w[l + 1] + across * w[l + 5] - x, w[l + 2] - y, w[l + 3] + along * w[l + 6] - z
        limit = math.sqrt(dx * dx + dy * dy + dz * dz)
        short = 1.0 / limit
        return dx * short, dy * short, dz * short, limit
    p, q = p * slope, q * slope
    dx, dy, dz = ax + p * ux + q * wx, ay + p * uy + q * wy, az + p * uz + q * wz
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    short = 1.0 / length
    return dx * short, dy * short, dz * short, min(FAR, far * length)


@compiled(inner=True, uses=USES)
def _under_water(depth: float, ax: float, ay: float, az: float) -> tuple[float, float, float, float, float]:
    """Where the sun stands for a point so deep under still water, how far away the surface is, and what is kept.

    Snell's law gives the direction, Fresnel's what goes through the surface; the beam is wider there than in the air.
    """
    bx, bz = ax / WATER_INDEX, az / WATER_INDEX
    by = math.sqrt(1.0 - bx * bx - bz * bz)
    across = (ay - WATER_INDEX * by) / (ay + WATER_INDEX * by)
    along = (WATER_INDEX * ay - by) / (WATER_INDEX * ay + by)
    through = 1.0 - 0.5 * (across * across + along * along)
    return bx, by, bz, depth / by, through * ay / by


@compiled(inner=True, uses=USES)
def light_at(
    x: float, y: float, z: float, nx: float, ny: float, nz: float, own: int, w: Any, spin: int
) -> tuple[float, float, float]:  # fmt: skip
    """The light that reaches a point from all lamps and from all around."""
    red, green, blue = w[0], w[1], w[2]
    for l in range(LIGHTS, int(w[LIGHTS_END]), LIGHT_ROW):
        if w[l] == SUN:
            ax, ay, az, far = w[l + 1], w[l + 2], w[l + 3], FAR
            if w[10] > 0.0 and y < w[10]:
                # Under water the sun stands higher: its light is bent at the surface, and has come a longer way.
                bx, by, bz, length, kept = _under_water(w[10] - y, ax, ay, az)
                strength = (nx * bx + ny * by + nz * bz) * kept
                if strength > 0.0:
                    strength *= _lit(x, y, z, bx, by, bz, length, own, w, l, spin)
                if strength > 0.0:
                    strength *= _lit(x + length * bx, w[10], z + length * bz, ax, ay, az, FAR, own, w, l, spin)
                if strength > 0.0:
                    red += w[l + 7] * strength * math.exp(w[11] * length)
                    green += w[l + 8] * strength * math.exp(w[12] * length)
                    blue += w[l + 9] * strength * math.exp(w[13] * length)
                continue
            strength = nx * ax + ny * ay + nz * az
        else:
            ax, ay, az = w[l + 1] - x, w[l + 2] - y, w[l + 3] - z
            square = ax * ax + ay * ay + az * az
            far = math.sqrt(square)
            ax, ay, az = ax / far, ay / far, az / far
            if w[l] == GLOBE:
                strength = (nx * ax + ny * ay + nz * az) / square
            else:
                # Four points stand for the area: exact enough at the distances that rooms have.
                strength = 0.0
                for k in range(4):
                    dx = w[l + 1] + w[l + 5] * (0.57735 if k & 1 else -0.57735) - x
                    dz = w[l + 3] + w[l + 6] * (0.57735 if k & 2 else -0.57735) - z
                    dy = w[l + 2] - y
                    square = dx * dx + dy * dy + dz * dz
                    facing = nx * dx + ny * dy + nz * dz
                    if dy > 0.0 and facing > 0.0:
                        strength += 0.25 * facing * dy / (square * square)
        if strength <= 0.0:
            continue
        strength *= _lit(x, y, z, ax, ay, az, far, own, w, l, spin)
        red += w[l + 7] * strength
        green += w[l + 8] * strength
        blue += w[l + 9] * strength
    return red, green, blue


@compiled(inner=True, uses=USES)
def pattern_at(w: Any, i: int, x: float, y: float, z: float) -> int:
    """The column where the color of a plane at a point begins."""
    side, kind, scale = int(w[i]), int(w[i + 2]), w[i + 3]
    u = z if side in (LEFT, RIGHT) else x
    v = z if side == FLOOR else y
    second = False
    if kind == CHECKS:
        second = (math.floor(u / scale) + math.floor(v / scale)) & 1 == 1
    elif kind == STRIPES:
        second = math.floor(u / scale) & 1 == 1
    elif kind == BRICKS:
        row = math.floor(v / (0.4 * scale))
        u = u / scale + (0.5 if int(row) & 1 else 0.0)
        second = v / (0.4 * scale) - row < 0.12 or u - math.floor(u) < 0.05
    return 7 if second else 4

"""Rays against solids: where they meet, the normal there, and whether a solid stands in the way of a lamp."""

from __future__ import annotations

import math
from typing import Any

from editscope.compiled import compiled

SPHERE, BOX, CYLINDER, CONE, PANEL = 0, 1, 2, 3, 4
TILTED_BOX, TILTED_CYLINDER, ROD = 5, 6, 7
"""Kinds of their own, so that scenes without them do not pay for them. A rod has round ends."""
FAR = 1e30
NEAR = 1e-6


@compiled(inner=True)
def _hit_box(w: Any, i: int, px: float, py: float, pz: float, dx: float, dy: float, dz: float, near: float) -> float:
    c, s = w[i + 6], w[i + 7]
    ox, oy, oz = c * px - s * pz, py, s * px + c * pz
    ex, ey, ez = c * dx - s * dz, dy, s * dx + c * dz
    ix, iy, iz = 1.0 / (ex + 1e-300), 1.0 / (ey + 1e-300), 1.0 / (ez + 1e-300)
    a, b = (-w[i + 3] - ox) * ix, (w[i + 3] - ox) * ix
    low, high = min(a, b), max(a, b)
    a, b = (-w[i + 4] - oy) * iy, (w[i + 4] - oy) * iy
    low, high = max(low, min(a, b)), min(high, max(a, b))
    a, b = (-w[i + 5] - oz) * iz, (w[i + 5] - oz) * iz
    low, high = max(low, min(a, b)), min(high, max(a, b))
    if low > high:
        return FAR
    if low > near:
        return float(low)
    return float(high) if high > near else FAR


@compiled(inner=True)
def _hit_round(
    cone: bool, r: float, h: float, px: float, py: float, pz: float, dx: float, dy: float, dz: float, near: float
) -> float:
    """A cylinder or cone from -h to h about its middle."""
    best = FAR
    k = r / (2.0 * h) if cone else 0.0
    top = h - py
    # At height y the radius is r for a cylinder and k (h - y) for a cone.
    a = dx * dx + dz * dz - k * k * dy * dy
    b = px * dx + pz * dz + (k * k * top * dy if cone else 0.0)
    c = px * px + pz * pz - (k * k * top * top if cone else r * r)
    disc = b * b - a * c
    if disc <= 0.0 and abs(a) > 1e-12:
        return FAR  # who passes the side passes the ends too
    if abs(a) > 1e-12:
        root = math.sqrt(disc)
        for sign in (-1.0, 1.0):
            t = (-b + sign * root) / a
            y = py + t * dy
            if near < t < best and -h <= y <= h:
                best = t
    if abs(dy) > 1e-12:
        for sign in (-1.0, 1.0):
            if cone and sign > 0.0:
                continue
            t = (sign * h - py) / dy
            x, z = px + t * dx, pz + t * dz
            if near < t < best and x * x + z * z <= r * r:
                best = t
    return best


@compiled(inner=True)
def _upright(w: Any, i: int, x: float, y: float, z: float) -> tuple[float, float, float]:
    """A direction as a solid sees it that is turned about the vertical and tilted."""
    c, s = w[i + 6], w[i + 7]
    u, v = c * x - s * z, s * x + c * z
    c, s = w[i + 9], w[i + 10]
    return c * u + s * y, c * y - s * u, v


@compiled(inner=True)
def _hit_tilted(
    kind: int, w: Any, i: int, px: float, py: float, pz: float, dx: float, dy: float, dz: float, near: float
) -> float:
    ox, oy, oz = _upright(w, i, px, py, pz)
    ex, ey, ez = _upright(w, i, dx, dy, dz)
    if kind == TILTED_CYLINDER:
        return float(_hit_round(False, w[i + 3], w[i + 4], ox, oy, oz, ex, ey, ez, near))
    low, high = -FAR, FAR
    for o, e, half in ((ox, ex, w[i + 3]), (oy, ey, w[i + 4]), (oz, ez, w[i + 5])):
        inverse = 1.0 / (e + 1e-300)
        a, b = (-half - o) * inverse, (half - o) * inverse
        low, high = max(low, min(a, b)), min(high, max(a, b))
    if low > high:
        return FAR
    if low > near:
        return float(low)
    return float(high) if high > near else FAR


@compiled(inner=True)
def _hit_rod(w: Any, i: int, px: float, py: float, pz: float, dx: float, dy: float, dz: float, near: float) -> float:
    """A rod from outside: its side, or else the ball at the end that the ray comes nearest to."""
    r, half = w[i + 3], w[i + 4]
    ax, ay, az = w[i + 5], w[i + 6], w[i + 7]
    along, forward = px * ax + py * ay + pz * az, dx * ax + dy * ay + dz * az
    # What is left of place and direction across the axis.
    ux, uy, uz = px - along * ax, py - along * ay, pz - along * az
    vx, vy, vz = dx - forward * ax, dy - forward * ay, dz - forward * az
    a = vx * vx + vy * vy + vz * vz
    b = ux * vx + uy * vy + uz * vz
    disc = b * b - a * (ux * ux + uy * uy + uz * uz - r * r)
    if disc < 0.0:
        return FAR
    place = along
    if a > 1e-12:
        t = (-b - math.sqrt(disc)) / a
        place = along + t * forward
        if abs(place) <= half:
            return float(t) if t > near else FAR
    elif forward > 0.0:
        place = -half
    end = math.copysign(half, place)
    qx, qy, qz = px - end * ax, py - end * ay, pz - end * az
    b = qx * dx + qy * dy + qz * dz
    disc = b * b - (qx * qx + qy * qy + qz * qz - r * r)
    if disc <= 0.0:
        return FAR
    t = -b - math.sqrt(disc)
    return float(t) if t > near else FAR


@compiled(inner=True)
def hit(
    kind: int, w: Any, i: int, ox: float, oy: float, oz: float, dx: float, dy: float, dz: float, near: float
) -> float:
    """The distance at which a ray first meets a solid."""
    px, py, pz = ox - w[i], oy - w[i + 1], oz - w[i + 2]
    if kind == SPHERE:
        b = px * dx + py * dy + pz * dz
        disc = b * b - (px * px + py * py + pz * pz - w[i + 3] * w[i + 3])
        if disc <= 0.0:
            return FAR
        root = math.sqrt(disc)
        if -b - root > near:
            return float(-b - root)
        return float(-b + root) if -b + root > near else FAR
    if kind in (BOX, PANEL):
        return float(_hit_box(w, i, px, py, pz, dx, dy, dz, near))
    if kind == ROD:
        return float(_hit_rod(w, i, px, py, pz, dx, dy, dz, near))
    if kind in (TILTED_BOX, TILTED_CYLINDER):
        return float(_hit_tilted(kind, w, i, px, py, pz, dx, dy, dz, near))
    return float(_hit_round(kind == CONE, w[i + 3], w[i + 4], px, py, pz, dx, dy, dz, near))


@compiled(inner=True)
def _normal_of_placed(kind: int, w: Any, i: int, px: float, py: float, pz: float) -> tuple[float, float, float]:
    """The normal of a rod or of a solid that is tilted."""
    if kind == ROD:
        ax, ay, az, half = w[i + 5], w[i + 6], w[i + 7], w[i + 4]
        along = max(-half, min(half, px * ax + py * ay + pz * az))
        return (px - along * ax) / w[i + 3], (py - along * ay) / w[i + 3], (pz - along * az) / w[i + 3]
    lx, ly, lz = _upright(w, i, px, py, pz)
    nx, ny, nz = 0.0, 0.0, 0.0
    if kind == TILTED_CYLINDER:
        if w[i + 4] - abs(ly) < 1e-7:
            ny = math.copysign(1.0, ly)
        else:
            flat = math.sqrt(lx * lx + lz * lz) + 1e-300
            nx, nz = lx / flat, lz / flat
    else:
        ax, ay, az = w[i + 3] - abs(lx), w[i + 4] - abs(ly), w[i + 5] - abs(lz)
        if ay <= ax and ay <= az:
            ny = math.copysign(1.0, ly)
        elif ax <= az:
            nx = math.copysign(1.0, lx)
        else:
            nz = math.copysign(1.0, lz)
    c, s = w[i + 9], w[i + 10]
    nx, ny = c * nx - s * ny, s * nx + c * ny
    c, s = w[i + 6], w[i + 7]
    return c * nx + s * nz, ny, c * nz - s * nx


@compiled(inner=True)
def normal(kind: int, w: Any, i: int, x: float, y: float, z: float) -> tuple[float, float, float, bool]:
    """The outward normal of a solid at a point of its surface, and whether that is the front of a panel."""
    px, py, pz = x - w[i], y - w[i + 1], z - w[i + 2]
    if kind == SPHERE:
        return px / w[i + 3], py / w[i + 3], pz / w[i + 3], False
    if kind in (BOX, PANEL):
        c, s = w[i + 6], w[i + 7]
        lx, lz = c * px - s * pz, s * px + c * pz
        ax, ay, az = w[i + 3] - abs(lx), w[i + 4] - abs(py), w[i + 5] - abs(lz)
        if ay <= ax and ay <= az:
            return 0.0, math.copysign(1.0, py), 0.0, False
        if ax <= az:
            sign = math.copysign(1.0, lx)
            return c * sign, 0.0, -s * sign, False
        sign = math.copysign(1.0, lz)
        return s * sign, 0.0, c * sign, lz < 0.0
    if kind >= TILTED_BOX:
        nx, ny, nz = _normal_of_placed(kind, w, i, px, py, pz)
        return nx, ny, nz, False
    r, h = w[i + 3], w[i + 4]
    if abs(py + h) < 1e-7 or (kind == CYLINDER and abs(py - h) < 1e-7):
        return 0.0, math.copysign(1.0, py), 0.0, False
    flat = math.sqrt(px * px + pz * pz) + 1e-300
    if kind == CYLINDER:
        return px / flat, 0.0, pz / flat, False
    slant = math.sqrt(r * r + 4.0 * h * h)
    return px / flat * 2.0 * h / slant, r / slant, pz / flat * 2.0 * h / slant, False


@compiled(inner=True)
def blocks(
    kind: int, w: Any, i: int, ox: float, oy: float, oz: float, dx: float, dy: float, dz: float, limit: float
) -> bool:
    """Whether a solid stands between a point and a lamp at a distance; spheres need no square root."""
    if kind != SPHERE:
        return bool(hit(kind, w, i, ox, oy, oz, dx, dy, dz, NEAR) < limit)
    px, py, pz = w[i] - ox, w[i + 1] - oy, w[i + 2] - oz
    b = px * dx + py * dy + pz * dz
    if b <= 0.0:
        return False
    disc = b * b - (px * px + py * py + pz * pz - w[i + 3] * w[i + 3])
    if disc <= 0.0:
        return False
    return bool(b < limit or (b - limit) * (b - limit) < disc)


@compiled(inner=True)
def near_miss(
    kind: int, w: Any, i: int, ox: float, oy: float, oz: float, dx: float, dy: float, dz: float, more: float
) -> bool:
    """Whether a ray passes a solid even if that were so much larger on all sides; False where that is not known."""
    px, py, pz = ox - w[i], oy - w[i + 1], oz - w[i + 2]
    if kind in (BOX, PANEL):
        c, s = w[i + 6], w[i + 7]
        lx, lz = c * px - s * pz, s * px + c * pz
        ex, ez = c * dx - s * dz, s * dx + c * dz
        return _passes_box(lx, py, lz, ex, dy, ez, w[i + 3] + more, w[i + 4] + more, w[i + 5] + more)
    r, h = w[i + 3], w[i + 4]
    if kind == CYLINDER:
        return bool(_hit_round(False, r + more, h + more, px, py, pz, dx, dy, dz, NEAR) >= FAR)
    if kind == CONE:
        # Its tip goes up by more than that, so that the side is as far away.
        tip = more * math.sqrt(r * r + 4.0 * h * h) / r
        tall = h + (tip + more) / 2.0
        return bool(_hit_round(True, r * tall / h, tall, px, py - (tip - more) / 2.0, pz, dx, dy, dz, NEAR) >= FAR)
    return False


@compiled(inner=True)
def _passes_box(
    px: float, py: float, pz: float, dx: float, dy: float, dz: float, wide: float, high: float, deep: float
) -> bool:
    """Whether a ray passes a box about the origin, by the axes that could part them: no division."""
    if (abs(px) > wide and px * dx >= 0.0) or (abs(py) > high and py * dy >= 0.0) or (abs(pz) > deep and pz * dz >= 0):
        return True
    ax, ay, az = abs(dx), abs(dy), abs(dz)
    return bool(
        abs(py * dz - pz * dy) > high * az + deep * ay
        or abs(pz * dx - px * dz) > wide * az + deep * ax
        or abs(px * dy - py * dx) > wide * ay + high * ax
    )

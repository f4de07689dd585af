"""The compiled tracer: rays against solids, planes and water, light with soft shadows, mirrors and glass by a stack.

Nothing here depends on anything but the pixel and what its rays meet, and a sum never changes its order: a pixel whose
rays meet the same things has the same bytes, whatever else is in the scene.
"""

from __future__ import annotations

import math
from typing import Any

from editscope.compiled import compiled
from editscope.suites.raytracing import _geometry, _layout, _shading
from editscope.suites.raytracing._geometry import FAR, NEAR, PANEL, hit, normal
from editscope.suites.raytracing._layout import (
    CAMERA,
    PLANE_ROW,
    PLANES,
    PLANES_END,
    RAYS,
    ROW,
    SEEABLE,
    SHADOW_NUMBERS,
    SOLIDS,
    SOLIDS_END,
    SPINS,
    STACK,
    STACK_END,
    STACK_ROW,
)
from editscope.suites.raytracing._shading import WATER_INDEX, light_at, pattern_at

USES = (_geometry, _layout, _shading)
MATTE, MIRROR, GLASS, CLEAR = 0, 1, 2, 3
FLOOR, BACK, LEFT, RIGHT, BEHIND = 0, 1, 2, 3, 4
DEPTH = 6
IN_BODY = 2
"""Where a ray is: 0 in air, 1 in the water over the floor, this and more in the clear body of a number."""
FAINT = 1.0 / 255.0
"""Rays that can add less than this are not followed."""
UNSEEN_BIT = 1 << 31
"""A mirror or glass shows what no camera ray can see: beyond the walls, or the wall behind the camera."""
BACK_OF_PANEL = 0.12
PLAIN_SHARE = 0.1
"""Share of a ray from which what it shows can be told; a clear surface reflects 4% of what faces it."""


@compiled(inner=True, uses=USES)
def _push(
    w: Any, n: int, x: float, y: float, z: float, dx: float, dy: float, dz: float,
    red: float, green: float, blue: float, depth: float, seen_by: float, inside: float, under: float,
) -> int:  # fmt: skip
    if max(red, max(green, blue)) < FAINT or depth > DEPTH or n >= STACK_END:
        return n
    w[n], w[n + 1], w[n + 2] = x, y, z
    w[n + 3], w[n + 4], w[n + 5] = dx, dy, dz
    w[n + 6], w[n + 7], w[n + 8] = red, green, blue
    w[n + 9], w[n + 10], w[n + 11], w[n + 12] = depth, seen_by, inside, under
    return n + STACK_ROW


@compiled(inner=True, uses=USES)
def _split(
    w: Any, n: int, x: float, y: float, z: float, dx: float, dy: float, dz: float,
    nx: float, ny: float, nz: float, ratio: float,
    red: float, green: float, blue: float, depth: float, seen_by: float,
    beyond: float, here: float, under_beyond: float, under_here: float,
) -> int:  # fmt: skip
    """Reflection and refraction at a clear surface, weighted by Fresnel. The normal faces the ray."""
    cos = -(dx * nx + dy * ny + dz * nz)
    under = 1.0 - ratio * ratio * (1.0 - cos * cos)
    reflected = 1.0
    if under > 0.0:
        bent = math.sqrt(under)
        across = (ratio * cos - bent) / (ratio * cos + bent)
        along = (cos - ratio * bent) / (cos + ratio * bent)
        reflected = 0.5 * (across * across + along * along)
        k = ratio * cos - bent
        kept = 1.0 - reflected
        n = _push(
            w, n, x, y, z, ratio * dx + k * nx, ratio * dy + k * ny, ratio * dz + k * nz,
            red * kept, green * kept, blue * kept, depth + 1, seen_by, beyond, under_beyond,
        )  # fmt: skip
    return _push(
        w, n, x, y, z, dx + 2.0 * cos * nx, dy + 2.0 * cos * ny, dz + 2.0 * cos * nz,
        red * reflected, green * reflected, blue * reflected, depth + 1, seen_by, here, under_here,
    )  # fmt: skip


@compiled(inner=True, uses=USES)
def _fresnel(cos: float, ratio: float) -> float:
    """The share of light that a denser, clear surface reflects; ``ratio`` is the index before it by that behind it."""
    bent = math.sqrt(1.0 - ratio * ratio * (1.0 - cos * cos))
    across = (ratio * cos - bent) / (ratio * cos + bent)
    along = (cos - ratio * bent) / (cos + ratio * bent)
    return 0.5 * (across * across + along * along)


@compiled(inner=True, uses=USES)
def _trace(
    x: float, y: float, z: float, dx: float, dy: float, dz: float, w: Any, spin: int, seen_from: int, seen_to: int
) -> tuple[float, float, float, int]:
    """The color of a camera ray, and the bits of what it met first."""
    red, green, blue, bits, first = 0.0, 0.0, 0.0, 0, FAR
    wr, wg, wb, depth, seen_by, inside, under, body = 1.0, 1.0, 1.0, 0.0, 1, -1, False, -IN_BODY
    n, fresh = STACK, True
    solids, solids_end = int(w[SOLIDS]), int(w[SOLIDS_END])
    while fresh or n > STACK:
        if not fresh:
            n -= STACK_ROW
            x, y, z, dx, dy, dz = w[n], w[n + 1], w[n + 2], w[n + 3], w[n + 4], w[n + 5]
            wr, wg, wb, depth = w[n + 6], w[n + 7], w[n + 8], w[n + 9]
            seen_by, inside, under = int(w[n + 10]), int(w[n + 11]), w[n + 12] == 1.0
            body = int(w[n + 12]) - IN_BODY
        fresh = False
        best, solid, plane, water = FAR, -1, -1, False
        if inside >= 0:
            best, solid = hit(int(w[inside + 11]), w, inside, x, y, z, dx, dy, dz, NEAR), inside
        else:
            if depth == 0.0:
                for m in range(seen_from, seen_to):
                    i = int(w[m])
                    if int(w[i + 12]) & seen_by:
                        t = hit(int(w[i + 11]), w, i, x, y, z, dx, dy, dz, NEAR)
                        if t < best:
                            best, solid = t, i
            else:
                for i in range(solids, solids_end, ROW):
                    if int(w[i + 12]) & seen_by == 0:
                        continue
                    px, py, pz = w[i] - x, w[i + 1] - y, w[i + 2] - z
                    along, square = px * dx + py * dy + pz * dz, w[i + 8] * w[i + 8]
                    away = px * px + py * py + pz * pz
                    if away - along * along > square or (along < 0.0 and away > square):
                        continue
                    t = hit(int(w[i + 11]), w, i, x, y, z, dx, dy, dz, NEAR)
                    if t < best:
                        best, solid = t, i
            for i in range(PLANES, int(w[PLANES_END]), PLANE_ROW):
                side = int(w[i])
                o, d = (y, dy) if side == FLOOR else ((x, dx) if side in (LEFT, RIGHT) else (z, dz))
                # Walls are seen from inside the room only.
                if (side in (FLOOR, LEFT, BEHIND)) == (d < 0.0) and d != 0.0:
                    t = (w[i + 1] - o) / d
                    if NEAR < t < best:
                        best, solid, plane = t, -1, i
            if w[10] > 0.0 and dy != 0.0 and under == (dy > 0.0):
                t = (w[10] - y) / dy
                if NEAR < t < best:
                    best, solid, plane, water = t, -1, -1, True
        if depth == 0.0:
            first = best
            if solid >= 0:
                bits |= 1 << int(w[solid + 21])
        if under:
            length = min(best, 100.0)
            ar, ag, ab = math.exp(w[11] * length), math.exp(w[12] * length), math.exp(w[13] * length)
            wr, wg, wb = wr * ar, wg * ag, wb * ab
        if body >= 0:
            length = min(best, 100.0)
            wr *= math.exp(math.log(w[body + 14]) * length)
            wg *= math.exp(math.log(w[body + 15]) * length)
            wb *= math.exp(math.log(w[body + 16]) * length)
        if solid < 0 and plane < 0 and not water:
            red, green, blue = red + wr * w[3], green + wg * w[4], blue + wb * w[5]
            if depth > 0.0 and max(wr, max(wg, wb)) > PLAIN_SHARE:
                bits |= UNSEEN_BIT
            continue
        x, y, z = x + best * dx, y + best * dy, z + best * dz
        if water:
            if under:
                n = _push(w, n, x, y, z, dx, dy, dz, wr, wg, wb, depth + 1, seen_by, -1.0, 0.0)
            else:
                n = _split(
                    w, n, x, y, z, dx, dy, dz, 0.0, 1.0, 0.0, 1.0 / WATER_INDEX, wr, wg, wb, depth,
                    4.0 if seen_by == 1 else float(seen_by), -1.0, -1.0, 1.0, 0.0,
                )  # fmt: skip
            continue
        if solid >= 0 and w[solid + 13] == CLEAR:
            # A ray goes straight through: what stands in the body is seen where it is.
            within = 0.0 if solid == body else float(solid + IN_BODY)
            n = _push(w, n, x, y, z, dx, dy, dz, wr, wg, wb, depth, seen_by, -1.0, within)
            continue
        shine = False
        if solid >= 0:
            nx, ny, nz, front = normal(int(w[solid + 11]), w, solid, x, y, z)
            kind = int(w[solid + 13])
            cr, cg, cb = w[solid + 14], w[solid + 15], w[solid + 16]
            shine = max(w[solid + 18], max(w[solid + 19], w[solid + 20])) > 0.0
            if int(w[solid + 11]) == PANEL and not front and kind != GLASS:
                kind, cr, cg, cb = MATTE, BACK_OF_PANEL, BACK_OF_PANEL, BACK_OF_PANEL
        else:
            side = int(w[plane])
            nx = 1.0 if side == LEFT else (-1.0 if side == RIGHT else 0.0)
            ny = 1.0 if side == FLOOR else 0.0
            nz = -1.0 if side == BACK else (1.0 if side == BEHIND else 0.0)
            k = pattern_at(w, plane, x, y, z)
            cr, cg, cb, kind = w[plane + k], w[plane + k + 1], w[plane + k + 2], MATTE
            if side == BEHIND:
                if max(wr, max(wg, wb)) > PLAIN_SHARE:
                    bits |= UNSEEN_BIT
            elif side == FLOOR and w[14] < x < w[16] and w[15] < z < w[17]:
                # Water in the pores: darker, with a level film that reflects as water does.
                glossy = _fresnel(-dy, 1.0 / WATER_INDEX)
                n = _push(
                    w, n, x, y, z, dx, -dy, dz, wr * glossy, wg * glossy, wb * glossy, depth + 1,
                    2.0 if seen_by == 1 else float(seen_by), -1.0, 0.0,
                )  # fmt: skip
                keep = (1.0 - glossy) * 0.45
                wr, wg, wb = wr * keep, wg * keep, wb * keep
        if shine:
            red += wr * w[solid + 18]
            green += wg * w[solid + 19]
            blue += wb * w[solid + 20]
        elif kind == MATTE:
            lr, lg, lb = light_at(x, y, z, nx, ny, nz, solid, w, spin)
            red += wr * cr * lr
            green += wg * cg * lg
            blue += wb * cb * lb
        elif kind == MIRROR:
            twice = 2.0 * (dx * nx + dy * ny + dz * nz)
            n = _push(
                w, n, x, y, z, dx - twice * nx, dy - twice * ny, dz - twice * nz, wr * cr, wg * cg, wb * cb,
                depth + 1, 2.0 if seen_by == 1 else float(seen_by), -1.0, 1.0 if under else 0.0,
            )  # fmt: skip
        else:
            wet, index = 1.0 if under else 0.0, w[solid + 17]
            bent = 4.0 if seen_by == 1 else float(seen_by)
            if inside >= 0:
                n = _split(
                    w, n, x, y, z, dx, dy, dz, -nx, -ny, -nz, index, wr, wg, wb, depth, bent,
                    -1.0, float(solid), wet, wet,
                )  # fmt: skip
            else:
                n = _split(
                    w, n, x, y, z, dx, dy, dz, nx, ny, nz, 1.0 / index, wr * cr, wg * cg, wb * cb, depth, bent,
                    float(solid), -1.0, wet, wet,
                )  # fmt: skip
    if w[6] > 0.0:
        keep = math.exp(-w[6] * min(first, 1000.0))
        red = red * keep + w[7] * (1.0 - keep)
        green = green * keep + w[8] * (1.0 - keep)
        blue = blue * keep + w[9] * (1.0 - keep)
    return red, green, blue, bits


@compiled("i8, f8[::1], i8[:,::1], b1[:,::1], u1[::1], u1[:,:,::1], u4[:,::1]", uses=USES)
def render(fine: int, w: Any, rects: Any, wanted: Any, codes: Any, out: Any, seen: Any) -> None:
    """Draw the wanted pixels. ``seen`` has a bit for each solid that covers a part of a pixel."""
    height, width = seen.shape
    solids, seeable = int(w[SOLIDS]), int(w[SEEABLE])
    share, step = 1.0 / (fine * fine), 1.0 / fine
    across, along, tall = 2.0 / width, 2.0 / height, height / width
    for row in range(height):
        for column in range(width):
            if not wanted[row, column]:
                continue
            last = seeable
            for i in range(rects.shape[0]):
                if rects[i, 0] <= column < rects[i, 2] and rects[i, 1] <= row < rects[i, 3]:
                    w[last] = solids + i * ROW
                    last += 1
            red, green, blue, bits, sample = 0.0, 0.0, 0.0, 0, 0
            for down in range(fine):
                v = (1.0 - (row + (down + 0.5) * step) * along) * tall
                for right in range(fine):
                    u = (column + (right + 0.5) * step) * across - 1.0
                    dx = w[CAMERA + 3] + u * w[CAMERA + 6] + v * w[CAMERA + 9]
                    dy = w[CAMERA + 4] + u * w[CAMERA + 7] + v * w[CAMERA + 10]
                    dz = w[CAMERA + 5] + u * w[CAMERA + 8] + v * w[CAMERA + 11]
                    short = 1.0 / math.sqrt(dx * dx + dy * dy + dz * dz)
                    spin = ((column * 73856093) ^ (row * 19349663) ^ (sample * 83492791)) & (SPINS - 1)
                    r, gr, b, more = _trace(
                        w[CAMERA], w[CAMERA + 1], w[CAMERA + 2], dx * short, dy * short, dz * short, w,
                        RAYS + SHADOW_NUMBERS * spin, seeable, last,
                    )  # fmt: skip
                    red += r
                    green += gr
                    blue += b
                    bits |= more
                    sample += 1
            out[row, column, 0] = codes[int(min(1.0, red * share) * 65535.0 + 0.5)]
            out[row, column, 1] = codes[int(min(1.0, green * share) * 65535.0 + 0.5)]
            out[row, column, 2] = codes[int(min(1.0, blue * share) * 65535.0 + 0.5)]
            seen[row, column] = bits

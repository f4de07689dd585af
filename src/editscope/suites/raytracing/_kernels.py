"""The compiled tracer: rays against solids, planes and water, light with soft shadows, mirrors and glass by a stack.

Nothing here depends on anything but the pixel and what its rays meet, and a sum never changes its order: a pixel whose
rays meet the same things has the same bytes, whatever else is in the scene.
"""

from __future__ import annotations

import math
from typing import Any

from editscope.compiled import compiled
from editscope.suites.raytracing._geometry import FAR, NEAR, PANEL, blocks, hit, normal

MATTE, MIRROR, GLASS, CLEAR = 0, 1, 2, 3
PLAIN, CHECKS, STRIPES, BRICKS = 0, 1, 2, 3
FLOOR, BACK, LEFT, RIGHT, BEHIND = 0, 1, 2, 3, 4
GLOBE, AREA, SUN = 0, 1, 2
SHADOW_RAYS = 16
DEPTH = 6
IN_BODY = 2
"""Where a ray is: 0 in air, 1 in the water over the floor, this and more in the clear body of a number."""
STACK = 24
"""Rays that may wait; each step adds at most one more than it takes."""
FAINT = 1.0 / 255.0
"""Rays that can add less than this are not followed."""
THROUGH_GLASS = 0.7
"""What glass leaves of the light behind it. Real glass focuses it; see the mask of ignored pixels."""
UNSEEN_BIT = 1 << 31
"""A mirror or glass shows what no camera ray can see: beyond the walls, or the wall behind the camera."""
BACK_OF_PANEL = 0.12
PLAIN_SHARE = 0.1
"""Share of a ray from which what it shows can be told; a clear surface reflects 4% of what faces it."""


@compiled(inner=True)
def _lit(
    x: float, y: float, z: float, ax: float, ay: float, az: float, far: float, radius: float, own: int, light: Any,
    l: int, spin: int, kinds: Any, g: Any, mat: Any, parts: Any, rays: Any, near_by: Any,
) -> float:  # fmt: skip
    """The share of a lamp that a point sees. (ax, ay, az) leads to the middle of the lamp."""
    owner = int(light[l, 10])
    count = 0
    slope = radius / far if far < FAR else radius
    for i in range(kinds.shape[0]):
        if parts[i] & 8 == 0 or i in (own, owner):
            continue
        vx, vy, vz = g[i, 0] - x, g[i, 1] - y, g[i, 2] - z
        along = vx * ax + vy * ay + vz * az
        reach = g[i, 8]
        if along < -reach or along > far + reach:
            continue
        wide = reach + slope * max(along, 0.0) + 1e-9
        if vx * vx + vy * vy + vz * vz - along * along <= wide * wide:
            near_by[count] = i
            count += 1
    if count == 0:
        return 1.0
    if abs(ay) < 0.9:
        length = math.sqrt(ax * ax + az * az)
        ux, uy, uz = -az / length, 0.0, ax / length
    else:
        length = math.sqrt(ay * ay + az * az)
        ux, uy, uz = 0.0, az / length, -ay / length
    wx, wy, wz = ay * uz - az * uy, az * ux - ax * uz, ax * uy - ay * ux
    total = 0.0
    for k in range(SHADOW_RAYS):
        p, q = rays[spin, k, 0], rays[spin, k, 1]
        if light[l, 0] == AREA:
            p, q = rays[spin, k, 2] * light[l, 5], rays[spin, k, 3] * light[l, 6]
            dx, dy, dz = light[l, 1] + p - x, light[l, 2] - y, light[l, 3] + q - z
            limit = math.sqrt(dx * dx + dy * dy + dz * dz)
            dx, dy, dz = dx / limit, dy / limit, dz / limit
        else:
            p, q = p * slope, q * slope
            dx, dy, dz = ax + p * ux + q * wx, ay + p * uy + q * wy, az + p * uz + q * wz
            length = math.sqrt(dx * dx + dy * dy + dz * dz)
            dx, dy, dz, limit = dx / length, dy / length, dz / length, min(FAR, far * length)
        through = 1.0
        for m in range(count):
            i = near_by[m]
            if blocks(kinds[i], g, i, x, y, z, dx, dy, dz, limit):
                if mat[i, 0] == GLASS:
                    through *= THROUGH_GLASS
                else:
                    through = 0.0
                    break
        total += through
    return total / SHADOW_RAYS


@compiled(inner=True)
def _light(
    x: float, y: float, z: float, nx: float, ny: float, nz: float, own: int, light: Any, spin: int, kinds: Any, g: Any,
    mat: Any, parts: Any, rays: Any, near_by: Any, ambient: Any,
) -> tuple[float, float, float]:  # fmt: skip
    """The light that reaches a point from all lamps and from all around."""
    red, green, blue = ambient[0], ambient[1], ambient[2]
    for l in range(light.shape[0]):
        if light[l, 0] == SUN:
            ax, ay, az, far = light[l, 1], light[l, 2], light[l, 3], FAR
            strength = nx * ax + ny * ay + nz * az
        else:
            ax, ay, az = light[l, 1] - x, light[l, 2] - y, light[l, 3] - z
            square = ax * ax + ay * ay + az * az
            far = math.sqrt(square)
            ax, ay, az = ax / far, ay / far, az / far
            if light[l, 0] == GLOBE:
                strength = (nx * ax + ny * ay + nz * az) / square
            else:
                # Four points stand for the area: exact enough at the distances that rooms have.
                strength = 0.0
                for k in range(4):
                    dx = light[l, 1] + light[l, 5] * (0.57735 if k & 1 else -0.57735) - x
                    dz = light[l, 3] + light[l, 6] * (0.57735 if k & 2 else -0.57735) - z
                    dy = light[l, 2] - y
                    square = dx * dx + dy * dy + dz * dz
                    facing = nx * dx + ny * dy + nz * dz
                    if dy > 0.0 and facing > 0.0:
                        strength += 0.25 * facing * dy / (square * square)
        if strength <= 0.0:
            continue
        strength *= _lit(
            x, y, z, ax, ay, az, far, light[l, 4], own, light, l, spin, kinds, g, mat, parts, rays, near_by
        )
        red += light[l, 7] * strength
        green += light[l, 8] * strength
        blue += light[l, 9] * strength
    return red, green, blue


@compiled(inner=True)
def _pattern(planes: Any, i: int, x: float, y: float, z: float) -> int:
    """The column where the color of a plane at a point begins."""
    side, kind, scale = int(planes[i, 0]), int(planes[i, 2]), planes[i, 3]
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


@compiled(inner=True)
def _push(
    stack: Any, n: int, x: float, y: float, z: float, dx: float, dy: float, dz: float,
    red: float, green: float, blue: float, depth: float, seen_by: float, inside: float, under: float,
) -> int:  # fmt: skip
    if max(red, max(green, blue)) < FAINT or depth > DEPTH or n >= stack.shape[0]:
        return n
    stack[n, 0], stack[n, 1], stack[n, 2] = x, y, z
    stack[n, 3], stack[n, 4], stack[n, 5] = dx, dy, dz
    stack[n, 6], stack[n, 7], stack[n, 8] = red, green, blue
    stack[n, 9], stack[n, 10], stack[n, 11], stack[n, 12] = depth, seen_by, inside, under
    return n + 1


@compiled(inner=True)
def _split(
    stack: Any, n: int, x: float, y: float, z: float, dx: float, dy: float, dz: float,
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
        w = 1.0 - reflected
        n = _push(
            stack, n, x, y, z, ratio * dx + k * nx, ratio * dy + k * ny, ratio * dz + k * nz,
            red * w, green * w, blue * w, depth + 1, seen_by, beyond, under_beyond,
        )  # fmt: skip
    return _push(
        stack, n, x, y, z, dx + 2.0 * cos * nx, dy + 2.0 * cos * ny, dz + 2.0 * cos * nz,
        red * reflected, green * reflected, blue * reflected, depth + 1, seen_by, here, under_here,
    )  # fmt: skip


@compiled(inner=True)
def _trace(
    x: float, y: float, z: float, dx: float, dy: float, dz: float, planes: Any, kinds: Any, g: Any, mat: Any,
    parts: Any, light: Any, world: Any, rays: Any, spin: int, stack: Any, near_by: Any, seeable: Any, count: int,
    rects: Any,
) -> tuple[float, float, float, int]:  # fmt: skip
    """The color of a camera ray, and the bits of what it met first."""
    red, green, blue, bits, first = 0.0, 0.0, 0.0, 0, FAR
    n = _push(stack, 0, x, y, z, dx, dy, dz, 1.0, 1.0, 1.0, 0.0, 1.0, -1.0, 0.0)
    while n > 0:
        n -= 1
        x, y, z, dx, dy, dz = stack[n, 0], stack[n, 1], stack[n, 2], stack[n, 3], stack[n, 4], stack[n, 5]
        wr, wg, wb, depth = stack[n, 6], stack[n, 7], stack[n, 8], stack[n, 9]
        seen_by, inside, under = int(stack[n, 10]), int(stack[n, 11]), stack[n, 12] == 1.0
        body = int(stack[n, 12]) - IN_BODY
        best, solid, plane, water = FAR, -1, -1, False
        if inside >= 0:
            best, solid = hit(kinds[inside], g, inside, x, y, z, dx, dy, dz, NEAR), inside
        else:
            if depth == 0.0:
                for m in range(count):
                    i = seeable[m]
                    if parts[i] & seen_by:
                        t = hit(kinds[i], g, i, x, y, z, dx, dy, dz, NEAR)
                        if t < best:
                            best, solid = t, i
            else:
                for i in range(kinds.shape[0]):
                    if parts[i] & seen_by == 0:
                        continue
                    px, py, pz = g[i, 0] - x, g[i, 1] - y, g[i, 2] - z
                    along, square = px * dx + py * dy + pz * dz, g[i, 8] * g[i, 8]
                    away = px * px + py * py + pz * pz
                    if away - along * along > square or (along < 0.0 and away > square):
                        continue
                    t = hit(kinds[i], g, i, x, y, z, dx, dy, dz, NEAR)
                    if t < best:
                        best, solid = t, i
            for i in range(planes.shape[0]):
                side = int(planes[i, 0])
                o, d = (y, dy) if side == FLOOR else ((x, dx) if side in (LEFT, RIGHT) else (z, dz))
                # Walls are seen from inside the room only.
                if (side in (FLOOR, LEFT, BEHIND)) == (d < 0.0) and d != 0.0:
                    t = (planes[i, 1] - o) / d
                    if NEAR < t < best:
                        best, solid, plane = t, -1, i
            if world[10] > 0.0 and dy != 0.0 and under == (dy > 0.0):
                t = (world[10] - y) / dy
                if NEAR < t < best:
                    best, solid, plane, water = t, -1, -1, True
        if depth == 0.0:
            first = best
            if solid >= 0:
                bits |= 1 << rects[solid, 4]
        if under:
            length = min(best, 100.0)
            ar, ag, ab = math.exp(world[11] * length), math.exp(world[12] * length), math.exp(world[13] * length)
            red += wr * (1.0 - ar) * world[14]
            green += wg * (1.0 - ag) * world[15]
            blue += wb * (1.0 - ab) * world[16]
            wr, wg, wb = wr * ar, wg * ag, wb * ab
        if body >= 0:
            length = min(best, 100.0)
            wr *= math.exp(math.log(mat[body, 1]) * length)
            wg *= math.exp(math.log(mat[body, 2]) * length)
            wb *= math.exp(math.log(mat[body, 3]) * length)
        if solid < 0 and plane < 0 and not water:
            red, green, blue = red + wr * world[3], green + wg * world[4], blue + wb * world[5]
            if depth > 0.0 and max(wr, max(wg, wb)) > PLAIN_SHARE:
                bits |= UNSEEN_BIT
            continue
        x, y, z = x + best * dx, y + best * dy, z + best * dz
        if water:
            if under:
                n = _push(stack, n, x, y, z, dx, dy, dz, wr, wg, wb, depth + 1, seen_by, -1.0, 0.0)
            else:
                n = _split(
                    stack, n, x, y, z, dx, dy, dz, 0.0, 1.0, 0.0, 1.0 / 1.33, wr, wg, wb, depth,
                    4.0 if seen_by == 1 else float(seen_by), -1.0, -1.0, 1.0, 0.0,
                )  # fmt: skip
            continue
        if solid >= 0 and mat[solid, 0] == CLEAR:
            # A ray goes straight through: what stands in the body is seen where it is.
            within = 0.0 if solid == body else float(solid + IN_BODY)
            n = _push(stack, n, x, y, z, dx, dy, dz, wr, wg, wb, depth, seen_by, -1.0, within)
            continue
        shine = False
        if solid >= 0:
            nx, ny, nz, front = normal(kinds[solid], g, solid, x, y, z)
            kind = int(mat[solid, 0])
            cr, cg, cb = mat[solid, 1], mat[solid, 2], mat[solid, 3]
            shine = max(mat[solid, 5], max(mat[solid, 6], mat[solid, 7])) > 0.0
            if kinds[solid] == PANEL and not front and kind != GLASS:
                kind, cr, cg, cb = MATTE, BACK_OF_PANEL, BACK_OF_PANEL, BACK_OF_PANEL
        else:
            side = int(planes[plane, 0])
            nx = 1.0 if side == LEFT else (-1.0 if side == RIGHT else 0.0)
            ny = 1.0 if side == FLOOR else 0.0
            nz = -1.0 if side == BACK else (1.0 if side == BEHIND else 0.0)
            k = _pattern(planes, plane, x, y, z)
            cr, cg, cb, kind = planes[plane, k], planes[plane, k + 1], planes[plane, k + 2], MATTE
            if side == BEHIND:
                if max(wr, max(wg, wb)) > PLAIN_SHARE:
                    bits |= UNSEEN_BIT
            elif side == FLOOR and world[17] < x < world[19] and world[18] < z < world[20]:
                # Water in the pores: darker, and a thin surface that reflects by Schlick's rule.
                up = 1.0 + dy
                glossy = 0.04 + 0.96 * up * up * up * up * up
                n = _push(
                    stack, n, x, y, z, dx, -dy, dz, wr * glossy, wg * glossy, wb * glossy, depth + 1,
                    2.0 if seen_by == 1 else float(seen_by), -1.0, 0.0,
                )  # fmt: skip
                keep = (1.0 - glossy) * 0.45
                wr, wg, wb = wr * keep, wg * keep, wb * keep
        if shine:
            red += wr * mat[solid, 5]
            green += wg * mat[solid, 6]
            blue += wb * mat[solid, 7]
        elif kind == MATTE:
            lr, lg, lb = _light(x, y, z, nx, ny, nz, solid, light, spin, kinds, g, mat, parts, rays, near_by, world)
            red += wr * cr * lr
            green += wg * cg * lg
            blue += wb * cb * lb
        elif kind == MIRROR:
            twice = 2.0 * (dx * nx + dy * ny + dz * nz)
            n = _push(
                stack, n, x, y, z, dx - twice * nx, dy - twice * ny, dz - twice * nz, wr * cr, wg * cg, wb * cb,
                depth + 1, 2.0 if seen_by == 1 else float(seen_by), -1.0, 1.0 if under else 0.0,
            )  # fmt: skip
        else:
            wet, index = 1.0 if under else 0.0, mat[solid, 4]
            bent = 4.0 if seen_by == 1 else float(seen_by)
            if inside >= 0:
                n = _split(
                    stack, n, x, y, z, dx, dy, dz, -nx, -ny, -nz, index, wr, wg, wb, depth, bent,
                    -1.0, float(solid), wet, wet,
                )  # fmt: skip
            else:
                n = _split(
                    stack, n, x, y, z, dx, dy, dz, nx, ny, nz, 1.0 / index, wr * cr, wg * cg, wb * cb, depth, bent,
                    float(solid), -1.0, wet, wet,
                )  # fmt: skip
    if world[6] > 0.0:
        keep = math.exp(-world[6] * min(first, 1000.0))
        red = red * keep + world[7] * (1.0 - keep)
        green = green * keep + world[8] * (1.0 - keep)
        blue = blue * keep + world[9] * (1.0 - keep)
    return red, green, blue, bits


@compiled(
    "i8, f8[::1], f8[:,::1], i8[::1], f8[:,::1], f8[:,::1], i8[::1], i8[:,::1], f8[:,::1], f8[::1], f8[:,:,::1], "
    "b1[:,::1], u1[::1], f8[:,::1], i8[:,::1], u1[:,:,::1], u4[:,::1]"
)
def render(
    fine: int, camera: Any, planes: Any, kinds: Any, g: Any, mat: Any, parts: Any, rects: Any, light: Any, world: Any,
    rays: Any, wanted: Any, codes: Any, stack: Any, lists: Any, out: Any, seen: Any,
) -> None:  # fmt: skip
    """Draw the wanted pixels. ``seen`` has a bit for each solid that covers a part of a pixel.

    The rows of ``rects`` end with the number of that bit: the rods of a wire share one.
    """
    height, width = seen.shape
    near_by, seeable = lists[0], lists[1]
    share = 1.0 / (fine * fine)
    for row in range(height):
        for column in range(width):
            if not wanted[row, column]:
                continue
            count = 0
            for i in range(kinds.shape[0]):
                if rects[i, 0] <= column < rects[i, 2] and rects[i, 1] <= row < rects[i, 3]:
                    seeable[count] = i
                    count += 1
            red, green, blue, bits = 0.0, 0.0, 0.0, 0
            for sample in range(fine * fine):
                u = (column + (sample % fine + 0.5) / fine) / width * 2.0 - 1.0
                v = 1.0 - (row + (sample // fine + 0.5) / fine) / height * 2.0
                v *= height / width
                dx = camera[3] + u * camera[6] + v * camera[9]
                dy = camera[4] + u * camera[7] + v * camera[10]
                dz = camera[5] + u * camera[8] + v * camera[11]
                length = math.sqrt(dx * dx + dy * dy + dz * dz)
                spin = ((column * 73856093) ^ (row * 19349663) ^ (sample * 83492791)) & (rays.shape[0] - 1)
                r, gr, b, more = _trace(
                    camera[0], camera[1], camera[2], dx / length, dy / length, dz / length, planes, kinds, g, mat,
                    parts, light, world, rays, spin, stack, near_by, seeable, count, rects,
                )  # fmt: skip
                red += r
                green += gr
                blue += b
                bits |= more
            out[row, column, 0] = codes[int(min(1.0, red * share) * 65535.0 + 0.5)]
            out[row, column, 1] = codes[int(min(1.0, green * share) * 65535.0 + 0.5)]
            out[row, column, 2] = codes[int(min(1.0, blue * share) * 65535.0 + 0.5)]
            seen[row, column] = bits

"""CPU time of a picture and of a problem of Optics, and how near its pictures are to those of Mitsuba 3.

    python benchmarks/optics.py [--size 512] [--samples 64] [--reference 512]

Mitsuba is optional and no dependency: ``pip install mitsuba``. Its fast variant needs an LLVM library; if it finds
none, set ``DRJIT_LIBLLVM_PATH`` to one. Version 19 works; 15 and 16 cannot compile for processors with AVX-512.
Without Mitsuba, the script prints our own figures only.
Both draw with the same light: lamps, light from all around, mirrors, glass, and no light between matte surfaces.
"""

from __future__ import annotations

import argparse
import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from editscope.suites.optics.catalog import CATALOG
from editscope.suites.physics.make import draw, solved
from editscope.suites.raytracing.render import render
from editscope.suites.raytracing.scene import ALL, SHADOWING, Lamp, Pattern, Plane, Solid, Sun, Surface, TracedScene
from measuring import least_cpu_s

ASKED_MS = {"without glass": 150.0, "with glass": 250.0}


def cpu_ms(work: Callable[[], object], times: int = 3) -> float:
    """The least CPU time of some calls, in milliseconds."""
    return 1000 * least_cpu_s(work, times, warm=False)


def our_figures(side: int) -> None:
    """One picture and one problem of every task."""
    size = (side, side)
    pictures: dict[str, list[float]] = {kind: [] for kind in ASKED_MS}
    ratios = []
    print(f"{'task':22} picture ms  problem ms  ratio  pictures drawn")
    for task in CATALOG.tasks:
        edit, change = draw(CATALOG, task, 0, CATALOG.name, side)
        one, whole = cpu_ms(lambda: render(edit.before, size)), cpu_ms(lambda: solved(edit, size), 2)  # noqa: B023
        answer = cpu_ms(lambda: render(edit.after, size))  # noqa: B023
        for scene, spent in ((edit.before, one), (edit.after, answer)):
            clear = any(solid.surface.kind == "glass" for solid in scene.solids) or scene.water is not None
            pictures["with glass" if clear else "without glass"].append(spent)
        ratios.append(whole / max(one, answer))
        print(f"{task:22} {one:10.0f} {whole:11.0f} {ratios[-1]:6.2f} {change.renderings:8.2f}", flush=True)
    for kind, values in pictures.items():
        middle = statistics.median(values)
        print(
            f"median picture {kind}: {middle:.0f} ms (asked: {ASKED_MS[kind]:.0f}), {min(values):.0f}–{max(values):.0f}"
        )
    print(f"a problem with its masks: median {statistics.median(ratios):.2f} pictures, at most {max(ratios):.2f}")


def scenes() -> dict[str, TracedScene]:
    """Ten scenes of what Mitsuba has too: spheres, boxes, cylinders; direct light, mirrors and glass."""
    floor = Plane("floor", 0.0, Pattern("checks", (0.5, 0.5, 0.48), (0.25, 0.25, 0.24), 0.7))
    back = Plane("back", 2.6, Pattern("plain", (0.5, 0.48, 0.45)))
    ball = Solid("ball", "sphere", (-0.8, 0.0, 0.2), (0.8, 0.8, 0.8), Surface("matte", (0.6, 0.1, 0.1)))
    box = Solid("box", "box", (0.9, 0.0, 0.5), (0.6, 0.9, 0.6), Surface("matte", (0.1, 0.3, 0.6)), turn=25.0)
    can = Solid("can", "cylinder", (0.1, 0.0, -0.6), (0.5, 0.6, 0.5), Surface("matte", (0.2, 0.5, 0.2)))
    plain = TracedScene((floor, back), (ball, box, can), ambient=(0.2, 0.2, 0.2))
    sun = Sun(35.0, 45.0, (0.8, 0.77, 0.7), spread=1e-4)
    globe = Solid("globe", "sphere", (0.3, 1.5, -0.2), (0.3, 0.3, 0.3), shine=(1.0, 1.0, 1.0))
    panel = Solid("panel", "box", (0.6, 3.6, -1.2), (0.7, 0.05, 0.7), shine=(1.0, 1.0, 1.0))
    lit = {
        "sun": replace(plain, sun=sun),
        "globe": replace(plain.with_solid(globe), lamps=(Lamp("globe", (1.5, 1.4, 1.2)),)),
        "area": replace(plain.with_solid(panel), lamps=(Lamp("panel", (6.0, 6.0, 6.0), area=True),)),
    }
    mirror, glass = Surface("mirror", (0.9, 0.9, 0.9)), Surface("glass", (1.0, 1.0, 1.0))
    mirrored = {f"{name}, mirror": one.with_solid(replace(ball, surface=mirror)) for name, one in lit.items()}
    # How glass shapes light is another question; here it casts no shadow in both.
    pane = replace(can, surface=glass, parts=ALL & ~SHADOWING)
    clear = {
        f"{name}, glass ball": one.with_solid(replace(pane, kind="sphere", size=(0.8,) * 3))
        for name, one in lit.items()
    }
    slab = {"sun, glass box": lit["sun"].with_solid(replace(pane, kind="box", size=(0.8, 0.8, 0.3)))}
    return lit | mirrored | clear | slab


def _albedo(color: Sequence[float]) -> dict[str, Any]:
    return {"type": "rgb", "value": list(color)}


def _material(surface: Surface) -> dict[str, Any]:
    if surface.kind == "mirror":
        return {"type": "conductor", "material": "none", "specular_reflectance": _albedo(surface.color)}
    if surface.kind == "glass":
        return {"type": "dielectric", "int_ior": surface.index, "ext_ior": 1.0}
    return {"type": "twosided", "bsdf": {"type": "diffuse", "reflectance": _albedo(surface.color)}}


def _shapes(mi: Any, solid: Solid, lamp: Lamp | None) -> list[dict[str, Any]]:
    move = mi.ScalarTransform4f
    width, height, depth = solid.size
    at = move().translate(list(solid.center)) @ move().rotate([0, 1, 0], solid.turn)
    extra: dict[str, Any] = {"bsdf": _material(solid.surface)}
    if lamp is not None and lamp.area:
        # Light of the lower side alone: radiance = π power / area.
        radiance = [math.pi * power / (width * depth) for power in lamp.power]
        low = (
            move().translate(list(solid.place)) @ move().rotate([1, 0, 0], 90) @ move().scale([width / 2, depth / 2, 1])
        )
        return [{"type": "rectangle", "to_world": low, "emitter": {"type": "area", "radiance": _albedo(radiance)}}]
    if lamp is not None:
        radiance = [power / (width / 2) ** 2 for power in lamp.power]
        extra["emitter"] = {"type": "area", "radiance": _albedo(radiance)}
    if solid.kind == "sphere":
        return [{"type": "sphere", "center": list(solid.center), "radius": width / 2, **extra}]
    if solid.kind == "box":
        return [{"type": "cube", "to_world": at @ move().scale([width / 2, height / 2, depth / 2]), **extra}]
    x, y, z = solid.place
    disk = move().rotate([1, 0, 0], -90) @ move().scale([width / 2, width / 2, 1])
    return [
        {"type": "cylinder", "p0": [x, y, z], "p1": [x, y + height, z], "radius": width / 2, **extra},
        {"type": "disk", "to_world": move().translate([x, y + height, z]) @ disk, **extra},
    ]


def mitsuba_scene(mi: Any, scene: TracedScene, side: int, *, shadows: bool) -> Any:
    """The scene for Mitsuba; with ``shadows``, only what stands in the way of light."""
    move = mi.ScalarTransform4f
    camera, half = scene.camera, 14 * scene.planes[0].pattern.scale * 2
    parts: dict[str, Any] = {"type": "scene"}
    parts["camera"] = {
        "type": "perspective", "fov": math.degrees(2 * math.atan(camera.spread)), "fov_axis": "x",
        "to_world": move().look_at(origin=list(camera.place), target=list(camera.target), up=[0, 1, 0]),
        "film": {"type": "hdrfilm", "width": side, "height": side, "rfilter": {"type": "box"}},
    }  # fmt: skip
    for plane in scene.planes if not shadows else ():
        pattern = plane.pattern
        turn = move().rotate([1, 0, 0], -90) if plane.side == "floor" else move().rotate([0, 1, 0], 180)
        there = [0, 0, 0] if plane.side == "floor" else [0, 0, plane.place]
        color: dict[str, Any] = _albedo(pattern.first)
        if pattern.kind == "checks":
            cells = half / pattern.scale
            color = {
                "type": "checkerboard", "color0": _albedo(pattern.second), "color1": _albedo(pattern.first),
                "to_uv": move().scale([cells, cells, 1]),
            }  # fmt: skip
        surface = {"type": "twosided", "bsdf": {"type": "diffuse", "reflectance": color}}
        to_world = move().translate(there) @ turn @ move().scale([half, half, 1])
        parts[plane.side] = {"type": "rectangle", "to_world": to_world, "bsdf": surface}
    for solid in scene.solids:
        lamp = next((lamp for lamp in scene.lamps if lamp.solid == solid.name), None)
        if shadows and (lamp is not None or not solid.parts & SHADOWING):
            continue
        for number, shape in enumerate(_shapes(mi, solid, lamp)):
            parts[f"{solid.name} {number}"] = shape
    if scene.sun is not None and not shadows:
        around, above = math.radians(scene.sun.azimuth), math.radians(scene.sun.elevation)
        to_sun = (math.sin(around) * math.cos(above), math.sin(above), -math.cos(around) * math.cos(above))
        light = [math.pi * power for power in scene.sun.power]
        parts["sun"] = {
            "type": "directional",
            "direction": [-part for part in to_sun],
            "irradiance": _albedo(light),
        }
    return mi.load_dict(parts)


def integrator(mi: Any, dr: Any, scene: TracedScene, blockers: Any) -> Any:
    """Rays as ours: mirrors and glass are followed, a matte surface shows direct light and light from all around."""

    class DirectAndSpecular(mi.SamplingIntegrator):  # type: ignore[misc]
        def sample(self, world: Any, sampler: Any, ray: Any, medium: Any = None, active: Any = True) -> Any:
            ray, through, result = mi.Ray3f(ray), mi.Spectrum(1.0), mi.Spectrum(0.0)
            active, context = mi.Bool(active), mi.BSDFContext()
            for _ in range(7):
                found = world.ray_intersect(ray, active)
                glow = found.emitter(world, active & found.is_valid()).eval(found, active & found.is_valid())
                result += dr.select(active & found.is_valid(), through * glow / dr.maximum(dr.max(glow), 1e-9), 0.0)
                result += dr.select(active & ~found.is_valid(), through * mi.Spectrum(*scene.background), 0.0)
                active &= found.is_valid() & (dr.max(glow) == 0.0)
                bsdf = found.bsdf(ray)
                matte = active & mi.has_flag(bsdf.flags(), mi.BSDFFlags.DiffuseReflection)
                light, weight = world.sample_emitter_direction(found, sampler.next_2d(matte), False, matte)
                reach = dr.select(dr.isfinite(light.dist), light.dist * 0.9999, 1e6)
                shadow_ray = found.spawn_ray(light.d)
                shadow_ray.maxt = reach
                seen = ~blockers.ray_test(shadow_ray, matte)
                lit = bsdf.eval(context, found, found.to_local(light.d), matte) * dr.select(seen, weight, 0.0)
                around = bsdf.eval_diffuse_reflectance(found, matte) * mi.Spectrum(*scene.ambient)
                result += dr.select(matte, through * (lit + around), 0.0)
                active &= ~matte
                bent, share = bsdf.sample(context, found, sampler.next_1d(active), sampler.next_2d(active), active)
                through *= dr.select(active, share, 1.0)
                ray = found.spawn_ray(found.to_world(bent.wo))
            return result, mi.Bool(True), []

    return DirectAndSpecular(mi.Properties())


def codes(light: np.ndarray) -> np.ndarray:
    """Linear light as sRGB, 0 to 255."""
    cut = np.clip(light, 0.0, 1.0)
    return np.asarray(255 * np.where(cut <= 0.0031308, 12.92 * cut, 1.055 * cut ** (1 / 2.4) - 0.055))


def compare(side: int, samples: int, reference: int) -> None:
    """Mitsuba beside ours: the time at ``samples``, and the mean difference at ``reference`` samples."""
    try:
        import drjit as dr
        import mitsuba as mi

        mi.set_variant("llvm_ad_rgb")
        dr.eval(mi.Float(1.0) + 1.0)
    except ImportError as error:
        print(f"Mitsuba is left out ({error}); pip install mitsuba, and see the top of this script")
        return
    small = 256
    print(
        f"\n{'scene':20} mean difference of 255 ({reference} samples)   ours ms  Mitsuba ms ({samples} samples)  ratio"
    )
    worst = 0.0
    for name, scene in scenes().items():

        def drawn(count: int, seed: int, width: int, scene: TracedScene = scene) -> np.ndarray:
            world = mitsuba_scene(mi, scene, width, shadows=False)
            blockers = mitsuba_scene(mi, scene, width, shadows=True)
            light = mi.render(world, integrator=integrator(mi, dr, scene, blockers), spp=count, seed=mi.UInt32(seed))
            return np.asarray(light)[:, ::-1]  # our z points away from the camera, theirs toward it

        ours = render(scene, (small, small)).pixels
        many = np.mean([drawn(64, seed, small) for seed in range(max(1, reference // 64))], axis=0)
        difference = float(np.abs(ours.astype(float) - codes(many)).mean())
        worst = max(worst, difference)
        mine = cpu_ms(lambda: render(scene, (side, side)))  # noqa: B023
        theirs = cpu_ms(lambda: drawn(samples, 0, side), 1)
        print(f"{name:20} {difference:10.2f} {mine:38.0f} {theirs:12.0f} {theirs / mine:18.0f}×", flush=True)
    print(f"largest mean difference: {worst:.2f} of 255 (asked: under 1)")


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--samples", type=int, default=64)
    parser.add_argument("--reference", type=int, default=512)
    given = parser.parse_args()
    our_figures(given.size)
    compare(given.size, given.samples, given.reference)


if __name__ == "__main__":
    main()

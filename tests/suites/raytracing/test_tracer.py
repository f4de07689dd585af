"""The tracer: what cannot be there leaves no mask, what comes and goes is inverse, what is not touched stays equal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from editscope.scoring import score_effects
from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.physics.edit import Crowded
from editscope.suites.physics.masks import packed, unpacked
from editscope.suites.physics.stage import MIRROR, ceiling_light, free_spot, moved, place_solids, room
from editscope.suites.raytracing.effects import SolvedChange, solve_object, solve_scene
from editscope.suites.raytracing.render import place_in_picture, render
from editscope.suites.raytracing.scene import ALL, SHADOWING, Fog, Lamp, Solid, Surface, TracedScene

SIZE = (64, 64)
SEEDS = st.integers(0, 10_000)
FEW = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def scene_of(seed: int, *, sunny: bool = True) -> TracedScene:
    rng = SeededRandom(seed)
    while True:
        try:
            scene = room(rng, open_air=sunny)
            return place_solids(rng, scene if sunny else ceiling_light(scene), 3)
        except Crowded:
            continue


def names(change: SolvedChange) -> set[str]:
    return {effect.name for effect in change.effects}


def with_wall_mirror(scene: TracedScene) -> TracedScene:
    return scene.with_solid(Solid("mirror", "panel", (0.0, 0.05, 2.3), (2.3, 1.5, 0.04), MIRROR))


@FEW
@given(SEEDS, st.booleans())
def test_removing_and_adding_are_inverse(seed: int, sunny: bool) -> None:
    scene = scene_of(seed, sunny=sunny)
    target = scene.solids[-1]
    gone, come = (
        solve_object(scene, scene.without(target.name), target.name, SIZE),
        solve_object(scene.without(target.name), scene, target.name, SIZE),
    )
    assert np.array_equal(gone.before.pixels, come.after.pixels)
    assert np.array_equal(gone.after.pixels, come.before.pixels)
    assert names(gone) == names(come)
    for effect in gone.effects:
        other = come.effect(effect.name)
        assert other is not None and np.array_equal(effect.mask, other.mask)


@FEW
@given(SEEDS)
def test_without_mirror_glass_or_light_there_are_no_effects_of_them(seed: int) -> None:
    scene = scene_of(seed)
    target = scene.solids[-1]
    change = solve_object(scene, scene.without(target.name), target.name, SIZE)
    assert not {"mirror image", "refraction", "light"} & names(change)
    dark = replace(scene, sun=None)
    assert "shadow" not in names(solve_object(dark, dark.without(target.name), target.name, SIZE))
    painted = scene.with_solid(replace(target, surface=Surface("matte", (0.9, 0.1, 0.1))))
    assert names(solve_object(scene, painted, target.name, SIZE)) <= {"object"}


@FEW
@given(SEEDS, st.booleans(), st.sampled_from(["remove", "move", "paint"]))
def test_pixels_outside_all_masks_are_equal_bit_for_bit(seed: int, sunny: bool, edit: str) -> None:
    scene = with_wall_mirror(scene_of(seed, sunny=sunny))
    target = scene.solids[-2]
    after = {
        "remove": scene.without(target.name),
        "move": scene.with_solid(replace(target, place=(target.place[0] + 0.3, 0.0, target.place[2] - 0.4))),
        "paint": scene.with_solid(replace(target, surface=Surface("matte", (0.05, 0.6, 0.1)))),
    }[edit]
    change = solve_object(scene, after, target.name, SIZE)
    union = change.ignored.copy()
    for effect in change.effects:
        union |= effect.mask
    assert np.array_equal(change.before.pixels[~union], change.after.pixels[~union])
    covered = change.before.covered(target.name) | change.after.covered(target.name)
    for effect in change.effects:
        assert effect.direct == (not (effect.mask & ~covered).any()) or effect.name not in ("object", "uncovered")
        assert effect.direct or not (effect.mask & covered).any()


@FEW
@given(SEEDS, st.randoms(use_true_random=False))
def test_scores_do_not_change_with_the_order_of_effects(seed: int, random: object) -> None:
    scene = with_wall_mirror(scene_of(seed))
    target = scene.solids[0]
    change = solve_object(scene, scene.without(target.name), target.name, SIZE)
    effects = list(change.effects)
    random.shuffle(effects)  # type: ignore[attr-defined]
    output = (change.before.pixels // 2 + change.after.pixels // 2).astype(np.uint8)
    pictures = (change.before.pixels, change.after.pixels, output)
    ordered = score_effects(*pictures, change.effects, change.ignored)
    assert ordered == score_effects(*pictures, effects, change.ignored)


@FEW
@given(SEEDS, st.booleans())
def test_a_part_of_the_pixels_has_the_bytes_of_the_whole(seed: int, sunny: bool) -> None:
    scene = with_wall_mirror(scene_of(seed, sunny=sunny))
    whole = render(scene, SIZE)
    wanted = np.random.default_rng(seed).random(SIZE) < 0.3
    part = render(scene, SIZE, only=wanted, start=render(scene.without("mirror"), SIZE))
    assert np.array_equal(part.pixels[wanted], whole.pixels[wanted])
    assert np.array_equal(part.seen[wanted], whole.seen[wanted])


@FEW
@given(SEEDS)
def test_a_solid_far_outside_the_picture_changes_no_byte(seed: int) -> None:
    scene = scene_of(seed)
    far = Solid("far box", "box", (0.0, 0.0, -40.0), (0.5, 0.5, 0.5))
    assert np.array_equal(render(scene, SIZE).pixels, render(scene.with_solid(far), SIZE).pixels)


@pytest.mark.parametrize("kind", ["sphere", "box", "cylinder", "cone"])
@pytest.mark.parametrize("lamp", ["sun", "globe", "area"])
def test_a_shadow_only_darkens_and_goes_with_its_part(kind: str, lamp: str) -> None:
    scene = replace(scene_of(3, sunny=lamp == "sun"), solids=(), lamps=())
    if lamp == "area":
        scene = ceiling_light(scene)
    if lamp == "globe":
        globe = Solid("globe", "sphere", (1.0, 1.6, 0.4), (0.3, 0.3, 0.3), shine=(1.0, 1.0, 1.0))
        scene = replace(scene.with_solid(globe), lamps=(Lamp("globe", (1.5, 1.5, 1.5)),))
    solid = Solid("thing", kind, (0.1, 0.0, 0.2), (0.7, 0.9, 0.7), turn=30.0)  # type: ignore[arg-type]
    if kind == "sphere":
        solid = replace(solid, size=(0.7, 0.7, 0.7))
    lit, shaded = render(scene, SIZE), render(scene.with_solid(replace(solid, parts=SHADOWING)), SIZE)
    change = lit.pixels.astype(int) - shaded.pixels.astype(int)
    assert change.min() >= 0 and change.max() > 20
    ghost = render(scene.with_solid(replace(solid, parts=ALL & ~SHADOWING)), SIZE)
    outside = ~ghost.covered("thing")
    assert np.array_equal(ghost.pixels[outside], lit.pixels[outside])


def test_a_lamp_lights_by_the_inverse_square_and_the_cosine() -> None:
    floor = replace(scene_of(1).planes[0].pattern, kind="plain", first=(0.5, 0.5, 0.5))
    plane = replace(scene_of(1).planes[0], pattern=floor)
    lamp = Solid("lamp", "sphere", (0.0, 2.0, 0.0), (0.2, 0.2, 0.2), shine=(1.0, 1.0, 1.0))
    scene = TracedScene((plane,), (lamp,), (Lamp("lamp", (2.0, 2.0, 2.0)),), ambient=(0.0, 0.0, 0.0))
    picture = render(scene, (256, 256), fine=1).pixels
    for x in (0.0, 0.5, 1.0):
        column, row = place_in_picture((x, 0.0, 0.0), scene.camera, (256, 256))
        distance = (2.1**2 + x**2) ** 0.5
        light = 0.5 * 2.0 / distance**2 * 2.1 / distance
        code = 255 * (1.055 * light ** (1 / 2.4) - 0.055)
        assert abs(int(picture[int(row), int(column), 0]) - code) <= 2


def test_fog_is_everywhere_and_has_no_direct_effect() -> None:
    scene = scene_of(5)
    change = solve_scene(scene, replace(scene, fog=Fog(0.1, (0.5, 0.5, 0.5))), SIZE, "fog")
    assert [(effect.name, effect.direct) for effect in change.effects] == [("fog", False)]
    assert change.effects[0].mask.mean() > 0.9


def test_a_scene_with_too_many_solids_is_refused() -> None:
    scene = scene_of(1)
    many = replace(scene, solids=tuple(replace(scene.solids[0], name=f"box {n}") for n in range(32)))
    with pytest.raises(ValueError, match="at most 31 solids"):
        render(many, SIZE)


@given(st.integers(0, 2**24 - 1), st.sampled_from([(4, 6), (6, 4), (1, 24), (24, 1)]))
def test_masks_survive_as_lengths_of_runs(bits: int, shape: tuple[int, int]) -> None:
    mask = np.array([bool(bits >> place & 1) for place in range(24)]).reshape(shape)
    runs = packed(mask)
    assert np.array_equal(unpacked(runs, shape), mask)
    with pytest.raises(ValueError, match="do not fill"):
        unpacked([*runs, 1], shape)


def test_a_solid_that_moved_touches_no_other() -> None:
    rng = SeededRandom(4)
    scene = scene_of(4)
    solid = scene.solids[0]
    rest = scene.without(solid.name)
    spot = free_spot(rng, rest, solid.footprint, x=(-1.5, 1.5), z=(-1.8, 0.8))
    there = moved(solid, spot)
    for other in rest.solids:
        apart = np.hypot(there.place[0] - other.place[0], there.place[2] - other.place[2])
        assert apart > there.footprint + other.footprint

"""Effects of a change: the scene is drawn again with one effect at a time as it is after the change."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from editscope.cases import Effect
from editscope.suites.raytracing.render import Rendering, render
from editscope.suites.raytracing.scene import ALL, MIRRORED, REFRACTED, SHADOWING, SHINING, Solid, TracedScene
from editscope.suites.raytracing.thrown_light import thrown_light

Mask: TypeAlias = npt.NDArray[np.bool_]

LEAST_AREA = 0.0008
"""The share of the picture in which an effect must be plain to see."""
LEAST_CHANGE = 8
"""Levels of 255, in the channel that changes most, from which a pixel counts as plain to see."""

OF_SOLID: Mapping[str, int] = MappingProxyType({"shadow": SHADOWING, "mirror image": MIRRORED, "refraction": REFRACTED})
OLD_SHADOW, NEW_SHADOW = "old shadow", "new shadow"
"""The halves of the shadow of a solid that moves; only those that are plain to see are told and scored."""
WHOLE: Mapping[str, str] = MappingProxyType({OLD_SHADOW: "shadow", NEW_SHADOW: "shadow"})
"""The effect that a half belongs to."""
OF_LAMP: Mapping[str, int] = MappingProxyType(
    # Without the light of a globe, its body would stand in the way of the light of the other.
    {"light": SHINING | SHADOWING, "mirror image": MIRRORED, "refraction": REFRACTED}
)


@dataclass(frozen=True, slots=True, eq=False)
class SolvedChange:
    """Both pictures of a change, its effects, and the pixels that the picture before does not determine."""

    before: Rendering
    after: Rendering
    effects: tuple[Effect, ...]
    ignored: Mask
    renderings: float
    """How many whole pictures it took to draw them all."""
    glass_shadow: Mask
    """The part of ``ignored`` that is the shadow of new glass, which nobody is asked for."""
    told: tuple[Effect, ...]
    """What sentences tell of: the effects, with the old and the new shadow of a solid that moves apart."""

    def effect(self, name: str) -> Effect | None:
        """The effect of a name, where the change has it."""
        return next((effect for effect in self.effects if effect.name == name), None)


def solve_object(before: TracedScene, after: TracedScene, target: str, size: tuple[int, int]) -> SolvedChange:
    """The effects of changing, adding or taking away one solid or lamp."""
    first, second = render(before, size), render(after, size)
    changed = differs(first, second)
    here, there = first.covered(target), second.covered(target)
    direct = (here | there) & changed
    old, new = _named(before, target), _named(after, target)
    lamp = any(lamp.solid == target for lamp in (*before.lamps, *after.lamps))
    rest = changed & ~direct
    masks: dict[str, Mask] = {}
    own: dict[str, Mask] = {}
    drawn = 2.0
    for name, part in (OF_LAMP if lamp else OF_SOLID).items():
        if part == SHADOWING and old is not None and new is not None and _same_shape(old, new):
            continue  # a shadow has no color: it stays, and the copy would only darken the original
        if not _can_show(before, after, part):
            continue
        mixed = render(_mixed(before, after, old, new, part), size, only=rest, start=first)
        masks[name] = differs(first, mixed) & rest
        own[name] = plain_to_see(first, mixed) & rest
        drawn += float(rest.mean())
    ignored = _undetermined(first, second, changed)
    glass = new is not None and new.surface.kind == "glass"
    # Glass gathers light into bright curves that a person cannot foresee and this tracer does not draw. Where glass is
    # taken away, its shadow goes, and that can be foreseen.
    glass_shadow = masks.pop("shadow") if glass and "shadow" in masks else np.zeros_like(changed)
    effects = [Effect("object", there & changed, direct=True)] if new is not None else []
    if old is not None:
        name = "uncovered" if new is not None else "object"
        effects.append(Effect(name, here & changed & ~there if new is not None else here & changed, direct=True))
    if old is not None and new is not None and "shadow" in masks:
        lit = _brighter(first, second)
        masks = {OLD_SHADOW: masks["shadow"] & lit, NEW_SHADOW: masks["shadow"] & ~lit, **masks}
        own |= {OLD_SHADOW: own["shadow"], NEW_SHADOW: own["shadow"]}
        del masks["shadow"]
    effects += [Effect(name, mask) for name, mask in masks.items()]
    if new is not None and new.kind == "panel" and new.surface.kind == "mirror":
        ignored |= thrown_light(after, new, size) & ~here & ~there
    finished = _finished(first, second, effects, ignored | glass_shadow, drawn, own)
    return replace(finished, glass_shadow=glass_shadow)


def solve_motion(
    before: TracedScene, after: TracedScene, roles: Mapping[str, str], size: tuple[int, int]
) -> SolvedChange:
    """The effects of a change that sets other things in motion.

    ``roles`` has the effect that each solid belongs to; "object" is what was changed directly. A pixel belongs to what
    it shows after the change; where nothing of that moved, to what it showed before; what is clear comes after what is
    seen in it, shadows included; all other pixels belong to the shadows.
    """
    first, second = render(before, size), render(after, size)
    rest = differs(first, second)
    names = list(dict.fromkeys(("object", *roles.values())))
    clear = {roles.get(solid.name) for solid in (*before.solids, *after.solids) if solid.surface.kind == "clear"}
    masks = {name: np.zeros_like(rest) for name in names}
    shadow, drawn = np.zeros_like(rest), 2.0
    for group in ([name for name in names if name not in clear], [name for name in names if name in clear]):
        if group and group[0] in clear:
            drawn += 2 * float(rest.mean())
            shadow = rest & (_cast(before, first, roles, rest) | _cast(after, second, roles, rest))
            rest = rest & ~shadow
        for picture in (second, first):
            for name in group:
                shown = _covered(picture, [solid for solid, role in roles.items() if role == name])
                masks[name] |= rest & shown
                rest = rest & ~shown
    effects = [Effect(name, mask, direct=name == "object") for name, mask in masks.items()]
    return _finished(first, second, [*effects, Effect("shadow", shadow | rest)], np.zeros_like(rest), drawn)


def _cast(scene: TracedScene, whole: Rendering, names: Collection[str], wanted: Mask) -> Mask:
    """The pixels on which these solids cast a shadow."""
    size = (wanted.shape[1], wanted.shape[0])
    return differs(whole, render(_shadowless(scene, names), size, only=wanted, start=whole))


def _covered(picture: Rendering, names: list[str]) -> Mask:
    """The pixels that any of these solids covers."""
    covered = np.zeros(picture.seen.shape, np.bool_)
    for name in names:
        covered |= picture.covered(name)
    return covered


def solve_scene(
    before: TracedScene, after: TracedScene, size: tuple[int, int], name: str, *, shadows: bool = False
) -> SolvedChange:
    """The effects of a change of the whole scene; ``shadows`` tells the places of old and new shadows apart."""
    first, second = render(before, size), render(after, size)
    changed = differs(first, second)
    masks = {name: changed}
    drawn = 2.0
    if shadows:
        names = {solid.name for scene in (before, after) for solid in scene.solids}
        cast = _cast(before, first, names, changed) | _cast(after, second, names, changed)
        drawn += 2 * float(changed.mean())
        masks = {"shadow": changed & cast, name: changed & ~cast}
    effects = [Effect(part, mask) for part, mask in masks.items()]
    return _finished(first, second, effects, _undetermined(first, second, changed), drawn)


def differs(one: Rendering, other: Rendering) -> Mask:
    """The pixels that are not equal."""
    return np.asarray(np.any(one.pixels != other.pixels, axis=2))


def plain_to_see(one: Rendering, other: Rendering) -> Mask:
    """The pixels whose change nobody overlooks."""
    change = np.abs(one.pixels.astype(np.int16) - other.pixels.astype(np.int16)).max(axis=2)
    return np.asarray(change >= LEAST_CHANGE)


def _brighter(first: Rendering, second: Rendering) -> Mask:
    """The pixels that are brighter after the change."""
    return np.asarray(second.pixels.sum(axis=2, dtype=np.int32) > first.pixels.sum(axis=2, dtype=np.int32))


def _finished(
    first: Rendering,
    second: Rendering,
    effects: list[Effect],
    ignored: Mask,
    drawn: float,
    own: Mapping[str, Mask] = MappingProxyType({}),
) -> SolvedChange:
    """Effects that are large enough. Pixels that change and belong to none join the largest consequence.

    ``own`` has the pixels in which an effect by itself is plain to see, whatever else changes there.
    """
    plain = plain_to_see(first, second) & ~ignored
    least = LEAST_AREA * plain.size
    kept = [effect for effect in effects if (plain & effect.mask & own.get(effect.name, plain)).sum() >= least]
    covered, faint, alone = np.zeros_like(ignored), np.zeros_like(ignored), np.zeros_like(ignored)
    for effect in effects:
        (covered if effect in kept else faint)[effect.mask] = True
        if effect not in kept and effect.name in own:
            alone |= effect.mask & own[effect.name]
    # What is too small to be scored on its own is left out, not counted as something that must stay, nor as a part of
    # another effect that it is plain to see on: a sliver of a globe in a mirror is not light.
    ignored = ignored | (faint & ~covered) | alone
    loose = differs(first, second) & ~covered & ~ignored
    followed = [effect for effect in kept if not effect.direct]
    if followed:
        largest = max(followed, key=lambda effect: int(effect.mask.sum()))
        kept = [replace(effect, mask=effect.mask | loose) if effect is largest else effect for effect in kept]
    else:
        ignored |= loose
    kept = [replace(effect, mask=effect.mask & ~ignored) for effect in kept]
    return SolvedChange(first, second, _joined(kept), ignored, drawn, np.zeros_like(ignored), tuple(kept))


def _joined(effects: list[Effect]) -> tuple[Effect, ...]:
    """The effects, with halves as one."""
    joined: dict[str, Effect] = {}
    for effect in effects:
        name = WHOLE.get(effect.name, effect.name)
        mask = effect.mask | joined[name].mask if name in joined else effect.mask
        joined[name] = replace(effect, name=name, mask=mask)
    return tuple(joined.values())


def _undetermined(first: Rendering, second: Rendering, changed: Mask) -> Mask:
    """Where the answer shows in a mirror or through glass what nobody could see before."""
    return changed & second.beyond & ~first.beyond


def _can_show(before: TracedScene, after: TracedScene, part: int) -> bool:
    """Whether there is anything that could show a mirror image or what is behind glass; all else can always be."""
    scenes = (before, after)
    surfaces = {solid.surface.kind for scene in scenes for solid in scene.solids}
    if part == MIRRORED:
        return "mirror" in surfaces or any(scene.wet is not None for scene in scenes)
    if part == REFRACTED:
        return "glass" in surfaces or any(scene.water is not None for scene in scenes)
    return True


def _named(scene: TracedScene, name: str) -> Solid | None:
    return next((solid for solid in scene.solids if solid.name == name), None)


def _same_shape(old: Solid, new: Solid) -> bool:
    opaque = "glass" not in (old.surface.kind, new.surface.kind)
    return opaque and replace(old, surface=new.surface, shine=new.shine) == new


def _mixed(before: TracedScene, after: TracedScene, old: Solid | None, new: Solid | None, part: int) -> TracedScene:
    """The scene before, with one part of the target as it is after."""
    scene = before
    if old is not None:
        scene = scene.with_solid(replace(old, parts=ALL & ~part))
    if new is not None:
        ghost = replace(new, name=f"{new.name} after", parts=part)
        lamps = tuple(replace(lamp, solid=ghost.name) for lamp in after.lamps if lamp.solid == new.name)
        scene = replace(scene.with_solid(ghost), lamps=(*scene.lamps, *lamps))
    return scene


def _shadowless(scene: TracedScene, names: Collection[str]) -> TracedScene:
    return replace(
        scene,
        solids=tuple(
            replace(solid, parts=solid.parts & ~SHADOWING) if solid.name in names else solid for solid in scene.solids
        ),
    )

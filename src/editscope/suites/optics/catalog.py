"""Contents of the benchmark: laws, their tasks, and the effects that every problem of a task has."""

from __future__ import annotations

from editscope.suites.physics.catalog import PhysicsCatalog

LAWS: dict[str, dict[str, tuple[str, ...]]] = {
    "light_source": {
        "lamp_off": ("object", "light"),
        "lamp_on": ("object", "light"),
        "recolor_lamp": ("object", "light"),
        "dim_lamp": ("light",),
        "move_lamp": ("object", "light"),
    },
    "light_propagation": {
        "remove_object": ("object", "shadow"),
        "add_object": ("object", "shadow"),
        "move_object": ("object", "uncovered", "shadow"),
        "move_sun": ("shadow", "shading"),
    },
    "reflection": {
        "remove_mirrored": ("object", "mirror image"),
        "recolor_mirrored": ("object", "mirror image"),
        "move_mirrored": ("object", "uncovered", "mirror image"),
        "matte_to_mirror": ("object",),
        "mirror_to_matte": ("object",),
        "turn_mirror": ("object",),
    },
    "refraction": {
        "remove_glass": ("object", "shadow"),
        "add_glass": ("object",),
        "swap_glass": ("object",),
        "recolor_behind_glass": ("object", "refraction"),
    },
    "global_state": {
        "fog": ("fog",),
        "flood": ("water",),
        "time_of_day": ("shadow", "shading"),
    },
    "local_state": {
        "wet_tile": ("wet patch",),
        "fill_glass": ("object",),
        "light_candle": ("object", "light"),
    },
}

CATALOG = PhysicsCatalog("optics", LAWS, "editscope.suites.optics.tasks")

"""Contents of the benchmark: laws, their tasks, and the effects that every problem of a task has."""

from __future__ import annotations

from editscope.suites.physics.catalog import PhysicsCatalog

LAWS: dict[str, dict[str, tuple[str, ...]]] = {
    "causality": {
        "remove_block": ("object", "fallen", "shadow"),
        "remove_support": ("object", "fallen", "shadow"),
        "cut_string": ("object", "fallen", "shadow"),
        "tilt_board": ("object", "moved", "shadow"),
        "load_seesaw": ("object", "moved", "shadow"),
    },
    "deformation": {
        "load_spring": ("object", "moved", "shadow"),
        "press_springs": ("object", "moved", "shadow"),
        "shorten_rope": ("object", "moved", "shadow"),
        "move_post": ("object", "moved", "shadow"),
    },
    "local_state": {
        "put_in_water": ("object", "water"),
        "take_from_water": ("object", "water"),
    },
}

CATALOG = PhysicsCatalog("mechanics", LAWS, "editscope.suites.mechanics.tasks")
SIMULATED = ("remove_block", "remove_support", "cut_string", "tilt_board")
"""The tasks that need MuJoCo; all others are closed forms."""

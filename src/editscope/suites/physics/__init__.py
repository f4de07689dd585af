"""Suites of rendered scenes whose changes follow by physics: what they share, so that each is a catalog and tasks."""

from __future__ import annotations

from editscope.suites.benchmark import Option
from editscope.suites.generated import COUNTS

SIDES = (64, 2048)
"""The smallest and the largest side of pictures, in pixels."""

OPTIONS = (
    Option("tasks", "Only these tasks.", "names"),
    Option("per_task", "Problems per task [40].", "number", limits=COUNTS),
    Option(
        "levels",
        "How much the instruction explains.",
        "names",
        ("superficial", "intermediate", "explicit", "located"),
        default="superficial,intermediate,explicit",
    ),
    Option("size", "Side of the pictures in pixels [512].", "number", limits=SIDES),
    Option("namespace", "Draw fresh problems that no model has seen; any name gives its own set."),
)
"""The options that every such suite has."""

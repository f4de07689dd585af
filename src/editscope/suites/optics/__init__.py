"""Optics: edits of rendered scenes whose shadows, mirror images and light follow by physics, made from seeds."""

from __future__ import annotations

from editscope.suites.benchmark import Benchmark, Option

BENCHMARK = Benchmark(
    name="optics",
    title="Optics",
    about="Edits of rendered scenes with one right answer each: light, shadows, mirrors and glass follow",
    scoring="pixels",
    cases=2640,
    load="editscope.suites.optics.data:load",
    write_set="editscope.suites.optics.data:write_set",
    stream="editscope.suites.optics.suite:OpticsStream",
    questions="editscope.suites.optics.questions:questions",
    options=(
        Option("tasks", "Only these tasks.", "names"),
        Option("per_task", "Problems per task [40].", "number"),
        Option(
            "levels",
            "How much the instruction explains.",
            "names",
            ("superficial", "intermediate", "explicit", "located"),
            default="superficial,intermediate,explicit",
        ),
        Option("size", "Side of the pictures in pixels [512].", "number"),
        Option("namespace", "Draw fresh problems that no model has seen; any name gives its own set."),
    ),
    place=3,
)

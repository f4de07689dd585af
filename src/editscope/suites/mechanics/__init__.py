"""Mechanics: edits of rendered scenes after which things fall, tip, stretch or float by physics, made from seeds."""

from __future__ import annotations

from editscope.suites.benchmark import Benchmark
from editscope.suites.physics import OPTIONS

BENCHMARK = Benchmark(
    name="mechanics",
    title="Mechanics",
    about="Edits of rendered scenes with one right answer each: what falls, tips, stretches or floats follows",
    scoring="pixels",
    cases=1320,
    load="editscope.suites.mechanics.suite:load",
    write_set="editscope.suites.mechanics.suite:write_set",
    stream="editscope.suites.mechanics.suite:MechanicsStream",
    questions="editscope.suites.mechanics.questions:questions",
    options=OPTIONS,
    place=4,
)

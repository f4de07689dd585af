"""Optics: edits of rendered scenes whose shadows, mirror images and light follow by physics, made from seeds."""

from __future__ import annotations

from editscope.suites.benchmark import Benchmark
from editscope.suites.physics import OPTIONS

BENCHMARK = Benchmark(
    name="optics",
    title="Optics",
    about="Edits of rendered scenes with one right answer each: light, shadows, mirrors and glass follow",
    scoring="pixels",
    cases=3000,
    load="editscope.suites.optics.suite:load",
    write_set="editscope.suites.optics.suite:write_set",
    stream="editscope.suites.optics.suite:OpticsStream",
    questions="editscope.suites.optics.questions:questions",
    options=OPTIONS,
    place=3,
)

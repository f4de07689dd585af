"""Traces: a protocol that judges what an editor said or thought about a case, of any benchmark."""

from __future__ import annotations

from editscope.suites.benchmark import Benchmark, Option

PROTOCOL = Benchmark(
    name="trace",
    title="Traces of editors",
    about="Whether an editor reasoned right about a case, read from its trace",
    load="editscope.suites.traces.rubric:no_cases",
    rubric="editscope.suites.traces.rubric:TraceRubric",
    options=(
        Option(
            "side",
            "Longer side of the pictures that a judge sees; 0: as they are.",
            "number",
            of="protocol",
            default="1024",
        ),
        Option("quality", "JPEG quality of those pictures; 0: PNG.", "number", of="protocol", default="90"),
    ),
    listed=False,
)

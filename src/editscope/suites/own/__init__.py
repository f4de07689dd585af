"""Benchmarks of your own: a folder with ``suite.toml`` and ``cases.jsonl``, no code."""

from __future__ import annotations

from editscope.suites.benchmark import Benchmark, Option

BENCHMARK = Benchmark(
    name="own",
    title="A benchmark of your own",
    about="A folder with suite.toml and cases.jsonl",
    load="editscope.suites.own.data:load",
    rubric="editscope.suites.own.rubric:OwnRubric",
    annotation="editscope.suites.own.annotation:LAYOUT",
    options=(
        Option("skip_bad", "Leave out cases whose data has flaws, and list them.", "flag"),
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

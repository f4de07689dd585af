"""Benchmarks of your own: a folder with ``suite.toml`` and ``cases.jsonl``, no code."""

from __future__ import annotations

from editscope.suites.benchmark import Benchmark, Option

BENCHMARK = Benchmark(
    name="own",
    title="A benchmark of your own",
    about="A folder with suite.toml and cases.jsonl",
    load="editscope.suites.own.data:load",
    rubric="editscope.suites.own.rubric:OwnRubric",
    options=(Option("skip_bad", "Leave out cases whose data has flaws, and list them.", "flag"),),
    listed=False,
)

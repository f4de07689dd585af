"""TinyGrafixBench: twenty chart edits with one right answer each, made from seeds."""

from __future__ import annotations

from editscope.suites.benchmark import Benchmark, Headline, Option, PaperFigures
from editscope.suites.generated import COUNTS

BENCHMARK = Benchmark(
    name="tinygrafix",
    title="TinyGrafixBench",
    about="Twenty edits of charts with one right answer each, made from seeds",
    scoring="pixels",
    cases=600,
    load="editscope.suites.tinygrafix.data:load",
    write_set="editscope.suites.tinygrafix.data:write_set",
    stream="editscope.suites.tinygrafix.suite:ChartStream",
    tables="editscope.suites.tinygrafix.tables:tables",
    options=(
        Option("charts", "Only these chart types.", "names"),
        Option("tasks", "Only these tasks.", "names"),
        Option("per_task", "Problems per task [30].", "number", limits=COUNTS),
        Option("namespace", "Draw fresh problems that no model has seen; any name gives its own set."),
        Option("split", "Which part of the set.", values=("test", "preservation", "all")),
        Option("strata", "Intervals resample within tasks, or within modes of tasks.", values=("release", "paper")),
    ),
    figures=PaperFigures(changes=("miou", "edit_accuracy@5", "preservation_accuracy@5")),
    headline=Headline("paintbench", "miou", cases=600),
    beside="paintbench",
    citation="Xu, Brown, Madhu, Fergus, He, Xie: PaintBench: Deterministic Evaluation of Precise Visual Editing.",
    place=2,
)

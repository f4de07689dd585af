"""PaintBench: twenty precise edits with one right answer each, made from seeds."""

from __future__ import annotations

from editscope.suites.benchmark import Benchmark, Headline, Option, Paper, PaperFigures
from editscope.suites.generated import COUNTS

SHAPES = (1, 100)
"""How few and how many shapes a scene may be asked to have."""

BENCHMARK = Benchmark(
    name="paintbench",
    title="PaintBench",
    about="Twenty precise edits with one right answer each, made from seeds",
    scoring="pixels",
    cases=1920,
    load="editscope.suites.paintbench.data:load",
    write_set="editscope.suites.paintbench.data:write_set",
    stream="editscope.suites.paintbench.suite:PaintStream",
    tables="editscope.suites.paintbench.tables:tables",
    options=(
        Option("tasks", "Only these tasks.", "names"),
        Option("modes", "Only these modes.", "names"),
        Option("conditions", "Only these visual conditions.", "names"),
        Option("per_cell", "Problems per task and condition [12].", "number", limits=COUNTS),
        Option("per_mode", "Problems per mode and condition, in place of per_cell.", "number", limits=COUNTS),
        Option("canvas", "Size of the canvas, such as 512x512.", "size"),
        Option("n", "How many shapes a scene has.", "number", limits=SHAPES),
        Option(
            "points",
            "Instructions name only a shape's own points, or also points of its bounding box.",
            values=("own", "box"),
        ),
        Option("namespace", "Draw fresh problems that no model has seen; any name gives its own set."),
        Option("split", "Which part of the set.", values=("test", "preservation", "all")),
        Option("strata", "Intervals resample within tasks, or within modes of tasks.", values=("release", "paper")),
    ),
    figures=PaperFigures(changes=("miou", "edit_accuracy@5", "preservation_accuracy@5")),
    paper=Paper("paintbench", "PaintBench", "PaintBench: Deterministic Evaluation of Precise Visual Editing"),
    headline=Headline("paintbench", "miou", cases=1920),
    remark="The released answers of the task rotation turn the other way than their instructions say: published "
    "rotation scores are not comparable with those of a set made here (docs/faults-found.md).",
    beside="tinygrafix",
    citation="Xu, Brown, Madhu, Fergus, He, Xie: PaintBench: Deterministic Evaluation of Precise Visual Editing.",
    place=1,
)

"""WorldEdit-Test: instructions that name a cause and leave its visible effect to the model."""

from __future__ import annotations

from editscope.suites.benchmark import Benchmark, Headline, JudgeWork, Option, Paper

BENCHMARK = Benchmark(
    name="worldedit",
    title="WorldEdit-Test",
    about="Instructions that name a cause and leave its visible effect to the model",
    cases=550,
    data="not published by its authors; see docs/worldedit.md",
    judging=JudgeWork(calls=2_200, images=3_850),
    load="editscope.suites.worldedit.data:load",
    rubric="editscope.suites.worldedit.rubric:WorldEditRubric",
    annotation="editscope.suites.worldedit.annotation:LAYOUT",
    tables="editscope.suites.worldedit.tables:tables",
    studies="editscope.suites.worldedit.study:STUDIES",
    main_groups=("", "mode"),
    options=(
        Option("forms", "Instructions to run, one or both.", "names", ("implicit", "paraphrase")),
        Option("skip_bad", "Leave out cases whose data has flaws, and list them.", "flag"),
        Option("kp_gate", "Set KP to 1 wherever IF is at most 2.", values=("asked", "enforced"), of="protocol"),
        Option(
            "watermark", "Whether watermarks count against consistency.", values=("counted", "ignore"), of="protocol"
        ),
        Option("side", "Longer side of the pictures that a judge sees; 0: as they are.", "number", of="protocol"),
        Option("quality", "JPEG quality of those pictures; 0: PNG.", "number", of="protocol"),
    ),
    paper=Paper(
        "worldedit", "WorldEdit", "WorldEdit: Towards Open-World Image Editing with a Knowledge-Informed Benchmark"
    ),
    headline=Headline("worldedit", "average", judge="Qwen-VL-Max"),
    citation="Lin, Wang, Zhang, et al.: WorldEdit: Towards Open-World Image Editing with a Knowledge-Informed "
    "Benchmark.",
    place=6,
)

"""InEdit-Bench: the way from a start to an end picture, drawn as one picture of numbered steps."""

from __future__ import annotations

from editscope.scoring.rubrics.accounting import Release
from editscope.suites.benchmark import Benchmark, Headline, JudgeWork, Option, Paper

BENCHMARK = Benchmark(
    name="inedit",
    title="InEdit-Bench",
    about="The way from a start to an end picture, drawn as one picture of numbered steps",
    cases=237,
    data="github.com/SZStrong1/InEdit-Bench",
    judging=JudgeWork(calls=940, images=1_700),
    load="editscope.suites.inedit.data:load",
    rubric="editscope.suites.inedit.rubric:InEditRubric",
    annotation="editscope.suites.inedit.annotation:LAYOUT",
    tables="editscope.suites.inedit.tables:tables",
    main_groups=("", "category"),
    options=(
        Option("skip_bad", "Leave out cases whose data has flaws, and list them.", "flag"),
        Option("side", "Longer side of the pictures that a judge sees; 0: as they are.", "number", of="protocol"),
        Option("quality", "JPEG quality of those pictures; 0: PNG.", "number", of="protocol"),
    ),
    paper=Paper(
        "inedit",
        "InEdit-Bench",
        "InEdit-Bench: Benchmarking Intermediate Logical Pathways for Intelligent Image Editing Models",
    ),
    headline=Headline("inedit", "overall", judge="GPT-4o-2024-11-20"),
    release=Release("InEdit-Bench", "skipped", "stops"),
    citation="InEdit-Bench: Benchmarking Intermediate Logical Pathways for Intelligent Image Editing Models.",
    place=11,
)

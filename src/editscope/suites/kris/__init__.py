"""KRIS-Bench: edits that need factual, conceptual or procedural knowledge, in twenty categories."""

from __future__ import annotations

from editscope.scoring.rubrics.accounting import Release
from editscope.suites.benchmark import Benchmark, Headline, JudgeWork, Option

BENCHMARK = Benchmark(
    name="kris",
    title="KRIS-Bench",
    about="Edits that need factual, conceptual or procedural knowledge",
    cases=1267,
    data="hf:Liang0223/KRIS_Bench",
    judging=JudgeWork(calls=3_801, images=6_335),
    load="editscope.suites.kris.data:load",
    rubric="editscope.suites.kris.rubric:KrisRubric",
    tables="editscope.suites.kris.tables:tables",
    main_groups=("knowledge", "dimension"),
    options=(
        Option("skip_bad", "Leave out cases whose data has flaws, and list them.", "flag"),
        Option("side", "Longer side of the pictures that a judge sees; 0: as they are.", "number", of="protocol"),
        Option("quality", "JPEG quality of those pictures; 0: PNG.", "number", of="protocol"),
    ),
    headline=Headline("worldedit", "average", judge="GPT-4o", secondhand=True),
    release=Release("KRIS-Bench", "skipped", "skipped"),
    citation="Wu, Li, Hu, et al.: KRIS-Bench: Benchmarking Next-Level Intelligent Image Editing Models.",
    place=7,
)

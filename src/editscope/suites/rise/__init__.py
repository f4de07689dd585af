"""RISEBench: edits that need temporal, causal, spatial or logical reasoning."""

from __future__ import annotations

from editscope.scoring.rubrics.accounting import Release
from editscope.suites.benchmark import Benchmark, Headline, JudgeWork, Option

BENCHMARK = Benchmark(
    name="rise",
    title="RISEBench",
    about="Edits that need temporal, causal, spatial or logical reasoning",
    cases=360,
    data="huggingface.co/datasets/PhoenixZ/RISEBench",
    judging=JudgeWork(calls=995, images=1_460, side=768),
    load="editscope.suites.rise.data:load",
    rubric="editscope.suites.rise.rubric:RiseRubric",
    tables="editscope.suites.rise.tables:tables",
    main_groups=("", "category"),
    options=(
        Option("file", "The name of the data file, if it is not data_total.json."),
        Option("skip_bad", "Leave out cases whose data has flaws, and list them.", "flag"),
        Option("side", "Longer side of the pictures that a judge sees; 0: as they are.", "number", of="protocol"),
        Option("quality", "JPEG quality of those pictures; 0: PNG.", "number", of="protocol"),
    ),
    headline=Headline("worldedit", "accuracy", judge="GPT-4.1", secondhand=True),
    release=Release("RISEBench", "unscored", "stops"),
    citation="Zhao, Zhang, Tang, et al.: Envisioning Beyond the Pixels: Benchmarking Reasoning-Informed Visual "
    "Editing.",
    place=8,
)

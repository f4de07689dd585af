"""GEdit-Bench: everyday edits that people asked for, in eleven groups, with English and Chinese instructions."""

from __future__ import annotations

from editscope.suites.benchmark import Benchmark, Headline, JudgeWork, Option, Paper

BENCHMARK = Benchmark(
    name="gedit",
    title="GEdit-Bench",
    about="Everyday edits that people asked for, in English and Chinese",
    cases=606,
    data="hf:stepfun-ai/GEdit-Bench",
    judging=JudgeWork(calls=2_424, images=3_636, side=512),
    load="editscope.suites.gedit.data:load",
    rubric="editscope.suites.gedit.rubric:GEditRubric",
    tables="editscope.suites.gedit.tables:tables",
    main_groups=("", "group"),
    options=(
        Option("languages", "Languages of the instructions, one or both.", "names", ("en", "cn"), default="en,cn"),
        Option(
            "intersection",
            "Run all edits, or only those that every model of the paper returned.",
            values=("all", "only"),
        ),
        Option("skip_bad", "Leave out cases whose data has flaws, and list them.", "flag"),
        Option(
            "side",
            "Side of the square to whose area a judge's pictures are scaled; 0: as they are.",
            "number",
            of="protocol",
        ),
        Option("quality", "JPEG quality of those pictures; 0: PNG.", "number", of="protocol"),
    ),
    paper=Paper("gedit", "Step1X-Edit", "Step1X-Edit: A Practical Framework for General Image Editing"),
    headline=Headline("gedit", "overall", judge="GPT-4.1", language="en"),
    citation="Liu, Han, Xing, et al.: Step1X-Edit: A Practical Framework for General Image Editing.",
    place=12,
)

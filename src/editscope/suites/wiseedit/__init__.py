"""WiseEdit and WiseEdit-Complex: edits that need knowledge and imagination, one to five pictures, two languages."""

from __future__ import annotations

from editscope.scoring.rubrics.accounting import Release
from editscope.suites.benchmark import Benchmark, Headline, JudgeWork, Option, Paper, PaperFigures

OPTIONS = (
    Option("languages", "Languages of the instructions, one or both.", "names", ("en", "cn"), default="en,cn"),
    Option("skip_bad", "Leave out cases whose data has flaws, and list them.", "flag"),
    Option(
        "unsupported",
        "Score a case that has more pictures than the editor takes as 0, or leave it out.",
        values=("zero", "skip"),
        of="protocol",
    ),
    Option("side", "Longer side of the pictures that a judge sees; 0: as they are.", "number", of="protocol"),
    Option("quality", "JPEG quality of those pictures; 0: PNG.", "number", of="protocol"),
)
HOME = "github.com/beepkh/WiseEdit"
CITATION = "Pan, Chen, Qiu, et al.: WiseEdit: Benchmarking Cognition- and Creativity-Informed Image Editing."

BENCHMARK = Benchmark(
    name="wiseedit",
    title="WiseEdit",
    about="Edits that need awareness, interpretation and imagination, with one to five pictures",
    cases=1140,
    data=HOME,
    judging=JudgeWork(calls=9_120, images=18_240, side=512),
    load="editscope.suites.wiseedit.data:load",
    rubric="editscope.suites.wiseedit.rubric:WiseEditRubric",
    annotation="editscope.suites.wiseedit.annotation:LAYOUT",
    tables="editscope.suites.wiseedit.tables:tables",
    studies="editscope.suites.wiseedit.study:STUDIES",
    main_groups=("", "task"),
    figures=PaperFigures(spokes=("knowledge",), split="inputs", changes=("kf", "average")),
    options=OPTIONS,
    paper=Paper("wiseedit", "WiseEdit", "WiseEdit: Benchmarking Cognition- and Creativity-Informed Image Editing"),
    headline=Headline("wiseedit", "average", judge="GPT-4o", language="en"),
    release=Release("WiseEdit", "case", "case"),
    citation=CITATION,
    place=9,
)

COMPLEX = Benchmark(
    name="wiseedit-complex",
    title="WiseEdit-Complex",
    about="Edits that need all of what WiseEdit tests at once",
    cases=80,
    data=HOME,
    judging=JudgeWork(calls=800, images=1_900, side=512),
    load="editscope.suites.wiseedit.data:load_complex",
    protocol="wiseedit",
    tables="editscope.suites.wiseedit.tables:complex_tables",
    main_groups=("", ""),
    figures=PaperFigures(spokes=("knowledge",), changes=("kf", "average")),
    options=OPTIONS,
    headline=Headline("wiseedit", "average", judge="GPT-4o"),
    citation=CITATION,
    place=10,
)

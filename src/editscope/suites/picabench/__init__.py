"""PICABench: edits whose physics is checked, question by question, in regions of the picture."""

from __future__ import annotations

from editscope.scoring.rubrics.accounting import Release
from editscope.suites.benchmark import Benchmark, Headline, JudgeWork, Option, Paper, PaperFigures

BENCHMARK = Benchmark(
    name="picabench",
    title="PICABench",
    about="Edits whose physics is checked by questions about regions of the picture",
    cases=900,
    data="hf:Andrew613/PICABench",
    judging=JudgeWork(calls=4_112, images=4_112),
    load="editscope.suites.picabench.data:load",
    rubric="editscope.suites.picabench.rubric:PicaBenchRubric",
    write_judged="editscope.suites.picabench.writing:write_judged",
    annotation="editscope.suites.picabench.annotation:LAYOUT",
    tables="editscope.suites.picabench.tables:tables",
    studies="editscope.suites.picabench.study:STUDIES",
    main_groups=("dimension", "law"),
    figures=PaperFigures(changes=("accuracy", "consistency")),
    options=(
        Option("levels", "Instructions to run, one or several.", "names", ("superficial", "intermediate", "explicit")),
        Option("skip_bad", "Leave out cases whose data has flaws, and list them.", "flag"),
        Option("region", "What the judge sees of the edit.", values=("crop", "whole", "box"), of="protocol"),
        Option("instruction", "Show the judge the instruction too.", "flag", of="protocol"),
        Option("psnr", "How consistency is computed.", values=("mean", "channel-sum"), of="protocol"),
        Option(
            "psnr_size",
            "Resize both pictures to N × N first, as the released tool does; 0: do not resize.",
            "number",
            of="protocol",
        ),
        Option(
            "edit_area",
            "Whether boxes of edit_area are in pixels of the source or of a canvas of 1024.",
            values=("auto", "source", "canvas"),
            of="protocol",
        ),
    ),
    paper=Paper("picabench", "PICABench", "PICABench: How Far Are We from Physically Realistic Image Editing?"),
    headline=Headline("picabench", "accuracy", judge="GPT-5", level="superficial"),
    release=Release("PICABench", "wrong", "white"),
    citation="Pu, Zhuo, Han, et al.: PICABench: How Far Are We from Physically Realistic Image Editing?",
    place=5,
)

"""Study of the PICABench paper: pairs of edits, one forced choice, Elo."""

from __future__ import annotations

from dataclasses import replace

from editscope.suites.study import StudyPreset

AS_TEXT = StudyPreset(
    name="picabench",
    title="PICABench, as the text of its appendix A.4 says",
    kind="pairwise",
    question="Which of the two edits matches the instruction better?",
    models=9,
    items=50,
    levels=("superficial", "intermediate", "explicit"),
    stratify="law",
    votes=5,
    remark=(
        "9 models, 36 pairs, 5 votes: 9,000 votes per level. The paper calls 27,000 the votes of one level; it is the "
        "number of all three."
    ),
)
AS_TABLE = replace(
    AS_TEXT,
    name="picabench-table9",
    title="PICABench, as its Table 9 says",
    models=10,
    votes=3,
    remark=(
        "10 models, 45 pairs, 3 votes: 2,250 comparisons and 6,750 votes per level. The table has 6,750 and 20,250, "
        "the numbers of all three levels. The step stays 24 · votes / 5, as the text has it."
    ),
)
STUDIES = (AS_TEXT, AS_TABLE)

"""Study of the WiseEdit paper: experts score edits of random cases."""

from __future__ import annotations

from editscope.suites.study import RatingScale, StudyPreset
from editscope.suites.wiseedit.rubric import METRICS

STUDIES = (
    StudyPreset(
        name="wiseedit",
        title="WiseEdit, experts on random cases",
        kind="ratings",
        question="How good is this edit?",
        models=8,
        items=50,
        stratify="task",
        votes=3,
        raters=6,
        per_rater=200,
        scales=tuple(RatingScale(name, label, 1, 10, "very bad", "very good") for name, label in METRICS.items()),
        remark=(
            "The paper states neither the scale nor the numbers of raters, cases and votes. Those here are ours: 1 to "
            "10 as its judge has it, 50 cases, 3 ratings for each edit."
        ),
    ),
)

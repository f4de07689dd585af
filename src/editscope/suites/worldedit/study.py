"""Study of the WorldEdit paper: raters who were calibrated first score edits on four scales."""

from __future__ import annotations

from editscope.suites.study import RatingScale, StudyPreset
from editscope.suites.worldedit.rubric import METRICS

STUDIES = (
    StudyPreset(
        name="worldedit",
        title="WorldEdit-Test, as its appendix D says",
        kind="ratings",
        question="How good is this edit?",
        models=8,
        items=None,
        stratify="mode",
        votes=2,
        raters=20,
        per_rater=500,
        scales=tuple(RatingScale(name, label, 1, 5, "very bad", "very good") for name, label in METRICS.items()),
        calibration=50,
        remark=(
            "20 raters, about 500 pictures each, at least two ratings for each picture, after 50 pictures with known "
            "scores. The words at the ends of the scales are ours."
        ),
    ),
)

"""Sections of the HTML report in the order of the page: one function makes one section."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from editscope.report.html.markup import Html
from editscope.report.html.sections.details.classic_measures import measures
from editscope.report.html.sections.details.curves import tolerance
from editscope.report.html.sections.details.edit_size import sizes
from editscope.report.html.sections.details.fidelity import fidelity
from editscope.report.html.sections.details.metrics import metrics
from editscope.report.html.sections.details.offsets import offsets
from editscope.report.html.sections.details.paper_tables import papers
from editscope.report.html.sections.details.profile import profile
from editscope.report.html.sections.details.repeats import repeats
from editscope.report.html.sections.details.scenes import conditions
from editscope.report.html.sections.details.set_statistics import set_statistics
from editscope.report.html.sections.details.speed_and_cost import cost
from editscope.report.html.sections.details.tables import tables
from editscope.report.html.sections.findings.before_after import before_after
from editscope.report.html.sections.findings.checks import checks
from editscope.report.html.sections.findings.comparison import comparison
from editscope.report.html.sections.findings.diagnosis import diagnosis
from editscope.report.html.sections.findings.effects import effects
from editscope.report.html.sections.findings.exemplars import typical_failures
from editscope.report.html.sections.findings.failures import failures
from editscope.report.html.sections.findings.judge_scores import judge_scores
from editscope.report.html.sections.findings.leaderboard import leaderboard
from editscope.report.html.sections.findings.overview import overview
from editscope.report.html.sections.findings.people import people
from editscope.report.html.sections.findings.reasoning import reasoning
from editscope.report.html.sections.provenance.judging import judging
from editscope.report.html.sections.provenance.sources import files, provenance
from editscope.report.model import Sheet
from editscope.report.options import ReportOptions

Part: TypeAlias = Literal["findings", "details", "provenance"]
"""Where a section stands: before the cases, after them, or at the end of the page."""


@dataclass(frozen=True)
class Section:
    """A section of the page: ``id`` begins its address, ``label`` stands in the navigation unless it is empty."""

    id: str
    label: str
    make: Callable[[Sheet, ReportOptions], Html | None]
    part: Part


SECTIONS: tuple[Section, ...] = (
    Section("overview", "Overview", overview, "findings"),
    Section("people", "People", people, "findings"),
    Section("files", "", files, "findings"),
    Section("leaderboard", "Leaderboard", leaderboard, "findings"),
    Section("effects", "What followed", effects, "findings"),
    Section("failures", "Failures", failures, "findings"),
    Section("exemplars", "Examples", typical_failures, "findings"),
    Section("diagnosis", "Diagnosis", diagnosis, "findings"),
    Section("comparison", "Comparison", comparison, "findings"),
    Section("changes", "Before and after", before_after, "findings"),
    Section("opinions", "Scores", judge_scores, "findings"),
    Section("checks", "Checks", checks, "findings"),
    Section("reasoning", "Reasoning", reasoning, "findings"),
    Section("profile", "Profile", profile, "findings"),
    Section("metrics", "Metrics", metrics, "details"),
    Section("tables", "Tables", tables, "details"),
    Section("papers", "Paper", papers, "details"),
    Section("curves", "Curves", tolerance, "details"),
    Section("sizes", "Sizes", sizes, "details"),
    Section("offsets", "How far off", offsets, "details"),
    Section("fidelity", "Fidelity", fidelity, "details"),
    Section("conditions", "Scenes", conditions, "details"),
    Section("repeats", "Repeats", repeats, "details"),
    Section("measures", "Measures", measures, "details"),
    Section("cost", "Speed and cost", cost, "details"),
    Section("statistics", "Set", set_statistics, "details"),
    Section("judging", "How judged", judging, "provenance"),
    Section("provenance", "Sources", provenance, "provenance"),
)
"""The sections about one set of cases in order; a section without content is left out."""


def address(section: Section, sheet: Sheet) -> str:
    """The id of a section on the page."""
    return f"{section.id}-{sheet.key}"

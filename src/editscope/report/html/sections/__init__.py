"""Sections of the HTML report in the order of the page: one function makes one section."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from editscope.report.html.markup import Html
from editscope.report.html.sections.details.classic_measures import measures
from editscope.report.html.sections.details.curves import tolerance
from editscope.report.html.sections.details.edit_size import sizes
from editscope.report.html.sections.details.fidelity import fidelity
from editscope.report.html.sections.details.paper_tables import papers
from editscope.report.html.sections.details.profile import profile
from editscope.report.html.sections.details.repeats import repeats
from editscope.report.html.sections.details.scenes import conditions
from editscope.report.html.sections.details.speed_and_cost import cost
from editscope.report.html.sections.details.tables import tables
from editscope.report.html.sections.findings.comparison import comparison
from editscope.report.html.sections.findings.diagnosis import diagnosis
from editscope.report.html.sections.findings.failures import failures
from editscope.report.html.sections.findings.judge_scores import judge_scores
from editscope.report.html.sections.findings.leaderboard import leaderboard
from editscope.report.html.sections.findings.overview import overview
from editscope.report.html.sections.provenance.judging import judging
from editscope.report.html.sections.provenance.sources import files, provenance
from editscope.report.model import Sheet
from editscope.report.options import ReportOptions


@dataclass(frozen=True)
class Section:
    """A section of the page: ``id`` begins its address, ``label`` stands in the navigation unless it is empty."""

    id: str
    label: str
    make: Callable[[Sheet, ReportOptions], Html | None]


SECTIONS: tuple[Section, ...] = (
    Section("overview", "Overview", overview),
    Section("files", "", files),
    Section("judging", "Judging", judging),
    Section("leaderboard", "Leaderboard", leaderboard),
    Section("diagnosis", "Diagnosis", diagnosis),
    Section("failures", "Failures", failures),
    Section("comparison", "Comparison", comparison),
    Section("tables", "Tables", tables),
    Section("papers", "Paper", papers),
    Section("opinions", "Scores", judge_scores),
    Section("curves", "Curves", tolerance),
    Section("profile", "Profile", profile),
    Section("sizes", "Sizes", sizes),
    Section("fidelity", "Fidelity", fidelity),
    Section("conditions", "Scenes", conditions),
    Section("repeats", "Repeats", repeats),
    Section("cost", "Speed and cost", cost),
    Section("measures", "Measures", measures),
    Section("provenance", "Sources", provenance),
)
"""The sections about one set of cases; a section without content is left out."""


def address(section: Section, sheet: Sheet) -> str:
    """The id of a section on the page."""
    return f"{section.id}-{sheet.key}"

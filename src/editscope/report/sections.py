"""What a report shows of each set of cases, in order: one function makes one section."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from editscope.report.comparison import comparison
from editscope.report.diagnosis import diagnosis
from editscope.report.figures import failures, tolerance
from editscope.report.judging import judging
from editscope.report.leaderboard import leaderboard
from editscope.report.markup import Html
from editscope.report.measures import measures
from editscope.report.model import Sheet
from editscope.report.opinions import opinions
from editscope.report.options import Options
from editscope.report.overview import overview
from editscope.report.papers import papers
from editscope.report.patterns import conditions, fidelity, profile, sizes
from editscope.report.provenance import files, provenance
from editscope.report.repeats import repeats
from editscope.report.score_tables import tables
from editscope.report.speed import cost


@dataclass(frozen=True)
class Section:
    """A section of the page: ``id`` begins its address, ``label`` stands in the navigation unless it is empty."""

    id: str
    label: str
    make: Callable[[Sheet, Options], Html | None]


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
    Section("opinions", "Scores", opinions),
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
"""Everything that is said of one set of cases; a section that has nothing to say is left out."""


def address(section: Section, sheet: Sheet) -> str:
    """The id of a section on the page."""
    return f"{section.id}-{sheet.key}"

"""Groups of cases in the main table of each suite: what a profile has a row or a spoke for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from editscope.report.paper_tables.group_figures import figures_by_group
from editscope.suites.registry import known_benchmark

if TYPE_CHECKING:
    from editscope.report.model import Sheet


def main_groups(sheet: Sheet) -> tuple[str, str]:
    """The coarser and the finer group of a suite's main table by name; "" for one that it does not have.

    A suite that is not known has its first group, with the first other group inside it whose rows refine it.
    """
    known = [group.name for group in sheet.groups if sheet.keys(group.name)]
    record = known_benchmark(sheet.suite)
    if record is not None and record.main_groups is not None:
        outer, inner = (name if name in known else "" for name in record.main_groups)
        return outer, inner
    if not known:
        return "", ""
    table, first = figures_by_group(sheet), known[0]
    single = {group.name for group in sheet.groups if len(group.by) == 1}
    inside = [name for name in known[1:] if name in single and table.refines(name, first)]
    return (first, inside[0]) if inside else ("", first)

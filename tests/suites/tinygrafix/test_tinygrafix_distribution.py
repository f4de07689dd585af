"""Problems of TinyGrafixBench are of the same kind as those of the release, in every measure of each task."""

from __future__ import annotations

import pytest

from drills import counts
from editscope.suites.tinygrafix.catalog import CHARTS
from support.distributions import bonferroni, known
from support.tinygrafix_measures import NOT_COMPARED, compared, measured

THIN = "an editor that does nothing must get at most 5 of 100, so rims that nobody sees stay out of the edit"
WHOLE = "bars and cells end at whole pixels, so an editor that does nothing gets even less than in the release"
EXCEPTIONS = {
    "noop_miou_percent": {
        "bar_chart": WHOLE,
        "heatmap": WHOLE,
        "line_chart": THIN,
        "network": THIN,
        "scatter_plot": THIN,
    }
}
"""Where our problems do not follow the release, and why: measure, chart, reason."""

TASKS = [(chart, task) for chart, tasks in CHARTS.items() for task in tasks]
COMPARISONS = sum(
    len({*found["release"]["numbers"], *found["release"]["shares"]} - NOT_COMPARED)
    for found in known()["tinygrafix"].values()
)


@pytest.mark.slow
@pytest.mark.drill
@pytest.mark.parametrize(("chart", "task"), TASKS)
def test_a_task_has_the_distribution_of_the_release(chart: str, task: str) -> None:
    found = measured(chart, task, counts.times(usual=20, full=200), "distribution")
    p = compared(found, known()["tinygrafix"][f"{chart}/{task}"]["release"])
    followed = {name: value for name, value in p.items() if chart not in EXCEPTIONS.get(name, {})}
    assert len(followed) >= 7
    # One level for all comparisons of all tasks together.
    assert bonferroni(followed, 0.001 * len(followed) / COMPARISONS) == {}
    assert max(found.numbers["noop_miou_percent"]) <= 5.0

"""Claims about what figures show of judged suites and of published results, read from the drawing and held to data."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import editscope.suites
from editscope.report import figures_for, write
from editscope.report.html.plots import Heat
from editscope.report.model import gather
from editscope.report.paper_figures.draw import _kind
from editscope.report.paper_figures.registry import FigureContext
from editscope.report.paper_figures.style import settle, styled
from editscope.results import Run
from editscope.runs import run as execute_run
from editscope.suites import load_suite
from support.reports.report_judged_runs import made_run, rows_of
from support.reports.report_runs import make_run

pytestmark = pytest.mark.slow

MAIN = {
    "paintbench": {"metric": "miou"},
    "tinygrafix": {"metric": "miou"},
    "picabench": {"metric": "accuracy", "judge": "GPT-5", "level": "superficial"},
    "worldedit": {"metric": "average", "setting": ""},
    "kris": {"metric": "average"},
    "wiseedit": {"metric": "average", "language": "en", "setting": ""},
    "wiseedit-complex": {"metric": "average", "language": ""},
}
"""The setting that each paper ranks its models by."""
JUDGED = ("picabench", "worldedit", "kris", "wiseedit")


def drawn(runs: list[Any], name: str, *, published: bool = False, **asked: Any) -> Any:
    """A figure as Matplotlib has it."""
    model = gather(runs, None)
    with styled():
        return settle(_kind(name).draw(FigureContext(model, model.sheets[0], with_published=published, **asked)))


def texts(figure: Any) -> list[str]:
    """All words of a figure."""
    from matplotlib.text import Text

    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


def printed(suite: str, by: str = "overall", group: str = "") -> dict[str, float]:
    """Each model's number in the main setting of a suite, straight from the files of the papers' tables."""
    found: dict[str, float] = {}
    folder = Path(editscope.suites.__file__).parent
    for path in sorted(folder.glob("*/published/results.csv")):
        for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines()):
            wanted = {"suite": suite, "by": by, "group": group, **MAIN[suite]}
            if all(row[name] == value for name, value in wanted.items()):
                found.setdefault(row["model"], float(row["value"]))
    return found


def lowest(suite: str) -> dict[str, float]:
    """Each model's lowest number over all settings: what a figure must not show."""
    found: dict[str, float] = {}
    for row in editscope.published.leaderboard(suite, MAIN[suite]["metric"]):
        found[row.model] = min(row.value, found.get(row.model, row.value))
    return found


def r_squared(x: dict[str, float], y: dict[str, float]) -> tuple[float, int]:
    names = sorted(x.keys() & y.keys())
    return float(np.corrcoef([x[n] for n in names], [y[n] for n in names])[0, 1] ** 2), len(names)


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    return {name: made_run(tmp_path_factory, name) for name in JUDGED}


@pytest.fixture(scope="module")
def repeated(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """An editor that changes nothing, twice over one task of each category."""
    tasks = "translation,border,recolor,legend"
    suite = load_suite("paintbench", tasks=tasks, conditions="baseline", per_mode=1, canvas="320x320")
    out = tmp_path_factory.mktemp("repeated") / "run"
    return execute_run(suite, "ref:identity", out=out, jobs=1, progress=False, repeats=2)


def relation_of(figure: Any) -> tuple[set[tuple[float, float]], str]:
    """The points of the published panel, and what it says of the fit."""
    panel = next(axes for axes in figure.axes if axes.get_title().startswith("Published"))
    (points,) = [line for line in panel.get_lines() if line.get_marker() == "o"]
    said = next(text.get_text() for text in panel.texts if text.get_text().startswith("R²"))
    return set(zip(points.get_xdata().tolist(), points.get_ydata().tolist(), strict=True)), said


@pytest.mark.parametrize(
    ("suite", "partner", "r2", "n"),
    [
        ("picabench", "wiseedit", 0.8497, 8),
        ("worldedit", "kris", 0.8257, 9),
        ("kris", "worldedit", 0.8257, 9),
        ("wiseedit", "wiseedit-complex", 0.8956, 14),
    ],
)
def test_published_models_stand_at_the_numbers_of_each_suite_s_main_setting(
    judged: dict[str, Run], suite: str, partner: str, r2: float, n: int
) -> None:
    x, y = printed(suite), printed(partner)
    assert r_squared(x, y) == pytest.approx((r2, n), abs=5e-5)
    points, said = relation_of(drawn([judged[suite]], "correlation", published=True))
    assert points == {(x[name], y[name]) for name in x.keys() & y.keys()}
    assert said.startswith(f"R² = {r2:.2f},")
    assert said.endswith(f"n = {n}")
    if suite in ("picabench", "wiseedit"):
        assert any(lowest(suite)[name] < x[name] for name in x.keys() & y.keys()), "another setting would show"


def test_paintbench_and_tinygrafixbench_relate_as_the_paper_says(tmp_path: Path) -> None:
    assert r_squared(printed("paintbench"), printed("tinygrafix")) == pytest.approx((0.9086, 11), abs=5e-5)
    run = make_run(tmp_path, "one", thumbs=False)
    points, said = relation_of(drawn([run], "correlation", published=True))
    assert (17.1, 15.9) in points
    assert (len(points), said) == (11, "R² = 0.91, p < 0.001\nn = 11")


def test_each_axis_names_its_own_metric_scale_and_judge(judged: dict[str, Run]) -> None:
    said = texts(drawn([judged["worldedit"]], "correlation", published=True))
    assert "WorldEdit-Test Average (1–5)\njudge Qwen-VL-Max" in said
    assert "KRIS-Bench Average (0–100)\njudge GPT-4o" in said


def outlines(axes: Any) -> dict[str, list[float]]:
    return {line.get_label(): line.get_ydata().tolist()[:-1] for line in axes.get_lines()}


def test_a_radar_reaches_as_far_as_the_published_model(repeated: Run) -> None:
    run, axes = repeated, drawn([repeated], "radar", published=True).axes[0]
    categories = list(dict.fromkeys(row["key"] for row in run.summary["groups"] if row["by"] == "category"))
    best = [printed("paintbench", "category", key)["Nano Banana 2"] for key in categories]
    assert outlines(axes)["Nano Banana 2 (published)"] == best, "as printed, and not cut off"
    assert max(outlines(axes)["identity"]) < max(best) <= axes.get_ylim()[1]


def test_worldedit_is_drawn_on_its_own_scale(judged: dict[str, Run]) -> None:
    run = judged["worldedit"]
    radar = drawn([run], "radar", published=True).axes[0]
    assert radar.get_ylim() == (1, 5)
    modes = [row["key"] for row in run.summary["groups"] if (row["by"], row["metric"]) == ("mode", "average")]
    assert outlines(radar)["GPT-4o (published)"] == [printed("worldedit", "mode", mode)["GPT-4o"] for mode in modes]
    tasks = drawn([run], "tasks").axes[0]
    assert tasks.get_xlabel() == "Average (1–5)"
    assert 0.9 < tasks.get_xlim()[0] < 1 < tasks.get_xlim()[1] <= 5.05
    spread = drawn([run], "distributions").axes[0]
    assert spread.get_xlim() == (1, 5)
    assert sum(bar.get_height() > 0 for bar in spread.patches) > 5, "scores fill more than one bin"
    shown = [text for text in texts(drawn([run], "grid")) if text.startswith("Average ")]
    assert shown
    assert all(1 <= float(text.split()[1]) <= 5 and len(text.split(".")[1]) == 2 for text in shown)


def test_the_page_draws_it_on_that_scale_too(judged: dict[str, Run], tmp_path: Path) -> None:
    page = write([judged["worldedit"]], tmp_path / "page.html").read_text(encoding="utf-8")
    plots: dict[str, list[Any]] = {}
    for title, data in re.findall(
        r"<figcaption>([^<]+).*?<script type=\"application/json\">(.*?)</script>", page, re.S
    ):
        plots.setdefault(title, []).append(json.loads(data)["layout"])
    radar, dots = plots["Average by mode"]
    assert radar["polar"]["radialaxis"]["range"] == [1, 5]
    assert dots["xaxis"]["range"] == [pytest.approx(0.94), pytest.approx(5.06)]
    assert plots["Average of cases"][0]["xaxis"]["range"] == [pytest.approx(0.96), pytest.approx(5.04)]
    assert "Average (1–5)" in page


def test_the_worst_score_of_a_scale_has_no_color_in_a_heat_table() -> None:
    made = str(Heat("", ["A", "B"], [("row", [1.0, 5.0])], 5.0, low=1.0).table("Title"))
    assert re.findall(r"--heat:(\d+)%", made) == ["0", "100"]


@pytest.mark.parametrize(
    ("suite", "rows"),
    [
        ("picabench", ["Optics", "Light propagation", "Reflection", "Mechanics", "Deformation"]),
        ("worldedit", ["Time", "Temperature", "Twist"]),
        ("kris", ["Factual", "Attribute", "Temporal", "Conceptual", "Social", "Procedural"]),
        ("wiseedit", ["Awareness", "Interpretation", "Imagination"]),
    ],
)
def test_tasks_are_the_rows_of_the_suite_s_main_table(judged: dict[str, Run], suite: str, rows: list[str]) -> None:
    axes = drawn([judged[suite]], "tasks", published=True).axes[0]
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert [label for label in labels if label in rows] == rows
    assert not {"Implicit", "Paraphrase", "Superficial", "En", "Cn"} & set(labels)


def test_published_bars_are_the_best_of_the_main_setting(judged: dict[str, Run]) -> None:
    axes = drawn([judged["picabench"]], "tasks", published=True).axes[0]
    labels = [label.get_text() for label in axes.get_yticklabels()]
    bars = {line.get_ydata()[0]: line.get_xdata()[0] for line in axes.get_lines() if line.get_marker() == "|"}
    assert bars[labels.index("Reflection")] == max(printed("picabench", "law", "reflection").values())


@pytest.mark.parametrize("suite", JUDGED)
def test_the_composition_counts_cases_and_not_their_edits(judged: dict[str, Run], suite: str) -> None:
    run = judged[suite]
    number = len({record.case_id for record in run.records()})
    if suite != "kris":
        assert len(run.records()) > number, "its cases have several edits"
    figure = drawn([run], "composition")
    assert f"{number}\ncases" in texts(figure)
    for axes in figure.axes[1:]:
        assert sum(bar.get_width() for bar in axes.patches) == number
    (one,) = figures_for([run], run.path.parent / "drawn", only=["composition"], formats=["svg"])
    assert f", {number} cases, set " in one.caption


def test_repeats_are_no_cases_either(repeated: Run) -> None:
    number = len({record.case_id for record in repeated.records()})
    assert len(repeated.records()) == 2 * number
    figure = drawn([repeated], "composition")
    assert f"{number}\ncases" in texts(figure)
    sizes = next(axes for axes in figure.axes if axes.get_title(loc="left").startswith("Edit region"))
    assert sum(bar.get_width() for bar in sizes.patches) == number


def shares(run: Run, metric: str, **tags: str) -> Counter[str]:
    """Percentages of a metric's scores, and of what has none by its status, from the journal."""
    rows = [row for row in rows_of(run, **tags) if row["metric"] == metric and row["key"]]
    found = Counter(row.get("status", "ok") if row.get("status", "ok") != "ok" else f"{row['value']:g}" for row in rows)
    return Counter({name: 100 * n / len(rows) for name, n in found.items()})


def stacks(figure: Any) -> dict[str, dict[str, float]]:
    """The widths of bars by panel and legend label."""
    names = dict(
        zip(
            (patch.get_facecolor() for patch in figure.legends[0].get_patches()),
            (text.get_text() for text in figure.legends[0].get_texts()),
            strict=True,
        )
    )
    return {
        axes.get_title().replace("\n", " "): {names[bar.get_facecolor()]: bar.get_width() for bar in axes.patches}
        for axes in figure.axes
        if axes.get_visible()
    }


def test_failures_of_a_judged_suite_are_its_scores_metric_by_metric(judged: dict[str, Run]) -> None:
    run = judged["worldedit"]
    found = stacks(drawn([run], "failures"))
    assert list(found) == ["Visual consistency", "Visual quality", "Instruction following", "Knowledge plausibility"]
    expected = shares(run, "vq")
    words = {"refused": "Refused", "no_output": "No output"}
    assert found["Visual quality"] == pytest.approx({words.get(name, name): n for name, n in expected.items()})
    assert len(found["Visual quality"]) > 4, "no gray block"


def test_failures_of_questions_are_right_and_wrong_answers_by_law(judged: dict[str, Run]) -> None:
    run = judged["picabench"]
    found = stacks(drawn([run], "failures"))
    assert list(found)[:2] == ["Accuracy", "Light propagation"]
    words = {"0": "Wrong", "1": "Right", "refused": "Refused"}
    assert found["Accuracy"] == pytest.approx({words[name]: n for name, n in shares(run, "accuracy").items()})
    of_law = shares(run, "accuracy", law="reflection")
    assert found["Reflection"] == pytest.approx({words[name]: n for name, n in of_law.items()})


@pytest.mark.parametrize("width", ["single", "double"])
@pytest.mark.parametrize(
    "name",
    [
        *("radar", "tasks", "failures", "composition", "distributions", "correlation", "grid"),
        *("metrics", "histograms", "heat-metrics", "heat-models", "statistics", "split", "before-after"),
    ],
)
def test_nothing_of_a_judged_suite_is_cut_off(judged: dict[str, Run], name: str, width: str) -> None:
    for suite in ("worldedit", "wiseedit" if name in ("split", "before-after") else "kris"):
        figure = drawn([judged[suite]], name, width=width, published=True)
        box, (across, up) = figure.get_tightbbox(), figure.get_size_inches()
        assert min(box.x0, box.y0) > -0.01, suite
        assert box.x1 < across + 0.01, suite
        assert box.y1 < up + 0.01, suite

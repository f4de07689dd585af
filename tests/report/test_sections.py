"""Claims about what a report says, on real runs of editors whose fault is known."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

import editscope
from editscope.report import write
from editscope.report.html.plots import plotly_frame as frame
from editscope.report.html.sections import SECTIONS
from editscope.report.html.sections.details.classic_measures import measures
from editscope.report.html.sections.details.correlation import correlation
from editscope.report.html.sections.details.paper_tables import papers
from editscope.report.html.sections.findings.diagnosis import findings
from editscope.report.html.sections.findings.leaderboard import leaderboard
from editscope.report.html.sections.provenance.sources import provenance
from editscope.report.model import Model, gather
from editscope.report.options import ReportOptions
from editscope.results.run import Run
from editscope.stats.paired import compare_rows
from support.reports.report_page import text_of
from support.reports.report_runs import NASTY, make_run

pytestmark = pytest.mark.slow

EDITORS = ("oracle", "identity", "drift", "half", "unrelated", "cropped")
PUBLISHED, PLAIN = ReportOptions(published=True), ReportOptions()


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """Real runs of reference editors over 3 tasks and 3 scenes, with the diagnostic cases."""
    folder = tmp_path_factory.mktemp("sections")
    made = {}
    for name in EDITORS:
        suite = editscope.load_suite(
            "paintbench",
            tasks="border,recolor,removal",
            conditions="baseline,striped,nonstandard",
            per_cell=4,
            canvas="128x128",
        )
        made[name] = editscope.run(suite, f"ref:{name}", out=folder / name, jobs=1, progress=False)
    return made


@pytest.fixture(scope="module")
def charts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """The same editors on another suite."""
    folder = tmp_path_factory.mktemp("charts")
    suite = editscope.load_suite("tinygrafix", charts="bar_chart", per_task=1)
    return {
        name: editscope.run(suite, f"ref:{name}", out=folder / name, jobs=1, progress=False)
        for name in ("drift", "half", "identity")
    }


def chosen(runs: dict[str, Run], *names: str) -> Model:
    return gather([runs[name] for name in names], None)


def said(model: Model) -> dict[str, str]:
    sheet = model.sheets[0]
    return {name: text_of("".join(map(str, _flat(words)))) for name, words in findings(sheet, sheet.runs[0])}


def _flat(words: object) -> list[str]:
    return [part for word in words for part in _flat(word)] if isinstance(words, list) else [str(words)]


@pytest.mark.parametrize(
    ("editor", "words"),
    [
        ("oracle", "None: all 36 cases are right"),
        ("identity", "All failures are omissions: execution omission in 100 % of cases"),
        ("drift", "a matter of color: color imprecision in"),
        ("half", "failures are structural: structural imprecision in"),
        ("unrelated", "failures are catastrophic: structural catastrophe in"),
    ],
)
def test_the_diagnosis_names_the_fault_of_each_reference_editor(runs: dict[str, Run], editor: str, words: str) -> None:
    assert words in said(chosen(runs, editor))["Failures"]


def test_fidelity_and_over_editing_are_told_apart(runs: dict[str, Run]) -> None:
    identity, unrelated = said(chosen(runs, "identity")), said(chosen(runs, "unrelated"))
    assert identity["What should stay"].startswith("It keeps the pixels it should")
    assert unrelated["What should stay"].startswith("It draws the whole picture again")
    assert "It changes nothing" in identity["Over-editing"]
    assert "as many as they should" in unrelated["Over-editing"]


def test_the_preservation_split_has_its_own_curve(tmp_path: Path) -> None:
    suite = editscope.load_suite(
        "paintbench", tasks="removal", conditions="baseline", per_cell=2, canvas="128x128", split="all"
    )
    run = editscope.run(suite, "ref:jpeg", out=tmp_path / "jpeg", limit=10, jobs=1, progress=False)
    made = section("fidelity", gather([run], None))
    assert "Asked to change nothing: the whole picture" in made
    assert "the floor of its fidelity" in said(gather([run], None))["What should stay"]


def test_outputs_of_another_size_are_said(tmp_path: Path) -> None:
    suite = editscope.load_suite("paintbench", tasks="border", conditions="baseline", per_cell=8, canvas="128x128")
    run = editscope.run(suite, "ref:resized", out=tmp_path / "resized", jobs=1, progress=False)
    assert "8 outputs of 8 came in another size than asked" in said(gather([run], None))["Sizes"]


def test_published_rows_stand_in_the_leaderboard_only_when_asked_and_always_with_their_label(
    runs: dict[str, Run],
) -> None:
    sheet = chosen(runs, "drift", "identity").sheets[0]
    assert leaderboard(sheet, PLAIN) is None
    board = str(leaderboard(sheet, PUBLISHED))
    theirs = re.findall(r'<tr class="theirs">.*?</tr>', board)
    assert len(theirs) == 11
    assert (
        text_of(board).index("This report: ")
        < text_of(board).index("Authors' set")
        < text_of(board).index("Nano Banana")
    )
    assert len(re.findall(r'<tr class="ours run\d">', board)) == 2
    places = [text_of(row) for row in re.findall(r"<tr class=.*?</tr>", board)]
    assert places[0].startswith("1 A drift")
    assert places[1].startswith("2 B identity")
    assert places[2].startswith("1 Nano Banana 2"), "another set of cases has a list of its own"
    assert places[-1].startswith("11 ")


def test_the_comparison_says_what_the_paired_test_says_and_leaves_published_rows_out(runs: dict[str, Run]) -> None:
    model = chosen(runs, "half", "drift")
    sheet = model.sheets[0]
    made = section("comparison", model, PUBLISHED)
    a, b = (view.rows for view in sheet.runs)
    found = compare_rows(a, b, sheet.aggregation, "miou").overall
    seen = text_of(made)
    assert f"{found.difference:+.1f}".replace("-", "−") in seen
    assert f"{found.wins} · {found.ties} · {found.losses}" in seen
    assert "Nano Banana" not in made
    assert "Where half and drift differ most" in seen


def section(name: str, model: Model, options: ReportOptions = PLAIN, sheet: int = 0) -> str:
    make = next(one.make for one in SECTIONS if one.id == name)
    return str(make(model.sheets[sheet], options) or "")


def test_runs_over_different_cases_are_not_compared(runs: dict[str, Run], charts: dict[str, Run]) -> None:
    model = gather([runs["half"], charts["half"]], None)
    assert len(model.sheets) == 2
    assert [section("comparison", model, sheet=i) for i in (0, 1)] == ["", ""]


def test_of_many_runs_every_pair_is_in_the_matrix(runs: dict[str, Run]) -> None:
    made = section("comparison", chosen(runs, *EDITORS))
    matrix = re.findall(r'<table class="heat".*?</table>', made, flags=re.DOTALL)[0]
    assert matrix.count("<td") == len(EDITORS) ** 2
    order = re.findall(r'<th scope="row">(\w+) (\w+)</th>', matrix)
    assert (order[0][1], order[-1][1]) == ("oracle", "identity")


def test_the_published_table_gives_the_correlation_of_the_paper(runs: dict[str, Run]) -> None:
    made = text_of(correlation(chosen(runs, "drift"), PUBLISHED))
    assert "11 published models: R² = 0.91 (p < 0.001)" in made
    assert correlation(chosen(runs, "drift"), PLAIN) is None


def test_runs_of_the_same_editors_on_two_suites_are_put_against_each_other(
    runs: dict[str, Run], charts: dict[str, Run]
) -> None:
    names = ("drift", "half", "identity")
    model = gather([*(runs[n] for n in names), *(charts[n] for n in names)], None)
    assert [view.name for view in model.runs] == [*names, *names]  # the same editor, not another one
    assert "3 runs of this report: R² =" in text_of(correlation(model, PLAIN))


def test_without_scipy_the_page_says_how_to_get_the_line(runs: dict[str, Run], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "scipy.stats", None)
    made = text_of(correlation(chosen(runs, "drift"), PUBLISHED))
    assert "R²" not in made
    assert "editscope[report]" in made


def test_the_papers_table_has_its_rows_and_the_best_run_in_bold(runs: dict[str, Run]) -> None:
    sheet = chosen(runs, "half", "drift").sheets[0]
    made = str(papers(sheet, PUBLISHED))
    assert "Table 1 of the PaintBench paper" in made
    border = next(row for row in re.findall(r"<tr.*?</tr>", made) if "Border" in row)
    ours = [view.cells("task", "border")["miou"]["mean"] for view in sheet.runs]
    best = max(ours)
    assert f"<b>{best:.1f}</b>" in border
    assert f"<u>{min(ours):.1f}</u>" in border
    assert "18.9" in border  # what Nano Banana 2 has in the paper
    assert border.count("<button") == 2  # only what was run has cases behind it


def test_classic_measures_stand_beside_ours_once_they_are_there(runs: dict[str, Run]) -> None:
    from editscope.runs.measure import measure_run

    sheet = chosen(runs, "cropped").sheets[0]
    assert measures(sheet, PLAIN) is None
    measure_run(runs["cropped"].path, {"psnr": ""}, jobs=1)
    made = text_of(measures(chosen(runs, "cropped").sheets[0], PLAIN))
    assert "PSNR" in made
    assert "outside the edit region" in made
    assert "mIoU (ours)" in made


def test_provenance_says_what_is_needed_to_make_the_figures_again(runs: dict[str, Run]) -> None:
    sheet = chosen(runs, "drift").sheets[0]
    made = text_of(provenance(sheet, PLAIN))
    for known in (sheet.fingerprint, "ref:drift", "seed 0", "numpy", "per cell 4", "Cases made by editscope"):
        assert known in made, known


def test_every_link_of_the_navigation_leads_somewhere(
    runs: dict[str, Run], charts: dict[str, Run], tmp_path: Path
) -> None:
    for number, mix in enumerate(([runs["drift"]], [runs["drift"], runs["half"], charts["drift"], charts["half"]])):
        page = write(mix, tmp_path / f"{number}.html", published=True).read_text(encoding="utf-8")
        nav = re.search(r"<nav.*?</nav>", page, flags=re.DOTALL)
        assert nav is not None
        links = re.findall(r'href="#([^"]+)"', nav.group())
        assert len(links) == len(set(links)) >= 8
        ids = re.findall(r' id="([^"]+)"', page)
        assert len(ids) == len(set(ids))
        assert set(links) <= set(ids)


def test_names_from_outside_are_text_in_every_section(tmp_path: Path) -> None:
    name = '<img src=x onerror=alert(1)> & "quotes" <b>bold</b>'
    plain = [make_run(tmp_path, "strong", skill=0.9), make_run(tmp_path, "other", skill=0.4)]
    for run in plain:
        run.info["editor"]["name"] = f"{run.path.name} {name}"
    page = write(plain, tmp_path / "r.html", published=True).read_text(encoding="utf-8")
    assert "<img src=x" not in page
    assert "<b>bold</b>" not in page
    assert NASTY not in page


def test_a_report_without_plotly_has_the_drawings_and_says_how_to_get_more(
    runs: dict[str, Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frame, "_script_path", lambda: None)
    page = write([runs["drift"], runs["half"]], tmp_path / "r.html").read_text(encoding="utf-8")
    assert 'id="plotly"' not in page
    assert "pip install &#x27;editscope[report]&#x27;" in page
    figures = re.findall(r'<figure class="plot.*?</figure>', page, flags=re.DOTALL)
    assert len(figures) >= 8
    assert all("<svg" in figure or "stack-row" in figure for figure in figures)
    assert not any("application/json" in figure for figure in figures)


def test_the_same_runs_give_the_same_bytes(runs: dict[str, Run], tmp_path: Path) -> None:
    mix: Sequence[Run] = [runs["drift"], runs["half"]]
    first = write(mix, tmp_path / "r.html", published=True).read_bytes()
    again = [editscope.open_run(run.path) for run in mix]
    assert write(again, tmp_path / "r.html", published=True).read_bytes() == first


def test_a_set_without_conditions_or_pixels_leaves_those_sections_out(charts: dict[str, Run]) -> None:
    model = gather([charts["drift"]], None)
    assert section("conditions", model) == ""
    assert section("sizes", model) != ""


def test_the_mean_of_the_iou_curve_is_the_miou_of_the_tables(runs: dict[str, Run]) -> None:
    model = chosen(runs, "drift")
    made = section("curves", model)
    data = json.loads(re.findall(r'<script type="application/json">(.*?)</script>', made)[0])
    view = model.runs[0]
    assert sum(data["data"][0]["y"]) / 11 == pytest.approx(view.summary["overall"]["miou"]["mean"], abs=1e-3)
    versions = dict(data["choices"]["options"])
    border = view.cells("task", "border")["miou"]["mean"]
    assert sum(versions["Task: Border"][0]["y"]) / 11 == pytest.approx(border, abs=0.05)

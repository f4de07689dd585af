"""GEdit-Bench as it is judged: what is sent, what follows from the verdicts, and where the tables show it."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from editscope import published
from editscope.cases import Case, Instruction, Status
from editscope.cli import main
from editscope.judges import Call, Verdict
from editscope.report.model import gather
from editscope.report.paper_tables import paper_tables
from editscope.results import Run
from editscope.scoring.rubrics import ScoreRow, Unit
from editscope.suites import load_suite
from editscope.suites.rubrics import load_rubric, released_tool
from suites.gedit.gedit_rows import gedit_row, gedit_rows, make_gedit
from support.reports.report_browser import without_plots
from support.reports.report_judged_runs import Darker, judged_run, rows_of
from support.servers.judge_server import Asked, Reply

PIXELS = np.full((60, 80, 3), 100, np.uint8)
EN, CN = Unit("1", ("en",)), Unit("1", ("cn",))
CASE = Case(
    "1",
    "gedit",
    (PIXELS,),
    (Instruction("Wet it.", variant="en"), Instruction("弄湿", language="cn", variant="cn")),
    {"group": "color_alter"},
    details={"intersection": ["en"]},
)


def calls_of(unit: Unit = EN, **options: Any) -> dict[str, Call]:
    rubric = load_rubric("gedit", **options)
    edits = {variant: np.full((50, 100, 3), 200, np.uint8) for variant in unit.variants}
    return {call.key: call for call in rubric.calls(CASE, unit, edits, rubric.prompts())}


def scored(sc: tuple[int, int] | Status, pq: tuple[int, int] | Status, **given: Any) -> Mapping[str, ScoreRow]:
    """Rows by metric when the two calls give these scores, or the status of a reply that is none."""

    def verdict(names: tuple[str, str], reply: tuple[int, int] | Status) -> list[Verdict]:
        return [Verdict(reply) if isinstance(reply, str) else Verdict("ok", dict(zip(names, reply, strict=True)))]

    verdicts = {"sc": verdict(("following", "preservation"), sc), "pq": verdict(("naturalness", "artifacts"), pq)}
    return {row.metric: row for row in load_rubric("gedit").rows(CASE, EN, verdicts, {}, **given)}


def ends(row: ScoreRow) -> tuple[Any, ...]:
    return row.value, row.status, row.low, row.high


# --- what is sent ---------------------------------------------------------------------------------


def test_consistency_sees_source_and_edit_and_quality_the_edit_alone() -> None:
    calls = calls_of()
    assert {key: (call.prompt, len(call.pictures)) for key, call in calls.items()} == {
        "sc": ("semantic_consistency", 2),
        "pq": ("perceptual_quality", 1),
    }
    assert calls["pq"].pictures[0] == calls["sc"].pictures[1]
    assert "Wet it." in str(calls["sc"].parts)
    assert "Wet it." not in str(calls["pq"].parts)
    assert {(call.detail, call.temperature) for call in calls.values()} == {("", None)}


def test_the_judge_reads_the_instruction_that_the_editor_got() -> None:
    text = str(calls_of(CN)["sc"].parts)
    assert "弄湿" in text
    assert "Wet it." not in text


def sizes(call: Call) -> list[tuple[str | None, tuple[int, int]]]:
    opened = [Image.open(BytesIO(picture.data)) for picture in call.pictures]
    return [(image.format, image.size) for image in opened]


def test_pictures_have_the_area_of_a_square_and_each_its_own_shape() -> None:
    assert sizes(calls_of()["sc"]) == [("JPEG", (591, 443)), ("JPEG", (724, 362))]
    assert sizes(calls_of(side=256, quality=0)["sc"]) == [("PNG", (295, 221)), ("PNG", (362, 181))]
    assert sizes(calls_of(side=0)["sc"]) == [("JPEG", (80, 60)), ("JPEG", (100, 50))]


def test_what_is_sent_is_pinned() -> None:
    assert load_rubric("gedit").sending() == {"detail": None, "temperature": None, "side": 512, "quality": 75}
    prompts: Any = load_rubric("gedit").prompts()
    assert {name: prompts[name].hash for name in prompts.names} == {
        "perceptual_quality": "54bd592132848ec1",
        "semantic_consistency": "a14dcdfb80215c5d",
    }


# --- what follows from the verdicts ---------------------------------------------------------------


def test_each_metric_is_the_lower_of_two_scores_and_overall_the_root_of_their_product() -> None:
    rows = scored((8, 6), (9, 4))
    assert {metric: row.value for metric, row in rows.items()} == {
        "following": 8,
        "preservation": 6,
        "naturalness": 9,
        "artifacts": 4,
        "sc": 6,
        "pq": 4,
        "overall": pytest.approx(4.899, abs=0.0005),
    }
    assert {row.status for row in rows.values()} == {"ok"}
    assert {(row.tags["language"], row.tags["subset"]) for row in rows.values()} == {("en", "intersection")}


def test_a_missing_verdict_is_no_number_and_leaves_bounds() -> None:
    rows = scored("unparsed", (9, 4))
    assert ends(rows["sc"]) == (None, "unparsed", 0, 10)
    assert ends(rows["pq"]) == (4, "ok", None, None)
    assert ends(rows["overall"]) == (None, "unparsed", 0, pytest.approx(sqrt(40)))


def test_a_known_0_decides_whatever_is_missing() -> None:
    assert ends(scored("refused", (9, 0))["overall"]) == (0, "ok", None, None)


def test_a_missing_edit_counts_0() -> None:
    rows = scored("error", "error", missing="no_output")
    assert {(row.value, row.status) for row in rows.values()} == {(0, "no_output")}


def test_the_released_counting_draws_random_numbers_so_there_is_none_to_repeat() -> None:
    assert released_tool("gedit") is None


# --- a run ----------------------------------------------------------------------------------------


def by_thing(asked: Asked) -> Any:
    """8 and 6, then 9 and 4; of Chinese instructions 10 throughout; a refusal about the consistency of thing 2."""
    if "following" not in (asked.schema or {})["properties"]:
        return {"reason": "r", "naturalness": 9, "artifacts": 4}
    if "Change thing 2" in asked.text:
        return Reply(refusal="I cannot judge this picture.")
    best = 10 if "改变" in asked.text else 0
    return {"reason": "r", "following": best or 8, "preservation": best or 6}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Five pictures in both languages, one for each of the first groups; no edit of thing 3 in English."""
    root = tmp_path_factory.mktemp("gedit")
    suite = load_suite("gedit?side=64", root=make_gedit(root / "data", gedit_rows(5)))
    return judged_run(suite, root / "run", Darker(), by_thing)


def figure(run: Run, by: str, key: str, metric: str) -> float:
    (value,) = (
        row["mean"] for row in run.summary["groups"] if (row["by"], row["key"], row["metric"]) == (by, key, metric)
    )
    return float(value)


@pytest.mark.slow
def test_a_group_is_the_mean_of_its_edits_a_language_of_its_groups_the_whole_of_its_languages(run: Run) -> None:
    six_four, ten_four = sqrt(24), sqrt(40)
    assert len(rows_of(run, language="en")) == len(rows_of(run, language="cn")) == 5 * 7
    assert figure(run, "language/group", "en/ps_human", "overall") == pytest.approx(six_four)
    assert figure(run, "language/group", "en/motion_change", "overall") == 0  # no edit
    # Thing 2 has no verdict on its consistency, so its group has no mean; three of the four others count 4.899.
    english = 3 * six_four / 4
    assert figure(run, "language", "en", "overall") == pytest.approx(english)
    assert figure(run, "language", "cn", "overall") == pytest.approx(ten_four)
    assert run.summary["overall"]["overall"]["mean"] == pytest.approx((english + ten_four) / 2)
    assert run.summary["overall"]["pq"]["mean"] == pytest.approx((4 * 4 / 5 + 4) / 2)


@pytest.mark.slow
def test_edits_of_one_group_do_not_outweigh_another(tmp_path: Path) -> None:
    """Two edits of 4.899 in one group and one of 6.325 in another: the mean of the groups is 5.612."""

    def script(asked: Asked) -> Any:
        if "following" not in (asked.schema or {})["properties"]:
            return {"reason": "r", "naturalness": 4, "artifacts": 9}
        score = 10 if "thing 1" in asked.text else 6
        return {"reason": "r", "following": score, "preservation": score}

    rows = [gedit_row(0, "en"), gedit_row(1, "en"), gedit_row(11, "en", instruction="Change it")]
    suite = load_suite("gedit?side=64", root=make_gedit(tmp_path / "data", rows))
    found = judged_run(suite, tmp_path / "run", script=script).summary["overall"]["overall"]["mean"]
    assert found == pytest.approx((sqrt(24) + sqrt(40)) / 2)


@pytest.mark.slow
def test_the_tables_have_intersection_and_full_set_and_every_group(run: Run) -> None:
    (sheet,) = gather([run], None).sheets
    made = {table.name: table for table in paper_tables(sheet, True)}
    assert list(made) == [
        *("scores-en", "groups-en", "metrics-en", "scores-cn", "groups-cn", "metrics-cn", "measures"),
    ]
    scores = made["scores-cn"]
    assert [(column.above, column.label) for column in scores.columns] == [
        (above, label) for above in ("Intersection", "Full set") for label in ("SC", "PQ", "O")
    ]
    cells = {row.label: [cell.value if cell else None for cell in row.cells] for row in scores.rows}
    assert cells["darker"] == pytest.approx([10, 4, sqrt(40)] * 2)
    assert cells["GPT-4o"] == [7.606, 7.991, 7.336, 7.518, 8.023, 7.301]
    assert len(scores.rows) == 6
    assert scores.source == "Table 3 of the Step1X-Edit paper"
    assert [row.label for row in made["metrics-en"].rows[:4]] == ["Background change", "SC", "PQ", "O"]
    assert [cell and cell.value for cell in made["groups-en"].rows[0].cells][:1] == pytest.approx([sqrt(24)])


@pytest.mark.slow
def test_a_run_of_the_intersection_alone_has_no_full_set(tmp_path: Path) -> None:
    suite = load_suite(
        "gedit?intersection=only&languages=cn&side=64", root=make_gedit(tmp_path / "data", gedit_rows(2))
    )
    found = judged_run(suite, tmp_path / "run", script=by_thing)
    (sheet,) = gather([found], None).sheets
    scores = next(table for table in paper_tables(sheet, False) if table.name == "scores-cn")
    assert {column.above for column in scores.columns} == {"Intersection"}


@pytest.mark.slow
def test_reports_hold_the_table_of_groups(run: Run, tmp_path: Path) -> None:
    for suffix in (".html", ".tex"):
        text = without_plots([run], tmp_path / f"r{suffix}", published=True).read_text("utf-8")
        assert "Overall by group, English instructions" in text
        assert "Background change" in text
        assert "Step1X-Edit v1.1" in text


# --- the command line, and what the paper prints ----------------------------------------------------


def output_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main([*arguments])
    assert not ended.value.code
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.slow
def test_the_command_line_knows_the_suite_and_its_prompts(capsys: pytest.CaptureFixture[str]) -> None:
    assert "gedit 606 download" in output_of(capsys, "suites")
    assert "reply: following 0-10, preservation 0-10" in output_of(capsys, "prompts", "show", "gedit")
    assert "1 GPT-4o 7.494 7.743 8.133" in output_of(capsys, "published", "gedit")


def test_no_printed_overall_exceeds_what_its_parts_allow() -> None:
    """A mean of roots is at most the root of the means' product."""
    cells: dict[tuple[str, ...], float] = {
        (row.table, row.judge, row.model, row.setting, row.metric): row.value
        for row in published.results("gedit", source="gedit")
    }
    assert len(cells) == 168
    for (*where, metric), value in cells.items():
        if metric == "overall":
            assert value <= sqrt(cells[*where, "sc"] * cells[*where, "pq"]) + 0.001
    assert {row.model for row in published.results("gedit")} <= set(published.models())

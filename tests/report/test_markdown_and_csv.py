"""Claims about the plain reports: Markdown that says what the paper's tables say, and tidy CSV."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from editscope.cases import Aggregation
from editscope.report import write
from editscope.report.model import gather
from editscope.results import Run
from editscope.runfolder.run_json import aggregation_from
from editscope.stats.paired import compare_rows
from support.reports.report_runs import make_run


@pytest.fixture
def runs(tmp_path: Path) -> list[Run]:
    return [make_run(tmp_path, "weak", skill=0.2), make_run(tmp_path, "strong", skill=0.8)]


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def test_markdown_has_the_paper_s_tables_with_the_best_in_bold(runs: list[Run], tmp_path: Path) -> None:
    text = write(runs, tmp_path / "r.md").read_text(encoding="utf-8")
    assert "### mIoU (%) by task (Table 1 of the PaintBench paper)" in text
    strong = runs[1].summary["overall"]["miou"]["mean"]
    line = next(line for line in text.splitlines() if line.startswith("| **Benchmark**"))
    weak, best = line.split(" | ")[1:3]
    assert best.startswith(f"**{strong:.1f}** ± ")
    assert "**" not in weak


def test_every_line_of_a_markdown_table_has_as_many_cells_as_its_head(runs: list[Run], tmp_path: Path) -> None:
    text = write(runs, tmp_path / "r.md", published=True).read_text(encoding="utf-8")
    for block in text.split("\n\n"):
        lines = [line for line in block.splitlines() if line.startswith("|")]
        assert len({line.count("|") for line in lines}) <= 1


def test_published_columns_say_whose_set_they_are_of(runs: list[Run], tmp_path: Path) -> None:
    text = write(runs, tmp_path / "r.md", published=True).read_text(encoding="utf-8")
    assert "Nano Banana 2<br><sub>authors' set</sub>" in text
    assert "Nano Banana" not in write(runs, tmp_path / "r.md").read_text(encoding="utf-8")


def test_csv_tells_kinds_apart(runs: list[Run], tmp_path: Path) -> None:
    alone = rows_of(write(runs[:1], tmp_path / "a.csv"))
    assert {row["kind"] for row in alone} == {"run"}
    both = rows_of(write(runs, tmp_path / "b.csv", published=True))
    assert {row["kind"] for row in both} == {"run", "difference", "published"}
    best = next(r for r in both if r["editor"] == "Nano Banana 2" and (r["by"], r["metric"]) == ("overall", "miou"))
    assert (best["mean"], best["lo"], best["hi"], best["note"]) == ("17.1", "16.4", "17.8", "authors' set")


def test_csv_differences_are_those_of_the_paired_comparison(runs: list[Run], tmp_path: Path) -> None:
    rows = [row for row in rows_of(write(runs, tmp_path / "r.csv")) if row["kind"] == "difference"]
    first, second = gather(runs, None).sheets[0].runs
    plan: Aggregation = aggregation_from(dict(first.run.info))
    wanted = compare_rows(first.rows, second.rows, plan, "miou")
    overall = next(row for row in rows if row["by"] == "overall")
    assert float(overall["mean"]) == wanted.overall.difference
    assert (overall["against"], overall["editor"]) == ("weak", "strong")
    assert len(rows) == 1 + len(wanted.groups)

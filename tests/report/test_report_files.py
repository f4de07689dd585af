"""Claims about the reports as files: what is in them, what is escaped, and what a bad request gets."""

from __future__ import annotations

import csv
import re
from html import unescape
from pathlib import Path

import pytest

from editscope.errors import BadInput
from editscope.report import write
from editscope.report.model import TableRow, gather
from editscope.results import Run
from editscope.runs import run as execute_run
from editscope.suites import load_suite
from support.reports.report_page import blocks
from support.reports.report_runs import NASTY, copy_run, make_run

pytestmark = pytest.mark.slow


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return make_run(tmp_path, "drift", missing=("border/001", "recolor/002"))


def test_a_csv_holds_every_row_of_the_summary(run: Run, tmp_path: Path) -> None:
    rows = list(csv.DictReader(write([run], tmp_path / "r.csv").read_text(encoding="utf-8").splitlines()))
    assert len(rows) == len(run.summary["overall"]) + len(run.summary["groups"])
    found = next(r for r in rows if (r["by"], r["key"], r["metric"]) == ("task", "border", "miou"))
    wanted = next(g for g in run.summary["groups"] if (g["by"], g["key"], g["metric"]) == ("task", "border", "miou"))
    assert float(found["mean"]) == wanted["mean"]
    assert found["editor"] == "drift"


def test_a_csv_holds_nothing_that_a_spreadsheet_would_run(tmp_path: Path) -> None:
    run = make_run(tmp_path, "=cmd|' /C calc'!A0")
    assert "'=cmd" in write([run], tmp_path / "r.csv").read_text(encoding="utf-8")


def test_markdown_has_a_column_for_each_run_and_shows_names_as_they_are(run: Run, tmp_path: Path) -> None:
    other = make_run(tmp_path, "a|b<c>")
    text = write([run, other], tmp_path / "r.md").read_text(encoding="utf-8")
    assert "| Task | drift | a&#124;b&#60;c&#62; |" in text
    assert "Diagnostic cases (preservation), outside every average" in text
    assert len({line.count("|") for line in text.splitlines() if line.startswith(("| **Structural", "| *Cat"))}) == 1


@pytest.mark.parametrize("name", ["report.docx", "report", "report.html.zip"])
def test_an_unknown_ending_is_named_with_the_known_ones(run: Run, tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput, match=r"\.html, \.md, \.csv, \.tex"):
        write([run], tmp_path / name)


def test_no_runs_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="at least one run"):
        write([], tmp_path / "r.html")


def test_a_report_that_cannot_be_written_leaves_the_earlier_one(run: Run, tmp_path: Path) -> None:
    out = write([run], tmp_path / "r.html")
    before = out.read_bytes()
    broken = copy_run(run, tmp_path / "broken")
    journal = broken.path / "journal.jsonl"
    journal.write_text(journal.read_text().replace('"hits":[', '"hits":["nonsense",'))
    with pytest.raises(BadInput):
        write([broken], out)
    assert out.read_bytes() == before
    assert [p.name for p in tmp_path.glob(".*")] == []


def test_a_place_that_cannot_be_written_is_said(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(BadInput, match="cannot make the folder"):
        write([run], tmp_path / "file" / "r.html")
    with pytest.raises(BadInput, match="is a folder"):
        write([run], _folder(tmp_path / "r.html"))


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


def test_the_page_names_nothing_outside_itself(run: Run, tmp_path: Path) -> None:
    page = write([run], tmp_path / "r.html").read_text(encoding="utf-8")
    without_plotly = re.sub(r'<script type="text/plain" id="plotly">.*?</script>', "", page, flags=re.DOTALL)
    without_pictures = re.sub(r"data:image/\w+;base64,[A-Za-z0-9+/=]+", "", without_plotly)
    addresses = set(re.findall(r"(?:https?:)?//[\w.-]+\.\w+[^\"' <)]*", without_pictures))
    assert addresses <= {"http://www.w3.org/2000/svg"}  # the name of SVG, which nobody fetches
    assert "default-src 'none'" in unescape(page)


def test_the_page_does_not_tell_the_folders_of_its_machine(tmp_path: Path) -> None:
    run = make_run(tmp_path, "model", spec="folder:/home/somebody/outputs/model")
    page = write([run], tmp_path / "r.html").read_text(encoding="utf-8")
    assert "somebody" not in page
    assert str(tmp_path) not in page


def test_data_from_outside_cannot_end_the_block_it_stands_in(run: Run, tmp_path: Path) -> None:
    out = write([run], tmp_path / "r.html", title="<i>title</i>")
    page, cases = out.read_text(encoding="utf-8"), blocks(out)["data"]["cases"]
    assert cases["text"][cases["id"].index("border/000")] == NASTY
    assert "<i>title" not in page
    assert "document.title='broken'</script>" not in page


def test_only_runs_over_the_same_cases_stand_in_one_table(tmp_path: Path) -> None:
    runs = [make_run(tmp_path, "a"), make_run(tmp_path, "b"), make_run(tmp_path, "c", fingerprint="other")]
    model = gather(runs, None)
    assert [[view.name for view in sheet.runs] for sheet in model.sheets] == [["a", "b"], ["c"]]
    page = write(runs, tmp_path / "r.html").read_text(encoding="utf-8")
    assert page.count('class="card" id="overview-') == 2


def test_runs_with_one_name_are_told_apart(tmp_path: Path) -> None:
    weak = make_run(tmp_path, "drift", spec="ref:drift?strength=1")
    strong = make_run(tmp_path, "drift", spec="ref:drift?strength=9")
    again = copy_run(strong, tmp_path / "again")
    names = [view.name for view in gather([weak, strong, again], None).runs]
    assert len(set(names)) == 3
    assert all(name.startswith("drift") for name in names)


def test_rows_nest_by_what_the_cases_say(run: Run) -> None:
    nested, condition, diagnostic = gather([run], None).sheets[0].tables()
    assert nested.kinds == ("category", "task", "mode")
    tree = {row.label: [child.label for child in row.children] for row in nested.rows}
    assert tree == {"structural": ["border", "removal"], "color_change": [], "symbolic": []}
    removal = nested.rows[0].children[1]
    assert [child.label for child in removal.children] == ["attribute", "location"]
    assert dict(removal.children[0].filter) == {"category": "structural", "task": "removal", "mode": "attribute"}
    assert [row.label for row in condition.rows] == ["baseline", "striped"]
    assert dict(diagnostic.rows[0].filter) == {"split": "preservation"}


def test_every_cell_says_what_the_summary_says(run: Run) -> None:
    def walk(rows: tuple[TableRow, ...]) -> list[TableRow]:
        return [found for row in rows for found in (row, *walk(row.children))]

    wanted = {
        g["mean"] for g in run.summary["groups"] if g["by"] in ("category", "condition") and g["metric"] == "miou"
    }
    shown = {row.cells[0]["miou"]["mean"] for t in gather([run], None).sheets[0].tables() for row in walk(t.rows)}
    assert wanted <= shown


def test_runs_that_were_really_made_have_a_report(small_set: Path, tmp_path: Path) -> None:
    suite = load_suite("paintbench", root=small_set)
    runs = [execute_run(suite, f"ref:{name}", out=tmp_path / name) for name in ("oracle", "half")]
    found = blocks(write(runs, tmp_path / "r.html"))
    assert found["data"]["cases"]["id"] == list(suite.ids)
    first, second = (result["m"][0] for result in found["data"]["results"])
    assert all(oracle == 100.0 > half for oracle, half in zip(first, second, strict=True))


def test_single_cases_and_different_cases_are_said(tmp_path: Path) -> None:
    thin = make_run(tmp_path, "thin", slots=1)
    page = write([thin], tmp_path / "r.html").read_text(encoding="utf-8")
    assert "hold a single case" not in page  # two conditions make two cases in each stratum
    alone = make_run(
        tmp_path, "thin", slots=1, change=lambda edit, score: bool(score["tags"]["condition"] == "baseline")
    )
    page = write([thin, alone], tmp_path / "r.html").read_text(encoding="utf-8")
    assert "do not cover the same cases" in page
    assert "intervals are too narrow" not in write([alone], tmp_path / "r.html").read_text(encoding="utf-8")
    some = make_run(
        tmp_path, "some", change=lambda edit, score: score["tags"]["task"] != "border" or edit["case"] == "border/000"
    )
    said = "groups of task and mode hold a single case, whose spread cannot be seen: intervals are too narrow."
    assert said in write([some], tmp_path / "r.html").read_text(encoding="utf-8")


def test_a_run_over_diagnostics_alone_has_a_report(tmp_path: Path) -> None:
    suite = load_suite("paintbench", split="preservation", canvas="256x256", conditions="baseline", per_mode=1)
    made = execute_run(suite, "ref:noise", out=tmp_path / "run", jobs=1, progress=False)
    page = write([made], tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Diagnostic, outside every average" in page
    assert "preservation" in write([made], tmp_path / "r.md").read_text(encoding="utf-8").lower()
    assert "preservation" in write([made], tmp_path / "r.csv").read_text(encoding="utf-8")

"""In a notebook: frames, what runs show of themselves, and the example of the documentation, executed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import editscope as es
from editscope.errors import BadInput
from editscope.results.pixel_rows import PixelRows, as_lists
from editscope.results.run import Selection
from editscope.scoring import PixelScore
from support.places import DOCS

pytestmark = pytest.mark.slow

NASTY = "</script><img src=x onerror=alert(1)> 'quoted' \"twice\" & more"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> es.Run:
    """Twelve cases, one without an edit, the first with an instruction and an editor name that are markup."""
    from support.small_sets import make_small_set, put_small_outputs

    root = tmp_path_factory.mktemp("notebook")
    data = make_small_set(root / "set")
    sidecar = data / "border/000.json"
    sidecar.write_text(json.dumps(json.loads(sidecar.read_text()) | {"instruction": NASTY}))
    outputs = put_small_outputs(data, root / "<b>outputs", lambda answer: answer[::-1])
    (outputs / "recolor/0001_output.png").unlink()
    suite = es.load_suite("paintbench", root=data)
    return es.run(suite, f"folder:{outputs}", out=root / "mine", jobs=1, progress=False)


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The notebook of the documentation with the outputs of a fresh kernel."""
    pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    out = tmp_path_factory.mktemp("example") / "notebook.ipynb"
    command = [sys.executable, str(DOCS / "execute_notebook.py"), str(out)]
    called = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert called.returncode == 0, called.stderr
    return json.loads(out.read_text())


class TestFrames:
    @pytest.mark.parametrize("kind", ["pandas", "polars"])
    def test_there_is_one_row_per_case_with_curves_as_lists(self, run: es.Run, kind: Any) -> None:
        pytest.importorskip(kind)
        frame = run.frame(kind)
        assert type(frame).__module__.startswith(kind)
        assert frame.shape[0] == 12
        assert list(frame["case_id"]) == run.rows()["case_id"]
        assert list(frame["miou"]) == run.rows()["miou"]
        assert [list(curve) for curve in frame["iou_curve"]] == run.rows()["iou_curve"]
        assert NASTY in list(frame["instruction"])
        assert sum(Path(path).is_file() for path in frame["image"] if isinstance(path, str)) == 11

    def test_pandas_groups_it(self, run: es.Run) -> None:
        pytest.importorskip("pandas")
        means = run.frame("pandas").groupby("task")["miou"].mean()
        tasks = {
            row["key"]: row["mean"] for row in run.summary["groups"] if (row["by"], row["metric"]) == ("task", "miou")
        }
        assert {task: pytest.approx(100 * mean) for task, mean in means.items()} == tasks

    def test_without_a_library_the_sentence_names_the_extra(self, run: es.Run, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("editscope.results.frame.find_spec", lambda name: None)
        with pytest.raises(BadInput, match=r"needs pandas or Polars.*pip install 'editscope\[report\]'"):
            run.frame()
        with pytest.raises(BadInput, match=r"needs polars.*pip install 'editscope\[report\]'"):
            run.frame("polars")

    def test_another_kind_is_answered_with_the_known_ones(self, run: es.Run) -> None:
        with pytest.raises(BadInput, match="did you mean 'pandas'"):
            run.frame("panda")  # type: ignore[arg-type]

    def test_changing_rows_changes_no_run(self, run: es.Run) -> None:
        rows = run.rows()
        rows.pop("miou")
        run.records().clear()
        assert "miou" in run.rows()
        assert len(run.records()) == 12


def scored(*evidence: Mapping[str, Any]) -> PixelRows:
    """Rows of edits with such evidence."""
    rows = PixelRows()
    edit = {"step": "edit", "status": "ok", "image": None, "reason": None, "latency_s": None, "cost_usd": None}
    score = {"step": "score", "status": "ok", "failure": "", "fingerprint": "", "tags": {}, "metrics": {}}
    for index, counts in enumerate(evidence):
        step = {"case": str(index), "variant": "", "index": index}
        rows.add([{**edit, **step}, {**score, **step, "evidence": counts}])
    return rows


def test_curves_of_all_cases_at_once_are_bit_for_bit_those_of_each() -> None:
    rng = np.random.default_rng(3)
    scores = []
    for number in range(400):
        edit, rest = (int(n) for n in rng.integers(0, [3, 3] if number % 7 == 0 else [10**6, 10**7]))
        score = PixelScore(
            edit_pixels=edit,
            preservation_pixels=rest,
            hits=tuple(sorted(int(n) for n in rng.integers(0, edit + 1, 11))),
            spilled=tuple(sorted((int(n) for n in rng.integers(0, rest + 1, 11)), reverse=True)),
            changed_pixels=(0,) * 11,
            output_size=None if number % 11 == 0 else (10, 10),
        )
        scores.append(score)
    curves = as_lists(scored(*(score.to_json() for score in scores)).table(1)[0])
    assert curves["iou_curve"] == [list(score.iou) for score in scores]
    assert curves["edit_accuracy_curve"] == [list(score.edit_accuracy) for score in scores]
    assert curves["preservation_accuracy_curve"] == [list(score.preservation_accuracy) for score in scores]


def test_evidence_that_is_damaged_is_a_sentence() -> None:
    good = PixelScore(1, 1, (1,) * 11, (0,) * 11, (1,) * 11, output_size=(1, 2)).to_json()
    for damaged in ({}, {"hits": [1] * 10}, {"hits": ["a"] * 11}, {"edit_pixels": None}):
        evidence = {**good, **damaged} if damaged else {}
        with pytest.raises(BadInput, match="a pixel score cannot be read"):
            scored(good, evidence)


class TestShownInANotebook:
    """What Jupyter asks objects for."""

    def test_a_run_shows_headline_coverage_failures_and_pictures(self, run: es.Run) -> None:
        shown = run._repr_html_()
        cell = run.summary["overall"]["miou"]
        assert f"{cell['mean']:.1f}" in shown
        assert f"{cell['lo']:.1f} … {cell['hi']:.1f}" in shown
        assert "12 of 12 cases · no_output 1" in shown
        assert shown.count("data:image/webp;base64,") >= 4 * 2
        assert "weakest" not in shown  # three cases of a task are too few to say so
        bars = [float(width) for width in re.findall(r"width:([\d.]+)%", shown)]
        assert sum(bars) == pytest.approx(100, abs=0.1)

    def test_a_selection_shows_its_cases_and_says_how_many_more_there_are(self, run: es.Run) -> None:
        two = run.cases(task="removal").worst(2)
        assert two._repr_html_().count("<img ") == 6
        assert all(record.case_id in two._repr_html_() for record in two)
        many = Selection(tuple(run.records()) * 2)
        assert "… and 12 more" in many._repr_html_()
        assert repr(two).startswith("<Selection of 2 cases: removal/")

    def test_a_comparison_shows_tables_sentences_and_pictures(self, run: es.Run) -> None:
        half = es.compare(run, run, where={"task": ["border", "removal"]})
        shown = half._repr_html_()
        assert "have the same mIoU in all 6 cases" in shown
        table = half.table("task")
        assert "border" in table._repr_html_()
        assert "by task" in repr(table)

    def test_whatever_comes_from_the_data_is_shown_as_text(self, run: es.Run) -> None:
        one = next(record for record in run.records() if record.instruction == NASTY)
        worse = replace(one, failure="<i>odd</i>", case_id="<u>odd</u>")
        for shown in (
            run._repr_html_(),
            Selection((one, worse))._repr_html_(),
            es.compare(run, run)._repr_html_(),
            es.compare(run, run).table()._repr_html_(),
        ):
            assert not re.search(r"<(script|/script|i>|u>|b>outputs)|<img src=x", shown)
            inside = [value for tag in re.findall(r"<[^>]*>", shown) for value in re.findall(r"='([^']*)'", tag)]
            assert not any("<" in value for value in inside)
        assert "&lt;/script&gt;" in Selection((one,))._repr_html_()

    def test_an_unfinished_run_shows_what_it_has(self, run: es.Run, tmp_path: Path) -> None:
        (tmp_path / "run.json").write_bytes((run.path / "run.json").read_bytes())
        assert "no scored case yet, of 12" in es.open_run(tmp_path)._repr_html_()
        lines = (run.path / "journal.jsonl").read_bytes().splitlines(keepends=True)
        (tmp_path / "journal.jsonl").write_bytes(b"".join(lines[:8]))
        assert re.search(r"[234] of 12 cases · pending", es.open_run(tmp_path)._repr_html_())


class TestExample:
    """docs/notebook.ipynb, executed by a fresh kernel in an empty folder."""

    def test_every_cell_runs_and_shows_what_is_promised(self, executed: Any) -> None:
        shown = list(_shown(executed))
        assert any("image/png" in data for data in shown), "the plot"
        assert sum("data:image/webp" in data.get("text/html", "") for data in shown) >= 3, "run, comparison and cases"
        assert any("<Comparison of half, drift on miou>" in data.get("text/plain", "") for data in shown)
        assert [cell for cell in executed["cells"] if cell["cell_type"] == "code" and not cell["execution_count"]] == []

    def test_what_is_stored_is_what_it_gives(self, executed: Any) -> None:
        stored = json.loads((DOCS / "notebook.ipynb").read_text())
        assert [cell["source"] for cell in stored["cells"]] == [cell["source"] for cell in executed["cells"]]
        assert list(_sentences(stored)) == list(_sentences(executed))
        assert len((DOCS / "notebook.ipynb").read_bytes()) < 400_000


def _shown(notebook: Any) -> Iterator[dict[str, str]]:
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            yield {kind: "".join(value) for kind, value in output.get("data", {}).items()}


def _sentences(notebook: Any) -> Iterator[str]:
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            if output["output_type"] == "stream":
                yield "".join(output["text"])

"""Claims about measuring a whole run: what is kept, what is repeated, and what is said."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from subprocess import CompletedProcess
from typing import ClassVar

import numpy as np
import pyarrow.parquet as pq
import pytest

import editscope as es
from editscope.cli import main
from editscope.errors import BadInput
from editscope.images import Pixels
from editscope.results import Run
from editscope.results.classic_measures import (
    FILE,
    UNFINISHED,
    MeasureWriter,
    averages,
    made_with,
    measures,
    metric_labels,
    read_measures,
)
from editscope.runfolder.journal_lines import encoded_line
from editscope.runs.measure import CHUNK, measure_run
from editscope.scoring import psnr
from support.models.classic_models import save_tiny_clip

pytestmark = pytest.mark.slow


class Interrupted(Exception):
    pass


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of two editors over twelve small problems."""
    folder = tmp_path_factory.mktemp("made")
    tasks = ("border", "recolor", "removal", "translation")
    suite = es.load_suite("paintbench", tasks=tasks, conditions="baseline", per_cell=3, canvas="128x128")
    for name in ("oracle", "drift"):
        es.run(suite, f"ref:{name}", out=folder / name, jobs=1, progress=False)
    return folder


@pytest.fixture
def drift(made: Path, tmp_path: Path) -> Run:
    """A run that a test may do anything to."""
    return es.open_run(copytree(made / "drift", tmp_path / "drift"))


class Same(es.Metric):
    """The share of equal pixels; counts how often it was asked."""

    name, label = "same", "Equal pixels"
    calls: ClassVar[list[int]] = []

    def __init__(self, scale: int = 1) -> None:
        self.scale = scale

    def measure(self, source: Pixels, reference: Pixels, output: Pixels) -> float:
        self.calls.append(1)
        return float((output == reference).mean())


SAME = f"python:{__name__}:Same"


@pytest.fixture
def counted() -> list[int]:
    """The comparisons that the metric of our own was asked for."""
    Same.calls.clear()
    return Same.calls


def test_the_oracle_is_perfect_and_nobody_else_is(made: Path, drift: Run) -> None:
    wanted = {"psnr": "", "ssim": ""}
    best, other = measure_run(made / "oracle", wanted), measure_run(drift.path, wanted)
    assert set(best["psnr"]) == set(best["psnr_outside"]) == {100.0}
    assert set(best["ssim"]) == set(best["ssim_outside"]) == {1.0}
    assert max(other["psnr"]) < 50 and max(other["ssim"]) < 1


def test_an_editor_that_does_nothing_is_perfect_outside_and_looks_good_overall(small_set: Path, tmp_path: Path) -> None:
    suite = es.load_suite("paintbench", root=small_set)
    run = es.run(suite, "ref:identity", out=tmp_path / "i", jobs=1, progress=False)
    found = measure_run(run.path, {"psnr": "", "ssim": ""})
    assert set(found["psnr_outside"]) == {100.0} and set(found["ssim_outside"]) == {1.0}
    case = suite["border/001"]
    assert case.answer is not None
    row = found["case_id"].index("border/001")
    assert found["psnr"][row] == round(psnr.psnr_outside(case.images[0], case.answer, []), 4)
    assert run.summary["overall"]["miou"]["mean"] < 1 < np.mean(found["psnr"])


def test_same_bytes_whatever_the_number_of_jobs(drift: Run, tmp_path: Path) -> None:
    model = str(save_tiny_clip(tmp_path / "clip"))
    wanted = {"psnr": "", "ssim": "", "clip": model}
    measure_run(drift.path, wanted, jobs=1)
    once = (drift.path / FILE).read_bytes()
    (drift.path / FILE).unlink()
    measure_run(drift.path, wanted, jobs=3)
    assert (drift.path / FILE).read_bytes() == once
    assert made_with(drift.path)["clip"]["model"] == model


def test_a_stopped_measurement_goes_on_where_it_was(drift: Run, counted: list[int]) -> None:
    def stop(done: int, total: int) -> None:
        if done >= 2 * CHUNK:
            raise Interrupted

    with pytest.raises(Interrupted):
        measure_run(drift.path, {SAME: ""}, jobs=1, on_progress=stop)
    assert read_measures(drift.path) is None
    with (drift.path / UNFINISHED).open("ab") as file:
        file.write(b'{"measure": "same", "made_')  # torn by the kill
    before = sum(counted)
    found = measure_run(drift.path, {SAME: ""}, jobs=1)
    assert sum(counted) - before <= 2 * (12 - 2 * CHUNK)  # two comparisons for each case that was left
    assert len(found["same"]) == 12 and not (drift.path / UNFINISHED).exists()
    measure_run(drift.path, {SAME: ""})
    assert sum(counted) - before <= 2 * (12 - 2 * CHUNK)  # and nothing the third time


def test_measures_of_earlier_calls_stay_and_another_option_starts_again(drift: Run, counted: list[int]) -> None:
    psnrs = measure_run(drift.path, {"psnr": ""})["psnr"]
    measure_run(drift.path, {SAME: ""})
    assert measures(drift.path)["psnr"] == psnrs
    assert sum(counted) == 24
    measure_run(drift.path, {f"{SAME}?scale=2": ""})
    assert sum(counted) == 48
    assert made_with(drift.path) == {"psnr": {}, "same": {"class": f"{__name__}:Same", "scale": "2"}}
    assert "same" in measure_run(drift.path, {"psnr": ""})  # though this call does not import it
    assert metric_labels(drift.path)["same"].label == "Equal pixels"


def test_another_edit_of_the_same_case_is_measured_again(
    small_set: Path, small_outputs: Path, tmp_path: Path, counted: list[int]
) -> None:
    suite = es.load_suite("paintbench", root=small_set)
    run = es.run(suite, f"folder:{small_outputs}", out=tmp_path / "f", jobs=1, progress=False)
    measure_run(run.path, {SAME: ""})
    lines = (run.path / "journal.jsonl").read_text().splitlines()
    score = next(line for line in map(json.loads, lines) if line["step"] == "score")
    score["evidence"]["hits"][0] -= 1  # as if it had been edited and scored again
    with (run.path / "journal.jsonl").open("a") as file:
        file.write(encoded_line(score).decode() + "\n")
    measure_run(run.path, {SAME: ""})
    assert sum(counted) == 24 + 2 * CHUNK  # with the cases of its batch


def test_a_missing_output_has_no_value(small_set: Path, small_outputs: Path, tmp_path: Path) -> None:
    (small_outputs / "border" / "0001_output.png").unlink()
    suite = es.load_suite("paintbench", root=small_set)
    run = es.run(suite, f"folder:{small_outputs}", out=tmp_path / "f", jobs=1, progress=False)
    found = measure_run(run.path, {"psnr": ""})
    row = found["case_id"].index("border/001")
    assert found["psnr"][row] is None and found["psnr_outside"][row] is None
    assert [value for value in found["psnr"] if value is not None] == [100.0] * 11
    mean = averages(run)[()]["psnr"]
    assert mean is not None and mean.mean == 100


def test_averages_are_those_of_the_suite(drift: Run) -> None:
    found = measure_run(drift.path, {"psnr": ""})
    rows = drift.rows()
    cells: dict[str, dict[str, list[float]]] = {}
    for category, task, value in zip(rows["category"], rows["task"], found["psnr"], strict=True):
        cells.setdefault(category, {}).setdefault(task, []).append(value)
    expected = np.mean([np.mean([np.mean(values) for values in tasks.values()]) for tasks in cells.values()])
    overall, by_task = averages(drift)[()]["psnr"], averages(drift, ("task",))
    assert overall is not None
    assert overall.mean == pytest.approx(expected)
    assert overall.lo is not None and overall.hi is not None and overall.lo < overall.mean < overall.hi
    cell = by_task["recolor",]["psnr"]
    assert cell is not None and cell.mean == pytest.approx(np.mean(cells["color_change"]["recolor"]))


def test_two_processes_do_not_measure_the_same_run(drift: Run) -> None:
    with MeasureWriter(drift.path, {"psnr": {}}), pytest.raises(BadInput, match="another process"):
        measure_run(drift.path, {"psnr": ""})


def test_a_run_whose_cases_are_others_now_cannot_be_measured(drift: Run) -> None:
    info = json.loads((drift.path / "run.json").read_text())
    info["suite"]["options"]["namespace"] = "other"
    (drift.path / "run.json").write_text(json.dumps(info))
    with pytest.raises(BadInput, match="not those of"):
        measure_run(drift.path, {"psnr": ""})


def test_an_unfinished_run_is_resumed_first(drift: Run) -> None:
    journal = drift.path / "journal.jsonl"
    journal.write_text("".join(journal.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(BadInput, match="editscope resume"):
        measure_run(drift.path, {"psnr": ""})


def test_a_damaged_table_is_named(drift: Run) -> None:
    (drift.path / FILE).write_bytes(b"PAR1 and then nothing")
    with pytest.raises(BadInput, match=r"measures\.parquet cannot be read"):
        read_measures(drift.path)


def test_the_command_prints_both_comparisons_and_writes_the_table(
    drift: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["measure", str(drift.path)])
    said = capsys.readouterr().out
    assert "edit against answer" in said and "PSNR (dB)" in said and "SSIM" in said
    assert "mIoU of the same edits" in said and "clip is not measured" in said
    table = pq.read_table(drift.path / FILE)
    assert table.column_names == ["case_id", "variant", "seen", "psnr", "psnr_outside", "ssim", "ssim_outside"]
    assert b"torchmetrics" in table.schema.metadata[b"editscope"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--measures", "sim"), "did you mean 'ssim'"),
        (("--measures", "clip"), "clip=DIR"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_the_run_alone(
    drift: Run, editscope: Callable[..., CompletedProcess[str]], arguments: tuple[str, ...], says: str
) -> None:
    before = sorted(path.name for path in drift.path.iterdir())
    done = editscope("measure", drift.path, *arguments)
    assert done.returncode == 2 and says in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert sorted(path.name for path in drift.path.iterdir()) == before

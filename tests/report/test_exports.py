"""Exports: read back by the tools that they are for, without a path of this machine, whole or not at all."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import editscope as es
from editscope.errors import BadInput
from editscope.images import load
from editscope.report.exports import KINDS, export, hf_dataset
from editscope.report.exports.run_sets import run_sets
from editscope.report.exports.yaml_text import as_yaml
from editscope.results import Run
from editscope.runfolder.files import DiskError
from support.command_line import Called
from support.reports.report_judged_runs import Darker, judged_run, made_run, suite_of
from support.servers.judge_server import KEY
from support.small_sets import make_small_set, put_small_outputs

pytestmark = pytest.mark.slow


class Runs:
    """Three small runs: two editors on all cases, one of them also on a part."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = make_small_set(folder / "set", per_task=6)
        self.suite = es.load_suite("paintbench", root=self.data)
        outputs = put_small_outputs(self.data, folder / "outputs", lambda answer: answer // 2)
        next(iter(outputs.rglob("0001_output.png"))).unlink()
        self.drift = es.run(self.suite, "ref:drift", out=folder / "drift", progress=False)
        self.files = es.run(self.suite, f"folder:{outputs}", out=folder / "files", progress=False)
        self.part = es.run(self.suite, "ref:drift", out=folder / "part", limit=8, progress=False)

    @property
    def all(self) -> list[Run]:
        return [self.files, self.drift, self.part]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    return Runs(tmp_path_factory.mktemp("exported"))


@pytest.fixture
def load_dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """``datasets.load_dataset`` with a cache of its own and without network."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    import datasets

    datasets.disable_progress_bars()
    yield lambda *words: datasets.load_dataset(*map(str, words), cache_dir=str(tmp_path / "cache"))


def texts_of(folder: Path) -> Iterator[str]:
    """All that a reader of an export can read: files of text, and texts in Parquet."""
    import pyarrow.parquet as pq

    for file in [folder] if folder.is_file() else [path for path in folder.rglob("*") if path.is_file()]:
        if file.suffix == ".parquet":
            table = pq.read_table(file)
            names = [field.name for field in table.schema if "binary" not in str(field.type)]
            yield json.dumps(table.select(names).to_pylist()) + str(table.schema.metadata)
        else:
            yield file.read_text("utf-8")


def test_datasets_loads_what_was_exported(runs: Runs, load_dataset: Callable[..., Any], tmp_path: Path) -> None:
    folder = export([runs.drift, runs.files], "hf-dataset", tmp_path / "results")
    loaded = load_dataset(folder)
    assert list(loaded) == ["test"] and len(loaded["test"]) == 48
    rows = {(row["run"], row["case"]): row for row in loaded["test"]}
    for run in (runs.drift, runs.files):
        for record in run.records():
            row = rows[run.info["editor"]["name"], record.case_id]
            assert row["miou"] == pytest.approx(100 * record.metrics["miou"])
            assert (row["task"], row["status"], row["instruction"]) == (
                record.tags["task"],
                record.status,
                record.instruction,
            )
    record = runs.drift.records()[0]
    case, row = runs.suite[record.case_id], rows["drift", record.case_id]
    assert np.array_equal(load(row["input"].convert("RGB")), load(case.images[0]))
    assert np.array_equal(load(row["answer"].convert("RGB")), load(case.answer or ""))
    assert np.array_equal(load(row["edit"].convert("RGB")), load(record.image or ""))
    (missing,) = [row for row in rows.values() if row["status"] == "no_output"]
    assert missing["edit"] is None and missing["run"] == "outputs" and missing["miou"] == 0.0


def test_each_set_of_cases_is_a_configuration(runs: Runs, load_dataset: Callable[..., Any], tmp_path: Path) -> None:
    folder = export(runs.all, "hf-dataset", tmp_path / "results", images=False)
    metadata = yaml.safe_load((folder / "README.md").read_text().split("---")[1])
    assert [config["config_name"] for config in metadata["configs"]] == ["paintbench", "paintbench-2"]
    assert len(load_dataset(folder)["test"]) == 48
    part = load_dataset(folder, "paintbench-2")["test"]
    assert len(part) == 8 and set(part["run"]) == {"drift"}
    mean = f"{runs.part.summary['miou']['mean']:.1f}"
    assert f"| drift | `ref:drift` | {mean}" in (folder / "README.md").read_text()


def test_a_judged_run_has_its_verdicts_in_the_data_set(
    tmp_path_factory: pytest.TempPathFactory, load_dataset: Callable[..., Any], tmp_path: Path
) -> None:
    run = made_run(tmp_path_factory, "picabench")
    folder = export([run], "hf-dataset", tmp_path / "results")
    rows = {(row["case"], row["variant"]): row for row in load_dataset(folder)["test"]}
    assert len(rows) == len(run.records())
    for record in run.records():
        verdicts = rows[record.case_id, record.variant]["verdicts"]
        assert [verdict["reply"] for verdict in verdicts] == [verdict.reply for verdict in record.verdicts]
    assert all(KEY not in text and "127.0.0.1" not in text for text in texts_of(folder))


@pytest.mark.parametrize("kind", KINDS)
def test_no_export_names_a_folder_of_this_machine(runs: Runs, tmp_path: Path, kind: str) -> None:
    target = export(runs.all, kind, tmp_path / "export")
    assert not [text for text in texts_of(target) if str(runs.folder) in text or str(Path.home()) + "/" in text]


def test_the_hub_reads_the_results_of_a_model_card(runs: Runs, tmp_path: Path) -> None:
    from huggingface_hub import ModelCard

    card = ModelCard.load(export(runs.all, "model-index", tmp_path / "card.md"))
    document = yaml.safe_load(export(runs.all, "model-index", tmp_path / "results.yaml").read_text())
    assert [(entry["name"], len(entry["results"])) for entry in document["model-index"]] == [
        ("outputs", 1),
        ("drift", 2),
    ]
    single = ModelCard.load(export([runs.drift, runs.part], "model-index", tmp_path / "drift.md"))
    results = {(result.dataset_name, result.metric_type): result for result in single.data.eval_results or []}
    cell = runs.drift.summary["overall"]["miou"]
    whole = results["PaintBench", "miou"]
    assert whole.metric_value == pytest.approx(cell["mean"], abs=1e-4)
    assert whole.metric_args["lo"] == pytest.approx(cell["lo"], abs=1e-4) and whole.metric_args["cases"] == 24
    assert (whole.task_type, whole.dataset_type) == ("image-to-image", "paintbench")
    assert whole.dataset_revision == runs.suite.fingerprint
    assert results["PaintBench (8 of 24 cases)", "miou"].metric_args["cases"] == 8
    assert card.data.to_dict()["model-index"]


def test_a_card_that_is_there_is_not_replaced(runs: Runs, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine")
    with pytest.raises(BadInput, match=r"exists; write to a file that ends in \.yaml"):
        export([runs.drift], "model-index", tmp_path / "README.md")
    assert (tmp_path / "README.md").read_text() == "mine"


def test_a_leaderboard_ranks_runs_of_one_set_only(runs: Runs, tmp_path: Path) -> None:
    document = json.loads(export(runs.all, "leaderboard", tmp_path / "board.json").read_text())
    whole, part = document["lists"]
    ranked = sorted([runs.drift, runs.files], key=lambda run: -run.summary["miou"]["mean"])
    names = [run.info["editor"]["name"] for run in ranked]
    assert [(entry["rank"], entry["name"]) for entry in whole["entries"]] == [(1, names[0]), (2, names[1])]
    assert [(entry["rank"], entry["name"]) for entry in part["entries"]] == [(1, "drift")]
    assert (whole["cases"], part["cases"], part["cases_of_the_suite"]) == (24, 8, 24)
    first, second = whole["entries"]
    assert first["scores"]["miou"]["lo"] == ranked[0].summary["miou"]["lo"]
    paired = es.compare(*ranked).overall
    assert first["to_first"] is None and second["to_first"]["difference"] == pytest.approx(paired.difference)
    assert (second["to_first"]["p"], second["to_first"]["cases"]) == (paired.p, 24)


def test_equal_scores_share_a_rank_and_an_unfinished_run_has_none(runs: Runs, tmp_path: Path) -> None:
    twin, begun = tmp_path / "twin", tmp_path / "begun"
    shutil.copytree(runs.drift.path, twin)
    shutil.copytree(runs.drift.path, begun)
    lines = (begun / "journal.jsonl").read_text().splitlines(keepends=True)
    (begun / "journal.jsonl").write_text("".join(lines[:20]))
    opened = [es.open_run(begun), runs.drift, es.open_run(twin)]
    (board,) = json.loads(export(opened, "leaderboard", tmp_path / "board.json").read_text())["lists"]
    assert [(e["rank"], e["run"], e["complete"]) for e in board["entries"]] == [
        (1, "drift", True),
        (1, "twin", True),
        (None, "begun", False),
    ]
    with pytest.raises(BadInput, match=r"is not finished \(10 of 24 cases so far\)"):
        export(opened, "model-index", tmp_path / "card.yaml")
    assert not (tmp_path / "card.yaml").exists()


def test_runs_that_are_counted_in_another_way_are_not_ranked_together(tmp_path: Path) -> None:
    suite = suite_of("rise", tmp_path / "data")
    first = judged_run(suite, tmp_path / "first", Darker())
    second = judged_run(suite, tmp_path / "second", Darker())
    again = judged_run(suite, tmp_path / "again", Darker(), accounting="released")
    sets = run_sets([first, again, second])
    assert [[view.run.path.name for view in one.views] for one in sets] == [["first", "second"], ["again"]]
    assert [one.about()["accounting"] for one in sets] == ["ours", "released"]


def test_what_fails_leaves_nothing_behind(runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: Any, **options: Any) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(hf_dataset, "dataset_card", full)
    with pytest.raises(DiskError, match="No space left on device"):
        export([runs.drift], "hf-dataset", tmp_path / "results")
    assert list(tmp_path.iterdir()) == []


def test_bad_input_is_one_sentence_and_exit_code_2(
    editscope: Callable[..., Called], runs: Runs, tmp_path: Path
) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").write_text("mine")
    for words, sentence in (
        (("--to", "hf-datasett", tmp_path / "x"), "did you mean 'hf-dataset'?"),
        (("--to", "hf-dataset", tmp_path / "taken"), "is not empty; name a new folder"),
        (("--to", "leaderboard", tmp_path / "taken"), "is a folder; leaderboard is written to a file"),
        (("--to", "leaderboard"), "--to"),
    ):
        called = editscope("export", runs.drift.path, *words)
        assert called.returncode == 2 and sentence in called.stderr and "Traceback" not in called.stderr
    nothing = editscope("export", tmp_path / "taken", "--to", "leaderboard", tmp_path / "board.json")
    assert nothing.returncode == 2 and "Traceback" not in nothing.stderr and not (tmp_path / "board.json").exists()
    done = editscope("export", runs.drift.path, "--to", "leaderboard", tmp_path / "board.json")
    assert (done.returncode, done.stdout.strip()) == (0, str(tmp_path / "board.json"))


def test_any_text_survives_yaml() -> None:
    nasty = [
        "a: b",
        "- x",
        "#",
        "yes",
        "null",
        "1.5",
        "é 溶 \u2028 \x85 \x7f",
        'q"u\\o',
        "line\nbreak",
        "",
        " x ",
        "@5",
        "\t",
    ]
    document = {"texts": nasty, "keys": {text: [{"n": 1, "inner": [[1, 2.5], {"deep": None}]}] for text in nasty}}
    assert yaml.safe_load(as_yaml(document)) == document

"""Exports as suites: what was built loads in the layout of a benchmark, and a run scores it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editscope.errors import BadInput
from editscope.factory.blobs import BlobStore
from editscope.images import encode_png, load
from editscope.suites.registry import load_suite
from support.command_line import Called
from support.factory.made_pictures import drawn, exported, json_lines, picture_plan
from support.factory.made_plans import id_of
from support.servers.judge_server import KEY, JudgeServer

QUESTIONS = [
    {
        "question": "Is the square on the left red?",
        "answer": "Yes",
        "category": "editing completion",
        "region": "square",
    },
    {
        "question": "Is the shadow below the square soft?",
        "answer": "No",
        "category": "physics consistency",
        "region": "",
    },
]
REGIONS = [{"name": "square", "x": 4, "y": 4, "width": 8, "height": 8}]
FIELDS: dict[str, dict[str, Any]] = {
    "picabench": {"operation": "attribute", "questions": QUESTIONS, "regions": REGIONS},
    "worldedit": {
        "mode": "temperature", "instruction": "Put it into the freezer.", "paraphrase": "It has frost on it now.",
    },
    "inedit": {
        "category": "dynamic_process", "subtask": "daily_life",
        "instruction": "From start to end in 4 numbered grids: first the fog, then the light.",
        "key_nodes": ["the fog", "the light"], "before": None,
        "checklist": [{"title": "Fog", "description": "It sinks."}, "Light: it dims"],
    },
    "wiseedit": {
        "task": "awareness", "instruction": "Paint the cup as the tea ceremony has it.",
        "instruction_cn": "把杯子画成茶道的样子。",
        "hint": "A plain bowl.", "knowledge": "conceptual", "domain": "cultural common sense",
    },
}  # fmt: skip


def suite_plan(name: str, **output: Any) -> Any:
    return picture_plan({"kind": "suite", "suite": name, **output}, count=4, side=32, fields=FIELDS.get(name, {}))


@pytest.mark.parametrize("name", FIELDS)
def test_a_build_loads_as_the_suite_that_the_plan_names(name: str, tmp_path: Path) -> None:
    result = exported(suite_plan(name), tmp_path)
    assert result.splits == {"test": 4} and result.cases == 4
    suite = load_suite(name, root=tmp_path / "export" / "suite")
    assert len(suite) == 4 and not getattr(suite, "flaws", ())
    case = suite[suite.ids[0]]
    if name != "inedit":
        assert np.array_equal(load(case.images[0]), drawn(0, 32))
    named = json_lines(tmp_path / "export" / "suite" / "records.jsonl")
    assert [line["record"] for line in named] == [id_of(number) for number in range(4)]


def test_regions_questions_and_levels_arrive_where_the_authors_have_them(tmp_path: Path) -> None:
    exported(suite_plan("picabench"), tmp_path)
    folder = tmp_path / "export" / "suite"
    suite = load_suite("picabench?levels=superficial,explicit", root=folder)
    case = suite["00002"]
    assert case.tags["law"] == "refraction" and case.tags["operation"] == "attribute"
    assert [one.text for one in case.instructions] == [
        "Repaint the square in picture 1.",
        "Repaint the square in picture 1; the light on it stays as refraction has it.",
    ]
    first, second = case.questions
    scale = 1024 / 32
    assert first.region is not None and first.region.box == tuple(int(side * scale) for side in (4, 4, 12, 12))
    assert second.region is not None and second.region.box == (0, 0, 1024, 1024) and second.answer == "No"
    assert json.loads((folder / "meta_info.json").read_text())[0]["input_path"] == "pictures/00001_picture.png"


def test_a_start_and_an_end_become_one_joined_picture(tmp_path: Path) -> None:
    store = BlobStore(tmp_path / "build" / "blobs")
    ends = {name: store.put(encode_png(drawn(seed, 40))) for seed, name in enumerate(("before", "after"))}
    plan = picture_plan({"kind": "suite", "suite": "inedit"}, count=1, fields={**FIELDS["inedit"], **ends})
    exported(plan, tmp_path)
    case = next(iter(load_suite("inedit", root=tmp_path / "export" / "suite")))
    assert case.details["joined"] and case.checklist is not None and "Light" in case.checklist
    assert case.tags == {"category": "dynamic_process", "subtask": "daily_life"}


def test_a_table_of_the_plan_says_where_fields_go(tmp_path: Path) -> None:
    exported(suite_plan("worldedit", cases={"picture": "after", "explanation": "superficial"}), tmp_path)
    case = next(iter(load_suite("worldedit", root=tmp_path / "export" / "suite")))
    assert not np.array_equal(load(case.images[0]), drawn(0, 32)) and case.details["explanation"].startswith("Repaint")
    with pytest.raises(BadInput, match=r"no field 'pictur' of WorldEdit, for \[output.cases\]; did you mean 'picture'"):
        exported(suite_plan("worldedit", cases={"pictur": "after"}), tmp_path)


def test_a_record_that_cannot_be_a_case_is_named_or_left_out(tmp_path: Path) -> None:
    plan = picture_plan(
        {"kind": "suite", "suite": "worldedit"}, count=2, fields={"mode": "magic", "instruction": "Go."}
    )
    with pytest.raises(BadInput, match=r"record \w+ cannot be a case of WorldEdit: Mode: .*'magic'.*--skip-bad"):
        exported(plan, tmp_path)
    with pytest.raises(BadInput, match=r"no record can be a case of WorldEdit: record \w+"):
        exported(plan, tmp_path, skip_bad=True)
    assert not (tmp_path / "export").exists()
    with pytest.raises(BadInput, match="there is no annotation layout 'wordedit'; did you mean 'worldedit'"):
        exported(suite_plan("wordedit"), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", FIELDS)
def test_a_run_scores_what_was_built(
    name: str, tmp_path: Path, editscope: Callable[..., Called], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    exported(suite_plan(name), tmp_path)
    with JudgeServer(keys=[KEY]) as server:
        done = editscope(
            *("run", name, "--data", tmp_path / "export" / "suite", "--editor", "ref:identity"),
            *("--judge", server.spec(), "--out", tmp_path / "run", "--yes"),
        )
        assert done.returncode == 0, done.stderr
        assert server.calls >= 4


@pytest.mark.slow
def test_a_training_set_is_a_pixel_scored_suite_of_its_own(tmp_path: Path, editscope: Callable[..., Called]) -> None:
    exported(picture_plan({"suite": "own", "tags": ["law"]}, count=4, side=64), tmp_path)
    folder = tmp_path / "export" / "suite"
    for editor, score in (("ref:oracle", "1.000"), ("ref:identity", "0.000")):
        out = tmp_path / editor.partition(":")[2]
        done = editscope("run", folder, "--editor", editor, "--out", out)
        assert done.returncode == 0, done.stderr
        assert score in done.stdout or f"{float(score) * 100:.1f}" in done.stdout, done.stdout


def test_a_judged_suite_of_your_own_takes_the_manifest_of_the_plan(tmp_path: Path) -> None:
    exported(picture_plan({"kind": "suite", "suite": "own"}, count=2, fields={"after": None}), tmp_path)
    suite = load_suite(str(tmp_path / "export" / "suite"))
    assert suite.scoring == "judged" and len(suite.variants(suite.ids[0])) == 3
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "look.txt").write_text("images: edit\nreply: score 1-5\n---\nHow good is it?\n")
    (tmp_path / "mine" / "suite.toml").write_text(
        "name = 'looks'\ntags = ['law']\n[[metrics]]\nname = 'look'\nprompt = 'look.txt'\n"
    )
    from dataclasses import replace

    plan = picture_plan({"kind": "suite", "suite": "own", "manifest": "mine/suite.toml"}, count=2)
    exported(replace(plan, folder=tmp_path), tmp_path)
    mine = load_suite(str(tmp_path / "export" / "suite"))
    assert mine.name == "looks" and mine.tags(mine.ids[0]) == {"law": "reflection"}
    with pytest.raises(BadInput, match="cannot be read"):
        exported(replace(plan, folder=tmp_path / "other"), tmp_path)

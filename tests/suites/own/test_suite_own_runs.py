"""Own benchmarks and the real samples run from data to table against a judge on loopback."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import editscope as es
from editscope.results.run import Run
from editscope.suites import Suite, load_suite
from editscope.suites.own.start import start
from support.judged_data_more import make_inedit, make_kris, make_own, make_rise
from support.places import SAMPLES
from support.servers.judge_server import KEY, Asked, JudgeServer

pytestmark = pytest.mark.slow

SCORE = """version: 1
pictures: source, edit
words: instruction
reply: score 1-5
---
{instruction}

[[edit]]

[[source]]
"""
MANIFEST = """
name = "signs"
tags = ["category", "town"]

[[metrics]]
name = "legible"
prompt = "legible.txt"

[[metrics]]
name = "kept"
prompt = "kept.txt"
reply = "yes/no"
only = { category = ["text"] }

[[averages]]
name = "by_case"
metrics = ["legible", "kept"]

[[averages]]
name = "by_metric"
metrics = ["legible", "kept"]
of = "metrics"

[tables]
overall = ["town"]
category = []
"""
PROMPTS = {"legible.txt": SCORE, "kept.txt": "Is all but this kept: {instruction}?"}
LEGIBLE = {1: 5, 2: 3, 3: 1, 4: 4}
KEPT = {1: "Yes", 3: "No"}


def signs(folder: Path) -> Suite:
    """Two towns with a text and a removal each."""
    cases = [
        {
            "id": f"s{n}",
            "image": f"images/{n}.png",
            "instruction": f"Write {n}.",
            "tags": {"category": "text" if n % 2 else "removal", "town": "Ulm" if n < 3 else "Rom"},
        }
        for n in range(1, 5)
    ]
    return load_suite(str(make_own(folder, MANIFEST, cases, PROMPTS)))


def verdict(asked: Asked) -> Mapping[str, Any]:
    """The table above: which case it is stands in the instruction, which metric in the schema."""
    found = re.search(r"Write (\d)\.", asked.text)
    assert found is not None
    number = int(found[1])
    assert asked.schema is not None
    if "score" in asked.schema["properties"]:
        return {"reason": "seen", "score": LEGIBLE[number]}
    return {"reason": "seen", "answer": KEPT[number]}


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    yield


def judged(suite: Suite, editor: str, out: Path, script: Any = None) -> tuple[Run, JudgeServer]:
    with JudgeServer(script) if script else JudgeServer() as server:
        return es.run(suite, editor, judge=server.spec(), out=out, progress=False, jobs=1, cache="off"), server


def means(run: Run) -> dict[str, float]:
    rows = [("overall", metric, cell["mean"]) for metric, cell in run.summary["overall"].items()]
    rows += [(row["key"], row["metric"], row["mean"]) for row in run.summary["groups"]]
    return {f"{key} {metric}": mean for key, metric, mean in rows if mean is not None}


def test_every_cell_of_an_own_benchmark_is_as_worked_out_by_hand(tmp_path: Path) -> None:
    """Legible is 100, 50, 0, 75 and kept 100 and 0 (texts only); Ulm has the first two cases, Rom the others."""
    run, server = judged(signs(tmp_path / "signs"), "ref:identity", tmp_path / "run", verdict)
    assert server.calls == 4 + 2
    assert means(run) == pytest.approx(
        {
            "overall legible": ((5 + 3) / 2 + (1 + 4) / 2) / 2,
            "overall kept": (100 + 0) / 2,
            "overall by_case": ((100 + 50) / 2 + (0 + 75) / 2) / 2,
            "overall by_metric": ((75 + 100) / 2 + (37.5 + 0) / 2) / 2,
            "text legible": 3,
            "text kept": 50,
            "text by_case": 50,
            "text by_metric": 50,
            "removal legible": 3.5,
            "removal by_case": 62.5,
            "removal by_metric": 62.5,
        }
    )


def test_a_run_of_an_own_benchmark_is_found_again_by_its_run_folder(tmp_path: Path) -> None:
    suite = signs(tmp_path / "signs")
    judged(suite, "ref:identity", tmp_path / "run", verdict)
    said = json.loads((tmp_path / "run" / "run.json").read_text())["suite"]
    assert said["name"] == "signs"
    assert load_suite(said["name"], **said["options"]).fingerprint == said["fingerprint"] == suite.fingerprint


def test_the_template_runs_at_once(tmp_path: Path) -> None:
    run, server = judged(load_suite(str(start(tmp_path / "mine"))), "ref:oracle", tmp_path / "run")
    assert (server.calls, run.summary["overall"]["average"]["mean"]) == (12, 100.0)
    first = server.asked[0]
    assert len(first.pictures) == 2


def outputs(suite: Suite, folder: Path) -> Path:
    """The inputs as edits, in the layout of the benchmark; the last edit is missing, and one file is nobody's."""
    edits = [(i, variant) for i in suite.ids for variant in suite.variants(i)]
    for case_id, variant in edits[:-1]:
        place = folder / f"{suite.output_names(case_id, variant)[0]}.png"
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(str(suite[case_id].images[0]), place)
    shutil.copyfile(place, place.with_name("nobody.png"))
    return folder


@pytest.mark.parametrize(
    ("name", "make", "edits"), [("inedit", make_inedit, 6), ("kris", make_kris, 20), ("rise", make_rise, 4)]
)
def test_edits_in_the_layout_of_a_benchmark_are_matched_and_what_is_not_is_listed(
    tmp_path: Path, name: str, make: Any, edits: int
) -> None:
    suite = load_suite(name, root=make(tmp_path / "data", 1))
    run, server = judged(suite, f"folder:{outputs(suite, tmp_path / 'edits')}", tmp_path / "run")
    files = json.loads((tmp_path / "run" / "run.json").read_text())["files"]
    last = suite.ids[-1]
    assert files["outputs"] == edits - 1
    assert files["missing"] == [f"{last} [B]" if name == "inedit" else last]
    assert [Path(path).name for path in files["unmatched"]] == ["nobody.png"]
    assert run.summary["coverage"]["no_output"] == 1
    missed = {"inedit": 1, "kris": 3, "rise": 2}[name]  # calls about the edit that is not there
    whole = {"inedit": 4 * 4 + 2 + 1, "kris": 20 * 3, "rise": 3 * 3 + 2}[name]
    assert server.calls == whole - missed


@pytest.mark.parametrize(("name", "calls"), [("inedit", 57), ("kris", 120), ("rise", 33)])
def test_the_real_samples_run_from_data_to_table(tmp_path: Path, name: str, calls: int) -> None:
    if not (SAMPLES / name).is_dir():
        pytest.skip("the real samples are not here")
    suite = load_suite(name, root=SAMPLES / name)
    run, server = judged(suite, "ref:identity", tmp_path / "run")
    assert server.calls == calls
    assert run.summary["coverage"] == {"ok": len(suite)}
    assert {cell["mean"] for cell in run.summary["overall"].values()} == {100.0}
    groups = {row["by"] for row in run.summary["groups"]}
    assert groups == {group.name for group in suite.aggregation.groups}

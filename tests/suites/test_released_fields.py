"""What descriptions of problems say: every field that the released ones have, under the same name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from editscope.suites import load_suite
from editscope.suites.paintbench.data import write_set
from editscope.suites.paintbench.sidecar import released_fields
from editscope.suites.tinygrafix.data import write_set as write_charts
from support.places import DATA, PAINTBENCH_SAMPLES

FIELDS: dict[str, dict[str, str]] = json.loads((DATA / "released_fields.json").read_text())
"""For each task and mode of the release, the fields of its descriptions with the kind of value they hold."""
KINDS = {bool: "bool", int: "number", float: "number", str: "text", list: "list", dict: "object"}
SOMETIMES = {"match_color"}
"""Fields that depend on what a problem drew: here, that shapes are described by their color."""


def described(suite: str, **options: Any) -> dict[str, list[dict[str, Any]]]:
    """The descriptions of some problems by folder and mode, as they are written."""
    made = load_suite(suite, **options)
    found: dict[str, list[dict[str, Any]]] = {}
    for case_id in made.ids:
        fields = json.loads(json.dumps(dict(made.case(case_id).details)))
        found.setdefault(f"{case_id.split('/')[0]}/{fields['mode']}", []).append(fields)
    return found


@pytest.fixture(scope="module")
def ours() -> dict[str, list[dict[str, Any]]]:
    return described("paintbench", per_mode=1, conditions="baseline,striped", split="all")


@pytest.mark.slow
@pytest.mark.parametrize("where", [name for name in FIELDS if name.startswith("PaintBench/")])
def test_a_problem_has_every_field_of_the_released_ones(ours: dict[str, list[dict[str, Any]]], where: str) -> None:
    for fields in ours[where.removeprefix("PaintBench/")]:
        for name, kind in FIELDS[where].items():
            if name not in SOMETIMES:
                assert KINDS[type(fields[name])] == kind, (name, fields.get(name))


def test_a_chart_has_every_field_of_the_released_ones() -> None:
    charts = described("tinygrafix", per_task=1)
    released = {name.split("/", 1)[1]: fields for name, fields in FIELDS.items() if name.startswith("Tiny")}
    assert released.keys() == charts.keys()
    for where, wanted in released.items():
        for fields in charts[where]:
            assert {name: KINDS[type(fields[name])] for name in wanted} == wanted


def test_shapes_that_are_described_by_color_say_which() -> None:
    found = described("paintbench", tasks="removal", modes="attribute", conditions="baseline", per_mode=12)
    by_color = [fields for fields in found["removal/attribute"] if fields["attr"] == "color"]
    assert by_color
    for fields in by_color:
        gone = {fields["scene_shapes"][i]["color"] for i in fields["targets"]}
        assert (gone == {fields["match_color"]}) != fields["invert"]


def test_fractions_and_counts_say_what_our_own_fields_say(ours: dict[str, list[dict[str, Any]]]) -> None:
    for problems in ours.values():
        for fields in problems:
            for name in (name for name in fields if name.endswith("_frac")):
                values = fields[name] if isinstance(fields[name], list) else [fields[name]]
                flat = [v for value in values for v in (value if isinstance(value, list) else [value])]
                assert all(-0.5 <= value <= 1.5 for value in flat), (name, values)
    (amount, *_), (crop, *_), (border, *_) = (
        ours[name] for name in ("translation/amount", "cropping/straight", "border/default")
    )
    assert amount["dx_px"] == pytest.approx(amount["dx_percent"] / 100 * amount["W"])
    assert crop["crop_size_frac"] * crop["W"] == pytest.approx(crop["rectangle"][2] - crop["rectangle"][0])
    assert [crop["x0_frac"] * crop["W"], crop["y0_frac"] * crop["H"]] == pytest.approx(crop["rectangle"][:2])
    assert border["distance_frac"] == pytest.approx(border["distance_percent"] / 100)
    for mode in ("shape", "color"):
        for fields in ours[f"counting/{mode}"]:
            assert fields["k"] == fields["count"] == fields[f"k_{mode}"]
            assert 0 <= fields["overlap"] <= min(fields["k_color"], fields["k_shape"])
            assert fields["params"] == {"n_min": fields["n"], "n_max": fields["n"], "mode": mode}


def test_a_field_of_our_own_is_never_replaced(ours: dict[str, list[dict[str, Any]]]) -> None:
    for problems in ours.values():
        for fields in problems:
            if fields["task"] != "preservation":
                assert released_fields(fields) == {}, "all of them are there, and none is made twice"


@pytest.mark.skipif(not (PAINTBENCH_SAMPLES / "set").is_dir(), reason="the samples are not here")
def test_the_list_of_fields_is_that_of_the_released_samples() -> None:
    seen: dict[str, dict[str, str]] = {}
    for path in sorted((PAINTBENCH_SAMPLES / "set").rglob("*.json")):
        fields = json.loads(path.read_text())
        where = f"{path.parent.parent.name}/{path.parent.name}/{fields['mode']}"
        seen.setdefault(where, {}).update({name: KINDS[type(value)] for name, value in fields.items()})
    assert seen == FIELDS


def test_the_list_of_problems_has_their_numbers_and_older_sets_are_read(tmp_path: Path) -> None:
    write_set(tmp_path / "shapes", jobs=1, tasks="border", conditions="baseline,striped", per_mode=1, split="test")
    write_charts(tmp_path / "charts", jobs=1, charts="bar_chart", per_task=2)
    for folder, suite in (("shapes", "paintbench"), ("charts", "tinygrafix")):
        lines = [json.loads(line) for line in (tmp_path / folder / "problems.jsonl").read_text().splitlines()]
        assert [line["problem_id"] for line in lines] == [int(line["id"].split("/")[1]) for line in lines]
        for path in (tmp_path / folder).glob("*/*.json"):  # as version 0.1 wrote them
            old = json.loads(path.read_text())
            kept = ("instruction", "task", "category", "mode", "visual_condition", "seed")
            path.write_text(json.dumps({name: old[name] for name in kept if name in old}))
        read = load_suite(suite, root=tmp_path / folder)
        assert len(read) == len(lines)
        assert all(read.case(case_id).instruction for case_id in read.ids)

"""Optics: every problem has one target, effects that are plain to see, and reference editors score what they should.

``make test`` takes a sample at a small size, ``make drills`` the whole set.
"""

from __future__ import annotations

import collections
import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drills import counts
from editscope.cases import Case
from editscope.editors import Request, load_editor, request_seed
from editscope.errors import BadInput
from editscope.images import load
from editscope.runfolder.run_json import aggregation_from, aggregation_json
from editscope.runs import run
from editscope.scoring import EffectScore, score_effects
from editscope.stats.summary import summarize
from editscope.suites import load_suite
from editscope.suites.optics.catalog import CATALOG
from editscope.suites.optics.suite import OpticsSuite, write_set
from editscope.suites.physics import make
from editscope.suites.physics.catalog import LEVELS
from editscope.suites.physics.edit import SceneEdit
from editscope.suites.raytracing.effects import LEAST_AREA, LEAST_CHANGE
from editscope.suites.raytracing.render import render
from editscope.suites.raytracing.scene import Pattern, Plane, Solid, Sun, TracedScene
from support.optics.scene_reader import differences, solve

TASKS = tuple(CATALOG.tasks)
SIDE = 160
DIAGNOSIS = {
    "identity": {"execution_omission"},
    "oracle": {"success"},
    "cutout": {"consequences_missing"},
    "consequences": {"consequences_only"},
    "faint": {"too_weak"},
    "gain": {"tone_shift"},
    "noise": {"color_imprecision"},
}
"""What a run says of each reference editor where a problem has an object and consequences."""


@cache
def cases(task: str) -> tuple[Case, ...]:
    per_task = counts.times(usual=2, full=40)
    suite = load_suite("optics", tasks=task, per_task=per_task, levels="superficial", size=counts.times(SIDE, 512))
    return tuple(suite)


def pictures(case: Case) -> tuple[np.ndarray, np.ndarray]:
    assert case.answer is not None
    return load(case.images[0]), load(case.answer)


def edited(name: str, case: Case) -> EffectScore:
    before, answer = pictures(case)
    seed = request_seed(0, case.id)
    made = load_editor(f"ref:{name}").edit(Request(case.id, (before,), "", seed, answer=answer, effects=case.effects))
    assert isinstance(made, np.ndarray)
    return score_effects(before, answer, made, case.effects, case.ignored)


@pytest.mark.slow
@pytest.mark.drill
@pytest.mark.parametrize("task", TASKS)
def test_oracle_identity_and_cutout_score_exactly_what_they_are(task: str) -> None:
    for case in cases(task):
        right, nothing, cutout = (edited(name, case) for name in ("oracle", "identity", "cutout"))
        assert {effect.recovery for effect in right.effects} == {1.0} == set(right.pixels.preservation_accuracy)
        assert {effect.recovery for effect in nothing.effects} == {0.0}
        assert set(nothing.pixels.preservation_accuracy) == {1.0}
        assert cutout.direct in (None, 1.0) and cutout.consequences in (None, 0.0)
        assert set(cutout.pixels.preservation_accuracy) == {1.0}
        assert right.failure == "success" and nothing.failure == "execution_omission"


@pytest.mark.slow
@pytest.mark.drill
@pytest.mark.parametrize("name", DIAGNOSIS)
def test_a_reference_editor_is_diagnosed_as_what_it_is(name: str) -> None:
    seen: collections.Counter[str] = collections.Counter()
    for task in TASKS:
        for case in cases(task):
            if any(effect.direct for effect in case.effects) and any(not effect.direct for effect in case.effects):
                seen[edited(name, case).failure] += 1
    assert set(seen) == DIAGNOSIS[name], seen


@pytest.mark.slow
@pytest.mark.drill
def test_consequences_beside_their_place_are_misplaced_where_they_can_be_seen_there() -> None:
    seen: collections.Counter[str] = collections.Counter()
    for task in TASKS:
        for case in cases(task):
            if any(effect.direct for effect in case.effects) and any(not effect.direct for effect in case.effects):
                seen[edited("shifted_shadow", case).failure] += 1
    assert seen["misplaced_consequences"] >= 0.9 * seen.total(), seen  # the others lie under the object, or everywhere


@pytest.mark.slow
@pytest.mark.drill
@pytest.mark.parametrize("task", TASKS)
def test_an_independent_reader_solves_the_scene_from_the_sentence(task: str) -> None:
    for case in cases(task):
        fields = case.details
        found, target = solve(task, case.instructions[0].text, dict(fields["scene"]))
        assert target == fields["target"]
        assert differences(by_name(found), by_name(fields["answer_scene"])) == []


def by_name(scene: dict[str, Any]) -> dict[str, Any]:
    solids = sorted(scene["solids"], key=lambda solid: str(solid["name"]))
    return {**scene, "solids": solids, "lamps": sorted(scene["lamps"], key=lambda lamp: str(lamp["solid"]))}


@pytest.mark.slow
@pytest.mark.drill
@pytest.mark.parametrize("task", TASKS)
def test_every_effect_is_plain_to_see_and_nothing_else_changes(task: str) -> None:
    for case in cases(task):
        before, answer = pictures(case)
        change = np.abs(before.astype(int) - answer.astype(int)).max(axis=2)
        assert case.ignored is not None
        union = case.ignored.copy()
        for effect in case.effects:
            assert ((change >= LEAST_CHANGE) & effect.mask).sum() >= LEAST_AREA * change.size, effect.name
            assert not (effect.mask & case.ignored).any()
            union |= effect.mask
        assert np.array_equal(before[~union], answer[~union])
        direct = [effect.mask for effect in case.effects if effect.direct]
        others = [effect.mask for effect in case.effects if not effect.direct]
        assert not any((one & other).any() for one in direct for other in others)
        assert {*CATALOG.needed_effects(task)} <= {effect.name for effect in case.effects}
        assert case.details["ignored"]["pixels"] == int(case.ignored.sum()) < 0.1 * change.size


@pytest.mark.slow
@pytest.mark.parametrize("task", ["remove_glass", "add_glass", "swap_glass"])
def test_glass_is_a_ball_or_a_slab(task: str) -> None:
    suite = load_suite("optics", tasks=task, per_task=12, levels="superficial", size=96)
    shapes = collections.Counter("ball" if "glass ball" in case.instructions[0].text else "slab" for case in suite)
    assert min(shapes["ball"], shapes["slab"]) >= 2  # six of ten draws are balls


@pytest.mark.slow
@pytest.mark.drill
@pytest.mark.parametrize("task", TASKS)
def test_levels_share_their_pictures_and_say_more_and_more(task: str) -> None:
    suite = load_suite("optics", tasks=task, per_task=1, levels=LEVELS, size=SIDE)
    made = {case.tags["level"]: case for case in suite}
    texts = {level: case.instructions[0].text for level, case in made.items()}
    assert list(made) == list(LEVELS)
    assert all(text.startswith(texts["superficial"]) for text in texts.values())
    assert texts["located"].startswith(texts["explicit"])
    assert len(set(texts.values())) == 4
    assert "{" not in texts["located"] and "  " not in texts["located"]
    assert len({pictures(case)[1].tobytes() for case in made.values()}) == 1
    assert [len(made[level].regions) for level in LEVELS] == [0, 0, 0, 1]


@pytest.mark.slow
def test_the_shadow_of_glass_that_goes_is_scored_and_that_of_new_glass_is_not() -> None:
    for case in cases("remove_glass"):
        assert "shadow" in {effect.name for effect in case.effects}
        assert edited("cutout", case).failure == "consequences_missing"
    for case in cases("add_glass"):
        assert "shadow" not in {effect.name for effect in case.effects}
        explicit = load_suite("optics", tasks="add_glass", per_task=2, levels="explicit", size=SIDE)
        assert all("Apart from its shadow, everything else" in one.instructions[0].text for one in explicit)


@pytest.mark.slow
@pytest.mark.parametrize("task", ["move_object", "move_mirrored"])
def test_the_old_shadow_and_the_new_one_are_told_apart_and_only_where_they_can_be_seen(task: str) -> None:
    counted: collections.Counter[str] = collections.Counter()
    for number in range(8):
        edit, change = make.draw(CATALOG, task, number, "optics", SIDE)
        said = make.sentence(edit, change, "explicit")
        light = change.after.pixels.sum(axis=2, dtype=int) - change.before.pixels.sum(axis=2, dtype=int)
        shadow = change.effect("shadow")
        for name, words, sign in (("old shadow", "Its old shadow", 1), ("new shadow", "It casts a shadow", -1)):
            halves = [effect for effect in change.told if effect.name == name]
            assert (words in said) is bool(halves)
            if halves:
                counted[name] += 1
                assert shadow is not None and not (halves[0].mask & ~shadow.mask).any()
                assert (sign * light[halves[0].mask]).sum() > 0
                assert f"{words} {make.where(halves[0].mask)}" in said
    assert min(counted["old shadow"], counted["new shadow"]) >= 4
    assert "shadow" in {effect.name for effect in change.effects} or task == "move_mirrored"


@pytest.mark.slow
def test_move_sun_says_truly_how_floor_and_wall_change() -> None:
    said: collections.Counter[str] = collections.Counter()
    for number in range(12):
        edit, change = make.draw(CATALOG, "move_sun", number, "optics", SIDE)
        empty = [render(replace(scene, solids=(), lamps=()), (SIDE, SIDE)) for scene in (edit.before, edit.after)]
        old, new = (picture.pixels.astype(float).sum(axis=2) for picture in empty)
        told = make.sentence(edit, change, "explicit")
        both = re.search(r"floor and wall are ([a-z ]+) in the sun", told)
        words = both.groups() * 2 if both else re.findall(r"the floor is (.*) in the sun, the wall (.*?)\.", told)[0]
        for word, rows in zip(words, (slice(-8, None), slice(0, 8)), strict=True):
            ratio = new[rows].sum() / old[rows].sum()  # sRGB: 3 % of light is about 1.3 % of a level
            assert {"brighter": ratio > 1.01, "darker": ratio < 0.99}.get(word, abs(ratio - 1) < 0.02), (number, told)
            said[word] += 1
    assert len(said) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("task", ["flood", "add_object", "add_glass", "light_candle"])
def test_half_of_what_a_sentence_measures_by_is_in_view(task: str) -> None:
    for number in range(8):
        edit, change = make.draw(CATALOG, task, number, "optics", 96)
        assert edit.measures or "slab" in edit.asked
        assert make.measurable(edit, change.before)


@pytest.mark.slow
@pytest.mark.drill
@pytest.mark.parametrize("task", ["remove_object", "move_object", "remove_mirrored", "move_mirrored", "turn_mirror"])
def test_most_of_what_an_edit_uncovers_was_in_view_before(task: str) -> None:
    for number in range(counts.times(usual=8, full=40)):
        edit, change = make.draw(CATALOG, task, number, "optics", 96)
        for name in change.before.names:
            if name != edit.target:
                seen, shown = (int(picture.covered(name).sum()) for picture in (change.before, change.after))
                assert 2 * seen >= shown, (task, number, name)


def test_a_solid_that_comes_out_from_behind_another_makes_a_scene_unfit() -> None:
    wall = Solid("gray box", "box", (0.0, 0.0, 0.0), (1.0, 1.0, 0.5))
    behind = Solid("red ball", "sphere", (0.1, 0.0, 1.5), (0.6, 0.6, 0.6))
    beside = replace(behind, place=(1.0, 0.0, 1.5))
    empty = TracedScene((Plane("floor", 0.0, Pattern("plain", (0.5,) * 3)),), (), sun=Sun(30.0, 45.0, (0.8,) * 3))
    reasons = []
    for ball in (behind, beside):
        scene = empty.with_solid(wall).with_solid(ball)
        edit = SceneEdit(scene, scene.without("gray box"), "Remove the gray box.", "", {}, target="gray box")
        reasons.append(make.unfit(("object", "shadow"), edit, make.solved(edit, (SIDE, SIDE))))
    assert reasons == ["nobody can know what the red ball looks like that is uncovered", ""]


@pytest.mark.slow
@pytest.mark.drill
@pytest.mark.parametrize("task", ["wet_tile", "add_object", "move_object", "add_glass", "move_mirrored"])
def test_nothing_stands_before_a_point_of_the_floor_that_a_sentence_names(task: str) -> None:
    for number in range(counts.times(usual=8, full=40)):
        edit, change = make.draw(CATALOG, task, number, "optics", 96)
        left, top = map(float, re.findall(r"([\d.]+)% from the", edit.asked))
        x, y = min(int(left * 0.96), 95), min(int(top * 0.96), 95)
        # Percent are rounded to tenths, a tenth of a pixel here: a neighbor may be meant.
        near = [(y, x), *((y, x + step) for step in (-1, 1) if 0 <= x + step < 96)]
        others = [name for name in change.before.names if name != edit.target]
        assert not all(any(change.before.covered(name)[place] for name in others) for place in near), (task, number)


@pytest.mark.slow
def test_a_written_set_has_the_cases_of_the_one_in_memory(tmp_path: Path) -> None:
    options: dict[str, Any] = {"tasks": "fog,remove_object", "per_task": 2, "levels": "located", "size": 96}
    assert write_set(tmp_path / "set", jobs=1, **options) == 4
    here, there = load_suite("optics", **options), load_suite("optics", root=tmp_path / "set")
    for case_id in here.ids:
        one, other = here[case_id], there[case_id]
        assert one.instructions == other.instructions and one.tags == other.tags and one.regions == other.regions
        for first, second in zip(one.effects, other.effects, strict=True):
            assert first.name == second.name and np.array_equal(first.mask, second.mask)
    assert list(there.options) == ["root"]
    with pytest.raises(BadInput, match="cannot be changed; use --where"):
        load_suite("optics", root=tmp_path / "set", size=96)
    broken = next((tmp_path / "set").glob("fog_located/000.json"))
    broken.write_text(
        broken.read_text().replace('"ignored": {"pixels": 0, "mask": [', '"ignored": {"pixels": 0, "mask": [7, ')
    )
    with pytest.raises(
        BadInput, match=r"fog_located/000\.json: the mask of the effect .fog. is of another size .* again"
    ):
        load_suite("optics", root=tmp_path / "set")["fog_located/000"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["larger", "black", "white"])
def test_outputs_of_another_size_and_of_one_color_have_finite_scores(kind: str) -> None:
    (case, *_) = cases("remove_object")
    before, answer = pictures(case)
    output = {
        "larger": np.repeat(np.repeat(answer, 2, axis=0), 2, axis=1),
        "black": np.zeros_like(answer),
        "white": np.full_like(answer, 255),
    }[kind]
    score = score_effects(before, answer, output, case.effects, case.ignored)
    values = [value for value in score.metrics().values() if value is not None]
    assert np.isfinite(values).all()
    assert score.pixels.resized == (kind == "larger")
    assert (score.failure == "success") == (kind == "larger")


def test_a_scene_that_cannot_be_made_is_said_with_the_options_to_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make, "LEAST_TARGET", 0.9)
    suite = load_suite("optics", tasks="remove_object", per_task=1, size=64, namespace="unmade")
    with pytest.raises(
        BadInput,
        match=r"no valid scene for remove_object number 0 .* give a larger size, another namespace",
    ):
        _ = suite[suite.ids[0]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tasks": "lamp_of"}, "lamp_off"),
        ({"levels": "loud"}, "level"),
        ({"size": 8}, "--size 8 is out of range; ask for 64 to 2048 pixels"),
        ({"per_task": 0}, "--per-task 0 is out of range"),
        ({"namespace": "with space"}, "without spaces"),
    ],
)
def test_a_wrong_option_is_refused_by_name(options: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        load_suite("optics", **options)


def test_the_record_says_how_many_cases_there_are() -> None:
    suite = load_suite("optics")
    assert len(suite) == 3000 == 40 * 3 * len(TASKS)
    assert isinstance(suite, OpticsSuite) and suite.label() == "standard set, made from seeds"


@pytest.mark.slow
def test_a_run_tells_cutout_from_oracle(tmp_path: Path) -> None:
    suite = load_suite("optics", tasks="remove_object,remove_mirrored", per_task=2, levels="superficial", size=96)
    done = {name: run(suite, f"ref:{name}", out=tmp_path / name) for name in ("oracle", "cutout")}
    figures = {
        name: {key: float(one.summary[key]) for key in ("direct", "consequences", "gap")} for name, one in done.items()
    }
    assert figures["oracle"] == {"direct": 100.0, "consequences": 100.0, "gap": 0.0}
    assert figures["cutout"] == {"direct": 100.0, "consequences": 0.0, "gap": 100.0}


@pytest.mark.slow
@pytest.mark.drill(only=True)
def test_960_problems_are_made_in_memory_without_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    suite = load_suite("optics", per_task=40, levels="superficial", size=256)
    made = [suite.case(case_id) for case_id in suite.ids[:960]]
    assert len(made) == 960 and not list(tmp_path.iterdir())
    assert all(isinstance(case.images[0], np.ndarray) and case.effects for case in made)


@pytest.mark.slow
def test_a_white_picture_is_a_catastrophe_and_no_tone_shift() -> None:
    for task in ("lamp_off", "move_sun", "remove_mirrored", "add_object"):
        for case in cases(task):
            before, answer = pictures(case)
            score = score_effects(before, answer, np.full_like(answer, 255), case.effects, case.ignored)
            assert score.failure == "structural_catastrophe" and score.gain == (1.0, 1.0, 1.0)


def test_levels_of_a_problem_are_drawn_together() -> None:
    """Three levels that score alike say no more than one."""
    suite = load_suite("optics", tasks="fog,flood", per_task=12, size=64)
    rng = np.random.default_rng(3)
    worth = {problem: float(rng.random()) for problem in {suite.tags(i)["problem"] for i in suite.ids}}

    def interval(levels: tuple[str, ...]) -> tuple[float, float]:
        ids = [i for i in suite.ids if suite.tags(i)["level"] in levels]
        rows: dict[str, list[Any]] = {tag: [suite.tags(i)[tag] for i in ids] for tag in suite.aggregation.tags}
        rows |= {"case_id": ids, "consequences": [worth[suite.tags(i)["problem"]] for i in ids]}
        cell = summarize(rows, suite.aggregation, ["consequences"])["overall"]["consequences"]
        return cell["lo"], cell["hi"]

    (low, high), (one_low, one_high) = interval(LEVELS), interval(("explicit",))
    assert high - low == pytest.approx(one_high - one_low, rel=0.05)
    assert (
        aggregation_from({"aggregation": json.loads(json.dumps(aggregation_json(suite.aggregation)))}).unit == "problem"
    )

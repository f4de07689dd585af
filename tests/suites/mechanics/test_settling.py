"""Things come to rest where physics says, and scenes whose end hangs on a hair are not kept."""

from __future__ import annotations

import math
import sys

import pytest

from drills import counts
from editscope.errors import BadInput
from editscope.suites.mechanics import settling
from editscope.suites.mechanics.catalog import CATALOG, SIMULATED
from editscope.suites.mechanics.settling import FRICTION, Disturbance, Unsettled, poses, settled, simulator
from editscope.suites.mechanics.tasks import TASKS, falling
from editscope.suites.physics.make import edits
from editscope.suites.raytracing.scene import Pattern, Plane, Solid, TracedScene

FLOOR = (Plane("floor", 0.0, Pattern()),)


def scene(*solids: Solid) -> TracedScene:
    return TracedScene(FLOOR, solids)


def test_a_box_in_the_air_drops_straight_down() -> None:
    box = Solid("box", "box", (0.3, 0.7, 0.1), (0.5, 0.4, 0.5), turn=20.0)
    end = settled(scene(box), ["box"]).solid("box")
    assert end.place == pytest.approx((0.3, 0.0, 0.1), abs=0.002)
    assert (end.turn, end.tilt) == pytest.approx((20.0, 0.0), abs=0.2)


def test_a_stack_drops_together() -> None:
    low = Solid("low", "box", (0.0, 0.3, 0.0), (0.8, 0.3, 0.8))
    high = Solid("high", "box", (0.03, 0.6, 0.0), (0.6, 0.3, 0.6))
    end = settled(scene(low, high), ["low", "high"])
    assert end.solid("low").place[1] == pytest.approx(0.0, abs=0.002)
    assert end.solid("high").place[1] == pytest.approx(0.3, abs=0.002)


@pytest.mark.parametrize(("slope", "slides"), [(12.0, False), (24.0, True)])
def test_a_box_slides_where_the_slope_is_steeper_than_its_friction_allows(slope: float, slides: bool) -> None:
    board = Solid("board", "box", (0.0, 1.0, 0.0), (4.0, 0.1, 1.0), tilt=slope)
    radians = slope * 3.14159265 / 180
    box = Solid("box", "box", (-0.25 * radians, 1.1, 0.0), (0.4, 0.3, 0.4), tilt=slope)
    tan_18 = 0.325
    try:
        end = poses(scene(board, box), ["box"], tan_18)["box"]
        moved = abs(end.center[0] - box.center[0]) > 0.1
    except Unsettled:  # it went over the end of the board and rolls on
        moved = True
    assert moved == slides


def test_a_box_that_balances_on_its_edge_is_not_kept() -> None:
    edge = Solid("box", "box", (0.0, 0.0829, 0.0), (0.4, 0.4, 0.4), tilt=45.0)
    with pytest.raises(Unsettled):
        settled(scene(edge), ["box"])


def test_a_ball_on_a_ball_is_not_kept() -> None:
    low = Solid("low", "sphere", (0.0, 0.0, 0.0), (0.6, 0.6, 0.6))
    high = Solid("high", "sphere", (0.0, 0.6, 0.0), (0.3, 0.3, 0.3))
    with pytest.raises(Unsettled):
        settled(scene(low, high), ["high"])


def test_without_disturbed_starts_the_hair_would_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    """A board whose middle is right above the edge of a table rests there, unless anything touches it."""
    table = Solid("table", "box", (-0.5, 0.0, 0.0), (1.0, 0.8, 1.0))
    board = Solid("board", "box", (0.0, 0.8, 0.0), (1.2, 0.06, 0.5))
    with pytest.raises(Unsettled):
        settled(scene(table, board), ["board"])
    monkeypatch.setattr(settling, "STARTS", 0)
    settled(scene(table, board), ["board"])


@pytest.mark.slow
@pytest.mark.drill
@pytest.mark.parametrize("task", SIMULATED)
def test_kept_problems_end_alike_from_sixteen_disturbed_starts(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    starts: list[tuple[TracedScene, list[str], float]] = []

    def recorded(start: TracedScene, loose: list[str], friction: float = FRICTION) -> TracedScene:
        starts.append((start, loose, friction))
        return settled(start, loose, friction)

    monkeypatch.setattr(falling, "settled", recorded)
    for seed in range(counts.times(usual=1, full=20)):
        edit = next(edits(CATALOG.task(task), seed))
        start, loose, friction = starts[-1]
        for disturbance in range(16):
            ends = poses(start, loose, friction, Disturbance(disturbance))
            for name in loose:
                drawn, end = edit.after.solid(name), ends[name]
                assert math.dist(drawn.center, end.center) < 0.031
                if drawn.kind != "sphere":
                    assert abs(drawn.tilt - end.tilt) < 3.1


@pytest.mark.parametrize("board_kg", [0.001, 10.0])
@pytest.mark.parametrize("seed", range(6))
def test_a_seesaw_on_a_simulated_hinge_ends_where_the_answer_shows_it(seed: int, board_kg: float) -> None:
    edit = next(edits(TASKS["load_seesaw"], seed))
    starts, ends = edit.before.solid("board").tilt, edit.after.solid("board").tilt
    x, axle, _ = edit.after.solid("axle").place
    turn = math.radians(ends)
    weights = ""
    for solid in edit.after.solids:
        if solid.name.endswith("weight"):
            across, up = solid.center[0] - x, solid.center[1] - axle
            place = across * math.cos(turn) + up * math.sin(turn), up * math.cos(turn) - across * math.sin(turn)
            mass = round((solid.size[1] - 0.16) / 0.06)
            half = " ".join(str(side / 2) for side in solid.size)
            weights += f'<geom type="box" size="{half}" pos="{place[0]} {place[1]} 0" mass="{mass}" contype="0"/>'
    model = simulator().MjModel.from_xml_string(f"""<mujoco>
      <compiler angle="degree"/><option gravity="0 -9.81 0" timestep="0.002"/>
      <worldbody><body pos="0 {axle} 0">
        <joint type="hinge" axis="0 0 1" limited="true" range="{-abs(starts)} {abs(starts)}" damping="0.5"/>
        <geom type="box" size="1.2 0.035 0.225" pos="0 0.085 0" mass="{board_kg}" contype="0"/>{weights}
      </body></worldbody></mujoco>""")
    data = simulator().MjData(model)
    data.qpos[0] = math.radians(starts)
    simulator().mj_step(model, data, 4000)
    assert math.degrees(data.qpos[0]) == pytest.approx(ends, abs=3)


def test_the_same_start_ends_at_the_same_bits() -> None:
    box = Solid("box", "box", (0.0, 0.5, 0.0), (0.4, 0.4, 0.4), turn=10.0, tilt=8.0)
    assert poses(scene(box), ["box"]) == poses(scene(box), ["box"])


def test_without_mujoco_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(BadInput, match=r"need MuJoCo: pip install 'editscope\[physics\]'"):
        next(edits(CATALOG.task("cut_string"), 1))
    for task in CATALOG.tasks:
        if task not in SIMULATED:
            next(edits(CATALOG.task(task), 1))

"""Settling of loose solids, simulated by MuJoCo, and the test that small disturbances do not change how it ends.

A scene is kept only where the start that it shows and ``STARTS`` disturbed ones end alike: then the picture and the
sentence determine the answer, and not the last digit of a number that nobody can see.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from editscope.errors import BadInput
from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.physics.edit import DrawAgain
from editscope.suites.raytracing.scene import Point, Solid, TracedScene

STARTS = 16
STEP_S = 0.002
MOST_S = 8.0
CHECK_S = 0.2
STILL = 0.002
"""Meters a second below which a solid counts as at rest, at two checks in a row."""
FRICTION = 0.8
OFFSET, PUSH, SPIN, ROUGHNESS = 0.004, 0.02, 0.05, 0.1
"""The disturbances: meters, meters a second, radians a second, and the share by which friction changes."""
ALIKE_M, ALIKE_DEGREES = 0.03, 3.0
"""How far from each other ends may be: 3 pixels of 512 at the distance of the things in our scenes."""
DENSITY = 500.0
"""Kilograms in a cubic meter: wood."""


class Unsettled(DrawAgain):
    """Things that do not come to rest, or do so elsewhere after a small disturbance."""


@dataclass(frozen=True, slots=True)
class Pose:
    """Where a solid lies: its center, and how far it is turned and tilted, in degrees."""

    center: Point
    turn: float
    tilt: float
    aside: float
    """How far it leans toward the camera or away, which a solid of our scenes cannot; in degrees."""


@dataclass(frozen=True, slots=True)
class Disturbance:
    """A start that differs a little from the one in the picture."""

    seed: int

    def numbers(self) -> SeededRandom:
        """The random numbers of this start, the same for every scene."""
        return SeededRandom(int(sha256(f"disturbance {self.seed}".encode()).hexdigest()[:12], 16))


def settled(scene: TracedScene, loose: Sequence[str], friction: float = FRICTION) -> TracedScene:
    """The scene after everything has come to rest; ``Unsettled`` where that depends on what nobody can see."""
    ends = poses(scene, loose, friction)
    for seed in range(STARTS):
        if not alike(scene, ends, poses(scene, loose, friction, Disturbance(seed))):
            raise Unsettled
    for name, pose in ends.items():
        scene = scene.with_solid(_posed(scene.solid(name), pose))
    return scene


def alike(scene: TracedScene, ends: dict[str, Pose], others: dict[str, Pose]) -> bool:
    """Whether two ends look the same. Balls may be turned, and cylinders about their axis."""
    for name, one in ends.items():
        other, kind = others[name], scene.solid(name).kind
        if math.dist(one.center, other.center) > ALIKE_M:
            return False
        angles: Iterable[tuple[float, float]] = ((one.tilt, other.tilt), (one.aside, other.aside))
        if kind == "box":
            angles = (*angles, (one.turn, other.turn))
        if kind != "sphere" and any(_apart(a, b) > ALIKE_DEGREES for a, b in angles):
            return False
    return True


def _apart(a: float, b: float) -> float:
    return abs((a - b + 180) % 360 - 180)


def _posed(solid: Solid, pose: Pose) -> Solid:
    """A solid at rest. Millimeters and tenths of a degree make pictures the same on every machine."""
    if solid.kind != "sphere" and abs(pose.aside) > ALIKE_DEGREES:
        raise Unsettled
    x, y, z = (round(part, 3) + 0.0 for part in pose.center)
    place = (x, round(y - solid.size[1] / 2, 3) + 0.0, z)
    if solid.kind == "sphere":
        return replace(solid, place=place)
    return replace(solid, place=place, turn=round(pose.turn, 1) + 0.0, tilt=round(pose.tilt, 1) + 0.0)


def poses(
    scene: TracedScene, loose: Sequence[str], friction: float = FRICTION, disturbance: Disturbance | None = None
) -> dict[str, Pose]:
    """How the loose solids lie after they have come to rest."""
    mujoco = simulator()
    model = mujoco.MjModel.from_xml_string(description(scene, loose, friction, disturbance))
    data = mujoco.MjData(model)
    if disturbance is not None:
        _disturb(data, len(loose), disturbance.numbers())
    still = 0
    for _ in range(round(MOST_S / CHECK_S)):
        mujoco.mj_step(model, data, round(CHECK_S / STEP_S))
        still = still + 1 if max((abs(float(speed)) for speed in data.qvel), default=0.0) < STILL else 0
        if still == 2:
            return {name: _pose(data.body(name)) for name in loose}
    raise Unsettled


def simulator() -> Any:
    """MuJoCo, which only the tasks in which things settle need."""
    try:
        import mujoco
    except ImportError as error:
        missing = isinstance(error, ModuleNotFoundError) and error.name == "mujoco"
        how = "pip install 'editscope[physics]'" if missing else f"it is installed but cannot be loaded ({error})"
        raise BadInput(
            f"tasks in which things fall, roll or slide need MuJoCo: {how}. Without it, choose other tasks, as in "
            "'mechanics?tasks=load_spring'"
        ) from None
    return mujoco


def _disturb(data: Any, count: int, rng: SeededRandom) -> None:
    for body in range(count):
        for axis in range(3):
            # Up and not down: what stands on something must not begin inside it.
            data.qpos[7 * body + axis] += rng.uniform(0.0 if axis == 1 else -OFFSET, OFFSET)
            data.qvel[6 * body + axis] = rng.uniform(-PUSH, PUSH)
            data.qvel[6 * body + 3 + axis] = rng.uniform(-SPIN, SPIN)


def _pose(body: Any) -> Pose:
    matrix = [float(number) for number in body.xmat]
    turn = math.degrees(math.atan2(matrix[2], matrix[8]))
    tilt = math.degrees(math.atan2(matrix[3], matrix[4]))
    aside = math.degrees(math.asin(max(-1.0, min(1.0, matrix[5]))))
    x, y, z = (float(number) for number in body.xpos)
    return Pose((x, y, z), turn, tilt, aside)


def description(
    scene: TracedScene, loose: Sequence[str], friction: float, disturbance: Disturbance | None = None
) -> str:
    """The scene in MuJoCo's format: loose solids may move, all others stay; wires are not felt."""
    if disturbance is not None:
        friction *= 1 + disturbance.numbers().uniform(-ROUGHNESS, ROUGHNESS)
    order = [scene.solid(name) for name in loose]
    fixed = [solid for solid in scene.solids if solid.name not in loose]
    bodies = [f'<body name="{solid.name}" {_at(solid)}><freejoint/>{_geom(solid)}</body>' for solid in order]
    bodies += [f"<body {_at(solid)}>{_geom(solid)}</body>" for solid in fixed if solid.kind in GEOMS]
    return f"""<mujoco>
      <option timestep="{STEP_S}" gravity="0 -9.81 0" integrator="implicitfast" cone="elliptic" impratio="10"/>
      <default><geom friction="{friction:.6f} 0.005 0.002" condim="6" density="{DENSITY}"
        solref="0.006 1" solimp="0.98 0.999 0.0005"/></default>
      <worldbody>
        <geom type="plane" size="20 20 1" quat="0.7071067811865476 -0.7071067811865476 0 0"/>
        {"".join(bodies)}
      </worldbody>
    </mujoco>"""


GEOMS = ("box", "cylinder", "sphere")


def _at(solid: Solid) -> str:
    turn, tilt = math.radians(solid.turn) / 2, math.radians(solid.tilt) / 2
    around, over = (math.cos(turn), math.sin(turn)), (math.cos(tilt), math.sin(tilt))
    # The product of the two rotations as quaternions, about the vertical and then in the picture.
    quaternion = (around[0] * over[0], around[1] * over[1], around[1] * over[0], around[0] * over[1])
    return f'pos="{_text(solid.center)}" quat="{_text(quaternion)}"'


def _geom(solid: Solid) -> str:
    width, height, depth = (length / 2 for length in solid.size)
    if solid.kind == "sphere":
        return f'<geom type="sphere" size="{width}"/>'
    if solid.kind == "cylinder":
        upright = "0.7071067811865476 -0.7071067811865476 0 0"
        return f'<geom type="cylinder" size="{width} {height}" quat="{upright}"/>'
    return f'<geom type="box" size="{width} {height} {depth}"/>'


def _text(numbers: Iterable[float]) -> str:
    return " ".join(f"{number:.12g}" for number in numbers)

"""Session with a tracker, in a process of its own: whatever a tracker's library does, the run is not touched.

It reads one JSON object, ``SessionInput``, from stdin, writes its points and ends; exit code 0 says that all are
stored.
"""

from __future__ import annotations

import json
import os
import sys
import time
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

STEP = "checkpoint_step"
"""The name of the steps of a watch in Weights & Biases, which takes steps of its own in ascending order only."""
PICTURE = "cases"


@dataclass(frozen=True, slots=True)
class LogPoint:
    """What is logged at one step: scalars by name, and the grid of cases as a PNG file in base64."""

    step: int | None
    scalars: Mapping[str, float]
    picture: str = ""
    caption: str = ""

    @staticmethod
    def of(step: int | None, scalars: Mapping[str, float], png: bytes, caption: str) -> LogPoint:
        """A point with the bytes of its picture."""
        return LogPoint(step, scalars, b64encode(png).decode(), caption)

    @property
    def png(self) -> bytes:
        """The bytes of the picture."""
        return b64decode(self.picture)


@dataclass(frozen=True, slots=True)
class SessionInput:
    """What a session is told: the target, the name and id of the run there, and the points.

    ``folder`` is where a tracker that keeps files of its own may put them; ``config`` says what was run, ``logged`` how
    many points earlier sessions have stored.
    """

    kind: str
    place: str
    name: str
    run_id: str
    folder: str
    config: Mapping[str, Any] = field(default_factory=dict)
    logged: int = 0
    points: Sequence[LogPoint] = ()

    def written(self) -> bytes:
        """The input as JSON."""
        return json.dumps(asdict(self)).encode()

    @staticmethod
    def read(data: bytes) -> SessionInput:
        """The input that ``written`` gave."""
        fields = json.loads(data)
        return SessionInput(**{**fields, "points": [LogPoint(**point) for point in fields["points"]]})


def log_to_tensorboard(session: SessionInput) -> None:
    """Write a file of events into DIR/NAME."""
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.summary.writer.event_file_writer import EventFileWriter

    writer = EventFileWriter(str(tensorboard_folder(session.place, session.name)))
    for point in session.points:
        values = [Summary.Value(tag=tag, simple_value=number) for tag, number in point.scalars.items()]
        if point.picture:
            width, height = _size(point.png)
            image = Summary.Image(height=height, width=width, colorspace=3, encoded_image_string=point.png)
            values.append(Summary.Value(tag=PICTURE, image=image))
        writer.add_event(Event(wall_time=time.time(), step=point.step or 0, summary=Summary(value=values)))
    writer.close()


def tensorboard_folder(place: str, name: str) -> Path:
    """Where the events of a run lie: TensorBoard shows each folder below DIR as a run."""
    return Path(place) / name


def log_to_wandb(session: SessionInput) -> None:
    """Add to a run of a project; the same id continues it."""
    import wandb
    from PIL import Image

    wanted: dict[str, Any] = {"silent": True, "console": "off", "disable_git": True, "save_code": False}
    wanted |= dict.fromkeys(("x_disable_stats", "x_disable_meta", "x_disable_machine_info"), True)
    wanted |= {"x_save_requirements": False}
    known = set(wandb.Settings.model_fields)  # names that begin with x_ come and go with versions
    run = wandb.init(
        project=session.place,
        name=session.name,
        id=session.run_id,
        resume="allow",
        config=dict(session.config),
        dir=os.environ.get("WANDB_DIR") or session.folder,
        settings=wandb.Settings(**{name: value for name, value in wanted.items() if name in known}),
    )
    if any(point.step is not None for point in session.points):
        run.define_metric(STEP)
        run.define_metric("*", step_metric=STEP)
    for place, point in enumerate(session.points, start=session.logged):
        row: dict[str, Any] = dict(point.scalars)
        if point.picture:
            row[PICTURE] = wandb.Image(Image.open(BytesIO(point.png)), caption=point.caption)
        # A server knows how far a run is; files of several sessions must not begin at 0 each.
        run.log(row if point.step is None else {**row, STEP: point.step}, step=place if run.offline else None)
    run.finish()


def log_to_trackio(session: SessionInput) -> None:
    """Add to a run of a project in Trackio's local database; the same name continues it."""
    import trackio
    from PIL import Image

    trackio.init(project=session.place, name=session.name, config=dict(session.config), resume="allow")
    for point in session.points:
        row: dict[str, Any] = dict(point.scalars)
        if point.picture:
            row[PICTURE] = trackio.Image(Image.open(BytesIO(point.png)), caption=point.caption)
        trackio.log(row, step=point.step or 0)
    trackio.finish()


TRACKERS = {"tensorboard": log_to_tensorboard, "wandb": log_to_wandb, "trackio": log_to_trackio}


def _size(png: bytes) -> tuple[int, int]:
    """Width and height, from the header of a PNG file."""
    return int.from_bytes(png[16:20]), int.from_bytes(png[20:24])


def main() -> None:
    """Log what stdin says."""
    session = SessionInput.read(sys.stdin.buffer.read())
    TRACKERS[session.kind](session)

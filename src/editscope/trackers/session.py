"""Session with a tracker, in a process of its own: whatever a tracker's library does, the run is not touched.

It reads one line of JSON, ``SessionInput``, from stdin and stores its points; each further line is a list of more
points. A line on stdout follows each time when they are stored. When stdin ends, so does the session; exit code 0 says
that all are stored.
"""

from __future__ import annotations

import json
import os
import sys
import time
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from io import BytesIO
from pathlib import Path
from typing import IO, Any

STEP = "checkpoint_step"
"""The name of the steps of a watch in Weights & Biases, which takes steps of its own in ascending order only."""
PICTURE = "cases"
STORED = b"stored\n"


@dataclass(frozen=True, slots=True)
class LogPoint:
    """What is logged at one step: scalars by name, and the grid of cases as a PNG file in base64.

    ``restart`` says that steps after this one come again, in place of those that were logged.
    """

    step: int | None
    scalars: Mapping[str, float]
    picture: str = ""
    caption: str = ""
    restart: bool = False

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
    many points earlier sessions have stored, ``step_name`` what a step is a step of.
    """

    kind: str
    place: str
    name: str
    run_id: str
    folder: str
    config: Mapping[str, Any] = field(default_factory=dict)
    logged: int = 0
    points: Sequence[LogPoint] = ()
    step_name: str = STEP

    def written(self) -> bytes:
        """The input as a line of JSON."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @staticmethod
    def read(data: bytes) -> SessionInput:
        """The input that ``written`` gave."""
        fields = json.loads(data)
        return SessionInput(**{**fields, "points": [LogPoint(**point) for point in fields["points"]]})


def written_points(points: Sequence[LogPoint]) -> bytes:
    """More points for a session as a line of JSON."""
    return json.dumps([asdict(point) for point in points]).encode() + b"\n"


def log_to_tensorboard(session: SessionInput, batches: Iterable[Sequence[LogPoint]]) -> None:
    """Write a file of events into DIR/NAME."""
    from tensorboard.compat.proto.event_pb2 import Event, SessionLog
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.summary.writer.event_file_writer import EventFileWriter

    writer = EventFileWriter(str(tensorboard_folder(session.place, session.name)))
    if session.config and not session.logged:
        writer.add_event(Event(wall_time=time.time(), step=0, summary=_hyperparameters(session)))
    for points in batches:
        for point in points:
            if point.restart:  # TensorBoard drops what it knows from this step on
                again = SessionLog(status=SessionLog.START)
                writer.add_event(Event(wall_time=time.time(), step=(point.step or 0) + 1, session_log=again))
                continue
            values = [Summary.Value(tag=tag, simple_value=number) for tag, number in point.scalars.items()]
            if point.picture:
                width, height = _size(point.png)
                image = Summary.Image(height=height, width=width, colorspace=3, encoded_image_string=point.png)
                values.append(Summary.Value(tag=PICTURE, image=image))
            writer.add_event(Event(wall_time=time.time(), step=point.step or 0, summary=Summary(value=values)))
        writer.flush()
    writer.close()


def _hyperparameters(session: SessionInput) -> Any:
    from tensorboard.plugins.hparams.summary_v2 import hparams_pb

    return hparams_pb(flat_settings(session.config), trial_id=session.name)


def flat_settings(settings: Mapping[str, Any], prefix: str = "") -> dict[str, bool | int | float | str]:
    """Settings of all levels by one name each; what is neither number nor text becomes JSON.

    >>> flat_settings({"rate": 1e-4, "model": {"rank": 16, "targets": ["to_q", "to_k"]}, "judge": None})
    {'rate': 0.0001, 'model.rank': 16, 'model.targets': '["to_q", "to_k"]', 'judge': 'null'}
    """
    flat: dict[str, bool | int | float | str] = {}
    for name, value in settings.items():
        if isinstance(value, Mapping):
            flat |= flat_settings(value, f"{prefix}{name}.")
        else:
            plain = isinstance(value, bool | int | float | str)
            flat[f"{prefix}{name}"] = value if plain else json.dumps(value, ensure_ascii=False, default=str)
    return flat


def tensorboard_folder(place: str, name: str) -> Path:
    """Where the events of a run lie: TensorBoard shows each folder below DIR as a run."""
    return Path(place) / name


def log_to_wandb(session: SessionInput, batches: Iterable[Sequence[LogPoint]]) -> None:
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
    place, by_step = session.logged, False
    for points in batches:
        if not by_step and any(point.step is not None for point in points):
            by_step = True
            run.define_metric(session.step_name)
            run.define_metric("*", step_metric=session.step_name)
        for point in points:
            row: dict[str, Any] = dict(point.scalars)
            if point.picture:
                row[PICTURE] = wandb.Image(Image.open(BytesIO(point.png)), caption=point.caption)
            row |= {} if point.step is None else {session.step_name: point.step}
            # A server knows how far a run is; files of several sessions must not begin at 0 each.
            run.log(row, step=place if run.offline else None)
            place += 1
    run.finish()


def log_to_trackio(session: SessionInput, batches: Iterable[Sequence[LogPoint]]) -> None:
    """Add to a run of a project in Trackio's local database; the same name continues it."""
    import trackio
    from PIL import Image

    trackio.init(project=session.place, name=session.name, config=dict(session.config), resume="allow")
    for points in batches:
        for point in points:
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
    # A library that prints must not say that something is stored.
    with os.fdopen(os.dup(1), "wb", buffering=0) as stored:
        os.dup2(2, 1)
        session = SessionInput.read(sys.stdin.buffer.readline())
        TRACKERS[session.kind](session, _batches(session, sys.stdin.buffer, stored))


def _batches(session: SessionInput, lines: Iterable[bytes], stored: IO[bytes]) -> Iterator[Sequence[LogPoint]]:
    """The points line by line; whoever asks for the next ones has stored those before."""
    yield session.points
    stored.write(STORED)
    for line in lines:
        yield [LogPoint(**point) for point in json.loads(line)]
        stored.write(STORED)

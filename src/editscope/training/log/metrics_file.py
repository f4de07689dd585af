"""The file of a training: append-only, one line of JSON for each step, event and look at the fixed cases."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from editscope.outside import is_text
from editscope.runfolder.journal_blocks import read_pieces, whole_lines
from editscope.runfolder.journal_lines import checksum_holds

FILE = "metrics.jsonl"
START, STEP, EVENT, SAMPLES = "start", "step", "event", "samples"
"""The kinds of lines. A start says from which step on a process trains: what earlier ones wrote after it is void."""


@dataclass(frozen=True, slots=True)
class TrainingEvent:
    """Something that happened after a step, as a sentence; ``superseded`` if a later start went back before it."""

    step: int
    seconds: float
    kind: str
    sentence: str
    superseded: bool = False


@dataclass(frozen=True, slots=True)
class SampleCase:
    """A fixed case after some step: the files of its pictures, relative to the folder of the experiment."""

    id: str
    instruction: str
    inputs: tuple[str, ...]
    answer: str | None
    edit: str


@dataclass
class LoggedTraining:
    """What a file of metrics says: one value of each name for a step, in the order of steps."""

    metrics: dict[int, dict[str, float | None]] = field(default_factory=dict)
    seconds: dict[int, float] = field(default_factory=dict)
    samples: dict[int, tuple[SampleCase, ...]] = field(default_factory=dict)
    events: list[TrainingEvent] = field(default_factory=list)
    settings: Mapping[str, Any] = field(default_factory=dict)
    starts: list[int] = field(default_factory=list)
    damaged: int = 0
    """Lines that are not as they were written; they are left out."""

    @property
    def last_step(self) -> int:
        """The last step that has a line; 0 if none has."""
        return max(self.metrics, default=0)

    def names(self) -> list[str]:
        """The names of all metrics, in the order of their first values."""
        return list(dict.fromkeys(name for values in self.metrics.values() for name in values))

    def curve(self, name: str) -> list[tuple[int, float]]:
        """The values of a metric with their steps; what has no value is left out."""
        steps = ((step, values.get(name)) for step, values in self.metrics.items())
        return [(step, value) for step, value in steps if value is not None]

    def seconds_at(self, step: int) -> float:
        """How long the training had taken after a step, by the last line up to it."""
        return max((at for done, at in self.seconds.items() if done <= step), default=0.0)

    def add(self, line: Mapping[str, Any]) -> None:
        """Add the next line; ValueError, KeyError or TypeError if it is not a line of a training."""
        kind, step, seconds = line["kind"], _whole(line["step"]), float(line["seconds"])
        if kind == START:
            self._start(step, dict(line["settings"]))
            return
        if kind == STEP:
            values = {str(name): None if v is None else float(v) for name, v in line["metrics"].items()}
            self.metrics.setdefault(step, {}).update(values)
        elif kind == EVENT:
            self.events.append(TrainingEvent(step, seconds, str(line["event"]), str(line["sentence"])))
        elif kind == SAMPLES:
            self.samples[step] = tuple(sample_case(case) for case in line["cases"])
        else:
            raise ValueError(f"{kind!r} is not a kind of line")
        self.seconds[step] = max(seconds, self.seconds.get(step, 0.0))

    def _start(self, step: int, settings: Mapping[str, Any]) -> None:
        self.settings = settings
        self.starts.append(step)
        for by_step in (self.metrics, self.seconds, self.samples):
            for void in [later for later in by_step if later > step]:
                del by_step[void]
        self.events = [_superseded(event) if event.step > step else event for event in self.events]

    def _in_order(self) -> LoggedTraining:
        for name in ("metrics", "seconds", "samples"):
            setattr(self, name, dict(sorted(getattr(self, name).items())))
        return self


def read_training(folder: Path) -> LoggedTraining:
    """Read the file of metrics in a folder; an empty record if there is none.

    A torn last line is ignored, and lines before it that are damaged are counted and left out.
    """
    record = LoggedTraining()
    for line in parsed_lines(whole_lines(read_pieces(folder / FILE))):
        try:
            if line is None:
                raise ValueError
            record.add(line)
        except (ValueError, KeyError, TypeError, AttributeError):
            record.damaged += 1
    return record._in_order()


def parsed_lines(blocks: Iterable[bytes]) -> Iterator[Mapping[str, Any] | None]:
    """The lines of whole blocks of the file; None for one that is not as it was written."""
    for block in blocks:
        for data in block.split(b"\n")[:-1]:
            try:
                line = json.loads(data)
            except (ValueError, RecursionError):
                line = None
            yield line if isinstance(line, dict) and checksum_holds(data, line) else None


def sample_fields(cases: Sequence[SampleCase]) -> list[dict[str, Any]]:
    """Cases as a line has them."""
    names = ("id", "instruction", "inputs", "answer", "edit")
    return [{name: getattr(case, name) for name in names} for case in cases]


def sample_case(fields: Mapping[str, Any]) -> SampleCase:
    """The case of a line; ValueError, KeyError or TypeError if it is not one."""
    answer = fields["answer"]
    inputs = tuple(_inside(path) for path in fields["inputs"])
    texts = str(fields["id"]), str(fields["instruction"]), inputs
    return SampleCase(*texts, None if answer is None else _inside(answer), _inside(fields["edit"]))


def _inside(path: Any) -> str:
    """A path below the folder of the experiment; ValueError for any other."""
    place = PurePosixPath(path)
    if not is_text(path) or place.is_absolute() or ".." in place.parts:
        raise ValueError(f"{path!r} is not a path of a sample")
    return str(place)


def _superseded(event: TrainingEvent) -> TrainingEvent:
    return TrainingEvent(event.step, event.seconds, event.kind, event.sentence, superseded=True)


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{value!r} is not a step")
    return value

"""What a tracker gets of a training: the lines of its file, brought by a thread that the training does not wait for."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from editscope.errors import EditscopeError
from editscope.files import open_file
from editscope.images import encode_png
from editscope.outside import one_line, received_json
from editscope.trackers.logged_book import LoggedBook, still_there
from editscope.trackers.scalars import finite
from editscope.trackers.sending import PATIENCE_S, TrackerSession
from editscope.trackers.session import LogPoint, SessionInput
from editscope.trackers.targets import INSTALL, TENSORBOARD, LogTarget, installed, read_targets
from editscope.training.log.metrics_file import FILE, SAMPLES, START, STEP, parsed_lines, sample_case
from editscope.training.log.samples import sample_grid

EVERY_S = 10.0
"""How often a tracker gets what is new."""
RETRY_S = 300.0
"""How long a tracker that failed is left alone."""
TOGETHER = 500
"""How many lines go to a tracker at a time."""
STEP_NAME = "step"
OPTION = "[tracking] trackers:"


def training_targets(folder: Path, texts: Sequence[str], say: Callable[[str], None]) -> tuple[LogTarget, ...]:
    """The targets that an experiment names, BadInput where one cannot be used; "tensorboard" logs into its folder.

    That is the default, so where TensorBoard is not installed, a sentence says so and the training goes on without.
    """
    named = []
    for text in texts:
        if text != TENSORBOARD:
            named.append(text)
        elif installed(TENSORBOARD):
            named.append(f"{TENSORBOARD}:{folder / TENSORBOARD}")
        else:
            say(f"TensorBoard gets nothing of this training, it is not installed: {INSTALL[TENSORBOARD]}")
    return read_targets(named, OPTION)


@dataclass(frozen=True, slots=True)
class _Sent:
    """How much of the file a tracker has: bytes of it, points made of them, and the last step among them.

    Steps up to ``again`` came before the training went back; a tracker that cannot take steps back has them.
    """

    id: str
    bytes: int = 0
    points: int = 0
    step: int = -1
    again: int = -1

    @staticmethod
    def of(fields: Mapping[str, Any], *, there: bool) -> _Sent:
        identity = str(fields.get("id") or secrets.token_hex(4))
        counts = {name: fields.get(name) for name in ("bytes", "points", "step", "again")}
        if not there or not all(isinstance(count, int) for count in counts.values()):
            return _Sent(identity)
        return _Sent(identity, **counts)  # type: ignore[arg-type]  # all are whole numbers

    def with_line(self, point: LogPoint | None, *, starts: bool) -> _Sent:
        """How much it has with the point of another line."""
        sent = replace(self, again=self.step) if starts else self
        if point is None:
            return sent
        return replace(sent, points=sent.points + 1, step=max(sent.step, point.step or 0))


class TrackerFeed:
    """Brings the lines of a training to one target; a failure is told once, stops nothing, and is tried again."""

    def __init__(
        self,
        folder: Path,
        target: LogTarget,
        settings: Mapping[str, Any],
        say: Callable[[str], None],
        *,
        every_s: float = EVERY_S,
        retry_s: float = RETRY_S,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._folder, self._target, self._say = folder, target, say
        self._settings: Mapping[str, Any] = received_json(settings)
        self._every_s, self._retry_s, self._patience_s = every_s, retry_s, patience_s
        self._session: TrackerSession | None = None
        self._told = False
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name=f"editscope-{target.kind}", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Bring what is left and end the session; a tracker that does not answer is waited for only so long."""
        self._closing.set()
        self._thread.join()

    def _work(self) -> None:
        failed = False
        while not failed or not self._closing.is_set():
            closing = self._closing.wait(self._retry_s if failed else self._every_s)
            try:
                self._catch_up()
                failed = False
                if closing:
                    self._end()
                    return
            except Exception as error:  # whatever it is, the training is worth more
                failed = True
                self._tell(error)
                self._drop()

    def _catch_up(self) -> None:
        book = LoggedBook(self._folder)
        name = self._folder.absolute().name
        there = still_there(self._target, name)
        sent = _Sent.of(book.get(self._target), there=there)
        if self._session is not None and not there:  # somebody deleted the files of an open session
            self._drop()
        for points, after in self._batches(sent):
            if points and self._session is None:
                book.put(self._target, asdict(sent))  # a session that is cut off continues under the same id
                place = self._target.full_place
                session = SessionInput(
                    *(self._target.kind, place, name, sent.id, str(self._folder.absolute()), self._settings),
                    logged=sent.points,
                    points=points,
                    step_name=STEP_NAME,
                )
                self._session = TrackerSession(session, self._patience_s)
            elif points and self._session is not None:
                self._session.add(points)
            sent = after
            book.put(self._target, asdict(sent))

    def _batches(self, sent: _Sent) -> Iterator[tuple[list[LogPoint], _Sent]]:
        """Points of lines that the target does not have, and how much it has with them."""
        for block in _new_lines(self._folder / FILE, sent.bytes):
            points = []
            for line in parsed_lines([block]):
                point = None if line is None else self._point(line, sent)
                points += [point] if point else []
                sent = sent.with_line(point, starts=line is not None and line.get("kind") == START)
            sent = replace(sent, bytes=sent.bytes + len(block))
            yield points, sent

    def _point(self, line: Mapping[str, Any], sent: _Sent) -> LogPoint | None:
        """What a target gets of a line; None for nothing.

        TensorBoard can take steps back. Of other trackers a step keeps the values that it had first: a training that
        goes back to a checkpoint gives the same ones.
        """
        try:
            kind, step = line["kind"], int(line["step"])
            if kind == START:
                return LogPoint(step, {}, restart=True) if self._target.kind == TENSORBOARD and sent.points else None
            if self._target.kind != TENSORBOARD and step <= sent.again:
                return None
            if kind == STEP:
                return LogPoint(step, finite(line["metrics"]))
            if kind == SAMPLES and line["cases"]:
                cases = [sample_case(fields) for fields in line["cases"]]
                png = encode_png(sample_grid(self._folder, {step: cases}), palette=False)
                return LogPoint.of(step, {}, png, "\n".join(f"{case.id}: {case.instruction}" for case in cases))
        except (EditscopeError, OSError, ValueError, KeyError, TypeError, AttributeError):
            pass  # a line or a picture that somebody changed; what reads the file says so
        return None

    def _end(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.end()

    def _drop(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.abandon()

    def _tell(self, error: Exception) -> None:
        if not self._told:
            self._told = True
            reason = str(error) if isinstance(error, EditscopeError) else one_line(error)
            self._say(f"could not log to {self._target}: {reason}; {FILE} has everything, and the next start goes on")


def _new_lines(path: Path, start: int) -> Iterator[bytes]:
    """The whole lines of a file from a place on, some at a time."""
    with open_file(path) as file:
        file.seek(start)
        while lines := [line for _ in range(TOGETHER) if (line := file.readline()).endswith(b"\n")]:
            yield b"".join(lines)

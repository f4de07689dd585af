"""Feed of a tracker: a thread sends it the lines of the log file, without delaying the training."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice, takewhile
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
"""How often new lines are sent to a tracker."""
RETRY_S = 300.0
"""How long to wait before a failed tracker is tried again."""
TOGETHER = 500
"""How many lines are sent to a tracker at a time."""
STEP_NAME = "step"
OPTION = "[tracking] trackers:"


def training_targets(folder: Path, texts: Sequence[str], say: Callable[[str], None]) -> tuple[LogTarget, ...]:
    """The targets that an experiment names; "tensorboard" logs into its folder. BadInput for an unusable target.

    TensorBoard is the default, so the training continues without it, with a sentence, if it is not installed.
    """
    named = []
    for text in texts:
        if text != TENSORBOARD:
            named.append(text)
        elif installed(TENSORBOARD):
            named.append(f"{TENSORBOARD}:{folder / TENSORBOARD}")
        else:
            say(f"TensorBoard is not installed, so this training is not logged to it: {INSTALL[TENSORBOARD]}")
    return read_targets(named, OPTION)


@dataclass(frozen=True, slots=True)
class _Sent:
    """How much of the file a tracker has: bytes, the points made from them, and the last step among them.

    Steps up to ``again`` were sent before the training went back; a tracker that cannot go back keeps them.
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
        return _Sent(identity, **counts)  # type: ignore[arg-type]  # all are integers

    def with_line(self, point: LogPoint | None, *, starts: bool) -> _Sent:
        """How much it has after the point of another line."""
        sent = replace(self, again=self.step) if starts else self
        if point is None:
            return sent
        return replace(sent, points=sent.points + 1, step=max(sent.step, point.step or 0))


class TrackerFeed:
    """Sends the lines of a training to one target; a failure is reported once, stops nothing, and is retried."""

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
        """Send what is left and end the session; a tracker that does not answer is waited for only a limited time."""
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
            except Exception as error:  # whatever it is, it must not stop the training
                failed = True
                self._tell(error)
                self._drop()

    def _catch_up(self) -> None:
        book = LoggedBook(self._folder)
        name = self._folder.absolute().name
        there = still_there(self._target, name)
        sent = _Sent.of(book.get(self._target), there=there)
        if self._session is not None and not there:  # the files of an open session were deleted
            self._drop()
        for points, after in self._batches(sent):
            if points and self._session is None:
                book.put(self._target, asdict(sent))  # an interrupted session continues under the same id
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
        """Points of lines that the target does not have, and how much it has after them."""
        for block in _new_lines(self._folder / FILE, sent.bytes):
            points = []
            for line in parsed_lines([block]):
                point = None if line is None else self._point(line, sent)
                points += [point] if point else []
                sent = sent.with_line(point, starts=line is not None and line.get("kind") == START)
            sent = replace(sent, bytes=sent.bytes + len(block))
            yield points, sent

    def _point(self, line: Mapping[str, Any], sent: _Sent) -> LogPoint | None:
        """The point that a target gets for a line, if any.

        TensorBoard can take steps back. In other trackers a step keeps its first values: a training that goes back to a
        checkpoint computes the same ones.
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
            pass  # the line or a picture was changed; readers of the file report it
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
            self._say(f"could not log to {self._target}: {reason}; {FILE} has everything, and the next start continues")


def _new_lines(path: Path, start: int) -> Iterator[bytes]:
    """The complete lines of a file from a position on, in blocks."""
    with open_file(path) as file:
        file.seek(start)
        whole = takewhile(lambda line: line.endswith(b"\n"), file)
        while lines := list(islice(whole, TOGETHER)):
            yield b"".join(lines)

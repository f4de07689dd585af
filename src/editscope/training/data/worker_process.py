"""Worker processes that make examples: each opens the sources once, then makes the requested examples."""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from editscope.errors import EditscopeError, Stopped
from editscope.images import Pixels, keep_freed_memory
from editscope.training.data.buckets import BucketKey, fit_example
from editscope.training.data.examples import EditExample
from editscope.training.data.settings import PartSettings, SizeSettings
from editscope.training.data.sources import TrainingSource, open_source

SLOT = 1 << 32
"""Bytes from one slot of the shared file to the next."""


@dataclass(frozen=True, slots=True)
class ExampleJob:
    """An example that is to be made: the number of its source, its own, and the bucket it goes to."""

    ticket: int
    part: int
    number: int
    chance: float
    key: BucketKey
    slot: int = 0
    """Where in the shared file its pixels go."""


@dataclass(frozen=True, slots=True)
class MakerSetup:
    """The first message to a worker."""

    parts: tuple[PartSettings, ...]
    sizes: SizeSettings
    cases: bool


@dataclass(frozen=True, slots=True)
class PackedExample:
    """An example without its pixels, which lie in the shared file: first those of the inputs, then the answer's."""

    ticket: int
    slot: int
    example: EditExample
    shapes: tuple[tuple[int, ...], ...]
    has_answer: bool
    case_pictures: bool
    """Whether the pictures of the case are those of the example."""


@dataclass(frozen=True, slots=True)
class MakerTrouble:
    """An example that could not be made, with the reason."""

    ticket: int
    slot: int
    error: EditscopeError | str


def make_example(sources: Sequence[TrainingSource], job: ExampleJob, sizes: SizeSettings, cases: bool) -> EditExample:
    """The example of a job, its pictures in the size of its bucket."""
    example = sources[job.part].example(job.number, job.chance)
    if not cases:
        example = replace(example, case=None)
    return fit_example(example, job.key, sizes)


def pack(job: ExampleJob, example: EditExample) -> tuple[PackedExample, list[Pixels]]:
    """An example in the form in which it is sent."""
    pixels = [*example.pictures, *([] if example.answer is None else [example.answer])]
    pixels = [np.ascontiguousarray(picture) for picture in pixels]
    case = example.case
    shared = case is not None and case.images is example.pictures
    if case is not None and shared:
        case = replace(case, images=(), answer=None)
    bare = replace(example, pictures=(), answer=None, case=case)
    shapes = tuple(picture.shape for picture in pixels)
    return PackedExample(job.ticket, job.slot, bare, shapes, example.answer is not None, shared), pixels


def unpack(packed: PackedExample, pixels: list[Pixels]) -> EditExample:
    """The example that was packed."""
    answer = pixels.pop() if packed.has_answer else None
    pictures, case = tuple(pixels), packed.example.case
    if case is not None and packed.case_pictures:
        case = replace(case, images=pictures, answer=answer)
    return replace(packed.example, pictures=pictures, answer=answer, case=case)


def write_pixels(shared: int, slot: int, pixels: Sequence[Pixels]) -> None:
    """Put pictures into a slot of the shared file. The file has holes: only what is written takes memory."""
    place = slot * SLOT
    for picture in pixels:
        if os.pwrite(shared, picture.data.cast("B"), place) != picture.nbytes:
            raise Stopped("out of memory for pictures; reduce [data] workers or ahead")
        place += picture.nbytes


def read_pixels(shared: int, packed: PackedExample) -> list[Pixels]:
    """The pictures of an example, copied out of its slot."""
    place, pixels = packed.slot * SLOT, []
    for shape in packed.shapes:
        picture = np.empty(shape, np.uint8)
        os.preadv(shared, [picture.data.cast("B")], place)
        pixels.append(picture)
        place += picture.nbytes
    return pixels


def command(fd: int, shared: int) -> list[str]:
    """The command line that starts a worker with this process's module search path."""
    start = (
        "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
        "from editscope.training.data.worker_process import main; main(*map(int, sys.argv[2:]))"
    )
    return [sys.executable, "-P", "-c", start, json.dumps(sys.path), str(fd), str(shared)]


def main(fd: int, shared: int) -> None:
    """The life of a worker: the first message is its setup, the end of the pipe is its end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the trainer decides what a Ctrl-C means
    keep_freed_memory()
    connection: Connection[Any, Any] = Connection(fd)
    try:
        setup: MakerSetup = connection.recv()
    except (EOFError, OSError):
        os._exit(1)
    jobs: queue.SimpleQueue[ExampleJob] = queue.SimpleQueue()
    # Reading has a thread of its own, so that the end of the trainer is noticed in the middle of a job.
    threading.Thread(target=_read, args=(connection, jobs), daemon=True).start()
    sources: list[TrainingSource] | None = None
    while True:
        job = jobs.get()
        try:
            if sources is None:
                sources = _opened(setup)
            packed, pixels = pack(job, make_example(sources, job, setup.sizes, setup.cases))
            write_pixels(shared, job.slot, pixels)
        except Exception as error:
            reason = error if isinstance(error, EditscopeError) else f"{type(error).__name__}: {error}"
            _send(connection, MakerTrouble(job.ticket, job.slot, reason))
        else:
            _send(connection, packed)


def _opened(setup: MakerSetup) -> list[TrainingSource]:
    from editscope.compiled import compile_ahead

    sources = [open_source(part) for part in setup.parts]
    compile_ahead({module for source in sources for module in source.compiled_in})
    return sources


def _send(connection: Connection[Any, Any], message: PackedExample | MakerTrouble) -> None:
    try:
        connection.send(message)
    except OSError:  # the trainer has ended: there is nobody left to notify
        os._exit(1)


def _read(connection: Connection[Any, Any], jobs: queue.SimpleQueue[ExampleJob]) -> None:
    try:
        while True:
            jobs.put(connection.recv())
    except (EOFError, OSError):
        os._exit(1)

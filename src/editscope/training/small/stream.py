"""Stream of examples for the small editor: batches by number, made by worker processes."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from editscope.compiled import compile_ahead
from editscope.errors import BadInput
from editscope.suites.generated.stream import StreamPlace, training_namespace
from editscope.suites.paintbench.catalog import CONDITIONS, MODES
from editscope.suites.paintbench.lessons import LessonStream
from editscope.training.small.examples import example_of

Cell = tuple[str, str, str]
"""Task, mode and condition."""


def cells_of(shares: Mapping[str, float], without: Sequence[str] = ()) -> list[tuple[Cell, float]]:
    """All cells with the share of each. ``shares`` are those of tasks, 1 by default.

    ``without`` lists what to leave out of training: conditions ("striped"), tasks ("legend") or modes of tasks
    ("rotation/external").
    """
    cells = []
    for task, modes in MODES.items():
        for mode in modes:
            for condition in CONDITIONS:
                if {task, f"{task}/{mode}", condition} & set(without):
                    continue
                cells.append(((task, mode, condition), shares.get(task, 1.0) / len(modes)))
    return cells


def task_names() -> tuple[str, ...]:
    """The tasks that can have a share."""
    return tuple(MODES)


def held_out_names() -> tuple[str, ...]:
    """What can be held out: conditions, tasks, and modes of tasks."""
    modes = (f"{task}/{mode}" for task, modes in MODES.items() for mode in modes)
    return (*CONDITIONS, *MODES, *modes)


class ExampleStream(IterableDataset[dict[str, Tensor]]):
    """An endless stream of parts of batches: part p has the examples p · size … (p + 1) · size − 1.

    The example at a number depends on the seed and the number alone.
    """

    benchmark = LessonStream.name
    """The benchmark whose kind of problems the stream has."""

    def __init__(
        self, seed: int, size: int, begin: int, shares: Mapping[str, float], without: Sequence[str] = ()
    ) -> None:
        self._size, self._begin, self._seed = size, begin, seed
        cells = cells_of(shares, without)
        self._cells = [cell for cell, _ in cells]
        weights = np.array([share for _, share in cells], np.float64)
        if not weights.sum() > 0:
            raise BadInput("[stage] without and shares leave no problems to learn from")
        self._until = np.cumsum(weights / weights.sum())
        self._stream = LessonStream(training_namespace(seed))

    def __iter__(self) -> Iterator[dict[str, Tensor]]:
        """The parts of this worker."""
        torch.set_num_threads(1)
        compile_ahead(self._stream.compiled_in)
        worker = get_worker_info()
        number, step = (0, 1) if worker is None else (worker.id, worker.num_workers)
        while True:
            yield self.part(self._begin + number)
            number += step

    def part(self, number: int) -> dict[str, Tensor]:
        """The examples of a part, stacked."""
        examples = [self.example(number * self._size + place) for place in range(self._size)]
        return {name: torch.from_numpy(np.stack([example[name] for example in examples])) for name in examples[0]}

    def place(self, number: int) -> StreamPlace:
        """The problem at a number: a cell drawn by its share, and in it a problem that no other number has."""
        draw = np.random.default_rng((self._seed, number)).random()
        task, mode, condition = self._cells[min(int(np.searchsorted(self._until, draw)), len(self._cells) - 1)]
        modes = MODES[task]
        return StreamPlace((task, condition), number * len(modes) + modes.index(mode))

    def example(self, number: int) -> dict[str, Any]:
        """The example at a number. If its cell has no problem there, it is that of a number far beyond."""
        while True:
            try:
                return example_of(self._stream.lesson(self.place(number)), number)
            except BadInput:
                number += 1 << 40


def batches(stream: ExampleStream, workers: int, parts: int, device: str) -> Iterator[dict[str, Tensor]]:
    """Batches of ``parts`` parts each, on the device."""
    loader: DataLoader[dict[str, Tensor]] = DataLoader(
        stream,
        batch_size=None,
        num_workers=workers,
        prefetch_factor=6 if workers else None,
        pin_memory=device != "cpu",
        persistent_workers=workers > 0,
        worker_init_fn=_ignore_interrupts if workers else None,
    )
    kept: list[dict[str, Tensor]] = []
    for part in loader:
        kept.append({name: value.to(device, non_blocking=True) for name, value in part.items()})
        if len(kept) == parts:
            yield {name: torch.cat([piece[name] for piece in kept]) for name in kept[0]}
            kept = []


def _ignore_interrupts(_: int) -> None:
    """Leave Ctrl-C to the process that trains: it finishes its step, for which it needs the workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def is_death_of_worker(error: BaseException) -> bool:
    """Whether an error says that a worker process died: its connection ends, or PyTorch has noticed.

    PyTorch may raise it anywhere, since it is told by a signal.

    >>> is_death_of_worker(RuntimeError("DataLoader worker (pid 7) is killed by signal: Killed."))
    True
    """
    return isinstance(error, EOFError | ConnectionError) or "DataLoader worker (pid" in str(error)

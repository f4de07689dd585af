"""The loader: the same examples whatever makes them, and after whatever interruption."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from itertools import count, islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from editscope.errors import BadInput, Stopped
from editscope.training.data.workers import InWorkers
from support.judged_data import make_worldedit
from support.small_sets import make_small_set
from support.training.training_data import opened, seen, settings_of, small_part

STREAM = {"source": "stream:paintbench?tasks=border&conditions=baseline&canvas=128x128", "weight": 1, "name": "stream"}
SMALL = {"sizes": ["64x64"], "resample": "nearest", "enlarge": 2.0}


def mixed(folder: Path, **more: Any) -> Any:
    return settings_of(small_part(folder / "set", weight=2, name="set"), STREAM, sizes=SMALL, **more)


def test_interrupted_and_resumed_equals_uninterrupted(tmp_path: Path) -> None:
    settings = mixed(tmp_path)
    whole = seen(islice(opened(settings, 3), 12))
    assert len({example[2] for batch in whole for example in batch}) > 20
    for stop in (0, 1, 5):  # five batches are in the middle of an epoch of the set
        first = opened(settings, 3)
        before = seen(islice(first, stop))
        kept = json.dumps(first.state())
        second = opened(settings, 3)
        second.load_state(json.loads(kept))
        assert before + seen(islice(second, 12 - stop)) == whole


@pytest.mark.slow
def test_workers_make_what_the_trainer_would_make_and_resume_exactly(tmp_path: Path) -> None:
    whole = seen(islice(opened(mixed(tmp_path), 2), 8))
    for workers in (1, 2):
        with opened(mixed(tmp_path, workers=workers, ahead=3), 2) as loader:
            first = seen(islice(loader, 3))
            kept = loader.state()
            rest = seen(islice(loader, 5))
            loader.load_state(kept)
            assert first + rest == whole and seen(islice(loader, 5)) == rest


def test_all_processes_together_see_what_one_would(tmp_path: Path) -> None:
    settings = mixed(tmp_path)
    alone = seen(islice(opened(settings), 6))
    ranks = [opened(settings, rank=rank, world=2) for rank in (0, 1)]
    split = [seen(islice(loader, 3)) for loader in ranks]
    assert [batch for both in zip(*split, strict=True) for batch in both] == alone
    assert ranks[0].state() == ranks[1].state()
    three = opened(settings, rank=1, world=3)
    three.load_state(ranks[0].state())
    assert seen(islice(three, 1))[0] == seen(islice(opened(settings), 8))[7]


def test_a_mixture_keeps_its_proportions(tmp_path: Path) -> None:
    parts = [example.part for batch in islice(opened(mixed(tmp_path), 3), 10) for example in batch]
    assert parts.count("set") == 20 and parts.count("stream") == 10


def test_a_batch_has_one_size_and_one_number_of_pictures(tmp_path: Path) -> None:
    make_small_set(tmp_path / "wide", side=96)
    settings = settings_of(small_part(tmp_path / "set", name="a"), small_part(tmp_path / "wide", name="b"))
    batches = list(islice(opened(settings, 4), 6))
    sizes = [{example.pictures[0].shape for example in batch} for batch in batches]
    assert all(len(one) == 1 for one in sizes) and set.union(*sizes) == {(48, 48, 3), (96, 96, 3)}
    assert all(
        example.answer is not None and example.answer.shape == example.pictures[0].shape for example in batches[0]
    )


def test_epochs_end_after_every_record(tmp_path: Path) -> None:
    loader = opened(settings_of(small_part(tmp_path / "set", repeats=2), epochs=2), 5)
    ids = [example.id for batch in loader for example in batch]
    assert len(ids) == 45 and loader.left_out == 3 and len(set(ids)) == 12
    assert len(set(ids[:24])) == 12


def test_levels_are_chosen_for_each_example_and_the_same_after_a_resume(tmp_path: Path) -> None:
    data = str(make_worldedit(tmp_path / "data", size=(96, 64)))
    part = {"source": "suite:worldedit?forms=implicit,paraphrase", "data": data}
    both = opened(settings_of({**part, "levels": {"implicit": 1, "paraphrase": 1}}), answers=False)
    levels = [example.level for batch in islice(both, 22) for example in batch]
    assert 12 < levels.count("implicit") < 32
    one = opened(settings_of({**part, "level": "paraphrase"}), answers=False)
    examples = [example for batch in islice(one, 3) for example in batch]
    assert {example.level for example in examples} == {"paraphrase"}
    assert all(example.instruction.startswith("Show thing") and example.answer is None for example in examples)
    assert all(example.case is not None for example in examples)


def test_whole_batches_can_be_taken(tmp_path: Path) -> None:
    loader = opened(mixed(tmp_path))
    assert seen([loader.take(4)])[0] == [
        example for batch in seen(islice(opened(mixed(tmp_path)), 2)) for example in batch
    ]
    with pytest.raises(BadInput, match="3 is not a multiple of the batch size 2"):
        loader.take(3)


def test_a_place_in_other_data_is_refused(tmp_path: Path) -> None:
    state = opened(mixed(tmp_path)).state()
    others: list[tuple[dict[str, Any], str]] = [({"seed": 1}, "seed"), ({"sizes": {"sizes": ["48x48"]}}, "sizes")]
    for other, changed in others:
        options: dict[str, Any] = {"sizes": SMALL, **other}
        settings = settings_of(small_part(tmp_path / "set", weight=2, name="set"), STREAM, **options)
        with pytest.raises(BadInput, match=rf"saved with different data \({changed}\); restore the settings"):
            opened(settings).load_state(state)
    make_small_set(tmp_path / "set", per_task=4)
    with pytest.raises(BadInput, match=r"saved with different data \(part set\)"):
        opened(mixed(tmp_path)).load_state(state)


@pytest.mark.slow
def test_a_worker_that_dies_is_a_sentence(tmp_path: Path) -> None:
    with opened(mixed(tmp_path, workers=2)) as loader:
        next(loader)
        assert isinstance(loader._maker, InWorkers)
        processes = [worker.process for worker in loader._maker._workers]
        os.kill(processes[0].pid, signal.SIGKILL)
        with pytest.raises(Stopped, match=r"a worker process died \(signal 9\)"):
            for _ in range(50):
                next(loader)
    assert all(process.poll() is not None for process in processes)


@pytest.mark.slow
def test_a_worker_that_hangs_is_replaced_once_and_the_second_time_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = seen(islice(opened(mixed(tmp_path)), 12))
    with opened(mixed(tmp_path, workers=1)) as loader:
        made = seen([next(loader)])
        maker = loader._maker
        assert isinstance(maker, InWorkers)

        def hang() -> None:
            """Stop the worker; until it is given up, each look at the clock is 1,000 s after the one before."""
            (worker,) = maker._workers
            os.kill(worker.process.pid, signal.SIGSTOP)
            now, passed = time.monotonic, count(1)
            monkeypatch.setattr(
                "editscope.training.data.workers.time",
                SimpleNamespace(monotonic=lambda: now() + (0 if worker.given_up else 1000 * next(passed))),
            )

        first = maker._workers[0].process
        hang()
        made += seen(islice(loader, 11))
        assert made == wanted and first.wait() == -signal.SIGKILL
        hang()
        with pytest.raises(Stopped, match=r"produced nothing for 600 s while making part .*: .*, twice"):
            for _ in range(12):
                next(loader)


@pytest.mark.slow
def test_what_a_worker_cannot_make_is_told_as_it_is(tmp_path: Path) -> None:
    with opened(settings_of(small_part(tmp_path / "set"), workers=1)) as loader:
        for picture in (tmp_path / "set").rglob("*_answer.png"):
            picture.write_bytes(b"no picture")
        with pytest.raises(BadInput, match=r"_answer.png"):
            next(loader)


TRAINER = """
import sys, time
from support.training.training_data import opened, settings_of
stream = {"source": "stream:paintbench?tasks=border&conditions=baseline&canvas=128x128"}
loader = opened(settings_of(stream, workers=2))
next(loader)
print(*(worker.process.pid for worker in loader._maker._workers), flush=True)
time.sleep(60)
"""


@pytest.mark.slow
def test_no_worker_survives_a_trainer_that_is_killed() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", TRAINER]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as trainer:
        assert trainer.stdout is not None
        workers = [int(pid) for pid in trainer.stdout.readline().split()]
        assert len(workers) == 2 and all(_lives(pid) for pid in workers)
        trainer.kill()
    until = time.monotonic() + 10
    while any(_lives(pid) for pid in workers) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(_lives(pid) for pid in workers)


def _lives(pid: int) -> bool:
    """Whether a process is there, and is no zombie that nobody has fetched."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False

"""Checkpoints: interrupted and resumed equals uninterrupted, and nothing that goes wrong costs the last one."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from editscope.errors import BadInput, Stopped
from editscope.runfolder.files import DiskError
from editscope.training.checkpoints import (
    FOLDER,
    TrainingState,
    checkpoints_in,
    load_checkpoint,
    random_state,
    remove_unfinished,
    save_checkpoint,
    set_random_state,
)
from editscope.training.log.metrics_file import read_training
from editscope.training.monitors import MonitorStop
from editscope.training.page import findings
from editscope.training.supervised.loop import Diverged, Hooks, LoopSettings, TrainingLoop
from editscope.training.supervised.objective import Objective
from editscope.training.supervised.settings import (
    CheckpointSettings,
    EmaSettings,
    OptimizerSettings,
    ScheduleSettings,
    TrainingSettings,
)
from support.studio.small_disk import KINDS, small_disk
from support.training.killed_between import killed_before_rename
from support.training.logged import read_log


class Line(Objective):
    """A small network that learns to add up, with dropout, so that the generators of PyTorch count."""

    def __init__(self, width: int = 16) -> None:
        torch.manual_seed(3)
        self.network = torch.nn.Sequential(
            torch.nn.Linear(4, width), torch.nn.Tanh(), torch.nn.Dropout(0.2), torch.nn.Linear(width, 1)
        )
        self.bad_at: int | None = None
        self.calls = 0

    def losses(self, examples: Sequence[Any], generators: Sequence[torch.Generator]) -> torch.Tensor:
        self.calls += 1
        drawn = torch.stack([torch.randn(4, generator=one) for one in generators])
        made: torch.Tensor = self.network(drawn + torch.tensor(examples)[:, None])
        losses = (made[:, 0] - drawn.sum(dim=1)).square()
        return losses * float("nan") if self.calls == self.bad_at else losses


class Numbers:
    """Batches of numbers, drawn with a generator of its own."""

    def __init__(self, batch: int) -> None:
        self._batch, self._random = batch, random.Random(5)

    def __iter__(self) -> Iterator[Sequence[float]]:
        while True:
            yield [self._random.random() for _ in range(self._batch)]

    def state(self) -> Mapping[str, Any]:
        version, numbers, following = self._random.getstate()
        return {"random": [version, list(numbers), following]}

    def load_state(self, state: Mapping[str, Any]) -> None:
        version, numbers, following = state["random"]
        self._random.setstate((version, tuple(numbers), following))


SETTINGS = LoopSettings(
    TrainingSettings(12, 2, 4, log_every=100),
    OptimizerSettings(rate=1e-2),
    ScheduleSettings("cosine", warmup=3),
    EmaSettings(0.8),
    CheckpointSettings(every=4, keep=2),
    decides={"optimizer.rate": 1e-2, "training.steps": 12},
)


def loop_in(
    folder: Path, objective: Line | None = None, settings: LoopSettings = SETTINGS, **more: Any
) -> TrainingLoop:
    return TrainingLoop(objective or Line(), Numbers(settings.training.batch), settings, folder, **more)


def everything(loop: TrainingLoop) -> dict[str, Any]:
    """Weights, average and optimizer as bytes, and where the source stands."""
    assert loop.average is not None
    states = {
        f"{number}.{name}": value.numpy().tobytes()
        for number, state in loop.optimizer.state_dict()["state"].items()
        for name, value in state.items()
    }
    weights = {name: value.detach().numpy().tobytes() for name, value in loop.trained.items()}
    average = {f"average.{name}": value.numpy().tobytes() for name, value in loop.average.values.items()}
    return {**weights, **average, **states, "source": loop.source.state(), "step": loop.step}


def stop_after(step: int) -> Any:
    """A hook that presses Ctrl-C."""

    def press(loop: TrainingLoop) -> None:
        if loop.step == step:
            os.kill(os.getpid(), signal.SIGINT)

    return press


@pytest.mark.parametrize("kind", ["adamw", "fused", "8bit"])
@pytest.mark.parametrize("at", [1, 5, 8])
def test_interrupted_and_resumed_equals_uninterrupted_bit_for_bit(kind: Any, at: int, tmp_path: Path) -> None:
    if kind == "8bit" and at != 5:
        pytest.skip("one place is enough")
    settings = replace(SETTINGS, optimizer=OptimizerSettings(kind, 1e-2))
    width = 1024 if kind == "8bit" else 16  # smaller tensors are not kept in 8 bits
    whole = loop_in(tmp_path / "whole", Line(width), settings)
    whole.run()
    with pytest.raises(Stopped, match=f"stopped after step {at} of 12, with a checkpoint; to resume, run the same"):
        loop_in(tmp_path / "parts", Line(width), settings, hooks=Hooks(after_step=[stop_after(at)])).run()
    random.seed(99), np.random.seed(99), torch.manual_seed(99)
    again = loop_in(tmp_path / "parts", Line(width), settings)
    assert again.resume() == at
    again.run()
    if kind == "8bit":
        assert all(
            torch.equal(one, other) for one, other in zip(whole.trained.values(), again.trained.values(), strict=True)
        )
    else:
        assert everything(again) == everything(whole)
    losses = [[line["loss"] for line in read_log(tmp_path / one)] for one in ("whole", "parts")]
    assert losses[0] == losses[1] and len(losses[0]) == 12


def test_the_last_checkpoints_are_kept(tmp_path: Path) -> None:
    loop_in(tmp_path).run()
    assert [step for step, _ in checkpoints_in(tmp_path)] == [8, 12]


def test_a_checkpoint_of_other_settings_says_what_differs(tmp_path: Path) -> None:
    loop_in(tmp_path).run()
    other = replace(SETTINGS, decides={"optimizer.rate": 1e-3, "training.steps": 12, "lora.rank": 4})
    with pytest.raises(BadInput, match=r"\(lora.rank was not set, now 4; optimizer.rate was 0.01, now 0.001\)"):
        loop_in(tmp_path, settings=other).resume()


def test_a_run_without_checkpoints_cannot_be_resumed(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="has no checkpoint to resume from; run without --resume"):
        loop_in(tmp_path).resume()


@pytest.mark.parametrize("file", ["weights.safetensors", "average.safetensors", "optimizer.pt", "state.json"])
def test_a_damaged_checkpoint_is_named_and_the_one_before_it_works(file: str, tmp_path: Path) -> None:
    loop_in(tmp_path).run()
    place = checkpoints_in(tmp_path)[-1][1]
    data = bytearray((place / file).read_bytes())
    data[len(data) // 2] ^= 0xFF
    (place / file).write_bytes(data[: len(data) - 3] if file == "state.json" else data)
    with pytest.raises(BadInput, match=f"{file} .*delete .*step-00000012 to resume from the previous checkpoint"):
        loop_in(tmp_path).resume()
    shutil.rmtree(place)
    again = loop_in(tmp_path)
    assert again.resume() == 8
    assert again.run() == 12


@pytest.mark.parametrize("kind", KINDS)
def test_a_full_disk_while_saving_leaves_the_old_checkpoint(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    with small_disk(folder, kind) as disk:
        if disk is None:
            pytest.skip("no file system can be mounted here")
        disk.pid = os.getpid()
        ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

        def fill(loop: TrainingLoop) -> None:
            if loop.step == 8:
                disk.fill()

        try:
            with pytest.raises(DiskError, match=r"cannot write .*step-00000008: .*; make room or allow writing there"):
                loop_in(folder, hooks=Hooks(after_step=[fill])).run()
        finally:
            disk.free()
            signal.signal(signal.SIGXFSZ, ignored)
        assert [path.name for path in (folder / FOLDER).iterdir()] == ["step-00000004"]
        again = loop_in(folder)
        assert again.resume() == 4
        whole = loop_in(tmp_path / "whole")
        whole.run(), again.run()
        assert everything(again) == everything(whole)


def test_a_loss_that_is_not_a_number_stops_and_keeps_the_last_good_checkpoint(tmp_path: Path) -> None:
    objective = Line()
    objective.bad_at = 2 * 5 + 1  # the first batch of step 6
    loop = loop_in(tmp_path, objective)
    with pytest.raises(Diverged, match=r"the loss of step 6 is nan .*the last good checkpoint is that of step 4"):
        loop.run()
    assert [step for step, _ in checkpoints_in(tmp_path)] == [4]
    assert all(
        torch.isfinite(value).all() for value in load_checkpoint(checkpoints_in(tmp_path)[0][1]).weights.values()
    )


def test_a_killed_run_loses_only_what_came_after_the_last_checkpoint(tmp_path: Path) -> None:
    child = os.fork()
    if child == 0:  # a process of its own, which ends without a word

        def die(loop: TrainingLoop) -> None:
            if loop.step == 7:
                beside = tmp_path / FOLDER / f".step-00000008.{os.getpid()}.tmp"
                beside.mkdir()
                (beside / "weights.safetensors").write_bytes(b"half of it")
                os.kill(os.getpid(), signal.SIGKILL)

        try:
            loop_in(tmp_path, hooks=Hooks(after_step=[die])).run()
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    again = loop_in(tmp_path)
    assert again.resume() == 4
    again.run()
    whole = loop_in(tmp_path / "whole")
    whole.run()
    logged, wanted = (
        [(line["step"], line["loss"]) for line in read_log(place)] for place in (tmp_path, tmp_path / "whole")
    )
    assert logged == wanted
    assert everything(again) == everything(whole)
    assert sorted(path.name for path in (tmp_path / FOLDER).iterdir()) == ["step-00000008", "step-00000012"]


def test_a_save_over_a_checkpoint_of_the_same_step_that_is_killed_keeps_it(tmp_path: Path) -> None:
    state = TrainingState(step=8, weights={"a": torch.ones(2)}, optimizer={}, settings={}, loader={})
    place = save_checkpoint(tmp_path, state, keep=2)
    newer = replace(state, weights={"a": torch.zeros(2)})
    killed_before_rename(place, lambda: save_checkpoint(tmp_path, newer, keep=2))
    assert torch.equal(load_checkpoint(dict(checkpoints_in(tmp_path))[8]).weights["a"], torch.ones(2))
    remove_unfinished(tmp_path)
    assert checkpoints_in(tmp_path) == [(8, place)]
    assert torch.equal(load_checkpoint(place).weights["a"], torch.ones(2))
    save_checkpoint(tmp_path, newer, keep=2)
    assert torch.equal(load_checkpoint(place).weights["a"], torch.zeros(2))
    assert [path.name for path in (tmp_path / FOLDER).iterdir()] == [place.name]


def test_what_was_put_aside_is_removed_if_the_new_checkpoint_is_there(tmp_path: Path) -> None:
    state = TrainingState(step=8, weights={"a": torch.ones(2)}, optimizer={}, settings={}, loader={})
    place = save_checkpoint(tmp_path, state, keep=2)
    shutil.copytree(place, place.with_name(f".{place.name}.before"))
    assert checkpoints_in(tmp_path) == [(8, place)]
    remove_unfinished(tmp_path)
    assert [path.name for path in (tmp_path / FOLDER).iterdir()] == [place.name]


def test_a_checkpoint_is_read_without_its_optimizer(tmp_path: Path) -> None:
    state = TrainingState(
        step=1, weights={"a": torch.ones(2)}, optimizer={"state": torch.ones(3)}, settings={}, loader={}
    )
    place = save_checkpoint(tmp_path, state, keep=1)
    (place / "optimizer.pt").write_bytes(b"not one")
    loaded = load_checkpoint(place, optimizer=False)
    assert torch.equal(loaded.weights["a"], torch.ones(2)) and loaded.optimizer == {}
    with pytest.raises(BadInput, match=r"optimizer\.pt is corrupt"):
        load_checkpoint(place)


def test_generators_of_python_numpy_and_pytorch_go_on_where_they_stood() -> None:
    random.random(), np.random.standard_normal(), torch.rand(1)
    state = json.loads(json.dumps(random_state()))
    first = random.random(), float(np.random.standard_normal()), float(torch.rand(1))
    random.seed(1), np.random.seed(1), torch.manual_seed(1)
    set_random_state(state)
    assert (random.random(), float(np.random.standard_normal()), float(torch.rand(1))) == first


def test_data_that_end_are_named(tmp_path: Path) -> None:
    class Few(Numbers):
        def __iter__(self) -> Iterator[Sequence[float]]:
            yield [0.1, 0.2]

    with pytest.raises(BadInput, match="the data ended before step 1 of 12"):
        TrainingLoop(Line(), Few(2), SETTINGS, tmp_path).run()


@pytest.mark.parametrize(("at", "saved"), [(5, [4, 5]), (12, [8, 12])])
def test_a_hook_that_stops_loses_no_step_and_is_run_again(at: int, saved: list[int], tmp_path: Path) -> None:
    """Step 5 has no checkpoint of its own; the one of step 12 is that of the end."""
    seen: list[int] = []
    down = [True]

    def score(loop: TrainingLoop) -> None:
        seen.append(loop.step)
        if loop.step == at and down:
            raise Stopped("the judge is down; resume with: editscope resume out/evaluations/step-5")

    hooks = Hooks(after_step=[score])
    with pytest.raises(Stopped) as stopped:
        loop_in(tmp_path / "parts", hooks=hooks).run()
    assert str(stopped.value) == (
        f"the judge is down; a checkpoint of step {at} is saved: to resume, run the same command with --resume"
    )
    assert [step for step, _ in checkpoints_in(tmp_path / "parts")] == saved
    again = loop_in(tmp_path / "parts", hooks=hooks)
    assert again.resume() == at
    with pytest.raises(Stopped):
        again.run()
    assert seen == [*range(1, at + 1), at]
    down.clear()
    again = loop_in(tmp_path / "parts", hooks=hooks)
    again.resume(), again.run()
    assert seen == [*range(1, at + 1), at, at, *range(at + 1, 13)]
    whole = loop_in(tmp_path / "whole")
    whole.run()
    assert everything(again) == everything(whole)
    done = loop_in(tmp_path / "parts", hooks=hooks)
    done.resume(), done.run()
    assert seen[-1] == 12 and seen.count(12) == (3 if at == 12 else 1), "the hooks are not repeated"


def test_a_hook_that_stops_at_the_end_of_the_data_loses_no_step(tmp_path: Path) -> None:
    class Some(Numbers):
        def __iter__(self) -> Iterator[Sequence[float]]:
            yield from ([0.1, 0.2] for _ in range(5))

    def score(loop: TrainingLoop) -> None:
        raise Stopped("the judge is down")

    with pytest.raises(Stopped, match="the judge is down; a checkpoint of step 2 is saved"):
        TrainingLoop(Line(), Some(2), SETTINGS, tmp_path, hooks=Hooks(at_end=[score])).run()
    assert [step for step, _ in checkpoints_in(tmp_path)] == [2]


def test_a_stopped_training_says_so_in_its_log(tmp_path: Path) -> None:
    objective = Line()
    objective.bad_at = 2 * 5 + 1
    with pytest.raises(Diverged):
        loop_in(tmp_path, objective).run()
    event = findings.stop(read_training(tmp_path))
    assert event is not None and "the loss of step 6 is nan" in event.sentence


def test_data_that_end_before_the_last_step_end_well(tmp_path: Path) -> None:
    class Some(Numbers):
        def __iter__(self) -> Iterator[Sequence[float]]:
            yield from ([0.1, 0.2] for _ in range(5))

    printed: list[str] = []
    seen: list[int] = []

    def look(loop: TrainingLoop) -> None:
        seen.append(loop.step)
        loop.more["seen"] = len(seen)

    some = Some(2)
    assert TrainingLoop(Line(), some, SETTINGS, tmp_path, hooks=Hooks(at_end=[look]), say=printed.append).run() == 2
    assert [step for step, _ in checkpoints_in(tmp_path)] == [2] and seen == [2]
    assert "the data ended after step 2 of 12" in printed[-1]

    class Ended(Numbers):
        def __iter__(self) -> Iterator[Sequence[float]]:
            yield from ()

    again = TrainingLoop(Line(), Ended(2), SETTINGS, tmp_path, hooks=Hooks(at_end=[look]))
    assert again.resume() == 2 and again.run() == 2 and again.more == {"seen": 1}, "the hooks are not repeated"


def test_the_hooks_at_the_end_run_once_after_the_last_step(tmp_path: Path) -> None:
    seen: list[int] = []
    loop_in(tmp_path, hooks=Hooks(at_end=[lambda loop: seen.append(loop.step)])).run()
    assert seen == [12]


def test_a_monitor_that_stops_at_the_end_of_the_data_is_heard(tmp_path: Path) -> None:
    class Some(Numbers):
        def __iter__(self) -> Iterator[Sequence[float]]:
            yield from ([0.1, 0.2] for _ in range(5))

    def stop(loop: TrainingLoop) -> None:
        loop.stop_because = "stopped at step 2: too many"

    with pytest.raises(MonitorStop, match="stopped at step 2: too many; a checkpoint is saved"):
        TrainingLoop(Line(), Some(2), SETTINGS, tmp_path, hooks=Hooks(at_end=[stop])).run()
    assert [step for step, _ in checkpoints_in(tmp_path)] == [2]


class Lost(torch.Tensor):
    """A tensor on a device whose memory is full."""

    def cpu(self, *_: Any, **__: Any) -> Any:
        raise torch.OutOfMemoryError("CUDA out of memory")


@pytest.mark.parametrize("where", ["weights", "average", "optimizer"])
def test_an_error_of_the_device_is_not_blamed_on_the_disk(where: str, tmp_path: Path) -> None:
    lost = torch.zeros(2).as_subclass(Lost)
    fine: dict[str, Any] = {"weights": {"a": torch.zeros(2)}, "average": None, "optimizer": {}}
    state = TrainingState(step=1, settings={}, loader={}, **{**fine, where: {"a": lost}})
    with pytest.raises(torch.OutOfMemoryError, match="CUDA out of memory"):
        save_checkpoint(tmp_path, state, keep=1)
    assert not checkpoints_in(tmp_path)

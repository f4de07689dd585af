"""Two processes on the CPU learn what one learns; rewards are asked once, and a stop is one for all."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch

from editscope.errors import BadInput
from editscope.training.checkpoints import checkpoints_in, load_checkpoint
from editscope.training.reinforcement.start import reinforce_experiment
from editscope.training.settings import read_experiment
from support.places import with_tests
from support.training.experiments import write_reinforcement

Results = list[Mapping[str, Any]]


def started(processes: int, *command: str) -> list[tuple[int, str, str]]:
    """Exit code, output and errors of each process, started as `accelerate launch` starts them."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    alone = {**with_tests(), "OMP_NUM_THREADS": "1"}
    base = alone | {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "ACCELERATE_USE_CPU": "true"}
    base |= {"WORLD_SIZE": str(processes), "LOCAL_WORLD_SIZE": str(processes)}
    running = [
        subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", *command],
            env=alone if processes == 1 else {**base, "RANK": str(rank), "LOCAL_RANK": str(rank)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(processes)
    ]
    ended = [one.communicate(timeout=600) for one in running]
    return [(one.returncode, *texts) for one, texts in zip(running, ended, strict=True)]


@pytest.fixture(scope="module")
def one_and_two(tmp_path_factory: pytest.TempPathFactory) -> tuple[Mapping[str, Any], Results]:
    """The results of all cases in one process, and in each of two."""
    places = [tmp_path_factory.mktemp(name) for name in ("one", "two")]
    for number, place in enumerate(places):
        for code, _, errors in started(number + 1, "support.training.process_pair", str(place)):
            assert code == 0, errors
    alone = torch.load(places[0] / "0.pt", weights_only=True)
    return alone, [torch.load(places[1] / f"{rank}.pt", weights_only=True) for rank in range(2)]


def apart(one: Mapping[str, torch.Tensor], other: Mapping[str, torch.Tensor]) -> float:
    """The largest difference of two sets of weights."""
    assert one.keys() == other.keys()
    return max(float((one[name] - other[name]).abs().max()) for name in one)


@pytest.mark.slow
@pytest.mark.parametrize("case", ["grpo", "nft", "both"])
def test_two_processes_learn_as_one_does(one_and_two: tuple[Mapping[str, Any], Results], case: str) -> None:
    alone, (first, second) = one_and_two
    assert apart(first[case]["weights"], second[case]["weights"]) == 0, "processes stay equal"
    assert apart(alone[case]["weights"], first[case]["weights"]) < 2e-5
    for ours, theirs in zip(first[case]["history"], alone[case]["history"], strict=True):
        shown = {name: value for name, value in theirs.items() if not name.startswith("seconds/")}
        assert {name: ours[name] for name in shown} == pytest.approx(shown, abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("case", ["grpo", "nft"])
def test_rewards_are_asked_once_and_by_the_first_process(
    one_and_two: tuple[Mapping[str, Any], Results], case: str
) -> None:
    alone, (first, second) = one_and_two
    assert (first[case]["asked"], second[case]["asked"]) == (alone[case]["asked"], 0)
    assert (first[case]["evaluated"], second[case]["evaluated"]) == ([0, 2, 4], []), "and so are held-out scores"
    resumed = f"{case} resumed"
    assert apart(first[case]["weights"], first[resumed]["weights"]) == 0, "resumed equals uninterrupted, bit for bit"


@pytest.mark.slow
def test_what_stops_one_process_stops_all_with_one_checkpoint(
    one_and_two: tuple[Mapping[str, Any], Results],
) -> None:
    _, (first, second) = one_and_two
    for result in (first, second):
        assert "the reward 'b' gave no verdict" in result["down"]["said"]
        assert (
            "of the painter is nan; there is no checkpoint yet; lower [reinforcement] rate" in result["broken"]["said"]
        )
    assert (first["down"]["saved"], second["down"]["saved"]) == ([1], [])


def test_an_evaluation_that_stops_in_the_first_process_stops_all_of_them_with_a_checkpoint(
    one_and_two: tuple[Mapping[str, Any], Results],
) -> None:
    alone, pair = one_and_two
    for result in (alone, *pair):
        assert "the judge is down; a checkpoint of step 1 is saved: to resume" in result["evaluation"]["said"]
        assert {**result["evaluation"], "said": ""} == {"said": "", "saved": 1, "step": 3, "score": 0.5}


@pytest.mark.slow
@pytest.mark.drill(only=True)
def test_the_command_line_trains_in_two_processes(tiny_pipeline: Callable[[str], Path], tmp_path: Path) -> None:
    file = write_reinforcement(tmp_path / "experiment.toml", tiny_pipeline("kontext"))
    for count, name in ((1, "one"), (2, "two")):
        ended = started(count, "editscope", "train", "run", str(file), "--out", str(tmp_path / name))
        assert [code for code, *_ in ended] == [0] * count, ended
        assert "round 2 of 2: reward" in ended[0][1]
        assert all("round" not in said for _, said, _ in ended[1:]), "the first process prints"
    made = [load_checkpoint(checkpoints_in(tmp_path / name)[-1][1]) for name in ("one", "two")]
    assert apart(made[0].weights, made[1].weights) < 1e-4
    assert made[0].loader == made[1].loader


def test_shards_of_weights_are_refused(tmp_path: Path) -> None:
    file = write_reinforcement(tmp_path / "experiment.toml", tmp_path / "nothing")
    file.write_text(file.read_text().replace("[training]", '[training]\nparallel = "fsdp"'))
    with pytest.raises(
        BadInput, match=r'parallel: reinforcement learning keeps all weights .* write "ddp", not "fsdp"'
    ):
        reinforce_experiment(read_experiment(file), tmp_path / "run", source=file)

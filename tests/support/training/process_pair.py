"""Training in one of several processes: `python -m support.training.process_pair OUT`.

Each case is a small run, most of them of reinforcement learning on the tiny flow editor.
The results of a process go to ``OUT/NUMBER.pt``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count, repeat
from pathlib import Path
from typing import Any

import torch

from editscope.errors import EditscopeError, Stopped
from editscope.training.monitors import MonitorSettings
from editscope.training.reinforcement.reward_mix import JudgePatience
from editscope.training.rewards.base import Rollout
from editscope.training.supervised.exchange import ProcessExchange
from editscope.training.supervised.loop import Hooks, LoopSettings, TrainingLoop
from editscope.training.supervised.objective import Objective
from editscope.training.supervised.parallel import Processes
from editscope.training.supervised.settings import CheckpointSettings, TrainingSettings
from support.training.simple_rewards import ByFunction, DownJudge, FileCheckpoints, brightness
from support.training.small_runs import mixed, small_run, small_settings, weights_of
from support.training.tiny_flow import TinyFlow, tiny_examples
from support.training.tiny_planner import tiny_planner

COMMON: Mapping[str, Any] = {"rounds": 4, "prompts": 3, "group_size": 4, "batch": 2, "updates": 2}
"""Three groups for two processes: one has more to do than the other."""
CASES: Mapping[str, Mapping[str, Any]] = {
    "grpo": {"advantages": "round", "kl": 0.04, "inner_epochs": 2},
    "nft": {"method": "nft", "nft_decay": 0.2, "nft_kl": 1e-3},
}


def painted(
    case: str, rounds: int, processes: Processes, places: FileCheckpoints | None, seen: list[Any]
) -> dict[str, Any]:
    """A run of a case: weights, metrics, and the edits that this process asked rewards for."""
    places_asked = count()
    reward = ByFunction(lambda rollout: None if next(places_asked) % 12 == 3 else brightness(rollout))
    editor = TinyFlow(seed=processes.number)  # all processes begin with the weights of the first

    def held_out(rounds: int) -> dict[str, float]:
        seen.append(rounds)
        return {"miou": float(rounds)}

    settings = small_settings(**{**COMMON, **CASES[case], "rounds": rounds, "held_out_every": 2})
    _, history = small_run(
        settings,
        editor,
        mixed({"b": reward}),
        examples=tiny_examples(5),
        monitors=MonitorSettings(window=3),
        held_out=held_out,
        checkpoints=places,
        exchange=ProcessExchange(processes),
    )
    return {"weights": weights_of(editor.network), "history": history, "asked": reward.asked}


def planned(processes: Processes, folder: Path) -> dict[str, Any]:
    """A planner that learns beside the painter."""
    planner = tiny_planner(folder)

    def wordy(rollout: Rollout) -> float:
        return float(len(rollout.plan) % 7) + brightness(rollout)

    settings = small_settings(**{**COMMON, "rounds": 2, "trains": "both", "planner_rate": 1e-2, "planner_tokens": 6})
    editor, history = small_run(
        settings, None, mixed({"w": ByFunction(wordy)}), planner=planner, exchange=ProcessExchange(processes)
    )
    return {"weights": {**weights_of(editor.network), **weights_of(planner.network)}, "history": history}


def stopped(rewards: Any, processes: Processes, places: FileCheckpoints, **options: Any) -> dict[str, Any]:
    """A run that does not come to its end: what it says in this process, and the checkpoints that it wrote."""
    try:
        small_run(
            small_settings(**{**COMMON, **options}),
            None,
            rewards,
            checkpoints=places,
            exchange=ProcessExchange(processes),
        )
    except EditscopeError as error:
        return {"said": f"{type(error).__name__}: {error}", "saved": places.steps}
    return {"said": "", "saved": places.steps}


class Line(Objective):
    """A line that is fitted to numbers."""

    def __init__(self) -> None:
        torch.manual_seed(3)
        self.network = torch.nn.Linear(1, 1)

    def losses(self, examples: Sequence[Any], generators: Sequence[torch.Generator]) -> torch.Tensor:
        """The squared error to twice the number."""
        given = torch.tensor(examples)[:, None]
        made: torch.Tensor = self.network(given)
        return (made - 2 * given).square()[:, 0]


class Ones:
    """Batches of one number."""

    def __iter__(self) -> Iterator[Sequence[float]]:
        return repeat([1.0])

    def state(self) -> Mapping[str, Any]:
        """Nothing."""
        return {}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Nothing."""


def stopped_evaluation(processes: Processes, folder: Path) -> dict[str, Any]:
    """A supervised training whose evaluation stops in the first process, and is resumed."""

    def judge_is_down() -> float:
        raise Stopped("the judge is down")

    def loop(score: Callable[[], float]) -> TrainingLoop:
        hooks = Hooks(after_step=[lambda loop: loop.more.update(score=loop.exchange.by_first(score))])
        settings = LoopSettings(TrainingSettings(3, 1, 2), checkpoints=CheckpointSettings(every=100))
        return TrainingLoop(Line(), Ones(), settings, folder, processes=processes, hooks=hooks)

    said = ""
    try:
        loop(judge_is_down).run()
    except Stopped as stop:
        said = str(stop)
    again = loop(lambda: 0.5)
    saved = again.resume()
    return {"said": said, "saved": saved, "step": again.run(), "score": again.more["score"]}


def main(arguments: Sequence[str]) -> None:
    """Run all cases."""
    torch.set_num_threads(1)
    out = Path(arguments[0])
    processes = Processes(cpu=True)
    results: dict[str, Any] = {}
    for case in CASES:
        evaluated: list[int] = []
        results[case] = {**painted(case, 4, processes, None, evaluated), "evaluated": evaluated}
        (out / case).mkdir(exist_ok=True)
        places = FileCheckpoints(out / case)
        painted(case, 2, processes, places, [])
        results[f"{case} resumed"] = painted(case, 4, processes, places, [])
    (out / f"planner-{processes.number}").mkdir(exist_ok=True)
    results["both"] = planned(processes, out / f"planner-{processes.number}")
    (out / "down").mkdir(exist_ok=True)
    patience = JudgePatience(first=0.01, most=0.02)
    down = mixed({"b": DownJudge(range(1, 99))}, patience=patience)
    results["down"] = stopped(down, processes, FileCheckpoints(out / "down"))
    broken = mixed({"b": ByFunction(brightness)})
    (out / "broken").mkdir(exist_ok=True)
    results["broken"] = stopped(broken, processes, FileCheckpoints(out / "broken"), rate=1e30)
    results["evaluation"] = stopped_evaluation(processes, out / "evaluation")
    torch.save(results, out / f"{processes.number}.pt")


if __name__ == "__main__":
    main(sys.argv[1:])

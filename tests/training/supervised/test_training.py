"""Supervised training of tiny editors: they memorize, and how a step is split changes nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from editscope.errors import BadInput
from editscope.training.models.loading import load_trained_editor
from editscope.training.models.pipeline_editor import PipelineFlowEditor
from editscope.training.models.sampling import first_noise, integrate, velocity_of
from editscope.training.models.settings import LoraSettings
from editscope.training.supervised.encoding import ExampleEncoder
from editscope.training.supervised.flow_matching import FlowObjective, answer_of
from editscope.training.supervised.loop import Hooks, LoopSettings, TrainingLoop
from editscope.training.supervised.settings import (
    CheckpointSettings,
    EmaSettings,
    OptimizerSettings,
    ScheduleSettings,
    TimestepSettings,
    TrainingSettings,
)
from support.training.logged import read_log
from support.training.tiny_editors import FAMILIES, ListLoader, pairs, settings_for

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small")]

SIDE = 32


@pytest.fixture
def make_editor(tiny_pipeline: Callable[[str], Path]) -> Callable[..., PipelineFlowEditor]:
    def made(name: str, lora: LoraSettings | None = None, **more: Any) -> PipelineFlowEditor:
        torch.manual_seed(0)
        return load_trained_editor(settings_for(name, tiny_pipeline(name), **more), lora)

    return made


def train(
    editor: PipelineFlowEditor,
    folder: Path,
    examples: Sequence[Any],
    settings: LoopSettings,
    **more: Any,
) -> TrainingLoop:
    encoder = ExampleEncoder(editor, folder / "cache", editor.family)
    objective = FlowObjective(editor, encoder, TimestepSettings(), **more)
    loop = TrainingLoop(objective, ListLoader(examples, settings.training.batch), settings, folder)
    loop.run()
    return loop


def quick(steps: int, batch: int, global_batch: int | None = None, **more: Any) -> LoopSettings:
    settings = LoopSettings(
        TrainingSettings(steps, batch, global_batch, log_every=1000),
        OptimizerSettings(rate=3e-3, weight_decay=0.0),
        ScheduleSettings("cosine", warmup=5),
    )
    return replace(settings, **more)


def apart(editor: PipelineFlowEditor, examples: Sequence[Any]) -> float:
    """How far samples are from the answers, as a share of the variance of answers."""
    examples = [*examples] * 4
    condition = editor.condition([one.instruction for one in examples], [one.pictures for one in examples])
    size = examples[0].answer.shape[:2]
    noise = first_noise(editor, size, range(len(examples)))
    clean = editor.latents([one.answer for one in examples])
    made = integrate(velocity_of(editor, condition), noise, editor.sigmas(8, size).tolist())
    return float((made - clean).square().mean() / clean.var())


@pytest.mark.parametrize(("name", "how"), [("kontext", "lora"), ("qwen_plus", "full")])
def test_a_handful_of_pairs_is_memorized(name: str, how: str, make_editor: Any, tmp_path: Path) -> None:
    lora = LoraSettings(rank=32, targets="all-linear") if how == "lora" else None
    editor, examples = make_editor(name, lora, input_area=0 if name != "kontext" else None), pairs(2, SIDE, SIDE)
    before = apart(editor, examples)
    settings = quick(300, 8, optimizer=OptimizerSettings(rate=1e-2 if lora else 3e-3, weight_decay=0.0))
    train(editor, tmp_path, examples, settings)
    losses = [float(line["loss"]) for line in read_log(tmp_path)]
    assert len(losses) == 300
    assert sum(losses[-10:]) < 0.2 * sum(losses[:10])
    after = apart(editor, examples)
    assert before > 1 and after < 0.4 and after < 0.1 * before


@pytest.mark.drill(only=True)
@pytest.mark.parametrize("keep", ["inputs", "attention", "all"])
@pytest.mark.filterwarnings("ignore")
def test_compiled_blocks_train_as_others_do(keep: Any, make_editor: Any, tmp_path: Path) -> None:
    losses = []
    for compiled in (False, True):
        editor = make_editor("kontext", LoraSettings(rank=2), keep=keep, compile=compiled)
        train(editor, tmp_path / str(compiled), pairs(4, SIDE, SIDE), quick(3, 2, 4))
        losses.append([float(line["loss"]) for line in read_log(tmp_path / str(compiled))])
    assert losses[1][0] == pytest.approx(losses[0][0], rel=1e-5)
    # Adam makes a step of full length of a gradient of 1e-9, whose sign is a matter of rounding.
    assert losses[1] == pytest.approx(losses[0], rel=2e-3) and len(losses[0]) == 3


@pytest.mark.parametrize("name", list(FAMILIES))
def test_accumulated_gradients_equal_those_of_the_big_batch(name: str, make_editor: Any, tmp_path: Path) -> None:
    weights, losses, start = [], [], {}
    for batch in (4, 2, 1):
        editor = make_editor(name, input_area=0 if name != "kontext" else None)
        start = {one: value.detach().double().clone() for one, value in editor.network.named_parameters()}
        loop = train(editor, tmp_path / str(batch), pairs(6, SIDE, SIDE), quick(3, batch, 4))
        weights.append({one: value.detach().double() for one, value in loop.trained.items()})
        losses.append([line["loss"] for line in read_log(tmp_path / str(batch))])
    moved = math.sqrt(sum(float((value - start[one]).square().sum()) for one, value in weights[0].items()))
    for other, loss in zip(weights[1:], losses[1:], strict=True):
        assert loss == pytest.approx(losses[0], rel=1e-5)
        apart = math.sqrt(sum(float((weights[0][one] - other[one]).square().sum()) for one in other))
        # Single weights may differ more: Adam makes a full step of a gradient of 1e-9, whose sign is rounding.
        assert moved > 0 and apart < 1e-3 * moved
    assert float(losses[0][0]) != float(losses[0][1])


def test_the_same_seed_gives_the_same_bytes_and_another_one_does_not(make_editor: Any, tmp_path: Path) -> None:
    made = []
    for number, seed in enumerate((0, 0, 1)):
        editor = make_editor("kontext", LoraSettings(rank=2, dropout=0.3))
        training = TrainingSettings(2, 2, 4, seed=seed)
        loop = train(editor, tmp_path / str(number), pairs(4, SIDE, SIDE), replace(quick(2, 2), training=training))
        made.append(torch.cat([value.detach().flatten() for value in loop.trained.values()]))
    assert torch.equal(made[0], made[1]) and not torch.equal(made[0], made[2])


@pytest.mark.parametrize("kind", ["adamw", "fused", "8bit"])
def test_every_optimizer_lowers_the_loss(kind: Any, make_editor: Any, tmp_path: Path) -> None:
    editor = make_editor("kontext")
    train(editor, tmp_path, pairs(2, SIDE, SIDE), quick(25, 4, optimizer=OptimizerSettings(kind, 3e-3)))
    losses = [float(line["loss"]) for line in read_log(tmp_path)]
    assert sum(losses[-5:]) < 0.8 * sum(losses[:5])


def test_gradients_are_clipped_and_rates_follow_their_schedule(make_editor: Any, tmp_path: Path) -> None:
    editor = make_editor("kontext")
    settings = quick(4, 2, schedule=ScheduleSettings("linear", warmup=2))
    before = {one: value.detach().clone() for one, value in editor.network.named_parameters()}
    seen: list[float] = []

    def look(loop: TrainingLoop) -> None:
        seen.append(max(float((value - before[one]).detach().abs().max()) for one, value in loop.trained.items()))

    objective = FlowObjective(editor, ExampleEncoder(editor), TimestepSettings())
    TrainingLoop(
        objective, ListLoader(pairs(2, SIDE, SIDE), 2), settings, tmp_path, hooks=Hooks(after_step=[look])
    ).run()
    lines = read_log(tmp_path)
    assert [line["rate"] for line in lines] == pytest.approx([1.5e-3, 3e-3, 3e-3, 1.5e-3])
    assert all(line["gradient_norm"] > 0 for line in lines) and seen[0] == pytest.approx(1.5e-3, rel=0.05)


def test_the_average_of_weights_lags_behind_them(make_editor: Any, tmp_path: Path) -> None:
    editor = make_editor("kontext", LoraSettings(rank=2))
    loop = train(editor, tmp_path, pairs(2, SIDE, SIDE), quick(6, 2, ema=EmaSettings(0.9, warmup=False)))
    assert loop.average is not None
    name, weights = next((one, value) for one, value in loop.trained.items() if "lora_B" in one)
    average, now = loop.average.values[name].clone(), weights.detach().clone()
    assert 0 < average.norm() < now.norm()
    with loop.average.in_place():
        assert torch.equal(weights, average)
    assert torch.equal(weights, now)


@pytest.mark.filterwarnings("ignore:Mismatch dtype")
def test_bf16_trains_and_keeps_weights_of_full_fine_tuning_exact(make_editor: Any, tmp_path: Path) -> None:
    for number, lora in enumerate((None, LoraSettings(rank=4))):
        editor = make_editor("kontext", lora, precision="bf16", keep="inputs")
        loop = train(editor, tmp_path / str(number), pairs(2, SIDE, SIDE), quick(12, 4))
        assert {value.dtype for value in loop.trained.values()} == {torch.float32}
        losses = [float(line["loss"]) for line in read_log(tmp_path / str(number))]
        assert sum(losses[-3:]) < sum(losses[:3])


def test_what_is_cached_is_made_once_and_only_used_for_the_same(make_editor: Any, tmp_path: Path) -> None:
    editor = make_editor("kontext", LoraSettings(rank=2))
    examples = pairs(2, SIDE, SIDE)
    for made, read in ((4, 0), (0, 4)):
        encoder = ExampleEncoder(editor, tmp_path, "weights a")
        values = [(encoder.latents(answer_of(one)), encoder.condition(one)) for one in examples]
        assert (encoder.made, encoder.read) == (made, read)
    fresh = editor.condition([examples[1].instruction], [examples[1].pictures])
    assert all(torch.equal(values[1][1][name], value) for name, value in fresh.items())
    other = ExampleEncoder(editor, tmp_path, "weights b")
    other.condition(examples[0])
    other.condition(replace(examples[0], instruction="something else"))
    other.condition(examples[0], without=True)
    assert (other.made, other.read) == (3, 0)
    damaged = next(tmp_path.rglob("*.safetensors"))
    damaged.write_bytes(damaged.read_bytes()[:-40])
    again = ExampleEncoder(editor, tmp_path, "weights a")
    for one in examples:
        again.latents(answer_of(one)), again.condition(one)
    assert again.made <= 1 and again.made + again.read == 4


def test_instructions_are_left_out_at_the_asked_share(make_editor: Any) -> None:
    editor = make_editor("kontext", LoraSettings(rank=2))
    (example,) = pairs(1, SIDE, SIDE)
    seen: list[bool] = []

    class Counting(ExampleEncoder):
        def condition(self, example: Any, *, without: bool = False) -> Any:
            seen.append(without)
            return super().condition(example, without=without)

    objective = FlowObjective(editor, Counting(editor), TimestepSettings(), drop_instruction=0.5)
    with torch.no_grad():
        for number in range(10):
            objective.losses([example] * 4, [torch.Generator().manual_seed(4 * number + one) for one in range(4)])
    assert 10 <= sum(seen) <= 30


@pytest.mark.parametrize("name", FAMILIES)
def test_a_batch_is_encoded_as_its_examples_are_one_by_one(name: str, make_editor: Any, tmp_path: Path) -> None:
    editor = make_editor(name, LoraSettings(rank=2))
    examples = pairs(3, SIDE, SIDE)
    together, one_by_one = ExampleEncoder(editor), ExampleEncoder(editor, tmp_path / "cache", "tiny")
    for without in ([False] * 3, [False, True, False]):
        ours, theirs = (encoder.conditions(examples, without) for encoder in (together, one_by_one))
        assert ours.keys() == theirs.keys()
        assert all(torch.allclose(ours[key].float(), theirs[key].float(), atol=1e-5) for key in ours)
    answers = [answer_of(example) for example in examples]
    assert torch.allclose(together.answers(answers), one_by_one.answers(answers), atol=1e-5)


def test_answers_that_are_missing_or_of_mixed_sizes_are_named(make_editor: Any, tmp_path: Path) -> None:
    editor = make_editor("kontext", LoraSettings(rank=2))
    none = [replace(pairs(1, SIDE, SIDE)[0], answer=None)]
    with pytest.raises(BadInput, match="the example pair/0 has no answer"):
        train(editor, tmp_path, none, quick(1, 1))
    mixed = [*pairs(1, 32, 32), *pairs(1, 32, 64)]
    with pytest.raises(BadInput, match=r"answers of different sizes \(32x32, 64x32\)"):
        train(editor, tmp_path, mixed, quick(1, 2))


def test_nothing_to_train_is_refused(make_editor: Any, tmp_path: Path) -> None:
    editor = make_editor("kontext")
    editor.network.requires_grad_(False)
    with pytest.raises(BadInput, match="nothing is left to train"):
        train(editor, tmp_path, pairs(1), quick(1, 1, checkpoints=CheckpointSettings()))

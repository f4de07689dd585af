"""The memory of a run, said before it starts: exact where shapes decide, and counted where PyTorch does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from editscope.training.models.loading import check_pipeline, load_trained_editor
from editscope.training.settings import Experiment, read_experiment
from editscope.training.supervised.encoding import ExampleEncoder
from editscope.training.supervised.flow_matching import FlowObjective
from editscope.training.supervised.memory import BatchShape, activation_bytes, kept_by_blocks, optimizer_bytes
from editscope.training.supervised.optimizers import make_optimizer
from editscope.training.supervised.outline import empty_network, outline
from editscope.training.supervised.settings import TimestepSettings
from support.training.experiments import write_experiment
from support.training.tiny_editors import pairs, settings_for

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small")]


def experiment_for(
    name: str, tiny_pipeline: Callable[[str], Path], folder: Path, *, lora: bool, optimizer: str, **model: Any
) -> Experiment:
    settings = settings_for(name, tiny_pipeline(name))
    file = write_experiment(folder / "mine.toml", settings, lora=lora, more="[ema]\ndecay = 0.5\n")
    text = file.read_text().replace("[optimizer]", f'[optimizer]\nkind = "{optimizer}"')
    for entry, value in model.items():
        text = text.replace(f'{entry} = "{getattr(settings, entry)}"', f'{entry} = "{value}"')
    file.write_text(text)
    return read_experiment(file)


def bytes_of(values: Any) -> int:
    return sum(value.numel() * value.element_size() for value in values)


def state_bytes(optimizer: torch.optim.Optimizer) -> int:
    """What the states of an optimizer take, those in 8 bits by their parts."""
    total = 0
    for state in optimizer.state.values():
        for value in state.values():
            if hasattr(value, "tensor_attrs"):
                total += bytes_of(getattr(value, name) for name in value.tensor_attrs)
            elif torch.is_tensor(value):
                total += bytes_of([value])
    return total


@pytest.mark.filterwarnings("ignore:Mismatch dtype")
@pytest.mark.parametrize(
    ("name", "lora", "optimizer", "precision"),
    [
        ("kontext", True, "adamw", "bf16"),
        ("kontext", False, "fused", "bf16"),
        ("qwen_plus", True, "fused", "fp32"),
        ("qwen_plus", False, "8bit", "fp32"),
    ],
)
def test_weights_gradients_and_optimizer_take_what_was_said(
    name: str, lora: bool, optimizer: Any, precision: str, tiny_pipeline: Any, tmp_path: Path
) -> None:
    experiment = experiment_for(name, tiny_pipeline, tmp_path, lora=lora, optimizer=optimizer, precision=precision)
    said = outline(experiment).memory
    editor = load_trained_editor(experiment.model, experiment.lora)
    trained = [value for value in editor.network.parameters() if value.requires_grad]
    steps = make_optimizer(experiment.optimizer, trained)
    objective = FlowObjective(editor, ExampleEncoder(editor), TimestepSettings())
    objective.losses(pairs(1, 32, 32), [torch.Generator().manual_seed(0)]).sum().backward()  # type: ignore[no-untyped-call]
    gradients = bytes_of(value.grad for value in trained if value.grad is not None)
    unused = sum(4 * value.numel() for value in trained if value.grad is None)
    steps.step()
    assert said["weights of the network"] == bytes_of([*editor.network.parameters(), *editor.network.buffers()])
    assert said["gradients"] == gradients + unused == said["average of weights"]
    missing = optimizer_bytes([value.numel() for value in trained if value.grad is None], optimizer)
    assert said["states of the optimizer"] == state_bytes(steps) + missing
    parts = [part for part in editor.pipe.components.values() if isinstance(part, torch.nn.Module)]
    others = bytes_of(value for part in parts if part is not editor.network for value in part.parameters())
    known = said["text encoders and autoencoder"]
    assert known is not None and known == pytest.approx(others, rel=0.05)


@pytest.mark.filterwarnings("ignore:Mismatch dtype")
@pytest.mark.parametrize("name", ["kontext", "qwen_plus"])
@pytest.mark.parametrize("lora", [True, False])
@pytest.mark.parametrize("precision", ["bf16", "fp32"])
def test_what_shapes_say_is_kept_is_what_pytorch_keeps(
    name: str, lora: bool, precision: str, tiny_pipeline: Any, tmp_path: Path
) -> None:
    experiment = experiment_for(name, tiny_pipeline, tmp_path, lora=lora, optimizer="adamw", precision=precision)
    empty, config = empty_network(experiment, check_pipeline(experiment.model))
    editor = load_trained_editor(experiment.model, experiment.lora)
    if experiment.lora is not None:
        from editscope.training.models.lora import add_lora

        add_lora(empty, experiment.lora)
    text, bf16 = 24, precision == "bf16"
    shape = BatchShape(edits=2, side=(4, 4), inputs=1, text=text)
    memory = kept_by_blocks(empty, shape, bf16=bf16)

    network = editor.network
    own = {value.untyped_storage().data_ptr() for value in (*network.parameters(), *network.buffers())}
    seen: dict[int, int] = {}
    alive = []

    def take(value: torch.Tensor) -> torch.Tensor:
        if value.untyped_storage().data_ptr() not in own:
            seen[value.untyped_storage().data_ptr()] = value.untyped_storage().nbytes()
            alive.append(value)
        return value

    dtype = torch.bfloat16 if bf16 else torch.float32
    given: dict[str, Any] = {
        "hidden_states": torch.randn(2, 32, config["in_channels"], dtype=dtype),
        "encoder_hidden_states": torch.randn(2, text, config["joint_attention_dim"], dtype=dtype),
        "timestep": torch.rand(2, dtype=dtype),
    }
    if name == "kontext":
        given |= {"pooled_projections": torch.randn(2, 16, dtype=dtype), "guidance": torch.ones(2)}
        given |= {"img_ids": torch.zeros(32, 3, dtype=dtype), "txt_ids": torch.zeros(text, 3, dtype=dtype)}
    else:
        given["img_shapes"] = [[(1, 4, 4), (1, 4, 4)]] * 2
    with (
        torch.autograd.graph.saved_tensors_hooks(take, lambda value: value),
        torch.autocast("cpu", torch.bfloat16, enabled=bf16),
    ):
        made = network(**given, return_dict=False)[0]
    assert made.requires_grad
    counts = {"transformer_blocks": "num_layers", "single_transformer_blocks": "num_single_layers"}
    said = sum(size * config[counts[block]] for block, size in memory.blocks.items()) + memory.rest
    assert said == pytest.approx(sum(seen.values()), rel=0.03)
    by_keep = {keep: activation_bytes(memory, config, shape, keep, 2 if bf16 else 4) for keep in ("inputs", "all")}
    assert by_keep["all"] == said + 2 * memory.largest and by_keep["inputs"] < 1.5 * by_keep["all"]

"""Flow editors over pipelines: their velocity is that of the pipeline, and LoRA layers change only their targets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from editscope.errors import BadInput
from editscope.training.models.conditions import together
from editscope.training.models.loading import load_flow_editor, load_trained_editor
from editscope.training.models.lora import add_lora, lora_weights, target_modules
from editscope.training.models.pipeline_editor import PipelineFlowEditor
from editscope.training.models.sampling import first_noise, integrate, velocity_of
from editscope.training.models.settings import LoraSettings, ModelSettings
from support.training.tiny_editors import FAMILIES, picture, settings_for

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small")]

STEPS = 3


@pytest.fixture
def editor(request: pytest.FixtureRequest, tiny_pipeline: Callable[[str], Path]) -> PipelineFlowEditor:
    return load_flow_editor(settings_for(request.param, tiny_pipeline(request.param)))


every_family = pytest.mark.parametrize("editor", list(FAMILIES), indirect=True)


def by_pipeline(editor: PipelineFlowEditor, shown: list[Any], text: str, noise: torch.Tensor, **more: Any) -> Any:
    """The picture and the latents that the pipeline itself gives."""
    from editscope.training.models.pipeline_editor import pack

    images = [Image.fromarray(one) for one in shown]
    height, width = noise.shape[2] * 8, noise.shape[3] * 8
    call = {
        "prompt": text,
        "image": images if len(images) > 1 else images[0],
        "num_inference_steps": STEPS,
        "height": height,
        "width": width,
        "output_type": "np",
        **more,
    }
    if editor.family.startswith("FLUX"):
        call |= {"max_area": height * width, "_auto_resize": False, "max_sequence_length": 24}
    return editor.pipe(latents=pack(noise.clone()), **call).images[0]


def by_editor(editor: PipelineFlowEditor, shown: list[Any], text: str, noise: torch.Tensor, **more: Any) -> Any:
    condition = editor.condition([text], [shown])
    size = noise.shape[2] * 8, noise.shape[3] * 8
    latents = integrate(velocity_of(editor, condition, **more), noise, editor.sigmas(STEPS, size).tolist())
    return editor.pixels(latents)[0].numpy()


def assert_same_picture(ours: Any, pipelines: Any) -> None:
    assert pipelines.std() > 0.02
    assert np.abs(ours / 255 - pipelines).max() <= 1.5 / 255


@pytest.mark.parametrize("size", [(64, 64), (48, 96)])
@pytest.mark.parametrize("editor", ["kontext"], indirect=True)
def test_the_sampler_gives_what_the_pipeline_of_kontext_gives(
    editor: PipelineFlowEditor, size: tuple[int, int]
) -> None:
    shown, noise = [picture(1, *size)], first_noise(editor, size, [5])
    theirs = by_pipeline(editor, shown, "make it red", noise, guidance_scale=2.5)
    assert_same_picture(by_editor(editor, shown, "make it red", noise, guidance=2.5), theirs)
    other = by_editor(editor, shown, "make it red", noise, guidance=40.0)
    assert np.abs(other / 255 - theirs).max() > 1.5 / 255


@pytest.mark.parametrize("scale", [1.0, 4.0])
@pytest.mark.parametrize("editor", ["qwen", "qwen_plus"], indirect=True)
def test_the_sampler_gives_what_the_pipeline_of_qwen_gives(editor: PipelineFlowEditor, scale: float) -> None:
    shown, noise = [picture(1, 64, 128)], first_noise(editor, (64, 128), [5])
    theirs = by_pipeline(editor, shown, "make it red", noise, true_cfg_scale=scale, negative_prompt=" ")
    without = editor.no_instruction([shown])
    assert_same_picture(by_editor(editor, shown, "make it red", noise, without=without, scale=scale), theirs)


@pytest.mark.parametrize("editor", ["qwen_plus"], indirect=True)
def test_several_input_pictures(editor: PipelineFlowEditor) -> None:
    shown, noise = [picture(1), picture(2)], first_noise(editor, (64, 64), [5])
    theirs = by_pipeline(editor, shown, "join them", noise, true_cfg_scale=1.0)
    assert_same_picture(by_editor(editor, shown, "join them", noise), theirs)


@pytest.mark.parametrize("editor", ["kontext"], indirect=True)
def test_kontext_knows_input_pictures_apart(editor: PipelineFlowEditor) -> None:
    noise, sigma = first_noise(editor, (64, 64), [5]), torch.tensor([0.7])
    first, second = picture(1), picture(2)
    with torch.no_grad():
        made = [
            editor.velocity(noise, sigma, editor.condition(["join"], [shown]))
            for shown in ([first, second], [second, first])
        ]
    assert (made[0] - made[1]).abs().max() > 1e-3


@pytest.mark.parametrize("editor", ["qwen"], indirect=True)
def test_a_family_with_one_picture_refuses_two(editor: PipelineFlowEditor) -> None:
    with pytest.raises(BadInput, match="an edit of 2 pictures cannot be trained with Qwen-Image-Edit"):
        editor.condition(["join"], [[picture(1), picture(2)]])


@every_family
def test_a_batch_gives_what_its_edits_give_alone(editor: PipelineFlowEditor) -> None:
    texts, shown = ["red", "a much longer instruction"], [[picture(1)], [picture(2)]]
    noise, sigma = first_noise(editor, (64, 64), [1, 2]), torch.tensor([0.3, 0.9])
    alone = [editor.condition([text], [one]) for text, one in zip(texts, shown, strict=True)]
    with torch.no_grad():
        both = editor.velocity(noise, sigma, editor.condition(texts, shown))
        each = [editor.velocity(noise[n : n + 1], sigma[n : n + 1], alone[n]) for n in range(2)]
        joined = editor.velocity(noise, sigma, together(alone))
    assert torch.allclose(both, torch.cat(each), atol=2e-5)
    assert torch.allclose(both, joined, atol=2e-5)


@every_family
def test_latents_come_back_as_the_autoencoder_alone_gives_them(editor: PipelineFlowEditor) -> None:
    shown = picture(3)
    latents = editor.latents([shown, shown])
    assert latents.shape == (2, *editor.latent_shape((64, 64)))
    assert torch.equal(latents[0], latents[1]) and torch.equal(latents, editor.latents([shown, shown]))
    values = torch.from_numpy(shown).permute(2, 0, 1)[None].float() / 127.5 - 1
    vae = editor.pipe.vae
    with torch.no_grad():
        plain = (
            vae.decode(vae.encode(values).latent_dist.mode()).sample
            if editor.family.startswith("FLUX")
            else vae.decode(vae.encode(values[:, :, None]).latent_dist.mode()).sample[:, :, 0]
        )
    expected = ((plain / 2 + 0.5).clamp(0, 1) * 255).permute(0, 2, 3, 1)[0]
    assert (editor.pixels(latents)[0].float() - expected).abs().max() <= 1


@pytest.mark.parametrize("editor", ["kontext"], indirect=True)
def test_noise_levels_are_shifted_as_the_scheduler_shifts_them(editor: PipelineFlowEditor) -> None:
    levels, shift = editor.sigmas(8, (64, 64)), editor.shift((64, 64))
    plain = torch.linspace(1, 1 / 8, 8)
    assert torch.allclose(levels[:-1], shift * plain / (1 + (shift - 1) * plain), atol=1e-5)
    assert levels[0] == 1 and levels[-1] == 0 and len(levels) == 9
    assert editor.shift((1024, 1024)) > shift > 1


@every_family
def test_lora_layers_change_only_their_targets(editor: PipelineFlowEditor) -> None:
    network: Any = editor.network
    before = {name: value.clone() for name, value in network.state_dict().items()}
    noise, sigma = first_noise(editor, (64, 64), [5]), torch.tensor([0.7])
    condition = editor.condition(["red"], [[picture(1)]])
    with torch.no_grad():
        untouched = editor.velocity(noise, sigma, condition)
    targets = add_lora(network, LoraSettings(rank=4, alpha=8, targets="attention"))
    trained = {name for name, value in network.named_parameters() if value.requires_grad}
    assert trained and all(any(name.startswith(f"{one}.lora_") for one in targets) for name in trained)
    assert all("attn" in name for name in targets)
    with torch.no_grad():
        assert torch.equal(editor.velocity(noise, sigma, condition), untouched)  # nothing yet
    optimizer = torch.optim.AdamW([value for value in network.parameters() if value.requires_grad], 0.1)
    for _ in range(2):
        loss: Any = editor.velocity(noise, sigma, condition).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    after = {name.replace(".base_layer", ""): value for name, value in network.state_dict().items()}
    assert all(torch.equal(after[name], value) for name, value in before.items())
    with torch.no_grad():
        assert not torch.allclose(editor.velocity(noise, sigma, condition), untouched, atol=1e-3)
    assert len(lora_weights(network)) == 2 * len(targets)


@pytest.mark.parametrize("editor", ["kontext"], indirect=True)
def test_targets_by_preset_and_by_name(editor: PipelineFlowEditor) -> None:
    attention, more = (set(target_modules(editor.network, one)) for one in ("attention", "attention+mlp"))
    every = set(target_modules(editor.network, "all-linear"))
    assert attention < more < every
    assert set(target_modules(editor.network, "to_q, to_v")) < attention
    with pytest.raises(BadInput, match=r"experiment.toml, \[lora\] targets: there is no linear module 'to_w'"):
        target_modules(editor.network, "to_w", "experiment.toml, [lora]")


@pytest.mark.parametrize("editor", ["qwen_plus"], indirect=True)
def test_checkpointing_and_bf16_give_about_the_same_gradient(
    editor: PipelineFlowEditor, tiny_pipeline: Callable[[str], Path]
) -> None:
    folder = tiny_pipeline("qwen_plus")
    noise, sigma = first_noise(editor, (64, 64), [5]), torch.tensor([0.7])
    condition = editor.condition(["red"], [[picture(1)]])
    gradients = []
    for keep in ("all", "inputs", "attention"):
        one = load_trained_editor(settings_for("qwen_plus", folder, keep=keep), None)
        loss: Any = one.velocity(noise, sigma, condition).square().mean()
        loss.backward()
        gradients.append(one.network.proj_out.weight.grad)
    assert all(torch.equal(gradients[0], other) for other in gradients[1:])
    rounded = load_flow_editor(settings_for("qwen_plus", folder, precision="bf16"))
    with torch.no_grad():
        exact, coarse = (one.velocity(noise, sigma, condition).float() for one in (editor, rounded))
    assert rounded.dtype == torch.bfloat16 and rounded.bf16 and not editor.bf16
    assert 0 < (exact - coarse).abs().mean() < 0.15 * exact.abs().mean()


def test_a_pipeline_that_cannot_be_trained_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model_index.json").write_text('{"_class_name": "StableDiffusionPipeline"}')
    with pytest.raises(BadInput, match="is a StableDiffusionPipeline, which cannot be trained here"):
        load_flow_editor(ModelSettings(str(tmp_path)))


@pytest.mark.parametrize("editor", ["kontext"], indirect=True)
def test_a_picture_whose_sides_do_not_fit_is_named(editor: PipelineFlowEditor) -> None:
    with pytest.raises(BadInput, match=r"a picture of 40x64 cannot be trained on with FLUX\.1 Kontext"):
        editor.latents([np.zeros((64, 40, 3), np.uint8)])

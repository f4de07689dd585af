"""Parts of tiny random pipelines: tokenizers with a token for each byte, encoders and autoencoders of few channels."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from support.models.tiny_vlm import SPECIAL

CHAT = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


@contextmanager
def making(seed: int) -> Iterator[tuple[Any, Any, Any]]:
    """torch, diffusers and transformers, quiet, with the seed set."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch, diffusers, transformers = (import_module(name) for name in ("torch", "diffusers", "transformers"))
        for library in (diffusers, transformers):
            library.utils.logging.set_verbosity_error()
            library.utils.logging.disable_progress_bar()
        torch.manual_seed(seed)
        yield torch, diffusers, transformers


def byte_alphabet() -> list[str]:
    """The 256 characters that byte-level tokenizers write bytes as."""
    from tokenizers import pre_tokenizers

    return sorted(pre_tokenizers.ByteLevel.alphabet())


def clip_tokenizer(transformers: Any, length: int = 77) -> Any:
    """A CLIP tokenizer with one token for each byte."""
    letters = byte_alphabet()
    marks = ["<|startoftext|>", "<|endoftext|>"]
    vocabulary = {text: number for number, text in enumerate([*letters, *(f"{one}</w>" for one in letters), *marks])}
    return transformers.CLIPTokenizer(vocab=vocabulary, merges=[], model_max_length=length)


def t5_tokenizer(transformers: Any) -> Any:
    """A T5 tokenizer with one token for each printable character."""
    letters = ["▁", *(chr(number) for number in range(33, 127))]
    vocabulary = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", -2.0), *((letter, -4.0) for letter in letters)]
    return transformers.T5TokenizerFast(vocab=vocabulary, extra_ids=0)


def qwen_tokenizer(transformers: Any) -> Any:
    """A Qwen tokenizer with one token for each byte, and marks for turns and pictures."""
    vocabulary = {text: number for number, text in enumerate([*byte_alphabet(), *SPECIAL])}
    made = transformers.Qwen2TokenizerFast(
        vocab=vocabulary, merges=[], eos_token="<|im_end|>", additional_special_tokens=list(SPECIAL[1:])
    )
    made.chat_template = CHAT
    return made


def clip_text_model(transformers: Any, words: int, width: int = 16, **more: Any) -> Any:
    """A CLIP text encoder of two layers."""
    config = transformers.CLIPTextConfig(
        vocab_size=words,
        hidden_size=width,
        projection_dim=width,
        intermediate_size=2 * width,
        num_hidden_layers=2,
        num_attention_heads=2,
        bos_token_id=words - 2,
        eos_token_id=words - 1,
        pad_token_id=words - 1,
        **more,
    )
    return transformers.CLIPTextModel(config)


def small_vae(diffusers: Any, channels: int = 4, **more: Any) -> Any:
    """An autoencoder that makes one latent of 8 × 8 pixels."""
    return diffusers.AutoencoderKL(
        block_out_channels=(8, 8, 8, 8),
        down_block_types=("DownEncoderBlock2D",) * 4,
        up_block_types=("UpDecoderBlock2D",) * 4,
        layers_per_block=1,
        latent_channels=channels,
        norm_num_groups=4,
        mid_block_add_attention=False,
        **more,
    )


def small_flux(diffusers: Any, **more: Any) -> Any:
    """A network of FLUX.1's kind: one block of each, two heads of 16."""
    config: dict[str, Any] = {
        "in_channels": 16,
        "num_layers": 1,
        "num_single_layers": 1,
        "attention_head_dim": 16,
        "num_attention_heads": 2,
        "joint_attention_dim": 16,
        "pooled_projection_dim": 16,
        "guidance_embeds": True,
        "axes_dims_rope": (4, 6, 6),
    }
    return diffusers.FluxTransformer2DModel(**(config | more))


def small_unet(diffusers: Any, channels: int, **more: Any) -> Any:
    """A network of Stable Diffusion's kind with two resolutions."""
    config: dict[str, Any] = {
        "sample_size": 16,
        "in_channels": channels,
        "out_channels": 4,
        "block_out_channels": (8, 16),
        "layers_per_block": 1,
        "down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D"),
        "up_block_types": ("CrossAttnUpBlock2D", "UpBlock2D"),
        "cross_attention_dim": 16,
        "attention_head_dim": 2,
        "norm_num_groups": 4,
    }
    return diffusers.UNet2DConditionModel(**(config | more))


def for_pictures(transformers: Any, pictures: Any, tokenizer: Any) -> Any:
    class Qwen2VLProcessor(transformers.Qwen2VLProcessor):  # type: ignore[misc]
        def check_argument_for_proper_class(self, argument: str, given: Any) -> Any:
            return None if given is None else super().check_argument_for_proper_class(argument, given)

        def save_pretrained(self, save_directory: Any, **_: Any) -> None:
            self.image_processor.save_pretrained(save_directory)
            self.tokenizer.save_pretrained(save_directory)

    Qwen2VLProcessor.__module__ = transformers.Qwen2VLProcessor.__module__
    return Qwen2VLProcessor(image_processor=pictures, tokenizer=tokenizer, chat_template=tokenizer.chat_template)


def safety_checker(transformers: Any) -> Any:
    kind = import_module("diffusers.pipelines.stable_diffusion.safety_checker").StableDiffusionSafetyChecker
    config = transformers.CLIPConfig(
        vision_config={
            "hidden_size": 16,
            "intermediate_size": 16,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "image_size": 32,
            "patch_size": 16,
        },
        projection_dim=8,
    )
    return kind(config)


def loud(torch: Any, network: Any) -> Any:
    """Weights that are large enough for the output to depend visibly on what goes in."""
    with torch.no_grad():
        for name, weights in network.named_parameters():
            if weights.ndim > 1:
                torch.nn.init.kaiming_uniform_(weights, a=1.0)
            elif name.endswith("bias"):
                torch.nn.init.uniform_(weights, -0.1, 0.1)
    return network

"""Tiny random editing pipelines, made here without any download and saved as ``save_pretrained`` saves real ones."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tiny_vlm import SPECIAL, save_tiny_vlm

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


def save_kontext(folder: Path, seed: int = 0) -> Path:
    """FLUX.1 Kontext: CLIP and T5 read the instruction."""
    with making(seed) as (torch, diffusers, transformers):
        first, second = clip_tokenizer(transformers), t5_tokenizer(transformers)
        t5 = transformers.T5EncoderModel(
            transformers.T5Config(
                vocab_size=len(second), d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2, is_encoder_decoder=False
            )
        )
        network = diffusers.FluxTransformer2DModel(
            in_channels=16,
            num_layers=1,
            num_single_layers=1,
            attention_head_dim=16,
            num_attention_heads=2,
            joint_attention_dim=16,
            pooled_projection_dim=16,
            guidance_embeds=True,
            axes_dims_rope=(4, 6, 6),
        )
        pipe = diffusers.FluxKontextPipeline(
            scheduler=diffusers.FlowMatchEulerDiscreteScheduler(use_dynamic_shifting=True),
            vae=_loud(torch, small_vae(diffusers, shift_factor=0.0, scaling_factor=1.0)),
            text_encoder=clip_text_model(transformers, len(first)),
            tokenizer=first,
            text_encoder_2=t5,
            tokenizer_2=second,
            transformer=_loud(torch, network),
        )
        pipe.save_pretrained(folder)
    return folder


def save_pix2pix(folder: Path, seed: int = 0, *, checker: bool = False) -> Path:
    """InstructPix2Pix on Stable Diffusion, with a safety checker where it is wanted."""
    with making(seed) as (torch, diffusers, transformers):
        tokenizer = clip_tokenizer(transformers)
        network = diffusers.UNet2DConditionModel(
            sample_size=16,
            in_channels=8,
            out_channels=4,
            block_out_channels=(8, 16),
            layers_per_block=1,
            down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
            up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
            cross_attention_dim=16,
            attention_head_dim=2,
            norm_num_groups=4,
        )
        pipe = diffusers.StableDiffusionInstructPix2PixPipeline(
            vae=_loud(torch, small_vae(diffusers)),
            text_encoder=clip_text_model(transformers, len(tokenizer)),
            tokenizer=tokenizer,
            unet=_loud(torch, network),
            scheduler=diffusers.EulerAncestralDiscreteScheduler(beta_schedule="scaled_linear"),
            safety_checker=_safety_checker(transformers) if checker else None,
            feature_extractor=transformers.CLIPImageProcessor(
                size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}
            ),
            requires_safety_checker=checker,
        )
        pipe.save_pretrained(folder)
    return folder


def save_pix2pix_xl(folder: Path, seed: int = 0) -> Path:
    """InstructPix2Pix on Stable Diffusion XL, whose two text encoders are both CLIP."""
    with making(seed) as (torch, diffusers, transformers):
        tokenizer = clip_tokenizer(transformers)
        words = len(tokenizer)
        second = clip_text_model(transformers, words).config
        network = diffusers.UNet2DConditionModel(
            sample_size=16,
            in_channels=8,
            out_channels=4,
            block_out_channels=(8, 16),
            layers_per_block=1,
            down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
            up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
            cross_attention_dim=32,
            attention_head_dim=2,
            norm_num_groups=4,
            addition_embed_type="text_time",
            addition_time_embed_dim=8,
            projection_class_embeddings_input_dim=6 * 8 + 16,
        )
        pipe = diffusers.StableDiffusionXLInstructPix2PixPipeline(
            vae=_loud(torch, small_vae(diffusers)),
            text_encoder=clip_text_model(transformers, words),
            text_encoder_2=transformers.CLIPTextModelWithProjection(second),
            tokenizer=tokenizer,
            tokenizer_2=tokenizer,
            unet=_loud(torch, network),
            scheduler=diffusers.EulerDiscreteScheduler(beta_schedule="scaled_linear"),
            add_watermarker=False,
        )
        pipe.save_pretrained(folder)
    return folder


def save_klein(folder: Path, seed: int = 0) -> Path:
    """FLUX.2 Klein: a language model reads the instruction, of whose layers the 9th, 18th and 27th are used."""
    with making(seed) as (torch, diffusers, transformers):
        tokenizer = qwen_tokenizer(transformers)
        words = transformers.Qwen3ForCausalLM(
            transformers.Qwen3Config(
                vocab_size=len(tokenizer),
                hidden_size=8,
                intermediate_size=8,
                num_hidden_layers=27,
                num_attention_heads=1,
                num_key_value_heads=1,
                head_dim=8,
            )
        )
        vae = diffusers.AutoencoderKLFlux2(
            block_out_channels=(8, 8, 8, 8),
            down_block_types=("DownEncoderBlock2D",) * 4,
            up_block_types=("UpDecoderBlock2D",) * 4,
            layers_per_block=1,
            latent_channels=4,
            norm_num_groups=4,
            mid_block_add_attention=False,
        )
        network = diffusers.Flux2Transformer2DModel(
            in_channels=16,
            num_layers=1,
            num_single_layers=1,
            attention_head_dim=16,
            num_attention_heads=2,
            joint_attention_dim=24,
            timestep_guidance_channels=16,
            axes_dims_rope=(4, 4, 4, 4),
        )
        pipe = diffusers.Flux2KleinPipeline(
            scheduler=diffusers.FlowMatchEulerDiscreteScheduler(use_dynamic_shifting=True),
            vae=_loud(torch, vae),
            text_encoder=words,
            tokenizer=tokenizer,
            transformer=_loud(torch, network),
        )
        pipe.save_pretrained(folder)
    return folder


def save_qwen_plus(folder: Path, seed: int = 0, *, plus: bool = True) -> Path:
    """Qwen-Image-Edit-Plus, or the first Qwen-Image-Edit: a vision-language model reads instruction and pictures."""
    with making(seed) as (torch, diffusers, transformers):
        seeing = save_tiny_vlm(folder / ".seeing", seed)
        words = transformers.Qwen2_5_VLForConditionalGeneration.from_pretrained(seeing)
        tokenizer = transformers.AutoTokenizer.from_pretrained(seeing)
        pictures = transformers.AutoImageProcessor.from_pretrained(seeing, backend="pil")
        network = diffusers.QwenImageTransformer2DModel(
            in_channels=16,
            out_channels=4,
            num_layers=1,
            attention_head_dim=16,
            num_attention_heads=2,
            joint_attention_dim=32,
            axes_dims_rope=(4, 6, 6),
        )
        vae = diffusers.AutoencoderKLQwenImage(
            base_dim=4,
            z_dim=4,
            dim_mult=[1, 1, 1, 1],
            num_res_blocks=1,
            temperal_downsample=[False, True, True],
            latents_mean=[0.0] * 4,
            latents_std=[1.0] * 4,
        )
        parts: dict[str, Any] = {
            "scheduler": diffusers.FlowMatchEulerDiscreteScheduler(use_dynamic_shifting=True),
            "vae": _loud(torch, vae),
            "text_encoder": words,
            "tokenizer": tokenizer,
            "processor": _for_pictures(transformers, pictures, tokenizer),
            "transformer": _loud(torch, network),
        }
        kind = diffusers.QwenImageEditPlusPipeline if plus else diffusers.QwenImageEditPipeline
        kind(**parts).save_pretrained(folder)
    return folder


TINY: Mapping[str, Callable[..., Path]] = MappingProxyType(
    {
        "kontext": save_kontext,
        "pix2pix": save_pix2pix,
        "klein": save_klein,
        "qwen_plus": save_qwen_plus,
    }
)
"""The four families that every claim about pipelines is tried on."""


def save_lora(folder: Path, model: Path, seed: int = 0, rank: int = 2) -> Path:
    """LoRA weights for the attention of a saved pipeline, in the format that its own ``save_lora_weights`` writes."""
    with making(seed) as (_, diffusers, transformers):
        peft = import_module("peft")
        pipe = diffusers.DiffusionPipeline.from_pretrained(model, **_without_films(model, transformers))
        name = "unet" if hasattr(pipe, "unet") else "transformer"
        network = getattr(pipe, name)
        targets = ["to_k", "to_q", "to_v", "to_out.0"]
        network.add_adapter(
            peft.LoraConfig(r=rank, lora_alpha=4 * rank, target_modules=targets, init_lora_weights=False)
        )
        weights = peft.get_peft_model_state_dict(network)
        type(pipe).save_lora_weights(folder, **{f"{name}_lora_layers": weights})
    return folder


def _without_films(model: Path, transformers: Any) -> dict[str, Any]:
    if not (model / "processor").is_dir():
        return {}
    pictures = transformers.AutoImageProcessor.from_pretrained(model / "processor", backend="pil")
    tokenizer = transformers.AutoTokenizer.from_pretrained(model / "processor")
    return {"processor": _for_pictures(transformers, pictures, tokenizer)}


def _for_pictures(transformers: Any, pictures: Any, tokenizer: Any) -> Any:
    class Qwen2VLProcessor(transformers.Qwen2VLProcessor):  # type: ignore[misc]
        def check_argument_for_proper_class(self, argument: str, given: Any) -> Any:
            return None if given is None else super().check_argument_for_proper_class(argument, given)

        def save_pretrained(self, save_directory: Any, **_: Any) -> None:
            self.image_processor.save_pretrained(save_directory)
            self.tokenizer.save_pretrained(save_directory)

    Qwen2VLProcessor.__module__ = transformers.Qwen2VLProcessor.__module__
    return Qwen2VLProcessor(image_processor=pictures, tokenizer=tokenizer, chat_template=tokenizer.chat_template)


def _safety_checker(transformers: Any) -> Any:
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


def _loud(torch: Any, network: Any) -> Any:
    """Weights that are large enough for the output to depend visibly on what goes in."""
    with torch.no_grad():
        for name, weights in network.named_parameters():
            if weights.ndim > 1:
                torch.nn.init.kaiming_uniform_(weights, a=1.0)
            elif name.endswith("bias"):
                torch.nn.init.uniform_(weights, -0.1, 0.1)
    return network

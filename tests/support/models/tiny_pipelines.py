"""Tiny random editing pipelines, made here without any download and saved as ``save_pretrained`` saves real ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

from support.models.tiny_parts import (
    clip_text_model,
    clip_tokenizer,
    for_pictures,
    loud,
    making,
    qwen_tokenizer,
    safety_checker,
    small_flux,
    small_unet,
    small_vae,
    t5_tokenizer,
)
from support.models.tiny_vlm import save_tiny_vlm


def save_kontext(folder: Path, seed: int = 0) -> Path:
    """FLUX.1 Kontext: CLIP and T5 read the instruction."""
    return save_flux_kind("FluxKontextPipeline", folder, seed)


def save_flux_kind(pipeline: str, folder: Path, seed: int = 0) -> Path:
    """A pipeline of FLUX.1's kind, by the name of its class."""
    with making(seed) as (torch, diffusers, transformers):
        first, second = clip_tokenizer(transformers), t5_tokenizer(transformers)
        t5 = transformers.T5EncoderModel(
            transformers.T5Config(
                vocab_size=len(second), d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2, is_encoder_decoder=False
            )
        )
        network = small_flux(diffusers)
        pipe = getattr(diffusers, pipeline)(
            scheduler=diffusers.FlowMatchEulerDiscreteScheduler(use_dynamic_shifting=True),
            vae=loud(torch, small_vae(diffusers, shift_factor=0.0, scaling_factor=1.0)),
            text_encoder=clip_text_model(transformers, len(first)),
            tokenizer=first,
            text_encoder_2=t5,
            tokenizer_2=second,
            transformer=loud(torch, network),
        )
        pipe.save_pretrained(folder)
    return folder


def save_pix2pix(folder: Path, seed: int = 0, *, checker: bool = False) -> Path:
    """InstructPix2Pix on Stable Diffusion, with a safety checker where it is wanted."""
    with making(seed) as (torch, diffusers, transformers):
        tokenizer = clip_tokenizer(transformers)
        network = small_unet(diffusers, 8)
        pipe = diffusers.StableDiffusionInstructPix2PixPipeline(
            vae=loud(torch, small_vae(diffusers)),
            text_encoder=clip_text_model(transformers, len(tokenizer)),
            tokenizer=tokenizer,
            unet=loud(torch, network),
            scheduler=diffusers.EulerAncestralDiscreteScheduler(beta_schedule="scaled_linear"),
            safety_checker=safety_checker(transformers) if checker else None,
            feature_extractor=transformers.CLIPImageProcessor(
                size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}
            ),
            requires_safety_checker=checker,
        )
        pipe.save_pretrained(folder)
    return folder


def save_img2img(folder: Path, seed: int = 0) -> Path:
    """Stable Diffusion from picture to picture: a pipeline that has no settings of its own here."""
    with making(seed) as (torch, diffusers, transformers):
        tokenizer = clip_tokenizer(transformers)
        pipe = diffusers.StableDiffusionImg2ImgPipeline(
            vae=loud(torch, small_vae(diffusers)),
            text_encoder=clip_text_model(transformers, len(tokenizer)),
            tokenizer=tokenizer,
            unet=loud(torch, small_unet(diffusers, 4)),
            scheduler=diffusers.DDIMScheduler(beta_schedule="scaled_linear"),
            safety_checker=None,
            feature_extractor=None,
            requires_safety_checker=False,
        )
        pipe.save_pretrained(folder)
    return folder


def save_pix2pix_xl(folder: Path, seed: int = 0) -> Path:
    """InstructPix2Pix on Stable Diffusion XL, whose two text encoders are both CLIP."""
    with making(seed) as (torch, diffusers, transformers):
        tokenizer = clip_tokenizer(transformers)
        words = len(tokenizer)
        second = clip_text_model(transformers, words).config
        network = small_unet(
            diffusers,
            8,
            cross_attention_dim=32,
            addition_embed_type="text_time",
            addition_time_embed_dim=8,
            projection_class_embeddings_input_dim=6 * 8 + 16,
        )
        pipe = diffusers.StableDiffusionXLInstructPix2PixPipeline(
            vae=loud(torch, small_vae(diffusers)),
            text_encoder=clip_text_model(transformers, words),
            text_encoder_2=transformers.CLIPTextModelWithProjection(second),
            tokenizer=tokenizer,
            tokenizer_2=tokenizer,
            unet=loud(torch, network),
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
            vae=loud(torch, vae),
            text_encoder=words,
            tokenizer=tokenizer,
            transformer=loud(torch, network),
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
            "vae": loud(torch, vae),
            "text_encoder": words,
            "tokenizer": tokenizer,
            "processor": for_pictures(transformers, pictures, tokenizer),
            "transformer": loud(torch, network),
        }
        kind = diffusers.QwenImageEditPlusPipeline if plus else diffusers.QwenImageEditPipeline
        kind(**parts).save_pretrained(folder)
    return folder


def save_longcat(folder: Path, seed: int = 0) -> Path:
    """LongCat-Image-Edit: a vision-language model reads one instruction and one picture."""
    with making(seed) as (torch, diffusers, transformers):
        seeing = save_tiny_vlm(folder / ".seeing", seed)
        tokenizer = transformers.AutoTokenizer.from_pretrained(seeing)
        pictures = transformers.AutoImageProcessor.from_pretrained(seeing, backend="pil")
        network = diffusers.LongCatImageTransformer2DModel(
            in_channels=64,
            num_layers=1,
            num_single_layers=1,
            attention_head_dim=16,
            num_attention_heads=2,
            joint_attention_dim=32,
            pooled_projection_dim=32,
            axes_dims_rope=[4, 6, 6],
        )
        pipe = diffusers.LongCatImageEditPipeline(
            scheduler=diffusers.FlowMatchEulerDiscreteScheduler(use_dynamic_shifting=True),
            vae=loud(torch, small_vae(diffusers, 16, shift_factor=0.0, scaling_factor=1.0)),
            text_encoder=transformers.Qwen2_5_VLForConditionalGeneration.from_pretrained(seeing),
            tokenizer=tokenizer,
            text_processor=for_pictures(transformers, pictures, tokenizer),
            transformer=loud(torch, network),
        )
        pipe.save_pretrained(folder)
    return folder


def save_chronoedit(folder: Path, seed: int = 0) -> Path:
    """ChronoEdit: an edit is the end of a short film."""
    with making(seed) as (torch, diffusers, transformers):
        tokenizer = t5_tokenizer(transformers)
        words = transformers.UMT5EncoderModel(
            transformers.UMT5Config(vocab_size=len(tokenizer), d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2)
        )
        seeing = transformers.CLIPVisionModel(
            transformers.CLIPVisionConfig(
                hidden_size=16,
                intermediate_size=16,
                num_hidden_layers=2,
                num_attention_heads=2,
                image_size=32,
                patch_size=16,
            )
        )
        network = diffusers.ChronoEditTransformer3DModel(
            num_attention_heads=2,
            attention_head_dim=12,
            in_channels=4 + 4 + 4,
            out_channels=4,
            text_dim=16,
            freq_dim=16,
            ffn_dim=16,
            num_layers=1,
            image_dim=16,
            added_kv_proj_dim=24,
            rope_max_seq_len=64,
        )
        vae = diffusers.AutoencoderKLWan(
            base_dim=4,
            z_dim=4,
            dim_mult=[1, 1, 1, 1],
            num_res_blocks=1,
            latents_mean=[0.0] * 4,
            latents_std=[1.0] * 4,
        )
        pipe = diffusers.ChronoEditPipeline(
            tokenizer=tokenizer,
            text_encoder=words,
            image_encoder=seeing,
            image_processor=transformers.CLIPImageProcessor(
                size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}
            ),
            transformer=loud(torch, network),
            vae=loud(torch, vae),
            scheduler=diffusers.UniPCMultistepScheduler(
                prediction_type="flow_prediction", use_flow_sigmas=True, flow_shift=5.0
            ),
        )
        pipe.save_pretrained(folder)
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
    return {"processor": for_pictures(transformers, pictures, tokenizer)}

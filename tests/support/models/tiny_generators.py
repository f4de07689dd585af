"""Tiny random pipelines that draw (FLUX.1) and animate (Wan 2.2), saved as real ones are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from support.models.tiny_parts import clip_text_model, clip_tokenizer, loud, making, small_vae, t5_tokenizer


def save_flux(folder: Path, seed: int = 0) -> Path:
    """FLUX.1: CLIP and T5 read the prompt, and nothing else goes in."""
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
        pipe = diffusers.FluxPipeline(
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


def save_wan(folder: Path, seed: int = 0) -> Path:
    """Wan 2.2 I2V: two networks, one for the noisy steps and one for the others; the picture is the first frame."""
    with making(seed) as (torch, diffusers, transformers):
        tokenizer = t5_tokenizer(transformers)
        words = transformers.UMT5EncoderModel(
            transformers.UMT5Config(vocab_size=len(tokenizer), d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2)
        )

        def network() -> Any:
            made = diffusers.WanTransformer3DModel(
                num_attention_heads=2,
                attention_head_dim=12,
                in_channels=4 + 4 + 4,
                out_channels=4,
                text_dim=16,
                freq_dim=16,
                ffn_dim=16,
                num_layers=1,
                rope_max_seq_len=64,
            )
            return loud(torch, made)

        vae = diffusers.AutoencoderKLWan(
            base_dim=4,
            z_dim=4,
            dim_mult=[1, 1, 1, 1],
            num_res_blocks=1,
            latents_mean=[0.0] * 4,
            latents_std=[1.0] * 4,
        )
        pipe = diffusers.WanImageToVideoPipeline(
            tokenizer=tokenizer,
            text_encoder=words,
            vae=loud(torch, vae),
            scheduler=diffusers.UniPCMultistepScheduler(
                prediction_type="flow_prediction", use_flow_sigmas=True, flow_shift=5.0
            ),
            transformer=network(),
            transformer_2=network(),
            boundary_ratio=0.9,
        )
        pipe.save_pretrained(folder)
    return folder

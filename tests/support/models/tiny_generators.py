"""Tiny random pipelines that draw (FLUX.1) and animate (Wan 2.2), saved as real ones are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from support.models.tiny_parts import loud, making, t5_tokenizer
from support.models.tiny_pipelines import save_flux_kind


def save_flux(folder: Path, seed: int = 0) -> Path:
    """FLUX.1: CLIP and T5 read the prompt, and nothing else goes in."""
    return save_flux_kind("FluxPipeline", folder, seed)


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

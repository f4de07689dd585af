"""Tiny CLIP and DINOv2 models with random weights, saved in the layout that every such model has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def save_tiny_clip(folder: Path) -> Path:
    """A CLIP of two layers that sees pictures of 32 × 32."""
    import torch
    from transformers import CLIPConfig, CLIPModel

    torch.manual_seed(0)
    sides: dict[str, Any] = {
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
    }
    text = sides | {"vocab_size": 64, "max_position_embeddings": 16, "eos_token_id": 2, "bos_token_id": 1}
    vision = sides | {"image_size": 32, "patch_size": 8}
    config = CLIPConfig(text_config=text, vision_config=vision, projection_dim=16)
    return _save(CLIPModel(config), folder, {"image_processor_type": "CLIPImageProcessor", "crop": 32})


def save_tiny_dino(folder: Path) -> Path:
    """A DINOv2 of two layers that sees pictures of 28 × 28."""
    import torch
    from transformers import Dinov2Config, Dinov2Model

    torch.manual_seed(0)
    config = Dinov2Config(hidden_size=32, num_hidden_layers=2, num_attention_heads=2, image_size=28, patch_size=14)
    return _save(Dinov2Model(config), folder, {"image_processor_type": "BitImageProcessor", "crop": 28})


def _save(model: Any, folder: Path, processor: dict[str, Any]) -> Path:
    model.save_pretrained(folder)
    crop = processor.pop("crop")
    processor |= {
        "do_resize": True,
        "size": {"shortest_edge": crop},
        "do_center_crop": True,
        "crop_size": {"height": crop, "width": crop},
        "do_rescale": True,
        "do_normalize": True,
        "image_mean": [0.5, 0.5, 0.5],
        "image_std": [0.25, 0.25, 0.25],
        "resample": 3,
    }
    (folder / "preprocessor_config.json").write_text(json.dumps(processor))
    return folder

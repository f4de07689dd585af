"""Tiny planners: a language model of a few words, and a vision-language model of bytes."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import torch

from editscope.judges.local.model import load_processor
from editscope.training.reinforcement.planner import Planner, chat_encoder
from support.models.tiny_tokenizer import save_tiny_tokenizer
from support.models.tiny_vlm import save_tiny_vlm

WORDS = ("paint", "a", "white", "square", "in", "the", "middle", "red", "round")


def tiny_planner(folder: Path, seed: int = 0, **options: Any) -> Planner:
    """One layer, thirteen words; every plan has up to six of them."""
    transformers: Any = import_module("transformers")
    tokenizer = transformers.AutoTokenizer.from_pretrained(save_tiny_tokenizer(folder, WORDS))
    torch.manual_seed(seed)
    config = transformers.LlamaConfig(
        hidden_size=16,
        intermediate_size=24,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=2,
        vocab_size=len(tokenizer),
        max_position_embeddings=64,
        bos_token_id=1,
        eos_token_id=2,
        pad_token_id=0,
    )
    encode = chat_encoder(tokenizer, "{instruction}", pictures=False)
    return Planner(transformers.LlamaForCausalLM(config), tokenizer, encode, **{"most_tokens": 6, **options})


def tiny_seeing_planner(folder: Path, seed: int = 0) -> Planner:
    """A model of the Qwen2.5-VL kind that sees the picture; plans of eight bytes."""
    transformers: Any = import_module("transformers")
    save_tiny_vlm(folder, seed)
    model = transformers.AutoModelForImageTextToText.from_pretrained(folder)
    processor = load_processor(transformers, folder)
    return Planner(model, processor.tokenizer, chat_encoder(processor, "{instruction}", pictures=True), most_tokens=8)

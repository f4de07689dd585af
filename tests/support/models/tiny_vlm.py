"""A tiny random vision-language model of the Qwen2.5-VL kind, saved in the layout that every such model has."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

SPECIAL = (
    *("<|endoftext|>", "<|im_start|>", "<|im_end|>"),
    *("<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"),
)
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{% for p in m.content %}"
    "{% if p.type == 'image' %}<|vision_start|><|image_pad|><|vision_end|>{% else %}{{ p.text }}{% endif %}"
    "{% endfor %}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def save_tiny_vlm(
    folder: Path,
    seed: int = 0,
    template: str | None = TEMPLATE,
    *,
    text: Mapping[str, Any] = MappingProxyType({}),
    pictures: Mapping[str, Any] = MappingProxyType({}),
    most_pixels: int = 112 * 112,
    device: str = "cpu",
    dtype: str = "float32",
) -> Path:
    """Two layers for pictures, two for text, one token for each byte, unless ``text`` and ``pictures`` say otherwise.

    Pictures are seen at 112 × 112 at most.
    """
    import torch

    transformers: Any = import_module("transformers")
    tokenizer = _tokenizer()
    ids = {mark: tokenizer.convert_tokens_to_ids(mark) for mark in SPECIAL}
    for_text: dict[str, Any] = {
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "vocab_size": len(tokenizer),
        "max_position_embeddings": 8192,
        "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [2, 3, 3]},
        "bos_token_id": ids["<|endoftext|>"],
        "eos_token_id": ids["<|im_end|>"],
        "initializer_range": 0.6,  # of the usual 0.02 every answer would be as likely as every other
    }
    for_pictures: dict[str, Any] = {
        "depth": 2,
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_heads": 2,
        "out_hidden_size": 32,
        "fullatt_block_indexes": [1],
        "window_size": 56,
        "initializer_range": 0.6,
    }
    config = transformers.Qwen2_5_VLConfig(
        text_config={**for_text, **text},
        vision_config={**for_pictures, **pictures},
        image_token_id=ids["<|image_pad|>"],
        video_token_id=ids["<|video_pad|>"],
        vision_start_token_id=ids["<|vision_start|>"],
        vision_end_token_id=ids["<|vision_end|>"],
        initializer_range=0.6,
    )
    transformers.utils.logging.disable_progress_bar()
    torch.manual_seed(seed)
    with torch.device(device):
        model = transformers.Qwen2_5_VLForConditionalGeneration(config)
    model.to(getattr(torch, dtype)).save_pretrained(folder)
    tokenizer.chat_template = template
    tokenizer.save_pretrained(folder)
    transformers.Qwen2VLImageProcessorPil(min_pixels=56 * 56, max_pixels=most_pixels).save_pretrained(folder)
    return folder


def _tokenizer() -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    transformers: Any = import_module("transformers")
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        [""], trainers.BpeTrainer(special_tokens=list(SPECIAL), initial_alphabet=alphabet, show_progress=False)
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        additional_special_tokens=list(SPECIAL[1:]),
    )

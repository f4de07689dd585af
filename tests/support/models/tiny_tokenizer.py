"""A tokenizer of a few words, saved as every fast tokenizer is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def save_tiny_tokenizer(folder: Path, words: Sequence[str]) -> Path:
    """Words by their place after the four special ones; all others are unknown."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    vocabulary = {word: number for number, word in enumerate(("<pad>", "<s>", "</s>", "<unk>", *words))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<pad>",
        bos_token="<s>",
        eos_token="</s>",
        unk_token="<unk>",
        model_max_length=16,
    ).save_pretrained(folder)
    return folder

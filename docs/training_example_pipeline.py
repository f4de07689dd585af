"""Pipeline of docs/training_example.py: FLUX.1 Kontext's classes with random weights, whose latents are pixels."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any


def make_pipeline(folder: Path, stream: str, *, toy: bool) -> None:
    """A Kontext pipeline with random weights, whose latents are pixels."""
    import diffusers
    import torch
    import transformers

    torch.manual_seed(0)
    tokenizer = trained_tokenizer(stream, 300 if toy else 3000)
    width, heads, double, single = (32, 2, 1, 1) if toy else (256, 4, 2, 6)
    text = 32 if toy else 256
    clip = transformers.CLIPTextConfig(
        vocab_size=len(tokenizer),
        hidden_size=text,
        intermediate_size=2 * text,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=77,
        bos_token_id=1,
        eos_token_id=2,
        pad_token_id=0,
    )
    t5 = transformers.T5Config(
        vocab_size=len(tokenizer),
        d_model=text,
        d_kv=text // 4,
        d_ff=2 * text,
        num_layers=1,
        num_heads=4,
        is_encoder_decoder=False,
    )
    head = width // heads
    network = diffusers.FluxTransformer2DModel(
        in_channels=12,
        num_layers=double,
        num_single_layers=single,
        attention_head_dim=head,
        num_attention_heads=heads,
        joint_attention_dim=text,
        pooled_projection_dim=text,
        guidance_embeds=False,
        axes_dims_rope=(head // 4, head * 3 // 8, head * 3 // 8),
    )
    diffusers.FluxKontextPipeline(
        scheduler=diffusers.FlowMatchEulerDiscreteScheduler(),
        vae=pixel_autoencoder(),
        text_encoder=transformers.CLIPTextModel(clip),
        tokenizer=tokenizer,
        text_encoder_2=transformers.T5EncoderModel(t5),
        tokenizer_2=tokenizer,
        transformer=network,
    ).save_pretrained(folder)


def trained_tokenizer(named: str, texts: int) -> Any:
    """A byte-pair tokenizer, trained on instructions of the stream."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    from editscope.suites.generated.stream import training_namespace
    from editscope.training.data.sources import open_stream

    stream = open_stream(named, training_namespace(1))
    made = (stream.make(stream.place(number)).sidecar["instruction"] for number in range(texts))
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Whitespace(), pre_tokenizers.Digits(individual_digits=True)]
    )
    special = ["<pad>", "<s>", "</s>", "<unk>"]
    tokenizer.train_from_iterator(
        islice(made, texts), trainers.BpeTrainer(vocab_size=800, special_tokens=special, show_progress=False)
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<pad>",
        bos_token="<s>",
        eos_token="</s>",
        unk_token="<unk>",
        model_max_length=77,
    )


def pixel_autoencoder() -> Any:
    """An AutoencoderKL whose latents are the pixels.

    Every color has a group of eight channels: it, its negative, two large constants, and zeros. So the norm divides by
    a constant, an offset puts values where SiLU changes nothing, and the last convolution takes the offset back.
    """
    import diffusers
    import torch

    made = diffusers.AutoencoderKL(
        block_out_channels=(24,),
        down_block_types=("DownEncoderBlock2D",),
        up_block_types=("UpDecoderBlock2D",),
        layers_per_block=1,
        latent_channels=3,
        norm_num_groups=3,
        mid_block_add_attention=False,
        use_quant_conv=False,
        use_post_quant_conv=False,
        shift_factor=0.0,
        scaling_factor=1.0,
    )
    large, gain, offset = 64.0, 4.0, 16.0
    with torch.no_grad():
        for name, value in made.named_parameters():
            if "resnets" in name and "norm" not in name:
                value.zero_()
        for part in (made.encoder, made.decoder):
            part.conv_in.weight.zero_(), part.conv_in.bias.zero_()
            part.conv_out.weight.zero_(), part.conv_out.bias.zero_()
            part.conv_norm_out.weight.fill_(gain * large / 2)  # the standard deviation of a group is large / 2
            part.conv_norm_out.bias.fill_(offset)
            for color in range(3):
                first = 8 * color
                part.conv_in.weight[first, color, 1, 1] = 1.0
                part.conv_in.weight[first + 1, color, 1, 1] = -1.0
                part.conv_in.bias[first + 2], part.conv_in.bias[first + 3] = large, -large
                part.conv_out.weight[color, first, 1, 1] = 0.5 / gain
                part.conv_out.weight[color, first + 1, 1, 1] = -0.5 / gain
        made.encoder.conv_out.bias[3:] = -20.0  # the variance of the latents
    return made

"""BAGEL as a worker for Editscope, with or without thinking; written against its public code, untested on its weights.

BAGEL (github.com/ByteDance-Seed/Bagel) is code, not a package: clone it, make an environment beside it as its README
says, and download the weights ByteDance-Seed/BAGEL-7B-MoT. It takes about 30 GB of GPU memory. Then:

  editscope run paintbench --editor "worker:Bagel/.venv/bin/python bagel_worker.py?repo=Bagel&think=1&name=BAGEL-think"

The settings are those that PaintBench's paper names (50 steps, text guidance 4, image guidance 2) and, where it names
none, those of BAGEL's own demonstration of editing. What the model thinks is kept as the trace of the edit. This file
needs nothing of Editscope: only the part up to the line below differs from what `editscope worker new` writes.
"""

from __future__ import annotations

import json
import os
import queue
import random
import shutil
import signal
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Any

model: Any = None
settings: dict[str, Any] = {}


def load(options: dict[str, Any]) -> dict[str, Any]:
    """Put the parts of BAGEL together on one GPU."""
    global model, settings
    settings = known(
        options,
        repo=".",
        weights="models/BAGEL-7B-MoT",
        device="cuda:0",
        think=False,
        steps=50,
        cfg_text=4.0,
        cfg_image=2.0,
        cfg_from=0.0,
        renorm="text_channel",
        renorm_min=0.0,
        shift=3.0,
        think_tokens=1024,
        sample=False,
        temperature=0.3,
    )
    repo = Path(settings["repo"]).resolve()
    weights = repo / settings["weights"]
    for needed in (repo / "inferencer.py", weights / "ema.safetensors"):
        if not needed.is_file():
            raise FileNotFoundError(f"{needed} is not there; check the options repo and weights")
    sys.path.insert(0, str(repo))
    model = _assembled(weights, settings["device"])
    return {"name": "BAGEL", "model": weights.name}


def _assembled(weights: Path, device: str) -> Any:
    import torch
    from accelerate import init_empty_weights, load_checkpoint_and_dispatch
    from data.data_utils import add_special_tokens
    from data.transforms import ImageTransform
    from inferencer import InterleaveInferencer
    from modeling.autoencoder import load_ae
    from modeling.bagel import (
        Bagel,
        BagelConfig,
        Qwen2Config,
        Qwen2ForCausalLM,
        SiglipVisionConfig,
        SiglipVisionModel,
    )
    from modeling.qwen2 import Qwen2Tokenizer

    language = Qwen2Config.from_json_file(str(weights / "llm_config.json"))
    language.qk_norm, language.tie_word_embeddings, language.layer_module = True, False, "Qwen2MoTDecoderLayer"
    vision = SiglipVisionConfig.from_json_file(str(weights / "vit_config.json"))
    vision.rope = False
    vision.num_hidden_layers -= 1  # the last layer of the encoder is not used
    autoencoder, latent = load_ae(local_path=str(weights / "ae.safetensors"))
    config = BagelConfig(
        visual_gen=True,
        visual_und=True,
        llm_config=language,
        vit_config=vision,
        vae_config=latent,
        vit_max_num_patch_per_side=70,
        connector_act="gelu_pytorch_tanh",
        latent_patch_size=2,
        max_latent_size=64,
    )
    with init_empty_weights():
        empty = Bagel(Qwen2ForCausalLM(language), SiglipVisionModel(vision), config)
        empty.vit_model.vision_model.embeddings.convert_conv2d_to_linear(vision, meta=True)
    filled = load_checkpoint_and_dispatch(
        empty, checkpoint=str(weights / "ema.safetensors"), device_map={"": device}, dtype=torch.bfloat16
    )
    tokenizer, new_tokens, _ = add_special_tokens(Qwen2Tokenizer.from_pretrained(str(weights)))
    return InterleaveInferencer(
        model=filled.eval(),
        vae_model=autoencoder.to(device).eval(),
        tokenizer=tokenizer,
        vae_transform=ImageTransform(1024, 512, 16),
        vit_transform=ImageTransform(980, 224, 14),
        new_token_ids=new_tokens,
    )


def edit(request: Request) -> Any:
    """One edit; several pictures are shown in their order, before the instruction."""
    given = model.interleave_inference(
        [*request.images, request.instruction],
        think=settings["think"],
        num_timesteps=settings["steps"],
        cfg_text_scale=settings["cfg_text"],
        cfg_img_scale=settings["cfg_image"],
        cfg_interval=[settings["cfg_from"], 1.0],
        cfg_renorm_type=settings["renorm"],
        cfg_renorm_min=settings["renorm_min"],
        timestep_shift=settings["shift"],
        max_think_token_n=settings["think_tokens"],
        do_sample=settings["sample"],
        text_temperature=settings["temperature"],
    )
    thoughts = "\n".join(part for part in given if isinstance(part, str))
    pictures = [part for part in given if not isinstance(part, str)]
    if not pictures:
        return {"status": "no_output", "reason": "BAGEL gave no picture", "trace": thoughts}
    return {"image": pictures[-1], "trace": thoughts}


def edit_batch(requests: list[Request]) -> list[Any]:
    """BAGEL takes one at a time."""
    return [edit(request) for request in requests]


# ---------------------------------------------------------------------------------------------------------------------
# From here on: how Editscope is talked to. There is nothing to change.


class Request:
    """One edit that is asked for."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self.id: str = fields["id"]
        self.case: str = fields.get("case", "")
        self.variant: str = fields.get("variant", "")
        self.instruction: str = fields["instruction"]
        self.paths: list[str] = fields["images"]
        self.seed: int = fields.get("seed", 0)
        self.tags: dict[str, str] = fields.get("tags", {})
        self.out: str = fields["out"]

    @property
    def images(self) -> list[Any]:
        """The pictures as PIL images with three channels."""
        from PIL import Image

        pictures = []
        for path in self.paths:
            with Image.open(path) as image:
                pictures.append(image.convert("RGB"))
        return pictures


def known(options: dict[str, Any], **defaults: Any) -> dict[str, Any]:
    """The options over their defaults, each as the type of its default; ValueError for a name that has none."""
    for name in options:
        if name not in defaults:
            raise ValueError(f"this worker has no option {name!r}; it has {', '.join(sorted(defaults)) or 'none'}")
    return {
        name: type(value)(options[name]) if name in options and value is not None else options.get(name, value)
        for name, value in defaults.items()
    }


def main() -> None:
    """Talk to Editscope until it says goodbye; or, with `try`, make one edit."""
    if sys.argv[1:2] == ["try"]:
        _try(sys.argv[2:])
        return
    # What libraries print goes to stderr, and nobody but us reads stdin: the pipes are for messages alone.
    given = os.fdopen(os.dup(0), "r", encoding="utf-8")
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
    threading.Thread(target=_listen, args=(given, messages), daemon=True).start()
    hello = messages.get()
    try:
        about = load((hello or {}).get("options", {})) or {}
    except BaseException as error:
        traceback.print_exc()
        _tell(output, {"type": "unfit", "reason": _said(error)})
        sys.exit(1)
    _tell(output, dict(about, type="ready", protocol=1))
    while True:
        message = messages.get()
        if message is None:
            break
        edits = message["edits"] if message.get("type") == "edits" else [message]
        for done in _answers([Request(fields) for fields in edits]):
            _tell(output, done)
    sys.stderr.flush()
    os._exit(0)  # threads that a library forgot must not keep us alive


def _listen(given: Any, messages: queue.Queue[dict[str, Any] | None]) -> None:
    folder = ""
    for line in given:
        message = json.loads(line)
        if message.get("type") == "bye":
            messages.put(None)
            return
        folder = message.get("folder", folder)
        messages.put(message)
    # Whoever started us is gone: leave at once, in the middle of an edit too, with all that we started and were given.
    if Path(folder).name.startswith("editscope-worker-"):
        shutil.rmtree(folder, ignore_errors=True)
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def _tell(told: Any, message: dict[str, Any]) -> None:
    told.write(json.dumps(message) + "\n")
    told.flush()


def _answers(requests: list[Request]) -> list[dict[str, Any]]:
    if len(requests) == 1:
        return [_answer(requests[0])]
    began = time.perf_counter()
    try:
        _prepare(requests[0].seed)
        results = edit_batch(requests)
        took = time.perf_counter() - began
        if len(results) != len(requests):
            raise ValueError(f"edit_batch gave {len(results)} results for {len(requests)} requests")
        return [_done(request, results[number], took) for number, request in enumerate(requests)]
    except Exception as error:  # one of them, or all together, were too much: each by itself
        _fatal(error)
        traceback.print_exc()
        _free_memory()
        return [_answer(request) for request in requests]


def _answer(request: Request) -> dict[str, Any]:
    began = time.perf_counter()
    try:
        _prepare(request.seed)
        return _done(request, edit(request), time.perf_counter() - began)
    except Exception as error:
        _fatal(error)
        traceback.print_exc()
        _free_memory()
        return {"type": "done", "id": request.id, "status": "error", "reason": _said(error)}


def _done(request: Request, result: Any, took: float) -> dict[str, Any]:
    fields = dict(result) if isinstance(result, dict) else {"image": result}
    image = fields.pop("image", None)
    if image is not None:
        _save(image, request.out)
        fields["image"] = request.out
    return dict({"latency_s": took, "memory_mb": _memory()}, **fields, type="done", id=request.id)


def _save(image: Any, out: str) -> None:
    if isinstance(image, (str, os.PathLike)):
        if Path(image).resolve() != Path(out).resolve():
            shutil.copyfile(image, out)
        return
    if not hasattr(image, "save"):
        from PIL import Image

        image = Image.fromarray(image)
    image.save(out, "PNG", compress_level=1)


def _prepare(seed: int) -> None:
    """Seed whatever has random numbers, and start to watch the memory of the GPU."""
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(seed)
        if torch.cuda.is_available():
            torch.cuda.reset_peak_memory_stats()


def _memory() -> float | None:
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return None
    return float(sum(torch.cuda.max_memory_allocated(one) for one in range(torch.cuda.device_count()))) / 2**20


def _free_memory() -> None:
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()


def _fatal(error: BaseException) -> None:
    """After an error of CUDA itself no edit succeeds any more: die, to be started again."""
    if "CUDA error" in str(error):
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)


def _said(error: BaseException) -> str:
    text = " ".join(str(error).split())[:500]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _try(arguments: list[str]) -> None:
    if len(arguments) < 3:
        sys.exit(f'usage: python {sys.argv[0]} try INPUT.png "INSTRUCTION" OUTPUT.png [key=value ...]')
    image, instruction, out = arguments[:3]
    options = {}
    for pair in arguments[3:]:
        name, _, value = pair.partition("=")
        try:
            options[name] = json.loads(value)
        except ValueError:
            options[name] = value
    print(load(options))
    done = _answer(Request({"id": "try", "instruction": instruction, "images": [image], "out": out, "seed": 0}))
    print(json.dumps(done, indent=2))
    if done.get("status", "ok") != "ok":
        sys.exit(1)


if __name__ == "__main__":
    main()

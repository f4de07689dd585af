"""Memory of training steps: the estimate of ``--dry-run`` beside what PyTorch allocates at most on a GPU.

    python benchmarks/training_memory.py [--cases kontext:1:16:inputs …] [--side 64] [--seconds 400]

A case is NETWORK:EDITS:RANK:KEEP, with NETWORK kontext (12 B weights), qwen (20 B), small (69 M) or tiny; a rank of 0
trains the whole network. Weights are random, latents and embeddings drawn, text encoders and autoencoder left out of
both numbers; blocks are not compiled, the optimizer is fused AdamW, the precision bf16. ``--side`` is tokens along a
side of a picture, of 16 pixels each. Three steps are made. A case that fails is told, and the next one is measured.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch

from editscope.training.activations import prepare_blocks
from editscope.training.data.examples import EditExample
from editscope.training.models.lora import add_lora
from editscope.training.models.settings import LoraSettings
from editscope.training.settings import Experiment, experiment_of
from editscope.training.supervised.optimizers import make_optimizer
from editscope.training.supervised.outline import outline
from editscope.training.supervised.settings import OptimizerSettings
from training_step import make_network, make_objective, step

CASES = (
    *("small:8:0:inputs", "small:8:0:all", "small:8:16:all", "small:32:0:all"),
    *("kontext:1:16:inputs", "kontext:2:16:inputs", "kontext:4:16:inputs", "kontext:1:256:inputs"),
    *("kontext:1:16:attention", "kontext:1:16:all", "qwen:1:16:inputs", "qwen:1:16:all"),
)
TOYS = ("tiny:1:0:all", "tiny:1:4:inputs", "tiny-qwen:1:4:all")
GIB = 1 << 30
OTHERS = "text encoders and autoencoder"


def experiment_for(network: Any, folder: Path, case: str, side: int) -> Experiment:
    """An experiment on a pipeline that is nothing but the configuration of a network."""
    _, edits, rank, keep = case.split(":")
    name = type(network).__name__
    kind = "QwenImageEditPlusPipeline" if name.startswith("Qwen") else "FluxKontextPipeline"
    (folder / "transformer").mkdir(parents=True, exist_ok=True)
    (folder / "transformer" / "config.json").write_text(network.to_json_string())
    (folder / "model_index.json").write_text(
        json.dumps({"_class_name": kind, "_diffusers_version": "0", "transformer": ["diffusers", name]})
    )
    pixels = f"{16 * side}x{16 * side}"
    document: dict[str, Any] = {
        "model": {"pipeline": str(folder), "keep": keep},
        "training": {"steps": 1, "batch": int(edits)},
        "optimizer": {"kind": "fused"},
        "data": {"sizes": {"sizes": [pixels]}, "parts": [{"source": "stream:paintbench"}]},
    }
    if int(rank):
        document["lora"] = {"rank": int(rank)}
    return experiment_of(document, "case", "case")


def network_for(kind: str, device: str, rank: int) -> Any:
    """The network of a case as it is trained."""
    if kind not in ("kontext", "qwen", "small", "tiny", "tiny-qwen"):
        raise ValueError(f"there is no network {kind}")
    network: Any = make_network(kind, device)
    network = network if rank else network.float()
    network.requires_grad_(not rank)
    if rank:
        add_lora(network, LoraSettings(rank=rank))
    return network.train()


def measured(case: str, side: int, device: str) -> str:
    """A row of the table."""
    kind, edits, rank, keep = case.split(":")
    network = network_for(kind, device, int(rank))
    with tempfile.TemporaryDirectory() as folder:
        estimated = outline(experiment_for(network, Path(folder), case, side)).memory
    whole = sum(size or 0 for name, size in estimated.items() if name != OTHERS)
    prepare_blocks(network, keep)  # type: ignore[arg-type]
    optimizer = make_optimizer(OptimizerSettings("fused"), [one for one in network.parameters() if one.requires_grad])
    objective = make_objective(network, kind, side)
    answer = np.zeros((16 * side, 16 * side, 3), np.uint8)
    examples = [EditExample(str(number), "drawn", (answer,), "an edit", answer) for number in range(int(edits))]
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
    for _ in range(3):
        step(objective, examples, optimizer).item()
    peak = torch.cuda.max_memory_allocated() if device == "cuda" else 0
    ratio = f"{whole / peak:.2f}" if peak else "-"
    activations = (estimated["activations (about)"] or 0) / GIB
    return f"| {case} | {whole / GIB:.2f} | {activations:.2f} | {peak / GIB:.2f} | {ratio} |"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", nargs="+", default=list(CASES))
    parser.add_argument("--toy", action="store_true", help="tiny networks, to see that it runs")
    parser.add_argument("--side", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=400.0)
    given = parser.parse_args()
    cases, failed = (TOYS if given.toy else given.cases), False
    warnings.simplefilter("ignore")
    until = time.perf_counter() + given.seconds
    device = "cuda" if torch.cuda.is_available() else "cpu"
    name = torch.cuda.get_device_name() if device == "cuda" else "CPU"
    print(f"{name}, PyTorch {torch.__version__}, {16 * given.side} x {16 * given.side} pixels")
    print("| case | estimated, GiB | of it activations | measured, GiB | estimated / measured |")
    print("| --- | ---: | ---: | ---: | ---: |", flush=True)
    for case in cases:
        if time.perf_counter() > until:
            print(f"| {case} | left out: no time |", flush=True)
            continue
        try:
            print(measured(case, given.side, device), flush=True)
        except Exception as error:
            failed = True
            print(f"| {case} | {type(error).__name__}: {' '.join(str(error).split())[:300]} |", flush=True)
        gc.collect()
        if device == "cuda":
            torch.cuda.empty_cache()
    sys.exit(int(failed))


if __name__ == "__main__":
    main()

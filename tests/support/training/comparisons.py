"""A comparison that was made, for tests that look at it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from editscope.cli.app import main
from support.servers.judge_server import JudgeServer

PUBLISHED = 'published = { base = "FLUX.1-Kontext-dev", lazy = "FLUX.1-Kontext-dev + MIRA400K" }'
ARMS = """[[arms]]
name = "Grafix"
[[arms]]
name = "same"
weights = "zero.safetensors"
[[arms]]
name = "lazy"
weights = "lazy.safetensors"
"""


@dataclass(frozen=True)
class Compared:
    """A folder in which a comparison was made, its judges, and what the command printed."""

    root: Path
    plan: Path
    judges: tuple[JudgeServer, JudgeServer]
    printed: str
    code: int

    @property
    def out(self) -> Path:
        return self.root / "compared" / "plan"


def called(*words: Any) -> int:
    """The command line in this process; gives the exit code."""
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    return int(ended.value.code or 0)


def zero_lora(model: Any, folder: Path) -> None:
    """LoRA layers that change nothing yet, as a file, and a copy of it."""
    import torch

    from editscope.training.models.loading import load_flow_editor
    from editscope.training.models.lora import add_lora, lora_weights, save_lora
    from editscope.training.models.settings import LoraSettings

    torch.manual_seed(0)
    editor = load_flow_editor(model)
    add_lora(editor.network, LoraSettings(rank=4))
    made = save_lora(type(editor.pipe), editor.network, folder / "saved", lora_weights(editor.network))
    for name in ("zero", "lazy"):
        (folder / f"{name}.safetensors").write_bytes(made.read_bytes())

"""TRL's own GRPOTrainer with our reward, where TRL is installed: a tiny planner takes two steps."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from support.places import ROOT
from support.servers.judge_server import KEY, JudgeServer

PROGRAM = """
import sys
from pathlib import Path
sys.path[:0] = [{examples!r}, {tests!r}]
from importlib import import_module
import transformers
from support.models.tiny_tokenizer import save_tiny_tokenizer
import trl_planner
folder = Path({folder!r})
save_tiny_tokenizer(folder, ("plan", "this", "edit", "paint", "a", "square", "red"))
tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
tokenizer.chat_template = "{{% for m in messages %}}{{{{ m.content }}}}{{% endfor %}}"
tokenizer.save_pretrained(folder)
config = transformers.LlamaConfig(hidden_size=16, intermediate_size=24, num_hidden_layers=1, num_attention_heads=2,
    vocab_size=len(tokenizer), max_position_embeddings=256, bos_token_id=1, eos_token_id=2, pad_token_id=0)
transformers.LlamaForCausalLM(config).save_pretrained(folder)
trl_planner.train({judge!r}, str(folder), limit=4, output_dir=str(folder / "out"), max_steps=2, num_generations=2,
    per_device_train_batch_size=2, max_completion_length=8, report_to="none", use_cpu=True, bf16=False,
    gradient_checkpointing=False, save_strategy="steps", save_steps=2, logging_steps=1)
"""


@pytest.mark.slow
def test_the_example_trains_with_the_real_trainer(tmp_path: Path) -> None:
    if find_spec("trl") is None:
        pytest.skip("trl is not installed")
    with JudgeServer() as server:
        program = PROGRAM.format(
            examples=str(ROOT / "examples/rewards"),
            tests=str(ROOT / "tests"),
            folder=str(tmp_path / "planner"),
            judge=server.spec(),
        )
        (tmp_path / "planner").mkdir()
        env = {**os.environ, "OPENAI_API_KEY": KEY, "EDITSCOPE_CACHE": str(tmp_path / "cache"), "OMP_NUM_THREADS": "1"}
        command = [sys.executable, "-W", "ignore", "-c", program]
        ended = subprocess.run(command, env=env, capture_output=True, text=True, timeout=600, check=False)
        assert ended.returncode == 0, ended.stderr
        assert server.calls, "the judge was asked about plans"
    (state,) = (tmp_path / "planner/out").glob("*/trainer_state.json")
    logged = [line for line in json.loads(state.read_text())["log_history"] if "reward" in line]
    assert len(logged) == 2
    assert all(0 <= line["reward"] <= 1 for line in logged)

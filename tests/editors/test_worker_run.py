"""Runs with workers: another environment, deaths in the middle, and the example that ships."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import editscope as es
from editscope.editors import Request, load_editor
from editscope.editors.worker import WorkerEditor
from editscope.runfolder.journal import read_journal
from support.places import ROOT
from support.worker_skeleton import LINE, SKELETON, filled

pytestmark = pytest.mark.slow

Cli = Callable[..., "subprocess.CompletedProcess[str]"]
OLDER = ("pillow==10.4.0", "numpy==1.26.4")
"""Releases that no environment of Editscope may have: it wants Pillow 11, and tests run with NumPy 2."""

ELSEWHERE = """
import numpy as np
import PIL
from PIL import Image
from importlib.util import find_spec

def load(options):
    return {"name": "elsewhere", "model": "PIL %s, NumPy %s" % (PIL.__version__, np.__version__)}

def edit(request):
    asked = Path(__file__).with_name("asked")
    asked.open("a").write(request.case + "\\n")
    if len(asked.read_text().split()) == 3:
        os._exit(9)
    return {"image": 255 - np.asarray(request.images[0]), "trace": str(find_spec("editscope"))}
"""


def edit_lines(run: Path) -> list[dict[str, Any]]:
    return [dict(line) for line in read_journal(run) if line["step"] == "edit"]


@pytest.fixture
def older_python(tmp_path: Path) -> Path:
    """The Python of an environment of its own, with other releases of the libraries that we use, without us."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "env")], check=True)
    python = tmp_path / "env" / "bin" / "python"
    command = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(python),
        "install",
        "-q",
        "--no-deps",
        "--no-compile",
        *OLDER,
    ]
    made = subprocess.run(command, capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"pip found no {' and '.join(OLDER)} here: {made.stderr.strip()[-200:]}")
    return python


def test_a_worker_in_another_environment_dies_on_the_third_case_and_the_run_is_complete(
    editscope: Cli, small_set: Path, tmp_path: Path, older_python: Path
) -> None:
    script = tmp_path / "elsewhere.py"
    script.write_text(filled(ELSEWHERE))
    out = tmp_path / "run"
    said = editscope(
        *("run", "paintbench", "--data", small_set, "--quiet", "--out", out),
        *("--editor", f"worker:{older_python} {script}"),
    )
    assert said.returncode == 0, said.stderr
    lines = edit_lines(out)
    assert len(lines) == 12 and {line["status"] for line in lines} == {"ok"}
    assert {line["model"] for line in lines} == {"PIL 10.4.0, NumPy 1.26.4"}
    assert {line["trace"] for line in lines} == {"None"}, "Editscope is in the worker's environment"
    restarted = [line["case"] for line in lines if line["notes"]]
    asked = (tmp_path / "asked").read_text().split()
    assert restarted == [asked[2]] and asked.count(asked[2]) == 2 and len(asked) == 13
    first = es.load_suite("paintbench", root=small_set)[lines[0]["case"]]
    made = es.images.load(out / lines[0]["image"])
    assert np.array_equal(made, 255 - es.images.load(first.images[0]))


def test_a_worker_that_breaks_down_stops_the_run_and_resume_finishes_it(
    editscope: Cli, small_set: Path, tmp_path: Path
) -> None:
    script, out = tmp_path / "breaks.py", tmp_path / "run"
    script.write_text(filled(ELSEWHERE.replace("== 3:\n", '> 6:\n        os.write(2, b"the driver is gone")\n')))
    common = ("--editor", f"worker:{sys.executable} {script}")
    said = editscope("run", "paintbench", "--data", small_set, "--quiet", "--out", out, *common)
    assert said.returncode == 3 and "failed 5 times in a row" in said.stderr and "the driver is gone" in said.stderr
    done = [line["case"] for line in edit_lines(out) if line["status"] == "ok"]
    assert len(done) == 6
    log = (out / "errors.log").read_text()
    assert "What the worker printed:" in log and "the driver is gone" in log
    script.write_text(filled(ELSEWHERE.replace("== 3", "== 0")))
    assert editscope("resume", out, "--quiet").returncode == 1, "two cases are errors, the rest is there"
    lines = edit_lines(out)
    assert [line["case"] for line in lines[:6]] == done and len(lines) == 12
    assert sum(line["status"] == "ok" for line in lines) == 10


# --- the example that ships, and the recipes ------------------------------------------------------------------

STAND_INS = {
    "data/__init__.py": "",
    "data/data_utils.py": "def add_special_tokens(tokenizer):\n    return tokenizer, {'bos_token_id': 1}, 1\n",
    "data/transforms.py": """
class ImageTransform:
    def __init__(self, most, least, stride):
        self.sizes = [most, least, stride]
""",
    "modeling/__init__.py": "",
    "modeling/autoencoder.py": """
import torch
def load_ae(local_path):
    assert local_path.endswith("ae.safetensors")
    return torch.nn.Linear(1, 1), "latent"
""",
    "modeling/qwen2.py": """
class Qwen2Tokenizer:
    @classmethod
    def from_pretrained(cls, path):
        return cls()
""",
    "modeling/bagel.py": """
import json
import torch
class Config:
    @classmethod
    def from_json_file(cls, path):
        found = cls()
        found.__dict__.update(json.load(open(path)))
        return found
class Qwen2Config(Config): pass
class SiglipVisionConfig(Config): pass
class BagelConfig:
    def __init__(self, **fields):
        self.fields = fields
class Qwen2ForCausalLM(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        assert config.layer_module == "Qwen2MoTDecoderLayer" and config.qk_norm
        self.layer = torch.nn.Linear(2, 2)
class SiglipVisionModel(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        assert config.num_hidden_layers == 26 and config.rope is False
        self.vision_model = torch.nn.Module()
        self.vision_model.embeddings = torch.nn.Module()
        self.vision_model.embeddings.convert_conv2d_to_linear = lambda config, meta: None
class Bagel(torch.nn.Module):
    def __init__(self, language_model, vit_model, config):
        super().__init__()
        self.language_model, self.vit_model = language_model, vit_model
""",
    "inferencer.py": """
import json
from PIL import Image, ImageOps
class InterleaveInferencer:
    def __init__(self, model, vae_model, tokenizer, vae_transform, vit_transform, new_token_ids):
        assert next(model.parameters()).sum() == 10, "these are not the weights of the file"
        assert (vae_transform.sizes, vit_transform.sizes) == ([1024, 512, 16], [980, 224, 14])
    def interleave_inference(self, input_lists, think=False, **settings):
        *pictures, text = input_lists
        print("a print of the model's code")
        made = ImageOps.invert(pictures[0])
        said = json.dumps({"text": text, "pictures": len(pictures), **settings})
        return ["<think>" + said + "</think>", made] if think else [made]
""",
}


@pytest.fixture
def bagel(tmp_path: Path) -> Path:
    """A checkout with the names of BAGEL's code and nothing behind them, and weights of four numbers."""
    import torch
    from safetensors.torch import save_file

    for name, text in STAND_INS.items():
        (tmp_path / "Bagel" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "Bagel" / name).write_text(text)
    weights = tmp_path / "Bagel" / "models" / "BAGEL-7B-MoT"
    weights.mkdir(parents=True)
    (weights / "llm_config.json").write_text("{}")
    (weights / "vit_config.json").write_text('{"num_hidden_layers": 27}')
    layer = {"language_model.layer.weight": torch.full((2, 2), 2.5), "language_model.layer.bias": torch.zeros(2)}
    save_file(layer, weights / "ema.safetensors")
    return tmp_path / "Bagel"


@pytest.mark.parametrize("think", [0, 1])
def test_the_example_of_bagel_edits_with_and_without_thinking(bagel: Path, think: int) -> None:
    script = ROOT / "examples" / "workers" / "bagel_worker.py"
    editor = load_editor(f"worker:{sys.executable} {script}?repo={bagel}&device=cpu&think={think}")
    assert isinstance(editor, WorkerEditor)
    pictures = tuple(np.full((8, 8, 3), value, np.uint8) for value in (10, 20))
    editor.load()
    try:
        edit = editor.edit(Request("a", pictures, "Turn it over.", 1))
    finally:
        editor.close()
    assert edit.status == "ok" and edit.model == "BAGEL-7B-MoT"
    assert np.array_equal(edit.image, 255 - pictures[0])  # type: ignore[arg-type]
    if not think:
        assert edit.trace is None
        return
    told = json.loads((edit.trace or "").removeprefix("<think>").removesuffix("</think>"))
    assert (told["text"], told["pictures"]) == ("Turn it over.", 2)
    # Table 9 of PaintBench's paper, and the demonstration of editing in BAGEL's own code.
    assert (told["num_timesteps"], told["cfg_text_scale"], told["cfg_img_scale"]) == (50, 4.0, 2.0)
    assert (told["cfg_interval"], told["cfg_renorm_type"], told["timestep_shift"]) == ([0.0, 1.0], "text_channel", 3.0)


def test_the_example_says_what_is_missing(tmp_path: Path) -> None:
    script = ROOT / "examples" / "workers" / "bagel_worker.py"
    editor = load_editor(f"worker:{sys.executable} {script}?repo={tmp_path}")
    with pytest.raises(es.EditscopeError, match=r"inferencer.py is not there; check the options repo and weights"):
        editor.load()


def test_examples_and_recipes_are_the_skeleton_with_two_functions() -> None:
    example = (ROOT / "examples" / "workers" / "bagel_worker.py").read_text()
    assert example.partition(LINE)[2] == SKELETON.partition(LINE)[2], "the shared part differs from the skeleton"
    recipes = (ROOT / "docs" / "worker-recipes.md").read_text()
    blocks = [block for block in re.findall(r"```python[^\n]*\n(.*?)```", recipes, re.DOTALL) if "def edit(" in block]
    assert len(blocks) >= 5
    for block in blocks:
        names = {node.name for node in ast.parse(filled(block)).body if isinstance(node, ast.FunctionDef)}
        assert {"load", "edit", "known", "main"} <= names


def test_the_skeleton_is_python_3_8() -> None:
    ast.parse(SKELETON, feature_version=(3, 8))
    imported = {name for node in ast.walk(ast.parse(SKELETON)) for name in _imported(node)}
    assert imported - set(sys.stdlib_module_names) == {"PIL"}


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [one.name.partition(".")[0] for one in node.names]
    return [(node.module or "").partition(".")[0]] if isinstance(node, ast.ImportFrom) else []

"""Export of the small editor: 8 bits, the same bytes each time, and a network that says what PyTorch says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from editscope.editors.small.editor import new_session
from editscope.editors.small.inputs import INPUTS, OUTPUTS, inputs_of
from editscope.editors.small.weights import read_weights
from editscope.errors import BadInput
from editscope.suites.paintbench.lessons import problem_at
from editscope.suites.paintbench.slots import PaintSlot
from editscope.training.small.export import exported, in_8_bits, read_average, stored
from editscope.training.small.network import SmallNetwork, new_network
from editscope.training.small.settings import NetworkSettings
from support.command_line import called

pytestmark = pytest.mark.slow
TINY = NetworkSettings(width=32, layers=2, heads=2, registers=5, fine=8)


@pytest.fixture(scope="module")
def network() -> SmallNetwork:
    """A tiny network whose weights are all random, so that nothing is 0 and every path counts."""
    tiny = new_network(TINY, 3).eval()
    torch.manual_seed(0)
    with torch.no_grad():
        for value in tiny.parameters():
            value.add_(torch.randn_like(value) * 0.1)
    return tiny


@pytest.fixture(scope="module")
def written(network: SmallNetwork) -> bytes:
    pytest.importorskip("onnx", reason="PyTorch exports with it")
    return exported(network, ["striped"])


def test_8_bits_are_within_half_a_step_of_each_weight() -> None:
    value = torch.randn(7, 3, 5, generator=torch.Generator().manual_seed(1))
    number, scale = in_8_bits(value)
    assert number.dtype == torch.int8 and scale.shape == (7, 1, 1)
    assert ((number * scale - value).abs() <= scale / 2 + 1e-7).all()


def test_the_file_is_the_same_byte_for_byte_and_has_no_path(network: SmallNetwork, written: bytes) -> None:
    assert exported(network, ["striped"]) == written
    assert b"/src/" not in written and b".py" not in written


def test_onnx_runtime_says_what_pytorch_says(network: SmallNetwork, written: bytes, tmp_path: Path) -> None:
    file = tmp_path / "tiny.weights"
    file.write_bytes(written)
    about, onnx = read_weights(file)
    assert about["trained_on"] == "paintbench without striped"
    session = new_session(onnx, "tiny")
    as_in_file = stored(network)
    for task, mode, condition in (("translation", "amount", "baseline"), ("gradient", "background", "horizontal")):
        before, _, instruction = problem_at(PaintSlot(task, mode, condition, 0, 0))
        inputs, _ = inputs_of(before, instruction)
        theirs = session.run(list(OUTPUTS), {name: inputs[name][None] for name in INPUTS})
        with torch.no_grad():
            ours = as_in_file(*(torch.from_numpy(inputs[name])[None] for name in INPUTS))
        for name, value in zip(OUTPUTS, theirs, strict=True):
            apart = np.abs(getattr(ours, name)[0].numpy() - value)
            assert np.median(apart) < 1e-4, name
            # A place between two pixels is rounded to either; what is seen there changes the pixels around it.
            assert (apart > 5e-3).mean() < (0.1 if name in ("choice", "progress") else 1e-9), name


def test_the_command_writes_the_file_from_averaged_weights(network: SmallNetwork, capsys: Any, tmp_path: Path) -> None:
    code, _, error = called(capsys, "train", "small-export", tmp_path / "none.pt", "--out", tmp_path / "out")
    assert code == 2 and "is not there" in " ".join(error.split())
    (tmp_path / "thesis").mkdir()
    code, _, error = called(capsys, "train", "small-export", tmp_path / "thesis", "--out", tmp_path / "out")
    error = " ".join(error.split())
    assert code == 2 and "is not a training of the small editor; give the folder of" in error and "remove" not in error
    (tmp_path / "other.pt").write_bytes(b"something else")
    with pytest.raises(BadInput, match="is not a PyTorch file with weights"):
        read_average(tmp_path / "other.pt")
    (tmp_path / "mine.weights").write_bytes(b'{"format": "editscope small editor 2"}\n')
    with pytest.raises(BadInput, match=r"that `small-export` wrote; use it as small:.*mine.weights"):
        read_average(tmp_path / "mine.weights")
    code, _, error = called(capsys, "train", "small-export", tmp_path / "none.pt", "--out", tmp_path)
    assert code == 2 and "is a folder; give the file to write" in " ".join(error.split())
    torch.save([torch.zeros(2)], tmp_path / "list.pt")
    with pytest.raises(BadInput, match="is not a PyTorch file with weights by name"):
        read_average(tmp_path / "list.pt")
    torch.save({"words.weight": torch.zeros(2)}, tmp_path / "wrong.pt")
    code, _, error = called(capsys, "train", "small-export", tmp_path / "wrong.pt", "--out", tmp_path / "out")
    assert code == 2 and not (tmp_path / "out").exists()

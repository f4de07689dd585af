"""Scores that PyTorch computes on tensors are those of the compiled code, count by count."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import editscope as es
from editscope.images import Pixels
from editscope.scoring import tensors

torch = pytest.importorskip("torch")


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def scored(*batch: Any, layout: Any = None) -> list[es.PixelScore] | None:
    levels = tensors.as_levels(list(batch), layout, "cpu")
    return None if levels is None else tensors.score_tensors(*levels)


def one_by_one(*batch: Any) -> list[es.PixelScore]:
    return [es.score_pixels(*parts) for parts in zip(*batch, strict=True)]


def scenes(rng: np.random.Generator, number: int, height: int, width: int, noise: int) -> tuple[Pixels, Pixels, Pixels]:
    before = np.repeat(np.repeat(rng.integers(0, 256, (number, 1, 1, 3), np.uint8), height, 1), width, 2)
    before ^= rng.integers(0, 1 + noise, before.shape, np.uint8)
    answer = before.copy()
    answer[:, : rng.integers(0, height + 1), : rng.integers(0, width + 1)] = rng.integers(0, 256, 3)
    output = np.clip(answer + rng.integers(-noise, noise + 1, answer.shape, np.int16), 0, 255).astype(np.uint8)
    return before, answer, output


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32),
    st.integers(1, 4),
    st.integers(1, 40),
    st.integers(1, 40),
    st.sampled_from([0, 1, 4, 40, 255]),
)
def test_counts_are_those_of_the_compiled_code(seed: int, number: int, height: int, width: int, noise: int) -> None:
    batch = scenes(np.random.default_rng(seed), number, height, width, noise)
    assert scored(*map(torch.from_numpy, batch), layout="hwc") == es.score_batch(*batch, layout="hwc", jobs=1)


def test_a_million_pairs_of_near_colors_fall_on_the_same_side_of_every_tolerance() -> None:
    rng = np.random.default_rng(5)
    answer = rng.integers(0, 256, (4, 500, 500, 3), np.uint8)
    output = np.clip(answer + rng.integers(-6, 7, answer.shape, np.int16), 0, 255).astype(np.uint8)
    before = np.clip(answer + rng.integers(-1, 2, answer.shape, np.int16), 0, 255).astype(np.uint8)
    found = scored(*map(torch.from_numpy, (before, answer, output)))
    assert found == one_by_one(before, answer, output)
    assert min(found[0].hits) < found[0].hits[5] < max(found[0].hits)


def test_grays_which_lie_on_a_line_are_counted_alike() -> None:
    first, second = np.meshgrid(np.arange(256, dtype=np.uint8), np.arange(256, dtype=np.uint8))
    answer, output = (np.repeat(gray[None, :, :, None], 3, axis=3) for gray in (first, second))
    before = np.zeros_like(answer)
    assert scored(*map(torch.from_numpy, (before, answer, output))) == one_by_one(before, answer, output)


@pytest.mark.parametrize("layout", ["nhwc", "nchw"])
@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32", "float64", "bfloat16"])
def test_layouts_and_types_are_read_as_the_compiled_way_reads_them(layout: Any, dtype: str) -> None:
    batch = scenes(np.random.default_rng(1), 3, 20, 24, 9)
    wanted = one_by_one(*batch)
    arrays = [es.to_array(list(pictures), layout, "float32" if dtype == "bfloat16" else dtype) for pictures in batch]
    given_tensors = [torch.from_numpy(array).to(getattr(torch, dtype)) for array in arrays]
    assert scored(*given_tensors) == wanted
    assert scored(arrays[0], given_tensors[1], given_tensors[2].requires_grad_(dtype != "uint8")) == wanted


def test_floats_between_levels_are_rounded_alike() -> None:
    rng = np.random.default_rng(2)
    batch: list[npt.NDArray[Any]] = [rng.random((2, 16, 16, 3)).astype(np.float32) for _ in range(3)]
    batch[2][0, 0, 0] = [0.5 / 255, 1.5 / 255, 1 + 0.4 / 255]
    assert scored(*map(torch.from_numpy, batch)) == es.score_batch(*batch)


@pytest.mark.parametrize("size", [(8, 8), (40, 40), (33, 20), (20, 47)])
def test_outputs_of_another_size_are_fitted_alike(size: tuple[int, int]) -> None:
    before, answer, _ = scenes(np.random.default_rng(3), 2, 20, 20, 4)
    output = np.random.default_rng(4).integers(0, 256, (2, *size, 3), np.uint8)
    found = scored(*map(torch.from_numpy, (before, answer, output)))
    assert found == one_by_one(before, answer, output)
    assert found[0].resized and found[0].output_size == (size[1], size[0])


def test_parts_of_a_large_batch_give_what_the_whole_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = scenes(np.random.default_rng(6), 7, 10, 10, 3)
    whole = scored(*map(torch.from_numpy, batch))
    monkeypatch.setattr(tensors, "PIXELS_AT_ONCE", 250)
    assert scored(*map(torch.from_numpy, batch)) == whole


def test_what_is_not_plain_is_left_to_the_cpu() -> None:
    batch = [torch.from_numpy(part) for part in scenes(np.random.default_rng(7), 2, 8, 8, 3)]
    before, answer, output = batch
    floats = output.float() / 255
    for bad in (
        output.int(),
        floats * 255,
        floats * float("nan"),
        floats * 2 - 1,
        output[:1],
        output[..., :1],
        output[0],
        list(output),
        torch.cat([output, output[..., :1]], dim=-1),
    ):
        assert scored(before, answer, bad) is None
    assert scored(before, answer[:, :4], output) is None
    assert scored(before, answer, output, layout="HWC") is None
    assert tensors.on_one_gpu({"inputs": before, "answers": answer, "outputs": output}, None) is None


def test_layout_says_which_axis_holds_the_channels() -> None:
    turned = [torch.from_numpy(part) for part in scenes(np.random.default_rng(8), 2, 3, 8, 3)]
    assert scored(*turned, layout="hwc") == es.score_batch(*turned, layout="hwc")
    assert scored(*turned, layout="chw") == es.score_batch(*turned, layout="chw")

"""Arrays and tensors of any library, layout and type are the picture that they hold, or are refused with the fix."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import editscope as es
from editscope.errors import BadImage, BadInput
from editscope.images import Pixels, decode, encode_png, load

RNG = np.random.default_rng(0)
PICTURE: Pixels = RNG.integers(0, 256, (20, 30, 3), np.uint8)
FLOATS = ("float16", "float32", "float64")


def same(image: Any, wanted: Pixels = PICTURE, **options: Any) -> bool:
    pixels = load(image, **options)
    return pixels.dtype == np.uint8 and pixels.flags.c_contiguous and np.array_equal(pixels, wanted)


@pytest.mark.parametrize("dtype", ["uint8", *FLOATS])
@pytest.mark.parametrize("layout", ["hwc", "chw"])
def test_what_to_array_gives_is_read_as_the_same_picture(dtype: str, layout: Any) -> None:
    array = es.to_array(PICTURE, layout, dtype)
    assert array.dtype == dtype and array.shape == ((20, 30, 3) if layout == "hwc" else (3, 20, 30))
    assert same(array)
    assert same(array[None])  # a batch of one
    assert same(np.asfortranarray(array)) and same(array[::-1, ::-1, ::-1][::-1, ::-1, ::-1])


@given(
    shape=st.tuples(st.integers(1, 9), st.integers(1, 9)),
    layout=st.sampled_from(["hwc", "chw"]),
    dtype=st.sampled_from(["uint8", *FLOATS]),
    seed=st.integers(0, 99),
)
@settings(deadline=None)
def test_any_picture_comes_back_when_its_layout_is_said(
    shape: tuple[int, int], layout: Any, dtype: str, seed: int
) -> None:
    picture = np.random.default_rng(seed).integers(0, 256, (*shape, 3), np.uint8)
    assert same(es.to_array(picture, layout, dtype), picture, layout=layout)


def test_the_axis_of_1_3_or_4_values_is_the_channels() -> None:
    gray = PICTURE[:, :, 0]
    for array in (gray, gray[None], gray[:, :, None]):
        assert same(array, np.repeat(gray[:, :, None], 3, axis=2))
    rgba = np.dstack([PICTURE, RNG.integers(0, 256, (20, 30), np.uint8)])
    assert np.array_equal(load(np.moveaxis(rgba, -1, 0)), load(rgba))
    assert decode(np.moveaxis(rgba, -1, 0)).notes == ("alpha composited over white",)


def test_where_both_ends_could_be_the_channels_numpy_has_them_last_and_pytorch_first() -> None:
    torch = pytest.importorskip("torch")
    array = RNG.integers(0, 256, (3, 8, 3), np.uint8)
    assert same(array, array)
    assert same(torch.from_numpy(array), np.ascontiguousarray(np.moveaxis(array, 0, -1)))
    assert same(torch.from_numpy(array), array, layout="hwc")
    assert same(array, np.ascontiguousarray(np.moveaxis(array, 0, -1)), layout="chw")


def test_floats_become_the_nearest_level_and_half_a_level_outside_is_forgiven() -> None:
    values = np.array([[[0.0, 0.4999 / 255, 0.5001 / 255], [1 + 0.49 / 255, -0.49 / 255, 254.6 / 255]]], np.float64)
    assert load(values).tolist() == [[[0, 0, 1], [255, 0, 255]]]


WRONG: dict[str, tuple[npt.NDArray[Any], str]] = {
    "0 to 255": (PICTURE.astype(np.float32), "from 0 to 255; floats are read as 0 to 1: divide by 255"),
    "-1 to 1": (np.linspace(-1, 1, 300).reshape(10, 10, 3), r"from -1 to 1; .* pass \(x \+ 1\) / 2"),
    "a little over": (np.linspace(0, 1.02, 300).reshape(10, 10, 3), "from 0 to 1.02; .* clip them"),
    "NaN": (np.full((5, 5, 3), np.nan), "NaN or infinity; find out"),
    "one infinity": (np.array([[[0.0, np.inf, 0.5]]]), "NaN or infinity; find out"),
    "whole numbers": (PICTURE.astype(np.int32), "int32, whose range is not known; convert it to uint8"),
    "five channels": (np.zeros((5, 6, 7), np.uint8), "shape 5×6×7; give height × width × 3 or 3 × height × width"),
    "a batch": (np.zeros((2, 3, 6, 7), np.uint8), r"shape 2×3×6×7, a batch; give one picture .* array\[0\]"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_doubtful_is_refused_with_the_fix(case: str) -> None:
    array, says = WRONG[case]
    with pytest.raises(BadImage, match=says):
        load(array)
    with pytest.raises(BadImage, match=f"the output .*{says}"):
        es.score_pixels(PICTURE, PICTURE, array)


def test_a_layout_that_does_not_fit_is_refused() -> None:
    with pytest.raises(BadImage, match="shape 20×30×3, which layout='chw' does not fit"):
        load(PICTURE, layout="chw")


def test_a_picture_over_the_limit_is_refused_before_it_is_converted() -> None:
    with pytest.raises(BadImage, match="limit"):
        load(np.broadcast_to(np.float64(0.5), (3, 20_000, 20_000)))


@pytest.mark.parametrize("dtype", ["uint8", "float16", "bfloat16", "float32", "float64"])
def test_tensors_of_pytorch_are_taken_however_they_lie_in_memory(dtype: str) -> None:
    torch = pytest.importorskip("torch")
    first = torch.from_numpy(es.to_array(PICTURE, "chw", "uint8" if dtype == "uint8" else "float32"))
    tensor = first.to(getattr(torch, dtype))
    assert same(tensor) and same(tensor[None]) and same(tensor.permute(1, 2, 0))
    assert same(torch.stack([tensor, tensor], dim=-1)[..., 0])  # not contiguous
    assert same(tensor.to(memory_format=torch.preserve_format).flip(2).flip(2))
    if dtype != "uint8":
        assert same(tensor.requires_grad_())
        assert same(tensor * 1.0)  # a part of a graph


def test_every_level_survives_bfloat16() -> None:
    torch = pytest.importorskip("torch")
    levels = np.arange(256, dtype=np.uint8).reshape(1, 256, 1).repeat(3, axis=2)
    assert same(torch.from_numpy(es.to_array(levels, "chw", "float32")).bfloat16(), levels, layout="chw")


def test_a_tensor_without_values_is_refused() -> None:
    torch = pytest.importorskip("torch")
    with pytest.raises(BadImage, match=r"the array is a Tensor that does not give its values .*; give a NumPy array"):
        load(torch.empty((3, 8, 8), device="meta"))


class OnTheGpu:
    """What CuPy's arrays look like from outside: they refuse to be copied unless they are told to."""

    def __init__(self, values: npt.NDArray[Any]) -> None:
        self.values = values
        self.__cuda_array_interface__ = {"shape": values.shape}

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed")

    def get(self) -> npt.NDArray[Any]:
        return self.values


class ByDlpack:
    """An array that speaks nothing but DLPack."""

    def __init__(self, values: npt.NDArray[Any]) -> None:
        self.values = values

    def __dlpack__(self, **options: Any) -> Any:
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.values.__dlpack_device__()


class ByArray:
    """An array that gives itself to NumPy, as those of JAX and TensorFlow do."""

    def __init__(self, values: npt.NDArray[Any]) -> None:
        self.values = values

    def __array__(self, *_: Any, **__: Any) -> npt.NDArray[Any]:
        return self.values


@pytest.mark.parametrize("library", [OnTheGpu, ByDlpack, ByArray])
def test_arrays_of_other_libraries_are_taken_by_what_they_can_do(library: Any) -> None:
    assert same(library(PICTURE.copy()))
    assert same(library(es.to_array(PICTURE, "chw", "float32")))


def test_bytes_of_a_file_are_a_picture() -> None:
    assert same(encode_png(PICTURE))
    assert es.score_pixels(encode_png(PICTURE), PICTURE, encode_png(PICTURE)).miou == 1.0


def test_to_array_stacks_pictures_of_one_size() -> None:
    batch = es.to_array([PICTURE, PICTURE[::-1]], "nchw", "float32")
    assert batch.shape == (2, 3, 20, 30) and same(batch[1], PICTURE[::-1].copy())
    assert np.array_equal(es.to_array(batch, "nhwc"), np.stack([PICTURE, PICTURE[::-1]]))
    with pytest.raises(BadInput, match="one is 30×20 and another 30×19; resize"):
        es.to_array([PICTURE, PICTURE[1:]], "nchw")
    with pytest.raises(BadInput, match="no pictures"):
        es.to_array([], "nhwc")
    with pytest.raises(BadInput, match="is one picture; give a list"):
        es.to_array("picture.png", "nhwc")
    with pytest.raises(BadInput, match="no layout 'whc'; did you mean"):
        es.to_array(PICTURE, "whc")  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="no type of array 'int32'"):
        es.to_array(PICTURE, "hwc", "int32")


def test_to_array_never_shares_memory_with_the_picture() -> None:
    assert not np.shares_memory(es.to_array(PICTURE), PICTURE)


@pytest.mark.slow
def test_numpy_arrays_need_no_pytorch() -> None:
    program = """
import sys
import numpy as np
import editscope as es
picture = np.zeros((3, 16, 20), np.float32)
assert es.score_pixels(picture, picture, np.zeros((16, 20, 3), np.uint8)).miou == 1.0
assert es.score_batch(picture[None], picture[None], picture[None])[0].miou == 1.0
es.to_array(picture, "nchw" if picture.ndim == 4 else "chw", "float32")
print([name for name in ("torch", "jax", "cupy") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("layout", ["CHW", "nchw", "bogus", "", 5])
def test_a_layout_that_does_not_exist_is_refused(layout: Any) -> None:
    picture = np.zeros((3, 40, 3), np.uint8)
    with pytest.raises(BadInput, match="layout"):
        es.score_pixels(picture, picture, picture, layout=layout)
    with pytest.raises(BadInput, match="layout"):
        es.score_batch([picture], [picture], [picture], layout=layout)


@pytest.mark.parametrize("dtype", ["bogus", None, "int16"])
def test_a_type_of_array_that_does_not_exist_is_refused(dtype: Any) -> None:
    with pytest.raises(BadInput, match="type of array"):
        es.to_array(np.zeros((4, 4, 3), np.uint8), dtype=dtype)


@pytest.mark.parametrize("jobs", [0, "2", 1.5])
def test_threads_are_counted_in_whole_numbers(jobs: Any) -> None:
    picture = np.zeros((4, 4, 3), np.uint8)
    with pytest.raises(BadInput, match="jobs must be a whole number from 1"):
        es.score_batch([picture], [picture], [picture], jobs=jobs)

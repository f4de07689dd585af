"""Arrays of NumPy, PyTorch, JAX and CuPy as pixels, and pixels as arrays: bytes or floats, channels first or last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from editscope.errors import BadImage, BadInput, unknown
from editscope.images._records import Pixels

Layout = Literal["hwc", "chw"]
"""Where the channels of a picture are: last (height × width × channels) or first."""

BatchLayout = Literal["hwc", "chw", "nhwc", "nchw"]
ArrayType = Literal["uint8", "float16", "float32", "float64"]
Array = npt.NDArray[Any]

CHANNELS = (1, 3, 4)
"""Gray, RGB, and RGB with alpha."""
HALF_A_LEVEL = 0.5 / 255
"""How far a float may lie outside 0 … 1: the nearest of the 256 levels is then still 0 or 255."""
SHAPES = "height × width × 3 or 3 × height × width"


def is_array(source: object) -> bool:
    """Whether something offers its values as an array, whichever library it comes from."""
    return isinstance(source, np.ndarray) or hasattr(source, "__array__") or hasattr(source, "__dlpack__")


def numpy_array(source: Any, name: str = "the array") -> tuple[Array, bool]:
    """The values as a NumPy array, copied from a GPU where they are there; and whether it was a PyTorch tensor.

    No library is imported for it: the object brings the methods that are needed.
    """
    tensor = hasattr(source, "detach") and hasattr(source, "numpy")
    try:
        if tensor:
            source = source.float() if str(source.dtype) == "torch.bfloat16" else source
            return source.numpy(force=True), True
        if hasattr(source, "__cuda_array_interface__") and hasattr(source, "get"):
            return np.asarray(source.get()), False  # CuPy copies from the GPU only when it is told to
        array = np.asarray(source) if hasattr(source, "__array__") else np.from_dlpack(source)
    except Exception as error:
        kind, detail = type(source).__name__, " ".join(str(error).split())[:200]
        raise BadImage(f"{name} is a {kind} that does not give its values ({detail}); give a NumPy array") from error
    return array.astype(np.float32) if array.dtype.name == "bfloat16" else array, False


def channels_last(array: Array, name: str, layout: Layout | None, tensor: bool = False) -> Array:
    """A view of the picture as height × width × channels; a batch of one picture counts as that picture.

    Without a ``layout`` the axis of 1, 3 or 4 values is the channels. Where the first and the last axis both have so
    few, the last one is, as NumPy, Pillow and OpenCV order them; in a PyTorch tensor the first one.

    >>> channels_last(np.zeros((3, 20, 10)), "it", None).shape, channels_last(np.zeros((4, 10, 3)), "it", None).shape
    ((20, 10, 3), (4, 10, 3))
    """
    check_layout(layout)
    shape = "×".join(map(str, array.shape))
    if array.ndim == 4:
        if len(array) != 1:
            raise BadImage(f"{name} has shape {shape}, a batch; give one picture of {SHAPES}, such as array[0]")
        array = array[0]
    if array.ndim == 2:
        array = array[:, :, None]
    elif array.ndim == 3 and (picture_layout(array.shape, tensor) if layout is None else layout) == "chw":
        array = np.moveaxis(array, 0, -1)
    if array.ndim != 3 or array.shape[2] not in CHANNELS or 0 in array.shape:
        meant = f", which layout={layout!r} does not fit" if layout is not None and array.ndim == 3 else ""
        raise BadImage(f"{name} has shape {shape}{meant}; give {SHAPES}")
    return array


def to_levels(values: Array, name: str) -> npt.NDArray[np.uint8]:
    """Values as 8 bits: uint8 as they are, floats of 0 … 1 by ``quantized``."""
    if values.dtype == np.uint8:
        return values
    if values.dtype.kind != "f":
        raise BadImage(
            f"{name} holds {values.dtype}, whose range is not known; convert it to uint8 with values 0 to 255, "
            "or to floats of 0 to 1"
        )
    with np.errstate(all="ignore"):
        low, high = float(values.min()), float(values.max())
    if not (isfinite(low) and isfinite(high)):
        raise BadImage(f"{name} holds NaN or infinity; find out where your model makes them, or use more bits for it")
    if low <= -HALF_A_LEVEL or high >= 1 + HALF_A_LEVEL:
        raise BadImage(f"{name} holds {values.dtype} from {low:.4g} to {high:.4g}; {_mended(low, high)}")
    return quantized(values)


def quantized(values: Array) -> npt.NDArray[np.uint8]:
    """Values of 0 … 1 as 8 bits: the nearest of 256 levels, a half to the even one; what lies outside is clipped.

    >>> quantized(np.array([0.0, 0.5, 1.0, 1.5])).tolist()
    [0, 128, 255, 255]
    """
    scaled = values * np.float32(255) if values.dtype.itemsize >= 4 else values.astype(np.float32) * np.float32(255)
    np.rint(scaled, out=scaled)
    return np.clip(scaled, 0, 255, out=scaled).astype(np.uint8)


def check_layout(layout: Layout | None) -> None:
    """Refuse anything but the layouts of one picture: "CHW" must not be read as something else."""
    if layout is not None and layout not in get_args(Layout):
        raise unknown("layout", str(layout), get_args(Layout))


def split_batch(pictures: Any, name: str, layout: Layout | None = None) -> tuple[list[Any], Layout | None]:
    """The pictures of a batch and their layout: a list as it is, an array of four axes by its first."""
    check_layout(layout)
    if isinstance(pictures, str | bytes | bytearray) or hasattr(pictures, "getexif"):
        raise BadInput(f"{name} is one picture; give a list of pictures")
    if not is_array(pictures):
        if not isinstance(pictures, Sequence):
            raise BadInput(f"{name} is a {type(pictures).__name__}; give a list of pictures or one array of a batch")
        return list(pictures), layout
    array, tensor = numpy_array(pictures, name)
    if array.ndim != 4:
        shape = "×".join(map(str, array.shape))
        raise BadInput(f"{name} has shape {shape}; a batch has four axes: N × {SHAPES.replace(' or ', ' or N × ')}")
    return list(array), layout or picture_layout(array.shape[1:], tensor)


def arranged(pixels: Pixels | Iterable[Pixels], layout: BatchLayout, dtype: npt.DTypeLike) -> Array:
    """Pixels as a new array in a layout: uint8 as they are, floats as value / 255."""
    if layout not in get_args(BatchLayout):
        raise unknown("layout", str(layout), get_args(BatchLayout))
    try:
        kind = np.dtype(dtype)
    except TypeError:
        raise unknown("type of array", str(dtype), get_args(ArrayType)) from None
    if dtype is None or kind.name not in get_args(ArrayType):
        raise unknown("type of array", str(dtype) if dtype is None else kind.name, get_args(ArrayType))
    if layout in ("hwc", "chw"):
        return _converted(np.asarray(pixels), layout, kind)
    pictures = list(pixels)
    if sizes := {picture.shape for picture in pictures[1:]} - {picture.shape for picture in pictures[:1]}:
        first, other = (f"{shape[1]}×{shape[0]}" for shape in (pictures[0].shape, min(sizes)))
        raise BadInput(f"a batch needs pictures of one size, but one is {first} and another {other}; resize them first")
    if not pictures:
        raise BadInput("a batch of no pictures has no size; give at least one")
    return np.stack([_converted(picture, "chw" if layout == "nchw" else "hwc", kind) for picture in pictures])


def _converted(pixels: Pixels, layout: str, kind: np.dtype[Any]) -> Array:
    ordered = np.moveaxis(pixels, -1, 0) if layout == "chw" else pixels
    if kind == np.uint8:
        return np.array(ordered, np.uint8, order="C")
    levels = (np.arange(256) / 255).astype(kind)
    return levels[np.ascontiguousarray(ordered)]


def picture_layout(shape: Sequence[int], tensor: bool) -> Layout:
    """The layout of a picture of three axes, from its shape and whether it is a PyTorch tensor."""
    first, last = shape[0] in CHANNELS, shape[-1] in CHANNELS
    return "chw" if first and (tensor or not last) else "hwc"


def _mended(low: float, high: float) -> str:
    """How floats outside 0 … 1 can be brought there."""
    if low >= -1 - HALF_A_LEVEL and high <= 1 + HALF_A_LEVEL:
        return "floats are read as 0 to 1: pass (x + 1) / 2 for values of -1 to 1, else clip them"
    if low > -HALF_A_LEVEL and 1.5 < high < 256:
        return "floats are read as 0 to 1: divide by 255, or convert it to uint8"
    return "floats are read as 0 to 1: scale or clip them to that range"

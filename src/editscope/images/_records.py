"""Pictures in memory, and the digest that names a picture by its content."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, Union

import numpy as np
import numpy.typing as npt
import xxhash

if TYPE_CHECKING:
    import PIL.Image

Pixels: TypeAlias = npt.NDArray[np.uint8]
"""A picture in memory: uint8, height × width × 3, sRGB."""


class SupportsArray(Protocol):
    """An array of any library: NumPy, PyTorch, JAX, CuPy."""

    def __array__(self, *args: Any, **options: Any) -> Any:
        """Its values as a NumPy array."""


ImageLike: TypeAlias = Union[str, Path, bytes, "PIL.Image.Image", SupportsArray]
"""What the library takes wherever it wants a picture: a path, the bytes of a file, a PIL image, an array or a tensor
(uint8, or floats of 0 to 1; channels first or last)."""

MAX_PIXELS = 64_000_000
"""Pictures with more pixels than this are refused before they are decoded, unless a caller allows more."""


@dataclass(frozen=True, eq=False)
class Decoded:
    """The pixels of a picture, and in words what had to be done to get them (empty when nothing)."""

    pixels: Pixels
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Indexed:
    """A picture of at most 256 colors: ``plane`` holds, for each pixel, a row number of ``palette``.

    >>> Indexed(np.array([[0, 1]], np.uint8), np.array([[255, 0, 0], [0, 0, 255]], np.uint8)).rgb().tolist()
    [[[255, 0, 0], [0, 0, 255]]]
    """

    plane: npt.NDArray[np.uint8]
    palette: npt.NDArray[np.uint8]

    def rgb(self) -> Pixels:
        """The picture as height × width × 3."""
        from editscope.images._kernels import look_up

        height, width = self.plane.shape
        table = np.zeros((256, 3), np.uint8)
        table[: len(self.palette)] = self.palette
        out = np.empty((height, width, 3), np.uint8)
        look_up(writable(self.plane).reshape(-1), table, out.reshape(-1))
        return out


def writable(array: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """The array as compiled code wants it: contiguous and not locked; copied only when it is not so."""
    if array.flags.c_contiguous and array.flags.writeable:
        return array
    return np.array(array, np.uint8, order="C")


def pixels_digest(pixels: Pixels) -> str:
    """Hash of the size and the pixels."""
    height, width = pixels.shape[:2]
    return f"{width}x{height}:{xxhash.xxh3_128_hexdigest(np.ascontiguousarray(pixels).data)}"

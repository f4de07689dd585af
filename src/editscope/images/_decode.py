"""RGB pixels from a file, bytes, a PIL image, an array or a tensor, within limits; a clear error where it fails."""

from __future__ import annotations

import errno
import io
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import numpy.typing as npt

from editscope.errors import BadImage
from editscope.files import open_file, read_opened
from editscope.images._arrays import SHAPES, Layout, channels_last, is_array, numpy_array, to_levels
from editscope.images._png_layout import SIGNATURE, PngLayout, walk, walk_bytes
from editscope.images._records import MAX_PIXELS, Decoded, ImageLike, Pixels

if TYPE_CHECKING:
    import PIL.Image

# Formats that pictures come in. Others are left out: some run programs (EPS), some are containers of anything.
FORMATS = ("JPEG", "WEBP", "GIF", "BMP", "TIFF", "PPM", "AVIF", "JPEG2000", "TGA")
ALPHA_MODES = {"RGBA", "LA", "PA", "La", "RGBa"}
SIXTEEN_BIT = {"I;16", "I;16L", "I;16B", "I;16N"}
JPEG_START, JPEG_END = b"\xff\xd8\xff", b"\xff\xd9"
TAIL = 65_536


def decode(
    source: ImageLike, *, name: str | None = None, max_pixels: int = MAX_PIXELS, layout: Layout | None = None
) -> Decoded:
    """The pixels of a picture as uint8 height × width × 3, and notes on what was done to get them.

    Alpha goes over white, EXIF rotation is applied, of an animation the first frame is taken, 16 bits become
    8 by v / 257 rounded, palette, gray, 1-bit and CMYK become RGB. Color profiles and gamma are ignored: the
    values are compared as they are stored. ``name`` is what messages call the picture.

    An array holds uint8, or floats of 0 to 1, which become the nearest of 256 levels. Its channels are the axis of 1,
    3 or 4 values; see ``_arrays.channels_last`` for shapes that could be both, and ``layout`` to say it.

    Raises BadImage for whatever is not a whole picture of at most ``max_pixels`` pixels.
    """
    if isinstance(source, np.ndarray):
        return _from_array(source, name or "the array", max_pixels, layout)
    if isinstance(source, (str, Path)):
        return _from_bytes(read_picture(source, name, max_pixels), name or str(source), max_pixels)
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _from_bytes(bytes(source), name or "the image", max_pixels)
    if hasattr(source, "getexif") and hasattr(source, "convert"):
        name = name or str(getattr(source, "filename", "") or "the PIL image")
        return _guarded(source, name, max_pixels)
    if is_array(source):
        return _from_array(source, name or "the array", max_pixels, layout)
    raise BadImage(
        f"{name or 'the image'} is a {type(source).__name__}; give a path, a PIL image, or an array of {SHAPES}"
    )


def load(
    image: ImageLike, *, name: str | None = None, max_pixels: int = MAX_PIXELS, layout: Layout | None = None
) -> Pixels:
    """The pixels of a picture: ``decode(image).pixels``."""
    return decode(image, name=name, max_pixels=max_pixels, layout=layout).pixels


def probe(path: Path | str, *, max_pixels: int = MAX_PIXELS) -> tuple[int, int]:
    """Width and height of a picture file, after EXIF rotation, from its header.

    Raises BadImage when it is missing, empty, no picture, too large, or ends too early.
    """
    name = str(path)
    with _opened(Path(path), name) as file:
        number = file.fileno()
        head = os.pread(number, 4096, 0)
        if not head:
            raise _empty(name)
        if head.startswith(SIGNATURE):
            return _probe_png(number, head, name, max_pixels)
        size = os.fstat(number).st_size
        if head.startswith(JPEG_START) and JPEG_END not in os.pread(number, TAIL, max(0, size - TAIL)):
            pixels = decode(path, max_pixels=max_pixels).pixels  # doubtful: only decoding can tell
            return pixels.shape[1], pixels.shape[0]
        return _guarded_size(file, name, max_pixels)


def _probe_png(number: int, head: bytes, name: str, max_pixels: int) -> tuple[int, int]:
    def read(offset: int, length: int) -> bytes:
        if offset + length <= len(head):
            return head[offset : offset + length]
        return os.pread(number, length, offset)

    layout = walk(read, name)
    _check_size(layout.width, layout.height, name, max_pixels)
    turned = _png_orientation(layout) >= 5
    return (layout.height, layout.width) if turned else (layout.width, layout.height)


def _guarded_size(file: Any, name: str, max_pixels: int) -> tuple[int, int]:
    from PIL import Image

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with Image.open(file, formats=_formats()) as image:
                _check_size(*image.size, name, max_pixels)
                # Pillow gives the size of a TIFF after rotation, that of other formats before it.
                turned = image.format != "TIFF" and image.getexif().get(0x0112, 1) in (5, 6, 7, 8)
                return (image.height, image.width) if turned else (image.width, image.height)
        except BadImage:
            raise
        except Exception as error:
            raise _unreadable(name, error) from error


def _from_bytes(data: bytes, name: str, max_pixels: int) -> Decoded:
    if not data:
        raise _empty(name)
    if not data.startswith(SIGNATURE):
        return _guarded(data, name, max_pixels)
    layout = walk_bytes(data, name)
    _check_size(layout.width, layout.height, name, max_pixels)
    from editscope.images._png_read import read_png

    pixels, notes = read_png(data, layout, name)
    orientation = _png_orientation(layout)
    if orientation > 1:
        pixels = _turned(pixels, orientation)
        notes.append(f"rotated by EXIF orientation {orientation}")
    if layout.frames > 1:
        notes.append(f"first of {layout.frames} frames")
    return Decoded(pixels, tuple(notes))


def _guarded(source: Any, name: str, max_pixels: int) -> Decoded:
    """Decode with Pillow; whatever goes wrong inside it becomes one sentence."""
    from PIL import Image

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Pillow warns of odd metadata and of sizes that we judge ourselves
        try:
            if not isinstance(source, bytes):
                return _from_pil(source, name, max_pixels)
            with Image.open(io.BytesIO(source), formats=_formats()) as image:
                return _from_pil(image, name, max_pixels)
        except BadImage:
            raise
        except Exception as error:
            raise _unreadable(name, error) from error


def _from_pil(image: PIL.Image.Image, name: str, max_pixels: int) -> Decoded:
    from PIL import ImageOps

    _check_size(*image.size, name, max_pixels)
    notes = []
    frames = getattr(image, "n_frames", 1)
    if frames > 1:
        if image.tell() != 0:
            image.seek(0)
        notes.append(f"first of {frames} frames")
    orientation = image.getexif().get(0x0112, 1)
    if orientation in range(2, 9):
        image = ImageOps.exif_transpose(image)
        notes.append(f"rotated by EXIF orientation {orientation}")
    pixels, more = _rgb(image, name)
    return Decoded(pixels, (*more, *notes))


def _rgb(image: PIL.Image.Image, name: str) -> tuple[Pixels, list[str]]:
    from editscope.images._png_read import composite, reduce_16_bit

    mode = image.mode
    if mode in ALPHA_MODES or "transparency" in image.info:
        return composite(np.array(image.convert("RGBA")))
    if mode in SIXTEEN_BIT or (mode == "I" and image.format in ("PPM", "PNG", "TIFF")):
        samples: npt.NDArray[Any] = np.asarray(image)
        if samples.min() < 0 or samples.max() > 65_535:
            raise BadImage(f"{name} has more than 16 bits a sample; save it with 8 bits")
        gray = reduce_16_bit(samples.astype(np.uint16))
        return np.repeat(gray[:, :, None], 3, axis=2), ["16-bit reduced to 8-bit"]
    if mode in ("I", "F"):
        raise BadImage(f"{name} has 32-bit samples whose range is not known; save it with 8 bits")
    notes = [] if mode in ("RGB", "L", "P", "1", "RGBX") else [f"converted from {mode}"]
    return np.array(image if mode == "RGB" else image.convert("RGB")), notes


def _from_array(source: Any, name: str, max_pixels: int, layout: Layout | None) -> Decoded:
    array, tensor = numpy_array(source, name)
    picture = channels_last(array, name, layout, tensor)
    _check_size(picture.shape[1], picture.shape[0], name, max_pixels)
    pixels = np.ascontiguousarray(to_levels(picture, name))
    if pixels.shape[2] == 3:
        return Decoded(pixels)
    if pixels.shape[2] == 1:
        return Decoded(np.repeat(pixels, 3, axis=2))
    from editscope.images._png_read import composite

    rgb, notes = composite(pixels)
    return Decoded(rgb, tuple(notes))


def _png_orientation(layout: PngLayout) -> int:
    if not layout.exif:
        return 1
    from PIL import Image

    exif = Image.Exif()
    try:
        exif.load(b"Exif\0\0" + layout.exif)
        value = exif.get(0x0112, 1)
    except Exception:  # a broken EXIF block says nothing about the pixels
        return 1
    return value if value in range(1, 9) else 1


def _turned(pixels: Pixels, orientation: int) -> Pixels:
    """Undo an EXIF orientation: mirrored for 2, 4, 5, 7; transposed for 5 to 8."""
    if orientation >= 5:
        pixels = pixels.transpose(1, 0, 2)
    if orientation in (2, 3, 6, 7):
        pixels = pixels[:, ::-1]
    if orientation in (3, 4, 7, 8):
        pixels = pixels[::-1]
    return np.ascontiguousarray(pixels)


def _formats() -> list[str]:
    from PIL import Image

    Image.init()
    return [name for name in FORMATS if name in Image.OPEN]


def _opened(path: Path, name: str) -> BinaryIO:
    try:
        return open_file(path)
    except FileNotFoundError as error:
        raise BadImage(f"{name} does not exist; check the path") from error
    except IsADirectoryError as error:
        raise BadImage(f"{name} is a folder; give the path of a picture file") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadImage(f"{name} cannot be read ({reason}); check the path") from error


def read_picture(path: Path | str, name: str | None = None, max_pixels: int = MAX_PIXELS) -> bytes:
    """The bytes of a picture file, for who needs them besides its pixels; BadImage where it cannot be read."""
    name = name or str(path)
    with _opened(Path(path), name) as file:
        try:
            return read_opened(file, 8 * max_pixels + (1 << 26))
        except OSError as error:
            if error.errno == errno.EFBIG:
                raise BadImage(f"{name} is larger than any picture of {max_pixels:,} pixels; scale it down") from error
            raise BadImage(f"{name} cannot be read ({error.strerror}); check the disk") from error


def _check_size(width: int, height: int, name: str, max_pixels: int) -> None:
    if width * height > max_pixels:
        raise BadImage(
            f"{name} is {width}×{height}, {width * height / 1e6:,.0f} megapixels, over the limit of "
            f"{max_pixels / 1e6:,.0f}; scale it down"
        )
    if width < 1 or height < 1:
        raise BadImage(f"{name} is {width}×{height} and has no pixels; write it again")


def _empty(name: str) -> BadImage:
    return BadImage(f"{name} is empty (zero bytes); write or copy it again")


def _unreadable(name: str, error: Exception) -> BadImage:
    kind = type(error).__name__
    if kind == "UnidentifiedImageError":
        return BadImage(f"{name} is not a picture; give a PNG, JPEG, WebP, GIF, BMP or TIFF file")
    if kind == "DecompressionBombError":
        return BadImage(f"{name} has far more pixels than the limit; scale it down")
    if "truncated" in str(error).lower():
        return BadImage(f"{name} is truncated; write or copy it again")
    detail = " ".join(str(error).split())[:120] or kind
    return BadImage(f"{name} cannot be decoded ({detail}); write it again, as PNG if possible")

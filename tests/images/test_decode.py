"""Any picture becomes RGB pixels, or one sentence that names it and the fix; never a traceback, never a bomb."""

from __future__ import annotations

import io
import resource
import struct
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, PngImagePlugin

from editscope.errors import BadImage
from editscope.images import MAX_PIXELS, Pixels, decode, encode_png, load, pixels_digest, probe


def scene(height: int = 24, width: int = 36) -> Pixels:
    pixels = np.zeros((height, width, 3), np.uint8)
    pixels[:, : width // 3] = (200, 30, 40)
    pixels[: height // 4] = (20, 90, 220)
    return pixels


def saved(image: Image.Image, kind: str, **options: Any) -> bytes:
    target = io.BytesIO()
    image.save(target, kind, **options)
    return target.getvalue()


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(width: int, height: int, *chunks: bytes) -> bytes:
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + b"".join(chunks) + chunk(b"IEND", b"")


@pytest.mark.parametrize("kind", ["PNG", "BMP", "GIF", "TIFF", "PPM", "WEBP"])
def test_a_flat_picture_is_the_same_in_every_lossless_format(kind: str, tmp_path: Path) -> None:
    options = {"lossless": True} if kind == "WEBP" else {}
    path = tmp_path / "picture"
    path.write_bytes(saved(Image.fromarray(scene()), kind, **options))
    assert np.array_equal(load(path), scene())
    assert np.array_equal(load(str(path)), scene())
    assert probe(path) == (36, 24)


def test_a_pil_image_and_its_array_are_the_same_picture() -> None:
    image = Image.fromarray(scene())
    assert np.array_equal(load(image), scene())
    assert load(scene()).tolist() == scene().tolist()
    assert pixels_digest(load(image)) == pixels_digest(scene())


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "TIFF"])
def test_exif_rotation_is_applied_as_pillow_does(kind: str, orientation: int, tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    path = tmp_path / "picture"
    path.write_bytes(saved(Image.fromarray(scene()), kind, exif=exif))
    with Image.open(path) as opened:
        from PIL import ImageOps

        wanted = np.array(ImageOps.exif_transpose(opened))
    decoded = decode(path)
    assert np.array_equal(decoded.pixels, wanted)
    assert probe(path) == (wanted.shape[1], wanted.shape[0])
    assert decoded.notes == (() if orientation == 1 else (f"rotated by EXIF orientation {orientation}",))


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG", "TIFF"])
def test_of_an_animation_the_first_frame_is_taken(kind: str) -> None:
    frames = [Image.fromarray(np.full((8, 8, 3), shade, np.uint8)) for shade in (10, 120, 240)]
    options = {"lossless": True} if kind == "WEBP" else {}
    data = saved(frames[0], kind, save_all=True, append_images=frames[1:], **options)
    assert decode(data).notes == ("first of 3 frames",)
    assert (decode(data).pixels == 10).all()


def test_cmyk_is_converted_and_said() -> None:
    image = Image.fromarray(scene()).convert("CMYK")
    decoded = decode(saved(image, "TIFF"))
    assert decoded.notes == ("converted from CMYK",)
    assert np.array_equal(decoded.pixels, np.array(image.convert("RGB")))


@pytest.mark.parametrize("mode", ["1", "L", "P"])
def test_gray_one_bit_and_palette_become_rgb(mode: str) -> None:
    image = Image.fromarray(scene()).convert(mode)
    assert np.array_equal(load(image), np.array(image.convert("RGB")))
    assert np.array_equal(load_bytes(saved(image, "PNG")), np.array(image.convert("RGB")))


def load_bytes(data: bytes) -> Pixels:
    return decode(data).pixels


@pytest.mark.parametrize("kind", ["PNG", "TIFF", "PPM"])
def test_sixteen_bit_gray_is_scaled_and_not_clipped(kind: str) -> None:
    values = np.linspace(0, 65535, 24 * 36).astype(np.uint16).reshape(24, 36)
    decoded = decode(saved(Image.fromarray(values), kind))
    assert np.array_equal(decoded.pixels[:, :, 0], np.rint(values / 257.0))
    assert decoded.notes == ("16-bit reduced to 8-bit",)


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "TIFF"])
def test_alpha_over_white_does_not_depend_on_the_way_in(kind: str) -> None:
    rgba = np.dstack([scene(), np.linspace(0, 255, 36).astype(np.uint8)[None, :].repeat(24, axis=0)])
    options = {"lossless": True, "exact": True} if kind == "WEBP" else {}
    from_file = decode(saved(Image.fromarray(rgba), kind, **options))
    assert from_file.notes == ("alpha composited over white",)
    assert np.array_equal(from_file.pixels, load(rgba))
    assert np.array_equal(from_file.pixels, load(Image.fromarray(rgba)))
    assert (from_file.pixels[:, 0] == 255).all()


def test_gray_arrays_are_taken_and_doubtful_ones_are_not() -> None:
    assert load(np.full((2, 3), 7, np.uint8)).tolist() == np.full((2, 3, 3), 7).tolist()
    for kind in (bool, np.int64, np.uint16, complex):
        with pytest.raises(BadImage, match="convert it to uint8"):
            load(np.zeros((4, 4, 3), kind))
    for shape in ((4,), (5, 4, 2), (5, 4, 5), (2, 4, 4, 3), (0, 4, 3)):
        with pytest.raises(BadImage, match="height × width × 3"):
            load(np.zeros(shape, np.uint8))
    with pytest.raises(BadImage, match="int; give a path"):
        load(3)  # type: ignore[arg-type]


BROKEN = {
    "zero bytes": (b"", "empty"),
    "a text": (b"I am a text and not a picture.\n" * 9, "not a picture"),
    "a web page": (b"<html><body>404</body></html>", "not a picture"),
    "only the signature": (b"\x89PNG\r\n\x1a\n", "truncated"),
    "half a PNG": (encode_png(scene())[:-30], "truncated"),
    "a PNG without its end": (encode_png(scene())[:-12], "truncated"),
    "half a GIF": (saved(Image.fromarray(scene()), "GIF")[:60], "truncated|decoded|picture"),
    "half a JPEG": (saved(Image.fromarray(scene(300, 300)), "JPEG")[:1200], "truncated|decoded|picture"),
    "half a WebP": (saved(Image.fromarray(scene(300, 300)), "WEBP")[:100], "truncated|decoded|picture"),
    "no pixel data": (png(4, 4), "no pixel data"),
    "too little pixel data": (png(4, 4, chunk(b"IDAT", zlib.compress(b"\0" * 20))), "truncated"),
    "pixel data of garbage": (png(4, 4, chunk(b"IDAT", b"garbage" * 9)), "inflated"),
    "an unknown filter": (png(1, 1, chunk(b"IDAT", zlib.compress(b"\x09abc"))), "unknown filter"),
    "no width": (png(0, 4, chunk(b"IDAT", b"")), "no possible PNG"),
    "20,000 × 20,000": (
        png(20_000, 20_000, chunk(b"IDAT", zlib.compress(b""))),
        "400 megapixels, over the limit of 64",
    ),
    "a huge BMP": (
        b"BM" + struct.pack("<IIIIiiHHIIiiII", 99, 0, 54, 40, 30_000, 30_000, 1, 24, 0, 0, 0, 0, 0, 0),
        "limit",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_gets_a_sentence_that_names_it(case: str, tmp_path: Path) -> None:
    data, says = BROKEN[case]
    path = tmp_path / "picture.png"
    path.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(BadImage, match=says) as caught:
            decode(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert "\n" not in message and "; " in message


@pytest.mark.parametrize(
    "case", ["zero bytes", "a text", "half a PNG", "a PNG without its end", "20,000 × 20,000", "a huge BMP"]
)
def test_the_header_alone_tells(case: str, tmp_path: Path) -> None:
    data, says = BROKEN[case]
    path = tmp_path / "picture.png"
    path.write_bytes(data)
    with pytest.raises(BadImage, match=says):
        probe(path)


def test_probe_sees_a_truncated_jpeg_and_passes_one_with_something_behind_it(tmp_path: Path) -> None:
    whole = saved(Image.fromarray(scene(300, 400)), "JPEG")
    path = tmp_path / "picture.jpg"
    path.write_bytes(whole[:-300])
    with pytest.raises(BadImage, match="truncated"):
        probe(path)
    path.write_bytes(whole + b"\0" * 100_000)
    assert probe(path) == (400, 300)


@pytest.mark.parametrize("look", [decode, probe])
def test_missing_files_and_folders_are_named(look: Any, tmp_path: Path) -> None:
    with pytest.raises(BadImage, match=r"nothing\.png does not exist"):
        look(tmp_path / "nothing.png")
    with pytest.raises(BadImage, match="is a folder"):
        look(tmp_path)
    with pytest.raises(BadImage, match=r"cannot be read|does not exist"):
        look("a\0b.png")


def test_the_limit_can_be_moved() -> None:
    data = encode_png(scene())
    assert decode(data, max_pixels=24 * 36).pixels.shape == (24, 36, 3)
    with pytest.raises(BadImage, match="over the limit"):
        decode(data, max_pixels=24 * 36 - 1)
    with pytest.raises(BadImage, match="over the limit"):
        load(scene(), max_pixels=10)
    with pytest.raises(BadImage, match="over the limit"):
        load(Image.fromarray(scene()), max_pixels=10)
    assert MAX_PIXELS == 64_000_000


@pytest.mark.slow
def test_bombs_take_no_memory(tmp_path: Path) -> None:
    bomb = zlib.compress(bytes(400_000_000), 9)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    pixels = zlib.compress(b"\0\1\2\3")
    profile = chunk(b"iCCP", b"icc\0\0" + bomb)
    text = chunk(b"zTXt", b"Comment\0\0" + bomb)
    assert decode(png(1, 1, profile, text, chunk(b"IDAT", pixels))).pixels.tolist() == [[[1, 2, 3]]]
    assert decode(png(1, 1, chunk(b"IDAT", bomb))).pixels.tolist() == [[[0, 0, 0]]]  # more data than pixels: ignored
    path = tmp_path / "large.png"
    path.write_bytes(png(19_999, 20_001, chunk(b"IDAT", bomb)))
    with pytest.raises(BadImage, match="over the limit"):
        decode(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # KiB


def test_metadata_does_not_change_the_pixels() -> None:
    info = PngImagePlugin.PngInfo()
    info.add_text("Comment", "hello" * 1000, zip=True)
    plain = Image.fromarray(scene())
    assert np.array_equal(load_bytes(saved(plain, "PNG", pnginfo=info, gamma=0.45, icc_profile=b"x" * 500)), scene())


def test_a_checksum_that_does_not_fit_is_damage() -> None:
    data = bytearray(encode_png(scene()))
    data[data.index(b"IDAT") + 6] ^= 1
    with pytest.raises(BadImage, match="checksum of a IDAT chunk"):
        decode(bytes(data), name="hello.png")


@settings(max_examples=150, deadline=None)
@given(data=st.data(), kind=st.sampled_from(["PNG", "JPEG", "GIF", "WEBP", "TIFF", "BMP"]))
def test_damage_anywhere_gives_pixels_or_a_bad_image(data: st.DataObject, kind: str) -> None:
    whole = bytearray(saved(Image.fromarray(scene(9, 11)), kind))
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(whole)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for damaged in (bytes(whole), bytes(whole[:cut])):
            try:
                pixels = decode(damaged, max_pixels=1_000_000).pixels
            except BadImage as error:
                assert str(error).startswith("the image")
            else:
                assert pixels.dtype == np.uint8 and pixels.ndim == 3 and pixels.shape[2] == 3


@pytest.mark.parametrize("side", [1, 7])
def test_a_png_cut_at_any_byte_before_its_end_chunk_is_refused_at_once(side: int) -> None:
    whole = encode_png(scene(side, side))
    for length in range(len(whole) - 11):  # the checksum and the name of IEND are no part of the picture
        with pytest.raises(BadImage):
            decode(whole[:length], name="it")

"""Our PNG reader and writer agree with Pillow and OpenCV, pixel by pixel."""

from __future__ import annotations

import io
import struct
import zlib
from hashlib import sha256
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image

from editscope.errors import BadImage
from editscope.images import Indexed, Pixels, decode, encode_png, write_png

Samples = npt.NDArray[np.generic]
GRAY, RGB, PALETTE, GRAY_ALPHA, RGBA = 0, 2, 3, 4, 6
CHANNELS = {GRAY: 1, RGB: 3, PALETTE: 1, GRAY_ALPHA: 2, RGBA: 4}
ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
KINDS = [(GRAY, 1), (GRAY, 2), (GRAY, 4), (GRAY, 8), (RGB, 8), (PALETTE, 1), (PALETTE, 2), (PALETTE, 4), (PALETTE, 8)]
KINDS += [(GRAY_ALPHA, 8), (RGBA, 8), (GRAY, 16), (RGB, 16), (GRAY_ALPHA, 16), (RGBA, 16)]


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def packed_rows(samples: Samples, depth: int) -> list[bytes]:
    if depth == 16:
        return [row.astype(">u2").tobytes() for row in samples]
    if depth == 8:
        return [row.astype(np.uint8).tobytes() for row in samples]
    bits = np.unpackbits(samples.astype(np.uint8).reshape(len(samples), -1, 1), axis=2)[:, :, 8 - depth :]
    return [row.tobytes() for row in np.packbits(bits.reshape(len(samples), -1), axis=1)]


def filtered(rows: list[bytes], kinds: list[int], step: int) -> bytes:
    """Each row with its filter, straight from the text of the PNG standard."""
    out, above = b"", bytes(len(rows[0]))
    for y, row in enumerate(rows):
        kind = kinds[y % len(kinds)]
        line = bytearray()
        for i, value in enumerate(row):
            a = row[i - step] if i >= step else 0
            b, c = above[i], (above[i - step] if i >= step else 0)
            nearest = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            line.append((value - (0, a, b, (a + b) // 2, nearest)[kind]) % 256)
        out, above = out + bytes([kind]) + bytes(line), row
    return out


def make_png(
    samples: Samples,
    color: int,
    depth: int,
    kinds: list[int],
    extra: bytes = b"",
    interlaced: bool = False,
    parts: int = 1,
) -> bytes:
    height, width = samples.shape[:2]
    step = max(1, CHANNELS[color] * depth // 8)
    raw = b""
    for x, y, dx, dy in ADAM7 if interlaced else ((0, 0, 1, 1),):
        piece = samples[y::dy, x::dx]
        if piece.size:
            raw += filtered(packed_rows(piece, depth), kinds, step)
    data = zlib.compress(raw)
    cut = -(-len(data) // parts)
    return b"".join(
        [
            b"\x89PNG\r\n\x1a\n",
            chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlaced)),
            extra,
            *(chunk(b"IDAT", data[i : i + cut]) for i in range(0, len(data), cut)),
            chunk(b"IEND", b""),
        ]
    )


def random_samples(color: int, depth: int, height: int = 21, width: int = 19) -> Samples:
    rng = np.random.default_rng(color * 100 + depth)
    return rng.integers(0, 1 << depth, (height, width, CHANNELS[color])).astype(np.uint16 if depth == 16 else np.uint8)


def palette_chunk(depth: int) -> bytes:
    return chunk(b"PLTE", np.random.default_rng(depth).integers(0, 256, 3 << depth, dtype=np.uint8).tobytes())


def by_pillow(data: bytes) -> Pixels:
    with Image.open(io.BytesIO(data)) as image:
        return np.array(image.convert("RGB"))


@pytest.mark.parametrize("interlaced", [False, True], ids=["plain", "interlaced"])
@pytest.mark.parametrize("kinds", [[0], [1], [2], [3], [4], [4, 2, 0, 3, 1]], ids=str)
@pytest.mark.parametrize(
    ("color", "depth"), [kind for kind in KINDS if kind[0] in (GRAY, RGB, PALETTE) and kind[1] <= 8]
)
def test_opaque_pictures_have_the_pixels_that_pillow_finds(
    color: int, depth: int, kinds: list[int], interlaced: bool
) -> None:
    extra = palette_chunk(depth) if color == PALETTE else b""
    data = make_png(random_samples(color, depth), color, depth, kinds, extra, interlaced)
    decoded = decode(data)
    assert np.array_equal(decoded.pixels, by_pillow(data))
    assert decoded.notes == ()


@pytest.mark.parametrize("interlaced", [False, True], ids=["plain", "interlaced"])
@pytest.mark.parametrize("color", [GRAY, RGB])
def test_sixteen_bits_are_rounded_to_eight(color: int, interlaced: bool) -> None:
    samples = random_samples(color, 16)
    decoded = decode(make_png(samples, color, 16, [4, 1], interlaced=interlaced))
    wanted = np.rint(samples.astype(float) / 257).astype(np.uint8)
    assert np.array_equal(decoded.pixels, np.broadcast_to(wanted, decoded.pixels.shape))
    assert decoded.notes == ("16-bit reduced to 8-bit",)


@pytest.mark.parametrize(("color", "depth"), [(GRAY_ALPHA, 8), (RGBA, 8), (GRAY_ALPHA, 16), (RGBA, 16)])
def test_alpha_goes_over_white(color: int, depth: int) -> None:
    samples = random_samples(color, depth)
    decoded = decode(make_png(samples, color, depth, [3, 4]))
    small = np.rint(samples.astype(float) / (257 if depth == 16 else 1))
    alpha = small[:, :, -1:] / 255
    wanted = np.rint(small[:, :, :-1] * alpha + 255 * (1 - alpha)).astype(np.uint8)
    assert np.array_equal(decoded.pixels, np.broadcast_to(wanted, decoded.pixels.shape))
    assert decoded.notes[-1] == "alpha composited over white"


def test_full_alpha_is_no_alpha() -> None:
    samples = random_samples(RGBA, 8)
    samples[:, :, 3] = 255
    decoded = decode(make_png(samples, RGBA, 8, [1]))
    assert np.array_equal(decoded.pixels, samples[:, :, :3])
    assert decoded.notes == ()


@pytest.mark.parametrize("depth", [1, 2, 4, 8])
def test_a_palette_entry_with_alpha_goes_over_white(depth: int) -> None:
    data = make_png(random_samples(PALETTE, depth), PALETTE, depth, [0], palette_chunk(depth) + chunk(b"tRNS", b"\x40"))
    with Image.open(io.BytesIO(data)) as image:
        rgba = np.array(image.convert("RGBA")).astype(float)
    alpha = rgba[:, :, 3:] / 255
    assert np.array_equal(decode(data).pixels, np.rint(rgba[:, :, :3] * alpha + 255 * (1 - alpha)))
    assert decode(data).notes == ("alpha composited over white",)


@pytest.mark.parametrize(("color", "depth"), [(GRAY, 2), (GRAY, 8), (RGB, 8), (GRAY, 16), (RGB, 16)])
def test_the_one_transparent_color_becomes_white(color: int, depth: int) -> None:
    samples = random_samples(color, depth)
    key = samples[3, 4]
    data = make_png(samples, color, depth, [0, 4], chunk(b"tRNS", key.astype(">u2").tobytes()))
    opaque = decode(make_png(samples, color, depth, [0, 4])).pixels
    hidden = (samples == key).all(axis=2)
    decoded = decode(data)
    assert np.array_equal(decoded.pixels, np.where(hidden[:, :, None], 255, opaque))
    assert "alpha composited over white" in decoded.notes


@settings(max_examples=40, deadline=None)
@given(kind=st.sampled_from(KINDS), width=st.integers(1, 40), height=st.integers(1, 24), seed=st.integers(0, 99))
def test_any_size_reads_the_same_plain_and_interlaced_in_one_chunk_and_in_many(
    kind: tuple[int, int], width: int, height: int, seed: int
) -> None:
    color, depth = kind
    kinds = np.random.default_rng(seed).integers(0, 5, 5).tolist()
    samples = random_samples(color, depth, height, width)
    extra = palette_chunk(depth) if color == PALETTE else b""
    plain = decode(make_png(samples, color, depth, kinds, extra)).pixels
    assert np.array_equal(plain, decode(make_png(samples, color, depth, kinds, extra, interlaced=True, parts=3)).pixels)


@settings(max_examples=60, deadline=None)
@given(
    shape=st.tuples(st.integers(1, 40), st.integers(1, 40)),
    colors=st.sampled_from([1, 2, 3, 4, 5, 16, 17, 200, 256, 257, 5000]),
    seed=st.integers(0, 1000),
)
def test_what_is_written_is_what_pillow_opencv_and_we_read(shape: tuple[int, int], colors: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    palette = rng.integers(0, 256, (colors, 3), dtype=np.uint8)
    pixels = palette[rng.integers(0, colors, shape)]
    data = encode_png(pixels)
    assert np.array_equal(by_pillow(data), pixels)
    by_opencv = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert by_opencv is not None and np.array_equal(by_opencv[:, :, ::-1], pixels)
    assert np.array_equal(decode(data).pixels, pixels)
    with Image.open(io.BytesIO(data)) as image:
        assert image.mode in (("P", "1", "L") if len(np.unique(pixels.reshape(-1, 3), axis=0)) <= 256 else ("RGB",))


@pytest.mark.parametrize(("colors", "bits"), [(2, 1), (3, 2), (4, 2), (5, 4), (16, 4), (17, 8), (256, 8)])
def test_few_colors_take_few_bits(colors: int, bits: int) -> None:
    pixels = np.zeros((16, 16, 3), np.uint8)
    pixels.reshape(-1, 3)[:colors, 1] = np.arange(colors)
    assert encode_png(pixels)[24:26] == bytes([bits, PALETTE])


@pytest.mark.slow
@settings(deadline=None)
@given(plane=arrays(np.uint8, (9, 13), elements=st.integers(0, 5)), seed=st.integers(0, 99))
def test_equal_pixels_give_equal_bytes_however_they_are_handed_over(plane: Pixels, seed: int) -> None:
    palette = np.random.default_rng(seed).integers(0, 256, (6, 3), dtype=np.uint8)
    palette[3] = palette[1]  # the same color under two numbers
    order = np.random.default_rng(seed).permutation(6)
    numbers = np.argsort(order).astype(np.uint8)
    first, second = Indexed(plane, palette), Indexed(numbers[plane], palette[order])
    assert np.array_equal(first.rgb(), second.rgb())
    assert (
        encode_png(first) == encode_png(second) == encode_png(first.rgb()) == encode_png(first.rgb()[:, ::-1][:, ::-1])
    )


def test_noise_is_written_as_rgb_and_photographs_are_made_smaller_by_a_filter() -> None:
    rng = np.random.default_rng(0)
    ramp = (np.add.outer(np.arange(300), np.arange(300)) // 3).astype(np.uint8)
    soft = (ramp[:, :, None] + rng.integers(0, 3, (300, 300, 3))).astype(np.uint8)
    data = encode_png(soft)
    assert np.array_equal(by_pillow(data), soft)
    assert len(data) < soft.size // 2


NOISE = {"of all values": (0, 256), "of 40 values": (100, 140), "of few colors": (100, 105)}


@pytest.mark.parametrize("values", NOISE.values(), ids=NOISE)
def test_noise_keeps_its_pixels_and_is_no_larger_than_opencv_writes_it(values: tuple[int, int]) -> None:
    pixels = np.random.default_rng(0).integers(*values, (512, 512, 3), dtype=np.uint8)
    data = encode_png(pixels)
    assert np.array_equal(by_pillow(data), pixels) and np.array_equal(decode(data).pixels, pixels)
    assert len(data) <= len(cv2.imencode(".png", pixels)[1])
    assert data == encode_png(pixels.copy())


HALVES = {"columns": np.s_[:, 256:], "rows": np.s_[256:], "every other row": np.s_[::2]}


@pytest.mark.parametrize("part", HALVES.values(), ids=HALVES)
@pytest.mark.parametrize("values", NOISE.values(), ids=NOISE)
def test_a_picture_that_is_half_noise_is_no_larger_than_opencv_writes_it(values: tuple[int, int], part: Any) -> None:
    pixels = np.full((512, 512, 3), (200, 120, 40), np.uint8)
    pixels[part] = np.random.default_rng(0).integers(*values, pixels[part].shape, dtype=np.uint8)
    data = encode_png(pixels)
    assert np.array_equal(by_pillow(data), pixels) and np.array_equal(decode(data).pixels, pixels)
    assert len(data) <= len(cv2.imencode(".png", pixels)[1])


def test_noise_has_the_bytes_of_version_0_1_where_a_hash_depends_on_them() -> None:
    pixels = np.random.default_rng(0).integers(100, 140, (256, 256, 3), dtype=np.uint8)
    data = encode_png(pixels, fixed_bytes=True)
    assert sha256(data).hexdigest() == "da9113e3505d19cee49d97abf7e9d468e297c9ca7406a4639dc7d72b01451790"
    assert len(encode_png(pixels)) < len(data)


def test_flat_pictures_have_the_same_bytes_with_and_without_fixed_bytes() -> None:
    pixels = np.full((300, 300, 3), 200, np.uint8)
    pixels[:20, :20] = np.random.default_rng(0).integers(0, 256, (20, 20, 3))  # more than 256 colors
    assert encode_png(pixels) == encode_png(pixels, fixed_bytes=True)


def test_a_number_without_a_color_is_refused() -> None:
    with pytest.raises(BadImage, match="number 7 but only 2 colors"):
        encode_png(Indexed(np.full((2, 2), 7, np.uint8), np.zeros((2, 3), np.uint8)))


@pytest.mark.parametrize(
    "wrong", [np.zeros((4, 4), np.uint8), np.zeros((4, 4, 3), np.float32), np.zeros((0, 4, 3), np.uint8)], ids=str
)
def test_only_rgb_bytes_are_written(wrong: Pixels) -> None:
    with pytest.raises(BadImage, match="height × width × 3"):
        encode_png(wrong)


def test_a_file_is_written_whole_into_folders_that_are_made(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "picture.png"
    write_png(path, np.full((3, 5, 3), 9, np.uint8))
    write_png(path, np.full((3, 5, 3), 10, np.uint8))
    assert (decode(path).pixels == 10).all()
    assert [p.name for p in path.parent.iterdir()] == ["picture.png"]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "picture.png"
    write_png(path, np.zeros((3, 5, 3), np.uint8))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        write_png(path, np.ones((3, 5, 3), np.uint8))
    assert [p.name for p in tmp_path.iterdir()] == ["picture.png"]
    assert (decode(path).pixels == 0).all()

"""What happens to pictures: real coding, small noise, a moving camera, other light, and frames that lost their data."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from fractions import Fraction

import av
import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageFile

from editscope.images import Pixels
from support.factory.unseen.unseen_strokes import Plane, Rng, anything, fractal, glow

Matrix = npt.NDArray[np.float64]
BLOCK = 16
MARGIN = 0.25
"""How far a canvas of ``seen`` goes beyond the picture on every side, in longer sides."""


def pixels(canvas: Plane) -> Pixels:
    return np.clip(np.round(canvas), 0, 255).astype(np.uint8)


def floats(picture: Pixels) -> Plane:
    return picture.astype(np.float32)


def share(first: Plane | Pixels, second: Plane | Pixels, levels: float) -> float:
    """The part of the picture where the mean of the channels' changes is at least so many levels."""
    return float((np.abs(first.astype(np.float32) - second.astype(np.float32)).mean(2) >= levels).mean())


def jpeg_bytes(picture: Pixels, quality: int) -> bytes:
    target = io.BytesIO()
    Image.fromarray(picture).save(target, "JPEG", quality=quality)
    return target.getvalue()


def jpeg(picture: Pixels, quality: int) -> Pixels:
    return np.array(Image.open(io.BytesIO(jpeg_bytes(picture, quality))))


def packets(frames: Sequence[Pixels], crf: int) -> list[bytes]:
    """Pictures as packets of H.264."""
    coder = av.CodecContext.create("libx264", "w")
    coder.height, coder.width = frames[0].shape[:2]
    coder.pix_fmt, coder.framerate, coder.thread_count = "yuv420p", Fraction(25), 1
    coder.options = {"crf": str(crf), "preset": "veryfast", "tune": "zerolatency", "x264-params": "threads=1:slices=1"}
    made = [packet for frame in frames for packet in coder.encode(av.VideoFrame.from_ndarray(frame, format="rgb24"))]
    return [bytes(packet) for packet in [*made, *coder.encode(None)]]


def decoded(parts: Sequence[bytes]) -> list[Pixels]:
    """The pictures that a decoder gets out of packets, whatever state they are in."""
    coder = av.CodecContext.create("h264", "r")
    coder.thread_count = 1
    coder.options = {"flags": "+output_corrupt", "flags2": "+showall", "err_detect": "ignore_err"}
    found = []
    for part in [*parts, None]:
        try:
            frames = coder.decode(av.Packet(part) if part is not None else None)
        except av.FFmpegError:
            continue
        found += [np.asarray(frame.to_ndarray(format="rgb24"), np.uint8) for frame in frames]
    return found


def h264(frames: Sequence[Pixels], crf: int) -> list[Pixels]:
    return decoded(packets(frames, crf))


def nudged(picture: Plane, dx: float, dy: float) -> Plane:
    """A picture moved by parts of a pixel."""
    matrix = np.array([[1, 0, dx], [0, 1, dy]], np.float64)
    size = (picture.shape[1], picture.shape[0])
    moved = cv2.warpAffine(picture, matrix, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.float32)


def noisy(rng: Rng, picture: Plane, sigma: float) -> Plane:
    shape = picture.shape if rng.random() < 0.5 else (*picture.shape[:2], 1)
    return picture + rng.standard_normal(shape, np.float32) * sigma


def quiet(rng: Rng, first: Plane, second: Plane) -> tuple[Pixels, Pixels, str]:
    """Two pictures with the small differences that a static pair may have, and what they are."""
    kind = int(rng.integers(9))
    before, after = pixels(first), pixels(second)
    if kind == 0:
        sigma = rng.uniform(1, 4)
        return pixels(noisy(rng, first, sigma)), pixels(noisy(rng, second, sigma)), f"noise {sigma:.1f} on both"
    if kind == 1:
        sigma = rng.uniform(2, 5.8)
        return before, pixels(noisy(rng, second, sigma)), f"noise {sigma:.1f} on one"
    if kind == 2:
        low, high = (int(quality) for quality in rng.integers(45, 96, 2))
        return jpeg(before, low), jpeg(after, high), f"jpeg {low} and {high}"
    if kind == 3:
        crf = int(rng.integers(18, 31))
        both = h264([before, before, after, after], crf)
        return both[0], both[-1], f"one clip of crf {crf}"
    if kind == 4:
        crf = int(rng.integers(18, 31))
        return before, h264([after], crf)[0], f"crf {crf} on one"
    if kind == 5:
        flicker = float(rng.choice([-2, 2]))
        return before, pixels(second + flicker), f"flicker {flicker:.0f}"
    angle, far = rng.uniform(0, 2 * np.pi), rng.uniform(0.1, 0.3)
    moved = nudged(second, far * np.cos(angle), far * np.sin(angle))
    if kind == 6:
        return before, pixels(moved), f"jitter {far:.2f}"
    if kind == 7:
        quality = int(rng.integers(60, 90))
        return jpeg(before, quality), jpeg(pixels(second + rng.uniform(-1.5, 1.5)), quality), f"flicker, jpeg {quality}"
    crf, sigma = int(rng.integers(18, 26)), rng.uniform(0.5, 2)
    both = h264([pixels(noisy(rng, first, sigma)), pixels(noisy(rng, second, sigma))], crf)
    return both[0], both[-1], f"noise {sigma:.1f}, crf {crf}"


def motion(rng: Rng, how: str, far: float, width: int, height: int) -> Matrix:
    """A camera motion whose mean way is ``far`` longer sides: places of the new picture to places of the old one."""
    side = max(width, height)
    angle, spin, grow = rng.uniform(0, 2 * np.pi), rng.choice([-1, 1]), rng.choice([-1, 1])
    lean = rng.uniform(-1, 1, 2)
    parts = {"shift": (1, 0, 0, 0), "zoom": (0, 1, 0, 0), "turn": (0, 0, 1, 0), "tilt": (0.3, 0, 0, 1)}
    shift, zoom, turn, tilt = parts.get(how, (*rng.uniform(0.3, 1, 3), 0))

    def matrix(step: float) -> Matrix:
        bend, scale = spin * turn * step, np.exp(grow * zoom * step)
        middle = np.array([[1, 0, -width / 2], [0, 1, -height / 2], [0, 0, 1]])
        move = np.array([shift * step * np.cos(angle), shift * step * np.sin(angle)]) * side * 0.5
        core = np.array(
            [
                [scale * np.cos(bend), -scale * np.sin(bend), move[0]],
                [scale * np.sin(bend), scale * np.cos(bend), move[1]],
                [*(tilt * step * lean / side), 1],
            ]
        )
        return np.asarray(np.linalg.inv(middle) @ core @ middle, np.float64)

    low, high = 0.0, 1.0
    for _ in range(40):
        half = (low + high) / 2
        low, high = (half, high) if mean_way(matrix(half), width, height) < far * side else (low, half)
    return matrix(high)


def mean_way(matrix: Matrix, width: int, height: int) -> float:
    """How far a motion carries the places of a picture on average, in pixels."""
    columns, rows = np.meshgrid(np.linspace(0, width, 15), np.linspace(0, height, 15))
    places = np.stack([columns.ravel(), rows.ravel(), np.ones(225)])
    moved = matrix @ places
    return float(np.hypot(*(moved[:2] / moved[2] - places[:2])).mean())


def canvas_size(width: int, height: int, over: float) -> tuple[int, int]:
    """The size of a canvas for ``seen``."""
    edge = 2 * MARGIN * max(width, height)
    return round((width + edge) * over), round((height + edge) * over)


def inside(matrix: Matrix, width: int, height: int) -> bool:
    """Whether the camera stays on the canvas."""
    ends = matrix @ np.array([[0, width, 0, width], [0, 0, height, height], [1, 1, 1, 1]])
    places, edge = ends[:2] / ends[2], MARGIN * max(width, height)
    return bool((places > -edge).all() and (places[0] < width + edge).all() and (places[1] < height + edge).all())


def seen(canvas: Plane, matrix: Matrix, width: int, height: int, over: float) -> Plane:
    """What a camera sees of a canvas that is drawn ``over`` times as fine and larger by the margin."""
    edge = MARGIN * max(width, height)
    to_canvas = np.diag([over, over, 1]) @ np.array([[1, 0, edge], [0, 1, edge], [0, 0, 1]])
    full = to_canvas @ matrix @ np.diag([0.5, 0.5, 1])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    large = cv2.warpPerspective(canvas, full, (width * 2, height * 2), flags=flags, borderMode=cv2.BORDER_REFLECT)
    return np.asarray(cv2.resize(large, (width, height), interpolation=cv2.INTER_AREA), np.float32)


def relit(rng: Rng, picture: Plane) -> tuple[Plane, str]:
    """A picture in another light."""
    height, width = picture.shape[:2]
    kind = int(rng.integers(4))
    if kind == 0:
        gain = rng.choice([rng.uniform(0.7, 0.92), rng.uniform(1.08, 1.3)])
        return np.asarray(picture * gain, np.float32), f"exposure {gain:.2f}"
    if kind == 1:
        return np.asarray(picture * (0.85 + 0.25 * anything(rng) / 255), np.float32), "light of another color"
    if kind == 2:
        lamp = glow(width, height, rng.uniform(0, width), rng.uniform(0, height), rng.uniform(0.3, 0.7) * width)
        return np.asarray(picture * (0.9 + 0.4 * lamp[..., None]), np.float32), "a lamp goes on"
    cloud = np.clip(fractal(rng, width, height, 2, 0.4) * 0.5, 0, 1)[..., None]
    return np.asarray(picture * (1 - 0.4 * cloud), np.float32), "shadow of a cloud"


def lost_from(rng: Rng, height: int, width: int, part: float) -> npt.NDArray[np.bool_]:
    """The macroblocks after a point in reading order, about ``part`` of the picture, or a band of them."""
    rows, columns = -(-height // BLOCK), -(-width // BLOCK)
    count = int(np.ceil(rows * columns * part))
    start = rows * columns - count if rng.random() < 0.6 else int(rng.integers(rows * columns - count + 1))
    lost = np.zeros(rows * columns, bool)
    lost[start : start + count] = True
    large = lost.reshape(rows, columns).repeat(BLOCK, 0).repeat(BLOCK, 1)
    return np.asarray(large[:height, :width])


def green(rng: Rng, picture: Pixels, other: Pixels) -> Pixels:
    """Macroblocks whose data is zero: green as zeros in YUV are, or black or gray."""
    fill = [(0, 135, 0), (0, 135, 0), (0, 0, 0), (128, 128, 128)][int(rng.integers(4))]
    broken = picture.copy()
    broken[lost_from(rng, picture.shape[0], picture.shape[1], rng.uniform(0.1, 0.6))] = fill
    return broken


def scattered(rng: Rng, picture: Pixels, other: Pixels) -> Pixels:
    """Macroblocks that lie in the wrong places, or are green."""
    broken, height, width = picture.copy(), *picture.shape[:2]
    empty = rng.random() < 0.4
    size = BLOCK * int(rng.integers(1, 3))
    for top in range(0, height - size, size):
        for left in range(0, width - size, size):
            if rng.random() < 0.3:
                y, x = int(rng.integers(height - size)), int(rng.integers(width - size))
                part: Pixels | tuple[int, int, int] = (0, 135, 0) if empty else picture[y : y + size, x : x + size]
                broken[top : top + size, left : left + size] = part
    return broken


def repeated(rng: Rng, picture: Pixels, other: Pixels) -> Pixels:
    """One row again and again, to the bottom."""
    broken, start = picture.copy(), int(picture.shape[0] * rng.uniform(0.35, 0.85))
    broken[start:] = picture[start]
    return broken


def sheared(rng: Rng, picture: Pixels, other: Pixels) -> Pixels:
    """Strips of blocks that moved sideways and changed color, as after a lost marker."""
    broken, top = floats(picture), BLOCK * int(picture.shape[0] * rng.uniform(0.2, 0.6) / BLOCK)
    for strip in range(top, picture.shape[0], BLOCK):
        moved = np.roll(broken[strip : strip + BLOCK], BLOCK * int(rng.integers(3, 30)), axis=1)
        broken[strip : strip + BLOCK] = moved + rng.uniform(-60, 60, 3)
    return pixels(broken)


def frozen(rng: Rng, picture: Pixels, other: Pixels) -> Pixels:
    """A part that still shows the frame before a cut."""
    lost = lost_from(rng, picture.shape[0], picture.shape[1], rng.uniform(0.35, 0.6))
    return np.where(lost[..., None], other, picture)


def truncated(rng: Rng, picture: Pixels, other: Pixels) -> Pixels:
    """A JPEG file that ends early, decoded."""
    data = jpeg_bytes(picture, int(rng.integers(60, 95)))
    before, ImageFile.LOAD_TRUNCATED_IMAGES = ImageFile.LOAD_TRUNCATED_IMAGES, True
    try:
        return np.array(Image.open(io.BytesIO(data[: int(len(data) * rng.uniform(0.3, 0.85))])))
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = before


def lost_keyframe(rng: Rng, picture: Pixels, other: Pixels) -> Pixels:
    """A clip without its first picture: gray, with what moved since."""
    frames = [np.roll(picture, step * int(rng.integers(2, 6)), axis=1) for step in range(5)]
    parts = packets(frames, 24)
    head = parts[0][: parts[0].find(b"\x00\x00\x01\x65")]
    found = decoded([head + parts[1], *parts[2:]])
    return found[-1] if found else picture


def bad_packets(rng: Rng, picture: Pixels, other: Pixels) -> Pixels:
    """A clip of H.264 with wrong bytes in its first picture, decoded with all that the decoder does to hide it."""
    parts = packets([picture, picture], int(rng.integers(20, 30)))
    data = bytearray(parts[0])
    start = int(len(data) * rng.uniform(0.25, 0.6))
    data[start : start + 400] = bytes(rng.integers(1, 255, len(data[start : start + 400]), np.uint8))
    found = decoded([bytes(data), *parts[1:]])
    return found[-1] if found else picture


FAULTS: dict[str, Callable[[Rng, Pixels, Pixels], Pixels]] = {
    "missing macroblocks": green,
    "scattered macroblocks": scattered,
    "repeated rows": repeated,
    "sheared strips": sheared,
    "frozen part": frozen,
    "truncated jpeg": truncated,
    "lost keyframe": lost_keyframe,
    "bad packets of h264": bad_packets,
}

"""Form of one request for an edit, read piece by piece within limits of size, number and time."""

from __future__ import annotations

import asyncio
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any

from editscope.editors.server.task_queue import QueueFull
from editscope.errors import BadImage, BadInput
from editscope.images import Pixels, decode

if TYPE_CHECKING:
    from aiohttp import BodyPartReader, web

MOST_IMAGES = 16
MOST_PARTS = 64
LARGEST_TEXT = 1 << 20
"""Bytes of all fields of a form that are not pictures."""
SLOWEST = 16 << 10
"""Bytes a second that a body must come with, on average, so that a drip of bytes does not count as progress."""
ROOM = 4
"""So many times the largest request may be held at once, by all requests that are read or wait."""

_PIECE = 64 << 10
_PICTURES = ("image", "image[]")


class Unfit(BadInput):
    """A request that cannot be read; the sentence is the server's answer, with this status."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class FormLimits:
    """What one form may be: bytes in all, pixels in all, and seconds without a byte."""

    max_body: int
    max_pixels: int
    silent_s: float


@dataclass(eq=False)
class Intake:
    """How much the requests in hand hold together; QueueFull where the next one does not fit beside them."""

    limits: FormLimits
    held: dict[str, int] = field(default_factory=lambda: {"bytes": 0, "pixels": 0})
    lock: threading.Lock = field(default_factory=threading.Lock)  # pictures are decoded in threads

    @contextmanager
    def share(self) -> Iterator[Share]:
        """One request's share, given back at the end of the block."""
        share = Share(self)
        try:
            yield share
        finally:
            with self.lock:
                for kind, amount in share.taken.items():
                    self.held[kind] -= amount


@dataclass(eq=False)
class Share:
    """What one request holds."""

    intake: Intake
    taken: dict[str, int] = field(default_factory=lambda: {"bytes": 0, "pixels": 0})

    def take(self, kind: str, amount: int) -> None:
        """Hold more; QueueFull where all requests together would hold too much."""
        limits = self.intake.limits
        most = ROOM * (limits.max_body if kind == "bytes" else limits.max_pixels)
        with self.intake.lock:
            if self.intake.held[kind] + amount > most:
                raise QueueFull("the requests in hand are as large as the server can hold; try again later")
            self.intake.held[kind] += amount
            self.taken[kind] += amount


@dataclass(frozen=True, slots=True)
class EditForm:
    """The fields of a request: texts by name, and pictures in order."""

    texts: Mapping[str, str]
    pictures: tuple[Pixels, ...]


async def read_form(request: web.Request, share: Share) -> EditForm:
    """The form of a request; Unfit, in one sentence, where there is none that can be used."""
    limits = share.intake.limits
    if request.content_type != "multipart/form-data":
        raise Unfit("send multipart/form-data with the fields image (a file, several times if need be) and instruction")
    if request.headers.get("Content-Encoding", "identity").lower() not in ("", "identity"):
        raise Unfit("send the form as it is, without Content-Encoding: pictures are compressed already", 415)
    if (request.content_length or 0) > limits.max_body:
        raise _too_large(limits)
    texts: dict[str, bytes] = {}
    files: list[IO[bytes]] = []
    try:
        await _read_parts(request, share, texts, files)
        if not files:
            raise Unfit("the field image is missing, or is not a file; in curl it is -F image=@input.png")
        pictures = await asyncio.to_thread(_pictures, files, limits.max_pixels, share.take)
        return EditForm({name: _text(name, data) for name, data in texts.items()}, pictures)
    finally:
        for file in files:
            file.close()


async def read_body(request: web.Request, share: Share) -> bytes:
    """The body of a request that is not a form, within the same limits; Unfit where it is too large or too slow."""
    limits = share.intake.limits
    if request.headers.get("Content-Encoding", "identity").lower() not in ("", "identity"):
        raise Unfit("send the body as it is, without Content-Encoding: pictures are compressed already", 415)
    if (request.content_length or 0) > limits.max_body:
        raise _too_large(limits)
    clock, body = _Clock(limits.silent_s), bytearray()
    try:
        while True:
            async with clock.running():
                piece = await request.content.readany()
            if not piece:
                return bytes(body)
            clock.received += len(piece)
            if clock.received > limits.max_body:
                raise _too_large(limits)
            share.take("bytes", len(piece))
            body += piece
    except TimeoutError:
        raise _too_slow(clock) from None


async def _read_parts(request: web.Request, share: Share, texts: dict[str, bytes], files: list[IO[bytes]]) -> None:
    clock = _Clock(share.intake.limits.silent_s)
    try:
        reader = await request.multipart()
        for count in range(MOST_PARTS + 1):
            async with clock.running():
                part: Any = await reader.next()
            if part is None:
                return
            if count == MOST_PARTS:
                raise Unfit(f"the form has more than {MOST_PARTS} fields")
            await _read_part(part, clock, share, texts, files)
    except TimeoutError:
        raise _too_slow(clock) from None
    except (Unfit, QueueFull, ConnectionError, OSError):
        raise
    except Exception as error:
        # Whatever the parser of a stranger's form stumbles over is the form's fault: it raises errors of many kinds.
        raise Unfit(f"the form cannot be read ({_short(error)}); is it multipart/form-data with a boundary?") from error


async def _read_part(
    part: BodyPartReader | Any, clock: _Clock, share: Share, texts: dict[str, bytes], files: list[IO[bytes]]
) -> None:
    """Read one field into ``texts`` or ``files``."""
    if not hasattr(part, "read_chunk"):
        raise Unfit("a field of the form is a form itself; send the fields one after the other")
    name = part.name or ""
    for header, plain in (
        ("Content-Encoding", ("identity",)),
        ("Content-Transfer-Encoding", ("binary", "7bit", "8bit")),
    ):
        if part.headers.get(header, plain[0]).lower() not in plain:
            raise Unfit(f"the field {name[:60]!r} has a {header}; send it as it is")
    if name in _PICTURES:
        if part.filename is None:
            raise Unfit("the field image is missing, or is not a file; in curl it is -F image=@input.png")
        if len(files) == MOST_IMAGES:
            raise Unfit(f"the form has more than the {MOST_IMAGES} pictures that one request may have")
        file: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=1 << 20)  # noqa: SIM115
        files.append(file)
        await _pour(part, clock, share, file.write, share.intake.limits.max_body)
        return
    if name in texts:
        raise Unfit(f"the field {name[:60]!r} stands twice in the form")
    text = bytearray()
    left = LARGEST_TEXT - sum(map(len, texts.values()))
    await _pour(part, clock, share, text.extend, left)
    texts[name] = bytes(text)


async def _pour(part: Any, clock: _Clock, share: Share, into: Callable[[bytes], Any], most: int) -> None:
    """Copy the bytes of a field; Unfit where there are more than ``most``, or the form is too large."""
    limits, length = share.intake.limits, 0
    while True:
        async with clock.running():
            piece = await part.read_chunk(_PIECE)
        if not piece:
            return
        clock.received += len(piece)
        length += len(piece)
        if clock.received > limits.max_body:
            raise _too_large(limits)
        if length > most:
            raise Unfit(f"the texts of the form have more than {LARGEST_TEXT >> 20} MiB", 413)
        share.take("bytes", len(piece))
        into(piece)


class _Clock:
    """How long the next bytes may take: not silent for long, and not slower than SLOWEST on average."""

    def __init__(self, silent_s: float) -> None:
        self.silent_s = silent_s
        self.received = 0
        self._began = asyncio.get_running_loop().time()

    def running(self) -> asyncio.Timeout:
        now = asyncio.get_running_loop().time()
        return asyncio.timeout_at(min(now, self._began + self.received / SLOWEST) + self.silent_s)


def _pictures(files: list[IO[bytes]], max_pixels: int, take: Callable[[str, int], None]) -> tuple[Pixels, ...]:
    pictures: list[Pixels] = []
    left = max_pixels
    for place, file in enumerate(files, 1):
        file.seek(0)
        try:
            pixels = decode(file.read(), name=f"picture {place}", max_pixels=max_pixels).pixels
        except BadImage as error:
            raise Unfit(str(error)) from error
        size = pixels.shape[0] * pixels.shape[1]
        left -= size
        if left < 0:
            raise Unfit(f"the pictures have more than {max_pixels / 1e6:,.0f} megapixels together; scale them down")
        take("pixels", size)
        pictures.append(pixels)
    return tuple(pictures)


def _text(name: str, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Unfit(f"the field {name[:60]!r} is not UTF-8") from None


def _too_large(limits: FormLimits) -> Unfit:
    return Unfit(f"the request is larger than {limits.max_body >> 20} MiB", 413)


def _too_slow(clock: _Clock) -> Unfit:
    return Unfit(f"the request came too slowly: nothing for {clock.silent_s:g} s, or a trickle", 408)


def _short(error: Exception) -> str:
    return (" ".join(str(error).split()) or type(error).__name__)[:120]

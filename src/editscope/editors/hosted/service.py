"""Base class of a vendor's API: how an edit is requested, and how a picture is read from the reply."""

from __future__ import annotations

import base64
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from editscope.editors.base import Request
from editscope.editors.hosted.options import ServiceOption
from editscope.editors.hosted.prices import Tokens
from editscope.images import encode_png
from editscope.transport.check import denies_key
from editscope.transport.faults import Fault, fault_of
from editscope.transport.keys import bearer

if TYPE_CHECKING:
    from editscope.editors.hosted.exchange import Exchange

SQUARE = (1024, 1024)
"""Width and height of a picture that is drawn where nobody says how large."""


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """What is asked of a hosted model besides the edit itself; ``options`` holds only what the user said."""

    model: str
    base_url: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class EncodedRequest:
    """One edit to be asked for: the request, and its pictures in order as PNG files with three channels.

    Made in the thread that wants the edit, so that encoding holds up nobody else.
    """

    request: Request
    pictures: tuple[bytes, ...]
    canvas: tuple[int, int] | None = None
    """Width and height of a picture that is to be drawn from nothing; None leaves them to the model."""

    @classmethod
    def of(cls, request: Request) -> EncodedRequest:
        """A request with its pictures encoded."""
        return cls(request, tuple(encode_png(pixels, palette=False) for pixels in request.arrays))

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the first picture, or of the one that is to be drawn."""
        if not self.request.arrays:
            return self.canvas or SQUARE
        height, width = self.request.arrays[0].shape[:2]
        return width, height

    @cached_property
    def base64(self) -> tuple[bytes, ...]:
        """The pictures as base64, made when first asked for and kept for further attempts."""
        return tuple(base64.b64encode(picture) for picture in self.pictures)


@dataclass(frozen=True, slots=True)
class PictureAnswer:
    """What a server answered: a picture as it came, or why there is none, and what it reported.

    ``text`` is what the model said beside the picture or instead of it. ``refused`` is why a filter or the
    model would not make it; ``lacking`` why there is no picture where neither that nor a text says it. ``pictures`` is
    how many came, all of them paid for; ``size`` is width and height where a size was asked for by name. ``cost_usd``
    is for a server that says itself what it charged, ``prompt`` for one that says what it made of the instruction.
    """

    picture: bytes | None = None
    text: str = ""
    refused: str = ""
    lacking: str = ""
    model: str = ""
    pictures: int = 1
    tokens: Tokens | None = None
    cost_usd: float | None = None
    size: tuple[int, int] | None = None
    prompt: str = ""
    notes: tuple[str, ...] = ()


class VendorService:
    """One vendor's API, whatever it makes: names and numbers, and what its statuses mean.

    An instance serves one model in one event loop; it may keep what it learns of the server (``gives_way``).
    """

    kind: str
    home: str
    key_env: str
    needs_key: bool = True
    options: ClassVar[Mapping[str, ServiceOption]] = {}
    family: tuple[str, ...] = ()
    """Domains besides that of ``base_url`` whose hosts may see the key, such as regional ones: ("bfl.ai",)."""

    check_path: str | None = None
    """What to GET, free of charge, to learn whether the key is right; None where there is nothing of the kind."""

    def __init__(self, settings: ServiceSettings) -> None:
        self.settings = settings

    def option(self, name: str, default: Any = None) -> Any:
        """What the user said, or the default."""
        return self.settings.options.get(name, default)

    def headers(self, key: str) -> dict[str, str]:
        """The headers that carry the key: a bearer token, none for a server that wants none."""
        return bearer(key)

    def fault(self, status: int, headers: Mapping[str, str], content: bytes) -> Fault:
        """What a status other than 200 means; for vendors with words of their own."""
        return fault_of(status, headers, content)

    def denies(self, status: int, content: bytes) -> bool:
        """Whether the reply to ``check_path`` says that the key is wrong."""
        return denies_key(status, content)

    def known(self, data: Any) -> bool:
        """Whether the reply to ``check_path`` shows that the model is there; True where it does not say."""
        return True

    def gives_way(self, message: str) -> bool:
        """After the server objected with this message: whether the next request will be another, that may do.

        Only what the user did not ask for by name may be given up. Requests that were under way in the old form come
        back with the same objection: the answer is yes again.
        """
        return False


class Service(VendorService, ABC):
    """A vendor's API for pictures. ``make`` is all that a new one must have; the rest are names and numbers."""

    max_images: int | None = None
    draws: ClassVar[bool] = False
    """Whether it makes a picture of a prompt alone, too."""

    @abstractmethod
    async def make(self, encoded: EncodedRequest, exchange: Exchange) -> PictureAnswer:
        """Ask for one edit and wait for it.

        ``exchange`` raises what stands in the way; NotAnAnswer (or a KeyError, TypeError … while reading) is for a
        reply that is not what the API promises. A refusal is a PictureAnswer that says so.
        """

    def grades(self, encoded: EncodedRequest | None) -> tuple[str, ...]:
        """Under which names the list price of a picture may stand, the best first: ("high 1024x1024", "high")."""
        return ()

"""Messages between trainers and a reward server: rollouts in JSON, and packed with their pixels.

A packed body is one line of JSON and, below it, bytes that the JSON refers to: a picture is ``{"at": 0, "bytes": 12,
"size": [2, 2]}``, its offset below the line, its length, and width and height; without ``size`` the bytes are a file.
Rollouts of one group share their source, which is then sent once.
"""

from __future__ import annotations

import binascii
import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from editscope.documents import Malformed, read_json
from editscope.editors.server.forms import Unfit
from editscope.errors import BadImage, BadInput, unknown
from editscope.images import Pixels, decode, encode_png
from editscope.outside import is_text, kind_of
from editscope.training.data.examples import EditExample
from editscope.training.rewards.base import RewardValue, Rollout
from editscope.training.rewards.problems import Problems

PROTOCOL = "editscope-reward/1"
PATH = "/reward"
PACKED = "application/vnd.editscope.rollouts"
"""The content type of a packed body."""
MOST_ROLLOUTS = 1024
"""Rollouts of one request."""
MOST_SOURCES = 16
LONGEST_TEXT = 100_000
FIELDS = ("picture", "plan", "id", "suite", "variant", "fingerprint", "sources", "answer", "instruction")
Encoding = Literal["rgb", "png"]


@dataclass(eq=False)
class PictureReader:
    """Reads the pictures of one request: at most ``max_pixels`` each; ``take`` gets the pixels of each decoded one."""

    max_pixels: int
    take: Callable[[int], None]
    blobs: memoryview = field(default_factory=lambda: memoryview(b""))
    """What a packed request has below its first line."""
    known: dict[str, Pixels] = field(default_factory=dict)

    def read(self, where: str, given: Any) -> Pixels:
        """The pixels of a picture: BadImage if they cannot be used, Unfit if it is not a picture at all.

        >>> PictureReader(100, lambda pixels: None).read("picture", {"rgb": "AAECAwQF", "size": [2, 1]}).tolist()
        [[[0, 1, 2], [3, 4, 5]]]
        """
        if isinstance(given, str):
            return self._decoded(where, _bytes(where, given))
        if isinstance(given, dict) and set(given) == {"rgb", "size"} and isinstance(given["rgb"], str):
            width, height = self._size(where, given["size"])
            return self._pixels(where, _bytes(where, given["rgb"]), width, height)
        if isinstance(given, dict) and {"at", "bytes"} <= set(given) <= {"at", "bytes", "size"}:
            return self._packed(where, given)
        raise Unfit(f'{where} is neither a file in base64 nor {{"rgb": "…", "size": [width, height]}}')

    def _packed(self, where: str, given: Mapping[str, Any]) -> Pixels:
        at, length = given["at"], given["bytes"]
        if type(at) is not int or type(length) is not int or not 0 <= at <= at + length <= len(self.blobs):
            raise Unfit(f"{where} refers to bytes that the request does not have")
        key = f"{at} {length} {given.get('size')}"
        if key not in self.known:
            data = self.blobs[at : at + length]
            if "size" in given:
                self.known[key] = self._pixels(where, data, *self._size(where, given["size"]))
            else:
                self.known[key] = self._decoded(where, bytes(data))
        return self.known[key]

    def _decoded(self, where: str, data: bytes) -> Pixels:
        pixels = decode(data, name=where, max_pixels=self.max_pixels).pixels
        self.take(pixels.shape[0] * pixels.shape[1])
        return pixels

    def _pixels(self, where: str, data: bytes | memoryview, width: int, height: int) -> Pixels:
        if len(data) != 3 * width * height:
            raise BadImage(f"{where} has {len(data):,} bytes, but {width}×{height} pixels have {3 * width * height:,}")
        self.take(width * height)
        return np.frombuffer(data, np.uint8).reshape(height, width, 3)

    def _size(self, where: str, size: Any) -> tuple[int, int]:
        if not isinstance(size, list) or len(size) != 2 or not all(type(side) is int and side > 0 for side in size):
            raise Unfit(f"{where}.size is not [width, height], two positive whole numbers")
        width, height = size
        if width * height > self.max_pixels:
            raise BadImage(f"{where} has {width * height:,} pixels; the limit is {self.max_pixels:,}")
        return width, height


def read_rollouts(
    body: bytes, problems: Problems, reader: PictureReader, *, packed: bool = False
) -> list[Rollout | RewardValue]:
    """The rollouts of a request; instead of one whose pictures cannot be used, why it has no reward.

    Unfit, in one sentence with the place, if the request itself is wrong.
    """
    if packed:
        end = body.find(b"\n")
        reader.blobs = memoryview(body)[end + 1 :]
        body = body[:end]
    try:
        message = read_json(body)
    except Malformed as error:
        raise Unfit(f"the body is not valid JSON ({error})") from None
    listed = message.get("rollouts") if isinstance(message, dict) else None
    if not isinstance(listed, list):
        raise Unfit('the body is not a JSON object such as {"rollouts": [{"id": "…", "picture": "…"}]}')
    if len(listed) > MOST_ROLLOUTS:
        raise Unfit(f"the request has {len(listed)} rollouts; send at most {MOST_ROLLOUTS} at a time", 413)
    rollouts = []
    for number, fields in enumerate(listed):
        where = f"rollouts[{number}]"
        if not isinstance(fields, dict):
            raise Unfit(f"{where} is {kind_of(fields)}, not an object")
        try:
            rollouts.append(_rollout(where, fields, problems, reader))
        except Unfit:
            raise
        except BadInput as error:
            raise Unfit(f"{where}: {error}") from error
    return rollouts


class Packer:
    """Packs rollouts into one body; every array is in it once."""

    def __init__(self, encoding: Encoding = "rgb") -> None:
        self.encoding = encoding
        self._blobs: list[bytes | memoryview] = []
        self._length = 0
        self._known: dict[int, dict[str, Any]] = {}

    def picture(self, pixels: Pixels) -> dict[str, Any]:
        """The place of a picture."""
        if id(pixels) not in self._known:
            raw = self.encoding == "rgb"
            data = memoryview(np.ascontiguousarray(pixels).data).cast("B") if raw else encode_png(pixels)
            place: dict[str, Any] = {"at": self._length, "bytes": len(data)}
            self._known[id(pixels)] = {**place, "size": [pixels.shape[1], pixels.shape[0]]} if raw else place
            self._blobs.append(data)
            self._length += len(data)
        return self._known[id(pixels)]

    def packed(self, rollouts: Sequence[Rollout], *, by_id: bool = False) -> bytes:
        """The body; the rollouts must outlive it, since pictures are known by their place in memory."""
        written = [write_rollout(rollout, self.picture, by_id=by_id) for rollout in rollouts]
        return b"".join([json.dumps({"rollouts": written}).encode(), b"\n", *self._blobs])


def write_rollout(
    rollout: Rollout, picture: Callable[[Pixels], Any] | None = None, *, by_id: bool = False
) -> dict[str, Any]:
    """A rollout as ``read_rollouts`` reads it; ``by_id`` names its problem instead of the pictures.

    ``picture`` says how pictures are written, in base64 unless given.
    """
    write = picture or write_picture
    example, case = rollout.example, rollout.example.case
    fields: dict[str, Any] = {"picture": write(rollout.picture)}
    if rollout.plan:
        fields["plan"] = rollout.plan
    if by_id:
        if case is None:
            raise BadInput(
                f"example {example.id!r} is not a case of a suite, so it cannot be sent by id; leave by_id out"
            )
        named = next((one for one in case.instructions if one.text == example.instruction), case.instructions[0])
        return {
            **fields,
            "id": case.id,
            "suite": case.suite,
            "variant": named.variant,
            "fingerprint": case.fingerprint,
        }
    fields |= {"sources": [write(one) for one in example.pictures], "instruction": example.instruction}
    return fields if example.answer is None else {**fields, "answer": write(example.answer)}


def write_picture(pixels: Pixels, encoding: Encoding = "rgb") -> Any:
    """A picture in JSON: its bytes in base64, as they are or as a PNG file."""
    if encoding == "png":
        return b64encode(encode_png(pixels)).decode()
    return {"rgb": b64encode(np.ascontiguousarray(pixels).data).decode(), "size": [pixels.shape[1], pixels.shape[0]]}


def write_values(values: Sequence[RewardValue], parts: Mapping[str, Sequence[RewardValue]]) -> dict[str, Any]:
    """The reply of a server."""
    rows = [
        {
            "value": value.value,
            "status": value.status,
            "reason": value.reason,
            "parts": {name: given[number].value for name, given in parts.items()},
        }
        for number, value in enumerate(values)
    ]
    return {"rewards": rows}


def _rollout(where: str, fields: Mapping[str, Any], problems: Problems, reader: PictureReader) -> Rollout | RewardValue:
    for name in fields:
        if name not in FIELDS:
            raise unknown("field", str(name)[:60], FIELDS)
    texts = {
        name: _text(where, name, fields[name])
        for name in ("plan", "id", "suite", "variant", "fingerprint", "instruction")
        if name in fields
    }
    if "picture" not in fields:
        raise Unfit(f'{where} lacks "picture", the output to score')
    if texts.get("id"):
        example = _known(where, texts, problems)
    else:
        if not fields.get("sources"):
            raise Unfit(f'{where} needs "id" or "sources", to say what was edited')
        made = _brought(where, fields, texts, reader)
        if isinstance(made, RewardValue):
            return made
        example = made
    try:
        picture = reader.read(f"{where}.picture", fields["picture"])
    except BadImage as error:
        return RewardValue(None, "no_output", str(error))
    return Rollout(example, picture, texts.get("plan", ""))


def _known(where: str, texts: Mapping[str, str], problems: Problems) -> EditExample:
    example = problems.example(texts["id"], texts.get("suite", ""), texts.get("variant", ""))
    wanted = texts.get("fingerprint")
    if wanted and example.case is not None and example.case.fingerprint != wanted:
        raise Unfit(
            f"{where}: the problem {texts['id']!r} differs from yours (fingerprint {example.case.fingerprint}, not "
            f"{wanted}); serve the suite with the options that you train with",
            409,
        )
    return example


def _brought(
    where: str, fields: Mapping[str, Any], texts: Mapping[str, str], reader: PictureReader
) -> EditExample | RewardValue:
    """The example of pictures that came with the request."""
    sources, answer = fields["sources"], fields.get("answer")
    if not isinstance(sources, list) or len(sources) > MOST_SOURCES:
        raise Unfit(f"{where}.sources is not a list of 1 to {MOST_SOURCES} pictures")
    try:
        pictures = tuple(reader.read(f"{where}.sources[{n}]", one) for n, one in enumerate(sources))
        right = None if answer is None else reader.read(f"{where}.answer", answer)
    except BadImage as error:
        return RewardValue(None, "error", str(error))
    return EditExample(where, "the request", pictures, texts.get("instruction", ""), right)


def _text(where: str, name: str, given: Any) -> str:
    if not isinstance(given, str) or len(given) > LONGEST_TEXT or not is_text(given):
        raise Unfit(f"{where}.{name} is not a string of at most {LONGEST_TEXT:,} characters")
    return given


def _bytes(where: str, text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise BadImage(f"{where} is not base64; send the bytes of the picture in base64, without a prefix") from None

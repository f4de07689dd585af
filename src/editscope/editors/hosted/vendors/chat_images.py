"""Any OpenAI-compatible chat endpoint that answers with pictures, ``chat:MODEL?base_url=…``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from editscope.editors.hosted.editor import HostedEditor, load_hosted
from editscope.editors.hosted.exchange import Exchange
from editscope.editors.hosted.options import ServiceOption, flag, matching, number, one_of
from editscope.editors.hosted.pictures import from_base64, from_url
from editscope.editors.hosted.prices import Tokens
from editscope.editors.hosted.ratios import nearest_aspect
from editscope.editors.hosted.service import EncodedRequest, PictureAnswer, Service, ServiceSettings
from editscope.errors import BadInput
from editscope.outside import MOST_DOLLARS, measure
from editscope.transport.faults import LONGEST_TEXT, Failed, Fault, fault_of
from editscope.transport.messages import NotAnAnswer, closing_fields, dumps, joined, loads, reported_tokens

MARKDOWN = re.compile(r"!\[[^\]]*\]\(\s*<?((?:https?://|data:image/)[^)\s>]+)>?[^)]*\)")
DATA_URL = re.compile(r"data:image/[a-z0-9.+-]+;base64,[A-Za-z0-9+/=]+", re.IGNORECASE)
BARE = re.compile(r"[A-Za-z0-9+/\s]{400,}={0,2}\s*")
"""A content that is nothing but base64; shorter than this no picture is."""

RATIOS = ("1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9")
"""Aspect ratios that a gateway is asked for where a picture of some size is to be drawn."""

IN_PLACE = "[picture]"
LARGEST_SEED = 2**31 - 1


def load(target: str, **options: Any) -> HostedEditor:
    """The editor for ``chat:MODEL?base_url=…``."""
    if "base_url" not in options:
        raise BadInput(
            f"editor chat:{target} needs the address of its server, such as ?base_url=https://openrouter.ai/api/v1"
        )
    return load_hosted(ChatImages, target, options)


class ChatImages(Service):
    """``POST {base_url}/chat/completions`` with the pictures first and the instruction after them."""

    kind = "chat"
    home = ""
    key_env = "OPENAI_API_KEY"
    needs_key = False
    draws = True
    options: ClassVar[dict[str, ServiceOption]] = {
        "modalities": one_of("image,text", "text,image", "image", "off"),
        "seed": flag(),
        "temperature": number(float, 0.0, 2.0),
        "top_p": number(float, 0.0, 1.0),
        "max_tokens": number(int, 1, 1_000_000),
        "aspect_ratio": matching(r"[1-9]\d?:[1-9]\d?", "a ratio such as 16:9"),
        "image_size": one_of("0.5K", "1K", "2K", "4K"),
        "take": one_of("first", "last"),
    }
    check_path = "models"

    def __init__(self, settings: ServiceSettings) -> None:
        super().__init__(settings)
        self._sends = {"modalities": True, "seed": self.option("seed", True), "aspect_ratio": True}

    async def make(self, encoded: EncodedRequest, exchange: Exchange) -> PictureAnswer:
        """The first picture of the first choice, wherever the server puts it; ``?take=last`` for the last."""
        data = await exchange.post("chat/completions", json=self._body(encoded))
        if isinstance(data, dict) and data.get("error"):
            raise Failed(_fault_in(data))
        choice = data["choices"][0]
        message, ended = choice["message"], choice.get("finish_reason")
        pictures = list(dict.fromkeys(_pictures(message)))
        text = _text(message)
        refused = message.get("refusal") or ("content filter" if ended == "content_filter" else "")
        usage = data.get("usage")
        answer = PictureAnswer(
            text=text, model=str(data.get("model") or ""), pictures=0, tokens=_tokens(usage), cost_usd=_charged(usage)
        )
        if not pictures:
            if not text and not refused:
                raise NotAnAnswer("the reply is empty")
            return replace(answer, refused=str(refused))
        take = str(self.option("take", "first"))
        chosen = pictures[0 if take == "first" else -1]
        return replace(
            answer,
            picture=from_base64(chosen) if BARE.fullmatch(chosen) else await from_url(chosen, exchange),
            pictures=len(pictures),
            notes=(f"the {take} of {len(pictures)} pictures",) if len(pictures) > 1 else (),
        )

    def grades(self, encoded: EncodedRequest | None) -> tuple[str, ...]:
        """The size of the picture, where one is asked for by name."""
        size = self.option("image_size")
        return (str(size),) if size else ()

    def fault(self, status: int, headers: Mapping[str, str], content: bytes) -> Fault:
        """What a status means; OpenRouter's 403 is a filter's where it says what was flagged."""
        return _by_filter(status, content) or fault_of(status, headers, content)

    def gives_way(self, message: str) -> bool:
        """Some servers know no modalities or no seed; they are sent unless the user said otherwise."""
        text = message.lower()
        for name, word in (("modalities", "modalit"), ("seed", "seed"), ("aspect_ratio", "image_config")):
            if word in text and name not in self.settings.options:
                self._sends[name] = False
                return True
        return False

    def _body(self, encoded: EncodedRequest) -> bytes:
        fields = {
            "model": self.settings.model,
            "modalities": self._modalities(),
            "seed": encoded.request.seed & LARGEST_SEED if self._sends["seed"] else None,
            "image_config": self._image_config(encoded),
            "stream": False,
            **{name: self.option(name) for name in ("temperature", "top_p", "max_tokens")},
        }
        parts = [
            b'{"type":"image_url","image_url":{"url":"data:image/png;base64,' + data + b'"}}' for data in encoded.base64
        ]
        parts.append(b'{"type":"text","text":' + dumps(encoded.request.instruction) + b"}")
        return joined(parts, b'{"messages":[{"role":"user","content":[', b"]}]" + closing_fields(fields))

    def _modalities(self) -> list[str] | None:
        wanted = str(self.option("modalities", "image,text"))
        return wanted.split(",") if wanted != "off" and self._sends["modalities"] else None

    def _image_config(self, encoded: EncodedRequest) -> dict[str, str] | None:
        wanted = encoded.canvas if self._sends["aspect_ratio"] else None
        ratio = nearest_aspect(wanted, RATIOS) if wanted else None
        given = {"aspect_ratio": self.option("aspect_ratio", ratio), "image_size": self.option("image_size")}
        return {name: str(value) for name, value in given.items() if value is not None} or None


def _pictures(message: Any) -> Iterator[str]:
    """Every picture of a message, as a data URL, an address or bare base64."""
    content = message.get("content")
    parts = [*(message.get("images") or ()), *(content if isinstance(content, list) else ())]
    for part in parts:
        if isinstance(part, dict) and (picture := _in_part(part)):
            yield picture
    if isinstance(content, str):
        yield from _in_text(content)
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            yield from _in_text(part["text"])


def _in_part(part: dict[str, Any]) -> str:
    """The picture of a content part: image_url, output_image, or what compatible servers call the same."""
    for name in ("image_url", "b64_json", "image_base64", "image", "url", "data", "result"):
        value = part.get(name)
        if isinstance(value, dict):
            value = value.get("url") or value.get("b64_json") or value.get("data")
        if isinstance(value, str) and value:
            return value if ":" in value[:8] else f"data:image/png;base64,{value}"
    return ""


def _in_text(text: str) -> Iterator[str]:
    if BARE.fullmatch(text.strip()):
        yield text.strip()
        return
    yield from MARKDOWN.findall(text)
    yield from DATA_URL.findall(text)


def _text(message: Any) -> str:
    """What the model said and thought, without the pictures in it."""
    content = message.get("content")
    if isinstance(content, list):
        content = "\n".join(str(part["text"]) for part in content if isinstance(part, dict) and part.get("text"))
    reply = str(content or "").strip()
    reply = "" if BARE.fullmatch(reply) else DATA_URL.sub(IN_PLACE, MARKDOWN.sub(IN_PLACE, reply))
    thought = message.get("reasoning") or message.get("reasoning_content")
    return "\n\n".join(part for part in (thought if isinstance(thought, str) else "", reply) if part)


def _fault_in(data: dict[str, Any]) -> Fault:
    """An error that came with status 200: a gateway's way to say that the model behind it failed."""
    error = data["error"]
    code = error.get("code") if isinstance(error, dict) else None
    status = code if isinstance(code, int) and 400 <= code < 600 else 502
    content = dumps(data)
    return _by_filter(status, content) or fault_of(status, {}, content)


def _by_filter(status: int, content: bytes) -> Fault | None:
    """The refusal in a 403 that says what a filter flagged (OpenRouter's ``metadata.reasons``); None elsewhere."""
    if status != 403:
        return None
    try:
        error = loads(content)["error"]
        message, more = str(error.get("message") or ""), error.get("metadata") or {}
        reasons = more.get("reasons") or ()
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    if not reasons and "flagged" not in message.lower() and "moderation" not in message.lower():
        return None
    listed = f" ({', '.join(map(str, reasons))})" if isinstance(reasons, list) and reasons else ""
    return Fault(f"content filter: {' '.join(message.split())[:LONGEST_TEXT]}{listed[:LONGEST_TEXT]}", refused=True)


def _tokens(usage: Any) -> Tokens | None:
    """Chat servers report all that comes in and out; what was picture is known only where there are details."""
    out, went = reported_tokens(usage, "completion_tokens"), reported_tokens(usage, "prompt_tokens")
    if not out:
        return None
    image_out = min(out, reported_tokens(usage.get("completion_tokens_details"), "image_tokens") or 0)
    if not image_out:
        return None
    return Tokens(text_in=went or 0, text_out=out - image_out, image_out=image_out)


def _charged(usage: Any) -> float | None:
    """Dollars that a gateway says it charged (OpenRouter's ``usage.cost``)."""
    cost = usage.get("cost") if isinstance(usage, dict) else None
    return measure(cost, MOST_DOLLARS)

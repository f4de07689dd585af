"""Gemini's image models ("Nano Banana"), ``gemini:MODEL``: ``POST {base_url}/models/MODEL:generateContent``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from editscope.editors.hosted.editor import HostedEditor, load_hosted
from editscope.editors.hosted.exchange import Exchange
from editscope.editors.hosted.options import ServiceOption, flag, number, one_of
from editscope.editors.hosted.pictures import from_base64
from editscope.editors.hosted.prices import Tokens
from editscope.editors.hosted.ratios import nearest_aspect
from editscope.editors.hosted.service import EncodedRequest, PictureAnswer, Service, ServiceSettings
from editscope.errors import BadInput
from editscope.judges.wire.gemini import REFUSING
from editscope.transport.faults import Fault, barred, fault_of
from editscope.transport.messages import NotAnAnswer, closing_fields, dumps, joined, reported_tokens

ASPECTS = ("1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9")
"""What every model of the family can make."""

STEEP = ("1:4", "4:1", "1:8", "8:1")
"""What only models from 3.1 on can make besides."""

WITHHELD = REFUSING | {"IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"}
"""The reasons for which a picture was, or would have been, made and nobody gets to see it."""

FIRST = "gemini-2.5-flash-image"
"""The first model of the family takes few pictures; later ones take more."""

PRO = "gemini-3-pro-image"
UNFIT = (("size", FIRST, ()), ("size", PRO, ("512",)), ("aspect", FIRST, STEEP), ("aspect", PRO, STEEP))
"""Options that models whose names begin so do not take, or not with these values."""

LARGEST_SEED = 2**31 - 1


def load(target: str, **options: Any) -> HostedEditor:
    """The editor for ``gemini:MODEL``."""
    editor = load_hosted(GeminiImages, target, options)
    model = target.removeprefix("models/")
    for name, begins, values in UNFIT:
        if name in options and model.startswith(begins) and (not values or str(options[name]) in values):
            raise BadInput(f"editor gemini:{target}, option {name}: this model does not take {options[name]}")
    return editor


class GeminiImages(Service):
    """Pictures inline and in order, the instruction after them; the key goes in a header, never in the address."""

    kind = "gemini"
    home = "https://generativelanguage.googleapis.com/v1beta"
    key_env = "GEMINI_API_KEY"
    draws = True
    options: ClassVar[Mapping[str, ServiceOption]] = {
        "aspect": one_of("auto", "closest", *ASPECTS, *STEEP),
        "size": one_of("512", "1K", "2K", "4K"),
        "modalities": one_of("image", "image,text", "text,image"),
        "thinking": one_of("minimal", "low", "medium", "high"),
        "thoughts": flag(),
        "seed": flag(),
        "temperature": number(float, 0.0, 2.0),
        "top_p": number(float, 0.0, 1.0),
    }

    def __init__(self, settings: ServiceSettings) -> None:
        super().__init__(settings)
        self.model = settings.model.removeprefix("models/")
        self.max_images = 3 if self.model.startswith(FIRST) else 14
        self._sends_seed = bool(self.option("seed", True))

    @property
    def check_path(self) -> str:  # type: ignore[override]
        """The description of the model."""
        return f"models/{self.model}"

    def headers(self, key: str) -> dict[str, str]:
        """Google's key header."""
        return {"x-goog-api-key": key} if key else {}

    async def make(self, encoded: EncodedRequest, exchange: Exchange) -> PictureAnswer:
        """The first picture of the first candidate that is not a thought."""
        return read(await exchange.post(f"models/{self.model}:generateContent", json=self.body(encoded)))

    def body(self, encoded: EncodedRequest) -> bytes:
        """The request as JSON; what the user did not ask for is left to the server, as published runs do."""
        generation = {
            "responseModalities": [word.upper() for word in str(self.option("modalities", "text,image")).split(",")],
            "imageConfig": _said(aspectRatio=self.aspect(encoded), imageSize=self.option("size")),
            "thinkingConfig": _said(
                thinkingLevel=str(self.option("thinking", "")).upper() or None,
                includeThoughts=self.option("thoughts"),
            ),
            "seed": encoded.request.seed & LARGEST_SEED if self._sends_seed else None,
            "temperature": self.option("temperature"),
            "topP": self.option("top_p"),
        }
        parts = [b'{"inlineData":{"mimeType":"image/png","data":"' + data + b'"}}' for data in encoded.base64]
        parts.append(b'{"text":' + dumps(encoded.request.instruction) + b"}")
        fields = {"generationConfig": _said(**generation)}
        return joined(parts, b'{"contents":[{"role":"user","parts":[', b"]}]" + closing_fields(fields))

    def aspect(self, encoded: EncodedRequest) -> str | None:
        """The aspect ratio that is asked for; None leaves it to the model, which follows the pictures it gets."""
        wanted = str(self.option("aspect", "auto" if encoded.canvas is None else "closest"))
        if wanted == "auto":
            return None
        return nearest_aspect(encoded.size, self._aspects) if wanted == "closest" else wanted

    def grades(self, encoded: EncodedRequest | None) -> tuple[str, ...]:
        """The size of the picture, where one is asked for."""
        size = self.option("size")
        return (str(size),) if size else ()

    def fault(self, status: int, headers: Mapping[str, str], content: bytes) -> Fault:
        """What a status means at Google."""
        return google_fault(status, headers, content)

    def denies(self, status: int, content: bytes) -> bool:
        """Whether the key is wrong."""
        return google_denies(status, content)

    def known(self, data: Any) -> bool:
        """Whether the model answers to ``generateContent``."""
        return "generateContent" in data.get("supportedGenerationMethods", ("generateContent",))

    def gives_way(self, message: str) -> bool:
        """A model that knows no seed is asked without, unless the user wants one."""
        if "seed" not in message.lower() or not self._sends_seed or self.option("seed"):
            return False
        self._sends_seed = False
        return True

    @property
    def _aspects(self) -> tuple[str, ...]:
        old = self.model.startswith((FIRST, PRO))
        return ASPECTS if old else (*ASPECTS, *STEEP)


def google_fault(status: int, headers: Mapping[str, str], content: bytes) -> Fault:
    """A wrong key comes as 400; an account without any share of a model is told to come back for ever."""
    if status == 400 and b"API_KEY_INVALID" in content:
        return Fault("the server does not accept the key (400)", closed=True)
    if status == 429 and b"limit: 0," in content:
        return Fault("the account has no quota for this model (429); turn on billing at the provider", closed=True)
    return barred(status, fault_of(status, headers, content))


def google_denies(status: int, content: bytes) -> bool:
    """Whether the key is wrong; Google says so with 400, or with 403 where it is of another project."""
    return status in (401, 403) or (status == 400 and b"API_KEY_INVALID" in content)


def read(data: Any) -> PictureAnswer:
    """What a reply holds: a picture, or why there is none.

    >>> blocked = {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 270}}
    >>> read(blocked).refused
    'the request was blocked (SAFETY)'
    """
    model, feedback = str(data.get("modelVersion") or ""), data.get("promptFeedback") or {}
    blocked = str(feedback.get("blockReason") or "")
    if blocked:
        why = _because("the request was blocked", blocked, feedback.get("blockReasonMessage"))
        return PictureAnswer(refused=why, model=model, tokens=_tokens(data, drawn=False))
    candidate = data["candidates"][0]
    ended = str(candidate.get("finishReason") or "")
    parts = [part for part in (candidate.get("content") or {}).get("parts") or () if isinstance(part, dict)]
    shown = [part for part in parts if not part.get("thought")]
    pictures = [inline["data"] for part in shown if (inline := part.get("inlineData") or part.get("inline_data"))]
    text = _texts(shown)
    trace = _trace(_texts(part for part in parts if part.get("thought")), text)
    if pictures:
        notes = (f"the first of {len(pictures)} pictures",) if len(pictures) > 1 else ()
        picture = from_base64(pictures[0])
        used = _tokens(data, drawn=True)
        return PictureAnswer(picture, trace, model=model, pictures=len(pictures), tokens=used, notes=notes)
    message = candidate.get("finishMessage")
    refused = _because("the picture was withheld", ended, message) if ended in WITHHELD else ""
    lacking = "" if text and ended in ("", "STOP") else _because("the model made no picture", ended, message)
    if not text and not refused and ended in ("", "STOP"):
        raise NotAnAnswer("the reply is empty")
    return PictureAnswer(None, trace, refused, lacking, model=model, pictures=0, tokens=_tokens(data, drawn=False))


def _said(**fields: Any) -> dict[str, Any] | None:
    return {name: value for name, value in fields.items() if value is not None} or None


def _because(what: str, reason: str, message: Any) -> str:
    more = f": {' '.join(message.split())[:300]}" if isinstance(message, str) and message.strip() else ""
    return f"{what} ({reason}){more}" if reason else f"{what}{more}"


def _texts(parts: Iterable[Mapping[str, Any]]) -> str:
    return "".join(str(part.get("text") or "") for part in parts).strip()


def _trace(thoughts: str, said: str) -> str:
    """What the model thought and what it said, apart."""
    return f"[thoughts]\n{thoughts}\n\n[reply]\n{said}".rstrip() if thoughts else said


def _tokens(data: Any, *, drawn: bool) -> Tokens | None:
    """What the reply says about tokens. Thoughts are paid for as text; without details the picture is all there is."""
    usage = data.get("usageMetadata")
    went, came = reported_tokens(usage, "promptTokenCount"), reported_tokens(usage, "candidatesTokenCount") or 0
    if went is None:
        return None
    image_in = min(went, _of_pictures(usage.get("promptTokensDetails")))
    details = usage.get("candidatesTokensDetails")
    image_out = min(came, _of_pictures(details)) if details else came if drawn else 0
    thoughts = reported_tokens(usage, "thoughtsTokenCount") or 0
    return Tokens(went - image_in, image_in, came - image_out + thoughts, image_out)


def _of_pictures(details: Any) -> int:
    return sum(reported_tokens(one, "tokenCount") or 0 for one in details or () if one.get("modality") == "IMAGE")

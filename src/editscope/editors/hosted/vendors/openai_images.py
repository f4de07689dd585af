"""OpenAI's images, ``openai:MODEL``: ``POST {base_url}/images/edits`` as a multipart form.

Without a picture it is ``POST {base_url}/images/generations`` with JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from editscope.editors.hosted.editor import HostedEditor, load_hosted
from editscope.editors.hosted.exchange import Exchange, FormPart
from editscope.editors.hosted.options import ServiceOption, matching, number, one_of
from editscope.editors.hosted.pictures import from_base64, from_url
from editscope.editors.hosted.prices import Tokens
from editscope.editors.hosted.service import EncodedRequest, PictureAnswer, Service
from editscope.editors.sizing import Size, fit_to
from editscope.transport.faults import Fault, barred, fault_of
from editscope.transport.messages import NotAnAnswer, reported_tokens

SIZES: tuple[Size, ...] = ((1024, 1024), (1536, 1024), (1024, 1536))
"""What the first models can make."""

ANY_SIZE = "gpt-image-2"
"""Models from this one on take any size within limits: sides in steps of 16, at most 3840, at most 3 to 1."""

OPENAI_S = ("gpt-image", "dall-e", "chatgpt-image")
"""Models that are known to make some sizes only."""

STEP, LONGEST, STEEPEST = 16, 3840, 3.0
LEAST_AREA, MOST_AREA = 655_360, 8_294_400


def load(target: str, **options: Any) -> HostedEditor:
    """The editor for ``openai:MODEL``."""
    return load_hosted(OpenAIImages, target, options)


class OpenAIImages(Service):
    """The gpt-image models, and servers that speak the same."""

    kind = "openai"
    home = "https://api.openai.com/v1"
    key_env = "OPENAI_API_KEY"
    max_images = 16
    draws = True
    options: ClassVar[dict[str, ServiceOption]] = {
        "size": matching(r"auto|closest|[1-9]\d{1,4}x[1-9]\d{1,4}", "auto, closest or WIDTHxHEIGHT"),
        "quality": one_of("auto", "low", "medium", "high"),
        "background": one_of("auto", "opaque", "transparent"),
        "input_fidelity": one_of("low", "high"),
        "output_format": one_of("png", "jpeg", "webp"),
        "output_compression": number(int, 0, 100),
        "moderation": one_of("auto", "low"),
    }

    @property
    def check_path(self) -> str:  # type: ignore[override]
        """The model's own page in the list of models."""
        return f"models/{self.settings.model}"

    async def make(self, encoded: EncodedRequest, exchange: Exchange) -> PictureAnswer:
        """One picture for one request."""
        if encoded.pictures:
            data = await exchange.post("images/edits", form=self._form(encoded))
        else:
            data = await exchange.post("images/generations", json=self._drawing(encoded))
        pictures = data.get("data") or ()
        if not pictures:
            raise NotAnAnswer("there is no picture in the reply")
        first = pictures[0]
        written, url = first.get("b64_json"), first.get("url")
        if written is None and not url:
            raise NotAnAnswer("the picture in the reply has neither b64_json nor url")
        notes = (f"the first of {len(pictures)} pictures",) if len(pictures) > 1 else ()
        return PictureAnswer(
            picture=from_base64(written) if written is not None else await from_url(url, exchange),
            model=str(data.get("model") or ""),
            pictures=len(pictures),
            tokens=_tokens(data.get("usage")),
            size=self._named_size(encoded),
            prompt=str(first.get("revised_prompt") or ""),
            notes=notes,
        )

    def grades(self, encoded: EncodedRequest | None) -> tuple[str, ...]:
        """Quality and size, then quality alone; without a size that is known, the dearer one of that quality."""
        quality = str(self.option("quality", "auto"))
        size = self._named_size(encoded)
        alone = () if quality == "auto" else (quality,)
        return (f"{quality} {size[0]}x{size[1]}", *alone) if size else alone

    def fault(self, status: int, headers: Mapping[str, str], content: bytes) -> Fault:
        """OpenAI's 403 is for organizations that are not verified and countries that are not served: for every edit."""
        fault = fault_of(status, headers, content)
        return barred(status, fault) if self.settings.base_url == self.home else fault

    def known(self, data: Any) -> bool:
        """Whether the page is that of the model."""
        return "id" in data

    def _form(self, encoded: EncodedRequest) -> list[FormPart]:
        # One file is called image, several image[]: so does OpenAI's own client, and so compatible servers expect it.
        name = "image" if len(encoded.pictures) == 1 else "image[]"
        form = [
            FormPart("model", self.settings.model),
            FormPart("prompt", encoded.request.instruction),
            FormPart("n", "1"),
        ]
        fields = {**self.settings.options, "size": self._sent_size(encoded)}
        form += [FormPart(option, str(value)) for option, value in fields.items() if value is not None]
        form += [FormPart(name, data, f"image-{number}.png") for number, data in enumerate(encoded.pictures, 1)]
        return form

    def _drawing(self, encoded: EncodedRequest) -> dict[str, Any]:
        fields = {**self.settings.options, "size": self._sent_size(encoded)}
        given = {name: value for name, value in fields.items() if value is not None and name != "input_fidelity"}
        return {"model": self.settings.model, "prompt": encoded.request.instruction, "n": 1, **given}

    def _sent_size(self, encoded: EncodedRequest) -> str | None:
        size = self._named_size(encoded)
        return self.option("size") if size is None else f"{size[0]}x{size[1]}"

    def _named_size(self, encoded: EncodedRequest | None) -> Size | None:
        """The size that is asked for, where it is not left to the model."""
        drawn = encoded is not None and encoded.canvas is not None
        wanted = str(self.option("size", "closest" if drawn else "auto"))
        if wanted == "closest":
            if drawn and not self.settings.model.rpartition("/")[2].startswith(OPENAI_S):
                return encoded.canvas if encoded else None  # compatible servers make what they are asked for
            return None if encoded is None else closest_size(self.settings.model, encoded.size)
        if wanted == "auto":
            return None
        width, _, height = wanted.partition("x")
        return int(width), int(height)


def closest_size(model: str, size: Size) -> Size:
    """The size that a model can make and that is nearest to a picture's own, in aspect ratio first.

    >>> closest_size("gpt-image-1", (1024, 576)), closest_size("gpt-image-2", (1024, 576))
    ((1536, 1024), (1088, 608))
    >>> closest_size("gpt-image-2", (512, 512)), closest_size("gpt-image-2", (4000, 1000))
    ((816, 816), (1536, 1024))
    """
    if not model.rpartition("/")[2].startswith(ANY_SIZE) or max(size) / min(size) > STEEPEST:
        return fit_to(size, sizes=SIZES).sent
    # A little inside the limits, since sides are rounded to steps.
    area = min(0.99 * MOST_AREA, max(1.01 * LEAST_AREA, size[0] * size[1]))
    sent = fit_to(size, multiple=STEP, area=round(area)).sent
    return sent if max(sent) <= LONGEST else fit_to(size, multiple=STEP, longest=LONGEST).sent


def _tokens(usage: Any) -> Tokens | None:
    """What the reply says about tokens; details where it has them, else all that goes in taken as pictures."""
    out, went = reported_tokens(usage, "output_tokens"), reported_tokens(usage, "input_tokens") or 0
    if not out:
        return None
    of_input, of_output = usage.get("input_tokens_details"), usage.get("output_tokens_details")
    text_in, text_out = reported_tokens(of_input, "text_tokens") or 0, reported_tokens(of_output, "text_tokens") or 0
    return Tokens(
        text_in=text_in,
        image_in=reported_tokens(of_input, "image_tokens") or max(0, went - text_in),
        text_out=text_out,
        image_out=reported_tokens(of_output, "image_tokens") or max(0, out - text_out),
    )

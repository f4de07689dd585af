"""Steps that ask models for pictures and videos: ``draw`` and ``animate``."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from editscope.errors import BadImage, BadInput
from editscope.factory.models.base import MadeMedia, as_picture
from editscope.factory.models.mp4 import as_video
from editscope.factory.models.threads import ThreadedModel
from editscope.factory.records import BLOB, Record
from editscope.factory.steps.base import Outcome, RecordStep, StepFailed, dropped, kept
from editscope.factory.steps.tools import Tools
from editscope.images import Pixels, load

LONGEST_SIDE = 16_384
LONGEST_S = 600.0
FASTEST = 240


class MakingStep(RecordStep):
    """What steps share that ask a model for a picture or a video and keep it as a blob.

    A model that declines drops the record; whatever else comes of no use leaves it pending. The history notes the
    model, its snapshot, and the seed, which belongs to the record: it is the same when a build goes on.
    """

    kind = "map"
    verb: ClassVar[str] = "draw"

    def __init__(self, name: str, settings: Mapping[str, Any], reads: Sequence[str] = ()) -> None:
        super().__init__(name, settings, reads)
        for needed in ("model", "into"):
            if not self.settings[needed]:
                raise BadInput(f"step {name!r} names no {needed}; write: {needed} = '…'")
        if not self.reads:
            self.reads = tuple(self.fields_read())

    @abstractmethod
    def fields_read(self) -> Sequence[str]:
        """The fields that the outcome depends on."""

    def whole(self, setting: str, most: int) -> int:
        """A setting that is a whole number from 0 on; BadInput where it is none."""
        value = int(self.settings[setting])
        if not 0 <= value <= most:
            raise BadInput(f"step {self.name!r}: {setting} is {value}; write 0 to {most:,} (0: the model chooses)")
        return value

    async def prepare(self, tools: Tools) -> None:
        """Take as many records in hand as the model bears at a time, or fewer where the plan says so."""
        found = tools.models.get(str(self.settings["model"]))
        if isinstance(found, ThreadedModel):
            planned = self.__dict__.get("at_once", found.model.at_once)
            self.at_once = max(1, min(planned, found.model.at_once))

    def model(self, tools: Tools) -> ThreadedModel:
        """The model of this step."""
        found = tools.model(str(self.settings["model"]))
        if not isinstance(found, ThreadedModel):
            raise BadInput(f"step {self.name!r}: {self.settings['model']!r} is not a model that can {self.verb}")
        return found

    def kept_media(self, made: MadeMedia, model: ThreadedModel, tools: Tools, notes: Mapping[str, Any]) -> Outcome:
        """The outcome for what a model made."""
        cost, attempts = made.cost_usd, made.attempts
        if made.status == "refused":
            return dropped(f"the model declined: {made.reason}", cost_usd=cost, attempts=attempts)
        if made.status != "ok" or not made.data:
            raise StepFailed(f"{made.status}: {made.reason}", cost, attempts)
        noted = {"model": model.spec, "snapshot": made.model, **notes, "remarks": list(made.notes)}
        field = {str(self.settings["into"]): tools.blobs.put(made.data, made.kind)}
        return kept(
            field, notes={name: value for name, value in noted.items() if value}, cost_usd=cost, attempts=attempts
        )


class DrawStep(MakingStep):
    """Let a model draw the prompt of a record.

    ``width`` and ``height`` are what is asked for; models that know some sizes only make the nearest. 0 leaves them to
    the model. The picture goes into the field ``into``.
    """

    settings_of: ClassVar = {"model": "", "prompt": "prompt", "into": "picture", "width": 0, "height": 0}
    decisive = ("model", "prompt")
    models: ClassVar = {"model": "image"}

    def __init__(self, name: str, settings: Mapping[str, Any], reads: Sequence[str] = ()) -> None:
        super().__init__(name, settings, reads)
        sides = self.whole("width", LONGEST_SIDE), self.whole("height", LONGEST_SIDE)
        if bool(sides[0]) != bool(sides[1]):
            raise BadInput(f"step {name!r} has only one of width and height; write both, or none")

    def fields_read(self) -> Sequence[str]:
        """The prompt."""
        return [str(self.settings["prompt"])]

    async def run(self, record: Record, tools: Tools) -> Outcome:
        """Draw a record's prompt."""
        model, seed = self.model(tools), tools.number(self.name, record.id)
        prompt = text_of(record, str(self.settings["prompt"]))
        width, height = self.settings["width"], self.settings["height"]
        made = await model.call(lambda painter: as_picture(painter.draw(prompt, width, height, seed)))
        return self.kept_media(made, model, tools, {"seed": seed})


class AnimateStep(MakingStep):
    """Let a model make a video that begins with the picture of a record.

    ``seconds`` and ``fps`` are what is asked for; models that know some lengths only make the nearest. 0 leaves them
    to the model. The video goes into the field ``into`` as an MP4 file.
    """

    settings_of: ClassVar = {
        "model": "",
        "picture": "picture",
        "prompt": "motion",
        "into": "video",
        "seconds": 0.0,
        "fps": 0,
    }
    decisive = ("model", "picture", "prompt")
    models: ClassVar = {"model": "video"}
    verb: ClassVar[str] = "animate"

    def __init__(self, name: str, settings: Mapping[str, Any], reads: Sequence[str] = ()) -> None:
        super().__init__(name, settings, reads)
        self.whole("fps", FASTEST)
        if not 0 <= self.settings["seconds"] <= LONGEST_S:
            raise BadInput(f"step {name!r}: seconds is {self.settings['seconds']}; write 0 to {LONGEST_S:g}")

    def fields_read(self) -> Sequence[str]:
        """The picture and the prompt."""
        return [str(self.settings["picture"]), str(self.settings["prompt"])]

    async def run(self, record: Record, tools: Tools) -> Outcome:
        """Animate a record's picture."""
        model, seed = self.model(tools), tools.number(self.name, record.id)
        prompt = text_of(record, str(self.settings["prompt"]))
        blob = blobs_of(record, str(self.settings["picture"]), self.name)[0]
        made = await model.call(partial(self._animated, tools, blob, prompt, seed))
        return self.kept_media(made, model, tools, {"seed": seed})

    def _animated(self, tools: Tools, blob: Mapping[str, Any], prompt: str, seed: int, animator: Any) -> MadeMedia:
        from PIL import Image

        picture = Image.fromarray(pixels_of(tools, blob))
        seconds, fps = float(self.settings["seconds"]), int(self.settings["fps"])
        return as_video(animator.animate(picture, prompt, seed, seconds, fps), fps or animator.fps)


def text_of(record: Record, field: str) -> str:
    """The text of a field; StepFailed where there is none."""
    value = record.fields.get(field)
    if not isinstance(value, str) or not value.strip():
        raise StepFailed(f"the record has no text in {field!r}")
    return value


def blobs_of(record: Record, field: str, step: str) -> list[Mapping[str, Any]]:
    """The pictures of a field: one, or a list of them; StepFailed where there is none."""
    value = record.fields.get(field)
    blobs: list[Any] = value if isinstance(value, list) else [value]
    if not blobs or not all(isinstance(blob, Mapping) and BLOB in blob for blob in blobs):
        raise StepFailed(f"the record has no picture in {field!r}, which step {step!r} needs")
    return blobs


def pixels_of(tools: Tools, blob: Mapping[str, Any]) -> Pixels:
    """The pixels of a picture in a record; StepFailed where it cannot be decoded."""
    try:
        return load(tools.blobs.get(blob))
    except BadImage as error:
        raise StepFailed(f"the picture of the record cannot be decoded: {error}") from error

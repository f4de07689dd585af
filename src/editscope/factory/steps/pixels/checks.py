"""Filters over pixels: pairs in which nothing changed or the camera moved, faulty frames, edits that spill over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from editscope.errors import BadInput
from editscope.factory.checks.camera import camera_motion
from editscope.factory.checks.change import changed_share
from editscope.factory.checks.faults import frame_fault
from editscope.factory.checks.stability import AREAS, stability
from editscope.factory.records import Record
from editscope.factory.steps.base import Outcome, dropped, kept
from editscope.factory.steps.pixels.base import PairStep, PixelStep, picture
from editscope.factory.steps.tools import Tools
from editscope.images import Pixels


class StaticPairStep(PairStep):
    """Pairs in which something changed: at least ``least_share`` of the pixels, by more than noise.

    Adds ``changed_share``.
    """

    settings_of: ClassVar = {**PairStep.settings_of, "least_share": 0.002}
    decisive = ("least_share",)

    def __init__(self, name: str, settings: Mapping[str, Any], reads: Sequence[str] = ()) -> None:
        super().__init__(name, settings, reads)
        self.at_least("least_share", 0, 1)

    def compare(self, before: Pixels, after: Pixels, record: Record) -> Outcome:
        """The pair, or that nothing changed."""
        found = {"changed_share": round(changed_share(before, after), 5)}
        if found["changed_share"] < self.settings["least_share"]:
            return dropped(f"nothing changed: {100 * found['changed_share']:.2f} % of the pixels", notes=found)
        return kept(found)


class CameraMotionStep(PairStep):
    """Pairs in which the camera stands: it moves at most ``most_shift`` percent of the longer side.

    Adds ``shift_px``, ``shift_percent``, ``zoom`` and ``rotation_deg``. Pictures with detail but none in common are
    dropped; ``keep_unmatched`` keeps them.
    """

    settings_of: ClassVar = {**PairStep.settings_of, "most_shift": 0.6, "keep_unmatched": False}
    decisive = ("most_shift", "keep_unmatched")

    def __init__(self, name: str, settings: Mapping[str, Any], reads: Sequence[str] = ()) -> None:
        super().__init__(name, settings, reads)
        self.at_least("most_shift", 0, 100)

    def compare(self, before: Pixels, after: Pixels, record: Record) -> Outcome:
        """The pair, or how far the camera moved."""
        motion = camera_motion(before, after)
        if not motion.matched:
            return kept() if self.settings["keep_unmatched"] else dropped("nothing in common")
        found = {
            "shift_px": motion.shift_px, "shift_percent": motion.share, "zoom": motion.zoom,
            "rotation_deg": motion.rotation_deg,
        }  # fmt: skip
        if motion.share > self.settings["most_shift"]:
            return dropped(f"the camera moves: {motion.shift_px:.1f} px", notes=found)
        return kept(found)


class BlankFrameStep(PixelStep):
    """Pictures that show something: not one color, black, white, noise, or broken by missing data.

    Missing data are found by what one picture can show: flat color or repeated rows from an edge of blocks on, blocks
    that do not fit. Frozen parts, shifted strips and well concealed damage look like pictures; the steps that decode
    videos drop those that a decoder reports, as broken videos.
    """

    kind = "filter"
    fields_of: ClassVar = ("pictures",)
    settings_of: ClassVar = {"pictures": ["before", "after"]}
    decisive = ("pictures",)

    def __init__(self, name: str, settings: Mapping[str, Any], reads: Sequence[str] = ()) -> None:
        super().__init__(name, settings, reads)
        if not self.settings["pictures"]:
            raise BadInput(f"step {name!r}: pictures is empty; name fields, such as ['picture']")

    def look(self, record: Record, tools: Tools) -> Outcome:
        """The record, or what is wrong with which picture."""
        for field in self.settings["pictures"]:
            fault = frame_fault(picture(record, field, tools))
            if fault:
                return dropped(f"{fault.partition(':')[0]}: {field}", notes={"fault": fault, "field": field})
        return kept()


class StableOutsideStep(PairStep):
    """Pairs that stay as they are outside of the edit.

    The edit is the field ``regions`` names, where a record has it, else the largest ``areas`` places of change. It
    covers at most ``most_area`` of the picture; the rest has at least ``least_psnr`` decibels and keeps at least
    ``least_detail`` of its fine detail. Adds ``outside_psnr``, ``outside_detail`` and ``edited_share``.
    """

    settings_of: ClassVar = {
        **PairStep.settings_of, "regions": "regions", "areas": AREAS, "most_area": 0.6, "least_psnr": 36.0,
        "least_detail": 0.6,
    }  # fmt: skip
    decisive = ("most_area", "least_psnr", "least_detail", "areas")

    def __init__(self, name: str, settings: Mapping[str, Any], reads: Sequence[str] = ()) -> None:
        super().__init__(name, settings, reads)
        self.at_least("areas", 1)
        self.at_least("most_area", 0, 1)
        self.at_least("least_psnr", 0)
        self.at_least("least_detail", 0, 1)

    def fields_read(self) -> tuple[str, ...]:
        """Both pictures, and the regions."""
        return (*super().fields_read(), *([self.settings["regions"]] if self.settings["regions"] else []))

    def compare(self, before: Pixels, after: Pixels, record: Record) -> Outcome:
        """The pair, or how much changed beside the edit."""
        regions = record.fields.get(self.settings["regions"]) or ()
        measured = stability(before, after, regions, self.settings["areas"])
        found = {
            "outside_psnr": measured.psnr, "outside_detail": measured.detail, "edited_share": measured.inside,
        }  # fmt: skip
        if not regions and measured.inside > self.settings["most_area"]:
            return dropped(f"changed everywhere: {100 * measured.inside:.0f} % of the picture", notes=found)
        if measured.psnr < self.settings["least_psnr"]:
            return dropped(f"changed beside the edit: {measured.psnr:.1f} dB", notes=found)
        if measured.detail < self.settings["least_detail"]:
            return dropped(f"detail lost beside the edit: {100 * measured.detail:.0f} % stayed", notes=found)
        return kept(found)

"""Parts of the studio, in the order of its menu. A part is a router, with an entry in the menu or without one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import cast

from fastapi import APIRouter


@dataclass(frozen=True, slots=True)
class StudioPart:
    """A part: its name, the module whose ``router`` answers for it, and its entry in the menu."""

    name: str
    module: str
    label: str = ""
    address: str = ""

    @property
    def router(self) -> APIRouter:
        """What answers the addresses of the part."""
        return cast(APIRouter, import_module(f"editscope.studio.{self.module}").router)


PARTS: Sequence[StudioPart] = (
    StudioPart("rating", "studies.rater_pages"),  # first, since its addresses are asked for most often
    StudioPart("assets", "assets"),
    StudioPart("pictures", "pictures.routes"),
    StudioPart("browse", "browse.routes", "Runs", "/"),
    StudioPart("studies", "studies.admin_pages", "Studies", "/studies"),
    StudioPart("annotate", "annotate.routes", "Annotate", "/annotate"),
    StudioPart("review", "review.routes", "Review", "/review"),
)

"""Models that animate a picture by their specs: hosted, through diffusers, or a class of yours."""

from __future__ import annotations

from collections.abc import Mapping

from editscope.editors.base import EditLimits
from editscope.editors.spec import parse_spec
from editscope.errors import unknown
from editscope.factory.models.base import MediaModel
from editscope.factory.models.python_class import load_own
from editscope.factory.models.videos.client import load_service
from editscope.factory.models.videos.openai_videos import OpenAIVideos
from editscope.factory.models.videos.seedance import Seedance
from editscope.factory.models.videos.service import VideoService
from editscope.factory.models.videos.veo import Veo
from editscope.python_class import KIND

HOSTED: Mapping[str, type[VideoService]] = {"openai": OpenAIVideos, "gemini": Veo, "ark": Seedance}
DIFFUSERS = "diffusers"
ROLE = "video model"


def load_videos(text: str, limits: EditLimits = EditLimits()) -> MediaModel:
    """The model that a spec names: ``openai:sora-2``, ``diffusers:FOLDER``, ``python:module:Class``."""
    spec = parse_spec(text)
    model: MediaModel
    if spec.inner is None and spec.kind in HOSTED:
        model = load_service(HOSTED[spec.kind], spec.target, spec.options)
    elif spec.inner is None and spec.kind == DIFFUSERS:
        from editscope.factory.models.local.videos import load_local_videos

        model = load_local_videos(spec.target, spec.options, text)
    elif spec.inner is None and spec.kind == KIND:
        model = load_own("video", spec.target, spec.options, text)
    else:
        raise unknown(f"kind of {ROLE}", spec.kind, (*HOSTED, DIFFUSERS, KIND))
    model.limit(limits)
    return model

"""Tiny random pipelines of diffusers draw and animate in this process."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editscope.errors import BadInput
from editscope.factory.engine.build import Build
from editscope.factory.models.loading import load_models
from editscope.factory.models.local.families import IMAGES, VIDEOS, generation_family
from editscope.factory.plan import BuildPlan, plan_from
from editscope.factory.records import Fields
from editscope.factory.sources.base import RecordSource
from editscope.factory.steps.tools import Tools
from editscope.images import load
from support.factory.made_videos import frames_of
from support.models.tiny_generators import save_flux, save_wan
from support.models.tiny_pipelines import save_kontext

pytestmark = pytest.mark.slow


class SceneSource(RecordSource):
    """Two scenes and what moves in them."""

    def records(self, tools: Tools, start: int = 0) -> Iterator[Fields]:
        scenes = [{"prompt": "a red cup", "motion": "it falls"}, {"prompt": "a lamp", "motion": "it goes out"}]
        yield from scenes[start:]


def scene_plan(folder: Path, models: dict[str, str], *steps: dict[str, Any]) -> BuildPlan:
    source = {"use": "python:test_making_locally:SceneSource"}
    return plan_from({"name": "made", "source": source, "models": models, "steps": list(steps)}, "plan.toml", folder)


def run(plan: BuildPlan, folder: Path, limit: int | None = None) -> tuple[Any, list[Any], Build]:
    with Build(plan, folder, models=load_models(plan), limit=limit) as build:
        result = build.run()
        return result, list(build.records()), build


DRAW = {"name": "paint", "use": "draw", "model": "painter", "width": 70, "height": 48}
ANIMATE = {"name": "move", "use": "animate", "model": "animator", "seconds": 0.5}


def test_pictures_are_drawn_animated_and_edited_and_a_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    models = {
        "painter": f"diffusers:{save_flux(tmp_path / 'flux')}?steps=2",
        "animator": f"diffusers:{save_wan(tmp_path / 'wan')}?steps=2&max_area=4096",
        "editor": f"diffusers:{save_kontext(tmp_path / 'kontext')}?steps=1&max_area=4096",
    }
    edit = {"name": "change", "use": "edit", "model": "editor", "instruction": "motion"}
    plan = scene_plan(tmp_path, models, DRAW, ANIMATE, edit)
    result, records, build = run(plan, tmp_path / "build")
    assert result.records == 2 and result.pending == 0
    pictures = [load(build.tools.blobs.get(record.fields["picture"])) for record in records]
    assert [picture.shape for picture in pictures] == [(48, 64, 3)] * 2 and not np.array_equal(pictures[0], pictures[1])
    for record in records:
        frames = frames_of(build.tools.blobs.get(record.fields["video"]))
        assert len(frames) == 9 and frames[0].shape[0] * frames[0].shape[1] <= 5000  # 1 + 4 · 2 of 16 a second
        assert dict(record.history)["move"]["snapshot"].startswith("wan@")
    _, again, _ = run(scene_plan(tmp_path, models, DRAW, ANIMATE), tmp_path / "again", limit=1)
    for name in ("picture", "video"):
        assert again[0].fields[name] == records[0].fields[name]


def test_settings_that_a_pipeline_cannot_have_are_said_before_a_record_is_made(tmp_path: Path) -> None:
    flux = save_flux(tmp_path / "flux")
    for spec, message in (
        (f"diffusers:{flux}?batch=2", "batch is an option of editors"),
        (f"diffusers:{flux}?steps=none", "image model diffusers:.*steps"),
        (f"diffusers:{tmp_path / 'none'}", "image model diffusers:.*there is no such folder"),
    ):
        with pytest.raises(BadInput, match=message):
            load_models(scene_plan(tmp_path, {"painter": spec}, DRAW))
    with pytest.raises(BadInput, match="takes no image; use another model"):
        run(
            scene_plan(
                tmp_path, {"painter": f"diffusers:{flux}?steps=1", "animator": f"diffusers:{flux}"}, DRAW, ANIMATE
            ),
            tmp_path / "build",
        )
    with pytest.raises(BadInput, match=r"call\.prompt is set for each record"):
        run(scene_plan(tmp_path, {"painter": f"diffusers:{flux}?call.prompt=x"}, DRAW), tmp_path / "build-call")


def test_wan_without_ftfy_says_what_to_install(tmp_path: Path) -> None:
    if find_spec("ftfy") is not None:
        pytest.skip("ftfy is installed")
    plan = scene_plan(tmp_path, {"animator": f"diffusers:{save_wan(tmp_path / 'wan')}"}, ANIMATE)
    with pytest.raises(BadInput, match=r"Wan 2\.2 I2V needs ftfy, which is not installed: pip install ftfy"):
        run(plan, tmp_path / "build")


@pytest.mark.parametrize(
    ("pipeline", "name", "known", "family", "steps"),
    [
        ("FluxPipeline", "black-forest-labs/FLUX.1-Krea-dev", IMAGES, "FLUX.1 Krea", 28),
        ("FluxPipeline", "black-forest-labs/FLUX.1-schnell", IMAGES, "FLUX.1 schnell", 4),
        ("WanImageToVideoPipeline", "Wan-AI/Wan2.2-I2V-A14B-Diffusers", VIDEOS, "Wan 2.2 I2V", 40),
        ("WanImageToVideoPipeline", "Wan-AI/Wan2.1-I2V-14B-480P-Diffusers", VIDEOS, "Wan 2.1 I2V", 50),
        ("Flux2Pipeline", "black-forest-labs/FLUX.2-dev", IMAGES, "FLUX.2 dev", 50),
        ("SomePipeline", "some/model", IMAGES, "SomePipeline", None),
    ],
)
def test_published_settings_follow_the_name_of_the_checkpoint(
    pipeline: str, name: str, known: Any, family: str, steps: int | None
) -> None:
    found = generation_family(pipeline, [name], known)
    assert (found.name, found.steps) == (family, steps)

"""The table of pipeline families against the installed diffusers, and the sizes that pictures are sent in."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from editscope.cases import Edit
from editscope.editors import Request, load_editor
from editscope.editors.diffusion.calling import PipelineInput, call_plan
from editscope.editors.diffusion.families import FAMILIES, family_of
from editscope.editors.diffusion.options import read_options
from editscope.editors.diffusion.outputs import read_output
from editscope.errors import BadInput
from editscope.images import Pixels
from support.models.tiny_pipelines import save_chronoedit, save_longcat
from support.places import DOCS

pytestmark = pytest.mark.slow


def kind(name: str) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRANSFORMERS_VERBOSITY", "error")
        return getattr(import_module("diffusers"), name)


def asked_of(
    name: str,
    options: Mapping[str, Any] = MappingProxyType({}),
    *,
    pictures: int = 1,
    count: int = 1,
    of: tuple[int, int] = (1024, 576),
) -> dict[str, Any]:
    """The arguments that a pipeline of this class would be called with, for pictures of a size."""
    plan = call_plan("model", kind(name), read_options("model", options), 16)
    asked = [PipelineInput((Image.new("RGB", of),) * pictures, f"edit {number}", number) for number in range(count)]
    return plan.arguments(asked, plan.sizing.fit(of).sent, ["generator"] * count)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_every_family_is_in_the_installed_diffusers_and_takes_what_the_table_says(family: Any) -> None:
    for name in family.pipelines:
        known = inspect.signature(kind(name).__call__).parameters
        assert {family.image, "prompt", "generator", *family.guidance, *family.call} <= set(known)
        assert family.negative is None or "negative_prompt" in known
        assert family.size.own or not family.size.listed or "height" in known
        if family.source == "the pipeline's own":
            assert family.steps == known["num_inference_steps"].default
            assert all(known[argument].default == value for argument, value in family.guidance.items())


@pytest.mark.parametrize(
    ("name", "steps", "guidance"),
    [
        ("QwenImageEditPlusPipeline", 50, {"true_cfg_scale": 4.0}),
        ("LongCatImageEditPipeline", 50, {"guidance_scale": 4.0}),
        ("FluxKontextPipeline", 28, {"guidance_scale": 3.5}),
        ("Flux2Pipeline", 50, {"guidance_scale": 4.0}),
        ("Flux2KleinPipeline", 50, {"guidance_scale": 4.0}),
        ("StableDiffusionInstructPix2PixPipeline", 100, {"guidance_scale": 7.5, "image_guidance_scale": 1.5}),
    ],
)
def test_the_settings_of_paintbench_are_the_defaults(name: str, steps: int, guidance: dict[str, float]) -> None:
    call = asked_of(name)
    assert call["num_inference_steps"] == steps
    assert guidance.items() <= call.items()
    family = family_of(name)
    assert family is not None and family.source == "PaintBench, Table 9"


def test_guidance_goes_to_the_argument_that_the_family_uses() -> None:
    assert asked_of("QwenImageEditPlusPipeline", {"guidance": 2})["true_cfg_scale"] == 2
    assert asked_of("FluxKontextPipeline", {"guidance": 2})["guidance_scale"] == 2
    call = asked_of("OmniGenPipeline", {"guidance": 2, "image_guidance": 3})
    assert (call["guidance_scale"], call["img_guidance_scale"]) == (2, 3)
    assert asked_of("QwenImageEditPlusPipeline", {"negative_prompt": "blur"})["negative_prompt"] == "blur"
    assert asked_of("QwenImageEditPlusPipeline")["negative_prompt"] == " "  # without one there would be no guidance


def test_kontext_works_at_the_sizes_it_was_trained_at_or_at_a_smaller_area() -> None:
    call = asked_of("FluxKontextPipeline")
    assert (call["width"], call["height"], call["max_area"]) == (1392, 752, 1392 * 752)
    assert "_auto_resize" not in call
    small = asked_of("FluxKontextPipeline", {"max_area": 256 * 256})
    assert (small["width"], small["height"], small["_auto_resize"]) == (336, 192, False)
    fixed = asked_of("FluxKontextPipeline", {"size": "512x288"})
    assert (fixed["width"], fixed["height"], fixed["max_area"]) == (512, 288, 512 * 288)


@pytest.mark.parametrize(
    ("name", "size", "sent"),
    [
        ("QwenImageEditPlusPipeline", (1024, 576), (1376, 768)),
        ("QwenImageEditPlusPipeline", (256, 256), (1024, 1024)),
        ("Flux2KleinPipeline", (1024, 576), (1024, 576)),
        ("Flux2KleinPipeline", (500, 300), (496, 304)),
        ("Flux2Pipeline", (2048, 2048), (1024, 1024)),
        ("ChronoEditPipeline", (1024, 1024), (960, 960)),
        ("StableDiffusionXLInstructPix2PixPipeline", (500, 300), (504, 304)),
    ],
)
def test_sizes_are_snapped_to_what_the_model_wants(name: str, size: tuple[int, int], sent: tuple[int, int]) -> None:
    call = asked_of(name, of=size)
    assert (call["width"], call["height"]) == sent


def test_pipelines_that_choose_the_size_are_not_told_one() -> None:
    assert not {"width", "height"} & set(asked_of("LongCatImageEditPipeline"))
    with pytest.raises(BadInput, match="chooses the size of an edit itself; leave out max_area"):
        asked_of("LongCatImageEditPipeline", {"max_area": 65536})
    with pytest.raises(BadInput, match="needs multiples of 32, not 1000x1000; write 992x992"):
        asked_of("QwenImageEditPlusPipeline", {"size": "1000x1000"})


def test_several_pictures_and_several_edits_are_put_as_each_pipeline_wants_them() -> None:
    assert isinstance(asked_of("FluxKontextPipeline")["image"], Image.Image)
    assert len(asked_of("Flux2KleinPipeline", pictures=3)["image"]) == 3
    both = asked_of("StableDiffusionInstructPix2PixPipeline", {"negative_prompt": "blur"}, count=2)
    assert [len(both[name]) for name in ("image", "prompt", "generator", "negative_prompt")] == [2, 2, 2, 2]
    omnigen = asked_of("OmniGenPipeline", pictures=2)
    assert omnigen["prompt"] == "<img><|image_1|></img> <img><|image_2|></img> edit 0"
    assert len(omnigen["input_images"]) == 2


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("StableDiffusionPipeline", "takes no picture to edit"),
        ("FluxControlPipeline", "takes no picture to edit"),
        ("DDPMPipeline", "takes no prompt"),
        ("MarigoldDepthPipeline", "takes no prompt"),
        ("FluxInpaintPipeline", "needs a mask"),
        ("StableDiffusionInpaintPipeline", "needs a mask"),
    ],
)
def test_pipelines_that_do_not_edit_by_instruction_say_why(name: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        asked_of(name)


def test_arguments_that_belong_to_an_edit_cannot_be_set_for_all() -> None:
    with pytest.raises(BadInput, match=r"call\.prompt is set for each edit; leave it out"):
        asked_of("FluxKontextPipeline", {"call.prompt": "x"})
    with pytest.raises(BadInput, match="'max_sequence_lenght'; did you mean 'max_sequence_length'"):
        asked_of("FluxKontextPipeline", {"call.max_sequence_lenght": 256})


@pytest.fixture
def one_thread() -> Iterator[None]:
    torch = import_module("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def made(folder: Path, options: str) -> Pixels:
    picture = np.full((96, 128, 3), 200, np.uint8)
    picture[20:80, 10:60] = (240, 40, 30)
    editor = load_editor(f"diffusers:{folder}?{options}")
    editor.check()
    editor.load()
    edit = editor.edit(Request("case", (picture,), "Make the box green.", 1))
    assert isinstance(edit, Edit) and isinstance(edit.image, np.ndarray), edit
    return edit.image


@pytest.mark.usefixtures("one_thread")
def test_longcat_makes_an_edit_at_the_size_it_chooses_and_it_is_mapped_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = "diffusers.pipelines.longcat_image.pipeline_longcat_image_edit"
    own = import_module(place).calculate_dimensions
    monkeypatch.setattr(f"{place}.calculate_dimensions", lambda _, ratio: own(160 * 160, ratio))
    edit = made(save_longcat(tmp_path / "longcat"), "steps=1")
    assert edit.shape == (96, 128, 3) and edit.std() > 5


@pytest.mark.usefixtures("one_thread")
def test_chronoedit_makes_an_edit_and_needs_a_package_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = save_chronoedit(tmp_path / "chronoedit")
    if find_spec("ftfy") is None:
        with pytest.raises(BadInput, match="ChronoEdit needs ftfy, which is not installed: pip install ftfy"):
            made(folder, "steps=1")
        (tmp_path / "ftfy.py").write_text("def fix_text(text): return text\n")
        monkeypatch.syspath_prepend(tmp_path)
        place = "diffusers.pipelines.chronoedit.pipeline_chronoedit.ftfy"
        monkeypatch.setattr(place, import_module("ftfy"), raising=False)
    edit = made(folder, "steps=2&max_area=16384")
    assert edit.shape == (96, 128, 3) and edit.std() > 5


def test_of_a_film_the_last_frame_is_the_edit() -> None:
    film = np.zeros((2, 5, 4, 6, 3))
    film[0, -1], film[1, -1] = 0.25, 1.0
    first, second = read_output(SimpleNamespace(frames=film), 2)
    assert first.pixels is not None and second.pixels is not None
    assert first.pixels.shape == (4, 6, 3)
    assert (int(first.pixels[0, 0, 0]), int(second.pixels[0, 0, 0])) == (64, 255)
    frames = [[Image.new("RGB", (6, 4)), Image.new("RGB", (6, 4), "white")]]
    (last,) = read_output(SimpleNamespace(frames=frames), 1)
    assert last.pixels is not None and last.pixels.min() == 255


def test_transparent_pictures_are_put_on_white() -> None:
    clear = np.zeros((1, 4, 4, 4))
    (given,) = read_output(SimpleNamespace(images=clear), 1)
    assert given.pixels is not None and given.pixels.shape == (4, 4, 3) and given.pixels.min() == 255


def test_the_documentation_says_the_same_as_the_table() -> None:
    page = (DOCS / "diffusers.md").read_text(encoding="utf-8")
    rows = {cells[2].strip(" `"): cells for cells in (line.split("|") for line in page.splitlines()) if len(cells) == 9}
    for family in FAMILIES:
        for pipeline in family.pipelines:
            _, name, _, steps, guidance, source, pictures, together, _ = rows[pipeline]
            assert name.strip().startswith(family.name) and int(steps) == family.steps
            assert all(f"{value:g}" in guidance for value in family.guidance.values())
            assert source.strip() == ("PaintBench" if family.source.startswith("PaintBench") else "pipeline")
            assert (str(family.pictures) in pictures) or (family.pictures is None and "any" in pictures)
            assert together.strip() == ("yes" if family.together else "no")

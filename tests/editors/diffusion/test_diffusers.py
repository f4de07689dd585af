"""Editing pipelines of diffusers: tiny random ones, saved and loaded as real ones are, that make edits of cases."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import editscope as es
from editscope.cases import Edit
from editscope.editors import Request, load_editor
from editscope.editors.diffusion import DiffusersEditor
from editscope.editors.diffusion.options import read_options
from editscope.images import Pixels, load
from support.models.tiny_pipelines import TINY, save_lora

pytestmark = pytest.mark.slow

QUICK: dict[str, str] = {
    "kontext": "steps=2&max_area=16384",
    "pix2pix": "steps=2",
    "klein": "steps=2",
    "qwen_plus": "steps=1&max_area=16384&negative_prompt=",
}
"""Few steps at a small size, for each family."""


@pytest.fixture(scope="module", autouse=True)
def small() -> Iterator[None]:
    """One thread; and Qwen's pipeline, which sees pictures at a megapixel whatever the size of the edit, sees less."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("diffusers.pipelines.qwenimage.pipeline_qwenimage_edit_plus.VAE_IMAGE_SIZE", 128 * 128)
        patch.setenv("OMP_NUM_THREADS", "1")
        yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    root, made = tmp_path_factory.mktemp("pipelines"), dict[str, Path]()

    def saved(name: str) -> Path:
        if name not in made:
            made[name] = TINY[name](root / name)
        return made[name]

    return saved


@pytest.fixture(scope="module")
def editors(models: Callable[[str], Path]) -> Callable[[str], es.Editor]:
    made: dict[str, es.Editor] = {}

    def ready(name: str) -> es.Editor:
        if name not in made:
            made[name] = load_editor(f"diffusers:{models(name)}?{QUICK[name]}")
            made[name].check()
            made[name].load()
        return made[name]

    return ready


def scene(width: int = 128, height: int = 128, shift: int = 0) -> Pixels:
    picture = np.full((height, width, 3), 200, np.uint8)
    picture[20 + shift : 80 + shift, 10:60] = (240, 40, 30)
    picture[:, width - 30 :] = (20, 90, 220)
    return picture


def asked(seed: int = 1, words: str = "Make the red box green.", picture: Pixels | None = None) -> Request:
    return Request(f"case/{seed}", (scene() if picture is None else picture,), words, seed)


def made_by(editor: es.Editor, request: Request) -> Pixels:
    edit = editor.edit(request)
    assert isinstance(edit, Edit) and edit.status == "ok", edit
    assert isinstance(edit.image, np.ndarray)
    return edit.image


def in_this_process(spec_target: Path, options: str) -> es.Editor:
    """An editor that a run cannot send to another process, which spares it a second start of PyTorch."""
    given = {name: int(value) if value.isdigit() else value for name, value in _pairs(options)}

    class Here(DiffusersEditor):
        def __reduce__(self) -> Any:
            raise TypeError("stays here")

    return Here(str(spec_target), read_options(str(spec_target), given))


def _pairs(options: str) -> list[tuple[str, str]]:
    return [(name, value) for name, _, value in (part.partition("=") for part in options.split("&"))]


@pytest.mark.parametrize("name", TINY)
def test_a_seed_gives_the_same_edit_and_another_seed_another(name: str, editors: Callable[[str], es.Editor]) -> None:
    first = made_by(editors(name), asked(1))
    assert first.shape == (128, 128, 3)
    assert np.array_equal(first, made_by(editors(name), asked(1)))
    assert (first != made_by(editors(name), asked(2))).mean() > 0.5


@pytest.mark.parametrize("name", TINY)
def test_the_edit_depends_on_the_instruction_and_on_the_picture(name: str, editors: Callable[[str], es.Editor]) -> None:
    first = made_by(editors(name), asked())
    assert (first != made_by(editors(name), asked(words="Remove everything."))).mean() > 0.05
    assert (first != made_by(editors(name), asked(picture=scene(shift=30)))).mean() > 0.05


@pytest.mark.parametrize("name", ["klein", "pix2pix", "qwen_plus"])
def test_paintbench_cases_are_edited_and_scored(name: str, models: Callable[[str], Path], tmp_path: Path) -> None:
    editor = in_this_process(models(name), QUICK[name])
    suite = es.load_suite("paintbench", tasks="border,removal", canvas="128x128")
    run = es.run(suite, editor, out=tmp_path / "run", limit=2, jobs=1, progress=False)
    coverage = json.loads((run.path / "summary.json").read_text())["coverage"]
    assert coverage == {"ok": 2}
    lines = [json.loads(line) for line in (run.path / "journal.jsonl").read_text().splitlines()]
    edits = [line for line in lines if line["step"] == "edit"]
    assert all(line["size"] == [128, 128] and line["latency_s"] > 0 for line in edits)
    assert {line["model"].partition("@")[0] for line in edits} == {name}


def test_another_process_makes_the_same_edits_of_paintbench_byte_for_byte(
    models: Callable[[str], Path], tmp_path: Path
) -> None:
    suite = es.load_suite("paintbench", tasks="border,removal", canvas="128x128")
    spec = f"diffusers:{models('kontext')}?{QUICK['kontext']}"
    there = es.run(suite, spec, out=tmp_path / "there", limit=2, jobs=1, progress=False)
    here = es.run(
        suite,
        in_this_process(models("kontext"), QUICK["kontext"]),
        out=tmp_path / "here",
        limit=2,
        jobs=1,
        progress=False,
    )
    made = sorted(path.relative_to(there.path) for path in (there.path / "images").rglob("*.png"))
    assert len(made) == 2
    assert all((there.path / one).read_bytes() == (here.path / one).read_bytes() for one in made)
    assert json.loads((there.path / "run.json").read_text())["editor"]["spec"] == spec


@pytest.mark.parametrize("name", TINY)
def test_lora_weights_change_the_edit_by_their_scale(
    name: str, models: Callable[[str], Path], editors: Callable[[str], es.Editor], tmp_path: Path
) -> None:
    lora = save_lora(tmp_path / "style", models(name))
    request = asked()
    plain = made_by(editors(name), request)
    spec = f"diffusers:{models(name)}?{QUICK[name]}&lora={lora}"
    styled = load_editor(spec)
    styled.load()
    assert styled.name == f"{name}+style"
    changed = made_by(styled, request)
    assert (changed != plain).mean() > 0.2
    without = load_editor(f"{spec}&lora_scale=0")
    without.load()
    assert np.array_equal(made_by(without, request), plain)


def test_lora_weights_can_be_a_file_be_several_and_be_fused(
    models: Callable[[str], Path], editors: Callable[[str], es.Editor], tmp_path: Path
) -> None:
    first, second = (save_lora(tmp_path / f"lora{seed}", models("kontext"), seed) for seed in (1, 2))
    (file,) = first.glob("*.safetensors")
    spec = f"diffusers:{models('kontext')}?{QUICK['kontext']}"

    def edit(options: str) -> Pixels:
        editor = load_editor(f"{spec}&{options}")
        editor.load()
        return made_by(editor, asked())

    one = edit(f"lora={first}")
    assert np.array_equal(one, edit(f"lora={file}"))
    assert np.array_equal(one, edit(f"lora={first}&lora_weight={file.name}"))
    both = edit(f"lora={first},{second}&lora_scale=1,0.5")
    assert (both != one).mean() > 0.05
    fused = edit(f"lora={first}&fuse=true")
    assert np.abs(fused.astype(int) - one).max() <= 2  # the same sums in another order


@pytest.mark.parametrize("name", ["kontext", "pix2pix"])
def test_edits_in_one_call_are_those_of_one_by_one(name: str, models: Callable[[str], Path]) -> None:
    """With 64 bits rounding does not reach the 8 of a picture: every bit agrees. With 32 it reaches a few last ones."""
    requests = [
        asked(1),
        asked(2, "Short.", scene(shift=20)),
        asked(3, picture=scene(96)),
        asked(4, "A longer instruction, so that prompts of one call differ in length."),
    ]
    for precision, most in (("fp64", 0), ("fp32", 1)):
        editor = load_editor(f"diffusers:{models(name)}?{QUICK[name]}&batch=3&dtype={precision}")
        editor.load()
        together = [edit.image for edit in editor.edit_batch(requests) if isinstance(edit, Edit)]
        alone = [made_by(editor, request) for request in requests]
        differences = [np.abs(load(a).astype(int) - b) for a, b in zip(together, alone, strict=True)]  # type: ignore[arg-type]
        assert max(int(one.max()) for one in differences) <= most
        assert max(float((one > 0).mean()) for one in differences) < 0.01


@pytest.mark.parametrize(("name", "why"), [("klein", "would share their pictures"), ("qwen_plus", "more than one")])
def test_pipelines_that_make_one_edit_in_a_call_say_so(name: str, why: str, models: Callable[[str], Path]) -> None:
    with pytest.raises(es.EditscopeError, match=f"makes one edit per call.*{why}.*leave out batch=2"):
        load_editor(f"diffusers:{models(name)}?batch=2")


@pytest.mark.parametrize("name", ["klein", "qwen_plus"])
def test_they_still_take_several_requests_at_once(name: str, editors: Callable[[str], es.Editor]) -> None:
    requests = [asked(1), asked(2, "Short.", scene(shift=20))]
    for edit, request in zip(editors(name).edit_batch(requests), requests, strict=True):
        assert isinstance(edit, Edit) and isinstance(edit.image, np.ndarray)
        assert np.array_equal(edit.image, made_by(editors(name), request))


def test_several_pictures_go_where_the_pipeline_takes_them(editors: Callable[[str], es.Editor]) -> None:
    request = Request("two", (scene(), scene(96, 64, shift=-15)), "Put the first into the second.", 3)
    klein = editors("klein")
    assert klein.max_images == 10
    two = made_by(klein, request)
    assert two.shape == (128, 128, 3)  # the size of the first
    assert (two != made_by(klein, asked(3, "Put the first into the second."))).mean() > 0.05
    pix2pix = editors("pix2pix")
    assert pix2pix.max_images == 1
    edit = pix2pix.edit(request)
    assert isinstance(edit, Edit) and edit.status == "no_output"
    assert edit.reason == "InstructPix2Pix takes at most 1 picture and this case has 2; ?join=row makes them one"


def test_pictures_are_joined_where_the_user_says_so(models: Callable[[str], Path]) -> None:
    editor = load_editor(f"diffusers:{models('pix2pix')}?steps=1&join=row")
    editor.load()
    assert editor.max_images is None
    edit = editor.edit(Request("two", (scene(), scene(96, 64)), "Swap the boxes.", 3))
    assert isinstance(edit, Edit) and isinstance(edit.image, np.ndarray)
    assert edit.image.shape == (128, 128 + 192, 3)
    assert edit.asked is not None and edit.asked.startswith("The picture is made of 2 pictures side by side")

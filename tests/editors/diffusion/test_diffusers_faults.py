"""What goes wrong with diffusers pipelines, and the sentence for it: NaN, memory, safety, wrong options and models."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editscope.cases import Edit
from editscope.editors import Request, load_editor
from editscope.editors.diffusion import DiffusersEditor
from editscope.editors.diffusion.finding import weights_identity
from editscope.editors.diffusion.options import read_options
from editscope.editors.diffusion.outputs import BLACK, NAN, UNSAFE
from editscope.editors.diffusion.processors import has_torchvision
from editscope.editors.gpus import gpu_names
from editscope.errors import BadInput
from editscope.images import Pixels
from support.models.tiny_pipelines import save_img2img, save_kontext, save_lora, save_pix2pix, save_pix2pix_xl

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def pix2pix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_pix2pix(tmp_path_factory.mktemp("pipelines") / "pix2pix")


def scene() -> Pixels:
    picture = np.full((64, 64, 3), 200, np.uint8)
    picture[20:40, 10:30] = (240, 40, 30)
    return picture


def request(seed: int = 1, words: str = "Make the red box green.") -> Request:
    return Request(f"case/{seed}", (scene(),), words, seed)


def ready(folder: Path, options: str = "steps=1") -> Any:
    editor = load_editor(f"diffusers:{folder}?{options}")
    editor.load()
    return editor


def test_nan_is_an_error_and_no_black_picture(pix2pix: Path) -> None:
    editor = ready(pix2pix)
    editor._loaded.pipe.vae.decoder.conv_out.weight.data[0] = float("nan")
    edit = editor.edit(request())
    assert (edit.status, edit.reason, edit.image) == ("error", NAN, None)


def test_a_black_picture_is_an_error_unless_it_was_asked_for(pix2pix: Path) -> None:
    editor = ready(pix2pix)
    editor._loaded.pipe.vae.decoder.conv_out.bias.data[:] = -1000.0
    assert (editor.edit(request()).status, editor.edit(request()).reason) == ("error", BLACK)
    asked_for = editor.edit(request(words="Paint everything black."))
    assert asked_for.status == "ok" and not asked_for.image.any()


def test_what_the_safety_checker_holds_back_is_refused(tmp_path: Path) -> None:
    folder = save_pix2pix(tmp_path / "careful", checker=True)
    careful = ready(folder)
    checker = careful._loaded.pipe.safety_checker
    checker.concept_embeds_weights.data[:] = 10.0  # nothing is that near to a concept
    checker.special_care_embeds_weights.data[:] = 10.0
    assert careful.edit(request()).status == "ok"
    checker.concept_embeds_weights.data[:] = -10.0  # everything is
    edit = careful.edit(request())
    assert (edit.status, edit.reason, edit.image) == ("refused", UNSAFE, None)
    careless = ready(folder, "steps=1&safety=false")
    assert careless._loaded.pipe.safety_checker is None
    assert careless.edit(request()).status == "ok"


def bears(editor: Any, most: int, error: Callable[[], Exception]) -> list[int]:
    """Let the network of a pipeline run out of memory with more edits than ``most``; the sizes that were tried."""
    tried: list[int] = []
    network = editor._loaded.pipe.unet
    forward = network.forward

    def limited(sample: Any, *rest: Any, **named: Any) -> Any:
        tried.append(len(sample) // 3)  # guidance by text and by picture makes three of each
        if tried[-1] > most:
            raise error()
        return forward(sample, *rest, **named)

    network.forward = limited
    return tried


def test_a_batch_that_does_not_fit_is_halved_until_it_does(pix2pix: Path) -> None:
    import torch

    requests = [request(seed) for seed in range(1, 7)]
    alone = [ready(pix2pix).edit(one).image for one in requests[:1]]
    editor = ready(pix2pix, "steps=1&batch=6")
    tried = bears(editor, 2, lambda: torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB."))
    edits = editor.edit_batch(requests)
    assert tried == [6, 3, 1, 1, 1, 1, 1, 1]
    assert [edit.status for edit in edits] == ["ok"] * 6
    assert edits[0].notes == ("memory was not enough for 6 edits at a time; made 1 at a time",)
    assert np.array_equal(edits[0].image, alone[0])
    editor.edit_batch(requests[:2])
    assert tried[8:] == [1, 1]  # what did not fit once is not tried again


def test_an_edit_that_does_not_fit_alone_says_what_to_try(pix2pix: Path) -> None:
    editor = ready(pix2pix)
    bears(editor, 0, lambda: RuntimeError("[enforce fail] DefaultCPUAllocator: not enough memory: you tried 9 bytes."))
    edit = editor.edit(request())
    assert edit.status == "error"
    assert "ran out of memory" in edit.reason and "?offload=model" in edit.reason and "max_area" in edit.reason


def test_one_request_that_the_pipeline_cannot_take_spoils_no_other(pix2pix: Path) -> None:
    editor = ready(pix2pix, "steps=1&batch=3")
    pipe = editor._loaded.pipe
    check = pipe.check_inputs

    def picky(prompt: Any, *rest: Any) -> None:
        if "bad" in str(prompt):
            raise ValueError("no such word")
        check(prompt, *rest)

    pipe.check_inputs = picky
    edits = editor.edit_batch([request(1), request(2, "bad"), request(3)])
    assert [edit.status for edit in edits] == ["ok", "error", "ok"]
    assert edits[1].reason == "ValueError: no such word"
    with pytest.raises(ValueError, match="no such word"):  # alone it is raised, so that its traceback is kept
        editor.edit(request(2, "bad"))


def test_an_instruction_that_clip_reads_only_a_part_of_is_noted(pix2pix: Path) -> None:
    edit = ready(pix2pix).edit(request(words="Make the box green and " * 8))
    assert edit.status == "ok"
    assert edit.notes[0].startswith("the model read the first 77 of the instruction's ")


def test_nothing_is_written_to_the_terminal(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = save_kontext(tmp_path / "kontext")
    capfd.readouterr()
    ready(folder, "steps=1&max_area=4096").edit(request(words="Very long. " * 40))
    assert capfd.readouterr() == ("", "")


def test_a_pipeline_without_settings_of_its_own_is_asked_by_its_signature(tmp_path: Path) -> None:
    editor = ready(save_img2img(tmp_path / "img2img"), "steps=4&guidance=2&call.strength=0.5")
    edit = editor.edit(request())
    assert isinstance(edit, Edit) and edit.status == "ok"
    assert (editor.max_images, editor._plan.constant["strength"]) == (1, 0.5)
    with pytest.raises(BadInput, match=r"there is no argument of .* 'strenght'; did you mean 'strength'"):
        ready(editor.target, "call.strenght=0.5")
    with pytest.raises(BadInput, match="makes one edit per call"):
        ready(editor.target, "batch=2")
    with pytest.raises(BadInput, match=r"no image_guidance_scale or img_guidance_scale; leave out image_guidance"):
        ready(editor.target, "image_guidance=2")


def test_the_larger_instructpix2pix_works_too(tmp_path: Path) -> None:
    editor = ready(save_pix2pix_xl(tmp_path / "xl"), "steps=1&batch=2&dtype=fp64")
    together = editor.edit_batch([request(1), request(2, "Short.")])
    assert [
        np.array_equal(one.image, editor.edit(asked).image)
        for one, asked in zip(together, [request(1), request(2, "Short.")], strict=True)
    ] == [True, True]


def damaged(folder: Path, copy: Path, part: str, change: Callable[[dict[str, Any]], None]) -> Path:
    from safetensors.torch import load_file, save_file

    shutil.copytree(folder, copy)
    (file,) = (copy / part).glob("*.safetensors")
    weights = load_file(file)
    change(weights)
    save_file(weights, file, metadata={"format": "pt"})
    return copy


def test_a_checkpoint_that_lacks_weights_is_noticed(pix2pix: Path, tmp_path: Path) -> None:
    network = damaged(pix2pix, tmp_path / "network", "unet", lambda weights: weights.pop("conv_out.weight"))
    with pytest.raises(BadInput, match=r"the checkpoint of its unet lacks conv_out\.weight; save or download it again"):
        ready(network)
    name = "encoder.layers.0.layer_norm2.weight"
    words = damaged(pix2pix, tmp_path / "words", "text_encoder", lambda weights: weights.pop(name))
    note = f"CLIPTextModel lacks weights in the checkpoint and got random ones for them ({name})"
    assert ready(words).edit(request()).notes == (note,)


def test_weights_have_an_identity_that_changes_with_them(pix2pix: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(pix2pix, tmp_path / "pix2pix")
    first, same = (ready(folder).edit(request()).model for folder in (pix2pix, copy))
    assert first == same and first.startswith("pix2pix@")
    other = damaged(pix2pix, tmp_path / "b" / "pix2pix", "vae", lambda weights: weights["decoder.conv_in.bias"].add_(1))
    assert ready(other).edit(request()).model != first


def test_a_network_from_a_training_run_takes_the_place_of_the_models(pix2pix: Path, tmp_path: Path) -> None:
    other = save_pix2pix(tmp_path / "other", seed=1)
    plain, trained = ready(pix2pix), ready(pix2pix, f"steps=1&network={other / 'unet'}")
    assert trained.name == "pix2pix+other"
    found = trained.edit(request())
    assert (found.image != plain.edit(request()).image).mean() > 0.2
    assert found.model != plain.edit(request()).model
    assert np.array_equal(found.image, ready(pix2pix, f"steps=1&network={other}").edit(request()).image)
    with pytest.raises(
        BadInput, match=r"option network: .* has no config\.json; give a folder that the unet was saved"
    ):
        ready(pix2pix, f"network={tmp_path}")
    with pytest.raises(BadInput, match="is a AutoencoderKL; give a UNet2DConditionModel"):
        ready(pix2pix, f"network={other / 'vae'}")


def test_lora_weights_of_another_model_are_not_taken(pix2pix: Path, tmp_path: Path) -> None:
    lora = save_lora(tmp_path / "lora", save_kontext(tmp_path / "kontext"))
    with pytest.raises(BadInput, match=r"option lora: .*/lora (cannot be loaded|holds no weights)"):
        ready(pix2pix, f"lora={lora}")
    with pytest.raises(BadInput, match=r"option lora: there is no such folder or file as .*/nowhere; check the path"):
        ready(pix2pix, f"lora={tmp_path}/nowhere")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("lora=nowhere", "option lora: there is no such folder or file as nowhere"),
        ("lora=./a/nowhere", "option lora: there is no such folder or file as ./a/nowhere"),
        ("network=out/checkpoint-5", "option network: there is no such folder as out/checkpoint-5"),
        ("size=500x300", "needs multiples of 8, not 500x300; write 496x304"),
    ],
)
def test_what_can_be_known_is_said_before_a_run_starts(pix2pix: Path, options: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        load_editor(f"diffusers:{pix2pix}?{options}").check()


def test_a_lora_that_could_be_a_repository_is_looked_for_here_and_there(
    pix2pix: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(BadInput, match="out/checkpoint-5 is not a folder or file here and the hub does not give it"):
        ready(pix2pix, "lora=out/checkpoint-5")


def test_a_file_of_weights_is_known_by_itself_and_not_by_its_neighbors(pix2pix: Path, tmp_path: Path) -> None:
    def identity() -> str:
        return weights_identity(str(pix2pix), [str(tmp_path / "step-100.safetensors")], None)

    (tmp_path / "step-100.safetensors").write_bytes(b"first")
    before = identity()
    (tmp_path / "step-200.safetensors").write_bytes(b"second")
    assert identity() == before
    (tmp_path / "step-100.safetensors").write_bytes(b"other")
    assert identity() != before


def index_only(folder: Path, kind: str) -> Path:
    folder.mkdir()
    (folder / "model_index.json").write_text(json.dumps({"_class_name": kind, "_diffusers_version": "0.36.0"}))
    return folder


def test_a_pipeline_that_diffusers_does_not_know_yet(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"does not know this pipeline .*pip install -U diffusers"):
        ready(index_only(tmp_path / "new", "TomorrowsEditPipeline"))


@pytest.mark.skipif(has_torchvision(), reason="torchvision is installed")
def test_a_family_that_needs_torchvision_says_so(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="OmniGen needs torchvision, which is not installed: pip install torchvision"):
        ready(index_only(tmp_path / "omnigen", "OmniGenPipeline"))


def test_offloading_needs_a_gpu_and_a_device_that_is_there(pix2pix: Path) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU here")
    with pytest.raises(BadInput, match="offload=model moves weights between memory and a GPU, and there is none here"):
        ready(pix2pix, "offload=model")
    with pytest.raises(BadInput, match="cannot use the device 'cuda'"):
        ready(pix2pix, "device=cuda")


def test_a_model_that_is_not_here_while_there_is_no_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    editor = load_editor("diffusers:some-lab/Some-Edit-9B")
    with pytest.raises(BadInput, match=r"not on this machine .* run `hf download some-lab/Some-Edit-9B`"):
        editor.check()


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("/nowhere/at/all", "there is no such folder"),
        ("just-a-name", "there is no such folder"),
        ("../elsewhere", "there is no such folder"),
    ],
)
def test_a_target_that_is_neither_folder_nor_repository(target: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        load_editor(f"diffusers:{target}")


def test_a_folder_that_holds_no_pipeline(pix2pix: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"has no model_index\.json; give the folder that a pipeline was saved to"):
        load_editor(f"diffusers:{pix2pix / 'unet'}")
    (tmp_path / "model_index.json").write_text("{")
    with pytest.raises(BadInput, match=r"model_index\.json cannot be read"):
        load_editor(f"diffusers:{tmp_path}")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"step": 4}, "no option 'step' of editors of kind diffusers; did you mean 'steps'"),
        ({"steps": 0}, "option steps is 0, not a whole number from 1"),
        ({"steps": "many"}, "option steps is 'many', not a whole number"),
        ({"guidance": "high"}, "option guidance is 'high', not a number"),
        ({"dtype": "int8"}, "option dtype is 'int8', not one of auto, bf16"),
        ({"offload": "disk"}, "option offload is 'disk', not one of none, model, sequential"),
        ({"join": "stack"}, "option join is 'stack', not one of row, column, grid"),
        ({"size": "1024"}, "option size is '1024', not of the form WIDTHxHEIGHT"),
        ({"size": "512x512", "max_area": 9999}, "size and max_area cannot both be given"),
        ({"compile": "yes"}, "option compile is 'yes', not true or false"),
        ({"lora": "a,b", "lora_scale": 1}, "option lora_scale has 1 entries but lora has 2"),
        ({"lora": "a", "lora_scale": "full"}, "option lora_scale is 'full', not a number"),
        ({"lora": ""}, "option lora names nothing"),
        ({"fuse": True}, "option fuse needs lora"),
        ({"device_map": "balanced", "offload": "model"}, "offload and device_map cannot both be given"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        read_options("folder", options)


def test_gpus_are_counted_as_cuda_counts_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, pix2pix: Path) -> None:
    for name in ("0000:01:00.0", "0000:02:00.0"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr("editscope.editors.gpus.CARDS", tmp_path)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert gpu_names() == ("0", "1")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1,-1,0")
    assert gpu_names() == ("1",)
    one = load_editor(f"diffusers:{pix2pix}")
    assert (one.gpu, one.workers) == (True, None)
    spread = load_editor(f"diffusers:{pix2pix}?device_map=balanced")
    assert (spread.gpu, spread.workers) == (False, 1)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    here = load_editor(f"diffusers:{pix2pix}")
    assert (here.gpu, here.workers) == (False, 1)
    assert isinstance(here, DiffusersEditor) and here.free

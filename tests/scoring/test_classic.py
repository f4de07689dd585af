"""Claims about the classic measures, with the real libraries and tiny models."""

from __future__ import annotations

import subprocess
import sys
from math import isnan
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editscope.cases import Region
from editscope.errors import BadInput
from editscope.images import Pixels
from editscope.scoring.classic import (
    CLASSIC,
    METRICS,
    OFFSETS,
    ImagePair,
    MetricSettings,
    available,
    edit_region,
    load_metric,
    parse_measures,
)
from editscope.scoring.classic.pixelwise import REACH, STRIP, ssim_map
from support.models.classic_models import save_tiny_clip, save_tiny_dino

pytestmark = pytest.mark.slow


def picture(seed: int, height: int = 40, width: int = 50) -> Pixels:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def torchmetrics_ssim(first: Pixels, second: Pixels) -> float:
    import torch
    from torchmetrics.functional.image import structural_similarity_index_measure

    a, b = (torch.from_numpy(p.astype(np.float32) / 255).permute(2, 0, 1)[None].contiguous() for p in (first, second))
    return float(structural_similarity_index_measure(a, b, data_range=1.0))


def value(name: str, pair: ImagePair, model: str = "") -> float:
    (found,) = load_metric(name, MetricSettings(model)).measure_batch([pair])
    return found


# --- PSNR and SSIM --------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(40, 50), (6, 6), (STRIP + 1, 20), (3 * STRIP + 7, 33)])
def test_ssim_is_that_of_torchmetrics(size: tuple[int, int]) -> None:
    a, b = picture(0, *size), picture(1, *size)
    assert value("ssim", ImagePair(a, b)) == pytest.approx(torchmetrics_ssim(a, b), abs=2e-6)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(8, 2 * STRIP + 9),
    st.integers(8, 90),
    st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(1, 12)), max_size=4),
)
def test_ssim_of_pictures_that_differ_in_places_is_that_of_torchmetrics(
    height: int, width: int, places: list[tuple[int, int, int]]
) -> None:
    a = picture(0, height, width)
    b = a.copy()
    for y, x, side in places:
        b[y % height :, x % width :][:side, :side] ^= 37
    assert value("ssim", ImagePair(a, b)) == pytest.approx(torchmetrics_ssim(a, b), abs=2e-6)


def test_ssim_is_one_away_from_every_difference() -> None:
    a = picture(0, 100, 100)
    b = a.copy()
    b[50, 50] ^= 255
    differs = np.argwhere((ssim_map(a, b) != 1).any(axis=2))
    assert differs.min() >= 50 - REACH and differs.max() <= 50 + REACH


def test_a_picture_smaller_than_the_window_has_no_ssim() -> None:
    assert isnan(value("ssim", ImagePair(picture(0, 5, 50), picture(1, 5, 50))))


@pytest.mark.parametrize("name", ["psnr", "ssim"])
def test_outside_the_edit_region_only_what_lies_there_counts(name: str) -> None:
    a = picture(0)
    keep = np.ones(a.shape[:2], np.bool_)
    keep[10:20, 10:30] = False
    b = a.copy()
    b[10:20, 10:30] = 0
    perfect = value(name, ImagePair(a, a))
    assert value(name, ImagePair(b, a, keep)) == perfect  # the region itself may look like anything
    b[30, 30] ^= 255
    assert value(name, ImagePair(b, a, keep)) < perfect
    assert isnan(value(name, ImagePair(b, a, np.zeros_like(keep))))


# --- models ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Tiny models with random weights, saved as any model is."""
    folder = tmp_path_factory.mktemp("models")
    return {"clip": save_tiny_clip(folder / "clip"), "dino": save_tiny_dino(folder / "dino")}


@pytest.mark.parametrize("name", ["clip", "dino"])
def test_embeddings_find_a_picture_most_like_itself(name: str, models: dict[str, Path]) -> None:
    a, b = picture(0), picture(1)
    same, other = load_metric(name, MetricSettings(str(models[name]))).measure_batch([ImagePair(a, a), ImagePair(a, b)])
    assert same == 1 and -1 <= other < 0.999


@pytest.mark.parametrize("name", ["clip", "dino"])
def test_embeddings_do_not_see_the_edit_region_outside_of_which_they_look(name: str, models: dict[str, Path]) -> None:
    a, b = picture(0), picture(1)
    keep = np.ones(a.shape[:2], np.bool_)
    keep[5:35, 5:45] = False
    inside = np.where(keep[:, :, None], a, b)
    found = load_metric(name, MetricSettings(str(models[name]))).measure_batch(
        [ImagePair(inside, a, keep), ImagePair(b, a, keep), ImagePair(b, a, ~keep & keep)]
    )
    assert found[0] == 1 and found[1] < 1 and isnan(found[2])


@pytest.mark.parametrize("name", ["clip", "dino"])
def test_a_value_does_not_depend_on_the_batch_it_was_in(name: str, models: dict[str, Path]) -> None:
    pairs = [ImagePair(picture(i), picture(i + 50)) for i in range(20)]  # more than one batch
    metric = load_metric(name, MetricSettings(str(models[name])))
    alone = [metric.measure_batch([pair])[0] for pair in pairs]
    assert metric.measure_batch(pairs) == pytest.approx(alone, abs=2e-6)


def test_clip_is_the_cosine_of_the_models_own_image_embeddings(models: dict[str, Path]) -> None:
    import torch
    from transformers import AutoModel
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

    a, b = picture(0), picture(1)
    model = AutoModel.from_pretrained(models["clip"]).eval()
    inputs = CLIPImageProcessorPil.from_pretrained(models["clip"])(images=[a, b], return_tensors="pt")
    with torch.no_grad():
        first, second = model.visual_projection(model.vision_model(**inputs).pooler_output)
    expected = float(torch.nn.functional.cosine_similarity(first, second, dim=0))
    assert value("clip", ImagePair(a, b), str(models["clip"])) == pytest.approx(expected, abs=2e-6)


def test_who_measured_is_on_record(models: dict[str, Path]) -> None:
    said = load_metric("dino", MetricSettings(str(models["dino"]))).made_with()
    again = load_metric("dino", MetricSettings(str(models["dino"]))).made_with()
    assert {"model", "class", "weights", "torch", "transformers"} <= set(said) and said == again
    assert said["weights"] != load_metric("clip", MetricSettings(str(models["clip"]))).made_with()["weights"]


def test_nothing_is_downloaded_without_being_asked_for(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"clip-vit.*--allow-download"):
        load_metric("clip", MetricSettings("openai/clip-vit-base-patch32"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match="cannot be loaded"):
        load_metric("dino", MetricSettings(str(tmp_path / "empty")))


# --- the registry ---------------------------------------------------------------------------------


def test_a_measure_whose_library_is_missing_says_what_to_install() -> None:
    script = """
import sys
for name in ("torch", "torchmetrics", "torchvision", "transformers"):
    sys.modules[name] = None
from editscope.errors import BadInput
from editscope.scoring.classic import MetricSettings, available, load_metric
print(available()["psnr"], available()["lpips"], sep="|")
try:
    load_metric("ssim", MetricSettings())
except BadInput as error:
    print(error)
"""
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    first, second = said.splitlines()
    assert first.startswith("None|it needs torch and torchmetrics and torchvision: pip install 'editscope[local]' ")
    assert second == ("measure ssim is not available: it needs torch and torchmetrics: pip install 'editscope[local]'")


def test_a_device_that_is_not_there_is_said_in_one_sentence() -> None:
    with pytest.raises(BadInput, match="--device warp cannot be used"):
        load_metric("ssim", MetricSettings(device="warp"))


def test_what_is_available_here() -> None:
    found = available()
    assert list(found) == list(METRICS) == [*CLASSIC, *OFFSETS]
    assert list(CLASSIC) == ["psnr", "ssim", "lpips", "clip", "dino"]
    assert found["psnr"] is found["ssim"] is found["clip"] is None


def test_measures_are_named_with_their_models() -> None:
    assert parse_measures("ssim,clip=a=b") == {"ssim": "", "clip": "a=b"}
    with pytest.raises(BadInput, match="did you mean 'ssim'"):
        parse_measures("sim")
    with pytest.raises(BadInput, match="no measure"):
        parse_measures(" , ")
    with pytest.raises(BadInput, match="clip=DIR"):
        load_metric("clip", MetricSettings())


def test_without_an_answer_the_boxes_are_the_edit_region() -> None:
    source = picture(0)
    region = edit_region(source, None, [Region("lamp", (10, 3, 18, 9))])
    assert region.sum() == 8 * 6 and region[3, 10] and region[8, 17] and not region[9, 17]
    assert not edit_region(source, None).any()

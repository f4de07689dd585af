"""Claims about the pictures that judges see: sizes, crops, and that each is made once."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from editscope.cases import Case, Instruction, Question, Region
from editscope.images import Pixels
from editscope.judges import Call, Picture
from editscope.judges.packs import load_pack
from editscope.scoring.rubrics import Unit, load_rubric
from editscope.scoring.rubrics._lanczos import lanczos
from editscope.scoring.rubrics.pictures import Shown, pictures_of, with_side

LANCZOS = Image.Resampling.LANCZOS


def noise(seed: int, height: int, width: int) -> Pixels:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def opened(picture: Picture) -> Image.Image:
    return Image.open(io.BytesIO(picture.data))


def encoded(image: Image.Image) -> bytes:
    target = io.BytesIO()
    image.save(target, "JPEG", quality=90)
    return target.getvalue()


def questions(*boxes: tuple[int, int, int, int] | None) -> tuple[Question, ...]:
    return tuple(
        Question(f"Is thing {n} wet?", "Yes", None if box is None else Region(f"q{n}", box))
        for n, box in enumerate(boxes, start=1)
    )


def asked(edit: Pixels, boxes: Sequence[tuple[int, int, int, int] | None], **options: object) -> tuple[Call, ...]:
    case = Case("1", "picabench", (edit,), (Instruction("Wet it."),), {}, questions=questions(*boxes))
    return load_rubric("picabench", **options).calls(case, Unit("1", ("",)), {"": edit}, load_pack("picabench"))


sides = st.integers(1, 90)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), sides, sides, sides, sides, st.booleans())
def test_scaling_gives_the_pixels_of_pillow_rows_before_columns(
    seed: int, height: int, width: int, high: int, wide: int, extreme: bool
) -> None:
    pixels = noise(seed, height, width)
    if extreme:  # over- and undershoot are cut off at 0 and 255
        pixels = np.where(pixels > 127, 255, 0).astype(np.uint8)
    # In two steps, since Pillow is free to choose which of them comes first.
    expected = Image.fromarray(pixels).resize((wide, height), LANCZOS).resize((wide, high), LANCZOS)
    assert np.array_equal(lanczos(pixels, high, wide), np.asarray(expected))


def test_a_view_is_scaled_as_its_pixels_are() -> None:
    whole = noise(0, 60, 80)
    part = whole[10:50, 20:70]
    assert np.array_equal(lanczos(part, 93, 77), lanczos(part.copy(), 93, 77))


def test_a_question_is_asked_about_its_box_with_20_pixels_around_it_enlarged_to_1024() -> None:
    edit = noise(1, 768, 1024)
    (call,) = asked(edit, [(300, 200, 420, 290)])
    crop = Image.fromarray(edit).crop((280, 180, 440, 310))
    assert call.pictures[0].data == encoded(crop.resize((1024, 832), LANCZOS))
    assert call.pictures[0].mime == "image/jpeg"


def test_boxes_are_on_the_canvas_whose_longer_side_is_1024_whatever_size_the_edit_has() -> None:
    edit = noise(2, 256, 512)
    (call,) = asked(edit, [(300, 200, 420, 290)])
    canvas = Image.fromarray(edit).resize((1024, 512), LANCZOS)
    assert call.pictures[0].data == encoded(canvas.crop((280, 180, 440, 310)).resize((1024, 832), LANCZOS))


def test_a_crop_is_clipped_to_the_picture() -> None:
    edit = noise(3, 1024, 600)
    (call,) = asked(edit, [(560, 1000, 700, 1030)])
    crop = Image.fromarray(edit).crop((540, 980, 600, 1024))
    assert call.pictures[0].data == encoded(crop.resize((1024, 751), LANCZOS))


def test_a_box_that_the_edit_does_not_reach_shows_the_whole_edit() -> None:
    edit = noise(4, 300, 1024)
    outside, whole = asked(edit, [(100, 600, 200, 700), None])
    assert outside.pictures[0].data == whole.pictures[0].data == encoded(Image.fromarray(edit))


def test_the_whole_picture_or_one_with_the_box_drawn_can_be_shown_instead() -> None:
    edit = np.full((512, 1024, 3), 200, np.uint8)
    (whole,) = asked(edit, [(300, 200, 420, 290)], region="whole")
    (boxed,) = asked(edit, [(300, 200, 420, 290)], region="box")
    assert opened(whole.pictures[0]).size == opened(boxed.pictures[0]).size == (1024, 512)
    shown = np.asarray(opened(boxed.pictures[0])).astype(int)
    reddish = (shown[:, :, 0] - shown[:, :, 1]) > 100
    rows, columns = np.nonzero(reddish)
    assert (columns.min(), rows.min(), columns.max(), rows.max()) == pytest.approx((300, 200, 419, 289), abs=2)
    assert not reddish[215:275, 315:405].any()
    assert not (np.asarray(opened(whole.pictures[0])).astype(int)[:, :, 0] > 210).any()


def test_questions_about_one_box_share_one_picture() -> None:
    first, second, other = asked(noise(5, 64, 64), [(0, 0, 90, 90), (0, 0, 90, 90), (500, 500, 600, 600)])
    assert first.pictures[0] is second.pictures[0]
    assert other.pictures[0] is not first.pictures[0]


def test_pictures_are_made_when_a_prompt_shows_them_and_only_once() -> None:
    made: list[str] = []

    def maker(name: str) -> Sequence[Picture]:
        made.append(name)
        return (Picture(name.encode()),)

    shown = Shown(source=lambda: maker("source"), references=lambda: maker("references"))
    assert shown["source"] is shown["source"]
    assert shown.get("answer", ()) == ()
    assert made == ["source"]


def test_a_file_is_encoded_once_for_all_variants_and_again_when_it_changed(tmp_path: Path) -> None:
    path = tmp_path / "source.png"
    Image.fromarray(noise(6, 40, 40)).save(path)
    (first,), (again,), (smaller,) = (pictures_of([path], side) for side in (512, 512, 20))
    assert first is again
    assert opened(smaller).size == (20, 20)
    Image.fromarray(noise(7, 40, 44)).save(path)
    (changed,) = pictures_of([path], 512)
    assert opened(changed).size == (44, 40)


@pytest.mark.parametrize(
    ("name", "side"), [("worldedit", 1024), ("wiseedit", 512), ("inedit", 2048), ("kris", 1024), ("rise", 768)]
)
def test_no_picture_is_larger_than_the_protocol_says_and_none_is_enlarged(name: str, side: int) -> None:
    def sizes(height: int, width: int, **options: object) -> set[tuple[int, int]]:
        pixels = np.full((height, width, 3), 90, np.uint8)
        case = Case("1", name, (pixels,), (Instruction("Wet it."),), {})
        calls = load_rubric(name, **options).calls(case, Unit("1", ("",)), {"": pixels}, load_pack(name))
        return {opened(picture).size for call in calls for picture in call.pictures}

    assert sizes(1200, 2400) == {(side, side // 2)}
    assert sizes(30, 40) == {(40, 30)}
    assert sizes(1200, 2400, side=0) == {(2400, 1200)}


def test_the_longer_side_is_exact_and_the_other_is_at_least_one_pixel() -> None:
    assert with_side(np.zeros((2, 3000, 3), np.uint8), 1024).shape == (1, 1024, 3)
    assert with_side(np.zeros((7, 7, 3), np.uint8), 1024).shape == (1024, 1024, 3)

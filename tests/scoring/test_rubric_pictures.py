"""Claims about the pictures that judges see: sizes, crops, and that each is made once."""

from __future__ import annotations

import ast
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from inspect import getfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as tried
from hypothesis import strategies as st
from PIL import Image

from editscope.cases import Case, Instruction, Question, Region
from editscope.errors import BadInput
from editscope.images import ImageLike, Pixels, load
from editscope.judges import Call, Field, Picture, Schema
from editscope.judges.prompts.packs import load_pack
from editscope.judges.wire.base import JudgeSettings, Manner, Wire, gentler
from editscope.judges.wire.chat import Chat
from editscope.judges.wire.gemini import Gemini
from editscope.judges.wire.responses import Responses
from editscope.scoring.rubrics import Unit
from editscope.scoring.rubrics._lanczos import lanczos
from editscope.scoring.rubrics.pictures import LazyPictures, PictureFormat, pictures_of, with_side
from editscope.suites.protocol import Protocol, deciding_files, described
from editscope.suites.registry import benchmarks
from editscope.suites.rubrics import load_rubric

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


@tried(max_examples=60, deadline=None)
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
    assert call.pictures[0].data == encoded(crop.resize((1024, 750), LANCZOS))  # 44 · 1024/60 = 750.9


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

    shown = LazyPictures(source=lambda: maker("source"), references=lambda: maker("references"))
    assert shown["source"] is shown["source"]
    assert shown.get("answer", ()) == ()
    assert made == ["source"]


def test_a_file_is_encoded_once_for_all_variants_and_again_when_it_changed(tmp_path: Path) -> None:
    path = tmp_path / "source.png"
    Image.fromarray(noise(6, 40, 40)).save(path)
    (first,), (again,), (smaller,) = (pictures_of([path], PictureFormat(side)) for side in (512, 512, 20))
    assert first is again
    assert opened(smaller).size == (20, 20)
    Image.fromarray(noise(7, 40, 44)).save(path)
    (changed,) = pictures_of([path], PictureFormat(512))
    assert opened(changed).size == (44, 40)


def sent(name: str, source: ImageLike, edit: Pixels, category: str = "", **options: object) -> list[Picture]:
    """All pictures that a protocol sends about one case."""
    tags = {"category": category} if category else {}
    case = Case("1", name, (source,), (Instruction("Wet it."),), tags, checklist="1. It is wet.")
    calls = load_rubric(name, **options).calls(case, Unit("1", ("",)), {"": edit}, load_pack(name))
    return [picture for call in calls for picture in call.pictures]


def as_released(pixels: Pixels, side: int, quality: int) -> bytes:
    """A picture as the released tools send it: Pillow's thumbnail, then JPEG."""
    image, target = Image.fromarray(pixels), io.BytesIO()
    if side:
        image.thumbnail((side, side))
    image.save(target, "JPEG", quality=quality)
    return target.getvalue()


@pytest.mark.parametrize(
    ("name", "side", "quality"),
    [("worldedit", 1024, 90), ("wiseedit", 512, 90), ("inedit", 0, 75), ("rise", 768, 75), ("kris", 0, 85)],
)
def test_pictures_go_to_the_judge_as_the_release_sends_them(name: str, side: int, quality: int) -> None:
    source, edit = noise(1, 1303, 2053), noise(2, 30, 41)  # a larger one, and one that nothing enlarges
    category = "temporal_prediction" if name == "kris" else ""
    found = {picture.data for picture in sent(name, source, edit, category)}
    # KRIS-Bench's quality call sends the predicted frame in the same form.
    assert found == {as_released(source, side, quality), as_released(edit, side, quality)}


def test_kris_sends_pictures_unchanged_jpeg_files_byte_by_byte(tmp_path: Path) -> None:
    path, edit = tmp_path / "1.jpg", noise(4, 1100, 1500)
    Image.fromarray(noise(3, 1303, 2053)).save(path, quality=61)
    source, shown, *_ = sent("kris", path, edit)
    assert (source.data, source.mime) == (path.read_bytes(), "image/jpeg")
    assert shown.mime == "image/png"
    assert np.array_equal(np.asarray(opened(shown)), edit)


def turned_jpeg(path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(noise(5, 40, 60)).save(path, "JPEG", exif=exif)


@pytest.mark.parametrize(
    "write",
    [
        turned_jpeg,
        lambda path: Image.fromarray(noise(5, 40, 60)).convert("CMYK").save(path, "JPEG"),
        lambda path: Image.fromarray(noise(5, 40, 60)).save(path, "PNG"),
        lambda path: Image.fromarray(noise(5, 40, 60)).convert("RGBA").save(path, "PNG"),
        lambda path: Image.fromarray(noise(5, 40, 60)).save(path, "WEBP", lossless=True),
    ],
)
def test_a_file_that_a_judge_might_see_otherwise_is_sent_as_the_pixels_that_we_see(
    tmp_path: Path, write: Callable[[Path], None]
) -> None:
    path = tmp_path / "1.jpg"  # whatever its name says
    write(path)
    source, *_ = sent("kris", path, noise(6, 8, 8))
    assert source.mime == "image/png"
    assert np.array_equal(np.asarray(opened(source)), load(path))


@pytest.mark.slow
def test_size_and_quality_can_be_limited_by_option(tmp_path: Path) -> None:
    edit = noise(7, 1200, 2400)
    for name in ("worldedit", "wiseedit", "inedit", "rise", "kris"):
        found = {picture.data for picture in sent(name, edit, edit, side=300, quality=50)}
        assert found == {as_released(edit, 300, 50)}
        assert {opened(picture).size for picture in sent(name, edit, edit, side=0)} == {(2400, 1200)}
    with pytest.raises(BadInput, match="option quality of protocol kris is '101'; give a whole number from 0 to 100"):
        load_rubric("kris?quality=101")


SENT = {
    "picabench": (None, None),
    "worldedit": (None, 0),
    "wiseedit": (None, None),
    "inedit": ("high", 0),
    "kris": (None, None),
    "rise": ("high", 0),
}
"""What the releases send as ``detail`` and ``temperature``; WorldEdit's is not known, and 0 is ours."""


def body_of(name: str, kind: str = "openai", manner: Manner = Manner(), **settings: Any) -> dict[str, Any]:
    """The request that the first call of a protocol makes."""
    wires: dict[str, Wire] = {"openai": Chat(), "responses": Responses(), "gemini": Gemini()}
    edit = noise(8, 30, 40)
    case = Case("1", name, (edit,), (Instruction("Wet it."),), {}, questions=questions((1, 2, 30, 20)))
    call, *_ = load_rubric(name).calls(case, Unit("1", ("",)), {"": edit}, load_pack(name))
    found: dict[str, Any] = json.loads(wires[kind].body(call, JudgeSettings("m", "http://h", **settings), manner, None))
    return found


@pytest.mark.parametrize("name", SENT)
def test_detail_and_temperature_are_those_of_the_release(name: str) -> None:
    detail, temperature = SENT[name]
    body = body_of(name)
    shown = [part["image_url"] for part in body["messages"][0]["content"] if part["type"] == "image_url"]
    assert shown and {picture.get("detail") for picture in shown} == {detail}
    assert body.get("temperature") == temperature
    other = body_of(name, "responses")
    images = [part for part in other["input"][0]["content"] if part["type"] == "input_image"]
    assert {part["detail"] for part in images} == {detail or "auto"}
    assert other.get("temperature") == temperature
    assert "mediaResolution" not in body_of(name, "gemini")["generationConfig"]  # which means something else


def test_run_json_says_how_calls_are_sent() -> None:
    kris, rise = (load_rubric(name) for name in ("kris", "rise?side=0"))
    assert described(Protocol("kris"), kris)["sent"] == {"detail": None, "temperature": None, "side": 0, "quality": 0}
    assert described(Protocol("rise"), rise)["sent"] == {"detail": "high", "temperature": 0, "side": 0, "quality": 75}


def test_the_spec_of_the_judge_decides_over_the_protocol() -> None:
    body = body_of("rise", detail="low", temperature=0.7)
    assert body["temperature"] == 0.7
    assert '"detail": "low"' in json.dumps(body) and '"detail": "high"' not in json.dumps(body)
    assert body_of("kris", temperature=0.0)["temperature"] == 0


def test_a_server_that_does_not_know_detail_is_asked_without_it() -> None:
    asked = JudgeSettings("m", "http://h")
    gentle = gentler("Unknown field 'detail' in image_url", Manner(), asked)
    assert gentle is not None and not gentle.detail
    assert '"detail"' not in json.dumps(body_of("rise", manner=gentle)["messages"][0]["content"])
    assert (
        gentler("Unknown field 'detail' in image_url", Manner(), JudgeSettings("m", "http://h", detail="high")) is None
    )


def test_detail_and_temperature_are_part_of_what_a_verdict_is_filed_under() -> None:
    plain = Call("k", ("Is it wet?",), Schema((Field("answer", "yes_no"),)))
    digests = {plain.digest} | {
        replace(plain, **change).digest for change in ({"detail": "high"}, {"temperature": None}, {"temperature": 1.0})
    }
    assert len(digests) == 4


def test_what_was_prepared_is_not_used_again_after_the_code_of_pictures_prompts_or_psnr_changed() -> None:
    files = deciding_files()
    names = {path.name for path in files}
    assert {"_bilinear.py", "_stored.py", "psnr.py", "_kernels.py", "pictures.py", "scales.py"} <= names
    assert {"promptfile.py", "packs.py", "records.py"} <= names
    rubrics = {Path(getfile(record.part("rubric"))) for record in benchmarks() if record.rubric}
    assert len(rubrics) >= 8 and rubrics <= set(files)
    covered = {".".join(path.with_suffix("").parts[path.parts.index("editscope") :]) for path in files}
    for path in rubrics:
        room = f"editscope.suites.{path.parent.name}"
        siblings = {name for name in _imports(path) if name == room or name.startswith(f"{room}.")}
        assert siblings <= covered, f"{path} imports code whose change nobody would notice"


def _imports(path: Path) -> set[str]:
    """The modules that a file imports, absolutely or relatively, anywhere in it."""
    package = path.parent.parts[path.parts.index("editscope") :]
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*above, *filter(None, [node.module])))
            names |= {module}
    return names


def test_the_longer_side_is_exact_and_the_other_is_at_least_one_pixel() -> None:
    assert with_side(np.zeros((2, 3000, 3), np.uint8), 1024).shape == (1, 1024, 3)
    assert with_side(np.zeros((7, 7, 3), np.uint8), 1024).shape == (1024, 1024, 3)

"""Many triples at once have the scores that each has alone, in order; a bad one is named by its number."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import editscope as es
from editscope.images import Pixels, write_png
from editscope.scoring import batch as module

RNG = np.random.default_rng(0)


def triple(height: int, width: int) -> tuple[Pixels, Pixels, Pixels]:
    before = np.full((height, width, 3), RNG.integers(0, 200), np.uint8)
    answer = before.copy()
    answer[: height // 2] += np.uint8(40)
    output = answer ^ RNG.integers(0, 6, answer.shape, np.uint8)
    return before, answer, output


def triples(number: int, size: tuple[int, int] | None = None) -> tuple[list[Any], list[Any], list[Any]]:
    made = [triple(*(size or (16 + 3 * i, 40 - i))) for i in range(number)]
    inputs, answers, outputs = (list(pictures) for pictures in zip(*made, strict=True))
    return inputs, answers, outputs


def one_by_one(*batch: Any) -> list[es.PixelScore]:
    return [es.score_pixels(*parts) for parts in zip(*batch, strict=True)]


@pytest.mark.parametrize("jobs", [None, 1, 2, 7])
def test_scores_are_those_of_one_after_the_other(jobs: int | None) -> None:
    batch = triples(12)
    batch[2][3] = batch[2][3][:, :20]  # an output of another size
    assert es.score_batch(*batch, jobs=jobs) == one_by_one(*batch)


@pytest.mark.parametrize("layout", ["nhwc", "nchw"])
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_batched_arrays_and_tensors_are_the_lists_of_their_pictures(layout: Any, dtype: str) -> None:
    batch = triples(5, (24, 20))
    wanted = one_by_one(*batch)
    arrays = [es.to_array(pictures, layout, dtype) for pictures in batch]
    assert es.score_batch(*arrays) == wanted
    assert es.score_batch(batch[0], arrays[1], batch[2]) == wanted
    torch = pytest.importorskip("torch")
    assert es.score_batch(*map(torch.from_numpy, arrays)) == wanted
    assert es.score_batch(batch[0], list(map(torch.from_numpy, arrays[1])), arrays[2]) == wanted


def test_a_batch_whose_shape_could_be_both_follows_its_layout() -> None:
    batch = triples(2, (3, 8))
    turned = [np.moveaxis(np.stack(pictures), -1, 1).swapaxes(2, 3) for pictures in batch]  # N × 3 × 8 × 3
    expected = one_by_one(*([picture.swapaxes(0, 1) for picture in pictures] for pictures in batch))
    assert es.score_batch(*turned, layout="chw") == expected


def test_files_and_pil_images_are_taken(tmp_path: Path) -> None:
    from PIL import Image

    batch = triples(3)
    for number, answer in enumerate(batch[1]):
        write_png(tmp_path / f"{number}.png", answer)
    files = [tmp_path / f"{number}.png" for number in range(3)]
    assert es.score_batch(list(map(Image.fromarray, batch[0])), files, batch[2]) == one_by_one(*batch)


def test_the_first_bad_triple_is_named_whatever_thread_meets_it() -> None:
    inputs, answers, outputs = triples(20)
    answers[7] = answers[7][:5]
    outputs[5] = outputs[5].astype(np.float32)
    for jobs in (1, 2, 5):
        with pytest.raises(es.BadInput, match=r"^triple 5: the output holds float32 .* divide by 255"):
            es.score_batch(inputs, answers, outputs, jobs=jobs)


def test_errors_can_be_kept_beside_the_scores() -> None:
    inputs, answers, outputs = triples(4)
    good = one_by_one(inputs, answers, outputs)
    outputs[2] = outputs[2].astype(np.float32) * np.nan
    scores = es.score_batch(inputs, answers, outputs, errors="keep")
    assert [scores[0], scores[1], scores[3]] == [good[0], good[1], good[3]]
    assert isinstance(scores[2], es.BadInput) and str(scores[2]).startswith("triple 2: the output holds NaN")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    inputs, answers, outputs = triples(2)
    with pytest.raises(es.BadInput, match=r"triple 1: .*gone\.png does not exist"):
        es.score_batch(inputs, answers, [outputs[0], tmp_path / "gone.png"])


def test_an_error_of_ours_keeps_its_kind_and_says_where(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("broken")

    monkeypatch.setattr(module, "grade_loaded", broken)
    with pytest.raises(ZeroDivisionError, match="broken") as caught:
        es.score_batch(*triples(2))
    assert caught.value.__notes__ == ["in triple 0 of score_batch"]


def test_what_is_no_batch_is_refused() -> None:
    inputs, answers, outputs = triples(3)
    with pytest.raises(es.BadInput, match="3 inputs, 3 answers, 2 outputs"):
        es.score_batch(inputs, answers, outputs[:2])
    with pytest.raises(es.BadInput, match="outputs has shape 16×40×3; a batch has four axes"):
        es.score_batch(inputs, answers, outputs[0])
    with pytest.raises(es.BadInput, match="outputs is one picture; give a list"):
        es.score_batch(inputs, answers, "picture.png")
    with pytest.raises(es.BadInput, match="jobs must be a whole number from 1, not 0"):
        es.score_batch(inputs, answers, outputs, jobs=0)
    with pytest.raises(es.BadInput, match="no way to treat errors 'skip'"):
        es.score_batch(inputs, answers, outputs, errors="skip")  # type: ignore[call-overload]


def test_no_triples_have_no_scores_and_no_thread_stays() -> None:
    assert es.score_batch([], [], []) == []
    es.score_batch(*triples(3), jobs=3)
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("editscope-score")]


def test_a_score_prints_what_it_says_and_not_its_counts() -> None:
    before = np.zeros((1, 4, 4, 3), np.uint8)
    after = before.copy()
    after[:, 0] = 255
    shown = repr(es.score_batch(before, after, after)[0])
    assert shown == "<PixelScore miou=1, edit=1, preservation=1, failure=success, edit_pixels=4, output=4×4>"


def test_the_package_lists_its_public_names_only() -> None:
    assert [name for name in dir(es) if not name.startswith("__")] == sorted(es.__all__)

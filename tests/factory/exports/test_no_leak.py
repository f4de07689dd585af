"""The leak guard: copies of test pictures and repeated texts are dropped with the case that they are of."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from PIL import Image

from editscope.errors import BadInput
from editscope.factory.engine.build import Build
from editscope.factory.leaks import suite_index as index_module
from editscope.factory.leaks.pictures import PictureIndex, traces_of
from editscope.factory.leaks.step import NoLeakStep
from editscope.factory.leaks.texts import TextIndex
from editscope.factory.plan import BuildPlan
from editscope.factory.records import Fields, RecordNames
from editscope.factory.sources.base import RecordSource
from editscope.factory.steps.tools import Tools
from editscope.images import Pixels, decode, encode_png, load
from editscope.suites.registry import load_suite
from support.factory.made_pictures import BatchesHere, drawn
from support.judged_data import make_worldedit


def jpeg(pixels: Pixels, quality: int = 50) -> Pixels:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "JPEG", quality=quality)
    return decode(file.getvalue()).pixels


def resized(pixels: Pixels, scale: float) -> Pixels:
    height, width = pixels.shape[:2]
    return np.asarray(Image.fromarray(pixels).resize((round(width * scale), round(height * scale))))


COPIES: Mapping[str, Callable[[Pixels], Pixels]] = {
    "same": lambda pixels: pixels,
    "half": lambda pixels: resized(pixels, 0.5),
    "larger": lambda pixels: resized(pixels, 1.4),
    "jpeg": jpeg,
    "cropped": lambda pixels: pixels[2:-2, 2:-2],
    "mirrored": lambda pixels: np.ascontiguousarray(pixels[:, ::-1]),
    "turned": lambda pixels: np.ascontiguousarray(np.rot90(pixels)),
    "brighter": lambda pixels: (pixels * 0.8 + 40).astype(np.uint8),
}


class GivenSource(RecordSource):
    """Records with a picture and an instruction that a test gives."""

    settings_of: ClassVar = {"records": []}

    def records(self, tools: Tools, start: int = 0) -> Iterator[Fields]:
        for fields in self.settings["records"][start:]:
            shown = {"picture": tools.blobs.put(fields["png"])} if "png" in fields else {}
            yield {**{name: value for name, value in fields.items() if name != "png"}, **shown}

    def identity(self, tools: Tools) -> Any:
        return ["given", len(self.settings["records"])]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITSCOPE_CACHE", str(tmp_path / "cache"))


def guarded(folder: Path, records: list[dict[str, Any]], *suites: str, **settings: Any) -> tuple[list[str], Any]:
    """The reason for which each record with an outcome was dropped, and the counts."""
    step = NoLeakStep("guard", {"suites": list(suites), **settings})
    plan = BuildPlan("guarded", GivenSource({"records": records}), [step], folder=folder)
    with Build(plan, folder / "build", batches=BatchesHere()) as build:
        result = build.run()
        rows = dict(build.store._database.execute("SELECT record, body FROM results").fetchall())
        names = RecordNames()
        order = [names.add(fields) for fields in plan.source.records(build.tools)]
    return [json.loads(rows[name])[1] for name in order if name in rows], result


@pytest.mark.parametrize("name", COPIES)
def test_a_changed_copy_is_found_and_other_pictures_are_not(name: str) -> None:
    pictures = [drawn(seed, 200, 150) for seed in range(12)]
    index = PictureIndex(traces_of(pictures[:10]))
    assert [index.copied(COPIES[name](pixels)) for pixels in pictures] == [*range(10), None, None]


def test_a_picture_of_one_color_is_no_copy_of_another() -> None:
    white = np.full((64, 64, 3), 255, np.uint8)
    assert PictureIndex(traces_of([white])).copied(white) is None and PictureIndex(traces_of([])).copied(white) is None


def test_texts_are_the_same_whatever_case_signs_and_spaces() -> None:
    long = "Let the glass of milk on the wooden table stand in the warm kitchen for four long summer days and nights"
    index = TextIndex(["Drop the vase.", long, "让冰块在阳光下融化"])
    assert index.same("  drop — the VASE!") == 0 and index.same("Drop the vases.") is None
    assert index.same(f"Please: {long.lower()}, thanks") == 1
    assert index.same(long.replace("four", "three")) is None, "one other word is another sentence at this length"
    assert index.same("让冰块 在阳光下 融化。") == 2 and index.same("") is None and index.same("…") is None


@pytest.mark.slow
def test_records_that_a_suite_on_disk_has_are_dropped_with_its_case(tmp_path: Path) -> None:
    data = make_worldedit(tmp_path / "data", 4)
    suite = load_suite("worldedit", root=data)
    first, second = suite[suite.ids[0]], suite[suite.ids[1]]
    source = load(first.images[0])
    records: list[dict[str, Any]] = [
        {"png": encode_png(drawn(1, 96, 64)), "instruction": "Something that no suite has ever asked for."},
        {"png": encode_png(resized(source, 2.0)), "instruction": "A new wish."},
        {"png": encode_png(drawn(2, 96, 64)), "instruction": f" {second.instruction.upper()} "},
        {"png": encode_png(drawn(3, 96, 64)), "paraphrase": str(second.details["paraphrase"])},
        {"caption": "It has nothing that the guard compares."},
    ]
    reasons, result = guarded(tmp_path, records, "worldedit=data")
    assert reasons == [
        "",
        f"leak: picture of worldedit case {first.id}",
        f"leak: text of worldedit case {second.id}",
        f"leak: text of worldedit case {second.id}",
    ]
    counts = result.counts["guard"]
    assert dict(counts.dropped) == {"leak": 3} and counts.pending == 1


@pytest.mark.slow
def test_a_made_suite_is_guarded_by_pictures_and_fingerprints_but_not_by_its_sentences(tmp_path: Path) -> None:
    spec = "paintbench?tasks=border,removal&per_mode=1&conditions=baseline&canvas=256x256"
    suite, other = load_suite(spec), load_suite(spec + "&namespace=train")
    case, fresh = suite[suite.ids[0]], other[other.ids[0]]
    assert case.answer is not None
    records: list[dict[str, Any]] = [
        {"png": encode_png(load(fresh.images[0])), "instruction": case.instruction},
        {"png": encode_png(jpeg(load(case.answer)))},
        {"png": encode_png(load(fresh.images[0])), "fingerprint": case.fingerprint},
    ]
    reasons, _ = guarded(tmp_path, records, spec)
    case_shown = f"paintbench case {case.id}"
    assert reasons == ["", f"leak: picture of {case_shown}", f"leak: fingerprint of {case_shown}"]


def test_an_index_is_computed_once_and_again_when_the_suite_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = make_worldedit(tmp_path / "data", 2)
    path = index_module.suite_index(load_suite("worldedit", root=data))
    with monkeypatch.context() as patch:
        patch.setattr(index_module, "traces_of", None)
        assert index_module.suite_index(load_suite("worldedit", root=data)) == path
    lines = (data / "cases.jsonl").read_text().splitlines()
    (data / "cases.jsonl").write_text("\n".join(lines[:1]) + "\n")
    shorter = index_module.suite_index(load_suite("worldedit", root=data))
    assert shorter != path and len(index_module.read_index(shorter).picture_cases) == 1
    path.write_bytes(b"PK damaged")
    with pytest.raises(BadInput, match="remove it, and the next build makes it again"):
        index_module.read_index(path)


def test_what_cannot_be_guarded_against_is_named_before_anything_is_built(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="names no suite"):
        NoLeakStep("guard", {"suites": []})
    with pytest.raises(BadInput, match="share is 0"):
        NoLeakStep("guard", {"suites": ["paintbench"], "share": 0})
    for spec, message in (
        ("paintbnch", "did you mean 'paintbench'"),
        ("worldedit=nowhere", "nowhere is not a folder"),
        ("worldedit", "needs its data"),
        ("=data", "NAME=FOLDER"),
    ):
        plan = BuildPlan("g", GivenSource({}), [NoLeakStep("guard", {"suites": [spec]})], folder=tmp_path)
        with pytest.raises(BadInput, match=message):
            Build(plan, tmp_path / "build")

"""Candidate pictures come from folders, lists and datasets, by keyword or by embedding, and words come from laws."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from editscope.errors import BadInput
from editscope.factory.blobs import BlobStore
from editscope.factory.sources.candidates import CandidatesSource
from editscope.factory.sources.candidates.collections import load_rows
from editscope.factory.sources.words import LawKeywordsSource, LawWordsSource
from editscope.factory.steps.registry import make_source
from editscope.factory.steps.tools import Tools
from editscope.factory.words.reading import shipped_law_words
from editscope.images import encode_png
from support.factory.drawn_pictures import CAPTIONS, drawn_folder, drawn_picture


def found(folder: Path, start: int = 0, **settings: Any) -> list[Any]:
    """The records of a source of candidates in a folder."""
    source = CandidatesSource(settings)
    return list(source.records(tools(folder), start))


def tools(folder: Path, seed: int = 0) -> Tools:
    return Tools(BlobStore(folder / "blobs"), folder, seed, build=folder / "build")


def test_words_come_in_turn_from_the_laws_and_a_smaller_count_is_the_beginning(tmp_path: Path) -> None:
    source = LawWordsSource({"count": 80})
    records = list(source.records(tools(tmp_path)))
    assert Counter(record["law"] for record in records) == dict.fromkeys(shipped_law_words().laws, 10)
    assert set(records[0]) == {"law", "subject", "scene", "prompt", "motion"}
    assert records[0]["subject"] in records[0]["prompt"] and source.count(tools(tmp_path)) == 80
    assert list(LawWordsSource({"count": 20}).records(tools(tmp_path))) == records[:20]
    assert list(source.records(tools(tmp_path), 33)) == records[33:]
    assert list(source.records(tools(tmp_path, seed=1))) != records
    only = list(LawWordsSource({"count": 6, "laws": ["local", "global"]}).records(tools(tmp_path)))
    assert [record["law"] for record in only] == ["local", "global"] * 3


def test_words_that_cannot_be_used_are_refused_with_the_fix(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"add subjects, scenes or motions for it, or ask for at most"):
        list(LawWordsSource({"count": 10_000_000}).records(tools(tmp_path)))
    with pytest.raises(BadInput, match="did you mean 'reflection'"):
        list(LawWordsSource({"laws": ["reflexion"]}).records(tools(tmp_path)))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "words.toml").write_text(
        '[[subjects]]\nnames = ["red mug", "Red Mugs", ""]\nlaws = ["local"]\n'
        'places = ["tabletop"]\ntraits = ["movable"]\n'
    )
    with pytest.raises(BadInput, match=r"words\.toml"):
        list(LawWordsSource({"folder": "mine"}).records(tools(tmp_path)))


def test_laws_bring_their_keywords(tmp_path: Path) -> None:
    records = list(LawKeywordsSource({"laws": ["reflection"]}).records(tools(tmp_path)))
    assert len(records) == 1 and "rain puddle" in records[0]["known"] and records[0]["about"]


def test_a_folder_is_searched_by_the_captions_beside_its_pictures(tmp_path: Path) -> None:
    drawn_folder(tmp_path / "pictures", 12)
    records = found(tmp_path, path="pictures", license="CC0", laws=["reflection"])
    assert [record["file"] for record in records] == ["000.png", "001.png", "006.png", "007.png"]
    first = records[0]
    assert first["laws"] == ["reflection"] and first["keywords"] == ["antique wall mirror"]
    assert (first["width"], first["height"], first["license"], first["caption"]) == (160, 128, "CC0", CAPTIONS[0])
    assert found(tmp_path, 2, path="pictures", license="CC0", laws=["reflection"]) == records[2:]
    assert [one["file"] for one in found(tmp_path, path="pictures", laws=["reflection"], most=1)] == ["000.png"]
    assert len(found(tmp_path, path="pictures", by="all")) == 12
    mine = found(tmp_path, path="pictures", keywords=["pillows", "lamps and a notebook"])
    assert [record["file"] for record in mine] == ["003.png", "005.png", "009.png", "011.png"] and not mine[0]["laws"]


def test_a_list_and_keywords_from_a_file_are_read_and_what_does_not_decode_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(encode_png(drawn_picture(1)))
    (tmp_path / "b.png").write_bytes(b"\x89PNG\r\n\x1a\nbroken")
    (tmp_path / "c.png").write_text("prose")
    (tmp_path / "list.csv").write_text(
        "file_name,text,license\na.png,A garden pond,CC-BY\nb.png,Ponds in gardens,\nc.png,pond garden,\n"
        "d.png,a garden with a pond,\n"
    )
    (tmp_path / "words.jsonl").write_text(json.dumps({"law": "reflection", "keywords": ["garden pond"]}) + "\n")
    records = found(tmp_path, path="list.csv", keywords_from="words.jsonl")
    assert records[0]["license"] == "CC-BY" and records[0]["laws"] == ["reflection"] and "broken" not in records[0]
    assert [("broken" in record, "picture" in record) for record in records[1:]] == [(True, False)] * 3
    (tmp_path / "out.jsonl").write_text(json.dumps({"image": "../a.png", "caption": "pond"}) + "\n")
    with pytest.raises(BadInput, match="leaves the folder"):
        found(tmp_path, path="out.jsonl", by="all")


@pytest.mark.slow
def test_datasets_on_disk_are_read_as_parquet_as_saved_and_as_the_hub_streams_them(tmp_path: Path) -> None:
    import datasets

    rows = {
        "image": [{"bytes": encode_png(drawn_picture(n)), "path": None} for n in range(9)],
        "text": [CAPTIONS[n % 3] for n in range(9)],
        "license": ["CC0"] * 9,
    }
    features = {"image": datasets.Image(), "text": datasets.Value("string"), "license": datasets.Value("string")}
    made = datasets.Dataset.from_dict(rows, features=datasets.Features(features))
    (tmp_path / "hub" / "data").mkdir(parents=True)
    made.to_parquet(tmp_path / "hub" / "data" / "train-00000-of-00001.parquet", batch_size=4)
    datasets.DatasetDict({"train": made}).save_to_disk(tmp_path / "saved")
    by_parquet, by_saved = (found(tmp_path, path=one, laws=["reflection"]) for one in ("hub", "saved"))
    assert [record["picture"] for record in by_parquet] == [record["picture"] for record in by_saved]
    assert len(by_parquet) == 6 and by_parquet[2]["file"] == "data/train-00000-of-00001.parquet#3"
    assert found(tmp_path, 3, path="hub", laws=["reflection"]) == by_parquet[3:]
    streamed = [row["text"] for row in load_rows(str(tmp_path / "hub"), "train")]
    assert streamed == rows["text"]
    with pytest.raises(BadInput, match="cannot be loaded"):
        load_rows(str(tmp_path / "nowhere"), "train")
    with pytest.raises(BadInput, match="there is no split 'test'"):
        found(tmp_path, path="saved", split="test")


@pytest.mark.slow
def test_a_model_of_clips_kind_finds_pictures_and_is_asked_once(tmp_path: Path, monkeypatch: Any) -> None:
    from support.models.classic_models import save_tiny_clip
    from support.models.tiny_tokenizer import save_tiny_tokenizer

    save_tiny_tokenizer(save_tiny_clip(tmp_path / "clip"), ["rain", "puddle", "photo", "of", "a", "mirror", "soap"])
    drawn_folder(tmp_path / "pictures", 10)
    (tmp_path / "pictures" / "broken.png").write_bytes(b"no picture")
    settings: dict[str, Any] = {"path": "pictures", "by": "embedding", "model": "clip", "least": -1.0}
    records = found(tmp_path, **settings)
    assert len(records) == 10 and all(len(record["laws"]) == 1 for record in records)
    assert all(-1 <= record["similarity"] <= 1 for record in records)
    best = found(tmp_path, **settings, most=1)
    by_law = {
        law: max(r["similarity"] for r in records if r["laws"] == [law]) for (law,) in (r["laws"] for r in records)
    }
    assert {record["laws"][0]: record["similarity"] for record in best} == by_law
    monkeypatch.setattr("editscope.factory.sources.candidates.finding._compared", None)  # it would fail
    assert found(tmp_path, **settings) == records
    with pytest.raises(BadInput, match="need a model"):
        found(tmp_path, path="pictures", by="embedding")


def test_a_source_that_is_not_there_is_refused_with_the_fix(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="needs a path"):
        found(tmp_path)
    with pytest.raises(BadInput, match="is not a collection of pictures"):
        found(tmp_path, path="nowhere")
    with pytest.raises(BadInput, match="is not of the form hf:OWNER/NAME"):
        found(tmp_path, path="hf:nobody")
    with pytest.raises(BadInput, match="there is no setting 'keyword'"):
        make_source({"use": "candidates", "keyword": ["pond"]}, "plan.toml")
    drawn_folder(tmp_path / "pictures", 1)
    with pytest.raises(BadInput, match="did you mean 'keyword'"):
        found(tmp_path, path="pictures", by="keywords")

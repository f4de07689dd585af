"""Candidate pictures for a benchmark, as a source of records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

from editscope.errors import BadImage, BadInput, unknown
from editscope.factory.records import Fields, digest
from editscope.factory.sources.base import RecordSource
from editscope.factory.sources.candidates.collections import HUB, CandidatePicture, PictureCollection, open_collection
from editscope.factory.sources.candidates.finding import FoundPicture, Keyword, by_embedding, by_keyword, read_keywords
from editscope.factory.steps.tools import Tools
from editscope.factory.words.reading import read_law_words

WAYS = ("keyword", "embedding", "all")
_STARTS = ((b"\x89PNG", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"RIFF", "image/webp"))


class CandidatesSource(RecordSource):
    """Pictures of a collection that fit the keywords of laws.

    ``path`` is a folder, a list (JSON lines or CSV), a dataset on disk (Parquet files, or what ``datasets`` saved), or
    ``hf:OWNER/NAME@REVISION``. ``by`` is ``keyword`` (all words of a keyword stand in the caption), ``embedding``
    (``model`` is a folder with a model of CLIP's kind), or ``all``. Keywords are those of the dictionary for
    ``laws``, with those of a file (``keywords_from``), or ``keywords`` alone. ``most`` is how many each law gets.

    A record has ``picture``, ``width``, ``height``, ``file``, ``source``, ``caption``, ``license``, ``keywords`` and
    ``laws``: what it was found by. One that cannot be decoded has ``broken`` with the reason.
    """

    settings_of: ClassVar = {
        "path": "", "by": "keyword", "laws": [], "keywords": [], "keywords_from": "", "folder": "", "columns": {},
        "split": "train", "license": "", "model": "", "least": 0.0, "most": 0,
    }  # fmt: skip

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__(settings)
        self._opened: dict[Path, PictureCollection] = {}

    def identity(self, tools: Tools) -> Any:
        """The settings, what is in the collection, the keywords, and the files of the model."""
        words = [[one.law, one.text] for one in self._keywords(tools)]
        return [*super().identity(tools), self._collection(tools).identity, words, self._model_files(tools)]

    def records(self, tools: Tools, start: int = 0) -> Iterator[Fields]:
        """A record for each picture that was found."""
        collection = self._collection(tools)
        for found in islice(self._found(collection, tools), start, None):
            yield self._record(found, collection.origin, tools)

    def count(self, tools: Tools) -> int | None:
        """How many are found, where that can be told without a download."""
        if str(self.settings["path"]).startswith(HUB):
            return None
        return sum(1 for _ in self._found(self._collection(tools), tools))

    def _found(self, collection: PictureCollection, tools: Tools) -> Iterator[FoundPicture]:
        way, most = self.settings["by"], self.settings["most"]
        if way not in WAYS:
            raise unknown("way to find candidates", str(way), WAYS)
        if way == "all":
            return (FoundPicture(one) for one in islice(collection.pictures(), most or None))
        keywords = self._keywords(tools)
        if way == "keyword":
            return by_keyword(collection.pictures(), keywords, most)
        if not self.settings["model"]:
            raise BadInput("candidates by embedding need a model: model = 'FOLDER' with weights of CLIP's kind")
        kept_in = tools.build / f"embeddings-{digest(self.identity(tools)).hex()}.json"
        return by_embedding(
            list(collection.pictures()), keywords, str(tools.folder / self.settings["model"]),
            least=self.settings["least"], most=most, kept_in=kept_in,
        )  # fmt: skip

    def _record(self, found: FoundPicture, origin: str, tools: Tools) -> Fields:
        picture = found.picture
        fields: dict[str, Any] = {
            "file": picture.file,
            "source": origin,
            "caption": picture.caption,
            "license": picture.license or self.settings["license"],
            "keywords": [one.text for one in found.keywords],
            "laws": list(found.laws),
        }
        if found.similarity is not None:
            fields["similarity"] = found.similarity
        return {**fields, **_picture(picture, tools)}

    def _keywords(self, tools: Tools) -> list[Keyword]:
        settings = self.settings
        if settings["by"] == "all":
            return []
        if settings["keywords"]:
            return [Keyword(str(text)) for text in settings["keywords"]]
        words = read_law_words(tools.folder / settings["folder"] if settings["folder"] else None)
        for law in settings["laws"]:
            if law not in words.laws:
                raise unknown("law", str(law), words.laws, of="the source")
        laws = settings["laws"] or words.laws
        known = [Keyword(text, law) for law in laws for text in words.keywords.get(law, ())]
        if settings["keywords_from"]:
            known += [one for one in read_keywords(tools.folder / settings["keywords_from"]) if one.law in laws]
        return list(dict.fromkeys(known))

    def _collection(self, tools: Tools) -> PictureCollection:
        if tools.folder not in self._opened:
            path, columns, split = (self.settings[name] for name in ("path", "columns", "split"))
            self._opened[tools.folder] = open_collection(str(path), tools.folder, columns, split)
        return self._opened[tools.folder]

    def _model_files(self, tools: Tools) -> list[Any]:
        if self.settings["by"] != "embedding" or not self.settings["model"]:
            return []
        folder = tools.folder / Path(str(self.settings["model"]))
        return sorted([file.name, file.stat().st_size] for file in folder.glob("*") if file.is_file())


def _picture(picture: CandidatePicture, tools: Tools) -> dict[str, Any]:
    from editscope.images import load

    try:
        data = picture.read()
        kind = next((kind for start, kind in _STARTS if data.startswith(start)), "")
        if not kind:
            return {"broken": "not a PNG, JPEG or WebP picture"}
        height, width = load(data, name=picture.file).shape[:2]
    except (BadImage, BadInput) as error:
        return {"broken": str(error)}
    except OSError as error:
        return {"broken": f"cannot be read ({error.strerror})"}
    return {"picture": tools.blobs.put(data, kind), "width": width, "height": height}

"""The step that drops what test suites have: copies of their pictures, and repetitions of their texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, ClassVar

from editscope.errors import BadInput
from editscope.factory.leaks.pictures import DISTANCE, PictureIndex, joined
from editscope.factory.leaks.suite_index import SuiteIndex, open_suite, read_index, suite_index
from editscope.factory.leaks.texts import SHARE, WORDS, TextIndex
from editscope.factory.records import BLOB, Record
from editscope.factory.steps.base import Outcome, PlainStep, StepFailed, dropped, kept
from editscope.factory.steps.tools import Tools
from editscope.images import decode
from editscope.suites.base import Suite

FINGERPRINT = "fingerprint"
"""The field of a record that was made from a seed: the fingerprint of its case."""
TEXTS = ("instruction", "paraphrase", "superficial", "intermediate", "explicit")
PICTURES = ("picture", "before", "after", "edit")


class NoLeakStep(PlainStep):
    """Drop records that show a picture of a test suite or repeat one of its texts.

    ``suites`` are names of suites or, where one has data, ``NAME=FOLDER``. ``texts`` and ``pictures``
    are the fields to compare; a record that has none of them stays pending, since it was not compared. A picture is
    found again resized, compressed, cropped by 2 %, mirrored or turned. Of suites that are made from seeds, pictures
    and fingerprints are compared, but not sentences.
    """

    kind = "filter"
    in_process = True
    settings_of: ClassVar = {
        "suites": [], "texts": list(TEXTS), "pictures": list(PICTURES), "distance": DISTANCE, "words": WORDS,
        "share": SHARE,
    }  # fmt: skip
    decisive = ("suites", "distance", "words", "share")

    def __init__(self, name: str, settings: Mapping[str, Any], reads: Sequence[str] = ()) -> None:
        super().__init__(name, settings, reads)
        if not self.settings["suites"]:
            raise BadInput(f"step {name!r} names no suite; write: suites = ['NAME', 'NAME=FOLDER']")
        if not 0 < self.settings["share"] <= 1:
            raise BadInput(f"step {name!r}: share is {self.settings['share']}; write a number over 0, up to 1")
        if self.settings["words"] < 1:
            raise BadInput(f"step {name!r}: words is {self.settings['words']}; write a whole number from 1")
        if not self.reads:
            self.reads = (*self.settings["texts"], *self.settings["pictures"], FINGERPRINT)
        self._fingerprints: list[str] = []
        self._paths: tuple[Path, ...] = ()

    def begin(self, tools: Tools) -> None:
        """Open the suites, so that one that is not there is named before anything is done."""
        self._fingerprints = [suite.fingerprint for suite in self._suites(tools)]

    def identity(self) -> Any:
        """The settings, and which cases the suites have."""
        return [*super().identity(), self._fingerprints]

    async def prepare(self, tools: Tools) -> None:
        """Compute the indexes that are not kept yet."""
        if not self._paths:
            self._paths = tuple(
                suite_index(suite, partial(tools.tell, f"index of {suite.name}")) for suite in self._suites(tools)
            )

    def _suites(self, tools: Tools) -> Iterator[Suite]:
        for spec in self.settings["suites"]:
            try:
                yield open_suite(str(spec), tools.folder)
            except BadInput as error:
                raise BadInput(f"step {self.name!r}, suite {spec!r}: {error}") from error

    def apply(self, record: Record, tools: Tools) -> Outcome:
        """Drop a record that test suites have."""
        guard = _guard(self._paths, self.settings["distance"], self.settings["words"], self.settings["share"])
        texts = [text for name in self.settings["texts"] for text in _texts(record.fields.get(name))]
        blobs = [blob for name in self.settings["pictures"] for blob in _blobs(record.fields.get(name))]
        if not texts and not blobs:
            named = ", ".join([*self.settings["texts"], *self.settings["pictures"]])
            raise StepFailed(f"the record has nothing to compare: none of the fields {named}")
        if (found := guard.fingerprints.get(str(record.fields.get(FINGERPRINT, "")))) is not None:
            return dropped(f"leak: fingerprint of {found}")
        for text in texts:
            if (place := guard.texts.same(text)) is not None:
                return dropped(f"leak: text of {guard.text_cases[place]}")
        for blob in blobs:
            if (place := guard.pictures.copied(decode(tools.blobs.get(blob)).pixels)) is not None:
                return dropped(f"leak: picture of {guard.picture_cases[place]}")
        return kept()


class LeakGuard:
    """The indexes of several suites as one."""

    def __init__(self, indexes: Sequence[SuiteIndex], distance: int, words: int, share: float) -> None:
        self.pictures = PictureIndex(joined([one.pictures for one in indexes]), distance)
        self.picture_cases = [f"{one.name} case {case}" for one in indexes for case in one.picture_cases]
        self.texts = TextIndex([text for one in indexes for text in one.texts], words, share)
        self.text_cases = [f"{one.name} case {case}" for one in indexes for case in one.text_cases]
        self.fingerprints = {
            fingerprint: f"{one.name} case {case}" for one in indexes for fingerprint, case in one.fingerprints.items()
        }


@lru_cache(maxsize=4)
def _guard(paths: tuple[Path, ...], distance: int, words: int, share: float) -> LeakGuard:
    return LeakGuard([read_index(path) for path in paths], distance, words, share)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _blobs(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, Mapping) and BLOB in value:
        if str(value.get("type", "")).startswith("image/"):
            yield value
    elif isinstance(value, list):
        for inner in value:
            yield from _blobs(inner)

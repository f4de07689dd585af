"""The pipeline picabench-keywords: a model widens the keywords of laws, and candidates are found by them."""

from __future__ import annotations

from pathlib import Path

import pytest

from editscope.factory.blobs import BlobStore
from editscope.factory.sources.candidates import CandidatesSource
from editscope.factory.steps.tools import Tools
from editscope.suites.picabench.data import LAWS
from support.factory.drawn_pictures import drawn_folder
from support.factory.kills import accept_all
from support.factory.pipeline_builds import built_here, exported, pipeline_folder
from support.factory.scripted_writer import writer


@pytest.mark.slow
def test_keywords_that_a_model_wrote_and_people_accepted_find_candidates(tmp_path: Path) -> None:
    with writer() as server:
        folder = pipeline_folder("picabench-keywords", tmp_path / "words", {"writer": server.spec()}, {})
        waiting, _ = built_here(folder)
        assert "8 of 8 records wait for people at step 'check-keywords'" in waiting.waiting
        result, _ = built_here(folder, people=accept_all)
        assert result.records == server.calls == len(LAWS)
    place = exported(folder)
    drawn_folder(tmp_path / "pictures", 2, ("a white vase, one tool beside it, of local make", "nothing to see"))
    tools = Tools(BlobStore(tmp_path / "blobs"), tmp_path, build=tmp_path / "build")
    before = list(CandidatesSource({"path": "pictures"}).records(tools))
    after = list(CandidatesSource({"path": "pictures", "keywords_from": str(place)}).records(tools))
    assert not before and [record["laws"] for record in after] == [["local"]]

"""A database that goes away and comes back: a sentence meanwhile, and every vote once."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from support.studio.postgres import installed, postgres
from support.studio.route_calls import RawClient, everything_in, route_calls
from support.studio.studio_server import studio
from support.studio.whole_studio import whole_studio


@pytest.mark.slow
@pytest.mark.skipif(not installed(), reason="needs Debian's postgresql package")
def test_votes_are_refused_with_a_sentence_while_the_database_is_away_and_saved_once_after(tmp_path: Path) -> None:
    with postgres() as server:
        made = whole_studio(tmp_path, server.database())
        with studio(tmp_path, database=made.database) as address, closing(RawClient(address)) as client:
            calls = {call.name: call for call in route_calls(made, address)}
            vote = calls["POST /rate/{secret}/api/votes"]
            before = everything_in(made)
            server.stop()
            for name in (vote.name, "POST /rate/review/{secret}/api/decisions", "GET /studies", "GET /annotate"):
                answer = client.call(calls[name])
                assert answer.status == 503 and "does not answer" in answer.text, (name, answer.text)
            server.start()
            assert everything_in(made) == before
            for _ in range(2):
                (receipt,) = json.loads(client.call(vote).body)["receipts"]
                assert receipt["status"] == "saved"
        assert len(everything_in(made)["study_votes"]) == len(before["study_votes"]) + 1

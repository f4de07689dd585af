"""Chat endpoints that answer with pictures: found wherever they stand, and a text alone is not a picture."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from editscope.editors import Editor, load_editor
from editscope.errors import BadInput
from editscope.images import encode_png
from support.hosted_edits import edited, is_negative
from support.servers.editor_server import KEY, Fault, Reply
from support.servers.editor_server_chat import SHAPES, ChatServer


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_picture_is_found_in_every_shape_and_the_text_is_the_trace(used: Callable[..., Editor], shape: str) -> None:
    with ChatServer([Reply(text="I turned the colors around.")], shape=shape, keys=[KEY]) as server:
        edit = edited(used(server.spec()))
    assert (edit.status, server.wrong) == ("ok", [])
    assert is_negative(edit)
    assert edit.model == "some/image-chat-2030-01-01"
    if shape in ("bare base64", "b64_json part"):
        assert edit.trace is None
    else:
        assert "I turned the colors around." in str(edit.trace)
    assert "base64" not in str(edit.trace)


@pytest.mark.parametrize("shape", ["images", "markdown", "content parts"])
def test_an_address_is_fetched_without_the_key(used: Callable[..., Editor], shape: str) -> None:
    with ChatServer([Reply(by_url=True)], shape=shape, keys=[KEY]) as server:
        edit = edited(used(server.spec()))
    assert (edit.status, server.fetches, server.leaks) == ("ok", 1, 0)
    assert is_negative(edit)


def test_what_is_sent_is_the_pictures_the_instruction_the_seed_and_the_options(used: Callable[..., Editor]) -> None:
    numbers: dict[str, Any] = {"temperature": 0.5, "top_p": 0.9, "max_tokens": 4096}
    shape: dict[str, Any] = {"aspect_ratio": "16:9", "image_size": "2K"}
    with ChatServer() as server:
        edited(used(server.spec(**numbers, **shape, modalities="image")), 4, pictures=2, seed=2**32 - 1)
        edited(used(server.spec(modalities="off", seed="false")))
    first, second = server.seen
    assert (first.instruction, len(first.pictures), first.fields["seed"]) == ("Edit 4.", 2, 2**31 - 1)
    assert first.fields["image_config"] == shape
    assert first.fields["modalities"] == ["image"]
    assert {name: first.fields[name] for name in numbers} == numbers
    assert set(second.fields) == {"model", "stream"}


def test_a_server_that_knows_no_modalities_or_seed_is_asked_without_unless_they_were_wanted(
    used: Callable[..., Editor],
) -> None:
    with ChatServer(objects_to=("modalities", "seed")) as server:
        editor = used(server.spec(), concurrency=1)
        assert [edited(editor, number).status for number in range(3)] == ["ok"] * 3
        assert (len(server.wrong), server.calls) == (2, 3), "learned once"
        with ThreadPoolExecutor(8) as pool:
            other = used(server.spec())
            other.load()
            together = list(pool.map(lambda number: edited(other, number), range(8)))
        assert {edit.status for edit in together} == {"ok"}, "those under way in the old form are made again, too"
        wanted = edited(used(server.spec(seed="true", modalities="off")))
    assert wanted.status == "error" and "seed" in str(wanted.reason)


def test_a_text_alone_is_no_output_with_the_text_as_trace(used: Callable[..., Editor]) -> None:
    with ChatServer([Reply(text=f"I would rather describe it. {KEY}", text_only=True)]) as server:
        edit = edited(used(server.spec()))
    assert (edit.status, edit.reason) == ("no_output", "the model answered with text only")
    assert (edit.trace, edit.image, server.calls) == ("I would rather describe it. [key]", None, 1)


def test_a_filter_or_a_refusal_is_refused(used: Callable[..., Editor]) -> None:
    raw = {"choices": [{"message": {"content": None, "refusal": "I will not."}}]}
    with ChatServer([Reply(refused="yes", text_only=True), Reply(raw=raw)]) as server:
        filtered = edited(used(server.spec()))
        declined = edited(used(server.spec()))
    assert (filtered.status, filtered.reason) == ("refused", "content filter")
    assert (declined.status, declined.reason) == ("refused", "I will not.")


@pytest.mark.parametrize(
    ("error", "status", "calls"),
    [
        ({"code": 502, "message": "Provider returned error"}, "ok", 2),
        ({"message": "upstream"}, "ok", 2),
        ({"code": 400, "message": "bad picture"}, "error", 1),
        ({"code": 403, "message": "flagged: content_policy"}, "refused", 1),
    ],
)
def test_an_error_inside_of_a_200_counts_as_what_it_says(
    used: Callable[..., Editor], error: dict[str, Any], status: str, calls: int
) -> None:
    with ChatServer([Reply(raw={"error": error}), Reply()]) as server:
        edit = edited(used(server.spec()))
    assert (edit.status, server.calls) == (status, calls)


def test_of_several_pictures_the_first_or_the_last_is_taken_and_that_is_said(used: Callable[..., Editor]) -> None:
    last = np.full((9, 9, 3), 77, np.uint8)
    with ChatServer([Reply(more=(encode_png(last),))]) as server:
        first, other = edited(used(server.spec())), edited(used(server.spec(take="last")))
    assert is_negative(first) and first.notes == ("the first of 2 pictures",)
    assert np.array_equal(other.image, last) and other.notes == ("the last of 2 pictures",)  # type: ignore[arg-type]


def test_what_a_gateway_says_it_charged_is_the_cost(used: Callable[..., Editor]) -> None:
    usage = {"prompt_tokens": 300, "completion_tokens": 1300, "completion_tokens_details": {"image_tokens": 1290}}
    script = [Reply(usage={**usage, "cost": 0.0421}), Reply(usage=usage), Reply(usage={})]
    with ChatServer(script) as server:
        editor = used(server.spec("google/gemini-2.5-flash-image"), concurrency=1)
        edits = [edited(editor, number) for number in range(3)]
    assert edits[0].cost_usd == 0.0421
    assert edits[1].cost_usd == pytest.approx((300 * 0.3 + 10 * 2.5 + 1290 * 30.0) / 1e6)
    assert edits[2].cost_usd == pytest.approx(0.039)
    with ChatServer([Reply(usage={})]) as server:
        assert edited(used(server.spec("nobody/knows-the-price"))).cost_usd is None


@pytest.mark.parametrize("fault", [Fault(429), Fault(500), Fault(kind="truncated"), Reply(broken_base64=True)])
def test_what_passes_is_tried_again(used: Callable[..., Editor], fault: Any) -> None:
    with ChatServer([fault, Reply()]) as server:
        edit = edited(used(server.spec()))
    assert (edit.status, edit.attempts) == ("ok", 2) and is_negative(edit)


def test_a_chat_editor_needs_an_address_and_a_key_only_where_the_server_wants_one(
    used: Callable[..., Editor], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BadInput, match="needs the address of its server"):
        load_editor("chat:some/model")
    monkeypatch.delenv("OPENAI_API_KEY")
    with ChatServer() as server:
        editor = used(server.spec())
        editor.check()
        assert edited(editor).status == "ok" and server.seen[0].key == ""

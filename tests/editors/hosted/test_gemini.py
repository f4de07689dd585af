"""Gemini's image models against a server that checks the wire format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import numpy as np
import pytest

from editscope.editors import load_editor
from editscope.errors import BadInput, Stopped
from editscope.images import encode_png
from support.hosted_edits import edit, edits, is_negative, paintbench_run
from support.servers.editor_server import KEY, Fault, Reply, load_bytes, quick, request
from support.servers.editor_server_gemini import USAGE, Candidate, GeminiServer

FLASH, PRO, LATER = "gemini-2.5-flash-image", "gemini-3-pro-image-preview", "gemini-3.1-flash-image-preview"


Called = CompletedProcess[str]


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", KEY)


def test_pictures_go_out_inline_and_in_order_then_the_instruction_and_a_picture_comes_back() -> None:
    asked = request(3, pictures=3, instruction="Make the sky green, naïve “quotes” too.")
    with GeminiServer(keys=[KEY]) as server:
        made = edit(server.spec(), asked)
    assert is_negative(made, asked) and (made.attempts, made.model, server.wrong) == (1, f"{FLASH}-001", [])
    (seen,) = server.seen
    assert seen.instruction == asked.instruction
    assert [load_bytes(picture).tolist() for picture in seen.pictures] == [array.tolist() for array in asked.arrays]
    assert seen.fields["generationConfig"] == {"responseModalities": ["TEXT", "IMAGE"], "seed": 7}


def test_every_option_reaches_the_server() -> None:
    options = {"aspect": "16:9", "size": "2K", "modalities": "image", "temperature": 0.5, "top_p": 0.9}
    with GeminiServer() as server:
        edit(server.spec(LATER, thinking="high", thoughts="true", seed="false", **options))
    assert server.seen[0].fields["generationConfig"] == {
        "responseModalities": ["IMAGE"],
        "imageConfig": {"aspectRatio": "16:9", "imageSize": "2K"},
        "thinkingConfig": {"thinkingLevel": "HIGH", "includeThoughts": True},
        "temperature": 0.5,
        "topP": 0.9,
    }


@pytest.mark.parametrize(
    ("model", "shape", "aspect"),
    [
        (FLASH, (512, 512), "1:1"),
        (FLASH, (576, 1024), "16:9"),
        (PRO, (100, 400), "21:9"),
        (LATER, (100, 400), "4:1"),
        (LATER, (800, 100), "1:8"),
    ],
)
def test_closest_asks_for_an_aspect_ratio_that_the_model_can_make(
    model: str, shape: tuple[int, int], aspect: str
) -> None:
    with GeminiServer() as server:
        made = edit(server.spec(model, aspect="closest"), request(arrays=(np.zeros((*shape, 3), np.uint8),)))
    assert (made.status, server.wrong) == ("ok", [])
    assert server.seen[0].fields["generationConfig"]["imageConfig"] == {"aspectRatio": aspect}


def test_a_size_of_512_is_sent_as_a_text() -> None:
    with GeminiServer() as server:
        assert edit(server.spec(LATER, size=512)).status == "ok"
    assert server.seen[0].fields["generationConfig"]["imageConfig"] == {"imageSize": "512"}


def test_seeds_of_more_than_31_bits_are_cut_and_given_up_where_the_server_objects() -> None:
    asked = request(seed=2**32 - 1)
    with GeminiServer() as server:
        edit(server.spec(), asked)
    assert server.seen[0].fields["generationConfig"]["seed"] == 2**31 - 1
    with GeminiServer(objects_to=("seed",)) as server:
        first, second = edits(server.spec(), asked, request(1))
        wanted = edit(server.spec(seed="true"))
    assert (first.status, second.status, wanted.status) == ("ok", "ok", "error")
    assert len(server.wrong) == 2, "what the server does not know is not sent to it again"


def test_text_and_thoughts_are_kept_apart_and_thought_pictures_are_no_output() -> None:
    thought = encode_png(np.zeros((8, 8, 3), np.uint8))
    script = [
        Candidate(text="Here it is.", thoughts="First the sky.", thought_picture=thought),
        Candidate(text="Here it is."),
        Candidate(text_only=True, thoughts="Hm.", thought_picture=thought),
    ]
    with GeminiServer(script) as server:
        both, said, only = edits(server.spec(PRO), request(), request(), request())
    assert is_negative(both) and both.trace == "[thoughts]\nFirst the sky.\n\n[reply]\nHere it is."
    assert said.trace == "Here it is."
    assert (only.status, only.image, only.trace) == ("error", None, None), "thoughts alone are no reply at all"


@pytest.mark.parametrize("reason", ["SAFETY", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "IMAGE_SAFETY"])
def test_a_blocked_request_is_refused_and_not_sent_again(reason: str) -> None:
    script = [Candidate(refused=reason, message=f"no {KEY}", usage={"promptTokenCount": 1000})]
    with GeminiServer(script) as server:
        made = edit(server.spec())
    assert (made.status, made.image, server.calls) == ("refused", None, 1)
    assert made.reason == f"the request was blocked ({reason}): no [key]"
    assert made.cost_usd == pytest.approx(0.3e-3)


@pytest.mark.parametrize(
    ("ended", "status"),
    [
        *((reason, "refused") for reason in ("SAFETY", "PROHIBITED_CONTENT", "IMAGE_SAFETY", "RECITATION")),
        *((reason, "refused") for reason in ("IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "BLOCKLIST", "SPII")),
        *((reason, "no_output") for reason in ("NO_IMAGE", "IMAGE_OTHER", "OTHER", "MAX_TOKENS")),
    ],
)
@pytest.mark.parametrize("text", ["", "I would rather not."])
def test_a_reply_that_ended_without_a_picture_says_why(ended: str, status: str, text: str) -> None:
    with GeminiServer([Candidate(ended=ended, text=text, message="as said")]) as server:
        made = edit(server.spec())
    what = "the picture was withheld" if status == "refused" else "the model made no picture"
    assert (made.status, made.image, server.calls) == (status, None, 1)
    assert (made.reason, made.trace) == (f"{what} ({ended}): as said", text or None)


def test_text_only_is_no_output_and_the_text_is_kept() -> None:
    with GeminiServer([Candidate(text_only=True, text="I can only describe it.")]) as server:
        made = edit(server.spec())
    assert (made.status, made.reason) == ("no_output", "the model answered with text only")
    assert (made.trace, server.calls) == ("I can only describe it.", 1)


def test_an_empty_reply_is_asked_for_again() -> None:
    with GeminiServer([Candidate(empty=True), Reply()]) as server:
        made = edit(server.spec())
    assert is_negative(made) and made.attempts == 2


def test_further_pictures_are_said_in_the_notes() -> None:
    with GeminiServer([Reply(more=(b"never looked at",))]) as server:
        made = edit(server.spec())
    assert is_negative(made) and made.notes == ("the first of 2 pictures",)


def test_the_cost_is_that_of_the_tokens_thoughts_included_and_the_estimate_that_of_the_list() -> None:
    bare = {"promptTokenCount": 300, "candidatesTokenCount": 1290}
    with GeminiServer([Reply(), Reply(usage=bare), Reply(usage={})]) as server:
        detailed, rough, listed = edits(server.spec(), request(), request(), request())
    assert detailed.cost_usd == pytest.approx((300 * 0.3 + 210 * 2.5 + 1290 * 30) / 1e6)
    assert rough.cost_usd == pytest.approx((300 * 0.3 + 1290 * 30) / 1e6), "without details the picture is all there is"
    assert listed.cost_usd == pytest.approx(0.039)
    assert load_editor(f"gemini:{FLASH}").estimate(100) == pytest.approx(3.9)
    assert load_editor(f"gemini:{PRO}?size=4K").estimate(1, 2) == pytest.approx(0.24 + 2 * 0.0011)
    assert load_editor("gemini:gemini-9").estimate(1) is None
    assert USAGE["totalTokenCount"] == 1800


def test_a_wrong_key_is_said_before_anything_is_spent_and_stops_a_run_that_has_begun() -> None:
    with GeminiServer(keys=["another"]) as server:
        with pytest.raises(BadInput, match="does not accept the key in GEMINI_API_KEY") as raised:
            quick(server.spec()).check()
        with pytest.raises(Stopped, match="does not accept the key") as stopped:
            edit(server.spec())
    assert (server.calls, KEY in str(raised.value), KEY in str(stopped.value)) == (0, False, False)


def test_an_account_without_any_quota_for_the_model_stops_the_run() -> None:
    message = "Quota exceeded for metric: generate_content_free_tier_requests, limit: 0, model: gemini-2.5-flash-image"
    with GeminiServer([Fault(429, message)]) as server, pytest.raises(Stopped, match="turn on billing"):
        edit(server.spec())
    assert server.calls == 1


def test_the_check_asks_for_the_model_and_is_free() -> None:
    with GeminiServer(keys=[KEY], models=[FLASH]) as server:
        quick(server.spec()).check()
        assert (server.calls, server.checks) == (0, 1)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("gemini:m?aspect=2:1", "option aspect: '2:1' is not one of auto, closest, 1:1"),
        ("gemini:m?size=8K", "option size: '8K' is not one of 512, 1K, 2K, 4K"),
        ("gemini:m?temperature=3", "a number from 0 to 2"),
        ("gemini:m?aspekt=1:1", "did you mean 'aspect'"),
        ("gemini:m?api_key=secret-value", "keys come from the environment only"),
    ],
)
def test_options_that_cannot_be_are_said_with_what_can(spec: str, said: str) -> None:
    with pytest.raises(BadInput, match=said.replace("?", r"\?")) as raised:
        load_editor(spec)
    assert "secret-value" not in str(raised.value)


def test_each_model_takes_as_many_pictures_as_its_makers_say() -> None:
    assert [load_editor(f"gemini:{model}").max_images for model in (FLASH, PRO, LATER)] == [3, 14, 14]


@pytest.mark.slow
def test_a_run_on_paintbench_keeps_what_the_server_said_and_never_the_key(tmp_path: Path) -> None:
    script = [Candidate(text="There."), Candidate(ended="IMAGE_SAFETY"), Candidate(text_only=True, text="No.")]
    with GeminiServer(script, keys=[KEY]) as server:
        lines = paintbench_run(server.spec(LATER, aspect="closest"), tmp_path / "run")
    assert sorted(line["status"] for line in lines) == ["no_output", "ok", "refused"] and server.wrong == []
    assert {line["model"] for line in lines} == {f"{LATER}-001"} and all(line["cost_usd"] > 0 for line in lines)
    assert sorted(line["trace"] or "" for line in lines) == ["", "No.", "There."]
    assert {seen.fields["generationConfig"]["imageConfig"]["aspectRatio"] for seen in server.seen} == {"4:3"}
    assert len({seen.fields["generationConfig"]["seed"] for seen in server.seen}) == 3, (
        "each case has a seed of its own"
    )


def test_a_dry_run_says_the_price_and_the_spec_as_it_was_written(editscope: Callable[..., Called]) -> None:
    spec = f"resize(longest=512):gemini:{FLASH}"
    done = editscope("run", "paintbench", "--editor", spec, "--limit", "8", "--dry-run")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"editor {spec}\n" in done.stdout, ":gemini: is not a sign of the zodiac"
    assert "8 edits, $0.31" in done.stdout

"""Black Forest Labs against a server that checks the wire format: submit, poll, fetch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from editscope.editors import load_editor
from editscope.editors.hosted.exchange import Exchange
from editscope.editors.hosted.service import ServiceSettings
from editscope.errors import BadInput, Stopped
from editscope.images import encode_png
from support.hosted_edits import edit, edits, is_negative, paintbench_run
from support.servers.editor_server import KEY, Fault, Reply, load_bytes, quick, request
from support.servers.editor_server_bfl import BFLServer, Task


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BFL_API_KEY", KEY)


def test_a_task_is_submitted_polled_and_fetched_without_the_key() -> None:
    asked = request(3, pictures=3, instruction="Make the sky green, naïve “quotes” too.", seed=2**32 - 1)
    with BFLServer(keys=[KEY]) as server:
        made = edit(server.spec(), asked)
    assert is_negative(made, asked) and (made.attempts, server.wrong, server.polled) == (1, [], 3)
    assert (server.polled_with, server.fetches, server.leaks) == ({KEY}, 1, 0)
    (seen,) = server.seen
    assert seen.fields == {"prompt": asked.instruction, "seed": 2**32 - 1, "output_format": "png"}
    assert [load_bytes(picture).tolist() for picture in seen.pictures] == [array.tolist() for array in asked.arrays]
    assert made.asked is None and made.latency_s is not None and made.latency_s > 0.03


def test_every_option_reaches_the_server() -> None:
    with BFLServer() as server:
        edit(server.spec("flux-kontext-max", aspect="16:9", upsample="true", safety=0, output_format="jpeg"))
        edit(server.spec("flux-2-flex", size="1024x768", steps=40, guidance=3, seed="false"))
    kontext, flex = (seen.fields for seen in server.seen)
    assert kontext == {
        "prompt": "Edit 0.",
        "seed": 7,
        "aspect_ratio": "16:9",
        "prompt_upsampling": True,
        "safety_tolerance": 0,
        "output_format": "jpeg",
    }
    sized = {"width": 1024, "height": 768, "steps": 40, "guidance": 3.0}
    assert flex == {"prompt": "Edit 0.", **sized, "output_format": "png"}


@pytest.mark.parametrize(
    ("shape", "size"), [((700, 1000), (1008, 704)), ((32, 48), (64, 64)), ((3000, 4000), (2304, 1728))]
)
def test_closest_asks_for_a_size_that_the_model_can_make(shape: tuple[int, int], size: tuple[int, int]) -> None:
    asked = request(arrays=(np.zeros((*shape, 3), np.uint8),))
    with BFLServer([Task(encode_png(np.zeros((8, 8, 3), np.uint8)))]) as server:
        made = edit(server.spec(size="closest"), asked)
    assert (server.wrong, server.seen[0].fields["width"], server.seen[0].fields["height"]) == ([], *size)
    assert made.notes == (f"asked for {size[0]}×{size[1]}, got 8×8",)


@pytest.mark.parametrize("status", ["Request Moderated", "Content Moderated"])
def test_moderation_is_refused_with_its_reasons_and_not_submitted_again(status: str) -> None:
    details = {"Moderation Reasons": ["Violence", f"Weapons {KEY}"]}
    with BFLServer([Task(status=status, details=details), Task(status=status)]) as server:
        made, bare = edits(server.spec(), request(), request(1))
    assert (made.status, made.image, made.reason) == ("refused", None, f"{status}: Violence, Weapons [key]")
    assert (bare.status, bare.reason, server.calls, server.fetches) == ("refused", status, 2, 0)
    assert made.cost_usd == 0.0, "what was withheld and not billed costs nothing"


@pytest.mark.parametrize(
    "fault",
    [Fault(500), Fault(429), Fault(503), Fault(kind="drop"), Fault(kind="malformed"), Fault(404, "Task not found")],
)
def test_a_poll_that_fails_is_made_again_and_the_task_is_not_submitted_twice(fault: Fault) -> None:
    with BFLServer([Task(polls=(fault, fault))]) as server:
        made = edit(server.spec())
    assert is_negative(made) and (server.calls, server.polled) == (1, 5)


@pytest.mark.slow
def test_a_poll_that_hangs_leaves_time_for_another() -> None:
    with BFLServer([Task(polls=(Fault(kind="hang"),))]) as server:
        made = edit(server.spec(), timeout_s=5.0)
    assert is_negative(made) and server.calls == 1


@pytest.mark.slow
def test_a_task_that_never_ends_is_an_error_and_is_not_paid_for_twice() -> None:
    with BFLServer([Task(pending=10_000)]) as server:
        made = edit(server.spec(), timeout_s=3.0)
    assert (made.status, made.reason, server.calls) == ("error", "no answer within 3 s", 1)
    assert server.polled > 3, "with pauses that grow"
    assert made.cost_usd == pytest.approx(0.045) and "may have been paid for" in made.notes[0]


def test_a_task_that_fails_or_is_lost_is_submitted_again() -> None:
    with BFLServer(
        [Task(status="Error", details={"error": "out of memory"}), Task(status="Task not found"), Task()]
    ) as s:
        made = edit(s.spec())
    assert is_negative(made) and (made.attempts, s.calls) == (3, 3)
    with BFLServer([Task(status="Failed", details={"error": "out of memory"})]) as server:
        made = edit(server.spec(), retries=1)
    assert (made.status, made.reason) == ("error", "the task failed: out of memory (2 attempts)")


def test_a_server_that_names_no_address_for_polling_is_polled_at_the_usual_one() -> None:
    with BFLServer([Task(unnamed=True)], keys=[KEY]) as server:
        assert is_negative(edit(server.spec()))


def test_a_server_of_somebody_else_is_not_polled_and_does_not_see_the_key() -> None:
    with BFLServer() as stranger, BFLServer([Task(elsewhere=stranger.url)]) as server:
        made = edit(server.spec())
    assert (made.status, server.calls, server.polled, stranger.polled) == ("error", 1, 0, 0)
    assert made.reason == "the task is to be polled at a host to which the key is not sent"


@pytest.mark.parametrize(
    ("base", "url", "seen"),
    [
        ("https://api.bfl.ai", "https://api.eu2.bfl.ai/v1/get_result?id=1", True),
        ("https://api.us.bfl.ai", "https://api.bfl.ai/v1/get_result?id=1", True),
        ("https://api.bfl.ai", "https://api.bfl.ai.example.org/v1/get_result?id=1", False),
        ("https://api.bfl.ai", "https://evil-bfl.ai/v1/get_result?id=1", False),
        ("https://api.bfl.ai", "http://api.bfl.ai/v1/get_result?id=1", False),
        ("https://proxy.example.org", "https://api.bfl.ai/v1/get_result?id=1", False),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8001/v1/get_result?id=1", False),
    ],
)
def test_only_hosts_of_the_vendor_or_the_one_that_was_configured_see_the_key(base: str, url: str, seen: bool) -> None:
    from editscope.editors.hosted.vendors.bfl import BlackForest

    exchange = Exchange(None, BlackForest(ServiceSettings("flux-2-pro", base)), KEY, 1.0)
    assert exchange.may_see_key(url) is seen


@pytest.mark.parametrize(
    "sample", ["file:///etc/passwd", "ftp://127.0.0.1/a.png", "//127.0.0.1/a.png", "gopher://x", "not a url"]
)
def test_a_picture_at_an_address_that_is_no_http_is_not_fetched(sample: str) -> None:
    with BFLServer([Task(sample=sample)]) as server:
        made = edit(server.spec())
    assert (made.status, made.image, server.calls, server.fetches) == ("error", None, 1, 0)
    assert "points to an address that is not http or https" in str(made.reason)


def test_redirects_are_followed_to_another_host_without_the_key_and_never_to_a_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret.png"
    secret.write_bytes(encode_png(np.zeros((8, 8, 3), np.uint8)))
    with BFLServer() as other, BFLServer() as server:
        there = other.file(encode_png(np.full((8, 8, 3), 9, np.uint8)))
        server.script = [Task(sample=server.file(there)), Task(sample=server.file(secret.as_uri()))]
        moved, local = edits(server.spec(), request(), request())
        loop = server.file("")
        server.files[loop.rpartition("/")[2]] = [loop]
        server.script = [Task(sample=loop)]
        endless = edit(server.spec())
    assert moved.status == "ok" and moved.image.shape == (8, 8, 3)  # type: ignore[union-attr]
    assert (other.fetches, other.leaks, server.leaks) == (1, 0, 0)
    assert (local.status, local.image) == ("error", None)
    assert endless.status == "error" and "redirected without end" in str(endless.reason)


def test_a_signed_address_that_has_run_out_is_asked_for_once_more() -> None:
    picture = encode_png(np.full((8, 8, 3), 9, np.uint8))
    with BFLServer() as server:
        fresh = server.file(picture)
        server.script = [Task(sample=Fault(403, "Signature expired"), fresh=fresh), Task(sample=Fault(410, "gone"))]
        renewed, gone = edits(server.spec(), request(), request())
    assert renewed.status == "ok" and renewed.image.shape == (8, 8, 3)  # type: ignore[union-attr]
    assert (gone.status, gone.image, server.calls) == ("error", None, 2)
    assert gone.reason == "the picture could not be fetched (410)"
    assert gone.cost_usd == pytest.approx(0.045), "it was made, so it is paid for"


@pytest.mark.parametrize("picture", [b"", b"<html>", encode_png(np.zeros((64, 64, 3), np.uint8))[:40]])
def test_a_file_that_is_no_picture_is_asked_for_once_more_and_then_no_output(picture: bytes) -> None:
    with BFLServer([Task(picture)]) as server:
        made = edit(server.spec())
    assert (made.status, made.image, server.calls) == ("no_output", None, 2)
    assert "(2 attempts)" in str(made.reason)


def test_the_cost_is_what_the_server_charged_in_credits_or_the_list_price() -> None:
    with BFLServer([Task(cost=4.5), Task()]) as server:
        charged, listed = edits(server.spec("flux-2-max"), request(), request(pictures=2))
    assert charged.cost_usd == pytest.approx(0.045)
    assert listed.cost_usd == pytest.approx(0.07 + 2 * 0.03)
    assert load_editor("bfl:flux-kontext-pro").estimate(1000) == pytest.approx(40.0)


def test_an_instruction_that_the_server_rewrote_is_kept() -> None:
    with BFLServer([Task(prompt="Make the whole sky a deep green.")]) as server:
        assert edit(server.spec()).asked == "Make the whole sky a deep green."


def test_a_wrong_key_is_said_before_anything_is_spent_and_stops_a_run_that_has_begun() -> None:
    with BFLServer(keys=["another"]) as server:
        with pytest.raises(BadInput, match="does not accept the key in BFL_API_KEY"):
            quick(server.spec()).check()
        with pytest.raises(Stopped, match="does not accept the key"):
            edit(server.spec())
    with BFLServer(keys=[KEY]) as server:
        quick(server.spec()).check()
        assert (server.calls, server.checks) == (0, 1)


def test_an_account_without_credits_stops_the_run() -> None:
    with BFLServer([Reply(), Fault(402, "Insufficient credits")]) as server:
        with pytest.raises(Stopped, match="no credit left"):
            edits(server.spec(), request(), request(1))
        assert server.calls == 2


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("bfl:flux-2-pro?aspect=16:9", "option aspect: this model does not take it; write .size= for FLUX.2"),
        ("bfl:flux-kontext-pro?size=closest", "option size: this model does not take it; write .aspect= for Kontext"),
        ("bfl:flux-2-pro?steps=20", "option steps: this model does not take it; flux-2-flex does"),
        ("bfl:flux-2-pro?safety=7", "a whole number from 0 to 6"),
        ("bfl:flux-2-pro?output_format=gif", "one of png, jpeg"),
        ("bfl:flux-2-pro?prompt_upsampling=true", "did you mean 'upsample'"),
    ],
)
def test_options_that_cannot_be_are_said_with_what_can(spec: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        load_editor(spec)


def test_each_model_takes_as_many_pictures_as_its_makers_say() -> None:
    models = ("flux-kontext-pro", "flux-2-klein-4b", "flux-2-pro", "flux-2-max")
    assert [load_editor(f"bfl:{model}").max_images for model in models] == [4, 4, 8, 8]


@pytest.mark.slow
def test_a_run_on_paintbench_keeps_what_the_server_said_and_never_the_key(tmp_path: Path) -> None:
    script = [Task(cost=4.5), Task(status="Request Moderated"), Task(prompt="Rewritten.")]
    with BFLServer(script, keys=[KEY]) as server:
        lines = paintbench_run(server.spec(size="closest"), tmp_path / "run")
    assert sorted(line["status"] for line in lines) == ["ok", "ok", "refused"] and server.wrong == []
    assert sorted(line["cost_usd"] for line in lines) == [0.0, 0.045, 0.045]
    assert [line["asked"] for line in lines if line.get("asked")] == ["Rewritten."]
    assert len({seen.fields["seed"] for seen in server.seen}) == 3, "each case has a seed of its own"

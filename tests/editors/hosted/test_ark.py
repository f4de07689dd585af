"""Volcengine Ark against a server that checks the wire format."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from editscope.editors import load_editor
from editscope.errors import BadInput, Stopped
from editscope.images import encode_png
from support.hosted_edits import edit, edits, is_negative, paintbench_run
from support.servers.editor_server import KEY, Fault, Outcome, load_bytes, request
from support.servers.editor_server_ark import ArkServer, Drawn

SEEDEDIT, SEEDREAM = "doubao-seededit-3-0-i2i-250628", "doubao-seedream-4-0-250828"
NEWER, NEWEST = "doubao-seedream-4-5-251128", "seedream-5-0-260128"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARK_API_KEY", KEY)


def test_seedream_gets_several_pictures_as_data_urls_and_gives_one_back() -> None:
    asked = request(3, pictures=3, instruction="Make the sky green, naïve “quotes” too.", arrays=_pictures(3))
    with ArkServer(keys=[KEY]) as server:
        made = edit(server.spec(), asked)
    assert is_negative(made, asked) and (made.attempts, made.model, server.wrong) == (1, SEEDREAM, [])
    (seen,) = server.seen
    assert seen.fields == {
        "model": SEEDREAM,
        "prompt": asked.instruction,
        "size": "1280x720",
        "response_format": "b64_json",
        "sequential_image_generation": "disabled",
        "watermark": False,
        "stream": False,
    }
    assert [load_bytes(picture).tolist() for picture in seen.pictures] == [array.tolist() for array in asked.arrays]


def test_seededit_gets_one_picture_with_its_seed_and_guidance() -> None:
    with ArkServer() as server:
        made = edit(server.spec(SEEDEDIT, guidance=5.5), request(seed=2**32 - 1))
    assert is_negative(made, request()) and server.wrong == []
    assert {name: server.seen[0].fields[name] for name in ("size", "seed", "guidance_scale")} == {
        "size": "adaptive",
        "seed": 2**31 - 1,
        "guidance_scale": 5.5,
    }


@pytest.mark.parametrize(
    ("model", "shape", "size"),
    [
        (SEEDREAM, (1024, 1024), "1024x1024"),
        (SEEDREAM, (256, 256), "960x960"),
        (SEEDREAM, (5000, 5000), "4096x4096"),
        (NEWER, (1024, 1024), "1920x1920"),
        (NEWEST, (4000, 3000), "2793x3724"),
        (SEEDREAM, (10, 1000), "3840x240"),
        ("ep-20260101000000-abcde", (1024, 1024), "1920x1920"),
    ],
)
def test_closest_asks_for_a_size_that_the_model_can_make(model: str, shape: tuple[int, int], size: str) -> None:
    picture = np.zeros((*shape, 3), np.uint8)
    with ArkServer([Drawn(encode_png(picture[:8, :8]))]) as server:
        made = edit(server.spec(model), request(arrays=(picture,)))
    assert (server.wrong, server.seen[0].fields["size"]) == ([], size)
    assert made.notes == (f"asked for {size.replace('x', '×')}, got 8×8",)


@pytest.mark.parametrize(("option", "sent"), [("2K", "2K"), ("auto", None), ("2304x1728", "2304x1728")])
def test_a_size_may_be_named_or_left_to_the_server(option: str, sent: str | None) -> None:
    with ArkServer() as server:
        assert edit(server.spec(size=option)).status == "ok"
    assert server.seen[0].fields.get("size") == sent


def test_a_picture_without_loss_is_asked_for_where_the_model_can_make_one() -> None:
    with ArkServer() as server:
        edit(server.spec(NEWEST))
        edit(server.spec(NEWEST, output_format="jpeg"))
        edit(server.spec(NEWER, watermark="true"))
    assert [seen.fields.get("output_format") for seen in server.seen] == ["png", "jpeg", None]
    assert [seen.fields["watermark"] for seen in server.seen] == [False, False, True]


def test_a_picture_may_come_by_address_and_is_fetched_without_the_key() -> None:
    with ArkServer() as server:
        made = edit(server.spec(response_format="url"))
    assert is_negative(made) and (server.fetches, server.leaks) == (1, 0)


def test_a_seed_is_sent_to_seedream_only_on_demand_and_objected_to() -> None:
    with ArkServer() as server:
        made = edit(server.spec(seed="true"))
    assert made.status == "error" and "`seed`" in str(made.reason) and server.calls == 0


FILTERS = (
    *("InputTextSensitiveContentDetected", "InputImageSensitiveContentDetected.PolicyViolation"),
    *("OutputImageSensitiveContentDetected", "SensitiveContentDetected.Violence", "InputImageRiskDetection"),
)


@pytest.mark.parametrize("code", FILTERS)
@pytest.mark.parametrize("place", ["status", "picture", "reply"])
def test_a_filter_is_a_refusal_wherever_it_is_said(code: str, place: str) -> None:
    error = {"code": code, "message": f"The request failed because of {KEY}."}
    outcomes: dict[str, Outcome] = {
        "status": Fault(400, error["message"], error={"code": code}),
        "picture": Drawn(text_only=True, errors=(error,)),
        "reply": Drawn(error=error),
    }
    with ArkServer([outcomes[place]]) as server:
        made = edit(server.spec())
    assert (made.status, made.image, server.calls) == ("refused", None, 1)
    assert made.reason == f"content filter ({code}): The request failed because of [key]."
    assert made.cost_usd == 0.0


CLOSED = (
    *((403, "AccountOverdueError"), (404, "ModelNotOpen"), (429, "SetLimitExceeded"), (429, "QuotaExceeded")),
    *((400, "InvalidEndpoint.ClosedEndpoint"), (401, "AuthenticationError")),
)


@pytest.mark.parametrize(("status", "code"), CLOSED)
def test_an_account_that_is_turned_away_stops_the_run(status: int, code: str) -> None:
    with ArkServer([Fault(status, f"pay, {KEY}", error={"code": code})]) as server:
        with pytest.raises(Stopped, match="cannot be asked any more") as raised:
            edit(server.spec())
        assert server.calls == 1
    assert KEY not in str(raised.value) and (status == 401 or code in str(raised.value))


@pytest.mark.parametrize("code", ["ModelAccountRpmRateLimitExceeded", "ServerOverloaded", "RequestBurstTooFast"])
def test_a_limit_of_the_minute_is_waited_for(code: str) -> None:
    with ArkServer([Fault(429, "slow down", error={"code": code}), Drawn()]) as server:
        assert is_negative(edit(server.spec())) and server.calls == 2


def test_an_error_in_place_of_the_picture_is_tried_again() -> None:
    failed = Drawn(text_only=True, errors=({"code": "InternalServiceError", "message": "try later"},))
    with ArkServer([failed, Drawn()]) as server:
        assert is_negative(edit(server.spec())) and server.calls == 2
    with ArkServer([failed]) as server:
        made = edit(server.spec(), retries=1)
    reason = "the server made no picture (InternalServiceError): try later (2 attempts)"
    assert (made.status, made.reason) == ("error", reason)


def test_the_cost_is_the_list_price_by_version() -> None:
    with ArkServer() as server:
        made = edits(server.spec(NEWER), request())[0]
        nameless = edit(server.spec("ep-20260101000000-abcde"))
    assert made.cost_usd == pytest.approx(0.04) and nameless.cost_usd is None
    prices = {model: load_editor(f"ark:{model}").estimate(100) for model in (SEEDEDIT, SEEDREAM, NEWER, NEWEST)}
    assert prices == pytest.approx({SEEDEDIT: 3.0, SEEDREAM: 3.0, NEWER: 4.0, NEWEST: 3.5})


def test_a_missing_key_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARK_API_KEY")
    with pytest.raises(BadInput, match="needs a key; put it into the variable ARK_API_KEY"):
        load_editor(f"ark:{SEEDREAM}").check()
    with pytest.raises(BadInput, match="needs a key; put it into the variable MINE"):
        load_editor(f"ark:{SEEDREAM}?key_env=MINE").check()


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("ark:seedream-4-0?size=large", "closest, auto, 2K or WIDTHxHEIGHT"),
        ("ark:seedream-4-0?guidance=11", "a number from 1 to 10"),
        ("ark:seedream-4-0?watermarks=true", "did you mean 'watermark'"),
    ],
)
def test_options_that_cannot_be_are_said_with_what_can(spec: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        load_editor(spec)


def test_each_model_takes_as_many_pictures_as_its_makers_say() -> None:
    assert [load_editor(f"ark:{model}").max_images for model in (SEEDEDIT, SEEDREAM, NEWEST)] == [1, 14, 14]


@pytest.mark.slow
def test_a_run_on_paintbench_keeps_what_the_server_said_and_never_the_key(tmp_path: Path) -> None:
    refused = {"code": "OutputImageSensitiveContentDetected", "message": "no"}
    with ArkServer([Drawn(), Drawn(text_only=True, errors=(refused,)), Drawn()], keys=[KEY]) as server:
        lines = paintbench_run(server.spec(), tmp_path / "run")
    assert sorted(line["status"] for line in lines) == ["ok", "ok", "refused"] and server.wrong == []
    assert sorted(line["cost_usd"] for line in lines) == [0.0, 0.03, 0.03]
    assert {seen.fields["size"] for seen in server.seen} == {"1109x832"}


def _pictures(count: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(5)
    return tuple(rng.integers(0, 256, (36, 64, 3), np.uint8) for _ in range(count))

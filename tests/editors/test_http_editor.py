"""An editor behind an address of one's own: what is sent, and what is made of whatever comes back."""

from __future__ import annotations

import base64
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import editscope as es
from editscope.cases import Edit
from editscope.editors import EditLimits, Request, load_editor
from editscope.editors.http import HttpEditor
from editscope.errors import BadInput, Stopped
from editscope.images import Pixels, encode_png, load
from support.servers.http_editor_server import Raw, RawServer

SECRET = "a-token-that-must-not-be-written-anywhere"


def a_request(images: int = 1) -> Request:
    arrays = tuple(np.full((5, 7, 3), 20 * (place + 1), np.uint8) for place in range(images))
    return Request("border/007", arrays, "Färbe »es« rot, 请.", 4_000_000_000, {"task": "border"}, "explicit")


def made(pixels: Pixels, form: str, **options: Any) -> bytes:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, form, **options)
    return file.getvalue()


RED = np.full((5, 7, 3), (200, 10, 10), np.uint8)
PNG = encode_png(RED)
BASE64 = base64.b64encode(PNG).decode()
MOVING = made(RED, "WEBP", save_all=True, append_images=[Image.fromarray(RED // 2)], lossless=True)


def asked(server: RawServer, images: int = 1, options: str = "", **limits: Any) -> Edit:
    """One edit from a loaded editor, whose pauses between attempts are short."""
    editor = load_editor(server.url + options)
    assert isinstance(editor, HttpEditor)
    editor.backoff_s = 0.01
    editor.limit(EditLimits(**limits))
    editor.check()
    editor.load()
    try:
        return editor.edit(a_request(images))
    finally:
        editor.close()


@pytest.mark.parametrize(
    "answer",
    [
        Raw(body=PNG),
        Raw(body=PNG, type="application/octet-stream"),
        Raw(body=made(RED, "BMP"), type="image/png"),
        Raw(body=MOVING, type="image/webp"),
        Raw(body={"image_b64": BASE64}),
        Raw(body={"status": "ok", "image_b64": f"data:image/png;base64,{BASE64}", "trace": "red it is"}),
    ],
    ids=["png", "untyped", "another type", "animated WebP", "JSON", "data URL"],
)
def test_a_picture_comes_in_many_ways(answer: Raw) -> None:
    with RawServer([answer]) as server:
        edit = asked(server)
    assert edit.status == "ok" and np.array_equal(edit.image, RED)  # type: ignore[arg-type]
    assert edit.attempts == 1
    if answer.body is MOVING:
        assert edit.notes == ("first of 2 frames",)


@pytest.mark.parametrize(
    ("answer", "status", "said", "trace"),
    [
        (Raw(body=b"I will not draw.", type="text/plain"), "no_output", "text only", "I will not draw."),
        (Raw(body=b"<html>hello</html>", type="text/html"), "no_output", "text only", "<html>hello</html>"),
        (Raw(body={"trace": "thinking"}), "no_output", "text only", "thinking"),
        (Raw(422, {"status": "refused", "reason": "a person"}), "refused", "a person", None),
        (Raw(200, {"status": "refused"}), "refused", "the server says refused", None),
        (Raw(422, {"status": "no_output", "reason": "one picture only"}), "no_output", "one picture only", None),
        (Raw(422, {"status": "error", "reason": "out of memory", "trace": "hm"}), "error", "out of memory", "hm"),
        (Raw(400, {"error": "no seed"}), "error", r"the server objects \(400\): no seed", None),
        (Raw(413, b"", "text/plain"), "error", "too large for the server", None),
        (Raw(404, {"error": "Not Found"}), "error", "answered 404: Not Found", None),
        (Raw(302, b"", headers={"Location": "http://169.254.169.254/"}), "error", "answered 302", None),
    ],
)
def test_no_picture_is_a_status_with_a_reason(answer: Raw, status: str, said: str, trace: str | None) -> None:
    with RawServer([answer]) as server:
        edit = asked(server)
        assert len(server.seen) == 1, "what asking again cannot mend was asked again"
    assert (edit.status, edit.image, edit.trace) == (status, None, trace)
    assert re.search(said, edit.reason or ""), edit.reason


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault",
    [
        Raw(500, b"", "text/plain"),
        Raw(503, {"error": "starting"}, headers={"Retry-After": "0"}),
        Raw(429, {"status": "error"}, headers={"Retry-After": "0"}),
        Raw(kind="drop"),
        Raw(body=b""),
        Raw(body=b"\x89PNG\r\n\x1a\n and no more"),
        Raw(body=b"{not json", type="application/json"),
        Raw(body={"status": "splendid"}),
        Raw(body={"image_b64": "@@@"}),
    ],
    ids=["500", "503", "429", "drop", "0 bytes", "broken", "no JSON", "odd status", "no base64"],
)
def test_what_may_be_better_next_time_is_asked_again(fault: Raw) -> None:
    with RawServer([fault, Raw(body=PNG)]) as server:
        edit = asked(server)
        assert len(server.seen) == 2
    assert edit.status == "ok" and edit.attempts == 2


@pytest.mark.slow
def test_a_server_that_hangs_is_left_after_the_time_for_an_edit() -> None:
    with RawServer([Raw(kind="hang")]) as server:
        edit = asked(server, timeout_s=2.0, retries=1)
        assert len(server.seen) == 2
    assert edit.status == "error" and "no answer within 2 s" in (edit.reason or "")


def test_a_server_that_has_stopped_for_good_ends_the_run() -> None:
    with RawServer([Raw(503, {"stopped": "the budget of $5.00 is spent"})]) as server:
        with pytest.raises(Stopped, match=r"the budget of \$5.00 is spent"):
            asked(server)
        assert len(server.seen) == 1


def test_the_form_holds_instruction_seed_details_and_every_picture_in_order() -> None:
    with RawServer([Raw(body=PNG)]) as server:
        asked(server, images=3, options="?model=large#concurrency=2&name=mine")
    (seen,) = server.seen
    assert seen["path"] == "/edit?model=large"
    assert (seen["instruction"], seen["seed"]) == ("Färbe »es« rot, 请.", "4000000000")
    assert json.loads(seen["details"]) == {"id": "border/007", "variant": "explicit", "tags": {"task": "border"}}
    for picture, pixels in zip(seen["image"], a_request(3).arrays, strict=True):
        opened = Image.open(io.BytesIO(picture))
        assert opened.mode == "RGB" and np.array_equal(np.asarray(opened), pixels)


def test_what_the_server_measured_is_kept() -> None:
    headers = {"X-Latency-S": "1.5", "X-Memory-MB": "20480", "X-Cost-USD": "0.25", "X-Model": "kontext-2"}
    with RawServer([Raw(body=PNG, headers=headers)]) as server:
        edit = asked(server)
    assert (edit.latency_s, edit.memory_mb, edit.cost_usd, edit.model) == (1.5, 20480, 0.25, "kontext-2")
    fields = {"latency_s": 2, "model": "m", "asked": "Paint it red.", "notes": ["half"], "cost_usd": "nan"}
    with RawServer([Raw(body={"image_b64": BASE64, **fields})]) as server:
        edit = asked(server)
    assert (edit.latency_s, edit.model, edit.asked, edit.notes) == (2, "m", "Paint it red.", ("half",))
    assert edit.cost_usd is None


def test_the_page_health_says_how_many_at_once_and_how_many_pictures() -> None:
    health = Raw(body={"name": "flux", "max_images": 2, "batch": 4, "at_once": 1})
    with RawServer([Raw(body=PNG)], health) as server:
        editor = load_editor(server.url)
        editor.check()
        assert (editor.max_images, editor.at_once) == (2, 4)
        chosen = load_editor(server.url + "#concurrency=3")
        chosen.check()
        assert chosen.at_once == 3
        editor.limit(EditLimits(concurrency=7))
        editor.check()
        assert editor.at_once == 7


@pytest.mark.slow
def test_a_token_goes_into_one_header_and_nowhere_else(
    monkeypatch: pytest.MonkeyPatch, small_set: Path, tmp_path: Path
) -> None:
    monkeypatch.setenv("MY_TOKEN", SECRET)
    echo = Raw(400, {"error": f"you said Bearer {SECRET}"})
    says = Raw(422, {"status": "error", "reason": SECRET, "trace": SECRET, "asked": SECRET, "notes": [SECRET]})
    with RawServer([echo, says, Raw(body=PNG)]) as server:
        spec = f"{server.url}#key_env=MY_TOKEN"
        suite = es.load_suite("paintbench", root=small_set)
        run = es.run(suite, spec, out=tmp_path / "run", limit=3, progress=False, jobs=1)
        assert {headers.get("Authorization") for headers in server.headers} == {f"Bearer {SECRET}"}
    assert run.coverage == {"error": 2, "ok": 1}
    for file in (tmp_path / "run").rglob("*"):
        assert file.is_dir() or SECRET.encode() not in file.read_bytes(), file


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("http://127.0.0.1:1/edit", r"http://127.0.0.1:1 cannot be reached \(.*\); is it running\?"),
        ("http://127.0.0.1:8/edit#concurency=3", "did you mean 'concurrency'"),
        ("http://127.0.0.1:8/edit#concurrency=none", "not a whole number"),
        ("http://127.0.0.1:8/edit?api_key=abc", "holds a key"),
        ("http://me:pass@127.0.0.1:8/edit", "name or password"),
        ("http://127.0.0.1:port/edit", "is not a URL"),
        ("http:127.0.0.1", "is not an address"),
    ],
)
def test_a_wrong_address_is_one_sentence(spec: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        load_editor(spec).check()


def test_a_token_that_the_server_does_not_take_is_said_before_the_first_edit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", SECRET)
    with RawServer([Raw(body=PNG)], Raw(401, {"error": f"not {SECRET}"})) as server:
        with pytest.raises(BadInput, match="does not accept the token in MY_TOKEN") as raised:
            load_editor(f"{server.url}#key_env=MY_TOKEN").check()
        with pytest.raises(BadInput, match=r"a request without a token.*#key_env=NAME"):
            load_editor(server.url).check()
    assert SECRET not in str(raised.value)


def test_a_picture_of_another_size_is_kept_as_it_came() -> None:
    small = np.full((3, 3, 3), 9, np.uint8)
    with RawServer([Raw(body=encode_png(small))]) as server:
        edit = asked(server)
    assert load(edit.image).shape == (3, 3, 3)  # type: ignore[arg-type]

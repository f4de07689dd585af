"""What a fresh reading of hosted editors, workers, HTTP editors, wrappers and specs found, and stays found."""

from __future__ import annotations

import asyncio
import io
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from editscope.cases import Edit
from editscope.editors import EditLimits, Editor, Request, load_editor
from editscope.editors.explain import explain
from editscope.editors.hosted import Exchange, Failed, ServiceSettings
from editscope.editors.hosted.client import _new_session
from editscope.editors.hosted.vendors.openai_images import OpenAIImages
from editscope.editors.worker.editor import WorkerEditor
from editscope.editors.wrappers.asking import Asker
from editscope.editors.wrappers.best_of import load as best_of
from editscope.editors.wrappers.choosing import ByPairs, ByScale
from editscope.editors.wrappers.turns import Turns
from editscope.errors import BadInput, Stopped
from editscope.judges import Call, Verdict
from editscope.judges.records import Usage
from editscope.judges.registry import parse_spec as parse_judge
from support.hosted_edits import edit
from support.servers.editor_server import KEY, Fault, OpenAIServer, Reply, request
from support.servers.editor_server_bfl import BFLServer
from support.servers.editor_server_chat import ChatServer
from support.servers.editor_server_gemini import GeminiServer

Called = subprocess.CompletedProcess[str]


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "GEMINI_API_KEY", "BFL_API_KEY"):
        monkeypatch.setenv(name, KEY)


# --- what goes out ------------------------------------------------------------------------------------


def test_vendors_get_pictures_with_three_channels_however_few_colors_they_have() -> None:
    flat = np.full((16, 24, 3), (200, 30, 30), np.uint8)
    with OpenAIServer() as server:
        assert edit(server.spec(), request(arrays=(flat,))).status == "ok"
        sent = Image.open(io.BytesIO(server.seen[0].pictures[0]))
    assert sent.mode == "RGB" and np.array_equal(np.asarray(sent), flat)


@pytest.mark.parametrize(
    ("model", "upsample", "sent"),
    [
        ("flux-2-pro", "false", {"disable_pup": True}),
        ("flux-2-max", "true", {"disable_pup": False}),
        ("flux-2-flex", "false", {"prompt_upsampling": False}),
        ("flux-kontext-pro", "true", {"prompt_upsampling": True}),
    ],
)
def test_each_model_of_black_forest_labs_is_told_about_rewriting_in_its_own_words(
    model: str, upsample: str, sent: dict[str, bool]
) -> None:
    with BFLServer() as server:
        assert edit(server.spec(model, upsample=upsample)).status == "ok", server.wrong
        fields = server.seen[0].fields
    assert {name: fields[name] for name in ("disable_pup", "prompt_upsampling") if name in fields} == sent


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("bfl:flux-2-klein-4b?upsample=true", "never rewrites"),
        ("bfl:flux-2-pro?safety=6", "0 to 5"),
        ("gemini:gemini-2.5-flash-image?size=2K", "does not take 2K"),
        ("gemini:models/gemini-2.5-flash-image?aspect=1:8", "does not take 1:8"),
        ("gemini:gemini-3-pro-image-preview?size=512", "does not take 512"),
        ("chat:m?base_url=http://127.0.0.1:1/v1&modalities=text", "is not one of image,text"),
        ("openai:gpt-image-1?quality=standard", "is not one of auto, low"),
    ],
)
def test_what_a_model_would_turn_down_for_every_edit_is_said_before(spec: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        load_editor(spec)
    load_editor("gemini:gemini-3.1-flash-image-preview?size=512&aspect=1:8")
    load_editor("bfl:flux-kontext-pro?safety=6")


# --- what comes back ----------------------------------------------------------------------------------


def test_an_input_that_a_gateway_flags_is_refused_also_with_403() -> None:
    flagged = {"code": 403, "metadata": {"reasons": ["violence"], "flagged_input": "…"}}
    message = "m requires moderation on P. Your input was flagged"
    with ChatServer(
        [Fault(403, message, error=flagged), Reply(raw={"error": {**flagged, "message": message}})]
    ) as server:
        for made in (edit(server.spec()), edit(server.spec())):
            assert made.status == "refused" and made.attempts == 1
            assert made.reason == f"content filter: {message} (violence)"
    with ChatServer([Fault(403, "this key may not use the model")]) as server:
        made = edit(server.spec())
    assert (made.status, made.reason) == ("error", "the server answered 403: this key may not use the model")


def test_a_403_says_what_the_server_says_and_ends_a_run_where_it_is_about_the_account() -> None:
    with OpenAIServer([Fault(403, f"Your organization must be verified, {KEY}")]) as server:
        made = edit(server.spec())
        assert made.reason == "the server answered 403: Your organization must be verified, [key]"
    with GeminiServer([Fault(403, "This API is not enabled")]) as server, pytest.raises(Stopped, match="not enabled"):
        edit(server.spec())
    at_home = OpenAIImages(ServiceSettings("gpt-image-1", OpenAIImages.home))
    assert at_home.fault(403, {}, b'{"error": {"message": "must be verified"}}').closed
    assert not at_home.fault(403, {}, b'{"error": {"code": "moderation_blocked"}}').closed


def test_nobody_is_told_to_copy_a_picture_that_a_server_made() -> None:
    with OpenAIServer([Reply(b"")]) as server:
        made = edit(server.spec())
    assert made.reason == "the picture that the server sent is empty (zero bytes) (2 attempts)"


@pytest.mark.parametrize("host", ["0x7f000001", "0x7f.1"])
def test_a_server_on_the_internet_cannot_point_into_the_local_network_by_another_spelling(host: str) -> None:
    with OpenAIServer() as server:
        url = server.file(b"secret").replace("127.0.0.1", host)

        async def fetched(home: str) -> bytes:
            session = await _new_session(home)
            try:
                return await Exchange(session, OpenAIImages(ServiceSettings("m", home)), "", 5.0).fetch(url)
            finally:
                await session.close()

        with pytest.raises(Failed, match="local network"):
            asyncio.run(fetched("http://8.8.8.8/v1"))
        assert server.fetches == 0
        assert asyncio.run(fetched(server.url)) == b"secret", "where the API is here itself, so may be its pictures"


# --- specs --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("secret", ["sk-0123456789abcdef", "AIzaSyA0123456789abcdef"])
def test_a_key_in_the_place_of_its_variable_is_turned_away_and_not_repeated(secret: str) -> None:
    for spec in (f"openai:m?key_env={secret}", f"http://127.0.0.1:1/edit#key_env={secret}"):
        with pytest.raises(BadInput, match="not the name of a variable") as said:
            load_editor(spec)
        assert secret not in str(said.value)
    with pytest.raises(BadInput, match="not the name of a variable") as said:
        parse_judge(f"openai:gpt-4o?key_env={secret}")
    assert secret not in str(said.value)
    load_editor("openai:m?key_env=MY_KEY_2")


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("openai:", "has no target after openai:, such as openai:gpt-image-1"),
        ("worker:", "such as worker:env/bin/python"),
        ("opnai", "after openai:, such as openai:gpt-image-1"),
        ("gpt-image-1", r"did you mean openai:gpt-image-1\?"),
        ("flux-2-pro", r"did you mean bfl:flux-2-pro\?"),
        ("", "such as ref:identity"),
    ],
)
def test_half_a_spec_is_answered_with_the_rest_of_it(spec: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        load_editor(spec)


def test_a_folder_with_the_name_of_a_model_is_taken_for_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "flux-2-pro").mkdir()
    with pytest.raises(BadInput, match=r"did you mean folder:flux-2-pro\?"):
        load_editor("flux-2-pro")


def test_a_spec_that_makes_no_editor_ends_with_2_and_a_missing_program_is_said(
    editscope: Callable[..., Called],
) -> None:
    wrong = editscope("editors", "openai:gpt-image-1?qualty=high")
    assert wrong.returncode == 2 and "did you mean 'quality'" in wrong.stdout
    found = explain("resize(longest=64):worker:python no_such_worker.py")
    assert found.editor["name"] == "resize+no_such_worker"
    assert any("no_such_worker.py of the worker is not in" in one for one in found.missing)


def test_large_limits_of_options_are_written_out() -> None:
    with pytest.raises(BadInput, match="a whole number from 1 to 1,000,000"):
        load_editor("chat:m?base_url=http://127.0.0.1:1/v1&max_tokens=0")
    with pytest.raises(BadInput, match=r"a number from 0.01 to 60$"):
        load_editor("bfl:flux-2-pro?poll=0")


# --- workers ------------------------------------------------------------------------------------------


def worker(does: str, start: str = "") -> WorkerEditor:
    """A worker that does something to the message ``m`` of every edit."""
    lines = f"""
import json, os, shutil, sys, time
json.loads(sys.stdin.readline())
{start}
print(json.dumps({{"type": "ready"}}), flush=True)
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "bye":
        break
    {does}
    print(json.dumps({{"type": "done", "id": m["id"]}}), flush=True)
"""
    return WorkerEditor([sys.executable, "-c", lines], timeout_s=300.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("does", "reason"),
    [
        ("os.symlink(__import__('sys').executable, m['out'])", "the worker's output.png is not in the folder"),
        ("os.mkdir(m['out'])", "the worker's output.png is not a file"),
        ("open(m['out'], 'w').close()", "the worker's output.png is empty (zero bytes)"),
    ],
)
def test_what_is_wrong_with_a_workers_picture_names_the_picture(does: str, reason: str) -> None:
    editor = worker(does)
    editor.load()
    try:
        made = editor.edit(request())
    finally:
        editor.close()
    assert made.image is None and str(made.reason).startswith(reason) and "copy it" not in str(made.reason)


@pytest.mark.slow
def test_a_worker_that_closes_its_stdout_is_not_said_to_have_been_killed_by_somebody() -> None:
    editor = worker("os.close(1); time.sleep(600)")
    editor.load()
    try:
        (made,) = editor.edit_batch([request()])
    finally:
        editor.close()
    assert made.status == "error" and "closed its stdout" in str(made.reason) and "signal" not in str(made.reason)


@pytest.mark.slow
def test_a_worker_that_dies_in_silence_is_said_to_have_printed_nothing() -> None:
    with pytest.raises(BadInput, match=r"died while starting \(exit code 4\); it printed nothing"):
        worker("pass", start="sys.exit(4)").load()


@pytest.mark.slow
def test_trying_a_worker_that_fails_ends_with_1(editscope: Callable[..., Called], tmp_path: Path) -> None:
    assert editscope("worker", "new", "one.py").returncode == 0
    command = [sys.executable, "one.py", "try", "no-such.png", "Make it red.", "out.png"]
    tried = subprocess.run(command, cwd=tmp_path / "here", capture_output=True, text=True, check=False)
    assert tried.returncode == 1 and '"status": "error"' in tried.stdout, shlex.join(command)


# --- wrappers -----------------------------------------------------------------------------------------


class Paid(Editor):
    """Costs a tenth of a dollar; remembers its limits."""

    at_once = 4

    def limit(self, limits: EditLimits) -> None:
        self.limits = limits

    def edit(self, case: Request) -> Edit:
        return Edit(case.case_id, image=case.arrays[0], cost_usd=0.1, latency_s=0.5)


def test_the_number_of_edits_that_a_run_may_make_is_not_that_of_candidates() -> None:
    inner: Any = Paid()
    best_of(inner, 3, "miou").limit(EditLimits(max_calls=4))
    assert inner.limits.max_calls == 12


def test_sums_of_money_have_no_crumbs() -> None:
    asked = request()
    made = best_of(Paid(), 3, "miou").edit(Request(asked.case_id, asked.arrays, "x", 1, answer=asked.arrays[0]))
    assert isinstance(made, Edit) and made.cost_usd == 0.3 and made.latency_s == 0.5


def test_one_step_in_other_words_is_what_the_model_was_asked() -> None:
    made = Turns(Paid(), 4, "auto", Answers()).edit(request())
    assert isinstance(made, Edit) and made.asked == "in other words"
    made = Turns(Paid(), 4, "auto", None).edit(request())
    assert isinstance(made, Edit) and made.asked is None


class Answers(Asker):
    """A judge whose verdicts of a round took 0.3, 0.2 and 0.1 s."""

    def __init__(self) -> None:
        super().__init__("openai:gpt-4o", "off")

    def ask(self, calls: Sequence[Call]) -> list[Verdict]:
        seconds = (0.3, 0.2, 0.1)[: len(calls)]
        values = {"score": 5, "better": 1}
        used = [Usage(cost_usd=0.01, latency_s=took) for took in seconds]
        return [Verdict("ok", values, "in other words", usage=one) for one in used]


@pytest.mark.parametrize(("chooser", "seconds", "dollars"), [(ByScale, 0.3, 0.03), (ByPairs, 0.6, 0.04)])
def test_the_time_of_verdicts_that_are_asked_for_at_once_counts_once(
    chooser: type[ByScale | ByPairs], seconds: float, dollars: float
) -> None:
    choice = chooser(Answers()).choose(request(), request().arrays * 3)
    assert choice.latency_s == pytest.approx(seconds) and choice.cost_usd == dollars

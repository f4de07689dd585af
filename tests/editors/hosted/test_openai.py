"""OpenAI's image edits against a server that checks the wire format, and what an edit is said to have cost."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from editscope.cases import Edit
from editscope.editors import EditLimits, Editor, load_editor
from editscope.editors.hosted.prices import load_edit_prices
from editscope.errors import BadInput
from editscope.images import encode_png
from support.hosted_edits import edited
from support.servers.editor_server import KEY, Fault, OpenAIServer, Reply, load_bytes, negative, request


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def test_one_picture_goes_out_as_image_and_comes_back(used: Callable[..., Editor]) -> None:
    asked = request(3, instruction="Make the sky green, naïve “quotes” too.")
    with OpenAIServer(keys=[KEY]) as server:
        editor = used(server.spec())
        edit = editor.edit(asked)
    assert isinstance(edit, Edit)
    assert (edit.status, edit.reason, edit.attempts, server.wrong) == ("ok", None, 1, [])
    assert np.array_equal(edit.image, negative(asked.arrays[0]))  # type: ignore[arg-type]
    (seen,) = server.seen
    assert seen.instruction == asked.instruction
    assert seen.fields == {"model": "gpt-image-1", "prompt": asked.instruction, "n": "1"}
    assert [load_bytes(picture).tolist() for picture in seen.pictures] == [asked.arrays[0].tolist()]


def test_several_pictures_keep_their_order_and_every_option_reaches_the_server(used: Callable[..., Editor]) -> None:
    options: dict[str, Any] = {
        "quality": "high",
        "background": "opaque",
        "input_fidelity": "high",
        "moderation": "low",
        "output_format": "webp",
        "output_compression": 90,
        "size": "1536x1024",
    }
    asked = request(1, pictures=3)
    with OpenAIServer() as server:
        assert used(server.spec(**options)).edit(asked).status == "ok"  # type: ignore[union-attr]
    (seen,) = server.seen
    assert {name: seen.fields[name] for name in options} == {name: str(value) for name, value in options.items()}
    assert [load_bytes(picture).shape for picture in seen.pictures] == [array.shape for array in asked.arrays]


@pytest.mark.parametrize(
    ("model", "shape", "size"),
    [
        ("gpt-image-1", (576, 1024), "1536x1024"),
        ("gpt-image-1.5", (1024, 1024), "1024x1024"),
        ("gpt-image-1-mini", (1000, 700), "1024x1536"),
        ("gpt-image-2", (1024, 1024), "1024x1024"),
        ("gpt-image-2-2026-04-21", (256, 256), "816x816"),
        ("gpt-image-2", (2160, 5000), "3840x1664"),
        ("gpt-image-2", (4000, 4000), "2864x2864"),
    ],
)
def test_closest_asks_for_a_size_that_the_model_can_make(
    used: Callable[..., Editor], model: str, shape: tuple[int, int], size: str
) -> None:
    picture = np.zeros((*shape, 3), np.uint8)
    with OpenAIServer([Reply(encode_png(picture[:8, :8]))]) as server:
        edit = edited(used(server.spec(model, size="closest")), arrays=(picture,))
    assert (server.wrong, server.seen[0].fields["size"]) == ([], size)
    assert edit.notes == (f"asked for {size.replace('x', '×')}, got 8×8",)


def test_another_size_than_asked_for_is_kept_and_said(used: Callable[..., Editor]) -> None:
    with OpenAIServer([Reply(encode_png(np.zeros((20, 30, 3), np.uint8)))]) as server:
        edit = edited(used(server.spec(size="1024x1024")))
        free = edited(used(server.spec(size="auto")))
    assert edit.image.shape == (20, 30, 3)  # type: ignore[union-attr]
    assert edit.notes == ("asked for 1024×1024, got 30×20",)
    assert free.notes == (), "nobody asked for a size"


def test_a_size_that_the_model_cannot_make_is_an_error_with_what_the_server_says(used: Callable[..., Editor]) -> None:
    with OpenAIServer() as server:
        edit = edited(used(server.spec(size="512x512")))
    assert edit.status == "error" and "Supported values are" in str(edit.reason)
    assert (len(server.wrong), server.calls) == (1, 0), "an objection is not sent again"


def test_animations_and_further_pictures_are_said_in_the_notes(used: Callable[..., Editor], tmp_path: Path) -> None:
    frames = [Image.new("RGB", (24, 24), color) for color in ("red", "blue", "green")]
    frames[0].save(tmp_path / "a.webp", save_all=True, append_images=frames[1:], lossless=True)
    script = [Reply((tmp_path / "a.webp").read_bytes()), Reply(more=(b"never looked at", b"nor this"))]
    with OpenAIServer(script) as server:
        editor = used(server.spec(quality="low", size="1024x1024"), concurrency=1)
        animated, several = edited(editor, 0), edited(editor, 1)
    assert animated.notes[0] == "first of 3 frames"
    assert animated.image.reshape(-1, 3).tolist() == [[255, 0, 0]] * 576  # type: ignore[union-attr]
    assert several.status == "ok" and several.notes[0] == "the first of 3 pictures"


def test_the_prompt_that_a_server_made_of_the_instruction_is_what_was_asked(used: Callable[..., Editor]) -> None:
    with OpenAIServer([Reply(text=f"A greener sky. {KEY}"), Reply(text="Edit 1.")]) as server:
        editor = used(server.spec(), concurrency=1)
        assert edited(editor, 0).asked == "A greener sky. [key]"
        assert edited(editor, 1).asked is None, "the same as the instruction"


def test_the_cost_is_that_of_the_reported_tokens_or_of_the_list(used: Callable[..., Editor]) -> None:
    details = {"input_tokens_details": {"text_tokens": 50, "image_tokens": 950}}
    usage = {"input_tokens": 1000, "output_tokens": 4160, **details}
    with OpenAIServer([Reply(usage=usage), Reply(usage={}), Reply(usage={"total_tokens": 5})]) as server:
        editor = used(server.spec(quality="high", size="1024x1024"), concurrency=1)
        edits = [edited(editor, number, pictures=2) for number in range(3)]
    by_tokens = (50 * 5.0 + 950 * 10.0 + 4160 * 40.0) / 1e6
    assert edits[0].cost_usd == pytest.approx(by_tokens)
    assert edits[1].cost_usd == edits[2].cost_usd == pytest.approx(0.167 + 2 * 0.003)


def test_an_estimate_knows_quality_and_size_and_a_file_of_prices_comes_first(tmp_path: Path) -> None:
    editor = load_editor("openai:gpt-image-1?quality=high&size=1024x1024")
    assert editor.estimate(100) == pytest.approx(100 * (0.167 + 0.003))
    assert load_editor("openai:gpt-image-1?quality=high").estimate(1) == pytest.approx(0.25 + 0.003)
    assert load_editor("openai:gpt-image-1.5-2025-12-16").estimate(1, images=2) == pytest.approx(0.05 + 0.006)
    assert load_editor("openai:some-new-model").estimate(1) is None
    prices = tmp_path / "prices.toml"
    prices.write_text('[models]\n"m" = { input = 1, output = 2 }\n[editors]\n"some-new-model" = { picture = 0.5 }\n')
    mine = load_editor("openai:some-new-model")
    mine.limit(EditLimits(prices=str(prices)))
    assert mine.estimate(3) == 1.5


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[editors]\nm = 3", "editor 'm'"),
        ("[editors.m]\npicture = -1", "picture, default is -1"),
        ("[editors.m]\npicture = { high = true }", "picture, high is True"),
        ("[editors.m]\npixel = 1", "did you mean 'picture'?"),
        ("[editors.m]\ntokens = { image_oud = 1 }", "did you mean 'image_out'?"),
        ("[editor.m]\npicture = 1", "no table [editors]"),
        ("[editors", "is not TOML"),
    ],
)
def test_a_file_of_prices_with_a_mistake_is_named_with_the_place(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "prices.toml").write_text(text)
    with pytest.raises(BadInput) as raised:
        load_edit_prices(tmp_path / "prices.toml")
    assert said in str(raised.value) and "prices.toml" in str(raised.value)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("openai:gpt-image-1?qualty=high", "did you mean 'quality'?"),
        ("openai:gpt-image-1?quality=best", "one of auto, low, medium, high"),
        ("openai:gpt-image-1?size=big", "auto, closest or WIDTHxHEIGHT"),
        ("openai:gpt-image-1?output_compression=101", "a whole number from 0 to 100"),
        ("openai:gpt-image-1?api_key=sk-very-secret", "keys come from the environment only"),
        ("openai:gpt-image-1?base_url=https://me:sk-very-secret@host/v1", "holds a name or password"),
        ("openai:gpt-image-1?base_url=ftp://host", "not a plain http:// or https:// address"),
    ],
)
def test_a_spec_with_a_mistake_gets_one_sentence_and_no_secret_is_repeated(spec: str, said: str) -> None:
    with pytest.raises(BadInput) as raised:
        load_editor(spec)
    assert said in str(raised.value)
    assert "very-secret" not in str(raised.value)


def test_check_names_the_variable_the_model_or_the_address_and_spends_nothing(
    monkeypatch: pytest.MonkeyPatch, used: Callable[..., Editor]
) -> None:
    with OpenAIServer(keys=[KEY], models=["gpt-image-1"]) as server:
        used(server.spec()).check()
        used(server.spec("gpt-image-9")).check()  # not at home: a compatible server may list what it likes
        monkeypatch.setenv("MY_KEY", "another-key")
        with pytest.raises(BadInput, match="does not accept the key in MY_KEY"):
            used(server.spec(key_env="MY_KEY")).check()
        monkeypatch.delenv("OPENAI_API_KEY")
        with pytest.raises(BadInput, match="wants a key; put it into the variable OPENAI_API_KEY"):
            used(server.spec()).check()
        with pytest.raises(BadInput, match="--max-edit-cost cannot be enforced"):
            used(server.spec("unheard-of"), max_cost=1.0).check()
    assert server.calls == 0
    with pytest.raises(BadInput, match="openai:gpt-image-1 needs a key; put it into the variable OPENAI_API_KEY"):
        load_editor("openai:gpt-image-1").check()
    with pytest.raises(BadInput, match="cannot be reached"):
        used(server.spec()).check()


def test_check_believes_a_server_that_lists_no_models_and_a_key_that_may_only_make_pictures(
    used: Callable[..., Editor], monkeypatch: pytest.MonkeyPatch
) -> None:
    with OpenAIServer(lists_models=False) as server:
        used(server.spec()).check()
    with OpenAIServer() as server:
        monkeypatch.setattr(server, "describe", lambda path: Fault(401, "Missing scopes: api.model.read"))
        used(server.spec()).check()


def test_a_copy_for_another_process_holds_no_key_and_works(used: Callable[..., Editor]) -> None:
    with OpenAIServer(keys=[KEY]) as server:
        editor = used(server.spec(), concurrency=3)
        assert edited(editor).status == "ok"
        copied = pickle.dumps(editor)
        assert KEY.encode() not in copied
        again = pickle.loads(copied)
        assert (again.at_once, edited(again).status) == (3, "ok")
        again.close()

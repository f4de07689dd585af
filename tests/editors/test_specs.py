"""A spec says what is wrapped around what, can be written back, and a wrong one gets a sentence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from editscope.editors import load_editor, parse_spec
from editscope.editors.kinds import BUILT_IN, WRAPPERS
from editscope.editors.spec import EditorSpec, rooted
from editscope.errors import BadInput

TEXT = st.text(st.characters(codec="utf-8"), max_size=30)
VALUE = (
    st.booleans()
    | st.integers(-(10**17), 10**17)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
    | st.sampled_from(
        ["openai:gpt-4o?base_url=http://127.0.0.1:8000/v1&seed=1", "a, b", "f(x", ')"', "true", "07", "="]
    )
)
OPTIONS = st.dictionaries(st.sampled_from(["judge", "steps", "by", "a_b", "size"]), VALUE, max_size=3)
PLAIN = st.builds(
    EditorSpec,
    st.sampled_from(sorted({*BUILT_IN, "other-kind"} - {"http", "https"})),
    TEXT.map(str.strip).filter(bool),
    OPTIONS,
)
ADDRESS = st.builds(EditorSpec, st.just("http"), st.just("http://127.0.0.1:8000/edit?model=a&b=1"), OPTIONS)


def _around(inner: EditorSpec, kind: str, args: list[object], options: dict[str, object]) -> EditorSpec:
    return EditorSpec(kind, str(inner), options, tuple(args), inner)


SPECS = st.recursive(
    PLAIN | ADDRESS,
    lambda inside: st.builds(_around, inside, st.sampled_from(sorted(WRAPPERS)), st.lists(VALUE, max_size=2), OPTIONS),
    max_leaves=4,
)


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(SPECS)
def test_every_spec_can_be_written_and_read_back(spec: EditorSpec) -> None:
    assert parse_spec(str(spec)) == spec
    assert str(parse_spec(str(spec))) == str(spec)


@pytest.mark.slow
@given(TEXT | st.text("()[]:?&=,#\"' ab1best_of", max_size=30))
def test_any_text_is_a_spec_or_gets_one_sentence(text: str) -> None:
    try:
        spec = parse_spec(text)
    except BadInput as error:
        assert str(error)
    else:
        assert parse_spec(str(spec)) == spec


def test_wrappers_nest_to_any_depth_and_options_at_the_end_are_the_editors() -> None:
    text = "best_of(4, by=miou):rewrite(judge=openai:gpt-4o?base_url=http://127.0.0.1:8000/v1):openai:m?quality=high"
    outer, middle, editor = parse_spec(text).chain
    assert (outer.kind, outer.args, outer.options) == ("best_of", (4,), {"by": "miou"})
    assert middle.options == {"judge": "openai:gpt-4o?base_url=http://127.0.0.1:8000/v1"}
    assert (editor.kind, editor.target, editor.options) == ("openai", "m", {"quality": "high"})
    assert outer.target == str(middle)
    assert len(parse_spec("turns:" * 40 + "ref:noise").chain) == 41


def test_arguments_may_hold_commas_in_parentheses_and_in_quotes() -> None:
    found = parse_spec('rewrite(judge=panel:(a,b), prompt="my, own (file.txt", see=text):ref:noise')
    assert found.options == {"judge": "panel:(a,b)", "prompt": "my, own (file.txt", "see": "text"}


def test_an_address_is_a_spec_with_its_own_query_and_our_options_after_the_number_sign() -> None:
    spec = parse_spec("https://gpu.example.org/v2/edit?model=a&x=1#concurrency=4&key_env=MY_KEY")
    assert (spec.kind, spec.target) == ("https", "https://gpu.example.org/v2/edit?model=a&x=1")
    assert spec.options == {"concurrency": 4, "key_env": "MY_KEY"}


def test_a_command_keeps_its_spaces_colons_and_quotes() -> None:
    command = "env/bin/python 'my worker.py' --addr=host:1 --say \"a: b\" --glob=*%3F.png"
    spec = parse_spec(f"worker:{command}?think=1")
    assert spec.target == command.replace("%3F", "?")
    assert spec.options == {"think": 1}
    assert parse_spec(str(spec)) == spec


def test_a_number_is_read_only_where_nothing_is_lost() -> None:
    options = parse_spec("diffusers:d?steps=28&guidance=2.5&revision=007&tag=12e4567&lora=a+b&on=TRUE").options
    assert options == {
        "steps": 28, "guidance": 2.5, "revision": "007", "tag": "12e4567", "lora": "a+b", "on": True,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("best_of(4, by=miou:ref:noise", "parenthesis that is not closed"),
        ("best_of(4)", "has no :SPEC after best_of(…)"),
        ("best_of(4)ref:noise", "has no :SPEC after best_of(…)"),
        ("best_of(4):", "names no editor after best_of:"),
        ("resize:", "names no editor after resize:"),
        ("best-of(4):ref:noise", "did you mean 'best_of'"),
        ("rewritee(judge=x):ref:noise", "did you mean 'rewrite'"),
        ("rewritee:ref:noise", "did you mean 'rewrite'"),
        ("openai(quality=high):gpt-image-1", "takes no parentheses; its options follow a ?, as in openai:TARGET?key="),
        ("opnai:gpt-image-1", "did you mean 'openai'"),
        ("turns", "turns stands before another editor"),
        ("turns(4, n=5):ref:noise", "multiple values for argument 'n'"),
        ("turns(n=4, 5):ref:noise", "comes after key=value; put it first"),
        ("turns(n=4, n=5):ref:noise", "'n' twice"),
        ("turns(1, 2, 3):ref:noise", "turns(…) takes other arguments (too many positional arguments)"),
        ("turns(m=4):ref:noise", "no option 'm' of turns(…)"),
        ("ref:noise?strength=1&strength=2", "'strength' twice"),
        ("openai:gpt-image-1?api_key=sk-123", "keys come from the environment only"),
        ("rewrite(token=abc):ref:noise", "keys come from the environment only"),
        ("http:host", "is not an address, such as http://127.0.0.1:8000/edit"),
        ("http://", "names no host"),
        ("http://me:secret@host/edit", "holds a name or password"),
        ("worker:run.sh *?.png", "a ? of the target itself is written %3F"),
        ("resize(longest=1024):reff:noise", "did you mean 'ref'"),
        ("resize():ref:noise", "resize needs a size"),
        ("turns:" * 9999 + "ref:noise", "has too many wrappers"),
    ],
)
def test_a_wrong_spec_gets_one_sentence_that_shows_the_way(spec: str, said: str) -> None:
    with pytest.raises(BadInput) as error:
        load_editor(spec)
    assert said in str(error.value)
    assert "\n" not in str(error.value)
    assert not any(secret in str(error.value) for secret in ("sk-123", "abc", "me:secret"))


def test_a_path_without_a_kind_is_answered_with_the_right_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pipeline").mkdir()
    (tmp_path / "pipeline" / "model_index.json").write_text("{}")
    (tmp_path / "pictures").mkdir()
    (tmp_path / "weights.safetensors").write_bytes(b"")
    for given_path, said in [
        ("pipeline", "did you mean diffusers:pipeline?"),
        ("pictures", "did you mean folder:pictures?"),
        ("my_model.py", "did you mean python:my_model:CLASS, or worker:python my_model.py"),
        ("weights.safetensors", "diffusers:DIR?lora=weights.safetensors"),
        ("a" * 5000, "not of the form kind:target"),
    ]:
        with pytest.raises(BadInput) as error:
            load_editor(given_path)
        assert said in str(error.value)


def test_a_spec_that_was_written_in_one_folder_means_the_same_in_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("model", "outputs"):
        (tmp_path / name).mkdir()
    (tmp_path / "own.txt").write_text("")
    assert rooted("folder:outputs") == f"folder:{tmp_path}/outputs"
    assert (
        rooted("diffusers:model?lora=own.txt&steps=4") == f"diffusers:{tmp_path}/model?lora={tmp_path}/own.txt&steps=4"
    )
    several = (
        f"diffusers:{tmp_path}/model?lora={tmp_path}/own.txt,org/name,{tmp_path}/outputs&network={tmp_path}/outputs"
    )
    assert rooted("diffusers:model?lora=own.txt,org/name,outputs&network=outputs") == several
    assert rooted("diffusers:org/name") == "diffusers:org/name"
    wrapped = f"turns:rewrite(judge=local:m, prompt={tmp_path}/own.txt):folder:{tmp_path}/outputs"
    assert rooted("turns:rewrite(judge=local:m, prompt=own.txt):folder:outputs") == wrapped
    assert (
        rooted("best_of(4,by=miou):openai:m?size=auto&quality=high")
        == "best_of(4,by=miou):openai:m?size=auto&quality=high"
    )


def test_a_kind_whose_module_cannot_be_imported_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BUILT_IN, "ref", replace(BUILT_IN["ref"], loader="no_such_package.editors:load"))
    with pytest.raises(BadInput, match="'ref' cannot be used here: needs no_such_package; `editscope editors ref`"):
        load_editor("ref:noise")

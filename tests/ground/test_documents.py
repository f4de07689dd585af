"""JSON and TOML from outside: a key that stands twice and nesting without end are refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editscope.documents import DEEPEST, Malformed, Twice, read_json, read_toml
from editscope.errors import BadInput
from editscope.judges.prices import load_prices
from editscope.judges.prompts.promptfile import LARGEST
from editscope.suites.own.data import load
from editscope.suites.own.start import start

DEEP = "[" * 100_000 + "]" * 100_000

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=20,
)


@given(values)
def test_what_json_writes_is_read_as_json_reads_it(value: object) -> None:
    assert read_json(json.dumps(value)) == value
    assert read_json(json.dumps(value).encode()) == value


@given(st.text(), st.text(), values)
def test_a_key_that_stands_twice_is_found_at_any_depth(key: str, outer: str, value: object) -> None:
    twice = f"{{{json.dumps(key)}: 1, {json.dumps(key)}: {json.dumps(value)}}}"
    for text in (twice, f"[{twice}]", f"{{{json.dumps(outer)}: {twice}}}"):
        with pytest.raises(Twice, match="stands twice"):
            read_json(text)


def test_the_line_of_a_repeated_key_is_that_of_its_object() -> None:
    with pytest.raises(Twice, match=r"the key 'a' stands twice in the object that begins at line 4"):
        read_json('[\n{"a": 1},\n\n{"b": {}, "a": 1,\n"a": 2}]')


def test_nesting_has_an_end() -> None:
    assert read_json("[" * DEEPEST + "1" + "]" * DEEPEST)
    for text in ("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), DEEP, '{"a":' * 100_000, "[" * 100_000):
        with pytest.raises(Malformed):
            read_json(text)
    for text in ("a = " + "[" * 100_000, ".".join("a" * 100_000) + " = 1", f"a = {'1' * 10_000}"):
        with pytest.raises(Malformed):
            read_toml(text)


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    return start(tmp_path / "bench", "judged")


def refused(bench: Path) -> str:
    with pytest.raises(BadInput) as raised:
        load(bench)
    assert "\n" not in str(raised.value)
    return str(raised.value)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"id": "a", "id": "b"}', "(line 1): the key 'id' stands twice"),
        ('{"id": "a", "note": {"x": 1, "x": 2}}', "(line 1): the key 'x' stands twice"),
        ('{"id": "a", "note": ' + DEEP + "}", "nested more than 64 levels deep"),
        ('{"id": "a", "note": ' + "[" * 65 + "]" * 65 + "}", "nested more than 64 levels deep"),
    ],
)
def test_a_case_with_a_key_twice_or_endless_nesting_is_a_flaw_of_its_line(bench: Path, line: str, said: str) -> None:
    (bench / "cases.jsonl").write_text(line + "\n")
    assert said in refused(bench)


MANIFEST = """
name = "b"
[[metrics]]
name = "m"
prompt = "m.txt"
reply = "{reply}"
"""


@pytest.mark.parametrize(
    "reply",
    ["0-1000000000", "5-1", "3-3", "1-nan", "0-1e9", "0-" + "9" * 400, "0-" + "9" * 5000, "-1000000--1", "1" * 5000],
)
def test_an_absurd_scale_is_refused_before_a_judge_is_asked(bench: Path, reply: str) -> None:
    (bench / "m.txt").write_text("How good is it?")
    (bench / "suite.toml").write_text(MANIFEST.format(reply=reply))
    said = refused(bench)
    assert "suite.toml" in said and "is neither a scale such as '1-5' (at most 1,000 steps) nor 'yes/no'" in said
    assert len(said) < 1000


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        (MANIFEST.format(reply="1-5") + "x = " + "[" * 100_000, "nested more than 64 levels deep"),
        ("a" + ".a" * 100_000 + " = 1", "nested more than 64 levels deep"),
        (
            "".join(f'[[metrics]]\nname = "m{n}"\nprompt = "m.txt"\n' for n in range(2000)),
            "'metrics' has 2,000 entries",
        ),
        ('name = "b"\nabout = "' + "x" * 20_000 + '"', "'about' has 20,000 characters"),
        ('name = "b"\n#' + "x" * (2 << 20), "larger than 1 MiB"),
        (MANIFEST.format(reply="1-5") + "tags = " + "9" * 5000, "suite.toml is not TOML"),
    ],
)
def test_a_manifest_with_too_much_of_something_is_refused(bench: Path, manifest: str, said: str) -> None:
    (bench / "suite.toml").write_text(manifest)
    assert said in refused(bench)


@pytest.mark.parametrize("reply", ["score 0-1000000000", "score 1-" + "9" * 5000, "score 5-1"])
def test_an_absurd_scale_in_a_prompt_file_is_refused(tmp_path: Path, reply: str) -> None:
    from editscope.judges.prompts.packs import read_prompt

    path = tmp_path / "p.txt"
    path.write_text(f"version: 1\npictures: source, edit\nreply: {reply}\n---\nHow good is it?\n")
    with pytest.raises(BadInput, match="write 'score 1-5'"):
        read_prompt(path, None)
    path.write_text("x" * (LARGEST + 1))
    with pytest.raises(BadInput, match="too large"):
        read_prompt(path, None)


def test_prices_and_configs_are_read_as_strictly(tmp_path: Path) -> None:
    from editscope.cli.config import options

    path = tmp_path / "a.toml"
    for text in ("a = 1\na = 2\n", "a = " + "[" * 100_000):
        path.write_text(text)
        with pytest.raises(BadInput, match=r"a\.toml is not TOML"):
            load_prices(path)
        with pytest.raises(BadInput, match=r"a\.toml is not TOML"):
            options(path, ("a",))

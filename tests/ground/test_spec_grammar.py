"""The one grammar of specs: judges and editors read options alike, and no message repeats a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editscope.editors import parse_spec as parse_editor
from editscope.errors import BadInput
from editscope.judges.registry import parse_spec as parse_judge
from editscope.specs import Spec, read_option, write_option

PARSERS = [parse_judge, parse_editor]


@given(st.one_of(st.text(), st.integers(-(10**9), 10**9), st.booleans(), st.floats(-1e6, 1e6)))
def test_a_value_is_read_back_as_it_was(value: Any) -> None:
    back = read_option(write_option(value))
    assert back == value and (type(back) is type(value) or isinstance(value, float))


@given(st.dictionaries(st.from_regex(r"[a-z]{3,8}", fullmatch=True), st.text(), max_size=3))
def test_a_judges_spec_is_read_back_as_it_was(options: dict[str, str]) -> None:
    spec = Spec("openai", "m", {f"x_{name}": value for name, value in options.items()})
    assert parse_judge(str(spec)) == spec
    assert str(parse_judge(str(spec))) == str(spec)


@pytest.mark.parametrize("parse", PARSERS)
@pytest.mark.parametrize("query", ["seed", "seed=1&", "=1", "a=1&sk-very-secret"])
def test_options_of_another_form_are_turned_away_without_being_repeated(
    parse: Callable[[str], Any], query: str
) -> None:
    with pytest.raises(BadInput, match=r"are not of the form \?key=value&key2=value2") as raised:
        parse(f"openai:m?{query}")
    assert "very-secret" not in str(raised.value)


@pytest.mark.parametrize("parse", PARSERS)
def test_an_option_that_stands_twice_is_turned_away(parse: Callable[[str], Any]) -> None:
    with pytest.raises(BadInput, match="has the option 'seed' twice"):
        parse("openai:m?seed=1&seed=2")


@pytest.mark.parametrize("parse", PARSERS)
def test_a_spec_without_a_target_does_not_repeat_its_options(parse: Callable[[str], Any]) -> None:
    with pytest.raises(BadInput, match="is not of the form kind:") as raised:
        parse("openai?api_key=sk-very-secret")
    assert "very-secret" not in str(raised.value)

"""Claims about places in prompts: pictures go anywhere in a line, and a place that nothing fills is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editscope.errors import BadInput
from editscope.judges import Picture
from editscope.judges.prompts.packs import examine, export_pack, load_pack, read_prompt
from editscope.judges.prompts.promptfile import Prompt

A, B, C = (Picture(data.encode()) for data in "ABC")
HEADER = "version: 1\npictures: source, edit\nwords: instruction\nreply: score 1-5\n---\n"
OPTIONAL = "version: 1\npictures: source, edit, answer?\nwords: instruction, hint?\nreply: score 1-5\n---\n"
ASKED = {"instruction": "go"}


def prompt_of(folder: Path, text: str, header: str = HEADER, newline: str = "\n", mark: bytes = b"") -> Prompt:
    path = folder / "own.txt"
    path.write_bytes(mark + (header + text).replace("\n", newline).encode())
    return read_prompt(path)


def seen(prompt: Prompt, sources: int = 1, **words: str) -> list[str]:
    """The parts of a call, pictures by their bytes."""
    call = prompt.call("k", {"source": [A, B][:sources], "edit": [C]}, {**ASKED, **words})
    return [part if isinstance(part, str) else f"<{part.data.decode()}>" for part in call.parts]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("{instruction}: Original: [[source]] Edited: [[edit]]", ["go: Original:", "<A>", "Edited:", "<C>"]),
        ("[[source]][[edit]] {instruction}", ["<A>", "<C>", "go"]),
        ("{instruction}\n[[source]] is before,\n[[ edit ]] after.", ["go", "<A>", "is before,", "<C>", "after."]),
        ("In [[edit]], unlike\n  [[source]]\n\ndone? {instruction}", ["In", "<C>", ", unlike", "<A>", "done? go"]),
        ("```\n[[source]] -> [[edit]]\n```\n{instruction}", ["```", "<A>", "->", "<C>", "```\ngo"]),
        ("原图：[[source]]，编辑：[[edit]]。{instruction}", ["原图：", "<A>", "，编辑：", "<C>", "。go"]),
        ("[[source]] {instruction} [[edit]] [[source]]", ["<A>", "go", "<C>", "<A>"]),
        ("Say [[[[score]]]]. [[source]] [[edit]] {instruction}", ["Say [[score]].", "<A>", "<C>", "go"]),
        ("As [[x1, y1, x2, y2]] {instruction}\n[[source]]\n[[edit]]", ["As [[x1, y1, x2, y2]] go", "<A>", "<C>"]),
    ],
)
@pytest.mark.parametrize(("newline", "mark"), [("\n", b""), ("\r\n", b"\xef\xbb\xbf"), ("\r", b"")])
def test_a_picture_goes_where_its_place_is(
    tmp_path: Path, text: str, parts: list[str], newline: str, mark: bytes
) -> None:
    assert seen(prompt_of(tmp_path, text, newline=newline, mark=mark)) == parts


def test_the_text_before_a_place_is_repeated_for_each_of_its_pictures(tmp_path: Path) -> None:
    prompt = prompt_of(tmp_path, "{instruction}\nInput {n}: [[source]] Result: [[edit]] Compare.")
    assert seen(prompt, sources=2) == ["go\nInput 1:", "<A>", "Input 2:", "<B>", "Result:", "<C>", "Compare."]
    call = prompt.call("k", {"source": [A, B], "edit": [C]}, ASKED)
    assert call.labels == ("source 1", "source 2", "edit")


def test_what_the_words_say_is_never_taken_for_a_place_inside_a_line(tmp_path: Path) -> None:
    prompt = prompt_of(tmp_path, "[[source]] {instruction} [[edit]]")
    assert seen(prompt, instruction="[[edit]] {hint} [[[[x]]]]") == ["<A>", "[[edit]] {hint} [[[[x]]]]", "<C>"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{instruction} [[sorce]] [[edit]]", "line 6 has a place [[sorce]] for a picture"),
        ("{instruction} [[sorce]] [[edit]]", "did you mean [[source]]?"),
        ("{instruction}\n\n[[Source]]\n[[edit]]", "line 8 has a place [[Source]]"),
        ("{instruction} [[edit]]\nRating: [[rating]]\n[[source]]", "write [[[[rating]]]] to send [[rating]] as text"),
        ("{instruction} [[source]] [[éditer]]", "has a place [[éditer]] for a picture"),
        ("{instruction} [[source, edit]]", "has [[source, edit]], which is not a place: write [[source]] [[edit]]"),
        ("{instruction} [[source 1]] [[edit]]", "has [[source 1]], which is not a place: write [[source]]"),
        ("{instruction} [[[source]]] [[edit]]", "has [[[source]]], which is not a place: write [[source]]"),
        ("{instruction} [[source] [[edit]]", "lists the picture 'source' and has no place [[source]] for it"),
        ("[[instruction]] [[source]] [[edit]]", "'instruction' is a word: write {instruction}"),
        ("{instruction} {source} [[edit]]", "'source' is a picture: write [[source]]"),
        ("{instrution} [[source]] [[edit]]", "did you mean {instruction}?"),
        ("{{instruction}} [[source]] [[edit]]", "has {{instruction}}, which is not a place: write {instruction}"),
        ("{ instruction } [[source]] [[edit]]", "has { instruction }, which is not a place: write {instruction}"),
        ("{instruction}\nImage {n}:\n[[source]] [[edit]]", "line 7 has {n}, the number of a picture, and no picture"),
        ("{instruction} [[source]] is image {n} [[edit]] {n}", "line 6 has {n}"),
        ("{instruction} [[edit]]", "lists the picture 'source' and has no place [[source]] for it"),
    ],
)
def test_a_place_that_nothing_fills_is_refused_with_its_line_and_the_right_name(
    tmp_path: Path, text: str, said: str
) -> None:
    with pytest.raises(BadInput) as caught:
        prompt_of(tmp_path, text)
    assert str(tmp_path / "own.txt") in str(caught.value)
    assert said in str(caught.value)


def test_a_text_of_brackets_takes_no_time(tmp_path: Path) -> None:
    brackets = "[" * 90_000
    assert seen(prompt_of(tmp_path, f"{brackets} {{instruction}}\n[[source]] [[edit]]"))[0] == f"{brackets} go"
    with pytest.raises(BadInput) as caught:
        prompt_of(tmp_path, f"{brackets}source]] {{instruction}} [[source]] [[edit]]")
    assert len(str(caught.value)) < 400 + len(str(tmp_path))


def test_several_mistakes_are_counted(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"line 6 .*\[\[a\]\].*\(and 2 more\)"):
        prompt_of(tmp_path, "[[a]] [[source]]\n[[b]]\n[[edit]] {c} {instruction}")


def test_a_prompt_whose_places_are_at_line_ends_has_the_hash_that_it_always_had(tmp_path: Path) -> None:
    assert prompt_of(tmp_path, "{instruction}\nBefore: [[source]]\nAfter:\n[[edit]]\n").hash == "e9ce2c44da5bc1f7"
    assert load_pack("audit")["fidelity"].hash == "0c0b0b3136210065"


def test_a_prompt_that_once_lost_a_picture_has_another_hash_than_it_had_then(tmp_path: Path) -> None:
    from editscope.judges.prompts.promptfile import header_lines, short_hash

    prompt = prompt_of(tmp_path, "{instruction} [[source]] [[edit]]")
    assert prompt.hash != short_hash("\n".join([*header_lines(prompt), "---", prompt.text]))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(["[[source]]", "[[edit]]", "and", "{instruction}", "\n", "\n\n", " ", "溶", "[[[[x]]]]"]),
        max_size=12,
    )
)
def test_every_place_of_a_text_shows_its_picture(tmp_path_factory: pytest.TempPathFactory, pieces: list[str]) -> None:
    text = "".join(["[[source]]", *pieces, "[[edit]] {instruction}"])
    prompt = prompt_of(tmp_path_factory.mktemp("places"), text)
    pictures = [place.data for place in prompt.call("k", {"source": [A], "edit": [C]}, ASKED).pictures]
    assert pictures.count(b"A") == text.count("[[source]]")
    assert pictures.count(b"C") == text.count("[[edit]]")
    assert "[[source]]" not in "".join(seen(prompt))


@pytest.mark.parametrize(
    "text", ["Hint: {hint} [[source]] [[edit]]\n\n{instruction}", "{instruction} {hint}\n\n[[source]] [[edit]]"]
)
def test_what_every_call_needs_is_not_left_out_with_an_empty_hint(tmp_path: Path, text: str) -> None:
    prompt = prompt_of(tmp_path, text + "\n\n[[answer]]", OPTIONAL)
    assert {"<A>", "<C>"} < set(seen(prompt, hint="look"))
    with pytest.raises(BadInput, match=r"own\.txt, line 6: .* is in a paragraph that is left out .* blank line"):
        seen(prompt, hint="")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Is it {instruction}? [[edit]]", "never [[source]], which it must show"),
        ("Is it good? [[source]] [[edit]]", "it never says {instruction}, as ours does"),
        (HEADER.replace("source, edit", "edit") + "{instruction} [[edit]]", "it never shows [[source]], as ours does"),
        ("Original: [[source]] Edited: [[edited]] {instruction}", "line 1 has a place [[edited]]"),
    ],
)
def test_a_prompt_that_shows_less_than_ours_cannot_replace_it(tmp_path: Path, text: str, said: str) -> None:
    export_pack("audit", tmp_path / "own")
    (tmp_path / "own" / "fidelity.txt").write_text(text, encoding="utf-8")
    (problem,) = examine(tmp_path / "own", "audit").problems
    assert said in problem
    assert str(tmp_path / "own" / "fidelity.txt") in problem


def test_a_paragraph_that_can_be_empty_may_not_hold_all_of_a_replacement(tmp_path: Path) -> None:
    export_pack("worldedit", tmp_path / "own")
    path = tmp_path / "own" / "kp.txt"
    path.write_text("{mode}: {instruction}\n\n[[source]] [[edit]]", encoding="utf-8")
    (problem,) = examine(tmp_path / "own", "worldedit").problems
    assert "line 1: {instruction} is in a paragraph that is left out" in problem


def test_a_header_may_end_with_spaces_after_its_line(tmp_path: Path) -> None:
    prompt = prompt_of(tmp_path, "{instruction} [[source]] [[edit]]", HEADER.replace("---", "--- \t"))
    assert seen(prompt) == ["go", "<A>", "<C>"]

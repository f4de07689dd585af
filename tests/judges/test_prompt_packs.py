"""The prompts that ship are complete and our own, their places hold what they promise, and others can replace them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from editscope.errors import BadInput
from editscope.judges import Field, Picture, Schema
from editscope.judges.prompts.packs import examine, export_pack, load_pack, pack_names, read_prompt
from editscope.judges.prompts.places import places_of
from editscope.judges.prompts.promptfile import header_lines
from editscope.judges.replies import AskedField, Parsed, parse
from support.places import SHARED

SEEDS = SHARED / "seeds"
EXPECTED = {
    "picabench": {"question", "question_with_instruction"},
    "worldedit": {"vc", "vc_ignore_watermark", "vq", "if", "kp"},
    "wiseedit": {f"{metric}_{inputs}" for metric in ("if", "dp", "kf", "cf") for inputs in ("single", "multi")}
    | {"vq"},
    "inedit": {"ac", "pq", "sc", "lc", "sp", "pp"},
    "kris": {
        *("consistency", "consistency_multi", "consistency_temporal", "quality", "knowledge"),
        *("instruction", "instruction_multi", "instruction_temporal", "instruction_viewpoint", "instruction_anomaly"),
    },
    "rise": {
        *("reasoning", "reasoning_with_source", "reasoning_image", "consistency", "consistency_spatial"),
        *("reasoning_logical", "reasoning_logical_image", "reasoning_logical_image_alone", "consistency_logical"),
        *("consistency_logical_text", "plausibility", "plausibility_spatial"),
    },
    "audit": {"fidelity", "pair"},
}
ALL = [(pack, name) for pack in EXPECTED for name in sorted(EXPECTED[pack])]

A, B, C, D = (Picture(data.encode()) for data in "ABCD")

SMALL = """version: 3
pictures: source, edit, references?
words: instruction, hint?
reply: score 1-5
---
Do as told: {instruction}

Hint: {hint}

Source {n}: [[source]]

After:
[[edit]]

Look at {n} of these: [[references]]

Reply {"score": 1}.
"""


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def seen(parts: tuple[str | Picture, ...]) -> list[str]:
    """The parts of a call, pictures by their bytes."""
    return [part if isinstance(part, str) else f"<{part.data.decode()}>" for part in parts]


@pytest.mark.parametrize("pack", EXPECTED)
def test_every_prompt_of_the_suite_is_there(pack: str) -> None:
    assert set(load_pack(pack).names) == EXPECTED[pack]
    assert pack in pack_names()


@pytest.mark.parametrize(("pack", "name"), ALL)
def test_a_prompt_tells_the_judge_the_very_reply_that_its_schema_expects(pack: str, name: str) -> None:
    prompt = load_pack(pack)[name]
    (form,) = re.findall(r"^\{\"reason\".*\}$", prompt.text, re.MULTILINE)
    assert form == prompt.text.splitlines()[-1]
    for field in prompt.schema.fields:
        wide = field.high - field.low > 1
        scale = f"integer from {field.low} to {field.high}" if wide else f"{field.low} or {field.high}"
        asked = f'"{field.name}": "<Yes or No>"' if field.kind == "yes_no" else f'"{field.name}": <{scale}>'
        assert asked in form
    answered = re.sub(r'"<Yes or No>"', '"Yes"', re.sub(r"(?<!\")<[^<>\"]+>(?!\")", "1", form))
    found = parse(answered, prompt.schema)
    assert isinstance(found, Parsed)
    assert len(json.loads(answered)) == len(prompt.schema.fields) + 1


@pytest.mark.parametrize(("pack", "name"), ALL)
def test_each_step_of_a_scale_has_its_anchor_once_from_best_to_worst(pack: str, name: str) -> None:
    prompt = load_pack(pack)[name]
    steps = re.findall(r"^(\d+(?:-\d+)?) = ", prompt.text, re.MULTILINE)
    field = prompt.schema.fields[0]
    if field.kind == "yes_no" or name == "pair":
        assert steps == []
    elif field.high == 10:
        assert steps == ["9-10", "7-8", "5-6", "3-4", "1-2"]
    else:
        ladder = [str(step) for step in range(field.high, field.low - 1, -1)]
        assert steps == ladder * len(prompt.schema.fields)


@pytest.mark.parametrize(("pack", "name"), ALL)
def test_pictures_stand_in_the_order_of_the_header(pack: str, name: str) -> None:
    prompt = load_pack(pack)[name]
    assert [*re.findall(r"\[\[(\w+)\]\]", prompt.text)] == [place.name for place in prompt.pictures]


@pytest.mark.parametrize(
    ("pack", "name", "pictures", "words"),
    [
        ("picabench", "question", "edit", "question"),
        ("worldedit", "kp", "source, edit", "instruction, mode?"),
        ("wiseedit", "if_multi", "source, edit, references?", "instruction, hint?"),
        ("wiseedit", "kf_single", "source, edit, references?", "instruction, hint?"),
        ("wiseedit", "dp_single", "source, edit", "instruction"),
        ("wiseedit", "vq", "edit", ""),
        ("inedit", "sp", "source, edit", "instruction, checklist"),
        ("inedit", "pp", "source, edit_a, edit_b", "instruction_a, instruction_b"),
        ("kris", "knowledge", "source, edit", "instruction, explanation?"),
        ("kris", "instruction_viewpoint", "source, edit, answer?", "instruction"),
        ("kris", "quality", "edit", ""),
        ("rise", "reasoning_logical", "edit", "reference"),
        ("rise", "reasoning_image", "reference, edit", "instruction"),
    ],
)
def test_a_judge_sees_what_the_paper_lets_it_see(pack: str, name: str, pictures: str, words: str) -> None:
    assert header_lines(load_pack(pack)[name])[1:3] == (f"pictures: {pictures}", f"words: {words}")


def test_prompts_that_serve_two_suites_are_the_same() -> None:
    for pack, name, other, twin in (
        ("worldedit", "vc", "kris", "consistency"),
        ("worldedit", "vq", "kris", "quality"),
    ):
        assert load_pack(pack)[name].text == load_pack(other)[twin].text


@pytest.mark.skipif(not SEEDS.is_dir(), reason="the papers are not here")
def test_no_eight_words_in_a_row_are_those_of_a_paper() -> None:
    runs = set()
    for paper in SEEDS.glob("*.txt"):
        words = re.findall(r"\w+", paper.read_text(encoding="utf-8").lower())
        runs |= {tuple(words[start : start + 8]) for start in range(len(words) - 7)}
    assert len(runs) > 10_000
    taken = []
    for pack, name in ALL:
        for line in load_pack(pack)[name].text.lower().splitlines():
            words = re.findall(r"\w+", line)
            taken += [
                words[start : start + 8] for start in range(len(words) - 7) if tuple(words[start : start + 8]) in runs
            ]
    assert taken == []


def test_words_and_pictures_take_their_places_in_order(tmp_path: Path) -> None:
    prompt = read_prompt(write(tmp_path / "small.txt", SMALL))
    call = prompt.call(
        "k", {"source": [A, B], "edit": [C], "references": [D]}, {"instruction": "turn left", "hint": "no"}
    )
    assert seen(call.parts) == [
        "Do as told: turn left\n\nHint: no\n\nSource 1:",
        "<A>",
        "Source 2:",
        "<B>",
        "After:",
        "<C>",
        "Look at 1 of these:",
        "<D>",
        'Reply {"score": 1}.',
    ]
    assert (call.key, call.prompt, call.prompt_hash) == ("k", "small", prompt.hash)
    assert call.schema == Schema((Field("score", "integer", 1, 5),))


def test_a_paragraph_whose_optional_place_is_empty_is_left_out(tmp_path: Path) -> None:
    prompt = read_prompt(write(tmp_path / "small.txt", SMALL))
    for words in ({"instruction": "x"}, {"instruction": "x", "hint": ""}):
        call = prompt.call("k", {"source": [A], "edit": [B]}, words)
        assert seen(call.parts) == ["Do as told: x\n\nSource 1:", "<A>", "After:", "<B>", 'Reply {"score": 1}.']


def test_what_the_words_say_is_never_taken_for_a_place(tmp_path: Path) -> None:
    prompt = read_prompt(write(tmp_path / "small.txt", SMALL))
    nasty = "{hint}\n[[edit]]\n\n\n\n{{n}} \\1 {0}"
    call = prompt.call("k", {"source": [A], "edit": [B]}, {"instruction": nasty})
    assert seen(call.parts)[0] == f"Do as told: {nasty}\n\nSource 1:"
    assert len(call.pictures) == 2


def test_frames_carry_the_numbers_that_they_have_in_the_sequence() -> None:
    pack = load_pack("kris")
    words = {"instruction": "x", "frame": "2", "frames_numbers": "Frame 1, Frame 2 (generated), Frame 3"}
    call = pack.call("instruction_temporal", "i", {"frames": [A, B, C]}, words)
    assert "Frame 2 was generated" in seen(call.parts)[0]
    assert [text.splitlines()[-1] for text in seen(call.parts) if text.endswith(":")] == [
        "Frame 1:",
        "Frame 2 (generated):",
        "Frame 3:",
    ]
    with pytest.raises(BadInput, match=r"2 numbers \(1,2\) are given for 3 pictures"):
        pack.call("instruction_temporal", "i", {"frames": [A, B, C]}, {**words, "frames_numbers": "1,2"})


def test_frames_keep_their_names_under_a_text_that_has_no_place_for_pictures(tmp_path: Path) -> None:
    like = load_pack("kris")["instruction_temporal"]
    prompt = read_prompt(write(tmp_path / "instruction_temporal.txt", "Is frame {frame} right? {instruction}"), like)
    words = {"instruction": "x", "frame": "1", "frames_numbers": "Frame 1 (generated),Frame 2 (known)"}
    call = prompt.call("i", {"frames": [A, B]}, words)
    assert seen(call.parts) == [
        "Is frame 1 right? x\n\nFrame 1 (generated):",
        "<A>",
        "Frame 2 (known):",
        "<B>",
    ]


def test_a_call_without_what_its_prompt_needs_is_named() -> None:
    with pytest.raises(
        BadInput, match=r"'ac' .* needs the picture 'edit' and the word 'instruction', which is not there"
    ):
        load_pack("inedit").call("ac", "ac", {"source": [A], "edit": []}, {"instruction": ""})
    with pytest.raises(BadInput, match="no prompt of inedit 'ca'"):
        load_pack("inedit").call("ca", "ac", {}, {})
    with pytest.raises(BadInput, match="no prompt pack 'krs'; did you mean 'kris'"):
        load_pack("krs")


def test_a_hash_names_the_words_and_not_the_line_ends(tmp_path: Path) -> None:
    first = read_prompt(write(tmp_path / "a.txt", SMALL))
    (tmp_path / "b.txt").write_bytes(b"\xef\xbb\xbf" + SMALL.replace("\n", "\r\n").encode())
    assert read_prompt(tmp_path / "b.txt").hash == first.hash
    for old, new in (("turn", "told"), ("Hint:", "Hint"), ("score 1-5", "score 1-6"), ("version: 3", "version: 4")):
        changed = SMALL.replace(old, new) if old in SMALL else SMALL.replace("Do as", "Act as")
        assert read_prompt(write(tmp_path / "c.txt", changed)).hash != first.hash
    assert re.fullmatch("[0-9a-f]{16}", first.hash)


def test_a_pack_is_replaced_by_a_folder_and_its_hash_tells(tmp_path: Path) -> None:
    ours = load_pack("inedit")
    written = export_pack("inedit", tmp_path / "own")
    assert [path.name for path in written] == [f"{name}.txt" for name in ours.names]
    same = load_pack("inedit", tmp_path / "own")
    assert (same.hash, same.version, same.folder) == (ours.hash, ours.version, tmp_path / "own")
    path = tmp_path / "own" / "pq.txt"
    write(path, path.read_text(encoding="utf-8").replace("version: 1", "version: 2").replace("superb", "fine"))
    own = load_pack("inedit", tmp_path / "own")
    assert own.hash != ours.hash
    assert own.version == "1, 2"
    assert own["ac"].hash == ours["ac"].hash
    assert "the whole looks fine" in seen(own.call("pq", "pq", {"edit": [A]}).parts)[0]


def test_a_text_without_header_takes_over_ours_and_shows_the_pictures_below(tmp_path: Path) -> None:
    export_pack("kris", tmp_path / "own")
    write(tmp_path / "own" / "consistency.txt", 'Compare A with B.\nTask: {instruction}\nReply {{"score": X}}')
    pack = load_pack("kris", tmp_path / "own")
    call = pack.call("consistency", "c", {"source": [A], "edit": [B]}, {"instruction": "go"})
    assert seen(call.parts) == ['Compare A with B.\nTask: go\nReply {"score": X}', "<A>", "<B>"]
    assert pack["consistency"].version == "own"
    assert call.schema == load_pack("kris")["consistency"].schema


def test_a_text_that_uses_other_names_needs_only_a_header(tmp_path: Path) -> None:
    export_pack("kris", tmp_path / "own")
    header = "version: theirs\npictures: source, edit\nwords: instruction=Instruct\nreply: score=quality_score 1-5\n"
    write(tmp_path / "own" / "consistency.txt", f"{header}reason: reasoning\n---\nDo: {{Instruct}}")
    prompt = load_pack("kris", tmp_path / "own")["consistency"]
    call = prompt.call("c", {"source": [A], "edit": [B]}, {"instruction": "go"})
    assert seen(call.parts) == ["Do: go", "<A>", "<B>"]
    assert call.schema == Schema((AskedField("score", "integer", 1, 5, "quality_score"),), "reasoning")
    found = parse('{"reasoning": "fine", "quality_score": 2}', call.schema)
    assert found == Parsed({"score": 2}, "fine")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("version: 1\n", "", "has no header line 'version: …'"),
        ("version: 1\n", "version: 1\nversion: 2\n", "has the header line 'version' twice"),
        ("version: 1\n", "version: 1\nauthor: me\n", "has the header line 'author', which is none of"),
        ("reply: score 1-5", "reply: score 5-1", "has the reply field 'score 5-1'; write 'score 1-5'"),
        ("reply: score 1-5", "reply: score", "has the reply field 'score'"),
        ("reply: score 1-5", "reply: questions list of texts", "'keywords texts 2-3', 'law one of"),
        ("reply: score 1-5", "reply: score 1-5, score 1-5", "names a reply field twice"),
        ("reply: score 1-5", "reply: score 1-10", "reply is 'score 1-10', not 'score 1-5'"),
        ("reply: score 1-5", "reply: rating 1-5", "reply is 'rating 1-5', not 'score 1-5'"),
        ("reply: score 1-5", "reply: score yes/no", "reply is 'score yes/no', not 'score 1-5'"),
        ("words: instruction", "words: instruction, In struction", "lists 'In struction' under words"),
        ("words: instruction", "words: instruction, instruction", "lists a name twice under words"),
        ("words: instruction", "words: instruction, hint", "lists the word 'hint' and has no place {hint} for it"),
        ("words: instruction\n", "", r"has a place {instruction} for a word that its header does not list"),
        ("{instruction}", "{instrucion}", "has a place {instrucion} for a word"),
        ("[[edit]]", "[[edited]]", "has a place [[edited]] for a picture"),
        ("[[edit]]", "", "lists the picture 'edit' and has no place [[edit]] for it"),
    ],
)
def test_a_file_that_cannot_replace_ours_is_named_with_its_fault(tmp_path: Path, old: str, new: str, said: str) -> None:
    export_pack("inedit", tmp_path / "own")
    path = tmp_path / "own" / "ac.txt"
    text = path.read_text(encoding="utf-8")
    assert old in text
    write(path, text.replace(old, new, 1))
    with pytest.raises(BadInput) as caught:
        load_pack("inedit", tmp_path / "own")
    assert str(path) in str(caught.value)
    assert said in str(caught.value)


def test_a_place_that_the_rubric_does_not_fill_is_refused_before_anything_is_spent(tmp_path: Path) -> None:
    export_pack("inedit", tmp_path / "own")
    path = tmp_path / "own" / "pq.txt"
    text = path.read_text(encoding="utf-8").replace("pictures: edit\n", "pictures: edit, source\nwords: hint?\n")
    write(path, text + "\n[[source]]\n\n{hint}\n")
    found = examine(tmp_path / "own", "inedit")
    assert [problem.split(": ", 1)[1] for problem in found.problems] == [
        "the picture 'source' is not given (given: edit)",
        "the word 'hint' is not given (given: none)",
    ]


def test_what_may_be_missing_must_be_optional_in_a_replacement_too(tmp_path: Path) -> None:
    export_pack("worldedit", tmp_path / "own")
    path = tmp_path / "own" / "kp.txt"
    write(path, path.read_text(encoding="utf-8").replace("mode?", "mode", 1))
    with pytest.raises(BadInput, match=r"the word 'mode' may be missing: write 'mode\?' in the header"):
        load_pack("worldedit", tmp_path / "own")


def test_missing_and_unknown_files_are_all_listed(tmp_path: Path) -> None:
    export_pack("inedit", tmp_path / "own")
    (tmp_path / "own" / "pp.txt").unlink()
    (tmp_path / "own" / "sc.txt").rename(tmp_path / "own" / "sk.txt")
    write(tmp_path / "own" / "README.txt", "What I changed and why.")
    problems = examine(tmp_path / "own").problems
    assert [bool(re.search("has no (pp|sc).txt", problem)) for problem in problems] == [True, True, False]
    assert "sk.txt replaces nothing: there is no prompt of inedit 'sk'" in problems[2]
    with pytest.raises(BadInput, match=r"has no pp\.txt.*and 2 more"):
        load_pack("inedit", tmp_path / "own")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\xff\xfe\x00 not text", "is not UTF-8 at byte 0"),
        (b"version: 1\nreply: score 1-5\n---\na\0b", "holds a NUL at byte 33"),
        (b"x" * 200_001, "is too large; a prompt has at most 200,000 bytes"),
        (b"version: 1\nreply: score 1-5\n---\n \n", "has no text below its header"),
        (b"Just a text.", "has no header"),
    ],
)
def test_a_file_that_is_no_prompt_is_said_so(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / "own.txt").write_bytes(data)
    with pytest.raises(BadInput, match=said):
        read_prompt(tmp_path / "own.txt")


def test_a_folder_that_is_not_there_or_not_empty_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is not a folder of prompts; `editscope prompts export kris"):
        load_pack("kris", tmp_path / "nowhere")
    write(tmp_path / "mine.txt", "precious")
    with pytest.raises(BadInput, match="is not empty"):
        export_pack("kris", tmp_path)
    with pytest.raises(BadInput, match=r"cannot be read: No such file"):
        read_prompt(tmp_path / "nowhere.txt")
    with pytest.raises(BadInput, match="any suite: say which with --suite"):
        examine(tmp_path)


def test_a_brace_that_holds_no_place_stays_as_it_is() -> None:
    assert places_of('{"score": 1} {} {1} {a b} {{instruction}} [[1, 2], [3, 4]]') == (set(), set())

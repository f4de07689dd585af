"""A dictionary of one's own: what it may leave out, and what is said of what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from editscope.errors import BadInput
from editscope.factory.words.combining import combinations
from editscope.factory.words.entries import name_key
from editscope.factory.words.reading import read_law_words, shipped_law_words

SUBJECTS = """
[[subjects]]
names = ["lucky cat", "salt shaker"]
laws = ["reflection", "light_source_effects"]
places = ["tabletop"]
traits = ["movable", "glossy"]
"""
SCENES = """
[[scenes]]
name = "ramen counter"
at = "on"
laws = ["reflection"]
places = ["tabletop"]
traits = ["indoor"]
parts = { surface = "steel counter", mirror = "back-bar mirror" }
"""
WHOLE = """
[laws]
magnetism = "A magnet attracts iron."
[traits.subject]
magnetic = "made of iron"
[keywords]
magnetism = ["horseshoe magnet"]
[[subjects]]
names = ["paper clip"]
laws = ["magnetism"]
places = ["tabletop"]
traits = ["magnetic"]
[[scenes]]
name = "school desk"
at = "on"
laws = ["magnetism"]
places = ["tabletop"]
[[motions]]
law = "magnetism"
subject = ["magnetic"]
start = "{a_subject} {at_scene} beside a magnet"
text = "The {subject} slides to the left onto the magnet, camera static."
"""


def written(folder: Path, text: str, name: str = "words.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def said(folder: Path, text: str) -> str:
    """What is said of a dictionary that cannot be used."""
    with pytest.raises(BadInput) as error:
        read_law_words(written(folder, text))
    return str(error.value)


def test_a_few_subjects_are_a_dictionary_with_the_rest_of_the_shipped_one(tmp_path: Path) -> None:
    words = read_law_words(written(tmp_path, SUBJECTS))
    assert [subject.name for subject in words.subjects] == ["lucky cat", "salt shaker"]
    assert set(words.laws) == {"reflection", "light_source_effects"}
    assert words.scenes == shipped_law_words().scenes
    assert words.keywords["reflection"] == shipped_law_words().keywords["reflection"]
    made = next(combinations(words, "reflection"))
    assert made.subject.name in made.caption


def test_a_few_scenes_are_a_dictionary_too(tmp_path: Path) -> None:
    words = read_law_words(written(tmp_path, SCENES))
    assert tuple(words.laws) == ("reflection",)
    made = next(combinations(words, "reflection"))
    assert "back-bar mirror" in made.caption and "on a ramen counter" in made.first_frame


def test_a_dictionary_can_define_a_law_of_its_own(tmp_path: Path) -> None:
    words = read_law_words(written(tmp_path, WHOLE))
    assert words.laws == {"magnetism": "A magnet attracts iron."}
    (made,) = combinations(words, "magnetism")
    assert made.first_frame == "A paper clip on a school desk beside a magnet"


def test_a_folder_is_read_file_by_file(tmp_path: Path) -> None:
    written(tmp_path, SUBJECTS.replace(', "light_source_effects"', ""), "b.toml")
    written(tmp_path, SCENES, "a.toml")
    words = read_law_words(tmp_path)
    assert len(words.subjects) == 2 and len(words.scenes) == 1


def test_the_shipped_dictionary_reads_as_one_of_a_user(tmp_path: Path) -> None:
    from editscope.factory.words.entries import SHIPPED

    for file in sorted((SHIPPED / "laws").glob("*.toml")):
        if file.name != "vocabulary.toml":
            (tmp_path / file.name).write_bytes(file.read_bytes())
    words = read_law_words(tmp_path)
    assert words.subjects == shipped_law_words().subjects and words.motions == shipped_law_words().motions


@pytest.mark.parametrize(
    ("change", "to", "parts"),
    [
        (
            '"salt shaker"',
            '"Lucky  Cats"',
            ["name 2", "the subject 'Lucky Cats' is the same as 'lucky cat'", "keep one"],
        ),
        ('"salt shaker"', '"The Lucky-Cat"', ["without its article"]),
        ('"salt shaker"', '" "', ["subjects 1 ('lucky cat')", "item 2 is empty; write it or take it out"]),
        ('"salt shaker"', "7", ["item 2 is a number, not a text"]),
        ('["lucky cat", "salt shaker"]', "[]", ["'names' has 0 items and needs at least 1"]),
        ('"reflection"', '"reflexion"', ["there is no law 'reflexion'; did you mean 'reflection'?"]),
        ('["tabletop"]', '["table_top"]', ["there is no place 'table_top'; did you mean 'tabletop'?"]),
        ('"glossy"', '"shiny"', ["there is no trait 'shiny'"]),
        (
            '"light_source_effects"',
            '"deformation"',
            ["'lucky cat' has no scene with a motion for 'deformation'", "places: tabletop; traits: movable, glossy"],
        ),
        ("[[subjects]]", "[[subject]]", ["there is no kind of entry 'subject'; did you mean 'subjects'?"]),
        ("traits =", "trait =", ["there is no key 'trait'; did you mean 'traits'?"]),
        ("[[subjects]]", "[subjects]", ["'subjects' is a table, not a list of [[subjects]]"]),
        ('names = ["lucky cat", "salt shaker"]', 'names = "lucky cat"', ["field 'names' is a text, not a list"]),
        ("[[subjects]]", "[[subjects", ["is not TOML"]),
    ],
)
def test_what_is_wrong_with_subjects_is_said_with_file_entry_and_fix(
    tmp_path: Path, change: str, to: str, parts: list[str]
) -> None:
    assert change in SUBJECTS
    message = said(tmp_path, SUBJECTS.replace(change, to))
    assert "words.toml" in message
    for part in parts:
        assert part in message, message


@pytest.mark.parametrize(
    ("change", "to", "part"),
    [
        ("{a_subject} {at", "{a_subjekt} {at", "there is no slot 'a_subjekt'; did you mean 'a_subject'?"),
        ("The {subject} slides", "The {subject slides", "field 'text' has a brace without its partner"),
        ("The {subject} slides", "It slides", "field 'text' has no slot {subject}"),
        ("onto the magnet", "onto the {mirror}", "no subject and scene of 'magnetism' fit this motion"),
        ('law = "magnetism"\nsubject', 'law = "gravity"\nsubject', "there is no law 'gravity'"),
        ('["horseshoe magnet"]', '["horseshoe magnet", "Horseshoe Magnets"]', "the keyword 'Horseshoe Magnets' is"),
        ('["horseshoe magnet"]', '["horseshoe magnet", ""]', "field 'magnetism', item 2 is empty"),
        ('magnetic = "made of iron"', 'magnetic = ""', "'magnetic' has no sentence that says what it means"),
        ('"school desk"', '"the school desk"', "write 'the school desk' without its article, as 'school desk'"),
        ('at = "on"', "", "field 'at' is missing or empty"),
        ("\n[[motions]]", '\nparts = { lampe = "x" }\n[[motions]]', "there is no part 'lampe'; did you mean 'lamp'?"),
        ('"A magnet attracts iron."', '"A magnet attracts iron."\nlocal = "Near."', "'local' means 'One thing"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_motions_scenes_and_keywords_is_said(
    tmp_path: Path, change: str, to: str, part: str
) -> None:
    assert change in WHOLE
    message = said(tmp_path, WHOLE.replace(change, to))
    assert "words.toml" in message and part in message, message


def test_a_law_with_less_than_half_of_the_mean_is_said_with_what_is_missing(tmp_path: Path) -> None:
    many = ", ".join(f'"thing number {n}"' for n in range(10))
    more = f"""
[[subjects]]
names = [{many}]
laws = ["light_source_effects"]
places = ["tabletop"]
"""
    text = SUBJECTS.replace('"reflection", "light_source_effects"', '"reflection"') + more
    message = said(tmp_path, text)
    assert "the law 'reflection' has 2 subjects, less than half of the mean 6; add at least 2" in message


def test_only_the_first_flaws_are_listed_and_the_rest_counted(tmp_path: Path) -> None:
    names = ", ".join(f'"{article} cup"' for article in ["a", "the"] * 10)
    message = said(tmp_path, SUBJECTS.replace('"lucky cat", "salt shaker"', names))
    assert message.count("without its article") == 10 and "and 29 more" in message


@pytest.mark.parametrize("made", ["", "empty", "missing"])
def test_a_dictionary_that_is_not_there_is_said(tmp_path: Path, made: str) -> None:
    path = tmp_path / made
    if made == "empty":
        path.mkdir()
    with pytest.raises(BadInput, match=r"TOML file or a folder of them"):
        read_law_words(path)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Glass Jars", "glass jar"), ("the cherry", "Cherries"), ("tooth-brush", "tooth brush"), ("axes", "axe")],
)
def test_spellings_of_one_name_have_one_key(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


@pytest.mark.parametrize(("one", "other"), [("glass", "glas"), ("cactus", "cactu"), ("iris", "iri"), ("cup", "cap")])
def test_different_names_keep_different_keys(one: str, other: str) -> None:
    assert name_key(one) != name_key(other)

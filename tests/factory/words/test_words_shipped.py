"""The dictionary for laws that comes with Editscope: large enough, balanced, and true to the rules of captions."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations as couples
from itertools import islice

import pytest

from editscope.factory.rules import MotionCaption, breaches
from editscope.factory.words.combining import WordCombination, across_laws, combinations
from editscope.factory.words.entries import name_key
from editscope.factory.words.fitting import fit_table
from editscope.factory.words.reading import read_law_words, shipped_law_words
from editscope.factory.words.records import MotionTemplate
from editscope.factory.words.templates import slots
from editscope.suites.picabench.data import LAWS

LAWS_NAMED = {
    "light_propagation": r"light propagation",
    "light_source_effects": r"light source",
    "reflection": r"reflect\w*",
    "refraction": r"refract\w*",
    "deformation": r"deform\w*",
    "causality": r"caus\w*",
    "global": r"global\w*",
    "local": r"local\w*",
}
NEVER = re.compile(r"\b(?:images?|photos?|photographs?|edit\w*|prompts?|law|scene cuts?|cut to)\b", re.IGNORECASE)
DIRECTION_OR_MAGNITUDE = re.compile(
    r"\b(?:left|right|up|upward|down|downward|away|toward|inward|outward|above|below|beneath|beside|behind|in front|"
    r"half|halfway|third|quarter|twice|twofold|double|doubles|four times|three times|several times|nearer|wider|"
    r"opposite|from the (?:top|bottom|edges?|horizon|background|seams|tip)|around|middle|forward|two steps|one step)\b"
)
PHYSICS = {
    "light_propagation": r"shadows?|shade",
    "light_source_effects": r"shadows?|highlights?|glow|pool of light|light",
    "reflection": r"mirror\w*|twin|double|upside-down",
    "refraction": r"warp\w*|bend\w*|bent|broken|flips?|swells?|dispersion|wavers?|upside-down|upside down|"
    r"stretch\w*|curve|shifted",
    "deformation": r"indentation|rebounds?|creases?|wrinkles?|folds?|sags?|bulges?|bends?|dent|pit|spreads?|arch|curl|"
    r"thinner|narrows?|groove|hollow|bellies|buckles?|curves?|sinks",
    "causality": r"tilts?|tips?|slides?|collapse|falls?|rolls?|drops?|spills?|overflows|swings|topples|tumble",
    "global": r"shadows?|light|color|colors|sky|snow|rain|fog|mirrors|foliage|frost|dust|green|dusk",
    "local": r"droplets?|drops?|frost|soot|cracks?|melts?|puddle|rust|wrinkles?|skin|streaks|peels|crust|cut|tear|mud|"
    r"dust|leaves|splinters",
}
WORDS = shipped_law_words()
MOTIONS = [pytest.param(motion, id=f"{motion.law}-{number}") for number, motion in enumerate(WORDS.motions)]


def test_it_has_words_for_the_eight_laws() -> None:
    assert tuple(WORDS.laws) == tuple(LAWS)
    assert read_law_words() is WORDS


def test_it_has_at_least_the_promised_number_of_entries() -> None:
    assert len(WORDS.subjects) >= 200
    assert len(WORDS.scenes) >= 120
    for law in WORDS.laws:
        assert len(WORDS.keywords[law]) >= 25, law
        assert len(WORDS.motions_for(law)) >= 12, law


@pytest.mark.parametrize("kind", ["subjects", "scenes", "motions", "keywords"])
def test_no_law_has_less_than_half_of_the_mean(kind: str) -> None:
    counts = {
        "subjects": {law: len(WORDS.subjects_for(law)) for law in LAWS},
        "scenes": {law: len(WORDS.scenes_for(law)) for law in LAWS},
        "motions": {law: len(WORDS.motions_for(law)) for law in LAWS},
        "keywords": {law: len(WORDS.keywords[law]) for law in LAWS},
    }[kind]
    assert min(counts.values()) >= sum(counts.values()) / len(counts) / 2, counts


def test_every_law_makes_its_share_of_the_paper_s_samples() -> None:
    needed = -(-105_085 // len(LAWS))
    assert {law: n for law in LAWS if (n := fit_table(WORDS, law).combinations) < needed} == {}


@pytest.mark.parametrize("motion", MOTIONS)
def test_a_caption_keeps_the_rules_of_motion_captions(motion: MotionTemplate) -> None:
    text = _filled(motion).caption
    assert text.endswith(", camera static."), "the camera's state stands at the end"
    assert text.count(".") == 1 and not re.search(r"[;!?\n]", text), "one sentence"
    assert text.lower().count("camera") == 1, "one camera state and no motion of it"
    assert not NEVER.search(text), NEVER.search(text)
    assert not re.search(LAWS_NAMED[motion.law], text, re.IGNORECASE), "the law is never named"
    assert DIRECTION_OR_MAGNITUDE.search(text), "a cue of direction or magnitude"
    assert re.search(rf"\b(?:{PHYSICS[motion.law]})\b", text), "a word of the physics"
    assert not re.search(r"\b(?:seconds|minutes?|hours?|days?|weeks?|years?)\b", text), "the clip has 3 to 5 seconds"
    assert 12 <= len(text.split()) <= 60
    assert not breaches("motion_caption", MotionCaption(text, motion.law))


@pytest.mark.parametrize("motion", MOTIONS)
def test_the_first_frame_names_subject_and_scene(motion: MotionTemplate) -> None:
    assert {"a_subject", "subject"} & set(slots(motion.start)), motion.start
    assert "at_scene" in slots(motion.start), motion.start
    assert not motion.start.endswith("."), "it goes on in a prompt"


def test_no_motion_says_the_same_as_another() -> None:
    content = [
        (motion, {*re.findall(r"[a-z]+", motion.text.lower())} - {"the", "a", "and"}) for motion in WORDS.motions
    ]
    alike = [
        (one.text, other.text)
        for (one, words), (other, others) in couples(content, 2)
        if one.law == other.law and len(words & others) / len(words | others) > 0.7
    ]
    assert alike == []


def test_no_name_occurs_twice_in_any_spelling() -> None:
    for names in (
        [subject.name for subject in WORDS.subjects],
        [scene.name for scene in WORDS.scenes],
        *WORDS.keywords.values(),
    ):
        assert [key for key, count in Counter(map(name_key, names)).items() if count > 1] == []


def test_names_can_stand_in_captions_of_every_law() -> None:
    named = [subject.name for subject in WORDS.subjects]
    named += [words for scene in WORDS.scenes for words in (scene.name, *scene.parts.values())]
    laws = re.compile("|".join(LAWS_NAMED.values()), re.IGNORECASE)
    bad = re.compile(r"[.;!?{}]")
    assert [name for name in named if NEVER.search(name) or laws.search(name) or bad.search(name)] == []


@pytest.mark.parametrize("law", LAWS)
def test_every_subject_comes_up_before_any_comes_up_twice(law: str) -> None:
    table = fit_table(WORDS, law)
    first = list(islice(combinations(WORDS, law, seed=3), len(table.subjects)))
    assert len({made.subject.name for made in first}) == len(table.subjects)
    scenes = Counter(made.scene.name for made in first)
    assert len(scenes) >= 0.7 * len(table.scenes)


@pytest.mark.slow
def test_a_hundred_thousand_combinations_differ_and_are_spread_over_the_laws() -> None:
    made = list(across_laws(WORDS, 100_000, seed=11))
    assert len({(one.law, one.subject.name, one.scene.name, one.motion.text) for one in made}) == 100_000
    assert set(Counter(one.law for one in made).values()) == {12_500}
    assert len({(one.first_frame, one.caption) for one in made}) == 100_000
    for law in LAWS:
        uses = Counter(one.motion.text for one in made if one.law == law)
        assert len(uses) == len(WORDS.motions_for(law)), "every motion is used"


def _filled(motion: MotionTemplate) -> WordCombination:
    """A motion with a pair that it fits."""
    subject = next(
        one
        for one in WORDS.subjects_for(motion.law)
        if motion.fits_subject(one)
        and any(
            motion.fits_scene(scene) and set(scene.places) & set(one.places) for scene in WORDS.scenes_for(motion.law)
        )
    )
    scene = next(
        one for one in WORDS.scenes_for(motion.law) if motion.fits_scene(one) and set(one.places) & set(subject.places)
    )
    return WordCombination(motion.law, subject, scene, motion)

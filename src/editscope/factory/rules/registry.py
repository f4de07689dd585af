"""All rules for texts, by what they are about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, get_args

from editscope.errors import unknown
from editscope.factory.rules import action, levels, moments, motion, question, sources, translation, world
from editscope.factory.rules.records import (
    Breach,
    CaseQuestions,
    LeveledInstruction,
    MotionCaption,
    PlainText,
    QuestionText,
    RuledText,
    Subject,
    TextRule,
    Translation,
)

_QUESTION_WORDS = {
    "yes_no_form": "The question begins with an auxiliary verb such as Is, Are, Does, Do, Has or Can and ends with a question "
    "mark, so that Yes or No answers it.",
    "one_predicate": "It asks one thing: and, or, both, either, while and except stand only inside words that say which thing is "
    "meant or where it is, never between two things that are asked about or two things that are said.",
    "edited_picture_alone": "The picture after the edit alone answers it. It is in the present tense (no Did, Was or Has … been), has no "
    "word that points back (before, originally, still, now, no longer, remain, the new lamp), no word for an edit "
    "(edit, change, add, remove, replace, move, turn into) or for another picture, and compares only things that "
    "it names: 'darker than the sea' is fine, 'darker?', 'different?' and 'in the same place?' are not.",
    "concrete_words": "No word leaves open whether, how much or how many: some, several, many, a few, slightly, somewhat, roughly, "
    "maybe, probably, seems, appears to, looks like, looks followed by an adjective.",
    "positive_framing": "It asks for what should be there: no not, no, never, none, nothing, nobody, n't or fails to anywhere, and "
    "without only where it says which thing is meant; absent, missing and gone are fine.",
    "located_target": "Words tell which thing is meant: a place anywhere in the question (on the rug, at the left), an order (the "
    "second), a word before its name (the red cup, the desk lamp) or what it belongs to (the shadow of the pole). "
    "What is asked about it (is it lit, has it a handle) does not count, and 'in the picture' is no place. The "
    "sky, the sun, the moon, the horizon, the background and the foreground need none.",
    "brief_question": "It has at most 30 words, counted by the spaces between them.",
}

_RULES: tuple[TextRule[Any], ...] = (
    *(
        TextRule(name, about, sources.QUESTIONS, ("question",), QuestionText, question.by_words(name))
        for name, about in _QUESTION_WORDS.items()
    ),
    TextRule(
        "plain_answer",
        "The answer is exactly Yes or No: this spelling, with a capital letter and no mark or space.",
        sources.QUESTIONS,
        ("question",),
        QuestionText,
        question.plain_answer,
    ),
    TextRule(
        "form_follows_operation",
        "The form follows the operation. remove: whether the thing is absent, gone or missing, or whether there "
        "is one. add: whether it is there, in a place, held or worn, never whether it is absent. move: where it "
        "is, with a place. attribute: what it is like, never whether it is absent, and not only whether there is "
        "one. count: an exact number. A question of the category physics is free.",
        sources.QUESTIONS,
        ("question",),
        QuestionText,
        question.form_follows_operation,
    ),
    TextRule(
        "no_repeated_question",
        "No two questions of a case have the same words, apart from their order, their forms (cast, casts) and "
        "small words such as the, is or of. Other words are another question, even where they mean the same.",
        sources.QUESTIONS,
        ("questions",),
        CaseQuestions,
        question.no_repeated_question,
    ),
    TextRule(
        "question_count",
        "A case has four or five questions.",
        sources.QUESTIONS_OF_A_CASE,
        ("questions",),
        CaseQuestions,
        question.question_count,
    ),
    TextRule(
        "other_aspects",
        "Every question of a case asks for another aspect, whatever its words.",
        sources.QUESTIONS,
        ("questions",),
        CaseQuestions,
    ),
    TextRule(
        "command_form",
        "The first word of every level is a verb in its command form (Add, Tilt, Let, Do not). Only please, an "
        "adverb (gently, then, now), or an opening that ends with a comma ('In the foreground, …') may stand "
        "before it. 'The lamp is removed', 'Removing the lamp', 'A red lamp', 'Snow on the roof' and 'You should "
        "…' are no commands. A level that is empty is not checked.",
        f"{sources.BENCHMARK_INSTRUCTIONS} and {sources.TRAINING_INSTRUCTIONS}",
        ("benchmark_instruction", "training_instruction"),
        LeveledInstruction,
        levels.command_form,
    ),
    TextRule(
        "bare_action",
        "The superficial level is one command in one sentence and nothing more: no second command or clause, "
        "whether after and, then, so, which, while, when, until, because, as, a semicolon, or after a comma with "
        "'with' or an -ing word; no purpose ('to reveal the floor'); no word about physics, realism, causes or "
        "effects. Several things ('the cup and the plate') and words that say which thing or where ('the cat "
        "sleeping on the hood', 'the chair that stands by the door') are fine.",
        sources.BENCHMARK_INSTRUCTIONS,
        ("benchmark_instruction",),
        LeveledInstruction,
        action.bare_action,
    ),
    TextRule(
        "settled_state",
        "No level asks in words for a moment in between: no -ing word that says that something is moving, "
        "breaking or changing at this moment (falling, melting, spilling, being torn), and no phrase for it "
        "(about to, begins to, as it falls, mid-air, halfway to the ground, on the brink of). Lying, hanging, "
        "leaning, floating and the like are fine, and so are weather, flames, smoke, birds and running water, and "
        "what names a kind of thing (a rocking chair).",
        sources.BENCHMARK_INSTRUCTIONS,
        ("benchmark_instruction",),
        LeveledInstruction,
        moments.settled_state,
    ),
    TextRule(
        "stable_outcome",
        "The state that is asked for is physically stable, whatever the words: everything has come to rest.",
        sources.BENCHMARK_INSTRUCTIONS,
        ("benchmark_instruction",),
        LeveledInstruction,
    ),
    TextRule(
        "outcome_left_open",
        "The intermediate level says that physics has an effect, and does not describe the effect.",
        sources.BENCHMARK_INSTRUCTIONS,
        ("benchmark_instruction",),
        LeveledInstruction,
    ),
    TextRule(
        "token_limits",
        "The three levels have fewer than 20, 128 and 256 tokens, counted by our tokenizer 'pieces': words, "
        "endings after an apostrophe, numbers, and runs of other marks.",
        sources.TRAINING_INSTRUCTIONS,
        ("training_instruction",),
        LeveledInstruction,
        levels.token_limits,
    ),
    TextRule(
        "no_other_picture",
        "No level speaks of a second, output, target, result, final, edited or reference image (picture, photo, "
        "frame), or of another picture that the editor does not have. Pictures that hang or stand in the scene "
        "are fine, and so is 'the image' by itself.",
        sources.TRAINING_INSTRUCTIONS,
        ("training_instruction",),
        LeveledInstruction,
        levels.no_other_picture,
    ),
    TextRule(
        "no_numbers",
        "The explicit level has no digits, and no number word with a unit (ten percent, two meters, three times); "
        "a count in words, such as two chairs, is fine, and so are half and twice.",
        sources.TRAINING_INSTRUCTIONS,
        ("training_instruction",),
        LeveledInstruction,
        levels.no_numbers,
    ),
    TextRule(
        "no_editing_terms",
        "The explicit level names no tool, setting, map or data of an editing or rendering program: depth map, "
        "blend mode, mask, layer, opacity, Gaussian blur, exposure value, slider, filter. Words for what one sees "
        "(blurred, a layer of snow, bright, shadow) are fine.",
        sources.TRAINING_INSTRUCTIONS,
        ("training_instruction",),
        LeveledInstruction,
        levels.no_editing_terms,
    ),
    TextRule(
        "clip_length",
        "Any time that the caption names is three to five seconds; minutes, hours, days, 'in an instant' as a "
        "number of seconds, and time lapse break it. A caption that names no time keeps it.",
        sources.MOTION_CAPTIONS,
        ("motion_caption",),
        MotionCaption,
        motion.clip_length,
    ),
    TextRule(
        "one_sentence",
        "The caption is one sentence: one period, question mark or exclamation mark that ends a sentence at most, "
        "and no new line. Semicolons are fine.",
        sources.MOTION_CAPTIONS,
        ("motion_caption",),
        MotionCaption,
        motion.one_sentence,
    ),
    TextRule(
        "camera_at_end",
        "The last words of the caption, set off by a comma, a semicolon, and, while or with, say what the camera "
        "does: it is static, or how it moves ('camera static', 'slow push-in', 'while the camera pans left').",
        sources.MOTION_CAPTIONS,
        ("motion_caption",),
        MotionCaption,
        motion.camera_at_end,
    ),
    TextRule(
        "one_camera_motion",
        "The camera has at most one motion (pan, tilt, zoom, push-in, pull-back, orbit, tracking, crane, handheld "
        "shake, roll); things in the scene may pan, tilt, slide and roll as they like.",
        sources.MOTION_CAPTIONS,
        ("motion_caption",),
        MotionCaption,
        motion.one_camera_motion,
    ),
    TextRule(
        "single_shot",
        "Nothing says that the shot ends or that another begins: no cut, no fade, dissolve or transition of the "
        "picture, no montage or split screen, no next, second or other shot, scene, angle or close-up, no view "
        "first from here and then from there, and no jump in time (later, the next day). Things that are cut, "
        "fade or dissolve in the scene are fine.",
        sources.MOTION_CAPTIONS,
        ("motion_caption",),
        MotionCaption,
        motion.single_shot,
    ),
    TextRule(
        "measurable_cue",
        "Words outside those about the camera say which way the change goes (left, up, off, away, across, toward "
        "or onto something, to the floor, from the edge) or how much it is (a share, a number, half, twice, "
        "fully, slightly, almost, a comparative such as longer, or a size or amount such as deep, dense or "
        "whole). To turn on, off or out counts. A verb alone (falls, grows, collapses), a color, and words that "
        "only say which thing is meant (the tall mug on the left) do not.",
        sources.MOTION_CAPTIONS,
        ("motion_caption",),
        MotionCaption,
        motion.measurable_cue,
    ),
    TextRule(
        "physics_cue",
        "The caption has a cue word of its law, in any form (darkens, shadows), outside what it says of the camera. "
        f"{motion.cues_in_words()}.",
        sources.MOTION_CAPTIONS,
        ("motion_caption",),
        MotionCaption,
        motion.physics_cue,
    ),
    TextRule(
        "law_unnamed",
        "The caption names no law: none of refraction, deformation, causality, light propagation, light source "
        "effects, global or local (state, change), optics, mechanics, law of physics; reflection only as what a "
        "mirror or surface shows. Verbs such as refracts or deforms, and gravity, are fine.",
        sources.MOTION_CAPTIONS,
        ("motion_caption",),
        MotionCaption,
        motion.law_unnamed,
    ),
    TextRule(
        "no_meta_words",
        "None of the words image, photo, photograph, edit and prompt, in any form; a mirror image is fine, and so "
        "are picture, photographer, camera and video.",
        sources.MOTION_CAPTIONS,
        ("motion_caption",),
        MotionCaption,
        motion.no_meta_words,
    ),
    TextRule(
        "visible_law",
        "What the caption describes is what one sees of its law, whatever the words.",
        sources.MOTION_CAPTIONS,
        ("motion_caption",),
        MotionCaption,
    ),
    TextRule(
        "large_change",
        "The change affects about a fifth of the subject or more, or clearly changes the light of the whole scene.",
        sources.MOTION_CAPTIONS,
        ("motion_caption",),
        MotionCaption,
    ),
    TextRule(
        "one_change",
        "One entry of the law's playbook; nothing else is added or removed unless that is the change.",
        sources.MOTION_CAPTIONS,
        ("motion_caption",),
        MotionCaption,
    ),
    TextRule(
        "implicit_cause",
        "The instruction names a cause: what is done to the thing or happens to it, by what, for how long (drop, "
        "heat, freeze, leave for a month, what if it broke). It orders no edit (no clause commands add, remove, "
        "replace, change, make, give, show, create, transform, paint, color, darken, enlarge or another verb of "
        "changing a picture, or turn into) and states no result: nothing is said to be, become, turn, get or look "
        "a color, a size, a shape, or damaged, and no cracks, stains, puddle or pieces are named as what comes "
        "out. The thing itself may have such words before it (the red apple).",
        sources.IMPLICIT_INSTRUCTIONS,
        ("implicit_instruction",),
        PlainText,
        world.implicit_cause,
    ),
    TextRule(
        "plausible_pair",
        "The thing can change in this way in the real world: a plate can break, the sky cannot.",
        sources.IMPLICIT_INSTRUCTIONS,
        ("implicit_instruction",),
        PlainText,
    ),
    TextRule(
        "needs_knowledge",
        "World knowledge is needed to know what one will see.",
        sources.IMPLICIT_INSTRUCTIONS,
        ("implicit_instruction",),
        PlainText,
    ),
    TextRule(
        "no_mood",
        "No word for a mood, a feeling or an atmosphere (sad, cozy, eerie, peaceful, dramatic), none that praises "
        "or pities (beautiful, majestic, pitiful), nothing that stands for something else (symbolizes, evokes, "
        "tells of, a reminder of), and no thing that does, wants or feels what only a person does (weeps, "
        "whispers, refuses, struggles). What one sees, and comparisons with other things that one sees (like a "
        "dry leaf), are fine.",
        sources.PARAPHRASES,
        ("paraphrase",),
        PlainText,
        world.no_mood,
    ),
    TextRule(
        "visible_change",
        "The paraphrase names at least one visible change of texture, shape, color, gloss, firmness or surface, a "
        "fragment or a deformation.",
        sources.PARAPHRASES,
        ("paraphrase",),
        PlainText,
    ),
    TextRule(
        "strong_effect",
        "The change is large enough to be seen at once.",
        sources.PARAPHRASES,
        ("paraphrase",),
        PlainText,
    ),
    TextRule(
        "causal_logic",
        "The change follows from the cause in the real world.",
        sources.PARAPHRASES,
        ("paraphrase",),
        PlainText,
    ),
    TextRule(
        "language",
        "The text is in its language. en: English words; no Chinese characters and no letters of another script, "
        "and a text of six words or more in another language of Latin letters (French, German, Spanish) breaks "
        "it. zh: Chinese characters, and at least two of them for every word in Latin letters. Quotations do not "
        "count, and names may be foreign.",
        sources.TRANSLATIONS,
        ("translation",),
        Translation,
        translation.language,
    ),
    TextRule(
        "same_meaning",
        "The translation, or the variant, means the same as the instruction.",
        sources.TRANSLATIONS,
        ("translation",),
        Translation,
    ),
)

RULES_VERSION = 2
"""Goes up with every change of what code decides, so that steps that use the rules are done again."""

RULES = {one.name: one for one in _RULES}
"""Every rule by its name."""


def rule(name: str) -> TextRule[Any]:
    """The rule of a name."""
    if name not in RULES:
        raise unknown("rule", name, RULES)
    return RULES[name]


def rules_for(subject: Subject, decided_by: str = "") -> tuple[TextRule[Any], ...]:
    """The rules about a subject; of them those that code or a model decides, where that is asked for.

    >>> [one.name for one in rules_for("questions", "code")]
    ['no_repeated_question', 'question_count']
    """
    if subject not in get_args(Subject):
        raise unknown("subject of rules", subject, get_args(Subject))
    return tuple(one for one in _RULES if subject in one.subjects and decided_by in ("", one.decided_by))


def breaches(subject: Subject, text: RuledText, without: Iterable[str] = ()) -> list[Breach]:
    """What a text breaks of all that code decides about it; rules that are named in ``without`` are left out.

    >>> from editscope.factory.rules.records import CaseQuestions
    >>> [one.rule for one in breaches("questions", CaseQuestions(("Is the lamp lit?", "Is the lamp lit?")))]
    ['no_repeated_question', 'question_count']
    """
    left_out = {rule(name).name for name in without}
    found = (one.check(text) for one in rules_for(subject, "code") if one.name not in left_out)
    return [breach for breach in found if breach]

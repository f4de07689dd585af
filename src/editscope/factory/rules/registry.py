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
    "yes_no_form": "The question begins with a verb such as Is or Does and ends with a question mark, so that "
    "Yes or No answers it.",
    "one_predicate": "It asks one thing: and, or, both, either, while and except stand only inside words that "
    "say which thing is meant "
    "or where it is, never between two things that are asked about or two things that are said.",
    "edited_picture_alone": "The edited picture alone answers it: no comparison with the picture before, and no "
    "word about editing.",
    "concrete_words": "No word leaves open whether, how much or how many: some, several, slightly, appears to, "
    "seems, looks like.",
    "positive_framing": "It asks for what should be there: no not, no, never, nothing or without in what is "
    "asked; absent and missing are fine.",
    "located_target": "A place, an order or an attribute says which thing is meant; 'in the picture' is no place.",
    "brief_question": "It has at most 30 words.",
}

_RULES: tuple[TextRule[Any], ...] = (
    *(
        TextRule(name, about, sources.QUESTIONS, ("question",), QuestionText, question.by_words(name))
        for name, about in _QUESTION_WORDS.items()
    ),
    TextRule(
        "plain_answer",
        "The answer is exactly Yes or No.",
        sources.QUESTIONS,
        ("question",),
        QuestionText,
        question.plain_answer,
    ),
    TextRule(
        "form_follows_operation",
        "The form follows the operation (remove, add, move, attribute, count): absence, presence, a place, the new "
        "attribute, a number. Questions about physics are free.",
        sources.QUESTIONS,
        ("question",),
        QuestionText,
        question.form_follows_operation,
    ),
    TextRule(
        "no_repeated_question",
        "No two questions of a case have the same words, apart from their order, their forms and words that say "
        "nothing.",
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
        "Every level begins with a command: a verb, which may follow please, an adverb, or an opening such as "
        "'in the foreground'.",
        f"{sources.BENCHMARK_INSTRUCTIONS} and {sources.TRAINING_INSTRUCTIONS}",
        ("benchmark_instruction", "training_instruction"),
        LeveledInstruction,
        levels.command_form,
    ),
    TextRule(
        "bare_action",
        "The superficial level has the action alone: one sentence, no cause, no result, no demand on physics.",
        sources.BENCHMARK_INSTRUCTIONS,
        ("benchmark_instruction",),
        LeveledInstruction,
        action.bare_action,
    ),
    TextRule(
        "settled_state",
        "No level asks in words for a moment in between: about to fall, begins to melt, in mid-air, is collapsing.",
        sources.BENCHMARK_INSTRUCTIONS,
        ("benchmark_instruction",),
        LeveledInstruction,
        moments.settled_state,
    ),
    TextRule(
        "stable_outcome",
        "The state that is asked for is physically stable: everything has come to rest.",
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
        "The three levels have fewer than 20, 128 and 256 tokens, counted by our tokenizer 'pieces'.",
        sources.TRAINING_INSTRUCTIONS,
        ("training_instruction",),
        LeveledInstruction,
        levels.token_limits,
    ),
    TextRule(
        "no_other_picture",
        "No level speaks of a second, output, target or result image, or of another picture that the editor does "
        "not have.",
        sources.TRAINING_INSTRUCTIONS,
        ("training_instruction",),
        LeveledInstruction,
        levels.no_other_picture,
    ),
    TextRule(
        "no_numbers",
        "The explicit level has no digits, and no number with a unit; a count in words, such as two chairs, is fine.",
        sources.TRAINING_INSTRUCTIONS,
        ("training_instruction",),
        LeveledInstruction,
        levels.no_numbers,
    ),
    TextRule(
        "no_editing_terms",
        "The explicit level names no tool, setting or map of an editing program: depth maps, blend modes, masks, "
        "exposure values.",
        sources.TRAINING_INSTRUCTIONS,
        ("training_instruction",),
        LeveledInstruction,
        levels.no_editing_terms,
    ),
    TextRule(
        "clip_length",
        "Any time that the caption names is three to five seconds; it is no time lapse.",
        sources.MOTION_CAPTIONS,
        ("motion_caption",),
        MotionCaption,
        motion.clip_length,
    ),
    TextRule(
        "one_sentence",
        "The caption is one sentence.",
        sources.MOTION_CAPTIONS,
        ("motion_caption",),
        MotionCaption,
        motion.one_sentence,
    ),
    TextRule(
        "camera_at_end",
        "The caption ends with what the camera does, such as 'camera static' or 'slow push-in'.",
        sources.MOTION_CAPTIONS,
        ("motion_caption",),
        MotionCaption,
        motion.camera_at_end,
    ),
    TextRule(
        "one_camera_motion",
        "The camera has at most one motion; things in the scene may pan, tilt and slide as they like.",
        sources.MOTION_CAPTIONS,
        ("motion_caption",),
        MotionCaption,
        motion.one_camera_motion,
    ),
    TextRule(
        "single_shot",
        "One shot: no cut, no fade to black, no split screen, no second angle.",
        sources.MOTION_CAPTIONS,
        ("motion_caption",),
        MotionCaption,
        motion.single_shot,
    ),
    TextRule(
        "measurable_cue",
        "The change has a direction or a magnitude: to the left, upward, by half its width, twice as long, deep, "
        "whole, off. "
        "A place alone, such as the mug on the left, and the camera's motion do not count.",
        sources.MOTION_CAPTIONS,
        ("motion_caption",),
        MotionCaption,
        motion.measurable_cue,
    ),
    TextRule(
        "physics_cue",
        "A word says what one sees of the law: shadow or highlight, reflection, warping, dent, tilt or fall, "
        "droplets or cracks, "
        "color of the light or weather.",
        sources.MOTION_CAPTIONS,
        ("motion_caption",),
        MotionCaption,
        motion.physics_cue,
    ),
    TextRule(
        "law_unnamed",
        "The caption names no law: refraction, deformation, causality, light propagation, global or local state; "
        "reflection only as what a "
        "mirror shows.",
        sources.MOTION_CAPTIONS,
        ("motion_caption",),
        MotionCaption,
        motion.law_unnamed,
    ),
    TextRule(
        "no_meta_words",
        "No image, photo, edit or prompt, in any form; a mirror image is fine.",
        sources.MOTION_CAPTIONS,
        ("motion_caption",),
        MotionCaption,
        motion.no_meta_words,
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
        "The instruction names a cause (what happens to the thing, for how long, by what) and not the visible "
        "result, such as a color, a "
        "size, a shape, cracks, or something added, removed or replaced.",
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
        "The paraphrase has no mood, feeling, atmosphere, symbol, or thing that acts like a person.",
        sources.PARAPHRASES,
        ("paraphrase",),
        PlainText,
        world.no_mood,
    ),
    TextRule(
        "visible_change",
        "The paraphrase names at least one visible change of texture, shape, color, gloss, firmness or surface, "
        "a fragment or a deformation.",
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
        "The text is in the script of its language, English or Chinese, apart from quotations and a few names.",
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

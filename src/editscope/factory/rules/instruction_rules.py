"""The rules of questions and of instructions at three levels."""

from __future__ import annotations

from typing import Any

from editscope.factory.rules import action, levels, moments, question, sources
from editscope.factory.rules.records import CaseQuestions, LeveledInstruction, QuestionText, TextRule

_QUESTION_WORDS = {
    "yes_no_form": "The question begins with an auxiliary verb such as Is, Are, Does, Do, Has or Can and ends "
    "with a question "
    "mark, so that Yes or No answers it.",
    "one_predicate": "It asks one thing: and, or, both, either, while and except stand only inside words that say "
    "which thing is meant or where it is ('the black and white goat', 'between the oak and the gate', 'where the path "
    "and the road meet', 'all jars except the tall one'), never between two things that are asked about or two things "
    "that are said. While is fine only after who, which or that ('the man who reads while leaning on the rail').",
    "edited_picture_alone": "The picture after the edit alone answers it. It is in the present tense (no did, "
    "was, were, had or has … "
    "been), has no word that points back (before, originally, still, now, again, no longer, remain, the new "
    "lamp), no word for an edit (edit, change, add, remove, replace, move, turn into) or for another picture, and "
    "compares only things that it names: 'darker than the sea' is fine, 'darker?', 'different?' and 'in the same "
    "place?' are not.",
    "concrete_words": "No word leaves open whether, how much or how many: some, several, many, a few, slightly, "
    "somewhat, roughly, "
    "maybe, probably, seems, appears to, looks like, looks followed by an adjective.",
    "positive_framing": "It asks for what should be there: no not, no, never, none, nothing, nobody, n't or "
    "fails to anywhere, and "
    "without only where it says which thing is meant; absent, missing and gone are fine.",
    "located_target": "Words tell which thing is meant: a place anywhere in the question (on the rug, at the left), "
    "an order (the second), a word before its name (the red cup, the desk lamp) or what it belongs to (the shadow of "
    "the pole). What is asked about it (is it lit, has it a handle, is it made of wood or full of milk, does it give "
    "off steam or throw sparks) does not count, and 'in the picture' is no place. The sky, the sun, the moon, the "
    "horizon, the background and the foreground need none.",
    "brief_question": "It has at most 30 words, counted by the spaces between them.",
}

INSTRUCTION_RULES: tuple[TextRule[Any], ...] = (
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
        "No two questions of a case have the same words. Their order never matters ('the cat left of the "
        "dog' and 'the dog left of the cat' are the same words), nor do forms of a word (cast, casts; "
        "wearing, worn; crack, cracked), nor small words: the, a, all, exactly, is, does, have, there, it, "
        "that, on, in, at, by, of, to, from, with, for, and visible, present, seen, shown, located. "
        "Absent, gone and missing count as one word. Any other word makes another question, even where it "
        "means the same (cracked, damaged), and so do numbers and words of place (under, behind, left).",
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
        "breaking or changing at this moment (falling, melting, spilling, being torn), and no phrase for "
        "it (about to, begins to, as it falls, while they tumble, mid-air, halfway to the ground, on the "
        "brink of). Lying, hanging, leaning, floating, sleeping and the like are fine, and so are weather, "
        "flames, smoke, running water, the sea, and flying birds, insects, planes, kites and flags, and "
        "what names a kind of thing (a rocking chair, a fishing boat).",
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
        "No level speaks of a second, output, target, result, final, edited or reference image (picture, "
        "photo, frame), of the output or the target alone, or of another picture that the editor does not "
        "have (the previous image, the attached photo, the picture I sent you, the image below). Pictures "
        "that hang or stand in the scene are fine, and so are 'the image' and 'the photo' by themselves "
        "and 'as a result'.",
        sources.TRAINING_INSTRUCTIONS,
        ("training_instruction",),
        LeveledInstruction,
        levels.no_other_picture,
    ),
    TextRule(
        "no_numbers",
        "The explicit level has no digits, and no number word with a unit: of measure (two meters, half a "
        "meter, thirty degrees), of time, percent, times (three times as wide), or a thing used as a "
        "measure (two hand widths, four fingers deep). A count in words (two chairs, a dozen leaves, "
        "hundreds of shards), shares (half, a third), twice, and a few or several with a unit (a few "
        "meters) are fine.",
        sources.TRAINING_INSTRUCTIONS,
        ("training_instruction",),
        LeveledInstruction,
        levels.no_numbers,
    ),
    TextRule(
        "no_editing_terms",
        "The explicit level names no tool, setting, map or data of an editing or rendering program: depth "
        "map, blend mode, mask, layer, opacity, Gaussian blur, exposure value, slider, filter, selection, "
        "feathered brush, low flow, merge the layers, lasso tool. Words for what one sees (blurred, a "
        "layer of snow, bright, shadow) and things of the scene (a coffee filter, a carnival mask, a "
        "painter's brush, light that filters through leaves) are fine.",
        sources.TRAINING_INSTRUCTIONS,
        ("training_instruction",),
        LeveledInstruction,
        levels.no_editing_terms,
    ),
)

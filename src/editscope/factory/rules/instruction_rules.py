"""The rules of questions and of instructions at three levels."""

from __future__ import annotations

from typing import Any

from editscope.factory.rules import action, editing_terms, levels, question, sources
from editscope.factory.rules.moments.settled import settled_state
from editscope.factory.rules.records import CaseQuestions, LeveledInstruction, QuestionText, TextRule

_QUESTION_WORDS = {
    "yes_no_form": "The question begins with an auxiliary verb such as Is, Are, Does, Do, Has or Can and ends "
    "with a question "
    "mark, so that Yes or No answers it.",
    "one_predicate": "It asks one thing. And stands only between two words that describe one thing before its "
    "name ('the black and white goat', 'the salt and pepper rack') or inside words that say "
    "where ('between the oak and the gate', 'where the path and the road meet', 'behind the "
    "books and the clock'), never between two things that are asked about or said. Or breaks it"
    " everywhere but in a name ('the trick or treat bag'): 'open or closed', 'left or right', "
    "'on the sofa or the chair' are two questions. Both and either stand only right after a "
    "preposition ('on either side', 'with both hands'), except only in 'all jars except the "
    "tall one' before what is said of them, while only after who, which or that ('the man who "
    "reads while leaning on the rail').",
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
    "located_target": "Words tell which thing is meant: a place anywhere in the question, that is a preposition "
    "and a noun with an article (on the rug, from the chimney) or a word such as left, top or "
    "corner; an order (the second); a word before its name (the red cup, the desk lamp); or "
    "words with a preposition right after its name before the question goes on (the shadow of "
    "the pole, the cup of tea is full, the man in uniform is asleep). What is asked about it "
    "does not count (is it lit, has it a handle, does it give off steam), nor do materials, "
    "states and shapes (made of rusty iron, full of milk, broken into pieces, on fire, in half,"
    " into a knot), its own parts (on its side), and 'in the picture'. The sky, the sun, the "
    "moon, the horizon, the background and the foreground need none.",
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
        "No level asks in words for a moment in between. An -ing word breaks it where it says that somebody "
        "or something moves, breaks or changes at this moment ('the vase is falling', 'the falling vase', 'a "
        "boy running', 'a candle shrinking to a stub', 'being torn', 'getting darker'), and so does a phrase "
        "for it (about to, begins to, keeps rolling, as it falls, while they tumble, in the middle of a jump, "
        "mid-air, halfway to the ground, half-melted, not yet, on the brink of, gradually, teeters). Fine are "
        "states that last (lying, standing, hanging, leaning, floating, sleeping, holding, glowing, burning, "
        "peeling) and results (fallen, has melted, half full). Rain, snow, hail, wind, clouds, fire, smoke, "
        "steam, water, rivers, the sea, the sun, light and shadows may do anything (water bursting from a "
        "pipe); birds, insects, planes, kites and flags may fly, circle, flutter and land, but not fall or "
        "walk; a road, a wall or a crack may run or climb somewhere. Fine are also -ing words that name a "
        "kind of thing (a rocking chair, a racing car, a diving board), that are denied or follow by, after, "
        "without or from (no longer spinning, after removing the box), and other forms of verbs (let the wall "
        "collapse, the jar falls).",
        sources.BENCHMARK_INSTRUCTIONS,
        ("benchmark_instruction",),
        LeveledInstruction,
        settled_state,
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
        "No level speaks of a first, second, last, next, other, output, target, result, final, edited or "
        "reference image (picture, photo, frame), of another picture that the editor does not have (the "
        "previous image, the attached photo, the picture I sent you, the image below), or of the output, "
        "the target, the result or the reference by themselves ('the output should show', 'match the "
        "target'). Fine are pictures and frames that hang or stand in the scene (the last picture on the "
        "wall, the window frame), 'the image' and 'the photo' by themselves, 'as a result', and these words"
        " with a noun, with of or with a place on something (an archery target, the output pipe, the result"
        " of the match, the target on the tree).",
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
        "map, blend mode, layer mask, layer, opacity, Gaussian blur, exposure value, slider, filter, "
        "selection, feathered brush, low flow, merge the layers, lasso tool. A word that is also the name "
        "of a thing (mask, filter, brush, lasso, wand, layer, kernel, threshold) breaks it where it is used"
        " on the picture (apply a filter, create a mask, with the lasso, on its own layer). It is fine "
        "where it is a thing of the scene: somebody owns or wears it, it lies, hangs or stands somewhere, "
        "or a word says its kind (a coffee filter, a carnival mask, the cowboy's lasso, a layer of snow, "
        "masking tape). Words for what one sees (blurred, bright, shadow, light that filters through "
        "leaves) are fine.",
        sources.TRAINING_INSTRUCTIONS,
        ("training_instruction",),
        LeveledInstruction,
        editing_terms.no_editing_terms,
    ),
)

"""The rules of motion captions, of implicit instructions and their paraphrases, and of translations."""

from __future__ import annotations

from typing import Any

from editscope.factory.rules import motion, sources, translation, world
from editscope.factory.rules.records import MotionCaption, PlainText, TextRule, Translation

CAPTION_RULES: tuple[TextRule[Any], ...] = (
    TextRule(
        "clip_length",
        "Any length of time that the caption names is three to five seconds (over four seconds). One "
        "second, a split second, ten seconds, and any number or span of minutes, hours, mornings, "
        "afternoons, days, nights, weeks, months, seasons or years break it (for an hour, through an hour "
        "of rain, years of rust, overnight), and so does time lapse. A caption that names no length keeps "
        "it: an age (a day-old loaf), a time of day (at dusk, by morning), a part of a clock (the minute "
        "hand), suddenly and in an instant are no lengths.",
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
        "The last words of the caption say what the camera (the lens, the shot, the view) does: it is "
        "static, or how it moves ('camera static', 'static frame', 'locked-off', 'slow push-in', "
        "'handheld', 'while the camera glides left'). They belong to the same sentence, set off by a comma,"
        " a semicolon, a colon, a dash, and, as, while or with; a sentence of their own breaks the rule. A "
        "thing of the scene does not count ('with a pan smoking behind it', 'with a tripod standing behind "
        "it', 'with the lens cap rolling away'), nor does the camera as a place ('rolling toward the "
        "camera', 'drifting out of view').",
        sources.MOTION_CAPTIONS,
        ("motion_caption",),
        MotionCaption,
        motion.camera_at_end,
    ),
    TextRule(
        "one_camera_motion",
        "The camera makes at most one motion in the whole caption. The lens, the shot, the view, the frame "
        "and we stand for the camera. Motions are pan, tilt, zoom, push-in, pull-back, dolly, truck, "
        "tracking, following, crane, rise, descent, orbit, arc, glide, drift, turn, roll and shake (handheld "
        "and shaky are shake), as verbs or as nouns, wherever they stand ('Slow push-in on the candle', 'and "
        "at the end it cranes up', 'a horse gallops by in a tracking shot'). Two different motions are two, one "
        "after the other or at once ('pans left while tilting up', 'handheld push-in'), and so is one motion two "
        "ways ('pans left, then right', 'tilts up and back down', 'zooms in and out', 'pans along the row and "
        "returns the same way'). The same motion named again is one ('slow push-in, "
        "the camera moving closer', 'pans right, following the cart'). A static, fixed or locked camera, a "
        "tripod, a camera that stops or holds or is fixed to something that moves, an angle, a drone shot and a "
        "change of focus are no motions, "
        "motions that are denied do not count (no zoom), and things in the scene may pan, tilt, slide and "
        "roll as they like.",
        sources.MOTION_CAPTIONS,
        ("motion_caption",),
        MotionCaption,
        motion.one_camera_motion,
    ),
    TextRule(
        "single_shot",
        "The caption has none of these, in any form: cut to, away, from, between or back; jump, hard or quick "
        "cut, intercut, cutaway, or cut by itself between commas; fade in, fade out, fade to black; crossfade, "
        "cross dissolve; transition to or into; montage; split screen; shot (a single, one, continuous, static or "
        "tracking shot and a shot glass are fine); scene (the scene and the whole scene are fine); clip, video, "
        "footage; a new, another, different, second, other or reverse angle, view, viewpoint, perspective or "
        "camera; close-up; flashback, replay; we; later, meanwhile, next (next to is fine). Other words, even "
        "such as dissolve, are fine.",
        sources.MOTION_CAPTIONS,
        ("motion_caption",),
        MotionCaption,
        motion.single_shot,
    ),
    TextRule(
        "measurable_cue",
        "Words outside those about the camera (also 'and the camera moves toward the window', 'the lens "
        "pulling far back') say which way the change goes (left, up, off, away, across, toward or onto "
        "something, to the floor, from the edge) or how much it is (a share, a number, half, twice, fully, "
        "slightly, almost, a comparative such as longer, or a size or amount such as deep, dense, long or "
        "whole). To turn on, off or out counts. A verb alone (falls, grows, lengthens, collapses, goes "
        "dark), a color, and words that only say which thing is meant (the tall mug on the left, the left "
        "window) do not.",
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
        "None of the words image, photo, photograph, edit and prompt, in any form (images, photographing, "
        "photographic, photography, edited, unedited, prompting); a mirror image is fine, and so are other "
        "words: picture, photographer, photogenic, photocopy, imagine, editor, edition, promptly, "
        "prompter, camera and video.",
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
        "unbroken_view",
        "One view from beginning to end: no cut, in whatever words.",
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

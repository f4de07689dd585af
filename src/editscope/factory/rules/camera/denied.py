"""Motions of the camera that a caption denies: *no pan, tilt or zoom*."""

from __future__ import annotations

from collections.abc import Sequence

from editscope.factory.rules.camera.nouns import MOTION_NOUNS
from editscope.factory.rules.camera.verbs import WAYS, verb_forms
from editscope.factory.rules.camera.words import MANNER, SHAKY
from editscope.suites.annotation.questions.english import is_adverb, word_set

_DENIALS = word_set("no without never neither nor not doesn't don't isn't won't instead rather")
_FILLERS = word_set(
    "any a an the camera of than kind sign trace use real visible further longer be to need sort even does do hint"
)


def without_denied(found: Sequence[str]) -> list[str]:
    """The words without motions that are denied.

    >>> " ".join(without_denied("no pan , tilt or zoom , slow push in".split()))
    ', slow push in'
    """
    kept: list[str] = []
    at = 0
    while at < len(found):
        end = _denied_end(found, at) if found[at] in _DENIALS else at
        if (
            found[at] == "neither"
            and kept
            and kept[-1] in verb_forms()
            and found[at + 1 : at + 2]
            and found[at + 1] in WAYS
        ):
            kept.pop()
        if end > at:
            at = end
        else:
            kept.append(found[at])
            at += 1
    return kept


def _denied_end(found: Sequence[str], at: int) -> int:
    end = _item_end(found, at + 1)
    if found[at] == "not" and found[at + 1 : at + 2] and found[at + 1] in WAYS and WAYS[found[at + 1]] != "side":
        return at + 2
    if end is None or list(found[at + 1 : at + 2]) == ["only"]:
        return at
    while end < len(found):
        step = end + 1 if found[end] == "," else end
        if step < len(found) and found[step] in ("or", "nor"):
            following = _item_end(found, step + 1)
            if following is None:
                return end
            return (
                following
                if found[following : following + 1] not in (["or"], ["nor"])
                else _denied_end(found, following)
            )
        if found[end] == "," and (following := _item_end(found, end + 1)) is not None and _ends_in_or(found, following):
            end = following
            continue
        return end
    return end


def _ends_in_or(found: Sequence[str], at: int) -> bool:
    """Whether a list goes on to an *or*."""
    step = at + 1 if found[at : at + 1] == [","] else at
    if step < len(found) and found[step] in ("or", "nor"):
        return True
    following = _item_end(found, step) if step > at else None
    return following is not None and _ends_in_or(found, following)


def _item_end(found: Sequence[str], at: int) -> int | None:
    """Where a motion ends that begins here, a few words of no weight aside."""
    while at < len(found) and (found[at] in _FILLERS or found[at] in MANNER or is_adverb(found[at])):
        if found[at] in ("left", "right"):
            break
        at += 1
    if at >= len(found) or not (
        found[at] in verb_forms()
        or found[at] in MOTION_NOUNS
        or found[at] in SHAKY
        or found[at] in ("movement", "motion", "tracking")
    ):
        return None
    at += 1
    while at < len(found) and (
        found[at] in WAYS or found[at] in ("shot", "movement", "motion", "shake", "shakes", "at", "all")
    ):
        at += 1
    return at

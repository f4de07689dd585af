"""What a reader of a motion caption keeps in mind: the motions so far, and who acts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from editscope.factory.rules.camera.clauses import AUXILIARY
from editscope.factory.rules.camera.nouns import noun_motions
from editscope.factory.rules.camera.verbs import WAYS, Motion, is_strong, motion, unknown_motion, verb_forms
from editscope.factory.rules.camera.words import SHAKY
from editscope.suites.annotation.questions.english import is_adverb, word_set

_JOINS = word_set("and then before while followed finally next but")
PERFORMING = word_set(
    "is combines includes becomes performs makes does executes begins starts opens ends finishes continues turns "
    "gives adds uses completes takes traces describes becoming begin start open end finish close make become combine"
)


_WATCHING = word_set(
    "watches watch sees see shows show films records captures observes catches reveals watching showing filming "
    "capturing lets"
)


@dataclass(slots=True)
class Reading:
    """What is known of a caption so far: its motions, who acts in the main clause, and who in this one."""

    motions: list[Motion] = field(default_factory=list)
    main: str = ""
    now: str = ""
    thing_words: tuple[str, ...] = ()
    by_noun: bool = False
    """Whether the last clause named a motion by its noun."""
    watched: bool = False
    """Whether the camera watches a thing do this and that."""
    resumes: bool = False
    """Whether a clause stands between *and* and what it joins: *zooms in and, as the glass breaks, pans*."""
    openers: frozenset[str] = frozenset()
    in_order: bool = False
    """Whether a motion was said to come *after* or *before* another."""

    def add(self, found: Motion) -> None:
        """Keep a motion, and whether words such as *then* join it to those before."""
        joined = bool(self.motions) and bool(self.openers & _JOINS or self.in_order)
        self.motions.append(replace(found, joined=joined))

    def acts(self, who: str, *, main: bool) -> None:
        """Keep who acts in this clause, ``camera`` or ``thing``, and, with ``main``, in those that lean on it."""
        self.now = who
        self.watched = False
        if main or not self.main:
            self.main = who


_RETURNING = word_set("returns returning retraces retracing reverses reversing backtracks backtracking rewinds")
_REST = word_set("still static stillness standstill rest focus normal sharpness level")


def returns(verb: str, after: Sequence[str], reading: Reading) -> Motion | None:
    """The last motion made the other way, by a verb that only says so: *then returns*, *retraces its path*."""
    doubles = verb in ("doubles", "doubling", "traces", "swings", "snaps") and bool(after) and after[0] == "back"
    if not reading.motions or not (verb in _RETURNING or (doubles and len(after) == 1)):
        return None
    if _REST.intersection(after[:4]):
        return None
    moved = next((one for one in reversed(reading.motions) if one.family != "shake"), None)
    return Motion(verb, moved.family, "return") if moved else None


def first_verb(found: Sequence[str]) -> tuple[str, Sequence[str]]:
    """The first word that is no adverb or auxiliary, and the words after it."""
    at = 0
    while at < len(found) - 1 and (found[at] in AUXILIARY or is_adverb(found[at]) or _leads_on(found, at)):
        at += 1
    return (found[at], found[at + 1 :]) if found else ("", ())


def without_adverbial(found: Sequence[str]) -> Sequence[str]:
    """A clause without words such as *from there* or *at the end* at its beginning."""
    text = " ".join(found[:4])
    match = re.match(
        r"(?:from (?:there|here)|(?:at|in|towards?|near) the (?:very )?end|at (?:last|first|once)|in turn"
        r"|all the while) (?=\w)",
        text,
    )
    return found[len(match[0].split()) :] if match else found


def _leads_on(found: Sequence[str], at: int) -> bool:
    """Whether *to* or *on* stands between *begins* or *goes* and the verb."""
    return (
        found[at] in ("to", "on")
        and bool(at)
        and found[at - 1] in ("begins", "begin", "starts", "start", "continues", "keeps", "proceeds", "on", "goes")
    )


def read_said(after: Sequence[str], reading: Reading) -> None:
    """What is said of the camera right after its name."""
    verb, rest = first_verb(without_adverbial(after))
    if after and after[0] in PERFORMING and rest[:1] and verb not in verb_forms():
        verb, rest = after[0], after[1:]
    if verb in SHAKY and verb not in verb_forms():
        reading.add(Motion(verb, "shake"))
        return
    found = returns(verb, rest, reading) or motion(verb, rest) or unknown_motion(verb, rest)
    if found:
        if verb.endswith("s"):
            reading.openers |= {"and"}
        add_motion(found, rest, reading)
        return
    if verb in _WATCHING and any(one in verb_forms() and not one.endswith(("s", "ing")) for one in rest[2:]):
        reading.now = "thing"
        reading.watched = True
        return
    skipped = rest
    while skipped and skipped[0] in ("with", "on", "in", "as", "from", "into", "at", "by"):
        skipped = skipped[1:]
    if verb in PERFORMING or verb in ("in", "on", "with", "at", "as"):
        for said in noun_motions(skipped, joined=True):
            reading.add(said)
    elif after:
        for said in noun_motions(after, joined=True):
            reading.add(said)


def add_motion(found: Motion, rest: Sequence[str], reading: Reading) -> None:
    """Keep the motion of a verb, and others that the words after it name without a conjunction."""
    reading.add(found)
    text = " ".join(rest[:6])
    if "side to side" in text or "to and fro" in text:
        reading.add(Motion("side to side", found.family, "return"))
    for at, word in enumerate(rest):
        if not word.endswith("ing") or not at or not (rest[at - 1] in WAYS or is_adverb(rest[at - 1])):
            continue
        said = motion(word, rest[at + 1 :])
        if said and (is_strong(said) or said.verb == "tilt"):
            reading.add(said)

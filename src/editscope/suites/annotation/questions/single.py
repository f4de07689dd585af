"""Rules that a yes-or-no question keeps or breaks by its own words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from editscope.suites.annotation.questions.connectors import joining_word
from editscope.suites.annotation.questions.english import (
    ATTRIBUTES,
    AUXILIARIES,
    PREPOSITIONS,
    any_of,
    is_mark,
    matching,
    noun_phrase,
    word_set,
    words,
)
from editscope.suites.annotation.questions.target import is_located

QuestionCheck: TypeAlias = Callable[[str], str | None]
"""What a question breaks, as a sentence that says what to do; None where it keeps the rule."""

LONGEST = 30
"""Words of a question that is still brief."""

_NEGATIVE = word_set("not never no none nothing nobody nowhere neither nor cannot hardly lack lacks lacking")
_OPEN = re.compile(
    r"\b(?:some|somewhat|something|somewhere|somehow|perhaps|maybe|possibly|probably|presumably|supposedly|apparently"
    r"|seemingly|likely|approximately|roughly|slightly|fairly|several|numerous|many|a few|a lot|lots of|a couple of"
    r"|a number of|a bit|or so|more or less|quite|seems?|seem(?:ed|ing)|rather(?! than))\b"
    r"|(?<!same )(?<!this )(?<!the )(?<!any )(?<!another )(?<!a )(?<!what )\b(?:kind|sort) of\b",
    re.IGNORECASE,
)
_SEEMING = re.compile(r"\b(?:looks?|looked|looking|appears?|appeared|appearing)\b(?P<rest>[^?.!,;]*)", re.IGNORECASE)
_LOOKING = PREPOSITIONS - {"about"} | word_set(
    "up down left right out away back ahead directly straight forward upward downward upwards downwards twice once "
    "exactly only clearly both"
)
_EARLIER = re.compile(
    r"\b(?:original|originally|originals|previous|previously|prior|earlier|former|formerly|initial|initially"
    r"|beforehand"
    r"|no longer|any ?more|any longer|already|yet|again|once more|anew|newly|now|nowadays|been|so far|until"
    r"|since then|as (?:it|they) (?:was|were|used)|requested|instructed"
    r"|used to|compared (?:to|with)|in comparison|by comparison|as (?:instructed|requested|asked|described"
    r"|specified|intended"
    r"|expected|prompted|wanted)"
    r"|(?:source|input|initial|starting|reference|first|unedited|base|other|old|given|raw) (?:image|picture|photo"
    r"|photograph|scene|version|shot|frame)"
    r"|(?:output|final|resulting|result|generated|new) (?:image|picture|photo|photograph|version)"
    r"|the (?:input|source|output|instruction|instructions|request|prompt)(?= *[,?]| \w)"
    r"|the same as in|than (?:it|they|he|she) (?:was|were|did|had|used)"
    r"|(?:after|through|by|during|from|in|of) (?:the |this |any )?(?:edit\w*|change|changes|modification"
    r"|removal|addition|replacement"
    r"|move)|(?:un)?edit(?:s|ed|ing|or|able)?"
    r"|modif(?:y|ies|ied|ication|ications)|alter(?:s|ed|ation|ations)?|insert(?:ed|ion)|add(?:ed|ition)(?! to)"
    r"|replac(?:e|es|ed|ement)"
    r"|removed|removal|chang(?:e|es|ed|ing)|preserv(?:e|es|ed)|retain(?:s|ed)?|restored|un(?:changed|altered"
    r"|touched|affected"
    r"|modified|moved|disturbed)|remain(?:s|ed|ing)?(?! of)|at first|stay(?:s|ed)?|kept|keeps? (?:its|his|her"
    r"|their|the)"
    r"|maintain(?:s|ed)?|continues?|moved|relocated|shifted|swapped|transform(?:s|ed)?|convert(?:s|ed)?"
    r"|turned (?:into"
    r"|to (?:gold|stone|ice|glass|wood))|turn(?:s)? into|becom(?:e|es|ing)|became|recolou?red|repainted|erased"
    r"|deleted|substituted"
    r"|adjusted|updated|corrected|the (?:model|editor)|disappear(?:s|ed)?|vanish(?:es|ed)?|left (?:alone|as is"
    r"|in place|intact)"
    r"|increas(?:e|es|ed)|decreas(?:e|es|ed)|reduced|enlarged|gained|lost(?! (?:in|behind))"
    r"|(?:the|its|his|her|their) new(?! (?:york|moon|zealand|year))|ha(?:s|ve) (?:grown|shrunk|risen|fallen"
    r"|melted|turned|gone)"
    r"|(?:look|looks|looking|exactly|stay|stays) the same(?! \w+ as)|the same(?= *\?)"
    r"|the same (?:place|position|spot|pose|location|way|state|condition|size|color|colour|shape|brightness"
    r"|expression|angle|style)"
    r"(?! as (?:the|a|an|its|that|those|in the)\b))\b"
    r"|\bnew(?= *\?$)",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:did|was|were|had)\b|\bback (?:on|in|at) (?:the|its|his|her|their)\b|^(?:has|have) (?!(?:the|a|an"
    r"|this|that|both|all|each) (?:\w+ ){1,4}(?:a|an|any|two|three|no) )",
    re.IGNORECASE,
)
_ALIKE = re.compile(
    r"\b(?:two|both|three|four|all|pair|each|and|every|these|those)\b|\bthe same\b.*\bas the\b", re.IGNORECASE
)
_DIFFERENT = re.compile(
    r"\bdifferent(?:ly)?\b(?!.*\b(?:from|than|to)\b(?! (?:before|it was|the (?:original|source"
    r"|input))))",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"\bbefore\b(?! (?:the|a|an|its|his|her|their|this|that|these|those)\b)"
    r"|\bbefore (?:the|any|this|its) (?:edit\w*|change|removal|modification|move|addition|replacement)\b",
    re.IGNORECASE,
)
_STILL = re.compile(
    r"(?<!\ba )(?<!\bthe )(?<!perfectly )(?<!completely )(?<!absolutely )(?<!stand )(?<!standing )(?<!holding )"
    r"(?<!sit )(?<!sitting )(?<!lying )(?<!lie )\bstill\b(?! *[?]| life| and\b| water\b)",
    re.IGNORECASE,
)
_COMPARED = (
    "dark|bright|light|long|short|tall|larg|small|bigg|wid|narrow|warm|cool|cold|hott|thick|thinn|soft|hard|sharp|high|low"
    "|deep|clean|wett|dri|smooth|rough|heavi|redd|blu|green|full|clear|clos|round|flatt|shini|dirti|pal|dimm|strong|weak"
    "|old|young|near|farth|furth|empti|dens|fewer|few|great|straight|loos|tight|steep|slow|fast|quiet|loud|rich|poor"
    "|fresh|ripe|rip|fatt|slimm|fluffi|fuzzi|gloss|glossi|dull|faint|harsh|calm|rusti|mold|moldi|dusti|muddi|crisp|crispi"
    "|blurri|cloudi|sunni|foggi|snowi|busi|tidi|neat|nic|prett|prett|simpl|whit|black|brown|gray|grey|yellow|pink|bent"
)
_COMPARATIVE = re.compile(
    rf"(?!.*\bthan (?!before|it |they |he |she |in the (?:original|source|first|input)))"
    rf"(?:(?:\b(?:more|less|fewer) \w+|(?<!\bthe )\b(?:{_COMPARED})er)"
    rf"(?= *\?|\s+(?:in|on|at|to|from|under|near|along|around|across|over|by|with|behind|toward|towards|and"
    rf"|overall)\b)|\ban? (?:{_COMPARED})er \w+)",
    re.IGNORECASE,
)


def yes_no_form(question: str) -> str | None:
    """A verb such as Is or Does at the beginning, a question mark at the end."""
    text = question.strip()
    if not text.endswith(("?", "？", "؟")):
        return "end it with a question mark."
    first = next(iter(words(text)), "")
    if text.isascii() and first not in AUXILIARIES:
        return "begin with a verb, such as Is or Does, so that Yes or No answers it."
    return None


def one_predicate(question: str) -> str | None:
    """One thing asked; *and*, *or* and their like only where they say which thing is meant, or where."""
    word = joining_word(question)
    return f"ask one thing: {word!r} may join two. Split it, unless the word only says where." if word else None


def positive_framing(question: str) -> str | None:
    """What should be there, not what should not."""
    found = words(question)
    if "with no" in " ".join(found):
        found = words(re.sub(r"\bwith no\b", "without", question, flags=re.IGNORECASE))
    word = any_of(found, _NEGATIVE) or next((word for word in found if word.endswith("n't")), None)
    if word is None and matching(re.compile(r"\bfail(?:s|ed)? to\b", re.IGNORECASE), question):
        word = "fail to"
    if word is None and "without" in found:
        after = found[found.index("without") + 1 :]
        word = None if [one for one in after[noun_phrase(after) :] if not is_mark(one)] else "without"
    return f"{word!r} makes it negative. Ask for what should be there, and answer No." if word else None


def concrete_words(question: str) -> str | None:
    """No word that leaves open whether, how much or how many."""
    word = matching(_OPEN, question) or _seeming(question) or _a_little(question)
    return f"{word!r} is vague. Ask for what can be seen or not." if word else None


def _seeming(question: str) -> str | None:
    match = _SEEMING.search(question)
    rest = words(match["rest"]) if match else []
    if match is None or not rest or (rest[0] in _LOOKING and rest[:1] != ["to"]):
        return None
    if rest[0] == "to" and match[0].lower().startswith("look"):
        return None
    return " ".join([match[0].split()[0], rest[0]])


def _a_little(question: str) -> str | None:
    match = re.search(r"\b(a little|pretty) (\w+)( \w+)?", question, re.IGNORECASE)
    if match is None or match[2].lower() not in ATTRIBUTES:
        return None
    after = (match[3] or "").strip().lower()
    return match[1] if not after or after in PREPOSITIONS else None


def edited_picture_alone(question: str) -> str | None:
    """Answerable from the edit alone: no word about the picture before, or about editing."""
    for pattern in (_EARLIER, _BEFORE, _STILL, _COMPARATIVE, _DIFFERENT, _PAST):
        word = matching(pattern, question.strip())
        if word and not ("the same" in word.lower() and _ALIKE.search(question)):
            word = word.rstrip(" ?")
            return f"{word!r} compares with the picture before, which the judge does not see. Ask what the edit shows."
    return None


def located_target(question: str) -> str | None:
    """A place, an order or an attribute that tells the thing asked about from others."""
    return None if is_located(question) else "say which one is meant, or where it is: 'the lamp next to the sofa'."


def brief_question(question: str) -> str | None:
    """At most 30 words."""
    count = len(question.split())
    return f"it has {count} words. Use {LONGEST} at most." if count > LONGEST else None


QUESTION_RULES: Mapping[str, QuestionCheck] = MappingProxyType(
    {
        rule.__name__: rule
        for rule in (
            yes_no_form,
            one_predicate,
            edited_picture_alone,
            concrete_words,
            positive_framing,
            located_target,
            brief_question,
        )
    }
)
"""The rules by name, in the order in which they are shown to people."""

"""Parts that all pages of audits share: a judge's letter, its verdicts about a call, a picture that it was shown."""

from __future__ import annotations

from base64 import b64encode

from editscope.audit.audit import Audit
from editscope.audit.known_edit_set import AuditProblem, StoredKnownEdit
from editscope.images import encode_thumbnail, load, thumbnail
from editscope.judges import Verdict
from editscope.report.html.markup import Html, el

LEVEL_NAMES = {
    "oracle": "right",
    "light": "light damage",
    "medium": "medium damage",
    "heavy": "heavy damage",
    "none": "no edit",
    "cutout": "object alone",
    "consequences": "consequences alone",
    "identity": "no edit",
}
"""How the edits of an audit are called."""


def badge(place: int) -> Html:
    """The letter of a judge in its color."""
    return el("b", chr(ord("A") + place % 26), cls=f"badge run{place % 8}", aria_hidden="true")


def verdicts_about(audit: Audit, problem: AuditProblem, key: str, place: int) -> list[Verdict]:
    """What one judge said to a call, each time that it was asked."""
    spec = audit.findings[place].judge
    verdicts = []
    for sample in range(int(audit.info["samples"])):
        verdict = audit.verdicts.get((problem.id, key, spec, sample))
        if verdict is not None:
            verdicts.append(verdict)
    return verdicts


def picture_of(audit: Audit, shown: StoredKnownEdit) -> Html:
    """A picture of the set, small."""
    pixels = load(audit.edit_set.folder / shown.file)
    data = b64encode(encode_thumbnail(thumbnail(pixels))).decode()
    alt = "before the edit" if shown.level == "source" else LEVEL_NAMES[shown.level]
    return el("img", src=f"data:image/webp;base64,{data}", alt=alt, loading="lazy")


def short_spec(spec: str) -> str:
    """A judge without its options."""
    return spec.partition("?")[0]

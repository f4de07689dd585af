"""One case in every run of its set: what is given, every run's edit, and what is known about each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editscope.runfolder.repeats import case_name
from editscope.studio.browse.addresses import case_page, gallery, picture, run_page
from editscope.studio.browse.case_query import CaseQuery
from editscope.studio.catalog.case_set import CaseSet, RunColumn
from editscope.studio.catalog.catalog import Catalog
from editscope.studio.catalog.records import Doc
from editscope.studio.failures import Missing
from editscope.studio.pictures.book import GIVEN, thumbs_of
from editscope.wording import failure, plain

PANE_SIDE = 768
LARGEST_TEXT = 20_000
"""Letters of one text that a page brings; the journal of the run has all of it."""


@dataclass(frozen=True, slots=True)
class CaseView:
    """The page of a case: what its template shows, and what its script gets."""

    name: str
    case: str
    variant: str
    text: str
    tags: Sequence[tuple[str, str]]
    variants: Sequence[Mapping[str, Any]]
    position: int
    total: int
    before: str
    after: str
    back: str
    script: Mapping[str, Any]


def case_view(catalog: Catalog, cases: CaseSet, case: str, variant: str, query: CaseQuery) -> CaseView:
    """The page of a case; Missing where no run of the set has it."""
    place = cases.place_of.get((case, variant))
    if place is None:
        raise Missing("There is no such case in this set; its run may have been removed.")
    found = catalog.docs(case, [run.card.id for run in cases.runs])
    docs = [(run, doc) for run in cases.runs if (doc := found.get(run.card.id, {}).get(variant)) is not None]
    if not docs:
        raise Missing("The runs with this case were just removed.")
    places = query.places(cases).tolist()
    if place not in places:
        places = list(range(len(cases)))
    position = places.index(place)
    address = query.address()

    def neighbor(step: int) -> str:
        at = position + step
        if not 0 <= at < len(places):
            return ""
        return case_page(cases.id, cases.ids[places[at]], cases.variants[places[at]], address)

    first = docs[0][1]
    tags = [(plain(tag), plain(value)) for tag, value in first["tags"].items() if value]
    return CaseView(
        name=case_name(case, variant),
        case=case,
        variant=variant,
        text=first.get("text", ""),
        tags=tags,
        variants=_variants(cases, found, case, variant, address),
        position=position + 1,
        total=len(places),
        before=neighbor(-1),
        after=neighbor(1),
        back=gallery(cases.id, address),
        script=_script(catalog, cases, docs),
    )


def _variants(
    cases: CaseSet, found: Mapping[str, Mapping[str, Doc]], case: str, variant: str, address: str
) -> list[dict[str, Any]]:
    """The instruction of every variant of a case that a run has an edit of."""
    seen: dict[str, Doc] = {}
    for by_variant in found.values():
        for name, doc in by_variant.items():
            seen.setdefault(name, doc)
    ordered = sorted(seen, key=lambda name: cases.place_of.get((case, name), 0))
    return [
        {
            "name": name or seen[name].get("tags", {}).get("level") or "default",
            "text": seen[name].get("text", ""),
            "href": case_page(cases.id, case, name, address),
            "here": name == variant,
        }
        for name in ordered
    ]


def _script(catalog: Catalog, cases: CaseSet, docs: Sequence[tuple[RunColumn, Doc]]) -> dict[str, Any]:
    shown = sorted(docs, key=lambda pair: cases.ranked.index(pair[0]))
    runs = []
    given: dict[str, dict[str, str]] = {}
    for run, doc in shown:
        thumbs = thumbs_of(_folder(catalog, run), doc)
        kinds = [kind for kind in thumbs if kind.rstrip("0123456789") in GIVEN]
        for kind in kinds or ([] if given else ["input", *([] if run.card.judged else ["answer"])]):
            if kind not in given:
                given[kind] = {"kind": kind, "label": label_of(kind), **_picture(run, doc, kind)}
        runs.append(_run(cases, run, doc, has_map="levels" in thumbs))
    return {
        "judged": cases.first.judged,
        "metrics": [{"key": one.key, "label": one.label, "note": one.note} for one in cases.metrics],
        "headline": cases.first.headline,
        "given": sorted(given.values(), key=lambda one: _given_order(one["kind"])),
        "runs": runs,
        "details": f"/api/sets/{cases.id}/details",
        "about": f"/api/sets/{cases.id}/given",
        "case": docs[0][1]["case"],
        "variant": docs[0][1]["variant"],
    }


def _folder(catalog: Catalog, run: RunColumn) -> Path:
    try:
        return catalog.path(run.card.id)
    except Missing:
        return Path("/nowhere")


def label_of(kind: str) -> str:
    """What a picture is, in words.

    >>> label_of("input2"), label_of("answer"), label_of("edit A")
    ('Input 2', 'Answer', 'Edit A')
    """
    name = kind.rstrip("0123456789")
    return f"{name[:1].upper()}{name[1:]} {kind[len(name) :]}".strip()


def _given_order(kind: str) -> tuple[int, str]:
    name = kind.rstrip("0123456789")
    return (("input", "reference", "answer").index(name) if name in GIVEN else 9), kind


def _picture(run: RunColumn, doc: Doc, kind: str) -> dict[str, str]:
    at = (run.card.id, doc["case"], doc["variant"], kind)
    return {"src": picture(*at, PANE_SIDE), "full": picture(*at), "small": picture(*at, 160)}


def _run(cases: CaseSet, run: RunColumn, doc: Doc, *, has_map: bool) -> dict[str, Any]:
    mode = failure(doc["mode"])
    images = list(doc.get("images") or {})
    kinds = ["edit"] if len(images) == 1 else [f"edit {name.partition('~')[0]}" for name in images]
    sizes = list((doc.get("sizes") or {}).values())
    headline = cases.metric(cases.first.headline)
    return {
        "id": run.card.id,
        "name": run.name,
        "color": run.place % 8,
        "href": run_page(run.card.id),
        "score": "–" if headline is None else headline.shown(doc["metrics"].get(headline.key)),
        "metrics": [metric.shown(doc["metrics"].get(metric.key)) for metric in cases.metrics],
        "mode": doc["mode"],
        "label": mode.label,
        "note": mode.note,
        "status": plain(doc["status"]) if doc["status"] != "ok" else "",
        "edits": [{"kind": kind, "label": label_of(kind), **_picture(run, doc, kind)} for kind in kinds],
        "levels": picture(run.card.id, doc["case"], doc["variant"], "levels") if has_map else "",
        "curves": curves_of(doc),
        "size": f"{sizes[0][0]} × {sizes[0][1]}" if sizes else "",
        "latency": seconds(doc.get("latency_s")),
        "cost": "" if doc.get("cost_usd") is None else f"${doc['cost_usd']:.4f}",
    }


def curves_of(doc: Doc) -> list[list[float]] | None:
    """IoU, edit accuracy and preservation accuracy over the tolerances 0 … 10; None where no pixels were counted."""
    if "counts" not in doc:
        return None
    hits, spilled, edit, rest, size = doc["counts"]
    if size is None:
        return [[0.0] * len(hits)] * 3

    def share(part: int, whole: int) -> float:
        return round(part / whole, 4) if whole else 1.0

    return [
        [share(hit, edit + spill) for hit, spill in zip(hits, spilled, strict=True)],
        [share(hit, edit) for hit in hits],
        [share(rest - spill, rest) for spill in spilled],
    ]


def details(catalog: Catalog, cases: CaseSet, run_id: str, case: str, variant: str) -> dict[str, Any]:
    """What a page shows of the run in question: what was asked and said, every verdict, and where it comes from."""
    run = cases.run(run_id)
    if run is None:
        raise Missing("There is no such run in this set; it may have been removed.")
    doc = catalog.doc(run_id, case, variant)
    hashes = ", ".join(f"{name} {value}".strip() for name, value in (doc.get("hashes") or {}).items())
    facts = [
        ("Reason", doc.get("reason") or ""),
        ("Asked", doc.get("asked") or ""),
        ("Trace", doc.get("trace") or ""),
        ("Notes", "\n".join(doc.get("notes") or ())),
        ("Output", "fitted to the answer's size" if doc.get("fitted") else ""),
        ("Fingerprint", doc.get("print", "")),
        ("File", hashes),
    ]
    return {
        "run": run_id,
        "story": [[name, _cut(text)] for name, text in facts if text],
        "provenance": [["Run", run_id], *map(list, run.card.facts)],
        "calls": [_call(run, doc, call) for call in doc.get("calls", ())],
    }


def _call(run: RunColumn, doc: Doc, call: Mapping[str, Any]) -> dict[str, Any]:
    """One question to the judges: its title, what they were shown, its label, scores and verdicts."""
    judges = run.card.judges
    crop = call.get("c")
    return {
        "title": call["t"],
        "label": call.get("l", ""),
        "crop": picture(run.card.id, doc["case"], doc["variant"], crop) if crop else "",
        "scores": [[name, "–" if value is None else f"{value:g}", status] for name, value, status in call["r"]],
        "verdicts": [
            {
                "judge": _judge(judges, verdict.get("j", 0)),
                "snapshot": verdict.get("m", ""),
                "sample": verdict.get("n", 0),
                "prompt": verdict.get("p", ""),
                "status": plain(verdict.get("s", "ok")),
                "values": [[name, str(value)] for name, value in verdict.get("a", {}).items()],
                "reason": _cut(verdict.get("w", "")),
                "reply": _cut(verdict.get("x", "")),
            }
            for verdict in call["v"]
        ],
    }


def _judge(judges: Sequence[str], judge: int | str) -> str:
    return judges[judge] if isinstance(judge, int) and judge < len(judges) else str(judge)


def _cut(text: str) -> str:
    return text if len(text) <= LARGEST_TEXT else f"{text[:LARGEST_TEXT]} …"


def seconds(latency: float | None) -> str:
    """A duration as people say it.

    >>> seconds(0.0289), seconds(12.3), seconds(None)
    ('29 ms', '12.3 s', '')
    """
    if latency is None:
        return ""
    return f"{1000 * latency:.0f} ms" if latency < 1 else f"{latency:.1f} s"

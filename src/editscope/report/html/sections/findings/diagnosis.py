"""Diagnosis in words: what fails, where, in which scenes, and what happens to what should stay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from editscope.report.figure_data.offsets import OBJECTS, offsets_of
from editscope.report.figure_data.statistics import condition_deltas, palettes, preservation, region_sizes
from editscope.report.html.case_cards import card, case_row
from editscope.report.html.gallery_data import mode_of
from editscope.report.html.links import cases_link
from editscope.report.html.markup import Child, Html, el
from editscope.report.html.section_parts import badge
from editscope.report.model import RunView, Sheet
from editscope.report.options import ReportOptions
from editscope.results.left_unchanged import reasons_in_words
from editscope.stats.diagnosis import CaseValue, Speciality, extremes, failure_shares, specialties
from editscope.stats.small_groups import before_ties, enough, leaves_out, wilson
from editscope.wording import count, ends, failure, listed, metric_name, other_size, plain, signed, signed_range, value

Sentence = list[Child]

OPENED = 4
"""As many runs show their findings at once; of more, only the best does, and the others are folded."""
CASES = 6
FAMILIES = {
    "structural_imprecision": "structural",
    "structural_catastrophe": "catastrophic",
    "execution_omission": "omissions",
    "color_imprecision": "a matter of color",
    "tone_shift": "a matter of tone",
    "too_weak": "too weak",
    "misplaced_consequences": "misplaced consequences",
    "consequences_missing": "missing consequences",
    "consequences_only": "consequences without the edit",
    "no_output": "missing outputs",
}
BESIDE = 10.0
"""Points of mIoU that a few pixels of tolerance must add to be worth saying that place is what is wrong."""
NOTICEABLE = 1.5
"""An over-editing ratio from which it is worth a sentence."""


def diagnosis(sheet: Sheet, options: ReportOptions) -> Html | None:
    """Findings about each run, then the hardest and easiest cases of the best."""
    by_run = [(view, list(findings(sheet, view))) for view in sheet.runs]
    if not any(sentences for _, sentences in by_run):
        return None
    several, best = len(sheet.runs) > 1, _best(sheet)
    return el(
        "section",
        el("header", el("h2", "Diagnosis"), cls="section-head"),
        el("p", "Statements appear only where the interval supports them.", cls="hint"),
        [
            _run(view, sentences, opened=len(by_run) <= OPENED or view is best, several=several)
            for view, sentences in by_run
        ],
        _hardest(sheet),
        cls="card diagnosis",
        id=f"diagnosis-{sheet.key}",
    )


def _run(view: RunView, sentences: Sequence[tuple[str, Sentence]], *, opened: bool, several: bool) -> Html:
    listing = el("dl", [[el("dt", name), el("dd", sentence)] for name, sentence in sentences], cls="findings")
    if not several:
        return listing
    return el("details", el("summary", badge(view), el("strong", view.name)), listing, open=opened)


def findings(sheet: Sheet, view: RunView) -> Iterator[tuple[str, Sentence]]:
    """What can be said about a run, most important first: a heading and a sentence each."""
    for name, make in (
        ("Failures", _failures),
        ("Left unchanged", _left_unchanged),
        ("How far off", _offsets),
        ("Strong and weak", _strengths),
        ("Scenes", _scenes),
        ("Palette", _palette),
        ("Over-editing", _over_editing),
        ("What should stay", _fidelity),
        ("Sizes", _sizes),
        ("Missing", _missing),
    ):
        sentence = make(sheet, view)
        if sentence:
            # A sign stays with its number at the end of a line.
            yield name, [part.replace(" %", "\u00a0%") if type(part) is str else part for part in sentence]


def _failures(sheet: Sheet, view: RunView) -> Sentence:
    """Which kind of failure is most common, and where it is most of all."""
    if sheet.judged or not any(r.failure for r in view.records[:50]):
        return []
    whole = failure_shares(view.rows, (), sheet.aggregation.exclude)[0]
    failed = {mode: share for mode, share in whole.shares.items() if mode != "success" and share}
    if not failed:
        return [f"None: all {count(whole.n, 'case')} are right."]
    mode, share = max(failed.items(), key=lambda item: item[1])
    part = share / sum(failed.values())
    name = failure(mode).label.lower()
    if part > 0.5:
        amount = "All" if part > 0.999 else "Most"
        opening = f"{amount} failures are {FAMILIES.get(mode, name)}: "
        text = f"{name} in {100 * share:.0f} % of cases"
    else:
        opening, text = "Most common is ", f"{name}, {100 * share:.0f} % of cases"
    sentence: Sentence = [
        opening,
        el("a", text, href=_link(view, failure=mode)),
        f" ({_inside(failure(mode).note)}). " if failure(mode).note else ". ",
    ]
    if len(failed) > 1:
        rest = sorted(((n, m) for m, n in failed.items() if m != mode), reverse=True)
        sentence.append(f"Then {listed([f'{failure(m).label.lower()} {100 * n:.0f} %' for n, m in rest[:2]])}. ")
    return sentence + _worst_task(sheet, view, mode, share)


def _offsets(sheet: Sheet, view: RunView) -> Sentence:
    """What a few pixels of tolerance change, and how far objects are from where they should be."""
    measured = offsets_of(sheet, view)
    if measured is None:
        return []
    sentence = ""
    if 0 in measured.within and len(measured.within) > 1:
        farthest = max(measured.within)
        exact, near = measured.within[0], measured.within[farthest]
        gain = near.mean - exact.mean
        opening = "Much is only a little beside its place" if gain >= BESIDE else "A few pixels change little"
        if exact.hi is not None and near.lo is not None and (gain >= BESIDE) == (near.lo > exact.hi):
            sentence = f"{opening}: "
        sentence += f"mIoU is {exact.mean:.1f}, and {near.mean:.1f} where a right pixel may be {farthest} px away. "
    errors = [measured.overall[name] for name in OBJECTS if name in measured.overall]
    units = [unit for name, unit in zip(OBJECTS, (" px", "°", " %"), strict=True) if name in measured.overall]
    if errors:
        figures = [f"{error.median.mean:.1f}{unit}" for error, unit in zip(errors, units, strict=True)]
        most = max(error.n for error in errors)
        sentence += f"Objects are off by {listed(figures)} (medians of up to {count(most, 'case')})."
    return [sentence.strip(), " ", el("a", "By task", href=f"#offsets-{sheet.key}"), "."] if sentence else []


def _inside(note: str) -> str:
    """A sentence inside another.

    >>> _inside("Wrong at ΔE 0.")
    'wrong at ΔE 0'
    """
    return note[:1].lower() + note[1:].rstrip(".")


def _worst_task(sheet: Sheet, view: RunView, mode: str, share: float) -> Sentence:
    group = sheet.fine
    if group is None:
        return []
    rows = failure_shares(view.rows, group.by, sheet.aggregation.exclude, orders=sheet.aggregation.orders)
    high = sorted((-row.shares.get(mode, 0.0), i, row) for i, row in enumerate(rows))
    much = [row for negative, _, row in high if -negative > max(1.5 * share, share + 0.15)]
    top = [row for row in much if wilson(row.shares[mode], row.n)[0] > share][:3]
    if not top:
        return []
    links: Sentence = []
    for row in top:
        tags = dict(zip(group.by, row.key, strict=True))
        text = f"{plain('/'.join(row.key)).lower()} {100 * row.shares[mode]:.0f} %"
        links += [", " if links else "", el("a", text, href=_link(view, tags, mode))]
    return ["It is most common in ", *links, "."]


def _strengths(sheet: Sheet, view: RunView) -> Sentence:
    """The tasks that are clearly above or below the model's own mean."""
    group, metric = sheet.fine, sheet.headline
    if group is None:
        return []
    low, high = ends(metric)
    clear = [
        row
        for row in specialties(view.summary, group.name, metric)
        if row.clear and abs(row.above) >= (high - low) / 100
    ]

    def figure(row: Speciality) -> str:
        return value(row.mean, metric)

    parts: Sentence = []
    for word, rows in (
        ("best at ", [r for r in clear if r.above > 0]),
        ("weak at ", [r for r in clear if r.above < 0][::-1]),
    ):
        if not rows:
            continue
        named, tied = before_ties(rows, figure)
        parts.append(("; " if parts else "") + (word if parts else word.capitalize()))
        if tied:
            parts.append(
                f"{tied} of the {len(sheet.keys(group.name))} rows by {plain(group.name).lower()} ({figure(rows[0])})"
            )
        for i, row in enumerate(named):
            tags = sheet.tags_of(group, row.key)
            text = f"{plain(row.key).lower()} {figure(row)}"
            parts += [", " if i else "", el("a", text, href=_link(view, tags))]
    own = value(view.summary["overall"][metric]["mean"], metric)
    return [*parts, f", against {own} overall."] if parts else []


def _scenes(sheet: Sheet, view: RunView) -> Sentence:
    """Conditions whose effect is clear."""
    effects = condition_deltas(sheet, view)
    if len(effects) < 2:
        return []
    base, *rest = effects
    if all(d.lo is None for d in rest):  # too few cases to say so or otherwise
        return []
    clear = sorted((d for d in rest if leaves_out(d.lo, d.hi)), key=lambda d: d.difference)
    if not clear:
        return ["No scene condition changes the score clearly."]
    sentence: Sentence = []
    for word, rows in (
        ("Hurt by ", [d for d in clear if d.difference < 0]),
        ("helped by ", [d for d in clear if d.difference > 0][::-1]),
    ):
        if not rows:
            continue
        sentence.append(("; " if sentence else "") + (word if sentence else word.capitalize()))
        for i, d in enumerate(rows[:3]):
            around = signed_range(d.lo, d.hi) or "all cases alike"
            text = f"{plain(d.value).lower()} {signed(d.difference)} ({around})"
            sentence += [", " if i else "", el("a", text, href=_link(view, {"condition": d.value}))]
        if len(rows) > 3:
            sentence.append(f" and {len(rows) - 3} more")
    return [*sentence, f", against {value(base.mean, sheet.headline)} in the baseline scene."]


def _palette(sheet: Sheet, view: RunView) -> Sentence:
    gap = palettes(sheet, view) if sheet.has_curves else None
    if gap is None:
        return []
    apart = gap.edit.difference
    if not leaves_out(apart.lo, apart.hi):
        return []
    return [
        f"Exact colors (ΔE 0) in {gap.edit.standard.mean:.1f} % of edited pixels with the standard palette, "
        f"{gap.edit.nonstandard.mean:.1f} % with unusual colors: {signed(apart.mean)} points "
        f"({signed_range(apart.lo, apart.hi) or 'all cases alike'})."
    ]


def _over_editing(sheet: Sheet, view: RunView) -> Sentence:
    """How many more pixels change than should, in the smallest edits and the largest."""
    if not sheet.has_curves:
        return []
    bins = [b for b in region_sizes(sheet, view) if b.over_edit is not None and enough(b.n)]
    if not bins:
        return []
    worst = max(bins, key=lambda b: b.over_edit.mean if b.over_edit else 0.0)
    largest = bins[-1]
    assert worst.over_edit is not None
    assert largest.over_edit is not None
    if worst.over_edit.mean >= NOTICEABLE:
        sentence = (
            f"Edits of {worst.label} pixels change {_times(worst.over_edit.mean)} as many as they should (median)"
        )
        if largest is not worst:
            sentence += f", edits of {largest.label} {_times(largest.over_edit.mean)}"
        return [f"{sentence}."]
    if worst.over_edit.mean == 0:
        return ["It changes nothing, whatever the size of the edit (median)."]
    if worst.over_edit.mean < 1 / NOTICEABLE:
        return [f"It changes too little: at most {_times(worst.over_edit.mean)} as many pixels as it should (median)."]
    return []


def _times(ratio: float) -> str:
    """A ratio in words.

    >>> _times(8.04), _times(1240.0)
    ('8.0 times', '1,240 times')
    """
    return f"{ratio:.1f} times" if ratio < 100 else f"{ratio:,.0f} times"


def _fidelity(sheet: Sheet, view: RunView) -> Sentence:
    measured = preservation(sheet, view) if sheet.has_curves else None
    if measured is None:
        return []
    opening = {
        "keeps pixels": "It keeps the pixels it should",
        "redraws the picture": "It draws the whole picture again",
        "in between": "It keeps part of the pixels it should",
    }[measured.kind]
    sentence = (
        f"{opening}: of those that should stay, {measured.median[0]:.1f} % are exactly the input’s and "
        f"{measured.median[5]:.1f} % are within ΔE 5 (medians); {measured.exact:.0f} % of outputs keep every one."
    )
    if measured.diagnostic is not None:
        sentence += (
            f" Asked to return the picture unchanged, it keeps {measured.diagnostic.median[0]:.1f} % exactly: "
            "the floor of its fidelity."
        )
    return [sentence]


def _sizes(sheet: Sheet, view: RunView) -> Sentence:
    """Outputs that came in another size than the input."""
    other = [r for r in view.records if r.evidence.get("resized")]
    if not other:
        return []
    seen = dict.fromkeys("×".join(str(n) for n in r.evidence.get("output_size") or ()) for r in other)
    few = listed(list(seen)[:3]) + (" …" if len(seen) > 3 else "")
    return [f"{other_size(len(other), sum(r.status == 'ok' for r in view.records), few)}."]


def _left_unchanged(sheet: Sheet, view: RunView) -> Sentence:
    """Why the editor left pictures unchanged, if it says so."""
    noted = reasons_in_words(view.summary)
    return [f"{'; '.join(noted)}."] if noted else []


def _missing(sheet: Sheet, view: RunView) -> Sentence:
    lacking = [r for r in view.records if r.status != "ok"]
    if not lacking:
        return []
    links: Sentence = []
    for status, mode in dict.fromkeys((r.status, mode_of(r)) for r in lacking):
        number = sum(r.status == status for r in lacking)
        text = f"{number:,} {plain(status).lower()}"
        links += [", " if links else "", el("a", text, href=_link(view, failure=mode))]
    if sheet.judged:
        return [*links, f" of {count(len(view.records), 'edit')}: there is no edit, or not every verdict on it."]
    return [*links, f" of {count(len(view.records), 'case')}; each counts as 0."]


def _best(sheet: Sheet) -> RunView:
    metric = sheet.headline
    return max(sheet.runs, key=lambda v: (v.summary["overall"][metric]["mean"] or 0.0, -v.index))


def _hardest(sheet: Sheet) -> Html | None:
    """The hardest and easiest cases of the best run, as pictures."""
    metric = sheet.headline
    view = _best(sheet)
    both = extremes(view.by_case, metric, len(view.records), exclude=sheet.aggregation.exclude)
    hardest, easiest = (_mixed(sheet, view, cases) for cases in both)
    if sorted(case.value for case in hardest) == sorted(case.value for case in easiest):
        easiest = []  # as hard as the hardest
    easiest = [case for case in easiest if case not in hardest]  # small sets have few cases of each task
    name = f" for {view.name}" if len(sheet.runs) > 1 else ""
    rows = []
    for title, cases in ((f"Hardest{name}", hardest), (f"Easiest{name}", easiest)):
        caption = f"{metric_name(metric)} {{}}"
        cards = [card(_edit(case), [(view, caption.format(value(case.value, metric)))]) for case in cases]
        rows.append(case_row(title, [card_html for card_html in cards if card_html]))
    return el("div", rows, cls="strips") if any(rows) else None


def _mixed(sheet: Sheet, view: RunView, cases: Sequence[CaseValue]) -> list[CaseValue]:
    """The first few, but of as many different tasks as there are: many cases share the lowest score."""
    group = sheet.fine
    seen: set[tuple[str | None, ...]] = set()
    chosen: list[CaseValue] = []
    for case in cases:
        if case.value != cases[0].value and len(chosen) >= CASES:
            break
        key = tuple(view.by_edit[_edit(case)].tags.get(tag) for tag in group.by) if group else (case.case_id,)
        if key not in seen:
            seen.add(key)
            chosen.append(case)
    rest = [case for case in cases[: 4 * CASES] if case not in chosen]
    return sorted([*chosen, *rest][:CASES], key=cases.index)


def _edit(case: CaseValue) -> tuple[str, str]:
    return case.case_id, case.variant


def _link(view: RunView, tags: dict[str, str] | None = None, failure: str | None = None) -> str:
    return cases_link(tags, view=view, failure=failure)

"""Figures of runs and published models side by side, by group, row and metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from editscope.cases import Group
from editscope.errors import BadInput
from editscope.report.judged_runs import missing_verdicts
from editscope.report.model import Sheet
from editscope.stats.small_groups import is_few, rules_in_words
from editscope.suites import suite_title
from editscope.suites.tables import OVERALL, CellsByGroup, Column, Kind, PaperCell, PaperRow, difference
from editscope.wording import count, listed, part_of_cases, plain

if TYPE_CHECKING:
    from editscope.published import Result

PIXEL_METRICS = ("miou", "edit_accuracy", "preservation_accuracy")
"""Metrics in which a missing output counts as 0."""


@dataclass(frozen=True, eq=False)
class GroupFigures:
    """The runs of a sheet, then published models; ``cell`` and ``row`` give the figures of a group."""

    sheet: Sheet
    columns: tuple[Column, ...]
    figures: tuple[CellsByGroup, ...]

    @property
    def suite(self) -> str:
        """The name of the suite."""
        return self.sheet.suite

    @property
    def headline(self) -> str:
        """The metric that the suite is ranked by."""
        return self.sheet.headline

    @property
    def all_metrics(self) -> tuple[str, ...]:
        """Every metric that a run has."""
        return tuple(self.sheet.metrics)

    @property
    def shown_groups(self) -> tuple[Group, ...]:
        """The groups that tables show, without those of one level or language."""
        return tuple(self.sheet.groups)

    @property
    def all_groups(self) -> tuple[Group, ...]:
        """Every group that the suite averages over."""
        return tuple(self.sheet.aggregation.groups)

    @property
    def excluded(self) -> Mapping[str, str]:
        """The tags of cases that stay out of every average."""
        return dict(self.sheet.aggregation.exclude)

    @property
    def runs(self) -> tuple[int, ...]:
        """The number of each run, as columns name them."""
        return tuple(view.index for view in self.sheet.runs)

    @property
    def judge(self) -> str:
        """The published judge that is the runs' own, by its name, or the main one of the paper."""
        from editscope.published import HEADLINES

        main = HEADLINES.get(self.sheet.suite)
        known = dict.fromkeys(column.edition.get("judge", "") for column in self.columns if column.published)
        used = _letters(" ".join(str(view.run.info.get("judge") or "") for view in self.sheet.runs))
        same = [judge for judge in known if judge and _letters(judge) in used]
        return same[0] if same else main.judge if main else ""

    def cells(self, by: str, key: str, metric: str) -> tuple[PaperCell | None, ...]:
        """One figure for each column."""
        return tuple(figures.get((by, key, metric)) for figures in self.figures)

    def row(self, kind: Kind, label: str, by: str, key: str, metric: str, depth: int = 0) -> PaperRow:
        """A row of the table: a group of cases, one figure for each column."""
        return PaperRow(kind, label, self.tags(by, key), self.cells(by, key, metric), depth=depth)

    def differences(self, label: str, by: str, key: str, base: str, metric: str) -> PaperRow:
        """A row of differences between two groups of the same table."""
        pairs = zip(self.cells(by, key, metric), self.cells(by, base, metric), strict=True)
        return PaperRow("row", label, self.tags(by, key), tuple(difference(*pair) for pair in pairs), depth=1)

    def models(self, groups: Sequence[tuple[str, str]], metric: str) -> tuple[PaperRow, ...]:
        """One row for each run and published model, with a figure for each group."""
        return tuple(
            PaperRow(
                "row",
                column.label,
                {},
                tuple(figures.get((by, key, metric)) for by, key in groups),
                note=column.note,
                run_index=column.run_index,
                published=column.published,
            )
            for column, figures in zip(self.columns, self.figures, strict=True)
        )

    def keys(self, by: str) -> list[str]:
        """The rows that a group of the runs' summaries has, in the order of the tables."""
        return self.sheet.keys(by)

    def inside(self, outer: str, inner: str) -> dict[str, list[str]]:
        """The rows of a finer group by the row of the coarser one that their cases belong to."""
        for name in (outer, inner):
            if name not in self._keyed:
                raise BadInput(f"the runs have no averages by {name}, which the tables of {self.sheet.suite} need")
        coarse, fine = self._keyed[outer], self._keyed[inner]
        home = {fine[i]: coarse[i] for i in range(len(fine))}
        members_by_key: dict[str, list[str]] = {key: [] for key in self.keys(outer)}
        for key in self.keys(inner):
            members_by_key.setdefault(home.get(key, ""), []).append(key)
        return {key: members for key, members in members_by_key.items() if members}

    def refines(self, inner: str, outer: str) -> bool:
        """Whether cases that share a row of the one group always share a row of the other."""
        home: dict[str, str] = {}
        pairs = zip(self._keyed[inner], self._keyed[outer], strict=True)
        return all(home.setdefault(fine, coarse) == coarse for fine, coarse in pairs)

    def measures(self, metric: str) -> bool:
        """Whether any run has this metric."""
        return metric in self.sheet.metrics

    def tags(self, by: str, key: str) -> dict[str, str]:
        """What the cases of a row have in common."""
        group = next((group for group in self.sheet.aggregation.groups if group.name == by), None)
        return self._samples.get((by, key), {}) if group else {}

    @property
    def metrics(self) -> tuple[str, ...]:
        """The headline metric, then the two that pixel suites have beside it."""
        sides = (self.sheet.headline, "edit_accuracy", "preservation_accuracy")
        return tuple(dict.fromkeys(metric for metric in sides if self.measures(metric)))

    @cached_property
    def _keyed(self) -> dict[str, list[str]]:
        cases = self._cases
        return {
            group.name: ["/".join(str(tags.get(tag)) for tag in group.by) for tags in cases]
            for group in self.sheet.aggregation.groups
        }

    @cached_property
    def _cases(self) -> list[Mapping[str, str]]:
        records = [record for view in self.sheet.runs for record in self.sheet.averaged(view)]
        return list({(r.case_id, r.variant): r.tags for r in records}.values())

    @cached_property
    def _samples(self) -> dict[tuple[str, str], dict[str, str]]:
        samples: dict[tuple[str, str], dict[str, str]] = {}
        for group in self.sheet.aggregation.groups:
            for key, tags in zip(self._keyed[group.name], self._cases, strict=True):
                samples.setdefault((group.name, key), {tag: tags[tag] for tag in group.by if tag in tags})
        return samples

    def published_models(self) -> list[tuple[Column, CellsByGroup]]:
        """The published models in the setting that their paper ranks by, best first: one judge, level and language."""
        from editscope.published import main_setting

        wanted = main_setting(self.sheet.suite)
        return [
            (column, figures)
            for column, figures in zip(self.columns, self.figures, strict=True)
            if column.published and all(column.edition[name] == value for name, value in wanted.items())
        ]

    def caption(self, what: str, *, spread: bool = True, cases: bool = True, notes: Sequence[str] | None = None) -> str:
        """A caption: what the table shows, of which cases, how sure the figures are, and what is missing.

        ``notes`` say what published results the table has; those of all its columns unless given.
        """
        sentences = [what, *([_cases_sentence(self.sheet)] if cases else [])]
        if spread:
            within = self.sheet.resampling
            sentences.append(
                f"± is half the width of a 95 % interval (percentile bootstrap, cases resampled {within})."
            )
        if where := rules_in_words([row for view in self.sheet.runs for row in view.summary["groups"]]):
            sentences.append(f"Gray figures with n have no interval: {where.removeprefix('where ')}.")
        sentences += _missing(self.sheet)
        shown = [column.note for column in self.columns if column.published] if notes is None else notes
        if shown:
            label = "; ".join(dict.fromkeys(shown))
            sentences.append(f"Published results are set apart ({label}); they are not paired with these runs.")
        return " ".join(sentences)


def figures_by_group(sheet: Sheet, published: bool = False, *, as_published: bool = False) -> GroupFigures:
    """The runs of a sheet, and published results of the same suite if asked for.

    ``as_published`` adds the runs once more, counted as the published results were, where that differs.
    """
    names = run_names(sheet)
    columns = [Column(name, view.part, run_index=view.index) for name, view in zip(names, sheet.runs, strict=True)]
    figures: list[CellsByGroup] = [_summary_figures(view.summary) for view in sheet.runs]
    if published:
        again = _as_published(sheet, names) if as_published else []
        for column, cells in (*again, *_published(sheet)):
            columns.append(column)
            figures.append(cells)
    return GroupFigures(sheet, tuple(columns), tuple(figures))


def run_names(sheet: Sheet) -> tuple[str, ...]:
    """The runs' names inside one set: the editor's, unless two of them are the same.

    In a whole report the same editor may stand on two sets, and its names there tell the sets apart too.
    """
    editors = [str(view.run.info["editor"]["name"]) for view in sheet.runs]
    return tuple(
        editor if editors.count(editor) == 1 else view.name for editor, view in zip(editors, sheet.runs, strict=True)
    )


def _summary_figures(summary: Mapping[str, Any]) -> dict[tuple[str, str, str], PaperCell]:
    cells = {(*OVERALL, metric): _cell(cell) for metric, cell in summary["overall"].items()}
    for row in summary["groups"]:
        cells[row["by"], row["key"], row["metric"]] = _cell(row)
    return cells


def _cell(cell: Mapping[str, Any]) -> PaperCell:
    low, high = cell.get("lo"), cell.get("hi")
    half = None if low is None or high is None else (high - low) / 2
    return PaperCell(cell["mean"], half, cell["n"], few=is_few(cell))


def _as_published(sheet: Sheet, names: Sequence[str]) -> list[tuple[Column, dict[tuple[str, str, str], PaperCell]]]:
    """The runs whose figures the released tool would count otherwise, counted its way, as published figures are."""
    columns = []
    for name, view in zip(names, sheet.runs, strict=True):
        counts = view.summary.get("accounting") or {}
        if counts.get("differs") and counts["used"] == "ours":
            cells = {at: replace(cell, ranked=False) for at, cell in _summary_figures(counts["other"]).items()}
            note = "this run, counted as the published figures were"
            columns.append((Column(f"{name} (accounting released)", note, run_index=view.index), cells))
    return columns


def _published(sheet: Sheet) -> list[tuple[Column, dict[tuple[str, str, str], PaperCell]]]:
    """One column for each model, judge, level, language and setting, best first."""
    from editscope.published import label, results

    by_model: dict[tuple[str, ...], dict[tuple[str, str, str], PaperCell]] = {}
    heads: dict[tuple[str, ...], Column] = {}
    for result in results(sheet.suite):
        who = (result.source, result.model, result.judge, result.level, result.language, result.setting)
        edition = {name: getattr(result, name) for name in ("model", "judge", "level", "language", "setting")}
        heads.setdefault(who, Column(_model_label(result), label(result), published=True, edition=edition))
        cells = by_model.setdefault(who, {})
        at = (result.by, result.group, result.metric)
        # Where a paper prints a figure twice, the one with its half-width says more.
        if at not in cells or (cells[at].half_width is None and result.half_width is not None):
            cells[at] = PaperCell(result.value, result.half_width, published=True)
    headline = (*OVERALL, sheet.headline)
    ordered = sorted(
        (who for who in by_model if headline in by_model[who]), key=lambda who: -(by_model[who][headline].value or 0.0)
    )
    return [(heads[who], by_model[who]) for who in ordered]


def _model_label(result: Result) -> str:
    extra = [part for part in (result.level, result.language, result.setting) if part]
    return f"{result.model} ({', '.join(extra)})" if extra else result.model


def _cases_sentence(sheet: Sheet) -> str:
    counts = sorted({len({record.case_id for record in sheet.averaged(view)}) for view in sheet.runs})
    number = count(counts[-1], "case") if len(counts) == 1 else f"{counts[0]:,} to {count(counts[-1], 'case')}"
    if any(view.part for view in sheet.runs):
        number = listed(
            list(dict.fromkeys(view.part or part_of_cases(view.run.info["selection"]) for view in sheet.runs))
        )
    edits = max(len(sheet.averaged(view)) for view in sheet.runs)
    several = f" ({count(edits, 'edit')})" if edits > counts[-1] else ""
    return f"{number}{several} of {suite_title(sheet.suite)}, set {sheet.fingerprint}."


def _missing(sheet: Sheet) -> list[str]:
    """Which runs lack how many outputs or verdicts."""
    if sheet.judged:
        return missing_verdicts(sheet, run_names(sheet))
    gaps = []
    for name, view in zip(run_names(sheet), sheet.runs, strict=True):
        lacking = {status: n for status, n in (view.summary.get("coverage") or {}).items() if status != "ok" and n}
        if lacking:
            counts = ", ".join(f"{n:,} {plain(status).lower()}" for status, n in lacking.items())
            gaps.append(f"{name} ({counts})")
    zero = " A missing output counts as 0." if sheet.headline in PIXEL_METRICS else ""
    return [f"Not every case has its score: {listed(gaps)}.{zero}"] if gaps else []


def _letters(name: str) -> str:
    """A name of a model without what writers vary.

    >>> _letters("Qwen2.5-VL-72B") in _letters("openai:qwen2.5-vl-72b-instruct")
    True
    """
    return "".join(char for char in name.lower() if char.isalnum())

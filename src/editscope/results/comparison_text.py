"""Comparisons of runs as plain text and CSV, for a terminal and a notebook."""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from editscope import printing
from editscope.errors import BadInput
from editscope.runfolder.run_json import aggregation_from
from editscope.stats.small_groups import LEAST_CASES
from editscope.wording import count, listed, metric_in_text, p_value, part_note, signed_range, value

if TYPE_CHECKING:
    from editscope.results.comparison import Comparison
    from editscope.stats.paired import Paired

LEVEL = 0.05


def letter(index: int) -> str:
    """A, B, C … for the runs of a comparison.

    >>> letter(0), letter(27)
    ('A', 'AB')
    """
    rest, last = divmod(index, 26)
    return (letter(rest - 1) if rest else "") + chr(ord("A") + last)


def interval(paired: Paired, metric: str = "") -> str:
    """The interval of a difference; a dash where the cases carry none, or it has no width."""
    return signed_range(paired.lo, paired.hi, metric) or "–"


def notes(comparison: Comparison) -> tuple[str, ...]:
    """A sentence for each run after the first, then what a reader should mind."""
    sentences = [*_by_people(comparison), *(_verdict(comparison, index) for index in range(1, len(comparison.runs)))]
    for name, run in zip(comparison.names, comparison.runs, strict=True):
        pending = run.coverage.get("pending", 0)
        if pending:
            sentences.append(f"{name} is not finished: {pending:,} of its cases are not scored yet and take no part.")
    sentences += _parts(comparison)
    left_out = str(comparison.left_out)
    if left_out:
        sentences.append(f"Left out: {left_out}.")
    sentences += [*_repeats(comparison), *_judging(comparison), *_resampling(comparison)]
    single, strata = single_strata(comparison)
    if single:
        sentences.append(
            f"{single:,} of {strata:,} strata hold one case only, whose spread the intervals cannot see; "
            "the p-values are not touched by it."
        )
    return tuple(sentences)


def _by_people(comparison: Comparison) -> list[str]:
    """What people's labels say, before what the judge says alone."""
    if comparison.calibration is None:
        return []
    from editscope.results.calibration.calibration_text import difference_in_words, mean_in_words

    found, metric = comparison.calibration, comparison.metric
    means = [f"{run.name}: {mean_in_words(run, metric)}." for run in found.runs]
    apart = [difference_in_words(found, 0, index, metric) for index in range(1, len(found.runs))]
    return [*apart, *means, "What follows, and the tables, is by the judge alone:"]


def _parts(comparison: Comparison) -> list[str]:
    """Which runs are on a part of their suite, and on how large a one."""
    notes: dict[str, list[str]] = {}
    for name, run in zip(comparison.names, comparison.runs, strict=True):
        if note := part_note(run.info["selection"]):
            notes.setdefault(note, []).append(name)
    if len(notes) == 1 and len(next(iter(notes.values()))) == len(comparison.runs):
        return [f"The runs are on {next(iter(notes))}."]
    return [f"{listed(names)} {'is' if len(names) == 1 else 'are'} on {note}." for note, names in notes.items()]


def _repeats(comparison: Comparison) -> list[str]:
    """How often each run edited a case, where any did more than once."""
    often = [run.repeats for run in comparison.runs]
    if max(often) == 1:
        return []
    if len(set(often)) == 1:
        return [f"Each case counts by the mean of its {often[0]} repeats."]
    counts = ", ".join(f"{name} {k}" for name, k in zip(comparison.names, often, strict=True))
    return [f"Repeats of each case: {counts}. A case counts by the mean of its repeats, so that runs can be paired."]


def _resampling(comparison: Comparison) -> list[str]:
    """Within what the intervals resample, where the runs themselves did not all do it alike."""
    from editscope.stats.summary import resampled_within

    within = [resampled_within(aggregation_from(run.info)) for run in comparison.runs]
    if len(set(within)) == 1:
        return []
    return [f"The runs resampled their intervals differently; those of differences are resampled {within[0]}."]


def _judging(comparison: Comparison) -> list[str]:
    """What of the judging differs, since then not only the edits do."""
    settings = [run.info.get("judging") or {} for run in comparison.runs]
    differs = []
    for what, key in (("judges", "judges"), ("prompts", "prompts"), ("options of the protocol", "protocol")):
        if any(one.get(key) != settings[0].get(key) for one in settings[1:]):
            differs.append(what)
    if len({one.get("accounting", "ours") for one in settings}) > 1:
        differs.append("accounting of failed calls and missing edits")
    return [f"Not only the edits differ: the runs have other {' and '.join(differs)}."] if differs else []


def single_strata(comparison: Comparison) -> tuple[int, int]:
    """How many strata hold one case only, of how many: the bootstrap cannot see their spread."""
    rows, strata = comparison.taken[0], comparison.aggregation.strata
    cases = dict.fromkeys(zip(rows["case_id"], *(rows[tag] for tag in strata), strict=True))
    sizes = Counter(case[1:] for case in cases)
    return sum(size == 1 for size in sizes.values()), len(sizes)


def _verdict(comparison: Comparison, index: int) -> str:
    """Who is better and by how much; or that it could be chance, and how many cases would tell."""
    paired, metric = comparison.tables[index - 1].overall, comparison.metric
    other, first = comparison.names[index], comparison.names[0]
    if not paired.wins + paired.losses:
        return f"{other} and {first} have the same {metric_in_text(metric)} in all {paired.cases:,} cases."
    ratio = metric.endswith("_ratio")
    size = value(abs(paired.difference), metric) + ("" if ratio else " points")
    if paired.few:
        return (
            f"{other} differs from {first} by {size} on {count(paired.cases, 'case')}: too few to say more "
            f"(at least {LEAST_CASES})."
        )
    if paired.p < LEVEL:
        around = _span(paired, metric)
        up = paired.difference > 0
        word = ("higher" if up else "lower") if ratio else ("better" if up else "worse")
        share = 100 * (paired.wins if up else paired.losses) / paired.cases
        return (
            f"{other} is {word} than {first} by {size} of {metric_in_text(metric)}{around}, "
            f"on {share:.0f} % of {paired.cases:,} cases."
        )
    span = signed_range(paired.lo, paired.hi, metric)
    around = f" ({span})" if span else ""
    text = (
        f"{other} differs from {first} by {size}{around}, which could be chance (p = {p_value(paired.p, compact=True)})"
    )
    needed = _cases_needed(comparison, index)
    if needed is None:
        return f"{text}."
    advice = f"to show a difference of this size would need about {_round(needed):,} cases, here are {paired.cases:,}"
    return f"{text}; {advice}."


def _span(paired: Paired, metric: str) -> str:
    """The interval of a difference whose direction was said: smaller end first, signs only where it crosses 0."""
    if paired.lo is None or paired.hi is None or paired.hi <= paired.lo:
        return ""
    low, high = (paired.lo, paired.hi) if paired.difference > 0 else (-paired.hi, -paired.lo)
    return f" ({'' if low >= 0 else '−'}{value(abs(low), metric)} … {value(high, metric)})"


def _cases_needed(comparison: Comparison, index: int) -> int | None:
    from editscope.stats.power import cases_needed, design_spread

    difference = comparison.tables[index - 1].overall.difference
    try:
        rows = comparison.taken
        spread = design_spread(rows[0], rows[index], comparison.aggregation, comparison.metric)
        return cases_needed(difference, spread) if spread else None
    except BadInput:  # too few cases in every stratum, or no difference at all
        return None


def _round(n: int) -> int:
    """Two digits are all that such a number is worth.

    >>> _round(31840), _round(47)
    (32000, 47)
    """
    digits = max(0, len(str(n)) - 2)
    return int(round(n, -digits))


def as_csv(comparison: Comparison, *by: str) -> str:
    """One line for each run after the first and each group, overall first; the header names the columns."""
    text = io.StringIO()
    rows = list(comparison.rows(*by))
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _harmless(value) for name, value in row.items()})
    return text.getvalue()


def _harmless(value: object) -> object:
    """Text that a spreadsheet will not run as a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in tuple("=+-@\t\r") else value


def usual_kind(comparison: Comparison) -> tuple[str, ...]:
    """The groups to show when nobody asked for others: tasks where there are any."""
    kinds = comparison.kinds()
    return ("task",) if "task" in kinds else kinds[:1]


@dataclass(frozen=True, eq=False)
class TextTable:
    """A comparison that prints itself: as text in a terminal, as a table in a notebook."""

    comparison: Comparison
    by: tuple[str, ...] = ()

    def __repr__(self) -> str:
        from editscope.results.comparison_tables import print_comparison

        # Inside a notebook Rich would show the table itself, piece by piece.
        console = printing.console(file=io.StringIO(), width=110, color_system=None, force_jupyter=False)
        print_comparison(self.comparison, console, self.by or usual_kind(self.comparison))
        file = console.file
        assert isinstance(file, io.StringIO)
        return "\n".join(line.rstrip() for line in file.getvalue().rstrip().splitlines())

    def _repr_html_(self) -> str:
        from editscope.results.notebook import comparison_table

        return comparison_table(self.comparison, self.by or usual_kind(self.comparison))

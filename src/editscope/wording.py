"""How the report says names of metrics, tags and failure modes to a reader."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

VALUES = {"n_med": "n medium", "n_high": "n high", "n_xhigh": "n very high"}
METRICS = {
    "miou": "mIoU",
    "iou@0": "IoU@0",
    "iou@5": "IoU@5",
    "iou@10": "IoU@10",
    "edit_accuracy": "Edit",
    "preservation_accuracy": "Preservation",
    "over_edit_ratio": "Over-editing",
    "consequences": "Consequences",
    "direct": "Direct",
    "gap": "Gap",
    "gain_consequences": "Consequences after gain",
    "gain_direct": "Direct after gain",
    "gain_gap": "Gap after gain",
    "gain_preservation": "Preservation after gain",
    "ignored_share": "Ignored",
}
RECOVERY = "recovery:"
"""What the names of metrics begin with that say what became of one effect."""
METRIC_NOTES = {
    "miou": "Intersection over union of right pixels, averaged over the tolerances ΔE 0 … 10.",
    "iou@0": "Intersection over union where only the exact color counts.",
    "iou@5": "Intersection over union at a color tolerance of ΔE 5.",
    "iou@10": "Intersection over union at a color tolerance of ΔE 10.",
    "edit_accuracy": "Share of the pixels that should change and are right, averaged over the tolerances.",
    "preservation_accuracy": "Share of the pixels that should stay and did, averaged over the tolerances.",
    "over_edit_ratio": "Pixels that changed for each pixel that should have; 1 is right.",
    "consequences": "How far everything that follows from the edit went from input to answer, in linear light.",
    "direct": "How far the object itself went from input to answer, in linear light.",
    "gap": "Direct minus consequences: 100 where the object changed and nothing followed.",
    "gain_consequences": "Consequences after the best gain per channel, so that one tone shift is not punished.",
    "gain_direct": "Direct after the best gain per channel.",
    "gain_gap": "Gap after the best gain per channel.",
    "gain_preservation": "Preservation after the best gain per channel.",
    "ignored_share": "Share of the pixels that the input does not determine; they are not scored.",
}


class MetricName(str):
    """The name of a measure that a protocol defines, and how its figures are written.

    ``low`` and ``high`` are the ends of its scale as tables show it; ``unit`` is "%" or "dB", or "" for marks, whose
    scale says what they are. It is equal to its name, so that it finds its
    figures wherever they are kept by name.

    >>> quality = MetricName("vq", "Visual quality", low=1, high=5, decimals=2)
    >>> quality == "vq", metric_name(quality), value(4.3567, quality)
    (True, 'Visual quality', '4.36')
    """

    label: str
    note: str
    low: float
    high: float
    decimals: int
    unit: str

    def __new__(
        cls,
        name: str,
        label: str,
        note: str = "",
        low: float = 0.0,
        high: float = 100.0,
        decimals: int = 1,
        unit: str = "",
    ) -> MetricName:
        """A name with all that."""
        metric = super().__new__(cls, name)
        metric.label, metric.note, metric.low, metric.high, metric.decimals = label, note, low, high, decimals
        metric.unit = unit
        return metric


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure mode in words."""

    label: str
    note: str


FAILURES = {
    "success": Failure("Success", "The right pixels have the right colors, and the rest was left alone."),
    "color_imprecision": Failure(
        "Color imprecision", "The right places changed, but colors are only near: wrong at ΔE 0, right at ΔE 10."
    ),
    "tone_shift": Failure("Tone shift", "The edit is right once each channel of the whole picture is scaled."),
    "too_weak": Failure("Too weak", "The right change, by a part of what was asked."),
    "misplaced_consequences": Failure(
        "Misplaced consequences", "The light changed by what was asked, but not where it should: a shadow beside."
    ),
    "consequences_missing": Failure(
        "Consequences missing",
        "The object changed, and what follows from it did not, such as its shadow or what it held up.",
    ),
    "consequences_only": Failure("Consequences only", "What follows from the edit is there, and the edit is not."),
    "structural_imprecision": Failure(
        "Structural imprecision",
        "Part of the edit is right and the rest is at no tolerance: wrong edges, sizes, amounts.",
    ),
    "execution_omission": Failure(
        "Execution omission", "Nothing of the edit is there, while the rest of the picture was kept."
    ),
    "structural_catastrophe": Failure(
        "Structural catastrophe", "Neither the edit nor what should have stayed is there: another picture."
    ),
    "no_output": Failure("No output", "There is no picture to look at; it counts as 0."),
}
"""From best to worst, the order in which bars are stacked."""
JUDGED = {
    "ok": Failure("Judged", "Every question about this edit has its verdict."),
    "refused": Failure("Refused", "A judge would not answer, or a filter stopped it; this is not a score."),
    "unparsed": Failure("Unparsed", "A reply did not have the form that was asked for, also after asking again."),
    "error": Failure("Error", "A call got no reply, or the edit could not be made."),
}
"""What stands in for a failure mode where judges gave the scores."""


def metric_name(metric: str) -> str:
    """A metric as a column head.

    >>> metric_name("miou"), metric_name("recovery:mirror_image")
    ('mIoU', 'Recovery: mirror image')
    """
    if metric.startswith(RECOVERY):
        return f"Recovery: {plain(metric.removeprefix(RECOVERY)).lower()}"
    return metric.label if isinstance(metric, MetricName) else METRICS.get(metric, plain(metric))


def metric_title(metric: str) -> str:
    """A metric in a title or along an axis: its name, and its unit or scale.

    >>> metric_title("miou"), metric_title("over_edit_ratio"), metric_title("edit_accuracy")
    ('mIoU (%)', 'Over-editing (ratio)', 'Edit accuracy (%)')
    >>> metric_title(MetricName("vq", "Quality", low=1, high=5))
    'Quality (1–5)'
    >>> metric_title(MetricName("psnr", "Consistency", unit="dB"))
    'Consistency (dB)'
    """
    name = metric_name(metric)
    if isinstance(metric, MetricName):
        return f"{name} ({metric.unit or f'{metric.low:g}–{metric.high:g}'})"
    if metric.endswith("_accuracy"):
        name = f"{name} accuracy"
    return f"{name} (ratio)" if metric.endswith("_ratio") else f"{name} (%)"


def metric_note(metric: str) -> str | None:
    """What a metric is, in a sentence; None where nobody said."""
    if metric.startswith(RECOVERY):
        return "How far this effect went from input to answer, in linear light."
    return (metric.note or None) if isinstance(metric, MetricName) else METRIC_NOTES.get(metric)


def decimals(metric: str) -> int:
    """How many decimals its figures have: one, ratios two, and measures as their protocol says.

    >>> decimals("miou"), decimals("over_edit_ratio")
    (1, 2)
    """
    return metric.decimals if isinstance(metric, MetricName) else 2 if metric.endswith("_ratio") else 1


def ends(metric: str, full: float = 100.0) -> tuple[float, float]:
    """The ends of the scale that its figures are drawn on.

    >>> ends("miou"), ends("over_edit_ratio", 3.0), ends(MetricName("vq", "Quality", low=1, high=5)), ends("gap")
    ((0.0, 100.0), (0.0, 3.0), (1, 5), (-100.0, 100.0))
    """
    if metric in ("gap", "gain_gap"):
        return -full, full
    return (metric.low, metric.high) if isinstance(metric, MetricName) else (0.0, full)


def failure(mode: str) -> Failure:
    """A failure mode in words, known or not."""
    return FAILURES.get(mode) or JUDGED.get(mode) or Failure(plain(mode), "")


def failure_order(modes: Iterable[str]) -> list[str]:
    """Known modes from best to worst, then the others by name.

    >>> failure_order(["no_output", "strange", "success"])
    ['success', 'no_output', 'strange']
    """
    present = set(modes)
    known = {"ok": None, **dict.fromkeys(FAILURES), **dict.fromkeys(JUDGED)}
    return [mode for mode in known if mode in present] + sorted(present - known.keys())


def plain(name: str) -> str:
    """A name from the data as words.

    >>> plain("geometric_transformation"), plain("n_med")
    ('Geometric transformation', 'n medium')
    """
    if name in VALUES:
        return VALUES[name]
    words = name.replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def value(number: float | None, metric: str = "") -> str:
    """A value with one decimal, ratios with two; a dash where there is none.

    >>> value(12.345), value(1.0, "over_edit_ratio"), value(None)
    ('12.3', '1.00', '–')
    """
    if number is None:
        return "–"
    return f"{number:.{decimals(metric)}f}"


def signed(number: float, metric: str = "") -> str:
    """A difference with its sign, and none before one that looks like nothing.

    >>> signed(-1.26), signed(3.0), signed(-0.04), signed(0.5, "over_edit_ratio")
    ('−1.3', '+3.0', '0.0', '+0.50')
    """
    text = f"{number:+.{decimals(metric)}f}"
    return text.replace("-", "−") if text.strip("+-0.") else text.lstrip("+-")


def p_value(p: float, *, compact: bool = False) -> str:
    """A p-value as tables write it; ``compact`` is for a terminal, where columns are narrow.

    >>> p_value(0.0004), p_value(0.0312), p_value(1.0)
    ('< 0.001', '0.031', '1.000')
    >>> p_value(0.0004, compact=True), p_value(0.0312, compact=True), p_value(1.0, compact=True)
    ('<0.001', '0.031', '1')
    """
    if p < 0.001:
        return "<0.001" if compact else "< 0.001"
    return "1" if compact and p >= 0.9995 else f"{p:.3f}"


def interval(cell: Mapping[str, Any], metric: str = "") -> str:
    """An interval as text; one without width comes from cases that are all alike, or too few.

    >>> interval({"mean": 12.4, "lo": 11.84, "hi": 13.0}), interval({"mean": 100.0, "lo": 100.0, "hi": 100.0})
    ('11.8 – 13.0', 'no spread')
    >>> interval({"mean": 12.4, "lo": None, "hi": None, "n": 3, "few_cases": 3})
    'n = 3'
    """
    if cell.get("lo") is None:
        return f"n = {cell['n']:,}" if cell.get("n") else "–"
    if cell.get("lo") == cell.get("hi"):
        return "no spread"
    return f"{value(cell.get('lo'), metric)} – {value(cell.get('hi'), metric)}"


def listed(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> listed(["a"]), listed(["a", "b", "c"]), listed([])
    ('a', 'a, b and c', '')
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def count(number: int, noun: str) -> str:
    """A number of things.

    >>> count(1, "case"), count(1920, "case")
    ('1 case', '1,920 cases')
    """
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def part_of_cases(selection: Mapping[str, Any]) -> str:
    """How many cases a run has, and of how many where it is on a part of its suite; ``selection`` is from run.json.

    Runs of version 0.1 do not say how many cases their suite had.

    >>> part_of_cases({"n": 40, "of": 1920}), part_of_cases({"n": 1920, "of": 1920})
    ('40 of 1,920 cases', '1,920 cases')
    >>> part_of_cases({"n": 40, "limit": 40}), part_of_cases({"n": 1})
    ('40 cases, a part of the suite', '1 case')
    """
    n, of = int(selection["n"]), selection.get("of")
    if of is not None:
        return f"{n:,} of {count(of, 'case')}" if n < of else count(n, "case")
    part = bool(selection.get("where")) or selection.get("limit") == n
    return count(n, "case") + (", a part of the suite" if part else "")


def parts_of_cases(selections: Sequence[Mapping[str, Any]]) -> str:
    """How many cases several runs have, the smallest and the largest where they differ.

    >>> parts_of_cases([{"n": 120, "of": 1920}, {"n": 40, "of": 1920}]), parts_of_cases([{"n": 40, "of": 1920}] * 2)
    ('40 to 120 of 1,920 cases', '40 of 1,920 cases')
    """
    smallest, largest = (pick(selections, key=lambda selection: int(selection["n"])) for pick in (min, max))
    words = part_of_cases(largest)
    return words if int(smallest["n"]) == int(largest["n"]) else f"{int(smallest['n']):,} to {words}"


def trained_note(info: Mapping[str, Any]) -> str:
    """What stands beside the score of an editor that was trained on problems like those of its run; else "".

    >>> trained_note({"suite": {"name": "paintbench"}, "editor": {"trained_on": "paintbench"}})
    'trained on this distribution'
    >>> trained_note({"suite": {"name": "paintbench"}, "editor": {"trained_on": "paintbench without striped"}})
    'trained on this distribution without striped'
    """
    benchmark, without, held_out = str(info["editor"].get("trained_on", "")).partition(" without ")
    return f"trained on this distribution{without}{held_out}" if benchmark == info["suite"]["name"] else ""


def part_note(selection: Mapping[str, Any], pending: int = 0) -> str:
    """What must stand beside the figures of a run: that it is on a part of its suite, or how much of it is done.

    ``pending`` cases have no score yet. Nothing for a run that is done and on the whole suite.

    >>> part_note({"n": 40, "of": 1920}), part_note({"n": 1920, "of": 1920})
    ('40 of 1,920 cases', '')
    >>> part_note({"n": 60, "of": 1920}, pending=44), part_note({"n": 1920, "of": 1920}, pending=420)
    ('16 of 60 chosen cases so far', '1,500 of 1,920 cases so far')
    """
    n = int(selection["n"])
    if pending:
        chosen = "" if part_of_cases(selection) == count(n, "case") else "chosen "
        return f"{n - pending:,} of {n:,} {chosen}case{'' if n == 1 else 's'} so far"
    words = part_of_cases(selection)
    return "" if words == count(int(selection["n"]), "case") else words


def metric_in_text(metric: str) -> str:
    """A metric within a sentence or a line of text.

    >>> metric_in_text("miou"), metric_in_text("edit_accuracy")
    ('mIoU', 'edit accuracy')
    """
    return METRICS[metric] if metric in METRICS and "iou" in metric else metric.replace("_", " ")


def short_scale(metric: str) -> MetricName:
    """A measure whose scale is short, such as 1 to 5, so that its figures need two decimals.

    >>> value(3.25, short_scale("average"))
    '3.25'
    """
    return MetricName(metric, plain(metric), decimals=2)


def signed_range(lo: float | None, hi: float | None, metric: str = "") -> str:
    """The interval of a difference, both ends with their signs; "" where there is none, or it has no width.

    >>> signed_range(-1.26, 3.0), signed_range(2.0, 2.0), signed_range(None, None)
    ('−1.3 … +3.0', '', '')
    """
    return f"{signed(lo, metric)} … {signed(hi, metric)}" if lo is not None and hi is not None and hi > lo else ""


def half_width(cell: Mapping[str, Any], decimals: int = 1) -> str:
    """Half of an interval after ±; "" where there is none, or it has no width and would claim certainty.

    >>> half_width({"lo": 11.8, "hi": 13.0}), half_width({"lo": None, "hi": None}), half_width({"lo": 5.0, "hi": 5.0})
    (' ± 0.6', '', '')
    """
    lo, hi = cell.get("lo"), cell.get("hi")
    return f" ± {(hi - lo) / 2:.{decimals}f}" if lo is not None and hi is not None and hi > lo else ""


def other_size(n: int, outputs: int, sizes: str = "") -> str:
    """Outputs that came in another size, for a sentence; ``sizes`` names some of them.

    >>> other_size(1, 40, "512×512")
    '1 output of 40 came in another size than asked (512×512) and was fitted to the answer before scoring'
    """
    some, were = ("output", "was") if n == 1 else ("outputs", "were")
    named = f" ({sizes})" if sizes else ""
    return (
        f"{n:,} {some} of {outputs:,} came in another size than asked{named} and {were} fitted to the answer before "
        "scoring"
    )


def share_in_words(share: float) -> str:
    """A share in percent; what would be rounded to nothing is "under 1 %".

    >>> share_in_words(0.0), share_in_words(0.0004), share_in_words(0.123)
    ('0 %', 'under 1 %', '12 %')
    """
    return "under 1 %" if 0 < share < 0.01 else f"{100 * share:.0f} %"

"""Composition of a suite: categories and tasks as rings, conditions and sizes of edit regions beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from editscope.cases import Aggregation
from editscope.report.paper_figures.registry import FigureContext, NothingToDraw, axis_label, figure
from editscope.report.paper_figures.style import COLORS, INK, SOFT, WIDTHS, Axes, Figure, plain_axes, two_lines
from editscope.stats.diagnosis import by_region_size
from editscope.wording import count, plain

RING, LINES = 13, 12
"""Characters that fit across the outer ring, and degrees of a slice that has room for two lines of them."""
TITLE, BAR, LABELS = 0.34, 0.17, 0.95
"""Inches: above a list of bars, for each bar, and for the labels at their left, at least."""


@figure("composition", "What the set consists of: categories and tasks, conditions, and sizes of the edit regions.")
def composition(context: FigureContext) -> Figure:
    """Rings of categories and tasks with numbers of cases; bars of the other tags.

    A case counts once, however many edits it has: repeats, levels, languages and paths are no cases.
    """
    view = max(context.runs, key=lambda size: len(context.cases_of(size)))
    cases = list(context.cases_of(view).values())
    rows = context.averaged(view, by_case=True)
    sizes: list[tuple[str, int]] = []
    if "edit_pixels" in rows:
        sizes = [(size.label, size.n) for size in by_region_size(rows, resamples=1) if size.n]
    return drawn_composition(cases, context.sheet.aggregation, context.groups, context.width, sizes)


def drawn_composition(
    cases: Sequence[Mapping[str, str]],
    aggregation: Aggregation,
    groups: Sequence[str],
    width: str,
    sizes: Sequence[tuple[str, int]] = (),
) -> Figure:
    """The same from the tags of cases: ``groups`` are the names of those that the rings show."""
    tags = {g.name: g.by[0] for g in aggregation.groups if len(g.by) == 1}
    known = {name: tag for name, tag in tags.items() if all(tag in case for case in cases)}
    if not cases or not known:
        raise NothingToDraw("the cases of this set have no categories")
    rings_of = [known[name] for name in groups if name in known] or [_first_in_words(known.values(), cases)]
    bars = [(plain(name), Counter(c[tag] for c in cases)) for name, tag in known.items() if tag not in rings_of]
    orders = aggregation.orders
    panels = [(title, list(counts.items())) for title, counts in bars if len(counts) > 1]
    panels += [("Edit region (pixels)", list(sizes))] if sizes else []
    panels = [(title, [(key if key[:1].isdigit() else plain(key), n) for key, n in items]) for title, items in panels]
    longest = max((len(label) for _, items in panels for label, _ in items), default=0)
    drawing, rings, others = _places(width, [len(items) for _, items in panels], max(LABELS, 0.062 * longest))
    pairs = [(c[rings_of[0]], c[rings_of[1]] if len(rings_of) > 1 else "") for c in cases]
    _rings(rings, pairs, orders.get(rings_of[0], ()))
    for axes, (title, items) in zip(others, panels, strict=True):
        _bars(axes, title, items)
    return drawing


def _first_in_words(tags: Iterable[str], cases: Sequence[Mapping[str, str]]) -> str:
    """The first tag whose values are words, or the first at all: a ring of numbers says little."""
    names = list(tags)
    return next((tag for tag in names if not all(case[tag].isdigit() for case in cases)), names[0])


def _places(column: str, lengths: Sequence[int], labels: float) -> tuple[Figure, Axes, list[Axes]]:
    """The figure, the square of the rings, and a frame for each list of bars: beside it, or below it."""
    from matplotlib.figure import Figure as Empty

    inches, wide = WIDTHS[column], column == "double"
    side = 3.6 if wide and lengths else min(2.6, inches) if not lengths else inches
    heights = [TITLE + BAR * length for length in lengths]
    beside = wide and bool(lengths)
    total = max(side, sum(heights)) if beside else side + sum(heights)
    width = inches if beside else side
    drawing = Empty(figsize=(width, total))
    rings = drawing.add_axes((0, (total - side) / total, side / width, side / total))
    left = side if beside else 0.0
    top = (total + sum(heights)) / 2 if beside else sum(heights)
    frames = []
    for height in heights:
        bottom = top - height
        box = (left + labels, bottom + 0.05, width - left - labels - 0.1, height - TITLE)
        frames.append(drawing.add_axes((box[0] / width, box[1] / total, box[2] / width, box[3] / total)))
        top = bottom
    return drawing, rings, frames


def _rings(axes: Axes, pairs: Sequence[tuple[str, str]], first: Sequence[str]) -> None:
    """Categories inside, ``first`` ones first, their tasks outside, each with its number of cases."""
    order = list(dict.fromkeys([*first, *(pair[0] for pair in pairs)]))
    counts = Counter(pairs)
    inside = [(key, sum(n for (o, _), n in counts.items() if o == key)) for key in order]
    inside = [(key, n) for key, n in inside if n]
    axes.set_aspect("equal")
    total, start = sum(n for _, n in inside), 90.0
    for place, (key, n) in enumerate(inside):
        color = COLORS[place % len(COLORS)]
        _slice(axes, start, 360 * n / total, 0.31, 0.62, color, 1.0)
        _ring_text(axes, start - 180 * n / total, 0.475, two_lines(axis_label(key)), f"{n:,}", "white", turn=False)
        at = start
        members = [(task, m) for (o, task), m in counts.items() if o == key and task]
        for number, (task, m) in enumerate(members):
            span = 360 * m / total
            _slice(axes, at, span, 0.63, 1.0, color, 0.26 if number % 2 else 0.36)
            label = axis_label(task, key)
            if len(label) > RING and span > LINES:
                label = two_lines(label)
            _ring_text(axes, at - span / 2, 0.815, label, "", INK, turn=True)
            at -= span
        start -= 360 * n / total
    axes.text(0, 0.03, count(total, "case").replace(" ", "\n"), ha="center", va="center", fontsize=9, fontweight="bold")
    reach = 1.02 if any(task for _, task in pairs) else 0.65  # one ring alone fills the frame
    axes.set(xlim=(-reach, reach), ylim=(-reach, reach))
    axes.axis("off")


def _slice(axes: Axes, start: float, span: float, low: float, high: float, color: str, alpha: float) -> None:
    from matplotlib.patches import Wedge

    axes.add_patch(
        Wedge((0, 0), high, start - span, start, width=high - low, facecolor=color, alpha=alpha, edgecolor="none")
    )
    axes.add_patch(
        Wedge((0, 0), high, start - span, start, width=high - low, fill=False, edgecolor="white", linewidth=0.8)
    )


def _ring_text(axes: Axes, angle: float, radius: float, label: str, number: str, color: str, *, turn: bool) -> None:
    import math

    x, y = radius * math.cos(math.radians(angle)), radius * math.sin(math.radians(angle))
    if turn:
        flat = angle % 360
        rotation = flat - 180 if 90 < flat < 270 else flat
        axes.text(x, y, label, ha="center", va="center", rotation=rotation, fontsize=5.2, color=color)
    else:
        text = f"{label}\n{number}" if number else label
        axes.text(x, y, text, ha="center", va="center", fontsize=5.4, color=color, fontweight="bold", linespacing=1.05)


def _bars(axes: Axes, title: str, items: Sequence[tuple[str, int]]) -> None:
    axes.barh(range(len(items)), [n for _, n in items], 0.72, color="#AFC3D6")
    for place, (_, n) in enumerate(items):
        axes.text(n, place, f" {n:,}", va="center_baseline", ha="left", fontsize=5.8, color=SOFT)
    axes.set_yticks(range(len(items)), [label for label, _ in items])
    axes.set_title(title, loc="left")
    axes.set(ylim=(len(items) - 0.45, -0.55))
    axes.set_xlim(0, 1.15 * max(n for _, n in items))
    axes.tick_params(axis="y", length=0)
    axes.set_xticks([])
    plain_axes(axes, grid="")
    axes.spines["bottom"].set_visible(False)

"""Claims about drawing: every shortcut gives the pixels of plain Matplotlib, whatever its settings, in flat memory."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import string
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import get_font
from matplotlib.patches import Rectangle
from matplotlib.transforms import IdentityTransform

from drills import counts
from editscope.images import Pixels
from editscope.suites.tinygrafix import lettering as letters
from editscope.suites.tinygrafix.canvas import DPI, HEIGHT, WIDTH, Canvas, plain_settings, the_canvas
from editscope.suites.tinygrafix.catalog import CHARTS
from editscope.suites.tinygrafix.lettering import Label, font, lettering
from editscope.suites.tinygrafix.make import ChartProblem, as_json, draw, make, plan
from editscope.suites.tinygrafix.slots import ChartSlot
from support.tinygrafix_measures import without_faint_rims

TASKS = [(chart, task) for chart, tasks in CHARTS.items() for task in tasks]
SIZES = (7.5, 9.0, 10.0, 11.0, 14.0, 18.0)
PLAIN = string.ascii_letters + string.digits + " .-"
COLORS = st.integers(0, 0xFFFFFF).map("#{:06X}".format)
WORDS = st.text(PLAIN, min_size=1, max_size=24) | st.text(string.printable[:95] + "−×°éß", min_size=1, max_size=12)


def plain_picture(figure: Figure, artists: Iterable[Artist]) -> Pixels:
    """The artists as Matplotlib draws a figure, in the order given; every label as its Text."""
    for order, artist in enumerate(artists):
        if isinstance(artist, Label):
            artist = artist.plain()
            artist.set_transform(IdentityTransform())
        artist.set_zorder(order)
        figure.add_artist(artist)
    agg: Any = FigureCanvasAgg(figure)
    agg.draw()
    return np.asarray(agg.buffer_rgba())[..., :3].copy()


def new_figure() -> Figure:
    return Figure(figsize=(WIDTH / DPI, HEIGHT / DPI), dpi=DPI)


def pictures(slot: ChartSlot, namespace: str = "tinygrafixbench") -> tuple[Pixels, Pixels]:
    made = make(slot, namespace)
    assert isinstance(made.input, np.ndarray) and isinstance(made.answer, np.ndarray)
    return made.input, made.answer


def ours(canvas: Canvas, label: Label, ground: str) -> Pixels:
    return canvas.draw([canvas.ground(ground), canvas._own(label, flip=False)])


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(
    text=WORDS,
    size=st.sampled_from(SIZES),
    turn=st.sampled_from((0, 90)),
    x=st.integers(-30, WIDTH + 10),
    y=st.integers(-10, HEIGHT + 30),
    color=COLORS,
    ground=COLORS,
)
def test_words_have_the_pixels_of_a_plain_text(
    text: str, size: float, turn: int, x: int, y: int, color: str, ground: str
) -> None:
    label = Label(x, y, text, color, size, turn)
    with plain_settings():
        expected = plain_picture(new_figure(), [Rectangle((0, 0), WIDTH, HEIGHT, color=ground, lw=0), label])
    assert np.array_equal(ours(the_canvas(), Label(x, y, text, color, size, turn), ground), expected)


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(text=WORDS, size=st.sampled_from(SIZES))
def test_words_measure_what_matplotlib_measures(text: str, size: float) -> None:
    canvas = the_canvas()
    with plain_settings():
        width, height, descent = canvas.renderer.get_text_width_height_descent(text, font(size), False)
    assert lettering(size).measure(text) == (width, height - descent, descent)
    assert canvas.text_size(text, size) == (width, height)


@pytest.mark.slow
@pytest.mark.parametrize("size", [9.0, 11.0, 14.0, 18.0])
def test_every_pair_of_letters_stands_where_matplotlib_puts_it(size: float) -> None:
    face: Any = get_font([letters.font_file()])
    for char in PLAIN:
        text = "".join(char + other for other in PLAIN)
        for joined in ("ff", "fi", "fl"):
            text = text.replace(joined, "")
        found = list(lettering(size)._placed(text))
        face.clear()
        face.set_size(size, DPI)
        assert found == [(item.glyph_index, item.x) for item in face._layout(text, letters.HINTING)]


def test_letters_joined_or_unknown_take_the_long_way() -> None:
    one = lettering(9.0)
    assert len(list(one._placed("office"))) == 4
    with pytest.raises(ValueError, match="lacks"):
        list(one._placed("図"))


def test_a_matplotlib_that_does_not_render_single_letters_gives_the_same_picture(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    quick = pictures(ChartSlot("bar_chart", "sort_bars", 5))
    monkeypatch.setattr(letters, "KEEPS", False)
    letters.lettering.cache_clear()
    plain = pictures(ChartSlot("bar_chart", "sort_bars", 5))
    letters.lettering.cache_clear()
    assert np.array_equal(quick, plain)


def ink(text: str, **how: Any) -> tuple[int, int, int, int]:
    """Left, top, right, bottom of what a text at (400, 300) covers."""
    canvas = the_canvas()
    picture = canvas.draw([canvas.ground("#FFFFFF"), canvas.text(400, 300, text, "#000000", 12.0, **how)])
    rows, columns = np.nonzero((picture < 128).any(axis=2))
    return int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1


def test_words_stand_where_they_are_asked_to() -> None:
    left, top, right, bottom = ink("H0H", across="left", along="baseline")
    assert 400 <= left <= 403 and bottom == 300
    left, top, right, bottom = ink("H0H", across="right", along="top")
    assert 397 <= right <= 400 and 300 <= top <= 303
    left, top, right, bottom = ink("H0H", along="middle")
    assert abs(left + right - 800) <= 2 and abs(top + bottom - 600) <= 2
    left, top, right, bottom = ink("Hgd", across="left", along="bottom")
    assert 297 <= bottom <= 300
    left, top, right, bottom = ink("H0H", across="right", along="center", turn=90.0)
    assert 390 <= right <= 400 and abs(top + bottom - 600) <= 2
    left, top, right, bottom = ink("H0H", across="left", along="bottom", turn=90.0)
    assert 400 <= left <= 403 and 297 <= bottom <= 300


def test_a_label_that_leans_is_refused() -> None:
    with pytest.raises(ValueError, match="0 or 90"):
        the_canvas().text(10, 10, "leaning", "#000000", turn=45.0)


def as_promised(drawn: ChartProblem, one: Pixels, two: Pixels) -> tuple[Pixels, Pixels]:
    """Both pictures of a problem from those of its states: without faint rims where a chart has thin edits."""
    if drawn.chart.UNSEEN:
        return without_faint_rims(one, two, drawn.change.before.theme.background)
    return one, two


@pytest.mark.slow
@pytest.mark.parametrize(("chart", "task"), TASKS)
def test_problems_have_the_pixels_of_plain_figures(chart: str, task: str) -> None:
    for slot in range(2):
        with plain_settings():
            canvas = Canvas()
            drawn, *pair = draw(ChartSlot(chart, task, slot), "plain", canvas)
            plain = []
            for state in (drawn.change.before, drawn.change.after):
                canvas = Canvas()
                artists = [*drawn.chart.shared(canvas, state), *drawn.chart.content(canvas, state)]
                plain.append(plain_picture(canvas.figure, artists))
        assert np.array_equal(pair, as_promised(drawn, *plain))


@pytest.mark.slow
@pytest.mark.drill
@pytest.mark.parametrize(("chart", "task"), TASKS)
def test_a_pair_over_a_kept_ground_equals_two_pictures_drawn_anew(chart: str, task: str) -> None:
    canvas = the_canvas()
    for slot in range(counts.times(usual=2, full=8)):
        pair = pictures(ChartSlot(chart, task, slot), "anew")
        with plain_settings():
            drawn, *_ = draw(ChartSlot(chart, task, slot), "anew", canvas)
            anew = [
                canvas.draw(drawn.chart.shared(canvas, state), drawn.chart.content(canvas, state))
                for state in (drawn.change.before, drawn.change.after)
            ]
        assert np.array_equal(pair, as_promised(drawn, *anew))


@pytest.mark.parametrize(("chart", "task"), TASKS)
def test_states_are_written_as_asdict_writes_them(chart: str, task: str) -> None:
    for slot in range(5):
        change = plan(ChartSlot(chart, task, slot), "json", the_canvas()).change
        for state in (change.before, change.after):
            assert json.dumps(as_json(state), allow_nan=False) == json.dumps(asdict(state))


def label_boxes(drawn: ChartProblem, canvas: Canvas) -> list[tuple[float, float, float, float]]:
    """Left, bottom, right, top of every text of both pictures, as Matplotlib itself measures it."""
    boxes = set()
    for state in (drawn.change.before, drawn.change.after):
        for artist in (*drawn.chart.shared(canvas, state), *drawn.chart.content(canvas, state)):
            if isinstance(artist, Label):
                text = artist.plain()
                text.set_figure(canvas.figure)
                x0, y0, x1, y1 = text.get_window_extent(canvas.renderer).extents
                boxes.add((artist.text, (x0, y0, x1, y1)))
    return [box for _, box in boxes]


@pytest.mark.slow
@pytest.mark.drill
@pytest.mark.parametrize(("chart", "task"), TASKS)
def test_texts_stay_in_the_picture_and_clear_of_each_other_and_of_the_plot_area(chart: str, task: str) -> None:
    canvas = the_canvas()
    with plain_settings():
        for slot in range(counts.times(usual=6, full=40)):
            drawn = plan(ChartSlot(chart, task, slot), "texts", canvas)
            boxes = label_boxes(drawn, canvas)
            assert len(boxes) >= 5
            for x0, y0, x1, y1 in boxes:
                assert x0 >= 0 and y0 >= 0 and x1 <= WIDTH and y1 <= HEIGHT
            axes = getattr(drawn.change.before, "axes", None)
            plot = [(axes.left, HEIGHT - axes.bottom, axes.right, HEIGHT - axes.top)] if axes else []
            for one, two in itertools.combinations([*boxes, *plot], 2):
                if task == "sort_bars" and one[1] == two[1]:
                    continue  # labels that change places lie where others lay
                assert max(one[0] - two[2], two[0] - one[2], one[1] - two[3], two[1] - one[3]) > 2


ODD: dict[Any, Any] = {
    "agg.path.chunksize": 101,
    "axes.autolimit_mode": "round_numbers",
    "figure.dpi": 50,
    "figure.facecolor": "red",
    "font.family": ["serif"],
    "font.size": 23,
    "lines.antialiased": False,
    "lines.linewidth": 9,
    "lines.dash_capstyle": "projecting",
    "patch.antialiased": False,
    "patch.force_edgecolor": True,
    "patch.linewidth": 7,
    "path.simplify": False,
    "path.snap": False,
    "savefig.dpi": 30,
    "text.antialiased": False,
    "text.hinting": "none",
}

CHILD = """
import hashlib, sys
from editscope.suites.tinygrafix.catalog import CHARTS
from editscope.suites.tinygrafix.make import make
from editscope.suites.tinygrafix.slots import ChartSlot
for chart, tasks in CHARTS.items():
    for task in tasks:
        made = make(ChartSlot(chart, task, 7))
        print(chart, task, hashlib.sha256(made.input.tobytes() + made.answer.tobytes()).hexdigest())
"""


def digest(slot: ChartSlot) -> str:
    return hashlib.sha256(b"".join(picture.tobytes() for picture in pictures(slot))).hexdigest()


def digests() -> list[str]:
    return [f"{chart} {task} {digest(ChartSlot(chart, task, 7))}" for chart, task in TASKS]


@pytest.mark.slow
def test_a_users_settings_change_no_picture_and_stay_as_they_were() -> None:
    expected = digests()
    letters.lettering.cache_clear()
    with matplotlib.rc_context(ODD):
        before = dict(matplotlib.rcParams)
        assert digests() == expected
        assert dict(matplotlib.rcParams) == before


@pytest.mark.slow
def test_another_process_with_another_matplotlibrc_draws_the_same_bytes(tmp_path: Path) -> None:
    rows = (f"{key}: {','.join(value) if isinstance(value, list) else value}" for key, value in ODD.items())
    (tmp_path / "matplotlibrc").write_text("\n".join(rows) + "\n")
    environment = {**os.environ, "MATPLOTLIBRC": str(tmp_path / "matplotlibrc"), "PYTHONHASHSEED": "77"}
    done = subprocess.run(
        [sys.executable, "-c", CHILD], env=environment, check=True, capture_output=True, text=True, timeout=600
    )
    assert done.stdout.splitlines() == digests()


GROWTH = """
import resource
from editscope.suites.tinygrafix.catalog import CHARTS
from editscope.suites.tinygrafix.make import make
from editscope.suites.tinygrafix.slots import ChartSlot
tasks = [(chart, task) for chart in CHARTS for task in CHARTS[chart]]
for number in range(300):
    make(ChartSlot(*tasks[number % 20], number // 20))
    if number in (99, 299):
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.slow
def test_memory_is_flat_over_hundreds_of_problems() -> None:
    done = subprocess.run([sys.executable, "-c", GROWTH], check=True, capture_output=True, text=True, timeout=600)
    after_100, after_300 = map(int, done.stdout.split())
    # Two hundred pairs of pictures would be five times as much as all that was there before.
    assert after_300 < 1.05 * after_100

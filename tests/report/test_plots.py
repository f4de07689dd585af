"""Claims about the plots of a report: as data, as drawings, and alive in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Browser, Page, expect

import editscope
from editscope.report import write
from editscope.report.html.markup import json_for_script
from editscope.report.html.plots import (
    Bars,
    BarSeries,
    Dots,
    Heat,
    Line,
    LinePlot,
    Mark,
    Point,
    Radar,
    Scatter,
    Stack,
    Stacks,
    Violin,
    Violins,
)
from editscope.report.html.plots.scatter import NARROW, _boxes, _overlap
from support.reports.render_report import draw_all

pytestmark = pytest.mark.slow

NAME = "<b>A</b> & co"

PLOTS = [
    Dots([NAME, "two"], [(0, NAME, [Point(1.0, 0.5, 2.0, NAME, "task=a"), None])], "points", lines=[(0.0, None)]),
    LinePlot(["0", "1"], [Line(9, NAME, [1.0, None], [0.5, None], [2.0, None], tooltip=[NAME, ""])], "x", "y"),
    LinePlot(["0", "1"], [Line(1, NAME, [0.5, 900.0])], "x", "y", log=True, marks=True),
    Radar(["one", NAME, "three"], [(2, NAME, [10.0, None, 30.0], ["a=1", "b=2", "c=3"])]),
    Scatter([Mark(1.0, 2.0, NAME, NAME), Mark(2.0, 3.0, "two", "two", 3)], "x", "y", [(1, 2, 1, 3), (2, 3, 2, 4)]),
    Violins([Violin(0, NAME, [0.0, 50.0, 100.0])], "mIoU"),
]


@pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: type(plot).__name__)
def test_a_plot_has_a_drawing_and_data_and_names_from_outside_are_text_in_both(plot: Dots) -> None:
    data = json.loads(json_for_script([plot.traces(), plot.layout()]))
    assert "<b>A" not in json.dumps(data).replace("\\u003c", "<")
    drawn = plot.svg("A plot")
    assert drawn.startswith("<svg")
    assert "<b>" not in drawn
    assert "nan" not in drawn.lower().replace("nano", "")


def test_shares_of_a_bar_sum_to_all_and_each_leads_to_its_cases() -> None:
    plot = Stacks(
        ["success", "no_output"],
        [
            ("A", [Stack("border", [3, 1], ["task=border&failure=success", "task=border&failure=no_output"])]),
            ("B", [Stack("border", [0, 4], ["x=1", "x=2"])]),
        ],
    )
    shares = [trace["x"][0] for trace in plot.traces()]
    assert shares == [75.0, 25.0]
    choices = plot.choices("Show")
    assert choices is not None
    assert [patch["x"] for patch in choices.options[1][1]] == [[0.0], [100.0]]
    static = plot.static()
    assert re.findall(r'href="#cases\?([^"]+)"', static)[1] == "task=border&amp;failure=no_output"


def test_a_second_line_of_a_run_looks_unlike_its_first() -> None:
    lines = [Line(run, "best", [1.0, 2.0]) for run in range(4)] + [
        Line(run, "w", [1.0, 0.5], second=True) for run in range(4)
    ]
    plot = LinePlot(["1", "2"], lines, "k", "y")
    drawn = [trace["line"]["dash"] for trace in plot.traces()]
    assert all(first != second for first, second in zip(drawn[:4], drawn[4:], strict=True))
    assert str(plot.svg("both")).count("stroke-dasharray") == 4


def test_names_beside_intervals_stand_toward_the_middle_where_a_narrow_window_has_room() -> None:
    marks = [Mark(1.0, 10.0, "left", "", 0, lo=5.0, hi=15.0), Mark(9.0, 20.0, "right", "", 1, lo=15.0, hi=25.0)]
    assert Scatter(marks, "x", "y").label_places() == ["middle right", "middle left"]


def test_no_two_names_of_a_scatter_lie_over_each_other() -> None:
    marks = [Mark(10 + i % 3 * 0.4, 10 + i // 3 * 0.3, f"a model with a name {i}", "") for i in range(9)]
    marks.append(Mark(40.0, 40.0, "far away", "", 0))
    plot = Scatter(marks, "x", "y")
    places = plot.label_places(900, 300)
    assert places[-1] == "top center"
    assert 1 <= sum(map(bool, places[:-1])) < 9  # some have room, not all
    xs, ys = [m.x for m in marks], [m.y for m in marks]
    room = [0.08 * (max(v) - min(v)) for v in (xs, ys)]

    def box(i: int) -> tuple[float, float, float, float]:
        x = 900 * (xs[i] - min(xs) + room[0]) / (max(xs) - min(xs) + 2 * room[0])
        y = 300 * (max(ys) + room[1] - ys[i]) / (max(ys) - min(ys) + 2 * room[1])
        return _boxes(x, y, 6.0 * len(marks[i].name))[places[i]]

    boxes = [box(i) for i in range(len(marks)) if places[i]]
    assert not any(_overlap(a, b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_names_have_room_in_the_window_of_a_phone_too() -> None:
    marks = [Mark(float(i), float(i % 2), f"A model with a long name {i}", "") for i in range(8)]
    plot = Scatter(marks, "x", "y")
    trace, places = plot.traces()[-1], plot.label_places(*NARROW)
    assert trace["narrow"]["text"] == [mark.name if place else "" for mark, place in zip(marks, places, strict=True)]
    assert 0 < sum(map(bool, places)) < sum(map(bool, trace["text"]))


def test_an_axis_of_time_begins_at_nothing_and_one_of_things_has_no_halves() -> None:
    marks = [Mark(12.0, 50.0, "one", "", 0), Mark(12.0, 60.0, "two", "", 1)]
    assert Scatter(marks, "ms", "y", x_zero=True).layout()["xaxis"]["range"] == [0.0, 12.96]
    bars = Bars(["a"], [BarSeries(0, 0, "cases", [Point(3.0, None, None, "")])], "cases", (0.0, 3.15), whole=True)
    assert bars.layout()["xaxis"]["tickvals"] == [0.0, 1.0, 2.0, 3.0]
    assert ">0.5<" not in bars.svg("Cases")


def test_text_on_a_colored_cell_can_be_read_on_light_and_dark_pages() -> None:
    cells = Heat("", ["a"], [(str(v), [v]) for v in (40.0, 60.0, 80.0)], 100.0).table("A")
    assert re.findall(r"<td[^>]*?(?:class=\"(\w+)\")?>", str(cells)) == ["", "mid", "strong"]


def test_a_cell_is_as_dark_as_its_value() -> None:
    heat = Heat("", ["A", "B"], [("row", [50.0, None])], 100.0, link=lambda i, j: "#cases?task=x").table("Title")
    assert "--heat:50%" in heat
    assert 'href="#cases?task=x"' in heat
    assert "–" in heat


# --- in a browser ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plots")
    suite = editscope.load_suite(
        "paintbench", tasks="border,removal", conditions="baseline,striped", per_cell=4, canvas="128x128"
    )
    runs = [
        editscope.run(suite, f"ref:{name}", out=folder / name, jobs=1, progress=False) for name in ("half", "drift")
    ]
    return write(runs, folder / "report.html", published=True)


@pytest.fixture
def page(browser: Browser, report: Path) -> Iterator[Page]:
    """The report, open; afterwards: nothing was asked for but the file, and nothing was complained about."""
    page = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme="light")
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(report.as_uri())
    page.wait_for_selector(".case", state="attached")
    yield page
    page.close()
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    assert said == []


def test_every_plot_is_drawn_under_the_policy_of_the_page(page: Page) -> None:
    assert page.evaluate("typeof Plotly") == "undefined"  # nothing is loaded that nobody looks at
    draw_all(page)
    figures = page.locator("figure.plot")
    assert figures.count() == page.locator("figure.plot.drawn").count() >= 9
    kinds = page.evaluate("[...document.querySelectorAll('.live')].flatMap((p) => p.data.map((t) => t.type))")
    assert set(kinds) == {"scatter", "bar", "violin", "scatterpolar"}
    assert page.evaluate(LINE_OF_TEXT) != "none"
    page.get_by_role("button", name="Switch to dark").click()
    ink = "getComputedStyle(document.documentElement).getPropertyValue('--ink').trim()"
    dark = page.evaluate(ink)
    assert page.evaluate("document.querySelector('.live').layout.font.color") == dark
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_click_on_a_bar_shows_its_cases(page: Page) -> None:
    figure = page.locator("figure.plot", has=page.get_by_text("Failure modes in detail"))
    draw_all(page.locator("section[id^=failures]"))
    bar = figure.locator(".live .bars path").filter(visible=True).first
    bar.scroll_into_view_if_needed()
    box = bar.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=4)
    figure.locator(".live .hoverlayer .hovertext").first.wait_for()  # Plotly counts a click only where it has hovered
    page.mouse.down()
    page.mouse.up()
    expect(page.locator("#cases .found")).to_contain_text(" of 16 cases")
    address = parse_qs(page.evaluate("location.hash").removeprefix("#cases?"))
    assert address["run"] == ["A"]
    shown = {str(case).partition("/")[0] for case in cards(page)}
    assert shown == set(address["task"])
    assert 0 < len(cards(page)) <= 8


LINE_OF_TEXT = """(() => {
  const line = document.createElementNS("http://www.w3.org/2000/svg", "tspan");
  line.setAttribute("class", "line");
  document.querySelector(".live text").append(line);
  const { fill } = getComputedStyle(line);
  line.remove();
  return fill;
})()"""
"""The color of a line of Plotly's text, which has a class that a line of ours has too."""


def cards(page: Page) -> list[str]:
    return page.locator(".case").evaluate_all("cards => cards.map(card => card.dataset.id)")  # type: ignore[no-any-return]


def test_one_choice_changes_all_three_curves(page: Page) -> None:
    section = page.locator("section[id^=curves]")
    draw_all(section)
    values = "plots => plots.map((plot) => plot.data[0].y[5])"
    before = section.locator(".live").evaluate_all(values)
    section.get_by_label("Cases").select_option(label="Task: Border")
    expect(section.locator(".live").first).to_be_visible()
    after = section.locator(".live").evaluate_all(values)
    assert len(before) == len(after) == 3
    assert before != after


def test_paper_gets_the_drawings_and_no_navigation(page: Page) -> None:
    section = page.locator("section[id^=curves]")
    draw_all(section)
    assert not section.locator(".static").first.is_visible()
    page.emulate_media(media="print")
    assert section.locator(".static svg").first.is_visible()
    assert not section.locator(".live").first.is_visible()
    assert not page.locator("header.top").is_visible()
    assert page.locator(".filters").is_hidden()


def test_a_jump_to_a_section_ends_there_although_plots_are_drawn_on_the_way(page: Page) -> None:
    page.locator("header.top").get_by_text("More", exact=True).click()
    page.locator("header.top").get_by_role("link", name="Scenes").click()
    section = page.locator("section[id^=conditions]")
    expect(section.locator("h2")).to_be_in_viewport()
    page.wait_for_timeout(1500)
    page.wait_for_function(
        "node => { const top = node.getBoundingClientRect().top; return 0 <= top && top <= 120; }",
        arg=section.element_handle(),
    )
    moved = "nodes => nodes.map((node) => node.getBoundingClientRect().height)"
    before = page.locator("figure.plot").evaluate_all(moved)
    draw_all(page)
    assert page.locator("figure.plot").evaluate_all(moved) == before

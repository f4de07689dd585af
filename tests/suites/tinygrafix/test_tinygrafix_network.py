"""Networks: what every seed promises, and that the pictures keep it."""

from __future__ import annotations

import json
import math
import re
from dataclasses import asdict
from functools import cache
from itertools import combinations
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pytest

from drills import counts
from editscope.images import Pixels
from editscope.suites.tinygrafix.axes import TICK_SIZE, TITLE_SIZE, TITLE_Y
from editscope.suites.tinygrafix.canvas import HEIGHT, WIDTH, plain_settings, the_canvas
from editscope.suites.tinygrafix.catalog import CHARTS
from editscope.suites.tinygrafix.change import Change
from editscope.suites.tinygrafix.charts import network
from editscope.suites.tinygrafix.charts.network import Network
from editscope.suites.tinygrafix.colors import rgb_of
from editscope.suites.tinygrafix.make import draw, plan
from editscope.suites.tinygrafix.slots import ChartSlot
from support.tinygrafix_measures import looks_like

pytestmark = [pytest.mark.slow, pytest.mark.drill]

Floats: TypeAlias = npt.NDArray[np.float64]

SEEDS, DRAWN = counts.times(usual=200, full=1_000), 25
TASKS = tuple(CHARTS["network"])
TO_XYZ = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))

every_task = pytest.mark.parametrize("task", TASKS)


@cache
def changes(task: str) -> list[Change[Network]]:
    with plain_settings():
        return [plan(ChartSlot("network", task, i), "rules", the_canvas()).change for i in range(SEEDS)]


@cache
def pictures(task: str) -> list[tuple[Change[Network], Pixels, Pixels]]:
    with plain_settings():
        drawn = [draw(ChartSlot("network", task, i), "rules", the_canvas()) for i in range(DRAWN)]
    return [(one.change, before, after) for one, before, after in drawn]


def full(task: str, change: Change[Network]) -> Network:
    """The side of a problem on which no node is missing."""
    return change.after if task == "add_node" else change.before


def places(state: Network) -> dict[str, int]:
    return {node.label: node.place for node in state.nodes if node.shown}


def edges(state: Network) -> set[frozenset[str]]:
    return {frozenset(edge) for edge in state.edges}


def chords(state: Network) -> set[frozenset[int]]:
    where = places(state)
    return {frozenset((where[a], where[b])) for a, b in state.edges}


def spots(state: Network) -> Floats:
    """The middle of every place, from the circle alone."""
    ring = state.ring
    angle = np.radians(ring.turn) + 2 * np.pi * np.arange(ring.places) / ring.places
    return np.stack([ring.x + ring.radius * np.cos(angle), ring.y - ring.radius * np.sin(angle)], axis=1)


def quoted(sentence: str) -> list[str]:
    return re.findall(r'"([A-Za-z ]+)"', sentence)


def lab(colors: list[str]) -> Floats:
    rgb = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in colors]) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    t = linear @ np.transpose(TO_XYZ) / (0.95047, 1.0, 1.08883)
    f = np.where(t > 216 / 24389, np.cbrt(t), (24389 / 27 * t + 16) / 116)
    return np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], axis=1)


# What every seed gives


@every_task
def test_the_graph_has_edges_and_lacks_some_and_stands_in_the_order_of_the_key(task: str) -> None:
    for change in changes(task):
        state = full(task, change)
        labels = {node.label for node in state.nodes}
        assert 5 <= len(labels) == len(state.nodes) <= 9
        if task != "swap_nodes":
            assert [node.place for node in state.nodes] == list(range(state.ring.places))
        assert state.ring.at(0) == (state.ring.x + state.ring.radius, state.ring.y), "three o'clock"
        assert all(" " not in label for label in labels)
        assert all(node.shown for node in state.nodes)
        assert len(edges(state)) == len(state.edges) < math.comb(len(labels), 2)
        assert all(len(edge) == 2 and edge <= labels for edge in edges(state))
        assert all(any(label not in edge for edge in edges(state)) for label in labels), "edges show their width"


@every_task
def test_any_two_colors_can_be_told_apart(task: str) -> None:
    for change in changes(task):
        theme = change.before.theme
        used = {node.color for state in (change.before, change.after) for node in state.nodes}
        table = lab([theme.background, theme.text, *sorted(used)])
        apart = np.linalg.norm(table[:, None] - table[None], axis=2) + 1000 * np.eye(len(table))
        assert apart.min() > 20


@every_task
def test_no_edge_passes_behind_a_third_node(task: str) -> None:
    for change in changes(task):
        for state in (change.before, change.after):
            points = spots(state)
            for one, two in map(sorted, chords(state)):
                a, b = points[one], points[two]
                rest = np.delete(points, [one, two], axis=0)
                along = np.clip((rest - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
                nearest = np.linalg.norm(rest - a - along[:, None] * (b - a), axis=1).min()
                assert nearest > state.disc + network.OUTLINE + network.EDGE_WIDTH + 10


@every_task
def test_words_fit_and_overlap_nothing(task: str) -> None:
    canvas = the_canvas()
    for change in changes(task):
        state = change.before
        labels = [node.label for node in state.nodes]
        assert len({label.lower() for label in labels}) == len(labels)
        left, top, right, bottom = state.key
        reach = state.disc + network.OUTLINE
        graph_left, graph_right = state.ring.x - state.ring.radius - reach, state.ring.x + state.ring.radius + reach
        assert 20 < graph_left < graph_right < left - 40 < right < WIDTH - 20
        assert state.ring.y + state.ring.radius + reach < HEIGHT - 20
        title_width, title_height = canvas.text_size(state.title, TITLE_SIZE)
        assert title_width <= WIDTH - 40
        assert TITLE_Y - title_height / 2 > 8
        assert TITLE_Y + title_height / 2 + 20 < min(top, state.ring.y - state.ring.radius - reach)
        words_left = left + network.KEY_PAD + network.SWATCH_WIDTH + network.SWATCH_GAP
        for label in labels:
            width, height = canvas.text_size(label, TICK_SIZE)
            assert words_left + width < right - 10
            assert height < network.KEY_PITCH
        assert len(labels) * network.KEY_PITCH <= bottom - top
        assert top > 0 and bottom < HEIGHT


@every_task
def test_title_circle_edges_of_the_rest_and_key_labels_never_change(task: str) -> None:
    for change in changes(task):
        before, after = change.before, change.after
        for name in ("theme", "title", "ring", "disc", "key"):
            assert getattr(before, name) == getattr(after, name)
        assert [node.label for node in before.nodes] == [node.label for node in after.nodes]
        named = set(change.details.get("labels", [change.details.get("label")]))
        still = [node for node in before.nodes if node.label not in named]
        assert still == [node for node in after.nodes if node.label not in named]
        assert {e for e in edges(before) if not e & named} == {e for e in edges(after) if not e & named}


def is_plain(value: object) -> bool:
    if isinstance(value, dict):
        return all(map(is_plain, value.values()))
    return all(map(is_plain, value)) if type(value) is tuple else type(value) in (str, int, float, bool)


@every_task
def test_states_are_plain_data(task: str) -> None:
    for change in changes(task)[:100]:
        assert is_plain(asdict(change.before)) and is_plain(asdict(change.after))
        json.dumps([asdict(change.before), asdict(change.after), change.details, change.touched], allow_nan=False)


# What each task promises


def test_the_added_node_fits_in_one_place_only() -> None:
    for change in changes("add_node"):
        places_left = sorted(places(change.before).values())
        count = change.before.ring.places
        assert len(places_left) == count - 1
        steps = [(b - a) % count for a, b in zip(places_left, places_left[1:] + places_left[:1], strict=True)]
        assert sorted(steps) == [1] * (count - 2) + [2]
        assert places(change.before).items() < places(change.after).items()
        assert sorted(places(change.after).values()) == list(range(count))


def test_the_added_node_is_connected_as_the_sentence_says() -> None:
    for change in changes("add_node"):
        label, *ends = quoted(change.instruction)
        assert places(change.after).keys() - places(change.before).keys() == {label}
        assert edges(change.after) - edges(change.before) == {frozenset((label, end)) for end in ends}
        assert edges(change.before) <= edges(change.after)
        assert len(set(ends)) == len(ends)
        assert ("It is connected to no other node." in change.instruction) == (not ends)


def test_the_sentence_leaves_the_color_of_an_added_node_to_the_key() -> None:
    for change in changes("add_node"):
        assert "#" not in change.instruction
        listed = {node.label: node.color for node in change.before.nodes}
        assert listed == {node.label: node.color for node in change.after.nodes}
        assert quoted(change.instruction)[0] in listed


@every_task
def test_nodes_without_edges_occur(task: str) -> None:
    alone = 0
    for change in changes(task):
        state = full(task, change)
        linked = {end for edge in state.edges for end in edge}
        named = change.details.get("labels", [change.details.get("label")])
        alone += any(label not in linked for label in named)
    assert 0.02 < alone / SEEDS < 0.25


def test_swapped_nodes_exchange_places_and_take_their_edges_along() -> None:
    for change in changes("swap_nodes"):
        one, two = quoted(change.instruction)
        before, after = places(change.before), places(change.after)
        assert (after[one], after[two]) == (before[two], before[one])
        assert {k: v for k, v in before.items() if k not in (one, two)} == {
            k: v for k, v in after.items() if k not in (one, two)
        }
        assert edges(change.before) == edges(change.after)
        assert [n.color for n in change.before.nodes] == [n.color for n in change.after.nodes]
        assert chords(change.before) != chords(change.after)


def test_a_removed_node_takes_its_own_edges_and_nothing_else() -> None:
    for change in changes("remove_node"):
        (label,) = quoted(change.instruction)
        assert {k: v for k, v in places(change.before).items() if k != label} == places(change.after)
        assert edges(change.after) == {edge for edge in edges(change.before) if label not in edge}
        key = [[(node.label, node.color) for node in state.nodes] for state in (change.before, change.after)]
        assert key[0] == key[1]


def test_a_recolored_node_has_the_color_of_the_sentence_and_the_rest_is_as_before() -> None:
    for change in changes("recolor_node"):
        (label,) = quoted(change.instruction)
        (color,) = re.findall("#[0-9A-F]{6}", change.instruction)
        for old, new in zip(change.before.nodes, change.after.nodes, strict=True):
            assert (new.label, new.place, new.shown) == (old.label, old.place, True)
            assert new.color == (color if old.label == label else old.color)
        assert change.before.edges == change.after.edges


# What the pictures show


def hex_at(picture: Pixels, x: float, y: float) -> str:
    return "#{:02X}{:02X}{:02X}".format(*picture[int(y), int(x)])


def key_of(picture: Pixels, state: Network) -> dict[str, str]:
    """Color to label, read from the middle of each row of the key."""
    left, top, _, bottom = state.key
    middle = (top + bottom) / 2
    rows = [middle + network.KEY_PITCH * (i - (len(state.nodes) - 1) / 2) for i in range(len(state.nodes))]
    x = left + network.KEY_PAD + network.SWATCH_WIDTH / 2
    return {hex_at(picture, x, y): node.label for y, node in zip(rows, state.nodes, strict=True)}


def graph_in(picture: Pixels, state: Network) -> tuple[dict[str, int], set[frozenset[int]]]:
    """Where each label stands and which places are connected, read from the pixels."""
    points, key = spots(state), key_of(picture, state)
    assert len(key) == len(state.nodes)
    colors = [hex_at(picture, *point) for point in points]
    assert all(color in key or color == state.theme.background for color in colors)
    found = {key[color]: place for place, color in enumerate(colors) if color in key}
    linked = set()
    for one, two in combinations(range(len(points)), 2):
        a, b = points[one], points[two]
        length = float(np.linalg.norm(b - a))
        skip = (state.disc + 4) / length
        columns, rows = (a + (b - a) * np.linspace(skip, 1 - skip, int(length / 4))[:, None]).astype(int).T
        if looks_like(picture[rows, columns], rgb_of(state.theme.text)).all():
            linked.add(frozenset((one, two)))
    return found, linked


@every_task
def test_the_pictures_show_the_graph_and_key_of_their_states(task: str) -> None:
    for change, *pair in pictures(task):
        for state, picture in zip((change.before, change.after), pair, strict=True):
            assert key_of(picture, state) == {node.color: node.label for node in state.nodes}
            assert graph_in(picture, state) == (places(state), chords(state))


@every_task
def test_only_touched_pixels_change_and_enough_of_them(task: str) -> None:
    for change, before, after in pictures(task):
        differs = (before != after).any(axis=2)
        assert differs.sum() >= 40
        allowed = np.zeros_like(differs)
        for x0, y0, x1, y1 in change.touched:
            assert 0 <= x0 < x1 <= WIDTH and 0 <= y0 < y1 <= HEIGHT
            allowed[math.floor(y0) : math.ceil(y1), math.floor(x0) : math.ceil(x1)] = True
        assert not (differs & ~allowed).any()
        assert allowed.mean() < (0.01 if task == "recolor_node" else 0.25)


@every_task
def test_nodes_lie_over_edges_and_are_all_of_one_size(task: str) -> None:
    for change, _, picture in pictures(task):
        state = change.after
        shown = {node.place: node.color for node in state.nodes if node.shown}
        for place, color in shown.items():
            x, y = spots(state)[place]
            for angle in np.radians(np.arange(0, 360, 15)):
                inner, outer = state.disc - 3, state.disc
                assert hex_at(picture, x + inner * np.cos(angle), y + inner * np.sin(angle)) == color
                assert hex_at(picture, x + outer * np.cos(angle), y + outer * np.sin(angle)) != color

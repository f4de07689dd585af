"""Network: named nodes on a circle with straight edges between them; add, swap, remove or recolor nodes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import TypeAlias

from matplotlib.artist import Artist
from matplotlib.collections import LineCollection, PathCollection, PolyCollection
from matplotlib.path import Path as Outline

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.tinygrafix import rims
from editscope.suites.tinygrafix.axes import TICK_SIZE, TITLE_SIZE, TITLE_Y
from editscope.suites.tinygrafix.canvas import DPI, HEIGHT, WIDTH, Canvas, Point
from editscope.suites.tinygrafix.change import Change, PixelBox
from editscope.suites.tinygrafix.colors import Theme, random_color, random_colors
from editscope.suites.tinygrafix.wording import new_word, words

UNSEEN = rims.UNSEEN
Edge: TypeAlias = tuple[str, str]
"""The labels of the two nodes that it connects."""

NODES = (5, 9)
RING = 262.0
"""Radius of the circle that the nodes stand on, in pixels."""
DISC = 22.2
"""Radius of a node: 400 square points."""
LINKED = (0.25, 0.55)
"""With what chance two nodes are connected; drawn for each network."""
OUTLINE, EDGE_WIDTH = 2.0, 3.0
MIDDLE_Y = 414.0
MARGIN, GAP = 30.0, 64.0
KEY_PITCH, KEY_PAD = 40.0, 18.0
SWATCH_WIDTH, SWATCH_HEIGHT, SWATCH_GAP = 48.0, 23.0, 14.0
LONGEST_LABEL = 140.0
"""Width of a label in pixels."""
SOFT = 2.0
"""Anti-aliasing may touch the next pixel."""
STEP = 40.0
"""A slanting edge is covered by boxes of at most this many pixels on their shorter side."""


@dataclass(frozen=True, slots=True)
class Node:
    """One node; ``place`` counts along the circle, and ``shown`` is False for one that only the key has."""

    label: str
    color: str
    place: int
    shown: bool = True


@dataclass(frozen=True, slots=True)
class Ring:
    """The circle of the nodes: middle and radius in pixels, the angle of place 0 in degrees, and how many places."""

    x: float
    y: float
    radius: float
    turn: float
    places: int

    def at(self, place: int) -> Point:
        """The middle of a place; places run counterclockwise.

        >>> Ring(400.0, 400.0, 100.0, 90.0, 4).at(0)
        (400.0, 300.0)
        """
        angle = math.radians(self.turn + 360.0 * place / self.places)
        # Rounded, so that the last bit of a machine's cosine decides about no pixel.
        return round(self.x + self.radius * math.cos(angle), 2), round(self.y - self.radius * math.sin(angle), 2)


@dataclass(frozen=True, slots=True)
class Network:
    """A network: its nodes in the order of the key, edges, and where ring and key stand."""

    theme: Theme
    title: str
    ring: Ring
    disc: float
    key: PixelBox
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


def build(rng: SeededRandom, canvas: Canvas, task: str) -> Network:
    """Five to nine nodes of their own colors, in the order of the key from three o'clock on."""
    theme = Theme.random(rng)
    count = rng.integer(*NODES)
    colors = random_colors(rng, count, [theme.background, theme.text])
    labels = _labels(rng, canvas, count)
    title = words(rng)
    while canvas.text_size(title, TITLE_SIZE)[0] > WIDTH - 2 * MARGIN:
        title = words(rng)
    widest = max(canvas.text_size(label, TICK_SIZE)[0] for label in labels)
    key_width = math.ceil(2 * KEY_PAD + SWATCH_WIDTH + SWATCH_GAP + widest)
    graph_width = 2 * (RING + DISC)
    left = (WIDTH - graph_width - GAP - key_width) // 2
    ring = Ring(left + graph_width / 2, MIDDLE_Y, RING, 0.0, count)
    key_left, half = left + graph_width + GAP, (count * KEY_PITCH + KEY_PAD) / 2
    return Network(
        theme,
        title,
        ring,
        DISC,
        (key_left, MIDDLE_Y - half, key_left + key_width, MIDDLE_Y + half),
        tuple(Node(*node) for node in zip(labels, colors, range(count), strict=True)),
        _edges(rng, labels),
    )


def _labels(rng: SeededRandom, canvas: Canvas, count: int) -> list[str]:
    """Words that fit into the key and differ whatever their case."""
    labels: list[str] = []
    while len(labels) < count:
        label = new_word(rng, labels)
        if canvas.text_size(label, TICK_SIZE)[0] <= LONGEST_LABEL:
            labels.append(label)
    return labels


def _edges(rng: SeededRandom, labels: Sequence[str]) -> tuple[Edge, ...]:
    """Each pair of nodes connected or not, by chance, so that single nodes may have no edge.

    Drawn again until two nodes have different neighbors, and an edge is left whichever node is taken away.
    """
    while True:
        chance = rng.uniform(*LINKED)
        edges = tuple(pair for pair in combinations(labels, 2) if rng.chance(chance))
        left = all(any(label not in edge for edge in edges) for label in labels)
        if left and len(edges) < math.comb(len(labels), 2):
            return edges


def shared(canvas: Canvas, state: Network) -> list[Artist]:
    """Title, and the key but for its colors."""
    theme = state.theme
    artists = [
        canvas.ground(theme.background),
        canvas.text(WIDTH / 2, TITLE_Y, state.title, theme.text, TITLE_SIZE),
        canvas.box(*state.key, theme.text),
    ]
    for row, node in enumerate(state.nodes):
        _, top, right, bottom = _swatch(state, row)
        x, y = right + SWATCH_GAP, (top + bottom) / 2
        artists.append(canvas.text(x, y, node.label, theme.text, TICK_SIZE, across="left", along="middle"))
    return artists


def content(canvas: Canvas, state: Network) -> list[Artist]:
    """Colors of the key, edges, and nodes over the edges."""
    shown = [node for node in state.nodes if node.shown]
    text = state.theme.text
    swatches = PolyCollection(
        [_corners(*_swatch(state, row)) for row in range(len(state.nodes))],
        facecolors=[node.color for node in state.nodes],
        edgecolors="none",
        linewidths=0,
    )
    edges = LineCollection(
        [[state.ring.at(place) for place in chord] for chord in sorted(map(sorted, _chords(state)))],
        colors=text,
        linewidths=_points(EDGE_WIDTH),
    )
    discs = PathCollection(
        [Outline.circle(state.ring.at(node.place), state.disc) for node in shown],
        facecolors=[node.color for node in shown],
        edgecolors=text,
        linewidths=_points(OUTLINE),
    )
    artists: list[Artist] = [canvas._own(artist) for artist in (swatches, edges, discs)]
    return artists


def _corners(x0: float, y0: float, x1: float, y1: float) -> list[Point]:
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]


def _points(pixels: float) -> float:
    return pixels * 72.0 / DPI


def _swatch(state: Network, row: int) -> PixelBox:
    """The patch of color in a row of the key."""
    left, top, _, _ = state.key
    y = top + KEY_PAD / 2 + KEY_PITCH * (row + 0.5)
    return left + KEY_PAD, y - SWATCH_HEIGHT / 2, left + KEY_PAD + SWATCH_WIDTH, y + SWATCH_HEIGHT / 2


def _chords(state: Network) -> set[frozenset[int]]:
    """The edges as pairs of places."""
    place = {node.label: node.place for node in state.nodes}
    return {frozenset((place[a], place[b])) for a, b in state.edges}


def _touched(before: Network, after: Network) -> tuple[PixelBox, ...]:
    """The pixels of every disc, swatch and edge that only one of two states of the same ring and key has."""
    discs = [{(node.place, node.color) for node in state.nodes if node.shown} for state in (before, after)]
    reach = before.disc + OUTLINE / 2 + SOFT
    boxes = [_around([before.ring.at(place)], reach) for place in sorted({place for place, _ in discs[0] ^ discs[1]})]
    for row, (old, new) in enumerate(zip(before.nodes, after.nodes, strict=True)):
        if old.color != new.color:
            x0, y0, x1, y1 = _swatch(before, row)
            boxes.append(_around([(x0, y0), (x1, y1)], SOFT))
    for one, two in sorted(map(sorted, _chords(before) ^ _chords(after))):
        boxes += _along(before.ring.at(one), before.ring.at(two))
    return tuple(boxes)


def _around(points: Sequence[Point], reach: float) -> PixelBox:
    xs, ys = zip(*points, strict=True)
    left, top, right, bottom = min(xs) - reach, min(ys) - reach, max(xs) + reach, max(ys) + reach
    return max(0.0, left), max(0.0, top), min(float(WIDTH), right), min(float(HEIGHT), bottom)


def _along(start: Point, end: Point) -> list[PixelBox]:
    """Boxes that cover an edge piece by piece: one around all of a slanting edge would be mostly untouched."""
    across, down = end[0] - start[0], end[1] - start[1]
    pieces = max(1, math.ceil(min(abs(across), abs(down)) / STEP))
    stops = [(start[0] + across * i / pieces, start[1] + down * i / pieces) for i in range(pieces + 1)]
    return [_around(piece, EDGE_WIDTH / 2 + SOFT) for piece in pairwise(stops)]


def _without(state: Network, label: str) -> Network:
    """The graph lacks a node and its edges; the key still has it, and the others keep their places."""
    return replace(
        state,
        nodes=tuple(replace(node, shown=node.shown and node.label != label) for node in state.nodes),
        edges=tuple(edge for edge in state.edges if label not in edge),
    )


def _neighbors(state: Network, label: str) -> list[str]:
    """Labels that a node is connected to, in the order of the key."""
    ends = {end for edge in state.edges if label in edge for end in edge if end != label}
    return [node.label for node in state.nodes if node.label in ends]


def _listed(labels: Sequence[str]) -> str:
    """Labels in quotes.

    >>> _listed(["Abc"]), _listed(["Abc", "Def", "Ghi"])
    ('"Abc"', '"Abc", "Def" and "Ghi"')
    """
    quoted = [f'"{label}"' for label in labels]
    return " and ".join(part for part in (", ".join(quoted[:-1]), quoted[-1]) if part)


def add_node(state: Network, rng: SeededRandom, canvas: Canvas) -> Change[Network]:
    """The node that the circle lacks, with its edges if it has any."""
    node = rng.choice(state.nodes)
    before, neighbors = _without(state, node.label), _neighbors(state, node.label)
    edges = (
        f"Connect it to {_listed(neighbors)} with straight edges as wide as the others, running beneath the nodes from "
        "middle to middle."
        if neighbors
        else "It is connected to no other node."
    )
    return Change(
        before,
        state,
        f'Add the node "{node.label}", which the key lists but the graph lacks, in its color from the key. Put it in '
        f"the gap on the circle, so that all nodes are evenly spaced, with the size and outline of the other nodes. "
        f"{edges} Everything else stays where it is.",
        _touched(before, state),
        {"label": node.label, "color": node.color, "place": node.place, "neighbors": neighbors},
    )


def swap_nodes(state: Network, rng: SeededRandom, canvas: Canvas) -> Change[Network]:
    """Two nodes exchange places and take their edges along; at least one edge moves."""
    # Two nodes with the same neighbors would leave all lines as they are. In a graph that has edges and lacks some,
    # not all pairs are such.
    pairs = [
        (a, b)
        for a, b in combinations(state.nodes, 2)
        if set(_neighbors(state, a.label)) - {b.label} != set(_neighbors(state, b.label)) - {a.label}
    ]
    one, two = rng.choice(pairs)
    places = {one.label: two.place, two.label: one.place}
    after = replace(state, nodes=tuple(replace(n, place=places.get(n.label, n.place)) for n in state.nodes))
    return Change(
        state,
        after,
        f'Swap the positions of the nodes "{one.label}" and "{two.label}". Edges follow their nodes: every node stays '
        f"connected to the same nodes as before. All other nodes and the key stay as they are.",
        _touched(state, after),
        {"labels": [one.label, two.label], "places": [one.place, two.place]},
    )


def remove_node(state: Network, rng: SeededRandom, canvas: Canvas) -> Change[Network]:
    """One node and its edges; the key still lists it."""
    node = rng.choice(state.nodes)
    after = _without(state, node.label)
    return Change(
        state,
        after,
        f'Remove the node "{node.label}" from the graph together with all edges that end at it. All other nodes and '
        f"edges stay where they are, and the key stays unchanged.",
        _touched(state, after),
        {"label": node.label, "place": node.place, "neighbors": _neighbors(state, node.label)},
    )


def recolor_node(state: Network, rng: SeededRandom, canvas: Canvas) -> Change[Network]:
    """One node, in the graph and in the key, in a color that nothing else has."""
    node = rng.choice(state.nodes)
    color = random_color(rng, [state.theme.background, state.theme.text, *(n.color for n in state.nodes)])
    after = replace(state, nodes=tuple(replace(n, color=color) if n is node else n for n in state.nodes))
    return Change(
        state,
        after,
        f'Recolor the node "{node.label}" to {color}, both in the graph and in the key. Its outline stays as it is.',
        _touched(state, after),
        {"label": node.label, "color": color, "place": node.place},
    )


TASKS: Mapping[str, Callable[[Network, SeededRandom, Canvas], Change[Network]]] = {
    "add_node": add_node,
    "swap_nodes": swap_nodes,
    "remove_node": remove_node,
    "recolor_node": recolor_node,
}

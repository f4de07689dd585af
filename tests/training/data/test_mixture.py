"""Mixtures: exact shares, every record once an epoch, captions by weight."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from editscope.training.data.captions import Caption, CaptionChoice, chance_of
from editscope.training.data.mixture import Mixture, number_of
from editscope.training.data.settings import PartSettings

WEIGHTS = st.lists(st.floats(0.01, 100), min_size=1, max_size=5)


@settings(max_examples=40, deadline=None)
@given(WEIGHTS, st.integers(1, 200))
def test_every_part_has_its_share_at_all_times(weights: list[float], draws: int) -> None:
    mixture = Mixture(weights)
    for _ in range(draws):
        mixture.next()
    for weight, taken in zip(weights, mixture.taken, strict=True):
        assert abs(taken - draws * weight / sum(weights)) < len(weights)


@settings(max_examples=20, deadline=None)
@given(WEIGHTS, st.integers(0, 60), st.integers(1, 60))
def test_the_place_in_a_mixture_is_what_each_part_has_given(weights: list[float], before: int, after: int) -> None:
    whole = Mixture(weights)
    for _ in range(before):
        whole.next()
    resumed = Mixture(weights)
    resumed.taken = list(whole.taken)
    assert [resumed.next() for _ in range(after)] == [whole.next() for _ in range(after)]


def test_decimal_weights_are_exact() -> None:
    mixture = Mixture([0.1, 0.2, 0.7])
    for _ in range(1000):
        mixture.next()
    assert mixture.taken == [100, 200, 700]


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 40), st.integers(1, 3), st.integers(0, 5), st.booleans())
def test_an_epoch_has_every_record_as_often_as_asked(entries: int, repeats: int, seed: int, shuffle: bool) -> None:
    part = PartSettings("set:x", repeats=repeats, shuffle=shuffle)
    for epoch in range(3):
        turns = range(epoch * entries * repeats, (epoch + 1) * entries * repeats)
        counts = Counter(number_of(turn, entries, part, seed) for turn in turns)
        assert counts == dict.fromkeys(range(entries), repeats)


def test_epochs_and_seeds_have_other_orders_and_the_same_ones_for_ever() -> None:
    part = PartSettings("set:x")
    orders = [[number_of(turn, 8, part, seed) for turn in range(8)] for seed in (0, 1)]
    assert orders[0] == [1, 7, 3, 0, 2, 6, 4, 5] and orders[1] != orders[0]
    assert [number_of(turn, 8, part, 0) for turn in range(8, 16)] != orders[0]


def test_a_stream_is_read_in_its_order() -> None:
    assert [number_of(turn, None, PartSettings("stream:x"), 7) for turn in (0, 5, 10**9)] == [0, 5, 10**9]


def test_captions_are_chosen_by_weight_among_those_that_a_record_has() -> None:
    texts = [Caption("superficial", "a"), Caption("intermediate", "b"), Caption("explicit", "c")]
    choice = CaptionChoice({"superficial": 3, "explicit": 1})
    counts = Counter(choice.choose(texts, chance_of(0, "level", n)).level for n in range(4000))  # type: ignore[union-attr]
    assert set(counts) == {"superficial", "explicit"} and abs(counts["superficial"] / 4000 - 0.75) < 0.03
    assert choice.choose(texts[2:], 0.0) == texts[2]
    assert choice.choose(texts[1:2], 0.5) is None
    assert CaptionChoice().choose(texts, 0.999) == texts[2] and CaptionChoice().choose(texts, 0.0) == texts[0]

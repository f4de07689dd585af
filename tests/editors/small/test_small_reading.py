"""What the small editor reads: sentences as tokens, pictures of any size as a grid of colors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editscope.editors.small.editor import unreadable
from editscope.editors.small.inputs import INPUTS, network_inputs
from editscope.editors.small.painting import ACTIONS, COPY, KEEP, MAP, NUMBERS, painted
from editscope.editors.small.pictures import CELLS, COLORS, OUTSIDE, SIDE, read_picture
from editscope.editors.small.sentences import CODES, NUMBER, TOKENS, UNKNOWN, read_sentence, vocabulary


def test_numbers_keep_their_values_and_codes_their_order() -> None:
    read = read_sentence("Rotate the red (#FF0000) square by 12.5 degrees; then the blue (#0000ff) one, #FF0000.")
    assert read.codes == ((255, 0, 0), (0, 0, 255))
    assert [value for value in read.values if value] == [12.5]
    assert [token for token in read.tokens if NUMBER < token <= NUMBER + CODES] == [NUMBER + 1, NUMBER + 2, NUMBER + 1]
    assert not read.cut


def test_a_word_that_was_never_seen_is_named() -> None:
    read = read_sentence("Rotate the zeppelin")
    assert read.unknown == ("zeppelin",) and read.tokens[-1] == UNKNOWN


@given(st.text(max_size=400))
@settings(max_examples=60, deadline=None)
def test_any_text_can_be_read(text: str) -> None:
    read = read_sentence(text)
    assert len(read.tokens) == len(read.values) <= TOKENS and len(read.codes) <= CODES
    assert all(0 <= token < len(vocabulary()) + NUMBER + 1 + CODES for token in read.tokens)
    assert np.isfinite(read.values).all()


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("", "empty"),
        ("  \n ", "empty"),
        ("Please give the giraffe an umbrella and some sunglasses.", "giraffe"),
        ("Rotate the square. " * 40, "longer"),
        ("Rotate the square. " * 4000, "has 76,000 characters, and the editor reads 2,000 at most"),
        (".", "that it knows, and the instruction has none"),
        ("red", "needs at least 3 different words that it knows, and the instruction has only 1"),
        ("#ff0000", "has none"),
        ("the the the the", "has only 1"),
        ("Every shape.", "has only 2"),
        ("7" * 100_000, "has 100,000 characters"),
        (f"Move it by {'9' * 400} %.", "the number 999999999999… (400 characters) is larger than any"),
        (
            "Recolor the circle to #00FF00, the square to #00FF01, the star to #00FF02, the ring to #FF00FF.",
            "the instruction has 4 color codes, and the editor reads 3 at most",
        ),
        ("Move the square by 1000.5 %.", "the number 1000.5 is larger than any that the editor was trained on"),
    ],
)
def test_a_sentence_that_it_cannot_follow_is_refused_with_the_reason(sentence: str, reason: str) -> None:
    refusal = unreadable(read_sentence(sentence))
    assert refusal is not None and reason in refusal.reason


def test_short_sentences_of_known_words_are_followed() -> None:
    assert not unreadable(read_sentence("Recolor the square to #FF0000."))
    assert not unreadable(read_sentence("Move the square to the right by 360%."))


@pytest.mark.parametrize("shape", [(1, 1), (1, 900), (700, 1), (3, 5), (256, 256), (257, 255), (600, 1024), (2049, 17)])
@pytest.mark.parametrize("many", [False, True])
def test_a_picture_of_any_size_stays_as_it_is_where_everything_is_kept(shape: tuple[int, int], many: bool) -> None:
    rng = np.random.default_rng(0)
    picture = rng.integers(0, 256 if many else 2, (*shape, 3), dtype=np.uint8)
    sentence = read_sentence("Recolor the square to #123456.")
    read = read_picture(picture, sentence.codes)
    assert read.plane.shape == shape and read.plane.max() < len(read.colors) <= COLORS
    inside = read.grid != OUTSIDE
    assert inside.sum() == read.size.rows * read.size.columns and max(read.size.rows, read.size.columns) == SIDE
    inputs = network_inputs(sentence, read)
    assert tuple(inputs) == INPUTS and inputs["marks"][len(read.colors) - 1] == 1

    choice = np.full((COLORS + ACTIONS, SIDE, SIDE), -5, np.float32)
    choice[COLORS + KEEP] = 5
    zeros = np.zeros((6, CELLS, CELLS), np.float32), np.zeros((SIDE, SIDE), np.float32), np.zeros(5, np.float32)
    edit, changed = painted(
        picture, read, choice, *zeros, np.zeros((2, COLORS), np.float32), np.zeros(NUMBERS, np.float32)
    )
    assert changed == 0 and np.array_equal(edit, picture)


def test_a_photo_is_copied_and_mapped_with_its_own_pixels() -> None:
    """Not with the 16 colors that stand for them."""
    rng = np.random.default_rng(1)
    picture = rng.integers(0, 256, (256, 256, 3), dtype=np.uint8)
    read = read_picture(picture, ())
    choice = np.full((COLORS + ACTIONS, SIDE, SIDE), -9, np.float32)
    choice[COLORS + COPY] = 9  # copy, from 16 to the right
    field = np.zeros((6, CELLS, CELLS), np.float32)
    field[0] = 16
    inverse, ends = np.array([-1, 0, 1, 1, 1], np.float32), np.zeros((2, COLORS), np.float32)
    rest = np.zeros((SIDE, SIDE), np.float32), inverse, ends, np.zeros(NUMBERS, np.float32)
    moved, _ = painted(picture, read, choice, field, *rest)
    changed = (moved != picture).any(axis=2)[:, :-16]
    assert changed.mean() > 0.5
    assert np.array_equal(moved[:, :-16][changed], picture[:, 16:][changed])
    choice[COLORS + COPY], choice[COLORS + MAP] = -9, 9  # the color map, which inverts
    inverted, count = painted(picture, read, choice, field, *rest)
    assert count == 256 * 256 and np.array_equal(inverted, 255 - picture)

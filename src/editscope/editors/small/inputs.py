"""Inputs of the small editor's network: a picture and a sentence as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from editscope.editors.small.pictures import COLORS, OUTSIDE, ReadPicture, read_picture
from editscope.editors.small.sentences import TOKENS, ReadSentence, read_sentence
from editscope.images import Pixels

INPUTS = ("grid", "palette", "marks", "tokens", "values", "size")
"""The names of the inputs, in their order."""
OUTPUTS = ("choice", "field", "progress", "color_map", "ends", "figure")
"""The names of the outputs, in the order in which ``painting.painted`` takes them."""


def network_inputs(sentence: ReadSentence, picture: ReadPicture) -> dict[str, npt.NDArray[Any]]:
    """The arrays of a sentence and a picture, by name and without a batch dimension."""
    palette, marks = np.zeros((COLORS, 3), np.uint8), np.full(COLORS, OUTSIDE, np.uint8)
    palette[: len(picture.colors)], marks[: len(picture.marks)] = picture.colors, picture.marks
    tokens, values = np.zeros(TOKENS, np.int16), np.zeros(TOKENS, np.float32)
    tokens[: len(sentence.tokens)], values[: len(sentence.values)] = sentence.tokens, sentence.values
    size = np.array([picture.size.columns, picture.size.rows], np.int16)
    arrays = (picture.grid, palette, marks, tokens, values, size)
    return dict(zip(INPUTS, arrays, strict=True))


def inputs_of(picture: Pixels, instruction: str) -> tuple[dict[str, npt.NDArray[Any]], ReadPicture]:
    """The inputs for a picture and an instruction, and the picture as it was read."""
    sentence = read_sentence(instruction)
    read = read_picture(picture, sentence.codes)
    return network_inputs(sentence, read), read

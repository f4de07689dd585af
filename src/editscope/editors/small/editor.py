"""Editor ``small``: a network of our own that sees only the instruction and the pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from editscope.cases import LEFT_UNCHANGED, Edit
from editscope.editors.base import Editor, Request
from editscope.editors.small.inputs import INPUTS, OUTPUTS, network_inputs
from editscope.editors.small.pictures import ReadPicture, read_picture
from editscope.editors.small.sentences import CODES, LETTERS, UNKNOWN, ReadSentence, read_sentence
from editscope.editors.small.weights import facts_of, read_weights, shipped_weights
from editscope.errors import BadInput
from editscope.images import Pixels

MOST_UNKNOWN = 0.1
"""The largest share of a sentence that can be unknown words."""
MOST_NAMED = 5
"""Unknown words that a message lists."""
LONGEST_NAMED = 24
"""Characters of a word or a number that a message shows."""
LEAST_WORDS = 3
"""Different known words that a sentence needs; those in training have 5 or more."""
LEAST_FLAT = 0.8
"""The share of a picture that must have its flat colors; drawings in JPEGs have more, and photographs far less."""


def load(target: str) -> Editor:
    """The editor for ``small``, or ``small:FILE`` with other weights; BadInput if that file is not intact."""
    editor = SmallEditor(target)
    if target:
        read_weights(editor.weights)
    return editor


class SmallEditor(Editor):
    """Reads a sentence and a grid of at most 256 × 256 pixels, and paints its decisions at full size."""

    workers = None
    max_images = 1

    def __init__(self, weights: str = "") -> None:
        self.weights = Path(weights) if weights else shipped_weights()
        self.name = f"small-{self.weights.stem}" if weights else "small"
        self.trained_on = str(facts_of(self.weights).get("trained_on", ""))
        self._session: Any = None

    @property
    def free(self) -> bool:
        """Whether an edit costs nothing and can be repeated: it can, with the same result."""
        return True

    def check(self) -> None:
        """Raise BadInput if the weights or ONNX Runtime are missing or damaged."""
        from importlib.util import find_spec

        if find_spec("onnxruntime") is None:
            raise BadInput("the small editor needs onnxruntime; pip install 'editscope[small]'")
        read_weights(self.weights)

    def load(self) -> None:
        """Read the weights."""
        self._session = new_session(read_weights(self.weights)[1], str(self.weights))

    def edit(self, case: Request) -> Edit:
        """The edit. If the request is not for this editor, the picture unchanged, with a trace that says why."""
        picture = case.arrays[0]
        sentence = read_sentence(case.instruction)
        if refusal := unreadable(sentence):
            return _unchanged(case, picture, refusal)
        read = read_picture(picture, sentence.codes)
        if refusal := no_drawing(read):
            return _unchanged(case, picture, refusal)
        image = self._painted(picture, sentence, read)
        trace = "Nothing changed: the network found nothing to do." if np.array_equal(image, picture) else None
        return Edit(case.case_id, case.variant, image=image, trace=trace)

    def painted(self, picture: Pixels, sentence: ReadSentence) -> Pixels:
        """The network's edit of any picture and sentence, without the checks of ``edit``."""
        return self._painted(picture, sentence, read_picture(picture, sentence.codes))

    def _painted(self, picture: Pixels, sentence: ReadSentence, read: ReadPicture) -> Pixels:
        from editscope.editors.small.painting import painted

        if self._session is None:
            self.load()
        inputs = network_inputs(sentence, read)
        outputs = self._session.run(list(OUTPUTS), {name: inputs[name][None] for name in INPUTS})
        return painted(picture, read, *outputs)[0]

    def close(self) -> None:
        """Free the memory."""
        self._session = None

    def source_files(self) -> Sequence[str | Path]:
        """The weights: a run records their hash."""
        return (self.weights,)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why the network cannot follow a request: its kind, which many requests share, and the reason in full."""

    kind: str
    reason: str


def unreadable(sentence: ReadSentence) -> Refusal | None:
    """Why the network cannot follow a sentence; None if it can."""
    if not sentence.tokens:
        return Refusal("the instruction is empty", "the instruction is empty")
    if sentence.length > LETTERS:
        return Refusal(
            "the instruction is too long",
            f"the instruction has {sentence.length:,} characters, and the editor reads {LETTERS:,} at most",
        )
    if sentence.cut:
        words = len(sentence.tokens)
        return Refusal(
            "the instruction is too long",
            f"the instruction is longer than the {words} words and signs that the editor reads",
        )
    if sentence.large:
        number = _shown(sentence.large[0])
        return Refusal(
            "a number in the instruction is too large",
            f"the number {number} is larger than any that the editor was trained on",
        )
    if sentence.more_codes:
        codes = CODES + sentence.more_codes
        return Refusal(
            "the instruction has too many color codes",
            f"the instruction has {codes} color codes, and the editor reads {CODES} at most",
        )
    return _unknown_words(sentence)


def _unknown_words(sentence: ReadSentence) -> Refusal | None:
    """Whether too many words are unknown, or too few are known."""
    unknown, count = sum(token == UNKNOWN for token in sentence.tokens), len(sentence.tokens)
    if unknown > MOST_UNKNOWN * count:
        words = [_shown(word) for word in dict.fromkeys(sentence.unknown)]
        named = f" ({', '.join(words[:MOST_NAMED])}{' …' if len(words) > MOST_NAMED else ''})" if words else ""
        return Refusal(
            "the editor was not trained on the words of the instruction",
            f"the editor was not trained on {unknown} of the {count} words and signs in the instruction{named}",
        )
    if sentence.known >= LEAST_WORDS:
        return None
    few = f"only {sentence.known}" if sentence.known else "none"
    return Refusal(
        "the instruction has too few words",
        f"the editor needs at least {LEAST_WORDS} different words that it knows, and the instruction has {few}",
    )


def no_drawing(read: ReadPicture) -> Refusal | None:
    """Why the network cannot edit a picture; None if it can."""
    if read.flat >= LEAST_FLAT:
        return None
    other = f"{100 * (1 - read.flat):.0f} % of this picture's pixels"
    return Refusal(
        "the editor was trained on drawings in flat colors, and the picture is not one",
        f"the editor was trained on drawings in flat colors, and {other} have other colors",
    )


def _unchanged(case: Request, picture: Pixels, refusal: Refusal) -> Edit:
    """The picture as it is, with a note that many edits share and a trace with the reason in full."""
    return Edit(
        case.case_id,
        case.variant,
        image=picture,
        trace=f"Left unchanged: {refusal.reason}.",
        notes=(f"{LEFT_UNCHANGED}, because {refusal.kind}",),
    )


def _shown(word: str) -> str:
    return word if len(word) <= LONGEST_NAMED else f"{word[: LONGEST_NAMED // 2]}… ({len(word):,} characters)"


def new_session(onnx: bytes, name: str) -> Any:
    """A session of ONNX Runtime with one thread. Raises BadInput if it cannot read the network."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.use_deterministic_compute = True
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(onnx, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its exceptions have no common class
        reason = " ".join(str(error).split())[:200]
        raise BadInput(
            f"ONNX Runtime {onnxruntime.__version__} cannot read the network of {name} ({reason})"
        ) from error


__all__ = ["Refusal", "SmallEditor", "load", "new_session", "no_drawing", "unreadable"]

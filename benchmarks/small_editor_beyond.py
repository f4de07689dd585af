"""The small editor beyond its training: reworded instructions, charts, and problems that the authors released.

    python benchmarks/small_editor_beyond.py [--every 24] [--released FOLDER] [--weights FILE]

Every 24th problem of the default set is edited with its own sentence and with that sentence reworded in six ways. The
table says the mean mIoU of both on the same problems, with the paired 95 % interval of what is lost, and how many
pictures were left unchanged because of words that the editor does not know.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean

import numpy as np

from editscope import load_suite
from editscope.editors.small.editor import SmallEditor, unreadable
from editscope.editors.small.sentences import read_sentence
from editscope.images import Pixels, load
from editscope.scoring.pixels import score_pixels
from editscope.suites.paintbench.lessons import default_slots, problem_at

OTHER_WORDS = {
    "Remove": "Delete",
    "remove": "delete",
    "Recolor": "Repaint",
    "recolor": "repaint",
    "Move": "Shift",
    "Rotate": "Turn",
    "Draw": "Paint",
    "Copy": "Duplicate",
    "Reflect": "Mirror",
    "Scale": "Resize",
    "image": "picture",
    "exactly ": "",
}


def shorter(text: str) -> str:
    """The first sentence alone."""
    return re.split(r"(?<=[.]) (?=[A-Z])", text)[0]


def polite(text: str) -> str:
    """A request instead of an order."""
    return f"Please {text[0].lower()}{text[1:]}"


def other_words(text: str) -> str:
    """Other verbs for the same edit."""
    return re.sub("|".join(map(re.escape, OTHER_WORDS)), lambda match: OTHER_WORDS[match[0]], text)


def turned_around(text: str) -> str:
    """The same sentences, the last one first."""
    return " ".join(reversed(re.split(r"(?<=[.]) (?=[A-Z])", text)))


def without_codes(text: str) -> str:
    """Names of colors without their codes."""
    return re.sub(r" \(#[0-9A-Fa-f]{6}\)", "", text)


def percent_in_words(text: str) -> str:
    """Percent as a word."""
    return text.replace("%", " percent")


REWORDED: dict[str, Callable[[str], str]] = {
    "the first sentence alone": shorter,
    "“Please …”": polite,
    "other verbs": other_words,
    "sentences in reverse order": turned_around,
    "colors without codes": without_codes,
    "“percent” for %": percent_in_words,
}


def edited(editor: SmallEditor, picture: Pixels, text: str) -> tuple[Pixels, bool]:
    """The edit, and whether the sentence was refused."""
    sentence = read_sentence(text)
    if unreadable(sentence):
        return picture, True
    return editor.painted(picture, sentence), False


def interval(differences: Sequence[float]) -> tuple[float, float]:
    """95 % bootstrap interval of a mean."""
    values = np.asarray(differences)
    draws = np.random.default_rng(0).integers(0, len(values), (4000, len(values)))
    low, high = np.percentile(values[draws].mean(axis=1), [2.5, 97.5])
    return float(low), float(high)


def reworded(editor: SmallEditor, every: int) -> None:
    """The table of rewordings."""
    own: dict[int, float] = {}
    kept: dict[str, list[tuple[float, float, bool]]] = {name: [] for name in REWORDED}
    for number, slot in enumerate(default_slots(every)):
        before, after, text = problem_at(slot)
        own[number] = 100 * score_pixels(before, after, edited(editor, before, text)[0]).miou
        for name, change in REWORDED.items():
            if (new := change(text)) != text:
                edit, refused = edited(editor, before, new)
                kept[name].append((own[number], 100 * score_pixels(before, after, edit).miou, refused))
    print(f"{len(own)} problems with their own sentences: mIoU {fmean(own.values()):.1f}\n")
    print("| reworded | n | own sentence | reworded | lost, 95 % | left unchanged |")
    print("| --- | ---: | ---: | ---: | --- | ---: |")
    for name, rows in kept.items():
        first, second = fmean(row[0] for row in rows), fmean(row[1] for row in rows)
        low, high = interval([row[0] - row[1] for row in rows])
        unchanged = sum(row[2] for row in rows)
        lost = f"{first - second:.1f} ({low:.1f} to {high:.1f})"
        print(f"| {name} | {len(rows)} | {first:.1f} | {second:.1f} | {lost} | {unchanged} |")


def suite(editor: SmallEditor, name: str, limit: int | None = None, **options: object) -> None:
    """The mean of a suite, and how many pictures were left unchanged for their words."""
    scores, refused = [], 0
    cases = list(load_suite(name, **options))
    for case in cases[:: max(1, len(cases) // limit)] if limit else cases:
        assert case.answer is not None
        before, after = load(case.images[0]), load(case.answer)
        edit, unread = edited(editor, before, case.instruction)
        refused += unread
        scores.append(100 * score_pixels(before, after, edit).miou)
    low, high = interval(scores)
    print(
        f"{name} {options or ''}: mIoU {fmean(scores):.1f} ({low:.1f} to {high:.1f}), n {len(scores)}, {refused} left"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=24)
    parser.add_argument("--charts", type=int, default=40)
    parser.add_argument("--released", type=Path)
    parser.add_argument("--weights", default="")
    given = parser.parse_args()
    editor = SmallEditor(given.weights)
    editor.load()
    if given.released:
        suite(editor, "paintbench", root=given.released)
    suite(editor, "tinygrafix", given.charts)
    reworded(editor, given.every)


if __name__ == "__main__":
    main()

"""Statistics of a set of cases, with or without a run: questions by row, and how long its instructions are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from editscope.report.model import VARIANT_TAGS, Sheet, is_diagnostic
from editscope.runfolder.repeats import plain as split_repeat
from editscope.suites import Suite

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\s\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
"""A run of letters without spaces, or one character of a script that has none between words."""
BINS = 24
LARGEST = 0.995
"""The share of instructions that bins reach to: one of 400 words would flatten all others."""
PUNCTUATION = re.compile(r"^\W+$")


@dataclass(frozen=True)
class SetStatistics:
    """What a set consists of: its name, cases and their tags, questions, and the words of each instruction.

    ``questions`` are (tags of the case, right answer); ``words`` are lengths by level or language, "" where there is
    one kind only.
    """

    suite: str
    cases: Mapping[str, Mapping[str, str]]
    questions: Sequence[tuple[Mapping[str, str], str]]
    words: Mapping[str, Sequence[int]]

    def questions_by(self, tag: str, order: Sequence[str] = ()) -> dict[str, Counter[str]]:
        """How many questions each value of a tag has, by the right answer."""
        counts: dict[str, Counter[str]] = {}
        for tags, answer in self.questions:
            if tag in tags:
                counts.setdefault(tags[tag], Counter())[answer] += 1
        rank = {value: place for place, value in enumerate([*order, *counts])}
        return {value: counts[value] for value in sorted(counts, key=lambda value: rank[value])}

    def cases_by(self, tag: str, order: Sequence[str] = ()) -> dict[str, Counter[str]]:
        """How many cases each value of a tag has, under the answer ""."""
        counts = Counter(tags[tag] for tags in self.cases.values() if tag in tags)
        values = [value for value in dict.fromkeys([*order, *counts]) if counts[value]]
        return {value: Counter({"": counts[value]}) for value in values}

    def median_words(self, kind: str) -> float:
        """The median length of one kind of instruction."""
        return float(median(self.words[kind]))


def words_in(text: str) -> int:
    """How many words a text has; a character of a script without spaces counts as one.

    >>> words_in("Remove the red cup, please."), words_in("把杯子移走。"), words_in(" – ")
    (5, 5, 0)
    """
    return sum(not PUNCTUATION.match(word) for word in _WORD.findall(text))


def word_bins(words: Mapping[str, Sequence[int]], bins: int = BINS) -> tuple[list[int], dict[str, list[float]]]:
    """Ends of bins of whole words, and the percentages of each kind in them; the last takes in all that is longer.

    >>> word_bins({"a": [1, 2, 2, 9]}, bins=3)
    ([1, 4, 7, 10], {'a': [75.0, 0.0, 25.0]})
    """
    lengths = sorted(length for own in words.values() for length in own)
    low, high = lengths[0], lengths[min(len(lengths) - 1, int(LARGEST * len(lengths)))]
    step = max(1, -(-(high - low + 1) // bins))
    edges = list(range(low, high + step + 1, step))
    edges = edges if edges[-1] > high else [*edges, edges[-1] + step]
    last = len(edges) - 2
    shares = {}
    for kind, own in words.items():
        counts = Counter(min((length - low) // step, last) for length in own)
        shares[kind] = [100 * counts[place] / len(own) for place in range(last + 1)]
    return edges, shares


def statistics_of_suite(suite: Suite, say: Callable[[int, int], None] | None = None) -> SetStatistics:
    """The statistics of a suite, from its cases alone: no edit, no judge, no run.

    ``say`` is told how many cases of how many are read: those of a generated suite are drawn for it.
    """
    cases: dict[str, Mapping[str, str]] = {}
    questions: list[tuple[Mapping[str, str], str]] = []
    lengths: list[tuple[str, str, int]] = []
    for number, case_id in enumerate(suite.ids, start=1):
        case = suite[case_id]
        if is_diagnostic(case.tags, suite.aggregation):
            continue
        cases[case_id] = case.tags
        questions += [(case.tags, question.answer) for question in case.questions]
        lengths += [(one.level, one.language, words_in(one.text)) for one in case.instructions]
        if say is not None:
            say(number, len(suite.ids))
    return SetStatistics(suite.name, cases, questions, _by_kind(lengths))


def statistics_of_runs(sheet: Sheet) -> SetStatistics:
    """The same as far as the journal of the largest run knows it: instructions that were edited, questions asked."""
    view = max(sheet.runs, key=lambda one: len(one.by_id))
    cases: dict[str, Mapping[str, str]] = {}
    asked: dict[tuple[str, str], tuple[Mapping[str, str], str]] = {}
    lengths: dict[tuple[str, str, str], tuple[str, str, int]] = {}
    for record in sheet.averaged(view):
        cases.setdefault(record.case_id, record.tags)
        level, language = (str(record.tags.get(tag, "")) for tag in VARIANT_TAGS)
        variant = split_repeat(record.variant)[0]
        lengths.setdefault((record.case_id, variant, level), (level, language, words_in(record.instruction)))
        for row in record.rows:
            label = (row.get("tags") or {}).get("label")
            if label is not None:
                asked.setdefault((record.case_id, str(row.get("key"))), (record.tags, str(label)))
    return SetStatistics(sheet.suite, cases, list(asked.values()), _by_kind(list(lengths.values())))


def _by_kind(lengths: Sequence[tuple[str, str, int]]) -> dict[str, list[int]]:
    """Lengths by level where there are several, else by language, else all together."""
    levels, languages = {level for level, _, _ in lengths}, {language for _, language, _ in lengths}
    place = 0 if len(levels) > 1 else 1 if len(languages) > 1 else None
    words: dict[str, list[int]] = {}
    for length in lengths:
        words.setdefault("" if place is None else str(length[place]), []).append(length[2])
    return words

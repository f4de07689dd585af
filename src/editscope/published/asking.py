"""Asking for published results: by suite, by table, the best, the order of models, and how to read them."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from editscope.published.reading import FIELDS, PAPERS, all_contradictions, all_corrections, all_models, result_lines
from editscope.published.records import Contradiction, Correction, ModelCard, Result
from editscope.suites.benchmark import Headline
from editscope.suites.registry import benchmarks

REMARKS = {record.name: record.remark for record in benchmarks() if record.remark}
"""What a reader must know to set published numbers of a suite beside others."""

HEADLINES: dict[str, Headline] = {record.name: record.headline for record in benchmarks() if record.headline}
"""Every suite that has published results."""

LANGUAGES = {"en": "English", "cn": "Chinese"}


def results(
    suite: str | None = None,
    *,
    source: str | None = None,
    table: str | int | None = None,
    model: str | None = None,
    by: str | None = None,
    group: str | None = None,
    metric: str | None = None,
) -> tuple[Result, ...]:
    """The published numbers that match everything that is given, in the order of the papers and their tables.

    A model may be given by any of its names.

    >>> (cell,) = results("paintbench", table=1, model="NB-2", by="task", group="border")
    >>> cell.metric, cell.value
    ('miou', 18.9)
    """
    filters = {
        "suite": suite,
        "table": None if table is None else str(table),
        "model": None if model is None else known_model(model),
        "by": by,
        "group": group,
        "metric": metric,
    }
    wanted = [(FIELDS.index(field), value) for field, value in filters.items() if value is not None]
    sources = [name for name in PAPERS if source in (None, name)]
    if suite is not None:
        home = HEADLINES.get(suite)
        sources = [name for name in sources if home is not None and name == home.source]
    lines = [line for name in sources for line in result_lines(name)]
    for place, value in wanted:
        lines = [line for line in lines if line[place] == value]
    return tuple(map(_result, lines))


def _result(line: tuple[str, ...]) -> Result:
    source, table, suite, judge, model, level, language, setting, by, group, metric, value, width = line
    half_width = float(width) if width else None
    return Result(
        source, table, suite, judge, model, level, language, setting, by, group, metric, float(value), half_width
    )


def suites() -> tuple[str, ...]:
    """The suites that have published results.

    >>> suites()[:2]
    ('paintbench', 'tinygrafix')
    """
    return tuple(suite for suite in HEADLINES if results(suite))


def headline(suite: str) -> str:
    """The metric that a suite is ranked by, or "" where nothing is published about it.

    >>> headline("paintbench"), headline("my-own-suite")
    ('miou', '')
    """
    return HEADLINES[suite].metric if suite in HEADLINES else ""


@lru_cache
def decimals(suite: str, metric: str) -> int:
    """How many decimals the papers print of a metric.

    >>> decimals("paintbench", "miou"), decimals("picabench", "accuracy")
    (1, 2)
    """
    place = FIELDS.index("value")
    printed = [line[place] for line in result_lines(HEADLINES[suite].source) if (line[2], line[10]) == (suite, metric)]
    return max((len(value.partition(".")[2]) for value in printed), default=1)


def leaderboard(
    suite: str,
    metric: str,
    by: str = "overall",
    group: str = "",
    *,
    judge: str | None = None,
    level: str | None = None,
    language: str | None = None,
    setting: str | None = None,
) -> tuple[Result, ...]:
    """The models in one row of a suite's tables, best first: each once for each judge, level, language and setting.

    A number that several tables repeat is taken from the first that also gives its half-width.

    >>> [(row.model, row.value, row.half_width) for row in leaderboard("paintbench", "miou")[:2]]
    [('Nano Banana 2', 17.1, 0.7), ('GPT-Image-2', 16.3, 0.7)]
    """
    first: dict[tuple[str, ...], Result] = {}
    for row in results(suite, metric=metric, by=by, group=group):
        protocol = (row.judge, row.level, row.language, row.setting)
        if any(a not in (None, b) for a, b in zip((judge, level, language, setting), protocol, strict=True)):
            continue
        key = (row.source, row.model, *protocol)
        if key not in first or (first[key].half_width is None and row.half_width is not None):
            first[key] = row
    return tuple(sorted(first.values(), key=lambda row: -row.value))


def best(suite: str, metric: str = "") -> Result | None:
    """The best published number of a whole suite in its main setting, for its headline metric unless another is named.

    >>> best("tinygrafix").value
    15.9
    >>> best("my-own-suite") is None
    True
    """
    ranked = main_leaderboard(suite, metric)
    return ranked[0] if ranked else None


def main_leaderboard(suite: str, metric: str = "") -> tuple[Result, ...]:
    """The models over a whole suite, best first, with the judge, level and language of its main table.

    >>> [row.model for row in main_leaderboard("tinygrafix")[:2]]
    ['Nano Banana 2', 'GPT-Image-2']
    """
    if suite not in HEADLINES:
        return ()
    return leaderboard(suite, metric or HEADLINES[suite].metric, **main_setting(suite))


def main_setting(suite: str) -> dict[str, str]:
    """The judge, level, language and setting that a suite's models are ranked by; all empty where it has no results.

    >>> main_setting("picabench")
    {'judge': 'GPT-5', 'level': 'superficial', 'language': '', 'setting': ''}
    """
    main = HEADLINES.get(suite, Headline("", ""))
    return {"judge": main.judge, "level": main.level, "language": main.language, "setting": ""}


def main_scores(suite: str) -> dict[str, float]:
    """Each model's headline number in the main setting of a suite: the value by which two suites are related.

    A model of which several tables print different numbers in that setting has a name for each, with its source.

    >>> main_scores("worldedit")["BAGEL"]
    2.76
    """
    rows = main_leaderboard(suite)
    often = Counter(row.model for row in rows)
    return {row.model if often[row.model] == 1 else f"{row.model} ({row.source})": row.value for row in rows}


def label(result: Result) -> str:
    """Which problems, prompts and judge a number comes from: what must be said wherever it stands beside a run.

    >>> label(best("paintbench"))
    "authors' set"
    """
    origin = "authors' set and prompts" if result.judge else "authors' set"
    if result.judge:
        origin += f", judged by {result.judge}"
    if HEADLINES[result.suite].secondhand:
        origin += f", as reported by {PAPERS[result.source].name}"
    level = f"{result.level} instructions" if result.level else ""
    details = (level, LANGUAGES.get(result.language, result.language), result.setting)
    return " · ".join((origin, *(detail for detail in details if detail)))


def models() -> dict[str, ModelCard]:
    """Every model of the papers, by name.

    >>> models()["BAGEL"].parameters_b
    7.0
    """
    return dict(all_models())


def card(name: str) -> ModelCard | None:
    """The model that goes by a name or alias, whatever its case; None for one that no paper has.

    >>> card("nb-2").developer
    'Google'
    """
    return all_models().get(known_model(name))


def known_model(name: str) -> str:
    """The name under which a model is listed, or the given one where it is not.

    >>> known_model("NB-2"), known_model("mine")
    ('Nano Banana 2', 'mine')
    """
    return _names().get(name.casefold(), name)


@lru_cache(maxsize=1)
def _names() -> dict[str, str]:
    aliases = {alias.casefold(): one.name for one in all_models().values() for alias in one.aliases}
    return aliases | {name.casefold(): name for name in all_models()}


def corrections(source: str | None = None) -> tuple[Correction, ...]:
    """The slips in the text of the papers' tables that were corrected.

    >>> {row.table for row in corrections("paintbench")} >= {"16", "17", "18"}
    True
    """
    return tuple(row for row in all_corrections() if source in (None, row.source))


def contradictions(source: str | None = None) -> tuple[Contradiction, ...]:
    """The cells that do not follow from the other cells of their paper; they are carried as printed.

    >>> len(contradictions("paintbench"))
    1
    """
    return tuple(row for row in all_contradictions() if source in (None, row.source))

"""Card of a data set of results: what its rows are, where they come from, and the scores of its runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from editscope.report.exports.public_text import public_spec
from editscope.report.exports.run_sets import RunSet
from editscope.report.exports.yaml_text import as_yaml
from editscope.report.model import RunView
from editscope.runfolder.run_names import shown_spec
from editscope.suites import suite_title
from editscope.suites.registry import known_benchmark
from editscope.version import __version__
from editscope.wording import count, listed, metric_title, value

if TYPE_CHECKING:
    from editscope.report.exports.hf_dataset import DatasetColumns

SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
MOST = "n>1M"
COLUMNS = """
| column | what it is |
| --- | --- |
| `run`, `editor` | the name of the run, and the editor that made the edits |
| `case`, `variant`, `repeat` | which case, which of its instructions, and which of several edits, from 1 |
| `status`, `reason` | `ok`, or why there is no picture or score |
| `failure` | how a wrong edit is wrong, where pixels were compared |
| `instruction`, `asked` | the instruction of the case, and what the editor was really asked where that differs |
| `latency_s`, `cost_usd` | seconds and dollars of the edit, where they are known |
"""


def dataset_card(sets: Sequence[RunSet], columns: Mapping[str, DatasetColumns], *, images: bool) -> str:
    """The text of README.md, with the metadata that the Hub and ``datasets`` read."""
    suites = listed(list(dict.fromkeys(suite_title(one.sheet.suite) for one in sets)))
    title = f"Image edits on {suites}, with scores"
    rows = sum(len(view.records) for one in sets for view in one.views)
    metadata: dict[str, Any] = {
        "pretty_name": title,
        "task_categories": ["image-to-image"],
        "tags": ["image-editing", "evaluation", "editscope"],
        "size_categories": [next((name for most, name in SIZES if rows < most), MOST)],
        "configs": [_config(one, first=one is sets[0]) for one in sets],
    }
    text = f"---\n{as_yaml(metadata)}---\n\n# {title}\n\n"
    text += f"{count(rows, 'edit')} of image-editing models, each with its scores and pictures. Made by Editscope "
    text += f"{__version__}.\n\n"
    for one in sets:
        text += _about(one, columns[one.key], several=len(sets) > 1)
    size = "in full size" if images else "as small previews"
    text += f"## Columns\n{COLUMNS}\nPictures are {size}; inputs and answers of cases that were no longer at hand are "
    text += "previews.\n\n## License\n\nInputs, answers and instructions belong to the authors of the cases, and edits "
    text += "may be subject to the terms of the models. Check both before you publish this data set.\n"
    return text + _citations(sets)


def _config(one: RunSet, *, first: bool) -> dict[str, Any]:
    files = [{"split": "test", "path": f"data/{one.key}/*.parquet"}]
    return {"config_name": one.key, "data_files": files, **({"default": True} if first else {})}


def _about(one: RunSet, columns: DatasetColumns, *, several: bool) -> str:
    about = one.about()
    where = f', "{one.key}"' if several else ""
    text = f"## {one.title}\n\n```python\nfrom datasets import load_dataset\n\n"
    text += f'results = load_dataset("PATH_OR_REPOSITORY"{where}, split="test")\n```\n\n'
    text += f"{count(about['cases'], 'case')}, set `{about['fingerprint']}`"
    if one.sheet.judged:
        text += f", judged by `{about['judge']}` (protocol `{about['protocol']}`, accounting `{about['accounting']}`)"
    text += ". All runs of this table are over exactly these cases.\n\n"
    metrics = [metric for metric in one.sheet.metrics if any(metric in view.summary["overall"] for view in one.views)]
    heads = " | ".join(metric_title(metric) for metric in metrics)
    text += f"| run | editor | {heads} |\n| --- | --- |{' ---: |' * len(metrics)}\n"
    for view in one.views:
        cells = " | ".join(_figure(view, metric) for metric in metrics)
        editor = public_spec(shown_spec(view.run.info["editor"]))
        text += f"| {_cell(view.name + _gap(view))} | `{_cell(editor)}` | {cells} |\n"
    named = [*_renamed("tag", columns.tags), *_renamed("score", columns.scores)]
    text += f"\nTags: {_code(columns.tags.values())}. Scores: {_code(columns.scores.values())}, as in the table. "
    text += f"Pictures: {_code(columns.pictures)}.{' ' if named else ''}{' '.join(named)}"
    text += " `verdicts` holds what the judges answered.\n\n" if columns.judged else "\n\n"
    return text


def _gap(view: RunView) -> str:
    return "" if view.run.complete else f" (unfinished, {view.part})"


def _figure(view: RunView, metric: str) -> str:
    """A mean with its interval."""
    cell = view.summary["overall"].get(metric) or {}
    if cell.get("mean") is None:
        return "–"
    span = "" if cell["lo"] is None else f" ({value(cell['lo'], metric)} … {value(cell['hi'], metric)})"
    return f"{value(cell['mean'], metric)}{span}"


def _renamed(kind: str, names: Mapping[str, str]) -> list[str]:
    return [f"The {kind} `{old}` is the column `{new}`." for old, new in names.items() if old != new]


def _code(names: Any) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _cell(text: str) -> str:
    """A text that stays inside its cell of a table."""
    return " ".join(text.replace("|", "\\|").split())


def _citations(sets: Sequence[RunSet]) -> str:
    records = (known_benchmark(name) for name in dict.fromkeys(one.sheet.suite for one in sets))
    citations = [record.citation.strip() for record in records if record is not None and record.citation.strip()]
    return "".join(["\n## Citation\n", *(f"\n```\n{text}\n```\n" for text in citations)]) if citations else ""

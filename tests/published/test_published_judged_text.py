"""A second reading of the judged papers' tables: every number is in our data, in its place, and none is added."""

from __future__ import annotations

import re

import pytest

from editscope.published import Result, corrections, known_model, models, results
from support.places import SHARED

SEEDS = SHARED / "seeds"
PAPERS = {"picabench": "000_*.txt", "worldedit": "002_*.txt", "wiseedit": "003_*.txt", "inedit": "004_*.txt"}

CELLS = {
    ("picabench", "1"): 324,
    ("picabench", "2"): 162,
    ("picabench", "3"): 54,
    ("picabench", "4"): 324,
    ("picabench", "5"): 324,
    ("picabench", "6"): 324,
    ("picabench", "7"): 324,
    ("picabench", "8"): 324,
    ("worldedit", "1"): 728,
    ("worldedit", "2"): 60,
    ("worldedit", "3"): 48,
    ("worldedit", "4"): 420,
    ("worldedit", "5"): 50,
    ("wiseedit", "2"): 704,
    ("wiseedit", "3"): 182,
    ("wiseedit", "4"): 24,
    ("wiseedit", "5"): 726,
    ("wiseedit", "6"): 726,
    ("inedit", "1"): 126,
    ("inedit", "2"): 308,
    ("inedit", "3"): 294,
}
"""How many numbers each table prints."""

CAPTION_BELOW = {("worldedit", "1"), ("worldedit", "2"), ("worldedit", "3")}
MODELS_ACROSS = {("worldedit", "1"), ("worldedit", "4"), ("wiseedit", "4"), ("inedit", "2"), ("inedit", "3")}

FINEST = {("worldedit", "4"): "dimension", ("inedit", "3"): "subtask"}
"""Tables where the name of a larger group stands before its parts and its average after them."""

NUMBER = r"[+-]?\d+(?:\.\d+)?"
CELL = re.compile(rf"({NUMBER})%?\*?(?: ?[\[(]({NUMBER})[\])])?")


def named(text: str) -> dict[str, str]:
    """Printed labels and our names, from lines of ``label: name, label: name``."""
    return dict(pair.split(": ") for line in text.split("\n") for pair in line.strip(" ,").split(", ") if pair)


GROUPS = named("""
    LP: light_propagation, LSE: light_source_effects, Reflection: reflection, Refraction: refraction,
    Deformation: deformation, Causality: causality, GST: global, LST: local,
    Time: time, Temperature: temperature, Humidity: humidity, Acidity: acidity, Light: light,
    Break: break, Inflate: inflate, Squeeze: squeeze, Twist: twist, Stretch: stretch, Other: other,
    Attribute: attribute, Spatial: spatial, Temporal: temporal, Social: social, Natural: natural,
    Logical: logical, Decomposition: decomposition, Causal: causal,
    Awareness Task: awareness, Interpretation Task: interpretation, Imagination Task: imagination,
    State Transition: state_transition, Temporal Sequence: temporal_sequence,
    Dynamic Process: dynamic_process, Scientific Simulation: scientific_simulation,
    CA: construction_and_assembly, DP: decoration_and_painting, OA: organization_and_arrangement,
    PD: processing_and_deformation, ES: environment_and_society, GD: growth_and_decay,
    PT: physical_transformation, TM: temporal_measurement, BN: biology_and_nature, CM: coordinated_motion,
    DL: daily_life, MO: mechanical_operation, SE: sudden_events, BI: biology, CH: chemistry, PH: physics
""")
METRICS = named("""
    Acc: accuracy, Con: consistency, VC: vc, VQ: vq, IP: if, IF: if, KP: kp, DP: dp, KF: kf, CF: cf,
    Avg: average, AVG: average, AC: ac, PQ: pq, SC: sc, LC: lc, SP: sp
""")

TABLES = pytest.mark.parametrize(("source", "table"), CELLS, ids=["-".join(place) for place in CELLS])


def lines_of(source: str, table: str) -> list[list[str]]:
    """The lines of a table between its caption and an empty line, without marks for bold, color and mathematics."""
    found = sorted(SEEDS.glob(PAPERS[source]))
    if not found:
        pytest.skip("the text of the papers is not here")
    text = found[0].read_text(encoding="utf-8").split("\n")
    caption = next(i for i, line in enumerate(text) if re.match(rf"Table {table}[:.] ", line))
    step = -1 if (source, table) in CAPTION_BELOW else 1
    start = next(i for i in range(caption + step, len(text) if step > 0 else -1, step) if "\t" in text[i])
    stop = next(i for i in range(start, len(text) if step > 0 else -1, step) if not text[i].strip())
    body = text[start:stop] if step > 0 else text[stop + 1 : start + 1]
    return [[bare(cell) for cell in line.split("\t")] for line in body]


def bare(cell: str) -> str:
    return re.sub(r"<[^>]+>|\\mathcal|\\uparrow|[${}↑]", "", cell).strip()


def numbers(line: list[str]) -> list[float]:
    """The numbers of one line, from left to right; one in brackets comes after the one before it."""
    found = [CELL.fullmatch(cell) for cell in line]
    return [float(number) for match in found if match for number in match.groups() if number is not None]


def printed_model(label: str, source: str, table: str) -> str:
    """The model that a label of a table means: without citations, level and remarks, slips corrected."""
    slips = {row.printed: row.used for row in corrections(source) if row.table == table}
    name = slips.get(label, label)
    name = re.sub(r" \[\d+\]$|-(superficial|intermediate|explicit)$|\*$", "", name)
    name = re.sub(r" ?\(?[A-Z][\w.]+(?: et al\.)?,? \(?20\d\d[a-z]?\)$", "", name)
    name = re.sub(r"\+ +", "+", name).replace(" (v", "(v")
    if name == "Ours" or name.startswith("w/o"):
        name = "WorldEdit"
    if name.startswith("+"):
        name = f"Flux.1 Kontext{name}".replace("+PICA100K", "+SFT")
    if name == "Qwen-Image-Edit" and source == "wiseedit":
        name += "-2509"  # the text says which version it was
    return known_model(name)


def reading(source: str, table: str) -> list[tuple[str, float]]:
    """Every number of a table in reading order, with its model."""
    lines = lines_of(source, table)
    if (source, table) in MODELS_ACROSS:
        across = heading(lines, source, table)
        cells = [[cell for cell in line if CELL.fullmatch(cell)] for line in lines]
        pairs = [pair for line in cells if line for pair in zip(across, line, strict=True)]
        return [(model, value) for model, cell in pairs for value in numbers([cell])]
    read: list[tuple[str, float]] = []
    model = ""
    for line in lines:
        values = numbers(line)
        if values and line[0] and "Delta" not in line[0]:
            model = printed_model(line[0], source, table)
        read += [(model, value) for value in values]
    return read


def heading(lines: list[list[str]], source: str, table: str) -> list[str]:
    """The models that a table has as its columns."""
    all_names = ([printed_model(cell, source, table) for cell in line] for line in lines)
    return next(found for line in all_names if len(found := [name for name in line if name in models()]) > 2)


def as_printed(row: Result) -> float:
    """What stands in the text for a number of ours."""
    name = "; ".join(word for word in (row.model, row.level, row.language, row.setting, row.group, row.metric) if word)
    slips = [float(c.printed) for c in corrections(row.source) if (c.table, c.cell) == (row.table, name)]
    return slips[0] if slips else row.value


@TABLES
def test_every_number_of_the_text_is_in_the_data_in_reading_order_with_its_model(source: str, table: str) -> None:
    assert [(row.model, as_printed(row)) for row in results(source=source, table=table)] == reading(source, table)


@TABLES
def test_groups_and_metrics_stand_in_the_order_of_the_printed_labels(source: str, table: str) -> None:
    labels = [cell for line in lines_of(source, table) for cell in line]
    rows = results(source=source, table=table)
    finest = FINEST.get((source, table))
    groups = list(dict.fromkeys(row.group for row in rows if row.group and finest in (None, row.by)))
    printed = dict.fromkeys(GROUPS[label] for label in labels if label in GROUPS)
    assert [group for group in printed if group in groups] == [
        group for group in groups if group != "process_plausibility"
    ]
    metrics = list(dict.fromkeys(row.metric for row in rows))
    labeled = list(dict.fromkeys(METRICS[label] for label in labels if label in METRICS))
    assert [name for name in labeled if name in metrics] == [name for name in metrics if name in labeled]


@TABLES
def test_each_table_has_as_many_numbers_as_it_prints_and_none_twice(source: str, table: str) -> None:
    rows = results(source=source, table=table)
    assert len(rows) == CELLS[source, table]
    places = {(row.model, row.level, row.language, row.setting, row.by, row.group, row.metric) for row in rows}
    assert len(places) == len(rows)


def test_nothing_else_is_carried_from_these_papers() -> None:
    assert {(row.source, row.table) for row in results() if row.source in PAPERS} == CELLS.keys()
    assert sum(CELLS.values()) == 6556


def test_every_model_of_these_papers_has_its_card() -> None:
    assert {row.model for row in results() if row.source in PAPERS} <= models().keys()

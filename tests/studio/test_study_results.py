"""Results of studies: simulated raters with known preferences, exclusions with and without, agreement, exports."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from random import Random
from typing import Any

import pytest

from drills.counts import times
from editscope.errors import BadInput
from editscope.studio.settings import Settings
from editscope.studio.store.engine import Store
from editscope.studio.studies.design import StudyDesign
from editscope.studio.studies.exporting import csv_lines, export_columns, export_rows, write_parquet
from editscope.studio.studies.overview import study_overview
from editscope.studio.studies.reading import exclude, lift
from editscope.studio.studies.results import Battle, matches_of, preferences
from editscope.suites.study import study_preset, study_presets
from support.studio.made_study import NAMES, SCALES, made_study
from support.studio.simulated_raters import by_strength, vote_all

NINE = tuple(f"model-{letter}" for letter in "abcdefghi")


@pytest.mark.slow
@pytest.mark.drill
def test_a_simulated_study_with_the_papers_numbers_recovers_order_and_distances(tmp_path: Path) -> None:
    preset = next(preset for preset in study_presets().values() if preset.kind == "pairwise" and preset.models == 9)
    cases = times(10, 150)  # 50 items at three levels in full
    apart = 0.35 if cases == 150 else 0.7  # fewer votes can only order models that are further apart
    strengths = {name: apart * place for place, name in enumerate(NINE)}
    store = Store.opened(Settings(tmp_path))
    try:
        design = {key: getattr(StudyDesign.from_preset(preset), key) for key in ("kind", "votes", "elo")}
        study, raters = made_study(store, tmp_path, cases=cases, raters=30, models=NINE, **design)
        votes = vote_all(store, study, raters, by_strength(strengths))
        assert votes == cases * 36 * 5 == cases * preset.pairs * preset.votes
        with store.reading() as connection:
            overview = study_overview(connection, study)
    finally:
        store.close()
    assert overview.progress.complete_items == overview.progress.items == cases * 36
    kept = overview.results().kept
    assert kept.preferences is not None
    expected = sorted(strengths, key=lambda name: -strengths[name])
    for ratings in (kept.preferences.elo, kept.preferences.bradley_terry):
        assert [rating.model for rating in ratings] == expected
        assert all(rating.lo is not None and rating.lo <= rating.rating <= (rating.hi or 0) for rating in ratings)
    center = sum(strengths.values()) / len(strengths)
    covered = [
        rating.lo <= 1000 + 400 / math.log(10) * (strengths[rating.model] - center) <= rating.hi
        for rating in kept.preferences.bradley_terry
        if rating.lo is not None and rating.hi is not None
    ]
    assert sum(covered) >= 6
    assert kept.agreement["choice"].value > 0.03  # weak preferences: raters agree little, and the ratings still hold


def test_presets_have_the_numbers_of_the_papers() -> None:
    text, table = (preset for preset in study_presets().values() if preset.kind == "pairwise")
    assert (text.pairs, text.votes, text.items, len(text.levels), text.stratify) == (36, 5, 50, 3, "law")
    assert (table.pairs, table.votes, table.total_votes, text.total_votes) == (45, 3, 20_250, 27_000)
    for preset in (text, table):
        settings = preset.elo
        assert (settings.start, settings.scale, settings.step, settings.floor) == (1000, 400, 24, 700)
        assert (settings.rounds, settings.votes_per_match, preset.ties) == (50, 5, False)
    rated = [preset for preset in study_presets().values() if preset.kind == "ratings"]
    spans = {(scale.low, scale.high) for preset in rated for scale in preset.scales}
    assert spans == {(1, 5), (1, 10)}
    world = next(preset for preset in rated if preset.raters == 20)
    assert (world.models, world.per_rater, world.votes, world.calibration, len(world.scales)) == (8, 500, 2, 50, 4)
    with pytest.raises(BadInput, match="there is no study preset"):
        study_preset("nothing")


def test_a_rating_is_a_function_of_the_battles_and_not_of_their_order() -> None:
    rng = Random(1)
    battles = [
        Battle(f"case{i % 12}", "", a, b, rng.choice((a, a, b, "")), i)
        for i, (a, b) in enumerate((a, b) for _ in range(12) for a in NAMES for b in NAMES if a < b)
    ]
    shuffled = rng.sample(battles, len(battles))
    turned = [Battle(x.case_id, x.level, x.b, x.a, x.winner, x.rater) for x in shuffled]
    assert matches_of(battles) == matches_of(turned)
    assert preferences(StudyDesign(), battles) == preferences(StudyDesign(), turned)


def test_careless_raters_are_left_out_with_a_reason_and_both_results_are_shown(tmp_path: Path) -> None:
    strengths = dict(zip(NAMES, (2.0, 1.0, 0.0), strict=True))
    honest = by_strength(strengths)
    settings: dict[str, Any] = {"cases": 8, "votes": 4, "check_every": 4}

    def careless(item: Any, rng: Random) -> str:
        return "second" if honest(item, rng) == "first" else "first"

    store = Store.opened(Settings(tmp_path))
    try:
        study, raters = made_study(store, tmp_path, raters=4, **settings)
        vote_all(store, study, raters[:3], honest)
        vote_all(store, study, raters[3:], careless)
        with store.reading() as connection:
            overview = study_overview(connection, study)
        results = overview.results()
        (out,) = results.exclusions
        assert out.rater == 4 and out.made_by == "rule" and "attention checks right" in out.reason
        assert results.kept.votes == 72 and results.everything.votes == 96
        assert results.kept.preferences is not None and results.everything.preferences is not None
        spread = [best.elo[0].rating for best in (results.kept.preferences, results.everything.preferences)]
        assert spread[0] > spread[1]
        with store.writing() as connection:
            exclude(connection, study, 1, "knew the models")
        with store.reading() as connection:
            overview = study_overview(connection, study)
        assert overview.exclusions[0].reason == "knew the models"
        assert overview.results().kept.votes == 48
        with store.writing() as connection:
            lift(connection, study, overview.exclusions[0].id or 0)
            with pytest.raises(BadInput, match="needs a reason"):
                exclude(connection, study, 2, " ")
        with store.reading() as connection:
            assert study_overview(connection, study).results().kept.votes == 72
    finally:
        store.close()


def test_scores_become_means_with_intervals_and_agreement(tmp_path: Path) -> None:
    levels = dict(zip(NAMES, (4, 3, 2), strict=True))

    def answer(item: Any, rng: Random) -> dict[str, int]:
        return {scale.name: min(5, max(1, levels[item.first_model] + rng.choice((-1, 0, 0, 0, 1)))) for scale in SCALES}

    store = Store.opened(Settings(tmp_path))
    try:
        study, raters = made_study(store, tmp_path, cases=10, raters=3, kind="ratings", votes=3)
        assert vote_all(store, study, raters, answer) == 90
        with store.reading() as connection:
            overview = study_overview(connection, study)
            rows = list(export_rows(connection, study, overview.exclusions))
            written = "".join(csv_lines(study, iter(rows)))
        write_parquet(study, iter(rows), str(tmp_path / "votes.parquet"))
    finally:
        store.close()
    kept = overview.results().kept
    assert [mean.model for mean in kept.means if mean.scale == "quality"] == list(NAMES)
    for mean in kept.means:
        assert mean.lo is not None and mean.hi is not None
        assert mean.lo <= mean.mean <= mean.hi and abs(mean.mean - levels[mean.model]) < 0.5
    agreement = kept.agreement["quality"]
    expected = (2 / 3) / (2 / 3 + 0.4)  # levels 4, 3, 2 differ by 2/3, and one vote in five is a point off to each side
    assert agreement.lo is not None and agreement.hi is not None and agreement.lo < expected < agreement.hi
    assert 0.5 < agreement.value < 0.75
    read = list(csv.DictReader(io.StringIO(written)))
    assert len(read) == 90 and list(read[0]) == export_columns(study)
    assert {row["model_a"] for row in read} == set(NAMES) and {row["score_truth"] for row in read} <= set("12345")
    assert (tmp_path / "votes.parquet").stat().st_size > 0

"""Claims about the diagnosis of real runs: each reference editor shows the flaw that it was made with."""

from __future__ import annotations

import pytest

import editscope
from editscope.results import Run
from editscope.runfolder.run_json import aggregation_from
from editscope.stats import diagnosis

pytestmark = pytest.mark.slow

Runs = dict[str, Run]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """Four editors on the same 24 small problems, four of them of the preservation split."""
    suite = editscope.load_suite(
        "paintbench",
        tasks=("removal", "recolor", "construction", "translation", "flood_fill"),
        conditions=("baseline", "nonstandard", "horizontal", "n_med"),
        per_cell=1,
        split="all",
    )
    folder = tmp_path_factory.mktemp("runs")
    return {
        name: editscope.run(suite, f"ref:{name}", out=folder / name, jobs=1, progress=False)
        for name in ("identity", "oracle", "drift", "unrelated")
    }


def shares(run: Run) -> dict[str, float]:
    (found,) = diagnosis.failure_shares(run.rows(), by=(), exclude=aggregation_from(run.info).exclude)
    return {mode: share for mode, share in found.shares.items() if share}


def test_the_failure_modes_are_those_that_the_editors_were_made_with(runs: Runs) -> None:
    assert shares(runs["identity"]) == {"execution_omission": 1.0}
    assert shares(runs["oracle"]) == {"success": 1.0}
    assert shares(runs["drift"])["color_imprecision"] > 0.8
    assert shares(runs["unrelated"])["structural_catastrophe"] > 0.8


def test_an_editor_that_does_nothing_over_edits_nothing_and_the_oracle_exactly_enough(runs: Runs) -> None:
    def ratios(name: str) -> list[float]:
        bins = diagnosis.by_region_size(runs[name].rows(), exclude=aggregation_from(runs[name].info).exclude)
        assert sum(b.n for b in bins) == 20
        return [b.over_edit.mean for b in bins if b.over_edit is not None]

    assert set(ratios("identity")) == {0.0}
    assert set(ratios("oracle")) == {1.0}
    unrelated = ratios("unrelated")
    assert unrelated == sorted(unrelated, reverse=True)  # the smaller the region, the more is changed besides
    assert unrelated[0] > 30


def test_the_oracle_has_no_condition_that_is_harder_than_another(runs: Runs) -> None:
    found = diagnosis.deltas(runs["oracle"].rows(), aggregation_from(runs["oracle"].info), "miou")
    assert [d.value for d in found] == ["baseline", "horizontal", "nonstandard", "n_med"]
    assert {(d.mean, d.difference) for d in found} == {(100, 0)}


def test_exact_match_accuracies_of_the_two_palettes(runs: Runs) -> None:
    oracle, drift = (diagnosis.palette_gap(runs[n].rows(), aggregation_from(runs[n].info)) for n in ("oracle", "drift"))
    assert oracle is not None and drift is not None
    assert oracle.edit.standard.mean == oracle.preservation.nonstandard.mean == 100
    assert drift.edit.standard.mean < 1  # a color that is a little off is never exact


def test_the_mean_curve_of_a_drifting_editor_rises_with_the_tolerance(runs: Runs) -> None:
    run = runs["drift"]
    (curves,) = diagnosis.mean_curves(run.rows(), aggregation_from(run.info))
    assert curves.iou[0] < 5 and curves.iou[10] > 95
    assert sum(curves.iou) / 11 == pytest.approx(run.summary["overall"]["miou"]["mean"])


def test_fidelity_tells_who_keeps_pixels_and_who_redraws(runs: Runs) -> None:
    def of(name: str) -> diagnosis.Fidelity:
        run = runs[name]
        found = diagnosis.fidelity(run.rows(), exclude=aggregation_from(run.info).exclude)
        assert found is not None and found.diagnostic is not None
        return found

    identity, drift = of("identity"), of("drift")
    assert (identity.n, identity.exact, identity.kind) == (20, 100, "keeps pixels")
    assert identity.diagnostic is not None and identity.diagnostic.n == 4
    assert drift.kind == "redraws the picture"
    assert drift.diagnostic is not None and drift.diagnostic.median[0] < 5


def test_the_largest_differences_between_the_oracle_and_nothing_are_whole(runs: Runs) -> None:
    found = diagnosis.largest_differences(runs["identity"].rows(), runs["oracle"].rows(), "miou", n=30)
    edits = [d for d in found if not d.case_id.startswith("preservation")]
    assert len(edits) == 20 and all(d.b == 100 for d in edits)
    assert not [d for d in found if d.case_id.startswith("preservation")]  # returned unchanged by both


def test_specialties_come_from_the_summary_of_a_run(runs: Runs) -> None:
    summary = runs["drift"].summary
    found = diagnosis.specialties(summary)
    own = summary["overall"]["miou"]["mean"]
    assert len(found) == 5 and found[0].mean >= own >= found[-1].mean
    assert all(row.above == pytest.approx(row.mean - own) for row in found)

"""Raters of the studies that a page makes, who vote while the page has its studio open."""

from __future__ import annotations

from pathlib import Path

from editscope.studio.settings import Settings
from editscope.studio.store.engine import Store
from editscope.studio.studies.records import raters_of, studies
from support.studio.simulated_raters import by_strength, vote_all


def let_raters_vote(folder: Path) -> None:
    """Votes of every rater in every pairwise study of a studio; earlier models are a little better."""
    store = Store.opened(Settings(folder))
    try:
        with store.reading() as connection:
            known = [(study, raters_of(connection, study.id)) for study in studies(connection)]
        for study, raters in known:
            if study.design.kind == "pairwise":
                strengths = {name: -0.5 * place for place, name in enumerate(study.model_names)}
                vote_all(store, study, raters, by_strength(strengths))
    finally:
        store.close()

"""Tables of studies. A vote is a row that is added once and never changed."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from editscope.studio.store.engine import METADATA

STUDIES = Table(
    "studies",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", String(80), nullable=False, unique=True),
    Column("kind", String(16), nullable=False),
    Column("design", JSON, nullable=False),
    Column("models", JSON, nullable=False),
    Column("secret", String(64), nullable=False),
    Column("state", String(16), nullable=False),
    Column("created_at", Float, nullable=False),
)
ITEMS = Table(
    "study_items",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("study_id", Integer, ForeignKey("studies.id"), nullable=False),
    Column("key", String(32), nullable=False, unique=True),
    Column("kind", String(16), nullable=False),
    Column("case_id", Text, nullable=False),
    Column("level", Text, nullable=False),
    Column("tags", JSON, nullable=False),
    Column("instruction", Text, nullable=False),
    Column("first_model", Text, nullable=False),
    Column("second_model", Text, nullable=False),
    Column("pictures", JSON, nullable=False),
    Column("expected", JSON, nullable=False),
    Column("wanted", Integer, nullable=False),
    Column("given", Integer, nullable=False),
    Column("place", Integer, nullable=False),
    Index("ix_study_items_next", "study_id", "kind", "given", "place"),
)
RATERS = Table(
    "study_raters",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("study_id", Integer, ForeignKey("studies.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("name", Text, nullable=False),
    Column("secret", String(64), nullable=False, unique=True),
    Column("agreed_at", Float),
    Column("revoked_at", Float),
    Column("created_at", Float, nullable=False),
    UniqueConstraint("study_id", "number"),
)
GIVEN = Table(
    "study_given",
    METADATA,
    Column("rater_id", Integer, ForeignKey("study_raters.id"), nullable=False),
    Column("item_id", Integer, ForeignKey("study_items.id"), nullable=False),
    Column("place", Integer, nullable=False),
    Column("given_at", Float, nullable=False),
    PrimaryKeyConstraint("rater_id", "item_id"),
    Index("ix_study_given_item_id", "item_id"),
)
VOTES = Table(
    "study_votes",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("study_id", Integer, ForeignKey("studies.id"), nullable=False),
    Column("item_id", Integer, ForeignKey("study_items.id"), nullable=False),
    Column("rater_id", Integer, ForeignKey("study_raters.id"), nullable=False),
    Column("key", String(64), nullable=False),
    Column("choice", String(8), nullable=False),
    Column("swapped", Boolean, nullable=False),
    Column("scores", JSON, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("answered_at", Float, nullable=False),
    Column("saved_at", Float, nullable=False),
    Column("browser", String(40), nullable=False),
    UniqueConstraint("study_id", "item_id", "rater_id"),
    UniqueConstraint("study_id", "key"),
    Index("ix_study_votes_rater_id", "rater_id"),
    Index("ix_study_votes_item_id", "item_id"),
)
EXCLUSIONS = Table(
    "study_exclusions",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("study_id", Integer, ForeignKey("studies.id"), nullable=False),
    Column("rater_id", Integer, ForeignKey("study_raters.id"), nullable=False),
    Column("vote_id", Integer, ForeignKey("study_votes.id")),
    Column("reason", Text, nullable=False),
    Column("made_by", String(16), nullable=False),
    Column("made_at", Float, nullable=False),
    Column("lifted_at", Float),
    Index("ix_study_exclusions_study_id", "study_id"),
)
"""Votes that do not count, each with its reason: all of a rater's, or one vote. A lifted exclusion stays as a row."""

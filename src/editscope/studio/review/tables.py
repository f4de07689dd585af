"""Tables of review. A decision is a row that is added once and never changed; a later one of the same person counts."""

from __future__ import annotations

from sqlalchemy import JSON, Column, Float, ForeignKey, Index, Integer, String, Table, Text, UniqueConstraint

from editscope.studio.store.engine import METADATA

REVIEWERS = Table(
    "review_reviewers",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("queue", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("role", String(16), nullable=False),
    Column("secret", String(64), nullable=False, unique=True),
    Column("created_at", Float, nullable=False),
    UniqueConstraint("queue", "name"),
)
DECISIONS = Table(
    "review_decisions",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("queue", Text, nullable=False),
    Column("record", Text, nullable=False),
    Column("fingerprint", String(16), nullable=False),
    Column("reviewer_id", Integer, ForeignKey("review_reviewers.id"), nullable=False),
    Column("decision", String(8), nullable=False),
    Column("reason", Text, nullable=False),
    Column("note", Text, nullable=False),
    Column("texts", JSON, nullable=False),
    Column("key", String(64), nullable=False),
    Column("saved_at", Float, nullable=False),
    UniqueConstraint("reviewer_id", "key"),
    Index("ix_review_decisions_queue_record", "queue", "record"),
)

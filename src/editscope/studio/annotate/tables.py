"""Tables of annotation. A revision is a row that is added once and never changed; a case points to its newest one."""

from __future__ import annotations

from sqlalchemy import JSON, Boolean, Column, Float, ForeignKey, Index, Integer, String, Table, Text, UniqueConstraint

from editscope.studio.store.engine import METADATA

PROJECTS = Table(
    "annotation_projects",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", String(120), nullable=False, unique=True),
    Column("layout", String(60), nullable=False),
    Column("folder", Text, nullable=False),
    Column("source_hash", String(64), nullable=False),
    Column("created_at", Float, nullable=False),
)
CASES = Table(
    "annotation_cases",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("project_id", Integer, ForeignKey("annotation_projects.id"), nullable=False),
    Column("place", Integer, nullable=False),
    Column("raw", JSON, nullable=False),
    Column("newest", Integer, nullable=False),
    Column("key", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("picture", Text, nullable=False),
    Column("wrong", Integer, nullable=False),
    Column("advice", Integer, nullable=False),
    Column("removed", Boolean, nullable=False),
    Index("ix_annotation_cases_place", "project_id", "place"),
)
"""What stands here besides ``raw`` is about the newest revision, so that lists need not read it."""
REVISIONS = Table(
    "annotation_revisions",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("case_id", Integer, ForeignKey("annotation_cases.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("content", JSON, nullable=False),
    Column("token", String(64), nullable=False),
    Column("saved_at", Float, nullable=False),
    UniqueConstraint("case_id", "number", name="uq_annotation_revisions_case_id_number"),
    UniqueConstraint("case_id", "token", name="uq_annotation_revisions_case_id_token"),
)
"""``token`` comes from the browser, so that a save that is sent twice is one revision."""

"""Annotation: projects, their cases, and every revision of a case."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "annotation_projects",
        sa.Column("id", sa.Integer),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("layout", sa.String(60), nullable=False),
        sa.Column("folder", sa.Text, nullable=False),
        sa.Column("source_hash", sa.String(64), nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_annotation_projects"),
        sa.UniqueConstraint("name", name="uq_annotation_projects_name"),
    )
    op.create_table(
        "annotation_cases",
        sa.Column("id", sa.Integer),
        sa.Column("project_id", sa.Integer, nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("raw", sa.JSON, nullable=False),
        sa.Column("newest", sa.Integer, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("picture", sa.Text, nullable=False),
        sa.Column("wrong", sa.Integer, nullable=False),
        sa.Column("advice", sa.Integer, nullable=False),
        sa.Column("removed", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_annotation_cases"),
        sa.ForeignKeyConstraint(["project_id"], ["annotation_projects.id"], name="fk_annotation_cases_project_id"),
    )
    op.create_index("ix_annotation_cases_place", "annotation_cases", ["project_id", "place"])
    op.create_table(
        "annotation_revisions",
        sa.Column("id", sa.Integer),
        sa.Column("case_id", sa.Integer, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("content", sa.JSON, nullable=False),
        sa.Column("token", sa.String(64), nullable=False),
        sa.Column("saved_at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_annotation_revisions"),
        sa.ForeignKeyConstraint(["case_id"], ["annotation_cases.id"], name="fk_annotation_revisions_case_id"),
        sa.UniqueConstraint("case_id", "number", name="uq_annotation_revisions_case_id_number"),
        sa.UniqueConstraint("case_id", "token", name="uq_annotation_revisions_case_id_token"),
    )


def downgrade() -> None:
    """Remove the tables and what they hold."""
    op.drop_table("annotation_revisions")
    op.drop_index("ix_annotation_cases_place", "annotation_cases")
    op.drop_table("annotation_cases")
    op.drop_table("annotation_projects")

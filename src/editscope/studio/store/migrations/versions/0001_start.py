"""The start of the history: a database without tables of any part."""

from __future__ import annotations

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Nothing to make."""


def downgrade() -> None:
    """Nothing to remove."""

"""The environment in which Alembic runs the revisions: the connection that the studio gives it."""

from __future__ import annotations

from alembic import context

from editscope.studio.store.engine import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
context.config.attributes["connection"].commit()

"""Retrieval that is measured: newer words, postings, floors, misses and test questions."""

from __future__ import annotations

from sourcebook_core.migrations import sql

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Run the SQL file of the same name."""
    sql.run_beside(__file__)

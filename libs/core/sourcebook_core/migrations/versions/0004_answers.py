"""Answers that show their evidence: assistants, visitors, credit, notes, webhooks."""

from __future__ import annotations

from sourcebook_core.migrations import sql

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Run the SQL file of the same name."""
    sql.run_beside(__file__)

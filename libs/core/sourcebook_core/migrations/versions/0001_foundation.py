"""People, notebooks, sources, work, answers and the corpus."""

from __future__ import annotations

from sourcebook_core.migrations import sql

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Run the SQL file of the same name."""
    sql.run_beside(__file__)

"""Every kind of source: where its words stand, what it is about, sites."""

from __future__ import annotations

from sourcebook_core.migrations import sql

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Run the SQL file of the same name."""
    sql.run_beside(__file__)

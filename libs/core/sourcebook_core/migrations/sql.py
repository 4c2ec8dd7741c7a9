"""Runs the SQL file that lies beside a migration."""

from __future__ import annotations

from pathlib import Path

from alembic import op


def run_beside(migration: str) -> None:
    """Run `<migration>.sql` (give `__file__`): several statements, so past SQLAlchemy's prepared statements."""
    sql = Path(migration).with_suffix(".sql").read_text("utf-8")
    op.get_bind().connection.run_async(lambda raw: raw.execute(sql))

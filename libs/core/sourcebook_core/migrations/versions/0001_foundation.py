"""People, notebooks, sources, work, answers and the corpus."""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Run the SQL file of the same name: several statements, so past SQLAlchemy's prepared statements."""
    sql = Path(__file__).with_suffix(".sql").read_text("utf-8")
    op.get_bind().connection.run_async(lambda raw: raw.execute(sql))

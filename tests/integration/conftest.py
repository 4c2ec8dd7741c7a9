"""Fixtures of several files of these tests."""

from collections.abc import AsyncIterator

import pytest

from sourcebook_core.db import Db
from sourcebook_core.settings import Settings


@pytest.fixture
async def db(settings: Settings) -> AsyncIterator[Db]:
    """A pool on the test's database."""
    opened = await Db.open(settings)
    try:
        yield opened
    finally:
        await opened.close()


@pytest.fixture
async def places(db: Db) -> None:
    """A table `places` of two rows, in which transactions may meet."""
    async with db.transaction() as conn:
        await conn.execute("create table places (id int primary key, n int not null)")
        await conn.execute("insert into places values (1, 0), (2, 0)")

"""An index by meaning that stops before it has enough rows is not believed: the scan answers."""

from collections.abc import AsyncIterator

import numpy as np
import pytest
from pgvector import HalfVector

from sourcebook_core.db import Db
from sourcebook_core.settings import Settings
from sourcebook_core.store import scopes, search, vector_index
from sourcebook_core.store.scopes import Holder
from tests import rows


@pytest.fixture
async def db(settings: Settings) -> AsyncIterator[Db]:
    opened = await Db.open(settings)
    yield opened
    await opened.close()


async def test_an_index_that_gives_fewer_rows_than_asked_for_is_replaced_by_the_scan(db: Db) -> None:
    draw = np.random.default_rng(5)
    mine, others = draw.normal(size=(300, 24)), draw.normal(size=(900, 24)) * 0.1
    mine[:, 0], others[:, 0] = -3.0, 3.0  # what is asked for lies among the others' vectors
    async with db.transaction() as conn:
        notebook = await rows.notebook(conn, space_id=await rows.space(conn, dimension=24))
        foreign = await rows.notebook(conn, space_id=notebook.space_id)
        await rows.source(conn, notebook, ["x"] * len(mine), vectors=mine.tolist())
        await rows.source(conn, foreign, ["x"] * len(others), vectors=others.tolist())
        await conn.execute("analyze corpus.chunk_vec")
    assert notebook.space_id
    async with db.outside() as conn:
        await vector_index.build(conn, notebook.space_id, 24, 1200)
    question = [3.0, *[0.0] * 23]
    async with db.snapshot() as conn:
        scope = await scopes.of(conn, Holder("notebook", notebook.id), notebook.owner_id, None)
        assert scope
        await scopes.enter(conn, scope)
        exact = await search.nearest(conn, scope, [question])
        assert await vector_index.nearest(conn, scope, [HalfVector(question)], 50) is not None
        await conn.execute("set local hnsw.max_scan_tuples = 1")
        assert await vector_index.nearest(conn, scope, [HalfVector(question)], 50) is None
        assert await search.nearest(conn, scope, [question], exact_chunks=0) == exact
    assert len(exact) == 50

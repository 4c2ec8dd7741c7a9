"""What a search by meaning may not trust: an index that stops too early, vectors of a space that is being built."""

import numpy as np
from pgvector import HalfVector

from sourcebook_core.db import Db
from sourcebook_core.store import scopes, search, vector_index
from sourcebook_core.store.scopes import Holder
from tests import rows


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


async def test_vectors_of_a_space_that_is_being_built_are_never_compared_with_a_question(db: Db) -> None:
    async with db.transaction() as conn:
        notebook = await rows.notebook(conn, space_id=await rows.space(conn, dimension=3))
        made = await rows.source(conn, notebook, ["a", "b"], vectors=[[1, 0, 0], [0, 1, 0]])
        await conn.execute(
            "insert into spaces (id, provider, base_url, model, dimension, state)"
            " values (gen_random_uuid(), 'api', 'x', 'new', 2, 'building')"
        )
        await conn.execute(  # of another length, which could not even be compared
            """
            insert into corpus.chunk_vec
            select v.chunk_id, v.source_id, v.reading_id, v.recipe_id, s.id, v.ordinal, '[0,1]'::halfvec
            from corpus.chunk_vec v, spaces s where s.state = 'building'
            """
        )
    async with db.snapshot() as conn:
        scope = await scopes.of(conn, Holder("notebook", notebook.id), notebook.owner_id, None)
        assert scope and scope.space_id == notebook.space_id
        await scopes.enter(conn, scope)
        found = await search.nearest(conn, scope, [[1, 0, 0]])
        told = await search.similarities(conn, scope, made.chunk_ids, [[1, 0, 0]])
    assert [(one.chunk_id, one.similarity) for one in found] == [(made.chunk_ids[0], 1.0), (made.chunk_ids[1], 0.0)]
    assert told == dict(zip(made.chunk_ids, (1.0, 0.0), strict=True))
